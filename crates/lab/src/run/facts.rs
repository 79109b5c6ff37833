//! The facts about a scenario for the [verifier](ackclock_verify): its links, paths and agents, as plain
//! data.

use crate::language::agents;
use crate::language::network::LinkPlan;
use crate::language::scenario::Scenario;
use crate::run::build;
use ackclock_aqm::{Capacity, Service};
use ackclock_base::{Span, Time};
use ackclock_sim::flow::FlowParts;
use ackclock_sim::outage;
use ackclock_sim::timeline::Timeline;
use ackclock_sim::transmission::{Changes, Manner};
use ackclock_verify::{
    AgentFacts, ChangeApplies, LinkFacts, MediumFacts, NetworkFacts, Outage, OverTime, PathFacts, QueueLimit,
    SendingRate, ServiceRules, VaryingRate,
};

/// The maximum size of a packet in bytes (see the bounds of the scenario language).
const MAX_PACKET_BYTES: u64 = 1 << 16;

/// Returns the facts about the network of a scenario in a run with this seed.
pub fn network(scenario: &Scenario, seed: u64) -> NetworkFacts {
    let flows = build::flows(scenario, seed);
    let links = scenario.network.links.iter().zip(build::capacities(scenario));
    NetworkFacts {
        links: links.map(|(plan, capacity)| link(scenario, plan, capacity)).collect(),
        paths: paths(&flows),
        agents: agents(scenario, &flows),
    }
}

fn link(scenario: &Scenario, plan: &LinkPlan, capacity: Option<Capacity>) -> LinkFacts {
    LinkFacts {
        name: plan.name.clone(),
        rate: plan.changes().map_or(SendingRate::Constant(plan.wire.pace.rate), |changes| {
            varying_rate(&changes, plan.medium.is_some())
        }),
        delay: plan.delay,
        rules: plan.wire.rules,
        longer: plan.longer.as_ref().map(over_time),
        limit: capacity.and_then(limit),
        service: service(plan.service()),
        medium: plan.medium.map(|number| medium(scenario, number)),
    }
}

/// Returns the sending rate that varies as `changes` says. On a medium, the opportunities of a trace are
/// spread over their milliseconds.
fn varying_rate(changes: &Changes, on_medium: bool) -> SendingRate {
    SendingRate::Varying(VaryingRate {
        rates: over_time(&changes.rates),
        applies: match changes.manner {
            Manner::Opportunities { .. } if !on_medium => ChangeApplies::AtEndsOfMilliseconds,
            _ => ChangeApplies::BitByBit,
        },
        outage: changes.outage.map(|outage::Outage { from, lasts, every }| Outage { from, lasts, every }),
    })
}

fn over_time<T: Copy + PartialEq>(timeline: &Timeline<T>) -> OverTime<T> {
    let (steps, period) = timeline.parts();
    OverTime { first: timeline.at(Time::ZERO), changes: steps[1..].to_vec(), period }
}

fn limit(capacity: Capacity) -> Option<QueueLimit> {
    match capacity {
        Capacity::Unlimited => None,
        Capacity::Packets(most) => Some(QueueLimit::Packets(most)),
        Capacity::Bytes(most) => Some(QueueLimit::Bytes(most)),
    }
}

fn service(service: Service) -> ServiceRules {
    let Service { drops_late, overtakes, queues_by_ecn, holds_back, drops_only_when_full } = service;
    ServiceRules { drops_late, overtakes, queues_by_ecn, holds_back, drops_only_when_full }
}

fn medium(scenario: &Scenario, number: usize) -> MediumFacts {
    let manner = scenario.network.media[number].access_rules();
    let answer = manner.answer.map_or(Span::ZERO, |answer| answer.takes.max(answer.missed));
    let set_aside = if manner.is_plain() { 0 } else { u64::from(manner.packets) };
    MediumFacts {
        number,
        framing_bytes: manner.framing_bytes,
        collides: manner.collides,
        repeats: manner.answer.is_some(),
        tells: if manner.packets > 1 { manner.most + answer } else { answer },
        set_aside,
        // The last of these packets may have been too large for the transmission opportunity.
        set_aside_bytes: (u64::from(manner.bytes) + MAX_PACKET_BYTES).min(set_aside * MAX_PACKET_BYTES),
    }
}

/// Returns the facts about all paths, in the order in which a trace numbers them.
fn paths(flows: &[FlowParts]) -> Vec<PathFacts> {
    let path = |flow: &FlowParts, backward: bool, links: &[u32]| PathFacts {
        flow: flow.name.clone(),
        backward,
        links: links.to_vec(),
    };
    let pairs = flows.iter().flat_map(|flow| flow.paths.iter().map(move |pair| (flow, pair)));
    pairs
        .flat_map(|(flow, pair)| [path(flow, false, &pair.forward), path(flow, true, &pair.backward)])
        .collect()
}

/// Returns the positions of agents: each is on both directions of a path, before a link of each.
fn agents(scenario: &Scenario, flows: &[FlowParts]) -> Vec<AgentFacts> {
    let firsts = flows.iter().scan(0, |next, flow| {
        let first = *next;
        *next += 2 * flow.paths.len() as u32;
        Some(first)
    });
    let firsts: Vec<u32> = firsts.collect();
    let parts = agents::parts(&scenario.agents, &scenario.flows, &scenario.network.links, flows);
    let facts = parts.iter().flat_map(|agent| {
        let pair = &flows[agent.flow as usize].paths[agent.path as usize];
        let first = firsts[agent.flow as usize] + 2 * agent.path;
        let [forward, backward] = agent.after;
        [
            AgentFacts { path: first, link: pair.forward[forward] },
            AgentFacts { path: first + 1, link: pair.backward[backward] },
        ]
    });
    facts.collect()
}
