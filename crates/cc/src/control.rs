//! The interface between a host (simulated TCP, QUIC, Linux) and a congestion control.
//!
//! The host detects losses, measures round trips and keeps what it must know of every packet. The control is told
//! what happened, in named records, and answers how much may be sent. Windows are counted in packets.

use ackclock_base::{Packets, Random, Rate, Span, Time};

/// A congestion control, as a host sees it.
///
/// A new field in a record breaks no control, and a control that does not care about an event says nothing of it.
pub trait Control: Send {
    /// How much may be sent now.
    fn decision(&self) -> Decision;

    /// The connection begins to send.
    fn on_start(&mut self, _now: Time) {}

    /// The connection has nothing more to send, and all that it sent is acknowledged.
    fn on_end(&mut self, _now: Time) {}

    /// An acknowledgement has come in, and nothing has been made of it yet. A control that tells kinds of loss apart
    /// answers what a loss would be that showed now, for the retransmission rule and the back-off. One that guesses
    /// draws from the host's random numbers.
    fn on_arrival(&mut self, _arrival: &Arrival, _random: &mut dyn Random) -> Option<Cause> {
        None
    }

    /// Whether the control answers to each mark a little (RFC 9331). The host then tells it in acknowledgements how many
    /// packets were marked, and reports no mark as a loss.
    fn counts_marks(&self) -> bool {
        false
    }

    /// An acknowledgement arrived. Losses that it revealed have been reported before.
    fn on_ack(&mut self, ack: &Ack);

    /// The host found a loss (or an echo of congestion) and enters recovery: once per window of data.
    fn on_loss(&mut self, loss: &Loss);

    /// The first fresh acknowledgement of a recovery leaves something out, and tells how many packets of that window are
    /// still missing.
    fn on_counted(&mut self, _counted: &Counted) {}

    /// Everything that was outstanding when recovery began has been acknowledged.
    fn on_recovered(&mut self, _recovered: &Recovered) {}

    /// The retransmission timer expired.
    fn on_timeout(&mut self, timeout: &Timeout);

    /// The last loss or timeout was no loss: take its reaction back.
    fn on_spurious(&mut self, _now: Time) {}

    /// Something around the control, such as the action on a loss of transmission, sets the window. A control that has
    /// none of its own may ignore it.
    fn set_cwnd(&mut self, _cwnd: Packets) {}

    /// The same for the slow start threshold.
    fn set_ssthresh(&mut self, _ssthresh: Packets) {}

    /// Names what the control has to show of its inside, for figures: calls `series(name, value)` for each.
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// What a control allows its host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// How many packets may be in flight.
    pub cwnd: Packets,
    /// The slow start threshold, for observers; infinite where there is none.
    pub ssthresh: Packets,
    /// How fast packets may leave; `None` for as fast as the window allows.
    pub pacing_rate: Option<Rate>,
    /// How many packets may leave back to back when pacing.
    pub send_quantum: Option<u32>,
}

/// How a connection begins, as its host is configured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Initial {
    /// The window before anything is known.
    pub window: Packets,
    /// The slow start threshold before anything is lost; infinite where the profile sets none.
    pub ssthresh: Packets,
    /// The most that the receiver or the host ever allows.
    pub limit: Packets,
    /// Payload bytes of a packet, for controls that think in rates.
    pub packet_bytes: u32,
}

/// Whether the host is repairing a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Sending normally (also while resending after a timeout).
    Open,
    /// In fast recovery, up to and including the acknowledgement that ends it.
    Recovery,
}

/// An acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// When it arrived.
    pub now: Time,
    /// Whether it moves the cumulative acknowledgement forward; false for a duplicate.
    pub fresh: bool,
    /// The number of the first packet not yet acknowledged cumulatively.
    pub acked_to: u64,
    /// The number of the next packet to be sent for the first time.
    pub sent_to: u64,
    /// How many packets it newly acknowledges, cumulatively or selectively.
    pub newly_acked: u32,
    /// How many more packets have arrived marked than the acknowledgement before told. Zero for a control that does not
    /// [count them](Control::counts_marks).
    pub marks: u32,
    /// How many packets of growth it stands for: 1, or the packets acknowledged where the profile counts those
    /// (RFC 3465).
    pub credit: Packets,
    /// The round trip of the newest packet that it acknowledges, where that is unambiguous.
    pub rtt: Option<Span>,
    /// What the packet that caused it took on the way there, as in [`Arrival::way_there`].
    pub way_there: Option<Span>,
    /// The smoothed round trip (RFC 6298 section 2), zero before the first sample.
    pub smoothed_rtt: Span,
    /// The least round trip so far, [`Span::MAX`] before the first sample.
    pub min_rtt: Span,
    /// Packets in flight just before it arrived.
    pub inflight: u64,
    /// Whether the congestion window, and not the application or the receiver, is what holds the host back.
    /// Profiles without congestion window validation always say so.
    pub cwnd_limited: bool,
    /// Whether the host is repairing a loss.
    pub phase: Phase,
    /// The delivery rate over the newest acknowledged packet's flight, where the host measures it.
    pub delivery: Option<DeliveryRate>,
}

/// The rate at which the network delivered packets (draft-ietf-ccwg-bbr, "Delivery Rate Samples").
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeliveryRate {
    /// Packets per second.
    pub packets_per_second: f64,
    /// Packets delivered since the connection began, when the sampled packet was sent.
    pub delivered_before: u64,
    /// Packets delivered since the connection began.
    pub delivered: u64,
    /// Whether the application had nothing to send when the sampled packet left.
    pub app_limited: bool,
}

/// An acknowledgement as it comes in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// When.
    pub now: Time,
    /// Whether it moves the cumulative acknowledgement forward; false for a duplicate.
    pub fresh: bool,
    /// The time since the timestamp that it echoes (RFC 7323), where the transport has timestamps: a round trip even
    /// of a retransmission or a duplicate.
    pub echo: Option<Span>,
    /// What the packet that caused it took on the way there, up to a constant (relative one-way trip time), where both
    /// ends put timestamps on packets.
    pub way_there: Option<Span>,
}

/// Why packets are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A queue was full, or about to be.
    Congestion,
    /// The medium lost them.
    Transmission,
}

/// How many packets of the window in which a loss was found are missing still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// When it showed.
    pub now: Time,
    /// What a reduction starts from, as in [`Loss::window`].
    pub window: Packets,
    /// Packets that are missing after the first, which has been sent again and has arrived: what was outstanding at the
    /// loss and is not acknowledged, less the duplicates. Exact for one burst; too low for scattered losses, where what
    /// has arrived between them counts as arrived twice, and zero at the least.
    pub missing: u64,
}

/// How a loss showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossSignal {
    /// Duplicate or selective acknowledgements.
    DuplicateAcks,
    /// A fine-grained timer that some controls keep (Vegas).
    EarlyTimer,
    /// An echo of congestion experienced (RFC 3168): nothing was lost.
    Ecn,
    /// The host's own interface had no room for a packet: nothing was lost (Linux's `tcp_enter_cwr`).
    LocalDrop,
}

/// A loss that starts a recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// When it was found.
    pub now: Time,
    /// How it showed.
    pub signal: LossSignal,
    /// What a reduction starts from: the packets in flight (RFC 5681 equation 4) or the window in force
    /// (ns-2, Linux), as the profile says.
    pub window: Packets,
    /// Packets in flight.
    pub inflight: u64,
    /// The number of the first lost packet.
    pub lost: u64,
    /// One past the last packet sent so far: what lies between is the window in which the loss was found.
    pub sent_to: u64,
    /// When that packet was last sent.
    pub sent: Time,
    /// How often it has been sent.
    pub transmissions: u32,
    /// Duplicate acknowledgements so far.
    pub duplicates: u32,
}

/// The end of a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// When it ended.
    pub now: Time,
    /// Duplicate acknowledgements since the loss, those that revealed it included.
    pub duplicates: u32,
}

/// An expiry of the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeout {
    /// When it expired.
    pub now: Time,
    /// What a reduction starts from, as in [`Loss::window`].
    pub window: Packets,
    /// Packets that were thought to be in flight.
    pub inflight: u64,
    /// Expiries in a row without progress, this one included.
    pub in_a_row: u32,
    /// Whether the slow start threshold stays as it is, since the packet has timed out before (RFC 5681 section 3.1;
    /// ns-2 halves again).
    pub keeps_threshold: bool,
}
