//! The transports of flows, in one list. All other code uses the list, and the plans that its entries create,
//! and knows no transport by name.

mod connecting;
mod plan;
mod quic;
mod rtp;
mod sctp;
mod stacks;
mod tcp;
mod udp;

pub use connecting::{Connector, Controls, Heard, Lifetime, Opening};
pub use plan::{Allowed, Facts, Heartbeats, OwnEvents, Parts, Real, Transport, TransportPlan};
#[cfg(feature = "stacks")]
pub use stacks::{STACKS, Stack, Stacks, drill, library};
pub use tcp::host as tcp_host;

use crate::language::flows::workload::SourcePlan;
use ackclock_base::Descriptor;
use std::sync::Arc;

/// The transports, in the order in which lists show their profiles. The first is the default of flows.
pub const TRANSPORTS: &[&dyn Transport] =
    &[&tcp::Tcp, &quic::Quic, &sctp::Sctp, &rtp::Rtp, &stacks::Stacks::BUILT_IN];

/// Returns every profile, in the order of lists.
pub fn profiles() -> impl Iterator<Item = &'static Descriptor> {
    TRANSPORTS.iter().flat_map(|transport| transport.profiles())
}

/// Returns the transport that has a profile of this name.
pub fn find(profile: &str) -> Option<&'static dyn Transport> {
    let has = |transport: &&&dyn Transport| transport.profiles().iter().any(|found| found.name == profile);
    TRANSPORTS.iter().find(has).copied()
}

/// The most paths that a flow may take over any transport, for the declarations of keys.
pub const MOST_PATHS: usize = sctp::MOST_PATHS;

/// Returns the plan of a source without a congestion control, which goes over UDP.
pub fn uncontrolled(source: &SourcePlan) -> Arc<dyn TransportPlan> {
    Arc::new(udp::UdpPlan::of(source.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_transport_takes_more_paths_than_scenarios_may_name() {
        let most = TRANSPORTS.iter().map(|transport| transport.most_paths()).max();
        assert_eq!(most, Some(MOST_PATHS));
    }
}
