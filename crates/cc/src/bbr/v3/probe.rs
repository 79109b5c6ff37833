//! ProbeBW: the order of its phases, and their effect on the long-term bound (draft-ietf-ccwg-bbr sections
//! 5.3.3.9 and 5.5.10.2).

use super::BbrV3;
use super::bounds::{inflight_at_loss, too_high};
use super::cycle::AckPhase;
use super::state::State;
use crate::control::{Ack, Lost, RateSample};
use ackclock_base::{Packets, Random, Time, at_least, at_most};

impl BbrV3 {
    pub(super) fn start_down(&mut self, now: Time, delivered: Packets, random: &mut dyn Random) {
        self.latest.reset();
        self.cycle.begin(now, &self.parameters, random);
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
        at_most(self.bdp(self.bw), self.cwnd)
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
            State::Down | State::Cruise if self.is_due(ack.now) => {
                self.start_refill(ack.delivered);
            }
            State::Down if self.has_drained(ack.inflight) => self.state = State::Cruise,
            //= draft-ietf-ccwg-bbr section 5.3.3.9 refill: ProbeBW_REFILL lasts for one round
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

    fn is_due(&self, now: Time) -> bool {
        self.cycle.is_due(now, self.target_inflight(), self.parameters.max_probe_rounds)
    }

    fn has_drained(&self, inflight: Packets) -> bool {
        inflight <= self.bounds.with_headroom(&self.parameters) && inflight <= self.target(self.max_bw.get())
    }

    /// Returns whether ProbeBW_UP is over (`BBRIsTimeToGoDown`). At the bound of an earlier probe the rate
    /// cannot grow, so a constant rate there does not show that the pipe is full.
    fn probe_is_over(&mut self, ack: &Ack, rate: Option<f64>) -> bool {
        let longterm = self.bounds.inflight_longterm;
        //= draft-ietf-ccwg-bbr section 5.3.3.7 caution: if the loss in the last probe was too high, ProbeBW_UP ends when the data in flight reaches the long-term bound
        if self.cycle.probe_was_too_high && ack.inflight >= longterm {
            self.cycle.probe_was_precautionary = true;
            return true;
        }
        if self.rounds.cwnd_limited() && self.cwnd >= longterm {
            self.full_pipe.reset(rate.unwrap_or(0.0));
            return false;
        }
        //= draft-ietf-ccwg-bbr section 5.3.3.7 plateau: ProbeBW_UP ends when the bandwidth no longer grows
        self.full_pipe.now
    }

    /// Adapts the long-term bound to the result of a probe. Returns whether the phase has changed.
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
        let too_high = self.is_too_high(sample.lost, sample.tx_in_flight);
        if !too_high && self.bounds.inflight_longterm.is_finite() {
            self.bounds.inflight_longterm = at_least(sample.tx_in_flight, self.bounds.inflight_longterm);
            if self.state == State::Up {
                self.probe_upward(ack);
            }
        }
        false
    }

    /// Ends a probe when all that was sent in it is acknowledged. In ProbeBW this also begins a new cycle of
    /// the bandwidth filter, unless the application limited the sample. Returns whether the next probe begins
    /// at once.
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

    /// Returns whether too much of a flight is lost. Without selective acknowledgements any loss is too much,
    /// since at most one per round is known.
    pub(super) fn is_too_high(&self, lost: Packets, tx_in_flight: Packets) -> bool {
        too_high(lost, tx_in_flight, &self.parameters) || (lost > 0.0 && !self.selective)
    }

    /// Ends a probe of which too much is lost (section 5.5.10.2). The loss of a packet that was not sent in a
    /// probe has no effect here.
    pub(super) fn look_at_loss(&mut self, lost: &Lost, random: &mut dyn Random) {
        if self.cycle.is_probe_sample && self.is_too_high(lost.lost, lost.tx_in_flight) {
            // A loss among application-limited packets ends the probe but sets no bound. The draft's code
            // says so, unlike its text about losses in UP (trap T6).
            let limited = lost.app_limited || self.sent_slowly.has(lost.prior_delivered);
            let bound = (!limited).then(|| inflight_at_loss(lost, &self.parameters));
            self.end_probe_too_high(lost.now, lost.delivered, bound, random);
        }
    }

    /// Ends a probe that was too high (`BBRHandleInflightTooHigh`): once per probe, and not again for the
    /// acknowledgement that revealed the loss (trap T9). `bound` is the new long-term bound; `None` leaves
    /// it.
    pub(super) fn end_probe_too_high(
        &mut self,
        now: Time,
        delivered: Packets,
        bound: Option<Packets>,
        random: &mut dyn Random,
    ) {
        self.cycle.probe_was_too_high = true;
        self.cycle.is_probe_sample = false;
        if let Some(bound) = bound {
            self.bounds.inflight_longterm = bound.max(self.parameters.beta * self.target_inflight());
        }
        if self.state == State::Up {
            self.note_undo(State::Up);
            self.start_down(now, delivered, random);
        }
    }
}
