//! The normal phase of RBCC's dynamic threshold: heuristics IV and V (Dahal 2007, section 4.4).

use super::parameters::{Confirmation, Parameters};
use super::probe::Change;
use super::trend::{Sample, Trend};

/// The state of the normal phase.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Normal {
    lean_found: u32,
    bully_found: u32,
    /// The number of lean states since the last bully state.
    pub lean: u32,
    /// The number of bully states since the last lean state.
    pub bully: u32,
}

impl Normal {
    /// Processes a sample. Returns the change that heuristic IV or V asks for, or `None`. Declaring a lean or
    /// bully state resets the counters (section 4.4 C, step 3c).
    pub fn sample(&mut self, constants: &Parameters, trend: &mut Trend, sample: &Sample) -> Option<Change> {
        let consecutive = constants.confirmation == Confirmation::Consecutive;
        let lean = constants.lean(trend, sample.cwnd);
        let bully = !lean && constants.bully(trend, sample.cwnd, constants.decr_clamp_normal);
        self.lean_found = if consecutive && !lean { 0 } else { self.lean_found + u32::from(lean) };
        self.bully_found = if consecutive && !bully { 0 } else { self.bully_found + u32::from(bully) };
        let change = if lean && self.lean_found >= constants.gamma42 {
            (self.lean, self.bully) = (self.lean + 1, 0);
            Change::Raise(constants.alpha2 / f64::from(self.lean))
        } else if bully && self.bully_found >= constants.gamma52 {
            (self.bully, self.lean) = (self.bully + 1, 0);
            Change::Lower(constants.beta2 / f64::from(self.bully))
        } else {
            return None;
        };
        (self.lean_found, self.bully_found) = (0, 0);
        trend.reset();
        Some(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::Span;

    struct Phase {
        constants: Parameters,
        normal: Normal,
    }

    impl Phase {
        fn new(confirmation: Confirmation) -> Self {
            let constants = Parameters { confirmation, ..Parameters::default() };
            Self { constants, normal: Normal::default() }
        }

        /// Returns the changes over `times` samples with these counters.
        fn changes(
            &mut self,
            times: usize,
            grown: u32,
            not_grown: u32,
            rtt_count: i32,
            cwnd: f64,
        ) -> Vec<Change> {
            let rtt = Span::from_millis(100);
            let sample = Sample { rtt, min_rtt: rtt, cwnd };
            let change = |_| {
                let mut trend = Trend::counted(grown, not_grown, rtt_count);
                let change = self.normal.sample(&self.constants, &mut trend, &sample);
                assert_eq!(change.is_some(), trend == Trend::counted(0, 0, 0)); // step 3c
                change
            };
            (0..times).filter_map(change).collect()
        }

        fn lean(&mut self, times: usize) -> Vec<Change> {
            self.changes(times, 0, 15, 0, 2.0)
        }

        fn bully(&mut self, times: usize) -> Vec<Change> {
            self.changes(times, 15, 0, -10, 3.0)
        }
    }

    #[test]
    fn fifteen_findings_of_a_lean_flow_raise_by_less_each_time_in_a_row() {
        // lp_increment = 5 / n percent.
        let mut phase = Phase::new(Confirmation::Total);
        assert_eq!(phase.lean(14), []);
        assert_eq!(phase.lean(1), [Change::Raise(5.0)]);
        assert_eq!(phase.lean(30), [Change::Raise(2.5), Change::Raise(5.0 / 3.0)]);
    }

    #[test]
    fn fifteen_findings_of_a_bully_lower_by_less_each_time_in_a_row() {
        // bn_decrement = 3 / n percent.
        let mut phase = Phase::new(Confirmation::Total);
        assert_eq!(phase.bully(45), [Change::Lower(3.0), Change::Lower(1.5), Change::Lower(1.0)]);
    }

    #[test]
    fn the_opposite_state_ends_a_row() {
        let mut phase = Phase::new(Confirmation::Total);
        phase.lean(30);
        phase.bully(15);
        assert_eq!(phase.lean(15), [Change::Raise(5.0)]);
        assert_eq!(phase.bully(15), [Change::Lower(3.0)]);
    }

    #[test]
    fn confirmations_add_up_or_must_be_consecutive() {
        for (confirmation, expected) in
            [(Confirmation::Total, vec![Change::Raise(5.0)]), (Confirmation::Consecutive, vec![])]
        {
            let mut phase = Phase::new(confirmation);
            phase.lean(14);
            phase.changes(1, 1, 0, 0, 2.0);
            assert_eq!(phase.lean(1), expected);
        }
    }
}
