//! The completion times of each connection of a timetable, and of those of a class of sizes.

use super::fields::{SizeClassResult, TransferResult};
use ackclock_sim::flow::Flow;
use ackclock_sim::measure::Interval;

/// Returns a record for each of these connections that begins in the measured interval, ordered by beginning.
pub fn of_row<'f>(
    name: &str,
    flows: impl Iterator<Item = &'f Flow>,
    measured: Interval,
) -> Vec<TransferResult> {
    let mut transfers: Vec<TransferResult> = flows
        .filter(|flow| flow.one_of_many && flow.session.is_none() && measured.contains(flow.start))
        .map(|flow| {
            let completed = flow.completed.filter(|completed| *completed < measured.to);
            let report = flow.report(measured.to);
            TransferResult {
                flow: name.to_owned(),
                size_bytes: flow.bytes,
                start_s: flow.start.seconds(),
                completion_s: completed.map(|completed| completed.since(flow.start).seconds()),
                retransmitted_packets: report.counts.map(|counts| counts.retransmitted),
            }
        })
        .collect();
    transfers.sort_by(|one, other| one.start_s.total_cmp(&other.start_s));
    transfers
}

/// Returns a record for each class of sizes of a flow. The classes end at `ends`; the last one has no end. A
/// class without transfers has a record too, so that all runs of a scenario have the same records.
pub fn classes(name: &str, transfers: &[TransferResult], ends: &[u64]) -> Vec<SizeClassResult> {
    let begins = std::iter::once(0).chain(ends.iter().copied());
    let ends = ends.iter().copied().map(Some).chain([None]);
    begins.zip(ends).map(|(above, end)| class(name, transfers, above, end)).collect()
}

fn class(name: &str, transfers: &[TransferResult], above: u64, end: Option<u64>) -> SizeClassResult {
    let is_of = |size: u64| size > above && end.is_none_or(|end| size <= end);
    let of_class: Vec<_> = transfers.iter().filter(|transfer| is_of(transfer.size_bytes)).collect();
    let mut times: Vec<f64> = of_class.iter().filter_map(|transfer| transfer.completion_s).collect();
    times.sort_by(f64::total_cmp);
    let mean = (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64);
    SizeClassResult {
        flow: name.to_owned(),
        above_bytes: above,
        up_to_bytes: end,
        transfers: of_class.len() as u64,
        completed_transfers: times.len() as u64,
        completion_mean_s: mean,
        completion_p50_s: quantile(&times, 0.5),
        completion_p95_s: quantile(&times, 0.95),
        completion_p99_s: quantile(&times, 0.99),
    }
}

/// Returns the least of these ascending times that a fraction `share` of them does not exceed; `None` without
/// times.
fn quantile(times: &[f64], share: f64) -> Option<f64> {
    let rank = (share * times.len() as f64).ceil().max(1.0) as usize;
    times.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transfer(size_bytes: u64, completion_s: Option<f64>) -> TransferResult {
        TransferResult {
            flow: "short".to_owned(),
            size_bytes,
            start_s: 0.0,
            completion_s,
            retransmitted_packets: None,
        }
    }

    #[test]
    fn a_class_has_the_percentiles_of_its_own_sizes() {
        // The times 1 to 100 s give the 50th, 95th and 99th percentiles. One transfer of the class is not
        // complete, and one is larger.
        let mut transfers: Vec<_> =
            (1..=100).rev().map(|seconds| transfer(100, Some(f64::from(seconds)))).collect();
        transfers.extend([transfer(100, None), transfer(101, Some(0.5))]);
        let classes = classes("short", &transfers, &[100, 1000]);
        assert_eq!(classes.len(), 3);
        let class = &classes[0];
        assert_eq!((class.above_bytes, class.up_to_bytes), (0, Some(100)));
        assert_eq!((class.transfers, class.completed_transfers), (101, 100));
        let times = [class.completion_p50_s, class.completion_p95_s, class.completion_p99_s];
        assert_eq!((times, class.completion_mean_s), ([Some(50.0), Some(95.0), Some(99.0)], Some(50.5)));
        assert_eq!((classes[1].transfers, classes[1].completion_p99_s), (1, Some(0.5)));
        assert_eq!((classes[2].transfers, classes[2].completion_p50_s), (0, None));
        assert_eq!((classes[2].above_bytes, classes[2].up_to_bytes), (1000, None));
    }
}
