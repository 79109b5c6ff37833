//! The costs that links and media cause: queue disciplines, states of loss and jitter, and stations.

use super::flows::number;
use super::traffic::Traffic;
use super::{Cause, Part, Place};
use crate::language::network::{LinkPlan, Loss};
use crate::language::scenario::Scenario;
use crate::run::build::link_rates;
use ackclock_aqm::LinkRate;
use ackclock_aqm::entry::PERIODS;
use ackclock_base::{Span, Values};

/// The maximum number of changes of state that a two-state model simulates between two packets.
const MOST_CHANGES: f64 = 1000.0;

/// The packets that arrive at a link, and for how long they arrive.
struct Arrivals {
    /// The maximum number of packets.
    packets: f64,
    /// The number of packets that arrive whatever the network does.
    certain: f64,
    /// The run's duration in seconds.
    run_s: f64,
    /// Whether packets arrive until the end of the run.
    lasting: bool,
}

/// Adds the costs of links and media.
pub fn parts(scenario: &Scenario, traffic: &Traffic<'_>, parts: &mut Vec<Part>) {
    let run_s = scenario.duration.seconds();
    let rates = link_rates(scenario);
    for (index, link) in
        scenario.network.links.iter().enumerate().filter(|(index, _)| traffic.arrivals[*index] > 0.0)
    {
        let (packets, certain) = (traffic.arrivals[index], traffic.certain[index]);
        let arrivals = Arrivals { packets, certain, run_s, lasting: traffic.lasting[index] };
        discipline(link, &rates[index], &arrivals, Place::Link(index), parts);
        states(link, &arrivals, Place::Link(index), parts);
    }
    for index in 0..scenario.network.media.len() {
        medium(scenario, traffic, index, parts);
    }
}

/// Adds the cost of a discipline's work at fixed times and at arrivals, if its parameters can make it
/// expensive. A discipline does the work of past examinations at the next arrival, so a link that no packet
/// reaches costs nothing.
fn discipline(link: &LinkPlan, rate: &LinkRate, arrivals: &Arrivals, place: Place, parts: &mut Vec<Part>) {
    let Some(queue) = link.wire.queue.as_ref().filter(|_| link.plugin.is_none()) else { return };
    let values = &queue.values;
    let value = |name: &str| number(values, name).unwrap_or(0.0);
    let order = value("order");
    let lasting = |events: f64| if arrivals.lasting { events } else { 0.0 };
    let mut push = |cause, events: f64, certain: f64| parts.push(Part { cause, place, events, certain });
    if let Some((key, every_s)) = looks(queue.descriptor.name, values, rate) {
        let looks = arrivals.run_s / every_s.max(1e-9);
        let every = Span::from_seconds(every_s);
        let prediction = |ns| Cause::Prediction { order, looks: Some((key, every)), ns };
        match queue.descriptor.name {
            "bc-pqp" => {
                let events = looks * value("queues");
                push(Cause::PhantomQueues { queues: value("queues"), every }, events, lasting(events));
            }
            // An examination of the traffic's correlation takes several times `order`.
            "paqm" => push(prediction(35.0), looks * order, lasting(looks * order)),
            "apace" => push(prediction(1.2), looks * order, lasting(looks * order)),
            _ => {}
        }
        // `dualpi2` does not examine queues that are idle.
        let certain = if queue.descriptor.name == "dualpi2" { 0.0 } else { lasting(looks) };
        push(Cause::Looks { key, every }, looks, certain);
    }
    match queue.descriptor.name {
        "apace" | "scepter" => {
            let events = arrivals.packets * order;
            push(Cause::Prediction { order, looks: None, ns: 1.2 }, events, arrivals.certain * order);
        }
        "fair-policer" | "bc-pqp" => {
            let rate_bps = number(values, "rate").unwrap_or(rate.rate.bits_per_second() as f64);
            let bytes = value("quantum").max(1.0);
            push(Cause::Quantum { bytes }, rate_bps / 8.0 * arrivals.run_s / bytes, 0.0);
        }
        "sfb" => {
            let (bins, every) = (value("levels") * value("bins"), Span::from_seconds(value("rehash")));
            // An arrival changes the hash functions at most twice: those in use, and those in training.
            let changes = |packets: f64| 2.0 * packets.min(arrivals.run_s / value("rehash").max(1e-9));
            push(
                Cause::Bins { bins, every },
                bins * changes(arrivals.packets),
                bins * changes(arrivals.certain),
            );
        }
        _ => {}
    }
}

/// Returns the parameter that sets how often a discipline examines its queue, and the time between two
/// examinations in seconds; `None` if the discipline does not do so.
fn looks(name: &str, values: &Values, rate: &LinkRate) -> Option<(&'static str, f64)> {
    let key = match name {
        "pi" => "sample_period",
        "pie" | "dualpi2" => "update_period",
        "apace" => "period",
        "paqm" | "adaptive-red" | "red-diff" => "interval",
        "bc-pqp" => "window",
        _ => return None,
    };
    // By default, `paqm` examines its queue once in the time of ten packets, but no more often than every 0.1 ms.
    let packet_s = f64::from(rate.mean_packet_bytes) / rate.rate.bytes_per_second();
    let usual = (name == "paqm").then_some((10.0 * packet_s).max(PERIODS.min));
    Some((key, number(values, key).or(usual)?))
}

/// Adds the cost of states of loss and jitter that change often. Between two packets at most a thousand
/// changes are simulated; after that the state is as good as drawn afresh.
fn states(link: &LinkPlan, arrivals: &Arrivals, place: Place, parts: &mut Vec<Part>) {
    let mut push = |key, good_s: f64, bad_s: f64| {
        let each_s = ((good_s + bad_s) / 2.0).max(1e-9);
        let changes = |packets: f64| (packets * MOST_CHANGES).min(arrivals.run_s / each_s);
        let cause = Cause::States { key, each: Span::from_seconds(each_s) };
        parts.push(Part {
            cause,
            place,
            events: changes(arrivals.packets),
            certain: changes(arrivals.certain),
        });
    };
    if let Some(Loss::Model(loss)) = &link.wire.loss
        && loss.descriptor.name == "gilbert-time"
    {
        let value = |name: &str| number(&loss.values, name);
        let bad_s = value("bad").unwrap_or(1.0);
        let by_share = value("probability").map(|share| bad_s * (1.0 - share) / share);
        push("loss", by_share.or(value("good")).unwrap_or(1.0), bad_s);
    }
    if let Some(bursts) = link.wire.jitter.bursts {
        push("jitter", bursts.good.seconds(), bursts.bad.seconds());
    }
}

/// Adds the cost of a medium: each packet that arrives at one of its links queries all of them. All senders that react share the medium, so together they send
/// no more than its fastest link.
fn medium(scenario: &Scenario, traffic: &Traffic<'_>, index: usize, parts: &mut Vec<Part>) {
    let stations =
        || scenario.network.links.iter().enumerate().filter(|(_, link)| link.medium == Some(index));
    let links = stations().count();
    let sum = |counts: &[f64]| stations().map(|(link, _)| counts[link]).sum::<f64>();
    let (all, certain) = (sum(&traffic.arrivals), sum(&traffic.certain));
    let run_s = scenario.duration.seconds();
    let fastest = stations().map(|(_, link)| link.wire.pace.rate.bits_per_second()).max().unwrap_or(0) as f64;
    let least_bytes = scenario.flows.iter().map(|group| group.wire_bytes()).min().unwrap_or(1).max(1);
    // The factor of two is for answers: each packet may be answered with another.
    let reacting = (all - certain).min(2.0 * fastest * run_s / (8.0 * f64::from(least_bytes)));
    let asked = |packets: f64| packets * links as f64;
    parts.push(Part {
        cause: Cause::Stations { links },
        place: Place::Medium(index),
        events: asked(certain + reacting),
        certain: asked(certain),
    });
}
