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

/// What a run is made of.
pub struct Parts {
    /// The links; flows refer to them by index.
    pub links: Vec<LinkParts>,
    /// What some of them share.
    pub media: Vec<MediumParts>,
    /// The flows.
    pub flows: Vec<FlowParts>,
    /// What looks into packets of some of them, at a node on their way.
    pub agents: Vec<AgentParts>,
    /// The sessions whose connections some of the flows are.
    pub sessions: Vec<SessionParts>,
    /// The end of the warm-up and the end of the run.
    pub measured: Interval,
    /// Seeds every random stream.
    pub seed: u64,
    /// How often to sample windows, round trips and queues; `None` to keep no series.
    pub sample_every: Option<Span>,
    /// Whether the flows are sampled with the links.
    pub samples_flows: bool,
    /// Whether to keep a packet trace.
    pub traced: bool,
    /// What to follow packet by packet at a link; `None` for nothing, which costs nothing.
    pub watch: Option<WatchPlan>,
    /// Where to see packets with their headers; nowhere costs nothing.
    pub capture: Vec<Place>,
}

/// Why a run could not be finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// More packets under way than any experiment means to have.
    TooManyPackets {
        /// When.
        at: Time,
    },
    /// Somebody asked it to stop.
    Cancelled,
}

impl fmt::Display for RunError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyPackets { at } => write!(
                formatter,
                "more than {MAX_PACKETS} packets were under way at {at}: a flow without a window limit fills a \
                 queue without a limit; give the queue a limit or the flow a window"
            ),
            Self::Cancelled => formatter.write_str("the run was cancelled"),
        }
    }
}

impl std::error::Error for RunError {}

/// A simulation.
pub struct Simulation {
    /// The flows.
    pub flows: Vec<Flow>,
    /// The sessions whose connections some of them are.
    pub sessions: Vec<Running>,
    /// The network under them.
    pub network: Network,
    measured: Interval,
    /// The sources of the schedule that follow those of the lanes.
    sources: Vec<Source>,
    sampler: Option<Sampler>,
    /// When the next sample is due; never if none is taken.
    next_sample: Time,
    events: u64,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Link(u32),
    /// The timer of an agent at a node.
    Agent(u32),
    /// The timer of a flow's end.
    Timer(u32, u8),
    /// A session begins.
    Session(u32),
    Sample,
    WarmedUp,
}

/// How many events pass between two looks at whether to stop.
const EVENTS_BETWEEN_CHECKS: u64 = 1 << 16;

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
        let mut network = Network::new(
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
        flows.iter().for_each(|flow| flow.let_deliver_early(&mut network));
        let services = network.services().map(Source::Link);
        let agents = (0..network.agents() as u32).map(Source::Agent);
        let mut simulation = Self {
            sources: services.chain(agents).collect(),
            network,
            flows,
            sessions: sessions.map(|session| Running::new(session, parts.measured)).collect(),
            measured: parts.measured,
            sampler: None,
            next_sample: Time::NEVER,
            events: 0,
        };
        simulation.add_timers();
        simulation.add_sessions();
        if let Some(every) = parts.sample_every {
            simulation.add_sampler(every, parts.samples_flows);
        }
        if parts.measured.from > Time::ZERO {
            let source = simulation.add_source(Source::WarmedUp);
            simulation.set(source, parts.measured.from, Order::MEASURING);
        }
        simulation
    }

    /// Runs to the end, or until `cancelled` becomes true; then it may be run on.
    pub fn run(&mut self, cancelled: &AtomicBool) -> Result<(), RunError> {
        self.run_until(self.measured.to, cancelled)
    }

    /// Runs all events before an instant, or to the end if that comes first, or until `cancelled` becomes true. Then it is
    /// that time, and it may be run on.
    pub fn run_until(&mut self, until: Time, cancelled: &AtomicBool) -> Result<(), RunError> {
        let until = until.min(self.measured.to);
        while let Some((now, source)) = self.next_before(until, cancelled)? {
            self.look_ahead();
            self.serve(now, source, until);
        }
        self.network.schedule.wait_until(until);
        Ok(())
    }

    /// Runs the next event. Says whether there was one before the end.
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

    /// How far it has been run: when the last event was, or until when.
    pub fn now(&self) -> Time {
        self.network.schedule.now()
    }

    /// Takes the next event if it is before an instant.
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

    /// Whether to go on.
    #[cold]
    fn check(&self, cancelled: &AtomicBool) -> Result<(), RunError> {
        if cancelled.load(Atomic::Relaxed) {
            return Err(RunError::Cancelled);
        }
        if self.network.is_overfull() {
            return Err(RunError::TooManyPackets { at: self.now() });
        }
        Ok(())
    }

    /// Runs until every connection that begins by `most` [avoids congestion](crate::endpoint::Endpoint::avoids_congestion), and returns that
    /// instant; `most` where one does not by then. Connections that are one flow together, and those of sessions, come and go
    /// and are not waited for; nor are those into which an application writes, which may never fill their window.
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

    /// The interval that was measured.
    pub fn measured(&self) -> Interval {
        self.measured
    }

    /// How many events have been served.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// What has been sampled so far from the sample of this number on, if anything is sampled. Nothing is taken away by it.
    pub fn series_since(&self, sample: usize) -> Option<Series> {
        self.sampler.as_ref().map(|sampler| sampler.series_since(sample, &self.flows))
    }

    /// The series that were sampled, if any.
    pub fn take_series(&mut self) -> Option<Series> {
        let sampler = self.sampler.take()?;
        Some(sampler.into_series(&self.flows))
    }

    /// Does what an event brings about. What reaches endpoints later may be [delivered early](early) if it is before `until`.
    #[inline]
    fn serve(&mut self, now: Time, source: SourceId, until: Time) {
        match source.index().checked_sub(self.network.lanes()) {
            None => self.serve_lane(source.index(), self.horizon(now, until)),
            Some(other) => self.serve_other(now, source, other),
        }
    }

    /// Returns the next instant at which the run is observed: a sample, the end of the warm-up, or `until`.
    #[inline]
    fn horizon(&self, now: Time, until: Time) -> Time {
        let until = until.min(self.next_sample);
        if now < self.measured.from { until.min(self.measured.from) } else { until }
    }

    /// The head of a lane goes on; if it reaches an endpoint, that takes it.
    #[inline]
    fn serve_lane(&mut self, lane: usize, horizon: Time) {
        let mut packet = Packet::default();
        let (outcome, path) = self.network.arrive(lane, &mut packet);
        self.deliver(outcome, path, &packet, horizon);
        if let Some(next) = self.network.next_in_turn(lane) {
            self.deliver_in_turn(lane, next, horizon);
        }
    }

    /// An endpoint takes a packet, as of its arrival.
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

    fn serve_other(&mut self, now: Time, source: SourceId, other: usize) {
        match self.sources[other] {
            Source::Link(link) => self.network.serve(link, now),
            Source::Agent(agent) => self.network.on_agent_timer(agent, now),
            Source::Timer(flow, end) => {
                self.flows[flow as usize].on_alarm(usize::from(end), now, &mut self.network);
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
    }

    /// A session begins, or one of its flows has delivered: the flows take what they are told to do next.
    fn go_on(&mut self, session: u32, now: Time, delivered: Option<u32>) {
        self.sessions[session as usize].go_on(now, delivered);
        while let Some((flow, order, ends)) = self.sessions[session as usize].next_order() {
            let flow = &mut self.flows[flow as usize];
            flow.take_task(Task { at: order.at, packets: order.packets, ends });
            flow.arm(0, now, &mut self.network.schedule);
        }
    }

    /// Takes a sample, if samples are taken: for whoever wants to know what would be sampled. Says how long it is to the next.
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

    fn add_sampler(&mut self, every: Span, flows: bool) {
        let watched =
            (0..self.network.links.len()).filter(|link| self.network.links[*link].is_watched()).collect();
        let sampled = if flows { self.flows.len() } else { 0 };
        self.sampler = Some(Sampler::new(every, sampled, watched));
        self.flows[..sampled].iter_mut().for_each(|flow| flow.count_deliveries_every(every));
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
