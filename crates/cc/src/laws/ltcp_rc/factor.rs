//! The RTT compensation factor K_R of LTCP-RC (S. Jain 2005, equations 4.2, 5.1 and 5.2).

use ackclock_base::{Parameter, Quantity, Range, Span, Values};

/// c.
pub const C: Parameter = Parameter {
    name: "c",
    summary: "The factor is c times a power of the least round trip in milliseconds",
    quantity: Quantity::Number,
    default: "0.5",
    range: Range::above(0.0),
    source: "S. Jain equation 4.2; chapter IV section E1 sweeps 0.4 to 0.8 and takes 0.5",
};

/// c of a steady flow in mode full-half.
pub const STEADY_C: Parameter = Parameter {
    name: "steady_c",
    summary: "In mode full-half, what takes the place of c while the flow is steady",
    quantity: Quantity::Number,
    default: "0.3",
    range: Range::above(0.0),
    source: "S. Jain equation 5.2",
};

/// The power of the round trip.
pub const ALPHA: Parameter = Parameter {
    name: "alpha",
    summary: "The power of the least round trip",
    quantity: Quantity::Number,
    default: "0.3333333333333333",
    range: Range::between(0.0, 5.0),
    source: "S. Jain equation 4.2; table I: 1/3 shares as TCP does, 5/3 regardless of round trips",
};

/// When a new least round trip counts.
pub const UPDATE: Parameter = Parameter {
    name: "update",
    summary: "Whether a new least round trip changes the factor at once or at the next change of state",
    quantity: Quantity::Choice(&["at-once", "at-event"]),
    default: "at-once",
    range: Range::ANY,
    source: "S. Jain chapter IV, in words; the pseudo-code of chapter V stores it for the next event",
};

/// The factors of a flow in transition and of a steady one, and which is in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors {
    c: f64,
    /// `None` for a factor of 1.
    steady_c: Option<f64>,
    alpha: f64,
    at_once: bool,
    min_rtt: Span,
    transient: f64,
    steady: f64,
    in_transition: bool,
    in_force: f64,
}

impl Factors {
    /// A flow begins in transition. Before the first round trip the factor is 1 (not stated).
    pub fn new(values: &Values, mode: &str) -> Self {
        let c = values.number(C.name);
        Self {
            c,
            steady_c: match mode {
                "fixed" => Some(c),
                "full-half" => Some(values.number(STEADY_C.name)),
                _ => None,
            },
            alpha: values.number(ALPHA.name),
            at_once: values.choice(UPDATE.name) == "at-once",
            min_rtt: Span::MAX,
            transient: 1.0,
            steady: 1.0,
            in_transition: true,
            in_force: 1.0,
        }
    }

    /// The least round trip so far: from it the propagation delay is judged, so that a queue raises no factor
    /// (chapter IV).
    pub fn see(&mut self, min_rtt: Span) {
        if min_rtt == self.min_rtt || min_rtt == Span::MAX {
            return;
        }
        let first = self.min_rtt == Span::MAX;
        self.min_rtt = min_rtt;
        let power = libm::pow(min_rtt.millis(), self.alpha); // equation 4.2
        self.transient = self.c * power;
        self.steady = self.steady_c.map_or(1.0, |c| c * power);
        if first || self.at_once {
            self.enter(self.in_transition);
        }
    }

    /// The flow is in transition, or steady.
    pub fn enter(&mut self, in_transition: bool) {
        self.in_transition = in_transition;
        self.in_force = if in_transition { self.transient } else { self.steady };
    }

    /// Whether the flow is in transition.
    pub fn in_transition(&self) -> bool {
        self.in_transition
    }

    /// K_R.
    pub fn in_force(&self) -> f64 {
        self.in_force
    }
}

#[cfg(test)]
mod tests {
    use super::Factors;
    use crate::laws::ltcp_rc::ENTRY;
    use ackclock_base::{Span, Values};

    fn factors(mode: &str, settings: &[(&str, &str)]) -> Factors {
        Factors::new(&Values::with(ENTRY.descriptor, settings), mode)
    }

    #[test]
    fn the_factor_is_c_times_the_cube_root_of_the_round_trip() {
        // Equation 4.2, c over RTT in ms: 8, 40, 80, 120 and 160 have cube roots 2, 3.4200, 4.3089, 4.9324, 5.4288.
        let table = [
            ("0.3", [0.600, 1.026, 1.293, 1.480, 1.629]),
            ("0.4", [0.800, 1.368, 1.724, 1.973, 2.172]),
            ("0.5", [1.000, 1.710, 2.154, 2.466, 2.714]),
            ("0.6", [1.200, 2.052, 2.585, 2.959, 3.257]),
            ("0.7", [1.400, 2.394, 3.016, 3.453, 3.800]),
            ("0.8", [1.600, 2.736, 3.447, 3.946, 4.343]),
        ];
        for (c, row) in table {
            for (ms, expected) in [8, 40, 80, 120, 160].into_iter().zip(row) {
                let mut factors = factors("fixed", &[("c", c)]);
                factors.see(Span::from_millis(ms));
                assert!((factors.in_force() - expected).abs() < 6e-4, "c {c}, {ms} ms");
            }
        }
    }

    #[test]
    fn alpha_is_the_power() {
        // 0.5 * 64^(1/2) = 4.
        let mut factors = factors("fixed", &[("alpha", "0.5")]);
        assert_eq!(factors.in_force(), 1.0);
        factors.see(Span::from_millis(64));
        assert!((factors.in_force() - 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_steady_flow_has_the_factor_of_its_mode() {
        // RTT 120 ms: 0.5 and 0.3 times 4.9324.
        for (mode, steady) in [("fixed", 2.466), ("on-off", 1.0), ("full-half", 1.480)] {
            let mut factors = factors(mode, &[]);
            factors.see(Span::from_millis(120));
            assert!((factors.in_force() - 2.466).abs() < 6e-4);
            factors.enter(false);
            assert!((factors.in_force() - steady).abs() < 6e-4, "{mode}");
            factors.enter(true);
            assert!((factors.in_force() - 2.466).abs() < 6e-4);
        }
    }

    #[test]
    fn a_new_least_round_trip_counts_at_once_or_at_the_next_event() {
        for (update, before_event) in [("at-once", 1.0), ("at-event", 2.0)] {
            let mut factors = factors("fixed", &[("update", update)]);
            factors.see(Span::from_millis(64)); // 0.5 * 4; the first sample always counts
            assert!((factors.in_force() - 2.0).abs() < 1e-12);
            factors.see(Span::from_millis(8)); // 0.5 * 2
            assert!((factors.in_force() - before_event).abs() < 1e-12);
            factors.enter(true);
            assert!((factors.in_force() - 1.0).abs() < 1e-12);
        }
    }
}
