//! The network: links, and the fixed paths that packets take over them.
//!
//! A path is a list of steps. Crossing a link that only one path uses, and whose queue has no limit, is arithmetic:
//! the arrival at the next step follows at once. Before any other link a packet waits in its own lane until its
//! time has come, so that packets of different flows enter a shared link in the order of their arrival, and a queue
//! that is watched never knows the future.
//!
//! The same holds at the end of a path whose endpoint depends on nothing but the packets that reach it: it may be
//! handed them as soon as their arrival is known, with the time at which they arrive.

use crate::lane::{Lane, Travelling};
use crate::link::{Fate, Link};
use crate::measure::Interval;
use crate::packet::{Flags, Packet};
use crate::schedule::Schedule;
use crate::trace::{Event, Trace};
use ackclock_base::Time;

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Go over a link.
    Cross(u32),
    /// Wait in a lane until the packet has arrived here.
    Wait(u32),
    /// The endpoint.
    Arrive,
}

/// A path to be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPlan {
    /// The links, in order, as indices.
    pub links: Vec<u32>,
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
    /// Which path.
    pub path: u32,
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

/// More packets than this under way mean a window without limit over a queue without limit, not an experiment.
pub const MOST_PACKETS: usize = 1 << 24;

/// The network of a running simulation.
pub struct Network {
    /// The links.
    pub links: Vec<Link>,
    /// What happens next.
    pub schedule: Schedule,
    /// The trace, when one is asked for.
    pub trace: Option<Trace>,
    lanes: Vec<Lane>,
    /// The numbers of the packets in each lane, for the trace only.
    traced: Vec<std::collections::VecDeque<u64>>,
    steps: Vec<Step>,
    starts: Vec<u32>,
    counts: Vec<PathCounts>,
    measured: Interval,
    travelling: usize,
}

impl Network {
    /// A network of links, with the paths over them in the order of their numbers.
    pub fn new(links: Vec<Link>, paths: &[PathPlan], measured: Interval, traced: bool) -> Self {
        let mut network = Self {
            links,
            schedule: Schedule::default(),
            trace: traced.then(Trace::default),
            lanes: Vec::new(),
            traced: Vec::new(),
            steps: Vec::new(),
            starts: Vec::new(),
            counts: vec![PathCounts::default(); paths.len()],
            measured,
            travelling: 0,
        };
        for path in paths {
            network.add_path(path);
        }
        network
    }

    fn add_path(&mut self, plan: &PathPlan) {
        let path = self.starts.len() as u32;
        self.starts.push(self.steps.len() as u32);
        let mut now_is_real = !plan.leaves_later;
        for link in &plan.links {
            if self.links[*link as usize].is_watched() && !now_is_real {
                self.add_wait(path);
            }
            self.steps.push(Step::Cross(*link));
            now_is_real = false;
        }
        // A packet that has not waited anywhere is still in the hands of its sender.
        let has_waited = self.lanes.last().is_some_and(|lane| lane.path == path);
        if !(plan.arrives_early && has_waited) {
            self.add_wait(path);
        }
        self.steps.push(Step::Arrive);
    }

    fn add_wait(&mut self, path: u32) {
        let source = self.schedule.add_source();
        self.steps.push(Step::Wait(self.lanes.len() as u32));
        self.lanes.push(Lane::new(path, self.steps.len() as u32, source));
        self.traced.push(std::collections::VecDeque::new());
    }

    /// How many lanes there are; their schedule sources are the first, in order.
    pub fn lanes(&self) -> usize {
        self.lanes.len()
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

    /// The head of a lane has arrived: takes it over the links that follow, and returns it if it reaches the end of
    /// its path.
    #[inline]
    pub fn arrive(&mut self, lane_index: usize) -> Option<Delivery> {
        let lane = &mut self.lanes[lane_index];
        let travelling = lane.pop()?;
        self.travelling -= 1;
        match lane.head() {
            Some(next) => self.schedule.set(lane.source, next.arrives, next.order),
            None => self.schedule.clear(lane.source),
        }
        let number =
            if self.trace.is_some() { self.traced[lane_index].pop_front().unwrap_or_default() } else { 0 };
        let Travelling { arrives, packet, .. } = travelling;
        let (path, step) = (lane.path, lane.next_step);
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
                Step::Cross(link) => {
                    let fate = self.links[link as usize].offer(
                        now,
                        packet.bytes,
                        packet.flags.has(Flags::ECN_CAPABLE),
                    );
                    if let Some(trace) = &mut self.trace {
                        trace_fate(trace, now, path, number, packet.bytes, link, fate);
                    }
                    match fate {
                        Fate::Arrives { at, marked, .. } => {
                            now = at;
                            if marked {
                                packet.flags = packet.flags.with(Flags::CONGESTION_EXPERIENCED);
                            }
                        }
                        Fate::Dropped => {
                            self.counts[path as usize].dropped += u64::from(self.measured.contains(now));
                            return None;
                        }
                        Fate::Lost { sent, .. } => {
                            self.counts[path as usize].corrupted += u64::from(self.measured.contains(sent));
                            return None;
                        }
                    }
                    step += 1;
                }
                Step::Wait(lane) => {
                    self.enter(lane as usize, now, packet, number);
                    return None;
                }
                Step::Arrive => {
                    if let Some(trace) = &mut self.trace {
                        trace.push(now, path, number, packet.bytes, Event::Delivered);
                    }
                    return Some(Delivery { at: now, path, packet });
                }
            }
        }
    }

    #[inline]
    fn enter(&mut self, lane: usize, arrives: Time, packet: Packet, number: u64) {
        let order = self.schedule.next_order();
        self.travelling += 1;
        if self.trace.is_some() {
            self.traced[lane].push_back(number);
        }
        let lane = &mut self.lanes[lane];
        if lane.push(Travelling { arrives, order, packet }) {
            self.schedule.set(lane.source, arrives, order);
        }
    }
}

fn trace_fate(trace: &mut Trace, now: Time, path: u32, number: u64, bytes: u32, link: u32, fate: Fate) {
    let mut note = |time, event| trace.push(time, path, number, bytes, event);
    note(now, Event::Offered { link });
    match fate {
        Fate::Dropped => note(now, Event::Dropped { link }),
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
