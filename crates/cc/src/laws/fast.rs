//! FAST (Jin, Wei and Low 2004): the window moves to the value at which `alpha` packets of the flow wait in
//! the network. The increase while no packets wait, the average round trip and the update in every other
//! round trip are as in its ns-2 module 1.1.3.

use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, Span, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "fast",
        "FAST: adapts the window to the RTT so that alpha of the flow's packets are queued in the network",
        "Jin, Wei and Low 2004; FAST module 1.1.3 for ns-2 (Cui and Andrew)",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Fast::new(values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// The goal of the window, and how fast it is approached.
    pub struct Parameters {
        /// Target number of the flow's packets queued in the network
        alpha: Packets = packets(
            "200 packets",
            Range::above(0.0),
            "experiments of Jin, Wei and Low 2004 (cited from memory, not checked against the paper); releases of \
             FAST used fewer packets on slow paths",
        ),
        /// Fraction of the distance to its target that the window covers in one update
        gamma: f64 = number("0.5", Range::between(0.01, 1.0), "FAST module 1.1.3 for ns-2"),
        /// Queueing delay below which each acknowledgement adds a packet to the window
        growth_delay: Span = time(
            "0.75 ms",
            Range::at_least(0.0),
            "mi_threshold_ of the FAST module for ns-2 (value cited from memory, not checked against the code)",
        ),
        /// Whether the window stays constant in every other round trip, so that each measured delay belongs to a single
        /// window; no effect while the queueing delay is below `growth_delay`
        every_other: bool = flag(true, "FAST module 1.1.3 for ns-2, modelled on the Linux version"),
    }
}

/// The FAST law.
#[derive(Clone, Debug)]
pub struct Fast {
    parameters: Parameters,
    /// Minimum and average round trip, in seconds; the average is zero before the first sample.
    base_rtt: f64,
    average_rtt: f64,
    /// The number of the first packet of the next round trip, and whether the window stays constant in this
    /// one.
    round_ends: u64,
    rests: bool,
}

impl Fast {
    /// Creates the law before the first round trip is known.
    pub fn new(parameters: Parameters) -> Self {
        Self { parameters, base_rtt: f64::INFINITY, average_rtt: 0.0, round_ends: 0, rests: false }
    }

    /// Returns the next window in packets by the paper's equation: w <- min(2w, (1 - gamma) w + gamma
    /// (baseRTT / RTT w + alpha)).
    fn next(&self, window: Packets) -> Packets {
        let Parameters { alpha, gamma, .. } = self.parameters;
        let goal = self.base_rtt / self.average_rtt * window + alpha;
        (2.0 * window).min((1.0 - gamma) * window + gamma * goal)
    }

    fn steer(&mut self, window: &mut Window, ack: &Ack) {
        if self.average_rtt <= 0.0 {
            return;
        }
        let round_is_over = ack.acked_to > self.round_ends;
        if round_is_over {
            self.round_ends = ack.sent_to;
            self.rests = self.parameters.every_other && !self.rests;
        }
        if self.average_rtt - self.base_rtt < self.parameters.growth_delay.seconds() {
            window.cwnd += ack.abc_increment;
        } else if round_is_over && !self.rests {
            window.cwnd = self.next(window.cwnd);
        }
    }
}

impl WindowLaw for Fast {
    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        let Some(rtt) = ack.rtt.map(|rtt| rtt.seconds()) else { return };
        self.base_rtt = self.base_rtt.min(rtt);
        // The paper's weight is min(3/w, 1/4); the ns-2 module has 1/256 instead of 1/4.
        let weight = (3.0 / window.cwnd).min(0.25);
        self.average_rtt = match self.average_rtt > 0.0 {
            true => self.average_rtt + weight * (rtt - self.average_rtt),
            false => rtt,
        };
    }

    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        self.steer(window, ack);
    }

    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        self.steer(window, ack);
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        from / 2.0
    }

    fn needs_full_window(&self) -> bool {
        false
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("base_rtt_s", if self.base_rtt.is_finite() { self.base_rtt } else { f64::NAN });
        series("average_rtt_s", if self.average_rtt > 0.0 { self.average_rtt } else { f64::NAN });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;
    use ackclock_base::Span;

    #[test]
    fn the_window_equation() {
        let law = |base_rtt, average_rtt| {
            let fast = Fast::new(Parameters::default());
            Fast { base_rtt, average_rtt, ..fast }
        };
        // 0.5 * 1000 + 0.5 * (100/125 * 1000 + 200) = 1000: exactly 200 of 1000 packets wait.
        assert!((law(0.1, 0.125).next(1000.0) - 1000.0).abs() < 1e-9);
        // No packets wait: 0.5 * 1000 + 0.5 * 1200 = 1100. At 50 packets the limit is twice the window.
        assert!((law(0.1, 0.1).next(1000.0) - 1100.0).abs() < 1e-9);
        assert!((law(0.1, 0.1).next(50.0) - 100.0).abs() < 1e-9);
        // Twice the delay: 0.5 * 1000 + 0.5 * (500 + 200) = 850.
        assert!((law(0.1, 0.2).next(1000.0) - 850.0).abs() < 1e-9);
    }

    #[test]
    fn it_rests_where_alpha_packets_wait() {
        // 1000 packets per second and 100 ms hold 100 packets; the rest of the window waits, so the round
        // trip is w/1000. In equilibrium w = baseRTT/RTT w + alpha = 100 + alpha.
        for every_other in ["true", "false"] {
            let settings = [("alpha", "30 packets"), ("every_other", every_other)];
            let mut script = Script::with("fast", &settings).window(10.0).starting_ssthresh(10.0);
            for _ in 0..60_000 {
                let rtt = Span::from_seconds((script.cwnd() / 1000.0).max(0.1));
                script.wait(Span::from_millis(1));
                script.ack(Some(rtt));
            }
            assert!((script.cwnd() - 130.0).abs() < 0.5, "{}", script.cwnd());
        }
    }

    #[test]
    fn it_adds_a_packet_for_each_acknowledgement_while_no_packet_waits() {
        let mut script = Script::new("fast").window(10.0).starting_ssthresh(2.0);
        script.acks(5);
        assert_eq!(script.cwnd(), 15.0);
    }

    #[test]
    fn a_loss_halves() {
        let mut script = Script::new("fast").window(300.0).starting_ssthresh(2.0);
        script.loss();
        assert_eq!(script.cwnd(), 150.0);
    }
}
