//! What an association adds to the result of its flow.

use super::fields::AssociationResult;
use ackclock_base::Time;
use ackclock_recovery::sender::Counts;
use ackclock_sim::flow::Flow;
use ackclock_sim::measure::Interval;
use ackclock_sim::sctp::association::Association;

/// The result of an association; `None` of any other flow.
pub(super) fn of(flow: &mut Flow, measured: Interval) -> Option<AssociationResult> {
    let lived = measured.to.since(measured.from.max(flow.start)).seconds();
    let association = flow.sctp_mut()?;
    let areas = association.cwnd_areas(measured.to);
    let mean = |area: f64| if lived > 0.0 { area / lived } else { 0.0 };
    let of_paths = |count: fn(&Counts) -> u64| {
        association.paths().iter().map(|path| count(path.sender.counts()) as f64).collect()
    };
    let counts = association.counts();
    Some(AssociationResult {
        path_sent_packets: of_paths(|counts| counts.sent),
        path_retransmitted_packets: of_paths(|counts| counts.retransmitted),
        path_timeouts: of_paths(|counts| counts.timeouts),
        path_fast_retransmits: of_paths(|counts| counts.fast_retransmits),
        path_cwnd_mean_packets: areas.into_iter().map(mean).collect(),
        failovers: counts.failovers,
        path_switches: counts.switches,
        heartbeats: counts.heartbeats,
        heartbeats_lost: counts.heartbeats_lost,
        association_failed_s: association.failed_at().map(Time::seconds),
    })
}

/// What its paths have counted together.
pub(super) fn counts(association: &Association) -> Counts {
    association.paths().iter().fold(Counts::default(), |mut sum, path| {
        sum.absorb(path.sender.counts());
        sum
    })
}
