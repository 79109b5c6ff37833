//! The controller itself, under quinn, in virtual time.

use crate::{STEADY, under_quinn, with_law};
use ackclock_lab::{Scenario, run};
use std::sync::atomic::AtomicBool;

#[test]
fn the_law_and_the_controller_carry_about_as_much() {
    for beta in [0.5, 0.7] {
        let goodput = |scenario: &Scenario| {
            let result = run::run(scenario, 1, false, &AtomicBool::new(false)).expect("a run");
            result.flows[0].goodput_bps / 1e6
        };
        let [quinn, ours] = [under_quinn(STEADY, beta), with_law(STEADY, beta)].map(|one| goodput(&one));
        assert!((ours / quinn - 1.0).abs() < 0.1, "{quinn} under quinn, {ours} over the laboratory's QUIC");
    }
}
