//! The links that packets cross in each direction, and what real time cannot do.

use crate::Error;
use ackclock_aqm::{Dscp, Label};
use ackclock_base::{Rate, Span};
use ackclock_lab::Scenario;
use ackclock_lab::language::flows::Member;
use ackclock_lab::run::build;
use ackclock_sim::link::{Link, LinkParts};
use ackclock_sim::measure::Interval;
use std::fmt::Display;

/// The highest rate of a path in real time: no higher one has been measured.
pub const MAX_RATE: Rate = Rate::from_bits_per_second(1_000_000_000);

/// The paths of flows in both directions, ready to be driven.
pub struct LinksPlan {
    /// The links from the first host to the second, and back, in the order in which the flows name them.
    pub links: [Vec<Link>; 2],
    /// The route of each flow in these directions: the indices of its links, in order.
    pub routes: [Vec<Vec<usize>>; 2],
    /// The host of each flow's sender, 0 or 1. The receiver is on the other one.
    pub senders: Vec<usize>,
    /// The shortest round trip without queues.
    pub round_trip: Span,
    /// The measured interval, from the beginning of the run.
    pub measured: Interval,
}

impl LinksPlan {
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
                "no flows are named `{wanted}`, expected one of {}",
                names.join(", ")
            )));
        };
        Self::along(scenario, seed, &[member], MAX_RATE)
    }

    /// Returns the plan with the hosts exchanged, so that what the first host receives crosses the links of the flows'
    /// data.
    pub fn exchanged(self) -> Self {
        let Self { links: [there, back], routes: [forward, backward], senders, .. } = self;
        let senders = senders.into_iter().map(|host| 1 - host).collect();
        Self { links: [back, there], routes: [backward, forward], senders, ..self }
    }

    /// Plans the paths of these flows, whose slowest links have at most the rate `most`. A flow that crosses links of
    /// an earlier one in the other direction has its sender on the second host.
    pub(crate) fn along(
        scenario: &Scenario,
        seed: u64,
        members: &[&Member],
        most: Rate,
    ) -> Result<Self, Error> {
        let mut used: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
        let (mut senders, mut routes) = (Vec::new(), [Vec::new(), Vec::new()]);
        let mut round_trip = Span::from_nanos(u64::MAX);
        for member in members {
            check(scenario, member, most)?;
            let sender = sender(&used, member)?;
            for (direction, links) in [(sender, &member.forward), (1 - sender, &member.backward)] {
                let used = &mut used[direction];
                let mut place = |link: &u32| {
                    used.iter().position(|known| known == link).unwrap_or_else(|| {
                        used.push(*link);
                        used.len() - 1
                    })
                };
                routes[direction].push(links.iter().map(&mut place).collect());
            }
            let delays = member.forward.iter().chain(&member.backward);
            let delays = delays.map(|link| scenario.network.links[*link as usize].delay);
            round_trip = round_trip.min(delays.fold(Span::ZERO, |sum, delay| sum + delay));
            senders.push(sender);
        }
        let measured = build::measured(scenario);
        let mut parts: Vec<Option<LinkParts>> = build::links(scenario, seed).into_iter().map(Some).collect();
        let links = used.map(|used| {
            let parts = used.iter().filter_map(|link| parts[*link as usize].take());
            // Any number of flows may cross a real link.
            parts.map(|parts| Link::new(parts, true, measured)).collect()
        });
        Ok(Self { links, routes, senders, round_trip, measured })
    }
}

/// Returns the host of a flow's sender, given the links that earlier flows use in each direction.
fn sender(used: &[Vec<u32>; 2], member: &Member) -> Result<usize, Error> {
    let crosses = |direction: usize| {
        member.forward.iter().any(|link| used[direction].contains(link))
            || member.backward.iter().any(|link| used[1 - direction].contains(link))
    };
    match (crosses(0), crosses(1)) {
        (true, true) => refuse(
            "each link carries packets of only one host, but the links that one flow shares with others would \
             make both hosts its sender",
        ),
        (false, true) => Ok(1),
        (_, false) => Ok(0),
    }
}

/// Returns the error of a scenario that real time cannot do.
pub(crate) fn refuse<T>(reason: impl Display) -> Result<T, Error> {
    Err(Error::Failed(format!("this scenario cannot run in real time: {reason}")))
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

fn check(scenario: &Scenario, member: &Member, most: Rate) -> Result<(), Error> {
    if !member.others.is_empty() {
        return refuse("one of its flows has several paths, but each host has one interface");
    }
    if !scenario.agents.is_empty() {
        return refuse(
            "it has agents, but agents read the headers of simulated packets and work only in simulations",
        );
    }
    for links in [&member.forward, &member.backward] {
        let links = links.iter().map(|link| &scenario.network.links[*link as usize]);
        for link in links.clone() {
            if link.medium.is_some() {
                return refuse(format!(
                    "link `{}` shares a medium, but shared media work only in simulations",
                    link.name
                ));
            }
            if link.plugin.is_some() {
                return refuse(format!(
                    "the queue of link `{}` is a plugin, but queue plugins work only in simulations",
                    link.name
                ));
            }
        }
        let slowest = links.min_by_key(|link| link.wire.pace.rate);
        if let Some(link) = slowest.filter(|link| link.wire.pace.rate > most) {
            return refuse(format!(
                "on one path, the slowest link `{}` has a rate of {} bit/s, but real-time runs are tested only \
                 up to {} bit/s",
                link.name,
                link.wire.pace.rate.bits_per_second(),
                most.bits_per_second()
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    const FILE: &str = "duration = \"9 s\"\nwarmup = \"2 s\"\n[dumbbell]\nrtt = \"40 ms\"\n\
        bottleneck = { rate = \"10 Mbit/s\" }\naccess = { rate = \"1 Gbit/s\" }\n\
        [[flows]]\nname = \"one\"\ncontrol = \"cubic\"\n[[flows]]\nname = \"other\"\ncontrol = \"cubic\"\n";

    fn plan(text: &str, group: Option<&str>) -> Result<LinksPlan, Error> {
        let scenario = Scenario::parse(text, "file.toml", &Map::new()).expect("a scenario");
        LinksPlan::of(&scenario, 1, group)
    }

    fn names(links: &[Link]) -> Vec<&str> {
        links.iter().map(|link| &*link.name).collect()
    }

    #[test]
    fn the_path_is_that_of_the_group_in_both_directions() {
        let first = plan(FILE, None).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(names(&first.links[0]), ["access-1-left", "bottleneck", "access-1-right"]);
        let back = ["access-1-right-reverse", "bottleneck-reverse", "access-1-left-reverse"];
        assert_eq!(names(&first.links[1]), back);
        assert_eq!(first.round_trip, Span::from_millis(40));
        assert_eq!((first.measured.from.seconds(), first.measured.to.seconds()), (2.0, 9.0));
        let other = plan(FILE, Some("other")).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(names(&other.links[0]), ["access-2-left", "bottleneck", "access-2-right"]);
    }

    #[test]
    fn what_real_time_cannot_do_is_refused() {
        let fast = FILE.replace("\"1 Gbit/s", "\"2 Gbit/s").replace("10 Mbit/s", "1.1 Gbit/s");
        let agents = format!("{FILE}[[agents]]\nat = \"left\"\nagent = \"ack-thinning\"\n");
        for (text, group, message) in [
            (FILE, Some("none"), "no flows are named `none`, expected one of `one`, `other`"),
            (&fast, None, "on one path, the slowest link `bottleneck` has a rate of 1100000000 bit/s"),
            (
                &agents,
                None,
                "it has agents, but agents read the headers of simulated packets and work only in simulations",
            ),
        ] {
            let error = plan(text, group).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn every_flow_has_a_label_with_its_code_point() {
        let labels = labels();
        for (dscp, number) in [(0, 0), (0, 5000), (46, 3), (63, 1023)] {
            assert_eq!(labels[flow_index(dscp, number) as usize].dscp, Dscp::from_bits(dscp));
        }
        assert_ne!(flow_index(0, 1), flow_index(0, 2));
    }
}
