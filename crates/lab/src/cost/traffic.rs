//! Estimates of the maximum number of packets at each link of a run, and of the number that arrive whatever
//! the network does.

use crate::language::flows::{FlowGroup, Member, Sending, Workload};
use crate::language::network::LinkPlan;
use crate::language::scenario::Scenario;

/// The packets that a group of flows sends over one path.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'s> {
    /// The group, as an index.
    pub group: usize,
    /// The path.
    pub path: &'s Member,
    /// The maximum number of packets.
    pub sent: f64,
    /// Whether they are sent whatever the network does.
    pub certain: bool,
    /// Whether each packet is answered with another.
    pub answered: bool,
    /// The time during which they are sent, in seconds.
    pub active_s: f64,
    /// The number of passages of packets and answers over links.
    pub passages: f64,
}

/// The packets of a run.
#[derive(Clone, Debug)]
pub struct Traffic<'s> {
    /// The streams of the run, one for each path of each flow.
    pub streams: Vec<Stream<'s>>,
    /// The packets that arrive at each link, including answers.
    pub arrivals: Vec<f64>,
    /// The packets that arrive at each link whatever the network does.
    pub certain: Vec<f64>,
    /// Whether packets arrive at each link until the end of the run.
    pub lasting: Vec<bool>,
    /// The fraction of the arriving packets that each link can deliver, if no other link dropped any.
    share: Vec<f64>,
}

impl<'s> Traffic<'s> {
    /// Estimates the packets of a scenario. A path carries at most its share of each of its links, which is
    /// equal for all flows, and a connection has at most its window in flight. A source over UDP sends at its
    /// own rate; an overloaded link delivers an equal fraction of each source.
    pub fn of(scenario: &'s Scenario) -> Self {
        let links = &scenario.network.links;
        let mut users = vec![0.0_f64; links.len()];
        let paths = || {
            scenario.flows.iter().enumerate().flat_map(|(index, group)| {
                group
                    .members
                    .iter()
                    .flat_map(move |member| member.paths().map(move |path| (index, group, path)))
            })
        };
        for (_, _, path) in paths() {
            path.forward.iter().for_each(|link| users[*link as usize] += 1.0);
        }
        let mut streams: Vec<Stream<'s>> =
            paths().map(|(index, group, path)| stream(scenario, index, group, path, &users)).collect();
        let share = shares(scenario, &streams);
        let mut traffic = Self {
            streams: Vec::new(),
            arrivals: vec![0.0; links.len()],
            certain: vec![0.0; links.len()],
            lasting: vec![false; links.len()],
            share,
        };
        streams.iter_mut().for_each(|stream| traffic.add(stream, &scenario.flows[stream.group]));
        traffic.streams = streams;
        traffic
    }

    /// Adds a stream to the counts of the links of its path.
    fn add(&mut self, stream: &mut Stream<'s>, group: &FlowGroup) {
        let lasts = group.plan.stop.is_none() && stream.active_s > 0.0 && is_endless(group);
        let mut share = 1.0_f64;
        let mut arrive = |link: u32, packets: f64| {
            let link = link as usize;
            self.arrivals[link] += packets;
            self.certain[link] += if stream.certain { packets } else { 0.0 };
            self.lasting[link] |= lasts;
            stream.passages += packets;
        };
        for link in &stream.path.forward {
            arrive(*link, stream.sent * share);
            share = share.min(self.share[*link as usize]);
        }
        if stream.answered {
            stream.path.backward.iter().for_each(|link| arrive(*link, stream.sent * share));
        }
    }

    /// Returns the number of packets of sources over UDP that are in flight at the end of the run, counting
    /// only wires: the packets that each link delivers during its delay.
    pub fn under_way(&self, links: &[LinkPlan]) -> f64 {
        let on_wires = |stream: &Stream<'_>| {
            let (mut share, mut left_s, mut packets) = (1.0_f64, stream.active_s, 0.0);
            for link in &stream.path.forward {
                share = share.min(self.share[*link as usize]);
                let delay_s = links[*link as usize].delay.seconds().min(left_s);
                packets += stream.sent / stream.active_s * share * delay_s;
                left_s -= delay_s;
            }
            packets
        };
        self.streams.iter().filter(|stream| stream.certain && stream.active_s > 0.0).map(on_wires).sum()
    }
}

/// Returns whether the flows of a group send until they stop or the run ends.
fn is_endless(group: &FlowGroup) -> bool {
    !matches!(group.plan.sending.workload, Workload::Bulk(Some(_)) | Workload::Timetable(..))
}

/// Returns the fraction of the packets sent over each link that it can deliver, at most 1.
fn shares(scenario: &Scenario, streams: &[Stream<'_>]) -> Vec<f64> {
    let links = &scenario.network.links;
    let mut offered_bits = vec![0.0; links.len()];
    for stream in streams {
        let bits = stream.sent * 8.0 * f64::from(scenario.flows[stream.group].wire_bytes());
        stream.path.forward.iter().for_each(|link| offered_bits[*link as usize] += bits);
    }
    let share = |(link, offered): (&LinkPlan, f64)| {
        let delivered = link.wire.pace.rate.bits_per_second() as f64 * scenario.duration.seconds();
        if offered > delivered { delivered / offered } else { 1.0 }
    };
    links.iter().zip(offered_bits).map(share).collect()
}

fn stream<'s>(
    scenario: &Scenario,
    index: usize,
    group: &FlowGroup,
    path: &'s Member,
    users: &[f64],
) -> Stream<'s> {
    let active = scenario.duration.min(group.plan.stop.unwrap_or(scenario.duration));
    let active_s = active.saturating_sub(group.plan.start.first()).seconds();
    let (sent, certain, answered) = match group.plan.sending.uncontrolled() {
        Some(source) => (packets_per_second(group) * active_s, true, source.sizes().reply.is_some()),
        None => (most_sent(scenario, group, path, users, active_s), false, true),
    };
    Stream { group: index, path, sent, certain, answered, active_s, passages: 0.0 }
}

/// The maximum number of packets that a source sends per second: one per nanosecond.
pub const MOST_PER_SECOND: f64 = 1e9;

/// Returns the number of packets that a source over UDP sends per second; 0 for other groups.
pub fn packets_per_second(group: &FlowGroup) -> f64 {
    match group.plan.sending.uncontrolled() {
        Some(_) => (group.least_rate_bps() / (8.0 * group.payload_bytes())).min(MOST_PER_SECOND),
        None => 0.0,
    }
}

/// Returns the number of packets that connections send over a path: the least of what its links allow, what
/// their windows allow per round trip, and what they have to send.
fn most_sent(scenario: &Scenario, group: &FlowGroup, path: &Member, users: &[f64], active_s: f64) -> f64 {
    let links = &scenario.network.links;
    let share =
        |link: &u32| links[*link as usize].wire.pace.rate.bits_per_second() as f64 / users[*link as usize];
    let rate_bps = path.forward.iter().map(share).fold(f64::INFINITY, f64::min);
    let by_rate = rate_bps * active_s / (8.0 * f64::from(group.wire_bytes()));
    // A round trip may be zero. In that case only the rates of the links bound the number.
    let rounds = 1.0 + active_s / round_trip_s(links, path);
    // The connections of a timetable are distributed over its paths.
    let Sending { transport, workload, .. } = &group.plan.sending;
    let shared_by = if workload.timetable().is_some() { group.members.len() as f64 } else { 1.0 };
    let copies = (workload.copies() as f64 / shared_by).ceil();
    let by_window = transport.facts().allowed.at_most * rounds * copies;
    let written_bps = group.plan.sending.writes().map_or(f64::INFINITY, |source| source.written().0);
    let by_writing = written_bps * active_s / (8.0 * group.payload_bytes());
    by_rate.min(by_window).min(by_writing).min(to_send(group))
}

/// Returns the round trip of a path in seconds, without queues and transmission times.
pub fn round_trip_s(links: &[LinkPlan], path: &Member) -> f64 {
    path.forward.iter().chain(&path.backward).map(|link| links[*link as usize].delay.seconds()).sum()
}

/// Returns the maximum number of data packets that the connections of a flow have to send, without
/// retransmissions. It is infinite if there is always more to send, and if sizes are drawn from a
/// distribution without a maximum.
pub fn to_send(group: &FlowGroup) -> f64 {
    let Sending { transport, workload, .. } = &group.plan.sending;
    match workload {
        Workload::Bulk(Some(_)) => workload.packets(transport.payload_bytes()) as f64,
        Workload::Timetable(_, timetable) => timetable.most_packets() * timetable.most_connections() as f64,
        Workload::Bulk(None) | Workload::Source(_) | Workload::Session(..) => f64::INFINITY,
    }
}
