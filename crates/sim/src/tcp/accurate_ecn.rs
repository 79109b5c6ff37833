//! Accurate ECN (RFC 9768) at the receiver, and what a handshake says of it.

use super::segment::{ByteCounters, Flags};
use ackclock_aqm::Ecn;
use ackclock_recovery::ecn::FIRST_CEP;

const COUNTER: u32 = 1 << 24;

/// What a receiver counts besides the packets that have arrived marked.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    payload_bytes: u32,
    bytes: ByteCounters,
    last_was_marked: bool,
}

impl Counting {
    /// Nothing has arrived; packets carry so many bytes.
    pub fn new(payload_bytes: u32) -> Self {
        Self { payload_bytes, bytes: ByteCounters::default(), last_was_marked: false }
    }

    /// A packet with data has arrived. Whether it is marked and the one before was not, which asks for an acknowledgement at once
    /// (section 3.2.2.5.1). That of every second packet, the most that is held back, does the rest.
    pub fn on_data(&mut self, flags: Flags) -> bool {
        let field = flags.ecn();
        let counter = match field {
            Ecn::NotCapable => None,
            Ecn::Classic | Ecn::LowLatency => Some(&mut self.bytes.unmarked),
            Ecn::Experienced => Some(&mut self.bytes.marked),
        };
        if let Some(counter) = counter {
            *counter = (*counter + self.payload_bytes) % COUNTER;
        }
        let marked = field == Ecn::Experienced;
        let before = std::mem::replace(&mut self.last_was_marked, marked);
        marked && !before
    }

    /// The option's counters.
    pub fn bytes(&self) -> ByteCounters {
        self.bytes
    }
}

/// The ACE field after so many packets have arrived marked, a number of which the low bits suffice.
pub fn field_of(marked: u16) -> u8 {
    (marked.wrapping_add(u16::from(FIRST_CEP)) % 8) as u8
}

/// What the answer to a SYN says of the ECN field with which that arrived (section 3.1.1).
pub fn answer_to_syn(syn: Flags) -> Flags {
    Flags::of_three(match syn.ecn() {
        Ecn::NotCapable => 0b010,
        Ecn::LowLatency => 0b011,
        Ecn::Classic => 0b100,
        Ecn::Experienced => 0b110,
    })
}

/// What both ends have agreed upon, as the answer to a SYN that asked for Accurate ECN says (section 3.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreed {
    /// Marks are counted.
    Accurate,
    /// They are echoed (RFC 3168).
    Classic,
    /// Nothing may be marked; also where the field comes back as it was sent.
    Nothing,
}

/// What an answer to a SYN has made of it.
pub fn agreed(answer: Flags) -> Agreed {
    match answer.field_of_three() {
        0b001 => Agreed::Classic,
        0b000 | 0b111 => Agreed::Nothing,
        _ => Agreed::Accurate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_handshake_says_how_the_syn_arrived() {
        // RFC 9768 table 2: (AE, CWR, ECE).
        for (syn, answer) in [
            (Flags::default(), 0b010),
            (Flags::LOW_LATENCY, 0b011),
            (Flags::ECN_CAPABLE, 0b100),
            (Flags::CONGESTION_EXPERIENCED, 0b110),
        ] {
            let found = answer_to_syn(syn.with(Flags::SYN).with(Flags::COUNTS_MARKS));
            assert_eq!((found.field_of_three(), agreed(found)), (answer, Agreed::Accurate));
        }
        let answers = [(0b001, Agreed::Classic), (0b000, Agreed::Nothing), (0b111, Agreed::Nothing)];
        // What is reserved is taken for Accurate ECN.
        for (field, found) in answers.into_iter().chain([(0b101, Agreed::Accurate)]) {
            assert_eq!(agreed(Flags::of_three(field).with(Flags::SYN)), found);
        }
        assert_eq!(Flags::COUNTS_MARKS.field_of_three(), 0b111);
    }

    #[test]
    fn the_field_begins_at_five_and_wraps() {
        assert_eq!([0, 1, 2, 3, 10, 65535].map(field_of), [5, 6, 7, 0, 7, 4]);
    }

    #[test]
    fn bytes_are_counted_by_field_and_the_first_mark_is_told_at_once() {
        let mut counting = Counting::new(1000);
        let marked = Flags::ECN_CAPABLE.with(Flags::CONGESTION_EXPERIENCED);
        let told = [Flags::ECN_CAPABLE, marked, marked, Flags::LOW_LATENCY, marked, Flags::default()];
        assert_eq!(told.map(|flags| counting.on_data(flags)), [false, true, false, false, true, false]);
        assert_eq!(counting.bytes(), ByteCounters { marked: 3000, unmarked: 2000 });
        counting.bytes.marked = COUNTER - 1;
        counting.on_data(marked);
        assert_eq!(counting.bytes().marked, 999);
    }
}
