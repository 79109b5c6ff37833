//! An SCTP association under arbitrary acknowledgements, losses, path failures and options. The driver, and what it checks, is
//! shared with the property test of the simulator.

#![no_main]

#[path = "../../crates/sim/tests/association_driver/mod.rs"]
mod association_driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| association_driver::drive(bytes));
