//! The interface between a link and a queue discipline that decides when a packet arrives.

use ackclock_base::{Random, Rate, Span, Time};

/// A queue discipline that decides at arrival. The packets it admits leave in order, so the link knows at once when
/// each will go; that is why such a discipline costs no event at departure.
pub trait Discipline: Send {
    /// What to do with a packet that arrives.
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict;

    /// How much may wait, if all that the discipline does is to drop what does not fit: then its link need not ask it.
    fn only_limits(&self) -> Option<Capacity> {
        None
    }

    /// How often the discipline looks at its queue, whether or not packets arrive; `None` for never.
    fn period(&self) -> Option<Span> {
        None
    }

    /// A period has passed. Periods are counted from time zero, and told before the first arrival or sample that follows
    /// them: until then nobody can see what they changed.
    fn on_period(&mut self, _now: Time, _backlog: &Backlog) {}

    /// Names what the discipline has to show of its inside, for figures: the same each time, NaN for what is not known yet.
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// A packet at the entrance of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// When.
    pub now: Time,
    /// Its size on the wire, in bytes.
    pub bytes: u32,
    /// Which flow it belongs to, and which direction of it.
    pub flow: u32,
    /// Whether it may be marked instead of dropped.
    pub ecn: Ecn,
}

/// The ECN field of a packet (RFC 3168 section 5; RFC 9331 section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not-ECT: only dropping tells its sender anything.
    #[default]
    NotCapable,
    /// ECT(0): its sender answers to a mark as to a loss.
    Classic,
    /// ECT(1): its sender answers to each mark a little.
    LowLatency,
    /// CE: marked already.
    Experienced,
}

impl Ecn {
    /// Whether the packet may be marked instead of dropped.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotCapable)
    }
}

/// What waits in the queue when a packet arrives. The packet being sent does not wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backlog {
    /// Packets waiting.
    pub packets: u64,
    /// Bytes waiting.
    pub bytes: u64,
    /// How long a packet that joined now would wait if the link's rate stayed as it is: the rest of the packet being sent,
    /// and the bytes that wait over the present rate. Where the rate never changes, that is how long it will wait.
    pub wait: Span,
    /// Whether a packet is being sent.
    pub sending: bool,
    /// Since when the link has had nothing to send; `None` while it sends.
    pub idle_since: Option<Time>,
}

/// What a discipline decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The packet joins the queue.
    Admit,
    /// The packet joins the queue with congestion experienced set.
    Mark,
    /// The packet is dropped.
    Drop,
}

/// How much may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capacity {
    /// Everything.
    Unlimited,
    /// So many packets.
    Packets(u64),
    /// So many bytes.
    Bytes(u64),
}

impl Capacity {
    /// Whether a packet of `bytes` still fits. An idle link takes any packet: it does not have to wait.
    #[inline]
    pub fn admits(&self, bytes: u32, backlog: &Backlog) -> bool {
        !backlog.sending || self.has_room(bytes, backlog.packets, backlog.bytes)
    }

    /// Whether a packet of `bytes` fits beside so many others.
    #[inline]
    pub fn has_room(&self, bytes: u32, waiting_packets: u64, waiting_bytes: u64) -> bool {
        match *self {
            Self::Unlimited => true,
            Self::Packets(most) => waiting_packets < most,
            Self::Bytes(most) => waiting_bytes + u64::from(bytes) <= most,
        }
    }
}

/// What a discipline may need to know of its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkRate {
    /// The link's rate; where it changes, the one that its operator sets.
    pub rate: Rate,
    /// The mean packet size on the wire, in bytes.
    pub mean_packet_bytes: u32,
}
