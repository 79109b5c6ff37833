//! Accurate ECN (RFC 9768) at the receiver and in the handshake.

use super::segment::{ByteCounters, Flags};
use ackclock_aqm::Ecn;
use ackclock_recovery::ecn::FIRST_CEP;

const COUNTER: u32 = 1 << 24;

/// The receiver's counters besides that of marked packets.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    payload_bytes: u32,
    bytes: ByteCounters,
    last_was_marked: bool,
}

impl Counting {
    /// Creates counters at their initial values, for packets of `payload_bytes` bytes.
    pub fn new(payload_bytes: u32) -> Self {
        Self { payload_bytes, bytes: ByteCounters::default(), last_was_marked: false }
    }

    /// Counts an arriving data packet. Returns whether it is marked and the packet before was not, which
    /// requires an immediate acknowledgement (RFC 9768 section 3.2.2.5.1). Acknowledging every second packet
    /// at the latest satisfies the rest of that section.
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

    /// Returns the byte counters for the option.
    pub fn bytes(&self) -> ByteCounters {
        self.bytes
    }
}

/// Returns the ACE field after `marked` packets have arrived marked. The low bits of the number suffice.
pub fn field_of(marked: u16) -> u8 {
    (marked.wrapping_add(u16::from(FIRST_CEP)) % 8) as u8
}

/// Returns the flags of the answer to a SYN, which report the ECN field with which the SYN arrived (RFC 9768
/// section 3.1.1).
pub fn answer_to_syn(syn: Flags) -> Flags {
    Flags::of_three(match syn.ecn() {
        Ecn::NotCapable => 0b010,
        Ecn::LowLatency => 0b011,
        Ecn::Classic => 0b100,
        Ecn::Experienced => 0b110,
    })
}

/// The result of a handshake whose SYN asked for Accurate ECN, as the answer tells it (RFC 9768 section
/// 3.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreed {
    /// Packets may be marked, and the receiver counts marks.
    Accurate,
    /// Packets may be marked, and the receiver echoes marks (RFC 3168).
    Classic,
    /// No packet may be marked. This is also the result if the answer has the same field as the SYN.
    Nothing,
}

/// Returns what the answer to a SYN agrees to.
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
        // RFC 9768 table 2; the bits are AE, CWR and ECE.
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
        // A reserved value counts as Accurate ECN.
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
