use crate::control::Ack;
use crate::script::Script;
use ackclock_base::{Rate, Span};

const SAVED: [(&str, &str); 2] = [("saved_cwnd", "300 packets"), ("saved_rtt", "100 ms")];

/// Creates a SACK flow with these settings of Careful Resume, whose initial window of ten packets has arrived,
/// with 29 more in flight: the example of the draft. With `SAVED` its window has just jumped.
fn resumed(settings: &[(&str, &str)]) -> Script {
    let mut script = Script::new("sack").window(10.0).within("careful-resume", settings);
    for left in (0..10).rev() {
        arrives(&mut script, 20.0 + f64::from(9 - left), |_| {});
    }
    script
}

/// Lets one packet arrive, with `inflight` packets in flight after it.
fn arrives(script: &mut Script, inflight: f64, change: impl FnOnce(&mut Ack)) {
    script.ack_as(|ack| {
        ack.inflight = inflight;
        ack.inflight_before = inflight + 1.0;
        ack.sent_to = ack.acked_to + inflight as u64;
        change(ack);
    });
}

#[test]
fn the_window_jumps_to_half_of_what_is_saved_when_the_first_has_arrived() {
    // Half of 300 packets. A packet of 1000 bytes every 100 ms / 150 is 12 Mbit/s.
    let mut script = resumed(&SAVED);
    assert_eq!((script.cwnd(), script.published("resume_phase")), (150.0, 1.0));
    assert_eq!(script.decision().pacing_rate, Some(Rate::from_bits_per_second(12_000_000)));
    assert_eq!(script.published("resume_pipe_packets"), 29.0);
}

#[test]
fn the_pace_is_that_of_the_round_trip_of_now() {
    // The draft's example of the time between packets: with a round trip of 600 ms and 150 packets of 1500
    // bytes, 4 ms.
    let mut script = Script::new("sack")
        .window(1.0)
        .within("careful-resume", &[("saved_cwnd", "300 packets"), ("saved_rtt", "500 ms")]);
    script.ack_with_rtt(600);
    let rate = script.decision().pacing_rate.expect("paced").bits_per_second() as f64;
    assert!((8.0 * 1000.0 / rate - 0.004).abs() < 1e-9, "{rate}");
}

#[test]
fn a_path_of_half_the_length_or_less_or_of_more_than_ten_times_it_is_a_different_one() {
    // RFC 9959 section 4.2.1: the round trip of 100 ms is more than half of 199 ms and half of 200, and more than
    // ten times 9.99 ms and ten times 10.
    for (saved, jumps) in [("199 ms", true), ("200 ms", false), ("10 ms", true), ("9.99 ms", false)] {
        let mut script = resumed(&[("saved_cwnd", "300 packets"), ("saved_rtt", saved)]);
        let found = (script.cwnd(), script.published("resume_phase"));
        assert_eq!(found, if jumps { (150.0, 1.0) } else { (20.0, 4.0) }, "{saved}");
    }
}

#[test]
fn without_saved_values_and_after_a_loss_the_window_grows_as_usual() {
    assert_eq!(resumed(&[]).cwnd(), 20.0);
    let mut script = Script::new("sack").window(10.0).within("careful-resume", &SAVED);
    script.loss();
    script.recovered();
    (0..20).for_each(|_| arrives(&mut script, 10.0, |_| {}));
    assert!(script.cwnd() < 10.0);
}

#[test]
fn a_bound_on_the_jump_holds() {
    let mut script = resumed(&[SAVED[0], SAVED[1], ("max_jump", "80 packets")]);
    assert_eq!(script.cwnd(), 80.0);
}

/// Continues until the jump is about to be validated: 34 packets arrive, the 29 that were in flight and the
/// first five sent after the jump. For each arrival four packets are sent until the window of 150 is full.
fn flown() -> Script {
    let mut script = resumed(&SAVED);
    for packet in 1..=34 {
        arrives(&mut script, f64::from(29 + 4 * packet).min(149.0), |_| {});
    }
    script
}

#[test]
fn a_loss_in_the_jump_leaves_half_of_the_pipe() {
    // The draft's example: 29 in flight and 34 acknowledged are a pipe of 63, and 31 are left.
    let mut script = flown();
    assert_eq!((script.published("resume_pipe_packets"), script.published("resume_phase")), (63.0, 2.0));
    script.loss();
    assert_eq!((script.cwnd(), script.published("resume_phase")), (31.0, 3.0));
    // The window does not grow until the last packet of the jump is acknowledged; then the threshold is half
    // of the pipe, to which two more acknowledgements have added: 65 / 2.
    script.recovered();
    arrives(&mut script, 20.0, |_| {});
    assert_eq!(script.cwnd(), 31.0);
    arrives(&mut script, 20.0, |ack| ack.acked_to += 1000);
    assert_eq!((script.published("resume_phase"), script.ssthresh()), (4.0, 32.5));
}

#[test]
fn a_spurious_loss_is_undone() {
    let mut script = flown();
    let before = script.cwnd();
    assert!(before >= 149.0, "{before}");
    script.loss();
    script.spurious();
    assert_eq!((script.cwnd(), script.published("resume_phase")), (before, 2.0));
}

#[test]
fn the_used_part_of_a_jump_stays_and_is_confirmed() {
    // A round trip after the jump 50 packets are in flight: the window keeps 50 (the draft's rate-limited
    // example), and the last of them ends the validation.
    let mut script = resumed(&SAVED);
    script.wait(Span::from_millis(100));
    arrives(&mut script, 50.0, |_| {});
    assert_eq!((script.cwnd(), script.published("resume_phase")), (50.0, 2.0));
    assert_eq!(script.decision().pacing_rate, None);
    (0..50).for_each(|_| arrives(&mut script, 50.0, |_| {}));
    assert_eq!((script.cwnd(), script.published("resume_phase")), (100.0, 4.0));
}

#[test]
fn an_unused_jump_is_taken_back() {
    // A round trip after the jump fewer packets than the pipe are in flight: the window becomes 29 and the
    // one acknowledged.
    let mut script = resumed(&SAVED);
    script.wait(Span::from_millis(100));
    arrives(&mut script, 28.0, |_| {});
    assert_eq!((script.cwnd(), script.published("resume_phase")), (30.0, 4.0));
}

#[test]
fn a_timeout_ends_it() {
    let mut script = flown();
    script.timeout();
    assert_eq!((script.cwnd(), script.published("resume_phase")), (1.0, 4.0));
}

#[test]
fn a_second_timeout_in_a_row_leaves_what_an_undo_brings_back() {
    // The first timeout ends Validating, to which its undo returns; the second one, of the same packet, finds the
    // layer finished already.
    let mut script = flown();
    assert_eq!(script.published("resume_phase"), 2.0);
    script.timeout();
    script.timeout_again();
    assert_eq!(script.published("resume_phase"), 4.0);
    script.spurious();
    assert_eq!(script.published("resume_phase"), 2.0);
}
