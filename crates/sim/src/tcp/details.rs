//! All details of TCP that can be set.

use super::misbehaving::Misbehaviour;
use super::receiver::Acknowledging;
use crate::marking::EcnField;
use ackclock_aqm::Ecn;
use ackclock_base::{Packets, Range, Size, Span, choice, parameters};
use ackclock_recovery::declared::{
    Gains, Losses, RackRules, SmallQueues, Timer, TimerRules, UndoRules, WINDOWS, WindowRules,
};
use ackclock_recovery::units::initial_window;

choice! {
    /// A retransmission rule.
    pub enum Rule {
        /// The rule of the control, or `sack`.
        Auto = "auto",
        /// RFC 5681.
        Reno = "reno",
        /// RFC 6582.
        Newreno = "newreno",
        /// RFC 6675.
        Sack = "sack",
        /// RFC 8985.
        Rack = "rack",
        /// Brakmo and Peterson 1995.
        Vegas = "vegas",
        /// Alnuem 2009 section 4.2.2, for losses of every cause.
        Mda = "mda",
        /// Alnuem 2009 section 4.2.2, for transmission losses only.
        MdaTransmission = "mda-transmission",
    }
}

impl Rule {
    /// Returns whether the rule knows from selective acknowledgements (RFC 2018) which packets are missing.
    pub const fn is_selective(self) -> bool {
        matches!(self, Self::Sack | Self::Rack)
    }
}

choice! {
    /// The rule for the receive window.
    pub enum ReceiveWindow {
        /// The window is fixed.
        Fixed = "fixed",
        /// The window follows the application's reading.
        Autotuned = "autotuned",
    }
}

parameters! {
    /// The details.
    pub struct Details {
        /// Payload of a full packet
        packet: Size = size(
            "1448 B",
            Range::between(1.0, 65_000.0),
            "RFC 9293 section 3.7.1: 1500 B minus the headers of IP and TCP and the timestamps",
        ),
        /// The size of the headers of a packet on the wire
        header: Size = size("52 B", Range::between(0.0, 500.0), "IPv4 20 B, TCP 20 B, timestamps 12 B"),
        /// The receive window: the largest amount of data that the receiver allows in flight; an upper bound if
        /// `receive_window` is autotuned
        window: Packets = packets(
            "10000 packets",
            WINDOWS,
            "RFC 7323 allows 1 GiB; the default fills a 1 Gbit/s path with an RTT of 100 ms; called window_ in ns-2",
        ),
        /// The initial congestion window; `none`: 10 packets or 14,600 B, whichever is less, but at least 2 packets
        initial_window: Option<Packets> = packets(
            "none",
            WINDOWS,
            "RFC 6928; 10 packets of any size in Linux (TCP_INIT_CWND), 2 in RFC 5681 and ns-2, 1 in Dahal section 4.1",
        ),
        /// The initial slow start threshold; none for an infinite threshold
        initial_ssthresh: Option<Packets> = packets("none", WINDOWS, "RFC 5681 section 3.1; equals window_ in ns-2"),
        /// Whether the connection begins with a SYN handshake, which takes a round trip
        handshake: bool = flag(true, "RFC 9293 section 3.5"),
        /// The algorithm of loss detection and retransmission: Reno (reno) or NewReno (newreno) without SACK; with
        /// SACK, by the number of later packets acknowledged (sack) or by time (rack: RACK-TLP); that of Vegas (vegas);
        /// the multiple drops action MDA for all losses (mda), or only for losses that are not attributed to congestion
        /// (mda-transmission); or the one that the control was published with, sack if there is none (auto)
        recovery: Rule = choice(
            "auto",
            "RFC 5681, RFC 6582, RFC 6675, RFC 8985, Brakmo and Peterson 1995, Alnuem 2009 section 4.2.2",
        ),
        /// The options of loss detection and repair.
        losses: Losses,
        /// The options of rack.
        rack: RackRules,
        /// The rules for the window at losses, acknowledgements and pauses.
        rules: WindowRules,
        /// Whether packets carry timestamps, which acknowledgements echo
        timestamps: bool = flag(true, "RFC 7323"),
        /// How the receiver acknowledges.
        acknowledging: Acknowledging,
        /// The clock and the bounds of the retransmission timer.
        timer: Timer,
        /// The samples of the retransmission timer, and its minimum.
        timer_rules: TimerRules,
        /// What is undone.
        undo: UndoRules,
        /// The largest factor by which back-off multiplies the retransmission timeout; `max_rto` bounds the result
        max_backoff: f64 = number(
            "64",
            Range::between(1.0, 1e6),
            "BSD; ns-2 without rfc2988_ (with rfc2988_, only max_rto limits the timeout)",
        ),
        /// Whether packets are ECN-capable, so that queues can mark them instead of dropping them
        ecn: bool = flag(false, "RFC 3168"),
        /// With ecn, whether the receiver reports the number of marks in three header bits and an option of
        /// acknowledgements (AccECN). If not, it echoes each mark until the sender reduces its window (RFC 3168) or,
        /// for a control that responds to each mark, such as dctcp, reports the exact number of marks
        accurate_ecn: bool = flag(false, "RFC 9768"),
        /// With ecn, the ECN field of packets: ECT(0) (ect0), ECT(1) (ect1), or ECT(1) for a control that responds to
        /// each mark and ECT(0) for any other (auto)
        ecn_field: EcnField = choice("auto", "RFC 3168 section 5; RFC 9331 section 4.1"),
        /// Whether packets are paced over the round trip if the control sets a window and no pacing rate; a pacing
        /// rate of the control always applies
        pacing: bool = flag(false, "Linux paces if the qdisc is fq or the control requires pacing"),
        /// How much faster than the window over the round trip packets leave.
        gains: Gains,
        /// How much may wait in the host's own interface.
        small_queues: SmallQueues,
        /// The upper bound of a random delay before each packet is sent, drawn uniformly from 0, to avoid phase effects
        send_jitter: Span = time("0 s", Range::between(0.0, 1.0), "Floyd and Jacobson 1991; called overhead_ in ns-2"),
        /// The rule for the receive window: constant at `window` (fixed), or growing with the rate at which the
        /// application reads (autotuned)
        receive_window: ReceiveWindow = choice(
            "fixed",
            "Linux net/ipv4/tcp_input.c, tcp_rcv_space_adjust; Fisk and Feng 2001",
        ),
        /// The autotuned receive window before any data has arrived, at most `max_receive_window`
        initial_receive_window: Size = size(
            "65536 B",
            Range::between(1.0, 1e9),
            "Linux: tcp_rmem[1] is 131072 B, half of which is the window (tcp_adv_win_scale 1)",
        ),
        /// The largest autotuned receive window, unless `window` is smaller
        max_receive_window: Size = size(
            "3145728 B",
            Range::between(1.0, 1e9),
            "Linux: tcp_rmem[2] is 6291456 B, half of which is the window (tcp_adv_win_scale 1)",
        ),
        /// Whether the control cubic uses HyStart, as in Linux, unless the flow sets `slow_start`
        hystart: bool = flag(false, "Linux net/ipv4/tcp_cubic.c, module parameter hystart"),
        /// How the receiver breaks the rules.
        misbehaviour: Misbehaviour,
    }
}

impl Details {
    /// Returns the payload bytes of a packet.
    pub fn payload_bytes(&self) -> u32 {
        self.packet.bytes() as u32
    }

    /// Returns the bytes of a full packet on the wire.
    #[inline]
    pub fn wire_bytes(&self) -> u32 {
        (self.packet.bytes() + self.header.bytes()) as u32
    }

    /// Returns the ECN field of packets, for a control that counts marks or for one that does not.
    pub fn field(&self, counts_marks: bool) -> Ecn {
        match (self.ecn, self.ecn_field.field()) {
            (false, _) => Ecn::NotCapable,
            (true, Some(field)) => field,
            (true, None) if counts_marks => Ecn::LowLatency,
            (true, None) => Ecn::Classic,
        }
    }

    /// Returns the congestion window at the start, which is also the restart window (RFC 5681 section 4.1):
    /// the value that is set, or `min(10 * MSS, max(2 * MSS, 14600 B))` (RFC 6928 section 2).
    pub fn first_window(&self) -> Packets {
        self.initial_window.unwrap_or_else(|| initial_window(self.payload_bytes(), 10.0, 14_600))
    }
}
