//! Strings of bytes for the drivers: any, and such as say the same few things again and again. What takes a dozen timeouts in a
//! row is never found among any bytes.

use proptest::collection::vec;
use proptest::prelude::*;

/// A script for a driver.
pub fn scripts() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 0..700), monotonous()]
}

/// The first bytes choose what is driven. Of those that follow three in four are of a few.
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
