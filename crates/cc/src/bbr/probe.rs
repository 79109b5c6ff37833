//! ProbeBW: when the phases follow one another, and what they do to the long-term bound (draft-ietf-ccwg-bbr sections 5.3.3.9
//! and 5.5.10.2).

use super::Bbr;
use super::bounds::{BETA, inflight_at_loss, too_high};
use super::cycle::AckPhase;
use super::state::State;
use crate::control::{Ack, Lost, RateSample};
use ackclock_base::{Packets, Random, Time};

impl Bbr {
    pub(super) fn start_down(&mut self, now: Time, delivered: Packets, random: &mut dyn Random) {
        self.latest.reset();
        self.cycle.begin(now, random);
        self.rounds.begin(delivered);
        self.state = State::Down;
    }

    pub(super) fn start_refill(&mut self, delivered: Packets) {
        self.bounds.forget_short_term();
        self.cycle.refill();
        self.rounds.begin(delivered);
        self.state = State::Refill;
    }

    fn start_up(&mut self, delivered: Packets, rate: Option<f64>) {
        self.cycle.ack_phase = AckPhase::Starting;
        self.rounds.begin(delivered);
        self.full_pipe.reset(rate.unwrap_or(0.0));
        self.state = State::Up;
        self.cycle.raise_slope(self.cwnd);
    }

    fn target_inflight(&self) -> Packets {
        self.bdp(self.bw).min(self.cwnd)
    }

    pub(super) fn probe_bandwidth(
        &mut self,
        ack: &Ack,
        sample: &RateSample,
        rate: Option<f64>,
        random: &mut dyn Random,
    ) {
        if self.adapt_long_term(ack, sample) {
            return;
        }
        let state = self.state;
        match state {
            State::Down | State::Cruise if self.cycle.is_due(ack.now, self.target_inflight()) => {
                self.start_refill(ack.delivered);
            }
            State::Down if self.has_drained(ack.inflight) => self.state = State::Cruise,
            State::Refill if self.rounds.start => {
                self.cycle.is_probe_sample = true;
                self.start_up(ack.delivered, rate);
            }
            State::Up if self.probe_is_over(ack, rate) => {
                self.cycle.probe_was_too_high = false;
                self.start_down(ack.now, ack.delivered, random);
            }
            _ => {}
        }
    }

    fn has_drained(&self, inflight: Packets) -> bool {
        inflight <= self.bounds.with_headroom() && inflight <= self.target(self.max_bw.get())
    }

    /// `BBRIsTimeToGoDown`. At the bound of an earlier probe the rate cannot grow, which says nothing of the pipe.
    fn probe_is_over(&mut self, ack: &Ack, rate: Option<f64>) -> bool {
        let longterm = self.bounds.inflight_longterm;
        if self.cycle.probe_was_too_high && ack.inflight >= longterm {
            self.cycle.probe_was_precautionary = true;
            return true;
        }
        if self.rounds.cwnd_limited() && self.cwnd >= longterm {
            self.full_pipe.reset(rate.unwrap_or(0.0));
            return false;
        }
        self.full_pipe.now
    }

    /// Looks at what a probe has brought. Says whether it has gone to another phase.
    fn adapt_long_term(&mut self, ack: &Ack, sample: &RateSample) -> bool {
        if self.rounds.start {
            match self.cycle.ack_phase {
                AckPhase::Starting => self.cycle.ack_phase = AckPhase::Feedback,
                AckPhase::Stopping => {
                    if self.end_probe(ack, sample) {
                        return true;
                    }
                }
                AckPhase::Init | AckPhase::Refilling | AckPhase::Feedback => {}
            }
        }
        if !too_high(sample.lost, sample.tx_in_flight) && self.bounds.inflight_longterm.is_finite() {
            self.bounds.inflight_longterm = self.bounds.inflight_longterm.max(sample.tx_in_flight);
            if self.state == State::Up {
                self.probe_upward(ack);
            }
        }
        false
    }

    /// All that was sent in the probe has been acknowledged: a cycle of the bandwidth filter ends, once.
    fn end_probe(&mut self, ack: &Ack, sample: &RateSample) -> bool {
        self.cycle.is_probe_sample = false;
        self.cycle.ack_phase = AckPhase::Init;
        if !self.state.is_probe_bw() {
            return false;
        }
        if !sample.app_limited {
            self.max_bw.advance();
        }
        let again = self.cycle.probe_was_precautionary && !self.cycle.probe_was_too_high;
        if again {
            self.start_refill(ack.delivered);
        }
        again
    }

    fn probe_upward(&mut self, ack: &Ack) {
        if !self.rounds.cwnd_limited() || self.cwnd < self.bounds.inflight_longterm {
            return;
        }
        self.bounds.inflight_longterm += self.cycle.growth(ack.newly_acked);
        if self.rounds.start {
            self.cycle.raise_slope(self.cwnd);
        }
    }

    /// Section 5.5.10.2: too much is lost of what a probe has sent. (Losses of other packets count by the round.)
    pub(super) fn look_at_loss(&mut self, lost: &Lost, random: &mut dyn Random) {
        if !self.cycle.is_probe_sample || !too_high(lost.lost, lost.tx_in_flight) {
            return;
        }
        self.cycle.probe_was_too_high = true;
        self.cycle.is_probe_sample = false;
        if !lost.app_limited {
            self.bounds.inflight_longterm = inflight_at_loss(lost).max(BETA * self.target_inflight());
        }
        if self.state == State::Up {
            self.note_undo(State::Up);
            self.start_down(lost.now, lost.delivered, random);
        }
    }

    /// Packets have changed their size: what was so many of the old ones is so many of the new.
    pub(super) fn scale(&mut self, factor: f64) {
        for amount in [&mut self.cwnd, &mut self.initial_window, &mut self.prior_cwnd] {
            *amount *= factor;
        }
        self.cwnd = self.cwnd.max(1.0).min(crate::classic::MAX_CWND);
        self.bw *= factor;
        self.pacing_rate *= factor;
        self.max_bw.scale(factor);
        self.rounds.scale(factor);
        self.full_pipe.scale(factor);
        self.latest.scale(factor);
        self.bounds.scale(factor);
        self.cycle.scale(factor);
        if let Some(undo) = &mut self.undo {
            undo.cwnd *= factor;
            undo.bounds.scale(factor);
        }
        self.set_quantum();
    }
}
