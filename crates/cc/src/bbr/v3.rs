//! BBRv3 (draft-ietf-ccwg-bbr, main of August 2026): a model of the path's bandwidth and its minimum round
//! trip, and a state machine that looks for more bandwidth and for shorter round trips, within bounds set by
//! losses.
//!
//! Losses are reported before the acknowledgement that revealed them, so `C.delivered` in the draft's
//! reaction to a loss is [`Lost::delivered`].

mod bandwidth;
mod bounds;
mod cycle;
mod marks;
mod min_rtt;
mod parameters;
mod probe;
mod probe_rtt;
mod startup_loss;
pub mod state;
#[cfg(test)]
mod tests;
mod undo;

pub use self::parameters::Parameters;

use self::bandwidth::MaxBandwidth;
use self::bounds::{Bounds, Latest};
use self::cycle::Cycle;
use self::marks::Marks;
use self::min_rtt::MinRtt;
use self::startup_loss::StartupLoss;
use self::state::State;
use self::undo::Undo;
use super::aggregation::Aggregation;
use super::app_limited::SentSlowly;
use super::full_pipe::FullPipe;
use super::pacing::Pacing;
use super::probe_rtt::Stay;
use super::repair::Repair;
use super::rounds::Rounds;
use crate::classic::MAX_CWND;
use crate::control::{
    Ack, Change, Control, Decision, EcnResponse, Ending, Follows, Initial, Loss, LossSignal, Lost,
    Properties, RateSample, Recovered, Sent, Timeout,
};
use ackclock_base::{Packets, Random, Span, at_least, at_most};

/// The BBRv3 control: its model of the path, and the window and rate that follow.
#[derive(Clone, Debug)]
pub struct BbrV3 {
    parameters: Parameters,
    state: State,
    initial_window: Packets,
    /// See [`Initial::loss_window`].
    loss_window: Packets,
    /// Whether losses are found by selective acknowledgements.
    selective: bool,
    cwnd: Packets,
    pacing: Pacing,
    max_bw: MaxBandwidth,
    /// The rate in use, in packets per second: `max_bw` within its short-term bound.
    bw: f64,
    min_rtt: MinRtt,
    rounds: Rounds,
    full_pipe: FullPipe,
    startup_loss: StartupLoss,
    latest: Latest,
    bounds: Bounds,
    marks: Marks,
    cycle: Cycle,
    drain_began: u64,
    aggregation: Aggregation,
    sent_slowly: SentSlowly,
    stay: Stay,
    idle_restart: bool,
    repair: Repair,
    undo: Option<Undo>,
}

impl BbrV3 {
    /// Creates the control at the start of a connection.
    pub fn new(parameters: Parameters, initial: &Initial) -> Self {
        let Initial { window, packet_bytes, selective_acks, loss_window, .. } = *initial;
        let Parameters { pacing, full_pipe, startup_pacing_gain, .. } = parameters;
        Self {
            parameters,
            state: State::Startup,
            initial_window: window,
            loss_window,
            selective: selective_acks,
            cwnd: window.max(1.0),
            pacing: Pacing::new(pacing, startup_pacing_gain, window, packet_bytes),
            max_bw: MaxBandwidth::default(),
            bw: 0.0,
            min_rtt: MinRtt::default(),
            rounds: Rounds::default(),
            full_pipe: FullPipe::new(full_pipe),
            startup_loss: StartupLoss::new(selective_acks),
            latest: Latest::default(),
            bounds: Bounds::NONE,
            marks: Marks::default(),
            cycle: Cycle::new(),
            drain_began: 0,
            aggregation: Aggregation::default(),
            sent_slowly: SentSlowly::default(),
            stay: Stay::default(),
            idle_restart: false,
            repair: Repair::default(),
            undo: None,
        }
    }

    /// Returns the bandwidth-delay product in packets; the initial window while the round trip is unknown
    /// (section 5.6.4.2).
    fn bdp(&self, bandwidth: f64) -> Packets {
        match self.min_rtt.get() {
            Some(rtt) => bandwidth * rtt.seconds(),
            None => self.initial_window,
        }
    }

    /// Raises `inflight` to the least that keeps a path busy when packets leave in quanta, and adds two
    /// packets in ProbeBW_UP (section 5.6.4.2).
    fn quantise(&self, inflight: Packets) -> Packets {
        let quanta = self.parameters.offload_quanta * self.pacing.quantum();
        let busy = at_least(at_least(inflight, quanta), self.parameters.min_pipe_cwnd);
        if self.state == State::Up { busy + 2.0 } else { busy }
    }

    /// Returns `BBRInflight(1.0)` for a bandwidth in packets per second.
    fn target(&self, bandwidth: f64) -> Packets {
        self.quantise(self.bdp(bandwidth))
    }

    /// Updates rounds and the greatest bandwidth, and lowers the short-term bounds after a round with losses
    /// (section 5.5.10.3).
    fn take_signals(&mut self, ack: &Ack, sample: &RateSample, rate: Option<f64>) {
        self.latest.take(ack, sample, rate);
        self.rounds.take(ack, sample, self.cwnd);
        self.cycle.rounds_since_up += u64::from(self.rounds.start);
        if let Some(rate) = rate
            //= draft-ietf-ccwg-bbr section 5.5.4: an application-limited sample counts only if it is at least the maximum bandwidth
            && (rate >= self.max_bw.get() || !sample.app_limited)
        {
            self.max_bw.take(rate);
        }
        if self.latest.round_start {
            //= draft-ietf-ccwg-bbr section 5.5.10.3 probing: losses do not lower the short-term bounds while the flow probes for bandwidth
            if self.latest.has_loss && !self.state.probes_for_more() {
                self.bounds.lower(self.max_bw.get(), self.cwnd, &self.latest, self.parameters.beta);
            }
            self.latest.has_loss = false;
        }
    }

    /// Updates the excess of acknowledgements (section 5.5.9).
    fn take_aggregation(&mut self, ack: &Ack) {
        let Parameters { extra_acked_rounds, startup_extra_acked_rounds, .. } = self.parameters;
        let window = if self.full_pipe.reached { extra_acked_rounds } else { startup_extra_acked_rounds };
        self.aggregation.take(ack, self.bw, self.cwnd, self.rounds.count, window);
    }

    /// Leaves Startup when the rate no longer grows or too much is lost (sections 5.3.1.2 and 5.3.1.3).
    fn leave_startup(&mut self, ack: &Ack, sample: &RateSample, rate: Option<f64>) {
        if let (true, false, Some(rate)) = (self.rounds.start, sample.app_limited, rate) {
            self.full_pipe.take(rate);
        }
        let lossy = self.startup_loss.take(ack, sample, &self.latest, &self.parameters);
        if self.state != State::Startup {
            return;
        }
        if lossy && !self.full_pipe.reached {
            self.note_undo(State::Startup);
            self.full_pipe.call_full();
            self.bounds.inflight_longterm = self.bdp(self.bw).max(self.latest.inflight);
        }
        if self.full_pipe.reached {
            self.state = State::Drain;
            self.drain_began = self.rounds.count;
        }
    }

    /// Leaves Drain (section 5.3.2). The draft's text says that Drain takes at most three rounds, its code
    /// ends it in the fourth, and so does this one (trap T4).
    fn leave_drain(&mut self, ack: &Ack, random: &mut dyn Random) {
        let drained = || ack.inflight <= self.target(self.max_bw.get());
        let rounds = self.drain_began + self.parameters.drain_rounds;
        //= draft-ietf-ccwg-bbr section 5.3.2: Drain ends when the data in flight is at most the bandwidth-delay product, or after three rounds
        if self.state == State::Drain && (self.rounds.count > rounds || drained()) {
            self.start_down(ack.now, ack.delivered, random);
        }
    }

    /// Sets the window (sections 5.6.4.6 and 5.6.4.7).
    fn set_cwnd(&mut self, ack: &Ack) {
        let inflight = self.state.cwnd_gain(&self.parameters) * self.bdp(self.bw);
        let most = self.quantise(inflight + self.aggregation.extra());
        if self.full_pipe.reached {
            self.cwnd = at_most(self.cwnd + ack.newly_acked, most);
        } else if self.cwnd < most || ack.delivered < self.initial_window {
            self.cwnd += ack.newly_acked;
        }
        let longterm = match self.state {
            State::Startup | State::Drain => f64::INFINITY,
            State::Cruise | State::ProbeRtt => self.bounds.with_headroom(&self.parameters),
            State::Down | State::Refill | State::Up => self.bounds.inflight_longterm,
        };
        let least = self.parameters.min_pipe_cwnd;
        let cap = at_least(at_most(longterm, self.bounds.inflight_shortterm), least);
        let most = at_most(at_most(self.most_in_probe_rtt(), cap), MAX_CWND);
        self.cwnd = at_most(at_least(self.cwnd, least), most);
    }

    /// Returns the greatest window in ProbeRTT, and infinity in other states.
    fn most_in_probe_rtt(&self) -> Packets {
        if self.state == State::ProbeRtt { self.probe_rtt_cwnd() } else { f64::INFINITY }
    }

    fn restore_cwnd(&mut self) {
        self.cwnd = self.repair.restored(self.cwnd).min(self.most_in_probe_rtt().max(self.cwnd));
    }
}

impl Control for BbrV3 {
    fn decision(&self) -> Decision {
        self.pacing.decision(self.cwnd)
    }

    fn properties(&self) -> Properties {
        let ecn = if self.parameters.counts_marks { EcnResponse::Counts } else { EcnResponse::AsLoss };
        Properties { ecn, follows: Follows::Restarts, ..Properties::default() }
    }

    fn on_change(&mut self, change: &Change) {
        match *change {
            Change::Opens { rtt } => {
                self.min_rtt.begin(rtt);
                self.pacing.begin(self.parameters.startup_pacing_gain, self.initial_window, rtt);
            }
            Change::Begins | Change::Ends => {}
        }
    }

    /// Restarts after idleness (section 5.4.1).
    fn on_sent(&mut self, sent: &Sent, random: &mut dyn Random) {
        if sent.after_idle && sent.app_limited {
            self.restart_from_idle(sent, random);
        }
    }

    /// Processes an acknowledgement in the order of section 5.2.3. One that acknowledges nothing new is
    /// ignored.
    fn on_ack(&mut self, ack: &Ack, random: &mut dyn Random) {
        if self.repair.ends_with(ack) {
            self.restore_cwnd();
        }
        self.pacing.see_rtt(self.parameters.startup_pacing_gain, self.initial_window, ack.rtt);
        let Some(mut sample) = ack.rate else { return };
        sample.app_limited |= self.sent_slowly.has(sample.prior_delivered);
        let rate = sample.packets_per_second(ack.min_rtt);
        if self.parameters.counts_marks {
            self.count_marks(ack, &mut sample, random);
        }
        self.take_signals(ack, &sample, rate);
        self.take_aggregation(ack);
        self.leave_startup(ack, &sample, rate);
        self.leave_drain(ack, random);
        if self.full_pipe.reached {
            self.probe_bandwidth(ack, &sample, rate, random);
        }
        self.probe_round_trip(ack, random);
        self.latest.advance(&sample, rate);
        self.bw = at_most(self.max_bw.get(), self.bounds.bw_shortterm);
        self.pacing.follow(self.state.pacing_gain(&self.parameters) * self.bw, self.full_pipe.reached);
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
                self.repair.begin(self.cwnd, self.state == State::ProbeRtt);
            }
            // Section 3.6 asks a sender of ECN-capable packets to take a mark for congestion: here, for a
            // round with a loss.
            LossSignal::Ecn => self.latest.on_lost(self.rounds.delivered()),
            LossSignal::LocalDrop => {}
        }
    }

    /// Sets the window at a timeout (`BBROnEnterRTO`, section 5.6.4.4): one packet more than what the host
    /// still counts in flight, and at least the loss window.
    fn on_timeout(&mut self, timeout: &Timeout, _random: &mut dyn Random) {
        if timeout.in_a_row == 1 {
            self.save_undo_anew(timeout.now);
        }
        self.repair.begin_after_timeout(self.cwnd, self.state == State::ProbeRtt, timeout.sent_to);
        self.cwnd = (timeout.left_in_flight + 1.0).clamp(self.loss_window, MAX_CWND);
    }

    fn on_recovered(&mut self, recovered: &Recovered) {
        self.repair.end();
        self.restore_cwnd();
        if recovered.ending == Ending::Undone {
            self.take_back();
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("bbr_state", f64::from(self.state.index()));
        series("bbr_rounds", self.rounds.count as f64);
        series("bbr_full_pipe_rounds", f64::from(self.full_pipe.rounds()));
        series("bbr_max_bw_packets_per_s", self.max_bw.get());
        series("bbr_bw_packets_per_s", self.bw);
        series("bbr_min_rtt_s", self.min_rtt.get().map_or(f64::NAN, Span::seconds));
        series("bbr_extra_acked_packets", self.aggregation.extra());
        series("bbr_inflight_longterm_packets", self.bounds.inflight_longterm);
        series("bbr_inflight_shortterm_packets", self.bounds.inflight_shortterm);
    }
}
