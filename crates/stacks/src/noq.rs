//! [noq](https://docs.rs/noq-proto): n0's fork of quinn, with multipath, a pacing rate for controllers, and BBRv3.

#[allow(
    clippy::duplicate_mod,
    reason = "the types of the stacks have no trait in common, so the file is compiled for each"
)]
#[path = "quinn_api.rs"]
mod quinn_api;
mod session;

use self::quinn_api::Maker;
use self::session::Plain;
use crate::connection::Connections;
use crate::control::{Control, Factory as AnyFactory, OwnControl, own};
use crate::end::Packing;
use crate::stack::Stack;
use ackclock_adapter::Stack as Facts;
use ackclock_base::Descriptor;
use ackclock_noq::{Control as Adapted, NOQ};
use bytes::{Bytes, BytesMut};
use noq_proto as proto;
use proto::congestion::{Bbr3Config, Controller, ControllerFactory, CubicConfig, NewRenoConfig};
use proto::{
    Connection, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, FourTuple, PathId, PathStats,
    SendStream, ServerConfig,
};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

/// The name of the stack.
pub const NAME: &str = NOQ.name;

/// What makes the controllers of noq.
pub type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// The stack's entry in the list.
#[derive(Clone, Copy, Debug)]
pub struct Noq;

const SOURCE: &str = "noq-proto 1.4";
const NEWRENO: Descriptor = own("noq:newreno", "noq's NewReno", SOURCE);
const CUBIC: Descriptor = own("noq:cubic", "noq's CUBIC", SOURCE);
const BBR3: Descriptor = own(
    "noq:bbr3",
    "noq's BBRv3; its random number generator cannot be seeded, so runs with equal seeds differ",
    SOURCE,
);

/// Returns these controls: the description of each, its factory, and whether it draws random numbers that no seed sets.
fn own_controls<const N: usize>(known: [(&'static Descriptor, Factory, bool); N]) -> Vec<OwnControl> {
    let own = |(descriptor, factory, is_random)| OwnControl {
        descriptor,
        is_random,
        factory: AnyFactory::Noq(factory),
    };
    known.map(own).into()
}

impl Stack for Noq {
    fn name(&self) -> &'static str {
        NAME
    }

    fn facts(&self) -> Option<Facts> {
        Some(NOQ)
    }

    fn own(&'static self) -> Vec<OwnControl> {
        // BBRv3's configuration has a seed, `probe_rng_seed`, which nothing public sets.
        own_controls([
            (&NEWRENO, Arc::new(NewRenoConfig::default()), false),
            (&CUBIC, Arc::new(CubicConfig::default()), false),
            (&BBR3, Arc::new(Bbr3Config::default()), true),
        ])
    }

    fn connections(&'static self, control: &Control, packing: &Packing, seed: u64) -> Box<dyn Connections> {
        let factory = match control {
            Control::Ours(plan) => ackclock_noq::factory(&plan.clone().seeded(seed)),
            Control::Own(OwnControl { factory: AnyFactory::Noq(factory), .. }) => Arc::clone(factory),
            Control::Own(other) => panic!("{other:?} is not a control of noq"),
        };
        Box::new(Maker { factory, packing: *packing })
    }
}

/// The number of datagrams that the stack may write at once.
const ONE_DATAGRAM: NonZeroUsize = NonZeroUsize::MIN;

fn endpoint(server: Option<Arc<ServerConfig>>, seed: [u8; 32]) -> Endpoint {
    let mut config = EndpointConfig::new(Arc::new(Plain));
    config.rng_seed(Some(seed));
    Endpoint::new(Arc::new(config), server, false)
}

/// Gives a datagram from this address to the endpoint. An answer of the endpoint itself is written to `answer`.
fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    from: SocketAddr,
    ecn: Option<EcnCodepoint>,
    datagram: BytesMut,
    answer: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, FourTuple::new(from, None), ecn, datagram, answer)
}

/// Writes to a stream. Returns the number of bytes that it took: none if it is blocked, stopped or closed.
fn write_chunk(stream: &mut SendStream<'_>, data: Bytes) -> usize {
    stream.write_chunks(&mut &mut [data][..]).unwrap_or(0)
}

fn congestion_state(connection: &Connection) -> Option<&dyn Controller> {
    connection.congestion_state(PathId::ZERO)
}

fn path_stats(connection: &mut Connection) -> Option<PathStats> {
    connection.path_stats(PathId::ZERO)
}
