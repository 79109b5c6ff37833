//! HighSpeed TCP (RFC 3649): above a window of 38 packets, the increase grows and the decrease shrinks with
//! the window, so that the window falls with the loss rate as p^-0.835 instead of p^-0.5.

use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "hstcp",
        "HighSpeed TCP: above a window of 38 packets, the larger the window, the larger its increase and the smaller \
         the fraction by which a loss reduces it; below, Reno",
        "RFC 3649",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(HighSpeed::new(&values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// The end points of the response function.
    pub struct Parameters {
        /// Largest window at which growth and reductions follow Reno
        low_window: Packets = packets(
            "38 packets",
            Range::between(2.0, 1000.0),
            "RFC 3649 section 5, Low_Window; first line of Linux's table",
        ),
        /// Window at the upper end of the response function, at the loss rate `high_p`
        high_window: Packets = packets("83000 packets", Range::above(1000.0), "RFC 3649 section 5, High_Window"),
        /// Loss rate at which the response function equals `low_window`
        low_p: f64 = number(
            "0.001",
            Range::between(1e-5, 0.1),
            "RFC 3649 section 5, Low_P; ns-2 2.35 uses 1.5 / 38^2 = 0.00104",
        ),
        /// Loss rate at which the response function equals `high_window`
        high_p: f64 = number("1e-7", Range::between(1e-12, 1e-6), "RFC 3649 section 5, High_P"),
        /// Fraction by which a loss reduces the window at `high_window`
        high_decrease: f64 = number(
            "0.1",
            Range::between(0.01, 0.5),
            "RFC 3649 section 5, High_Decrease; last lines of Linux's table",
        ),
    }
}

/// The functions a(w) and b(w) of RFC 3649 section 5.
#[derive(Clone, Debug)]
pub struct HighSpeed {
    low_window: Packets,
    /// The logarithms of the low window and of its loss rate.
    ln_low: (f64, f64),
    /// The changes of ln p and of the decrease per unit of ln w.
    slope_of_ln_p: f64,
    slope_of_decrease: f64,
    /// a(w) at the last acknowledgement in avoidance and b(w) at the last loss, for figures.
    shown: (f64, f64),
}

impl HighSpeed {
    /// Computes the functions through these end points.
    pub fn new(ends: &Parameters) -> Self {
        let (ln_low, ln_high) = (libm::log(ends.low_window), libm::log(ends.high_window));
        let (ln_low_p, ln_high_p) = (libm::log(ends.low_p), libm::log(ends.high_p));
        Self {
            low_window: ends.low_window,
            ln_low: (ln_low, ln_low_p),
            slope_of_ln_p: (ln_high_p - ln_low_p) / (ln_high - ln_low),
            slope_of_decrease: (ends.high_decrease - RENO_DECREASE) / (ln_high - ln_low),
            shown: (1.0, RENO_DECREASE),
        }
    }

    /// Returns a(w), the increase in packets per round trip. The formula gives 0.96 at the low window, where
    /// the tables of appendix B begin with 1.
    pub fn increase(&self, window: Packets) -> Packets {
        if window <= self.low_window {
            return 1.0;
        }
        let ln_p = self.ln_low.1 + self.slope_of_ln_p * (libm::log(window) - self.ln_low.0);
        let b = self.decrease_at(window);
        (window * window * libm::exp(ln_p) * 2.0 * b / (2.0 - b)).max(1.0)
    }

    /// Returns b(w), the part of the window that a loss takes. Past the high window it stays above zero.
    pub fn decrease_at(&self, window: Packets) -> f64 {
        if window <= self.low_window {
            return RENO_DECREASE;
        }
        let above = libm::log(window) - self.ln_low.0;
        (RENO_DECREASE + self.slope_of_decrease * above).max(0.01)
    }
}

/// The part of the window that a loss takes up to the low window.
const RENO_DECREASE: f64 = 0.5;

impl WindowLaw for HighSpeed {
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        self.shown.0 = self.increase(window.cwnd);
        window.cwnd += self.shown.0 * ack.abc_increment / window.cwnd;
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        self.shown.1 = self.decrease_at(from);
        from * (1.0 - self.shown.1)
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("increase_packets", self.shown.0);
        series("decrease", self.shown.1);
    }
}

#[cfg(test)]
mod tests {
    use super::{HighSpeed, Parameters};
    use crate::script::Script;

    #[test]
    fn the_increase_and_decrease_are_those_of_appendix_b() {
        let law = HighSpeed::new(&Parameters::default());
        // RFC 3649 appendix B: the smallest windows at which a(w) reaches 2, 3, 8, 30 and 70, with b(w).
        for (window, increase, decrease) in [
            (118.0, 2.0, 0.44),
            (221.0, 3.0, 0.41),
            (1058.0, 8.0, 0.33),
            (10661.0, 30.0, 0.21),
            (79517.0, 70.0, 0.10),
        ] {
            let found = (law.increase(window), law.decrease_at(window));
            assert!((found.0 - increase).abs() < 0.03 * increase, "a({window}) = {}", found.0);
            assert!((found.1 - decrease).abs() < 0.006, "b({window}) = {}", found.1);
        }
        assert_eq!((law.increase(38.0), law.decrease_at(38.0)), (1.0, 0.5));
    }

    #[test]
    fn an_acknowledgement_adds_a_of_w_over_w_and_a_loss_takes_b_of_w() {
        // b(1000) = 0.5 - 0.4 ln(1000/38) / ln(83000/38) = 0.5 - 0.4 * 3.27017 / 7.68901 = 0.32988.
        // p(1000) = 1e-3 * exp(-9.21034 * 0.425304) = 1.98968e-5, a = 1e6 p * 0.659757 / 1.670122 = 7.8599.
        let mut script = Script::new("hstcp").window(1000.0).starting_ssthresh(1000.0);
        script.acks(1);
        assert!((script.cwnd() - 1000.0 - 0.0078599).abs() < 1e-6, "{}", script.cwnd());
        assert!((script.published("increase_packets") - 7.8599).abs() < 1e-3);
        let mut script = Script::new("hstcp").window(1000.0).starting_ssthresh(1000.0);
        script.loss();
        assert!((script.cwnd() - 670.12).abs() < 0.01, "{}", script.cwnd());
    }

    #[test]
    fn the_mean_window_is_that_of_the_response_function() {
        // RFC 3649 section 5, w = 0.12 / p^0.835: 263 at 1e-4, 1795 at 1e-5, 12279 at 1e-6. The derivation
        // takes a(w) and b(w) as constant between losses. They are not, so the mean window is 0.9 to 2.4 %
        // larger.
        for (loss_rate, response) in [(1e-4, 263.0), (1e-5, 1795.0), (1e-6, 12279.0)] {
            let mut script = Script::new("hstcp").window(response).starting_ssthresh(response);
            let mean = script.mean_window(loss_rate, 100, 12);
            assert!((mean / response - 1.0).abs() < 0.03, "{mean} instead of {response}");
        }
    }

    #[test]
    fn up_to_the_low_window_it_is_reno() {
        let mut scripts =
            ["hstcp", "sack"].map(|name| Script::new(name).window(20.0).starting_ssthresh(20.0));
        for script in &mut scripts {
            script.acks(30);
            script.loss();
        }
        let [mut high, mut reno] = scripts;
        assert_eq!(high.cwnd(), reno.cwnd());
    }
}
