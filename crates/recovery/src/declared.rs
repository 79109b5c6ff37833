//! Declares the recovery options that a scenario can set, in groups. Recovery takes the groups as they are. A transport
//! nests the groups that it supports in its own parameters, and sets the others to the rules of its RFC.

use crate::detection::AfterTimeout;
use crate::detection::mda::LatePartial;
use crate::detection::rack::RoundTripOf;
use crate::detection::sack::Flight;
use crate::ledger::{MAX_DUPACK_THRESHOLD, MAX_OUTSTANDING};
use crate::rtt::MinBounds;
use crate::validation::CwndValidation;
use ackclock_base::{Packets, Range, Size, Span, choice, parameters};

const SPANS: Range = Range { min: 0.0, max: 3600.0, above_min: true };
/// The range of timeouts. A shorter timeout would expire many times before the first acknowledgement on any
/// real path.
const TIMEOUTS: Range = Range::between(0.001, 3600.0);
/// The range of windows in packets.
pub const WINDOWS: Range = Range::between(1.0, MAX_OUTSTANDING as f64 - 1.0);

choice! {
    /// The partial acknowledgements that restart the timer.
    pub enum PartialAckTimer {
        /// Every partial acknowledgement restarts it: "slow but steady".
        Every = "every",
        /// Only the first partial acknowledgement restarts it: "impatient".
        First = "first",
    }
}

choice! {
    /// The quantity that a loss reduces.
    pub enum ReduceFrom {
        /// A reduction starts from the packets in flight, if those are fewer than the congestion window (RFC
        /// 5681 equation 4).
        Flight = "flight",
        /// A reduction starts from the congestion window, or from the receiver's window if that is smaller
        /// (ns-2, Linux).
        Window = "window",
    }
}

choice! {
    /// The number of packets that an acknowledgement counts for when the window grows.
    pub enum Growth {
        /// One packet, whatever the acknowledgement covers.
        Acks = "acks",
        /// The packets that the acknowledgement covers, at most two.
        Packets = "packets",
        /// All packets that the acknowledgement shows delivered, in order or not.
        Delivered = "delivered",
    }
}

choice! {
    /// What happens to the window when nothing has been sent for longer than a retransmission timeout.
    pub enum AfterIdle {
        /// The window falls to the initial window.
        InitialWindow = "initial-window",
        /// The window is halved for each timeout after the first, down to the initial window.
        Halve = "halve",
        /// The window stays as it is.
        Keep = "keep",
    }
}

choice! {
    /// With timestamps, the samples that the timer uses.
    pub enum TimerSamples {
        /// The timestamp of every acknowledgement that advances the cumulative one.
        Timestamps = "timestamps",
        /// One packet at a time, which was sent once.
        OnePacket = "one-packet",
    }
}

choice! {
    /// The fate of a packet for which the host's own interface has no room.
    pub enum LocalDrop {
        /// The packet is lost.
        Lost = "lost",
        /// The packet stays with the sender, which reduces its window once for the packets in flight.
        Cwr = "cwr",
    }
}

choice! {
    /// How the flight falls when a mark reduces the window.
    pub enum MarkReduction {
        /// The sender is silent until the flight has fallen to the window.
        Immediate = "immediate",
        /// The flight falls over the round trip, in proportion to what is delivered of the window (Linux, tcp_cwnd_reduction).
        Proportional = "proportional",
    }
}

parameters! {
    /// The clock and the bounds of the retransmission timer.
    pub struct Timer {
        /// Granularity of the retransmission timer's clock
        tick: Span = time("1 ms", SPANS, "RFC 6298 section 4; RFC 9260 section 6.3.1 rule C6"),
        /// The minimum retransmission timeout
        min_rto: Span = time("1 s", TIMEOUTS, "RFC 6298 section 2.4; RFC 9260 section 16, RTO.Min"),
        /// The maximum retransmission timeout
        max_rto: Span = time("60 s", TIMEOUTS, "RFC 6298 section 2.5; RFC 9260 section 16, RTO.Max"),
        /// The retransmission timeout before the first round-trip sample, but at least `min_rto`
        initial_rto: Span = time(
            "1 s",
            TIMEOUTS,
            "RFC 6298 section 2.1; RFC 9260 section 16, RTO.Initial; 3 s in RFC 2988, RFC 2960 and ns-2",
        ),
    }
}

parameters! {
    /// The samples of the retransmission timer and of the minimum RTT, and the timer's minimum.
    pub struct TimerRules {
        /// With timestamps, the RTT samples that the retransmission timer uses: one from each acknowledgement of new
        /// data (timestamps), or one per round trip, of a packet that was sent only once (one-packet). Without
        /// timestamps, one-packet applies
        timer_samples: TimerSamples = choice(
            "timestamps",
            "timestamps: RFC 7323 section 4; one-packet: RFC 6298 section 3, and ns-2 with timestamps_ false",
        ),
        /// The quantity that min_rto bounds: the timeout (timeout), its excess over the smoothed round trip
        /// (deviation), or the timeout times its back-off factor (backed-off)
        min_rto_bounds: MinBounds = choice(
            "timeout",
            "timeout: RFC 6298 section 2.4; deviation: Linux net/ipv4/tcp_input.c, tcp_rtt_estimator; backed-off: ns-2 \
             with rfc2988_ false",
        ),
        /// Whether the round trip of the handshake counts for the minimum RTT that controls use. Packets of a handshake
        /// are small, so its round trip can be shorter than that of any data packet
        handshake_min_rtt: bool = flag(
            false,
            "true: ns-2's rtt_update and Linux's tcp_ack_update_rtt; the profile linux has false, unlike Linux itself",
        ),
    }
}

parameters! {
    /// The ratio of the pacing rate to the window over the round trip.
    pub struct Gains {
        /// The pacing rate for a control that sets none, as a multiple of the window per round trip, while the window
        /// is below half of the slow start threshold
        pacing_slow_start: f64 = number("2", Range::between(0.1, 100.0), "Linux, tcp_pacing_ss_ratio of 200 %"),
        /// The pacing rate for a control that sets none, as a multiple of the window per round trip, while the window
        /// is at least half of the slow start threshold
        pacing_avoidance: f64 = number(
            "1.2",
            Range::between(0.1, 100.0),
            "Linux, tcp_pacing_ca_ratio of 120 %; RFC 9002 section 7.7: small, but at least 1, for example 1.25",
        ),
    }
}

parameters! {
    /// How much of a flow may wait in its host's own interface.
    pub struct SmallQueues {
        /// Whether the sender keeps a flow's packets in its host's own interface below a limit (TCP small queues): two
        /// packets (or pacing quanta), or about a millisecond at the flow's rate if that is more, and twice the limit
        /// before a retransmission. Has no effect with send_jitter, or with a queue that drops or reorders packets at
        /// departure, such as codel
        small_queues: bool = flag(false, "Linux net/ipv4/tcp_output.c, tcp_small_queue_check"),
        /// With small_queues, the upper bound of the limit on a flow's bytes in the interface, whatever the flow's rate
        small_queue_limit: Size = size(
            "4194304 B",
            Range::between(1.0, 1e9),
            "Linux, tcp_limit_output_bytes: 4 MiB since 6.16, 1 MiB before",
        ),
    }
}

parameters! {
    /// How losses are detected from acknowledgements, and repaired.
    pub struct Losses {
        /// The number of duplicate acknowledgements, or of later packets acknowledged selectively, after which a packet
        /// counts as lost; with rack, the number of packets acknowledged selectively from which losses are declared
        /// without waiting for reordering, as long as no reordering has been seen
        dupack_threshold: u32 = integer(
            "3",
            Range::between(1.0, MAX_DUPACK_THRESHOLD as f64),
            "RFC 5681 section 3.2; RFC 6675 section 2, DupThresh",
        ),
        /// With reno, newreno, mda and mda-transmission, whether each duplicate acknowledgement before the one that
        /// indicates a loss releases a new packet
        limited_transmit: bool = flag(true, "RFC 3042"),
        /// With newreno, the partial acknowledgements that restart the retransmission timer: every one (every: slow but
        /// steady), or only the first of a recovery (first: impatient)
        partial_ack_timer: PartialAckTimer = choice("every", "RFC 6582 section 4; ns-2's newreno_changes1_"),
        /// With mda and mda-transmission, the number of packets retransmitted at each partial acknowledgement after the
        /// first of a recovery: one (one), two (two) or none (nothing)
        late_partial: LatePartial = choice("one", "Alnuem 2009 section 4.2.2.3; appendix D; figure 4.9"),
        /// With newreno, whether a partial acknowledgement reduces the window's inflation by the packets that it
        /// acknowledges, minus one; if not, it removes all inflation
        window_deflation: bool = flag(true, "RFC 6582 section 3.2; ns-2's partial_window_deflation_"),
        /// The handling of SACK information at a timeout: it is discarded, and all packets from the first
        /// unacknowledged one are retransmitted (go-back-n); or it is kept, and only packets without an acknowledgement
        /// are retransmitted (keep-sack)
        after_timeout: AfterTimeout = choice("keep-sack", "keep-sack: RFC 6675 section 5.1; go-back-n: ns-2"),
        /// With sack or rack, how recovery reduces the packets in flight to the new window. immediate: only the first
        /// retransmission is sent until the packets in flight fit the new window. proportional: for each delivered
        /// packet, a fraction of a packet is sent: the new window over the packets in flight at the loss (PRR, RFC
        /// 9937). linux: as proportional, with the new window over the old window. counted: the number of packets in
        /// flight is lowered by one for each duplicate acknowledgement and by two for each partial acknowledgement
        /// (ns-2's Sack1; with rack as immediate). With BBR and other controls that model the path, proportional and
        /// linux act as immediate
        reduction: Flight = choice(
            "proportional",
            "immediate: RFC 6675; proportional: RFC 9937; linux: Linux net/ipv4/tcp_input.c, tcp_cwnd_reduction; \
             counted: Fall and Floyd 1996, ns-2's Sack1",
        ),
    }
}

parameters! {
    /// How losses are found by time, with rack.
    pub struct RackRules {
        /// With rack, whether the sender sends a tail loss probe after about two round trips without acknowledgements,
        /// so that the loss of the last packets is detected without a timeout
        tail_loss_probe: bool = flag(true, "RFC 8985 section 7"),
        /// With rack, the time added to two round trips before a probe is sent if only one packet is in flight, to
        /// allow for a delayed acknowledgement; none: `delayed_ack_time`, or 0 without delayed_ack
        probe_ack_delay: Option<Span> = time(
            "none",
            Range::between(0.0, 3600.0),
            "RFC 8985 section 7.2, TLP.max_ack_delay; in Linux, the minimum RTO: net/ipv4/tcp_output.c, \
             tcp_schedule_loss_probe",
        ),
        /// With rack, the packet whose round trip time becomes RACK.rtt, among the packets that an acknowledgement
        /// delivers: the one sent last (last-sent), or the one with the highest number (highest)
        rack_rtt: RoundTripOf = choice(
            "last-sent",
            "last-sent: RFC 8985 section 6.2 step 2; highest: Linux net/ipv4/tcp_recovery.c, tcp_rack_advance",
        ),
        /// With rack, the time added to the reordering timer, and to the probe timer while several packets are in
        /// flight
        rack_timer_slack: Span = time(
            "0 s",
            Range::between(0.0, 1.0),
            "none in RFC 8985; Linux include/net/tcp.h, TCP_TIMEOUT_MIN_US",
        ),
    }
}

parameters! {
    /// How spurious reactions are detected, so that they can be undone.
    pub struct UndoRules {
        /// With timestamps, whether the reaction to a timeout is undone if the first acknowledgement of new data after
        /// it echoes the timestamp of the original packet, not of the retransmission (Eifel)
        spurious_timeouts: bool = flag(true, "RFC 3522"),
        /// With timestamps, whether a recovery is undone if the echoed timestamps show that the originals of all
        /// packets declared lost in it have arrived (Eifel)
        spurious_recoveries: bool = flag(false, "RFC 3522"),
        /// With dsack, whether a recovery or a timeout is undone when the receiver reports that all packets
        /// retransmitted in it had arrived already
        dsack_undo: bool = flag(false, "RFC 3708; Linux net/ipv4/tcp_input.c, tcp_try_undo_dsack"),
        /// Whether the sender, after the first retransmission at a timeout, sends new data in place of further
        /// retransmissions, and undoes the timeout if a packet that was sent only once is acknowledged (F-RTO)
        frto: bool = flag(false, "RFC 5682"),
    }
}

impl UndoRules {
    /// No reaction is undone.
    pub const NONE: Self =
        Self { spurious_timeouts: false, spurious_recoveries: false, dsack_undo: false, frto: false };
}

parameters! {
    /// How losses, acknowledgements and pauses change the window.
    pub struct WindowRules {
        /// The quantity from which the reduced window after a loss is computed: the number of packets not acknowledged
        /// cumulatively, at most the congestion window (flight); or the congestion window, at most the receive window
        /// (window)
        reduce_from: ReduceFrom =
            choice("flight", "flight: RFC 5681 section 2 and equation 4; window: ns-2 and Linux"),
        /// The smallest window after a loss or a mark. After a timeout the window is one packet, unless the control
        /// sets its own
        min_window: Packets = packets(
            "2 packets",
            WINDOWS,
            "RFC 5681 equation 4 and section 3.2; RFC 9438 section 4.6; Linux's ssthresh functions; 1 packet in ns-2",
        ),
        /// The number of packets that are counted for each acknowledgement when the window grows: one (acks); the
        /// packets acknowledged cumulatively, at most two (packets); or all packets newly reported as delivered, in
        /// order or not (delivered)
        growth: Growth = choice(
            "packets",
            "packets: RFC 3465; acks: ns-2; delivered: Linux net/ipv4/tcp_input.c, tcp_cong_control",
        ),
        /// The condition under which the window counts as used and can grow: it is full, or at least half of it was in
        /// flight within the last window of data (half); it is full (full); it was full within the last window of data
        /// or, in slow start, more than half of it was in flight (linux: tcp_is_cwnd_limited); or no condition (none)
        cwnd_validation: CwndValidation = choice(
            "half",
            "half: RFC 7661 section 4.3; full: RFC 9002 section 7.8; linux: Linux include/net/tcp.h, \
             tcp_is_cwnd_limited; none: ns-2",
        ),
        /// The window after a pause in sending that exceeds a retransmission timeout: at most the initial window
        /// (initial-window); halved for each further timeout, or part of one, in the pause, but not below the initial
        /// window (halve); or unchanged (keep). BBR and other controls that model the path keep their window
        after_idle: AfterIdle = choice(
            "initial-window",
            "initial-window: RFC 5681 section 4.1; halve: Linux net/ipv4/tcp_output.c, tcp_cwnd_restart \
             (tcp_slow_start_after_idle)",
        ),
        /// Whether a repeated timeout of the same packet leaves the slow start threshold unchanged
        keeps_threshold: bool = flag(true, "RFC 5681 section 3.1; ns-2 halves the threshold at every timeout"),
        /// How the packets in flight are reduced to the new window after a mark, or after a packet for which the queue
        /// of the sender's own interface has no room. immediate: nothing is sent until the packets in flight fit the
        /// new window. proportional: packets are sent in proportion to those delivered, if `recovery` is sack or rack,
        /// `reduction` is proportional or linux, and the control does not model the path; otherwise as immediate
        mark_reduction: MarkReduction = choice(
            "immediate",
            "immediate: RFC 3168 section 6.1.2; proportional: Linux since 3.7, net/ipv4/tcp_input.c, tcp_enter_cwr and \
             tcp_cwnd_reduction (RFC 9937 covers only losses)",
        ),
        /// What happens to a packet for which the queue of the sender's own interface has no room. lost: the packet is
        /// lost. cwr: the packet stays with the sender, which reduces its window, at most once per window of data.
        /// With send_jitter, or if that queue drops packets at departure, as codel does, the packet is always lost
        local_drop: LocalDrop = choice(
            "lost",
            "no RFC; lost: ns-2; cwr: Linux net/ipv4/tcp_output.c, __tcp_transmit_skb, which calls tcp_enter_cwr on \
             NET_XMIT_DROP",
        ),
        /// The largest number of packets sent at one event (an acknowledgement, a timer or a write of the application),
        /// not counting fast retransmissions and probes; none for no limit
        max_burst: Option<u64> = integer("none", Range::between(1.0, 1e6), "ns-2's maxburst_"),
    }
}
