//! The interface between a link and a queue discipline that decides at arrival.

use ackclock_base::{Random, Rate, Span, Time};

/// A queue discipline that decides at arrival. Admitted packets leave in order, so the link knows at once
/// when each will leave, and such a discipline costs no event at departure.
pub trait Discipline: Send {
    /// Decides about a packet that arrives.
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict;

    /// Returns the capacity if the discipline only drops packets that do not fit, so that its link need not
    /// ask it; otherwise `None`.
    fn only_limits(&self) -> Option<Capacity> {
        None
    }

    /// Returns the period of [`on_period`](Self::on_period), whether or not packets arrive; `None` for never.
    fn period(&self) -> Option<Span> {
        None
    }

    /// Called when a period has passed. Periods count from time zero. A call may be delayed until just before
    /// the next arrival or sample, since its effect cannot be seen earlier.
    fn on_period(&mut self, _now: Time, _backlog: &Backlog) {}

    /// Publishes internal values for figures, under the same names at each call; a value that is not known
    /// yet is NaN.
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// A packet that arrives at a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// The time of arrival.
    pub now: Time,
    /// Its size on the wire, in bytes.
    pub bytes: u32,
    /// The index of its flow and direction.
    pub flow: u32,
    /// The packet's ECN field, which says whether it may be marked instead of dropped.
    pub ecn: Ecn,
}

/// The ECN field of a packet (RFC 3168 section 5; RFC 9331 section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not-ECT: only drops reach its sender.
    #[default]
    NotCapable,
    /// ECT(0): its sender responds to a mark as to a loss.
    Classic,
    /// ECT(1): its sender has a small response to each mark.
    LowLatency,
    /// CE: already marked.
    Experienced,
}

impl Ecn {
    /// Returns whether the packet may be marked instead of dropped.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotCapable)
    }
}

/// The content of the queue when a packet arrives, without the packet being sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backlog {
    /// Packets waiting.
    pub packets: u64,
    /// Bytes waiting.
    pub bytes: u64,
    /// The time for which a packet that joined now would wait at the link's present rate: the rest of the
    /// packet being sent, plus the bytes waiting divided by the rate. If the rate never changes, the packet
    /// waits exactly this long.
    pub wait: Span,
    /// Whether a packet is being sent.
    pub sending: bool,
    /// The time since which the link has been idle; `None` while it sends.
    pub idle_since: Option<Time>,
}

/// The decision about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The packet joins the queue.
    Admit,
    /// The packet joins the queue with congestion experienced set.
    Mark,
    /// The packet is dropped.
    Drop,
}

/// The capacity of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capacity {
    /// No limit.
    Unlimited,
    /// A number of packets.
    Packets(u64),
    /// A number of bytes.
    Bytes(u64),
}

impl Capacity {
    /// Returns whether a packet of `bytes` still fits. An idle link takes any packet, since that does not
    /// have to wait.
    #[inline]
    pub fn admits(&self, bytes: u32, backlog: &Backlog) -> bool {
        !backlog.sending || self.has_room(bytes, backlog.packets, backlog.bytes)
    }

    /// Returns whether a packet of `bytes` fits beside the packets and bytes waiting.
    #[inline]
    pub fn has_room(&self, bytes: u32, waiting_packets: u64, waiting_bytes: u64) -> bool {
        match *self {
            Self::Unlimited => true,
            Self::Packets(most) => waiting_packets < most,
            Self::Bytes(most) => waiting_bytes + u64::from(bytes) <= most,
        }
    }
}

/// The properties of the link that a discipline may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkRate {
    /// The link's rate; if it changes, the rate that the operator would configure.
    pub rate: Rate,
    /// The mean packet size on the wire, in bytes.
    pub mean_packet_bytes: u32,
}
