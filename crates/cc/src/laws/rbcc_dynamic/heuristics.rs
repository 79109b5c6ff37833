//! The five heuristics of RBCC's dynamic threshold as conditions (Dahal 2007, section 4.4, heuristics I to V).

use super::parameters::Parameters;
use super::trend::Trend;
use ackclock_base::Packets;

impl Parameters {
    /// Returns whether heuristic I, first part, applies: the window is stuck at the bottom.
    pub fn starved(&self, trend: &Trend, cwnd: Packets) -> bool {
        trend.not_grown >= self.gamma1 && trend.rtt_count >= 0 && cwnd <= self.probe_window
    }

    /// Returns whether heuristic II applies: window and round trip rise together.
    pub fn crowding(&self, trend: &Trend, decr_clamp: i32) -> bool {
        trend.grown >= self.gamma2 && trend.rtt_count <= decr_clamp
    }

    /// Returns whether heuristic III applies: the window has grown reasonably and the queue with it, or there
    /// were enough probes.
    pub fn probed(&self, trend: &Trend, probes: u32) -> bool {
        (trend.grown >= self.gamma31 && trend.rtt_count <= self.gamma32) || probes > self.probe_clamp
    }

    /// Returns whether the condition of heuristic IV, a lean flow, holds; it must hold on several occasions.
    pub fn lean(&self, trend: &Trend, cwnd: Packets) -> bool {
        trend.not_grown >= self.gamma41 && trend.rtt_count >= 0 && cwnd <= self.lean_window
    }

    /// Returns whether the condition of heuristic V, a bully, holds; it must hold on several occasions.
    pub fn bully(&self, trend: &Trend, cwnd: Packets, decr_clamp: i32) -> bool {
        trend.grown >= self.gamma51 && trend.rtt_count <= decr_clamp && cwnd > self.lean_window
    }
}

#[cfg(test)]
mod tests {
    use super::super::trend::Trend;
    use super::Parameters;

    // Each condition holds at its limits, and fails one step beyond any of them.

    #[test]
    fn one_two_samples_without_growth_no_rise_and_a_window_of_one_and_a_half() {
        let h = Parameters::default();
        assert!(h.starved(&Trend::counted(0, 2, 0), 1.5));
        assert!(!h.starved(&Trend::counted(0, 1, 0), 1.5) && !h.starved(&Trend::counted(0, 2, -1), 1.5));
        assert!(!h.starved(&Trend::counted(0, 2, 0), 1.51));
    }

    #[test]
    fn two_two_samples_with_growth_and_rises_down_to_the_clamp() {
        let h = Parameters::default();
        assert!(h.crowding(&Trend::counted(2, 0, -10), -10));
        assert!(!h.crowding(&Trend::counted(1, 0, -10), -10) && !h.crowding(&Trend::counted(2, 0, -9), -10));
    }

    #[test]
    fn three_five_samples_with_growth_and_five_rises_or_more_than_20_probes() {
        let h = Parameters::default();
        assert!(h.probed(&Trend::counted(5, 0, -5), 1));
        assert!(!h.probed(&Trend::counted(4, 0, -5), 1) && !h.probed(&Trend::counted(5, 0, -4), 1));
        assert!(h.probed(&Trend::counted(0, 0, 0), 21) && !h.probed(&Trend::counted(0, 0, 0), 20));
    }

    #[test]
    fn four_fifteen_samples_without_growth_no_rise_and_a_window_of_two() {
        let h = Parameters::default();
        assert!(h.lean(&Trend::counted(0, 15, 0), 2.0));
        assert!(!h.lean(&Trend::counted(0, 14, 0), 2.0) && !h.lean(&Trend::counted(0, 15, -1), 2.0));
        assert!(!h.lean(&Trend::counted(0, 15, 0), 2.1));
    }

    #[test]
    fn five_fifteen_samples_with_growth_ten_rises_and_a_window_above_two() {
        let h = Parameters::default();
        assert!(h.bully(&Trend::counted(15, 0, -10), 2.1, -10));
        assert!(
            !h.bully(&Trend::counted(14, 0, -10), 2.1, -10) && !h.bully(&Trend::counted(15, 0, -9), 2.1, -10)
        );
        assert!(!h.bully(&Trend::counted(15, 0, -10), 2.0, -10));
    }
}
