//! The profiles that bundle the details of TCP, and the options of a connection. Results of two simulators
//! can be compared only if the details in force are known.

use super::autotuning::WindowBounds;
use super::details::{Details, ReceiveWindow, Rule};
use super::receiver::ReceiverOptions;
use crate::reading::ReaderOptions;
use ackclock_base::{Descriptor, Kind, Size, Span, Values};
use ackclock_cc::Initial;
use ackclock_recovery::declared::{LocalDrop, TimerSamples};
use ackclock_recovery::detection::duplicates::Duplicates;
use ackclock_recovery::detection::mda::Mda;
use ackclock_recovery::detection::rack::{Rack, RackOptions};
use ackclock_recovery::detection::sack::Sack;
use ackclock_recovery::detection::{Detection, vegas};
use ackclock_recovery::{Options as RecoveryOptions, Units};

/// The profiles, in the order of lists.
pub const PROFILES: &[Descriptor] = &[
    profile(
        "rfc",
        "TCP as the RFCs specify it today, including the Experimental RFCs 3465, 3522, 6928 and 7661",
        "RFC 5681, 6298, 6582, 6675, 6928, 7323, 9293, 9937",
        &[],
    ),
    profile(
        "ns2",
        "This project's TCP with the rules and defaults of ns-2's one-way TCP agents, except for parameters whose values \
         the reproduced theses state",
        "ns-2 2.35 defaults; Dahal section 4.5.1",
        &[
            ("packet", "1000 B"),
            ("header", "40 B"),
            ("window", "20 packets"),
            ("initial_window", "2 packets"),
            ("initial_ssthresh", "20 packets"),
            ("handshake", "false"),
            ("handshake_min_rtt", "true"),
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
        "This project's TCP with the rules and defaults of Linux's stack; the kernel itself does not run, and \
         `control` sets the congestion control",
        "Linux 6.x net/ipv4/tcp_input.c, tcp_output.c, tcp_recovery.c, tcp_timer.c; Documentation/networking/ip-sysctl",
        &[
            ("initial_window", "10 packets"), // TCP_INIT_CWND, without RFC 6928's bound on bytes
            ("recovery", "rack"),             // tcp_recovery, for all controls
            ("reduction", "linux"),           // tcp_cwnd_reduction
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

/// The options of a connection, including its retransmission rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The details in force: those of the profile and the flow, without what other details rule out.
    pub details: Details,
    /// The options of loss recovery.
    pub recovery: RecoveryOptions,
    /// The receiver's options.
    pub receiver: ReceiverOptions,
    /// The options of the reading application; `None` if it reads everything at once.
    pub reader: Option<ReaderOptions>,
    /// The largest window that the receiver may ever allow, in packets.
    pub widest_window: u64,
    rule: Rule,
}

impl Options {
    /// Creates the options from a profile's values, for a control whose preferred retransmission rule is
    /// `preferred`.
    pub fn new(values: &Values, preferred: Option<&'static str>) -> Self {
        let details = Details::from(values);
        let preferred = Rule::ALL.iter().copied().find(|rule| Some(rule.word()) == preferred);
        let rule = match details.recovery {
            Rule::Auto => preferred.unwrap_or(Rule::Sack),
            chosen => chosen,
        };
        let sack = rule.is_selective();
        let details = in_force(details, sack);
        let window = window_bounds(&details);
        let widest = details.window as u64;
        let receiver = ReceiverOptions {
            rules: details.acknowledging,
            sack,
            window,
            ecn: details.ecn,
            accurate_ecn: details.accurate_ecn.then_some(details.payload_bytes()),
        };
        Self {
            recovery: RecoveryOptions {
                window: window.map_or(widest, |bounds| bounds.initial),
                dupack_threshold: if rule == Rule::Rack { 0 } else { details.losses.dupack_threshold },
                timer: details.timer,
                timer_rules: details.timer_rules,
                rules: details.rules,
                restart_window: details.first_window(),
                undo: details.undo,
                pacing: details.pacing,
                pacing_gains: details.gains,
                small_queues: details.small_queues,
                announces_reductions: details.ecn && !details.accurate_ecn, // CWR is a bit of the counter
                ..RecoveryOptions::recommended(Units::packets(details.payload_bytes()))
            },
            widest_window: window.map_or(widest, |bounds| bounds.most),
            receiver,
            reader: None,
            rule,
            details,
        }
    }

    /// Returns the retransmission rule in force: the chosen one, or the control's own.
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// Returns the retransmission rule of a new connection.
    pub fn detection(&self) -> Box<dyn Detection> {
        let Details { losses, rack, acknowledging, .. } = self.details;
        match self.rule {
            Rule::Reno => Box::new(Duplicates::new(losses, false)),
            Rule::Newreno => Box::new(Duplicates::new(losses, true)),
            Rule::Vegas => Box::new(vegas::Vegas::new(losses)),
            Rule::Mda => Box::new(Mda::new(losses, true)),
            Rule::MdaTransmission => Box::new(Mda::new(losses, false)),
            Rule::Sack | Rule::Auto => Box::new(Sack::new(losses)),
            Rule::Rack => {
                let max_ack_delay = acknowledging.delay().unwrap_or(Span::ZERO);
                Box::new(Rack::new(RackOptions { losses, rack, max_ack_delay, packet: 1 }))
            }
        }
    }

    /// Returns the values that a control is given at the start.
    pub fn initial(&self) -> Initial {
        let details = &self.details;
        Initial {
            window: details.first_window(),
            ssthresh: details.initial_ssthresh.unwrap_or(f64::INFINITY),
            limit: self.widest_window as f64,
            packet_bytes: details.payload_bytes(),
            header_bytes: details.header.bytes() as u32,
            selective_acks: self.receiver.sack,
            paced: details.pacing,
            min_window: details.rules.min_window,
            loss_window: 1.0, // RFC 5681 section 3.1
        }
    }
}

/// Returns the details without those that others rule out, for a rule that uses selective acknowledgements or one that does
/// not.
fn in_force(mut details: Details, sack: bool) -> Details {
    details.acknowledging.dsack &= sack;
    details.undo.dsack_undo &= details.acknowledging.dsack;
    details.accurate_ecn &= details.ecn;
    if !details.timestamps {
        details.undo.spurious_timeouts = false;
        details.undo.spurious_recoveries = false;
        details.timer_rules.timer_samples = TimerSamples::OnePacket;
    }
    // A packet that leaves after a random delay reaches its interface long after the sender has continued.
    if details.send_jitter > Span::ZERO {
        details.small_queues.small_queues = false;
        details.rules.local_drop = LocalDrop::Lost;
    }
    details
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
            packet_bytes: details.payload_bytes(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(settings: &[(&str, &str)]) -> Options {
        Options::new(&Values::with(&PROFILES[0], settings), None)
    }

    #[test]
    fn small_queues_apply_only_to_packets_that_leave_without_a_random_delay() {
        let applies = |small_queues, send_jitter| {
            let settings = [("small_queues", small_queues), ("send_jitter", send_jitter)];
            with(&settings).recovery.small_queues.small_queues
        };
        assert!(applies("true", "0 s"));
        assert!(!applies("true", "1 ms") && !applies("false", "0 s"));
    }

    #[test]
    fn what_needs_timestamps_or_duplicate_reports_is_not_in_force_without_them() {
        let undo = [("spurious_recoveries", "true"), ("dsack_undo", "true"), ("dsack", "true")];
        let without = |name| with(&[&undo[..], &[(name, "false")]].concat()).recovery;
        let all = with(&undo).recovery.undo;
        assert!(all.spurious_timeouts && all.spurious_recoveries && all.dsack_undo);
        let RecoveryOptions { undo: stampless, timer_rules, .. } = without("timestamps");
        assert!(!stampless.spurious_timeouts && !stampless.spurious_recoveries && stampless.dsack_undo);
        assert_eq!(timer_rules.timer_samples, TimerSamples::OnePacket);
        assert!(!without("dsack").undo.dsack_undo);
        let reno = with(&[&undo[..], &[("recovery", "reno")]].concat());
        assert!(!reno.recovery.undo.dsack_undo && !reno.receiver.rules.dsack);
    }

    #[test]
    fn a_control_chooses_the_rule_unless_the_flow_does() {
        let rule = |preferred, set| Options::new(&Values::with(&PROFILES[0], set), preferred).rule;
        assert_eq!(rule(None, &[]), Rule::Sack);
        assert_eq!(rule(Some("mda-transmission"), &[]), Rule::MdaTransmission);
        assert_eq!(rule(Some("mda"), &[("recovery", "rack")]), Rule::Rack);
    }
}
