//! The interface between the network and what sends over it. A flow has two ends, each an [`Endpoint`], and one or more
//! paths between them; end 0 is the one whose application begins.
//!
//! An endpoint is a state machine without input or output: it is told of packets and of the time, and answers through an
//! [`Outbox`]. What its header's words mean only the two ends know.

use crate::packet::{Extension, Packet};
use crate::report::Report;
use ackclock_base::{Span, Time};
use std::any::Any;

/// One end of a flow.
pub trait Endpoint: Any + Send {
    /// What the network may rely on. Asked once, when the flow is made.
    fn properties(&self) -> Properties {
        Properties::default()
    }

    /// The flow begins, or this connection of it.
    fn start(&mut self, _now: Time, _out: &mut dyn Outbox) {}

    /// When [`Self::on_timer`] is due; [`Time::NEVER`] while nothing is.
    fn timer(&self) -> Time {
        Time::NEVER
    }

    /// The time that [`Self::timer`] announced has come.
    fn on_timer(&mut self, _now: Time, _out: &mut dyn Outbox) {}

    /// A packet that the other end sent over the flow's path of this number arrives. What it [extends](Packet::is_extended)
    /// its header by can be had from the outbox.
    fn on_packet(&mut self, now: Time, path: usize, packet: &Packet, out: &mut dyn Outbox);

    /// The application has nothing more to send; what is outstanding may still be repaired.
    fn stop(&mut self, _now: Time) {}

    /// The application has so many packets more to send, over a connection that has stayed open.
    fn send_more(&mut self, _now: Time, _packets: u64, _out: &mut dyn Outbox) {}

    /// The other end has been told to send so many packets more.
    fn expect(&mut self, _packets: u64) {}

    /// The end of the connection: another one takes its place.
    fn close(&mut self, _now: Time) {}

    /// What it has sent since counting began.
    fn sent(&self) -> Sent {
        Sent::default()
    }

    /// Returns what it has measured since counting began, as of `until`, the end of the run.
    fn report(&self, _until: Time) -> Report<'_> {
        Report::default()
    }

    /// Starts counting anew at the end of the warm-up.
    fn reset_counts(&mut self, _now: Time) {}

    /// Counts what another endpoint of its kind has counted as its own.
    fn absorb(&mut self, _other: &dyn Endpoint) {}

    /// Whether its window is at the slow start threshold or above and no loss is being repaired (RFC 5681 section 3.1);
    /// `None` where there is no such thing.
    fn avoids_congestion(&self) -> Option<bool> {
        None
    }

    /// Names what it has to show of its inside, for figures.
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// The two ends of a flow.
pub type Ends = [Box<dyn Endpoint>; 2];

/// What the network may rely on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    /// It has no timer, and what it does depends on nothing but the packets that arrive. So it may be handed a packet as
    /// soon as its arrival is known, before that time has come, which saves an event. Not where several paths lead to it:
    /// their packets would come out of order.
    pub only_answers: bool,
    /// What it does depends on what other flows' endpoints do, by something that they share beside the network.
    pub shares: bool,
    /// What it sends leaves up to so much later, drawn evenly for each packet, but never overtakes what it sent before.
    pub send_jitter: Span,
}

/// What an endpoint has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Packets with data, repetitions included.
    pub packets: u64,
    /// Payload bytes, repetitions not included.
    pub payload_bytes: u64,
}

/// What the host's own interface makes of a packet that an endpoint sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// The interface takes it.
    Sent {
        /// When it will have left the interface; `None` if that is not known yet.
        leaves: Option<Time>,
    },
    /// The interface has no room for it.
    Refused,
}

impl Launch {
    /// The interface takes the packet; when it leaves is unknown.
    pub const SENT: Self = Self::Sent { leaves: None };
}

/// Where an endpoint puts what it has to say.
pub trait Outbox {
    /// Sends a packet over the flow's path of this number, from 0.
    fn send(&mut self, path: usize, packet: Packet) -> Launch;

    /// Sends a packet whose header is longer than its words.
    fn send_extended(&mut self, path: usize, packet: Packet, extension: Extension) -> Launch;

    /// Sends a packet whose header is longer than an extension.
    fn send_long(&mut self, path: usize, packet: Packet, words: &[u64]) -> Launch;

    /// Appends all words of what a packet that has arrived extends its header by, with zeros at the end.
    fn long_extension(&self, packet: &Packet, words: &mut Vec<u64>);

    /// What a packet that has arrived extends its header by; zeros if nothing.
    fn extension(&self, packet: &Packet) -> Extension;

    /// A packet with data has arrived, and so many packets and payload bytes are with the application now that were not
    /// before. `sent` is when it was sent, where that counts as a one-way delay.
    fn received(&mut self, sent: Option<Time>, packets: u64, payload_bytes: u64);

    /// All that the application had to send has arrived, as far as this end knows.
    fn done(&mut self);
}
