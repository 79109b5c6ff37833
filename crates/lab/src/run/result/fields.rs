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
        /// name of the scenario, its key `name`
        scenario: String;
        /// seed of all random numbers of the run
        seed: u64;
        /// version of the simulator core that made the run
        version: &'static str;
        /// length of the run, warm-up included; shorter than the scenario's `duration` if congestion avoidance ended
        /// the warm-up early
        duration_s: f64;
        /// start and end of [measured time](#conventions), counted from the start of the run
        measured_s: [f64; 2];
        /// probabilities of the quantiles in `one_way_delay_quantiles_s` and `wait_quantiles_s`, in the order of the quantiles; only with
        /// `observe.distributions`
        probabilities: Asked<Vec<f64>>;
        /// list with a record for each flow
        flows: Vec<FlowResult>;
        /// list with a record for each direction of each link
        links: Vec<LinkResult>;
        /// list with a record for each `[[flows]]` table
        groups: Vec<GroupResult>;
        /// list with a record for each connection of [transfers](scenario-language.md#transfers) and [web
        /// sessions](scenario-language.md#web-sessions) that began in measured time; only with `observe.transfers`
        transfers: Asked<Vec<TransferResult>>;
        /// list with a record for each size class of each flow of [transfers](scenario-language.md#transfers) or [web
        /// sessions](scenario-language.md#web-sessions); only with `observe.transfers`
        size_classes: Asked<Vec<SizeClassResult>>;
        /// fairness of the goodput among all n flows of the run that start: Jain's index over their `goodput_bps` x,
        /// (sum of x)^2 / (n times sum of x^2). 1 if all are equal, 1/n if one flow has all goodput, null if all are
        /// zero. Jain, Chiu and Hawe 1984
        fairness: Option<f64>;
        /// values of flows and links over time; null unless requested: by `--series`, or by `Scenario.run`, which
        /// requests them by default
        series: Option<SeriesResult>;
    }

    /// One flow over the measured interval.
    pub struct FlowResult {
        /// name of the flow
        name: String;
        /// name of the flow's group, its `[[flows]]` table
        group: String;
        /// name of the flow's congestion control; over UDP, name of the flow's application
        control: &'static str;
        /// time in the run at which the flow begins, as drawn if its start is random; null for a flow that never begins
        start_s: Option<f64>;
        /// time in the run at which the last of the flow's data was acknowledged; null if some data was not, for a flow
        /// without an end, over UDP and RTP, and if several connections count as one flow
        completed_s: Option<f64>;
        /// number of data packets that the sender sent in measured time, retransmissions included
        sent_packets: u64;
        /// number of data packets that the receiver handed to the application in measured time: each packet once, and
        /// over TCP and QUIC in order. Over UDP every arriving packet counts, including copies made by links
        delivered_packets: u64;
        /// number of retransmissions: data packets sent in measured time that the sender had sent before; null over [noq,
        /// quinn](quic-stacks.md) and [stacks in libraries](any-stack.md), which do not report retransmissions
        retransmitted_packets: Option<u64>;
        /// number of packets from the sender to the receiver, data and control packets such as SYNs, that the network
        /// lost in measured time: `dropped_packets` plus `corrupted_packets`. The number can differ from
        /// `retransmitted_packets`, because the sender may retransmit a packet that has arrived
        lost_packets: u64;
        /// number of packets from the sender to the receiver, data and control packets such as SYNs, that queues
        /// dropped in measured time, on arrival or after they had waited
        dropped_packets: u64;
        /// number of packets from the sender to the receiver, data and control packets such as SYNs, that were
        /// corrupted on links in measured time: by a loss model, by `ecn = "drop"`, or on a medium by a collision or
        /// fading
        corrupted_packets: u64;
        /// rate at which the application received payload: the payload of `delivered_packets`, divided by measured time
        goodput_bps: f64;
        /// rate at which the sender sent payload for the first time: the payload of `sent_packets` without that of
        /// `retransmitted_packets`, divided by measured time (in the reproduced theses, "bytes transmitted minus bytes
        /// retransmitted"); null over [noq, quinn](quic-stacks.md) and [stacks in libraries](any-stack.md), which do
        /// not report retransmissions
        throughput_bps: Option<f64>;
        /// mean [round-trip time](#conventions): one sample in measured time for each acknowledgement of new data that
        /// covers no retransmitted packet (Karn and Partridge 1987), or for each report over RTP; null without samples,
        /// for example over UDP, noq, quinn and stacks in libraries
        rtt_mean_s: Option<f64>;
        /// standard deviation (n - 1) of the [round-trip time](#conventions): one sample in measured time for each
        /// acknowledgement of new data that covers no retransmitted packet (Karn and Partridge 1987), or for each
        /// report over RTP; null without two samples
        rtt_std_s: Option<f64>;
        /// least [round-trip time](#conventions): one sample in measured time for each acknowledgement of new data that
        /// covers no retransmitted packet (Karn and Partridge 1987), or for each report over RTP; null without samples,
        /// for example over UDP, noq, quinn and stacks in libraries
        rtt_min_s: Option<f64>;
        /// median of the [round-trip time](#conventions): one sample in measured time for each acknowledgement of new
        /// data that covers no retransmitted packet (Karn and Partridge 1987), or for each report over RTP; null
        /// without samples, for example over UDP, noq, quinn and stacks in libraries
        rtt_p50_s: Option<f64>;
        /// 95th [percentile](#conventions) of the round-trip time: one sample in measured time for each acknowledgement
        /// of new data that covers no retransmitted packet (Karn and Partridge 1987), or for each report over RTP; null
        /// without samples, for example over UDP, noq, quinn and stacks in libraries
        rtt_p95_s: Option<f64>;
        /// 99th [percentile](#conventions) of the round-trip time: one sample in measured time for each acknowledgement
        /// of new data that covers no retransmitted packet (Karn and Partridge 1987), or for each report over RTP; null
        /// without samples, for example over UDP, noq, quinn and stacks in libraries
        rtt_p99_s: Option<f64>;
        /// mean one-way delay over all data packets that arrived at the receiver in measured time, retransmitted or
        /// not: the time from the sending of a packet to its arrival, which consists of queueing, transmission and
        /// propagation; null without arrivals
        one_way_delay_mean_s: Option<f64>;
        /// standard deviation (n - 1) of the one-way delay over all data packets that arrived at the receiver in measured time,
        /// retransmitted or not; null without two arrivals
        one_way_delay_std_s: Option<f64>;
        /// least one-way delay over all data packets that arrived at the receiver in measured time, retransmitted or
        /// not; null without arrivals. A percentile of the one-way delay minus this minimum is the corresponding
        /// percentile of the packet delay variation (RFC 5481)
        one_way_delay_min_s: Option<f64>;
        /// median of the one-way delay over all data packets that arrived at the receiver in measured time, retransmitted or not; null
        /// without arrivals
        one_way_delay_p50_s: Option<f64>;
        /// 95th [percentile](#conventions) of the one-way delay over all data packets that arrived at the receiver in measured time,
        /// retransmitted or not; null without arrivals
        one_way_delay_p95_s: Option<f64>;
        /// 99th [percentile](#conventions) of the one-way delay over all data packets that arrived at the receiver in measured time,
        /// retransmitted or not; null without arrivals
        one_way_delay_p99_s: Option<f64>;
        /// quantiles of the one-way delay, at the `probabilities` of the run, over all data packets that arrived at the receiver in
        /// measured time, retransmitted or not; null without arrivals. Only with `observe.distributions`
        one_way_delay_quantiles_s: Asked<Vec<f64>>;
        /// number of expiries of the retransmission timer in measured time with data outstanding, not counting timeouts
        /// of a SYN. Zero over UDP, RTP and [ackclock's QUIC](quic-stacks.md#the-transport-quic), which have no such
        /// timer; null over [noq, quinn](quic-stacks.md) and [stacks in libraries](any-stack.md), which do not report
        /// timeouts
        timeouts: Option<u64>;
        /// total idle time before the timeouts in measured time: for each timeout, the time from the last packet sent
        /// to the expiry of the retransmission timer; null over [noq, quinn](quic-stacks.md) and [stacks in
        /// libraries](any-stack.md), which do not report timeouts
        timeout_idle_s: Option<f64>;
        /// number of probe packets, new data or retransmissions, that the sender sent in measured time because a probe
        /// timeout expired: over QUIC (RFC 9002 section 6.2.4), and over TCP with `recovery` rack and `tail_loss_probe`
        /// (RFC 8985 section 7); zero over other transports; null over [noq, quinn](quic-stacks.md) and [stacks in
        /// libraries](any-stack.md), which do not report probes
        probes: Option<u64>;
        /// number of times in measured time that the sender established persistent congestion, which sets the
        /// congestion window to its minimum (RFC 9002 section 7.6); zero over other transports than [ackclock's
        /// QUIC](quic-stacks.md#the-transport-quic); null over [noq, quinn](quic-stacks.md) and [stacks in
        /// libraries](any-stack.md), which do not report it
        persistent_congestions: Option<u64>;
        /// number of loss recoveries in measured time that began because the sender detected a loss, not counting
        /// recoveries after a retransmission timeout; zero over UDP and RTP; null over [noq, quinn](quic-stacks.md) and
        /// [stacks in libraries](any-stack.md), which do not report recoveries
        fast_retransmits: Option<u64>;
        /// mean congestion window over time, summed over the paths of the flow, from the flow's start or the end of
        /// the warm-up, whichever is later, to the end of the run; null for a flow whose window is not known, such as
        /// one over UDP or RTP, and if several connections count as one flow
        cwnd_mean_packets: Option<f64>;
        /// share of the sender's active time within measured time in which the congestion window, or the loss-recovery
        /// algorithm during a recovery, prevented sending. The sender is active from its start until its connection has
        /// closed and all of its data is acknowledged. Null over UDP, SCTP, RTP, noq, quinn and stacks in libraries,
        /// and without active time
        window_limited_share: Option<Share>;
        /// share of the sender's active time within measured time in which pacing, or small queues in its host (Linux's
        /// TSQ), prevented sending. The sender is active from its start until its connection has closed and all of its
        /// data is acknowledged. Null over UDP, SCTP, RTP, noq, quinn and stacks in libraries, and without active time
        pacing_limited_share: Option<Share>;
        /// share of the sender's active time within measured time in which the receive window prevented sending. The
        /// sender is active from its start until its connection has closed and all of its data is acknowledged. Null
        /// over UDP, SCTP, RTP, noq, quinn and stacks in libraries, and without active time
        receive_window_limited_share: Option<Share>;
        /// share of the sender's active time within measured time in which the application had no data to send. The
        /// sender is active from its start until its connection has closed and all of its data is acknowledged. Null
        /// over UDP, SCTP, RTP, noq, quinn and stacks in libraries, and without active time
        application_limited_share: Option<Share>;
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
        /// number of window probes that the sender sent in measured time while the receive window was closed (RFC 9293
        /// section 3.8.6.1, RFC 9260 section 6.1); over QUIC, of DATA_BLOCKED frames (RFC 9000 section 4.1). Window
        /// probes do not count in `sent_packets`; only for a flow with a [`reader`](scenario-language.md#slow-readers)
        window_probes: u64;
    }

    /// The actions of an agent at a node on a flow.
    pub struct AgentResult {
        /// number of packets of the flow, data or acknowledgements, that an
        /// [agent](scenario-language.md#agents-at-nodes) on its path sent in measured time. Data packets of the agent
        /// that the network loses on the way to the receiver count in `lost_packets` too
        agent_sent_packets: u64;
        /// number of packets of the flow, data or acknowledgements, that an
        /// [agent](scenario-language.md#agents-at-nodes) on its path removed in measured time, including
        /// acknowledgements that it delayed and sent later
        agent_ended_packets: u64;
    }

    /// The path that a flow was given by its hash.
    pub struct RouteResult {
        /// links that the flow's data crosses, in order, joined by ` > `; only with [`routing =
        /// "ecmp"`](scenario-language.md#routing). Null for a flow with several paths, and for `transfers` and `web`,
        /// whose routes `Scenario.describe` returns
        route: Option<String>;
    }

    /// Connections begun by a timetable, which count as one flow.
    pub struct ConnectionsResult {
        /// number of connections of [web sessions](scenario-language.md#web-sessions) or [transfers](scenario-language.md#transfers),
        /// which count as one flow, that began in measured time
        connections: u64;
        /// number of connections of [web sessions](scenario-language.md#web-sessions) or [transfers](scenario-language.md#transfers),
        /// which count as one flow, that began in measured time and had all of their data acknowledged before the end of the run
        completed_connections: u64;
    }

    /// The pages of a session.
    pub struct PagesResult {
        /// number of [pages](scenario-language.md#pages) that the flow began to load in measured time
        pages: u64;
        /// number of [pages](scenario-language.md#pages) that the flow began to load in measured time and that were complete before the
        /// end of the run
        completed_pages: u64;
    }

    /// The segments of a video.
    pub struct SegmentsResult {
        /// number of segments that an [adaptive video](scenario-language.md#adaptive-video) requested in measured time
        segments: u64;
        /// number of segments that an [adaptive video](scenario-language.md#adaptive-video) requested in measured
        /// time and that arrived completely before the end of the run
        completed_segments: u64;
        /// mean encoding rate of the segments of an [adaptive video](scenario-language.md#adaptive-video) that arrived in measured time;
        /// null if none arrived
        video_rate_mean_bps: Option<f64>;
        /// number of changes of the encoding rate of an [adaptive video](scenario-language.md#adaptive-video) from one segment to the
        /// next in measured time
        rate_switches: u64;
        /// number of stalls of an [adaptive video](scenario-language.md#adaptive-video) in measured time: times at
        /// which its playout buffer ran empty before the next segment arrived. A stall counts when that segment arrives
        stalls: u64;
        /// total duration of the stalls of an [adaptive video](scenario-language.md#adaptive-video) in measured time, each from the time
        /// at which the playout buffer ran empty to the arrival of the next segment
        stall_s: f64;
    }

    /// Requests that are answered.
    pub struct RequestsResult {
        /// number of [requests](scenario-language.md#applications) that the flow sent in measured time
        requests: u64;
        /// number of [requests](scenario-language.md#applications) that the flow sent in measured time and whose reply arrived before the
        /// end of the run
        completed_requests: u64;
    }

    /// The completion times of a flow's repeated tasks.
    pub struct CompletionResult {
        /// mean [completion time](#completion-times) of the flow's requests, connections, pages or segments that
        /// began in measured time and were complete before the end of the run; null if none was
        completion_mean_s: Option<f64>;
        /// median of the [completion time](#completion-times) of the flow's requests, connections, pages or segments
        /// that began in measured time and were complete before the end of the run; null if none was
        completion_p50_s: Option<f64>;
        /// 95th [percentile](#conventions) of the [completion time](#completion-times) of the flow's requests,
        /// connections, pages or segments that began in measured time and were complete before the end of the run;
        /// null if none was
        completion_p95_s: Option<f64>;
        /// 99th [percentile](#conventions) of the [completion time](#completion-times) of the flow's requests,
        /// connections, pages or segments that began in measured time and were complete before the end of the run;
        /// null if none was
        completion_p99_s: Option<f64>;
    }

    /// A connection of a timetable.
    pub struct TransferResult {
        /// name of the flow, in `flows`, that the connection belongs to
        flow: String;
        /// payload that the connection had to send
        size_bytes: u64;
        /// time in the run at which the connection began
        start_s: f64;
        /// completion time of the connection: from its start to the acknowledgement of everything it had to send; null
        /// if the run ended first
        completion_s: Option<f64>;
        /// number of retransmissions: data packets sent in measured time that the connection had sent before; null over [noq,
        /// quinn](quic-stacks.md) and [stacks in libraries](any-stack.md), which do not report retransmissions
        retransmitted_packets: Option<u64>;
    }

    /// The connections of a timetable in one class of sizes.
    pub struct SizeClassResult {
        /// name of the flow, in `flows`, that the connections belong to
        flow: String;
        /// lower limit of the class: the connections in it send more payload than this
        above_bytes: u64;
        /// upper limit of the class: the connections in it send at most this payload; null for the last class, which has no upper limit
        up_to_bytes: Option<u64>;
        /// number of connections of the class that began in measured time
        transfers: u64;
        /// number of connections of the class that began in measured time and had all of their data acknowledged before the end of the
        /// run
        completed_transfers: u64;
        /// mean [completion time](#completion-times) of the connections of the class that began in measured time and
        /// were complete before the end of the run; null if none was
        completion_mean_s: Option<f64>;
        /// median of the [completion time](#completion-times) of the connections of the class that began in measured
        /// time and were complete before the end of the run, by nearest rank and exact; null if none was
        completion_p50_s: Option<f64>;
        /// 95th percentile of the [completion time](#completion-times) of the connections of the class that began in
        /// measured time and were complete before the end of the run, by nearest rank and exact; null if none was
        completion_p95_s: Option<f64>;
        /// 99th percentile of the [completion time](#completion-times) of the connections of the class that began in
        /// measured time and were complete before the end of the run, by nearest rank and exact; null if none was
        completion_p99_s: Option<f64>;
    }

    /// One direction of a link over the measured interval.
    pub struct LinkResult {
        /// name of the link; the reverse direction of a link `x` is called `x-reverse`
        name: String;
        /// name of the node that sends on the link
        from: String;
        /// name of the node that receives from the link
        to: String;
        /// rate of the link; if it changes over time, the highest rate, or for a trace of delivery opportunities the
        /// mean rate
        rate_bps: u64;
        /// share of measured time in which the link was transmitting a packet, including interruptions by an outage and
        /// waits for a delivery opportunity of a trace. Of a transmission that began before or ended after measured
        /// time, only the part inside counts. Throughput or goodput divided by the link's rate is a different quantity
        /// and can exceed 1
        utilisation: Share;
        /// number of packets of any kind offered to the link in measured time, such as data, acknowledgements and
        /// SYNs
        arrived_packets: u64;
        /// number of packets whose transmission ended in measured time without corruption
        delivered_packets: u64;
        /// number of packets lost at the link in measured time: `dropped_packets` plus `corrupted_packets`
        lost_packets: u64;
        /// number of packets that the link's queue dropped in measured time, on arrival or after they had waited
        dropped_packets: u64;
        /// number of packets corrupted on the link in measured time: by its loss model, by `ecn = "drop"`, or on a
        /// medium by a collision or fading
        corrupted_packets: u64;
        /// number of packets that the link's queue marked with Congestion Experienced in measured time (RFC 3168)
        marked_packets: u64;
        /// mean number of packets waiting in the queue over measured time, not counting the packet in transmission;
        /// exact, not sampled
        queue_mean_packets: f64;
        /// standard deviation over measured time of the number of packets waiting in the queue, not counting the packet
        /// in transmission; null for a link that only one path uses and whose queue is drop-tail without a limit
        queue_std_packets: Option<f64>;
        /// greatest number of packets waiting in the queue during measured time, not counting the packet in
        /// transmission; null for a link that only one path uses and whose queue is drop-tail without a limit
        queue_max_packets: Option<u64>;
        /// share of measured time in which no packet waited in the queue; null for a link that only one path uses and
        /// whose queue is drop-tail without a limit
        queue_empty_share: Option<Share>;
        /// mean waiting time in the queue of the packets whose transmission began in measured time, including packets
        /// that found the link free; null without such packets, and for a drop-tail queue without a limit
        wait_mean_s: Option<f64>;
        /// standard deviation (n - 1) of the waiting time in the queue of the packets whose transmission began in
        /// measured time, including packets that found the link free; null without two such packets, and for a
        /// drop-tail queue without a limit
        wait_std_s: Option<f64>;
        /// median of the waiting time in the queue of the packets whose transmission began in measured time,
        /// including packets that found the link free; null without such packets, and for a drop-tail queue without a
        /// limit
        wait_p50_s: Option<f64>;
        /// 95th [percentile](#conventions) of the waiting time in the queue of the packets whose transmission began
        /// in measured time, including packets that found the link free; null without such packets, and for a
        /// drop-tail queue without a limit
        wait_p95_s: Option<f64>;
        /// 99th [percentile](#conventions) of the waiting time in the queue of the packets whose transmission began
        /// in measured time, including packets that found the link free; null without such packets, and for a
        /// drop-tail queue without a limit
        wait_p99_s: Option<f64>;
        /// quantiles of the waiting time in the queue, at the `probabilities` of the run, of the packets whose
        /// transmission began in measured time, including packets that found the link free; null without such
        /// packets, and for a drop-tail queue without a limit. Only with `observe.distributions`
        wait_quantiles_s: Asked<Vec<f64>>;
        ..events: LossEventsResult;
        ..station: StationResult;
        ..copies: CopiesResult;
    }

    /// The copies that a link has made.
    pub struct CopiesResult {
        /// number of copies of packets that a link with [`duplicate`](scenario-language.md#keys-of-a-link) made and
        /// that arrived in measured time. On later links a copy counts as a separate packet; the link that made it does
        /// not count it in `delivered_packets`
        duplicated_packets: u64;
    }

    /// A link as a station of a medium.
    pub struct StationResult {
        /// number of transmissions of packets in measured time on a link whose [medium](scenario-language.md#media) models collisions or
        /// link-layer acknowledgements. Each attempt counts; link-layer acknowledgements do not
        transmitted_packets: u64;
        /// number of transmissions in measured time that repeated an earlier attempt for a packet, on a link whose
        /// [medium](scenario-language.md#media) models collisions or link-layer
        /// acknowledgements
        repeated_packets: u64;
        /// number of transmissions in measured time that a collision destroyed, on a link whose
        /// [medium](scenario-language.md#media) models collisions or link-layer acknowledgements. A packet
        /// whose last attempt collides counts in `corrupted_packets` too
        collided_packets: u64;
        /// number of transmissions in measured time that did not collide but failed because of fading, on a link whose
        /// [medium](scenario-language.md#media) models collisions or link-layer acknowledgements. A packet whose last
        /// attempt fails counts in `corrupted_packets` too
        unreceived_packets: u64;
    }

    /// The loss events at a link.
    pub struct LossEventsResult {
        /// number of loss events that began in measured time at the link `observe.at`; only with `observe.loss_events`.
        /// An event begins with the drop of a data packet and lasts one round-trip time: the base RTT
        /// `observe.loss_events` plus the time that the link takes to send the packets queued at the drop. The first
        /// drop after an event begins another
        loss_events: u64;
        /// mean number of flows that lose packets in a loss event, over the loss events that began in measured time at the link
        /// `observe.at`; null without events
        loss_event_flows_mean: Option<f64>;
        /// global synchronisation ratio (RFC 7928 section 2.4): the share of flows that lose packets, among the flows
        /// that offer packets during a loss event, averaged over the loss events that began in measured time at the
        /// link `observe.at`; null without events. 1 if every flow that offers packets loses some in each event
        loss_synchronisation: Option<f64>;
        /// expected global synchronisation ratio if each drop of a loss event hit any of the n flows that offer packets
        /// during the event with equal probability: 1 - (1 - 1/n)^drops, averaged over the loss events that began in
        /// measured time at the link `observe.at`; null without events. Many drops in one round trip suffice for a high
        /// ratio
        loss_synchronisation_at_random: Option<f64>;
    }

    /// A group of flows over the measured interval.
    pub struct GroupResult {
        /// name of the group
        name: String;
        /// number of flows in the group, each with a record in `flows`; all connections of web sessions or transfers
        /// count as one flow
        flows: usize;
        /// total goodput of the group: the sum of `goodput_bps` over its flows
        goodput_bps: f64;
        /// the group's share of the total goodput of all flows of the run; null if all goodputs are zero
        goodput_share: Option<f64>;
        /// fairness of the goodput within the group: Jain's index over the `goodput_bps` of its flows that start;
        /// null if all are zero or no flow starts
        fairness: Option<f64>;
        ..bursts: BurstsResult;
    }

    /// The fate of a group's bursts.
    pub struct BurstsResult {
        /// number of bursts of the group that began in measured time at the link `observe.at`; only with
        /// `observe.bursts`. A burst is a sequence of at least `observe.bursts` data packets of the group, each of
        /// which arrives less than its own transmission time after its predecessor
        bursts: u64;
        /// number of bursts of the group that began in measured time at the link `observe.at` and of which the link dropped no packet
        bursts_without_loss: u64;
        /// number of data packets, dropped or not, in all bursts of the group that began in measured time at the link
        /// `observe.at`
        burst_packets: u64;
        /// number of data packets that the link `observe.at` dropped from bursts of the group that began in measured time
        burst_dropped_packets: u64;
        /// mean peak wait of the bursts of the group that began in measured time at the link `observe.at`; null without bursts. The peak
        /// wait of a burst is the longest queueing delay that a packet of the burst finds on arrival: queued bytes over link rate
        burst_peak_wait_mean_s: Option<f64>;
        /// number of bursts of the group that began in measured time at the link `observe.at` and were over before the
        /// group's next burst began. A burst is over when the queue holds no more bytes than before the burst
        bursts_over: u64;
        /// mean duration of the bursts of the group that began in measured time at the link `observe.at` and were over
        /// before the group's next burst: from the burst's first packet until the queue holds no more bytes than before
        /// the burst; null if none was over
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
