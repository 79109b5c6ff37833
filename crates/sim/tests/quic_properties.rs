//! Checks the invariants of a QUIC connection under arbitrary events: a short version of the fuzz target
//! `quic_connection`, with the same driver.

mod quic_driver;
mod scripts;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn connections_keep_their_promises(bytes in scripts::scripts()) {
        quic_driver::drive(&bytes);
    }
}
