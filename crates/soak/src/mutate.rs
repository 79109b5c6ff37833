//! Mutates a text so that it stays close to a scenario. Two thirds of the mutations are careful and leave a
//! file that can be read: a key gets another value of its kind, or a flow another control with other
//! parameters. The others are careless.

pub(crate) mod careful;
mod careless;

use crate::random::Random;

/// Applies one to four mutations to the text.
pub fn mutate(text: &str, seed: u32) -> String {
    let mut random = Random::new(u64::from(seed) | 1 << 40);
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
