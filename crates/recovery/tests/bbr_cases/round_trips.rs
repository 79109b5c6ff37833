//! Cases 10, 11 and 14: ProbeRTT, pauses, and a product of less than a packet.

use crate::bench::{Bench, State};
use crate::startup::RTT;
use ackclock_base::Span;

/// Case 10. On a path without noise, no round trip is shorter than the first, and an equal one does not
/// refresh it (trap T5).
#[test]
fn case_10_probe_rtt_comes_after_five_seconds_and_lasts_200_ms_and_a_round() {
    let mut bench = Bench::new(10.0, RTT, 10.0);
    let (before, enters) = bench.enter(State::ProbeRtt);
    let since_the_first = enters.now.seconds() - 2.0 * RTT.seconds();
    assert!((5.0..5.1).contains(&since_the_first), "{since_the_first} s");
    // The flight falls to half of the product, packet by packet.
    let (_, fits) = bench.until(|view| view.inflight <= 0.5 * view.bdp());
    assert!((fits.cwnd - 0.5 * fits.bdp()).abs() < 1e-9, "{fits:?}");
    let (_, leaves) = bench.until(|view| view.state != State::ProbeRtt);
    assert_eq!(leaves.state, State::Cruise);
    let stayed = leaves.now.since(fits.now).seconds();
    assert!((0.2..0.26).contains(&stayed), "{stayed} s");
    assert!(leaves.rounds > fits.rounds);
    assert!((leaves.cwnd / before.cwnd - 1.0).abs() < 0.05, "{before:?} {leaves:?}");
}

/// Case 11. After six seconds of silence the least round trip is old, but the pause served as a probe.
#[test]
fn case_11_a_pause_spares_probe_rtt() {
    let mut bench = Bench::new(10.0, RTT, 10.0);
    bench.enter(State::Cruise);
    bench.for_ms(500, |_, _| {});
    bench.pause();
    while bench.sender.inflight() > 0 {
        bench.step();
    }
    bench.path.now += Span::from_millis(6_000);
    let before = bench.view();
    bench.write_all();
    let resumed = bench.view();
    assert!(
        (resumed.pacing / (0.99 * resumed.bw) - 1.0).abs() < 1e-6,
        "the connection resumes at the bandwidth: {resumed:?}"
    );
    assert_eq!(resumed.max_bw, before.max_bw);
    bench
        .for_ms(1000, |view, _| assert!(!matches!(view.state, State::ProbeRtt | State::Startup), "{view:?}"));
}

/// Case 14. 64 kbit/s and 10 ms are 80 bytes. A window of four packets, or of three quanta, keeps the path
/// busy.
#[test]
fn case_14_a_path_of_less_than_a_packet_never_stalls() {
    let mut bench = Bench::new(0.064, Span::from_millis(10), 1000.0);
    bench.path.ack_every = 2;
    bench.enter(State::Cruise);
    let begun = (bench.path.now, bench.path.delivered);
    let mut cruises = 0;
    bench.for_ms(30_000, |view, _| {
        assert!(view.cwnd >= 4.0, "{view:?}");
        if view.state == State::Cruise {
            assert!((view.pacing / (0.99 * view.bw) - 1.0).abs() < 1e-3, "{view:?}");
            cruises += 1;
        }
    });
    assert!(cruises > 10, "{cruises} acknowledgements in CRUISE");
    let seconds = bench.path.now.since(begun.0).seconds();
    let share = (bench.path.delivered - begun.1) as f64 / seconds / bench.path.capacity;
    assert!(share > 0.95, "{share} of the capacity");
    assert_eq!(bench.path.dropped, 0);
}
