use crate::script::Script;

fn at(window: f64) -> Script {
    Script::new("bic").window(window).starting_ssthresh(window)
}

#[test]
fn a_loss_keeps_seven_eighths_and_the_search_aims_at_the_middle() {
    // 400 * 0.875 = 350, between 350 and 400: 375.
    let mut script = at(400.0);
    script.loss();
    let published = ["max", "min", "target"].map(|name| script.published(&format!("{name}_window_packets")));
    assert_eq!((script.cwnd(), published), (350.0, [400.0, 350.0, 375.0]));
    // One acknowledgement: (375 - 350) / 350.
    script.recovered();
    script.acks(1);
    assert!((script.cwnd() - 350.0 - 25.0 / 350.0).abs() < 1e-9);
}

#[test]
fn the_distance_to_the_maximum_falls_by_e_in_two_round_trips() {
    // An acknowledgement takes g / 2w off the distance g = 400 - w, so 400 ln(g0 / g) - (g0 - g) = n/2 after n of
    // them: from 50 to 50 / e^2 = 6.767 in 2 (800 - 43.23) = 1513.5, four round trips of about 378.
    let mut script = at(400.0);
    script.loss();
    script.recovered();
    script.acks(1513);
    assert!((400.0 - script.cwnd() - 6.767).abs() < 0.03, "{}", script.cwnd());
}

#[test]
fn far_from_the_maximum_it_adds_32_packets_in_a_round_trip() {
    // A loss at 1000 leaves 875, (1000 - 875) / 2 = 62.5, more than 32.
    let mut script = at(1000.0);
    script.loss();
    script.recovered();
    script.acks(1);
    assert!((script.cwnd() - 875.0 - 32.0 / 875.0).abs() < 1e-9);
}

#[test]
fn at_the_maximum_it_creeps_and_past_it_it_probes_one_two_four() {
    let mut script = at(20.0);
    script.loss();
    script.recovered();
    // 17.5 to 20 within 0.01 takes 2 ln(2.5 / 0.02) = 9.7 round trips, the last 0.02 packets at 0.01 each two more.
    script.acks(260);
    assert!(script.published("max_window_packets").is_nan(), "past 20: {}", script.cwnd());
    let start = script.cwnd();
    script.acks_over(start as u32, 100);
    assert!(script.cwnd() - start > 0.9, "{} -> {}", start, script.cwnd());
    let next = script.cwnd();
    script.acks_over(next as u32, 100);
    assert!(script.cwnd() - next > 1.8, "{} -> {}", next, script.cwnd());
}

#[test]
fn a_flow_whose_windows_shrink_gives_up_more() {
    // 400 is lost at, then 360 < 400: min = 315, max = (360 + 315) / 2 = 337.5, target = 326.25.
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
