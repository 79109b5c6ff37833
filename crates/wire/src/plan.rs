//! The links that packets cross in each direction, and what real time cannot do.

use crate::Error;
use ackclock_aqm::{Dscp, Label};
use ackclock_base::{Rate, Span};
use ackclock_lab::flows::Member;
use ackclock_lab::{Scenario, build};
use ackclock_sim::link::{Link, LinkParts};
use ackclock_sim::measure::Interval;

/// The highest rate of a path in real time. This machine has measured no more.
pub const MAX_RATE: Rate = Rate::from_bits_per_second(1_000_000_000);

/// The path of a flow in both directions, ready to be driven.
pub struct Plan {
    /// The links from the first host to the second, and back, in order.
    pub links: [Vec<Link>; 2],
    /// The round trip without queues.
    pub round_trip: Span,
    /// The measured interval, from the beginning of the run.
    pub measured: Interval,
}

impl Plan {
    /// Plans the path of a group of flows of the scenario, or of its first group. Returns an error if there
    /// is no such group, or if real time cannot do what the path needs.
    pub fn of(scenario: &Scenario, seed: u64, group: Option<&str>) -> Result<Self, Error> {
        let names = || scenario.flows.iter().map(|group| format!("`{}`", group.plan.name));
        let found = match group {
            None => scenario.flows.first(),
            Some(name) => scenario.flows.iter().find(|group| group.plan.name == name),
        };
        let Some(member) = found.and_then(|group| group.members.first()) else {
            let names: Vec<String> = names().collect();
            let wanted = group.unwrap_or_default();
            return Err(Error::Failed(format!(
                "no flows are called `{wanted}`; there are {}",
                names.join(", ")
            )));
        };
        check(scenario, member)?;
        let measured = build::measured(scenario);
        let delay = |links: &[u32]| -> Span {
            let delays = links.iter().map(|link| scenario.network.links[*link as usize].delay);
            delays.fold(Span::ZERO, |sum, delay| sum + delay)
        };
        let mut parts: Vec<Option<LinkParts>> = build::links(scenario, seed).into_iter().map(Some).collect();
        let mut row = |links: &[u32]| -> Vec<Link> {
            let parts = links.iter().filter_map(|link| parts[*link as usize].take());
            // Any number of flows may cross a real link.
            parts.map(|parts| Link::new(parts, true, measured)).collect()
        };
        Ok(Self {
            links: [row(&member.forward), row(&member.backward)],
            round_trip: delay(&member.forward) + delay(&member.backward),
            measured,
        })
    }
}

/// Returns the labels of flows with the indices that [`flow_index`] gives, between the two hosts of a path.
pub fn labels() -> Vec<Label> {
    (0..64)
        .map(Dscp::from_bits)
        .flat_map(|dscp| {
            std::iter::repeat_n(Label { dscp, source: 0, destination: 1 }, FLOWS_OF_DSCP as usize)
        })
        .collect()
}

/// The number of indices of flows with one differentiated services code point. Flows beyond it share indices.
const FLOWS_OF_DSCP: u32 = 1024;

/// Returns the index of the `number`-th flow with this code point.
pub fn flow_index(dscp: u8, number: u32) -> u32 {
    u32::from(dscp) * FLOWS_OF_DSCP + number % FLOWS_OF_DSCP
}

fn check(scenario: &Scenario, member: &Member) -> Result<(), Error> {
    let refuse = |reason: String| Err(Error::Failed(format!("real time cannot do this scenario: {reason}")));
    if !member.others.is_empty() {
        return refuse("its flow has several paths, and the two hosts have one link each".to_owned());
    }
    if !scenario.agents.is_empty() {
        return refuse("its agents read the headers of simulated packets".to_owned());
    }
    for links in [&member.forward, &member.backward] {
        let links = links.iter().map(|link| &scenario.network.links[*link as usize]);
        for link in links.clone() {
            if link.medium.is_some() {
                return refuse(format!("link `{}` shares a medium with others", link.name));
            }
            if link.plugin.is_some() {
                return refuse(format!("the queue of link `{}` is a plugin", link.name));
            }
        }
        let slowest = links.min_by_key(|link| link.wire.pace.rate);
        if let Some(link) = slowest.filter(|link| link.wire.pace.rate > MAX_RATE) {
            return refuse(format!(
                "its slowest link `{}` has {} bit/s, more than the {} bit/s that real time has been measured to do",
                link.name,
                link.wire.pace.rate.bits_per_second(),
                MAX_RATE.bits_per_second()
            ));
        }
    }
    Ok(())
}
