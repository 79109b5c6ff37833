//! TCP/k (Cho 2006 chapter IV section C): one flow that grows and shrinks as k flows together. With k = 1 it
//! is standard TCP, so the group laws use its functions too.

use crate::classic::{Classic, MIN_SSTHRESH, Window, WindowLaw};
use crate::control::{Ack, Loss};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "tcp-k",
        "One TCP flow whose window grows and shrinks as the total window of k flows would",
        "Cho 2006 section IV.C, equations 4.1 to 4.3",
        TcpK::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(TcpK::from(values), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// One flow that replaces k flows.
    pub struct TcpK {
        /// Number of standard TCP flows that the flow emulates
        k: f64 = number("1", Range::between(1.0, 1e6), "Cho section IV.C; 1 is standard TCP"),
    }
}

/// Adds the growth of one acknowledgement at strength k (equations 4.1 and 4.2).
pub fn grow(window: &mut Window, k: f64, increment: Packets) {
    let Window { cwnd, ssthresh } = *window;
    window.cwnd = if cwnd < ssthresh {
        // As in `Window::slow_start`, the window rises to the threshold at most, or by up to k packets if the
        // threshold is nearer.
        (cwnd + k * increment).min(ssthresh.max(cwnd + k))
    } else {
        cwnd + k * increment / cwnd
    };
}

/// Returns the share of k windows that remains when one of them is halved: (2k - 1) / 2k.
pub fn rest(k: f64) -> f64 {
    (2.0 * k - 1.0) / (2.0 * k)
}

/// Cuts the window by equation 4.3. The threshold is half of the window before the cut, whatever k is.
pub fn cut(window: &mut Window, k: f64, loss: &Loss) {
    window.ssthresh = (loss.window / 2.0).max(MIN_SSTHRESH);
    window.cwnd = loss.window * rest(k);
}

impl WindowLaw for TcpK {
    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        grow(window, self.k, ack.abc_increment);
    }

    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        grow(window, self.k, ack.abc_increment);
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        from * rest(self.k)
    }

    fn on_loss(&mut self, window: &mut Window, loss: &Loss) {
        cut(window, self.k, loss);
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    fn script(k: &str) -> Script {
        Script::with("tcp-k", &[("k", k)]).window(100.0)
    }

    #[test]
    fn slow_start_adds_k_for_each_acknowledgement() {
        let mut script = script("4"); // equation 4.1
        script.acks(10);
        assert_eq!(script.cwnd(), 140.0);
    }

    #[test]
    fn avoidance_adds_k_for_each_window() {
        let mut script = script("4").starting_ssthresh(100.0); // equation 4.2: 100 + 4/100
        script.acks(1);
        assert_eq!(script.cwnd(), 100.04);
    }

    #[test]
    fn a_loss_takes_one_part_in_2k_and_the_threshold_is_half() {
        // Equation 4.3: (2k-1)/(2k) is 1/2, 7/8, 19/20.
        for (k, left) in [("1", 50.0), ("4", 87.5), ("10", 95.0)] {
            let mut script = script(k);
            script.loss();
            assert_eq!((script.cwnd(), script.ssthresh()), (left, 50.0));
        }
    }

    #[test]
    fn after_a_loss_it_grows_linearly() {
        let mut script = script("4");
        script.loss();
        script.acks(1);
        assert!((script.cwnd() - (87.5 + 4.0 / 87.5)).abs() < 1e-12);
    }

    #[test]
    fn the_window_recovers_from_a_loss_within_w_over_2k_squared_round_trips() {
        // Section IV.C: W/(2k) packets at k a round trip; W = 800, k = 4: 25 round trips from 700.
        let mut script = script("4").window(800.0);
        script.loss();
        for _ in 0..25 {
            let round = script.cwnd() as u32;
            script.acks_over(round, 100);
        }
        assert!((script.cwnd() - 800.0).abs() < 1.0, "{}", script.cwnd());
    }

    #[test]
    fn its_mean_window_is_that_of_equation_3_16() {
        // The mean window is sqrt(k(4k-1)/2) / sqrt(p): with p = 1e-4, 122.5 for k = 1, 264.6 for k = 2,
        // 547.7 for k = 4, 1396.4 for k = 10; relative to k = 1 (equation 3.17) 2.160, 4.472, 11.402.
        for (k, expected) in [("1", 122.47), ("2", 264.58), ("4", 547.72), ("10", 1396.42)] {
            let mean = script(k).starting_ssthresh(100.0).mean_window(1e-4, 100, 60);
            assert!((mean / expected - 1.0).abs() < 0.01, "k = {k}: {mean} for {expected}");
        }
    }

    #[test]
    fn with_k_one_it_is_standard_tcp() {
        let mut standard = Script::new("sack").window(10.0).starting_ssthresh(20.0);
        let mut strength = Script::new("tcp-k").window(10.0).starting_ssthresh(20.0);
        for script in [&mut standard, &mut strength] {
            script.acks(60);
            script.loss();
            script.acks(10);
            script.timeout();
        }
        assert_eq!((standard.cwnd(), standard.ssthresh()), (strength.cwnd(), strength.ssthresh()));
    }
}
