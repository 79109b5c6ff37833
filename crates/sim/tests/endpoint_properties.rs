//! Whatever happens to a TCP connection, what must hold holds: a short version of the fuzz target `tcp_endpoint`,
//! with the same driver.

mod endpoint_driver;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn endpoints_keep_their_promises(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
        endpoint_driver::drive(&bytes);
    }
}
