//! Prints the retransmission timeout while the round trip doubles: `cargo run -p ackclock-recovery --example
//! timeout`.

use ackclock_base::{Span, Time};
use ackclock_recovery::declared::Timer;
use ackclock_recovery::rtt::{MinBounds, RttEstimator};

fn main() {
    let timer = Timer { min_rto: Span::from_millis(200), ..Timer::default() };
    let mut estimator = RttEstimator::new(timer, MinBounds::Timeout);
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
