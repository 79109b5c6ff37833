//! All details of SCTP that can be set.

use ackclock_base::{Packets, Range, Size, Span, choice, parameters};
use ackclock_recovery::declared::Timer;
use ackclock_recovery::ledger::MAX_DUPACK_THRESHOLD;

const SPANS: Range = Range { min: 0.0, max: 3600.0, above_min: true };
const PACKETS: Range = Range::between(1.0, 60_000.0);
const COUNTS: Range = Range::between(0.0, 1000.0);

choice! {
    /// Where a lost chunk is sent again.
    pub enum RetransmitTo {
        /// The next path that works after the one that it took last.
        Alternate = "alternate",
        /// That after a timeout; else the same path.
        AlternateAfterTimeout = "alternate-after-timeout",
        /// The same path, as long as it works.
        Same = "same",
        /// The path that works with the highest slow start threshold.
        HighestSsthresh = "highest-ssthresh",
    }
}

choice! {
    /// What else is sent while lost chunks wait to be sent again.
    pub enum Repair {
        /// All that windows allow, what is lost first.
        Windows = "windows",
        /// No new data before everything lost has been sent again, and one packet only at the acknowledgement that shows it. Each
        /// SACK reports below the highest TSN acknowledged so far, whatever it brings; what was sent in a recovery begins another
        /// one when it is lost; and the timer of the path that a chunk was lost on runs while that waits to be sent again.
        Ns2 = "ns2",
    }
}

choice! {
    /// When a HEARTBEAT follows one that was not answered within a timeout's length.
    pub enum HeartbeatRepeat {
        /// The interval and a doubled timeout's length, give or take half of that, after the one before.
        Interval = "interval",
        /// At once on a path that has failed, else after the interval.
        WhenFailed = "when-failed",
        /// At once.
        Always = "always",
    }
}

choice! {
    /// When the bound on bursts holds.
    pub enum BurstBound {
        /// At every acknowledgement and timeout.
        Always = "always",
        /// At an acknowledgement of something that was sent more than once.
        AfterRetransmission = "after-retransmission",
    }
}

parameters! {
    /// The details.
    pub struct Details {
        /// The largest packet on the wire, from which follows the largest DATA chunk: less 20 B of IPv4, 12 B of the common
        /// header, and 12 B of the timestamp chunk if there is one
        mtu: Size = size("1500 B", Range::between(100.0, 65_000.0), "RFC 9260 section 7.3; Dahal section 6.2.1"),
        /// A DATA chunk with its header of 16 B; none for the largest. Windows count such chunks' bytes
        chunk: Option<Size> = size("none", Range::between(20.0, 65_000.0), "RFC 9260 section 3.3.1; Dahal 6.2.1 has 1456"),
        /// How many streams the messages, each of which fills a chunk, take in turn
        streams: u32 = integer("1", Range::between(1.0, 65_535.0), "RFC 9260 section 2.2"),
        /// Whether the messages of a stream are delivered in their order
        ordered: bool = flag(true, "RFC 9260 section 6.6"),
        /// What the receiver has room for
        receive_window: Size = size(
            "16 MiB",
            Range::between(1500.0, 4e9),
            "of TCP's order here; 1,310,720 B in Dahal section 6.2.1",
        ),
        /// The congestion window of a path at the start; none for 4404 B, but between 2 and 4 packets
        initial_window: Option<Packets> = packets("none", PACKETS, "RFC 9260 section 7.2.1; 2 in RFC 2960"),
        /// The slow start threshold at the start; none for as high as can be
        initial_ssthresh: Option<Size> = size("none", Range::between(1500.0, 4e9), "RFC 9260 section 7.2.1"),
        /// What the window of a path falls to, half at each timeout's length, while nothing is sent over it
        idle_window: Packets = packets("4 packets", PACKETS, "RFC 9260 section 7.2.1; 2 in RFC 2960"),
        /// The least window of a path that a loss or a mark leaves, if the control leaves no more; a timeout leaves one packet
        min_window: Packets = packets("2 packets", PACKETS, "RFC 9438 section 4.6; RFC 9260 section 7.2.3 has 4, as control sctp"),
        /// Whether the slow start threshold is set to the window before that falls
        idle_sets_ssthresh: bool = flag(true, "RFC 9260 section 7.2.1; not in RFC 2960 and ns-2"),
        /// Whether the association begins with two round trips of INIT and COOKIE ECHO
        handshake: bool = flag(true, "RFC 9260 section 5.1"),
        /// Whether INIT and COOKIE ECHO that are answered at once tell the round trip of their path
        handshake_rtt: bool = flag(true, "RFC 9260 section 8.3: what updates a path's RTT; not in ns-2"),
        /// How often INIT and COOKIE ECHO are repeated before the association is given up
        max_init_retransmits: u32 = integer("8", COUNTS, "RFC 9260 section 16, Max.Init.Retransmits"),
        /// Whether packets with DATA or SACK carry a timestamp chunk of 12 B, and the SACK echoes the first since the one before
        timestamps: bool = flag(false, "Dahal section 6.1.2, after Caro et al. 2003"),
        /// Acknowledgements that report a chunk missing and make it lost
        missing_reports: u32 = integer(
            "3",
            Range::between(1.0, MAX_DUPACK_THRESHOLD as f64),
            "RFC 9260 section 7.2.4; 4 in RFC 2960 and Dahal section 6.2.1",
        ),
        /// Whether reports of what was sent since may make a chunk lost that was sent again for reports before
        multiple_fast_retransmit: bool = flag(
            false,
            "RFC 9260 section 7.2.4; Caro, Amer and Stewart 2004, ns-2's MultipleFastRtx",
        ),
        /// Whether SACKs are delayed while nothing is missing
        delayed_sack: bool = flag(true, "RFC 9260 section 6.2"),
        /// How long a SACK waits for a second packet
        sack_delay: Span = time(
            "200 ms",
            Range { min: 0.0, max: 0.5, above_min: true },
            "RFC 9260 section 6.2; 500 ms at most",
        ),
        /// Whether the first packet of an association is acknowledged at once
        sack_first_packet: bool = flag(true, "RFC 9260 section 5.1; not in ns-2 before October 2007"),
        /// Whether the packet that fills the last gap is acknowledged at once, too
        sack_filled_gap: bool = flag(true, "as usrsctp, after RFC 5681 section 4.2; not in ns-2"),
        /// Whether the SACK for a packet that has arrived twice ends the wait of another that is held back
        sack_duplicate_resets: bool = flag(true, "RFC 9260 section 6.2; not in ns-2"),
        /// When the retransmission timer goes off.
        timer: Timer,
        /// Errors in a row after which a path has failed, if there is one more
        path_max_retrans: u32 = integer("5", COUNTS, "RFC 9260 section 16, Path.Max.Retrans"),
        /// Errors in a row on all paths after which the association has failed, if there is one more
        association_max_retrans: u32 = integer("10", COUNTS, "RFC 9260 section 16, Association.Max.Retrans"),
        /// How long a path is idle before a HEARTBEAT, besides a timeout's length; none for no HEARTBEATs
        heartbeat_interval: Option<Span> = time("30 s", SPANS, "RFC 9260 section 16, HB.interval"),
        /// When a HEARTBEAT that was not answered within a timeout's length is followed by the next at once: never, but after the
        /// interval and a doubled timeout's length; on a path that has failed; or always. A path that fails and is left is asked at
        /// once in any case
        heartbeat_repeat: HeartbeatRepeat = choice("when-failed", "RFC 9260 section 8.3; ns-2's Timeout"),
        /// Whether a path other than the first has to answer a HEARTBEAT before it carries data
        confirm_paths: bool = flag(true, "RFC 9260 section 5.4; not in RFC 2960"),
        /// Whether a path with errors is taken for failed potentially, and left for another, before it has failed
        potentially_failed: bool = flag(false, "RFC 7829"),
        /// Errors in a row after which it is, if there is one more
        pf_max_retrans: u32 = integer("0", COUNTS, "RFC 7829 section 3, PFMR"),
        /// Whether new data returns to the primary path when that works again
        failback: bool = flag(true, "RFC 9260 section 6.4; not with ns-2's default changePrimaryThresh_"),
        /// When new data is told to take the next path as its primary one; none for never
        switch_primary_at: Option<Span> = time("none", Range::between(0.0, 1e6), "Dahal section 6.2.1: 20 s"),
        /// Where a lost chunk is sent again: over the next path that works, over that one after a timeout only, over the same,
        /// or over the one with the highest slow start threshold
        retransmit_to: RetransmitTo = choice(
            "alternate-after-timeout",
            "RFC 9260 section 6.4.1 and 6.3.3; RFC 2960 and ns-2's rtxToAlt_ 1; Iyengar et al. 2006",
        ),
        /// What else is sent while lost chunks wait to be sent again: what windows allow, or nothing new, and one packet at the
        /// acknowledgement that shows the loss
        repair: Repair = choice("windows", "RFC 9260 section 6.1 rule C; ns-2's FastRtx and SendMuch"),
        /// The most packets that go out at once; none for no bound
        max_burst: Option<u64> = integer("4", Range::between(1.0, 1e6), "RFC 9260 section 6.1 rule D"),
        /// When that holds: always, or at an acknowledgement of something sent again
        burst_bound: BurstBound = choice("always", "RFC 9260 section 6.1 rule D; ns-2's useMaxBurst_"),
        /// Concurrent multipath transfer: new data takes all paths at once, losses and windows are judged path by path, and gaps
        /// do not hasten SACKs
        cmt: bool = flag(false, "Iyengar, Amer and Stewart 2006: SFR, CUC, DAC"),
    }
}
