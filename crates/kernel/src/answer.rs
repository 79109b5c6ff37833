//! What a control decides for a connection of the kernel.

use ackclock_base::at_most;
use ackclock_cc::Decision;
use serde::Serialize;

/// A slow start threshold without effect (`TCP_INFINITE_SSTHRESH`).
pub const INFINITE: u32 = 0x7fff_ffff;
/// The bytes of an answer in the kernel's slot.
pub const BYTES: usize = 32;

/// The answer to an event, in the kernel's units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The congestion window in packets, at least 1.
    pub cwnd: u32,
    /// The slow start threshold in packets; [`INFINITE`] if there is none.
    pub ssthresh: u32,
    /// The packets that leave back to back when pacing; 0 to leave it to the kernel.
    pub quantum: u32,
    /// The pacing rate in bytes of payload per second; 0 for none.
    pub pacing_rate: u64,
}

impl Answer {
    /// The names of the fields, in their order.
    pub const FIELDS: [&'static str; 4] =
        ["answer_cwnd", "answer_ssthresh", "answer_quantum", "answer_pacing_rate"];

    /// Returns a decision in the kernel's units, rounded down.
    pub fn of(decision: &Decision) -> Self {
        let whole = |packets: f64| at_most(packets, f64::from(INFINITE)) as u32;
        Self {
            cwnd: whole(decision.cwnd).max(1),
            ssthresh: whole(decision.ssthresh),
            quantum: decision.send_quantum.unwrap_or(0),
            pacing_rate: decision.pacing_rate.map_or(0, |rate| rate.bits_per_second() / 8),
        }
    }

    /// Returns the bytes of the slot with this answer to everything up to event `seq`.
    pub fn to_bytes(&self, seq: u64) -> [u8; BYTES] {
        let mut bytes = [0; BYTES]; // the first four are the lock, which writing leaves alone
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(4, &self.cwnd.to_ne_bytes());
        put(8, &seq.to_ne_bytes());
        put(16, &self.ssthresh.to_ne_bytes());
        put(20, &self.quantum.to_ne_bytes());
        put(24, &self.pacing_rate.to_ne_bytes());
        bytes
    }

    /// Returns the fields as a recording has them.
    pub fn fields(&self) -> [i64; 4] {
        let rate = i64::try_from(self.pacing_rate).unwrap_or(i64::MAX);
        [i64::from(self.cwnd), i64::from(self.ssthresh), i64::from(self.quantum), rate]
    }

    /// Reads the fields of a recording, and removes them from the front of `fields`. Returns `None` if one is missing or out of range.
    pub fn from_fields(fields: &mut impl Iterator<Item = i64>) -> Option<Self> {
        Some(Self {
            cwnd: fields.next()?.try_into().ok()?,
            ssthresh: fields.next()?.try_into().ok()?,
            quantum: fields.next()?.try_into().ok()?,
            pacing_rate: fields.next()?.try_into().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::Rate;

    #[test]
    fn a_decision_is_rounded_down_to_the_units_of_the_kernel() {
        let decision = Decision {
            cwnd: 12.9,
            ssthresh: f64::INFINITY,
            pacing_rate: Some(Rate::from_bits_per_second(10_000_007)),
            send_quantum: Some(3),
        };
        let answer = Answer { cwnd: 12, ssthresh: INFINITE, quantum: 3, pacing_rate: 1_250_000 };
        assert_eq!(Answer::of(&decision), answer);
        assert_eq!(
            Answer::of(&Decision::window(0.4, 2.0)),
            Answer { cwnd: 1, ssthresh: 2, ..Answer::default() }
        );
        assert_eq!(Answer::from_fields(&mut answer.fields().into_iter()), Some(answer));
    }

    #[test]
    fn an_answer_fills_the_slot_of_the_kernel() {
        let bytes = Answer { cwnd: 1, ssthresh: 2, quantum: 3, pacing_rate: 4 }.to_bytes(5);
        let words: Vec<u32> =
            bytes.chunks(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]])).collect();
        let [low, high] = if cfg!(target_endian = "little") { [0, 1] } else { [1, 0] };
        assert_eq!(words[..2], [0, 1], "the lock and the window");
        assert_eq!((words[2 + low], words[2 + high]), (5, 0));
        assert_eq!(words[4..6], [2, 3]);
        assert_eq!((words[6 + low], words[6 + high]), (4, 0));
    }
}
