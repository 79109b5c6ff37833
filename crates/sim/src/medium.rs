//! A medium that several links share: a half-duplex line, a token, a radio channel. Its links are its stations; one of them
//! sends at a time, and the medium says which, and when.

use ackclock_base::{Random, Time};

/// A shared medium.
pub trait Medium: Send {
    /// The medium is free, and at least one station has something to send. Which is next, and from when on. If that lies
    /// ahead it is not final: the medium is asked again then, and at each arrival before.
    fn next(&mut self, now: Time, stations: &[Station], random: &mut dyn Random) -> Turn;

    /// A station sends from an instant to another; until then the medium is busy.
    fn on_sending(&mut self, _station: usize, _starts: Time, _sent: Time) {}
}

/// A station, as the medium sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Station {
    /// Packets waiting.
    pub packets: u64,
    /// Before when its queue lets none go: a shaper holds them back.
    pub ready: Time,
}

/// Which station sends next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its number, in the order of the medium's links. It has something to send.
    pub station: usize,
    /// When it begins; not before now.
    pub starts: Time,
}

/// What a medium of a run is made of.
pub struct MediumParts {
    /// What decides.
    pub medium: Box<dyn Medium>,
    /// Its stations, as indices of links. A link has at most one medium.
    pub links: Vec<u32>,
}
