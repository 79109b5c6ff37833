//! A run: flows over a network, from time zero to the end.

use crate::flow::{Flow, FlowParts, Task, Transport};
use crate::link::{Link, LinkParts};
use crate::measure::Interval;
use crate::network::{Delivery, MOST_PACKETS, Network, PathPlan};
use crate::packet::Packet;
use crate::random::Stream;
use crate::schedule::SourceId;
use crate::series::{Sampler, Series};
use crate::session::{Running, SessionParts};
use crate::tcp::sender::Wire;
use crate::trace::Trace;
use crate::watch::{Watch, WatchPlan};
use ackclock_base::{Random, Span, Time};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a run is made of.
pub struct Parts {
    /// The links; flows refer to them by index.
    pub links: Vec<LinkParts>,
    /// The flows.
    pub flows: Vec<FlowParts>,
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
                "more than {MOST_PACKETS} packets were under way at {at}: a flow without a window limit fills a \
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
    sources: Vec<Source>,
    timers: Vec<FlowTimers>,
    /// For flows with a send jitter.
    jitters: Vec<Option<Jitter>>,
    sampler: Option<Sampler>,
    events: u64,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Lane(u32),
    Link(u32),
    Sender(u32),
    Receiver(u32),
    /// A session begins.
    Session(u32),
    Sample,
    WarmedUp,
}

/// A flow's leaves in the schedule, and when each is set to go off. A timer that moves to a later time is left
/// where it is and looked at again when it goes off: most are moved at every acknowledgement and never go off.
struct FlowTimers {
    sender: SourceId,
    sender_due: Time,
    receiver: SourceId,
    receiver_due: Time,
}

/// A random delay before packets leave, which never lets one overtake another.
struct Jitter {
    most: Span,
    random: Stream,
    last: Time,
}

/// How many events pass between two looks at whether to stop.
const EVENTS_BETWEEN_CHECKS: u64 = 1 << 16;

impl Simulation {
    /// Builds the network and the flows.
    pub fn new(parts: Parts) -> Self {
        let jitters: Vec<_> = parts.flows.iter().map(|flow| Jitter::of(flow, parts.seed)).collect();
        let flows = parts.flows.iter().zip(&jitters);
        let paths: Vec<PathPlan> = flows.flat_map(|(flow, jitter)| plans(flow, jitter.is_some())).collect();
        let shared = shared_links(parts.links.len(), &paths);
        let links = parts.links.into_iter().zip(&shared);
        let links = links.map(|(link, shared)| Link::new(link, *shared, parts.measured)).collect();
        let watch = parts.watch.map(|plan| Watch::new(plan, parts.measured));
        let network = Network::new(links, &paths, parts.measured, Trace::new(parts.traced, watch));
        let sessions = parts.sessions.into_iter();
        let mut simulation = Self {
            sources: sources(&network),
            network,
            flows: parts.flows.into_iter().map(|flow| Flow::new(flow, parts.measured)).collect(),
            sessions: sessions.map(|session| Running::new(session, parts.measured)).collect(),
            measured: parts.measured,
            timers: Vec::new(),
            jitters,
            sampler: None,
            events: 0,
        };
        simulation.add_timers();
        simulation.add_sessions();
        if let Some(every) = parts.sample_every {
            simulation.add_sampler(every, parts.samples_flows);
        }
        if parts.measured.from > Time::ZERO {
            let source = simulation.add_source(Source::WarmedUp);
            simulation.set(source, parts.measured.from);
        }
        simulation
    }

    /// Runs to the end, or until `cancelled` becomes true.
    pub fn run(&mut self, cancelled: &AtomicBool) -> Result<(), RunError> {
        while let Some((now, source)) = self.network.schedule.peek() {
            if now >= self.measured.to {
                break;
            }
            self.step(now, source, cancelled)?;
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, now: Time, source: SourceId, cancelled: &AtomicBool) -> Result<(), RunError> {
        self.events += 1;
        if self.events.is_multiple_of(EVENTS_BETWEEN_CHECKS) && cancelled.load(Ordering::Relaxed) {
            return Err(RunError::Cancelled);
        }
        self.serve(now, source);
        if self.network.travelling() > MOST_PACKETS {
            return Err(RunError::TooManyPackets { at: now });
        }
        Ok(())
    }

    /// Runs until every TCP connection that begins by `most` has reached congestion avoidance, and returns that instant;
    /// `most` where one has not by then. A connection has reached it once its window is at its slow start threshold or
    /// above and it is not repairing a loss (RFC 5681 section 3.1). Connections that are one flow together, and those of
    /// sessions, come and go and are not waited for.
    pub fn reach_congestion_avoidance(
        &mut self,
        most: Time,
        cancelled: &AtomicBool,
    ) -> Result<Time, RunError> {
        let lasting = |flow: &Flow| flow.tcp().is_some() && !flow.one_of_many && flow.session.is_none();
        let flows = self.flows.iter().enumerate();
        let mut waited_for: Vec<usize> =
            flows.filter(|(_, flow)| lasting(flow) && flow.start <= most).map(|(index, _)| index).collect();
        let mut now = Time::ZERO;
        while !waited_for.is_empty() {
            now = most;
            let Some((time, source)) = self.network.schedule.peek().filter(|(time, _)| *time < most) else {
                break;
            };
            self.step(time, source, cancelled)?;
            now = time;
            waited_for.retain(|flow| !self.flows[*flow].avoids_congestion());
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

    /// The series that were sampled, if any.
    pub fn take_series(&mut self) -> Option<Series> {
        let sampler = self.sampler.take()?;
        Some(sampler.into_series(&self.flows))
    }

    fn serve(&mut self, now: Time, source: SourceId) {
        match self.sources[source.index()] {
            Source::Lane(lane) => {
                if let Some(delivery) = self.network.arrive(lane as usize) {
                    self.deliver(&delivery);
                }
            }
            Source::Link(link) => self.network.serve(link, now),
            Source::Sender(flow) => {
                self.timers[flow as usize].sender_due = Time::NEVER;
                self.network.schedule.clear(source);
                self.with_sender(
                    flow,
                    |flow, wire| {
                        if now >= flow.sender_timer() {
                            flow.on_sender_timer(now, wire);
                        }
                    },
                    now,
                );
            }
            Source::Receiver(flow) => {
                self.timers[flow as usize].receiver_due = Time::NEVER;
                self.network.schedule.clear(source);
                if let Some(ack) = self.flows[flow as usize].on_receiver_timer(now) {
                    self.network.launch(now, 2 * flow + 1, ack);
                }
                self.arm_receiver(flow);
            }
            Source::Session(session) => {
                self.network.schedule.clear(source);
                self.go_on(session, now, None);
            }
            Source::Sample => self.sample(now, source),
            Source::WarmedUp => {
                self.network.schedule.clear(source);
                self.flows.iter_mut().for_each(|flow| flow.reset_counts(now));
            }
        }
    }

    #[inline]
    fn deliver(&mut self, delivery: &Delivery) {
        let Delivery { at, path, packet } = delivery;
        let (at, path) = (*at, *path);
        let flow = path / 2;
        if path % 2 == 1 {
            let completes = self.with_sender(flow, |flow, wire| flow.on_ack(at, packet, wire), at);
            if completes && let Some(session) = self.flows[flow as usize].session {
                self.go_on(session, at, Some(flow));
            }
            return;
        }
        if let Some(ack) = self.flows[flow as usize].on_data(at, packet) {
            self.network.launch(at, path + 1, ack);
        }
        self.arm_receiver(flow);
    }

    #[inline]
    fn with_sender<R>(
        &mut self,
        flow: u32,
        act: impl FnOnce(&mut Flow, &mut Outgoing<'_>) -> R,
        now: Time,
    ) -> R {
        let index = flow as usize;
        let mut wire = Outgoing {
            network: &mut self.network,
            path: 2 * flow,
            now,
            jitter: self.jitters[index].as_mut(),
        };
        let answer = act(&mut self.flows[index], &mut wire);
        self.arm_sender(flow);
        answer
    }

    #[inline]
    fn arm_sender(&mut self, flow: u32) {
        let due = self.flows[flow as usize].sender_timer();
        let timers = &mut self.timers[flow as usize];
        if due < timers.sender_due {
            timers.sender_due = due;
            let source = timers.sender;
            self.set(source, due);
        }
    }

    /// A session begins, or one of its flows has delivered: the flows take what they are told to do next.
    fn go_on(&mut self, session: u32, now: Time, delivered: Option<u32>) {
        self.sessions[session as usize].go_on(now, delivered);
        while let Some((flow, order, transport)) = self.sessions[session as usize].next_order() {
            self.flows[flow as usize].take_task(Task { at: order.at, packets: order.packets, transport });
            self.arm_sender(flow);
        }
    }

    #[inline]
    fn arm_receiver(&mut self, flow: u32) {
        let due = self.flows[flow as usize].receiver_timer();
        let timers = &mut self.timers[flow as usize];
        if due < timers.receiver_due {
            timers.receiver_due = due;
            let source = timers.receiver;
            self.set(source, due);
        }
    }

    fn sample(&mut self, now: Time, source: SourceId) {
        if let Some(mut sampler) = self.sampler.take() {
            sampler.take(now, &self.flows, &mut self.network);
            let next = now + sampler.every();
            self.sampler = Some(sampler);
            self.set(source, next);
        }
    }

    fn add_timers(&mut self) {
        for flow in 0..self.flows.len() as u32 {
            let sender = self.add_source(Source::Sender(flow));
            let receiver = self.add_source(Source::Receiver(flow));
            let sender_due = self.flows[flow as usize].sender_timer();
            self.set(sender, sender_due);
            self.timers.push(FlowTimers { sender, sender_due, receiver, receiver_due: Time::NEVER });
        }
    }

    fn add_sessions(&mut self) {
        for session in 0..self.sessions.len() as u32 {
            let source = self.add_source(Source::Session(session));
            self.set(source, self.sessions[session as usize].start());
        }
    }

    fn add_sampler(&mut self, every: Span, flows: bool) {
        let watched =
            (0..self.network.links.len()).filter(|link| self.network.links[*link].is_watched()).collect();
        let sampled = if flows { self.flows.len() } else { 0 };
        self.sampler = Some(Sampler::new(every, sampled, watched));
        self.flows[..sampled].iter_mut().for_each(|flow| flow.count_deliveries_every(every));
        let source = self.add_source(Source::Sample);
        self.set(source, Time::ZERO + every);
    }

    fn add_source(&mut self, source: Source) -> SourceId {
        self.sources.push(source);
        self.network.schedule.add_source()
    }

    fn set(&mut self, source: SourceId, due: Time) {
        let order = self.network.schedule.next_order();
        self.network.schedule.set(source, due, order);
    }
}

/// A flow's two paths. A receiver without a timer depends on nothing but the packets that reach it, so it may take
/// them early, and its acknowledgements leave later.
fn plans(flow: &FlowParts, jittered: bool) -> [PathPlan; 2] {
    let early = match &flow.transport {
        Transport::Tcp { options, .. } => options.receiver.delayed_ack.is_none(),
        Transport::Udp(_) => true,
    };
    [
        PathPlan { links: flow.forward.clone(), leaves_later: jittered, arrives_early: early },
        PathPlan { links: flow.backward.clone(), leaves_later: early, arrives_early: false },
    ]
}

/// The sources that the network has in the schedule.
fn sources(network: &Network) -> Vec<Source> {
    let lanes = (0..network.lanes() as u32).map(Source::Lane);
    lanes.chain(network.services().map(|(link, _)| Source::Link(link))).collect()
}

/// Which links more than one path uses.
fn shared_links(links: usize, paths: &[PathPlan]) -> Vec<bool> {
    let mut users = vec![0_u32; links];
    for link in paths.iter().flat_map(|path| &path.links) {
        users[*link as usize] += 1;
    }
    users.into_iter().map(|users| users > 1).collect()
}

impl Jitter {
    fn of(flow: &FlowParts, seed: u64) -> Option<Self> {
        let Transport::Tcp { options, .. } = &flow.transport else { return None };
        let most = options.sender.send_jitter;
        let random = Stream::new(seed, &format!("flow {} jitter", flow.name));
        (most > Span::ZERO).then_some(Self { most, random, last: Time::ZERO })
    }

    fn leaves(&mut self, now: Time) -> Time {
        self.last = self.last.max(now + self.most.scale(self.random.uniform()));
        self.last
    }
}

struct Outgoing<'a> {
    network: &'a mut Network,
    path: u32,
    now: Time,
    jitter: Option<&'a mut Jitter>,
}

impl Wire for Outgoing<'_> {
    #[inline]
    fn send(&mut self, packet: Packet) {
        let leaves = match &mut self.jitter {
            Some(jitter) => jitter.leaves(self.now),
            None => self.now,
        };
        self.network.launch(leaves, self.path, packet);
    }

    fn refused(&self) -> bool {
        self.network.refused_launch()
    }
}
