//! The costs that the flows of a scenario bring: their sources, their connections and the lengths of their paths.

use super::traffic::{self, MAX_RECEIVE_WINDOW, Traffic};
use super::{Cause, Part, Place};
use crate::flows::{ConnectionPlan, Data, FlowGroup, Protocol, Sending, SessionPlan};
use crate::scenario::Scenario;
use ackclock_base::{Span, Values};
use ackclock_cc::entry::Build;
use ackclock_sim::quic::details::Details as QuicDetails;
use ackclock_sim::sctp::details::Details as SctpDetails;
use ackclock_sim::tcp::details::Details as TcpDetails;
use ackclock_sim::traffic::timetable::Timetable;

/// The links of a path, there and back, whose passages the usual estimate of a packet's cost contains.
const SHORT_PATH: f64 = 10.0;
/// The most steps that an `mmpp` source plays before its first packet, and the lifetimes of a flow that it plays.
const MOST_STEPS: f64 = 1e6;
const LIFETIMES: f64 = 10.0;

/// The value of a parameter in its base unit, where it has one.
pub fn number(values: &Values, name: &str) -> Option<f64> {
    values.get(name)?.base()
}

/// Adds the costs of the flows.
pub fn parts(scenario: &Scenario, traffic: &Traffic<'_>, parts: &mut Vec<Part>) {
    passages(traffic, parts);
    for (index, group) in scenario.flows.iter().enumerate() {
        let active = group.plan.start.first() < scenario.duration;
        let place = Place::Flows(index);
        match &group.plan.sending {
            _ if !active => {}
            Sending::Udp(_) => source(scenario, group, place, parts),
            Sending::Session(_, session) => {
                reading(group, session, place, parts);
                first_window(group, place, parts);
            }
            Sending::Connection(_) | Sending::Connections(..) => {
                first_window(group, place, parts);
                timeouts(scenario, group, place, parts);
            }
            Sending::Sctp(_) => {
                first_window(group, place, parts);
                heartbeats(scenario, group, place, parts);
            }
        }
    }
    reordering(scenario, traffic, parts);
    writes(scenario, parts);
}

/// Passages over the links of long paths. Each costs an event of its own; the usual estimate of a packet contains those of a
/// short path.
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

/// The packets of a source over UDP, as far as the packets that its rate on the wire suggests are fewer; and what an `mmpp` source
/// does besides.
fn source(scenario: &Scenario, group: &FlowGroup, place: Place, parts: &mut Vec<Part>) {
    let Sending::Udp(plan) = &group.plan.sending else { return };
    let end = scenario.duration.min(group.plan.stop.unwrap_or(scenario.duration));
    let active_s = end.saturating_sub(group.plan.start.first()).seconds();
    let flows = group.members.len() as f64;
    let replies = if plan.reply_bytes.is_some() { 2.0 } else { 1.0 };
    let on_wire = f64::from(plan.payload_bytes) / f64::from(plan.wire_bytes);
    let events = traffic::packets_per_second(group) * active_s * flows * (replies - on_wire);
    parts.push(Part {
        cause: Cause::SmallPackets { payload: plan.payload_bytes },
        place,
        events,
        certain: events,
    });
    if plan.application.descriptor.name == "mmpp" {
        let per_second = traffic::packets_per_second(group);
        mmpp(group, &plan.application.values, (per_second, active_s), place, parts);
    }
}

/// The writes of applications into connections, whatever of it these can send.
fn writes(scenario: &Scenario, parts: &mut Vec<Part>) {
    for (index, group) in scenario.flows.iter().enumerate() {
        let Some(data @ Data::Written(application)) = group.data() else { continue };
        let (rate_bps, bytes) = data.written().unwrap_or_default();
        let end = scenario.duration.min(group.plan.stop.unwrap_or(scenario.duration));
        let active_s = end.saturating_sub(group.plan.start.first()).seconds();
        let per_second = (rate_bps / (8.0 * bytes)).min(traffic::MOST_PER_SECOND);
        let events = per_second * active_s * group.members.len() as f64;
        let place = Place::Flows(index);
        parts.push(Part { cause: Cause::Writes { bytes }, place, events, certain: events });
        if application.descriptor.name == "mmpp" {
            mmpp(group, &application.values, (per_second, active_s), place, parts);
        }
    }
}

/// A session of an `mmpp` source has as many flows at a time as begin in the lifetime of one, and each sends at its own rate, so
/// that a source whose mean rate is low may send at a very high rate for as long as a session lasts.
///
/// Before its first packet the source plays ten lifetimes of a flow, or a million steps. A step is the beginning of a session or
/// of a flow, or a packet.
fn mmpp(
    group: &FlowGroup,
    values: &Values,
    (per_second, active_s): (f64, f64),
    place: Place,
    parts: &mut Vec<Part>,
) {
    let value = |name| number(values, name).unwrap_or(1.0);
    let (flows, packets) = (value("flows"), value("packets"));
    let (between_flows, between_packets) = (value("between_flows"), value("between_packets"));
    let lifetime = packets * between_packets;
    let at_a_time = (lifetime / between_flows).clamp(1.0, flows);
    let of_session = (active_s * at_a_time / between_packets).min(flows * packets);
    let count = group.members.len() as f64;
    let cause = Cause::Session { packets: of_session };
    parts.push(Part { cause, place, events: of_session * count, certain: 0.0 });
    let steps_per_second = per_second * (1.0 + (1.0 + 1.0 / flows) / packets);
    let steps = (LIFETIMES * lifetime * steps_per_second).min(MOST_STEPS) * count;
    let cause = Cause::Lifetimes { each_s: lifetime };
    parts.push(Part { cause, place, events: steps, certain: steps });
}

/// The sizes that a reader draws at the beginning of a page. Later pages begin when the one before is complete, which takes a packet
/// for each object.
fn reading(group: &FlowGroup, session: &SessionPlan, place: Place, parts: &mut Vec<Part>) {
    let SessionPlan::Pages(pages) = session else { return };
    let events = pages.objects as f64 * group.members.len() as f64;
    parts.push(Part { cause: Cause::Objects { objects: pages.objects }, place, events, certain: events });
}

/// The packets that connections send before anything is acknowledged, which may all be dropped at the first link.
fn first_window(group: &FlowGroup, place: Place, parts: &mut Vec<Part>) {
    let packets = first_packets(group);
    let connections = match &group.plan.sending {
        Sending::Connections(_, timetable) => timetable.most_connections() as f64,
        sending => (sending.copies() * group.members.len()) as f64,
    };
    // Over TCP the retransmission of what was lost costs little.
    let ns = if is_tcp(group) { 300.0 } else { 1200.0 };
    let cause = Cause::FirstWindow { packets, ns };
    parts.push(Part { cause, place, events: packets * connections, certain: 0.0 });
}

/// The packets that a connection sends before anything is acknowledged: its initial window, as far as it has so much to send and the
/// receiver allows it.
fn first_packets(group: &FlowGroup) -> f64 {
    let by_connection = |plan: &ConnectionPlan, each: f64| {
        let values = &plan.transport.values;
        let cwnd = match plan.protocol() {
            Protocol::Tcp => TcpDetails::from(values).first_window(),
            Protocol::Quic => QuicDetails::from(values).first_window(),
        };
        cwnd.min(each)
    };
    let packets = match &group.plan.sending {
        Sending::Connection(plan) => by_connection(plan, traffic::to_send(group)),
        Sending::Connections(plan, Timetable::Transfers(transfers)) => {
            by_connection(plan, transfers.sizes.most().div_ceil(transfers.payload_bytes) as f64)
        }
        Sending::Connections(plan, Timetable::Web(_)) => by_connection(plan, f64::INFINITY),
        Sending::Session(plan, SessionPlan::Pages(pages)) => {
            by_connection(plan, pages.most_bytes / pages.payload_bytes)
        }
        Sending::Session(plan, SessionPlan::Video(_)) => by_connection(plan, f64::INFINITY),
        Sending::Sctp(plan) => plan.options().first_window().min(traffic::to_send(group)),
        Sending::Udp(_) => return 0.0,
    };
    packets.min(traffic::window(group, "initial_receive_window"))
}

fn is_tcp(group: &FlowGroup) -> bool {
    match &group.plan.sending {
        Sending::Connection(plan) | Sending::Connections(plan, _) | Sending::Session(plan, _) => {
            plan.protocol() == Protocol::Tcp
        }
        Sending::Sctp(_) | Sending::Udp(_) => false,
    }
}

/// The timeouts of TCP senders whose packets are all lost, each with a packet: the timeout grows from the least one to the greatest,
/// and by no more than the greatest factor.
fn timeouts(scenario: &Scenario, group: &FlowGroup, place: Place, parts: &mut Vec<Part>) {
    let Sending::Connection(plan) = &group.plan.sending else { return };
    // Over QUIC a timeout doubles each time, without end.
    if !is_tcp(group) {
        return;
    }
    let TcpDetails { min_rto, max_rto, max_backoff, .. } = (&plan.transport.values).into();
    let every = min_rto.scale(max_backoff).min(max_rto).max(min_rto).max(Span::from_nanos(1));
    let events = scenario.duration.seconds() / every.seconds() * group.members.len() as f64;
    parts.push(Part { cause: Cause::Timeouts { every }, place, events, certain: 0.0 });
}

/// The HEARTBEATs of the paths of associations: each path has one after the interval and a timeout, and the next when that is
/// answered. A timeout is no shorter than a round trip.
fn heartbeats(scenario: &Scenario, group: &FlowGroup, place: Place, parts: &mut Vec<Part>) {
    let Sending::Sctp(plan) = &group.plan.sending else { return };
    let SctpDetails { heartbeat_interval: Some(interval), min_rto, .. } = (&plan.transport.values).into()
    else {
        return;
    };
    for path in group.members.iter().flat_map(|member| member.paths()) {
        let round_trip = Span::from_seconds(traffic::round_trip_s(&scenario.network.links, path));
        let every = interval + min_rto.max(round_trip) + round_trip;
        let events = scenario.duration.seconds() / every.seconds();
        parts.push(Part { cause: Cause::Heartbeats { every }, place, events, certain: 0.0 });
    }
}

/// What reordering costs: receivers and senders keep ranges of what has arrived in lists, and with each packet about as many entries
/// move as packets are under way. A window control takes reordering for losses and soon has few under way, so that its initial window
/// counts; a control with a model of its path keeps up to two bandwidth-delay products.
fn reordering(scenario: &Scenario, traffic: &Traffic<'_>, parts: &mut Vec<Part>) {
    let links = &scenario.network.links;
    for stream in &traffic.streams {
        let group = &scenario.flows[stream.group];
        let reorders = stream.path.forward.iter().find(|link| links[**link as usize].reorders);
        let (Some(link), Sending::Connection(_) | Sending::Sctp(_)) = (reorders, &group.plan.sending) else {
            continue;
        };
        let first = first_packets(group);
        let has_model = ackclock_cc::registry::find(group.control_name())
            .is_some_and(|entry| matches!(entry.build, Build::Model(_)));
        let jitter_s = links[*link as usize].jitter.most.seconds();
        let product = 2.0 * stream.sent / stream.active_s.max(1e-9)
            * (traffic::round_trip_s(links, stream.path) + jitter_s);
        let under_way = if has_model { product.min(traffic::window(group, MAX_RECEIVE_WINDOW)) } else { 0.0 };
        let events = (first * first).max(stream.sent * under_way);
        let cause = Cause::Reordering { packets: first.max(under_way) };
        parts.push(Part { cause, place: Place::Link(*link as usize), events, certain: 0.0 });
    }
}
