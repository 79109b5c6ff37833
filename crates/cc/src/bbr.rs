//! The skeleton of BBRv3 (draft-ietf-ccwg-bbr, main of August 2026): Startup, Drain and the four phases of ProbeBW, on
//! delivery-rate samples, with pacing and bounds from losses.
//!
//! **It is not BBRv3, and therefore not among the registered controls.** Not there yet: ProbeRTT (a round trip that has become
//! longer is believed after ten seconds, but nothing drains the queue to look for a shorter one), the allowance for
//! aggregated acknowledgements (`extra_acked`, section 5.5.9), the restart after idleness (section 5.4.1), and the stricter
//! reaction of section 5.5.10.2 where a transport has no selective acknowledgements.
//!
//! Everything is in packets, so a `SMSS` of the draft is 1 here. Losses are reported before the acknowledgement that revealed
//! them, so `C.delivered` in the draft's reaction to one is [`Lost::delivered`].

mod bandwidth;
mod bounds;
mod cycle;
mod full_pipe;
mod min_rtt;
mod probe;
mod rounds;
mod startup_loss;
pub mod state;
#[cfg(test)]
mod tests;

use self::bandwidth::MaxBandwidth;
use self::bounds::{Bounds, Latest, MIN_PIPE_CWND};
use self::cycle::Cycle;
use self::full_pipe::FullPipe;
use self::min_rtt::MinRtt;
use self::rounds::Rounds;
use self::startup_loss::StartupLoss;
use self::state::{STARTUP_PACING_GAIN, State};
use crate::classic::MAX_CWND;
use crate::control::{
    Ack, Change, Control, Decision, Ending, Initial, Loss, LossSignal, Lost, Phase, RateSample, Recovered,
    Timeout,
};
use crate::registry::{Build, Companions, Entry, control};
use ackclock_base::{Packets, Random, Rate, Span, Time};

/// What would be its entry in the registry, once it is BBRv3.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "bbr-skeleton",
        "Startup, Drain and ProbeBW of BBRv3: without ProbeRTT, not to be taken for BBRv3",
        "draft-ietf-ccwg-bbr",
        &[],
    ),
    build: Build::Model(|_, initial| Box::new(Bbr::new(initial))),
    companions: Companions::recovery("sack"),
};

/// `PacingMarginPercent`: a little below the bandwidth, so that a queue drains.
const PACING_MARGIN: f64 = 0.99;
/// The round trip that the initial pacing rate takes where none is known (section 5.6.2).
const UNKNOWN_RTT: Span = Span::from_millis(1);
/// Drain takes no longer than so many rounds.
const DRAIN_ROUNDS: u64 = 3;
/// A quantum is what leaves in this time, up to so many bytes, and no less than so many packets (section 5.6.3).
const QUANTUM_TIME: Span = Span::from_millis(1);
const MAX_QUANTUM_BYTES: f64 = 65_536.0;
const MIN_QUANTUM: f64 = 2.0;

/// The model, and what it allows.
#[derive(Clone, Debug)]
pub struct Bbr {
    state: State,
    initial_window: Packets,
    packet_bytes: u32,
    cwnd: Packets,
    /// Packets per second.
    pacing_rate: f64,
    /// What may leave back to back.
    quantum: Packets,
    max_bw: MaxBandwidth,
    /// The rate in use: `max_bw` within its short-term bound.
    bw: f64,
    min_rtt: MinRtt,
    rounds: Rounds,
    full_pipe: FullPipe,
    startup_loss: StartupLoss,
    latest: Latest,
    bounds: Bounds,
    cycle: Cycle,
    drain_began: u64,
    /// The window before a recovery or timeout, to which it returns.
    prior_cwnd: Packets,
    recovering: bool,
    undo: Option<Undo>,
}

/// What is needed to take the reaction to a loss back (section 5.5.11).
#[derive(Clone, Copy, Debug)]
struct Undo {
    saved: Time,
    cwnd: Packets,
    bounds: Bounds,
    /// Startup or Up, if the loss has ended it.
    state: Option<State>,
}

impl Bbr {
    /// A connection at its start.
    pub fn new(initial: &Initial) -> Self {
        let mut control = Self {
            state: State::Startup,
            initial_window: initial.window,
            packet_bytes: initial.packet_bytes,
            cwnd: initial.window.max(1.0),
            pacing_rate: 0.0,
            quantum: MIN_QUANTUM,
            max_bw: MaxBandwidth::default(),
            bw: 0.0,
            min_rtt: MinRtt::default(),
            rounds: Rounds::default(),
            full_pipe: FullPipe::default(),
            startup_loss: StartupLoss::default(),
            latest: Latest::default(),
            bounds: Bounds::NONE,
            cycle: Cycle::new(),
            drain_began: 0,
            prior_cwnd: 0.0,
            recovering: false,
            undo: None,
        };
        control.begin_pacing(None);
        control
    }

    /// Where the connection is.
    pub fn state(&self) -> State {
        self.state
    }

    /// Section 5.6.2.
    fn begin_pacing(&mut self, rtt: Option<Span>) {
        let rtt = rtt.unwrap_or(UNKNOWN_RTT).max(Span::from_nanos(1));
        self.pacing_rate = STARTUP_PACING_GAIN * self.initial_window / rtt.seconds();
        self.set_quantum();
    }

    /// The bandwidth-delay product; the initial window while the round trip is unknown (section 5.6.4.2).
    fn bdp(&self, bandwidth: f64) -> Packets {
        match self.min_rtt.get() {
            Some(rtt) => bandwidth * rtt.seconds(),
            None => self.initial_window,
        }
    }

    /// At least what keeps a path busy whose packets leave in quanta (section 5.6.4.2, without the offload of a host).
    fn quantise(&self, inflight: Packets) -> Packets {
        let busy = inflight.max(self.quantum).max(MIN_PIPE_CWND);
        if self.state == State::Up { busy + 2.0 } else { busy }
    }

    /// `BBRInflight(1.0)`.
    fn target(&self, bandwidth: f64) -> Packets {
        self.quantise(self.bdp(bandwidth))
    }

    /// Section 5.5.10.3: rounds, the greatest bandwidth, and the short-term bounds after a round with losses.
    fn take_signals(&mut self, ack: &Ack, sample: &RateSample, rate: Option<f64>) {
        self.latest.take(ack, sample, rate);
        self.rounds.take(ack, sample);
        self.cycle.rounds_since_up += u64::from(self.rounds.start);
        if let Some(rate) = rate
            && (rate >= self.max_bw.get() || !sample.app_limited)
        {
            self.max_bw.take(rate);
        }
        if self.latest.round_start {
            if self.latest.has_loss && !self.state.probes_for_more() {
                self.bounds.lower(self.max_bw.get(), self.cwnd, &self.latest);
            }
            self.latest.has_loss = false;
        }
    }

    /// Sections 5.3.1.2 and 5.3.1.3: Startup ends when the rate grows no more, or too much is lost.
    fn leave_startup(&mut self, ack: &Ack, sample: &RateSample, rate: Option<f64>) {
        if let (true, false, Some(rate)) = (self.rounds.start, sample.app_limited, rate) {
            self.full_pipe.take(rate);
        }
        let lossy = self.startup_loss.take(ack, sample, &self.latest);
        if self.state != State::Startup {
            return;
        }
        if lossy && !self.full_pipe.reached {
            self.note_undo(State::Startup);
            self.full_pipe.reached = true;
            self.bounds.inflight_longterm = self.bdp(self.bw).max(self.latest.inflight);
        }
        if self.full_pipe.reached {
            self.state = State::Drain;
            self.drain_began = self.rounds.count;
        }
    }

    /// Section 5.3.2.
    fn leave_drain(&mut self, ack: &Ack, random: &mut dyn Random) {
        let drained = || ack.inflight <= self.target(self.max_bw.get());
        if self.state == State::Drain && (self.rounds.count > self.drain_began + DRAIN_ROUNDS || drained()) {
            self.start_down(ack.now, ack.delivered, random);
        }
    }

    /// Section 5.6.2: before the pipe is full the rate only rises.
    fn set_pacing_rate(&mut self) {
        let rate = self.state.pacing_gain() * self.bw * PACING_MARGIN;
        if rate > self.pacing_rate || (self.full_pipe.reached && rate > 0.0) {
            self.pacing_rate = rate;
        }
    }

    fn set_quantum(&mut self) {
        let most = MAX_QUANTUM_BYTES / f64::from(self.packet_bytes.max(1));
        self.quantum = (self.pacing_rate * QUANTUM_TIME.seconds()).min(most).max(MIN_QUANTUM);
    }

    /// Sections 5.6.4.6 and 5.6.4.7.
    fn set_cwnd(&mut self, ack: &Ack) {
        let most = self.quantise(self.state.cwnd_gain() * self.bdp(self.bw));
        if self.full_pipe.reached {
            self.cwnd = (self.cwnd + ack.newly_acked).min(most);
        } else if self.cwnd < most || ack.delivered < self.initial_window {
            self.cwnd += ack.newly_acked;
        }
        let longterm = match self.state {
            State::Startup | State::Drain => f64::INFINITY,
            State::Cruise => self.bounds.with_headroom(),
            State::Down | State::Refill | State::Up => self.bounds.inflight_longterm,
        };
        let cap = longterm.min(self.bounds.inflight_shortterm).max(MIN_PIPE_CWND);
        self.cwnd = self.cwnd.max(MIN_PIPE_CWND).min(cap).min(MAX_CWND);
    }

    fn save_cwnd(&mut self) {
        self.prior_cwnd = if self.recovering { self.prior_cwnd.max(self.cwnd) } else { self.cwnd };
    }

    /// Once per episode, at the first that is known of it: a packet that is lost is reported before the episode.
    fn save_undo(&mut self, now: Time) {
        if !self.recovering && self.undo.is_none_or(|undo| undo.saved != now) {
            self.undo = Some(Undo { saved: now, cwnd: self.cwnd, bounds: self.bounds, state: None });
        }
    }

    fn note_undo(&mut self, state: State) {
        if let Some(undo) = &mut self.undo {
            undo.state = Some(state);
        }
    }

    /// Section 5.5.11.
    fn take_back(&mut self, undo: &Undo) {
        self.cwnd = self.cwnd.max(undo.cwnd);
        self.latest.has_loss = false;
        self.full_pipe.reset(0.0);
        self.bounds.restore(&undo.bounds);
        match undo.state {
            Some(State::Startup) => {
                self.full_pipe.reached = false;
                self.state = State::Startup;
            }
            Some(state) if state != self.state => self.start_refill(self.rounds.delivered()),
            _ => {}
        }
    }
}

impl Control for Bbr {
    fn decision(&self) -> Decision {
        let bits_per_second = self.pacing_rate * f64::from(self.packet_bytes) * 8.0;
        Decision {
            cwnd: self.cwnd,
            ssthresh: f64::INFINITY,
            pacing_rate: Some(Rate::from_bits_per_second((bits_per_second as u64).max(1))),
            send_quantum: Some(self.quantum as u32),
        }
    }

    fn on_change(&mut self, change: &Change) {
        match *change {
            Change::Opens { rtt } => self.begin_pacing(rtt),
            Change::PacketBytes(bytes) => {
                let before = std::mem::replace(&mut self.packet_bytes, bytes);
                self.scale(f64::from(before.max(1)) / f64::from(bytes.max(1)));
            }
            Change::Begins | Change::Ends => {}
        }
    }

    /// The order is that of section 5.2.3. What acknowledges nothing new tells nothing.
    fn on_ack(&mut self, ack: &Ack, random: &mut dyn Random) {
        self.recovering &= ack.phase == Phase::Recovery;
        let Some(sample) = &ack.rate else { return };
        let rate = sample.packets_per_second(ack.min_rtt);
        self.take_signals(ack, sample, rate);
        self.leave_startup(ack, sample, rate);
        self.leave_drain(ack, random);
        if self.full_pipe.reached {
            self.probe_bandwidth(ack, sample, rate, random);
        }
        self.min_rtt.take(ack.now, ack.rtt);
        self.latest.advance(sample, rate);
        self.bw = self.max_bw.get().min(self.bounds.bw_shortterm);
        self.set_pacing_rate();
        self.set_quantum();
        self.set_cwnd(ack);
    }

    fn on_lost(&mut self, lost: &Lost, random: &mut dyn Random) {
        self.save_undo(lost.now);
        self.latest.on_lost(lost.delivered);
        self.startup_loss.on_lost(lost.number);
        self.look_at_loss(lost, random);
    }

    fn on_loss(&mut self, loss: &Loss, _random: &mut dyn Random) {
        self.save_undo(loss.now);
        match loss.signal {
            LossSignal::DuplicateAcks | LossSignal::EarlyTimer => {
                self.save_cwnd();
                self.recovering = true;
            }
            // Section 3.6 asks a sender of capable packets to take a mark for congestion: here for a round with a loss.
            LossSignal::Ecn => self.latest.on_lost(self.rounds.delivered()),
            LossSignal::LocalDrop => {}
        }
    }

    /// The host gives up all that is in flight, so that one packet may leave.
    fn on_timeout(&mut self, timeout: &Timeout, _random: &mut dyn Random) {
        self.recovering &= timeout.in_a_row > 1;
        self.save_undo(timeout.now);
        self.save_cwnd();
        self.cwnd = 1.0;
    }

    fn on_recovered(&mut self, recovered: &Recovered) {
        self.recovering = false;
        self.cwnd = self.cwnd.max(std::mem::take(&mut self.prior_cwnd));
        if recovered.ending == Ending::Undone
            && let Some(undo) = self.undo.take()
        {
            self.take_back(&undo);
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("bbr_state", f64::from(self.state.index()));
        series("bbr_rounds", self.rounds.count as f64);
        series("bbr_max_bw_packets_per_second", self.max_bw.get());
        series("bbr_bw_packets_per_second", self.bw);
        series("bbr_min_rtt_s", self.min_rtt.get().map_or(f64::NAN, Span::seconds));
        series("bbr_inflight_longterm", self.bounds.inflight_longterm);
        series("bbr_inflight_shortterm", self.bounds.inflight_shortterm);
    }
}
