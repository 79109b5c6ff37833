//! What a link may do to a packet besides sending it: one declaration that the laboratory fills from a scenario, that the
//! simulator carries out, and against which the verifier checks a trace. It is plain data: none of the three uses the code of
//! another.

use crate::quantity::{Span, Time};

/// What a link may do to packets on its wire; by default nothing but delay them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkRules {
    /// The most that jitter adds to the delay of a packet. The jitter of Linux's network emulator, in contrast, lies on both
    /// sides of the delay.
    pub jitter: Span,
    /// A detour, which adds to the delay for a while.
    pub detour: Option<Detour>,
    /// Whether packets may overtake one another. Otherwise a packet that would overtake arrives with the packet before it.
    pub reorders: bool,
    /// The packets that skip the delay and all that adds to it, and so overtake others; `None` if there are none. Needs
    /// `reorders`.
    pub skips: Option<Skips>,
    /// The length of the slots, counted from time zero, at whose ends packets arrive; zero where packets arrive at once.
    pub hold: Span,
    /// The packets of which a copy arrives behind them; `None` if there are none.
    pub duplicates: Option<Duplicates>,
}

/// A change of route: for a while packets take a longer route, about which no host is informed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detour {
    /// The first instant of the detour.
    pub from: Time,
    /// The end of the detour, which is the first instant after it.
    pub until: Time,
    /// How much longer the wire takes with a packet whose transmission ends during the detour.
    pub longer: Span,
}

/// The share of packets that a link duplicates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Duplicates {
    /// The share of packets, from 0 to 1: a packet is duplicated if its random number lies below it.
    pub share: f64,
    /// The correlation of the random numbers of successive packets.
    pub correlation: f64,
}

/// The share of packets that skip the delay of a link and so overtake others: Linux's network emulator's
/// `reorder`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Skips {
    /// The share of packets, from 0 to 1: a packet skips the delay if its random number lies below it.
    pub share: f64,
    /// The number of packets from one packet that skips the delay to the next that may skip it. With 1, each packet may.
    pub gap: u64,
    /// The correlation of the random numbers of successive packets.
    pub correlation: f64,
}
