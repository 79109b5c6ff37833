//! Drives the two ends of a QUIC connection through whatever a string of bytes says, and checks after every step what must hold.
//! Shared by the property test and the fuzz target `quic_connection`.
//!
//! The bytes choose a congestion control, every detail of it and of the transport, and then what the network does: deliver, drop,
//! delay, reorder, duplicate. As long as it does no more than that, all that the application had to send must arrive, once and
//! in order, when the network behaves again. The bytes may also forge acknowledgements; then only the invariants count.

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
/// When something that must hold does not.
pub fn drive(bytes: &[u8]) {
    network_driver::drive(&mut Script::new(bytes), ConnectionEnds::new);
}
