//! Undoes the reaction to spurious losses (draft-ietf-ccwg-bbr section 5.5.11).

use super::BbrV3;
use super::bounds::Bounds;
use super::state::State;
use ackclock_base::{Packets, Time};

/// The state before a loss.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    saved: Time,
    cwnd: Packets,
    bounds: Bounds,
    /// Startup or Up, if the loss has ended that state.
    state: Option<State>,
}

impl BbrV3 {
    /// Saves the state once per episode, at its first sign: the host reports a lost packet before the
    /// recovery. (The draft saves the reduced state again at the first loss of each later round; trap T7.)
    pub(super) fn save_undo(&mut self, now: Time) {
        if !self.repair.goes_on() && self.undo.is_none_or(|undo| undo.saved != now) {
            self.save_undo_anew(now);
        }
    }

    /// Saves the state at a timeout, even during a recovery: the timeout itself may prove spurious.
    pub(super) fn save_undo_anew(&mut self, now: Time) {
        self.undo = Some(Undo { saved: now, cwnd: self.cwnd, bounds: self.bounds, state: None });
    }

    pub(super) fn note_undo(&mut self, state: State) {
        if let Some(undo) = &mut self.undo {
            undo.state = Some(state);
        }
    }

    //= draft-ietf-ccwg-bbr section 5.5.11.2: after a spurious loss recovery, a flow restores its window and bounds, and resumes Startup or the probe that the recovery ended
    /// Restores the state before a spurious loss. The way back to a probe leads through Refill, since the
    /// pipe has drained meanwhile.
    pub(super) fn take_back(&mut self) {
        let Some(undo) = self.undo.take() else { return };
        self.cwnd = self.cwnd.max(undo.cwnd);
        self.latest.has_loss = false;
        self.full_pipe.reset(0.0);
        self.bounds.restore(&undo.bounds);
        let moves = |state| self.state != state && self.state != State::ProbeRtt;
        match undo.state {
            Some(State::Startup) => {
                self.full_pipe.reached = false;
                if moves(State::Startup) {
                    self.state = State::Startup;
                }
            }
            Some(state) if moves(state) => {
                self.start_refill(self.rounds.delivered());
                self.rounds.begin_with_ack();
            }
            _ => {}
        }
    }
}
