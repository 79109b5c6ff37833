//! The result of flows on real stacks, in the record of a simulation.

use crate::ends::EndCounts;
use crate::flows::FlowFacts;
use crate::watch::Seen;
use ackclock_base::{Span, Time};
use ackclock_lab::Scenario;
use ackclock_lab::run::result::declared::{Asked, Share};
use ackclock_lab::run::result::{FlowResult, GroupResult, LinkResult, RunResult, SeriesResult, jain};
use ackclock_sim::histogram::Histogram;
use ackclock_sim::measure::Interval;

/// Returns the result of a run. `links` has the links that flows cross, in any order, and `flows` what is known of each flow:
/// its facts, what its sender and its receiver counted, and what the links saw.
pub fn result(
    scenario: &Scenario,
    seed: u64,
    measured: Interval,
    links: Vec<LinkResult>,
    flows: &[(FlowFacts, [EndCounts; 2], Seen)],
) -> RunResult {
    let place = |link: &LinkResult| scenario.network.links.iter().position(|plan| plan.name == link.name);
    let mut links = links;
    links.sort_by_key(place);
    let results = flows.iter().map(|flow| (flow.0.group, flow_result(scenario, measured, flow)));
    let results: Vec<(usize, FlowResult)> = results.collect();
    let groups = scenario.flows.iter().enumerate().map(|(index, group)| {
        let of_group: Vec<FlowResult> =
            results.iter().filter(|(group, _)| *group == index).map(|(_, flow)| flow.clone()).collect();
        GroupResult::of(&group.plan.name, &of_group)
    });
    let mut groups: Vec<GroupResult> = groups.collect();
    GroupResult::share_goodput(&mut groups);
    let flows: Vec<FlowResult> = results.into_iter().map(|(_, flow)| flow).collect();
    RunResult {
        scenario: scenario.name.clone(),
        seed,
        version: ackclock_lab::VERSION,
        duration_s: measured.to.seconds(),
        measured_s: [measured.from.seconds(), measured.to.seconds()],
        probabilities: Asked(None),
        fairness: jain(flows.iter().filter(|flow| flow.start_s.is_some()).map(|flow| flow.goodput_bps)),
        flows,
        links,
        groups,
        transfers: Asked(None),
        size_classes: Asked(None),
        series: None,
    }
}

/// Returns what the ends of flows counted in each `interval` from the beginning of a run to `end`.
pub fn series(interval: Span, end: Time, flows: &[(FlowFacts, [EndCounts; 2], Seen)]) -> SeriesResult {
    let count = end.nanos().checked_div(interval.nanos()).and_then(|count| usize::try_from(count).ok());
    let count = count.unwrap_or_default();
    let time_s = (1..=count).map(|index| index as f64 * interval.seconds()).collect();
    let flows = flows.iter().map(|(facts, [sender, receiver], _)| {
        let bits = |bytes: f64| bytes * 8.0;
        let goodput = receiver.delivered.over_time.per_second(count).into_iter().map(bits).collect();
        let mut named = vec![("goodput_bps", goodput)];
        let windows = [("cwnd_packets", &sender.sender.cwnd), ("ssthresh_packets", &sender.sender.ssthresh)];
        for (name, samples) in windows {
            named.extend(samples.as_ref().map(|samples| (name, samples.values(count))));
        }
        (facts.name.clone(), named)
    });
    SeriesResult::of_flows(time_s, flows)
}

fn flow_result(
    scenario: &Scenario,
    measured: Interval,
    (facts, [sender, receiver], seen): &(FlowFacts, [EndCounts; 2], Seen),
) -> FlowResult {
    let group = &scenario.flows[facts.group];
    let bits_per_second = |bytes: u64| bytes as f64 * 8.0 / measured.seconds();
    let (counts, no_trips) = (&sender.sender, Histogram::default());
    let rtt = seen.trips.as_ref().map_or(&no_trips, |trips| &trips.times);
    let completed = seen.trips.as_ref().and_then(|trips| trips.completed).or(counts.completed);
    FlowResult {
        name: facts.name.clone(),
        group: group.plan.name.clone(),
        control: group.control_name(),
        start_s: (facts.start < Time::NEVER).then(|| facts.start.seconds()),
        completed_s: completed.map(Time::seconds),
        sent_packets: counts.sent_packets,
        delivered_packets: receiver.delivered.bytes / facts.payload_bytes,
        retransmitted_packets: counts.retransmitted_packets,
        lost_packets: seen.dropped + seen.corrupted,
        dropped_packets: seen.dropped,
        corrupted_packets: seen.corrupted,
        goodput_bps: bits_per_second(receiver.delivered.bytes),
        throughput_bps: counts.payload_bytes.map(bits_per_second),
        timeouts: counts.timeouts,
        cwnd_mean_packets: counts.cwnd_mean_packets,
        receive_window_limited_share: counts.receive_window_limited_share.map(Share),
        own: counts.own.clone(),
        ..FlowResult::default()
    }
    .with_delays(rtt, &seen.one_way_delay)
}
