//! The interface between a host (simulated TCP, QUIC, Linux) and a congestion control.
//!
//! The host detects losses, measures round trips and keeps what it must know of every packet. The control is told
//! what happened, in named records, and answers how much may be sent. Windows are counted in packets.

use ackclock_base::{Packets, Random, Rate, Span, Time};

/// A congestion control, as a host sees it.
///
/// It hears each thing once, in one record. A new field in a record breaks no control, and a control that does not care
/// about an event says nothing of it. Where an event comes with a source of randomness, the numbers are the host's: a
/// run is the same again with the same seed.
pub trait Control: Send {
    /// How much may be sent now.
    fn decision(&self) -> Decision;

    /// Which echo of congestion marks it answers to.
    fn ecn(&self) -> EcnResponse {
        EcnResponse::AsLoss
    }

    /// Whether what it decides depends on more than what it hears itself: on other connections', or on somebody who listens.
    fn is_shared(&self) -> bool {
        false
    }

    /// The connection begins, opens or ends, or its packets change their size.
    fn on_change(&mut self, _change: &Change) {}

    /// Which packets it wants to hear of when they are sent. Asked once.
    fn follows_sending(&self) -> Follows {
        Follows::Everything
    }

    /// A packet has been sent; for a control that [follows that](Self::follows_sending).
    fn on_sent(&mut self, _sent: &Sent, _random: &mut dyn Random) {}

    /// An acknowledgement arrived. Losses that it revealed have been reported before.
    fn on_ack(&mut self, ack: &Ack, random: &mut dyn Random);

    /// A packet is given up for lost: every one, as it is found.
    fn on_lost(&mut self, _lost: &Lost, _random: &mut dyn Random) {}

    /// The host found a loss (or an echo of congestion) and enters recovery: once per window of data.
    fn on_loss(&mut self, loss: &Loss, random: &mut dyn Random);

    /// The retransmission timer expired.
    fn on_timeout(&mut self, timeout: &Timeout, random: &mut dyn Random);

    /// The host has found persistent congestion (RFC 9002 section 7.6), which is to a control what an expiry of the retransmission
    /// timer is.
    fn on_persistent_congestion(&mut self, timeout: &Timeout, random: &mut dyn Random) {
        self.on_timeout(timeout, random);
    }

    /// The host has sent a probe, which changes no window (RFC 9002 section 6.2.4, RFC 8985 section 7.3).
    fn on_probe(&mut self, _probe: &Probe) {}

    /// The recovery that the last loss or timeout began has ended: all is repaired, or nothing was lost.
    fn on_recovered(&mut self, _recovered: &Recovered) {}

    /// Names what the control has to show of its inside, for figures: calls `series(name, value)` for each. The names
    /// are the same each time, the value NaN for what is not known yet.
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// A control whose window something around it may set, such as the action on a loss of transmission.
pub trait WindowControl: Control {
    /// Sets the congestion window.
    fn set_cwnd(&mut self, cwnd: Packets);

    /// Sets the slow start threshold.
    fn set_ssthresh(&mut self, ssthresh: Packets);
}

/// Which packets a control wants to hear of when they are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// None.
    Nothing,
    /// Those that are sent when nothing was in flight: the first of all, and each that ends a pause.
    Restarts,
    /// Each of them.
    Everything,
}

/// What a control makes of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnResponse {
    /// The echo of a mark is a loss without anything to resend, once per window (RFC 3168, RFC 8511).
    AsLoss,
    /// Each mark counts a little (RFC 8257, RFC 9331): acknowledgements tell how many packets were marked, and no mark is
    /// reported as a loss.
    Counts,
}

/// What changes about a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It begins to send.
    Begins,
    /// Data may flow.
    Opens {
        /// The round trip of the handshake, where there was one that tells.
        rtt: Option<Span>,
    },
    /// It has nothing more to send, and all that it sent is acknowledged.
    Ends,
    /// Its packets have so many payload bytes from now on (path MTU discovery). Windows stay what they are in bytes, so a
    /// control that keeps one in packets scales it. Records count in the new packets from now on, the totals of
    /// [`Ack::delivered`] and [`Ack::lost`] too.
    PacketBytes(u32),
}

/// What a control allows its host.
// In this order: where the window and the threshold lay side by side, both would be read at once right after each has been
// written, which has to wait until they are in the cache. That was 3 to 5 % of the time of a packet on W2 on one machine.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Decision {
    /// How many packets may be in flight. A host rounds a fraction down to whole packets; a control whose source rounds it up
    /// decides a whole number.
    pub cwnd: Packets,
    /// How fast packets may leave, in payload, as everything that a control is told of; `None` for as fast as the window
    /// allows.
    pub pacing_rate: Option<Rate>,
    /// The slow start threshold, for observers; infinite where there is none.
    pub ssthresh: Packets,
    /// How many packets may leave back to back when pacing; what leaves so is paid for by the pause that follows.
    pub send_quantum: Option<u32>,
}

impl Decision {
    /// A window, and packets as fast as it allows.
    pub fn window(cwnd: Packets, ssthresh: Packets) -> Self {
        Self { cwnd, ssthresh, pacing_rate: None, send_quantum: None }
    }
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
    /// What headers add to a packet on the wire, for controls whose growth depends on the size of packets.
    pub header_bytes: u32,
    /// Whether losses are found by selective acknowledgements, so that each is known.
    pub selective_acks: bool,
    /// Whether the transport spreads the packets of a control without a rate of its own over the round trip.
    pub paced: bool,
    /// The least window that a loss or a mark leaves (RFC 5681 equation 4 with section 3.2, RFC 9438 section 4.6, RFC 9002
    /// appendix B.6: two packets; ns-2: one).
    pub min_window: Packets,
    /// The window after a timeout, where the law has none of its own (RFC 5681 section 3.1: one packet), or after persistent
    /// congestion (RFC 9002 section 7.6.2: two). No window is ever smaller.
    pub loss_window: Packets,
}

impl Default for Initial {
    /// What the RFCs of TCP have, with packets of 1,000 bytes and without limits.
    fn default() -> Self {
        Self {
            window: 10.0, // RFC 6928
            ssthresh: f64::INFINITY,
            limit: f64::INFINITY,
            packet_bytes: 1000,
            header_bytes: 52, // IPv4 20 B, TCP 20 B, timestamps 12 B
            selective_acks: true,
            paced: false,
            min_window: 2.0,
            loss_window: 1.0,
        }
    }
}

/// Whether the host is repairing a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Sending normally (also while resending after a timeout).
    #[default]
    Open,
    /// In fast recovery, up to and including the acknowledgement that ends it.
    Recovery,
}

/// A packet that was sent, new or again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sent {
    /// When it leaves.
    pub now: Time,
    /// Packets in flight, this one included.
    pub inflight: Packets,
    /// Whether nothing was in flight before.
    pub after_idle: bool,
    /// Whether the application has nothing more to send after it.
    pub app_limited: bool,
}

/// An acknowledgement. Amounts of data are in packets; of a transport that counts bytes they need not be whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
    pub newly_acked: Packets,
    /// How many packets are given up for lost because of it.
    pub newly_lost: Packets,
    /// How many more packets have arrived marked than the acknowledgement before told. Zero for a control that does not
    /// [count them](EcnResponse::Counts).
    pub marks: u32,
    /// How many packets of growth it stands for: 1, or the packets acknowledged where the profile counts those
    /// (appropriate byte counting, RFC 3465).
    pub credit: Packets,
    /// The round trip of the newest packet that it acknowledges, where that is unambiguous.
    pub rtt: Option<Span>,
    /// What the packet that caused it took on the way there, up to a constant (relative one-way trip time), where both
    /// ends put timestamps on packets.
    pub one_way_delay: Option<Span>,
    /// The smoothed round trip (RFC 6298 section 2), zero before the first sample.
    pub smoothed_rtt: Span,
    /// The least round trip so far, [`Span::MAX`] before the first sample.
    pub min_rtt: Span,
    /// Packets in flight just before it arrived.
    pub inflight_before: Packets,
    /// Packets in flight now that it has been taken in.
    pub inflight: Packets,
    /// Packets delivered since the connection began.
    pub delivered: Packets,
    /// Packets given up for lost since the connection began.
    pub lost: Packets,
    /// Whether a round trip ends: the packet acknowledged was sent after the last round had ended.
    pub round_start: bool,
    /// Whether the congestion window, and not the application or the receiver, is what holds the host back.
    /// Profiles without congestion window validation always say so.
    pub cwnd_limited: bool,
    /// Whether the application has held the host back, and what was sent then is still in flight. A receiver's window that does
    /// so counts as part of the path (draft-ietf-ccwg-bbr section 4.1.1.3).
    pub app_limited: bool,
    /// Whether the host is repairing a loss.
    pub phase: Phase,
    /// The delivery rate over the flight of the newest packet acknowledged; `None` where it acknowledges nothing new.
    pub rate: Option<RateSample>,
}

/// How fast the network delivered (draft-ietf-ccwg-bbr section 4.1, "Delivery Rate Samples").
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateSample {
    /// Packets delivered between the sending of the newest packet acknowledged and this acknowledgement.
    pub delivered: Packets,
    /// Over what time: the longer of the interval of sending and that of acknowledging.
    pub interval: Span,
    /// [`Ack::delivered`] when that packet was sent.
    pub prior_delivered: Packets,
    /// Packets given up for lost between its sending and now.
    pub lost: Packets,
    /// Packets in flight when it was sent, itself included.
    pub tx_in_flight: Packets,
    /// Whether the application had run dry when it was sent.
    pub app_limited: bool,
}

impl RateSample {
    /// Packets per second. `None` where the interval is zero or less than the least round trip, which no flight can be: then
    /// a retransmission was taken for the first sending.
    pub fn packets_per_second(&self, min_rtt: Span) -> Option<f64> {
        let plausible = self.interval > Span::ZERO && self.interval >= min_rtt;
        plausible.then(|| self.delivered / self.interval.seconds())
    }
}

/// A packet that is given up for lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lost {
    /// When it was given up.
    pub now: Time,
    /// Its number, in the order of first sending: what lies side by side is one run of losses.
    pub number: u64,
    /// When it was last sent.
    pub sent: Time,
    /// Its size in packets.
    pub size: Packets,
    /// Packets in flight when it was sent, itself included.
    pub tx_in_flight: Packets,
    /// Packets given up for lost between its sending and now, itself included.
    pub lost: Packets,
    /// Packets delivered when it was sent.
    pub prior_delivered: Packets,
    /// Packets delivered since the connection began, those of the acknowledgement that revealed the loss included.
    pub delivered: Packets,
    /// Whether the application had run dry when it was sent.
    pub app_limited: bool,
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
    pub inflight: Packets,
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
    /// How.
    pub ending: Ending,
}

/// How a recovery ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything that was outstanding when it began has been acknowledged.
    Repaired {
        /// Duplicate acknowledgements since the loss, those that revealed it included.
        duplicates: u32,
    },
    /// Nothing was lost: the reaction to the loss or timeout is to be taken back.
    Undone,
}

/// A packet that was sent, new or again, because nothing had been acknowledged for a probe timeout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// When it leaves.
    pub now: Time,
    /// Its number.
    pub number: u64,
    /// Packets in flight, this one included.
    pub inflight: Packets,
}

/// An expiry of the retransmission timer, or persistent congestion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeout {
    /// When it expired.
    pub now: Time,
    /// What a reduction starts from, as in [`Loss::window`].
    pub window: Packets,
    /// Packets that were thought to be in flight.
    pub inflight: Packets,
    /// Packets still thought to be in flight once the expiry has given up what it gives up: RACK keeps what was sent less than
    /// a round trip ago (RFC 8985 section 6.3). They are reported lost after this.
    pub left_in_flight: Packets,
    /// One past the last packet sent so far.
    pub sent_to: u64,
    /// Expiries in a row without progress, this one included.
    pub in_a_row: u32,
    /// Whether the slow start threshold stays as it is, since the packet has timed out before (RFC 5681 section 3.1;
    /// ns-2 halves again).
    pub keeps_threshold: bool,
}
