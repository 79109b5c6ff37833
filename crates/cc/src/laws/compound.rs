//! Compound TCP (Tan, Song, Zhang and Sridharan 2006): Reno's window plus a delay window, which grows fast
//! while few packets wait and otherwise shrinks by the number that wait.

use super::round_trips::{Round, RoundTrips, waiting};
use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Phase, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "compound",
        "Compound TCP: the window is the sum of Reno's window and a delay window, which grows while few of the flow's \
         packets are queued in the network and shrinks while many are",
        "Tan, Song, Zhang and Sridharan 2006, \"A compound TCP approach for high-speed and long distance networks\"; \
         draft-sridharan-tcpm-ctcp-02, without its tuning of gamma",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Compound::new(values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// The growth and decline of the delay window.
    pub struct Parameters {
        /// Factor of the delay window's growth: alpha times the total window to the power of `k`, minus one packet, per
        /// round trip
        alpha: f64 = number("0.125", Range::between(0.0, 100.0), "Tan et al. 2006 section III; Compound draft, section 3 (value: 1/8)"),
        /// Exponent of the total window in the delay window's growth
        k: f64 = number("0.75", Range::between(0.0, 1.0), "Tan et al. 2006 section III; Compound draft, section 3 (value: 3/4)"),
        /// Fraction by which a loss reduces the total window
        beta: f64 = number("0.5", Range::between(0.01, 0.99), "Tan et al. 2006 section III; Compound draft, section 3 (value: 1/2)"),
        /// Estimated number of the flow's packets queued in the network below which the delay window grows; at or above
        /// it, the delay window shrinks
        gamma: Packets = packets("30 packets", Range::at_least(0.0), "Tan et al. 2006 section III"),
        /// Packets by which the delay window shrinks per round trip for each of the flow's packets queued in the
        /// network
        zeta: f64 = number("1", Range::between(0.0, 1000.0), "the Compound module for Linux 2.6 by Castellani, Hemminger and Andrew"),
    }
}

/// The two windows. The whole window less the delay window is Reno's.
#[derive(Clone, Debug)]
pub struct Compound {
    parameters: Parameters,
    round_trips: RoundTrips,
    /// The delay window.
    delay_window: Packets,
}

impl Compound {
    /// Creates the law before the first round.
    pub fn new(parameters: Parameters) -> Self {
        Self { parameters, round_trips: RoundTrips::default(), delay_window: 0.0 }
    }

    /// Adapts the delay window at the end of a round outside recovery (Tan et al. equation 5, the cases without a
    /// loss): it grows if fewer than gamma packets wait in the network, and otherwise shrinks by zeta times their
    /// number. The whole window changes by as much.
    fn end_round(&mut self, window: &mut Window, round: &Round) {
        let Parameters { alpha, k, gamma, zeta, .. } = self.parameters;
        // A part around the control may have set a smaller window.
        let before = self.delay_window.min(window.cwnd - 1.0).max(0.0);
        let waiting = waiting(window.cwnd, self.round_trips.base, round.least);
        self.delay_window = if waiting < gamma {
            before + (alpha * libm::pow(window.cwnd, k) - 1.0).max(0.0)
        } else {
            (before - zeta * waiting).max(0.0)
        };
        window.cwnd += self.delay_window - before;
    }
}

impl WindowLaw for Compound {
    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        // The delay window is only used in congestion avoidance.
        if let Some(round) = self.round_trips.observe(ack)
            && ack.phase == Phase::Open
            && ack.cwnd_limited
            && window.cwnd >= window.ssthresh
        {
            self.end_round(window, &round);
        }
    }

    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        window.cwnd += ack.abc_increment / window.cwnd;
    }

    /// Returns the window after a loss (Tan et al. equation 5): Reno's part halves, and the delay window
    /// fills the rest of `(1 - beta)` of the whole.
    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        let reno = (from - self.delay_window).max(0.0) / 2.0;
        let left = (from * (1.0 - self.parameters.beta)).max(reno);
        self.delay_window = left - reno;
        left
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        window.start_over(timeout);
        self.delay_window = 0.0;
        self.round_trips.restart();
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("delay_window_packets", self.delay_window);
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    /// Creates a flow with a window of 256 in congestion avoidance, after a round at 100 ms.
    fn at_256() -> Script {
        let mut script = Script::new("compound").window(256.0).starting_ssthresh(512.0);
        script.round(256, 100);
        script.set_cwnd(256.0);
        script.set_ssthresh(256.0);
        script
    }

    #[test]
    fn while_little_waits_a_round_adds_an_eighth_of_the_window_to_the_three_quarters_less_one() {
        // 256^0.75 = 64: 64 / 8 - 1 = 7, and Reno's packet.
        let mut script = at_256();
        script.round(256, 100);
        assert!((script.published("delay_window_packets") - 7.0).abs() < 1e-9);
        assert!((script.cwnd() - 264.0).abs() < 0.05, "{}", script.cwnd());
    }

    #[test]
    fn from_gamma_waiting_packets_on_the_delay_window_shrinks_by_them() {
        // At 110 ms 300 (1 - 100 / 110) = 27.3 packets wait: growth. At 112 ms 32.1 wait: decline by that
        // number.
        for (ms, shrinks) in [(110, false), (112, true)] {
            let mut script = at_256();
            (0..6).for_each(|_| script.round(300, 100));
            script.set_cwnd(300.0);
            script.round(300, ms);
            let before = script.published("delay_window_packets");
            let mut waited = 0.0;
            while script.published("delay_window_packets") == before {
                waited = script.cwnd() * (1.0 - 100.0 / ms as f64);
                script.ack_with_rtt(ms);
            }
            let change = script.published("delay_window_packets") - before;
            assert!(if shrinks { (change + waited).abs() < 1e-9 } else { change > 7.0 }, "{ms} ms: {change}");
        }
    }

    #[test]
    fn a_loss_halves_the_whole_and_a_timeout_leaves_none_of_the_delay() {
        let mut script = at_256();
        script.round(256, 100);
        script.set_cwnd(264.0);
        script.loss();
        // (264 - 7) / 2 = 128.5 is Reno's part, and 132 - 128.5 = 3.5 the delay window.
        assert_eq!(script.cwnd(), 132.0);
        assert!((script.published("delay_window_packets") - 3.5).abs() < 1e-9);
        script.timeout();
        assert_eq!((script.cwnd(), script.published("delay_window_packets")), (1.0, 0.0));
    }

    #[test]
    fn a_small_window_is_renos() {
        // Up to 16 packets the delay window does not grow: 16^0.75 / 8 - 1 = 0.
        let mut scripts =
            ["compound", "sack"].map(|name| Script::new(name).window(10.0).starting_ssthresh(5.0));
        for script in &mut scripts {
            (0..3).for_each(|_| script.round(11, 100));
            script.loss();
        }
        let [compound, reno] = &mut scripts;
        assert_eq!(compound.cwnd(), reno.cwnd());
    }
}
