//! Drives an association's two ends over several paths through whatever a string of bytes says, and checks after every step what
//! must hold. Shared by the property test and the fuzz target `sctp_association`.
//!
//! The bytes choose a profile, a congestion control, a path selector, every detail of them, and then what the network does on
//! each path: deliver, drop, delay, reorder, duplicate, fail for good. As long as it does no more than that, everything that was
//! sent must arrive, once, if a path is left that works and the association has not said that it has failed. The bytes may also
//! forge acknowledgements, with any gap blocks, and control chunks; then only the invariants count.

mod ends;
mod forging;
#[path = "../network_driver/mod.rs"]
mod network_driver;
#[path = "../endpoint_driver/script.rs"]
mod script;

use ends::AssociationEnds;
use script::Script;

/// Reads `bytes` as a script and plays it.
///
/// # Panics
/// When something that must hold does not.
pub fn drive(bytes: &[u8]) {
    network_driver::drive(&mut Script::new(bytes), AssociationEnds::new);
}
