//! The probe phase of RBCC's dynamic threshold: heuristics I to III (Dahal 2007, section 4.4).

use super::parameters::{Parameters, ProbeUnit};
use super::trend::{Sample, Trend};

/// A change of the threshold that a heuristic asks for, in per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// An increase.
    Raise(f64),
    /// A decrease, at most to the floor.
    Lower(f64),
}

/// The state of the probe phase.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The present values of the clamps.
    incr_clamp: i32,
    decr_clamp: i32,
    /// Whether the second part of heuristic I applies next time: it applies on alternate occasions.
    due: bool,
    /// The number of probes so far.
    pub probes: u32,
    /// The number of increases of the threshold so far: the n-th is by alpha1 / n per cent.
    pub raised: u32,
    /// The number of decreases of the threshold so far: the n-th is by beta1 / n per cent.
    pub lowered: u32,
}

impl Probe {
    /// Creates the state before the first probe.
    pub fn new(constants: &Parameters) -> Self {
        Self {
            incr_clamp: constants.incr_clamp_start,
            decr_clamp: constants.decr_clamp_start,
            due: true,
            probes: 0,
            raised: 0,
            lowered: 0,
        }
    }

    /// Processes a sample. Returns the change that heuristic I or II asks for, or `None`.
    pub fn sample(&mut self, constants: &Parameters, trend: &mut Trend, sample: &Sample) -> Option<Change> {
        let not_rising = trend.rtt_count >= self.incr_clamp;
        let honoured = not_rising && self.due;
        self.due ^= not_rising;
        let change = if constants.starved(trend, sample.cwnd) || honoured {
            trend.not_grown = 0;
            self.raised += 1;
            Some(Change::Raise(constants.alpha1 / f64::from(self.raised)))
        } else if constants.crowding(trend, self.decr_clamp) {
            trend.grown = 0;
            self.lowered += 1;
            Some(Change::Lower(constants.beta1 / f64::from(self.lowered)))
        } else {
            None
        };
        if constants.probe_unit != ProbeUnit::Change || change.is_some() {
            self.probes += 1;
            let raised = |clamp: i32, end: i32| (clamp + constants.clamp_step).min(end);
            self.incr_clamp = raised(self.incr_clamp, constants.incr_clamp_end);
            self.decr_clamp = raised(self.decr_clamp, constants.decr_clamp_end);
        }
        change
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::Span;

    /// Returns the changes over samples with these counters (grown, not grown, rtt_count) and a window of 5.
    fn changes(probe_unit: ProbeUnit, counters: &[(u32, u32, i32)]) -> (Probe, Vec<Option<Change>>) {
        let constants = Parameters { probe_unit, ..Parameters::default() };
        let mut probe = Probe::new(&constants);
        let rtt = Span::from_millis(100);
        let sample = Sample { rtt, min_rtt: rtt, cwnd: 5.0 };
        let change = |(grown, not_grown, rtt_count): &(u32, u32, i32)| {
            let mut trend = Trend::counted(*grown, *not_grown, *rtt_count);
            probe.sample(&constants, &mut trend, &sample)
        };
        let changes = counters.iter().map(change).collect();
        (probe, changes)
    }

    #[test]
    fn a_round_trip_that_does_not_rise_raises_the_threshold_on_alternate_occasions_by_less_each_time() {
        // pp_increment = 12 / n: 12, 6, 4 percent on the first, third and fifth occasion.
        let (_, changes) = changes(ProbeUnit::Ack, &[(0, 0, 3); 6]);
        let expected = [Some(12.0), None, Some(6.0), None, Some(4.0), None];
        assert_eq!(changes, expected.map(|percent| percent.map(Change::Raise)));
    }

    #[test]
    fn a_starved_flow_is_raised_on_every_occasion() {
        // Heuristic I, first part, needs a window of at most 1.5; the window of `changes` is larger.
        let constants = Parameters::default();
        let mut probe = Probe::new(&constants);
        let rtt = Span::from_millis(100);
        let sample = Sample { rtt, min_rtt: rtt, cwnd: 1.0 };
        for n in 1..=3 {
            let mut trend = Trend::counted(0, 2, 0);
            let change = probe.sample(&constants, &mut trend, &sample);
            assert_eq!(change, Some(Change::Raise(12.0 / f64::from(n))));
            assert_eq!(trend.not_grown, 0);
        }
    }

    #[test]
    fn the_clamp_on_increases_rises_from_minus_5_to_2() {
        // With rtt_count = -1 the clamp -5, -4, ..., -1 of the first five probes permits an increase, on the
        // first, third and fifth; from the sixth on it is 0 and more and does not. With rtt_count = 2 it
        // always does.
        let (_, some) = changes(ProbeUnit::Ack, &[(0, 0, -1); 12]);
        let raised: Vec<bool> = some.iter().map(Option::is_some).collect();
        assert_eq!(raised[..6], [true, false, true, false, true, false]);
        assert!(raised[6..].iter().all(|raised| !raised));
        let (probe, _) = changes(ProbeUnit::Ack, &[(0, 0, 2); 30]);
        assert_eq!((probe.raised, probe.incr_clamp), (15, 2));
    }

    #[test]
    fn window_and_round_trip_rising_lower_the_threshold_once_the_clamp_allows_it() {
        // rtt_count = -6 is below incr_clamp from the start. decr_clamp begins at -10 and reaches -6 at the
        // fifth sample: from there on pn_decrement = 5 / n.
        let (probe, changes) = changes(ProbeUnit::Ack, &[(2, 0, -6); 7]);
        let expected = [None, None, None, None, Some(5.0), Some(2.5), Some(5.0 / 3.0)];
        assert_eq!(changes, expected.map(|percent| percent.map(Change::Lower)));
        assert_eq!(probe.decr_clamp, -3);
    }

    #[test]
    fn the_clamp_on_decreases_stops_at_minus_2() {
        let (probe, changes) = changes(ProbeUnit::Ack, &[(2, 0, -2); 30]);
        // -2 >= incr_clamp (-5, -4, -3, -2) in the first four probes, which raise the threshold. Decreases
        // need decr_clamp = -2, which the ninth probe has.
        assert_eq!(probe.decr_clamp, -2);
        assert_eq!(changes[7], None);
        assert!(changes[8..].iter().all(|change| matches!(change, Some(Change::Lower(_)))));
    }

    #[test]
    fn a_probe_is_a_sample_or_a_change() {
        let counters = [(0, 0, 3); 6];
        assert_eq!(changes(ProbeUnit::Ack, &counters).0.probes, 6);
        assert_eq!(changes(ProbeUnit::Change, &counters).0.probes, 3);
    }

    #[test]
    fn at_most_20_increases_give_at_most_1_68_times_the_least_round_trip() {
        // 1.10 * (1 + 0.12/1) (1 + 0.12/2) ... (1 + 0.12/n): 1.36 for n = 3, 1.43 for 5, 1.55 for 10, 1.68 for 20.
        for (n, bound) in [(3, 1.36), (5, 1.43), (10, 1.55), (20, 1.68)] {
            let (_, changes) = changes(ProbeUnit::Ack, &vec![(0, 0, 3); 2 * n]);
            let percents = changes.into_iter().flatten().map(|change| match change {
                Change::Raise(percent) => percent,
                Change::Lower(_) => 0.0,
            });
            let threshold = percents.fold(1.10, |threshold, percent| threshold * (1.0 + percent / 100.0));
            assert!((threshold - bound).abs() < 0.005, "{n}: {threshold}");
        }
    }
}
