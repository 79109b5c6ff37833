//! The controller itself, under quinn, in virtual time.

use crate::{STEADY, goodput, law, scenario, under_quinn, with_law};
use ackclock_lab::Plugins;
use serde_json::json;

#[test]
fn the_law_and_the_controller_carry_about_as_much() {
    for beta in [0.5, 0.7] {
        let [quinn, ours] = [under_quinn(STEADY, beta), with_law(STEADY, beta)].map(|one| goodput(&one));
        assert!((ours / quinn - 1.0).abs() < 0.1, "{quinn} under quinn, {ours} over the laboratory's QUIC");
    }
}

#[test]
fn the_law_runs_under_quinn_too() {
    let plugins = Plugins { entries: vec![&law::ENTRY], ..Plugins::default() };
    let law = scenario(STEADY, json!({ "name": "gentle", "beta": 0.5 }), "quinn", &plugins);
    let [law, controller] = [law, under_quinn(STEADY, 0.5)].map(|one| goodput(&one));
    assert!((law / controller - 1.0).abs() < 0.1, "{law} with the law, {controller} with the controller");
}
