//! Feeds a control a hand-written sequence of events and looks at its window after each: the way to test a control
//! against a formula, for the controls here and for yours.
//!
//! ```
//! let mut script = ackclock_cc::script::Script::new("reno").window(10.0).starting_ssthresh(10.0);
//! script.loss();
//! assert_eq!(script.cwnd(), 5.0);
//! ```

use crate::control::{Ack, Control, Initial, Loss, LossSignal, Phase, Recovered, Timeout};
use crate::registry::{self, Entry};
use ackclock_base::{Packets, Span, Time, Values};

/// A control with a pretended host around it. Every packet is acknowledged in order, one acknowledgement each, and
/// the window is always used up.
pub struct Script {
    entry: Entry,
    values: Values,
    initial: Initial,
    control: Option<Box<dyn Control>>,
    now: Time,
    acked_to: u64,
    min_rtt: Span,
    smoothed_rtt: Span,
}

const DEFAULT_RTT_MS: u64 = 100;

impl Script {
    /// A registered control with its default parameters.
    ///
    /// # Panics
    /// When there is no control of that name.
    pub fn new(name: &str) -> Self {
        Self::with(name, &[])
    }

    /// A registered control with some parameters set, written as in a scenario file.
    ///
    /// # Panics
    /// When there is no control of that name, or a setting is wrong.
    pub fn with(name: &str, settings: &[(&str, &str)]) -> Self {
        Self::of(registry::find(name).unwrap_or_else(|| panic!("no control {name}")), settings)
    }

    /// A control that need not be registered, by what its entry in the registry would be.
    ///
    /// # Panics
    /// When a setting is wrong.
    pub fn of(entry: &Entry, settings: &[(&str, &str)]) -> Self {
        Self {
            entry: *entry,
            values: Values::with(entry.descriptor, settings),
            initial: Initial {
                window: 1.0,
                ssthresh: f64::INFINITY,
                limit: f64::INFINITY,
                packet_bytes: 1000,
            },
            control: None,
            now: Time::from_seconds(1.0),
            acked_to: 0,
            min_rtt: Span::MAX,
            smoothed_rtt: Span::ZERO,
        }
    }

    /// Sets the window that the connection starts with.
    pub fn window(mut self, packets: Packets) -> Self {
        self.initial.window = packets;
        self
    }

    /// Sets the slow start threshold that the connection starts with.
    pub fn starting_ssthresh(mut self, packets: Packets) -> Self {
        self.initial.ssthresh = packets;
        self
    }

    /// Sets the transport's window limit.
    pub fn limit(mut self, packets: Packets) -> Self {
        self.initial.limit = packets;
        self
    }

    /// The congestion window.
    pub fn cwnd(&mut self) -> Packets {
        self.control().decision().cwnd
    }

    /// The slow start threshold.
    pub fn ssthresh(&mut self) -> Packets {
        self.control().decision().ssthresh
    }

    /// `count` acknowledgements at once.
    pub fn acks(&mut self, count: u32) {
        for _ in 0..count {
            self.ack(Some(Span::from_millis(DEFAULT_RTT_MS)));
        }
    }

    /// `count` acknowledgements, spread evenly over one round trip of `rtt_ms`.
    pub fn acks_over(&mut self, count: u32, rtt_ms: u64) {
        let gap = Span::from_millis(rtt_ms) / u64::from(count.max(1));
        for _ in 0..count {
            self.now += gap;
            self.ack(Some(Span::from_millis(rtt_ms)));
        }
    }

    /// One round trip in which exactly `count` packets are sent and acknowledged.
    pub fn round(&mut self, count: u32, rtt_ms: u64) {
        self.acks_over(count, rtt_ms);
    }

    /// One acknowledgement whose packet took `rtt_ms`.
    pub fn ack_with_rtt(&mut self, rtt_ms: u64) {
        self.ack(Some(Span::from_millis(rtt_ms)));
    }

    /// One acknowledgement, with or without a round-trip sample.
    pub fn ack(&mut self, rtt: Option<Span>) {
        if let Some(sample) = rtt {
            self.min_rtt = self.min_rtt.min(sample);
            self.smoothed_rtt = sample;
        }
        self.acked_to += 1;
        let inflight = self.cwnd() as u64;
        let ack = Ack {
            now: self.now,
            fresh: true,
            acked_to: self.acked_to,
            sent_to: self.acked_to + inflight.saturating_sub(1),
            newly_acked: 1,
            credit: 1.0,
            rtt,
            smoothed_rtt: self.smoothed_rtt,
            min_rtt: self.min_rtt,
            inflight,
            cwnd_limited: true,
            phase: Phase::Open,
            delivery: None,
        };
        self.control().on_ack(&ack);
    }

    /// A loss found by duplicate acknowledgements, of a packet sent just now.
    pub fn loss(&mut self) {
        let window = self.cwnd();
        let loss = loss_at(self.now, window);
        self.control().on_loss(&loss);
    }

    /// A loss of a packet sent at `sent_ms` (the script starts at one second).
    pub fn loss_of_packet_sent_at(&mut self, sent_ms: u64) {
        let window = self.cwnd();
        let loss = Loss { sent: Time::ZERO + Span::from_millis(sent_ms), ..loss_at(self.now, window) };
        self.control().on_loss(&loss);
    }

    /// The end of the recovery that a loss began.
    pub fn recovered(&mut self) {
        self.recovered_after(3);
    }

    /// The same, after so many duplicate acknowledgements.
    pub fn recovered_after(&mut self, duplicates: u32) {
        let recovered = Recovered { now: self.now, duplicates };
        self.control().on_recovered(&recovered);
    }

    /// An expiry of the retransmission timer.
    pub fn timeout(&mut self) {
        let window = self.cwnd();
        let timeout = Timeout { now: self.now, window, inflight: window as u64, in_a_row: 1 };
        self.control().on_timeout(&timeout);
    }

    /// The news that the last loss was none.
    pub fn spurious(&mut self) {
        let now = self.now;
        self.control().on_spurious(now);
    }

    /// Lets time pass.
    pub fn wait(&mut self, span: Span) {
        self.now += span;
    }

    fn control(&mut self) -> &mut Box<dyn Control> {
        let Self { entry, values, initial, control, .. } = self;
        control.get_or_insert_with(|| (entry.build)(values, initial))
    }
}

/// A loss of one packet found by duplicate acknowledgements at `now`, with `window` packets in flight.
pub fn loss_at(now: Time, window: Packets) -> Loss {
    Loss {
        now,
        signal: LossSignal::DuplicateAcks,
        window,
        inflight: window as u64,
        lost: 0,
        sent: now,
        transmissions: 1,
        duplicates: 3,
    }
}
