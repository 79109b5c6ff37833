//! The construction of a network: where the packets of a path have to wait, and which links have to be
//! served.

use super::turns::StationState;
use super::{Destination, NO_LANE, NO_LINK, Network, PathPlan, Shared, Step, Then};
use crate::agent::{AgentParts, Direction};
use crate::flow::FlowParts;
use crate::lane::Lane;
use crate::link::Link;
use crate::medium::{MediumParts, Station};
use crate::random::Stream;
use ackclock_aqm::Label;
use ackclock_base::Span;
use std::collections::{HashMap, VecDeque};

impl Network {
    pub(super) fn add_media(&mut self, media: Vec<MediumParts>, seed: u64) {
        self.medium_of = vec![None; self.links.len()];
        for (index, MediumParts { medium, links }) in media.into_iter().enumerate() {
            for link in &links {
                self.medium_of[*link as usize] = Some(index as u32);
                self.links[*link as usize].share_medium();
            }
            let random = Stream::new(seed, &format!("medium {index}"));
            let stations = vec![Station::default(); links.len()];
            let access = medium.access_rules();
            let states = if access.is_plain() { 0 } else { links.len() };
            let states = std::iter::repeat_with(StationState::default).take(states).collect();
            self.media.push(Shared { medium, links, random, stations, access, states });
        }
    }

    pub(super) fn add_services(&mut self) {
        let mut of_media = vec![None; self.media.len()];
        for (link, medium) in self.links.iter().zip(&self.medium_of) {
            let source = match medium {
                _ if !link.decides_at_departure() => None,
                None => Some(self.schedule.add_source()),
                Some(medium) => {
                    let source = &mut of_media[*medium as usize];
                    Some(*source.get_or_insert_with(|| self.schedule.add_source()))
                }
            };
            self.services.push(source);
        }
    }

    /// Gives the labels of each path's packets to the disciplines that decide at departure.
    pub(super) fn tell_labels(&mut self, plans: &[PathPlan]) {
        if !self.links.iter().any(Link::decides_at_departure) {
            return;
        }
        let mut numbers = HashMap::new();
        let mut number = |links: &[Link], node: fn(&Link) -> &str, link: Option<&u32>| {
            let next = numbers.len() as u32;
            link.map_or(0, |link| *numbers.entry(node(&links[*link as usize]).to_owned()).or_insert(next))
        };
        let labels = plans.iter().map(|plan| Label {
            dscp: plan.dscp,
            source: number(&self.links, |link| &link.from, plan.links.first()),
            destination: number(&self.links, |link| &link.to, plan.links.last()),
        });
        let labels: Vec<Label> = labels.collect();
        self.links.iter_mut().for_each(|link| link.tell_labels(&labels));
    }

    pub(super) fn add_paths(&mut self, plans: &[PathPlan]) {
        plans.iter().for_each(|plan| self.add_path(plan));
    }

    fn add_path(&mut self, plan: &PathPlan) {
        let path = self.starts.len() as u32;
        self.starts.push(self.steps.len() as u32);
        self.destinations.push(plan.to);
        let mut now_is_real = !plan.leaves_later;
        // A packet that has not waited is still being handled by its sender, by an agent, or by the link that
        // was served.
        let mut has_waited = false;
        let mut waits_at_end = false;
        // The plain link that the next step crosses first.
        let mut crosses = NO_LINK;
        for (place, link) in plan.links.iter().enumerate() {
            for (_, agent, direction) in plan.agents.iter().filter(|(before, ..)| *before == place) {
                // An agent sees a packet at its arrival, not before.
                if !now_is_real {
                    self.add_wait(path, &mut crosses, false);
                    now_is_real = true;
                }
                self.add_step(&mut crosses, Then::Meet(*agent, *direction));
                self.set_onward(*agent, *direction, path, *link);
                // Packets that the agent sends have not waited.
                has_waited = false;
            }
            let is_late = self.links[*link as usize].decides_at_departure();
            if self.links[*link as usize].is_watched() && !now_is_real {
                self.add_wait(path, &mut crosses, false);
                has_waited = true;
            }
            let traced = self.trace.is_some();
            let then = match &self.links[*link as usize] {
                plain if plain.is_plain() && !traced => None,
                late if late.decides_at_departure() => Some(Then::Join(*link)),
                _ => Some(Then::Offer(*link)),
            };
            match then {
                Some(then) => self.add_step(&mut crosses, then),
                None => {
                    if crosses != NO_LINK {
                        self.add_step(&mut crosses, Then::GoOn);
                    }
                    crosses = *link;
                }
            }
            now_is_real = false;
            has_waited &= !is_late;
            if self.links[*link as usize].reorders() {
                // The links that follow are offered packets in the order of arrival.
                self.add_wait(path, &mut crosses, true);
                now_is_real = true;
            } else if self.links[*link as usize].duplicates() {
                // A packet and its copy continue one after the other.
                self.add_wait(path, &mut crosses, false);
                now_is_real = true;
            }
            waits_at_end = now_is_real;
        }
        if !waits_at_end && plan.only_answers && has_waited {
            self.add_step(&mut crosses, Then::Wait(NO_LANE));
        } else if !waits_at_end {
            self.add_wait(path, &mut crosses, false);
        }
        self.add_step(&mut crosses, Then::Arrive);
    }

    /// Adds the lanes at the ends of paths to endpoints that only answer, and returns their numbers. Packets
    /// seldom wait there. The sources of these lanes come after those of timers and sessions, so that the
    /// [tie-break](Schedule) between others does not depend on them.
    pub(crate) fn add_last_lanes(&mut self) -> std::ops::Range<usize> {
        let first = self.lanes.len();
        for path in 0..self.starts.len() {
            for step in self.steps_of(path as u32) {
                if self.steps[step].then == Then::Wait(NO_LANE) {
                    self.steps[step].then = self.wait_in_new_lane(path as u32, step as u32 + 1, false);
                }
            }
        }
        first..self.lanes.len()
    }

    fn add_step(&mut self, crosses: &mut u32, then: Then) {
        self.steps.push(Step { crosses: std::mem::replace(crosses, NO_LINK), then });
    }

    fn add_wait(&mut self, path: u32, crosses: &mut u32, reorders: bool) {
        let wait = self.wait_in_new_lane(path, self.steps.len() as u32 + 1, reorders);
        self.add_step(crosses, wait);
    }

    /// Adds a lane that leads to a step of a path. Returns the step that waits in it.
    fn wait_in_new_lane(&mut self, path: u32, next_step: u32, reorders: bool) -> Then {
        // If packets cannot overtake, the head of a lane remains the head until it has arrived.
        let source = if reorders { self.schedule.add_source() } else { self.schedule.add_firm_source() };
        let lane = self.lanes.len() as u32;
        self.lanes.push(Lane::new(path, next_step, source, reorders));
        self.reorders |= reorders;
        self.traced.push(VecDeque::new());
        Then::Wait(lane)
    }
}

/// Returns the paths of a flow: for each pair the path from the first end to the second, then the one back.
/// An end that only answers may take its packets early, and its answers then leave later than the event in
/// which it takes them.
pub(crate) fn plans(index: u32, flow: &FlowParts) -> Vec<PathPlan> {
    let properties = flow.ends.each_ref().map(|end| end.properties());
    let only_answers = properties.map(|end| end.only_answers && flow.paths.len() == 1);
    let later = [0, 1].map(|end| only_answers[end] || properties[end].send_jitter > Span::ZERO);
    let plan = |links: &Vec<u32>, path: usize, end: usize| PathPlan {
        links: links.clone(),
        to: Destination { flow: index, end: end as u8, path: path as u8 },
        leaves_later: later[1 - end],
        only_answers: only_answers[end],
        agents: Vec::new(),
        dscp: flow.dscp,
    };
    let pairs = flow.paths.iter().enumerate();
    pairs.flat_map(|(path, pair)| [plan(&pair.forward, path, 1), plan(&pair.backward, path, 0)]).collect()
}

/// Returns for each link whether more than one path uses it or it belongs to a medium.
pub(crate) fn shared_links(links: usize, paths: &[PathPlan], media: &[MediumParts]) -> Vec<bool> {
    let mut users = vec![0_u32; links];
    for link in media.iter().flat_map(|medium| &medium.links) {
        users[*link as usize] += 2;
    }
    for link in paths.iter().flat_map(|path| &path.links) {
        users[*link as usize] += 1;
    }
    users.into_iter().map(|users| users > 1).collect()
}

/// Puts agents on the paths that pass their nodes. `firsts` holds the first path of each flow.
pub(crate) fn put_on_paths(agents: &[AgentParts], firsts: &[u32], paths: &mut [PathPlan]) {
    for (index, agent) in agents.iter().enumerate() {
        let first = (firsts[agent.flow as usize] + 2 * agent.path) as usize;
        for (direction, after) in [Direction::Forward, Direction::Backward].into_iter().zip(agent.after) {
            paths[first + direction as usize].agents.push((after, index as u32, direction));
        }
    }
}
