//! What a sender makes of marks: a reaction for each window of data (RFC 3168), or a count of them (RFC 8257, RFC 9768).

mod accurate;

pub use accurate::FIRST_CEP;

use accurate::{AccurateCounters, AccurateFeedback};
use ackclock_cc::EcnResponse;

/// What an acknowledgement says of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkFeedback {
    /// Whether a mark is echoed (ECE), or may be told of.
    pub echo: bool,
    /// How many packets have arrived marked so far, modulo 2^16 (RFC 9768, with a wider counter).
    pub marked: u16,
    /// Whether it is RFC 9768's: then `marked` is the ACE field, and the option's count may stand beside it.
    pub accurate: bool,
    /// ECEB, or [`NOT_TOLD`].
    pub marked_bytes: u32,
}

/// In the place of a count of bytes, which has 24 bits: the option is not there.
pub const NOT_TOLD: u32 = u32::MAX;

impl MarkFeedback {
    /// What it says under RFC 9768.
    fn accurately(self) -> AccurateFeedback {
        let marked_bytes = (self.marked_bytes != NOT_TOLD).then_some(self.marked_bytes);
        AccurateFeedback { ace: self.marked as u8, marked_bytes }
    }
}

/// What is new of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// Marks that a control counts.
    pub marks: u32,
    /// Whether a control that does not count is to react, once for each window of data.
    pub echo: bool,
}

/// The sender's side of explicit congestion notification.
#[derive(Clone, Copy, Debug)]
pub struct EcnSender {
    response: EcnResponse,
    /// What is sent next after the last reduction, and announces it. Until more than that is acknowledged the receiver echoes
    /// marks that are older, and there is no second reaction.
    guard: Option<u64>,
    announce: bool,
    marked: u16,
    accurate: AccurateCounters,
}

impl EcnSender {
    /// Nothing marked, for a control with this response.
    pub fn new(response: EcnResponse) -> Self {
        Self { response, guard: None, announce: false, marked: 0, accurate: AccurateCounters::default() }
    }

    /// Whether marks are counted.
    pub fn counts(&self) -> bool {
        self.response == EcnResponse::Counts
    }

    /// RFC 3168 section 6.1.2: whatever the reason of a reduction, the receiver is told of it, and marks on what is
    /// outstanding now ask for no second one.
    pub fn note_reduction(&mut self, high: u64) {
        self.guard = Some(high);
        self.announce = true;
    }

    /// Whether what the receiver echoes is older than the last reduction.
    pub fn is_old(&self, una: u64) -> bool {
        self.guard.is_some_and(|guard| una <= guard)
    }

    /// Whether the packet that leaves now announces a reduction (CWR). The next will not.
    pub fn take_announcement(&mut self) -> bool {
        !self.counts() && std::mem::take(&mut self.announce)
    }

    /// The packet that announced a reduction did not leave.
    pub fn announce_again(&mut self) {
        self.announce = true;
    }

    /// Marks that no acknowledgement has told of before; one that is overtaken tells of none.
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

    /// The same under RFC 9768 of the first acknowledgement of so many packets, of so many payload bytes in all.
    #[cold]
    pub fn hear_accurate(&mut self, feedback: MarkFeedback, packets: u64, bytes: u64) -> Heard {
        let new = self.accurate.take(feedback.accurately(), packets, bytes);
        let marks = u32::try_from(new).unwrap_or(u32::MAX);
        if self.counts() { Heard { marks, echo: false } } else { Heard { marks: 0, echo: new > 0 } }
    }
}
