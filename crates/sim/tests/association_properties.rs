//! Checks the invariants of an association under arbitrary events: a short version of the fuzz target
//! `sctp_association`, with the same driver.

mod association_driver;
mod scripts;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn associations_keep_their_promises(bytes in scripts::scripts()) {
        association_driver::drive(&bytes);
    }
}
