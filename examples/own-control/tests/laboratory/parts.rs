//! What the parts around a law change: the repair of losses, and whether the host may set the window during it.

use crate::{STEADY, goodput, law, scenario};
use ackclock_cc::Classic;
use ackclock_cc::entry::{Build, Entry, PublishedDefaults};
use ackclock_lab::Plugins;
use serde_json::json;

/// The law without a rule of its own for retransmissions: the transport takes SACK (RFC 6675).
const WITH_SACK: Entry = Entry { published: PublishedDefaults::NONE, ..law::ENTRY };

/// The same law, declared to have a model of the path. A `Plugin` declares this if its `has_window` returns false.
const AS_MODEL: Entry = Entry {
    build: Build::Model(|values, initial| Box::new(Classic::new(law::Gentle::from(values), initial))),
    ..WITH_SACK
};

/// Returns the goodput over TCP in Mbit/s, slow start included.
fn over_tcp(entry: &'static Entry) -> f64 {
    let plugins = Plugins { entries: vec![entry], ..Plugins::default() };
    let text = STEADY.replace("warmup = \"5 s\"", "warmup = \"0 s\"");
    let control = json!({ "name": "gentle", "beta": 0.5 });
    goodput(&scenario(&text, control, "rfc", &plugins))
}

#[test]
fn selective_acknowledgements_repair_what_partial_ones_repair_one_loss_a_round_trip() {
    // Slow start overshoots and loses half a window, which RFC 6582 repairs one packet a round trip.
    let [newreno, sack] = [&law::ENTRY, &WITH_SACK].map(over_tcp);
    assert!(sack > 1.1 * newreno, "{sack} Mbit/s with SACK, {newreno} without");
}

#[test]
fn a_window_without_rate_reduction_carries_about_as_much() {
    // What differs is the flight during recovery: PRR (RFC 6937) halves it evenly, a model's window holds at once.
    let [window, model] = [&WITH_SACK, &AS_MODEL].map(over_tcp);
    assert!(window != model, "the flag has no effect");
    assert!((model / window - 1.0).abs() < 0.02, "{window} Mbit/s with a window, {model} without");
}
