//! Details of the profile `ns2` that are specific to ns-2.

use ackclock_base::{Span, Time};
use ackclock_cc::Backoff;
use ackclock_cc::backoff::exponential::Exponential;
use ackclock_recovery::rtt::RttEstimator;
use ackclock_sim::tcp::options::{Options, find};

#[test]
fn the_greatest_timeout_alone_bounds_the_back_off() {
    // ns-2 2.35, tcp.cc, rtt_backoff: with rfc2988_ a timeout doubles until it is maxrto_. It begins at 50 +
    // 4 * 25 ms, which is less than the minimum of 200 ms: 64 times that is 12.8 s, 256 times 51.2 s, and 512
    // times more than 60 s.
    let options = Options::new(&find("ns2").expect("a profile").defaults(), None);
    let mut rtt = RttEstimator::new(options.recovery.timer, options.recovery.timer_rules.min_rto_bounds);
    rtt.sample_for_timer(Time::ZERO, Time::ZERO + Span::from_millis(50));
    let backoff = Exponential { most: options.details.max_backoff };
    let timeouts = [0, 6, 8, 9].map(|expiries| rtt.timeout(backoff.factor(expiries)));
    assert_eq!(timeouts, [200, 12_800, 51_200, 60_000].map(Span::from_millis));
}
