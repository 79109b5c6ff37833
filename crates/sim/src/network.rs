//! The network: links, and the fixed paths that packets take over them.
//!
//! A path is a list of steps. Crossing a link that only one path uses, and whose queue has no limit, is arithmetic:
//! the arrival at the next step follows at once. Before any other link a packet waits in its own lane until its
//! time has come, so that packets of different flows enter a shared link in the order of their arrival, and a queue
//! that is watched never knows the future.
//!
//! The same holds at the end of a path whose endpoint depends on nothing but the packets that reach it: it may be
//! handed them as soon as their arrival is known, with the time at which they arrive.

mod building;
mod serving;

use crate::lane::{Lane, Pool, Travelling};
use crate::link::{Fate, Link};
use crate::measure::Interval;
use crate::medium::{Medium, MediumParts, Station, Turn};
use crate::packet::{Extensions, Packet};
use crate::random::Stream;
use crate::schedule::{Order, Schedule, SourceId};
use crate::trace::{Event, Trace};
use crate::waiting_room::Guest;
use ackclock_aqm::{Arrival, Ecn};
use ackclock_base::Time;
use std::collections::VecDeque;

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Go over a plain link that no other path uses: arithmetic.
    Cross(u32),
    /// Go over a link that decides about packets as they arrive, or is shared.
    Offer(u32),
    /// Join the queue of a link that decides at departure.
    Join(u32),
    /// Wait in a lane until the packet has arrived here.
    Wait(u32),
    /// The endpoint.
    Arrive(Destination),
}

/// Where a path leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Destination {
    /// Which flow.
    pub flow: u32,
    /// Which end of it, 0 or 1.
    pub end: u8,
    /// Which of the paths to that end it is.
    pub path: u8,
}

/// A path to be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPlan {
    /// The links, in order, as indices.
    pub links: Vec<u32>,
    /// Where it leads to.
    pub to: Destination,
    /// Whether packets may be launched with a time that lies in the future.
    pub leaves_later: bool,
    /// Whether the endpoint may be handed packets before the time of their arrival has come.
    pub arrives_early: bool,
}

/// A packet that reaches the end of its path.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// When; later than now where the path's endpoint takes packets early.
    pub at: Time,
    /// Where.
    pub to: Destination,
    /// The packet.
    pub packet: Packet,
}

/// What became of a path's packets on the way, over the measured interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathCounts {
    /// Dropped in a queue.
    pub dropped: u64,
    /// Corrupted on a link.
    pub corrupted: u64,
}

/// A medium in a running simulation.
struct Shared {
    medium: Box<dyn Medium>,
    links: Vec<u32>,
    random: Stream,
    /// Its stations as it was shown them last.
    stations: Vec<Station>,
}

/// More packets than this under way mean a window without limit over a queue without limit, not an experiment.
/// Where addresses have 32 bits the memory ends earlier.
pub const MAX_PACKETS: usize = if cfg!(target_pointer_width = "32") { 1 << 21 } else { 1 << 24 };

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
    pool: Pool,
    /// The numbers of the packets in each lane with their order, for the trace only.
    traced: Vec<VecDeque<(Order, u64)>>,
    steps: Vec<Step>,
    starts: Vec<u32>,
    counts: Vec<PathCounts>,
    measured: Interval,
    travelling: usize,
    /// The schedule's source of each link whose discipline decides at departure; the stations of a medium have one together.
    services: Vec<Option<SourceId>>,
    media: Vec<Shared>,
    /// The medium of each link that has one, as an index.
    medium_of: Vec<Option<u32>>,
    /// Emptied after each use; kept so that drops at departure allocate nothing.
    refused: Vec<Guest>,
    /// Whether a queue has dropped a packet on its arrival since the last was launched.
    dropped_at_arrival: bool,
}

impl Network {
    /// A network of links, with the paths over them in the order of their numbers.
    pub fn new(
        links: Vec<Link>,
        media: Vec<MediumParts>,
        seed: u64,
        paths: &[PathPlan],
        measured: Interval,
        trace: Option<Trace>,
    ) -> Self {
        let mut network = Self {
            links,
            schedule: Schedule::default(),
            trace,
            extensions: Extensions::default(),
            lanes: Vec::new(),
            pool: Pool::default(),
            traced: Vec::new(),
            steps: Vec::new(),
            starts: Vec::new(),
            counts: vec![PathCounts::default(); paths.len()],
            measured,
            travelling: 0,
            services: Vec::new(),
            media: Vec::new(),
            medium_of: Vec::new(),
            refused: Vec::new(),
            dropped_at_arrival: false,
        };
        network.add_media(media, seed);
        for path in paths {
            network.add_path(path);
        }
        network.add_services();
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

    /// What became of a path's packets.
    pub fn path_counts(&self, path: u32) -> PathCounts {
        self.counts[path as usize]
    }

    /// How many packets are under way.
    pub fn travelling(&self) -> usize {
        self.travelling
    }

    /// An endpoint sends a packet.
    #[inline]
    pub fn launch(&mut self, now: Time, path: u32, packet: Packet) {
        self.dropped_at_arrival = false;
        let number = match &mut self.trace {
            Some(trace) => {
                let number = trace.next_packet();
                trace.push(now, path, number, packet.bytes, Event::Launched);
                number
            }
            None => 0,
        };
        let step = self.starts[path as usize];
        let delivery = self.advance(now, path, step, packet, number);
        debug_assert!(delivery.is_none(), "every path waits at least once");
    }

    /// Whether the queue of its path's first link dropped the packet that was just launched. A packet waits in a lane before
    /// any later queue, so none of those can have. Not known of a path whose packets leave later than they are launched,
    /// nor of a discipline that decides at departure.
    pub fn refused_launch(&self) -> bool {
        self.dropped_at_arrival
    }

    /// Reads what the arrival of a lane's head will need, so that it is in the cache then; where it will go, if to an endpoint.
    /// The number means nothing.
    pub fn look_ahead(&self, lane: usize) -> (u64, Option<Destination>) {
        let lane = &self.lanes[lane];
        let arrives = lane.head(&self.pool).map_or(0, |(time, _)| time.nanos());
        match self.steps[lane.next_step as usize] {
            Step::Cross(link) | Step::Offer(link) | Step::Join(link) => {
                (arrives ^ self.links[link as usize].free_at().nanos(), None)
            }
            Step::Arrive(to) => (arrives, Some(to)),
            Step::Wait(_) => (arrives, None),
        }
    }

    /// The head of a lane has arrived: takes it over the links that follow, and returns it if it reaches the end of
    /// its path.
    #[inline]
    pub fn arrive(&mut self, lane_index: usize) -> Option<Delivery> {
        let lane = &mut self.lanes[lane_index];
        let Travelling { arrives, order, packet } = lane.pop(&mut self.pool)?;
        self.travelling -= 1;
        match lane.head(&self.pool) {
            Some((arrives, order)) => self.schedule.set(lane.source, arrives, order),
            None => self.schedule.clear(lane.source),
        }
        let number = if self.trace.is_some() { take_number(&mut self.traced[lane_index], order) } else { 0 };
        let (path, step) = (lane.path, lane.next_step);
        if let Step::Arrive(to) = self.steps[step as usize]
            && self.trace.is_none()
        {
            return Some(Delivery { at: arrives, to, packet });
        }
        self.advance(arrives, path, step, packet, number)
    }

    #[inline]
    fn advance(
        &mut self,
        mut now: Time,
        path: u32,
        mut step: u32,
        mut packet: Packet,
        number: u64,
    ) -> Option<Delivery> {
        loop {
            match self.steps[step as usize] {
                Step::Cross(link) if self.trace.is_none() => {
                    now = self.links[link as usize].cross(now, packet.bytes);
                }
                Step::Cross(link) | Step::Offer(link) => {
                    now = self.offer(now, path, link, &mut packet, number)?;
                }
                Step::Wait(lane) => {
                    self.enter(lane as usize, now, packet, number);
                    return None;
                }
                Step::Join(link) => {
                    self.join(link, Guest { packet, path, since: now, step, number });
                    return None;
                }
                Step::Arrive(to) => {
                    if let Some(trace) = &mut self.trace {
                        trace.push(now, path, number, packet.bytes, Event::Delivered);
                    }
                    return Some(Delivery { at: now, to, packet });
                }
            }
            step += 1;
        }
    }

    /// Offers a packet to a link that decides at arrival; returns when it is at the other end.
    #[inline]
    fn offer(&mut self, now: Time, path: u32, link: u32, packet: &mut Packet, number: u64) -> Option<Time> {
        let arrival = Arrival { now, bytes: packet.bytes, flow: path, ecn: packet.ecn };
        let fate = self.links[link as usize].offer(&arrival);
        if let Some(trace) = &mut self.trace {
            trace_fate(trace, now, path, number, packet.bytes, link, fate);
        }
        match fate {
            Fate::Arrives { at, marked, .. } => {
                if marked {
                    packet.ecn = Ecn::Experienced;
                }
                Some(at)
            }
            Fate::Dropped => {
                self.counts[path as usize].dropped += u64::from(self.measured.contains(now));
                self.dropped_at_arrival = true;
                self.extensions.forget(packet);
                None
            }
            Fate::Lost { sent, .. } => {
                self.counts[path as usize].corrupted += u64::from(self.measured.contains(sent));
                self.extensions.forget(packet);
                None
            }
        }
    }

    #[inline]
    fn enter(&mut self, lane: usize, arrives: Time, packet: Packet, number: u64) {
        let order = self.schedule.next_order();
        self.travelling += 1;
        if self.trace.is_some() {
            self.traced[lane].push_back((order, number));
        }
        let lane = &mut self.lanes[lane];
        if let Some(arrives) = lane.push(&mut self.pool, &Travelling { arrives, order, packet }) {
            self.schedule.set(lane.source, arrives, order);
        }
    }
}

/// The number of the packet of this order, which is the first unless it has overtaken others.
fn take_number(traced: &mut VecDeque<(Order, u64)>, order: Order) -> u64 {
    let place = traced.iter().position(|(other, _)| *other == order);
    place.and_then(|place| traced.remove(place)).map_or(0, |(_, number)| number)
}

impl Shared {
    /// Who sends next, and when; `None` while nobody has anything.
    fn due(&mut self, now: Time, links: &[Link]) -> Option<Turn> {
        let Self { medium, links: stations_links, random, stations } = self;
        for (station, link) in stations.iter_mut().zip(&*stations_links) {
            *station = links[*link as usize].station();
        }
        let ready =
            stations.iter().filter(|station| station.packets > 0).map(|station| station.ready).min()?;
        let free_at = links[stations_links[0] as usize].free_at().max(ready);
        if free_at > now {
            return Some(Turn { station: 0, starts: free_at });
        }
        let turn = medium.next(now, stations, random);
        assert!(
            stations[turn.station].packets > 0,
            "a medium gives the turn to a station with nothing to send"
        );
        Some(turn)
    }
}

fn trace_fate(trace: &mut Trace, now: Time, path: u32, number: u64, bytes: u32, link: u32, fate: Fate) {
    trace.push(now, path, number, bytes, Event::Offered { link });
    if fate == Fate::Dropped {
        trace.push(now, path, number, bytes, Event::Dropped { link });
    }
    trace_transmission(trace, path, number, bytes, link, fate);
}

fn trace_transmission(trace: &mut Trace, path: u32, number: u64, bytes: u32, link: u32, fate: Fate) {
    let mut note = |time, event| trace.push(time, path, number, bytes, event);
    match fate {
        Fate::Dropped => {}
        Fate::Lost { starts, sent } => {
            note(starts, Event::Started { link });
            note(sent, Event::Sent { link });
            note(sent, Event::Lost { link });
        }
        Fate::Arrives { starts, sent, at, .. } => {
            note(starts, Event::Started { link });
            note(sent, Event::Sent { link });
            note(at, Event::Arrived { link });
        }
    }
}

#[cfg(test)]
mod tests;
