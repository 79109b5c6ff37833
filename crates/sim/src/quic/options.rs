//! The profile, and the options of a connection.

use super::datagram::Packing;
use super::details::{Details, Reordering};
use super::receiver::ReceiverOptions;
use crate::reading::ReaderOptions;
use ackclock_aqm::Ecn;
use ackclock_base::{Descriptor, Kind, Packets, Size, Span, Values};
use ackclock_cc::Initial;
use ackclock_recovery::declared::{
    AfterIdle, Growth, ReduceFrom, Timer, TimerRules, TimerSamples, UndoRules, WindowRules,
};
use ackclock_recovery::detection::quic::{QuicOptions, Thresholds};
use ackclock_recovery::{Options as RecoveryOptions, Units};

/// The profiles, in the order of lists.
pub const PROFILES: &[Descriptor] = &[Descriptor {
    kind: Kind::Transport,
    name: "quic",
    summary: "QUIC as the RFCs specify it, with one stream",
    source: "RFC 9000, RFC 9002",
    parameters: Details::TABLE,
    presets: &[],
}];

/// Returns the profile called `name`; `None` if there is none.
pub fn find(name: &str) -> Option<&'static Descriptor> {
    PROFILES.iter().find(|descriptor| descriptor.name == name)
}

/// The bounds of the retransmission timer.
const TIMER: Timer = Timer {
    tick: Span::from_millis(1), // kGranularity, RFC 9002 section 6.1.2
    min_rto: Span::from_millis(1),
    max_rto: Span::from_millis(60_000),
    initial_rto: Span::from_millis(999), // kInitialRtt + 4 kInitialRtt / 2, section 6.2.2
};

/// The minimum window, kMinimumWindow (RFC 9002 sections 7.2 and 7.6.2).
const MIN_WINDOW: Packets = 2.0;

/// The options of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The size of the stream data in a packet, in bytes.
    pub payload_bytes: u32,
    /// The size of a packet on the wire, in bytes.
    wire_bytes: u32,
    /// The size of an acknowledgement of one range on the wire, in bytes.
    ack_bytes: u32,
    /// The size of an Initial packet on the wire, in bytes.
    initial_bytes: u32,
    /// Whether the connection begins with a handshake.
    pub handshake: bool,
    /// The ECN field of packets; `None` if it depends on the control.
    ecn_field: Option<Ecn>,
    /// The largest random delay before a packet leaves.
    pub send_jitter: Span,
    /// The receiver's options.
    pub receiver: ReceiverOptions,
    /// The options of the reading application; `None` if it reads everything at once.
    pub reader: Option<ReaderOptions>,
    /// The options of loss detection.
    pub detection: QuicOptions,
    /// The options of loss recovery.
    pub recovery: RecoveryOptions,
    initial_window: f64,
}

impl Options {
    /// Creates the options from the profile's values.
    pub fn new(values: &Values) -> Self {
        let details = Details::from(values);
        let bytes = |size: Size| size.bytes() as u32;
        let units = Units::packets(bytes(details.packet));
        Self {
            payload_bytes: bytes(details.packet),
            wire_bytes: bytes(details.packet) + bytes(details.header),
            ack_bytes: bytes(details.ack_size),
            initial_bytes: bytes(details.initial_size),
            handshake: details.handshake,
            ecn_field: if details.ecn { details.ecn_field.field() } else { Some(Ecn::NotCapable) },
            send_jitter: details.send_jitter,
            receiver: ReceiverOptions {
                ack_threshold: details.ack_threshold,
                max_ack_delay: details.max_ack_delay,
                max_ranges: details.ack_ranges as usize,
            },
            reader: None,
            detection: QuicOptions {
                thresholds: Thresholds {
                    packets: u64::from(details.packet_threshold),
                    round_trips: details.time_threshold,
                    adaptive: details.loss_thresholds == Reordering::Adaptive,
                },
                max_ack_delay: details.max_ack_delay,
                undoes: details.spurious_recoveries,
            },
            recovery: RecoveryOptions {
                window: (details.window as u64).min(units.most_outstanding()),
                numbers_once: true,
                dupack_threshold: 0,
                timer: TIMER,
                timer_rules: TimerRules { timer_samples: TimerSamples::OnePacket, ..TimerRules::default() },
                rules: WindowRules {
                    //= RFC 9002 section 7.3.2 half: a loss sets ssthresh to half of the window, and the window to ssthresh
                    reduce_from: ReduceFrom::Window, // RFC 9002 section 7.3.2
                    min_window: MIN_WINDOW,
                    growth: Growth::Delivered, // section 7.3.1: all that is acknowledged counts
                    cwnd_validation: details.cwnd_validation,
                    after_idle: AfterIdle::Keep, // section 7.7: pacing keeps bursts short
                    ..WindowRules::default()
                },
                undo: UndoRules::NONE,
                pacing: details.pacing,
                pacing_gains: details.gains,
                pacing_burst: details.pacing_burst,
                ..RecoveryOptions::recommended(units)
            },
            initial_window: details.first_window(),
        }
    }

    /// Returns whether packets are sent as ECN-capable.
    pub fn sends_capable(&self) -> bool {
        self.ecn_field != Some(Ecn::NotCapable)
    }

    /// Returns the sizes and the ECN field of packets, for a control that counts marks or for one that does
    /// not.
    pub fn packing(&self, counts_marks: bool) -> Packing {
        let usual = if counts_marks { Ecn::LowLatency } else { Ecn::Classic };
        Packing {
            data: self.wire_bytes,
            ack: self.ack_bytes,
            initial: self.initial_bytes,
            field: self.ecn_field.unwrap_or(usual),
        }
    }

    /// Returns the values that a control is given at the start.
    pub fn initial(&self) -> Initial {
        Initial {
            window: self.initial_window,
            ssthresh: f64::INFINITY,
            limit: self.recovery.window as f64,
            packet_bytes: self.payload_bytes,
            header_bytes: self.wire_bytes.saturating_sub(self.payload_bytes),
            selective_acks: true,
            paced: self.recovery.pacing,
            min_window: MIN_WINDOW,
            loss_window: MIN_WINDOW, // section 7.6.2
        }
    }
}
