//! The result of a run, as it is written in JSON. [`fields`] declares and defines each number.

pub mod declared;
pub mod fields;
pub mod own;
pub mod series;
mod transfers;

pub use declared::{Declared, Field, Kind};
pub use fields::{FlowResult, GroupResult, LinkResult, RunResult};
pub use own::{FlowTimes, OwnResult};
pub use series::SeriesResult;

use crate::language::flows::FlowGroup;
use crate::language::network::Routing;
use crate::language::scenario::Scenario;
use ackclock_base::{Span, Time};
use ackclock_sim::agent::AgentCounts;
use ackclock_sim::flow::Flow;
use ackclock_sim::histogram::Histogram;
use ackclock_sim::measure::Interval;
use ackclock_sim::medium::StationCounts;
use ackclock_sim::report::Report;
use ackclock_sim::session::{Running, Tally};
use ackclock_sim::simulation::Simulation;
use ackclock_sim::watch::{BurstCounts, LossEventCounts, Watch};
use declared::{Asked, Share};
use fields::{
    AgentResult, BurstsResult, CompletionResult, ConnectionsResult, CopiesResult, LossEventsResult,
    PagesResult, ReaderResult, RequestsResult, RouteResult, SegmentsResult, SizeClassResult, StationResult,
    TransferResult,
};
use serde_json::{Map, Value, json};

/// Returns the fields of every record of a result, by the record's name. The JSON Schema, the data frames and
/// the documentation are made from them.
pub fn declared_fields() -> Map<String, Value> {
    let records = [
        ("run", RunResult::fields()),
        ("flow", FlowResult::fields()),
        ("link", LinkResult::fields()),
        ("group", GroupResult::fields()),
        ("transfer", TransferResult::fields()),
        ("size_class", SizeClassResult::fields()),
    ];
    records.into_iter().map(|(name, fields)| (name.to_owned(), json!(fields))).collect()
}

impl RunResult {
    /// Collects the result of a finished simulation.
    pub fn of(scenario: &Scenario, seed: u64, simulation: &mut Simulation) -> Self {
        let measured = simulation.measured();
        if let Some(watch) = simulation.network.trace.as_mut().and_then(|trace| trace.watch.as_mut()) {
            watch.finish(measured.to);
        }
        let (mut flows, mut next) = (Vec::new(), 0);
        let agents = simulation.network.agent_counts(simulation.flows.len());
        let mut groups = Vec::new();
        let (mut all_transfers, mut size_classes) = (Vec::new(), Vec::new());
        let transfers_asked = scenario.observe.transfers;
        let distributions = scenario.observe.distributions;
        for (index, group) in scenario.flows.iter().enumerate() {
            let first = flows.len();
            for member in 0..group.rows() {
                // Before the first connection of the row absorbs the counts of the others.
                let transfers =
                    (transfers_asked && group.plan.sending.workload.timetable().is_some()).then(|| {
                        let rest = simulation.flows[next..].iter();
                        let of_row = rest.take_while(|flow| flow.row == flows.len());
                        transfers::of_row(&group.member_name(member), of_row, measured)
                    });
                let mut result =
                    row_result(simulation, group, &mut next, flows.len(), distributions, &agents);
                result.name = group.member_name(member);
                result.group.clone_from(&group.plan.name);
                result.control = group.control_name();
                result.route = scenario.route(group, member);
                if let Some(transfers) = transfers {
                    let ends = &scenario.observe.size_classes;
                    size_classes.extend(transfers::classes(&result.name, &transfers, ends));
                    all_transfers.extend(transfers);
                }
                flows.push(result);
            }
            let bursts = watch(simulation).and_then(|watch| watch.bursts(index as u32));
            groups.push(group_result(&group.plan.name, &flows[first..], bursts));
        }
        GroupResult::share_goodput(&mut groups);
        let events = watch(simulation).and_then(|watch| Some((watch.link(), watch.loss_events()?)));
        let count = simulation.network.links.len() as u32;
        let stations: Vec<_> = (0..count).map(|link| simulation.network.station_counts(link)).collect();
        let links = simulation.network.links.iter_mut().enumerate().map(|(index, link)| {
            let events = events.filter(|(watched, _)| *watched == index as u32).map(|(_, events)| events);
            let station = stations[index].map(StationResult::of);
            LinkResult { station, ..link_result(link, measured, distributions, events) }
        });
        let links = links.collect();
        let fairness = fairness(&flows);
        let names: Vec<String> = flows.iter().map(|flow| flow.name.clone()).collect();
        let series = simulation.take_series().map(|series| SeriesResult::of(simulation, names, series));
        Self {
            scenario: scenario.name.clone(),
            seed,
            version: crate::VERSION,
            duration_s: measured.to.seconds(),
            measured_s: [measured.from.seconds(), measured.to.seconds()],
            probabilities: Asked(distributions.then(|| probabilities().collect())),
            flows,
            links,
            groups,
            transfers: Asked(transfers_asked.then_some(all_transfers)),
            size_classes: Asked(transfers_asked.then_some(size_classes)),
            fairness,
            series,
        }
    }
}

impl Scenario {
    /// Returns the path of a flow of a group if flows are routed by hashes; `None` otherwise.
    fn route(&self, group: &FlowGroup, member: usize) -> Option<RouteResult> {
        if !matches!(self.network.routing, Routing::Ecmp(_)) {
            return None;
        }
        let name = |link: &u32| self.network.links[*link as usize].name.as_str();
        let route = match &group.members[..] {
            _ if group.plan.sending.workload.timetable().is_some() => None,
            members => members
                .get(member)
                .filter(|member| member.others.is_empty())
                .map(|member| member.forward.iter().map(name).collect::<Vec<_>>().join(" > ")),
        };
        Some(RouteResult { route })
    }
}

/// Returns the probabilities at which a distribution is kept: every fiftieth, and closer at both ends.
fn probabilities() -> impl Iterator<Item = f64> {
    let middle = (1..50).map(|k| f64::from(k) / 50.0);
    [0.001, 0.005, 0.01].into_iter().chain(middle).chain([0.99, 0.995, 0.999])
}

/// Returns the quantiles at these probabilities; `None` without a sample.
fn quantiles(of: &Histogram) -> Option<Vec<f64>> {
    probabilities().map(|probability| of.quantile_s(probability)).collect()
}

/// Returns what was followed packet by packet; `None` if nothing was.
fn watch(simulation: &Simulation) -> Option<&Watch> {
    simulation.network.trace.as_ref()?.watch.as_deref()
}

/// Returns Jain's fairness index, the square of the sum over n times the sum of the squares; `None` if all
/// shares are zero (Jain, Chiu and Hawe 1984).
pub fn jain(shares: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for share in shares {
        count += 1.0;
        sum += share;
        squares += share * share;
    }
    (squares > 0.0).then(|| sum * sum / (count * squares))
}

/// Returns Jain's index over the goodput of the flows that start; a flow that never starts takes no part. `None` if all are zero.
fn fairness(flows: &[FlowResult]) -> Option<f64> {
    jain(flows.iter().filter(|flow| flow.start_s.is_some()).map(|flow| flow.goodput_bps))
}

/// Returns the result of a row: of one flow, or of all connections that count as one flow. `next` is the
/// row's first flow, and is advanced to that of the next row. `agents` holds what agents have done for each
/// flow.
fn row_result(
    simulation: &mut Simulation,
    group: &FlowGroup,
    next: &mut usize,
    row: usize,
    distributions: bool,
    agents: &[Option<AgentCounts>],
) -> FlowResult {
    let measured = simulation.measured();
    let first = *next;
    let rest = simulation.flows[first..].iter().take_while(|flow| flow.row == row).count();
    *next += rest;
    let Some((flow, others)) = simulation.flows[first..*next].split_first_mut() else {
        // All sessions of the row begin after the end of the run.
        let mut result = FlowResult {
            retransmitted_packets: Some(0),
            throughput_bps: Some(0.0),
            timeouts: Some(0),
            timeout_idle_s: Some(0.0),
            probes: Some(0),
            persistent_congestions: Some(0),
            fast_retransmits: Some(0),
            ..FlowResult::default()
        };
        connections_result(&mut result, std::iter::empty(), measured);
        return result;
    };
    let mut tasks = FlowResult::default();
    limits_result(&mut tasks, std::iter::once(&*flow).chain(&*others), measured);
    match flow.session {
        Some(session) => session_result(&mut tasks, &simulation.sessions[session as usize]),
        None if flow.one_of_many => {
            connections_result(&mut tasks, std::iter::once(&*flow).chain(&*others), measured);
        }
        None => {
            flow.report(measured.to).requests.into_iter().for_each(|tally| requests_result(&mut tasks, tally))
        }
    }
    others.iter().for_each(|other| flow.absorb(other));
    let mut result = flow_result(flow, measured, tasks);
    let transport = group.plan.sending.parts().map(|parts| parts.transport);
    result.own =
        transport.and_then(|transport| transport.result(flow.ends(), &FlowTimes::of(flow, measured)));
    if distributions {
        result.one_way_delay_quantiles_s = Asked(quantiles(flow.one_way_delay()));
    }
    if flow.one_of_many {
        (result.completed_s, result.cwnd_mean_packets) = (None, None);
    }
    for (flow, agents) in simulation.flows[first..*next].iter().zip(&agents[first..]) {
        for path in flow.forward_paths() {
            let counts = simulation.network.path_counts(path);
            result.dropped_packets += counts.dropped;
            result.corrupted_packets += counts.corrupted;
        }
        if let Some(counts) = agents {
            let AgentResult { agent_sent_packets, agent_ended_packets } =
                result.agents.get_or_insert_with(AgentResult::default);
            *agent_sent_packets += counts.sent;
            *agent_ended_packets += counts.ended;
        }
    }
    result.lost_packets = result.dropped_packets + result.corrupted_packets;
    result
}

/// Sets how many connections began in the measured interval, how many of them completed, and how long that
/// took.
fn connections_result<'f>(
    result: &mut FlowResult,
    flows: impl Iterator<Item = &'f Flow>,
    measured: Interval,
) {
    let (mut connections, mut times) = (0, Histogram::default());
    for flow in flows.filter(|flow| measured.contains(flow.start)) {
        connections += 1;
        flow.completed.into_iter().for_each(|completed| times.record(completed.since(flow.start)));
    }
    result.connections = Some(ConnectionsResult { connections, completed_connections: times.count() });
    result.completion = Some(completion_result(&times));
}

/// Sets what held the flows of a row back, as fractions of the time during which anything did.
fn limits_result<'f>(result: &mut FlowResult, flows: impl Iterator<Item = &'f Flow>, measured: Interval) {
    let spans = flows.filter_map(|flow| flow.report(measured.to).limited);
    let seconds = spans.fold([0.0; 4], |sum: [f64; 4], spans| {
        std::array::from_fn(|limit| sum[limit] + spans[limit].seconds())
    });
    let total: f64 = seconds.iter().sum();
    let [window, pacing, receive_window, application] =
        seconds.map(|seconds| (total > 0.0).then(|| Share(seconds / total)));
    result.window_limited_share = window;
    result.pacing_limited_share = pacing;
    result.receive_window_limited_share = receive_window;
    result.application_limited_share = application;
}

fn session_result(result: &mut FlowResult, session: &Running) {
    let (begun, times) = (session.tally().begun(), session.tally().times());
    match session.viewing() {
        None => result.pages = Some(PagesResult { pages: begun, completed_pages: times.count() }),
        Some(viewing) => {
            result.segments = Some(SegmentsResult {
                segments: begun,
                completed_segments: times.count(),
                video_rate_mean_bps: (viewing.segments > 0)
                    .then(|| viewing.rates_bps / viewing.segments as f64),
                rate_switches: viewing.switches,
                stalls: viewing.stalls,
                stall_s: viewing.stalled.seconds(),
            });
        }
    }
    result.completion = Some(completion_result(times));
}

fn requests_result(result: &mut FlowResult, tally: &Tally) {
    let (requests, completed_requests) = (tally.begun(), tally.times().count());
    result.requests = Some(RequestsResult { requests, completed_requests });
    result.completion = Some(completion_result(tally.times()));
}

fn completion_result(times: &Histogram) -> CompletionResult {
    CompletionResult {
        completion_mean_s: times.mean_s(),
        completion_p50_s: times.quantile_s(0.5),
        completion_p95_s: times.quantile_s(0.95),
        completion_p99_s: times.quantile_s(0.99),
    }
}

/// Returns the result of a flow. `tasks` already holds the results of what the flow begins and completes.
fn flow_result(flow: &Flow, measured: Interval, tasks: FlowResult) -> FlowResult {
    let seconds = measured.seconds();
    let bits_per_second = |bytes: u64| bytes as f64 * 8.0 / seconds;
    let sent = flow.sent_packets();
    let delivered = flow.delivered_packets();
    let Report { counts, rtt, cwnd_area, window_probes, .. } = flow.report(measured.to);
    // The window exists only while the flow does.
    let lived = measured.to.since(measured.from.max(flow.start)).seconds();
    let no_rtt = Histogram::default();
    let rtt = rtt.unwrap_or(&no_rtt);
    FlowResult {
        name: flow.name.clone(),
        start_s: (flow.start < Time::NEVER).then(|| flow.start.seconds()),
        completed_s: flow.completed.filter(|_| !flow.is_writing()).map(|time| time.seconds()),
        sent_packets: sent,
        delivered_packets: delivered,
        retransmitted_packets: counts.as_ref().map(|counts| counts.retransmitted),
        goodput_bps: bits_per_second(flow.delivered_bytes()),
        throughput_bps: counts.as_ref().map(|_| bits_per_second(flow.sent_payload_bytes())),
        timeouts: counts.as_ref().map(|counts| counts.timeouts),
        timeout_idle_s: counts.as_ref().map(|counts| counts.timeout_idle.seconds()),
        probes: counts.as_ref().map(|counts| counts.probes),
        persistent_congestions: counts.as_ref().map(|counts| counts.persistent_congestions),
        fast_retransmits: counts.as_ref().map(|counts| counts.fast_retransmits),
        reader: window_probes.map(|window_probes| ReaderResult { window_probes }),
        cwnd_mean_packets: cwnd_area.filter(|_| lived > 0.0).map(|area| area / lived),
        ..tasks
    }
    .with_delays(rtt, flow.one_way_delay())
}

impl FlowResult {
    /// Returns this result with the statistics of the flow's round trips and one-way delays.
    pub fn with_delays(self, rtt: &Histogram, one_way: &Histogram) -> Self {
        Self {
            rtt_mean_s: rtt.mean_s(),
            rtt_std_s: rtt.std_s(),
            rtt_min_s: rtt.min_s(),
            rtt_p50_s: rtt.quantile_s(0.5),
            rtt_p95_s: rtt.quantile_s(0.95),
            rtt_p99_s: rtt.quantile_s(0.99),
            one_way_delay_mean_s: one_way.mean_s(),
            one_way_delay_std_s: one_way.std_s(),
            one_way_delay_min_s: one_way.min_s(),
            one_way_delay_p50_s: one_way.quantile_s(0.5),
            one_way_delay_p95_s: one_way.quantile_s(0.95),
            one_way_delay_p99_s: one_way.quantile_s(0.99),
            ..self
        }
    }
}

impl LinkResult {
    /// Returns the result of a link over the measured interval, for links that are driven without flows of
    /// the simulation.
    pub fn of(link: &mut ackclock_sim::link::Link, measured: Interval) -> Self {
        link_result(link, measured, false, None)
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
        utilisation: Share(Span::from_nanos(counts.busy_ns).seconds() / measured.seconds()),
        arrived_packets: counts.arrived,
        delivered_packets: counts.delivered,
        lost_packets: counts.dropped + counts.corrupted,
        dropped_packets: counts.dropped,
        corrupted_packets: counts.corrupted,
        marked_packets: counts.marked,
        queue_mean_packets: queue.mean_packets,
        queue_std_packets: queue.std_packets,
        queue_max_packets: queue.max_packets,
        queue_empty_share: queue.empty_share.map(Share),
        wait_mean_s: waits.and_then(Histogram::mean_s),
        wait_std_s: waits.and_then(Histogram::std_s),
        wait_p50_s: waits.and_then(|waits| waits.quantile_s(0.5)),
        wait_p95_s: waits.and_then(|waits| waits.quantile_s(0.95)),
        wait_p99_s: waits.and_then(|waits| waits.quantile_s(0.99)),
        wait_quantiles_s: Asked(waits.filter(|_| distributions).and_then(quantiles)),
        events: events.map(LossEventsResult::of),
        station: None,
        copies: link.duplicates().then_some(CopiesResult { duplicated_packets: counts.duplicated }),
    }
}

impl StationResult {
    fn of(counts: StationCounts) -> Self {
        Self {
            transmitted_packets: counts.sent,
            repeated_packets: counts.repeated,
            collided_packets: counts.collided,
            unreceived_packets: counts.unreceived,
        }
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

impl GroupResult {
    /// Returns the result of a group of flows.
    pub fn of(name: &str, flows: &[FlowResult]) -> Self {
        group_result(name, flows, None)
    }

    /// Sets `goodput_share` of all groups of a run.
    pub fn share_goodput(groups: &mut [Self]) {
        let total: f64 = groups.iter().map(|group| group.goodput_bps).sum();
        for group in groups {
            group.goodput_share = (total > 0.0).then(|| group.goodput_bps / total);
        }
    }
}

fn group_result(name: &str, flows: &[FlowResult], bursts: Option<BurstCounts>) -> GroupResult {
    GroupResult {
        name: name.to_owned(),
        flows: flows.len(),
        goodput_bps: flows.iter().map(|flow| flow.goodput_bps).sum(),
        goodput_share: None,
        fairness: fairness(flows),
        bursts: bursts.map(BurstsResult::of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(fields: &[Field]) -> Vec<&str> {
        fields.iter().map(|field| field.name).collect()
    }

    #[test]
    fn the_declared_fields_are_the_written_ones() {
        let everything = FlowResult {
            one_way_delay_quantiles_s: Asked(Some(vec![1.0])),
            connections: Some(ConnectionsResult::default()),
            pages: Some(PagesResult::default()),
            segments: Some(SegmentsResult::default()),
            requests: Some(RequestsResult::default()),
            completion: Some(CompletionResult::default()),
            agents: Some(AgentResult::default()),
            route: Some(RouteResult::default()),
            reader: Some(ReaderResult::default()),
            ..FlowResult::default()
        };
        let (fields, written) = (FlowResult::fields(), json!(everything));
        // What transports add is tested with `OwnResult`.
        let own = OwnResult::fields();
        let mut declared = names(&fields);
        declared.retain(|name| own.iter().all(|field| field.name != *name));
        declared.sort_unstable();
        assert_eq!(written.as_object().expect("an object").keys().collect::<Vec<_>>(), declared);
        // A flow without any of these parts has all fields that are not optional.
        let always: Vec<Field> = fields.into_iter().filter(|field| !field.optional).collect();
        let mut declared = names(&always);
        declared.sort_unstable();
        let written = json!(FlowResult::default());
        assert_eq!(written.as_object().expect("an object").keys().collect::<Vec<_>>(), declared);
    }

    #[test]
    fn a_field_has_a_kind_a_unit_and_a_meaning() {
        let fields = LinkResult::fields();
        let field = |name: &str| *fields.iter().find(|field| field.name == name).expect(name);
        assert_eq!((field("rate_bps").kind, field("rate_bps").nullable), (Kind::Integer, false));
        assert_eq!((field("utilisation").kind, field("wait_p50_s").nullable), (Kind::Share, true));
        let quantiles = field("wait_quantiles_s");
        assert_eq!((quantiles.kind, quantiles.optional), (Kind::Numbers, true));
        assert!(field("loss_events").optional && !field("loss_events").nullable);
        assert_eq!((field("rate_bps").unit, field("wait_p50_s").unit), ("bit/s", "s"));
        assert_eq!((field("lost_packets").unit, field("utilisation").unit), ("packets", ""));
        // The lines of one comment are joined.
        let utilisation = field("utilisation").meaning;
        assert!(utilisation.starts_with(" share of measured time") && utilisation.contains(" can exceed 1"));
    }

    #[test]
    fn jain_of_equal_shares_is_one_and_of_a_monopoly_one_over_n() {
        assert_eq!(jain([2.0, 2.0, 2.0].into_iter()), Some(1.0));
        assert_eq!(jain([4.0, 0.0, 0.0, 0.0].into_iter()), Some(0.25));
        assert_eq!(jain([0.0, 0.0].into_iter()), None);
        // (1 + 2 + 3)^2 / (3 * 14) = 36 / 42
        assert_eq!(jain([1.0, 2.0, 3.0].into_iter()), Some(36.0 / 42.0));
    }
}
