//! The layers of LTCP (S. Jain 2005, chapter II): the number of virtual flows that a window corresponds to.

use ackclock_base::Packets;

/// The present layer of a window, and the boundaries between layers.
#[derive(Clone, Debug, PartialEq)]
pub struct Layers {
    /// W_T, the window at which layer 2 begins.
    threshold: Packets,
    current: u32,
}

impl Layers {
    /// Creates the layers of a connection, which begins in layer 1 (chapter II).
    pub fn new(threshold: Packets) -> Self {
        Self { threshold, current: 1 }
    }

    /// Returns the present layer, K.
    pub fn current(&self) -> u32 {
        self.current
    }

    /// Returns the window at which layer K begins, W_K = K (K + 1) (K - 1) / 6 W_T, in packets (equation
    /// 2.7).
    pub fn boundary(&self, layer: u32) -> Packets {
        let k = f64::from(layer);
        k * (k + 1.0) * (k - 1.0) / 6.0 * self.threshold
    }

    /// Moves up while the window is above the next boundary, and down while it is below its own. At a
    /// boundary the layer stays (pseudo-code of chapter V section A).
    pub fn follow(&mut self, cwnd: Packets) {
        while cwnd > self.boundary(self.current + 1) {
            self.current += 1;
        }
        while cwnd < self.boundary(self.current) {
            self.current -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Layers;

    #[test]
    fn the_boundaries_for_a_threshold_of_50() {
        // Equation 2.7 with W_T = 50, K = 1 to 20: K = 13 is 13 * 14 * 12 / 6 * 50 = 364 * 50.
        let expected = [
            0.0, 50.0, 200.0, 500.0, 1000.0, 1750.0, 2800.0, 4200.0, 6000.0, 8250.0, 11_000.0, 14_300.0,
            18_200.0, 22_750.0, 28_000.0, 34_000.0, 40_800.0, 48_450.0, 57_000.0, 66_500.0,
        ];
        let layers = Layers::new(50.0);
        for (layer, boundary) in (1..).zip(expected) {
            assert!((layers.boundary(layer) - boundary).abs() < 1e-9, "layer {layer}");
        }
    }

    #[test]
    fn the_closed_form_satisfies_the_recurrences() {
        // Equation 2.6: W_K = (K + 1) / (K - 2) W_(K-1) from K = 3; equations 2.1 and 2.8: a layer is
        // K (K + 1) / 2 W_T wide.
        let layers = Layers::new(50.0);
        for layer in 3..=40 {
            let k = f64::from(layer);
            let ratio = layers.boundary(layer) / layers.boundary(layer - 1);
            assert!((ratio - (k + 1.0) / (k - 2.0)).abs() < 1e-12, "layer {layer}");
        }
        for layer in 1..=40 {
            let k = f64::from(layer);
            let width = layers.boundary(layer + 1) - layers.boundary(layer);
            assert!((width - k * (k + 1.0) / 2.0 * 50.0).abs() < 1e-6, "layer {layer}");
        }
    }

    #[test]
    fn a_cut_of_15_percent_drops_one_layer_at_most_where_the_thesis_says() {
        // beta W < delta_(K-1) means beta < 3 / (K + 1) at W = W_K: 3/20 = 0.15 at K = 19, where the cut is
        // exactly as wide as the layer below. At the top of a layer beta < 3 (K - 1) / ((K + 1) (K + 2)):
        // 42/272 = 0.154 at K = 15, 45/306 = 0.147 at K = 16.
        let layers = Layers::new(50.0);
        let width = |layer| layers.boundary(layer + 1) - layers.boundary(layer);
        assert!((0.15 * layers.boundary(19) - width(18)).abs() < 1e-9);
        assert!(0.15 * layers.boundary(18) < width(17));
        assert!(0.15 * layers.boundary(16) < width(14));
        assert!(0.15 * layers.boundary(17) > width(15));
    }

    #[test]
    fn a_layer_is_left_only_beyond_its_boundaries() {
        // W_2 = 50, W_3 = 200.
        let mut layers = Layers::new(50.0);
        let mut at = |cwnd| {
            layers.follow(cwnd);
            layers.current()
        };
        assert_eq!([at(50.0), at(50.5), at(200.0), at(200.5)], [1, 2, 2, 3]);
        assert_eq!([at(200.0), at(199.5), at(50.0), at(49.5), at(0.0)], [3, 2, 2, 1, 1]);
        // Slow start and a timeout may pass several layers at once.
        assert_eq!([at(1001.0), at(1.0)], [5, 1]);
    }
}
