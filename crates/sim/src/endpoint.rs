//! The interface between the network and the transports. A flow has two ends, each an [`Endpoint`], and one
//! or more paths between them. End 0 is the sender: its application begins to send.
//!
//! An endpoint is a state machine without input or output: its methods are called with packets and with the
//! time, and it answers through an [`Outbox`]. Only the two ends of a flow, and [agents](crate::agent) on its
//! path, know the meaning of the header words.

use crate::packet::{Extension, Packet};
use crate::report::Report;
use ackclock_base::{Span, Time};
use std::any::Any;

#[cfg(test)]
pub mod testing;

/// One end of a flow.
pub trait Endpoint: Any + Send {
    /// Returns the properties that the network may rely on. They must not change after the flow has been
    /// made.
    fn properties(&self) -> Properties {
        Properties::default()
    }

    /// Called when the flow begins, or when one of its later connections opens: on both ends, end 1 first.
    fn start(&mut self, _now: Time, _out: &mut dyn Outbox) {}

    /// Returns when [`Self::on_timer`] is due; [`Time::NEVER`] if no timer is set. It is asked after each call,
    /// and may return an earlier or a later time than before.
    fn timer(&self) -> Time {
        Time::NEVER
    }

    /// Called at the time that [`Self::timer`] announced.
    fn on_timer(&mut self, _now: Time, _out: &mut dyn Outbox) {}

    /// Called when a packet of the other end arrives over path `path` of the flow, counted from 0. The outbox
    /// returns the [extension](Packet::is_extended) of its header.
    fn on_packet(&mut self, now: Time, path: usize, packet: &Packet, out: &mut dyn Outbox);

    /// Called on both ends when the application stops, except for an application that writes into the
    /// connection, after which end 0 is [closed](Self::close). Data that has not been sent yet is dropped;
    /// outstanding data may still be retransmitted.
    fn stop(&mut self, _now: Time) {}

    /// Called when the application has `packets` more packets to send over the open connection.
    fn send_more(&mut self, _now: Time, _packets: u64, _out: &mut dyn Outbox) {}

    /// Called when the other end has been given `packets` more packets to send.
    fn expect(&mut self, _packets: u64) {}

    /// Called when the connection ends because another one replaces it, and on end 0 when the application
    /// that [writes](crate::traffic::writer) into the connection has stopped, whose data is still sent.
    fn close(&mut self, _now: Time) {}

    /// Returns what this endpoint has sent since counting began.
    fn sent(&self) -> Sent {
        Sent::default()
    }

    /// Returns what this endpoint has measured since counting began, as of `until`, the end of the run.
    fn report(&self, _until: Time) -> Report<'_> {
        Report::default()
    }

    /// Resets the counts at the end of the warm-up.
    fn reset_counts(&mut self, _now: Time) {}

    /// Adds the counts of another endpoint of the same type to its own.
    fn absorb(&mut self, _other: &dyn Endpoint) {}

    /// Returns whether the window is at or above the slow start threshold and no loss is being repaired (RFC
    /// 5681 section 3.1); `None` if the endpoint has no such threshold.
    fn avoids_congestion(&self) -> Option<bool> {
        None
    }

    /// Publishes internal values for figures, each with its name.
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

impl dyn Endpoint + '_ {
    /// Returns the endpoint as one of this type; `None` if it is of another.
    pub fn of<T: Endpoint>(&self) -> Option<&T>
    where
        Self: 'static,
    {
        let endpoint: &dyn Any = self;
        endpoint.downcast_ref()
    }
}

/// The two ends of a flow.
pub type Ends = [Box<dyn Endpoint>; 2];

/// The properties of an endpoint that the network may rely on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    /// Whether the endpoint acts only when a packet arrives, and never sets a timer. The engine then makes no
    /// event for its timer.
    pub only_answers: bool,
    /// Whether the endpoint depends on endpoints of other flows through state that they share outside the
    /// network.
    pub shares: bool,
    /// The upper limit of a random delay before each packet leaves, drawn uniformly per packet. A packet
    /// never overtakes an earlier one of the endpoint.
    pub send_jitter: Span,
}

/// The counts of what an endpoint has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The number of data packets, including retransmissions.
    pub packets: u64,
    /// The number of payload bytes, without retransmissions.
    pub payload_bytes: u64,
}

/// The answer of the host's interface to a packet that an endpoint sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// The interface accepts the packet.
    Sent,
    /// The interface has no room for the packet.
    Refused,
}

/// The interface through which an endpoint sends packets and reports deliveries.
pub trait Outbox {
    /// Sends a packet now over path `path` of the flow, counted from 0. Returns [`Launch::Refused`] if the queue
    /// of the path's first link has no room for it.
    fn send(&mut self, path: usize, packet: Packet) -> Launch;

    /// Sends a packet whose header needs an extension besides its own words.
    fn send_extended(&mut self, path: usize, packet: Packet, extension: Extension) -> Launch;

    /// Sends a packet whose header needs more words than an extension holds.
    fn send_long(&mut self, path: usize, packet: Packet, words: &[u64]) -> Launch;

    /// Returns when the packet sent last over path `path`, if it was not refused, will have left the host's
    /// own interface; `None` if that is not known yet.
    fn leaves(&self, _path: usize) -> Option<Time> {
        None
    }

    /// Appends to `words` all words of the header extension of an arrived packet, padded with zeros.
    fn long_extension(&self, packet: &Packet, words: &mut Vec<u64>);

    /// Returns the header extension of an arrived packet; zeros if it has none.
    fn extension(&self, packet: &Packet) -> Extension;

    /// Records that a data packet has arrived and that `packets` packets and `payload_bytes` bytes have
    /// become available to the application. `sent` is the time at which the packet was sent, or `None` if it
    /// does not count for the one-way delay. Goodput and one-way delays are computed from these calls.
    fn received(&mut self, sent: Option<Time>, packets: u64, payload_bytes: u64);

    /// Records that, as far as this end knows, all data of the application has arrived.
    fn done(&mut self);
}
