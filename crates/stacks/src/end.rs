//! Connects one end of a stack's connection to the simulated network.

use crate::connection::{Connection, State};
use ackclock_aqm::Ecn;
use ackclock_base::{Span, Time};
use ackclock_sim::endpoint::{Endpoint, Ends, Outbox, Properties, Sent};
use ackclock_sim::packet::Packet;
use ackclock_sim::report::Report;
use bytes::{Bytes, BytesMut};
use std::any::Any;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// What the application at the end that begins has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Application {
    /// As many bytes as the connection carries, until the application [stops](Endpoint::stop).
    Endless,
    /// This number of bytes, which end the stream.
    Bytes(u64),
    /// What a source [writes](Endpoint::send_more), until the connection is [closed](Endpoint::close).
    Written,
}

/// The packets of a connection, the receiver's window, and how the connection counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// The largest datagram in bytes.
    pub datagram: u32,
    /// The bytes of a datagram's headers on the wire: those of IP and UDP.
    pub header: u32,
    /// The stream data in a full datagram in bytes, by which delivered data is counted in packets.
    pub payload: u32,
    /// The window of the receiver in bytes of stream data. No more is in flight, whatever the congestion window is.
    pub window: u64,
    /// Whether the control knows the controls of other connections.
    pub shares: bool,
    /// Whether equal seeds give equal runs.
    pub is_seeded: bool,
}

/// The measurements of a stack, as it tells them.
#[derive(Clone, Debug, Default)]
pub struct StackReport<'e> {
    /// The number of packets that it gave up for lost; `None` if it does not tell.
    pub lost_packets: Option<u64>,
    /// The number of reductions of its window, by losses and marks, at most one per window of data; `None` if it does not tell.
    pub reductions: Option<u64>,
    /// The time at which it closed the connection; `None` while that is open.
    pub closed_at: Option<Time>,
    /// Why it closed the connection, in its own words.
    pub closed_reason: Option<&'e str>,
    /// Whether equal seeds give equal runs.
    pub is_seeded: bool,
}

/// One end of a connection of some stack, as an endpoint of the simulator. The words of a packet beyond its header are the bytes of
/// its datagram.
pub struct End {
    connection: Box<dyn Connection>,
    packing: Packing,
    /// What is left to write, at the end that begins; `None` at the other end.
    left: Option<u64>,
    /// Whether the stream ends when nothing is left to write.
    ends: bool,
    has_finished: bool,
    timer: Time,
    buffer: Vec<u8>,
    words: Vec<u64>,
    sent: Sent,
    received: u64,
    /// What the stack last told, and when.
    state: State,
    told: Time,
    /// The integral of the congestion window over time since counting began, in byte seconds.
    window_area: f64,
    /// The packets lost and the reductions before counting began.
    before: [u64; 2],
    /// When the stack closed the connection.
    closed: Option<Time>,
}

/// What the application writes: it has no meaning.
pub(crate) static DATA: [u8; 65_536] = [7; 65_536];

/// The instant of time zero. All ends have the same one, because connections of one control may compare their clocks.
pub(crate) static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The least bytes that the stack buffers.
const LEAST_BUFFER: u64 = 1 << 16;

/// The words of a packet's header: the length of the datagram, and when it was sent.
const LENGTH: usize = 0;
const SENT_AT: usize = 1;

impl End {
    /// Returns the two ends of a connection. The first one begins and sends what `application` has.
    pub fn pair(connection: [Box<dyn Connection>; 2], application: Application, packing: Packing) -> Ends {
        let [client, server] = connection;
        let (left, ends) = match application {
            Application::Endless => (u64::MAX, false),
            Application::Bytes(bytes) => (bytes, true),
            Application::Written => (0, false),
        };
        let sender = Self { left: Some(left), ends, ..Self::receiver(client, packing) };
        [Box::new(sender), Box::new(Self::receiver(server, packing))]
    }

    fn receiver(connection: Box<dyn Connection>, packing: Packing) -> Self {
        Self {
            connection,
            packing,
            left: None,
            ends: false,
            has_finished: false,
            timer: Time::NEVER,
            buffer: Vec::new(),
            words: Vec::new(),
            sent: Sent::default(),
            received: 0,
            state: State::default(),
            told: Time::ZERO,
            window_area: 0.0,
            before: [0; 2],
            closed: None,
        }
    }

    /// When the stack closed the connection; `None` while it is open.
    pub fn closed_at(&self) -> Option<Time> {
        self.closed
    }

    /// What the stack has last told about itself.
    pub fn state(&self) -> &State {
        &self.state
    }

    fn instant(now: Time) -> Instant {
        *EPOCH + Duration::from_nanos(now.nanos())
    }

    /// Writes, reads and sends until the stack has nothing more to do now, then notes when it wants to be woken. `sent_at` is when
    /// the datagram was sent that has just arrived.
    fn drive(&mut self, now: Time, sent_at: Option<Time>, out: &mut dyn Outbox) {
        let instant = Self::instant(now);
        match self.left {
            Some(_) => {
                self.ask(now);
                self.write();
            }
            None => self.read(sent_at, out),
        }
        loop {
            self.buffer.clear();
            let Some(ecn) = self.connection.transmit(instant, &mut self.buffer) else { break };
            self.send(now, ecn, out);
            self.write();
        }
        self.timer = self.connection.timeout().map_or(Time::NEVER, |at| {
            let nanos = at.saturating_duration_since(*EPOCH).as_nanos();
            Time::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)).max(now)
        });
        self.ask(now);
        if self.has_finished && self.connection.is_delivered() {
            out.done();
        }
    }

    /// Asks the stack for its state, and counts the window that it has had since it was last asked.
    fn ask(&mut self, now: Time) {
        self.window_area += self.window_area_since(now);
        (self.state, self.told) = (self.connection.state(), now);
        if self.closed.is_none() && self.state.closed.is_some() {
            self.closed = Some(now);
        }
    }

    fn window_area_since(&self, now: Time) -> f64 {
        self.state.window_bytes.unwrap_or(0) as f64 * now.since(self.told.min(now)).seconds()
    }

    /// Writes what the stack buffers: as in Linux, which grows a socket's buffer with the window (`tcp_sndbuf_expand`), a window
    /// that is in flight and another one that waits. The window is the congestion window or the receiver's, whichever is smaller.
    /// What the application has not written when it stops is not sent.
    fn write(&mut self) {
        let Some(left) = &mut self.left else { return };
        let window = self.state.window_bytes.unwrap_or(self.packing.window).min(self.packing.window);
        self.connection.set_buffer(2 * window + LEAST_BUFFER);
        while *left > 0 {
            let most = (*left).min(DATA.len() as u64) as usize;
            let written = self.connection.write(Bytes::from_static(&DATA[..most])) as u64;
            *left -= written;
            if written < most as u64 {
                return;
            }
        }
        if self.ends && !self.has_finished {
            self.has_finished = self.connection.finish();
        }
    }

    fn read(&mut self, sent_at: Option<Time>, out: &mut dyn Outbox) {
        let arrived = self.connection.read();
        let payload = u64::from(self.packing.payload);
        let before = self.received / payload;
        self.received += arrived;
        // Datagrams of the handshake, before the first data, have no delay of data.
        if self.received > 0 && sent_at.is_some() {
            out.received(sent_at, self.received / payload - before, arrived);
        }
    }

    fn send(&mut self, now: Time, ecn: Ecn, out: &mut dyn Outbox) {
        self.words.clear();
        for part in self.buffer.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.words.push(u64::from_le_bytes(word));
        }
        let mut header = [0; 3];
        header[LENGTH] = self.buffer.len() as u64;
        header[SENT_AT] = now.nanos();
        let bytes = self.buffer.len() as u32 + self.packing.header;
        // A datagram that the host's own interface refuses is lost to the stack, as a socket would have it.
        out.send_long(0, Packet { bytes, ecn, header, ..Packet::default() }, &self.words);
        self.sent.packets += 1;
    }
}

impl End {
    /// Returns what the stack has told since counting began.
    pub fn stack_report(&self) -> StackReport<'_> {
        StackReport {
            lost_packets: self.state.lost_packets.map(|lost| lost.saturating_sub(self.before[0])),
            reductions: self.state.congestion_events.map(|count| count.saturating_sub(self.before[1])),
            closed_at: self.closed,
            closed_reason: self.state.closed.as_deref(),
            is_seeded: self.packing.is_seeded,
        }
    }
}

impl Endpoint for End {
    fn properties(&self) -> Properties {
        Properties { shares: self.packing.shares && self.left.is_some(), ..Properties::default() }
    }

    fn start(&mut self, now: Time, out: &mut dyn Outbox) {
        if self.left.is_some() {
            self.told = now;
            self.connection.connect(Self::instant(now));
            self.drive(now, None, out);
        }
    }

    fn timer(&self) -> Time {
        self.timer
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        self.connection.expire(Self::instant(now));
        self.drive(now, None, out);
    }

    fn on_packet(&mut self, now: Time, _path: usize, packet: &Packet, out: &mut dyn Outbox) {
        self.words.clear();
        out.long_extension(packet, &mut self.words);
        let length = packet.header[LENGTH] as usize;
        let mut datagram = BytesMut::with_capacity(8 * self.words.len());
        for word in &self.words {
            datagram.extend_from_slice(&word.to_le_bytes());
        }
        datagram.truncate(length);
        self.connection.receive(Self::instant(now), datagram, packet.ecn);
        self.drive(now, Some(Time::from_nanos(packet.header[SENT_AT])), out);
    }

    fn send_more(&mut self, now: Time, packets: u64, out: &mut dyn Outbox) {
        self.left = self.left.map(|left| left + packets * u64::from(self.packing.payload));
        self.drive(now, None, out);
    }

    fn stop(&mut self, now: Time) {
        self.left = self.left.map(|_| 0);
        self.close(now);
    }

    fn close(&mut self, _now: Time) {
        self.ends = true;
        self.write();
    }

    fn sent(&self) -> Sent {
        self.sent
    }

    fn report(&self, until: Time) -> Report<'_> {
        let area = self.window_area + self.window_area_since(until);
        Report {
            cwnd_area: self.state.window_bytes.map(|_| area / f64::from(self.packing.datagram)),
            counts: None, // the stack retransmits by itself
            ..Report::default()
        }
    }

    fn reset_counts(&mut self, now: Time) {
        self.sent = Sent::default();
        (self.window_area, self.told) = (0.0, self.told.max(now));
        self.before = [self.state.lost_packets, self.state.congestion_events].map(|count| count.unwrap_or(0));
    }

    fn absorb(&mut self, other: &dyn Endpoint) {
        let other: &dyn Any = other;
        let Some(other) = other.downcast_ref::<Self>() else { return };
        self.sent.packets += other.sent.packets;
        let (own, more) = (&mut self.state, other.stack_report());
        for (own, more) in
            [(&mut own.lost_packets, more.lost_packets), (&mut own.congestion_events, more.reductions)]
        {
            *own = own.zip(more).map(|(own, more)| own + more);
        }
        // Of several connections the one that was closed first is named.
        if let Some(closed) = other.closed
            && self.closed.is_none_or(|first| closed < first)
        {
            self.closed = Some(closed);
            self.state.closed.clone_from(&other.state.closed);
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        let packets = |bytes: u64| bytes as f64 / f64::from(self.packing.datagram);
        series("cwnd_packets", self.state.window_bytes.map_or(f64::NAN, packets));
        series("rtt_s", self.state.rtt.map_or(f64::NAN, Span::seconds));
        self.connection.publish(series);
    }
}
