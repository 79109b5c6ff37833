//! The sender's reaction to ECN marks: once per window of data (RFC 3168), or by their count (RFC 8257, RFC
//! 9768).

mod accurate;

pub use accurate::FIRST_CEP;

use accurate::{AccurateCounters, AccurateFeedback};
use ackclock_cc::EcnResponse;

/// The ECN feedback of an acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkFeedback {
    /// Whether a mark is echoed (ECE), or the counts below may report new marks.
    pub echo: bool,
    /// The number of marked packets that have arrived, modulo 2^16 (RFC 9768, with a wider counter); the ACE
    /// field if `accurate`.
    pub marked: u16,
    /// Whether the feedback is that of RFC 9768: `marked` is the ACE field, and `marked_bytes` may hold the
    /// option's count.
    pub accurate: bool,
    /// ECEB, or [`NOT_TOLD`] without the option.
    pub marked_bytes: u32,
}

/// The value of [`MarkFeedback::marked_bytes`] if the option is absent; a count has only 24 bits.
pub const NOT_TOLD: u32 = u32::MAX;

impl MarkFeedback {
    /// Returns the feedback in the form of RFC 9768.
    fn accurately(self) -> AccurateFeedback {
        let marked_bytes = (self.marked_bytes != NOT_TOLD).then_some(self.marked_bytes);
        AccurateFeedback { ace: self.marked as u8, marked_bytes }
    }
}

/// The new marks that an acknowledgement reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// The number of new marks, for a control that counts them.
    pub marks: u32,
    /// Whether a control that does not count marks is to react, once per window of data.
    pub echo: bool,
}

/// The sender's side of explicit congestion notification.
#[derive(Clone, Copy, Debug)]
pub struct EcnSender {
    response: EcnResponse,
    announce: bool,
    marked: u16,
    accurate: AccurateCounters,
}

impl EcnSender {
    /// Creates the state without marks, for a control with this response.
    pub fn new(response: EcnResponse) -> Self {
        Self { response, announce: false, marked: 0, accurate: AccurateCounters::default() }
    }

    /// Returns the number of marks counted under RFC 9768 since the connection began.
    pub fn accurate_marks(&self) -> u64 {
        self.accurate.counted()
    }

    /// Returns whether the control counts marks.
    pub fn counts(&self) -> bool {
        self.response == EcnResponse::Counts
    }

    /// Called at every reduction, whatever its reason. The next new packet announces it to the receiver (RFC 3168
    /// section 6.1.2).
    pub fn note_reduction(&mut self) {
        self.announce = true;
    }

    /// Returns whether the new packet sent now announces a reduction (CWR). Each reduction is announced once.
    /// Always false for a control that counts marks.
    pub fn take_announcement(&mut self) -> bool {
        !self.counts() && std::mem::take(&mut self.announce)
    }

    /// Called when the packet that announced a reduction was not sent, so that the next one announces it.
    pub fn announce_again(&mut self) {
        self.announce = true;
    }

    /// Returns the marks that no earlier acknowledgement reported; an acknowledgement that was overtaken
    /// reports none. For a control that does not count marks, returns whether this acknowledgement echoes
    /// one.
    #[inline]
    pub fn hear(&mut self, feedback: MarkFeedback) -> Heard {
        if !self.counts() {
            return Heard { marks: 0, echo: feedback.echo };
        }
        let new = feedback.marked.wrapping_sub(self.marked);
        if new > u16::MAX / 2 {
            return Heard::default();
        }
        self.marked = feedback.marked;
        Heard { marks: u32::from(new), echo: false }
    }

    /// Returns the new marks under RFC 9768, for an acknowledgement that newly acknowledges `packets` packets
    /// with `bytes` bytes of payload in total.
    #[cold]
    pub fn hear_accurate(&mut self, feedback: MarkFeedback, packets: u64, bytes: u64) -> Heard {
        let new = self.accurate.take(feedback.accurately(), packets, bytes);
        let marks = u32::try_from(new).unwrap_or(u32::MAX);
        if self.counts() { Heard { marks, echo: false } } else { Heard { marks: 0, echo: new > 0 } }
    }
}
