//! The bins of SFB: in each of several levels a flow has one bin, found by the level's own hash.

use crate::flow_hash;

/// The state of the flows that share a bin.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    waiting: u64,
    probability: f64,
}

/// The combined state of a flow's bins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The least drop probability of the bins: one bin without an unresponsive flow clears a flow.
    pub probability: f64,
    /// Whether all of the bins are over-full.
    pub full: bool,
}

/// The steps by which bins change.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// The number of packets above which a bin is over-full.
    pub bin_size: f64,
    /// Step up of a probability.
    pub increment: f64,
    /// Step down of a probability.
    pub decrement: f64,
}

/// The bins, under one set of hash functions.
#[derive(Clone, Debug)]
pub struct Bins {
    salt: u64,
    bins_a_level: u64,
    bins: Vec<Bin>,
}

impl Bins {
    /// Creates `levels` levels of `bins_a_level` bins, all empty.
    pub fn new(levels: u64, bins_a_level: u64) -> Self {
        Self { salt: 0, bins_a_level, bins: vec![Bin::default(); (levels * bins_a_level) as usize] }
    }

    /// Forgets everything, and hashes with another salt; `waiting` are the flows of the packets that wait.
    pub fn renew(&mut self, salt: u64, waiting: impl Iterator<Item = u32>) {
        self.salt = salt;
        self.bins.fill(Bin::default());
        for flow in waiting {
            self.enter(flow);
        }
    }

    /// Moves the probabilities of a flow's bins when one of its packets arrives. Returns their combined
    /// state.
    pub fn judge(&mut self, flow: u32, steps: &Steps) -> Judgement {
        let mut judgement = Judgement { probability: 1.0, full: true };
        self.each(flow, |bin| {
            let full = bin.waiting as f64 > steps.bin_size;
            if full {
                bin.probability = (bin.probability + steps.increment).min(1.0);
            } else if bin.waiting == 0 {
                bin.probability = (bin.probability - steps.decrement).max(0.0);
            }
            judgement.probability = judgement.probability.min(bin.probability);
            judgement.full &= full;
        });
        judgement
    }

    /// Counts a packet that joins the queue.
    pub fn enter(&mut self, flow: u32) {
        self.each(flow, |bin| bin.waiting += 1);
    }

    /// Counts a packet that leaves the queue.
    pub fn leave(&mut self, flow: u32) {
        self.each(flow, |bin| {
            assert!(bin.waiting > 0, "a packet of flow {flow} leaves a bin without packets");
            bin.waiting -= 1;
        });
    }

    /// Returns the greatest probability of all bins.
    pub fn greatest_probability(&self) -> f64 {
        self.bins.iter().map(|bin| bin.probability).fold(0.0, f64::max)
    }

    fn each(&mut self, flow: u32, mut touch: impl FnMut(&mut Bin)) {
        for (level, bins) in self.bins.chunks_exact_mut(self.bins_a_level as usize).enumerate() {
            let hash = mix(self.salt ^ mix((level as u64) << 32 | u64::from(flow)));
            touch(&mut bins[(hash % self.bins_a_level) as usize]);
        }
    }
}

/// Mixes the bits of `number` by the step of SplitMix64 (Steele, Lea and Flood 2014): its increment and its
/// finaliser.
fn mix(number: u64) -> u64 {
    flow_hash::mix(number.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const STEPS: Steps = Steps { bin_size: 10.0, increment: 0.25, decrement: 0.125 };

    /// Returns the places of a flow, one per level.
    fn places(salt: u64, flow: u32) -> Vec<usize> {
        let mut bins = Bins::new(2, 23);
        bins.renew(salt, [flow].into_iter());
        bins.bins.iter().enumerate().filter(|(_, bin)| bin.waiting > 0).map(|(place, _)| place).collect()
    }

    #[test]
    fn a_flow_has_one_bin_a_level_and_another_under_another_salt() {
        for flow in 0..100 {
            let places = places(7, flow);
            assert!(places.len() == 2 && places[0] < 23 && places[1] >= 23, "{places:?}");
        }
        let pairs: BTreeSet<_> = (0..100).map(|salt| places(salt, 1)).collect();
        assert!(
            pairs.len() > 80,
            "100 draws of 529 pairs are 91 different ones on average, not {}",
            pairs.len()
        );
    }

    #[test]
    fn flows_spread_evenly_and_levels_are_independent() {
        // 52 900 flows over 23 * 23 pairs of bins: 100 each, standard deviation 10. Five deviations hold for all 529
        // pairs with a chance of 0.9997.
        let mut counts = [0_u32; 23 * 23];
        for flow in 0..52_900 {
            let pair = places(3, flow);
            counts[pair[0] * 23 + pair[1] - 23] += 1;
        }
        let (least, most) = (counts.iter().min(), counts.iter().max());
        assert!(least >= Some(&50) && most <= Some(&150), "{least:?} {most:?}");
    }

    #[test]
    fn probabilities_rise_in_full_bins_and_fall_in_empty_ones() {
        // 11 packets wait, more than 10: each arrival adds 0.25 up to 1. With 1 to 10 waiting the probability
        // does not move; with none each arrival takes 0.125.
        let mut bins = Bins::new(2, 23);
        bins.renew(1, std::iter::repeat_n(5, 11));
        let said: Vec<_> = (0..5).map(|_| bins.judge(5, &STEPS).probability).collect();
        assert_eq!(said, [0.25, 0.5, 0.75, 1.0, 1.0]);
        bins.leave(5);
        assert_eq!(bins.judge(5, &STEPS), Judgement { probability: 1.0, full: false });
        (0..10).for_each(|_| bins.leave(5));
        assert_eq!(bins.judge(5, &STEPS).probability, 0.875);
    }

    #[test]
    fn one_unshared_bin_clears_a_flow() {
        // An unresponsive flow, and a flow that shares one of its bins but not the other.
        let hog = places(1, 0);
        let half = |flow: &u32| places(1, *flow)[0] == hog[0] && places(1, *flow)[1] != hog[1];
        let Some(flow) = (1..1000).find(half) else { panic!("no such flow") };
        let mut bins = Bins::new(2, 23);
        bins.renew(1, std::iter::repeat_n(0, 11));
        for _ in 0..4 {
            bins.judge(0, &STEPS);
        }
        assert_eq!(bins.judge(0, &STEPS), Judgement { probability: 1.0, full: true });
        assert_eq!(bins.judge(flow, &STEPS), Judgement { probability: 0.0, full: false });
    }

    #[test]
    #[should_panic(expected = "a packet of flow 5 leaves a bin without packets")]
    fn none_leaves_that_did_not_enter() {
        Bins::new(2, 23).leave(5);
    }
}
