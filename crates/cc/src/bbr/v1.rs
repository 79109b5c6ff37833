//! BBRv1 (draft-cardwell-iccrg-bbr-congestion-control-00; Cardwell et al., BBR: Congestion-Based Congestion
//! Control, ACM Queue 14(5), 2016): the greatest bandwidth of the last ten rounds, the least round trip of
//! the last ten seconds, and a cycle of gains. A loss does not change the model.
//!
//! From Linux's `tcp_bbr.c` it takes the pacing margin, the rule that a recovery directly after another is
//! not a new one, the reset of the search for growth at a timeout in Startup, and as an option the allowance
//! for aggregated acknowledgements. It does not have Linux's long-term bandwidth for policers.

mod cycle;
mod parameters;
#[cfg(test)]
mod tests;

pub use self::parameters::Parameters;

use self::cycle::{Cycle, Phase};
use super::aggregation::Aggregation;
use super::app_limited::SentSlowly;
use super::full_pipe::FullPipe;
use super::pacing::Pacing;
use super::probe_rtt::Stay;
use super::recent_max::RecentMax;
use super::repair::Repair;
use super::rounds::Rounds;
use crate::classic::MAX_CWND;
use crate::control::{
    Ack, Change, Control, Decision, Ending, Follows, Initial, Loss, LossSignal, Properties, RateSample,
    Recovered, Sent, Timeout,
};
use ackclock_base::{Packets, Random, Span, Time};

/// The state of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Doubles the rate each round until the pipe is full.
    Startup,
    /// Drains the queue that Startup built.
    Drain,
    /// Runs through the cycle of gains.
    ProbeBw,
    /// Keeps four packets in flight, to measure the round trip without a queue.
    ProbeRtt,
}

/// The BBRv1 control: its model of the path, and the window and rate that follow.
#[derive(Clone, Debug)]
pub struct BbrV1 {
    parameters: Parameters,
    state: State,
    initial_window: Packets,
    /// See [`Initial::loss_window`].
    loss_window: Packets,
    cwnd: Packets,
    pacing: Pacing,
    /// `BtlBw`: the greatest delivery rate of the last rounds, in packets per second.
    bandwidth: RecentMax,
    /// `RTprop` and the time at which it was measured; `None` before the first sample.
    min_rtt: Option<(Span, Time)>,
    rounds: Rounds,
    full_pipe: FullPipe,
    cycle: Cycle,
    aggregation: Aggregation,
    sent_slowly: SentSlowly,
    stay: Stay,
    idle_restart: bool,
    repair: Repair,
    /// Whether as much is sent as is delivered: in the first round of recovery.
    conserves: bool,
    /// Whether a recovery has ended and the acknowledgement that ended it is still to be processed.
    leaves_recovery: bool,
    undo_cwnd: Packets,
}

impl BbrV1 {
    /// Creates the control at the start of a connection.
    pub fn new(parameters: Parameters, initial: &Initial) -> Self {
        let Initial { window, packet_bytes, loss_window, .. } = *initial;
        Self {
            parameters,
            state: State::Startup,
            initial_window: window,
            loss_window,
            cwnd: window.max(1.0),
            pacing: Pacing::new(parameters.pacing, parameters.high_gain, window, packet_bytes),
            bandwidth: RecentMax::default(),
            min_rtt: None,
            rounds: Rounds::default(),
            full_pipe: FullPipe::new(parameters.full_pipe),
            cycle: Cycle::default(),
            aggregation: Aggregation::default(),
            sent_slowly: SentSlowly::default(),
            stay: Stay::default(),
            idle_restart: false,
            repair: Repair::default(),
            conserves: false,
            leaves_recovery: false,
            undo_cwnd: 0.0,
        }
    }

    /// Returns `BBRInflight(gain)` of section 4.2.3.2, in packets: the bandwidth-delay product times `gain`,
    /// and room for quanta.
    fn inflight(&self, gain: f64) -> Packets {
        match self.min_rtt {
            Some((rtt, _)) => {
                let quanta = self.parameters.offload_quanta * self.pacing.quantum();
                gain * self.bandwidth.get() * rtt.seconds() + quanta
            }
            None => self.initial_window,
        }
    }

    fn pacing_gain(&self) -> f64 {
        let Parameters { high_gain, probe_gain, drain_gain, .. } = self.parameters;
        match self.state {
            State::Startup => high_gain,
            State::Drain => 1.0 / high_gain,
            State::ProbeRtt => 1.0,
            State::ProbeBw => match self.cycle.phase() {
                Phase::Probes => probe_gain,
                Phase::Drains => drain_gain,
                Phase::Cruises => 1.0,
            },
        }
    }

    fn cwnd_gain(&self) -> f64 {
        match self.state {
            State::Startup | State::Drain => self.parameters.high_gain,
            State::ProbeBw => self.parameters.cwnd_gain,
            State::ProbeRtt => 1.0,
        }
    }

    /// Updates the greatest bandwidth of the last rounds with a sample (section 4.1.1).
    fn take_rate(&mut self, ack: &Ack, sample: &RateSample) {
        self.rounds.take(ack, sample, self.cwnd);
        // Section 4.1.1.3: a sample that does not count leaves the filter as it is. If it aged the filter,
        // ten rounds of slow sending (ProbeRTT on a short path, small objects) would forget the bandwidth.
        if let Some(rate) = sample.packets_per_second(ack.min_rtt)
            && (rate >= self.bandwidth.get() || !sample.app_limited)
        {
            self.bandwidth.take(rate, self.rounds.count, self.parameters.bandwidth_rounds);
        }
        if let Some(rounds) = self.parameters.extra_acked_rounds {
            let bandwidth = self.bandwidth.get();
            self.aggregation.take(ack, bandwidth, self.cwnd, self.rounds.count, rounds);
        }
    }

    /// Moves through ProbeBW's cycle and from Startup to Drain to ProbeBW (sections 4.3.2.2, 4.3.3 and
    /// 4.3.4).
    fn move_on(&mut self, ack: &Ack, sample: &RateSample, random: &mut dyn Random) {
        if self.state == State::ProbeBw {
            let round_trip = self.min_rtt.map_or(Span::ZERO, |(rtt, _)| rtt);
            let most = self.inflight(self.pacing_gain());
            let least = self.inflight(1.0);
            self.cycle.take(ack, round_trip, most, least, self.parameters.cycle_phases);
        }
        if self.rounds.start && !sample.app_limited && !self.full_pipe.reached {
            self.full_pipe.take(self.bandwidth.get());
        }
        if self.state == State::Startup && self.full_pipe.reached {
            self.state = State::Drain;
        }
        if self.state == State::Drain && ack.inflight <= self.inflight(1.0) {
            self.enter_probe_bw(ack.now, random);
        }
    }

    fn enter_probe_bw(&mut self, now: Time, random: &mut dyn Random) {
        self.state = State::ProbeBw;
        self.cycle.begin(now, self.parameters.cycle_phases, random);
    }

    /// Updates the minimum round trip, and enters and leaves ProbeRTT (sections 4.1.2.3 and 4.3.5). Unlike
    /// BBRv3's, the comparison is not strict: a round trip equal to the minimum refreshes it.
    fn probe_round_trip(&mut self, ack: &Ack, random: &mut dyn Random) {
        let Parameters { min_rtt_window, min_pipe_cwnd, probe_rtt_duration, .. } = self.parameters;
        let expired = self.min_rtt.is_some_and(|(_, at)| ack.now > at + min_rtt_window);
        if let Some(rtt) = ack.rtt
            && (expired || self.min_rtt.is_none_or(|(least, _)| rtt <= least))
        {
            self.min_rtt = Some((rtt, ack.now));
        }
        if self.state != State::ProbeRtt && expired && !self.idle_restart {
            self.state = State::ProbeRtt;
            self.repair.save(self.cwnd, true);
            self.stay.begin();
        }
        if self.state == State::ProbeRtt {
            self.sent_slowly.mark(ack.delivered, ack.inflight);
            if self.stay.is_over(ack, min_pipe_cwnd, probe_rtt_duration, &mut self.rounds) {
                self.leave_probe_rtt(ack.now, random);
            }
        }
        self.idle_restart = false;
    }

    fn leave_probe_rtt(&mut self, now: Time, random: &mut dyn Random) {
        self.min_rtt = self.min_rtt.map(|(rtt, _)| (rtt, now));
        self.cwnd = self.repair.restored(self.cwnd);
        self.state = State::Startup;
        if self.full_pipe.reached {
            self.enter_probe_bw(now, random);
        }
    }

    /// Sets the window (section 4.2.3).
    fn set_cwnd(&mut self, ack: &Ack) {
        let target = self.inflight(self.cwnd_gain());
        let target = if self.full_pipe.reached { target + self.aggregation.extra() } else { target };
        if ack.newly_lost > 0.0 {
            self.cwnd = (self.cwnd - ack.newly_lost).max(self.loss_window);
        }
        self.conserves &= !self.rounds.start;
        if self.conserves {
            self.cwnd = self.cwnd.max(ack.inflight + ack.newly_acked);
        } else {
            if self.full_pipe.reached {
                self.cwnd = (self.cwnd + ack.newly_acked).min(target);
            } else if self.cwnd < target || ack.delivered < self.initial_window {
                self.cwnd += ack.newly_acked;
            }
            self.cwnd = self.cwnd.max(self.parameters.min_pipe_cwnd);
        }
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.parameters.min_pipe_cwnd);
        }
        self.cwnd = self.cwnd.clamp(self.loss_window, MAX_CWND);
    }
}

impl Control for BbrV1 {
    fn decision(&self) -> Decision {
        self.pacing.decision(self.cwnd)
    }

    fn properties(&self) -> Properties {
        Properties { follows: Follows::Restarts, ..Properties::default() }
    }

    fn on_change(&mut self, change: &Change) {
        match *change {
            Change::Opens { rtt } => self.pacing.begin(self.parameters.high_gain, self.initial_window, rtt),
            Change::Begins | Change::Ends => {}
        }
    }

    /// Restarts from idleness at the bandwidth (section 4.3.4.4).
    fn on_sent(&mut self, sent: &Sent, _random: &mut dyn Random) {
        if sent.after_idle && sent.app_limited {
            self.idle_restart = true;
            self.aggregation.begin(sent.now);
            if self.state == State::ProbeBw {
                self.pacing.follow(self.bandwidth.get(), self.full_pipe.reached);
            }
        }
    }

    fn on_ack(&mut self, ack: &Ack, random: &mut dyn Random) {
        let has_left = std::mem::take(&mut self.leaves_recovery);
        if self.repair.ends_with(ack) | has_left {
            self.restore_cwnd();
        }
        self.pacing.see_rtt(self.parameters.high_gain, self.initial_window, ack.rtt);
        let Some(mut sample) = ack.rate else { return };
        sample.app_limited |= self.sent_slowly.has(sample.prior_delivered);
        self.take_rate(ack, &sample);
        self.move_on(ack, &sample, random);
        self.probe_round_trip(ack, random);
        self.pacing.follow(self.pacing_gain() * self.bandwidth.get(), self.full_pipe.reached);
        self.set_cwnd(ack);
    }

    /// Begins a recovery (section 4.2.3.4): the window becomes the flight, and for one round as much is sent
    /// as is delivered. A recovery that begins with the acknowledgement that ended another continues it,
    /// since Linux's `tcp_bbr.c` compares its state once per acknowledgement: a connection that loses packets
    /// in every window has one first round, not many.
    fn on_loss(&mut self, loss: &Loss, _random: &mut dyn Random) {
        if matches!(loss.signal, LossSignal::Ecn | LossSignal::LocalDrop) {
            return; // the draft has no reaction to marks
        }
        self.undo_cwnd = self.cwnd;
        if std::mem::take(&mut self.leaves_recovery) {
            return;
        }
        self.repair.begin(self.cwnd, self.state == State::ProbeRtt);
        self.cwnd = self.cwnd.min(loss.inflight + 1.0).max(self.loss_window);
        self.conserves = true;
        self.rounds.begin(self.rounds.delivered());
    }

    fn on_timeout(&mut self, timeout: &Timeout, _random: &mut dyn Random) {
        self.undo_cwnd = if timeout.in_a_row == 1 { self.cwnd } else { self.undo_cwnd };
        self.repair.begin_after_timeout(self.cwnd, self.state == State::ProbeRtt, timeout.sent_to);
        self.conserves = false;
        self.leaves_recovery = false;
        self.cwnd = self.loss_window;
        // Linux's bbr_set_state: rounds emptied by a timeout do not show that the pipe is full.
        if !self.full_pipe.reached {
            self.full_pipe.reset(0.0);
        }
    }

    /// Ends a recovery. Losses did not change the model, so only the window is restored if nothing was lost.
    fn on_recovered(&mut self, recovered: &Recovered) {
        if recovered.ending == Ending::Undone {
            self.restore_cwnd();
            self.cwnd = self.cwnd.max(self.undo_cwnd);
        } else {
            self.leaves_recovery = true;
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("bbr_state", self.state as u32 as f64);
        series("bbr_phase", self.cycle.index() as f64);
        series("bbr_rounds", self.rounds.count as f64);
        series("bbr_max_bw_packets_per_s", self.bandwidth.get());
        series("bbr_min_rtt_s", self.min_rtt.map_or(f64::NAN, |(rtt, _)| rtt.seconds()));
        series("bbr_extra_acked_packets", self.aggregation.extra());
    }
}

impl BbrV1 {
    fn restore_cwnd(&mut self) {
        self.repair.end();
        self.conserves = false;
        let small = if self.state == State::ProbeRtt { self.parameters.min_pipe_cwnd } else { f64::INFINITY };
        self.cwnd = self.repair.restored(self.cwnd).min(small.max(self.cwnd));
    }
}
