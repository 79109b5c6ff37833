//! The profiles that bundle the details of TCP, and what a connection makes of them: without saying which details were
//! in force, results of two simulators cannot be compared.

use super::details::{
    Details, EcnField, Growth, LatePartialAcks, LocalDrop, PartialAckTimer, ReduceFrom, Reduction, Rule,
    SackAfterTimeout, TimerSamples, TimestampEcho,
};
use super::receiver::{Echo, ReceiverOptions};
use ackclock_aqm::Ecn;
use ackclock_base::{Descriptor, Kind, Packets, Size, Span, Values};
use ackclock_cc::Initial;
use ackclock_recovery::detection::duplicates::{DuplicateOptions, Duplicates, PartialAck};
use ackclock_recovery::detection::mda::{LatePartial, Mda, MdaOptions};
use ackclock_recovery::detection::sack::{Flight, Sack, SackOptions};
use ackclock_recovery::detection::{AfterTimeout, Detection, vegas};
use ackclock_recovery::rtt::TimeoutRule;

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
    Descriptor { kind: Kind::Transport, name, summary, source, parameters: Details::TABLE, presets }
}

/// The profile called `name`.
pub fn find(name: &str) -> Option<&'static Descriptor> {
    PROFILES.iter().find(|descriptor| descriptor.name == name)
}

/// The details of a sender, read.
#[derive(Clone, Debug, PartialEq)]
pub struct SenderOptions {
    /// Payload bytes of a packet.
    pub payload_bytes: u32,
    /// Bytes of a packet on the wire.
    pub wire_bytes: u32,
    /// Bytes of a packet without payload on the wire.
    pub control_bytes: u32,
    /// The most packets that the receiver allows in flight.
    pub window: u64,
    /// The congestion window at the start.
    pub initial_window: Packets,
    /// The slow start threshold at the start.
    pub initial_ssthresh: Packets,
    /// Whether the connection begins with a handshake.
    pub handshake: bool,
    /// Whether acknowledgements carry blocks.
    pub sack: bool,
    /// Duplicates that make a loss.
    pub dupack_threshold: u32,
    /// Whether losses are reduced from the window in force instead of the flight.
    pub reduce_from_window: bool,
    /// The most packets of growth that one acknowledgement stands for.
    pub most_credit: u32,
    /// Whether the window grows only while it is used.
    pub cwnd_validation: bool,
    /// Whether timestamps are used.
    pub timestamps: bool,
    /// Whether the timer listens to every timestamp.
    pub timer_from_stamps: bool,
    /// Whether spurious timeouts are taken back.
    pub spurious_timeouts: bool,
    /// The timer.
    pub timeout: TimeoutRule,
    /// The greatest back-off factor.
    pub max_backoff: f64,
    /// Whether a packet that times out again leaves the slow start threshold as it is.
    pub keeps_threshold: bool,
    /// Whether packets may be marked.
    pub ecn: bool,
    /// What they say then in their ECN field; `None` for what goes with the control.
    pub ecn_field: Option<Ecn>,
    /// Whether a window control's packets are paced.
    pub pacing: bool,
    /// The most packets that one acknowledgement releases.
    pub max_burst: u64,
    /// The random delay before each packet.
    pub send_jitter: Span,
    /// Whether packets that the host's own interface refuses stay with the sender, and reduce its window.
    pub feels_local_drops: bool,
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
    Vegas(u32),
    Mda(MdaOptions),
}

impl Options {
    /// From a profile's values, for a control that goes with the retransmission rule `preferred`.
    pub fn new(values: &Values, preferred: Option<&'static str>) -> Self {
        let details = Details::from(values);
        let name = match details.recovery {
            Rule::Auto => preferred.unwrap_or(Rule::Sack.word()),
            chosen => chosen.word(),
        };
        let recovery = recovery(name, &details);
        let sack = matches!(recovery, Recovery::Sack(_));
        let bytes = |size: Size| size.bytes() as u32;
        let sender = SenderOptions {
            payload_bytes: bytes(details.packet),
            wire_bytes: bytes(details.packet) + bytes(details.header),
            control_bytes: bytes(details.ack_size),
            window: details.window as u64,
            initial_window: details.initial_window,
            initial_ssthresh: details.initial_ssthresh.unwrap_or(f64::INFINITY),
            handshake: details.handshake,
            sack,
            dupack_threshold: details.dupack_threshold,
            reduce_from_window: details.reduce_from == ReduceFrom::Window,
            most_credit: match details.growth {
                Growth::Acks => 1,
                Growth::Packets => 2,
            },
            cwnd_validation: details.cwnd_validation,
            timestamps: details.timestamps,
            timer_from_stamps: details.timestamps && details.timer_samples == TimerSamples::Timestamps,
            spurious_timeouts: details.spurious_timeouts && details.timestamps,
            timeout: TimeoutRule {
                tick: details.tick,
                min: details.min_rto,
                max: details.max_rto,
                initial: details.initial_rto,
            },
            max_backoff: details.max_backoff,
            keeps_threshold: details.keeps_threshold,
            ecn: details.ecn,
            ecn_field: match details.ecn_field {
                EcnField::Ect0 => Some(Ecn::Classic),
                EcnField::Ect1 => Some(Ecn::LowLatency),
                EcnField::Auto => None,
            },
            pacing: details.pacing,
            max_burst: details.max_burst.unwrap_or(u64::MAX),
            send_jitter: details.send_jitter,
            feels_local_drops: details.local_drop == LocalDrop::Cwr,
        };
        let delayed_ack = details.delayed_ack.then(|| details.delayed_ack_time);
        let echo = match details.timestamp_echo {
            TimestampEcho::Arriving => Echo::Arriving,
            TimestampEcho::LeftEdge => Echo::LeftEdge,
        };
        let receiver = ReceiverOptions { ack_bytes: bytes(details.ack_size), sack, delayed_ack, echo };
        Self { sender, receiver, recovery }
    }

    /// The retransmission rule for a new connection.
    pub fn rule(&self) -> Box<dyn Detection> {
        match self.recovery {
            Recovery::Duplicates(options) => Box::new(Duplicates::new(options)),
            Recovery::Sack(options) => Box::new(Sack::new(options)),
            Recovery::Mda(options) => Box::new(Mda::new(options)),
            Recovery::Vegas(threshold) => Box::new(vegas::Vegas::new(threshold)),
        }
    }

    /// What a control is told at the start.
    pub fn initial(&self) -> Initial {
        Initial {
            window: self.sender.initial_window,
            ssthresh: self.sender.initial_ssthresh,
            limit: self.sender.window as f64,
            packet_bytes: self.sender.payload_bytes,
        }
    }
}

fn recovery(name: &str, details: &Details) -> Recovery {
    let threshold = details.dupack_threshold;
    let duplicates = |partial| {
        Recovery::Duplicates(DuplicateOptions {
            threshold,
            limited_transmit: details.limited_transmit,
            partial,
        })
    };
    match name {
        "reno" => duplicates(PartialAck::Ends),
        "newreno" => duplicates(PartialAck::Resends {
            restarts_timer_each_time: details.partial_ack_timer == PartialAckTimer::Every,
            deflates: details.window_deflation,
        }),
        "vegas" => Recovery::Vegas(threshold),
        "mda" | "mda-transmission" => Recovery::Mda(MdaOptions {
            threshold,
            limited_transmit: details.limited_transmit,
            in_congestion: name == "mda",
            late_partial: match details.late_partial {
                LatePartialAcks::One => LatePartial::One,
                LatePartialAcks::Two => LatePartial::Two,
                LatePartialAcks::Nothing => LatePartial::Nothing,
            },
        }),
        _ => Recovery::Sack(SackOptions {
            threshold,
            after_timeout: match details.after_timeout {
                SackAfterTimeout::GoBackN => AfterTimeout::GoBackN,
                SackAfterTimeout::KeepSack => AfterTimeout::KeepSack,
            },
            flight: match details.reduction {
                Reduction::Immediate => Flight::Inferred,
                Reduction::Proportional => Flight::Proportional,
                Reduction::Counted => Flight::Counted,
            },
        }),
    }
}
