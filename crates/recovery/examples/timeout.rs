//! Prints the retransmission timeout while the round trip doubles: `cargo run -p ackclock-recovery --example
//! timeout`.

use ackclock_base::{Span, Time};
use ackclock_recovery::rtt::{MinBounds, RttEstimator, TimeoutRule};

fn main() {
    let mut estimator = RttEstimator::new(TimeoutRule {
        tick: Span::from_millis(1),
        min: Span::from_millis(200),
        min_bounds: MinBounds::Timeout,
        max: Span::from_millis(60_000),
        initial: Span::from_millis(1000),
    });
    println!("sample [ms]  smoothed [ms]  timeout [ms]");
    let mut now = Time::ZERO;
    for sample in [100, 100, 100, 100, 200, 200, 200, 200, 200, 200] {
        let sent = now;
        now = sent + Span::from_millis(sample);
        estimator.sample(now.since(sent));
        estimator.sample_for_timer(sent, now);
        let (smoothed, timeout) = (estimator.fine().mean.millis(), estimator.timeout(1.0).millis());
        println!("{sample:>11}  {smoothed:>13.1}  {timeout:>12.0}");
    }
}
