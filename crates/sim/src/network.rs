//! The network: links, and the fixed paths that packets take over them.
//!
//! A path is a list of steps. Crossing a link that only one path uses, and whose queue has no limit, is arithmetic:
//! the arrival at the next step follows at once. Before any other link a packet waits in its own lane until its
//! time has come, so that packets of different flows enter a shared link in the order of their arrival, and a queue
//! that is watched never knows the future.
//!
//! The same holds at the end of a path whose endpoint depends on nothing but the packets that reach it: it may be
//! handed them as soon as their arrival is known, with the time at which they arrive. And so may others
//! where nothing can reach them before: `network/handing.rs`.

mod agents;
mod building;
mod counting;
mod gathering;
mod handing;
mod launching;
mod path;
mod serving;
mod tracing;
mod turns;

use crate::agent::{AgentParts, Way};
use crate::lane::{Lane, Pool};
use crate::link::{Fate, Link};
use crate::measure::Interval;
use crate::medium::{Manner, Medium, MediumParts, Station};
use crate::packet::{Extensions, Packet};
use crate::random::Stream;
use crate::schedule::{Order, Schedule, SourceId};
use crate::trace::Trace;
use crate::waiting_room::Guest;
use ackclock_aqm::{Arrival, Ecn};
use ackclock_base::Time;
use agents::{Outgoing, Placed};
pub(crate) use building::{plans, put_on_paths, shared_links};
pub use counting::MAX_PACKETS;
use gathering::{Feeding, Gathering};
use handing::NO_LANE;
pub use path::{Destination, PathCounts, PathPlan};
use std::collections::VecDeque;
use tracing::take_number;
use turns::{Hand, Part};

/// A step of a path. Crossing a plain link that no other path uses is arithmetic, and done on the way to what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    /// The link that is crossed first, or [`NO_LINK`], which is the index of none.
    crosses: u32,
    then: Then,
}

const NO_LINK: u32 = u32::MAX;

/// What a step leads to. Where a trace is kept, or packets overtake one another, steps of their own see to it, so that
/// nobody need ask on the way of every packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// Wait in a lane until the packet has arrived here.
    Wait(u32),
    /// The same where packets overtake one another, or are traced.
    WaitApart(u32),
    /// Be handed to the endpoint, or wait in this lane before it where that cannot be yet.
    HandOver(u32),
    /// Gather with those of other paths before a link.
    Gather(u32),
    /// Go over a shared link where nothing but the room in its queue decides about packets.
    Offer(u32),
    /// Go over a link that has more to decide as they arrive, or is traced.
    Ask(u32),
    /// Join the queue of a link that decides at departure.
    Join(u32),
    /// Pass an agent.
    Meet(u32, Way),
    /// Reach the endpoint.
    Arrive,
    /// The same, traced.
    ArriveTraced,
    /// Go on with the next step.
    GoOn,
}

/// A medium in a running simulation.
struct Shared {
    medium: Box<dyn Medium>,
    links: Vec<u32>,
    random: Stream,
    /// Its stations as it was shown them last.
    stations: Vec<Station>,
    /// What a turn is, and what the stations have taken out of their queues for theirs.
    manner: Manner,
    hands: Vec<Hand>,
}

/// The network of a running simulation.
pub struct Network {
    /// The links.
    pub links: Vec<Link>,
    /// What happens next.
    pub schedule: Schedule,
    /// The trace, when one is asked for or something is watched.
    pub trace: Option<Trace>,
    /// What of the packets' headers does not fit into them.
    pub(crate) extensions: Extensions,
    lanes: Vec<Lane>,
    /// Whether there is a lane in which packets overtake one another, which keeps them itself.
    reorders: bool,
    pool: Pool,
    /// The numbers of the packets in each lane with their order, for the trace only.
    traced: Vec<VecDeque<((Time, Order), u64)>>,
    steps: Vec<Step>,
    starts: Vec<u32>,
    destinations: Vec<Destination>,
    counts: Vec<PathCounts>,
    measured: Interval,
    /// The last instant of the run.
    end: Time,
    /// Packets in the queues of links whose discipline decides at departure.
    waiting: usize,
    /// The schedule's source of each link whose discipline decides at departure; the stations of a medium have one together.
    services: Vec<Option<SourceId>>,
    /// Where packets of several paths gather before a link.
    gatherings: Vec<Gathering>,
    /// Those of them to which something has come; empty between events.
    gathered: Vec<u32>,
    /// Where packets wait to be offered to shared links; empty once they may gather there.
    feedings: Vec<Feeding>,
    media: Vec<Shared>,
    /// The medium of each link that has one, as an index.
    medium_of: Vec<Option<u32>>,
    /// Emptied after each use; kept so that drops at departure allocate nothing.
    refused: Vec<Guest>,
    /// Emptied after each turn of a medium.
    parts: Vec<Part>,
    agents: Vec<Placed>,
    /// Emptied after each use.
    outgoing: Outgoing,
    /// Whether a queue has dropped a packet on its arrival since the last was launched.
    dropped_at_arrival: bool,
    /// The number in the trace of the packet that is taken on.
    number: u64,
    /// When the packet that was last taken on reached the end of its path; never if it did not.
    reached_end: Time,
    /// The lane in which it waits there unless it can be handed over early; [`NO_LANE`] if it does not.
    last_lane: u32,
}

impl Network {
    /// A network of links, with the paths over them in the order of their numbers, and agents at nodes, which the paths refer
    /// to by index.
    pub fn new(
        links: Vec<Link>,
        media: Vec<MediumParts>,
        seed: u64,
        paths: &[PathPlan],
        agents: Vec<AgentParts>,
        measured: Interval,
        trace: Option<Trace>,
    ) -> Self {
        let mut network = Self {
            links,
            schedule: Schedule::default(),
            trace,
            extensions: Extensions::default(),
            lanes: Vec::new(),
            reorders: false,
            pool: Pool::default(),
            traced: Vec::new(),
            steps: Vec::new(),
            starts: Vec::new(),
            destinations: Vec::new(),
            counts: vec![PathCounts::default(); paths.len()],
            measured,
            end: Time::from_nanos(measured.to.nanos().saturating_sub(1)),
            waiting: 0,
            services: Vec::new(),
            gatherings: Vec::new(),
            gathered: Vec::new(),
            feedings: Vec::new(),
            media: Vec::new(),
            medium_of: Vec::new(),
            refused: Vec::new(),
            parts: Vec::new(),
            agents: Vec::new(),
            outgoing: Outgoing::default(),
            dropped_at_arrival: false,
            number: 0,
            reached_end: Time::NEVER,
            last_lane: NO_LANE,
        };
        network.add_media(media, seed);
        agents.into_iter().for_each(|agent| network.add_agent(agent));
        network.add_paths(paths);
        network.add_services();
        network.add_agent_sources();
        network
    }

    /// How many lanes there are; their schedule sources are the first, in order.
    pub fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// The links that have to be served, one of each medium, in the order of their sources in the schedule, which follow
    /// those of the lanes.
    pub fn services(&self) -> impl Iterator<Item = u32> {
        let served = (0..self.links.len()).filter(|link| self.services[*link].is_some());
        let first = |link: &usize| !self.services[..*link].contains(&self.services[*link]);
        served.filter(move |link| self.medium_of[*link].is_none() || first(link)).map(|link| link as u32)
    }

    /// Where a path leads to.
    #[inline]
    pub fn destination(&self, path: u32) -> Destination {
        self.destinations[path as usize]
    }

    /// Reads what the arrival of a lane's head will need, so that it is in the cache then; where it will go, if to an endpoint.
    /// The number means nothing.
    pub fn look_ahead(&self, lane: usize) -> (u64, Option<Destination>) {
        let lane = &self.lanes[lane];
        let arrives = lane.head(&self.pool).map_or(0, |(time, _)| time.nanos());
        let Step { crosses, then } = self.steps[lane.next_step as usize];
        match then {
            Then::Offer(link) | Then::Ask(link) | Then::Join(link) => {
                (arrives ^ self.links[link as usize].free_at().nanos(), None)
            }
            Then::Arrive | Then::ArriveTraced => (arrives, Some(self.destination(lane.path))),
            Then::Wait(_)
            | Then::WaitApart(_)
            | Then::HandOver(_)
            | Then::Gather(_)
            | Then::Meet(..)
            | Then::GoOn => {
                let link = self.links.get(crosses as usize);
                (arrives ^ link.map_or(0, |link| link.free_at().nanos()), None)
            }
        }
    }

    /// The head of a lane, whose time has come, goes over the links that follow. Returns when it reaches the end of its path,
    /// or never if it does not, and which path that is.
    #[inline]
    pub fn arrive(&mut self, lane_index: usize, head: &mut Packet) -> (Time, u32) {
        let lane = &mut self.lanes[lane_index];
        let ((arrives, order), next) = lane.pop(&mut self.pool, head);
        if let Some((arrives, order)) = next
            && !lane.in_turn
        {
            self.schedule.set(lane.source, arrives, order);
        }
        let (path, step) = (lane.path, lane.next_step);
        (self.reached_end, self.last_lane) = (Time::NEVER, NO_LANE);
        match self.steps[step as usize] {
            Step { crosses: NO_LINK, then: Then::Arrive } => self.reached_end = arrives,
            Step { crosses: NO_LINK, then: Then::Offer(link) } => self.offer(arrives, path, link, step, head),
            Step { then, .. } => {
                if self.trace.is_some() {
                    self.number = take_number(&mut self.traced[lane_index], (arrives, order));
                }
                match then {
                    Then::Ask(link) => self.ask(arrives, path, link, step, head),
                    _ => self.advance(arrives, path, step, head),
                }
            }
        }
        (self.reached_end, path)
    }

    /// Takes a packet over the links from a step of its path on, until it has to wait or reaches the end. What is more than
    /// arithmetic is left to others as the last thing, so that arithmetic needs no room on the stack.
    #[inline(always)] // for each packet, twice
    fn advance(&mut self, mut now: Time, path: u32, step: u32, packet: &mut Packet) {
        let Step { crosses, then } = self.steps[step as usize];
        if let Some(link) = self.links.get_mut(crosses as usize) {
            match link.cross(now, packet.bytes) {
                Some(at) => now = at,
                None => return self.cross_slowly(now, path, step, packet),
            }
        }
        match then {
            Then::Wait(lane) => self.enter(now, lane, packet),
            Then::HandOver(lane) => self.reach_end_early(now, lane),
            Then::Gather(gathering) => self.gather(now, gathering, path, step, packet),
            Then::Arrive => self.reached_end = now,
            _ => self.go_further(now, path, step, packet),
        }
    }

    /// The same for what is behind the link that the step crosses.
    #[inline(never)]
    fn go_further(&mut self, now: Time, path: u32, step: u32, packet: &mut Packet) {
        match self.steps[step as usize].then {
            Then::Wait(lane) | Then::WaitApart(lane) => self.enter_apart(now, lane, packet),
            Then::HandOver(lane) => self.reach_end_early(now, lane),
            Then::Gather(gathering) => self.gather(now, gathering, path, step, packet),
            Then::Offer(link) => self.offer(now, path, link, step, packet),
            Then::Ask(link) => self.ask(now, path, link, step, packet),
            Then::Join(link) => self.join(now, path, link, step, packet),
            Then::Meet(agent, way) => self.meet(now, agent, way, path, step, packet),
            Then::Arrive => self.reached_end = now,
            Then::ArriveTraced => self.reach_end_traced(now, path, packet),
            Then::GoOn => self.advance(now, path, step + 1, packet),
        }
    }

    /// Takes a packet over a plain link where that is more than arithmetic.
    #[inline(never)]
    fn cross_slowly(&mut self, now: Time, path: u32, step: u32, packet: &mut Packet) {
        let link = self.steps[step as usize].crosses;
        let at = self.links[link as usize].cross_slowly(now, packet.bytes);
        self.go_further(at, path, step, packet);
    }

    /// Offers a packet to a link that decides at arrival, and takes it on from there.
    #[inline(never)]
    fn offer(&mut self, now: Time, path: u32, link: u32, step: u32, packet: &mut Packet) {
        match self.links[link as usize].admit(now, packet.bytes) {
            Some(at) => self.advance(at, path, step + 1, packet),
            None => self.ask(now, path, link, step, packet),
        }
    }

    /// The same where more has to be asked than whether there is room.
    #[inline(never)]
    fn ask(&mut self, now: Time, path: u32, link: u32, step: u32, packet: &mut Packet) {
        if self.trace.is_some() {
            return self.ask_traced(now, path, link, step, packet);
        }
        let arrival = Arrival { now, bytes: packet.bytes, flow: path, ecn: packet.ecn };
        let fate = self.links[link as usize].offer(&arrival);
        self.follow(fate, now, path, step, packet);
    }

    /// What is to become of a packet at a link that it was offered to comes about.
    #[inline(always)]
    fn follow(&mut self, fate: Fate, now: Time, path: u32, step: u32, packet: &mut Packet) {
        match fate {
            Fate::Arrives { at, marked, .. } => {
                if marked {
                    packet.ecn = Ecn::Experienced;
                }
                self.advance(at, path, step + 1, packet);
            }
            Fate::Dropped => {
                self.dropped_at_arrival = true;
                self.count_dropped(path, now, packet);
            }
            Fate::Lost { sent, .. } => self.count_corrupted(path, sent, packet),
        }
    }

    /// A packet waits in a lane until it arrives.
    #[inline(always)]
    fn enter(&mut self, arrives: Time, index: u32, packet: &Packet) {
        let lane = &mut self.lanes[index as usize];
        if !lane.is_ready(&self.pool) {
            return self.enter_apart(arrives, index, packet);
        }
        let arrives = lane.arrival(arrives);
        let order = self.schedule.next_order(arrives);
        if let Some(arrives) = lane.append(&mut self.pool, arrives, order, packet) {
            self.schedule.set(lane.source, arrives, order);
        }
    }

    /// The same where packets overtake one another or are traced, or the pool has to grow.
    #[cold]
    #[inline(never)]
    fn enter_apart(&mut self, arrives: Time, index: u32, packet: &Packet) {
        let lane = &mut self.lanes[index as usize];
        let arrives = lane.arrival(arrives);
        let order = self.schedule.next_order(arrives);
        if self.trace.is_some() {
            self.traced[index as usize].push_back(((arrives, order), self.number));
        }
        if let Some(arrives) = lane.push(&mut self.pool, arrives, order, packet) {
            self.schedule.set(lane.source, arrives, order);
        }
    }
}

#[cfg(test)]
mod tests;
