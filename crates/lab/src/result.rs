//! What comes out of a run, as it is written in JSON. The documentation defines each number.

use crate::scenario::Scenario;
use ackclock_base::Span;
use ackclock_sim::flow::Flow;
use ackclock_sim::histogram::Histogram;
use ackclock_sim::measure::Interval;
use ackclock_sim::series::Named;
use ackclock_sim::session::{Running, Tally};
use ackclock_sim::simulation::Simulation;
use ackclock_sim::udp::UdpSender;
use ackclock_sim::watch::{BurstCounts, LossEventCounts, Watch};
use serde::Serialize;
use std::collections::BTreeMap;

/// The result of one run.
#[derive(Clone, Debug, Serialize)]
pub struct RunResult {
    /// The scenario's name.
    pub scenario: String,
    /// The seed.
    pub seed: u64,
    /// The core's version.
    pub version: &'static str,
    /// The length of the run.
    pub duration_s: f64,
    /// The part of it that was measured.
    pub measured_s: [f64; 2],
    /// The probabilities of all lists of quantiles, where distributions were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probabilities: Option<Vec<f64>>,
    /// Each flow.
    pub flows: Vec<FlowResult>,
    /// Each link, in each direction.
    pub links: Vec<LinkResult>,
    /// Each group of flows.
    pub groups: Vec<GroupResult>,
    /// Jain's index over the goodput of all flows.
    pub fairness: Option<f64>,
    /// Series over time, if they were asked for.
    pub series: Option<SeriesResult>,
}

/// One flow over the measured interval.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FlowResult {
    name: String,
    group: String,
    control: &'static str,
    start_s: f64,
    completed_s: Option<f64>,
    sent_packets: u64,
    delivered_packets: u64,
    retransmitted_packets: u64,
    lost_packets: u64,
    dropped_packets: u64,
    corrupted_packets: u64,
    goodput_bps: f64,
    throughput_bps: f64,
    rtt_mean_s: Option<f64>,
    rtt_std_s: Option<f64>,
    rtt_min_s: Option<f64>,
    rtt_p50_s: Option<f64>,
    rtt_p95_s: Option<f64>,
    rtt_p99_s: Option<f64>,
    one_way_delay_mean_s: Option<f64>,
    one_way_delay_std_s: Option<f64>,
    one_way_delay_min_s: Option<f64>,
    one_way_delay_p50_s: Option<f64>,
    one_way_delay_p95_s: Option<f64>,
    one_way_delay_p99_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    one_way_delay_quantiles_s: Option<Vec<f64>>,
    timeouts: u64,
    timeout_idle_s: f64,
    fast_retransmits: u64,
    cwnd_mean_packets: Option<f64>,
    #[serde(flatten)]
    tasks: Option<TasksResult>,
}

/// What a flow begins and completes again and again: how often, and how long that takes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TasksResult {
    #[serde(flatten)]
    counts: Option<TaskCounts>,
    completion_mean_s: Option<f64>,
    completion_p50_s: Option<f64>,
    completion_p95_s: Option<f64>,
}

/// How many of them began in the measured interval, and how many of those were completed.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum TaskCounts {
    /// Connections begun by a timetable, which are one flow together.
    Connections { connections: u64, completed_connections: u64 },
    /// Pages of a session.
    Pages { pages: u64, completed_pages: u64 },
    /// Segments of a video.
    Segments {
        segments: u64,
        completed_segments: u64,
        video_rate_mean_bps: Option<f64>,
        rate_switches: u64,
        stalls: u64,
        stall_s: f64,
    },
    /// Requests that are answered.
    Requests { requests: u64, completed_requests: u64 },
}

impl TasksResult {
    fn of(counts: TaskCounts, times: &Histogram) -> Self {
        Self {
            counts: Some(counts),
            completion_mean_s: times.mean_s(),
            completion_p50_s: times.quantile_s(0.5),
            completion_p95_s: times.quantile_s(0.95),
        }
    }
}

/// One direction of a link over the measured interval.
#[derive(Clone, Debug, Serialize)]
pub struct LinkResult {
    name: String,
    from: String,
    to: String,
    rate_bps: u64,
    utilisation: f64,
    arrived_packets: u64,
    delivered_packets: u64,
    dropped_packets: u64,
    lost_packets: u64,
    marked_packets: u64,
    queue_mean_packets: f64,
    queue_std_packets: Option<f64>,
    queue_max_packets: Option<u64>,
    queue_empty_share: Option<f64>,
    wait_mean_s: Option<f64>,
    wait_std_s: Option<f64>,
    wait_p50_s: Option<f64>,
    wait_p95_s: Option<f64>,
    wait_p99_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait_quantiles_s: Option<Vec<f64>>,
    #[serde(flatten)]
    loss_events: Option<LossEventsResult>,
}

/// What was lost together at a link.
#[derive(Clone, Copy, Debug, Serialize)]
struct LossEventsResult {
    loss_events: u64,
    loss_event_flows_mean: Option<f64>,
    loss_synchronisation: Option<f64>,
    loss_synchronisation_at_random: Option<f64>,
}

/// What became of a group's bursts.
#[derive(Clone, Copy, Debug, Serialize)]
struct BurstsResult {
    bursts: u64,
    bursts_without_loss: u64,
    burst_packets: u64,
    burst_dropped_packets: u64,
    burst_peak_wait_mean_s: Option<f64>,
    bursts_over: u64,
    burst_lasted_mean_s: Option<f64>,
}

/// A group of flows over the measured interval.
#[derive(Clone, Debug, Serialize)]
pub struct GroupResult {
    name: String,
    flows: usize,
    goodput_bps: f64,
    fairness: Option<f64>,
    #[serde(flatten)]
    bursts: Option<BurstsResult>,
}

/// Series over time; all lists have the length of `time_s`, and nulls where there was nothing to sample.
#[derive(Clone, Debug, Serialize)]
pub struct SeriesResult {
    time_s: Vec<f64>,
    flows: BTreeMap<String, Named>,
    links: BTreeMap<String, Named>,
}

impl RunResult {
    /// Reads off a finished simulation.
    pub fn of(scenario: &Scenario, seed: u64, simulation: &mut Simulation) -> Self {
        let measured = simulation.measured();
        if let Some(watch) = simulation.network.trace.as_mut().and_then(|trace| trace.watch.as_mut()) {
            watch.finish(measured.to);
        }
        let (mut flows, mut next) = (Vec::new(), 0);
        let mut groups = Vec::new();
        let distributions = scenario.observe.distributions;
        for (index, group) in scenario.flows.iter().enumerate() {
            let first = flows.len();
            for member in 0..group.rows() {
                let mut result = row_result(simulation, &mut next, flows.len(), distributions);
                result.name = group.member_name(member);
                result.group.clone_from(&group.plan.name);
                result.control = group.control_name();
                flows.push(result);
            }
            let bursts = watch(simulation).and_then(|watch| watch.bursts(index as u32));
            groups.push(group_result(&group.plan.name, &flows[first..], bursts));
        }
        let events = watch(simulation).and_then(|watch| Some((watch.link(), watch.loss_events()?)));
        let links = simulation.network.links.iter_mut().enumerate().map(|(index, link)| {
            let events = events.filter(|(watched, _)| *watched == index as u32).map(|(_, events)| events);
            link_result(link, measured, distributions, events)
        });
        let links = links.collect();
        let fairness = jain(flows.iter().map(|flow| flow.goodput_bps));
        let names: Vec<String> = flows.iter().map(|flow| flow.name.clone()).collect();
        let series = simulation.take_series().map(|series| SeriesResult {
            flows: names.into_iter().zip(series_by_row(simulation, series.flows)).collect(),
            links: series
                .links
                .into_iter()
                .map(|(index, named)| (simulation.network.links[index].name.to_string(), named))
                .collect(),
            time_s: series.time_s,
        });
        Self {
            scenario: scenario.name.clone(),
            seed,
            version: crate::VERSION,
            duration_s: measured.to.seconds(),
            measured_s: [measured.from.seconds(), measured.to.seconds()],
            probabilities: distributions.then(|| probabilities().collect()),
            flows,
            links,
            groups,
            fairness,
            series,
        }
    }
}

/// The probabilities at which a distribution is kept: every fiftieth, closer at both ends.
fn probabilities() -> impl Iterator<Item = f64> {
    let middle = (1..50).map(|k| f64::from(k) / 50.0);
    [0.001, 0.005, 0.01].into_iter().chain(middle).chain([0.99, 0.995, 0.999])
}

/// The quantiles at these; `None` without a sample.
fn quantiles(of: &Histogram) -> Option<Vec<f64>> {
    probabilities().map(|probability| of.quantile_s(probability)).collect()
}

/// What was followed packet by packet.
fn watch(simulation: &Simulation) -> Option<&Watch> {
    simulation.network.trace.as_ref()?.watch.as_deref()
}

/// Jain's fairness index, the square of the sum over n times the sum of the squares; `None` where nobody has
/// anything (Jain, Chiu and Hawe 1984).
pub fn jain(shares: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for share in shares {
        count += 1.0;
        sum += share;
        squares += share * share;
    }
    (squares > 0.0).then(|| sum * sum / (count * squares))
}

/// The result of a row: of one flow, or of all connections that are one flow. `next` is the row's first flow, and is left
/// at the next row's.
fn row_result(simulation: &mut Simulation, next: &mut usize, row: usize, distributions: bool) -> FlowResult {
    let measured = simulation.measured();
    let first = *next;
    let rest = simulation.flows[first..].iter().take_while(|flow| flow.row == row).count();
    *next += rest;
    let Some((flow, others)) = simulation.flows[first..*next].split_first_mut() else {
        // Sessions that begin after the end of the run.
        let tasks = connections_result(std::iter::empty(), measured);
        return FlowResult { tasks: Some(tasks), ..FlowResult::default() };
    };
    let tasks = match flow.session {
        Some(session) => Some(session_result(&simulation.sessions[session as usize])),
        None if flow.one_of_many => {
            Some(connections_result(std::iter::once(&*flow).chain(&*others), measured))
        }
        None => flow.udp().and_then(UdpSender::tally).map(requests_result),
    };
    others.iter().for_each(|other| flow.absorb(other));
    let mut result = flow_result(flow, measured);
    if distributions {
        result.one_way_delay_quantiles_s = quantiles(flow.one_way_delay());
    }
    if flow.one_of_many {
        (result.completed_s, result.cwnd_mean_packets) = (None, None);
    }
    for index in first..*next {
        let counts = simulation.network.path_counts(2 * index as u32);
        result.dropped_packets += counts.dropped;
        result.corrupted_packets += counts.corrupted;
    }
    result.lost_packets = result.dropped_packets + result.corrupted_packets;
    FlowResult { tasks, ..result }
}

/// How many connections began in the measured interval, how many of them completed, and how long that took.
fn connections_result<'f>(flows: impl Iterator<Item = &'f Flow>, measured: Interval) -> TasksResult {
    let (mut connections, mut times) = (0, Histogram::default());
    for flow in flows.filter(|flow| measured.contains(flow.start)) {
        connections += 1;
        flow.completed.into_iter().for_each(|completed| times.record(completed.since(flow.start)));
    }
    let counts = TaskCounts::Connections { connections, completed_connections: times.count() };
    TasksResult::of(counts, &times)
}

fn session_result(session: &Running) -> TasksResult {
    let (begun, times) = (session.tally().begun(), session.tally().times());
    let counts = match session.viewing() {
        None => TaskCounts::Pages { pages: begun, completed_pages: times.count() },
        Some(viewing) => TaskCounts::Segments {
            segments: begun,
            completed_segments: times.count(),
            video_rate_mean_bps: (viewing.segments > 0).then(|| viewing.rates_bps / viewing.segments as f64),
            rate_switches: viewing.switches,
            stalls: viewing.stalls,
            stall_s: viewing.stalled.seconds(),
        },
    };
    TasksResult::of(counts, times)
}

fn requests_result(tally: &Tally) -> TasksResult {
    let (requests, completed_requests) = (tally.begun(), tally.times().count());
    TasksResult::of(TaskCounts::Requests { requests, completed_requests }, tally.times())
}

/// Each row's series; of a row of many flows only what they deliver together.
fn series_by_row(simulation: &Simulation, series: Vec<Named>) -> Vec<Named> {
    let mut rows: Vec<Named> = Vec::new();
    for (flow, named) in simulation.flows.iter().zip(series) {
        rows.resize(rows.len().max(flow.row), Named::new());
        match rows.get_mut(flow.row) {
            None => rows.push(named),
            Some(row) => {
                named.into_iter().for_each(|(name, values)| add(row.entry(name).or_default(), &values))
            }
        }
    }
    rows
}

fn add(sum: &mut Vec<f64>, values: &[f64]) {
    sum.resize(sum.len().max(values.len()), 0.0);
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}

fn flow_result(flow: &mut Flow, measured: Interval) -> FlowResult {
    let seconds = measured.seconds();
    let bits_per_second = |bytes: u64| bytes as f64 * 8.0 / seconds;
    let sent = flow.sent_packets();
    let delivered = flow.delivered_packets();
    let cwnd = flow.tcp_mut().map(|sender| sender.cwnd_area(measured.to));
    // The window exists only while the flow does.
    let lived = measured.to.since(measured.from.max(flow.start)).seconds();
    let empty = ackclock_sim::tcp::sender::SenderCounts::default();
    let counts = flow.tcp().map_or(&empty, |sender| sender.counts());
    let (rtt, delay): (&Histogram, &Histogram) = (&counts.rtt, flow.one_way_delay());
    FlowResult {
        name: flow.name.clone(),
        group: String::new(),
        control: "",
        start_s: flow.start.seconds(),
        completed_s: flow.completed.map(|time| time.seconds()),
        sent_packets: sent,
        delivered_packets: delivered,
        retransmitted_packets: counts.retransmitted,
        lost_packets: 0,
        dropped_packets: 0,
        corrupted_packets: 0,
        goodput_bps: bits_per_second(flow.delivered_bytes()),
        throughput_bps: bits_per_second(flow.sent_payload_bytes()),
        rtt_mean_s: rtt.mean_s(),
        rtt_std_s: rtt.std_s(),
        rtt_min_s: rtt.min_s(),
        rtt_p50_s: rtt.quantile_s(0.5),
        rtt_p95_s: rtt.quantile_s(0.95),
        rtt_p99_s: rtt.quantile_s(0.99),
        one_way_delay_mean_s: delay.mean_s(),
        one_way_delay_std_s: delay.std_s(),
        one_way_delay_min_s: delay.min_s(),
        one_way_delay_p50_s: delay.quantile_s(0.5),
        one_way_delay_p95_s: delay.quantile_s(0.95),
        one_way_delay_p99_s: delay.quantile_s(0.99),
        one_way_delay_quantiles_s: None,
        timeouts: counts.timeouts,
        timeout_idle_s: counts.timeout_idle.seconds(),
        fast_retransmits: counts.fast_retransmits,
        cwnd_mean_packets: cwnd.filter(|_| lived > 0.0).map(|area| area / lived),
        tasks: None,
    }
}

fn link_result(
    link: &mut ackclock_sim::link::Link,
    measured: Interval,
    distributions: bool,
    events: Option<LossEventCounts>,
) -> LinkResult {
    let queue = link.queue_statistics(measured.to);
    let counts = link.counts();
    let waits = link.waits();
    LinkResult {
        name: link.name.to_string(),
        from: link.from.to_string(),
        to: link.to.to_string(),
        rate_bps: link.rate.bits_per_second(),
        utilisation: Span::from_nanos(counts.busy_ns).seconds() / measured.seconds(),
        arrived_packets: counts.arrived,
        delivered_packets: counts.delivered,
        dropped_packets: counts.dropped,
        lost_packets: counts.lost,
        marked_packets: counts.marked,
        queue_mean_packets: queue.mean_packets,
        queue_std_packets: queue.std_packets,
        queue_max_packets: queue.max_packets,
        queue_empty_share: queue.empty_share,
        wait_mean_s: waits.and_then(Histogram::mean_s),
        wait_std_s: waits.and_then(Histogram::std_s),
        wait_p50_s: waits.and_then(|waits| waits.quantile_s(0.5)),
        wait_p95_s: waits.and_then(|waits| waits.quantile_s(0.95)),
        wait_p99_s: waits.and_then(|waits| waits.quantile_s(0.99)),
        wait_quantiles_s: waits.filter(|_| distributions).and_then(quantiles),
        loss_events: events.map(LossEventsResult::of),
    }
}

impl LossEventsResult {
    fn of(counts: LossEventCounts) -> Self {
        let mean = |sum: f64| (counts.events > 0).then(|| sum / counts.events as f64);
        Self {
            loss_events: counts.events,
            loss_event_flows_mean: mean(counts.losing as f64),
            loss_synchronisation: mean(counts.share),
            loss_synchronisation_at_random: mean(counts.share_at_random),
        }
    }
}

impl BurstsResult {
    fn of(counts: BurstCounts) -> Self {
        let mean = |sum: f64, of: u64| (of > 0).then(|| sum / of as f64);
        Self {
            bursts: counts.bursts,
            bursts_without_loss: counts.without_loss,
            burst_packets: counts.packets,
            burst_dropped_packets: counts.dropped,
            burst_peak_wait_mean_s: mean(counts.peak_wait_s, counts.bursts),
            bursts_over: counts.over,
            burst_lasted_mean_s: mean(counts.lasted_s, counts.over),
        }
    }
}

fn group_result(name: &str, flows: &[FlowResult], bursts: Option<BurstCounts>) -> GroupResult {
    GroupResult {
        name: name.to_owned(),
        flows: flows.len(),
        goodput_bps: flows.iter().map(|flow| flow.goodput_bps).sum(),
        fairness: jain(flows.iter().map(|flow| flow.goodput_bps)),
        bursts: bursts.map(BurstsResult::of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_of_equal_shares_is_one_and_of_a_monopoly_one_over_n() {
        assert_eq!(jain([2.0, 2.0, 2.0].into_iter()), Some(1.0));
        assert_eq!(jain([4.0, 0.0, 0.0, 0.0].into_iter()), Some(0.25));
        assert_eq!(jain([0.0, 0.0].into_iter()), None);
        // (1 + 2 + 3)^2 / (3 * 14) = 36 / 42
        assert_eq!(jain([1.0, 2.0, 3.0].into_iter()), Some(36.0 / 42.0));
    }
}
