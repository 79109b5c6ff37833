//! The RTT compensation factor K_R of LTCP-RC (S. Jain 2005, equations 4.2, 5.1 and 5.2).

use super::{Mode, Parameters, Update};
use ackclock_base::Span;

/// The factors of a flow in transition and of a steady one, and the factor in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors {
    parameters: Parameters,
    min_rtt: Span,
    transient: f64,
    steady: f64,
    in_transition: bool,
    in_force: f64,
}

impl Factors {
    /// Creates the factors of a flow in transition. Before the first round trip the factor is 1 (the thesis
    /// does not say).
    pub fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            min_rtt: Span::MAX,
            transient: 1.0,
            steady: 1.0,
            in_transition: true,
            in_force: 1.0,
        }
    }

    /// Updates the factors with the minimum round trip so far, which stands for the propagation delay, so
    /// that a queue raises no factor (chapter IV).
    pub fn see(&mut self, min_rtt: Span) {
        if min_rtt == self.min_rtt || min_rtt == Span::MAX {
            return;
        }
        let first = self.min_rtt == Span::MAX;
        self.min_rtt = min_rtt;
        let Parameters { mode, c, steady_c, alpha, update, .. } = self.parameters;
        let power = libm::pow(min_rtt.millis(), alpha); // equation 4.2
        self.transient = c * power;
        self.steady = match mode {
            Mode::Fixed => self.transient,
            Mode::OnOff => 1.0,
            Mode::FullHalf => steady_c * power,
        };
        if first || update == Update::AtOnce {
            self.enter(self.in_transition);
        }
    }

    /// Sets whether the flow is in transition (true) or steady (false), and puts that state's present factor
    /// in force.
    pub fn enter(&mut self, in_transition: bool) {
        self.in_transition = in_transition;
        self.in_force = if in_transition { self.transient } else { self.steady };
    }

    /// Returns whether the flow is in transition.
    pub fn in_transition(&self) -> bool {
        self.in_transition
    }

    /// Returns the factor in force, K_R.
    pub fn in_force(&self) -> f64 {
        self.in_force
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_is_c_times_the_cube_root_of_the_round_trip() {
        // Equation 4.2, c over RTT in ms: 8, 40, 80, 120 and 160 have cube roots 2, 3.4200, 4.3089, 4.9324, 5.4288.
        let table = [
            (0.3, [0.600, 1.026, 1.293, 1.480, 1.629]),
            (0.4, [0.800, 1.368, 1.724, 1.973, 2.172]),
            (0.5, [1.000, 1.710, 2.154, 2.466, 2.714]),
            (0.6, [1.200, 2.052, 2.585, 2.959, 3.257]),
            (0.7, [1.400, 2.394, 3.016, 3.453, 3.800]),
            (0.8, [1.600, 2.736, 3.447, 3.946, 4.343]),
        ];
        for (c, row) in table {
            for (ms, expected) in [8, 40, 80, 120, 160].into_iter().zip(row) {
                let mut factors = Factors::new(Parameters { c, ..Parameters::default() });
                factors.see(Span::from_millis(ms));
                assert!((factors.in_force() - expected).abs() < 6e-4, "c {c}, {ms} ms");
            }
        }
    }

    #[test]
    fn alpha_is_the_power() {
        // 0.5 * 64^(1/2) = 4.
        let mut factors = Factors::new(Parameters { alpha: 0.5, ..Parameters::default() });
        assert_eq!(factors.in_force(), 1.0);
        factors.see(Span::from_millis(64));
        assert!((factors.in_force() - 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_steady_flow_has_the_factor_of_its_mode() {
        // RTT 120 ms: 0.5 and 0.3 times 4.9324.
        for (mode, steady) in [(Mode::Fixed, 2.466), (Mode::OnOff, 1.0), (Mode::FullHalf, 1.480)] {
            let mut factors = Factors::new(Parameters { mode, ..Parameters::default() });
            factors.see(Span::from_millis(120));
            assert!((factors.in_force() - 2.466).abs() < 6e-4);
            factors.enter(false);
            assert!((factors.in_force() - steady).abs() < 6e-4, "{mode:?}");
            factors.enter(true);
            assert!((factors.in_force() - 2.466).abs() < 6e-4);
        }
    }

    #[test]
    fn a_new_least_round_trip_counts_at_once_or_at_the_next_event() {
        for (update, before_event) in [(Update::AtOnce, 1.0), (Update::AtEvent, 2.0)] {
            let mut factors = Factors::new(Parameters { update, ..Parameters::default() });
            factors.see(Span::from_millis(64)); // 0.5 * 4; the first sample always counts
            assert!((factors.in_force() - 2.0).abs() < 1e-12);
            factors.see(Span::from_millis(8)); // 0.5 * 2
            assert!((factors.in_force() - before_event).abs() < 1e-12);
            factors.enter(true);
            assert!((factors.in_force() - 1.0).abs() < 1e-12);
        }
    }
}
