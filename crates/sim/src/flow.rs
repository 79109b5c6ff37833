//! A flow: two ends, the paths between them, and what is counted about both.

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

/// What a flow is made of.
pub struct FlowParts {
    /// Its name in results.
    pub name: String,
    /// The paths between its ends, at least one.
    pub paths: Vec<PathPair>,
    /// The differentiated services code point that its packets carry, in both directions.
    pub dscp: Dscp,
    /// When it begins.
    pub start: Time,
    /// When its application has nothing more to send.
    pub stop: Time,
    /// What sends and receives. The first is the one whose application begins.
    pub ends: Ends,
    /// The flows of one number are counted together, as one in results.
    pub row: usize,
    /// Whether its row has other flows: it has no series of its own then, but deliveries.
    pub one_of_many: bool,
    /// The session whose connection it is, as an index: then it sends what that tells it to.
    pub session: Option<u32>,
    /// The application that writes into its connection, where there is one.
    pub writer: Option<Box<Writer>>,
    /// The bytes that its application has to send, of a connection of a timetable.
    pub bytes: u64,
}

/// A path between the ends of a flow, there and back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathPair {
    /// The links from the first end to the second, as indices.
    pub forward: Vec<u32>,
    /// The links back.
    pub backward: Vec<u32>,
}

/// A flow in a running simulation.
pub struct Flow {
    ends: [End; 2],
    socket: Socket,
    started: bool,
    stopped: bool,
    /// When it stops, writes or turns to its task.
    wakes: Time,
    /// What it does next, when its session has told it.
    task: Option<Box<Task>>,
    /// What writes into its connection, until it stops.
    writer: Option<Box<Writer>>,
    /// When it begins.
    pub start: Time,
    /// When its application stops.
    pub stop: Time,
    /// When everything was acknowledged that it had to send so far.
    pub completed: Option<Time>,
    /// The session whose connection it is.
    pub session: Option<u32>,
    /// Whether its row has other flows.
    pub one_of_many: bool,
    /// The flows of one number are counted together.
    pub row: usize,
    /// Its name.
    pub name: String,
    /// The bytes that its application has to send, of a connection of a timetable.
    pub bytes: u64,
}

struct End {
    endpoint: Box<dyn Endpoint>,
    jitter: Option<Box<Jitter>>,
    /// None for an end that needs none.
    alarm: Option<Alarm>,
}

/// What a session tells a flow to do.
pub struct Task {
    /// When.
    pub at: Time,
    /// How many packets it sends.
    pub packets: u64,
    /// The ends of the connection that it opens for that; `None` to go on with the one it has.
    pub ends: Option<Ends>,
}

impl Flow {
    /// A flow that has not begun, whose first path has this number.
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

    /// Which of its ends may ever have something to do at a time that it names. The first one is woken to begin and to stop.
    pub fn needs_timers(&self) -> [bool; 2] {
        [true, !self.ends[1].endpoint.properties().only_answers]
    }

    /// When one of its ends has something to do next.
    #[inline]
    pub fn timer(&self, end: usize) -> Time {
        match (end, self.started) {
            (0, true) => self.ends[0].endpoint.timer().min(self.wakes),
            (0, false) => self.start,
            _ => self.ends[1].endpoint.timer(),
        }
    }

    /// Gives one of its ends an alarm, which is this source of the schedule.
    pub fn add_timer(&mut self, end: usize, source: SourceId) {
        self.ends[end].alarm = Some(Alarm::new(source));
    }

    /// Sets the alarm of an end that has one, if its timer is due earlier than it is set for. A timer that was due before `now`, the
    /// instant as of which the end has just acted, is due now.
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

    /// The alarm of one of its ends goes off; it may be too early.
    pub fn on_alarm(&mut self, end: usize, now: Time, network: &mut Network) {
        if let Some(alarm) = &mut self.ends[end].alarm {
            alarm.goes_off();
        }
        self.do_what_is_due(end, now, network);
        self.arm(end, now, &mut network.schedule);
    }

    /// Whether neither the application nor the timer of an end has anything to do up to an instant, that instant included.
    #[inline]
    pub(crate) fn is_idle_until(&self, end: usize, instant: Time) -> bool {
        let Some(alarm) = &self.ends[end].alarm else { return false };
        instant < self.wakes && (instant < alarm.due() || instant < self.timer(end))
    }

    /// Lets packets be delivered to its ends early where nothing but what reaches them, and their timers, tells them what to do.
    pub(crate) fn let_deliver_early(&self, network: &mut Network) {
        let Socket { first_path: path, paths: 1, .. } = self.socket else { return };
        for (end, path, back) in [(1, path, path + 1), (0, path + 1, path)] {
            if self.session.is_none() && !self.ends[end].endpoint.properties().shares {
                network.let_deliver_early(path, back);
            }
        }
    }

    /// Begins, stops, turns to a task, or lets the endpoint do what it has to, if its time has come.
    fn do_what_is_due(&mut self, end: usize, now: Time, network: &mut Network) {
        if end == 0 && !self.started {
            if now >= self.start {
                self.started = true;
                self.start_ends(now, network);
                if let Some(writer) = &mut self.writer {
                    writer.begin(now);
                    self.wakes = self.stop.min(writer.due());
                }
            }
            return;
        }
        if end == 0 && now >= self.wakes {
            self.wake(now, network);
        }
        if now >= self.ends[end].endpoint.timer() {
            self.at(end, now, network, |endpoint, port| endpoint.on_timer(now, port));
        }
    }

    /// A packet reaches an end over the path of this number, at `now`, which may lie ahead. Says whether with it all that
    /// was to be sent is acknowledged.
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
        let done = self.at(end, now, network, |endpoint, port| {
            endpoint.on_packet(now, path, packet, port);
            port.done
        });
        let completes = done && self.completed.is_none();
        if completes {
            self.completed = Some(now);
        }
        completes
    }

    #[inline]
    fn at<R>(
        &mut self,
        end: usize,
        now: Time,
        network: &mut Network,
        act: impl FnOnce(&mut dyn Endpoint, &mut Port<'_>) -> R,
    ) -> R {
        let End { endpoint, jitter, .. } = &mut self.ends[end];
        let jitter = jitter.as_deref_mut();
        let mut port = Port { network, socket: &mut self.socket, jitter, now, end: end as u32, done: false };
        act(&mut **endpoint, &mut port)
    }

    fn start_ends(&mut self, now: Time, network: &mut Network) {
        for end in [1, 0] {
            self.at(end, now, network, |endpoint, port| endpoint.start(now, port));
        }
    }

    /// Stops, writes, or turns to what its session has told it to do.
    fn wake(&mut self, now: Time, network: &mut Network) {
        if now >= self.stop {
            (self.stopped, self.task, self.wakes) = (true, None, Time::NEVER);
            if let Some(writer) = self.writer.take() {
                // What it has written is still sent, the packet too that is not full.
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

    /// The application writes: its connection has more to send.
    fn write(&mut self, now: Time, network: &mut Network) {
        let Some(writer) = &mut self.writer else { return };
        let packets = writer.write(now);
        self.wakes = self.stop.min(writer.due());
        if packets > 0 {
            self.completed = None;
            self.at(0, now, network, |endpoint, port| endpoint.send_more(now, packets, port));
        }
    }

    /// Returns whether an application goes on writing into its connection.
    pub fn is_writing(&self) -> bool {
        self.writer.is_some()
    }

    /// A new connection in the place of the one before, whose counts it takes over.
    fn reconnect(&mut self, now: Time, ends: Ends) {
        self.socket.connection = self.socket.connection.wrapping_add(1);
        for (place, endpoint) in self.ends.iter_mut().zip(ends) {
            let mut before = std::mem::replace(&mut place.endpoint, endpoint);
            before.close(now);
            place.endpoint.absorb(&*before);
        }
    }

    /// The numbers of its paths from the first end to the second.
    pub fn forward_paths(&self) -> impl Iterator<Item = u32> + use<> {
        let Socket { first_path: first, paths, .. } = self.socket;
        (0..paths).map(move |path| first + 2 * path)
    }

    /// Takes a task of its session, which it turns to when its time has come.
    pub fn take_task(&mut self, task: Task) {
        if !self.stopped {
            self.wakes = self.stop.min(task.at);
            self.task = Some(Box::new(task));
        }
    }

    /// The endpoint whose application begins.
    pub fn sender(&self) -> &dyn Endpoint {
        &*self.ends[0].endpoint
    }

    /// Returns what that endpoint has measured, as of `until`.
    pub fn report(&self, until: Time) -> Report<'_> {
        self.sender().report(until)
    }

    /// Packets sent over the measured interval.
    pub fn sent_packets(&self) -> u64 {
        self.sender().sent().packets
    }

    /// Payload bytes of these, retransmissions not included.
    pub fn sent_payload_bytes(&self) -> u64 {
        self.sender().sent().payload_bytes
    }

    /// Data packets' delays from end to end.
    pub fn one_way_delay(&self) -> &Histogram {
        &self.socket.arrivals.one_way_delay
    }

    /// Packets delivered to the application over the measured interval: each once, and in order where the transport
    /// has an order.
    pub fn delivered_packets(&self) -> u64 {
        self.socket.arrivals.packets
    }

    /// Payload bytes of these.
    pub fn delivered_bytes(&self) -> u64 {
        self.socket.arrivals.bytes
    }

    /// Counts deliveries in intervals of this length, for a series.
    pub fn count_deliveries_every(&mut self, every: Span) {
        self.socket.arrivals.series = Some((every, Vec::new()));
    }

    /// The goodput in each of the first `length` intervals, in bits per second.
    pub fn goodput_series(&self, every: Span, length: usize) -> Vec<f64> {
        let deliveries = self.socket.arrivals.series.as_ref().map_or(&[][..], |(_, deliveries)| deliveries);
        let mut series: Vec<f64> =
            deliveries.iter().map(|bytes| *bytes as f64 * 8.0 / every.seconds()).collect();
        series.resize(length, 0.0);
        series
    }

    /// Counts what another flow of the same row has sent, delivered and waited as this one's.
    pub fn absorb(&mut self, other: &Self) {
        self.socket.arrivals.packets += other.socket.arrivals.packets;
        self.socket.arrivals.bytes += other.socket.arrivals.bytes;
        self.socket.arrivals.one_way_delay.absorb(&other.socket.arrivals.one_way_delay);
        for (end, other) in self.ends.iter_mut().zip(&other.ends) {
            end.endpoint.absorb(&*other.endpoint);
        }
    }

    /// Starts counting anew at the end of the warm-up.
    pub fn reset_counts(&mut self, now: Time) {
        self.ends.iter_mut().for_each(|end| end.endpoint.reset_counts(now));
    }
}
