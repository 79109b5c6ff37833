use super::*;
use crate::script::{Script, ack_at};

//= test RFC 9438 section 4.2 plateau
//= test RFC 9438 section 5.1
#[test]
fn the_window_is_back_at_its_maximum_after_k() {
    // RFC 9438 equation 2: W_max = 1000, beta = 0.7, C = 0.4: K = cbrt(300 / 0.4) = 9.0856 s.
    let mut law = Cubic::new(Parameters::default());
    law.w_max = Some(1000.0);
    let epoch = law.epoch_from(700.0, Time::ZERO);
    assert!((epoch.k - 9.0856).abs() < 1e-4);
    assert!((law.curve(&epoch, 0.0) - 700.0).abs() < 1e-9);
    assert!((law.curve(&epoch, epoch.k) - 1000.0).abs() < 1e-9);
    // One second past the plateau: 1000 + 0.4.
    assert!((law.curve(&epoch, epoch.k + 1.0) - 1000.4).abs() < 1e-9);
}

//= test RFC 9438 section 4.2 curve
//= test RFC 9438 section 4.6 at-once
#[test]
fn the_window_follows_the_curve() {
    // 1000 packets, a loss, and acknowledgements for K seconds at RTT 100 ms: the window is within a packet
    // or two of W_max (it runs one RTT ahead of the curve, sections 4.4 and 4.5).
    let mut script = Script::new("cubic").window(1000.0).starting_ssthresh(1000.0);
    script.loss();
    assert!((script.cwnd() - 700.0).abs() < 1e-9);
    script.recovered();
    let mut seconds = 0.0;
    while seconds < 9.0856 {
        let rounds = script.cwnd();
        script.acks_over(rounds as u32, 100);
        seconds += 0.1;
    }
    assert!((script.cwnd() - 1000.0).abs() < 3.0, "{}", script.cwnd());
}

//= test RFC 9438 section 4.3 region
#[test]
fn a_small_window_grows_like_reno() {
    // Section 4.3: alpha = 3 * 0.3 / 1.7 = 0.529 packets per round trip. W_max = 20, window 14, RTT 1 ms: K
    // is cbrt(6 / 0.4) = 2.47 s, so during the first round trips the cubic part hardly moves.
    let mut script = Script::new("cubic").window(20.0).starting_ssthresh(20.0);
    script.loss();
    script.recovered();
    script.acks_over(14, 1);
    assert!((script.cwnd() - 14.529).abs() < 0.02, "{}", script.cwnd());
}

//= test RFC 9438 section 4.2 bounds
#[test]
fn the_target_lies_between_the_window_and_one_and_a_half_windows() {
    let grown = |cwnd: Packets, origin: Packets| {
        let mut law = Cubic::new(Parameters::default());
        // The epoch begins at the plateau: one round trip of 100 ms ahead, the curve is 0.0004 packets above
        // it.
        law.epoch = Some(Epoch { start: Time::ZERO, k: 0.0, origin, w_est: 1.0 });
        let mut window = Window { cwnd, ssthresh: 1.0 };
        let ack = Ack { smoothed_rtt: Span::from_millis(100), ..ack_at(Time::ZERO, 1, cwnd) };
        law.avoid_congestion(&mut window, &ack);
        window.cwnd
    };
    // A target of 15, not 1000: an acknowledgement adds (15 - 10) / 10.
    assert!((grown(10.0, 1000.0) - 10.5).abs() < 1e-12);
    // A target between those bounds: an acknowledgement adds (12.0004 - 10) / 10.
    assert!((grown(10.0, 12.0) - 10.200_04).abs() < 1e-9);
    // A target of 100, not 50: the window stays.
    assert_eq!(grown(100.0, 50.0), 100.0);
}

//= test RFC 9438 section 4.3 alpha
#[test]
fn the_estimate_grows_like_reno_from_the_window_before_the_cut_on() {
    let mut law = Cubic::new(Parameters::default());
    law.cwnd_prior = 20.0;
    // 3 * (1 - 0.7) / (1 + 0.7) = 9/17.
    assert!((law.alpha(19.999) - 9.0 / 17.0).abs() < 1e-12);
    assert_eq!(law.alpha(20.0), 1.0);
}

//= test RFC 9438 section 4.6 unused
#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut script = Script::new("cubic").window(20.0).starting_ssthresh(20.0);
    script.loss();
    script.recovered();
    for _ in 0..100 {
        script.wait(Span::from_millis(100));
        script.ack_as(|ack| ack.cwnd_limited = false);
    }
    assert!((script.cwnd() - 14.0).abs() < 1e-9, "{}", script.cwnd());
}

//= test RFC 9438 section 4.7 less
#[test]
fn fast_convergence_remembers_less_when_windows_shrink() {
    // 80 < 100: W_max = 80 * (1 + 0.7) / 2 = 68.
    let mut script = Script::new("cubic").window(100.0).starting_ssthresh(100.0);
    for (window, left, remembered) in [(100.0, 70.0, 100.0), (80.0, 56.0, 68.0)] {
        script.set_cwnd(window);
        script.loss();
        assert!((script.cwnd() - left).abs() < 1e-9);
        assert!((script.published("w_max_packets") - remembered).abs() < 1e-9);
        script.recovered();
    }
}

//= test RFC 9438 section 4.8 ssthresh
#[test]
fn a_timeout_starts_over_and_a_second_one_keeps_the_threshold() {
    // RFC 9438 section 4.8: 0.7 * 353 = 247.1; RFC 5681 section 3.1: a packet that times out again leaves the
    // threshold unchanged.
    let mut script = Script::new("cubic").window(353.0).starting_ssthresh(353.0);
    script.timeout();
    assert_eq!(script.cwnd(), 1.0);
    assert!((script.ssthresh() - 247.1).abs() < 1e-9);
    script.timeout_again();
    assert!((script.ssthresh() - 247.1).abs() < 1e-9);
    // ns-2 cuts again: 0.7 * 1 is less than two packets.
    script.timeout();
    assert_eq!(script.ssthresh(), 2.0);
}

//= test RFC 9438 section 4.5
//= test RFC 9438 section 4.8 plateau
//= test RFC 9438 section 4.10 slow-start
#[test]
fn after_a_timeout_congestion_avoidance_begins_at_its_plateau() {
    // RFC 9438 section 4.8: K = 0 and W_max = 70 at the end of slow start, and not 100 and cbrt(30 / 0.4) =
    // 4.2 s.
    let mut script = Script::new("cubic").window(100.0).starting_ssthresh(100.0);
    script.timeout();
    assert!(script.published("w_max_packets").is_nan());
    script.acks(69);
    assert_eq!((script.cwnd(), script.published("k_s")), (70.0, 0.0));
    script.acks(1);
    assert_eq!((script.published("w_max_packets"), script.published("k_s")), (70.0, 0.0));
    // After six seconds the cubic has left the plateau by C * 6^3 = 86.4 packets, and the window aims up to a
    // round trip of 0.1 s ahead: 0.4 * 6.1^3 = 90.8. From a plateau at 100 it would be 0.4 (6 - 4.217)^3 +
    // 100 = 102.3, and the Reno-friendly estimate 70 + 60 * 0.529 = 101.8.
    for _ in 0..60 {
        let window = script.cwnd();
        script.acks_over(window as u32, 100);
    }
    assert!((155.0..161.0).contains(&script.cwnd()), "{}", script.cwnd());
    // Section 4.7: this loss is above W_max (it is not compared with the window that timed out), so fast
    // convergence gives up nothing.
    let before = script.cwnd();
    script.loss();
    assert_eq!(script.published("w_max_packets"), before);
}

#[test]
fn the_increase_after_a_timeout_is_a_packet_a_round_trip_only_past_the_window_before_it() {
    // Section 4.3 with cwnd_prior = 10, window 7 after slow start, round trips of 1 ms: 0.529 in the first.
    let mut script = Script::new("cubic").window(10.0).starting_ssthresh(10.0);
    script.timeout();
    script.timeout_again();
    script.acks(6);
    assert_eq!(script.cwnd(), 7.0);
    script.acks_over(7, 1);
    assert!((script.cwnd() - 7.529).abs() < 0.03, "{}", script.cwnd());
}

//= test RFC 9438 section 4.6 beta
#[test]
fn the_cut_is_from_the_flight_and_the_maximum_is_the_flight_or_the_window() {
    // Section 4.6: ssthresh = 0.7 FlightSize, W_max = cwnd.
    for (remembers, w_max) in [("window", 100.0), ("flight", 40.0)] {
        let settings = [("remembers", remembers)];
        let mut script = Script::with("cubic", &settings).window(100.0).starting_ssthresh(100.0);
        script.loss_in_flight(40.0);
        assert_eq!((script.cwnd(), script.published("w_max_packets")), (28.0, w_max));
    }
}

//= test RFC 9438 section 4.9.2
#[test]
fn a_spurious_loss_leaves_the_curve_unchanged() {
    // Section 4.9.2: undo restores the window, the threshold, W_max, K and the start of the epoch.
    let run = |spurious: bool| {
        let mut script = Script::new("cubic").window(100.0).starting_ssthresh(100.0);
        script.loss();
        script.recovered();
        script.acks_over(70, 100);
        if spurious {
            script.loss();
            script.spurious();
        }
        script.acks_over(70, 100);
        (script.cwnd(), script.ssthresh(), script.published("w_max_packets"), script.published("k_s"))
    };
    assert_eq!(run(true), run(false));
}

//= test RFC 9438 section 4.2 application
#[test]
fn time_in_which_the_application_holds_the_flow_back_does_not_count() {
    // Section 5.8: during two seconds the flow does not need its window, and the curve continues from where
    // it was.
    let run = |held_back: bool| {
        let mut script = Script::new("cubic").window(100.0).starting_ssthresh(100.0);
        script.loss();
        script.recovered();
        script.acks_over(70, 100);
        for _ in 0..if held_back { 20 } else { 0 } {
            script.wait(Span::from_millis(100));
            script.ack_as(|ack| ack.cwnd_limited = false);
        }
        script.acks_over(70, 100);
        script.cwnd()
    };
    assert!((run(true) - run(false)).abs() < 1e-9, "{} and {}", run(true), run(false));
}

#[test]
fn time_in_which_nothing_is_sent_does_not_count() {
    // Sections 4.2 and 5.8. 70 packets are left, and the plateau at 100 is cbrt(30 / 0.4) = 4.2 s away. With
    // 18 s of silence in t the curve would ask for more than a thousand packets, and each acknowledgement
    // would add half a packet, up to the bound of 1.5 windows: 140 in the four rounds.
    let run = |silence: u64, undo: bool| {
        let mut script = Script::new("cubic").window(100.0).starting_ssthresh(100.0);
        script.loss();
        script.recovered();
        script.acks_over(70, 100);
        if undo {
            script.loss();
        }
        script.pause(Span::from_millis(silence));
        if undo {
            script.spurious();
        }
        for _ in 0..4 {
            script.acks_over(70, 100);
        }
        script.cwnd()
    };
    assert_eq!(run(18_000, false), run(0, false));
    assert!(run(0, false) < 70.0 * 1.15, "{}", run(0, false));
    assert_eq!(run(18_000, true), run(0, true), "the curve that an undo brings back stands still, too");
}

//= test RFC 9438 section 4.4
#[test]
fn the_first_steps_are_those_of_the_curve_and_of_reno() {
    // W_max 100, window 70, K = 4.217163 s, round trip 0.1 s. At the start W(0) = 70 is below Reno's 70 +
    // 0.529412 / 70. A second later W(1) is above it, and W(1.1) = 0.4 (1.1 - 4.217163)^3 + 100 = 87.8844:
    // (87.8844 - 70.007563) / 70.007563 = 0.255356.
    let mut script = Script::new("cubic").window(100.0).starting_ssthresh(100.0);
    script.loss();
    script.recovered();
    script.acks(1);
    assert!((script.cwnd() - 70.007563).abs() < 1e-6, "{}", script.cwnd());
    script.wait(Span::from_millis(1000));
    script.acks(1);
    assert!((script.cwnd() - 70.262919).abs() < 1e-5, "{}", script.cwnd());
}

#[test]
fn linux_cuts_to_0_7002_of_the_window_in_whole_packets() {
    // 717 / 1024 of 1024, 20, 10 and 10.9 packets, rounded down: cubictcp_recalc_ssthresh counts in integers.
    for (window, left) in [(1024.0, 717.0), (20.0, 14.0), (10.0, 7.0), (10.9, 7.0)] {
        let mut script =
            Script::with("cubic", &[("variant", "linux")]).window(window).starting_ssthresh(window);
        script.loss();
        assert_eq!((script.cwnd(), script.ssthresh()), (left, left), "{window}");
        script.set_cwnd(window);
        script.timeout();
        assert_eq!(script.ssthresh(), left, "{window}");
    }
}

#[test]
fn linux_computes_the_growth_anew_after_a_thirty_second_part_of_a_second() {
    // A window of 7 after a timeout at 10. Reno's estimate is 8 when more than 7 * 15 / 8, rounded down 13,
    // packets have been acknowledged, which is the fourteenth; the window then grows for 7 acknowledged
    // packets, which were counted before. Without the estimate it would take 20. Linux notices this at the first
    // acknowledgement for which it computes anew (bictcp_update: last_time + HZ / 32): the fourteenth if they are
    // 40 ms apart. In bursts of seven 100 ms apart, it computes at the first of each burst, and so at the fifteenth.
    let spaced = [40; 16];
    let bursts = [100, 2, 2, 2, 2, 2, 2, 100, 2, 2, 2, 2, 2, 2, 100, 2];
    for (waits, grows_at) in [(spaced, 14), (bursts, 15)] {
        let mut script = Script::with("cubic", &[("variant", "linux")]).window(10.0).starting_ssthresh(10.0);
        script.timeout();
        script.acks(6);
        assert_eq!((script.cwnd(), script.ssthresh()), (7.0, 7.0), "slow start ends at the threshold");
        for (number, wait) in (1..).zip(waits) {
            script.wait(Span::from_millis(wait));
            script.acks(1);
            assert_eq!(script.cwnd(), if number < grows_at { 7.0 } else { 8.0 }, "{number}");
        }
    }
}

#[test]
fn before_the_first_loss_linux_grows_by_a_twentieth_of_the_window_in_a_round() {
    // One packet for 20 acknowledgements; RFC 9438 has the curve from its plateau, 0.1 s ahead of which the
    // target is 0.0004 packets higher, and Reno's 20 / 100.
    for (variant, growth) in [("published", 0.2), ("linux", 1.0)] {
        let settings = [("variant", variant)];
        let mut script = Script::with("cubic", &settings).window(100.0).starting_ssthresh(100.0);
        script.acks(19);
        assert!(script.cwnd() < 100.2, "{variant}: {}", script.cwnd());
        script.acks(1);
        assert!((script.cwnd() - 100.0 - growth).abs() < 1e-3, "{variant}: {}", script.cwnd());
    }
}

#[test]
fn after_a_timeout_linux_grows_as_before_the_first_loss() {
    // bictcp_reset clears last_max_cwnd, and bictcp_update bounds cnt by 20 while that is zero: a packet for 20
    // acknowledgements at the end of slow start. After a loss without a timeout there is no such bound: the curve is
    // at 100 - 0.4004 * (cbrt(30 / 0.4004) - 0.1)^3 = 72.1, in whole packets 73, so the window of 70 grows for the
    // 70 / 3 = 23rd. In RFC 9438 section 4.8 the curve begins at its plateau.
    let mut script = Script::with("cubic", &[("variant", "linux")]).window(100.0).starting_ssthresh(100.0);
    script.loss();
    script.recovered();
    script.acks(22);
    assert_eq!(script.cwnd(), 70.0);
    script.acks(1);
    assert_eq!(script.cwnd(), 71.0);
    script.timeout();
    // 71 * 717 / 1024 = 49.7: slow start ends at 49 packets, 48 acknowledgements after one.
    script.acks(48 + 19);
    assert_eq!((script.cwnd(), script.ssthresh()), (49.0, 49.0));
    script.acks(1);
    assert_eq!(script.cwnd(), 50.0);
}

#[test]
fn the_mean_window_is_that_of_the_response_function() {
    // RFC 9438 section 5.1, tables 1 and 2: 1.0538 (RTT / p)^0.75, or 1.2247 / p^0.5 if that is more. The
    // tolerance of 10 % was set before the first run.
    for (rtt_ms, loss_rate, response) in [
        (100, 1e-2, 12.0),
        (100, 1e-3, 38.0),
        (100, 1e-4, 187.0),
        (100, 1e-5, 1054.0),
        (100, 1e-6, 5926.0),
        (10, 1e-4, 120.0),
        (10, 1e-5, 379.0),
        (10, 1e-6, 1200.0),
    ] {
        let mut script = Script::new("cubic").window(response).starting_ssthresh(response);
        let mean = script.mean_window(loss_rate, rtt_ms, 12);
        assert!(
            (mean / response - 1.0).abs() < 0.1,
            "{rtt_ms} ms, {loss_rate}: {mean} instead of {response}"
        );
    }
}

#[test]
fn linux_looks_ahead_by_the_least_round_trip_and_not_by_the_present_one() {
    // 1000 packets, cut to 700, a round trip of a second and a minimum of a tenth. One second into the epoch
    // W(2 s) = 0.4 * (2 - 9.0856)^3 + 1000 = 857.7, and an acknowledgement moves a 700th of the way. In Linux
    // K = cbrt(300 / 0.4004) = 9.083 s and W(1.1 s) = 1000 - 203.9, in whole packets 797: a packet for 700 / 97,
    // rounded down 7, of which the one a second before was the first.
    let run = |variant: &str, acks: u32| {
        let mut script =
            Script::with("cubic", &[("variant", variant)]).window(1000.0).starting_ssthresh(500.0);
        script.ack_with_rtt(100);
        script.set_cwnd(1000.0);
        script.loss();
        script.recovered();
        script.ack_with_rtt(1000);
        let before = script.cwnd();
        script.wait(Span::from_millis(1000));
        (0..acks).for_each(|_| script.ack_with_rtt(1000));
        script.cwnd() - before
    };
    assert!((run("published", 1) - 157.7 / 700.0).abs() < 5e-4, "{}", run("published", 1));
    assert_eq!([5, 6].map(|acks| run("linux", acks)), [0.0, 1.0]);
}
