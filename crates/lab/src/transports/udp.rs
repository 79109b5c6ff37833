//! UDP as the transport of sources without a congestion control. Scenarios do not name it.

use super::connecting::{Connector, Opening};
use super::plan::{Facts, Parts, TransportPlan};
use crate::language::flows::workload::SourcePlan;
use ackclock_base::Size;
use ackclock_export::dialect::Dialect;
use ackclock_export::udp::Opaque;
use ackclock_sim::endpoint::Ends;
use ackclock_sim::measure::Interval;
use ackclock_sim::random::Stream;
use ackclock_sim::traffic::Sizes;
use ackclock_sim::udp::UdpOptions;
use std::sync::Arc;

/// The plan of a source over UDP.
#[derive(Clone, Debug)]
pub(super) struct UdpPlan {
    source: SourcePlan,
    payload_bytes: u32,
    wire_bytes: u32,
    /// The bytes on the wire of the reply to each packet; `None` without replies.
    reply_bytes: Option<u32>,
}

impl UdpPlan {
    pub(super) fn of(source: SourcePlan) -> Self {
        let Sizes { packet, header, reply } = source.sizes();
        let bytes = |size: Size| size.bytes() as u32;
        let reply_bytes = reply.map(|reply| bytes(reply) + bytes(header));
        let (payload_bytes, wire_bytes) = (bytes(packet), bytes(packet) + bytes(header));
        Self { source, payload_bytes, wire_bytes, reply_bytes }
    }
}

impl TransportPlan for UdpPlan {
    fn parts(&self) -> Option<&Parts> {
        None
    }

    fn payload_bytes(&self) -> u64 {
        u64::from(self.payload_bytes)
    }

    fn wire_bytes(&self) -> u32 {
        self.wire_bytes
    }

    fn dialect(&self) -> Arc<dyn Dialect> {
        Arc::new(Opaque)
    }

    fn facts(&self) -> Facts {
        Facts { counts_every_packet: true, ..Facts::default() }
    }

    fn connector(&self, seed: u64, measured: Interval) -> Box<dyn Connector> {
        Box::new(UdpConnector { plan: self.clone(), seed, measured })
    }
}

struct UdpConnector {
    plan: UdpPlan,
    seed: u64,
    measured: Interval,
}

impl Connector for UdpConnector {
    /// Creates the ends with the source in the endpoint, which sends from the start of the flow to its stop.
    fn connect(&mut self, opening: &Opening<'_>) -> Ends {
        let UdpPlan { source, payload_bytes, wire_bytes, reply_bytes } = &self.plan;
        let options = UdpOptions {
            payload_bytes: *payload_bytes,
            wire_bytes: *wire_bytes,
            reply_bytes: *reply_bytes,
            source: source.build(),
            random: Stream::new(self.seed, &format!("flow {} traffic", opening.name)),
        };
        options.ends(self.measured)
    }
}
