//! Every detail of TCP that can be set, and the profiles that bundle them: without saying which details were in
//! force, results of two simulators cannot be compared.

use super::receiver::{Echo, ReceiverOptions};
use ackclock_aqm::Ecn;
use ackclock_base::{Descriptor, Kind, Packets, Parameter, Quantity, Range, Span, Values};
use ackclock_cc::Initial;
use ackclock_recovery::Units;
use ackclock_recovery::detection::duplicates::{DuplicateOptions, Duplicates, PartialAck};
use ackclock_recovery::detection::mda::{LatePartial, Mda, MdaOptions};
use ackclock_recovery::detection::rack::{Rack, RackOptions};
use ackclock_recovery::detection::sack::{Flight, Sack, SackOptions};
use ackclock_recovery::detection::{AfterTimeout, Detection, vegas};
use ackclock_recovery::ledger::{MAX_DUPACK_THRESHOLD, MAX_OUTSTANDING};
use ackclock_recovery::rtt::TimeoutRule;
use ackclock_recovery::undo::UndoRules;

/// The profiles, in the order in which lists show them.
pub const PROFILES: &[Descriptor] = &[
    profile(
        "rfc",
        "TCP as the RFCs have it today",
        "RFC 5681, 6298, 6582, 6675, 6928, 7323, 9293, 9937",
        &[],
    ),
    profile(
        "ns2",
        "ns-2's one-way agents with the options that the theses state",
        "ns-2 2.35 defaults; Dahal section 4.5.1",
        &[
            ("packet", "1000 B"),
            ("header", "40 B"),
            ("window", "20 packets"),
            ("initial_window", "2 packets"),
            ("initial_ssthresh", "20 packets"),
            ("handshake", "false"),
            ("timestamps", "false"),
            ("delayed_ack", "false"),
            ("tick", "10 ms"),
            ("min_rto", "200 ms"),
            ("initial_rto", "3 s"),
            ("after_timeout", "go-back-n"),
            ("reduce_from", "window"),
            ("growth", "acks"),
            ("cwnd_validation", "false"),
            ("window_deflation", "false"),
            ("reduction", "counted"),
            ("spurious_timeouts", "false"),
            ("timestamp_echo", "arriving"),
            ("keeps_threshold", "false"),
            // ns-2 counts time in floating point, whose rounding decides between packets that arrive at the same
            // instant. In whole nanoseconds such ties are exact, and the same flow would win every one of them.
            ("send_jitter", "1 us"),
        ],
    ),
    profile(
        "linux",
        "Linux's choices where they differ from the RFCs'",
        "Linux 6.x net/ipv4/tcp_input.c and tcp_timer.c, as documented in ip-sysctl",
        &[
            ("min_rto", "200 ms"),
            ("delayed_ack_time", "40 ms"),
            ("tick", "1 ms"),
            ("max_rto", "120 s"),
            ("reduce_from", "window"),
        ],
    ),
];

const fn profile(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    presets: &'static [(&'static str, &'static str)],
) -> Descriptor {
    Descriptor { kind: Kind::Transport, name, summary, source, parameters: DETAILS, presets }
}

/// The profile called `name`.
pub fn find(name: &str) -> Option<&'static Descriptor> {
    PROFILES.iter().find(|descriptor| descriptor.name == name)
}

const fn detail(
    name: &'static str,
    summary: &'static str,
    quantity: Quantity,
    default: &'static str,
    range: Range,
    source: &'static str,
) -> Parameter {
    Parameter { name, summary, quantity, default, range, source }
}

const fn flag(
    name: &'static str,
    summary: &'static str,
    default: &'static str,
    source: &'static str,
) -> Parameter {
    detail(name, summary, Quantity::Flag, default, Range::ANY, source)
}

const fn choice(
    name: &'static str,
    summary: &'static str,
    words: &'static [&'static str],
    default: &'static str,
    source: &'static str,
) -> Parameter {
    detail(name, summary, Quantity::Choice(words), default, Range::ANY, source)
}

const SPANS: Range = Range { min: 0.0, max: 3600.0, above_min: true };
/// A shorter timeout would go off many times before the first acknowledgement of any real path.
const TIMEOUTS: Range = Range::between(0.001, 3600.0);
const PACKETS: Range = Range::between(1.0, MAX_OUTSTANDING as f64 - 1.0);

/// The details.
pub const DETAILS: &[Parameter] = &[
    detail(
        "packet",
        "Payload of a packet",
        Quantity::Size,
        "1448 B",
        Range::between(1.0, 65_000.0),
        "RFC 9293 section 3.7.1: 1500 B less IP, TCP and timestamps",
    ),
    detail(
        "header",
        "What the headers add to a packet on the wire",
        Quantity::Size,
        "52 B",
        Range::between(0.0, 500.0),
        "IPv4 20 B, TCP 20 B, timestamps 12 B",
    ),
    detail(
        "ack_size",
        "Size of an acknowledgement on the wire",
        Quantity::Size,
        "40 B",
        Range::between(1.0, 1500.0),
        "IPv4 20 B, TCP 20 B; ns-2",
    ),
    detail(
        "window",
        "The most that the receiver allows in flight",
        Quantity::Packets,
        "10000 packets",
        PACKETS,
        "RFC 7323 allows 1 GiB; enough for 1 Gbit/s at 100 ms; ns-2's window_",
    ),
    detail(
        "initial_window",
        "The congestion window at the start",
        Quantity::Packets,
        "10 packets",
        PACKETS,
        "RFC 6928; 2 in RFC 5681 and ns-2, 1 in Dahal section 4.1",
    ),
    detail(
        "initial_ssthresh",
        "The slow start threshold at the start; none for as high as the window allows",
        Quantity::Packets,
        Parameter::NONE,
        PACKETS,
        "RFC 5681 section 3.1; ns-2 sets it to window_",
    ),
    flag(
        "handshake",
        "Whether the connection begins with a round trip of SYN",
        "true",
        "RFC 9293 section 3.5",
    ),
    choice(
        "recovery",
        "The retransmission rule; auto takes the control's own, or sack",
        &["auto", "reno", "newreno", "sack", "rack", "vegas", "mda", "mda-transmission"],
        "auto",
        "RFC 5681, RFC 6582, RFC 6675, RFC 8985, Brakmo and Peterson 1995, Alnuem 2009 section 4.2.2",
    ),
    detail(
        "dupack_threshold",
        "Duplicates that make a loss",
        Quantity::Integer,
        "3",
        Range::between(1.0, MAX_DUPACK_THRESHOLD as f64),
        "RFC 5681 section 3.2",
    ),
    flag("limited_transmit", "Whether the first duplicates let new packets out", "true", "RFC 3042"),
    choice(
        "partial_ack_timer",
        "Which partial acknowledgements restart the timer: every (slow but steady) or the first (impatient)",
        &["every", "first"],
        "every",
        "RFC 6582 section 4; ns-2's newreno_changes1_",
    ),
    choice(
        "late_partial",
        "What partial acknowledgements after the first send again under mda: one packet, two, or nothing",
        &["one", "two", "nothing"],
        "one",
        "Alnuem 2009 section 4.2.2.3; appendix D; figure 4.9",
    ),
    flag(
        "window_deflation",
        "Whether a partial acknowledgement deflates the window only by what it covers",
        "true",
        "RFC 6582 section 3.2; ns-2's partial_window_deflation_",
    ),
    choice(
        "after_timeout",
        "What becomes of selective acknowledgements at a timeout",
        &["go-back-n", "keep-sack"],
        "keep-sack",
        "RFC 6675 section 5.1; ns-2 goes back",
    ),
    choice(
        "reduction",
        "How SACK holds its flight in recovery: cut at once, shrunk in proportion to what is delivered, or counted",
        &["immediate", "proportional", "counted"],
        "proportional",
        "RFC 6675; RFC 9937; Fall and Floyd 1996 and ns-2's Sack1",
    ),
    choice(
        "reduce_from",
        "What a loss reduces: the packets in flight, or the window in force",
        &["flight", "window"],
        "flight",
        "RFC 5681 equation 4; ns-2 and Linux use the window",
    ),
    choice(
        "growth",
        "What an acknowledgement counts for: one, or the packets that it covers (at most two)",
        &["acks", "packets"],
        "packets",
        "RFC 3465; ns-2 counts acknowledgements",
    ),
    flag(
        "cwnd_validation",
        "Whether the window grows only while it is what holds the flow back",
        "true",
        "RFC 7661; not in ns-2",
    ),
    flag("timestamps", "Whether every acknowledgement echoes a timestamp", "true", "RFC 7323"),
    choice(
        "timestamp_echo",
        "Which timestamp is echoed: that of the packet that last moved the left edge, or of the one that arrives",
        &["left-edge", "arriving"],
        "left-edge",
        "RFC 7323 section 4.3; ns-2 echoes the packet that arrives",
    ),
    choice(
        "timer_samples",
        "With timestamps, what the timer listens to: all of them, or one packet in a round trip, sent once",
        &["timestamps", "one-packet"],
        "timestamps",
        "RFC 7323 section 4; RFC 6298 section 3, as ns-2 without timestamps_, whose packets carry stamps all the same",
    ),
    flag(
        "spurious_timeouts",
        "Whether a timeout that proves spurious is taken back (needs timestamps)",
        "true",
        "RFC 3522",
    ),
    flag("delayed_ack", "Whether only every second packet is acknowledged", "true", "RFC 5681 section 4.2"),
    detail(
        "delayed_ack_time",
        "How long an acknowledgement waits for a second packet",
        Quantity::Time,
        "200 ms",
        Range { min: 0.0, max: 0.5, above_min: true },
        "RFC 1122 section 4.2.3.2 allows 500 ms",
    ),
    detail("tick", "Granularity of the timer's clock", Quantity::Time, "1 ms", SPANS, "RFC 6298 section 4"),
    detail(
        "min_rto",
        "The least retransmission timeout",
        Quantity::Time,
        "1 s",
        TIMEOUTS,
        "RFC 6298 section 2.4",
    ),
    detail(
        "max_rto",
        "The greatest retransmission timeout",
        Quantity::Time,
        "60 s",
        TIMEOUTS,
        "RFC 6298 section 2.5",
    ),
    detail(
        "initial_rto",
        "The retransmission timeout before any sample",
        Quantity::Time,
        "1 s",
        TIMEOUTS,
        "RFC 6298 section 2.1; 3 s in RFC 2988 and ns-2",
    ),
    detail(
        "max_backoff",
        "The greatest factor on the retransmission timeout",
        Quantity::Number,
        "64",
        Range::between(1.0, 1e6),
        "BSD and ns-2",
    ),
    flag(
        "keeps_threshold",
        "Whether a packet that times out again leaves the slow start threshold as it is",
        "true",
        "RFC 5681 section 3.1; ns-2 halves it again",
    ),
    flag("ecn", "Whether packets may be marked instead of dropped", "false", "RFC 3168"),
    choice(
        "ecn_field",
        "With ecn, what packets are sent as; auto is ect1 for a control that answers to each mark, ect0 for others",
        &["auto", "ect0", "ect1"],
        "auto",
        "RFC 3168 section 5; RFC 9331 section 4.1",
    ),
    flag(
        "pacing",
        "Whether a window control's packets are spread over the round trip",
        "false",
        "Linux: 2 cwnd/srtt in slow start, 1.2 cwnd/srtt after",
    ),
    detail(
        "max_burst",
        "The most packets that one acknowledgement may release; none for no bound",
        Quantity::Integer,
        Parameter::NONE,
        Range::between(1.0, 1e6),
        "ns-2's maxburst_",
    ),
    detail(
        "send_jitter",
        "A random delay of up to this before each packet leaves, which breaks phase effects",
        Quantity::Time,
        "0 s",
        Range::between(0.0, 1.0),
        "Floyd and Jacobson 1991; ns-2's overhead_",
    ),
    choice(
        "local_drop",
        "What becomes of a packet that the host's own interface has no room for: it is lost, or it stays with the sender, \
         which reduces its window once for what it has in flight",
        &["lost", "cwr"],
        "lost",
        "Linux since 2.4 net/ipv4/tcp_output.c, tcp_transmit_skb on NET_XMIT_DROP; ns-2 loses it, as a router does",
    ),
    flag(
        "dsack",
        "Whether the receiver tells of packets that arrive twice, with sack or rack",
        "false",
        "RFC 2883",
    ),
    flag(
        "tail_loss_probe",
        "With rack, whether a probe after two round trips of silence shows the loss of the last packets",
        "true",
        "RFC 8985 section 7",
    ),
    flag(
        "spurious_recoveries",
        "Whether a recovery whose first acknowledgement echoes the original is taken back (needs timestamps)",
        "false",
        "RFC 3522",
    ),
    flag(
        "dsack_undo",
        "Whether a recovery or a timeout is taken back when all that it sent again had arrived (needs dsack)",
        "false",
        "RFC 3708; Linux net/ipv4/tcp_input.c, tcp_try_undo_dsack",
    ),
    flag(
        "frto",
        "Whether a timeout is taken back when new data sent after the first retransmission shows that it was spurious",
        "false",
        "RFC 5682",
    ),
];

/// The details of a sender, read.
#[derive(Clone, Debug, PartialEq)]
pub struct SenderOptions {
    /// Payload bytes of a packet.
    pub payload_bytes: u32,
    /// Bytes of a packet on the wire.
    pub wire_bytes: u32,
    /// Bytes of a packet without payload on the wire.
    pub control_bytes: u32,
    /// The congestion window at the start.
    pub initial_window: Packets,
    /// The slow start threshold at the start.
    pub initial_ssthresh: Packets,
    /// Whether the connection begins with a handshake.
    pub handshake: bool,
    /// Whether timestamps are used.
    pub timestamps: bool,
    /// Whether the first block of an acknowledgement may tell of a packet that arrived twice.
    pub dsack: bool,
    /// The greatest back-off factor.
    pub max_backoff: f64,
    /// Whether packets may be marked.
    pub ecn: bool,
    /// What they say then in their ECN field; `None` for what goes with the control.
    pub ecn_field: Option<Ecn>,
    /// The random delay before each packet.
    pub send_jitter: Span,
    /// How it recovers from losses.
    pub recovery: ackclock_recovery::Options,
}

impl SenderOptions {
    /// What packets say in their ECN field, for a control that counts marks or for one that does not.
    pub fn field(&self, counts_marks: bool) -> Ecn {
        match (self.ecn, self.ecn_field) {
            (false, _) => Ecn::NotCapable,
            (true, Some(field)) => field,
            (true, None) if counts_marks => Ecn::LowLatency,
            (true, None) => Ecn::Classic,
        }
    }
}

/// A connection's options, with the retransmission rule settled.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What the sender does.
    pub sender: SenderOptions,
    /// What the receiver does.
    pub receiver: ReceiverOptions,
    recovery: Recovery,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Recovery {
    Duplicates(DuplicateOptions),
    Sack(SackOptions),
    Rack(RackOptions),
    Vegas(u32),
    Mda(MdaOptions),
}

impl Options {
    /// From a profile's values, for a control that goes with the retransmission rule `preferred`.
    pub fn new(values: &Values, preferred: Option<&'static str>) -> Self {
        let name = match values.choice("recovery") {
            "auto" => preferred.unwrap_or("sack"),
            chosen => chosen,
        };
        let recovery = recovery(name, values);
        let sack = matches!(recovery, Recovery::Sack(_) | Recovery::Rack(_));
        let counts_later = !matches!(recovery, Recovery::Rack(_));
        let bytes = |name| values.size(name).bytes() as u32;
        let sender = SenderOptions {
            payload_bytes: bytes("packet"),
            wire_bytes: bytes("packet") + bytes("header"),
            control_bytes: bytes("ack_size"),
            initial_window: values.packets("initial_window"),
            initial_ssthresh: values.optional_packets("initial_ssthresh").unwrap_or(f64::INFINITY),
            handshake: values.flag("handshake"),
            timestamps: values.flag("timestamps"),
            dsack: values.flag("dsack"),
            max_backoff: values.number("max_backoff"),
            ecn: values.flag("ecn"),
            ecn_field: match values.choice("ecn_field") {
                "ect0" => Some(Ecn::Classic),
                "ect1" => Some(Ecn::LowLatency),
                _ => None,
            },
            send_jitter: values.time("send_jitter"),
            recovery: ackclock_recovery::Options {
                units: Units::packets(bytes("packet") + bytes("header")),
                window: values.packets("window") as u64,
                dupack_threshold: if counts_later { values.integer("dupack_threshold") as u32 } else { 0 },
                timeout: TimeoutRule {
                    tick: values.time("tick"),
                    min: values.time("min_rto"),
                    max: values.time("max_rto"),
                    initial: values.time("initial_rto"),
                },
                reduce_from_window: values.choice("reduce_from") == "window",
                keeps_threshold: values.flag("keeps_threshold"),
                max_credit: if values.choice("growth") == "acks" { 1 } else { 2 },
                cwnd_validation: values.flag("cwnd_validation"),
                timer_from_stamps: values.flag("timestamps")
                    && values.choice("timer_samples") == "timestamps",
                undo: UndoRules {
                    eifel_timeouts: values.flag("spurious_timeouts") && values.flag("timestamps"),
                    eifel_recoveries: values.flag("spurious_recoveries") && values.flag("timestamps"),
                    dsack: values.flag("dsack_undo") && sack && values.flag("dsack"),
                    frto: values.flag("frto"),
                },
                pacing: values.flag("pacing"),
                max_burst: values.optional_integer("max_burst").map_or(u64::MAX, |most| most as u64),
                feels_local_drops: values.choice("local_drop") == "cwr",
                announces_reductions: values.flag("ecn"),
            },
        };
        let delayed_ack = values.flag("delayed_ack").then(|| values.time("delayed_ack_time"));
        let echo = match values.choice("timestamp_echo") {
            "arriving" => Echo::Arriving,
            _ => Echo::LeftEdge,
        };
        let dsack = sack && values.flag("dsack");
        let receiver = ReceiverOptions { ack_bytes: bytes("ack_size"), sack, dsack, delayed_ack, echo };
        Self { sender, receiver, recovery }
    }

    /// The retransmission rule for a new connection.
    pub fn detection(&self) -> Box<dyn Detection> {
        match self.recovery {
            Recovery::Duplicates(options) => Box::new(Duplicates::new(options)),
            Recovery::Sack(options) => Box::new(Sack::new(options)),
            Recovery::Rack(options) => Box::new(Rack::new(options)),
            Recovery::Mda(options) => Box::new(Mda::new(options)),
            Recovery::Vegas(threshold) => Box::new(vegas::Vegas::new(threshold)),
        }
    }

    /// What a control is told at the start.
    pub fn initial(&self) -> Initial {
        Initial {
            window: self.sender.initial_window,
            ssthresh: self.sender.initial_ssthresh,
            limit: self.sender.recovery.window as f64,
            packet_bytes: self.sender.payload_bytes,
        }
    }
}

fn recovery(name: &str, values: &Values) -> Recovery {
    let threshold = values.integer("dupack_threshold") as u32;
    let duplicates = |partial| {
        Recovery::Duplicates(DuplicateOptions {
            threshold,
            limited_transmit: values.flag("limited_transmit"),
            partial,
        })
    };
    match name {
        "reno" => duplicates(PartialAck::Ends),
        "newreno" => duplicates(PartialAck::Resends {
            restarts_timer_each_time: values.choice("partial_ack_timer") == "every",
            deflates: values.flag("window_deflation"),
        }),
        "vegas" => Recovery::Vegas(threshold),
        "rack" => Recovery::Rack(RackOptions {
            threshold,
            proportional: values.choice("reduction") == "proportional",
            probes: values.flag("tail_loss_probe"),
            max_ack_delay: if values.flag("delayed_ack") {
                values.time("delayed_ack_time")
            } else {
                Span::ZERO
            },
            packet: 1,
        }),
        "mda" | "mda-transmission" => Recovery::Mda(MdaOptions {
            threshold,
            limited_transmit: values.flag("limited_transmit"),
            in_congestion: name == "mda",
            late_partial: match values.choice("late_partial") {
                "one" => LatePartial::One,
                "two" => LatePartial::Two,
                _ => LatePartial::Nothing,
            },
        }),
        _ => Recovery::Sack(SackOptions {
            threshold,
            after_timeout: match values.choice("after_timeout") {
                "go-back-n" => AfterTimeout::GoBackN,
                _ => AfterTimeout::KeepSack,
            },
            flight: match values.choice("reduction") {
                "immediate" => Flight::Inferred,
                "proportional" => Flight::Proportional,
                _ => Flight::Counted,
            },
        }),
    }
}
