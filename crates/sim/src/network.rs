//! The network: links, and the fixed paths of packets over them.
//!
//! A path is a list of steps. Crossing a link that only one path uses, and whose queue has no limit, is
//! arithmetic: the arrival at the next step is computed at once. Before a link whose queue is observed, since
//! several paths share it or it has a discipline, a packet waits in a lane of its path until its time has
//! come, so that packets of different flows enter a shared link in the order of their arrival, and a queue
//! that is observed never contains packets of the future.
//!
//! Each path ends with a lane, in which a packet waits until it arrives at its endpoint. A packet may pass by
//! the lane, and reach the endpoint as soon as its arrival time is known, if nothing else can reach the
//! endpoint before: `simulation/early.rs` decides.

mod agents;
mod altering;
mod building;
mod counting;
mod early;
mod launching;
mod path;
mod serving;
mod tracing;
mod turns;

use crate::agent::{AgentParts, Direction};
use crate::lane::{Lane, Pool};
use crate::link::{Fate, Link};
use crate::measure::Interval;
use crate::medium::{AccessRules, Medium, MediumParts, Station};
use crate::packet::{Extensions, Packet};
use crate::random::Stream;
use crate::schedule::{Order, Schedule, SourceId};
use crate::trace::Trace;
use crate::waiting_room::QueuedPacket;
use ackclock_aqm::{Arrival, Ecn};
use ackclock_base::Time;
use agents::{Outgoing, Placed};
use altering::Altered;
pub(crate) use building::{plans, put_on_paths, shared_links};
pub use counting::MAX_PACKETS;
pub use path::{Destination, PathCounts, PathPlan};
use std::collections::VecDeque;
use tracing::take_number;
use turns::{Part, StationState};

/// A step of a path. Crossing a plain link that no other path uses is arithmetic, done before whatever
/// follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    /// The link that is crossed first, or [`NO_LINK`].
    crosses: u32,
    then: Then,
}

const NO_LINK: u32 = u32::MAX;
/// The lane of a wait that has none yet.
const NO_LANE: u32 = u32::MAX;

/// What a step leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// Wait in this lane until the arrival.
    Wait(u32),
    /// Reach the endpoint, early if that is exact; otherwise wait in this lane before it.
    HandOver(u32),
    /// Cross a link that decides at arrival: one whose queue is observed, or that has impairments or a changing
    /// rate, or any link in a run that is traced.
    Offer(u32),
    /// Join the queue of a link whose discipline decides at departure, or of a station of a medium.
    Join(u32),
    /// Show the packet to this agent; it goes in this direction.
    Meet(u32, Direction),
    /// Reach the endpoint.
    Arrive,
    /// Continue with the next step.
    GoOn,
}

/// The outcome of moving a packet along its path, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Outcome {
    /// The packet waits in a lane or in a queue.
    Waits,
    /// A queue dropped the packet on arrival.
    Dropped,
    /// The packet was corrupted, or an agent removed it.
    Ended,
    /// The packet arrives at its endpoint now.
    Arrives,
    /// The packet has passed the last link and arrives at its endpoint at `at`. It may be delivered early;
    /// otherwise it waits in `lane`.
    Ends {
        /// The time of arrival, which may lie in the future.
        at: Time,
        /// The lane at the end of the path.
        lane: u32,
    },
}

/// A medium in a running simulation.
struct Shared {
    medium: Box<dyn Medium>,
    links: Vec<u32>,
    random: Stream,
    /// The stations as they were last shown to the medium.
    stations: Vec<Station>,
    /// The medium's rules for a turn, and the packets that each station has taken out of its queue (empty if
    /// turns are [plain](AccessRules::is_plain)).
    access: AccessRules,
    states: Vec<StationState>,
}

/// The network of a running simulation.
pub struct Network {
    /// The links.
    pub links: Vec<Link>,
    /// The pending events.
    pub schedule: Schedule,
    /// The trace, if a trace or captures are requested or a link is watched.
    pub trace: Option<Trace>,
    /// The parts of packets' headers that do not fit into the packets.
    pub(crate) extensions: Extensions,
    lanes: Vec<Lane>,
    /// Whether packets overtake one another in some lane, which stores its packets itself.
    reorders: bool,
    pool: Pool,
    /// The number of each packet in each lane, with its arrival and departure; kept for the trace only.
    traced: Vec<VecDeque<((Time, Time), u64)>>,
    steps: Vec<Step>,
    starts: Vec<u32>,
    destinations: Vec<Destination>,
    counts: Vec<PathCounts>,
    measured: Interval,
    /// The number of packets that wait for service, at links whose discipline decides at departure and at the
    /// stations of media.
    waiting: usize,
    /// The schedule's source of each link whose discipline decides at departure. The stations of a medium
    /// share one source.
    services: Vec<Option<SourceId>>,
    media: Vec<Shared>,
    /// The index of each link's medium, if it has one.
    medium_of: Vec<Option<u32>>,
    /// The packets that the queue of a served link has just dropped. Emptied after each use, and kept to
    /// avoid allocations.
    refused: Vec<QueuedPacket>,
    /// The stations' parts in a turn of a medium. Emptied after each turn.
    parts: Vec<Part>,
    agents: Vec<Placed>,
    /// The packets that an agent sends. Emptied after each use.
    outgoing: Outgoing,
    /// The number in the trace of the packet that is being moved.
    number: u64,
}

impl Network {
    /// Creates a network of links, with the paths over them in the order of their numbers. The paths refer to
    /// agents at nodes by index.
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
            schedule: Schedule::new(seed),
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
            waiting: 0,
            services: Vec::new(),
            media: Vec::new(),
            medium_of: Vec::new(),
            refused: Vec::new(),
            parts: Vec::new(),
            agents: Vec::new(),
            outgoing: Outgoing::default(),
            number: 0,
        };
        network.add_media(media, seed);
        agents.into_iter().for_each(|agent| network.add_agent(agent));
        network.tell_labels(paths);
        network.add_paths(paths);
        network.add_services();
        network.add_agent_sources();
        network
    }

    /// Returns the number of lanes. In a network that has just been created, their sources come first in the
    /// schedule, in order.
    pub fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// Returns the links by which the schedule serves waiting packets: each link without a medium whose
    /// discipline decides at departure, and the first link of each medium. They are in the order of their
    /// sources in the schedule, which follow those of the lanes.
    pub fn services(&self) -> impl Iterator<Item = u32> {
        let served = (0..self.links.len()).filter(|link| self.services[*link].is_some());
        let first = |link: &usize| !self.services[..*link].contains(&self.services[*link]);
        served.filter(move |link| self.medium_of[*link].is_none() || first(link)).map(|link| link as u32)
    }

    /// Returns where a path leads to.
    #[inline]
    pub fn destination(&self, path: u32) -> Destination {
        self.destinations[path as usize]
    }

    /// Takes the head of a lane, whose time has come, over the links that follow, and writes it to `head`.
    /// Returns the outcome and the path.
    #[inline]
    pub(crate) fn arrive(&mut self, lane_index: usize, head: &mut Packet) -> (Outcome, u32) {
        let lane = &mut self.lanes[lane_index];
        let ((arrives, departed), next) = lane.pop(&mut self.pool, head);
        if let Some((arrives, departed)) = next
            && !lane.in_turn
        {
            self.schedule.set(lane.source, arrives, Order::arrival(departed));
        }
        let (path, step) = (lane.path, lane.next_step);
        if self.trace.is_some() {
            self.number = take_number(&mut self.traced[lane_index], (arrives, departed));
        }
        let outcome = match self.steps[step as usize] {
            Step { crosses: NO_LINK, then: Then::Arrive } => Outcome::Arrives,
            Step { crosses: NO_LINK, then: Then::Offer(link) } => {
                self.offer([arrives, departed], path, link, step, head)
            }
            _ => self.advance([arrives, departed], path, step, head),
        };
        (outcome, path)
    }

    /// Takes a packet over the links from a step of its path on, until it has to wait or reaches the end. The
    /// packet is at the step at `now`; `departed` is when its host, or the last link with a queue, sent it.
    #[inline(always)] // for each packet, twice
    fn advance(
        &mut self,
        [mut now, departed]: [Time; 2],
        path: u32,
        step: u32,
        packet: &mut Packet,
    ) -> Outcome {
        let Step { crosses, then } = self.steps[step as usize];
        if let Some(link) = self.links.get_mut(crosses as usize) {
            now = link.cross(now, packet.bytes);
        }
        match then {
            Then::Wait(lane) => self.enter([now, departed], lane, packet),
            Then::HandOver(lane) => self.reach_end(now, lane),
            _ => self.go_further([now, departed], path, step, packet),
        }
    }

    /// Continues with what follows the link that the step crosses, for the cases that `advance` leaves out.
    #[inline(never)]
    fn go_further(&mut self, times: [Time; 2], path: u32, step: u32, packet: &mut Packet) -> Outcome {
        let [now, _] = times;
        match self.steps[step as usize].then {
            Then::Wait(lane) => self.enter(times, lane, packet),
            Then::HandOver(lane) => self.reach_end(now, lane),
            Then::Offer(link) => self.offer(times, path, link, step, packet),
            Then::Join(link) => self.join(now, path, link, step, packet),
            Then::Meet(agent, direction) => self.meet(times, agent, direction, path, step, packet),
            Then::Arrive => Outcome::Arrives,
            Then::GoOn => self.advance(times, path, step + 1, packet),
        }
    }

    /// Offers a packet to a link that decides at arrival, and continues with it according to its fate.
    #[inline(never)]
    fn offer(
        &mut self,
        [now, departed]: [Time; 2],
        path: u32,
        link: u32,
        step: u32,
        packet: &mut Packet,
    ) -> Outcome {
        let arrival = Arrival { now, bytes: packet.bytes, flow: path, ecn: packet.ecn };
        let crossed = &mut self.links[link as usize];
        let fate = crossed.offer(&arrival);
        // A link without a queue is no departure, whether the packet is traced or not.
        let is_departure = crossed.is_watched();
        if self.trace.is_some() {
            self.trace_fate(now, path, packet.bytes, link, fate);
        }
        let departs = |sent| if is_departure { sent } else { departed };
        match fate {
            Fate::Arrives { sent, at, marked, .. } => {
                if marked {
                    packet.ecn = Ecn::Experienced;
                }
                self.advance([at, departs(sent)], path, step + 1, packet)
            }
            Fate::Altered { sent, at, alteration, .. } => {
                self.pass_altered([at, departs(sent)], path, step, packet, Altered { link, alteration })
            }
            Fate::Dropped => {
                self.count_dropped(path, now, packet);
                Outcome::Dropped
            }
            Fate::Corrupted { sent, .. } => {
                self.count_corrupted(path, sent, packet);
                Outcome::Ended
            }
        }
    }

    /// Puts a packet into a lane until it arrives.
    #[inline(always)]
    fn enter(&mut self, [alone, departed]: [Time; 2], index: u32, packet: &Packet) -> Outcome {
        let lane = &mut self.lanes[index as usize];
        let arrives = lane.arrival(alone);
        if let Some(arrives) = lane.push(&mut self.pool, arrives, departed, packet) {
            self.schedule.set(lane.source, arrives, Order::arrival(departed));
        }
        if self.trace.is_some() {
            self.note_number(index, (arrives, departed));
        }
        Outcome::Waits
    }

    /// Reserves the arrival of a packet at the end of its path, where it may be delivered early.
    #[inline(always)]
    fn reach_end(&mut self, alone: Time, lane: u32) -> Outcome {
        Outcome::Ends { at: self.lanes[lane as usize].reserve(alone), lane }
    }
}

#[cfg(test)]
mod tests;
