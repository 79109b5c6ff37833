//! A flow: a sending and a receiving endpoint, and what is measured of both.

use crate::histogram::Histogram;
use crate::measure::Interval;
use crate::packet::{Flags, Packet};
use crate::random::Stream;
use crate::tcp::options::Options;
use crate::tcp::receiver::Receiver;
use crate::tcp::sender::{Sender, Wire};
use crate::traffic::{UdpOptions, UdpSender};
use ackclock_base::{Span, Time};
use ackclock_cc::{Backoff, Controller};

/// What a flow is made of.
pub struct FlowParts {
    /// Its name in results.
    pub name: String,
    /// The links from the sender to the receiver, as indices.
    pub forward: Vec<u32>,
    /// The links back.
    pub backward: Vec<u32>,
    /// When it begins.
    pub start: Time,
    /// When its application has nothing more to send.
    pub stop: Time,
    /// What it sends, and how.
    pub transport: Transport,
    /// The flows of one number are counted together, as one in results.
    pub row: usize,
    /// Whether its row has other flows: it has no series of its own then, but deliveries. The end of such a connection is
    /// acknowledged at once, as a FIN would be: how long it takes is what it is for.
    pub one_of_many: bool,
    /// The session whose connection it is, as an index: then it sends what that tells it to.
    pub session: Option<u32>,
}

/// How a flow sends.
pub enum Transport {
    /// TCP.
    Tcp {
        /// Its details.
        options: Options,
        /// Its congestion control.
        control: Controller,
        /// How its timeout backs off.
        backoff: Box<dyn Backoff>,
        /// How many packets it has to send; [`u64::MAX`] for no end.
        packets: u64,
        /// Random numbers for controls that guess.
        random: Stream,
    },
    /// UDP.
    Udp(UdpOptions),
}

/// A flow in a running simulation.
pub struct Flow {
    /// Its name.
    pub name: String,
    /// When it begins.
    pub start: Time,
    /// When its application stops.
    pub stop: Time,
    /// Payload bytes of a packet, where all have the same.
    pub payload_bytes: u32,
    /// Data packets' delays from sender to receiver.
    pub one_way_delay: Histogram,
    /// The flows of one number are counted together.
    pub row: usize,
    /// Whether its row has other flows.
    pub one_of_many: bool,
    /// The session whose connection it is.
    pub session: Option<u32>,
    /// When everything it had to send was acknowledged.
    pub completed: Option<Time>,
    started: bool,
    stopped: bool,
    /// What it does next, when its session has told it.
    task: Option<Task>,
    /// When it stops or turns to its task.
    wakes: Time,
    /// How many connections it has been before, modulo 256. What is left of those in the network reaches nobody.
    connection: u8,
    endpoints: Endpoints,
    measured: Interval,
    delivered: u64,
    /// Payload bytes of these.
    delivered_bytes: u64,
    /// Deliveries in order at which the receiver acknowledges at once.
    answers_at: u64,
    /// Payload bytes delivered per interval, where a series of them is wanted.
    deliveries: Option<(Span, Vec<u64>)>,
}

/// What a session tells a flow to do.
pub struct Task {
    /// When.
    pub at: Time,
    /// How many packets it sends.
    pub packets: u64,
    /// The transport of the connection that it opens for that; `None` to go on with the one it has.
    pub transport: Option<Transport>,
}

/// Few flows, often visited: the larger variant need not be boxed.
#[allow(clippy::large_enum_variant)]
enum Endpoints {
    Tcp(Sender, Receiver),
    Udp(UdpSender),
}

impl Flow {
    /// A flow that has not begun.
    pub fn new(parts: FlowParts, measured: Interval) -> Self {
        let mut answers_at = u64::MAX;
        let (payload_bytes, endpoints) = match parts.transport {
            Transport::Tcp { options, control, backoff, packets, random } => {
                if parts.one_of_many {
                    answers_at = packets;
                }
                let receiver = Receiver::new(options.receiver);
                let payload = options.sender.payload_bytes;
                let sender = Sender::new(&options, control, backoff, packets, random);
                (payload, Endpoints::Tcp(sender, receiver))
            }
            Transport::Udp(options) => {
                (options.payload_bytes, Endpoints::Udp(UdpSender::new(options, measured)))
            }
        };
        Self {
            name: parts.name,
            start: parts.start,
            stop: parts.stop,
            payload_bytes,
            one_way_delay: Histogram::default(),
            row: parts.row,
            one_of_many: parts.one_of_many,
            session: parts.session,
            completed: None,
            started: parts.session.is_some(),
            stopped: false,
            task: None,
            wakes: parts.stop,
            connection: 0,
            endpoints,
            measured,
            delivered: 0,
            delivered_bytes: 0,
            answers_at,
            deliveries: None,
        }
    }

    /// When [`Self::on_sender_timer`] is due.
    pub fn sender_timer(&self) -> Time {
        if !self.started {
            return self.start;
        }
        let due = match &self.endpoints {
            Endpoints::Tcp(sender, _) => sender.timer(),
            Endpoints::Udp(sender) => sender.timer(),
        };
        due.min(self.wakes)
    }

    /// When [`Self::on_receiver_timer`] is due.
    pub fn receiver_timer(&self) -> Time {
        match &self.endpoints {
            Endpoints::Tcp(_, receiver) => receiver.timer(),
            Endpoints::Udp(_) => Time::NEVER,
        }
    }

    /// The sender's timer has expired: begin, stop, send or retransmit.
    pub fn on_sender_timer(&mut self, now: Time, wire: &mut impl Wire) {
        if !self.started {
            self.started = true;
            match &mut self.endpoints {
                Endpoints::Tcp(sender, _) => sender.start(now, wire),
                Endpoints::Udp(sender) => sender.start(now),
            }
            return;
        }
        if now >= self.wakes {
            self.wake(now, wire);
        }
        let wire = &mut Labelling { wire, connection: self.connection };
        match &mut self.endpoints {
            Endpoints::Tcp(sender, _) if now >= sender.timer() => sender.on_timer(now, wire),
            Endpoints::Udp(sender) if now >= sender.timer() => wire.send(sender.on_timer(now)),
            _ => {}
        }
    }

    /// Stops, or turns to what its session has told it to do.
    fn wake(&mut self, now: Time, wire: &mut impl Wire) {
        if now >= self.stop {
            (self.stopped, self.task, self.wakes) = (true, None, Time::NEVER);
            match &mut self.endpoints {
                Endpoints::Tcp(sender, _) => sender.stop(),
                Endpoints::Udp(sender) => sender.stop(),
            }
            return;
        }
        self.wakes = self.stop;
        let Some(Task { packets, transport, .. }) = self.task.take() else { return };
        self.completed = None;
        let opens = transport.is_some();
        if let Some(transport) = transport {
            self.reconnect(transport, packets);
        }
        self.answers_at += packets;
        let Endpoints::Tcp(sender, _) = &mut self.endpoints else { return };
        let wire = &mut Labelling { wire, connection: self.connection };
        if opens {
            sender.start(now, wire);
        } else {
            sender.send_more(now, packets, wire);
        }
    }

    /// A new connection in the place of the one before, whose counts it takes over.
    fn reconnect(&mut self, transport: Transport, packets: u64) {
        let Transport::Tcp { options, control, backoff, random, .. } = transport else { return };
        let mut sender = Sender::new(&options, control, backoff, packets, random);
        sender.stay_open();
        if let Endpoints::Tcp(before, _) = &mut self.endpoints {
            before.close();
            sender.absorb(before);
        }
        self.connection = self.connection.wrapping_add(1);
        self.answers_at = 0;
        self.endpoints = Endpoints::Tcp(sender, Receiver::new(options.receiver));
    }

    /// Takes a task of its session, which it turns to when its time has come.
    pub fn take_task(&mut self, task: Task) {
        if !self.stopped {
            self.wakes = self.stop.min(task.at);
            self.task = Some(task);
        }
    }

    /// The receiver's timer has expired.
    pub fn on_receiver_timer(&mut self, now: Time) -> Option<Packet> {
        match &mut self.endpoints {
            Endpoints::Tcp(_, receiver) if now >= receiver.timer() => {
                Some(label(receiver.on_timer(), self.connection))
            }
            _ => None,
        }
    }

    /// A packet reaches the receiver at `at`, which may lie ahead; returns the acknowledgement that it causes.
    #[inline]
    pub fn on_data(&mut self, at: Time, packet: &Packet) -> Option<Packet> {
        if packet.flags.connection() != self.connection {
            return None;
        }
        let counts = self.measured.contains(at);
        if counts && !packet.flags.has(Flags::SYN) {
            self.one_way_delay.record(at.since(packet.stamp));
        }
        let payload = u64::from(self.payload_bytes);
        let (new, bytes, ack) = match &mut self.endpoints {
            Endpoints::Tcp(_, receiver) => {
                let before = receiver.delivered();
                let mut ack = receiver.on_data(at, packet);
                if ack.is_none() && receiver.delivered() >= self.answers_at {
                    ack = Some(receiver.on_timer());
                }
                let new = receiver.delivered() - before;
                (new, new * payload, ack)
            }
            Endpoints::Udp(sender) => (1, u64::from(sender.payload_of(packet)), sender.reply_to(packet)),
        };
        if counts {
            self.delivered += new;
            self.delivered_bytes += bytes;
        }
        if let Some((every, deliveries)) = &mut self.deliveries {
            let interval = (at.nanos() / every.nanos().max(1)) as usize;
            if interval >= deliveries.len() {
                deliveries.resize(interval + 1, 0);
            }
            deliveries[interval] += bytes;
        }
        ack.map(|ack| label(ack, self.connection))
    }

    /// An acknowledgement has reached the sender. Says whether it is the one that was still missing.
    #[inline]
    pub fn on_ack(&mut self, now: Time, packet: &Packet, wire: &mut impl Wire) -> bool {
        let sender = match &mut self.endpoints {
            Endpoints::Tcp(sender, _) => sender,
            Endpoints::Udp(sender) => {
                sender.on_reply(now, packet);
                return false;
            }
        };
        if packet.flags.connection() != self.connection {
            return false;
        }
        sender.on_ack(now, packet, &mut Labelling { wire, connection: self.connection });
        let completes = self.completed.is_none() && sender.is_done();
        if completes {
            self.completed = Some(now);
        }
        completes
    }

    /// The TCP sender, if it is one.
    pub fn tcp(&self) -> Option<&Sender> {
        match &self.endpoints {
            Endpoints::Tcp(sender, _) => Some(sender),
            Endpoints::Udp(_) => None,
        }
    }

    /// The TCP sender, if it is one.
    pub fn tcp_mut(&mut self) -> Option<&mut Sender> {
        match &mut self.endpoints {
            Endpoints::Tcp(sender, _) => Some(sender),
            Endpoints::Udp(_) => None,
        }
    }

    /// Whether its window is at the slow start threshold or above, and no loss is being repaired; false without a window.
    pub fn avoids_congestion(&self) -> bool {
        self.tcp().is_some_and(|sender| {
            let decision = sender.control().decision();
            decision.cwnd >= decision.ssthresh && !sender.recovering()
        })
    }

    /// Packets sent over the measured interval.
    pub fn sent_packets(&self) -> u64 {
        match &self.endpoints {
            Endpoints::Tcp(sender, _) => sender.counts().sent,
            Endpoints::Udp(sender) => sender.sent(),
        }
    }

    /// Payload bytes of these, retransmissions not included.
    pub fn sent_payload_bytes(&self) -> u64 {
        match &self.endpoints {
            Endpoints::Tcp(sender, _) => {
                let counts = sender.counts();
                (counts.sent - counts.retransmitted) * u64::from(self.payload_bytes)
            }
            Endpoints::Udp(sender) => sender.sent_bytes(),
        }
    }

    /// The UDP endpoints, if that is what it has.
    pub fn udp(&self) -> Option<&UdpSender> {
        match &self.endpoints {
            Endpoints::Udp(sender) => Some(sender),
            Endpoints::Tcp(..) => None,
        }
    }

    /// Packets delivered to the application over the measured interval: each once, and in order where the transport
    /// has an order.
    pub fn delivered_packets(&self) -> u64 {
        self.delivered
    }

    /// Payload bytes of these.
    pub fn delivered_bytes(&self) -> u64 {
        self.delivered_bytes
    }

    /// Counts deliveries in intervals of this length, for a series.
    pub fn count_deliveries_every(&mut self, every: Span) {
        self.deliveries = Some((every, Vec::new()));
    }

    /// The goodput in each of the first `length` intervals, in bits per second.
    pub fn goodput_series(&self, every: Span, length: usize) -> Vec<f64> {
        let deliveries = self.deliveries.as_ref().map_or(&[][..], |(_, deliveries)| deliveries);
        let mut series: Vec<f64> =
            deliveries.iter().map(|bytes| *bytes as f64 * 8.0 / every.seconds()).collect();
        series.resize(length, 0.0);
        series
    }

    /// Counts what another flow of the same row has sent, delivered and waited as this one's.
    pub fn absorb(&mut self, other: &Self) {
        self.delivered += other.delivered;
        self.delivered_bytes += other.delivered_bytes;
        self.one_way_delay.absorb(&other.one_way_delay);
        if let (Endpoints::Tcp(sender, _), Some(other)) = (&mut self.endpoints, other.tcp()) {
            sender.absorb(other);
        }
    }

    /// Starts counting anew at the end of the warm-up.
    pub fn reset_counts(&mut self, now: Time) {
        match &mut self.endpoints {
            Endpoints::Tcp(sender, _) => sender.reset_counts(now),
            Endpoints::Udp(sender) => sender.reset_counts(),
        }
    }
}

/// Says on every packet which of the flow's connections it belongs to.
struct Labelling<'w, W> {
    wire: &'w mut W,
    connection: u8,
}

impl<W: Wire> Wire for Labelling<'_, W> {
    #[inline]
    fn send(&mut self, packet: Packet) {
        self.wire.send(label(packet, self.connection));
    }

    fn refused(&self) -> bool {
        self.wire.refused()
    }
}

#[inline]
fn label(mut packet: Packet, connection: u8) -> Packet {
    packet.flags = packet.flags.of_connection(connection);
    packet
}
