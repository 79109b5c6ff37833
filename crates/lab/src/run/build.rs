//! Construction of a simulation from a scenario and a seed.

mod sessions;

use crate::language::agents;
use crate::language::choice::Choice;
use crate::language::flows::{FlowGroup, Member, Sending, Start, Workload};
use crate::language::network::{LinkPlan, Loss};
use crate::language::scenario::Scenario;
use crate::transports::{Heard, Lifetime, Opening};
use ackclock_aqm::entry::QueueLimit;
use ackclock_aqm::{Capacity, LinkRate, Queueing};
use ackclock_base::spelling::Limit;
use ackclock_base::{Span, Time};
use ackclock_export::events::Recorder;
use ackclock_sim::capture::Place;
use ackclock_sim::channel::Impairments;
use ackclock_sim::endpoint::Ends;
use ackclock_sim::flow::{FlowParts, PathPair};
use ackclock_sim::link::LinkParts;
use ackclock_sim::loss::LossModel;
use ackclock_sim::measure::Interval;
use ackclock_sim::random::Stream;
use ackclock_sim::session::SessionParts;
use ackclock_sim::simulation::{Parts, Simulation};
use ackclock_sim::traffic::timetable::{self, Streams, Timetable};
use ackclock_sim::watch::WatchPlan;

/// The parts of a run that are kept besides its summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// Whether series over time are kept.
    pub series: bool,
    /// Whether a packet trace is kept.
    pub trace: bool,
    /// Whether packets are followed as the scenario's `observe` asks.
    pub watch: bool,
    /// The places at which packets are captured with their headers.
    pub capture: Vec<Place>,
}

/// Creates a simulation of the scenario with this seed, of which `measured` is measured.
pub fn simulation(scenario: &Scenario, seed: u64, keep: Keep, measured: Interval) -> Simulation {
    recorded_simulation(scenario, seed, keep, measured, None)
}

/// Creates a simulation as [`simulation`] does, with a recorder of what its congestion controls hear.
pub fn recorded_simulation(
    scenario: &Scenario,
    seed: u64,
    keep: Keep,
    measured: Interval,
    recorder: Option<&Recorder>,
) -> Simulation {
    let network = &scenario.network;
    let media = network.media.iter().enumerate().map(|(index, medium)| medium.parts(index, &network.links));
    let (flows, sessions) = flows_and_sessions(scenario, seed, measured, recorder);
    let watch = keep.watch.then(|| watch(scenario, &flows)).flatten();
    let agents = agents::parts(&scenario.agents, &scenario.flows, &scenario.network.links, &flows);
    Simulation::new(Parts {
        links: links(scenario, seed),
        media: media.collect(),
        flows,
        agents,
        sessions,
        measured,
        seed,
        sample_every: keep.series.then_some(scenario.observe.interval),
        samples_flows: scenario.observe.flows,
        traced: keep.trace,
        watch,
        capture: keep.capture,
    })
}

/// Returns the parts of the links of a run with this seed, in the order of the links.
pub fn links(scenario: &Scenario, seed: u64) -> Vec<LinkParts> {
    let facts = PathFacts::of(scenario);
    let network = &scenario.network;
    let channel = |plan: &LinkPlan| network.media[plan.medium?].channel(plan, seed);
    let links = network.links.iter().zip(&facts).map(|(plan, facts)| {
        let mut parts = link_parts(plan, facts, seed);
        parts.impairments.channel = channel(plan);
        parts
    });
    links.collect()
}

/// Returns what is followed packet by packet; `None` if nothing is.
fn watch(scenario: &Scenario, flows: &[FlowParts]) -> Option<WatchPlan> {
    let observe = &scenario.observe;
    let link = observe.at?;
    let group_of_row: Vec<u32> = scenario
        .flows
        .iter()
        .enumerate()
        .flat_map(|(index, group)| std::iter::repeat_n(index as u32, group.rows()))
        .collect();
    Some(WatchPlan {
        link,
        rate: scenario.network.links[link as usize].wire.pace.rate,
        round_trip: observe.loss_events,
        burst_packets: observe.burst_packets,
        groups: flows
            .iter()
            .flat_map(|flow| std::iter::repeat_n(group_of_row[flow.row], flow.paths.len()))
            .collect(),
    })
}

/// Returns the flows of a run with this seed, in the order of their rows in results.
pub fn flows(scenario: &Scenario, seed: u64) -> Vec<FlowParts> {
    flows_and_sessions(scenario, seed, measured(scenario), None).0
}

fn flows_and_sessions(
    scenario: &Scenario,
    seed: u64,
    measured: Interval,
    recorder: Option<&Recorder>,
) -> (Vec<FlowParts>, Vec<SessionParts>) {
    let end = Time::ZERO + scenario.duration;
    let run = Run { seed, end, measured, recorder };
    let (mut parts, mut sessions, mut row) = (Vec::new(), Vec::new(), 0);
    for group in &scenario.flows {
        match &group.plan.sending.workload {
            Workload::Timetable(descriptor, timetable) => {
                parts.extend(connection_parts(group, descriptor.name, &**timetable, &run, row));
            }
            Workload::Session(descriptor, session) => {
                sessions::add((group, descriptor.name, &**session), &run, row, &mut parts, &mut sessions);
            }
            Workload::Bulk(_) | Workload::Source(_) => parts.extend(group_parts(group, &run, row)),
        }
        row += group.rows();
    }
    (parts, sessions)
}

/// Returns the measured interval if the warm-up has its maximum length.
pub fn measured(scenario: &Scenario) -> Interval {
    Interval { from: Time::ZERO + scenario.warmup.most, to: Time::ZERO + scenario.duration }
}

/// Returns the queue limit of each link, in the order of the links; `None` for no limit.
pub fn capacities(scenario: &Scenario) -> Vec<Option<Capacity>> {
    let facts = PathFacts::of(scenario);
    scenario.network.links.iter().zip(&facts).map(|(plan, facts)| capacity(plan, facts)).collect()
}

/// Returns the rates that disciplines are given for each link, in the order of the links.
pub fn link_rates(scenario: &Scenario) -> Vec<LinkRate> {
    let facts = PathFacts::of(scenario);
    scenario.network.links.iter().zip(&facts).map(|(plan, facts)| link_rate(plan, facts)).collect()
}

/// The properties that a link's limit needs of the flows whose data or acknowledgements cross the link: the
/// backward direction has the same queue as the forward one.
#[derive(Clone, Copy, Debug, Default)]
struct PathFacts {
    flows: u32,
    base_rtt_s: f64,
    wire_bytes: f64,
}

impl PathFacts {
    fn of(scenario: &Scenario) -> Vec<Self> {
        let links = &scenario.network.links;
        let mut facts = vec![Self::default(); links.len()];
        let delay = |path: &[u32]| path.iter().map(|link| links[*link as usize].delay.seconds()).sum::<f64>();
        for group in &scenario.flows {
            for member in group.members.iter().flat_map(Member::paths) {
                let rtt = delay(&member.forward) + delay(&member.backward);
                for link in member.forward.iter().chain(&member.backward) {
                    let facts = &mut facts[*link as usize];
                    facts.flows += 1;
                    facts.base_rtt_s += rtt;
                    facts.wire_bytes += f64::from(group.wire_bytes());
                }
            }
        }
        for facts in facts.iter_mut().filter(|facts| facts.flows > 0) {
            facts.base_rtt_s /= f64::from(facts.flows);
            facts.wire_bytes /= f64::from(facts.flows);
        }
        facts
    }

    /// Returns the mean size of these flows' data packets in bytes; 1000 for a link that no flow crosses.
    fn mean_packet_bytes(&self) -> f64 {
        if self.wire_bytes > 0.0 { self.wire_bytes } else { 1000.0 }
    }
}

fn capacity(plan: &LinkPlan, facts: &PathFacts) -> Option<Capacity> {
    let queue = plan.wire.queue.as_ref()?;
    let rate =
        ackclock_aqm::registry::service_rate(queue.descriptor.name, &queue.values, &link_rate(plan, facts));
    let bytes_per_second = rate.bytes_per_second();
    let packets = |bytes: f64| Capacity::Packets((bytes / facts.mean_packet_bytes()).round() as u64);
    match QueueLimit::from(&queue.extra).limit {
        Limit::Unlimited => None,
        Limit::Packets(most) => Some(Capacity::Packets(most)),
        Limit::Bytes(most) => Some(Capacity::Bytes(most)),
        Limit::Time(span) => Some(Capacity::Bytes((bytes_per_second * span.seconds()).round() as u64)),
        Limit::Bdp(multiple) => Some(packets(multiple * bytes_per_second * facts.base_rtt_s)),
    }
}

fn link_parts(plan: &LinkPlan, facts: &PathFacts, seed: u64) -> LinkParts {
    LinkParts {
        name: plan.name.clone(),
        from: plan.from.clone(),
        to: plan.to.clone(),
        rate: plan.wire.pace.rate,
        changes: plan.changes(),
        delay: plan.delay,
        discipline: plan.wire.queue.as_ref().and_then(|queue| discipline(queue, plan, facts)),
        impairments: Impairments {
            loss: plan.wire.loss.as_ref().and_then(loss_model),
            rules: plan.wire.rules,
            distribution: plan.wire.jitter.distribution,
            bursts: plan.wire.jitter.bursts,
            jitter: plan.wire.jitter.over_time.clone(),
            duplicates: plan.wire.duplicates.clone(),
            longer: plan.longer.clone(),
            ecn: plan.wire.ecn,
            channel: None,
        },
        seed,
    }
}

/// Builds the discipline of a link. It is `None` for a tail-drop queue without limit, which never decides
/// anything.
fn discipline(queue: &Choice, plan: &LinkPlan, facts: &PathFacts) -> Option<Queueing> {
    let capacity = capacity(plan, facts);
    if capacity.is_none() && queue.descriptor.name == "droptail" {
        return None;
    }
    let (link, capacity) = (link_rate(plan, facts), capacity.unwrap_or(Capacity::Unlimited));
    if let Some(plugin) = &plan.plugin {
        return Some(plugin.build(&queue.values, capacity, &link));
    }
    let entry = ackclock_aqm::registry::find(queue.descriptor.name)?;
    Some((entry.build)(&queue.values, capacity, &link))
}

fn link_rate(plan: &LinkPlan, facts: &PathFacts) -> LinkRate {
    LinkRate { rate: plan.wire.pace.nominal, mean_packet_bytes: facts.mean_packet_bytes().round() as u32 }
}

fn loss_model(loss: &Loss) -> Option<Box<dyn LossModel>> {
    match loss {
        Loss::Model(model) => {
            ackclock_sim::loss::find(model.descriptor.name).map(|entry| (entry.build)(&model.values))
        }
        Loss::OverTime(probabilities) => Some(ackclock_sim::loss::over_time(probabilities.clone())),
    }
}

/// Returns the flows of a group, each in a row of its own.
fn group_parts(group: &FlowGroup, run: &Run<'_>, first_row: usize) -> impl Iterator<Item = FlowParts> {
    let Sending { transport, workload, .. } = &group.plan.sending;
    // All flows of a group have one connector, through which controls share state.
    let mut connector = transport.connector(run.seed, run.measured);
    let lifetime = match workload.source() {
        Some(_) => Lifetime::Written,
        None => Lifetime::Bulk(workload.packets(transport.payload_bytes())),
    };
    group.members.iter().enumerate().map(move |(index, member)| {
        let (name, row) = (group.member_name(index), first_row + index);
        let paths = member.paths().count();
        let ends = connector.connect(&Opening { name: &name, lifetime, paths, heard: run.heard(row) });
        FlowParts {
            start: starts(&group.plan.start, index, &name, run.seed),
            row,
            one_of_many: false,
            writer: group.writer(&name, run.seed),
            ..flow_parts(group, member, name.clone(), ends)
        }
    })
}

fn flow_parts(group: &FlowGroup, member: &Member, name: String, ends: Ends) -> FlowParts {
    FlowParts {
        start: Time::ZERO,
        stop: group.plan.stop.map_or(Time::NEVER, |stop| Time::ZERO + stop),
        paths: member.paths().map(pair).collect(),
        dscp: group.plan.dscp,
        ends,
        name,
        row: 0,
        one_of_many: true,
        session: None,
        writer: None,
        bytes: 0,
    }
}

fn pair(path: &Member) -> PathPair {
    PathPair { forward: path.forward.clone(), backward: path.backward.clone() }
}

/// The properties of a run on which its flows depend.
struct Run<'a> {
    seed: u64,
    end: Time,
    measured: Interval,
    recorder: Option<&'a Recorder>,
}

impl Run<'_> {
    /// Returns the recorder for the controls of a row; `None` if nothing is recorded.
    fn heard(&self, row: usize) -> Option<Heard> {
        self.recorder.map(|recorder| Heard { recorder: recorder.clone(), row })
    }
}

/// Returns the connections of a timetable that begin before the end of the run, all in one row.
fn connection_parts(
    group: &FlowGroup,
    application: &str,
    timetable: &dyn Timetable,
    run: &Run<'_>,
    row: usize,
) -> Vec<FlowParts> {
    let name = &group.plan.name;
    let start = starts(&group.plan.start, 0, name, run.seed);
    let end = group.plan.stop.map_or(run.end, |stop| run.end.min(Time::ZERO + stop));
    let mut streams = Streams {
        times: Stream::new(run.seed, &format!("flow {name} {application}")),
        sizes: Stream::new(run.seed, &format!("flow {name} sizes")),
    };
    let transport = &group.plan.sending.transport;
    let mut connector = transport.connector(run.seed, run.measured);
    let part = |(index, connection): (usize, timetable::Connection)| {
        let name = format!("{name} {}", index + 1);
        let lifetime = Lifetime::Timed(connection.packets);
        let ends = connector.connect(&Opening { name: &name, lifetime, paths: 1, heard: run.heard(row) });
        FlowParts {
            start: connection.at,
            row,
            bytes: connection.bytes.unwrap_or(connection.packets * transport.payload_bytes()),
            ..flow_parts(group, &group.members[connection.pair], name, ends)
        }
    };
    let connections = timetable.connections(start, end, group.members.len(), &mut streams);
    connections.into_iter().enumerate().map(part).collect()
}

fn starts(start: &Start, index: usize, name: &str, seed: u64) -> Time {
    let fixed = Time::ZERO + start.at + start.every * index as u64;
    match start.uniform {
        None => fixed,
        Some((low, high)) => {
            let drawn =
                Stream::new(seed, &format!("flow {name} start")).between(low.seconds(), high.seconds());
            fixed + Span::from_seconds(drawn)
        }
    }
}
