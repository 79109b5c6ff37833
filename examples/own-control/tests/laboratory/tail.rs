//! Does beta move the tail of the delay? A path that answers, and an assertion that fails if beta is changed.

use crate::{under_quinn, with_law};
use ackclock_lab::Scenario;
use ackclock_lab::run::statistics::{over_seeds, paired_difference, summarise};

const FALLING: &str = include_str!("falling.toml");

/// Returns the 95th percentile of the one-way delay with each seed, in milliseconds.
fn delays(scenario: &Scenario) -> Vec<f64> {
    let delay = over_seeds(scenario, 1..=10, |result| {
        1e3 * result.flows[0].one_way_delay_p95_s.expect("packets arrive")
    });
    delay.expect("ten runs")
}

#[test]
fn a_deeper_cut_shortens_the_tail_where_the_rate_falls() {
    for with in [with_law, under_quinn] {
        let [gentle, deeper] = [0.85, 0.7].map(|beta| delays(&with(FALLING, beta)));
        let [tail, other] = [&deeper, &gentle].map(|delays| summarise(delays).expect("ten seeds"));
        let difference = paired_difference(&deeper, &gentle).expect("equal seeds");
        assert!(difference.is_below(-10.0), "{tail} ms against {other} ms: {difference} ms");
    }
}
