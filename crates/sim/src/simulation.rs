//! A run: flows over a network, from time zero to the end.

use crate::agent::AgentParts;
use crate::capture::{Capture, Place};
use crate::flow::{Flow, FlowParts, Task};
use crate::link::{Link, LinkParts};
use crate::measure::Interval;
use crate::medium::MediumParts;
use crate::network::{Destination, MAX_PACKETS, Network, plans, put_on_paths, shared_links};
use crate::packet::Packet;
use crate::schedule::{Order, SourceId};
use crate::series::{Sampler, Series};
use crate::session::{Running, SessionParts};
use crate::trace::Trace;
use crate::watch::{Watch, WatchPlan};
use ackclock_base::{Span, Time};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering as Atomic};

mod early;

/// The parts from which a run is built.
pub struct Parts {
    /// The links. Flows refer to them by index.
    pub links: Vec<LinkParts>,
    /// The media that some of the links share.
    pub media: Vec<MediumParts>,
    /// The flows.
    pub flows: Vec<FlowParts>,
    /// The agents at nodes, each of which reads the packets of one flow.
    pub agents: Vec<AgentParts>,
    /// The sessions, to which some of the flows belong as connections.
    pub sessions: Vec<SessionParts>,
    /// The measured interval: from the end of the warm-up to the end of the run.
    pub measured: Interval,
    /// The seed of all random streams.
    pub seed: u64,
    /// The interval between samples of windows, round trips and queues; `None` to keep no series.
    pub sample_every: Option<Span>,
    /// Whether the flows are sampled as well as the links.
    pub samples_flows: bool,
    /// Whether a packet trace is kept.
    pub traced: bool,
    /// The observation of a link packet by packet; `None` for none, which costs nothing.
    pub watch: Option<WatchPlan>,
    /// The places at which packets are captured with their headers. An empty list costs nothing.
    pub capture: Vec<Place>,
}

/// The reason why a run could not be finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// More than [`MAX_PACKETS`] packets are under way.
    TooManyPackets {
        /// The time at which they were counted.
        at: Time,
    },
    /// Something acts again and again at one instant, so that no time passes.
    StandsStill {
        /// That instant.
        at: Time,
    },
    /// The caller cancelled the run.
    Cancelled,
}

impl fmt::Display for RunError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyPackets { at } => write!(
                formatter,
                "more than {MAX_PACKETS} packets were in the network at {at}, usually because a flow fills a queue without \
                 a limit; give the queue a `limit` or the flow's transport a smaller `window`"
            ),
            Self::StandsStill { at } => write!(
                formatter,
                "simulated time stood still for {EVENTS_OF_AN_INSTANT} events at {at}: a timer of a congestion control \
                 or a stack expires again as soon as it has been handled"
            ),
            Self::Cancelled => formatter.write_str("the run was cancelled"),
        }
    }
}

impl std::error::Error for RunError {}

/// A run in progress.
pub struct Simulation {
    /// The flows.
    pub flows: Vec<Flow>,
    /// The sessions, to which some of the flows belong.
    pub sessions: Vec<Running>,
    /// The network that the flows use.
    pub network: Network,
    measured: Interval,
    /// The number of lanes whose sources come first in the schedule, in order.
    lanes: usize,
    /// The sources of the schedule after those, in order.
    sources: Vec<Source>,
    sampler: Option<Sampler>,
    /// The time of the next sample; [`Time::NEVER`] if none is taken.
    next_sample: Time,
    events: u64,
    /// The time of the last check, and the number of events up to the first check at that time.
    checked: (Time, u64),
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Link(u32),
    /// A lane at the end of a path whose endpoint only answers.
    Lane(u32),
    /// The timer of an agent at a node.
    Agent(u32),
    /// The timer of an end of a flow.
    Timer(u32, u8),
    /// The beginning of a session.
    Session(u32),
    Sample,
    WarmedUp,
}

/// The number of events between two checks for cancellation, for too many packets and for time that passes.
const EVENTS_BETWEEN_CHECKS: u64 = 1 << 16;

/// The number of events at one instant after which a run counts as standing still: four for each of the most packets that may be
/// under way. It takes seconds to serve them.
const EVENTS_OF_AN_INSTANT: u64 = 4 * MAX_PACKETS as u64;

impl Simulation {
    /// Builds the network and the flows.
    pub fn new(parts: Parts) -> Self {
        let (mut paths, mut firsts) = (Vec::new(), Vec::new());
        for (index, flow) in parts.flows.iter().enumerate() {
            firsts.push(paths.len() as u32);
            paths.extend(plans(index as u32, flow));
        }
        put_on_paths(&parts.agents, &firsts, &mut paths);
        let shared = shared_links(parts.links.len(), &paths, &parts.media);
        let links = parts.links.into_iter().zip(&shared);
        let links = links.map(|(link, shared)| Link::new(link, *shared, parts.measured)).collect();
        let watch = parts.watch.map(|plan| Watch::new(plan, parts.measured));
        let capture = (!parts.capture.is_empty()).then(|| Capture::new(parts.capture));
        let network = Network::new(
            links,
            parts.media,
            parts.seed,
            &paths,
            parts.agents,
            parts.measured,
            Trace::new(parts.traced, watch, capture),
        );
        let sessions = parts.sessions.into_iter();
        let flows = parts.flows.into_iter().zip(firsts);
        let flows = flows.map(|(flow, first)| Flow::new(flow, first, parts.seed, parts.measured));
        let flows: Vec<Flow> = flows.collect();
        let services = network.services().map(Source::Link);
        let agents = (0..network.agents() as u32).map(Source::Agent);
        let mut simulation = Self {
            lanes: network.lanes(),
            sources: services.chain(agents).collect(),
            network,
            flows,
            sessions: sessions.map(|session| Running::new(session, parts.measured)).collect(),
            measured: parts.measured,
            sampler: None,
            next_sample: Time::NEVER,
            events: 0,
            checked: (Time::ZERO, 0),
        };
        simulation.add_timers();
        simulation.add_sessions();
        simulation.add_last_lanes();
        if let Some(every) = parts.sample_every {
            simulation.add_sampler(every, parts.samples_flows);
        }
        if parts.measured.from > Time::ZERO {
            let source = simulation.add_source(Source::WarmedUp);
            simulation.set(source, parts.measured.from, Order::MEASURING);
        }
        simulation
    }

    /// Runs to the end of the run, or until `cancelled` is set. A cancelled run can be continued.
    pub fn run(&mut self, cancelled: &AtomicBool) -> Result<(), RunError> {
        self.run_until(self.measured.to, cancelled)
    }

    /// Runs all events before `until`, or to the end of the run if that is earlier, or until `cancelled` is
    /// set. Unless it is cancelled, [`Self::now`] then is `until` or the end of the run. The run can be
    /// continued.
    pub fn run_until(&mut self, until: Time, cancelled: &AtomicBool) -> Result<(), RunError> {
        let until = until.min(self.measured.to);
        while let Some((now, source)) = self.next_before(until, cancelled)? {
            self.serve(now, source, until);
        }
        self.network.schedule.wait_until(until);
        Ok(())
    }

    /// Runs the next event. Returns whether there was one before the end of the run.
    pub fn step(&mut self) -> Result<bool, RunError> {
        match self.next_before(self.measured.to, &AtomicBool::new(false))? {
            Some((now, source)) => {
                self.serve(now, source, now);
                Ok(true)
            }
            None => {
                self.network.schedule.wait_until(self.measured.to);
                Ok(false)
            }
        }
    }

    /// Returns the time up to which the run has advanced: that of the last event, or the end of the last
    /// [`Self::run_until`] if that is later.
    pub fn now(&self) -> Time {
        self.network.schedule.now()
    }

    /// Takes the next event if it is before `until`, otherwise returns `None`. From time to time it checks
    /// for cancellation, for too many packets and for time that passes, which are the errors.
    #[inline]
    fn next_before(
        &mut self,
        until: Time,
        cancelled: &AtomicBool,
    ) -> Result<Option<(Time, SourceId)>, RunError> {
        if self.events.is_multiple_of(EVENTS_BETWEEN_CHECKS) {
            self.check(cancelled)?;
        }
        let next = self.network.schedule.next_before(until);
        self.events += u64::from(next.is_some());
        Ok(next)
    }

    /// Returns an error if the run has to stop.
    #[cold]
    fn check(&mut self, cancelled: &AtomicBool) -> Result<(), RunError> {
        if cancelled.load(Atomic::Relaxed) {
            return Err(RunError::Cancelled);
        }
        if self.network.is_overfull() {
            return Err(RunError::TooManyPackets { at: self.now() });
        }
        let now = self.now();
        if now > self.checked.0 {
            self.checked = (now, self.events);
        } else if self.events - self.checked.1 >= EVENTS_OF_AN_INSTANT {
            return Err(RunError::StandsStill { at: now });
        }
        Ok(())
    }

    /// Runs until every connection that begins by `most` has once [avoided
    /// congestion](crate::endpoint::Endpoint::avoids_congestion), and returns that time, or `most` if one has
    /// not by then; zero if there is no connection to wait for. Connections counted together as one flow, and
    /// those of sessions, come and go and are not waited for. Connections into which an application writes
    /// are not waited for either, because they may never fill their window.
    pub fn reach_congestion_avoidance(
        &mut self,
        most: Time,
        cancelled: &AtomicBool,
    ) -> Result<Time, RunError> {
        let lasting = |flow: &Flow| {
            flow.sender().avoids_congestion().is_some()
                && !flow.one_of_many
                && flow.session.is_none()
                && !flow.is_writing()
        };
        let flows = self.flows.iter().enumerate();
        let mut waited_for: Vec<usize> =
            flows.filter(|(_, flow)| lasting(flow) && flow.start <= most).map(|(index, _)| index).collect();
        let mut now = Time::ZERO;
        while !waited_for.is_empty() {
            now = most;
            let Some((time, source)) = self.next_before(most, cancelled)? else { break };
            self.serve(time, source, time);
            now = time;
            waited_for.retain(|flow| self.flows[*flow].sender().avoids_congestion() == Some(false));
        }
        Ok(now)
    }

    /// Returns the measured interval.
    pub fn measured(&self) -> Interval {
        self.measured
    }

    /// Returns the number of events served.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Returns a copy of the series from sample number `sample` (counted from 0) on; `None` if nothing is
    /// sampled.
    pub fn series_since(&self, sample: usize) -> Option<Series> {
        self.sampler.as_ref().map(|sampler| sampler.series_since(sample))
    }

    /// Takes the sampled series out of the run; `None` if nothing is sampled.
    pub fn take_series(&mut self) -> Option<Series> {
        self.sampler.take().map(Sampler::into_series)
    }

    /// Handles an event. Packets that reach endpoints later may be [delivered early](early) if they arrive
    /// before `until`.
    #[inline]
    fn serve(&mut self, now: Time, source: SourceId, until: Time) {
        let lane = match source.index().checked_sub(self.lanes) {
            None => source.index(),
            Some(other) => match self.serve_other(now, source, other) {
                Some(lane) => lane,
                None => return,
            },
        };
        self.serve_lane(lane, [now, self.horizon(now, until)]);
    }

    /// Returns the next instant at which the run is observed: a sample, the end of the warm-up, or `until`.
    #[inline]
    fn horizon(&self, now: Time, until: Time) -> Time {
        let until = until.min(self.next_sample);
        if now < self.measured.from { until.min(self.measured.from) } else { until }
    }

    /// Moves the head of a lane onward, and delivers it if it reaches an endpoint.
    #[inline]
    fn serve_lane(&mut self, lane: usize, [now, horizon]: [Time; 2]) {
        let mut packet = Packet::default();
        let (outcome, path) = self.network.arrive(lane, &mut packet);
        self.deliver(outcome, path, &packet, [now, horizon]);
        if let Some(next) = self.network.next_in_turn(lane) {
            self.deliver_in_turn(lane, next, horizon);
        }
    }

    /// Hands a packet to its endpoint, as of its arrival at `at`.
    #[inline(always)] // for each packet
    fn hand_over(&mut self, at: Time, path: u32, packet: &Packet) {
        let Self { network, flows, .. } = self;
        network.note_delivered(at, path, packet);
        let Destination { flow: index, end, path } = network.destination(path);
        let (end, path) = (usize::from(end), usize::from(path));
        let flow = &mut flows[index as usize];
        let completes = flow.on_packet(end, at, path, packet, network);
        network.extensions.forget(packet);
        flow.arm(end, at, &mut network.schedule);
        if completes && let Some(session) = flow.session {
            self.go_on(session, at, Some(index));
        }
    }

    /// Handles an event of a source after those of the lanes. If it is a lane at the end of a path, returns the
    /// lane instead.
    #[inline(never)]
    fn serve_other(&mut self, now: Time, source: SourceId, other: usize) -> Option<usize> {
        match self.sources[other] {
            Source::Lane(lane) => return Some(lane as usize),
            Source::Link(link) => self.network.serve(link, now),
            Source::Agent(agent) => self.network.on_agent_timer(agent, now),
            Source::Timer(index, end) => {
                let flow = &mut self.flows[index as usize];
                let completes = flow.on_alarm(usize::from(end), now, &mut self.network);
                if completes && let Some(session) = flow.session {
                    self.go_on(session, now, Some(index));
                }
            }
            Source::Session(session) => self.go_on(session, now, None),
            Source::Sample => {
                if let Some(every) = self.sample(now) {
                    self.set_sample(source, now + every);
                }
            }
            Source::WarmedUp => {
                self.flows.iter_mut().for_each(|flow| flow.reset_counts(now));
                self.network.reset_agents();
            }
        }
        None
    }

    /// Advances a session that begins, or one of whose flows has delivered its data, and gives its flows
    /// their next tasks.
    fn go_on(&mut self, session: u32, now: Time, delivered: Option<u32>) {
        self.sessions[session as usize].go_on(now, delivered);
        while let Some((flow, order, ends)) = self.sessions[session as usize].next_order() {
            let flow = &mut self.flows[flow as usize];
            flow.take_task(Task { at: order.at, packets: order.packets, ends });
            flow.arm(0, now, &mut self.network.schedule);
        }
    }

    /// Takes a sample, at the end of a sampling interval, and returns the interval to the next one; `None` if
    /// no samples are taken. Callers use it before the run to see what a sample contains.
    pub fn sample(&mut self, now: Time) -> Option<Span> {
        let Self { sampler, flows, network, .. } = self;
        let sampler = sampler.as_mut()?;
        sampler.take(now, flows, network);
        Some(sampler.every())
    }

    fn add_timers(&mut self) {
        for flow in 0..self.flows.len() {
            let needs = self.flows[flow].needs_timers();
            for end in (0..2).filter(|end| needs[*end]) {
                let source = self.add_source(Source::Timer(flow as u32, end as u8));
                self.flows[flow].add_timer(end, source);
            }
            self.flows[flow].arm(0, Time::ZERO, &mut self.network.schedule);
        }
    }

    fn add_sessions(&mut self) {
        for session in 0..self.sessions.len() as u32 {
            let source = self.add_source(Source::Session(session));
            self.set(source, self.sessions[session as usize].start(), Order::TIMER);
        }
    }

    /// Completes the ends of the paths, and allows early delivery where it is exact.
    fn add_last_lanes(&mut self) {
        let lanes = self.network.add_last_lanes();
        self.sources.extend(lanes.map(|lane| Source::Lane(lane as u32)));
        let Self { flows, network, .. } = self;
        flows.iter().for_each(|flow| flow.let_deliver_early(network));
    }

    fn add_sampler(&mut self, every: Span, flows: bool) {
        let watched =
            (0..self.network.links.len()).filter(|link| self.network.links[*link].is_watched()).collect();
        let rows = if flows { self.flows.iter().map(|flow| flow.row + 1).max().unwrap_or(0) } else { 0 };
        self.sampler = Some(Sampler::new(every, rows, watched));
        let source = self.add_source(Source::Sample);
        self.set_sample(source, Time::ZERO + every);
    }

    fn set_sample(&mut self, source: SourceId, due: Time) {
        self.next_sample = due;
        self.set(source, due, Order::SAMPLE);
    }

    fn add_source(&mut self, source: Source) -> SourceId {
        self.sources.push(source);
        self.network.schedule.add_source()
    }

    fn set(&mut self, source: SourceId, due: Time, order: Order) {
        self.network.schedule.set(source, due, order);
    }
}
