//! Scalable TCP (Kelly 2003): a fixed increase per acknowledgement and a small cut, so that the time to
//! regain what a loss took depends on the round trip alone.

use super::variant::Variant;
use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "scalable",
        "Scalable TCP: while the window exceeds 16 packets, each acknowledged packet increases it by 0.01 packets and \
         a loss reduces it by an eighth; otherwise, Reno",
        "Kelly 2003, \"Scalable TCP: improving performance in highspeed wide area networks\"",
        Scalable::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Scalable::from(values), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// Multiplicative increase and multiplicative decrease.
    pub struct Scalable {
        /// Packets by which a window above `legacy_window` grows for each packet or acknowledgement that the
        /// transport's `growth` counts
        increase: f64 = number("0.01", Range::between(1e-6, 1.0), "Kelly 2003, a; comment in Linux's tcp_scalable.c"),
        /// Fraction by which a loss reduces a window above `legacy_window`
        decrease: f64 = number("0.125", Range::between(0.01, 0.9), "Kelly 2003, b; Linux's tcp_scalable.c"),
        /// Largest window at which growth and reductions follow Reno
        legacy_window: Packets = packets(
            "16 packets",
            Range::at_least(0.0),
            "Kelly 2003, lwnd (cited from memory, not checked against the paper); near 18.75, where Scalable TCP's \
             mean window of 0.08/p at loss rate p equals Reno's of sqrt(1.5/p). Linux instead uses the \
             larger of the two increases",
        ),
        /// Source of the constants: the other parameters (published), or Linux (linux), where at any window the
        /// increase per counted packet is the larger of 0.01 packets and Reno's, and a loss reduces the window by an
        /// eighth
        variant: Variant = choice(
            "published",
            "Linux's tcp_scalable.c: since 4.0, TCP_SCALABLE_AI_CNT is 100 and counts packets; before, it was 50 and \
             counted acknowledgements",
        ),
    }
}

impl WindowLaw for Scalable {
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        let reno = 1.0 / window.cwnd;
        let published = if window.cwnd <= self.legacy_window { reno } else { self.increase };
        window.cwnd += ack.abc_increment * self.variant.pick(published, reno.max(LINUX_INCREASE));
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        let published = if from <= self.legacy_window { 0.5 } else { 1.0 - self.decrease };
        from * self.variant.pick(published, 1.0 - LINUX_DECREASE)
    }
}

/// Linux's constants, for every window: those of the paper, which has them above the legacy window only.
const LINUX_INCREASE: f64 = 0.01;
const LINUX_DECREASE: f64 = 0.125;

#[cfg(test)]
mod tests {
    use crate::script::Script;

    #[test]
    fn it_adds_a_hundredth_for_each_acknowledgement_and_loses_an_eighth() {
        // Kelly 2003: cwnd + 0.01, cwnd - 0.125 cwnd. 200 + 100 * 0.01 = 201, 201 * 0.875 = 175.875.
        let mut script = Script::new("scalable").window(200.0).starting_ssthresh(200.0);
        script.acks(100);
        assert!((script.cwnd() - 201.0).abs() < 1e-9);
        script.loss();
        assert!((script.cwnd() - 175.875).abs() < 1e-9);
    }

    #[test]
    fn up_to_the_legacy_window_it_is_reno() {
        let mut script = Script::new("scalable").window(16.0).starting_ssthresh(16.0);
        script.acks(1);
        assert_eq!(script.cwnd(), 16.0625);
        let mut script = Script::new("scalable").window(16.0).starting_ssthresh(16.0);
        script.loss();
        assert_eq!(script.cwnd(), 8.0);
    }

    #[test]
    fn linux_is_reno_up_to_100_packets_and_always_takes_an_eighth() {
        for (window, growth) in [(50.0, 0.02), (200.0, 0.01)] {
            let mut script =
                Script::with("scalable", &[("variant", "linux")]).window(window).starting_ssthresh(window);
            script.acks(1);
            assert!((script.cwnd() - window - growth).abs() < 1e-12);
        }
        let mut script = Script::with("scalable", &[("variant", "linux")]).window(8.0).starting_ssthresh(8.0);
        script.loss();
        assert_eq!(script.cwnd(), 7.0);
    }

    #[test]
    fn the_window_at_a_loss_is_0_08_over_the_loss_rate_and_its_mean_0_0749() {
        // W - 0.875 W = 0.01 / p gives W = 0.08 / p. A round trip multiplies the window by 1.01, so sending 1
        // / p packets takes 100 ln(8/7) = 13.353 round trips, and the mean over them is (1/p) / 13.353 =
        // 0.07489 / p.
        for loss_rate in [1e-4, 1e-5] {
            let mut script = Script::new("scalable").window(0.07 / loss_rate).starting_ssthresh(1.0);
            let mean = script.mean_window(loss_rate, 100, 80);
            assert!((mean * loss_rate / 0.07489 - 1.0).abs() < 0.002, "{mean}");
            // The last event of the run was a loss.
            assert!((script.cwnd() * loss_rate / (0.875 * 0.08) - 1.0).abs() < 0.002, "{}", script.cwnd());
        }
    }
}
