//! Cases 18 and 19: spurious recoveries.

use crate::bench::{Bench, State};
use crate::startup::RTT;
use ackclock_base::Span;

fn in_up() -> Bench {
    let mut bench = Bench::new(10.0, RTT, 10.0);
    bench.enter(State::Up);
    bench.for_ms(45, |view, _| assert_eq!(view.state, State::Up));
    bench
}

/// Case 18. A packet of UP takes 0.6 round trips longer and is taken for lost: one of about forty, which is
/// more than two per cent. The draft's text saves the state at the first loss of a round, and its code again
/// in each round. Here it is saved once per episode (trap T7). The control returns to UP by way of REFILL
/// (trap T8).
#[test]
fn case_18_a_spurious_recovery_is_undone() {
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

/// Case 19. Everything takes 1.5 seconds longer for two seconds. At the timeout everything in flight is
/// marked lost, so the window, which is the flight and one packet, is one packet.
#[test]
fn case_19_a_spurious_timeout_is_undone() {
    let mut bench = in_up();
    let before = bench.view();
    bench.path.delay_next = Span::from_millis(1_500);
    bench.path.hold_order = true;
    let (_, timed_out) = bench.until_timer(|view| view.cwnd == 1.0);
    assert!(timed_out.longterm.is_finite() && timed_out.state == State::Down, "{timed_out:?}");
    let (_, undone) = bench.until(|view| view.cwnd > 1.0);
    assert_eq!(undone.longterm, f64::INFINITY);
    // The window is what it was, within the bound of the phase to which the control returns.
    assert!(undone.cwnd >= before.cwnd.min(2.0 * undone.bdp()), "{before:?} {undone:?}");
    assert_eq!(undone.state, State::Refill);
    let (_, again) = bench.until(|view| view.state != State::Refill);
    assert_eq!(again.state, State::Up);
}
