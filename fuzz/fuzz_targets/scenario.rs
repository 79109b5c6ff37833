//! A scenario file of arbitrary text is read, or refused with reasons; what is read runs, the same however it is observed, obeys
//! physics, and comes to a result that can be written down and adds up.
//!
//! What is checked, and the mutations that know the scenario language, are those of the crate `ackclock-soak`.

#![no_main]

use ackclock_soak::check::check;
use ackclock_soak::mutate::mutate;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !is_large(text)
        && let Err(failure) = check(text, 1)
        // The sanitizer makes a run many times slower; `soak` judges the time.
        && failure.kind != "slow"
    {
        panic!("{}: {}", failure.kind, failure.what);
    }
});

/// Hundreds of flows are read slowly, and show nothing that three do not.
fn is_large(text: &str) -> bool {
    let is_long_number = |word: &str| word.len() > 2 && word.starts_with(|c: char| c.is_ascii_digit());
    let words = |line: &str| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(is_long_number);
    text.lines().any(|line| ["count", "pairs", "hops"].iter().any(|key| line.contains(key)) && words(line))
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let text = std::str::from_utf8(&data[..size]).unwrap_or_default();
    // One in four is left to the fuzzer's own mutations, of bytes.
    if seed.is_multiple_of(4) || text.is_empty() {
        return fuzzer_mutate(data, size, max_size);
    }
    let mutated = mutate(text, seed);
    let length = mutated.len().min(max_size);
    data[..length].copy_from_slice(&mutated.as_bytes()[..length]);
    length
});
