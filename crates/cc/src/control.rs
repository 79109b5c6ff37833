//! The interface between a host (simulated TCP, QUIC, Linux) and a congestion control.
//!
//! The host detects losses, measures round trips and keeps the state of every packet. It tells the control
//! what happened, in named records, and the control answers how much may be sent. Windows are counted in
//! packets.

use ackclock_base::{Packets, Random, Rate, Span, Time};

/// A congestion control, as a host sees it.
///
/// The host reports each event once, in one record. A new field in a record breaks no control, and a control
/// that ignores an event does not implement its method. The random numbers come from the host: the same seed
/// gives the same run.
pub trait Control: Send {
    /// Returns how much may be sent now.
    fn decision(&self) -> Decision;

    /// Returns what the host must know of the control before it runs. It stays the same.
    fn properties(&self) -> Properties {
        Properties::default()
    }

    /// Called when the connection begins, opens or ends.
    fn on_change(&mut self, _change: &Change) {}

    /// Called when a packet is sent, for a control that [follows sending](Properties::follows).
    fn on_sent(&mut self, _sent: &Sent, _random: &mut dyn Random) {}

    /// Called for every acknowledgement. Losses that it revealed have been reported before.
    fn on_ack(&mut self, ack: &Ack, random: &mut dyn Random);

    /// Called for every packet that is considered lost, as it is found.
    fn on_lost(&mut self, _lost: &Lost, _random: &mut dyn Random) {}

    /// Called when the host finds a loss (or an echo of congestion) and enters recovery: once per window of
    /// data.
    fn on_loss(&mut self, loss: &Loss, random: &mut dyn Random);

    /// Called when the retransmission timer expires.
    fn on_timeout(&mut self, timeout: &Timeout, random: &mut dyn Random);

    /// Called when the host finds persistent congestion (RFC 9002 section 7.6). By default it has the effect
    /// of an expired retransmission timer.
    fn on_persistent_congestion(&mut self, timeout: &Timeout, random: &mut dyn Random) {
        self.on_timeout(timeout, random);
    }

    /// Called when the host has sent a probe, which changes no window (RFC 9002 section 6.2.4, RFC 8985
    /// section 7.3).
    fn on_probe(&mut self, _probe: &Probe) {}

    /// Called when the recovery that the last loss or timeout began has ended: all is repaired, or nothing
    /// was lost.
    fn on_recovered(&mut self, _recovered: &Recovered) {}

    /// Publishes internal values for figures: calls `series(name, value)` for each. The names are the same at
    /// each call; a value that is not known yet is NaN.
    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

/// A control whose window a part around it may set, such as the action on a transmission loss.
pub trait WindowControl: Control {
    /// Sets the congestion window, in packets.
    fn set_cwnd(&mut self, cwnd: Packets);

    /// Sets the slow start threshold, in packets.
    fn set_ssthresh(&mut self, ssthresh: Packets);
}

/// What a host must know of a control before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// How the control responds to congestion marks.
    pub ecn: EcnResponse,
    /// Whether its decisions depend on more than the events of its connection: on other connections, or on an
    /// observer.
    pub shared: bool,
    /// Which sent packets it wants to be told of.
    pub follows: Follows,
}

impl Default for Properties {
    /// Those of a control of one connection that reacts to marks as to losses and hears of every sent packet.
    fn default() -> Self {
        Self { ecn: EcnResponse::AsLoss, shared: false, follows: Follows::Everything }
    }
}

/// Which sent packets a control is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// No packets.
    Nothing,
    /// The packets that are sent when nothing is in flight: the first of all, and each that ends a pause.
    Restarts,
    /// Every packet.
    Everything,
}

/// How a control responds to congestion marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnResponse {
    /// The echo of a mark is a loss without anything to retransmit, once per window (RFC 3168, RFC 8511).
    AsLoss,
    /// Each mark has a small effect (RFC 8257, RFC 9331): acknowledgements carry the number of marked
    /// packets, and no mark is reported as a loss.
    Counts,
}

/// A change of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The connection begins to send.
    Begins,
    /// The connection is open: data may flow.
    Opens {
        /// The round trip of the handshake; `None` if it could not be measured.
        rtt: Option<Span>,
    },
    /// The connection has nothing more to send, and all that it sent is acknowledged.
    Ends,
}

/// What a control allows its host to send.
// The order matters: if the window and the threshold were adjacent, both would be read at once right after
// each has been written, and the read would wait for the writes to reach the cache. That cost 3 to 5 % of the
// time per packet in one benchmark on one machine.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Decision {
    /// The number of packets that may be in flight. A host rounds down to whole packets; a control whose
    /// source rounds up decides a whole number.
    pub cwnd: Packets,
    /// The rate at which packets may leave, counting payload like every amount in these records; `None` to
    /// send as fast as the window allows.
    pub pacing_rate: Option<Rate>,
    /// The slow start threshold in packets, for observers; infinite if there is none.
    pub ssthresh: Packets,
    /// The number of packets that may leave back to back when pacing. The pause after them keeps the rate.
    /// `None` leaves the number to the host.
    pub send_quantum: Option<u32>,
}

impl Decision {
    /// Returns the decision for a window without pacing.
    pub fn window(cwnd: Packets, ssthresh: Packets) -> Self {
        Self { cwnd, ssthresh, pacing_rate: None, send_quantum: None }
    }
}

/// The start of a connection, as its host is configured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Initial {
    /// The initial window.
    pub window: Packets,
    /// The initial slow start threshold; infinite if the profile sets none.
    pub ssthresh: Packets,
    /// The greatest window that the receiver or the host ever allows.
    pub limit: Packets,
    /// The payload bytes of a packet, for controls that compute rates. They stay the same for the whole connection.
    pub packet_bytes: u32,
    /// The bytes of headers on each packet, for controls whose growth depends on the size of packets.
    pub header_bytes: u32,
    /// Whether losses are found by selective acknowledgements, so that each one is known.
    pub selective_acks: bool,
    /// Whether the transport spreads the packets over the round trip for a control that sets no pacing rate.
    pub paced: bool,
    /// The smallest window after a loss or a mark (RFC 5681 equation 4 with section 3.2, RFC 9438 section
    /// 4.6, RFC 9002 appendix B.6: two packets; ns-2: one).
    pub min_window: Packets,
    /// The window after a timeout, if the law does not set its own (RFC 5681 section 3.1: one packet), or
    /// after persistent congestion (RFC 9002 section 7.6.2: two). No window is ever smaller.
    pub loss_window: Packets,
}

impl Default for Initial {
    /// Returns the values of TCP's RFCs, with packets of 1,000 bytes and without limits.
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

/// Whether the host is repairing a loss, or has reduced the window for a mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Normal sending, also while retransmitting after a timeout.
    #[default]
    Open,
    /// A mark, or a packet that the host's own interface refused, has reduced the window, and nothing is being
    /// repaired: up to and including the first acknowledgement of a packet sent after the reduction (Linux's state
    /// CWR). Never for marks that the control [counts](EcnResponse::Counts). The window does not grow.
    Cwr,
    /// Fast recovery, up to and including the acknowledgement that ends it.
    Recovery,
}

/// A packet that was sent, for the first time or as a retransmission.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sent {
    /// The time at which it leaves.
    pub now: Time,
    /// The number of packets in flight, this one included.
    pub inflight: Packets,
    /// Whether nothing was in flight before.
    pub after_idle: bool,
    /// Whether the application limits the host: the host had nothing to send though its window had room, and
    /// no more has been delivered since than was in flight at that time. So the first packet after a pause of
    /// the application counts as limited, and the last packet before the pause need not.
    pub app_limited: bool,
}

/// An acknowledgement. Amounts of data are in packets; for a transport that counts bytes they need not be
/// whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ack {
    /// The time at which it arrived.
    pub now: Time,
    /// Whether it moves the cumulative acknowledgement forward; false for a duplicate. Where all delivered packets count
    /// for growth and three or more have overtaken one, also whether it newly acknowledges anything (Linux,
    /// tcp_may_raise_cwnd).
    pub fresh: bool,
    /// The number of the first packet not yet acknowledged cumulatively, or one past the highest acknowledged
    /// number if the host uses no number twice.
    pub acked_to: u64,
    /// The number of the next packet to be sent in order: a new one, unless the host goes back over what it
    /// sent before a timeout.
    pub sent_to: u64,
    /// The number of packets that it newly acknowledges, cumulatively or selectively.
    pub newly_acked: Packets,
    /// The number of packets that are considered lost because of it.
    pub newly_lost: Packets,
    /// The number of packets that arrived marked and were not reported by an earlier acknowledgement. Zero
    /// for a control that does not [count them](EcnResponse::Counts).
    pub marks: u32,
    /// The growth that the acknowledgement allows, in packets: 1, or the packets acknowledged if the profile
    /// counts those (appropriate byte counting, RFC 3465).
    pub abc_increment: Packets,
    /// The round trip of the newest packet that it acknowledges; `None` if that is ambiguous or nothing new
    /// is acknowledged.
    pub rtt: Option<Span>,
    /// The one-way delay of the packet that caused it, up to a constant (relative one-way trip time); `None`
    /// unless both ends put timestamps on packets.
    pub one_way_delay: Option<Span>,
    /// The smoothed round trip (RFC 6298 section 2), zero before the first sample.
    pub smoothed_rtt: Span,
    /// The minimum round trip so far, [`Span::MAX`] before the first sample.
    pub min_rtt: Span,
    /// Packets in flight just before it arrived.
    pub inflight_before: Packets,
    /// Packets in flight after it has been processed.
    pub inflight: Packets,
    /// Packets delivered since the connection began.
    pub delivered: Packets,
    /// Packets considered lost since the connection began.
    pub lost: Packets,
    /// Whether a round trip ends: the packet acknowledged was sent after the last round had ended.
    pub round_start: bool,
    /// Whether the congestion window, and not the application or the receiver, limits the host. Profiles
    /// without congestion window validation always set it.
    pub cwnd_limited: bool,
    /// Whether the application has limited the host, and packets sent then are still in flight. A receiver's
    /// window that limits the host counts as part of the path (draft-ietf-ccwg-bbr section 4.1.1.3).
    pub app_limited: bool,
    /// Whether the host is repairing a loss.
    pub phase: Phase,
    /// The delivery rate over the flight of the newest packet acknowledged; `None` if nothing new is
    /// acknowledged.
    pub rate: Option<RateSample>,
}

/// A sample of the delivery rate (draft-ietf-ccwg-bbr section 4.1, "Delivery Rate Samples").
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateSample {
    /// Packets delivered between the sending of the newest packet acknowledged and this acknowledgement.
    pub delivered: Packets,
    /// The time in which they were delivered: the longer of the sending and the acknowledging interval.
    pub interval: Span,
    /// [`Ack::delivered`] when the newest packet acknowledged was sent.
    pub prior_delivered: Packets,
    /// Packets considered lost between the sending of the newest packet acknowledged and now.
    pub lost: Packets,
    /// Packets in flight when the newest packet acknowledged was sent, itself included.
    pub tx_in_flight: Packets,
    /// Whether the application limited the host when that packet was sent, as in [`Sent::app_limited`].
    pub app_limited: bool,
}

impl RateSample {
    /// Returns packets per second, or `None` if the interval is zero or less than the minimum round trip. No
    /// flight is that short: the acknowledgement of a first transmission was taken for one of the
    /// retransmission.
    pub fn packets_per_second(&self, min_rtt: Span) -> Option<f64> {
        let plausible = self.interval > Span::ZERO && self.interval >= min_rtt;
        plausible.then(|| self.delivered / self.interval.seconds())
    }
}

/// A packet that is considered lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lost {
    /// The time at which the loss was found.
    pub now: Time,
    /// The packet's number in the order of first transmission. Consecutive numbers are one run of losses.
    pub number: u64,
    /// The time of its last transmission.
    pub sent: Time,
    /// Its size as a multiple of the packet size.
    pub size: Packets,
    /// Packets in flight when it was sent, itself included.
    pub tx_in_flight: Packets,
    /// Packets considered lost between its sending and now, itself included.
    pub lost: Packets,
    /// Packets delivered before it was sent.
    pub prior_delivered: Packets,
    /// Packets delivered since the connection began, including those of the acknowledgement that revealed the
    /// loss.
    pub delivered: Packets,
    /// Whether the application limited the host when it was sent, as in [`Sent::app_limited`].
    pub app_limited: bool,
}

/// The sign by which a loss was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossSignal {
    /// Duplicate or selective acknowledgements.
    DuplicateAcks,
    /// A fine-grained timer that some controls keep (Vegas).
    EarlyTimer,
    /// An echo of congestion experienced (RFC 3168): nothing was lost.
    Ecn,
    /// The host's own interface had no room for a packet: nothing was lost on the path (Linux's
    /// `tcp_enter_cwr`).
    LocalDrop,
}

/// A loss that starts a recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// The time at which it was found.
    pub now: Time,
    /// The sign by which it was found.
    pub signal: LossSignal,
    /// The window that a reduction starts from, in packets: the packets in flight (RFC 5681 equation 4) or
    /// the window in force (ns-2, Linux), depending on the profile.
    pub window: Packets,
    /// Packets in flight when the loss was found.
    pub inflight: Packets,
    /// The number of the first lost packet.
    pub lost: u64,
    /// One past the last packet sent so far. The packets from `lost` up to here are the window in which the
    /// loss was found.
    pub sent_to: u64,
    /// The time at which the lost packet was last sent.
    pub sent: Time,
    /// The number of times that the lost packet has been sent.
    pub transmissions: u32,
    /// The number of duplicate acknowledgements so far.
    pub duplicates: u32,
}

/// The end of a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The time at which it ended.
    pub now: Time,
    /// How it ended.
    pub ending: Ending,
}

/// How a recovery ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything that was outstanding when it began has been acknowledged.
    Repaired {
        /// Duplicate acknowledgements since the loss, including those that revealed it.
        duplicates: u32,
    },
    /// Nothing was lost: the control should undo its reaction to the loss or timeout.
    Undone,
}

/// A packet that was sent as a probe, new or retransmitted, because nothing had been acknowledged for a probe
/// timeout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// The time at which it leaves.
    pub now: Time,
    /// The packet's number.
    pub number: u64,
    /// The number of packets in flight, this one included.
    pub inflight: Packets,
}

/// An expiry of the retransmission timer, or persistent congestion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeout {
    /// The time of the expiry.
    pub now: Time,
    /// The window that a reduction starts from, as in [`Loss::window`].
    pub window: Packets,
    /// Packets in flight before the expiry, as the host counted them.
    pub inflight: Packets,
    /// Packets still counted in flight after the expiry: RACK keeps what was sent less than a round trip ago
    /// (RFC 8985 section 6.3). The packets given up are reported lost after this.
    pub left_in_flight: Packets,
    /// One past the last packet sent so far.
    pub sent_to: u64,
    /// The number of expiries in a row without progress, this one included.
    pub in_a_row: u32,
    /// Whether the slow start threshold stays as it is: the timer has expired before without progress since
    /// (RFC 5681 section 3.1; ns-2 halves again), or the losses that show persistent congestion have already
    /// set the threshold (RFC 9002 appendix B.8).
    pub keeps_threshold: bool,
}
