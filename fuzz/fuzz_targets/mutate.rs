//! Mutations that keep a text close to a scenario. Most are careful and leave a file that can be read: a key gets
//! another value of its kind, a flow another control with other parameters. The others are careless.

mod careful;
mod careless;

/// The text with one to four mutations.
pub fn mutate(text: &str, seed: u32) -> String {
    let mut random = Random(u64::from(seed) | 1 << 40);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let careless = random.below(3) == 0;
    for _ in 0..=random.below(4) {
        if careless {
            careless::mutate(&mut lines, &mut random);
        } else {
            careful::mutate(&mut lines, &mut random);
        }
    }
    lines.join("\n")
}

/// The generator of SplitMix64: the fuzzer hands over a seed, and expects the same answer to the same seed.
pub struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; zero if that is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    pub fn word<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}
