//! Whatever happens to an association, what must hold holds: a short version of the fuzz target `sctp_association`, with the same
//! driver.

mod association_driver;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn associations_keep_their_promises(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
        association_driver::drive(&bytes);
    }
}
