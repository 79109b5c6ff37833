//! The interface between a link and a discipline that holds the packets itself. It chooses the next packet
//! when the link is free, and may drop packets then. It costs the link an event per packet; a discipline that
//! decides at arrival does not.

use crate::discipline::Arrival;
use crate::label::Label;
use ackclock_base::{Random, Time};

/// A discipline that decides at departure.
pub trait Departing: Send {
    /// Called once, before the first packet, with the labels of each path's packets. [`Arrival::flow`] is the
    /// index of a packet's path. If it is not called, every path has the default label.
    fn on_labels(&mut self, _labels: &[Label]) {}

    /// Called when a packet arrives. Every packet dropped for it, itself or another, is passed to `drops`.
    fn on_arrival(&mut self, held: Held, random: &mut dyn Random, drops: &mut dyn FnMut(Ticket));

    /// Called when the link is free. Returns the packet to send; packets dropped before it are passed to
    /// `drops`. Returns `None` only if no packet waits or the discipline is not [ready](Self::ready).
    fn on_departure(
        &mut self,
        now: Time,
        random: &mut dyn Random,
        drops: &mut dyn FnMut(Ticket),
    ) -> Option<Departure>;

    /// Returns the time until which packets are held back, as in a shaper. A time in the past means that none
    /// are.
    fn ready(&self) -> Time {
        Time::ZERO
    }

    /// Returns the number of packets waiting.
    fn packets(&self) -> u64;

    /// Publishes internal values for figures, under the same names at each call; a value that is not known
    /// yet is NaN.
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// The link's identifier of a waiting packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u32);

/// A packet held by the discipline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// The link's identifier of the packet.
    pub ticket: Ticket,
    /// The packet as it arrived.
    pub arrival: Arrival,
    /// Whether the link is idle and no packet waits. If so, this packet need not wait, and no limit applies
    /// to it.
    pub link_free: bool,
}

/// A packet to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The link's identifier of the packet.
    pub ticket: Ticket,
    /// Whether the packet's ECN field is set to congestion experienced.
    pub marked: bool,
}
