//! The state of the cycle of ProbeBW (draft-ietf-ccwg-bbr sections 5.3.3 and 5.5.10).

use super::parameters::Parameters;
use ackclock_base::{Packets, Random, Span, Time, at_most};

/// Which packets are being acknowledged, relative to the last probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AckPhase {
    /// Packets that were sent between probes.
    #[default]
    Init,
    /// Packets that were sent before the pipe was refilled.
    Refilling,
    /// Packets that were sent before the probe.
    Starting,
    /// Packets of the probe.
    Feedback,
    /// Packets of the probe after its end.
    Stopping,
}

/// The cycle of ProbeBW.
#[derive(Clone, Copy, Debug)]
pub struct Cycle {
    pub ack_phase: AckPhase,
    /// The number of rounds since the probe ended, with a random head start of zero or one.
    pub rounds_since_up: u64,
    began: Time,
    wait: Span,
    /// Whether the packets now acknowledged or lost were sent in a probe.
    pub is_probe_sample: bool,
    /// Whether too much of the last probe was lost, whether that ended the probe or was found after its end.
    pub probe_was_too_high: bool,
    /// Whether the last probe stopped at the limit of an earlier one, so that another may follow at once.
    pub probe_was_precautionary: bool,
    up_rounds: u32,
    up_acked: Packets,
    up_acked_per_packet: Packets,
}

impl Cycle {
    /// Creates the state before the first cycle.
    pub fn new() -> Self {
        Self {
            ack_phase: AckPhase::Init,
            rounds_since_up: 0,
            began: Time::ZERO,
            wait: Span::ZERO,
            is_probe_sample: false,
            probe_was_too_high: false,
            probe_was_precautionary: false,
            up_rounds: 0,
            up_acked: 0.0,
            up_acked_per_packet: f64::INFINITY,
        }
    }

    /// Begins a cycle at the end of a probe. The next probe comes after two to three seconds, or after some
    /// rounds.
    pub fn begin(&mut self, now: Time, parameters: &Parameters, random: &mut dyn Random) {
        self.rounds_since_up = u64::from(random.uniform() >= 0.5);
        //= draft-ietf-ccwg-bbr section 5.3.3.8.2 seconds: the next bandwidth probe starts two to three seconds after the end of the previous one
        self.wait = parameters.probe_wait + parameters.probe_wait_spread.scale(random.uniform());
        self.began = now;
        self.up_acked_per_packet = f64::INFINITY;
        self.ack_phase = AckPhase::Stopping;
    }

    /// Prepares a probe while the pipe is being filled.
    pub fn refill(&mut self) {
        (self.up_rounds, self.up_acked) = (0, 0.0);
        self.probe_was_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
    }

    /// Returns whether the next probe is due. The number of rounds is compared with a number of packets,
    /// since Reno would need that many rounds to regain them; the draft's `target_inflight` is in bytes.
    pub fn is_due(&self, now: Time, target_inflight: Packets, max_rounds: f64) -> bool {
        //= draft-ietf-ccwg-bbr section 5.3.3.8.2 rounds: a bandwidth probe starts within the number of rounds that Reno needs to regain its window, and within 63 rounds
        now > self.began + self.wait || self.rounds_since_up as f64 >= at_most(target_inflight, max_rounds)
    }

    /// Doubles the growth of the long-term bound for the next round of a probe.
    pub fn raise_slope(&mut self, cwnd: Packets) {
        let growth = f64::from(1_u32 << self.up_rounds);
        self.up_rounds = (self.up_rounds + 1).min(30);
        self.up_acked_per_packet = (cwnd / growth).max(1.0);
    }

    /// Returns by how many packets the long-term bound grows after `newly_acked` packets have been
    /// acknowledged in a probe.
    pub fn growth(&mut self, newly_acked: Packets) -> Packets {
        self.up_acked += newly_acked;
        let growth = (self.up_acked / self.up_acked_per_packet).floor();
        if growth > 0.0 {
            self.up_acked -= growth * self.up_acked_per_packet;
        }
        growth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_grows_by_one_two_four_packets_a_round_and_no_faster_than_it_is_acknowledged() {
        // At a window of 100: 1, 2, 4, ..., 64 packets a round, then 100 (one for each that is acknowledged).
        let mut cycle = Cycle::new();
        let grown: Vec<f64> = (0..9)
            .map(|_| {
                cycle.raise_slope(100.0);
                (0..100).map(|_| cycle.growth(1.0)).sum()
            })
            .collect();
        assert_eq!(grown, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 100.0, 100.0]);
    }
}
