//! Shared media: a half-duplex line, a token, or a radio channel that several links share. The links are its
//! stations. One station sends at a time, and the medium decides which and when. The medium may also let
//! stations collide, and make them repeat packets that are not answered.

pub mod contention;
pub mod half_duplex;
pub mod registry;
pub mod token;

use ackclock_base::{Random, Span, Time};

/// A shared medium.
pub trait Medium: Send {
    /// Returns the next turn. Called when the medium is free and at least one station has a packet. A turn in
    /// the future is not final: the medium is asked again at its beginning, and at each arrival before.
    fn next(&mut self, now: Time, stations: &[Station], random: &mut dyn Random) -> Turn;

    /// Called when a station begins to send at `starts`. The medium is busy until `sent`: the end of the
    /// packets and, if the medium has [answers](AccessRules::answer), of the wait for an answer. If stations
    /// collide, it is called once, for the station of the turn.
    fn on_sending(&mut self, _station: usize, _starts: Time, _sent: Time) {}

    /// Returns the rules of a turn. Called once, when the run is built. By default a turn is one packet
    /// without any overhead.
    fn access_rules(&self) -> AccessRules {
        AccessRules::default()
    }

    /// Returns whether a station begins to send at the beginning of the turn that [`Self::next`] returned
    /// last. If it is another than the station of that turn, both collide, and no packet of colliding
    /// stations arrives.
    fn collides(&self, _station: usize) -> bool {
        false
    }

    /// Called with what a station has heard after sending. Called only if the medium has
    /// [answers](AccessRules::answer) or collisions.
    fn on_outcome(&mut self, _station: usize, _outcome: Outcome, _random: &mut dyn Random) {}
}

/// The rules of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessRules {
    /// The time before the first packet: preamble and header of the physical layer.
    pub before: Span,
    /// The bytes added to each packet, sent at the link's rate: headers and checksums of the link.
    pub framing_bytes: u32,
    /// The largest number of packets in a turn.
    pub packets: u32,
    /// The largest number of bytes in a transmission, including framing. The first packet is always allowed.
    pub bytes: u32,
    /// The longest time that the packets of a transmission may take.
    pub most: Span,
    /// The answers of the other end; `None` if it does not answer.
    pub answer: Option<Answer>,
    /// Whether stations may [collide](Medium::collides).
    pub collides: bool,
}

impl Default for AccessRules {
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

impl AccessRules {
    /// Returns whether a turn is one packet without any overhead, which arrives unless its link corrupts it.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// The answers of a link that acknowledges what it receives and repeats what is not acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The time after the packets of a turn until the answer has been received, for which the medium is busy.
    pub takes: Span,
    /// The time after the packets of a turn for which the medium is busy if there is no answer.
    pub missed: Span,
    /// The largest number of attempts to send a packet.
    pub attempts: u32,
}

/// The outcome of a turn as a station hears it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The station heard an answer, or the medium has no answers.
    Answered,
    /// The station heard no answer and will repeat its packets.
    Silence,
    /// The station heard no answer and has given up its packets.
    GaveUp,
}

/// The state of a station that the medium sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Station {
    /// The number of packets waiting.
    pub packets: u64,
    /// The time before which its queue releases no packet, because a shaper holds them back.
    pub ready: Time,
}

impl Station {
    /// Returns whether the station has a packet that may be sent now.
    pub fn may_send(&self, now: Time) -> bool {
        self.packets > 0 && self.ready <= now
    }
}

/// A turn: the station that sends next, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The station's number, in the order of the medium's links. It has a packet to send.
    pub station: usize,
    /// The beginning of the turn, not before now.
    pub starts: Time,
}

/// The counts of a station over the measured interval, if turns are not [plain](AccessRules::is_plain).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StationCounts {
    /// The number of packets sent, including repetitions.
    pub sent: u64,
    /// The number of packets sent that were repetitions.
    pub repeated: u64,
    /// The number of packets sent that collided.
    pub collided: u64,
    /// The number of packets sent that did not collide and were not received.
    pub unreceived: u64,
}

/// The parts from which a medium is built.
pub struct MediumParts {
    /// The medium.
    pub medium: Box<dyn Medium>,
    /// The indices of its links, which are its stations. A link has at most one medium.
    pub links: Vec<u32>,
}
