//! One host of a TCP connection whose other host the caller plays: segments arrive when the caller says so, and
//! what the host sends is kept with its time. No network lies between the two, so every time is the caller's.
//!
//! A host has both halves of a connection. The flows of a simulation carry data one way, so their sender and their
//! receiver never meet; here a data segment carries the acknowledgement that the receiver owes.

use super::connection::Connection;
use super::receiver::Receiver;
use super::segment::{Flags, Segment};
use super::sender::{SegmentWire, TcpSender};
use crate::endpoint::Launch;
use ackclock_base::Time;

/// One host of a connection.
pub struct Host {
    sender: TcpSender,
    receiver: Receiver,
    out: Departures,
    /// Whether the receiver owes an acknowledgement that is not held back.
    owes: bool,
}

/// A segment that the host has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// When it was sent.
    pub at: Time,
    /// Its kind.
    pub kind: DepartureKind,
    /// The segment.
    pub segment: Segment,
}

/// The kind of a segment that a host sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepartureKind {
    /// A SYN, or the answer to one.
    Handshake,
    /// Data.
    Data,
    /// A window probe without data.
    WindowProbe,
    /// An acknowledgement without data.
    Acknowledgement,
}

/// The host's interface, which sends at once or refuses.
#[derive(Debug, Default)]
struct Departures {
    now: Time,
    refuses: bool,
    sent: Vec<Departure>,
}

impl Departures {
    fn keep(&mut self, kind: DepartureKind, segment: Segment) {
        self.sent.push(Departure { at: self.now, kind, segment });
    }
}

impl SegmentWire for Departures {
    fn send(&mut self, segment: Segment) -> Launch {
        if self.refuses {
            return Launch::Refused;
        }
        let kind = match segment.flags {
            flags if flags.has(Flags::WINDOW_PROBE) => DepartureKind::WindowProbe,
            flags if flags.has(Flags::SYN) => DepartureKind::Handshake,
            _ => DepartureKind::Data,
        };
        self.keep(kind, segment);
        Launch::Sent
    }

    fn leaves(&self) -> Option<Time> {
        Some(self.now)
    }
}

impl Host {
    /// Creates a host that has sent nothing, and whose connection stays open.
    pub fn new(connection: Connection) -> Self {
        let Connection { options, control, backoff, packets, random } = connection;
        let mut sender = TcpSender::new(&options, control, backoff, packets, random);
        sender.stay_open();
        sender.await_window();
        Self { sender, receiver: Receiver::new(options.receiver), out: Departures::default(), owes: false }
    }

    /// Connects: sends a SYN.
    pub fn connect(&mut self, now: Time) {
        self.out.now = now;
        self.sender.start(now, &mut self.out);
    }

    /// Called when a SYN arrives at the listening host, which answers it.
    pub fn on_syn(&mut self, now: Time, syn: &Segment) {
        self.out.now = now;
        let answer = self.receiver.on_syn(now, syn);
        self.sender.accept(now, syn, &answer, &mut self.out);
    }

    /// Called when a segment arrives with an acknowledgement, with data, or with both: the acknowledgement first
    /// lets data out, and what the receiver still owes follows. The answer to a SYN is an acknowledgement with
    /// [`Flags::SYN`].
    pub fn on_segment(&mut self, now: Time, acknowledgement: Option<&Segment>, data: Option<&Segment>) {
        self.out.now = now;
        if let Some(data) = data {
            self.owes |= self.receiver.take(now, data);
        }
        if let Some(acknowledgement) = acknowledgement {
            let before = self.out.sent.len();
            self.sender.on_ack(now, acknowledgement, &mut self.out);
            self.carry_acknowledgement(now, before);
        }
        if std::mem::take(&mut self.owes) {
            self.acknowledge(now);
        }
    }

    /// Called when the application writes `packets` packets.
    pub fn write(&mut self, now: Time, packets: u64) {
        self.out.now = now;
        let before = self.out.sent.len();
        self.sender.send_more(now, packets, &mut self.out);
        self.carry_acknowledgement(now, before);
    }

    /// Called when the application closes the connection. Data written before is still sent.
    pub fn close(&mut self, now: Time) {
        self.sender.close(now);
    }

    /// Makes the host's own interface refuse every packet, or accept them again. A refused acknowledgement is lost:
    /// the receiver does not hear of it.
    pub fn refuse(&mut self, refuses: bool) {
        self.out.refuses = refuses;
    }

    /// Returns when [`Self::on_timer`] is due; [`Time::NEVER`] if no timer runs.
    pub fn timer(&self) -> Time {
        self.sender.timer().min(self.receiver.timer())
    }

    /// Called at the time that [`Self::timer`] announced. A timer of the sender expires before one of the receiver.
    pub fn on_timer(&mut self, now: Time) {
        self.out.now = now;
        if now >= self.sender.timer() {
            let before = self.out.sent.len();
            self.sender.on_timer(now, &mut self.out);
            self.carry_acknowledgement(now, before);
        } else if now >= self.receiver.timer() {
            self.acknowledge(now);
        }
    }

    /// Returns what the host has sent since the last call, and forgets it.
    pub fn take_departures(&mut self) -> Vec<Departure> {
        std::mem::take(&mut self.out.sent)
    }

    /// Returns the sender.
    pub fn sender(&self) -> &TcpSender {
        &self.sender
    }

    /// Returns the receiver.
    pub fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// Takes the acknowledgement that the receiver owes or holds back as sent if data left since there were
    /// `before` departures: that data carries it (RFC 1122 section 4.2.3.2).
    fn carry_acknowledgement(&mut self, now: Time, before: usize) {
        let has_data = self.out.sent[before..].iter().any(|sent| sent.kind == DepartureKind::Data);
        if has_data && (self.owes || self.receiver.timer() < Time::NEVER) {
            self.owes = false;
            self.receiver.acknowledge(now);
        }
    }

    fn acknowledge(&mut self, now: Time) {
        let acknowledgement = self.receiver.acknowledge(now);
        if !self.out.refuses {
            self.out.keep(DepartureKind::Acknowledgement, acknowledgement);
        }
    }
}

#[cfg(test)]
mod tests;
