//! The fields of a run's result, each declared only here. The JSON Schema, the data frames and the page on
//! results are made from these declarations.

use super::declared::{Asked, Kind, Share, Typed, records};
use super::own::OwnResult;
use super::series::SeriesResult;

records! {
    /// The result of one run, as [`run`](crate::run::run) returns it and `ackclock run --json` writes it.
    ///
    /// Each flow, link and `[[flows]]` table has a record: [`FlowResult`], [`LinkResult`], [`GroupResult`]. Numbers are in
    /// the unit that is the last word of their name (`_s` seconds, `_bps` bits per second, `_packets`, `_bytes`), counted
    /// over [`measured_s`](Self::measured_s): from the end of the warm-up to the end of the run. `None` means that there was
    /// no sample, such as a round trip of a flow without acknowledgements.
    ///
    /// ```
    /// use ackclock_lab::{RunResult, Scenario, run};
    /// use serde_json::Map;
    /// use std::sync::atomic::AtomicBool;
    ///
    /// let text = r#"
    /// duration = "10 s"
    /// warmup = "2 s"
    /// [dumbbell]
    /// bottleneck = { rate = "10 Mbit/s", delay = "20 ms", queue = { name = "droptail", limit = "1 bdp" } }
    /// access = { rate = "100 Mbit/s", delay = "5 ms" }
    /// [[flows]]
    /// name = "mine"
    /// control = "cubic"
    /// "#;
    /// let scenario = Scenario::parse(text, "scenario", &Map::new()).expect("a scenario");
    /// let result: RunResult = run::run(&scenario, 1, false, &AtomicBool::new(false)).expect("a run");
    /// assert_eq!(result.measured_s, [2.0, 10.0]);
    ///
    /// let mine = result.flows.iter().find(|flow| flow.name == "mine").expect("a flow of this name");
    /// let bottleneck = result.links.iter().find(|link| link.name == "bottleneck").expect("the link");
    /// assert!(mine.goodput_bps < bottleneck.rate_bps as f64);
    /// // No round trip is shorter than twice the delays: 2 * (5 + 20 + 5) ms.
    /// assert!(mine.rtt_min_s.expect("acknowledgements") >= 0.060);
    /// assert!(bottleneck.utilisation.0 > 0.5);
    /// ```
    ///
    /// [`ackclock_lab::run::statistics`](crate::run::statistics) makes means and intervals of the results of several seeds. The names and
    /// meanings of the fields are those of the columns in Python and of the JSON Schema, which are made from this declaration.
    pub struct RunResult {
        /// the scenario's `name`
        scenario: String;
        /// what all random numbers of the run come from
        seed: u64;
        /// of the simulator core
        version: &'static str;
        /// the length of the run; less than the scenario's `duration` where the warm-up ended early
        duration_s: f64;
        /// where measured time begins and ends
        measured_s: [f64; 2];
        /// those at which the lists of quantiles hold the distributions; only with `observe.distributions`
        probabilities: Asked<Vec<f64>>;
        /// a record for each flow
        flows: Vec<FlowResult>;
        /// a record for each link, in each direction
        links: Vec<LinkResult>;
        /// a record for each `[[flows]]` table
        groups: Vec<GroupResult>;
        /// a record for each connection of [transfers](scenario-language.md#transfers) and
        /// [web sessions](scenario-language.md#web-sessions) that began in measured time; only with `observe.transfers`
        transfers: Asked<Vec<TransferResult>>;
        /// a record for each class of sizes of the same, flow by flow; only with `observe.transfers`
        size_classes: Asked<Vec<SizeClassResult>>;
        /// Jain's index over the `goodput_bps` of all flows: (sum of x)^2 / (n times sum of x^2). 1 when all are equal, 1/n
        /// when one has everything, null when all are zero. Jain, Chiu and Hawe 1984
        fairness: Option<f64>;
        /// values over time, if asked for (`--series`; always from `Scenario.run`), else null
        series: Option<SeriesResult>;
    }

    /// One flow over the measured interval.
    pub struct FlowResult {
        /// the flow's name, and its `[[flows]]` group
        name, group: String;
        /// its congestion control; over UDP, its application
        control: &'static str;
        /// when it began, as drawn where the start is random
        start_s: f64;
        /// when the sender had the acknowledgement of everything it had to send; null before that and without an end
        completed_s: Option<f64>;
        /// data packets sent, retransmissions included
        sent_packets: u64;
        /// data packets handed to the application: each once, over TCP in order; over UDP as often as they arrive, copies that links make
        /// included
        delivered_packets: u64;
        /// data packets sent that had been sent before; null over [noq and quinn](quic-stacks.md), which do not tell
        retransmitted_packets: Option<u64>;
        /// the sum of the next two. Not the same as retransmitted: a packet that had arrived may be retransmitted
        lost_packets: u64;
        /// of its data packets (and SYNs), those that a queue refused, or dropped after they had waited
        dropped_packets: u64;
        /// of its data packets (and SYNs), those that a link's loss model took
        corrupted_packets: u64;
        /// payload of `delivered_packets` over measured time: what the application gets
        goodput_bps: f64;
        /// payload of `sent_packets` less `retransmitted_packets` over measured time: the theses' "bytes transmitted minus
        /// bytes retransmitted"; null over noq and quinn
        throughput_bps: Option<f64>;
        /// mean, standard deviation (n - 1) and least of the round trips: one for each acknowledgement of something new,
        /// from the sending of the packet sent last among those it acknowledges. None of them may have been sent twice (Karn
        /// and Partridge 1987). To the nanosecond, whatever the transport's clock
        rtt_mean_s, rtt_std_s, rtt_min_s: Option<f64>;
        /// [percentiles](#conventions) of the same
        rtt_p50_s, rtt_p95_s, rtt_p99_s: Option<f64>;
        /// mean and standard deviation (n - 1) of the time from the sending of a data packet to its arrival at the receiver:
        /// queues, transmission, propagation. Every arrival counts, also of a retransmitted packet
        one_way_delay_mean_s, one_way_delay_std_s: Option<f64>;
        /// the least of the same. What a delay is above it is RFC 5481's packet delay variation: a percentile less this is
        /// that percentile of the variation
        one_way_delay_min_s: Option<f64>;
        /// [percentiles](#conventions) of the one-way delay
        one_way_delay_p50_s, one_way_delay_p95_s, one_way_delay_p99_s: Option<f64>;
        /// the distribution of the same at the `probabilities`; only with `observe.distributions`
        one_way_delay_quantiles_s: Asked<Vec<f64>>;
        /// expiries of the retransmission timer with data outstanding; those of a SYN are not counted;
        /// [QUIC](quic-stacks.md#the-transport-quic) has none. This and the next four are null over noq and quinn, which do not tell
        timeouts: Option<u64>;
        /// time lost waiting: from the last packet sent to each such expiry, added up
        timeout_idle_s: Option<f64>;
        /// packets sent, new or again, because nothing had been acknowledged for a probe timeout: over QUIC (RFC 9002 section
        /// 6.2.4), and at the end of what there is to send with `tail_loss_probe` over TCP (RFC 8985 section 7)
        probes: Option<u64>;
        /// how often [QUIC](quic-stacks.md#the-transport-quic) found persistent congestion (RFC 9002 section 7.6), which takes the
        /// window to its least
        persistent_congestions: Option<u64>;
        /// recoveries begun by duplicate or selective acknowledgements
        fast_retransmits: Option<u64>;
        /// the congestion window's mean over time, from the flow's start or the end of the warm-up, whichever is later; null
        /// for a flow without one
        cwnd_mean_packets: Option<f64>;
        /// what held the sender back, each as a share of the time in which it had something to send or its connection was open: the
        /// congestion window, pacing (or its own interface, where small queues keep packets back), the window of the receiver,
        /// the application. Null for flows over UDP and SCTP, and where nothing was begun
        window_limited_share, pacing_limited_share, receive_window_limited_share, application_limited_share: Option<Share>;
        ..own: OwnResult;
        ..connections: ConnectionsResult;
        ..pages: PagesResult;
        ..segments: SegmentsResult;
        ..requests: RequestsResult;
        ..completion: CompletionResult;
        ..agents: AgentResult;
        ..route: RouteResult;
        ..reader: ReaderResult;
    }

    /// The effect of a slowly reading application on a flow.
    pub struct ReaderResult {
        /// of a flow with a [`reader`](scenario-language.md#slow-readers): how often the sender asked for the window while that was
        /// closed (RFC 9293 section 3.8.6.1, RFC 9260 section 6.1), over QUIC how often it said that it was blocked (DATA_BLOCKED, RFC 9000
        /// section 4.1). None of these packets counts as sent
        window_probes: u64;
    }

    /// The actions of an agent at a node on a flow.
    pub struct AgentResult {
        /// of a flow with an [agent](scenario-language.md#agents-at-nodes) on its way: packets of it, data or acknowledgements,
        /// that the agent sent, and those whose way it ended. What it sent and a link lost counts as corrupted, too
        agent_sent_packets, agent_ended_packets: u64;
    }

    /// The path that a flow was given by its hash.
    pub struct RouteResult {
        /// with [`routing = "ecmp"`](scenario-language.md#routing): the links that its data pass, in order, between them
        /// ` > `; null for a flow of several paths and for `transfers` and `web`, whose ways `Scenario.describe` has
        route: Option<String>;
    }

    /// Connections begun by a timetable, which count as one flow.
    pub struct ConnectionsResult {
        /// of [web sessions](scenario-language.md#web-sessions) and [transfers](scenario-language.md#transfers), which are
        /// one flow: the connections that began in measured time, and those of them that had the acknowledgement of
        /// everything before the end
        connections, completed_connections: u64;
    }

    /// The pages of a session.
    pub struct PagesResult {
        /// of [pages](scenario-language.md#pages): those that began in measured time, and those of them that were complete
        /// before the end
        pages, completed_pages: u64;
    }

    /// The segments of a video.
    pub struct SegmentsResult {
        /// of [adaptive video](scenario-language.md#adaptive-video): the segments asked for in measured time, and those of
        /// them that arrived before the end
        segments, completed_segments: u64;
        /// of adaptive video: the mean rate of the segments that arrived in measured time
        video_rate_mean_bps: Option<f64>;
        /// of adaptive video: how often that rate changed from one segment to the next
        rate_switches: u64;
        /// of adaptive video: how often the playout buffer was empty before the next segment came; counted when that segment
        /// comes
        stalls: u64;
        /// for how long that was in all
        stall_s: f64;
    }

    /// Requests that are answered.
    pub struct RequestsResult {
        /// of [requests](scenario-language.md#applications): those sent in measured time, and those of them whose reply came
        /// before the end
        requests, completed_requests: u64;
    }

    /// The completion times of a flow's repeated tasks.
    pub struct CompletionResult {
        /// mean and percentiles of the time that those took: a request until its reply, a connection from its first SYN, a
        /// page from those of its connections, a segment from its request, to the last acknowledgement. The end of such a
        /// connection or object is acknowledged at once, so this is what a client sees between its SYN and the last byte
        completion_mean_s, completion_p50_s, completion_p95_s, completion_p99_s: Option<f64>;
    }

    /// A connection of a timetable.
    pub struct TransferResult {
        /// the flow in results whose connection it is
        flow: String;
        /// what it had to send
        size_bytes: u64;
        /// when it began
        start_s: f64;
        /// the time from there to the acknowledgement of everything; null where that did not come before the end
        completion_s: Option<f64>;
        /// data packets of it that were retransmitted; null over [noq and quinn](quic-stacks.md), which do not tell
        retransmitted_packets: Option<u64>;
    }

    /// The connections of a timetable in one class of sizes.
    pub struct SizeClassResult {
        /// the flow in results whose connections they are
        flow: String;
        /// the class has the sizes above this
        above_bytes: u64;
        /// and up to this; null for the last class, which has no end
        up_to_bytes: Option<u64>;
        /// how many of the class began in measured time
        transfers: u64;
        /// and how many of them had the acknowledgement of everything before the end
        completed_transfers: u64;
        /// mean and [percentiles](#conventions) of the time that those took, exact: the least time that as great a share of
        /// them did not exceed
        completion_mean_s, completion_p50_s, completion_p95_s, completion_p99_s: Option<f64>;
    }

    /// One direction of a link over the measured interval.
    pub struct LinkResult {
        /// its name and its nodes; the way back of `x` is `x-reverse`
        name, from, to: String;
        /// its rate; where it changes, the highest, of a trace of opportunities the mean
        rate_bps: u64;
        /// the share of measured time in which it was sending, 0 to 1, the time included that a packet stands still in an
        /// outage or waits for an opportunity of a trace; of a packet in service at either end of it, the part inside. What senders put in or receivers
        /// get as a share of a link's rate is another number, which may be above 1, and which studies call throughput or
        /// goodput
        utilisation: Share;
        /// packets offered to it: data, acknowledgements and SYNs
        arrived_packets: u64;
        /// packets whose transmission ended in measured time and that were not corrupted
        delivered_packets: u64;
        /// the sum of the next two
        lost_packets: u64;
        /// packets that its queue refused, or dropped after they had waited
        dropped_packets: u64;
        /// packets corrupted on the wire: by its loss model, on a medium by what they met or by fading
        corrupted_packets: u64;
        /// packets that its queue marked (RFC 3168)
        marked_packets: u64;
        /// the mean over time of the packets waiting, without the one being sent; exact, not sampled
        queue_mean_packets: f64;
        /// standard deviation over time of the same; null for a link that one path uses alone and whose queue has no limit
        queue_std_packets: Option<f64>;
        /// the greatest of the same; null for such a link too
        queue_max_packets: Option<u64>;
        /// the share of measured time in which nothing waited, 0 to 1; null for such a link too
        queue_empty_share: Option<Share>;
        /// how long packets waited whose transmission began in measured time, those that found the link free included; null
        /// for a link whose queue has no limit
        wait_mean_s, wait_std_s, wait_p50_s, wait_p95_s, wait_p99_s: Option<f64>;
        /// the distribution of the same at the `probabilities`; only with `observe.distributions`
        wait_quantiles_s: Asked<Vec<f64>>;
        ..events: LossEventsResult;
        ..station: StationResult;
        ..copies: CopiesResult;
    }

    /// The copies that a link has made.
    pub struct CopiesResult {
        /// of a link with [`duplicate`](scenario-language.md#what-a-link-is-made-of): copies that arrived. They are packets of their
        /// own on the links that follow, and not counted as delivered by this one
        duplicated_packets: u64;
    }

    /// A link as a station of a medium.
    pub struct StationResult {
        /// of a link whose [medium](scenario-language.md#media) has collisions or answers: packets that it sent, each as often as
        /// it did, and those of them that it had sent before. The answers of the other end are not counted
        transmitted_packets, repeated_packets: u64;
        /// of these, those that met others on the medium and were lost by that
        collided_packets: u64;
        /// of these, those that met none and were not received: what fading took. A packet whose last attempt fails is
        /// among `corrupted_packets`, too
        unreceived_packets: u64;
    }

    /// The loss events at a link.
    pub struct LossEventsResult {
        /// at the link `observe.at`, with `observe.loss_events`: how many events of loss began in measured time. An event
        /// begins with the drop of a data packet and lasts as long as a sender's answer takes: the round trip without queues
        /// (the value of `observe.loss_events`) and what the link takes to send what waits at that instant. The next drop
        /// after that begins another
        loss_events: u64;
        /// how many flows lose packets in an event
        loss_event_flows_mean: Option<f64>;
        /// of the flows that offer packets during an event, the share that loses some, mean over the events: the global
        /// synchronisation ratio that RFC 7928 section 2.4 names. 1 where all lose together
        loss_synchronisation: Option<f64>;
        /// what that would be if each drop of an event hit one of the n flows at random, whatever they send: 1 - (1 -
        /// 1/n)^drops, mean over the events. A discipline with many drops in a round trip has a high ratio without any
        /// synchronisation
        loss_synchronisation_at_random: Option<f64>;
    }

    /// A group of flows over the measured interval.
    pub struct GroupResult {
        /// the group's name
        name: String;
        /// how many it has
        flows: usize;
        /// the sum of theirs
        goodput_bps: f64;
        /// Jain's index over theirs
        fairness: Option<f64>;
        ..bursts: BurstsResult;
    }

    /// The fate of a group's bursts.
    pub struct BurstsResult {
        /// at the link `observe.at`, with `observe.bursts`: how many bursts began in measured time. A burst is a run of at
        /// least `observe.bursts` of the group's data packets, each of which comes sooner after the one before than the link
        /// takes to send it
        bursts: u64;
        /// those of which the link dropped no packet
        bursts_without_loss: u64;
        /// the packets of all bursts, and those of them that the link dropped
        burst_packets, burst_dropped_packets: u64;
        /// the longest time that the link takes to send what a packet of the burst finds waiting, mean over the bursts
        burst_peak_wait_mean_s: Option<f64>;
        /// the bursts after which, before the next burst of the group, no more bytes waited than before it
        bursts_over: u64;
        /// how long that took from the burst's first packet on, mean over those
        burst_lasted_mean_s: Option<f64>;
    }
}

impl Typed for Vec<FlowResult> {
    const KIND: Kind = Kind::Records("flow");
}

impl Typed for Vec<LinkResult> {
    const KIND: Kind = Kind::Records("link");
}

impl Typed for Vec<GroupResult> {
    const KIND: Kind = Kind::Records("group");
}

impl Typed for Vec<TransferResult> {
    const KIND: Kind = Kind::Records("transfer");
}

impl Typed for Vec<SizeClassResult> {
    const KIND: Kind = Kind::Records("size_class");
}

impl Typed for SeriesResult {
    const KIND: Kind = Kind::Series;
}
