//! A medium that several links share: a half-duplex line, a token, a radio channel. Its links are its stations; one of them
//! sends at a time, and the medium says which, and when. Stations may collide, and repeat what was not answered, if it says so.

pub mod contention;
pub mod half_duplex;
pub mod registry;
pub mod token;

use ackclock_base::{Random, Span, Time};

/// A shared medium.
pub trait Medium: Send {
    /// The medium is free, and at least one station has something to send. Which is next, and from when on. If that lies
    /// ahead it is not final: the medium is asked again then, and at each arrival before.
    fn next(&mut self, now: Time, stations: &[Station], random: &mut dyn Random) -> Turn;

    /// A station sends from an instant to another; until then the medium is busy.
    fn on_sending(&mut self, _station: usize, _starts: Time, _sent: Time) {}

    /// What a turn is. Asked once, when the run is built: one packet with nothing around it unless the medium says more.
    fn manner(&self) -> Manner {
        Manner::default()
    }

    /// Whether another station begins to send at the very instant at which the turn begins that was given last. Then nothing
    /// arrives of what either of them sends.
    fn collides(&self, _station: usize) -> bool {
        false
    }

    /// What a station has heard of what it has just sent. Told only where the medium [answers](Manner::answer) or collides.
    fn on_outcome(&mut self, _station: usize, _outcome: Outcome, _random: &mut dyn Random) {}
}

/// What a turn is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    /// What the station sends before the first packet: preamble, header of the physical layer.
    pub before: Span,
    /// What is sent with each packet, at the link's rate: headers and checksums of the link.
    pub framing_bytes: u32,
    /// Packets of a turn, and bytes with their framing, at most; one packet there always is.
    pub packets: u32,
    /// See there.
    pub bytes: u32,
    /// How long its packets may take at most.
    pub most: Span,
    /// How the other end answers, if it does.
    pub answer: Option<Answer>,
    /// Whether stations may [collide](Medium::collides).
    pub collides: bool,
}

impl Default for Manner {
    fn default() -> Self {
        let most = Span::MAX;
        Self {
            before: Span::ZERO,
            framing_bytes: 0,
            packets: 1,
            bytes: u32::MAX,
            most,
            answer: None,
            collides: false,
        }
    }
}

impl Manner {
    /// Whether a turn is one packet with nothing around it, which arrives unless its link loses it.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// A link that answers what it receives, and repeats what is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How long the medium is busy after the packets of a turn until the answer has come.
    pub takes: Span,
    /// How long where none comes.
    pub missed: Span,
    /// How often a packet is sent at most.
    pub attempts: u32,
}

/// What a station has heard of what it sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An answer; where nobody answers, nothing that was in its way.
    Answered,
    /// Nothing: it will repeat what it sent.
    Silence,
    /// Nothing, and it has given up what it sent.
    GaveUp,
}

/// A station, as the medium sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Station {
    /// Packets waiting.
    pub packets: u64,
    /// Before when its queue lets none go: a shaper holds them back.
    pub ready: Time,
}

impl Station {
    /// Whether it has something that may go now.
    pub fn may_send(&self, now: Time) -> bool {
        self.packets > 0 && self.ready <= now
    }
}

/// Which station sends next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its number, in the order of the medium's links. It has something to send.
    pub station: usize,
    /// When it begins; not before now.
    pub starts: Time,
}

/// What a station has done over the measured interval, where turns are more than [plain](Manner::is_plain).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StationCounts {
    /// Packets sent, repetitions included.
    pub sent: u64,
    /// Those of them that had been sent before.
    pub repeated: u64,
    /// Those of them that met others.
    pub collided: u64,
    /// Those of them that met none, and were not received.
    pub unreceived: u64,
}

/// What a medium of a run is made of.
pub struct MediumParts {
    /// What decides.
    pub medium: Box<dyn Medium>,
    /// Its stations, as indices of links. A link has at most one medium.
    pub links: Vec<u32>,
}
