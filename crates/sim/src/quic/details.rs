//! All details of QUIC that can be set.

use crate::marking::EcnField;
use ackclock_base::{Packets, Range, Size, Span, choice, parameters};
use ackclock_recovery::declared::{Gains, WINDOWS};
use ackclock_recovery::units::initial_window;
use ackclock_recovery::validation::CwndValidation;

choice! {
    /// Whether the thresholds for losses adapt to reordering.
    pub enum Reordering {
        /// The thresholds are constant.
        Fixed = "fixed",
        /// The thresholds grow when a packet that was declared lost is acknowledged after all.
        Adaptive = "adaptive",
    }
}

parameters! {
    /// The details.
    pub struct Details {
        /// The size of the stream data in a full packet
        packet: Size = size(
            "1439 B",
            Range::between(1.0, 65_000.0),
            "MTU of 1500 B minus the headers; RFC 9000 section 14.3 (path MTU discovery)",
        ),
        /// The size of the headers of a packet on the wire
        header: Size = size(
            "61 B",
            Range::between(0.0, 500.0),
            "IPv4 20 B, UDP 8 B, short header 11 B (RFC 9000 section 17.3.1), authentication tag 16 B, STREAM frame 6 B",
        ),
        /// Size on the wire of an acknowledgement with one range; each further range adds 4 B
        ack_size: Size = size(
            "65 B",
            Range::between(1.0, 1500.0),
            "IPv4 20 B, UDP 8 B, short header 11 B, authentication tag 16 B, ACK frame 10 B (RFC 9000 section 19.3)",
        ),
        /// The flow-control window: the largest amount of data that the receiver allows in flight
        window: Packets = packets(
            "10000 packets",
            WINDOWS,
            "RFC 9000 section 4.1 leaves the size open; same default as TCP",
        ),
        /// The initial congestion window; `none`: 10 datagrams or 14,720 B, whichever is less, but at least 2 datagrams
        initial_window: Option<Packets> = packets("none", WINDOWS, "RFC 9002 section 7.2"),
        /// Whether the connection begins with a handshake of Initial packets, which takes a round trip
        handshake: bool = flag(true, "RFC 9001 section 4; `false` approximates early data (0-RTT)"),
        /// Size of an Initial packet on the wire
        initial_size: Size = size(
            "1228 B",
            Range::between(1.0, 1500.0),
            "RFC 9000 section 14.1: datagram of 1200 B; IPv4 20 B, UDP 8 B",
        ),
        /// The number of packets received since the last acknowledgement at which the next is sent at once; a packet
        /// that is out of order, follows a gap or is marked is always acknowledged at once
        ack_threshold: u32 = integer(
            "2",
            Range::between(1.0, 1000.0),
            "RFC 9000 section 13.2.2; with draft-ietf-quic-ack-frequency, the sender can request another value",
        ),
        /// The longest time for which the receiver holds an acknowledgement back (max_ack_delay)
        max_ack_delay: Span = time("25 ms", Range::between(0.0, 16.0), "RFC 9000 section 18.2"),
        /// The largest number of ranges in an acknowledgement; if more were received, the highest are reported
        ack_ranges: u32 = integer("32", Range::between(1.0, 256.0), "RFC 9000 section 13.2.3 leaves the limit open"),
        /// Packet threshold: a packet counts as lost when a packet sent at least this many packets later is
        /// acknowledged
        packet_threshold: u32 = integer(
            "3",
            Range::between(1.0, 1e6),
            "RFC 9002 section 6.1.1: kPacketThreshold, SHOULD be at least 3",
        ),
        /// Time threshold: a packet counts as lost when a later packet has been acknowledged and the time since it was
        /// sent is at least this multiple of the round trip (the larger of the smoothed and the latest RTT)
        time_threshold: f64 = number("1.125", Range::between(1.0, 100.0), "RFC 9002 section 6.1.2: kTimeThreshold, 9/8"),
        /// Whether `packet_threshold` and `time_threshold` are constant (fixed), or grow when a packet that was
        /// declared lost is acknowledged later (adaptive). Each grows until it would not have declared that packet
        /// lost: the time threshold by doubling its part above 1, to at most 2 round trips. Neither threshold decreases
        /// again
        loss_thresholds: Reordering = choice(
            "fixed",
            "fixed and adaptive: RFC 9002 section 6.1.1; adaptive: google/quiche, \
             GeneralLossAlgorithm::SpuriousLossDetected",
        ),
        /// The condition under which the window counts as used and can grow: it is full, or at least half of it was in
        /// flight within the last window of data (half); it is full (full); it was full within the last window of data
        /// or, in slow start, more than half of it was in flight (linux: tcp_is_cwnd_limited); or no condition (none)
        cwnd_validation: CwndValidation = choice(
            "full",
            "RFC 9002 section 7.8; RFC 7661 section 4.3; Linux include/net/tcp.h, tcp_is_cwnd_limited",
        ),
        /// Whether a recovery is undone when all packets that were declared lost in it are acknowledged
        spurious_recoveries: bool = flag(
            false,
            "not in RFC 9002; draft-ietf-ccwg-bbr section 5.5.11, RFC 9438 section 4.9",
        ),
        /// Whether packets are ECN-capable, so that queues can mark them instead of dropping them
        ecn: bool = flag(false, "RFC 9000 section 13.4"),
        /// With ecn, the ECN field of packets: ECT(0) (ect0), ECT(1) (ect1), or ECT(1) for a control that responds to
        /// each mark and ECT(0) for any other (auto)
        ecn_field: EcnField = choice("auto", "RFC 9000 section 13.4; RFC 9331 section 4.1"),
        /// Whether packets are paced over the round trip if the control sets a window and no pacing rate; a pacing
        /// rate of the control always applies
        pacing: bool = flag(true, "RFC 9002 section 7.7"),
        /// How much faster than the window over the round trip packets leave.
        gains: Gains,
        /// With pacing and a control that sets no pacing rate, the number of packets that are sent back to back after a
        /// pause
        pacing_burst: Packets = packets(
            "1 packets",
            Range::between(1.0, 1e6),
            "RFC 9002 section 7.7: bursts of at most the initial window",
        ),
        /// The upper bound of a random delay before each packet is sent, drawn uniformly from 0, to avoid phase effects
        send_jitter: Span = time("0 s", Range::between(0.0, 1.0), "Floyd and Jacobson 1991"),
    }
}

/// The headers of IPv4 and UDP, which are not part of a datagram's size (RFC 9000 section 14).
const UDP_BYTES: u64 = 20 + 8;

impl Details {
    /// Returns the congestion window at the start: the value that is set, or ten datagrams, limited to the
    /// larger of 14,720 B and two datagrams (RFC 9002 section 7.2). A datagram is a packet on the wire
    /// without the headers of IPv4 and UDP.
    pub fn first_window(&self) -> Packets {
        let packet = self.packet.bytes();
        let datagram = (packet + self.header.bytes()).saturating_sub(UDP_BYTES).max(packet);
        self.initial_window.unwrap_or_else(|| initial_window(datagram as u32, 10.0, 14_720))
    }
}
