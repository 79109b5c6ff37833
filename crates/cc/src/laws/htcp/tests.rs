use crate::script::Script;
use ackclock_base::Span;

fn after(seconds: f64, rtt_ms: u64, settings: &[(&str, &str)]) -> Script {
    let mut script = Script::with("htcp", settings).window(100.0).starting_ssthresh(100.0);
    script.ack_with_rtt(rtt_ms);
    script.wait(Span::from_seconds(seconds));
    script.ack_with_rtt(rtt_ms);
    script
}

#[test]
fn the_increase_is_a_square_of_the_time_since_the_last_loss() {
    // Equation 1.3 with beta = 0.5, RTT 100 ms: 1 up to one second; after three, 1 + 10 * 2 + (2/2)^2 = 22.
    assert!((after(1.0, 100, &[]).published("alpha_packets") - 1.0).abs() < 1e-9);
    let mut script = after(3.0, 100, &[]);
    assert!((script.published("alpha_packets") - 22.0).abs() < 1e-9);
    // 100 + 1/100 + 22/100.01.
    assert!((script.cwnd() - 100.01 - 22.0 / 100.01).abs() < 1e-9, "{}", script.cwnd());
}

#[test]
fn a_pause_is_no_time_since_the_last_loss() {
    // Two seconds since the loss are 1 + 10 + 1/4 = 11.25 packets, with or without 18 s of silence (or of an
    // application that sends little) in between; twenty seconds would be 1 + 190 + 90.25 = 281.25.
    let run = |pause: fn(&mut Script)| {
        let mut script = Script::with("htcp", &[]).window(100.0).starting_ssthresh(100.0);
        script.ack_with_rtt(100);
        script.wait(Span::from_millis(1000));
        script.ack_with_rtt(100);
        pause(&mut script);
        script.wait(Span::from_millis(1000));
        script.ack_with_rtt(100);
        script.published("alpha_packets")
    };
    let idle = |script: &mut Script| script.pause(Span::from_millis(18_000));
    let limited = |script: &mut Script| {
        (0..18).for_each(|_| {
            script.wait(Span::from_millis(1000));
            script.ack_as(|ack| ack.cwnd_limited = false);
        });
    };
    assert_eq!([run(|_| {}), run(idle), run(limited)], [11.25; 3]);
}

#[test]
fn the_increase_grows_with_the_round_trip_between_a_tenth_and_twice() {
    for (rtt_ms, scaled, alpha) in
        [(50, "true", 11.0), (150, "true", 33.0), (500, "true", 44.0), (5, "true", 2.2), (50, "false", 22.0)]
    {
        let found = after(3.0, rtt_ms, &[("rtt_scaling", scaled)]).published("alpha_packets");
        assert!((found - alpha).abs() < 1e-9, "{found} at {rtt_ms} ms");
    }
    // The increase is never less than Reno's.
    assert!((after(0.5, 50, &[]).published("alpha_packets") - 1.0).abs() < 1e-9);
}

#[test]
fn with_losses_less_than_delta_l_apart_it_is_reno() {
    // With alpha = 2 (1 - 0.5) = 1 and beta = 0.5 the mean window is the root of 1.5 / p.
    let settings = [("low_speed", "1000 s"), ("adaptive_backoff", "false")];
    let mut script = Script::with("htcp", &settings).window(122.0).starting_ssthresh(122.0);
    let mean = script.mean_window(1e-4, 100, 20);
    assert!((mean / 122.47 - 1.0).abs() < 0.01, "{mean}");
}

/// Returns the share of the window that remains after the last of three losses. Before each loss come ten
/// round trips of the given number of packets in 100 ms, and an acknowledgement that took 160 ms.
fn kept(packets: [u32; 3], settings: &[(&str, &str)]) -> (f64, Script) {
    kept_at(packets, 160, settings)
}

/// Returns the share as `kept` does, with a last acknowledgement that took `late_ms` milliseconds.
fn kept_at(packets: [u32; 3], late_ms: u64, settings: &[(&str, &str)]) -> (f64, Script) {
    let mut script = Script::with("htcp", settings).window(50.0).starting_ssthresh(50.0);
    let mut kept = 1.0;
    for packets in packets {
        script.set_cwnd(50.0);
        for _ in 0..10 {
            script.acks_over(packets, 100);
        }
        script.ack_with_rtt(late_ms);
        let before = script.cwnd();
        script.loss();
        kept = script.cwnd() / before;
        script.recovered();
    }
    (kept, script)
}

#[test]
fn a_loss_leaves_the_quotient_of_round_trips_while_the_throughput_is_steady() {
    // Equation 1.4: RTT_min / RTT_max = 100 / 160 = 0.625, and alpha becomes 2 (1 - 0.625) = 0.75.
    let (ratio, mut script) = kept([60, 60, 60], &[]);
    assert!((ratio - 0.625).abs() < 1e-9, "{ratio}");
    script.acks(1);
    assert!((script.published("alpha_packets") - 0.75).abs() < 1e-9);
    // If the throughput has changed by more than 20 %, or without adaptive back-off, a half remains.
    assert!((kept([60, 60, 80], &[]).0 - 0.5).abs() < 1e-9);
    assert!((kept([60, 60, 60], &[("adaptive_backoff", "false")]).0 - 0.5).abs() < 1e-9);
    // The quotient is bounded: 0.625 becomes at most 0.6.
    assert!((kept([60, 60, 60], &[("most_beta", "0.6")]).0 - 0.6).abs() < 1e-9);
}

#[test]
fn the_first_loss_and_a_timeout_halve() {
    let mut script = Script::new("htcp").window(100.0).starting_ssthresh(100.0);
    script.loss();
    assert_eq!(script.cwnd(), 50.0);
    script.timeout();
    assert_eq!((script.cwnd(), script.ssthresh()), (1.0, 25.0));
}

#[test]
fn with_a_short_queue_a_loss_leaves_0_8_and_in_linux_102_128() {
    // The quotient of the round trips, 100 / 110 = 0.91, is more than either bound.
    for (variant, left) in [("published", 0.8), ("linux", 102.0 / 128.0)] {
        let (kept, _) = kept_at([50, 50, 50], 110, &[("variant", variant)]);
        assert!((kept - left).abs() < 1e-9, "{variant}: {kept}");
    }
}
