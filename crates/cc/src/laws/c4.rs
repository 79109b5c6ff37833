//! C4, Christian's congestion control code (draft-huitema-ccwg-c4-spec after -04, experimental): a nominal
//! rate, the recent maximum round trip, and a cycle of eras in which a probe of a sixteenth must succeed
//! before a push of a quarter. The sensitivity to delay, losses and marks grows with the rate, so that faster
//! flows give way to slower ones.
//!
//! Where the text contradicts itself, the section about a subject is followed, not the overview: two eras of
//! cruising, Probing after it, 7/8 to drain. A sample only raises the rate (the text's code lets it fall),
//! the margin is a time added to the maximum round trip, and the cut for delay is the excess over the
//! threshold as a fraction of the threshold. The state Resuming is left out.
//!
//! The draft leaves eras that the application limits out of those that end Initial (section 4.2), and lets each
//! acknowledgement enlarge Initial's window. While the application limits the flow, that window would grow for as
//! long as the connection lasts, and half of it over the rate would become the maximum round trip. Here it does
//! not grow then: a window that is not used must not (RFC 9002 section 7.8).

mod eras;
mod signals;

use crate::bbr::rounds::Rounds;
use crate::classic::MAX_CWND;
use crate::control::{
    Ack, Control, Decision, EcnResponse, Follows, Initial, Loss, Lost, Properties, Timeout,
};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Random, Range, Rate, parameters};
use eras::Era;
use signals::Signals;

#[cfg(test)]
mod tests;

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "c4",
        "C4: paces at a nominal rate, with a window derived from the recent maximum RTT; probes at 17/16 of the \
         nominal rate at intervals, and sends at 5/4 of it after a successful probe",
        "draft-huitema-ccwg-c4-spec, a version after -04",
        Parameters::TABLE,
    ),
    build: Build::Model(|values, initial| Box::new(C4::new(values.into(), initial))),
    published: PublishedDefaults::recovery("rack"),
};

const GAIN: Range = Range::between(0.1, 10.0);

parameters! {
    /// The constants of C4.
    pub struct Parameters {
        /// Sending rate in Recovery after Cruising or Probing, as a fraction of the nominal rate; after Initial or
        /// Pushing, `drain_alpha` applies
        recovery_alpha: f64 = number("0.9375", GAIN, "C4 draft, section 4.4: 15/16"),
        /// Sending rate in Recovery after Initial or Pushing, as a fraction of the nominal rate; it drains the queue
        /// that these states can have built
        drain_alpha: f64 = number("0.875", GAIN, "C4 draft, section 5.8: 7/8; the table of section 4 has 3/4"),
        /// Sending rate in Probing, as a fraction of the nominal rate; its excess over 1 is halved once ECN marks have
        /// been seen
        probe_alpha: f64 = number("1.0625", GAIN, "C4 draft, section 4.6: 17/16, or 33/32"),
        /// Sending rate in Pushing, as a fraction of the nominal rate
        push_alpha: f64 = number("1.25", GAIN, "C4 draft, section 4.7: 5/4"),
        /// Factor by which the nominal rate must grow in an era (a round trip) of Pushing, from the second era on, for
        /// Pushing to continue
        push_growth: f64 = number("1.1875", Range::between(1.0, 10.0), "C4 draft, section 4.7: 19/16"),
        /// Factor by which the nominal rate must grow in an era (a round trip) of Initial to count as an increase;
        /// three eras in a row without an increase, not counting application-limited eras, end Initial
        initial_growth: f64 = number(
            "1.25",
            Range::between(1.0, 10.0),
            "the author's c4.c; the C4 draft says only that the nominal rate increases",
        ),
        /// Length of Cruising, in eras; an era is a round trip
        cruise_eras: u32 = integer(
            "2",
            Range::between(1.0, 1000.0),
            "C4 draft, section 4.5; the draft's overview says 4",
        ),
    }
}

/// Section 4.1: the margin, the least rate of Initial in bytes per second, and the quantum.
const MARGIN_SECONDS: f64 = 0.015;
const INITIAL_BYTES_PER_SECOND: f64 = 131_072.0;
const QUANTUM_SECONDS: f64 = 0.004;
const MAX_QUANTUM_BYTES: f64 = 65_536.0;
const MIN_PACKETS: Packets = 2.0;

/// The state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Doubles the rate in a round trip.
    Initial,
    /// Waits for the effect of what was sent before.
    Recovery,
    /// Sends at the nominal rate.
    Cruising,
    /// Sends slightly faster, to find out whether there is room.
    Probing,
    /// Sends faster, to use the room that Probing found.
    Pushing,
}

/// The C4 control. Rates are in packets per second, times in seconds.
#[derive(Clone, Debug)]
pub struct C4 {
    parameters: Parameters,
    state: State,
    alpha: f64,
    alpha_before: f64,
    rate: f64,
    max_rtt: f64,
    running_min_rtt: f64,
    era: Era,
    /// The number of eras in this state so far.
    eras: u32,
    rounds: Rounds,
    signals: Signals,
    initial_cwnd: Packets,
    eras_without_increase: u32,
    received: Packets,
    /// Whether congestion was seen since the last recovery, and the number of recoveries in a row with
    /// congestion.
    congested: bool,
    successive: u32,
    /// The greatest rate since the end of the last recovery, and whether the nominal rate has grown since.
    recent_max: f64,
    has_grown: bool,
    /// The nominal rate before the probe that this recovery judges.
    probed_from: Option<f64>,
    after_timeout: bool,
    /// See [`Initial::loss_window`].
    loss_window: Packets,
    packet_bytes: f64,
    decision: Decision,
}

impl C4 {
    /// Creates the control at the start of a connection.
    pub fn new(parameters: Parameters, initial: &Initial) -> Self {
        let cwnd = initial.window.max(1.0);
        Self {
            parameters,
            state: State::Initial,
            alpha: 2.0,
            alpha_before: 2.0,
            rate: 0.0,
            max_rtt: 0.0,
            running_min_rtt: f64::INFINITY,
            era: Era::begin(0.0),
            eras: 0,
            rounds: Rounds::default(),
            signals: Signals::default(),
            initial_cwnd: cwnd,
            eras_without_increase: 0,
            received: 0.0,
            congested: false,
            successive: 0,
            recent_max: 0.0,
            has_grown: false,
            probed_from: None,
            after_timeout: false,
            loss_window: initial.loss_window,
            packet_bytes: f64::from(initial.packet_bytes.max(1)),
            decision: Decision::window(cwnd, f64::INFINITY),
        }
    }

    /// Sets window, pacing rate and quantum (section 4.1).
    fn allow(&mut self) {
        if self.rate <= 0.0 || self.max_rtt <= 0.0 {
            return;
        }
        let initial = self.state == State::Initial;
        let least = if initial { INITIAL_BYTES_PER_SECOND / self.packet_bytes } else { 0.0 };
        let rate = self.alpha * self.rate;
        let margin = if initial { 0.0 } else { (self.max_rtt / 4.0).min(MARGIN_SECONDS) };
        let cwnd = (rate * (self.max_rtt + margin)).max(MIN_PACKETS);
        let cwnd = if initial { cwnd.max(self.initial_cwnd) } else { cwnd };
        let paced = rate.max(least);
        let quantum = (paced * QUANTUM_SECONDS).min(MAX_QUANTUM_BYTES / self.packet_bytes).max(MIN_PACKETS);
        let bits = paced * self.packet_bytes * 8.0;
        self.decision = Decision {
            cwnd: cwnd.clamp(1.0, MAX_CWND),
            pacing_rate: Some(Rate::from_bits_per_second((bits as u64).max(1))),
            send_quantum: Some(quantum as u32),
            ..self.decision
        };
    }
}

impl Control for C4 {
    /// Returns the decision. After a timeout the window is the loss window (RFC 5681 section 3.1) until data
    /// is acknowledged, since the draft leaves timeouts to the transport.
    fn decision(&self) -> Decision {
        Decision {
            cwnd: if self.after_timeout { self.loss_window } else { self.decision.cwnd },
            ..self.decision
        }
    }

    fn properties(&self) -> Properties {
        Properties { ecn: EcnResponse::Counts, follows: Follows::Nothing, ..Properties::default() }
    }

    fn on_ack(&mut self, ack: &Ack, _random: &mut dyn Random) {
        self.after_timeout &= ack.newly_acked == 0.0;
        self.signals.take(ack);
        self.received += ack.newly_acked;
        if self.state == State::Initial && !ack.app_limited {
            let divisor = libm::pow(8.0, f64::from(self.eras_without_increase));
            self.initial_cwnd = (self.initial_cwnd + ack.newly_acked / divisor).min(MAX_CWND);
        }
        let Some(sample) = ack.rate else { return };
        self.rounds.take(ack, &sample, self.decision.cwnd);
        self.take_rate(ack, &sample);
        let congestion = self.signals.congestion(self.rate * self.packet_bytes, self.max_rtt, ack.rtt);
        let recovers = congestion.is_some_and(|(kind, beta)| self.give_way(kind, beta, ack.delivered));
        if !recovers && self.rounds.start {
            self.end_era();
        }
        self.allow();
    }

    /// Records a loss, unless a timer declared it (section 5.3.1).
    fn on_lost(&mut self, _lost: &Lost, _random: &mut dyn Random) {
        if !self.after_timeout {
            self.signals.lose();
        }
    }

    fn on_loss(&mut self, _loss: &Loss, _random: &mut dyn Random) {}

    fn on_timeout(&mut self, _timeout: &Timeout, _random: &mut dyn Random) {
        self.after_timeout = true;
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("c4_state", self.state as u32 as f64);
        series("c4_rate_packets_per_s", self.rate);
        series("c4_max_rtt_s", self.max_rtt);
        series("c4_loss_rate", self.signals.losses);
    }
}
