//! The profiles that bundle the details of TCP, and the options of a connection. Results of two simulators
//! can be compared only if the details in force are known.

use super::autotuning::WindowBounds;
use super::details::{Details, LocalDrop, MarkReduction, ReceiveWindow, Rule, TimerSamples, TimestampEcho};
use super::misbehaving::Misbehaviour;
use super::receiver::{Echo, ReceiverOptions};
use crate::reading::ReaderOptions;
use ackclock_aqm::Ecn;
use ackclock_base::{Descriptor, Kind, Packets, Size, Span, Values};
use ackclock_cc::Initial;
use ackclock_recovery::Units;
use ackclock_recovery::declared::{Growth, ReduceFrom};
use ackclock_recovery::detection::duplicates::{DuplicateOptions, Duplicates};
use ackclock_recovery::detection::mda::{Mda, MdaOptions};
use ackclock_recovery::detection::rack::{Rack, RackOptions};
use ackclock_recovery::detection::sack::{Flight, Sack, SackOptions};
use ackclock_recovery::detection::{Detection, vegas};
use ackclock_recovery::undo::UndoRules;

/// The profiles, in the order of lists.
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
            ("max_backoff", "1000000"), // no limit: with rfc2988_ only maxrto_ bounds the timeout
            ("after_timeout", "go-back-n"),
            ("reduce_from", "window"),
            ("min_window", "1 packet"),
            ("growth", "acks"),
            ("cwnd_validation", "none"),
            ("after_idle", "keep"), // ns-2's one-way agents restart with QOption_ only
            ("window_deflation", "false"),
            ("reduction", "counted"),
            ("spurious_timeouts", "false"),
            ("timestamp_echo", "arriving"),
            ("keeps_threshold", "false"),
            // ns-2 counts time in floating point, whose rounding decides between packets that arrive at the
            // same instant. In whole nanoseconds such ties are exact, and the same flow would always win
            // them.
            ("send_jitter", "1 us"),
        ],
    ),
    profile(
        "linux",
        "TCP as Linux has it, but for what the control decides",
        "Linux 6.x net/ipv4/tcp_input.c, tcp_output.c, tcp_recovery.c, tcp_timer.c; Documentation/networking/ip-sysctl",
        &[
            ("initial_window", "10 packets"), // TCP_INIT_CWND, without RFC 6928's bound on bytes
            ("recovery", "rack"),             // tcp_recovery, for all controls
            ("probe_ack_delay", "200 ms"),
            ("rack_rtt", "highest"),
            ("rack_timer_slack", "2 ms"), // TCP_TIMEOUT_MIN_US
            ("dsack", "true"),            // tcp_dsack
            ("dsack_undo", "true"),
            ("spurious_recoveries", "true"), // tcp_packet_delayed
            ("frto", "true"),                // tcp_frto
            ("reduce_from", "window"),       // tcp_init_cwnd_reduction
            ("growth", "delivered"),
            ("cwnd_validation", "linux"),
            ("after_idle", "halve"), // tcp_slow_start_after_idle
            ("min_rto", "200 ms"),   // TCP_RTO_MIN
            ("min_rto_bounds", "deviation"),
            ("max_rto", "120 s"),    // TCP_RTO_MAX
            ("max_backoff", "1024"), // no limit: max_rto is 600 times min_rto
            ("tick", "1 ms"),
            ("delayed_ack_time", "40 ms"), // TCP_DELACK_MIN
            ("quick_acks", "16"),
            ("receive_window", "autotuned"), // tcp_moderate_rcvbuf
            ("hystart", "true"),
            ("small_queues", "true"),
            ("mark_reduction", "proportional"), // tcp_enter_cwr
            ("local_drop", "cwr"),              // __tcp_transmit_skb
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

/// Returns the profile called `name`; `None` if there is none.
pub fn find(name: &str) -> Option<&'static Descriptor> {
    PROFILES.iter().find(|descriptor| descriptor.name == name)
}

/// The options of a sender.
#[derive(Clone, Debug, PartialEq)]
pub struct SenderOptions {
    /// The payload bytes of a packet.
    pub payload_bytes: u32,
    /// The bytes of a full packet on the wire.
    pub wire_bytes: u32,
    /// The bytes on the wire of a packet without payload.
    pub control_bytes: u32,
    /// The congestion window at the start.
    pub initial_window: Packets,
    /// The slow start threshold at the start.
    pub initial_ssthresh: Packets,
    /// The smallest window after a loss or a mark.
    pub min_window: Packets,
    /// Whether the connection begins with a handshake.
    pub handshake: bool,
    /// Whether timestamps are used.
    pub timestamps: bool,
    /// Whether the first block of an acknowledgement may report a packet that arrived twice.
    pub dsack: bool,
    /// The largest back-off factor.
    pub max_backoff: f64,
    /// Whether packets may be marked.
    pub ecn: bool,
    /// The ECN field of packets that may be marked; `None` for the field that the control implies.
    pub ecn_field: Option<Ecn>,
    /// The largest window that the receiver may ever allow, in packets.
    pub widest_window: u64,
    /// Whether the receiver is asked to count marks (RFC 9768).
    pub accurate_ecn: bool,
    /// The largest random delay before a packet leaves.
    pub send_jitter: Span,
    /// The options of loss recovery.
    pub recovery: ackclock_recovery::Options,
}

impl SenderOptions {
    /// Returns the ECN field of packets, for a control that counts marks or for one that does not.
    pub fn field(&self, counts_marks: bool) -> Ecn {
        match (self.ecn, self.ecn_field) {
            (false, _) => Ecn::NotCapable,
            (true, Some(field)) => field,
            (true, None) if counts_marks => Ecn::LowLatency,
            (true, None) => Ecn::Classic,
        }
    }
}

/// The options of a connection, including its retransmission rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The sender's options.
    pub sender: SenderOptions,
    /// The receiver's options.
    pub receiver: ReceiverOptions,
    /// The options of the reading application; `None` if it reads everything at once.
    pub reader: Option<ReaderOptions>,
    /// How the receiver breaks the rules. One whose application reads slowly breaks none.
    pub misbehaviour: Misbehaviour,
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
    /// Creates the options from a profile's values, for a control whose preferred retransmission rule is
    /// `preferred`.
    pub fn new(values: &Values, preferred: Option<&'static str>) -> Self {
        let details = Details::from(values);
        let name = match details.recovery {
            Rule::Auto => preferred.unwrap_or(Rule::Sack.word()),
            chosen => chosen.word(),
        };
        let recovery = recovery(name, &details);
        let by_time = matches!(recovery, Recovery::Rack(_));
        let sack = by_time || matches!(recovery, Recovery::Sack(_));
        let dsack = sack && details.dsack;
        let bytes = |size: Size| size.bytes() as u32;
        let accurate_ecn = details.ecn && details.accurate_ecn;
        let window = window_bounds(&details);
        let widest = details.window as u64;
        let sender = SenderOptions {
            payload_bytes: bytes(details.packet),
            wire_bytes: bytes(details.packet) + bytes(details.header),
            control_bytes: bytes(details.ack_size),
            initial_window: details.first_window(),
            initial_ssthresh: details.initial_ssthresh.unwrap_or(f64::INFINITY),
            min_window: details.rules.min_window,
            handshake: details.handshake,
            timestamps: details.timestamps,
            dsack,
            max_backoff: details.max_backoff,
            ecn: details.ecn,
            ecn_field: details.ecn_field.field(),
            widest_window: window.map_or(widest, |bounds| bounds.most),
            accurate_ecn,
            send_jitter: details.send_jitter,
            recovery: ackclock_recovery::Options {
                window: window.map_or(widest, |bounds| bounds.initial),
                dupack_threshold: if by_time { 0 } else { details.losses.dupack_threshold },
                ..recovery_options(&details, dsack)
            },
        };
        let echo = match details.timestamp_echo {
            TimestampEcho::Arriving => Echo::Arriving,
            TimestampEcho::LeftEdge => Echo::LeftEdge,
        };
        let receiver = ReceiverOptions {
            ack_bytes: bytes(details.ack_size),
            sack,
            dsack,
            delayed_ack: details.delayed_ack.then_some(details.delayed_ack_time),
            quick_acks: details.quick_acks,
            echo,
            window,
            ecn: details.ecn,
            accurate_ecn: accurate_ecn.then_some(bytes(details.packet)),
        };
        Self { sender, receiver, reader: None, misbehaviour: details.misbehaviour, recovery }
    }

    /// Returns the retransmission rule of a new connection.
    pub fn detection(&self) -> Box<dyn Detection> {
        match self.recovery {
            Recovery::Duplicates(options) => Box::new(Duplicates::new(options)),
            Recovery::Sack(options) => Box::new(Sack::new(options)),
            Recovery::Rack(options) => Box::new(Rack::new(options)),
            Recovery::Mda(options) => Box::new(Mda::new(options)),
            Recovery::Vegas(threshold) => Box::new(vegas::Vegas::new(threshold)),
        }
    }

    /// Returns the values that a control is given at the start.
    pub fn initial(&self) -> Initial {
        Initial {
            window: self.sender.initial_window,
            ssthresh: self.sender.initial_ssthresh,
            limit: self.sender.widest_window as f64,
            packet_bytes: self.sender.payload_bytes,
            header_bytes: self.sender.wire_bytes.saturating_sub(self.sender.payload_bytes),
            selective_acks: self.receiver.sack,
            paced: self.sender.recovery.pacing,
            min_window: self.sender.min_window,
            loss_window: 1.0, // RFC 5681 section 3.1
        }
    }
}

/// Returns the bounds of an autotuned receive window; `None` if the window is fixed.
fn window_bounds(details: &Details) -> Option<WindowBounds> {
    (details.receive_window == ReceiveWindow::Autotuned).then(|| {
        let packets = |size: Size| (size.bytes() / details.packet.bytes()).clamp(1, details.window as u64);
        let most = packets(details.max_receive_window);
        WindowBounds {
            initial: packets(details.initial_receive_window).min(most),
            most,
            initial_bytes: details.initial_receive_window.bytes(),
            packet_bytes: details.packet.bytes() as u32,
        }
    })
}

/// Returns the options of recovery that do not depend on the retransmission rule or the receive window.
fn recovery_options(details: &Details, dsack: bool) -> ackclock_recovery::Options {
    let units = Units::packets(details.packet.bytes() as u32);
    ackclock_recovery::Options {
        timeout: details.timer.rule(details.min_rto_bounds),
        reduce_from_window: details.rules.reduce_from == ReduceFrom::Window,
        keeps_threshold: details.keeps_threshold,
        max_abc_increment: details.rules.max_abc_increment(),
        counts_selective: details.rules.growth == Growth::Delivered,
        counts_parts: details.rules.growth == Growth::Acks,
        cwnd_validation: details.rules.cwnd_validation,
        idle_restart: details.rules.idle_restart(details.first_window()),
        timer_from_stamps: details.timestamps && details.timer_samples == TimerSamples::Timestamps,
        undo: UndoRules {
            eifel_timeouts: details.spurious_timeouts && details.timestamps,
            eifel_recoveries: details.spurious_recoveries && details.timestamps,
            dsack: dsack && details.dsack_undo,
            frto: details.frto,
        },
        pacing: details.pacing,
        pacing_gains: details.gains.into(),
        // Small queues do not apply if packets leave after a random delay.
        small_queue: (details.small_queues && details.send_jitter == Span::ZERO)
            .then_some(details.small_queue_limit.bytes()),
        max_burst: details.max_burst.unwrap_or(u64::MAX),
        // A packet that leaves after a random delay reaches its interface long after the sender has continued.
        feels_local_drops: details.local_drop == LocalDrop::Cwr && details.send_jitter == Span::ZERO,
        reduces_marks_in_proportion: details.mark_reduction == MarkReduction::Proportional,
        announces_reductions: details.ecn && !details.accurate_ecn, // CWR is a bit of the counter
        ..ackclock_recovery::Options::recommended(units)
    }
}

fn recovery(name: &str, details: &Details) -> Recovery {
    let threshold = details.losses.dupack_threshold;
    match name {
        "reno" => Recovery::Duplicates(details.losses.duplicates(false)),
        "newreno" => Recovery::Duplicates(details.losses.duplicates(true)),
        "vegas" => Recovery::Vegas(threshold),
        "rack" => Recovery::Rack(RackOptions {
            threshold,
            proportional: details.losses.reduction == Flight::Proportional,
            probes: details.tail_loss_probe,
            max_ack_delay: match details.probe_ack_delay {
                Some(delay) => delay,
                None if details.delayed_ack => details.delayed_ack_time,
                None => Span::ZERO,
            },
            packet: 1,
            round_trip_of: details.rack_rtt,
            timer_slack: details.rack_timer_slack,
        }),
        "mda" | "mda-transmission" => Recovery::Mda(details.losses.mda(name == "mda")),
        _ => Recovery::Sack(details.losses.sack()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_queues_apply_only_to_packets_that_leave_without_a_random_delay() {
        let limit = |small_queues, send_jitter| {
            let settings = [
                ("small_queues", small_queues),
                ("small_queue_limit", "4000 B"),
                ("send_jitter", send_jitter),
            ];
            let values = Values::with(&PROFILES[0], &settings);
            Options::new(&values, None).sender.recovery.small_queue
        };
        assert_eq!(limit("true", "0 s"), Some(4000));
        assert_eq!((limit("true", "1 ms"), limit("false", "0 s")), (None, None));
    }

    #[test]
    fn the_action_of_mda_handles_losses_of_every_cause_unless_its_rule_is_for_transmission_losses() {
        let in_congestion = |rule| match Options::new(&PROFILES[0].defaults(), Some(rule)).recovery {
            Recovery::Mda(options) => options.in_congestion,
            other => panic!("{rule} gives {other:?}"),
        };
        assert_eq!((in_congestion("mda"), in_congestion("mda-transmission")), (true, false));
    }
}
