//! The costs that the flows of a scenario cause: their sources, their connections and the lengths of their
//! paths.

use super::traffic::{self, Traffic};
use super::{Cause, Part, Place};
use crate::language::flows::{FlowGroup, Sending, Workload};
use crate::language::scenario::Scenario;
use crate::transports::Heartbeats;
use ackclock_base::{Span, Values};
use ackclock_cc::entry::Build;

/// The number of links, forward and backward, whose passages the usual estimate of a packet's cost contains.
const SHORT_PATH: f64 = 10.0;

/// Returns the value of a parameter in its base unit; `None` if it has none.
pub fn number(values: &Values, name: &str) -> Option<f64> {
    values.get(name)?.base()
}

/// Adds the costs of the flows.
pub fn parts(scenario: &Scenario, traffic: &Traffic<'_>, parts: &mut Vec<Part>) {
    passages(traffic, parts);
    for (index, group) in scenario.flows.iter().enumerate() {
        let active = group.plan.start.first() < scenario.duration;
        let place = Place::Flows(index);
        if !active {
            continue;
        }
        if group.plan.sending.uncontrolled().is_some() {
            source(scenario, group, place, parts);
            continue;
        }
        first_window(group, place, parts);
        timeouts(scenario, group, place, parts);
        heartbeats(scenario, group, place, parts);
        own_events(scenario, group, place, parts);
    }
    reordering(scenario, traffic, parts);
    writes(scenario, parts);
}

/// Adds the cost of passages over the links of long paths. Each passage costs an event; the usual estimate of
/// a packet contains those of a short path.
fn passages(traffic: &Traffic<'_>, parts: &mut Vec<Part>) {
    for stream in &traffic.streams {
        let links = stream.path.forward.len() + stream.path.backward.len();
        let events = (stream.passages - SHORT_PATH * stream.sent).max(0.0);
        let certain = if stream.certain { events } else { 0.0 };
        parts.push(Part {
            cause: Cause::Passages { links },
            place: Place::Flows(stream.group),
            events,
            certain,
        });
    }
}

/// Adds the cost of the packets of a source over UDP that exceed the number that its rate on the wire
/// suggests.
fn source(scenario: &Scenario, group: &FlowGroup, place: Place, parts: &mut Vec<Part>) {
    let Sending { transport, .. } = &group.plan.sending;
    let Some(source) = group.plan.sending.uncontrolled() else { return };
    let end = scenario.duration.min(group.plan.stop.unwrap_or(scenario.duration));
    let active_s = end.saturating_sub(group.plan.start.first()).seconds();
    let flows = group.members.len() as f64;
    let replies = if source.sizes().reply.is_some() { 2.0 } else { 1.0 };
    let payload = transport.payload_bytes() as u32;
    let on_wire = f64::from(payload) / f64::from(transport.wire_bytes());
    let per_second = traffic::packets_per_second(group);
    let events = per_second * active_s * flows * (replies - on_wire);
    parts.push(Part { cause: Cause::SmallPackets { payload }, place, events, certain: events });
}

/// Adds the cost of the writes of applications into connections, whatever part of the data these can send.
fn writes(scenario: &Scenario, parts: &mut Vec<Part>) {
    for (index, group) in scenario.flows.iter().enumerate() {
        let Some(source) = group.plan.sending.writes() else { continue };
        let (rate_bps, bytes) = source.written();
        let end = scenario.duration.min(group.plan.stop.unwrap_or(scenario.duration));
        let active_s = end.saturating_sub(group.plan.start.first()).seconds();
        let per_second = (rate_bps / (8.0 * bytes)).min(traffic::MOST_PER_SECOND);
        let events = per_second * active_s * group.members.len() as f64;
        let place = Place::Flows(index);
        parts.push(Part { cause: Cause::Writes { bytes }, place, events, certain: events });
    }
}

/// Adds the cost of the packets that connections send before the first acknowledgement, all of which may be
/// dropped at the first link.
fn first_window(group: &FlowGroup, place: Place, parts: &mut Vec<Part>) {
    let packets = first_packets(group);
    let Sending { transport, workload, .. } = &group.plan.sending;
    let connections = match workload.timetable() {
        Some(timetable) => timetable.most_connections() as f64,
        None => (workload.copies() * group.members.len()) as f64,
    };
    let cause = Cause::FirstWindow { packets, ns: transport.facts().lost_packet_ns };
    parts.push(Part { cause, place, events: packets * connections, certain: 0.0 });
}

/// Returns the number of packets that a connection sends before the first acknowledgement: its initial
/// window, bounded by what it has to send and what the receiver allows.
fn first_packets(group: &FlowGroup) -> f64 {
    let Sending { transport, workload, .. } = &group.plan.sending;
    let each = match workload {
        Workload::Timetable(_, timetable) => timetable.most_packets(),
        Workload::Session(_, session) => session.most_packets(),
        Workload::Bulk(_) | Workload::Source(_) => traffic::to_send(group),
    };
    let facts = transport.facts();
    facts.first_window.min(each).min(facts.allowed.at_first)
}

/// Adds the cost of the timeouts of senders whose packets are all lost, each with a packet.
fn timeouts(scenario: &Scenario, group: &FlowGroup, place: Place, parts: &mut Vec<Part>) {
    let Sending { transport, workload, .. } = &group.plan.sending;
    let Some(every) = transport.facts().timeouts_every.filter(|_| workload.is_one_connection()) else {
        return;
    };
    let events = scenario.duration.seconds() / every.seconds() * group.members.len() as f64;
    parts.push(Part { cause: Cause::Timeouts { every }, place, events, certain: 0.0 });
}

/// Adds the cost of the HEARTBEATs of the paths of associations. Each path sends one after the interval and a
/// timeout, and the next after the answer. A timeout is no shorter than a round trip.
fn heartbeats(scenario: &Scenario, group: &FlowGroup, place: Place, parts: &mut Vec<Part>) {
    let Some(Heartbeats { interval, min_rto }) = group.plan.sending.transport.facts().heartbeats else {
        return;
    };
    for path in group.members.iter().flat_map(|member| member.paths()) {
        let round_trip = Span::from_seconds(traffic::round_trip_s(&scenario.network.links, path));
        let every = interval + min_rto.max(round_trip) + round_trip;
        let events = scenario.duration.seconds() / every.seconds();
        parts.push(Part { cause: Cause::Heartbeats { every }, place, events, certain: 0.0 });
    }
}

/// Adds the cost of the events that the transport's connections have whatever the network does.
fn own_events(scenario: &Scenario, group: &FlowGroup, place: Place, parts: &mut Vec<Part>) {
    let Some(own) = group.plan.sending.transport.facts().own_events else { return };
    let end = scenario.duration.min(group.plan.stop.unwrap_or(scenario.duration));
    let seconds = end.saturating_sub(group.plan.start.first()).seconds() * group.members.len() as f64;
    let (events, certain) = (own.per_second * seconds, own.certain_per_second * seconds);
    parts.push(Part { cause: Cause::Own(own), place, events, certain });
}

/// Adds the cost of reordering. Receivers and senders keep the ranges that have arrived in lists, and each
/// packet moves about as many entries as packets are in flight. A window control takes reordering for losses
/// and soon has few packets in flight, so its initial window counts. A control with a model of its path keeps
/// up to two bandwidth-delay products in flight.
fn reordering(scenario: &Scenario, traffic: &Traffic<'_>, parts: &mut Vec<Part>) {
    let links = &scenario.network.links;
    for stream in &traffic.streams {
        let group = &scenario.flows[stream.group];
        let reorders = stream.path.forward.iter().find(|link| links[**link as usize].wire.rules.reorders);
        let Some(link) = reorders.filter(|_| group.plan.sending.is_one_connection()) else { continue };
        let first = first_packets(group);
        let has_model = ackclock_cc::registry::find(group.control_name())
            .is_some_and(|entry| matches!(entry.build, Build::Model(_)));
        let jitter_s = links[*link as usize].wire.rules.jitter.seconds();
        let product = 2.0 * stream.sent / stream.active_s.max(1e-9)
            * (traffic::round_trip_s(links, stream.path) + jitter_s);
        let under_way =
            if has_model { product.min(group.plan.sending.transport.facts().allowed.at_most) } else { 0.0 };
        let events = (first * first).max(stream.sent * under_way);
        let cause = Cause::Reordering { packets: first.max(under_way) };
        parts.push(Part { cause, place: Place::Link(*link as usize), events, certain: 0.0 });
    }
}
