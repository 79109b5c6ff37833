//! Binomial controls (Bansal and Balakrishnan 2001): the increase shrinks with a power k of the window, the decrease
//! grows with a power l of it. k = 0 and l = 1 is Reno, k = l = 1/2 is SQRT. Where k + l = 1 the throughput falls with the
//! loss rate as Reno's does.

use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, parameters};

/// The control's entry in the registry: its name, its description and its constructor.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "binomial",
        "Additive increase and multiplicative decrease, each with a power of the window",
        "Bansal and Balakrishnan 2001",
        Binomial::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Binomial::from(values), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// Increase and decrease by powers of the window.
    pub struct Binomial {
        /// Packets of increase in a round trip at a window of one packet
        alpha: f64 = number("1", Range::between(0.0, 10.0), SOURCE),
        /// Packets of decrease at a window of one packet
        beta: f64 = number("0.5", Range::between(0.0, 10.0), SOURCE),
        /// Power of the window that divides the increase
        k: f64 = number("0.5", Range::between(0.0, 10.0), SOURCE),
        /// Power of the window that multiplies the decrease
        l: f64 = number("0.5", Range::between(0.0, 10.0), SOURCE),
    }
}

const SOURCE: &str = "Bansal and Balakrishnan 2001; alpha, beta as in Reno, k = l = 0.5 is SQRT";

impl WindowLaw for Binomial {
    /// Adds alpha / w^(k + 1) per acknowledgement, so alpha / w^k in a round trip of w acknowledgements.
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        window.cwnd += self.alpha * ack.abc_increment / libm::pow(window.cwnd, self.k + 1.0);
    }

    /// Returns w - beta w^l.
    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        from - self.beta * libm::pow(from, self.l)
    }
}

#[cfg(test)]
mod tests {
    use super::ENTRY;
    use crate::script::Script;

    #[test]
    fn sqrt_adds_the_root_of_the_window_and_takes_it_away() {
        // w = 16, alpha = 1, k = 0.5: one acknowledgement adds 1 / 16^1.5 = 1/64 of a packet.
        let mut script = Script::of(&ENTRY, &[]).window(16.0).starting_ssthresh(16.0);
        script.acks(1);
        assert!((script.cwnd() - (16.0 + 1.0 / 64.0)).abs() < 1e-12);
        // beta = 0.5, l = 0.5: a loss at 64 takes 0.5 * 64^0.5 = 4 packets.
        let mut script = Script::of(&ENTRY, &[]).window(64.0).starting_ssthresh(64.0);
        script.loss();
        assert!((script.cwnd() - 60.0).abs() < 1e-12);
    }

    #[test]
    fn over_many_round_trips_the_window_grows_as_time_to_the_power_two_thirds() {
        // dw/dt = alpha / w^k has the solution w^(k + 1) = w0^(k + 1) + (k + 1) alpha t, with t in round trips:
        // from 16, after 100 of them, (64 + 150)^(2/3) = 35.78.
        let mut script = Script::of(&ENTRY, &[]).window(16.0).starting_ssthresh(16.0);
        for _ in 0..100 {
            let window = script.cwnd();
            script.acks_over(window.round() as u32, 100);
        }
        assert!((script.cwnd() - 35.78).abs() < 0.3, "{}", script.cwnd());
    }

    #[test]
    fn with_k_zero_and_l_one_it_is_reno() {
        let mut script = Script::of(&ENTRY, &[("k", "0"), ("l", "1")]).window(10.0).starting_ssthresh(10.0);
        let mut reno = Script::new("reno").window(10.0).starting_ssthresh(10.0);
        for control in [&mut script, &mut reno] {
            control.acks(25);
            control.loss();
        }
        assert!((script.cwnd() - reno.cwnd()).abs() < 1e-12);
    }
}
