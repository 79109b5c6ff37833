//! The part that an association adds to the result of its flow.

use super::fields::AssociationResult;
use ackclock_base::Time;
use ackclock_recovery::sender::Counts;
use ackclock_sim::report::AssociationReport;

/// Returns the result of an association that lived for this number of seconds of measured time.
pub(super) fn of(report: &AssociationReport, lived: f64) -> AssociationResult {
    let mean = |area: f64| if lived > 0.0 { area / lived } else { 0.0 };
    let of_paths =
        |count: fn(&Counts) -> u64| report.paths.iter().map(|path| count(&path.counts) as f64).collect();
    AssociationResult {
        path_sent_packets: of_paths(|counts| counts.sent),
        path_retransmitted_packets: of_paths(|counts| counts.retransmitted),
        path_timeouts: of_paths(|counts| counts.timeouts),
        path_fast_retransmits: of_paths(|counts| counts.fast_retransmits),
        path_cwnd_mean_packets: report.paths.iter().map(|path| mean(path.cwnd_area)).collect(),
        failovers: report.failovers,
        path_switches: report.switches,
        heartbeats: report.heartbeats,
        heartbeats_lost: report.heartbeats_lost,
        association_failed_s: report.failed_at.map(Time::seconds),
    }
}
