//! The interface between a link and a discipline that holds the packets itself: it decides at departure which goes
//! next, and may drop then. It costs its link an event per packet, which a discipline that decides at arrival does not.

use crate::discipline::Arrival;
use crate::label::Label;
use ackclock_base::{Random, Time};

/// A discipline that decides at departure.
pub trait Departing: Send {
    /// Called once, before the first packet, with what the headers of each path's packets say. [`Arrival::flow`] is the index of
    /// a packet's path. Where it is not called, every path has the default label.
    fn on_labels(&mut self, _labels: &[Label]) {}

    /// A packet arrives. Whatever is dropped for it, itself or another, is named to `drops`.
    fn on_arrival(&mut self, held: Held, random: &mut dyn Random, drops: &mut dyn FnMut(Ticket));

    /// The link is free: which packet goes now, if any. Whatever is dropped before is named to `drops`. Nothing goes only
    /// where nothing waits or where it is not [ready](Self::ready).
    fn on_departure(
        &mut self,
        now: Time,
        random: &mut dyn Random,
        drops: &mut dyn FnMut(Ticket),
    ) -> Option<Departure>;

    /// The instant until which packets are held back, as a shaper does; in the past where nothing is.
    fn ready(&self) -> Time {
        Time::ZERO
    }

    /// Packets waiting.
    fn packets(&self) -> u64;

    /// Names what the discipline has to show of its inside, for figures: the same each time, NaN for what is not known yet.
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// What a link knows a waiting packet by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u32);

/// A packet that waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// What the link knows it by.
    pub ticket: Ticket,
    /// How it arrived.
    pub arrival: Arrival,
    /// Whether the link has nothing to send and nothing waits: then it does not have to wait, and no limit holds for it.
    pub link_free: bool,
}

/// A packet that goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Which.
    pub ticket: Ticket,
    /// Whether it gets congestion experienced set.
    pub marked: bool,
}
