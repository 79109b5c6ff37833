//! Drives the two ends of a QUIC connection as a string of bytes says, and checks the invariants after every
//! step. Shared by the property test and the fuzz target `quic_connection`.
//!
//! The bytes choose a congestion control, its parameters and those of the transport, and then the behaviour
//! of the network: deliver, drop, delay, reorder, duplicate. Without forged messages all data of the
//! application must arrive, once and in order, when the network behaves again. The bytes may also forge
//! acknowledgements; then only the invariants are checked.

mod ends;
#[path = "../network_driver/mod.rs"]
mod network_driver;
#[path = "../endpoint_driver/script.rs"]
mod script;

use ends::ConnectionEnds;
use script::Script;

/// Reads `bytes` as a script and plays it.
///
/// # Panics
///
/// If an invariant is violated.
pub fn drive(bytes: &[u8]) {
    network_driver::drive(&mut Script::new(bytes), ConnectionEnds::new);
}
