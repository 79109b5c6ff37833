//! All details of SCTP that can be set.

use ackclock_base::{Packets, Range, Size, Span, choice, parameters};
use ackclock_recovery::declared::Timer;
use ackclock_recovery::ledger::MAX_DUPACK_THRESHOLD;

const SPANS: Range = Range { min: 0.0, max: 3600.0, above_min: true };
const PACKETS: Range = Range::between(1.0, 60_000.0);
const COUNTS: Range = Range::between(0.0, 1000.0);

choice! {
    /// The path that retransmits a lost chunk.
    pub enum RetransmitTo {
        /// The next path that works after the one on which the chunk was lost.
        Alternate = "alternate",
        /// After a timeout the next path that works; otherwise the same path.
        AlternateAfterTimeout = "alternate-after-timeout",
        /// The path on which the chunk was lost, as long as it works.
        Same = "same",
        /// The path with the highest slow start threshold among those that work.
        HighestSsthresh = "highest-ssthresh",
    }
}

choice! {
    /// The data that is sent while lost chunks wait for retransmission.
    pub enum Repair {
        /// All data that windows allow, lost chunks first.
        Windows = "windows",
        /// No new data is sent before all lost chunks have been retransmitted, and only one packet at the
        /// acknowledgement that shows the loss. Each SACK reports chunks below the highest TSN acknowledged
        /// so far, whatever it acknowledges itself. The loss of a chunk sent in a recovery begins another
        /// recovery. The timer of the path on which a chunk was lost runs while the chunk waits for
        /// retransmission.
        Ns2 = "ns2",
    }
}

choice! {
    /// The time of the HEARTBEAT that follows one without an answer within an RTO.
    pub enum HeartbeatRepeat {
        /// The interval and a doubled RTO, give or take half of that, after the previous one.
        Interval = "interval",
        /// At once on a path that has failed, otherwise after the interval.
        WhenFailed = "when-failed",
        /// At once on every path.
        Always = "always",
    }
}

choice! {
    /// The events at which the limit on bursts applies.
    pub enum BurstBound {
        /// The limit applies at every acknowledgement and timeout.
        Always = "always",
        /// The limit applies at an acknowledgement of a retransmitted chunk.
        AfterRetransmission = "after-retransmission",
    }
}

parameters! {
    /// The details.
    pub struct Details {
        /// The largest packet on the wire. The largest DATA chunk is smaller by 20 B of IPv4, 12 B of the common header
        /// and, with timestamps, 12 B of the timestamp chunk
        mtu: Size = size("1500 B", Range::between(100.0, 65_000.0), "RFC 9260 section 7.3; Dahal section 6.2.1"),
        /// The size of a DATA chunk with its header of 16 B; none for the largest that `mtu` allows. Windows count
        /// the bytes of chunks with their headers
        chunk: Option<Size> = size(
            "none",
            Range::between(20.0, 65_000.0),
            "RFC 9260 section 3.3.1; 1456 B in Dahal section 6.2.1",
        ),
        /// The number of streams, over which messages are distributed round-robin; each message fills a chunk
        streams: u32 = integer("1", Range::between(1.0, 65_535.0), "RFC 9260 section 2.2"),
        /// Whether the messages of a stream are delivered in order; if not, each is delivered as it arrives
        ordered: bool = flag(true, "RFC 9260 section 6.6"),
        /// The size of the receive buffer, which bounds the data in flight over all paths
        receive_window: Size = size(
            "16 MiB",
            Range::between(1500.0, 4e9),
            "about 10,000 packets, the default `window` of transport `rfc`; 1,310,720 B in Dahal section 6.2.1",
        ),
        /// The initial congestion window of a path; none: 4404 B, but at least 2 and at most 4 packets
        initial_window: Option<Packets> = packets("none", PACKETS, "RFC 9260 section 7.2.1; 2 packets in RFC 2960"),
        /// The initial slow start threshold; none for an infinite threshold
        initial_ssthresh: Option<Size> = size("none", Range::between(1500.0, 4e9), "RFC 9260 section 7.2.1"),
        /// Lower bound of the congestion window of an idle path, which is halved for each retransmission timeout in
        /// which nothing is sent over the path
        idle_window: Packets = packets("4 packets", PACKETS, "RFC 9260 section 7.2.1; 2 packets in RFC 2960"),
        /// Lower bound of a path's congestion window after a loss or a mark, in packets; a control can set a higher
        /// bound (sctp: 4). After a timeout, the window is one packet
        min_window: Packets = packets(
            "2 packets",
            PACKETS,
            "RFC 9438 section 4.6; 4 packets in RFC 9260 section 7.2.3 and in the congestion control `sctp`",
        ),
        /// Whether the slow start threshold of an idle path is set to its congestion window before the window is halved
        idle_sets_ssthresh: bool = flag(true, "RFC 9260 section 7.2.1; not in RFC 2960 or ns-2"),
        /// Whether the association begins with the handshake of INIT and COOKIE ECHO, which takes two round trips
        handshake: bool = flag(true, "RFC 9260 section 5.1"),
        /// Whether the answers to INIT and COOKIE ECHO provide RTT samples for their path, unless the INIT or COOKIE
        /// ECHO was retransmitted
        handshake_rtt: bool = flag(true, "RFC 9260 section 8.3; not in ns-2"),
        /// The largest number of retransmissions of INIT, and of COOKIE ECHO; if the last is not answered, the
        /// association fails
        max_init_retransmits: u32 = integer("8", COUNTS, "RFC 9260 section 16, Max.Init.Retransmits"),
        /// Whether packets with DATA or SACK carry a timestamp chunk of 12 B, and each SACK echoes the first timestamp
        /// received since the previous SACK
        timestamps: bool = flag(false, "Dahal section 6.1.2, after Caro et al. 2003"),
        /// The number of SACKs that must report a chunk missing before the chunk counts as lost
        missing_reports: u32 = integer(
            "3",
            Range::between(1.0, MAX_DUPACK_THRESHOLD as f64),
            "RFC 9260 section 7.2.4; 4 in RFC 2960 and Dahal section 6.2.1",
        ),
        /// Whether missing reports can mark a chunk as lost again after its fast retransmission
        multiple_fast_retransmit: bool = flag(
            false,
            "RFC 9260 section 7.2.4; Caro, Amer and Stewart 2004, ns-2's MultipleFastRtx",
        ),
        /// Whether a SACK waits for a second packet while nothing is missing, for at most `sack_delay`
        delayed_sack: bool = flag(true, "RFC 9260 section 6.2"),
        /// The longest time for which a SACK waits for a second packet
        sack_delay: Span = time(
            "200 ms",
            Range { min: 0.0, max: 0.5, above_min: true },
            "RFC 9260 section 6.2; 500 ms at most",
        ),
        /// Whether the first packet of an association is acknowledged at once
        sack_first_packet: bool = flag(true, "RFC 9260 section 5.1; not in ns-2 before October 2007"),
        /// Whether the packet that fills the last gap is acknowledged at once, like packets that arrive while a gap
        /// remains
        sack_filled_gap: bool = flag(true, "usrsctp; RFC 5681 section 4.2; not in ns-2"),
        /// Whether the SACK that is sent at once for a duplicate packet also cancels the delayed-SACK timer
        sack_duplicate_resets: bool = flag(true, "RFC 9260 section 6.2; not in ns-2"),
        /// When the retransmission timer goes off.
        timer: Timer,
        /// The number of consecutive errors (timeouts and unanswered HEARTBEATs) that a path tolerates; one more makes
        /// it fail
        path_max_retrans: u32 = integer("5", COUNTS, "RFC 9260 section 16, Path.Max.Retrans"),
        /// The number of consecutive errors on all paths together that the association tolerates; one more makes it
        /// fail. Errors are timeouts, and unanswered HEARTBEATs on the path of new data (with `repair` ns2, on any path
        /// that works)
        association_max_retrans: u32 = integer("10", COUNTS, "RFC 9260 section 16, Association.Max.Retrans"),
        /// The idle time of a path before a HEARTBEAT, to which 0.5 to 1.5 times the retransmission timeout is added at
        /// random; for a potentially failed path, the idle time is the retransmission timeout alone; none for no
        /// HEARTBEATs
        heartbeat_interval: Option<Span> = time("30 s", SPANS, "RFC 9260 section 16, HB.interval"),
        /// The paths on which another HEARTBEAT is sent at once if one is not answered within the retransmission
        /// timeout: all (always), failed paths that carry no new data (when-failed), or none (interval); on other
        /// paths, the next is sent after the interval plus the doubled timeout. In all three cases, a path is probed at
        /// once when it fails and new data moves to another path
        heartbeat_repeat: HeartbeatRepeat = choice("when-failed", "RFC 9260 section 8.3; ns-2's Timeout"),
        /// Whether a HEARTBEAT must be answered over each path other than the first before the path carries data
        confirm_paths: bool = flag(true, "RFC 9260 section 5.4; not in RFC 2960"),
        /// Whether a path with more than `pf_max_retrans` consecutive errors counts as potentially failed, so that new
        /// data moves to another path before the path has failed
        potentially_failed: bool = flag(false, "RFC 7829"),
        /// With potentially_failed, the number of consecutive errors that a path tolerates; one more makes it
        /// potentially failed
        pf_max_retrans: u32 = integer("0", COUNTS, "RFC 7829 section 3, PFMR"),
        /// Whether new data returns to the primary path when the primary path works again
        failback: bool = flag(true, "RFC 9260 section 6.4; off with ns-2's default changePrimaryThresh_"),
        /// The time in the run at which the next path becomes the primary path; none for never
        switch_primary_at: Option<Span> = time("none", Range::between(0.0, 1e6), "Dahal section 6.2.1: 20 s"),
        /// The path over which a lost chunk is retransmitted: the next path that works (alternate); that path after a
        /// timeout, otherwise the path on which the chunk was lost (alternate-after-timeout); the path on which it was
        /// lost as long as that path works (same); or the working path with the highest slow start threshold
        /// (highest-ssthresh)
        retransmit_to: RetransmitTo = choice(
            "alternate-after-timeout",
            "RFC 9260 sections 6.4.1 and 6.3.3; RFC 2960 and ns-2's rtxToAlt_ 1; Iyengar et al. 2006",
        ),
        /// The data that is sent while lost chunks wait for retransmission: all data that the windows allow, lost
        /// chunks first (windows); or no new data, and only one packet at the acknowledgement that shows the loss,
        /// with ns-2's rules for missing reports and timers (ns2)
        repair: Repair = choice("windows", "RFC 9260 section 6.1 rule C; ns-2's FastRtx and SendMuch"),
        /// The largest number of packets that one event, such as an acknowledgement, releases; none for no limit
        max_burst: Option<u64> = integer("4", Range::between(1.0, 1e6), "RFC 9260 section 6.1 rule D"),
        /// When `max_burst` applies: at every acknowledgement and timeout (always), or only at an acknowledgement
        /// of a retransmission (after-retransmission)
        burst_bound: BurstBound = choice("always", "RFC 9260 section 6.1 rule D; ns-2's useMaxBurst_"),
        /// Whether new data is sent over all paths at once (concurrent multipath transfer): each path detects losses and
        /// grows its window independently, and a gap triggers no immediate SACK
        cmt: bool = flag(false, "Iyengar, Amer and Stewart 2006: SFR, CUC, DAC"),
    }
}
