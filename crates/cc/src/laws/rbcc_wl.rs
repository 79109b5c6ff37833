//! RBCC-WL, RBCC for paths with a wireless link (Dahal 2007, section 5.2): a gentler step, and no reduction
//! on a loss.
//!
//! The threshold prevents an overflow of the queue, so a loss is taken not to mean one. A loss is repaired as
//! in NewReno, and the window stays; it stays on a timeout too.

use super::rbcc::{self, Rbcc};
use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Initial, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Descriptor, Packets, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &Descriptor {
        presets: &[("threshold_factor", "1.7")],
        ..control(
            "rbcc-wl",
            "RBCC for wireless paths: the window changes by less than a packet per acknowledgement, and neither losses \
             nor, by default, timeouts reduce it",
            "Dahal 2007 sections 5.2 and 5.3.1, equation 5.3",
            Parameters::TABLE,
        )
    },
    build: Build::Alone(|values, initial| {
        Box::new(Classic::new(RbccWl::new(&values.into(), initial), initial))
    }),
    published: PublishedDefaults::recovery("newreno"),
};

parameters! {
    /// The threshold, and the effect of a timeout.
    pub struct Parameters {
        /// Whether a timeout reduces the window to one packet, as in NewReno; if not, a timeout leaves the window as it
        /// is
        timeout_cut: bool = flag(false, "Dahal section 5.2 v: no reduction on a packet drop, however it was detected"),
        /// The threshold and the bounds on the window.
        threshold: rbcc::Threshold,
    }
}

/// The law of equations 5.3 and 3.5.
#[derive(Clone, Debug)]
pub struct RbccWl {
    rbcc: Rbcc,
    timeout_cut: bool,
}

impl RbccWl {
    /// Creates the law of a connection that starts with `initial`.
    pub fn new(parameters: &Parameters, initial: &Initial) -> Self {
        Self { rbcc: Rbcc::new(&parameters.threshold, initial), timeout_cut: parameters.timeout_cut }
    }
}

impl WindowLaw for RbccWl {
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        let (step, threshold) = self.rbcc.step();
        if let Some(rtt) = ack.rtt {
            step.take_gently(window, rtt, threshold);
        }
    }

    /// Does the same as congestion avoidance, as RBCC does.
    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        self.avoid_congestion(window, ack);
    }

    fn observe(&mut self, _window: &mut Window, ack: &Ack) {
        self.rbcc.observe(ack);
    }

    /// Returns the window unchanged: "Do not reduce the size of cwnd on packet-drop" (section 5.2 v).
    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        from
    }

    /// Keeps the window, where other laws would reduce from the packets in flight.
    fn on_loss(&mut self, window: &mut Window, _loss: &Loss) {
        window.ssthresh = window.cwnd;
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        if self.timeout_cut {
            window.start_over(timeout);
        } else {
            window.ssthresh = window.cwnd;
        }
    }

    fn needs_full_window(&self) -> bool {
        false
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.rbcc.publish(series);
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    fn wl(settings: &[(&str, &str)]) -> Script {
        Script::with("rbcc-wl", settings).window(10.0)
    }

    #[test]
    fn the_step_is_the_distance_over_the_larger_of_the_two() {
        // Equation 5.3, F = 1.7, RTT_min = 62 ms: threshold 105.4 ms.
        // RTT = 62 ms: (105.4 - 62) / 105.4 = +0.41176. RTT = 210.8 ms, twice the threshold: -0.5.
        let mut script = wl(&[]);
        script.ack_with_rtt(62);
        assert!((script.cwnd() - 10.411_765).abs() < 1e-6);
        let mut script = wl(&[("rtt_min", "100 ms"), ("threshold_factor", "2")]);
        script.ack_with_rtt(400);
        assert!((script.cwnd() - 9.5).abs() < 1e-9);
        // RBCC at the same round trip: +0.7.
        let mut rbcc = Script::with("rbcc", &[("threshold_factor", "1.7")]).window(10.0);
        rbcc.ack_with_rtt(62);
        assert!((rbcc.cwnd() - 10.7).abs() < 1e-9);
    }

    #[test]
    fn it_never_moves_by_a_packet_and_stops_at_its_bounds() {
        let mut script = wl(&[]).limit(20.0);
        for rtt in [1, 30, 105, 106, 1000, 60_000] {
            let before = script.cwnd();
            script.ack_with_rtt(rtt);
            assert!((script.cwnd() - before).abs() < 1.0, "{rtt}");
        }
        for _ in 0..100 {
            script.ack_with_rtt(5000);
        }
        assert_eq!(script.cwnd(), 1.0);
        for _ in 0..100 {
            script.ack_with_rtt(10);
        }
        assert_eq!(script.cwnd(), 20.0);
    }

    #[test]
    fn neither_a_loss_nor_a_timeout_reduces_the_window() {
        let mut script = wl(&[]);
        script.loss();
        assert_eq!((script.cwnd(), script.ssthresh()), (10.0, 10.0));
        script.timeout();
        script.timeout_again();
        assert_eq!(script.cwnd(), 10.0);
        script.ack_with_rtt(62);
        assert!(script.cwnd() > 10.4, "and the law goes on from there");
        let mut cut = wl(&[("timeout_cut", "true")]);
        cut.timeout();
        assert_eq!((cut.cwnd(), cut.ssthresh()), (1.0, 5.0));
    }
}
