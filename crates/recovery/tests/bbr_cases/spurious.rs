//! Cases 18 and 19: recoveries that were for nothing.

use crate::bench::{Bench, State};
use crate::startup::RTT;
use ackclock_base::Span;

fn in_up() -> Bench {
    let mut bench = Bench::new(10.0, RTT, 10.0);
    bench.enter(State::Up);
    bench.for_ms(45, |view, _| assert_eq!(view.state, State::Up));
    bench
}

/// Case 18. A packet of UP takes 0.6 round trips longer and is taken for lost, one of some forty, which is more than two per cent.
/// The draft's text saves the state at the first loss of a round and its code saves again in each; here it is once for the episode
/// (trap T7). The way back to UP is by REFILL (trap T8).
#[test]
fn case_18_a_recovery_for_nothing_is_taken_back() {
    let mut bench = in_up();
    let before = bench.view();
    bench.path.delay_next = RTT.scale(0.6);
    let (_, lost) = bench.until(|view| view.state != State::Up);
    assert_eq!(lost.state, State::Down);
    assert!(lost.longterm.is_finite());
    let (_, undone) = bench.until(|view| view.longterm == f64::INFINITY);
    assert_eq!(undone.state, State::Refill);
    assert_eq!((undone.longterm, undone.shortterm), (f64::INFINITY, f64::INFINITY));
    assert!(
        undone.cwnd >= before.cwnd.min(2.0 * undone.bdp()) && undone.bw >= before.bw,
        "{before:?} {undone:?}"
    );
    let (_, again) = bench.until(|view| view.state != State::Refill);
    assert_eq!((again.state, again.rounds - undone.rounds), (State::Up, 1));
}

/// Case 19. Everything takes 1.5 seconds longer for two seconds. At the timeout all that was in flight is given up, so that the
/// window of what is in flight and one packet is one packet.
#[test]
fn case_19_a_timeout_for_nothing_is_taken_back() {
    let mut bench = in_up();
    let before = bench.view();
    bench.path.delay_next = Span::from_millis(1_500);
    bench.path.hold_order = true;
    let (_, timed_out) = bench.until_timer(|view| view.cwnd == 1.0);
    assert!(timed_out.longterm.is_finite() && timed_out.state == State::Down, "{timed_out:?}");
    let (_, undone) = bench.until(|view| view.cwnd > 1.0);
    assert_eq!(undone.longterm, f64::INFINITY);
    // What it was, within the bound of the phase that it returns to.
    assert!(undone.cwnd >= before.cwnd.min(2.0 * undone.bdp()), "{before:?} {undone:?}");
    assert_eq!(undone.state, State::Refill);
    let (_, again) = bench.until(|view| view.state != State::Refill);
    assert_eq!(again.state, State::Up);
}
