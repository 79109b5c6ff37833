//! [quinn](https://docs.rs/quinn-proto): the QUIC stack of the Rust ecosystem.

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
use ackclock_quinn::{Control as Adapted, QUINN};
use bytes::{Bytes, BytesMut};
use proto::congestion::{BbrConfig, Controller, ControllerFactory, CubicConfig, NewRenoConfig};
use proto::{
    Connection, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, PathStats, SendStream, ServerConfig,
};
use quinn_proto as proto;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

/// The name of the stack.
pub const NAME: &str = QUINN.name;

/// What makes the controllers of quinn.
pub type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// The stack's entry in the list.
#[derive(Clone, Copy, Debug)]
pub struct Quinn;

const SOURCE: &str = "quinn-proto 0.11";
const NEWRENO: Descriptor = own("quinn:newreno", "quinn's NewReno", SOURCE);
const CUBIC: Descriptor = own("quinn:cubic", "quinn's CUBIC", SOURCE);
const BBR: Descriptor = own(
    "quinn:bbr",
    "quinn's experimental BBR; its random number generator cannot be seeded, so runs with equal seeds differ",
    SOURCE,
);

/// Returns these controls: the description of each, its factory, and whether it draws random numbers that no seed sets.
fn own_controls<const N: usize>(known: [(&'static Descriptor, Factory, bool); N]) -> Vec<OwnControl> {
    let own = |(descriptor, factory, is_random)| OwnControl {
        descriptor,
        is_random,
        factory: AnyFactory::Quinn(factory),
    };
    known.map(own).into()
}

impl Stack for Quinn {
    fn name(&self) -> &'static str {
        NAME
    }

    fn facts(&self) -> Option<Facts> {
        Some(QUINN)
    }

    fn own(&'static self) -> Vec<OwnControl> {
        own_controls([
            (&NEWRENO, Arc::new(NewRenoConfig::default()), false),
            (&CUBIC, Arc::new(CubicConfig::default()), false),
            (&BBR, Arc::new(BbrConfig::default()), true),
        ])
    }

    fn connections(&'static self, control: &Control, packing: &Packing, seed: u64) -> Box<dyn Connections> {
        let factory = match control {
            Control::Ours(plan) => ackclock_quinn::factory(&plan.clone().seeded(seed)),
            Control::Own(OwnControl { factory: AnyFactory::Quinn(factory), .. }) => Arc::clone(factory),
            Control::Own(other) => panic!("{other:?} is not a control of quinn"),
        };
        Box::new(Maker { factory, packing: *packing })
    }
}

/// The number of datagrams that the stack may write at once.
const ONE_DATAGRAM: usize = 1;

fn endpoint(server: Option<Arc<ServerConfig>>, seed: [u8; 32]) -> Endpoint {
    Endpoint::new(Arc::new(EndpointConfig::new(Arc::new(Plain))), server, false, Some(seed))
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
    endpoint.handle(now, from, None, ecn, datagram, answer)
}

/// Writes to a stream. Returns the number of bytes that it took: none if it is blocked, stopped or closed.
fn write_chunk(stream: &mut SendStream<'_>, data: Bytes) -> usize {
    stream.write_chunks(&mut [data]).map_or(0, |written| written.bytes)
}

fn congestion_state(connection: &Connection) -> Option<&dyn Controller> {
    Some(connection.congestion_state())
}

fn path_stats(connection: &mut Connection) -> Option<PathStats> {
    Some(connection.stats().path)
}
