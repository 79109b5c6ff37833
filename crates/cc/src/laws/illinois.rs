//! TCP-Illinois (Liu, Başar and Srikant 2008): losses decide when the window shrinks, and the queueing delay
//! by how much it grows and shrinks. With a short delay it grows fast and shrinks little; with a long delay
//! it grows slowly and halves.

use super::round_trips::{Round, RoundTrips};
use super::variant::Variant;
use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "illinois",
        "TCP-Illinois: the longer the queueing delay, the slower the window grows and the more a loss reduces it",
        "Liu, Basar and Srikant 2008, \"TCP-Illinois: a loss- and delay-based congestion control algorithm for high-speed \
         networks\"; Linux's tcp_illinois.c",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Illinois::new(values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// The end points of the increase and decrease functions.
    pub struct Parameters {
        /// Packets by which the window grows per round trip while the queueing delay is at most 1 % of the longest so
        /// far
        most_alpha: f64 = number("10", Range::between(0.1, 1e4), "Liu et al. 2008, alpha_max; Linux's ALPHA_MAX"),
        /// Packets by which the window grows per round trip at the longest queueing delay so far
        least_alpha: f64 = number("0.3", Range::between(0.001, 1e4), "Liu et al. 2008, alpha_min; Linux's ALPHA_MIN"),
        /// Fraction by which a loss reduces the window while the queueing delay is at most 10 % of the longest so far
        least_beta: f64 = number("0.125", Range::between(0.0, 0.9), "Liu et al. 2008, beta_min; Linux's BETA_MIN"),
        /// Fraction by which a loss reduces the window while the queueing delay is at least 80 % of the longest so far
        most_beta: f64 = number("0.5", Range::between(0.0, 0.9), "Liu et al. 2008, beta_max; Linux's BETA_MAX"),
        /// Window below which growth and reductions follow Reno
        low_window: Packets = packets(
            "10 packets",
            Range::at_least(0.0),
            "Liu et al. 2008, W_thresh (cited from memory, not checked against the paper); Linux uses 15",
        ),
        /// Number of round trips with a queueing delay of at most 1 % of the longest so far after which the increase
        /// returns to `most_alpha`
        patience: u32 = integer("5", Range::between(1.0, 1000.0), "Liu et al. 2008, theta; Linux's theta"),
        /// Source of `low_window`: the parameter (published), or Linux's value of 15 packets (linux)
        variant: Variant = choice("published", "Linux's tcp_illinois.c has the paper's constants except win_thresh"),
    }
}

/// Shares of the greatest delay: up to the first the increase is greatest (eta_1), up to the second the
/// decrease is least (eta_2), and from the third on the decrease is greatest (eta_3).
const SHORT: f64 = 0.01;
const GENTLE: f64 = 0.1;
const LONG: f64 = 0.8;

/// The law with the increase and decrease of the last round.
#[derive(Clone, Debug)]
pub struct Illinois {
    parameters: Parameters,
    round_trips: RoundTrips,
    alpha: f64,
    beta: f64,
    /// Whether the delay has exceeded the short one, and the number of rounds since it fell back.
    has_risen: bool,
    calm_rounds: u32,
}

impl Illinois {
    /// Creates the law before the first round.
    pub fn new(parameters: Parameters) -> Self {
        let low_window = parameters.variant.pick(parameters.low_window, 15.0);
        Self {
            round_trips: RoundTrips::default(),
            alpha: parameters.most_alpha,
            beta: RENO_BETA,
            has_risen: false,
            calm_rounds: 0,
            parameters: Parameters { low_window, ..parameters },
        }
    }

    fn adapt(&mut self, cwnd: Packets, round: &Round) {
        if cwnd < self.parameters.low_window {
            (self.alpha, self.beta) = (1.0, RENO_BETA);
            return;
        }
        let delay = round.mean() - self.round_trips.base;
        let greatest = self.round_trips.greatest - self.round_trips.base;
        self.alpha = self.alpha_at(delay, greatest);
        self.beta = self.beta_at(delay, greatest);
    }

    /// Returns the increase in packets per round trip: `k1 / (k2 + d)` above the short delay (Liu et al.
    /// equation 3). After a delay above the short one, the increase is the greatest again in the round of
    /// short delay number `patience`.
    fn alpha_at(&mut self, delay: f64, greatest: f64) -> f64 {
        let Parameters { most_alpha, least_alpha, patience, .. } = self.parameters;
        let short = SHORT * greatest;
        if delay > short {
            self.has_risen = true;
            let share = (delay - short) / (greatest - short);
            return most_alpha / (1.0 + share * (most_alpha / least_alpha - 1.0));
        }
        self.calm_rounds += u32::from(self.has_risen);
        if self.has_risen && self.calm_rounds < patience {
            return self.alpha;
        }
        (self.has_risen, self.calm_rounds) = (false, 0);
        most_alpha
    }

    /// Returns the decrease as a share of the window, which grows linearly from the least to the greatest
    /// (Liu et al. equation 4).
    fn beta_at(&self, delay: f64, greatest: f64) -> f64 {
        let Parameters { least_beta, most_beta, .. } = self.parameters;
        let along = (delay - GENTLE * greatest) / ((LONG - GENTLE) * greatest);
        if greatest > 0.0 { least_beta + (most_beta - least_beta) * along.clamp(0.0, 1.0) } else { most_beta }
    }
}

/// The share that a loss takes below the low window, and after a timeout.
const RENO_BETA: f64 = 0.5;

impl WindowLaw for Illinois {
    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        if let Some(round) = self.round_trips.observe(ack) {
            self.adapt(window.cwnd, &round);
        }
    }

    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        window.cwnd += self.alpha * ack.abc_increment / window.cwnd;
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        from * (1.0 - self.beta)
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        window.start_over(timeout);
        (self.alpha, self.beta) = (1.0, RENO_BETA);
        (self.has_risen, self.calm_rounds) = (false, 0);
        self.round_trips.restart();
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("alpha_packets", self.alpha);
        series("beta", self.beta);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    #[test]
    fn the_increase_falls_as_a_hyperbola_from_ten_to_0_3() {
        // Greatest delay 100 ms, short 1 ms: k1 = 99 * 0.3 * 10 / 9.7 = 30.6186, k2 = 99 * 0.3 / 9.7 - 1 = 2.0619.
        // At 50.5 ms: 30.6186 / 52.5619 = 0.58252.
        let mut law = Illinois::new(Parameters::default());
        assert_eq!(law.alpha_at(0.001, 0.1), 10.0);
        assert!((law.alpha_at(0.0505, 0.1) - 0.58252).abs() < 1e-5);
        assert!((law.alpha_at(0.1, 0.1) - 0.3).abs() < 1e-12);
    }

    #[test]
    fn the_decrease_grows_along_a_line_from_an_eighth_to_a_half() {
        let law = Illinois::new(Parameters::default());
        for (delay, beta) in [(0.0, 0.125), (0.01, 0.125), (0.045, 0.3125), (0.08, 0.5), (0.1, 0.5)] {
            assert!((law.beta_at(delay, 0.1) - beta).abs() < 1e-12, "{delay}");
        }
    }

    #[test]
    fn four_calm_rounds_after_a_long_one_change_nothing() {
        let mut law = Illinois::new(Parameters::default());
        let risen = law.alpha_at(0.05, 0.1);
        law.alpha = risen;
        let calm = [(); 5].map(|()| law.alpha_at(0.0, 0.1));
        assert_eq!(calm, [risen, risen, risen, risen, 10.0]);
    }

    /// Plays rounds at 100 ms, 200 ms and `ms`; the first acknowledgement ends a round of its own.
    fn after(settings: &[(&str, &str)], packets: f64, ms: u64) -> Script {
        let mut script = Script::with("illinois", settings).window(packets).starting_ssthresh(2.0);
        for rtt in [100, 200, ms] {
            script.set_cwnd(packets);
            script.round(packets as u32, rtt);
        }
        script.set_cwnd(packets);
        script.ack_with_rtt(ms);
        script
    }

    #[test]
    fn a_window_of_acknowledgements_adds_alpha_and_a_loss_takes_beta() {
        // The last round was at the greatest delay: 0.3 and a half.
        let mut script = after(&[], 100.0, 200);
        assert!(
            (script.published("alpha_packets") - 0.3).abs() < 0.01,
            "{}",
            script.published("alpha_packets")
        );
        script.set_cwnd(100.0);
        script.loss();
        assert_eq!(script.cwnd(), 50.0);
    }

    #[test]
    fn below_the_low_window_it_is_reno_and_linux_draws_the_line_higher() {
        for (variant, alpha) in [("published", 0.3), ("linux", 1.0)] {
            let mut script = after(&[("variant", variant)], 12.0, 200);
            assert!((script.published("alpha_packets") - alpha).abs() < 0.03, "{variant}");
        }
    }

    #[test]
    fn a_timeout_makes_it_reno_until_the_next_round() {
        let mut script = after(&[], 100.0, 100);
        script.timeout();
        assert_eq!((script.published("alpha_packets"), script.published("beta")), (1.0, 0.5));
        assert_eq!((script.cwnd(), script.ssthresh()), (1.0, script.ssthresh()));
    }
}
