//! All details of TCP that can be set.

use super::misbehaving::Misbehaviour;
use crate::marking::EcnField;
use ackclock_base::{Packets, Range, Size, Span, choice, parameters};
use ackclock_recovery::declared::{Losses, PacingGains, Timer, WINDOWS, WindowRules};
use ackclock_recovery::detection::rack::RoundTripOf;
use ackclock_recovery::rtt::MinBounds;
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

choice! {
    /// The rule for the receive window.
    pub enum ReceiveWindow {
        /// The window is fixed.
        Fixed = "fixed",
        /// The window follows the application's reading.
        Autotuned = "autotuned",
    }
}

choice! {
    /// The timestamp that is echoed.
    pub enum TimestampEcho {
        /// The timestamp of the packet that last moved the left edge.
        LeftEdge = "left-edge",
        /// The timestamp of the packet that arrives.
        Arriving = "arriving",
    }
}

choice! {
    /// With timestamps, the samples that the timer uses.
    pub enum TimerSamples {
        /// All timestamps.
        Timestamps = "timestamps",
        /// One packet per round trip that was sent once.
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
        /// The flight falls in proportion to what is delivered (RFC 9937), over the round trip.
        Proportional = "proportional",
    }
}

parameters! {
    /// The details.
    pub struct Details {
        /// Payload of a packet
        packet: Size = size(
            "1448 B",
            Range::between(1.0, 65_000.0),
            "RFC 9293 section 3.7.1: 1500 B less IP, TCP and timestamps",
        ),
        /// The size of the headers of a packet on the wire
        header: Size = size("52 B", Range::between(0.0, 500.0), "IPv4 20 B, TCP 20 B, timestamps 12 B"),
        /// Size of an acknowledgement on the wire
        ack_size: Size = size("40 B", Range::between(1.0, 1500.0), "IPv4 20 B, TCP 20 B; ns-2"),
        /// The most that the receiver allows in flight
        window: Packets = packets(
            "10000 packets",
            WINDOWS,
            "RFC 7323 allows 1 GiB; enough for 1 Gbit/s at 100 ms; ns-2's window_",
        ),
        /// The congestion window at the start; none for 10 packets, or 14,600 B where packets are larger, but
        /// at least 2 packets
        initial_window: Option<Packets> = packets(
            "none",
            WINDOWS,
            "RFC 6928; 10 packets of any size in Linux (TCP_INIT_CWND), 2 in RFC 5681 and ns-2, 1 in Dahal section 4.1",
        ),
        /// The slow start threshold at the start; none for as high as the window allows
        initial_ssthresh: Option<Packets> = packets("none", WINDOWS, "RFC 5681 section 3.1; ns-2 sets it to window_"),
        /// Whether the connection begins with a round trip of SYN
        handshake: bool = flag(true, "RFC 9293 section 3.5"),
        /// The retransmission rule; auto takes the control's own, or sack
        recovery: Rule = choice(
            "auto",
            "RFC 5681, RFC 6582, RFC 6675, RFC 8985, Brakmo and Peterson 1995, Alnuem 2009 section 4.2.2",
        ),
        /// The options of loss detection and repair.
        losses: Losses,
        /// The rules for the window at losses, acknowledgements and pauses.
        rules: WindowRules,
        /// Whether every acknowledgement echoes a timestamp
        timestamps: bool = flag(true, "RFC 7323"),
        /// The timestamp that is echoed: that of the packet that last moved the left edge, or of the one that
        /// arrives
        timestamp_echo: TimestampEcho = choice(
            "left-edge",
            "RFC 7323 section 4.3; ns-2 echoes the packet that arrives",
        ),
        /// With timestamps, the samples that the timer uses: all timestamps, or one packet per round trip
        /// that was sent once
        timer_samples: TimerSamples = choice(
            "timestamps",
            "RFC 7323 section 4; RFC 6298 section 3, as ns-2 without timestamps_, whose packets carry stamps all the \
             same",
        ),
        /// Whether a timeout that proves spurious is undone (needs timestamps)
        spurious_timeouts: bool = flag(true, "RFC 3522"),
        /// Whether only every second packet is acknowledged
        delayed_ack: bool = flag(true, "RFC 5681 section 4.2"),
        /// The time for which an acknowledgement waits for a second packet
        delayed_ack_time: Span = time(
            "200 ms",
            Range { min: 0.0, max: 0.5, above_min: true },
            "RFC 1122 section 4.2.3.2 allows 500 ms",
        ),
        /// The rules of the retransmission timer.
        timer: Timer,
        /// The largest factor on the retransmission timeout
        max_backoff: f64 = number("64", Range::between(1.0, 1e6), "BSD; ns-2 without rfc2988_, with which only max_rto bounds it"),
        /// Whether a repeated timeout of the same packet leaves the slow start threshold unchanged
        keeps_threshold: bool = flag(true, "RFC 5681 section 3.1; ns-2 halves it again"),
        /// Whether packets may be marked instead of dropped
        ecn: bool = flag(false, "RFC 3168"),
        /// With ecn, whether the receiver reports the number of marks in three bits of acknowledgements and
        /// an option, instead of echoing marks or, for a control that answers to each mark, reporting their
        /// number in full
        accurate_ecn: bool = flag(false, "RFC 9768"),
        /// With ecn, the ECN field of packets; auto is ect1 for a control that answers to each mark, ect0 for
        /// others
        ecn_field: EcnField = choice("auto", "RFC 3168 section 5; RFC 9331 section 4.1"),
        /// How the flight falls when a mark, or a packet that the host's own interface refuses, reduces the window: at
        /// once, so that nothing is sent for a part of a round trip, or in proportion to what is delivered (with sack or
        /// rack and `reduction = "proportional"`, and where the control has no model of the path)
        mark_reduction: MarkReduction = choice(
            "immediate",
            "RFC 3168 section 6.1.2 halves the window, and RFC 9937 is about losses; Linux since 3.7 \
             net/ipv4/tcp_input.c, tcp_enter_cwr and tcp_cwnd_reduction",
        ),
        /// Whether a window control's packets are spread over the round trip
        pacing: bool = flag(false, "Linux paces under fq, or where the control asks for it"),
        /// How much faster than the window over the round trip packets leave.
        gains: PacingGains,
        /// Whether a flow keeps no more in its host's own interface than two packets or a millisecond of its
        /// rate (only if packets leave in the order in which they come, and without send_jitter)
        small_queues: bool = flag(false, "Linux net/ipv4/tcp_output.c, tcp_small_queue_check"),
        /// With small_queues, the limit on a flow's bytes in the interface, whatever its rate
        small_queue_limit: Size = size(
            "4194304 B",
            Range::between(1.0, 1e9),
            "Linux, tcp_limit_output_bytes: 4 MiB since 6.16, 1 MiB before",
        ),
        /// The largest number of packets that one acknowledgement may release; none for no limit
        max_burst: Option<u64> = integer("none", Range::between(1.0, 1e6), "ns-2's maxburst_"),
        /// A random delay of up to this before each packet leaves, which breaks phase effects
        send_jitter: Span = time("0 s", Range::between(0.0, 1.0), "Floyd and Jacobson 1991; ns-2's overhead_"),
        /// The fate of a packet for which the host's own interface has no room: it is lost, or it stays with
        /// the sender, which reduces its window once for the packets in flight (only without send_jitter)
        local_drop: LocalDrop = choice(
            "lost",
            "no RFC; ns-2 loses it, as a router does; Linux net/ipv4/tcp_output.c keeps it: __tcp_transmit_skb on \
             NET_XMIT_DROP, tcp_enter_cwr",
        ),
        /// Whether the receiver reports packets that arrive twice, with sack or rack
        dsack: bool = flag(false, "RFC 2883"),
        /// With rack, whether a probe after two round trips of silence shows the loss of the last packets
        tail_loss_probe: bool = flag(true, "RFC 8985 section 7"),
        /// Whether a recovery whose first acknowledgement echoes the original is undone (needs timestamps)
        spurious_recoveries: bool = flag(false, "RFC 3522"),
        /// Whether a recovery or a timeout is undone when all packets that it retransmitted had arrived
        /// (needs dsack)
        dsack_undo: bool = flag(false, "RFC 3708; Linux net/ipv4/tcp_input.c, tcp_try_undo_dsack"),
        /// Whether a timeout is undone when new data sent after the first retransmission shows that it was
        /// spurious
        frto: bool = flag(false, "RFC 5682"),
        /// With rack, how much longer than two round trips a probe waits if one packet is in flight; none for
        /// delayed_ack_time
        probe_ack_delay: Option<Span> = time(
            "none",
            Range::between(0.0, 3600.0),
            "RFC 8985 section 7.2, TLP.max_ack_delay; Linux net/ipv4/tcp_output.c, tcp_schedule_loss_probe adds the least \
             timeout",
        ),
        /// With rack, of the packets that an acknowledgement delivers, the one whose round trip is waited for: the one sent
        /// last, or the highest
        rack_rtt: RoundTripOf = choice(
            "last-sent",
            "RFC 8985 section 6.2 step 2; Linux net/ipv4/tcp_recovery.c, tcp_rack_advance",
        ),
        /// With rack, how much later than computed the timer of reordering and the probe of several packets are due
        rack_timer_slack: Span = time(
            "0 s",
            Range::between(0.0, 1.0),
            "RFC 8985 has none; Linux include/net/tcp.h, TCP_TIMEOUT_MIN_US",
        ),
        /// What min_rto bounds: the timeout, its excess over the smoothed round trip, or the timeout with its
        /// back-off factor
        min_rto_bounds: MinBounds = choice(
            "timeout",
            "RFC 6298 section 2.4; Linux net/ipv4/tcp_input.c, tcp_rtt_estimator; ns-2 with rfc2988_ false",
        ),
        /// With delayed_ack, the number of packets that are acknowledged at once nevertheless: the first
        /// ones, and those after a packet that came twice
        quick_acks: u32 = integer(
            "0",
            Range::between(0.0, 1e6),
            "Linux include/net/tcp.h, TCP_MAX_QUICKACKS; not in RFC 5681",
        ),
        /// The rule for the receive window: fixed, or following the application's reading
        receive_window: ReceiveWindow = choice(
            "fixed",
            "Linux net/ipv4/tcp_input.c, tcp_rcv_space_adjust; Fisk and Feng 2001",
        ),
        /// The autotuned window before any data has arrived
        initial_receive_window: Size = size(
            "65536 B",
            Range::between(1.0, 1e9),
            "Linux, tcp_rmem[1] of 131072 B, of which half is window (tcp_adv_win_scale 1)",
        ),
        /// The largest autotuned window, unless window is smaller
        max_receive_window: Size = size(
            "3145728 B",
            Range::between(1.0, 1e9),
            "Linux, tcp_rmem[2] of 6291456 B, of which half is window",
        ),
        /// Whether a control that has HyStart in Linux (cubic) has it where the flow names no slow start
        hystart: bool = flag(false, "Linux net/ipv4/tcp_cubic.c, module parameter hystart"),
        /// How the receiver breaks the rules.
        misbehaviour: Misbehaviour,
    }
}

impl Details {
    /// Returns the congestion window at the start, which is also the restart window (RFC 5681 section 4.1):
    /// the value that is set, or `min(10 * MSS, max(2 * MSS, 14600 B))` (RFC 6928 section 2).
    pub fn first_window(&self) -> Packets {
        self.initial_window.unwrap_or_else(|| initial_window(self.packet.bytes() as u32, 10.0, 14_600))
    }
}
