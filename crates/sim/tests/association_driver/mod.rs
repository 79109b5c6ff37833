//! Drives the two ends of an association over several paths as a string of bytes says, and checks the
//! invariants after every step. Shared by the property test and the fuzz target `sctp_association`.
//!
//! The bytes choose a profile, a congestion control, a path selector, their parameters, and then the
//! behaviour of the network on each path: deliver, drop, delay, reorder, duplicate, fail for good. Without
//! forged messages everything that was sent must arrive once, if some path works and the association has not
//! failed. The bytes may also forge acknowledgements, with any gap blocks, and control chunks; then only the
//! invariants are checked.

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
///
/// If an invariant is violated.
pub fn drive(bytes: &[u8]) {
    network_driver::drive(&mut Script::new(bytes), AssociationEnds::new);
}
