//! Prints a mahimahi trace of a link that delivers a packet of 1504 bytes every 2.5 ms, which is 4.8 Mbit/s:
//! `cargo run -p ackclock-export --example mahimahi_trace`.

use ackclock_base::Time;
use ackclock_export::mahimahi::Deliveries;
use std::io;

fn main() -> io::Result<()> {
    let mut trace = Deliveries::new(io::stdout().lock());
    for packet in 1..=8 {
        trace.add(Time::from_seconds(0.0025 * f64::from(packet)), 1504)?;
    }
    trace.finish().map(drop)
}
