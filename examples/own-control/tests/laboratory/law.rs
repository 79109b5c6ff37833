//! The controller as a law of the laboratory, and the closed forms of its formulas.

use crate::{STEADY, goodput, scenario, with_law};
use ackclock_base::{Packets, Range, parameters};
use ackclock_cc::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_cc::script::Script;
use ackclock_cc::{Ack, Classic, Loss, Window, WindowLaw};
use ackclock_lab::Plugins;
use serde_json::json;

/// The control's name, its parameters and its constructor.
pub const ENTRY: Entry = Entry {
    descriptor: &control("gentle", "NewReno that keeps a part of its window", "this crate", Gentle::TABLE),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Gentle::from(values), initial))),
    published: PublishedDefaults::recovery("newreno"),
};

parameters! {
    /// Additive increase, and a decrease to a part of the window.
    pub struct Gentle {
        /// Fraction of the window that remains after a loss
        beta: f64 = number("0.7", Range::between(0.0, 1.0), "this crate"),
    }
}

impl WindowLaw for Gentle {
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        window.cwnd += ack.abc_increment / window.cwnd;
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        self.beta * from
    }
}

#[test]
fn a_round_trip_adds_a_packet_and_a_loss_keeps_beta() {
    let mut script = Script::of(&ENTRY, &[("beta", "0.8")]).window(20.0).starting_ssthresh(20.0);
    // Twenty acknowledgements, each of 1/w: w grows from 20 to the root of 20^2 + 2 * 20, 20.98.
    script.acks(20);
    assert!((script.cwnd() - 20.98).abs() < 0.01, "{}", script.cwnd());
    script.loss();
    assert!((script.cwnd() - 0.8 * 20.98).abs() < 0.01, "{}", script.cwnd());
}

#[test]
fn with_a_beta_of_one_half_it_is_the_registered_newreno() {
    let registered = scenario(STEADY, json!("newreno"), "quic", &Plugins::default());
    assert_eq!(goodput(&with_law(STEADY, 0.5)), goodput(&registered));
}
