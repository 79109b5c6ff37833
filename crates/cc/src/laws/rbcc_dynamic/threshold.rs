//! RBCC's dynamic threshold: a probe phase, followed by the normal phase for the rest of the connection
//! (Dahal 2007, section 4.4 C).

use super::normal::Normal;
use super::parameters::Parameters;
use super::probe::{Change, Probe};
use super::trend::{Sample, Trend};
use ackclock_base::Span;

/// The threshold of one connection.
#[derive(Clone, Debug)]
pub struct Threshold {
    constants: Parameters,
    value: Option<Span>,
    probing: bool,
    trend: Trend,
    probe: Probe,
    normal: Normal,
}

impl Threshold {
    /// Creates the threshold before the base is known.
    pub fn new(constants: Parameters) -> Self {
        Self {
            value: None,
            probing: true,
            trend: Trend::new(constants.rtt_count_rule),
            probe: Probe::new(&constants),
            normal: Normal::default(),
            constants,
        }
    }

    /// Returns the threshold. At the first call it is set to `base` plus the start margin, 10 % by default
    /// (step 1).
    pub fn above(&mut self, base: Span) -> Span {
        *self.value.get_or_insert(base.scale(1.0 + self.constants.start_margin / 100.0))
    }

    /// Returns whether the threshold is in its probe phase.
    pub fn probing(&self) -> bool {
        self.probing
    }

    /// Processes a sample (steps 2 and 3).
    pub fn sample(&mut self, sample: &Sample) {
        let value = self.above(sample.min_rtt);
        if !self.trend.see(sample) {
            return;
        }
        let change = if self.probing {
            self.probe.sample(&self.constants, &mut self.trend, sample)
        } else {
            self.normal.sample(&self.constants, &mut self.trend, sample)
        };
        match change {
            Some(Change::Raise(percent)) => self.value = Some(value.scale(1.0 + percent / 100.0)),
            Some(Change::Lower(percent)) => {
                let floor = sample.min_rtt.scale(1.0 + self.constants.floor_margin / 100.0); // step 4
                self.value = Some(value.scale(1.0 - percent / 100.0).max(floor));
            }
            None => {}
        }
        if self.probing && self.constants.probed(&self.trend, self.probe.probes) {
            self.probing = false;
            self.trend.reset();
        }
    }

    /// Publishes internal values, see [`crate::Control::publish`].
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("rtt_threshold_s", self.value.map_or(f64::NAN, Span::seconds));
        series("probing", f64::from(u8::from(self.probing)));
        series("probes", f64::from(self.probe.probes));
        series("probe_increases", f64::from(self.probe.raised));
        series("probe_decreases", f64::from(self.probe.lowered));
        series("rtt_count", f64::from(self.trend.rtt_count));
        series("lean_states", f64::from(self.normal.lean));
        series("bully_states", f64::from(self.normal.bully));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::rbcc_dynamic::ENTRY;
    use ackclock_base::Values;

    fn threshold(settings: &[(&str, &str)]) -> Threshold {
        Threshold::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)))
    }

    fn sample(rtt_ms: u64, cwnd: f64) -> Sample {
        Sample { rtt: Span::from_millis(rtt_ms), min_rtt: Span::from_millis(100), cwnd }
    }

    fn seconds(threshold: &mut Threshold) -> f64 {
        threshold.above(Span::from_millis(100)).seconds()
    }

    #[test]
    fn it_begins_10_percent_above_the_least_round_trip() {
        let mut threshold = threshold(&[]);
        assert!((seconds(&mut threshold) - 0.110).abs() < 1e-9);
        // The first sample cannot be compared with another, and changes nothing.
        threshold.sample(&sample(100, 5.0));
        assert!((seconds(&mut threshold) - 0.110).abs() < 1e-9);
        assert_eq!(threshold.probe.probes, 0);
    }

    #[test]
    fn the_21st_probe_ends_the_phase() {
        let mut threshold = threshold(&[]);
        for _ in 0..21 {
            threshold.sample(&sample(100, 5.0)); // the first, and 20 probes
        }
        assert!(threshold.probing());
        threshold.sample(&sample(100, 5.0));
        assert!(!threshold.probing());
        assert_eq!((threshold.trend.not_grown, threshold.trend.rtt_count), (0, 0));
    }

    #[test]
    fn growth_of_window_and_queue_ends_the_phase() {
        // Five samples with growth and five rises: rtt_count = -5, after the first sample. The decrease of
        // heuristic II, which would restart the count of growth, needs rtt_count at most -10 + 1 per probe:
        // -6 at the fifth.
        let mut threshold = threshold(&[]);
        for step in 0..6 {
            assert!(threshold.probing());
            threshold.sample(&sample(100 + step, 5.0 + step as f64));
        }
        assert!(!threshold.probing());
    }

    #[test]
    fn a_decrease_stops_2_5_percent_above_the_least_round_trip() {
        // From 110 ms: 5 % to 104.5, 2.5 % to 101.9, which the floor raises to 102.5. Heuristic III would
        // need 7 samples of growth, and an incr_clamp of 2 excludes heuristic I; a decr_clamp of -2 lets two
        // samples of growth lower the threshold.
        let settings = [("decr_clamp_start", "-2"), ("gamma31", "7"), ("incr_clamp_start", "2")];
        let mut threshold = threshold(&settings);
        let mut values = Vec::new();
        for step in 0..5 {
            threshold.sample(&sample(100 + step, 5.0 + step as f64));
            values.push((seconds(&mut threshold) * 1e5).round() / 1e2);
        }
        assert_eq!(values, [110.0, 110.0, 104.5, 104.5, 102.5]);
    }

    #[test]
    fn in_the_normal_phase_a_lean_flow_raises_it() {
        // 22 samples at a constant round trip and a window of 5 are 21 probes, which end the probe phase.
        // Then 15 samples without growth at a window of 2, and 14 more to confirm, give 5 %.
        let mut threshold = threshold(&[]);
        for _ in 0..22 {
            threshold.sample(&sample(100, 5.0));
        }
        let raised = (1..=11).fold(0.110, |value, n| value * (1.0 + 0.12 / f64::from(n)));
        // Alternate probes would raise the threshold 11 times. But rtt_count is 0, below incr_clamp from the
        // seventh probe on, and the window counts as stuck only at 1.5 or less.
        let after_probes = seconds(&mut threshold);
        assert!(after_probes < raised);
        for _ in 0..28 {
            threshold.sample(&sample(100, 2.0));
        }
        assert!((seconds(&mut threshold) - after_probes).abs() < 1e-9);
        threshold.sample(&sample(100, 2.0));
        assert!((seconds(&mut threshold) - 1.05 * after_probes).abs() < 1e-8);
    }
}
