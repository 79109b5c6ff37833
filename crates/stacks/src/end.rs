//! Connects one end of a stack's connection to the simulated network.

use crate::connection::Connection;
use ackclock_aqm::Ecn;
use ackclock_base::{Size, Time};
use ackclock_sim::endpoint::{Endpoint, Outbox, Sent};
use ackclock_sim::packet::Packet;
use bytes::BytesMut;
use std::time::{Duration, Instant};

/// What the application at the end that begins has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Application {
    /// The bytes to send, or `None` for as many as the connection carries.
    pub bytes: Option<u64>,
}

/// One end of a connection of some stack, as an endpoint of the simulator. The words of a packet beyond its header are the bytes of
/// its datagram.
pub struct End {
    connection: Box<dyn Connection>,
    /// What is left to write, at the end that begins; `None` at the other end.
    left: Option<u64>,
    has_finished: bool,
    /// Bytes of a datagram's headers on the wire.
    header: Size,
    /// Payload bytes by which delivered data is counted in packets.
    payload: u64,
    /// The instant that is time zero of the simulation.
    epoch: Instant,
    timer: Time,
    buffer: Vec<u8>,
    words: Vec<u64>,
    sent: Sent,
    received: u64,
    /// When the stack closed the connection.
    closed: Option<Time>,
}

/// What the application writes: it has no meaning.
static DATA: [u8; 16_384] = [7; 16_384];

/// The words of a packet's header: the length of the datagram, and when it was sent.
const LENGTH: usize = 0;
const SENT_AT: usize = 1;

impl End {
    /// Returns the end that begins the connection and sends what `application` has.
    pub fn sender(
        connection: Box<dyn Connection>,
        application: Application,
        header: Size,
        payload: u64,
    ) -> Self {
        Self {
            left: Some(application.bytes.unwrap_or(u64::MAX)),
            ..Self::receiver(connection, header, payload)
        }
    }

    /// Returns the end that waits for the connection and reads what arrives.
    pub fn receiver(connection: Box<dyn Connection>, header: Size, payload: u64) -> Self {
        Self {
            connection,
            left: None,
            has_finished: false,
            header,
            payload: payload.max(1),
            epoch: Instant::now(),
            timer: Time::NEVER,
            buffer: Vec::new(),
            words: Vec::new(),
            sent: Sent::default(),
            received: 0,
            closed: None,
        }
    }

    /// The stack's connection.
    pub fn connection(&mut self) -> &mut dyn Connection {
        &mut *self.connection
    }

    /// When the stack closed the connection; `None` while it is open.
    pub fn closed_at(&self) -> Option<Time> {
        self.closed
    }

    fn instant(&self, now: Time) -> Instant {
        self.epoch + Duration::from_nanos(now.nanos())
    }

    /// Writes, reads and sends until the stack has nothing more to do now, then notes when it wants to be woken. `sent_at` is when
    /// the datagram was sent that has just arrived.
    fn drive(&mut self, now: Time, sent_at: Option<Time>, out: &mut dyn Outbox) {
        let instant = self.instant(now);
        match self.left {
            Some(_) => self.write(),
            None => self.read(sent_at, out),
        }
        loop {
            self.buffer.clear();
            let Some(ecn) = self.connection.transmit(instant, &mut self.buffer) else { break };
            self.send(now, ecn, out);
            self.write();
        }
        self.timer = self.connection.timeout().map_or(Time::NEVER, |at| {
            let nanos = at.saturating_duration_since(self.epoch).as_nanos();
            Time::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)).max(now)
        });
        if self.closed.is_none() && self.connection.state().closed.is_some() {
            self.closed = Some(now);
        }
        if self.has_finished && self.connection.is_delivered() {
            out.done();
        }
    }

    fn write(&mut self) {
        let Some(left) = &mut self.left else { return };
        while *left > 0 {
            let most = (*left).min(DATA.len() as u64) as usize;
            let written = self.connection.write(&DATA[..most]) as u64;
            *left -= written;
            self.sent.payload_bytes += written;
            if written < most as u64 {
                return;
            }
        }
        if !self.has_finished {
            self.has_finished = self.connection.finish();
        }
    }

    fn read(&mut self, sent_at: Option<Time>, out: &mut dyn Outbox) {
        let arrived = self.connection.read();
        if arrived > 0 {
            let before = self.received / self.payload;
            self.received += arrived;
            out.received(sent_at, self.received / self.payload - before, arrived);
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
        let bytes = (self.buffer.len() as u64 + self.header.bytes()) as u32;
        // A datagram that the host's own interface refuses is lost to the stack, as a socket would have it.
        out.send_long(0, Packet { bytes, ecn, header, ..Packet::default() }, &self.words);
        self.sent.packets += 1;
    }
}

impl Endpoint for End {
    fn start(&mut self, now: Time, out: &mut dyn Outbox) {
        if self.left.is_some() {
            let instant = self.instant(now);
            self.connection.connect(instant);
            self.drive(now, None, out);
        }
    }

    fn timer(&self) -> Time {
        self.timer
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        let instant = self.instant(now);
        self.connection.expire(instant);
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
        let instant = self.instant(now);
        self.connection.receive(instant, datagram, packet.ecn);
        self.drive(now, Some(Time::from_nanos(packet.header[SENT_AT])), out);
    }

    fn stop(&mut self, _now: Time) {
        self.left = self.left.map(|_| 0);
        self.write();
    }

    fn sent(&self) -> Sent {
        self.sent
    }

    fn reset_counts(&mut self, _now: Time) {
        self.sent = Sent::default();
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.connection.publish(series);
    }
}
