//! A QUIC connection under arbitrary acknowledgements, losses and options. The driver, and what it checks, is
//! shared with the property test of the simulator.

#![no_main]

#[path = "../../crates/sim/tests/quic_driver/mod.rs"]
mod quic_driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| quic_driver::drive(bytes));
