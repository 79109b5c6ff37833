//! The layers of the last losses, by which adaptive LTCP-RC tells a steady flow from one in transition (S.
//! Jain 2005, chapter V section A).

use super::Steady;

/// The layers of the last three losses.
#[derive(Clone, Debug, PartialEq)]
pub struct LossLayers {
    rule: Steady,
    second_last: u32,
    last: u32,
    current: u32,
}

impl LossLayers {
    /// Creates the record; before any loss all three layers are 1.
    pub fn new(rule: Steady) -> Self {
        Self { rule, second_last: 1, last: 1, current: 1 }
    }

    /// Returns the layer of the last loss.
    pub fn current(&self) -> u32 {
        self.current
    }

    /// Records a loss in `layer`, before the window is cut. Returns whether the flow is steady.
    pub fn record(&mut self, layer: u32) -> bool {
        (self.second_last, self.last, self.current) = (self.last, self.current, layer);
        let Self { rule, second_last, last, current } = *self;
        match rule {
            Steady::NotRising => second_last >= last && last >= current,
            Steady::SameOrFalling => current < last || (second_last == last && last == current),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LossLayers, Steady};

    fn after(rule: Steady, layers: &[u32]) -> Vec<bool> {
        let mut history = LossLayers::new(rule);
        layers.iter().map(|layer| history.record(*layer)).collect()
    }

    #[test]
    fn three_losses_in_one_layer_are_steady_and_not_before() {
        // From (1, 1, 1): (1, 1, 7) rises, (1, 7, 7) rises, (7, 7, 7) does not.
        for rule in [Steady::NotRising, Steady::SameOrFalling] {
            assert_eq!(after(rule, &[7, 7, 7]), [false, false, true]);
        }
    }

    #[test]
    fn a_loss_in_a_higher_layer_is_a_transition_until_two_more_confirm_it() {
        // (7, 7, 8), (7, 8, 8), (8, 8, 8).
        assert_eq!(after(Steady::NotRising, &[7, 7, 7, 8, 8, 8])[3..], [false, false, true]);
    }

    #[test]
    fn a_flow_that_gives_way_is_steady() {
        // (9, 8, 7) does not rise.
        assert_eq!(after(Steady::NotRising, &[9, 9, 9, 8, 7])[3..], [true, true]);
    }

    #[test]
    fn code_and_prose_differ_where_a_fall_follows_a_rise() {
        // (5, 6, 4): the pseudo-code sees the rise from 5 to 6, the prose sees only that 4 is below 6.
        assert!(!after(Steady::NotRising, &[5, 6, 4])[2]);
        assert!(after(Steady::SameOrFalling, &[5, 6, 4])[2]);
        // (6, 4, 4): the pseudo-code sees no rise; the prose sees neither three equal layers nor a fall.
        assert!(after(Steady::NotRising, &[6, 6, 4, 4])[3]);
        assert!(!after(Steady::SameOrFalling, &[6, 6, 4, 4])[3]);
    }
}
