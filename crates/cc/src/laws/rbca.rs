//! RBCA, RTT Based Congestion Avoidance (Dahal 2007, section 6.1.1): RBCC for SCTP. The window moves by a
//! fraction of the data acknowledged, and neither a loss nor a timeout reduces it: since the threshold keeps
//! the queue short, a loss is most likely not caused by congestion.

use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use crate::laws::rbcc::RttMinMode;
use ackclock_base::declare::{self, Declared};
use ackclock_base::{Packets, Range, Span, choice, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "rbca",
        "RBCC (RTT Based Congestion Control) for SCTP: the window grows if the RTT is below a threshold and shrinks if \
         it is above, in proportion to the data acknowledged; losses do not reduce it",
        "Dahal 2007 section 6.1.1, equations 6.1, 6.2, 6.5",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| {
        Box::new(Classic::new(Rbca { parameters: values.into(), threshold: None }, initial))
    }),
    published: PublishedDefaults::NONE,
};

choice! {
    /// The effect of a timeout.
    pub enum OnTimeout {
        /// None: a timeout is a packet drop too.
        Keep = "keep",
        /// The window becomes one packet, as in standard SCTP.
        StartOver = "start-over",
    }
}

/// F, the ratio of the threshold to the base round trip.
pub const FACTOR: Declared<f64> = declare::number(
    "2",
    Range { min: 1.0, max: 1000.0, above_min: true },
    "Dahal equation 6.5; section 6.2.1 uses 2.0, table 6.1 also 2.3",
)
.about("RTT threshold as a multiple of the base RTT (F)");

/// The given base round trip.
pub const RTT_MIN: Declared<Span> = declare::time(
    "62 ms",
    Range { min: 0.0, max: 3600.0, above_min: true },
    "from Dahal table 6.1, as latency divided by F (0.0621 to 0.0622 s); the thesis states no value",
)
.about("Base RTT if `rtt_min_mode` is `given`; no effect if it is `measured`");

/// The source of the base round trip.
pub const RTT_MIN_MODE: Declared<RttMinMode> =
    declare::choice("given", "Dahal section 6.2.1, equation 6.5: RTT_min is a constant")
        .about("Source of the base RTT: `rtt_min` (given), or the minimum RTT so far on the path (measured)");

parameters! {
    /// The threshold, and the effect of a timeout.
    pub struct Parameters {
        threshold_factor: f64 = FACTOR,
        rtt_min_mode: RttMinMode = RTT_MIN_MODE,
        rtt_min: Span = RTT_MIN,
        /// Effect of a timeout on the window: none (keep), or a window of one packet, as in standard SCTP
        /// (start-over)
        on_timeout: OnTimeout = choice(
            "keep",
            "Dahal section 6.1.1 v: \"do not reduce cwnd on packet drops\"; it does not mention timeouts",
        ),
    }
}

/// The law of equations 6.1 and 6.2.
#[derive(Clone, Debug)]
pub struct Rbca {
    parameters: Parameters,
    /// The threshold at the last acknowledgement, for series; `None` before the first.
    threshold: Option<Span>,
}

impl WindowLaw for Rbca {
    /// Moves the window by CwndIncr = (threshold - RTT) / max(RTT, threshold) * DSize, where DSize is the
    /// data newly acknowledged, at most one packet. The floor of one packet is in [`Classic`].
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        let base = match self.parameters.rtt_min_mode {
            RttMinMode::Given => self.parameters.rtt_min,
            RttMinMode::Measured => ack.min_rtt,
        };
        let threshold = base.scale(self.parameters.threshold_factor);
        self.threshold = Some(threshold);
        let (rtt, threshold) = (rtt.seconds(), threshold.seconds());
        window.cwnd += (threshold - rtt) / rtt.max(threshold) * ack.abc_increment.min(1.0);
    }

    /// Does the same as congestion avoidance: the law has one regime.
    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        self.avoid_congestion(window, ack);
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        from
    }

    /// Leaves the window unchanged (section 6.1.1 v).
    fn on_loss(&mut self, _window: &mut Window, _loss: &Loss) {}

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        if self.parameters.on_timeout == OnTimeout::StartOver {
            window.start_over(timeout);
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("rtt_threshold_s", self.threshold.map_or(f64::NAN, Span::seconds));
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    #[test]
    fn the_window_moves_by_a_fraction_of_what_is_acknowledged() {
        // F = 2, 62 ms: threshold 124 ms. At 62 ms (124 - 62) / 124 = +0.5; at 248 ms (124 - 248) / 248 = -0.5; at 124 ms 0.
        let mut script = Script::new("rbca").window(10.0);
        script.ack_with_rtt(62);
        assert!((script.cwnd() - 10.5).abs() < 1e-9);
        script.ack_with_rtt(248);
        assert!((script.cwnd() - 10.0).abs() < 1e-9);
        script.ack_with_rtt(124);
        assert!((script.cwnd() - 10.0).abs() < 1e-9);
    }

    #[test]
    fn neither_losses_nor_timeouts_cut_the_window_by_default() {
        let mut script = Script::new("rbca").window(10.0);
        script.loss();
        script.timeout();
        assert_eq!(script.cwnd(), 10.0);
        let mut script = Script::with("rbca", &[("on_timeout", "start-over")]).window(10.0);
        script.timeout();
        assert_eq!(script.cwnd(), 1.0);
    }

    #[test]
    fn the_window_is_never_below_a_packet() {
        let mut script = Script::new("rbca").window(1.2);
        script.ack_with_rtt(1240); // (124 - 1240) / 1240 = -0.9
        assert_eq!(script.cwnd(), 1.0);
    }

    #[test]
    fn a_measured_base_is_the_least_so_far() {
        // 100 ms measured: threshold 200 ms, (200 - 100) / 200 = 0.5.
        let mut script = Script::with("rbca", &[("rtt_min_mode", "measured")]).window(5.0);
        script.ack_with_rtt(100);
        assert!((script.cwnd() - 5.5).abs() < 1e-9);
    }
}
