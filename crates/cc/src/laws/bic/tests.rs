use crate::script::Script;

fn at(window: f64) -> Script {
    Script::new("bic").window(window).starting_ssthresh(window)
}

/// Returns maximum, minimum and target of the search.
fn search(script: &mut Script) -> [f64; 3] {
    ["max", "min", "target"].map(|name| script.published(&format!("{name}_window_packets")))
}

#[test]
fn a_loss_keeps_seven_eighths_and_the_search_aims_at_the_middle() {
    // 400 * 0.875 = 350. No earlier maximum is known, which counts as a large one: max = (400 + 350) / 2 =
    // 375, target = 362.5. With `last`, an unknown maximum does not count: 400 and 375.
    for (previous, max, target) in [("unbounded", 375.0, 362.5), ("last", 400.0, 375.0)] {
        let settings = [("previous_max", previous)];
        let mut script = Script::with("bic", &settings).window(400.0).starting_ssthresh(400.0);
        script.loss();
        assert_eq!((script.cwnd(), search(&mut script)), (350.0, [max, 350.0, target]));
        // One acknowledgement: (target - 350) / 350.
        script.recovered();
        script.acks(1);
        assert!((script.cwnd() - 350.0 - (target - 350.0) / 350.0).abs() < 1e-9);
    }
}

#[test]
fn the_distance_to_the_maximum_falls_by_e_in_two_round_trips() {
    // The maximum is 375. An acknowledgement takes g / 2w off the distance g = 375 - w, so 375 ln(g0 / g) - (g0 - g) = n/2
    // after n of them: from 25 to 25 / e^2 = 3.383 in 2 (750 - 21.62) = 1456.8, four round trips of about 364.
    let mut script = at(400.0);
    script.loss();
    script.recovered();
    script.acks(1457);
    assert!((375.0 - script.cwnd() - 3.383).abs() < 0.03, "{}", script.cwnd());
}

#[test]
fn far_from_the_maximum_it_adds_32_packets_in_a_round_trip() {
    // A loss at 2000 leaves 1750 under a maximum of 1875, (1875 - 1750) / 2 = 62.5, more than 32.
    let mut script = at(2000.0);
    script.loss();
    script.recovered();
    script.acks(1);
    assert!((script.cwnd() - 1750.0 - 32.0 / 1750.0).abs() < 1e-9);
}

#[test]
fn at_the_maximum_it_creeps_and_past_it_it_probes_one_two_four() {
    let mut script = at(20.0);
    script.loss();
    script.recovered();
    // From 17.5 the window comes within 0.02 packets of the maximum of 18.75 in 2 ln(1.25 / 0.02) = 8.3 round
    // trips. The last 0.02 packets take two more, at the least increase of 0.01.
    script.acks(225);
    assert!(script.published("max_window_packets").is_nan(), "past 18.75: {}", script.cwnd());
    let start = script.cwnd();
    script.acks_over(start as u32, 100);
    assert!(script.cwnd() - start > 0.9, "{} -> {}", start, script.cwnd());
    let next = script.cwnd();
    script.acks_over(next as u32, 100);
    assert!(script.cwnd() - next > 1.8, "{} -> {}", next, script.cwnd());
}

#[test]
fn a_flow_whose_windows_shrink_gives_up_more() {
    // A loss at 400 leaves a maximum of 375. One at 360, below it: min = 315, max = (360 + 315) / 2 = 337.5,
    // target = 326.25.
    let mut script = at(400.0);
    script.loss();
    script.recovered();
    while script.cwnd() < 360.0 {
        script.acks(1);
    }
    script.loss();
    let (max, window) = (script.published("max_window_packets"), script.cwnd());
    assert!((max / window - 337.5 / 315.0).abs() < 1e-9, "{max}");
    assert!((script.published("target_window_packets") - (max + window) / 2.0).abs() < 1e-9);
}

#[test]
fn a_loss_that_ends_probing_is_compared_with_no_maximum_or_with_the_last() {
    // The paper's listing sets max_win to a large number when probing begins, and prev_max to max_win at the
    // loss, so that every such loss is below the maximum before; Linux keeps the last maximum, which probing
    // has passed.
    for (previous, share) in [("unbounded", (1.0 + 0.875) / 2.0), ("last", 1.0)] {
        let settings = [("previous_max", previous)];
        let mut script = Script::with("bic", &settings).window(100.0).starting_ssthresh(100.0);
        script.loss();
        script.recovered();
        while script.cwnd() < 110.0 {
            script.acks(1);
        }
        assert!(script.published("max_window_packets").is_nan(), "probing");
        let from = script.cwnd();
        script.loss();
        let [max, min, target] = search(&mut script);
        assert!((max - share * from).abs() < 1e-9 && (min - 0.875 * from).abs() < 1e-9, "{max} {min}");
        assert!((target - (max + min) / 2.0).abs() < 1e-9, "{target}");
    }
}

#[test]
fn without_fast_convergence_a_loss_is_the_maximum() {
    let mut script =
        Script::with("bic", &[("fast_convergence", "false")]).window(400.0).starting_ssthresh(400.0);
    script.loss();
    assert_eq!(search(&mut script), [400.0, 350.0, 375.0]);
}

#[test]
fn below_the_low_window_it_is_reno_and_a_timeout_forgets_the_search() {
    let mut script = at(10.0);
    script.acks(1);
    assert_eq!(script.cwnd(), 10.1);
    script.loss();
    assert_eq!(script.cwnd(), 5.05);
    let mut script = at(100.0);
    script.loss();
    script.timeout();
    assert_eq!((script.cwnd(), script.ssthresh()), (1.0, 43.75));
    assert!(script.published("max_window_packets").is_nan());
}

#[test]
fn linuxs_constants_cut_to_0_7998_and_add_16_packets_in_a_round_trip_at_most() {
    let mut script = Script::with("bic", &[("variant", "linux")]).window(1024.0).starting_ssthresh(1024.0);
    script.loss();
    assert_eq!(script.cwnd(), 819.0);
    // A quarter of the way from 819 to 1024 is 51: more than 16.
    script.recovered();
    script.acks(1);
    assert!((script.cwnd() - 819.0 - 16.0 / 819.0).abs() < 1e-9);
}
