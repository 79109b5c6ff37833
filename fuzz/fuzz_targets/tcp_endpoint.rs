//! A TCP sender and receiver under arbitrary packets, timers and options. The driver, and what it checks, is shared
//! with the property test of the simulator.

#![no_main]

#[path = "../../crates/sim/tests/endpoint_driver/mod.rs"]
mod endpoint_driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| endpoint_driver::drive(bytes));
