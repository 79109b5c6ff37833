//! ABE, alternative back-off with ECN (RFC 8511): a mark comes from a short queue, while a loss may come from
//! a long one, so a mark takes less of the window.

use super::Layer;
use crate::classic::{MIN_SSTHRESH, Window};
use crate::control::{Loss, LossSignal};
use crate::entry::LayerEntry;
use ackclock_base::{Descriptor, Kind, Range, parameters};

/// The response's entry in the registry.
pub const ENTRY: LayerEntry = LayerEntry {
    descriptor: &Descriptor {
        kind: Kind::EcnResponse,
        name: "abe",
        summary: "Alternative back-off with ECN (ABE): an echoed ECN mark reduces the window less than a loss does; no \
                  effect with a control that responds to each mark, such as dctcp",
        source: "RFC 8511",
        parameters: Abe::TABLE,
        presets: &[],
    },
    build: |values, _| Box::new(Abe::from(values)),
};

parameters! {
    /// The parameter of ABE.
    pub struct Abe {
        /// Fraction of the packets in flight or of the window (as set by the transport's `reduce_from`) that remains
        /// after an echoed ECN mark, at least 2 packets, unless the control's own reduction leaves more
        beta: f64 = number("0.8", Range::between(0.0, 1.0), "RFC 8511 section 3.1, which mentions 0.85 for CUBIC"),
    }
}

impl Layer for Abe {
    /// Raises the window after a mark to `ssthresh = max(0.8 FlightSize, 2 SMSS)` (section 3.1), unless the
    /// law's own cut leaves more.
    fn on_loss(&mut self, before: &Window, after: Window, loss: &Loss) -> Window {
        let left = (self.beta * loss.window).max(MIN_SSTHRESH);
        if loss.signal != LossSignal::Ecn || after.cwnd >= left {
            return after;
        }
        Window { cwnd: left.min(before.cwnd).max(after.cwnd), ssthresh: left.max(after.ssthresh) }
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    /// Creates a flow with a window of `packets` under a control with ABE, in congestion avoidance.
    fn abe(control: &str, packets: f64, settings: &[(&str, &str)]) -> Script {
        Script::new(control).window(packets).starting_ssthresh(packets).within("abe", settings)
    }

    #[test]
    fn a_mark_leaves_four_fifths_and_a_loss_half() {
        let mut script = abe("sack", 100.0, &[]);
        script.mark();
        assert_eq!((script.cwnd(), script.ssthresh()), (80.0, 80.0));
        script.recovered();
        script.loss();
        assert_eq!((script.cwnd(), script.ssthresh()), (40.0, 40.0));
    }

    #[test]
    fn a_mark_leaves_two_packets_or_one_if_the_transport_has_only_one() {
        for (packets, min_window) in [(2.0, 2.0), (1.0, 1.0)] {
            let mut script = abe("sack", packets, &[]).floors(min_window, 1.0);
            script.mark();
            assert_eq!((script.cwnd(), script.ssthresh()), (packets, 2.0));
        }
    }

    #[test]
    fn over_cubic_the_plateau_stays_where_the_mark_was() {
        // RFC 8511 section 3.1: beta is 0.85 for CUBIC. K = cbrt((100 - 85) / 0.4) = 3.347 s instead of
        // cbrt(30 / 0.4) = 4.217.
        let mut script = abe("cubic", 100.0, &[("beta", "0.85")]);
        script.mark();
        script.recovered();
        script.acks(1);
        assert_eq!(script.published("w_max_packets"), 100.0);
        assert!((script.published("k_s") - 3.3472).abs() < 1e-3, "{}", script.published("k_s"));
    }

    #[test]
    fn a_law_whose_own_cut_leaves_more_keeps_it() {
        // Scalable TCP leaves 7/8.
        let mut script = abe("scalable", 200.0, &[]);
        script.mark();
        assert_eq!(script.cwnd(), 175.0);
    }

    #[test]
    fn a_spurious_mark_is_undone() {
        let mut script = abe("sack", 100.0, &[]);
        script.mark();
        script.spurious();
        assert_eq!((script.cwnd(), script.ssthresh()), (100.0, 100.0));
    }
}
