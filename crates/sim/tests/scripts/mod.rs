//! Strings of bytes for the drivers: arbitrary ones, and monotonous ones that repeat a few bytes. Cases that
//! need a dozen timeouts in a row are never found with arbitrary bytes.

use proptest::collection::vec;
use proptest::prelude::*;

/// Generates a script for a driver.
pub fn scripts() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 0..700), monotonous()]
}

/// Generates a script whose first bytes choose what is driven. Three in four of the following bytes are one
/// of a few.
fn monotonous() -> impl Strategy<Value = Vec<u8>> {
    let beginning = vec(any::<u8>(), 0..100);
    let few = vec(any::<u8>(), 1..6);
    let choices = vec((0_u8..4, any::<u8>()), 0..600);
    (beginning, few, choices).prop_map(|(mut bytes, few, choices)| {
        bytes.extend(choices.iter().map(
            |&(kind, byte)| {
                if kind == 0 { byte } else { few[usize::from(byte) % few.len()] }
            },
        ));
        bytes
    })
}
