//! The controller of both queues (PI2: De Schepper et al. 2016; dualpi2_update in RFC 9332 appendix A), and
//! the conversion of its probabilities to decisions.

use super::Parameters;
use ackclock_base::Span;

/// A proportional integral controller of a base probability p'.
#[derive(Clone, Copy, Debug)]
pub struct Controller {
    parameters: Parameters,
    base: f64,
    previous_s: f64,
}

impl Controller {
    /// Creates the controller of empty queues.
    pub fn new(parameters: Parameters) -> Self {
        Self { parameters, base: 0.0, previous_s: 0.0 }
    }

    /// Creates the controller with an initial base probability.
    #[cfg(test)]
    pub fn with_base(parameters: Parameters, base: f64) -> Self {
        Self { base, ..Self::new(parameters) }
    }

    /// Updates the base probability at the end of a period in which the oldest packet had waited for
    /// `waited`: p' += alpha (q - target) + beta (q - q_before). Returns whether that changed anything.
    /// Appendix A.2 uses the longer wait of the two queues.
    pub fn update(&mut self, waited: Span) -> bool {
        let before = (self.base, self.previous_s);
        let seconds = waited.seconds();
        let Parameters { target, alpha, beta, .. } = self.parameters;
        let step = alpha * (seconds - target.seconds()) + beta * (seconds - self.previous_s);
        self.base = (self.base + step).clamp(0.0, 1.0);
        self.previous_s = seconds;
        before != (self.base, self.previous_s)
    }

    /// Returns p_C = p'^2, because the window of a classic sender falls with the root of the drop
    /// probability.
    pub fn classic(&self) -> f64 {
        self.base * self.base
    }

    /// Returns p_CL = k p', at most 1.
    pub fn coupled(&self) -> f64 {
        (self.parameters.coupling * self.base).min(1.0)
    }

    /// Returns whether marking every packet of the short queue is not enough: p_CL has reached 1, and p_C its
    /// p_Cmax of 1 / k^2.
    pub fn is_overloaded(&self) -> bool {
        self.parameters.coupling * self.base >= 1.0
    }
}

/// Spreads decisions evenly instead of at random (recur in appendix A.1): it adds up probabilities, and
/// decides whenever their sum exceeds a whole one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread(f64);

impl Spread {
    /// Adds a probability. Returns whether this packet is one of those to be dropped or marked.
    pub fn takes(&mut self, probability: f64) -> bool {
        self.0 += probability;
        let whole = self.0 > 1.0;
        if whole {
            self.0 -= 1.0;
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn controller(base: f64) -> Controller {
        Controller::with_base(Parameters::default(), base)
    }

    #[test]
    fn the_base_probability_follows_its_difference_equation() {
        // Target 15 ms, alpha 0.16, beta 3.2. 20 ms after 0: 0.16 * 0.005 + 3.2 * 0.020 = 0.0648. 20 ms again:
        // + 0.0008 = 0.0656. 10 ms: - 0.0008 - 3.2 * 0.010 = 0.0328.
        let mut controller = controller(0.0);
        for (waited_ms, base) in [(20, 0.0648), (20, 0.0656), (10, 0.0328)] {
            assert!(controller.update(Span::from_millis(waited_ms)));
            assert!((controller.base - base).abs() < 1e-12, "{}", controller.base);
        }
    }

    #[test]
    fn it_is_a_probability_and_comes_to_rest() {
        let mut controller = controller(0.0);
        assert!(controller.update(Span::from_millis(10_000)));
        assert_eq!(controller.base, 1.0);
        assert!(controller.update(Span::ZERO));
        assert_eq!(controller.base, 0.0);
        assert!(!controller.update(Span::ZERO));
    }

    #[test]
    fn marks_are_coupled_to_the_root_of_the_drops() {
        for (base, classic, coupled, overloaded) in [
            (0.1, 0.01, 0.2, false),
            (0.25, 0.0625, 0.5, false),
            (0.5, 0.25, 1.0, true),
            (0.8, 0.64, 1.0, true),
        ] {
            let controller = controller(base);
            assert!((controller.classic() - classic).abs() < 1e-12);
            assert!((controller.coupled() - coupled).abs() < 1e-12);
            assert!((controller.coupled() - (2.0 * libm::sqrt(controller.classic())).min(1.0)).abs() < 1e-12);
            assert_eq!(controller.is_overloaded(), overloaded);
        }
    }

    #[test]
    fn decisions_are_spread_evenly() {
        // With 0.3 the sum is beyond a whole at the 4th, 7th, 11th, 14th: 1.2, 1.1 (0.2 + 0.9), 1.3 (0.1 + 1.2), 1.2.
        let mut spread = Spread::default();
        let taken: Vec<_> = (1..=14).filter(|_| spread.takes(0.3)).collect();
        assert_eq!(taken, [4, 7, 11, 14]);
    }
}
