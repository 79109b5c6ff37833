//! Streams of random numbers, one per seed and component name, so that adding a flow does not disturb the
//! others and two schemes can be compared on the same numbers.

use ackclock_base::Random;
use rand_core::Rng;
use rand_pcg::Pcg64;

/// The random numbers of one component.
#[derive(Clone, Debug)]
pub struct Stream {
    generator: Pcg64,
}

impl Stream {
    /// Creates the stream of `component` in the run with `seed`.
    pub fn new(seed: u64, component: &str) -> Self {
        let name = hash(component);
        Self {
            generator: Pcg64::new(
                u128::from(mix(seed)) << 64 | u128::from(mix(seed ^ name)),
                u128::from(name),
            ),
        }
    }

    /// Draws a number uniformly from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Draws an exponentially distributed number with this mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.uniform())
    }
}

impl Random for Stream {
    #[inline]
    fn uniform(&mut self) -> f64 {
        // 53 random bits as a fraction, which is the same on every machine.
        (self.generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Hashes a name by FNV-1a, which is short and never changes between versions of a library.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Mixes a seed by the finaliser of SplitMix64, so that neighbouring seeds give unrelated states.
fn mix(seed: u64) -> u64 {
    let seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let seed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let seed = (seed ^ (seed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    seed ^ (seed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(mut draw: impl FnMut() -> f64) -> f64 {
        (0..100_000).map(|_| draw()).sum::<f64>() / 100_000.0
    }

    #[test]
    fn streams_repeat_and_differ() {
        let draw = |seed, name| Stream::new(seed, name).uniform();
        assert_eq!(draw(1, "flow 1"), draw(1, "flow 1"));
        assert_ne!(draw(1, "flow 1"), draw(1, "flow 2"));
        assert_ne!(draw(1, "flow 1"), draw(2, "flow 1"));
    }

    #[test]
    fn moments_are_right() {
        // Standard errors: uniform 0.29 / sqrt(1e5) = 0.0009; exponential with mean 3: 0.0095.
        let mut stream = Stream::new(7, "moments");
        assert!((mean(|| stream.uniform()) - 0.5).abs() < 0.005);
        assert!((mean(|| stream.exponential(3.0)) - 3.0).abs() < 0.05);
    }
}
