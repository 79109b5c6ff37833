//! Runs a congestion control of one's own beside a registered one: `cargo run -p ackclock-cc --example
//! own_control`.
//!
//! The law is additive increase and multiplicative decrease with both numbers free. The script plays a host
//! that always fills its window and has every packet acknowledged, and reports a loss every tenth round trip.

use ackclock_base::{Packets, Range, parameters};
use ackclock_cc::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_cc::script::Script;
use ackclock_cc::{Ack, Classic, Loss, Window, WindowLaw};

const ENTRY: Entry = Entry {
    descriptor: &control("gentle", "Additive increase, a gentle decrease", "an example", Gentle::TABLE),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Gentle::from(values), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// The increase and the decrease of the law.
    pub struct Gentle {
        /// Packets by which the window grows per round trip in congestion avoidance
        increase: f64 = number("0.5", Range::between(0.0, 10.0), "an example"),
        /// Fraction of the window that remains after a loss
        keeps: f64 = number("0.8", Range::between(0.0, 1.0), "an example"),
    }
}

impl WindowLaw for Gentle {
    /// Adds `increase` packets per window of acknowledgements.
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        window.cwnd += self.increase * ack.abc_increment / window.cwnd;
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        self.keeps * from
    }
}

fn main() {
    let mut gentle = Script::of(&ENTRY, &[]).window(20.0).starting_ssthresh(20.0);
    let mut reno = Script::new("reno").window(20.0).starting_ssthresh(20.0);
    println!("round trips  gentle    reno");
    for round_trip in 0..=30 {
        if round_trip % 5 == 0 {
            println!("{round_trip:>11}  {:>6.2}  {:>6.2}", gentle.cwnd(), reno.cwnd());
        }
        for control in [&mut gentle, &mut reno] {
            let window = control.cwnd().round() as u32;
            control.acks_over(window, 100);
            if round_trip % 10 == 9 {
                control.loss();
                control.recovered();
            }
        }
    }
}
