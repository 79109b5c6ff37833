//! ProbeRTT: when the minimum round trip has not been seen for a while, few packets are kept in flight to
//! measure it again (draft-ietf-ccwg-bbr section 5.3.4). Also the restart after idleness (section 5.4.1),
//! which makes ProbeRTT unnecessary.

use super::BbrV3;
use super::cycle::AckPhase;
use super::state::State;
use crate::control::{Ack, Sent};
use ackclock_base::{Packets, Random, Time};

impl BbrV3 {
    /// Returns the greatest number of packets in flight in ProbeRTT.
    pub(super) fn probe_rtt_cwnd(&self) -> Packets {
        (self.parameters.probe_rtt_cwnd_gain * self.bdp(self.bw)).max(self.parameters.min_pipe_cwnd)
    }

    /// Updates the minimum round trip, and enters and leaves ProbeRTT.
    pub(super) fn probe_round_trip(&mut self, ack: &Ack, random: &mut dyn Random) {
        let expired = self.min_rtt.take(ack.now, ack.rtt, &self.parameters);
        if self.state != State::ProbeRtt && expired && !self.idle_restart {
            self.repair.save(self.cwnd, true);
            self.state = State::ProbeRtt;
            self.stay.begin();
            self.cycle.ack_phase = AckPhase::Stopping;
            self.rounds.begin(ack.delivered);
        }
        if self.state == State::ProbeRtt {
            self.sent_slowly.mark(ack.delivered, ack.inflight);
            let (most, duration) = (self.probe_rtt_cwnd(), self.parameters.probe_rtt_duration);
            if self.stay.is_over(ack, most, duration, &mut self.rounds) {
                self.leave_probe_rtt(ack.now, ack.delivered, random);
            }
        }
        self.idle_restart = false;
    }

    /// Leaves ProbeRTT (`BBRExitProbeRTT`, after `BBRCheckProbeRTTDone`).
    fn leave_probe_rtt(&mut self, now: Time, delivered: Packets, random: &mut dyn Random) {
        self.min_rtt.refresh(now);
        self.cwnd = self.repair.restored(self.cwnd);
        self.bounds.forget_short_term();
        //= draft-ietf-ccwg-bbr section 5.3.4.4: after ProbeRTT, the flow returns to Startup if the pipe has not been full yet
        self.state = State::Startup;
        if self.full_pipe.reached {
            self.start_down(now, delivered, random);
            self.state = State::Cruise;
        }
    }

    /// Restarts after a pause of the application. During the pause the flow's own queue has drained, as in
    /// ProbeRTT; the packets that fill the pipe now leave at the bandwidth.
    pub(super) fn restart_from_idle(&mut self, sent: &Sent, random: &mut dyn Random) {
        self.idle_restart = true;
        self.aggregation.begin(sent.now);
        if self.state.is_probe_bw() {
            //= draft-ietf-ccwg-bbr section 5.4.1: after the application pauses, packets are paced at the estimated bandwidth
            self.pacing.follow(self.bw, self.full_pipe.reached);
        } else if self.state == State::ProbeRtt && self.stay.has_passed(sent.now) {
            self.leave_probe_rtt(sent.now, self.rounds.delivered(), random);
        }
    }
}
