//! A flow: its two ends, the paths between them, and the counts of both.

use crate::endpoint::{Endpoint, Ends};
use crate::histogram::Histogram;
use crate::measure::Interval;
use crate::network::Network;
use crate::packet::Packet;
use crate::port::{Jitter, Port, Socket};
use crate::report::Report;
use crate::schedule::{Schedule, SourceId};
use crate::traffic::writer::Writer;
use ackclock_aqm::Dscp;
use ackclock_base::{Span, Time};

mod alarm;
use alarm::Alarm;

/// The parts from which a flow is built.
pub struct FlowParts {
    /// The name in results.
    pub name: String,
    /// The paths between its ends, at least one.
    pub paths: Vec<PathPair>,
    /// The differentiated services code point of all packets, in both directions.
    pub dscp: Dscp,
    /// The time at which the flow begins.
    pub start: Time,
    /// The time at which the application stops: from then on it has no more data to send.
    pub stop: Time,
    /// The two endpoints. The first one is the sender.
    pub ends: Ends,
    /// The row in results. Flows with the same number are counted together.
    pub row: usize,
    /// Whether other flows have the same row. If so, the flow has no series of its own except its deliveries.
    pub one_of_many: bool,
    /// The index of the session to which this connection belongs, if any. The session then decides what it
    /// sends.
    pub session: Option<u32>,
    /// The application that writes into the connection, if there is one.
    pub writer: Option<Box<Writer>>,
    /// The number of bytes to send, for a connection of a timetable.
    pub bytes: u64,
}

/// A path between the ends of a flow, in both directions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathPair {
    /// The indices of the links from the first end to the second.
    pub forward: Vec<u32>,
    /// The indices of the links from the second end to the first.
    pub backward: Vec<u32>,
}

/// A flow in a running simulation.
pub struct Flow {
    ends: [End; 2],
    socket: Socket,
    started: bool,
    stopped: bool,
    /// The time at which the flow next stops, writes or begins its task.
    wakes: Time,
    /// The task that the session has given it and that it has not begun.
    task: Option<Box<Task>>,
    /// The application that writes into the connection, until the flow stops.
    writer: Option<Box<Writer>>,
    /// The time at which the flow begins.
    pub start: Time,
    /// The time at which the application stops.
    pub stop: Time,
    /// The time at which all data to send so far was acknowledged; `None` if some is outstanding.
    pub completed: Option<Time>,
    /// The index of the session to which this connection belongs, if any.
    pub session: Option<u32>,
    /// Whether other flows have the same row in results.
    pub one_of_many: bool,
    /// The row in results. Flows with the same number are counted together.
    pub row: usize,
    /// The name in results.
    pub name: String,
    /// The number of bytes to send, for a connection of a timetable.
    pub bytes: u64,
}

struct End {
    endpoint: Box<dyn Endpoint>,
    jitter: Option<Box<Jitter>>,
    /// The alarm for the end's timer; `None` if the end needs no timer.
    alarm: Option<Alarm>,
}

/// A task that a session gives to a flow.
pub struct Task {
    /// The time at which the task begins.
    pub at: Time,
    /// The number of packets to send.
    pub packets: u64,
    /// The ends of a new connection to open for the task; `None` to use the open connection.
    pub ends: Option<Ends>,
}

impl Flow {
    /// Creates a flow that has not begun. `first_path` is the number of its first path.
    pub fn new(parts: FlowParts, first_path: u32, seed: u64, measured: Interval) -> Self {
        let [first, second] = parts.ends;
        let name = &parts.name;
        let end = |endpoint: Box<dyn Endpoint>, component: &str| End {
            jitter: Jitter::of(&*endpoint, seed, component),
            endpoint,
            alarm: None,
        };
        Self {
            ends: [
                end(first, &format!("flow {name} jitter")),
                end(second, &format!("flow {name} jitter back")),
            ],
            socket: Socket::new(first_path, parts.paths.len() as u32, measured),
            started: parts.session.is_some(),
            stopped: false,
            wakes: parts.stop,
            task: None,
            writer: parts.writer,
            start: parts.start,
            stop: parts.stop,
            completed: None,
            session: parts.session,
            one_of_many: parts.one_of_many,
            row: parts.row,
            name: parts.name,
            bytes: parts.bytes,
        }
    }

    /// Returns for each end whether it may ever need a timer. The first end needs one to begin and to stop.
    pub fn needs_timers(&self) -> [bool; 2] {
        [true, !self.ends[1].endpoint.properties().only_answers]
    }

    /// Returns when an end next has something to do; [`Time::NEVER`] if nothing is planned.
    #[inline]
    pub fn timer(&self, end: usize) -> Time {
        match (end, self.started) {
            (0, true) => self.ends[0].endpoint.timer().min(self.wakes),
            (0, false) => self.start,
            _ => self.ends[1].endpoint.timer(),
        }
    }

    /// Gives an end an alarm, with `source` as its source in the schedule.
    pub fn add_timer(&mut self, end: usize, source: SourceId) {
        self.ends[end].alarm = Some(Alarm::new(source));
    }

    /// Sets the alarm of an end that has one, if the end's timer is due earlier than the alarm. A timer that
    /// was due before `now`, the time as of which the end has just acted, is due at `now`.
    #[inline(always)] // for each packet that an end takes
    pub fn arm(&mut self, end: usize, now: Time, schedule: &mut Schedule) {
        if self.ends[end].alarm.is_none() {
            return;
        }
        let timer = self.timer(end).max(now);
        if let Some(alarm) = &mut self.ends[end].alarm {
            alarm.set(timer, schedule);
        }
    }

    /// Called when the alarm of an end goes off, possibly before the timer is due. Does what is due and sets
    /// the alarm again. Returns whether the end's timer completes the acknowledgement of all data to send: a stack
    /// may notice at its timer what has arrived before.
    pub fn on_alarm(&mut self, end: usize, now: Time, network: &mut Network) -> bool {
        if let Some(alarm) = &mut self.ends[end].alarm {
            alarm.goes_off();
        }
        let completes = self.do_what_is_due(end, now, network);
        self.arm(end, now, &mut network.schedule);
        completes
    }

    /// Returns whether neither the application nor the timer of an end has anything to do up to and including
    /// `instant`.
    #[inline]
    pub(crate) fn is_idle_until(&self, end: usize, instant: Time) -> bool {
        // The alarm of the first end goes off for the application too. The second end is told only that it stops.
        let is_told_nothing = end == 0 || self.stopped || instant < self.stop;
        is_told_nothing
            && self.ends[end].alarm.is_none_or(|alarm| instant < alarm.due() || instant < self.timer(end))
    }

    /// Allows early delivery of packets to the ends that depend only on arriving packets and on their own
    /// timers: those of a flow with one path, without a session, and without state shared with other flows.
    pub(crate) fn let_deliver_early(&self, network: &mut Network) {
        let Socket { first_path: path, paths: 1, .. } = self.socket else { return };
        for (end, path, back) in [(1, path, path + 1), (0, path + 1, path)] {
            if self.session.is_none() && !self.ends[end].endpoint.properties().shares {
                network.let_deliver_early(path, back);
            }
        }
    }

    /// Begins, stops, writes, starts a task or calls the endpoint's timer, if the time for it has come. Returns
    /// whether the timer completes the acknowledgement of all data to send.
    fn do_what_is_due(&mut self, end: usize, now: Time, network: &mut Network) -> bool {
        if end == 0 && !self.started {
            if now >= self.start {
                self.started = true;
                self.start_ends(now, network);
                if let Some(writer) = &mut self.writer {
                    writer.begin(now);
                    self.wakes = self.stop.min(writer.due());
                }
            }
            return false;
        }
        if end == 0 && now >= self.wakes {
            self.wake(now, network);
        }
        now >= self.ends[end].endpoint.timer()
            && self.at(end, now, network, |endpoint, port| endpoint.on_timer(now, port))
    }

    /// Called when a packet reaches an end over path `path` at `now`, which may lie in the future. Returns
    /// whether this packet completes the acknowledgement of all data to send.
    #[inline(always)]
    pub fn on_packet(
        &mut self,
        end: usize,
        now: Time,
        path: usize,
        packet: &Packet,
        network: &mut Network,
    ) -> bool {
        if packet.connection != self.socket.connection {
            return false;
        }
        self.at(end, now, network, |endpoint, port| endpoint.on_packet(now, path, packet, port))
    }

    /// Lets an end act. Returns whether this completes the acknowledgement of all data to send.
    #[inline]
    fn at(
        &mut self,
        end: usize,
        now: Time,
        network: &mut Network,
        act: impl FnOnce(&mut dyn Endpoint, &mut Port<'_>),
    ) -> bool {
        let End { endpoint, jitter, .. } = &mut self.ends[end];
        let jitter = jitter.as_deref_mut();
        let mut port = Port { network, socket: &mut self.socket, jitter, now, end: end as u32, done: false };
        act(&mut **endpoint, &mut port);
        let completes = port.done && self.completed.is_none();
        if completes {
            self.completed = Some(now);
        }
        completes
    }

    fn start_ends(&mut self, now: Time, network: &mut Network) {
        for end in [1, 0] {
            self.at(end, now, network, |endpoint, port| endpoint.start(now, port));
        }
    }

    /// Stops, writes, or starts the task of the session.
    fn wake(&mut self, now: Time, network: &mut Network) {
        if now >= self.stop {
            (self.stopped, self.task, self.wakes) = (true, None, Time::NEVER);
            if let Some(writer) = self.writer.take() {
                // Data already written is still sent, including a last packet that is not full.
                if writer.has_rest() {
                    self.completed = None;
                    self.at(0, now, network, |endpoint, port| endpoint.send_more(now, 1, port));
                }
                self.ends[0].endpoint.close(now);
                return;
            }
            self.ends.iter_mut().for_each(|end| end.endpoint.stop(now));
            return;
        }
        if self.writer.is_some() {
            self.write(now, network);
            return;
        }
        self.wakes = self.stop;
        let Some(task) = self.task.take() else { return };
        let Task { packets, ends, .. } = *task;
        self.completed = None;
        let opens = ends.is_some();
        if let Some(ends) = ends {
            self.reconnect(now, ends);
        }
        self.ends[1].endpoint.expect(packets);
        if opens {
            self.start_ends(now, network);
        } else {
            self.at(0, now, network, |endpoint, port| endpoint.send_more(now, packets, port));
        }
    }

    /// Lets the application write, and tells the connection of the packets that have become full.
    fn write(&mut self, now: Time, network: &mut Network) {
        let Some(writer) = &mut self.writer else { return };
        let packets = writer.write(now);
        self.wakes = self.stop.min(writer.due());
        if packets > 0 {
            self.completed = None;
            self.at(0, now, network, |endpoint, port| endpoint.send_more(now, packets, port));
        }
    }

    /// Returns whether an application still writes into the connection.
    pub fn is_writing(&self) -> bool {
        self.writer.is_some()
    }

    /// Replaces the connection by a new one, which takes over the counts of the old one.
    fn reconnect(&mut self, now: Time, ends: Ends) {
        self.socket.connection = self.socket.connection.wrapping_add(1);
        for (place, endpoint) in self.ends.iter_mut().zip(ends) {
            let mut before = std::mem::replace(&mut place.endpoint, endpoint);
            before.close(now);
            place.endpoint.absorb(&*before);
        }
    }

    /// Returns the flow's paths from the first end to the second, by their numbers in the network.
    pub fn forward_paths(&self) -> impl Iterator<Item = u32> + use<> {
        let Socket { first_path: first, paths, .. } = self.socket;
        (0..paths).map(move |path| first + 2 * path)
    }

    /// Accepts a task of the session, which begins at the task's time. A flow that has stopped ignores it.
    pub fn take_task(&mut self, task: Task) {
        if !self.stopped {
            self.wakes = self.stop.min(task.at);
            self.task = Some(Box::new(task));
        }
    }

    /// Returns the sender, which is end 0.
    pub fn sender(&self) -> &dyn Endpoint {
        &*self.ends[0].endpoint
    }

    /// Returns what the sender has measured, as of `until`.
    pub fn report(&self, until: Time) -> Report<'_> {
        self.sender().report(until)
    }

    /// Returns the two ends, of which the first is the sender.
    pub fn ends(&self) -> [&dyn Endpoint; 2] {
        [&*self.ends[0].endpoint, &*self.ends[1].endpoint]
    }

    /// Returns the number of packets sent over the measured interval, including retransmissions.
    pub fn sent_packets(&self) -> u64 {
        self.sender().sent().packets
    }

    /// Returns the number of payload bytes sent over the measured interval, without retransmissions.
    pub fn sent_payload_bytes(&self) -> u64 {
        self.sender().sent().payload_bytes
    }

    /// Returns the histogram of the one-way delays of data packets.
    pub fn one_way_delay(&self) -> &Histogram {
        &self.socket.arrivals.one_way_delay
    }

    /// Returns the number of packets delivered to the application over the measured interval, each counted
    /// once, and in order if the transport delivers in order.
    pub fn delivered_packets(&self) -> u64 {
        self.socket.arrivals.packets
    }

    /// Returns the number of payload bytes delivered to the application over the measured interval.
    pub fn delivered_bytes(&self) -> u64 {
        self.socket.arrivals.bytes
    }

    /// Ends a sampling interval of length `every` and returns the goodput in it, in bits per second.
    pub fn take_goodput(&mut self, every: Span) -> f64 {
        let bytes = std::mem::take(&mut self.socket.arrivals.since_sample);
        bytes as f64 * 8.0 / every.seconds()
    }

    /// Adds the counts of another flow of the same row: what it sent and delivered, and its delays.
    pub fn absorb(&mut self, other: &Self) {
        self.socket.arrivals.packets += other.socket.arrivals.packets;
        self.socket.arrivals.bytes += other.socket.arrivals.bytes;
        self.socket.arrivals.one_way_delay.absorb(&other.socket.arrivals.one_way_delay);
        for (end, other) in self.ends.iter_mut().zip(&other.ends) {
            end.endpoint.absorb(&*other.endpoint);
        }
    }

    /// Resets the counts at the end of the warm-up.
    pub fn reset_counts(&mut self, now: Time) {
        self.ends.iter_mut().for_each(|end| end.endpoint.reset_counts(now));
    }
}
