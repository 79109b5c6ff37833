//! Prints the share of packets that RED drops at each queue length: `cargo run -p ackclock-aqm --example
//! drop_rate`.
//!
//! All packets find a queue of the same length, so RED's average is that length.

use ackclock_aqm::testing::{Dice, arrival, waiting};
use ackclock_aqm::{Capacity, LinkRate, Queueing, Verdict, registry};
use ackclock_base::{Rate, Values};

const ASKED: u32 = 20_000;

fn main() {
    let entry = registry::find("red").expect("RED is registered");
    let link = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };
    let settings = [("min_threshold", "5 packets"), ("max_threshold", "15 packets"), ("weight", "1")];
    println!("packets waiting  dropped [%]");
    for length in [0, 5, 8, 10, 12, 14, 16, 30] {
        let values = Values::with(entry.descriptor, &settings);
        let Queueing::AtArrival(mut red) = (entry.build)(&values, Capacity::Packets(50), &link) else {
            unreachable!("RED decides when a packet arrives");
        };
        let mut dice = Dice(1);
        let dropped = (0..ASKED)
            .filter(|&packet| {
                let arrival = arrival(f64::from(packet));
                red.on_arrival(&arrival, &waiting(length), &mut dice) == Verdict::Drop
            })
            .count();
        println!("{length:>15}  {:>11.1}", 100.0 * dropped as f64 / f64::from(ASKED));
    }
}
