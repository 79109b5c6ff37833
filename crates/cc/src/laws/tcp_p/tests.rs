use super::share_of_others;
use crate::group_script::GroupScript;

const NEAR: f64 = 1e-9;

fn group(k: &str, windows: &[f64]) -> GroupScript {
    GroupScript::new("tcp-p", &[("k", k)], windows)
}

#[test]
fn equation_3_9_shares_the_loss_so_that_the_group_keeps_equation_3_6() {
    // Values computed from equation 3.9, to four digits, for k = 1, 2, 3 and so on.
    let table: [(f64, &[f64]); 4] = [
        (2.0, &[0.5, 1.0]),
        (4.0, &[0.5, 0.8333, 0.9444, 1.0]),
        (5.0, &[0.5, 0.8125, 0.9167, 0.9688, 1.0]),
        (10.0, &[0.5, 0.7778, 0.8704, 0.9167, 0.9444, 0.9630, 0.9762, 0.9861, 0.9938, 1.0]),
    ];
    for (size, row) in table {
        for (k, expected) in (1..).map(f64::from).zip(row) {
            let share = share_of_others(size, k);
            assert!((share - expected).abs() < 5e-5, "N = {size}, k = {k}: {share}");
            // Equation 3.10, with windows of 1.
            let kept = 0.5 + (size - 1.0) * share;
            assert!((kept - size * (2.0 * k - 1.0) / (2.0 * k)).abs() < NEAR);
        }
    }
}

#[test]
fn below_k_the_detector_halves_and_the_others_take_the_rest() {
    // N = 4, k = 2: 100 becomes 50, the others 83.33; together 300 = 400 x 3/4 (equation 3.6).
    let mut script = group("2", &[100.0; 4]);
    script.loss(1);
    assert_eq!((script.cwnd(1), script.ssthresh(1)), (50.0, 50.0));
    assert!((script.cwnd(0) - 250.0 / 3.0).abs() < NEAR);
    assert!((script.total() - 300.0).abs() < NEAR);
    // The others keep their thresholds.
    assert_eq!(script.ssthresh(0), 50.0);
}

#[test]
fn without_steps_every_acknowledgement_has_its_share() {
    // N = 2, k = 1, windows of 100 in congestion avoidance: 1 / (2 x 100 + 1/2) per acknowledgement (equation 3.4).
    let mut script = GroupScript::new("tcp-p", &[("k", "1"), ("steps", "false")], &[100.0, 100.0]);
    script.acks(0, 1);
    assert!((script.cwnd(0) - 100.0 - 1.0 / 200.5).abs() < NEAR);
}

#[test]
fn thresholds_of_the_others_fall_only_by_option() {
    // k = 1 halves both; 50 is below the other's threshold of 90, which stays (section III.C).
    for (settings, expected) in
        [(&[("k", "1")][..], 90.0), (&[("k", "1"), ("lower_ssthresh", "true")][..], 50.0)]
    {
        let mut script = GroupScript::with_thresholds("tcp-p", settings, &[(100.0, 90.0), (100.0, 90.0)]);
        script.loss(0);
        assert_eq!((script.cwnd(1), script.ssthresh(1)), (50.0, expected));
    }
}

#[test]
fn above_k_or_by_option_all_shrink_alike() {
    // N = 2, k = 4: 7/8 of each; the threshold of the flow that found the loss is still half of its window.
    let mut script = group("4", &[100.0, 60.0]);
    script.loss(0);
    assert_eq!((script.cwnds(), script.ssthresh(0)), (vec![87.5, 52.5], 50.0));
    let mut script = GroupScript::new("tcp-p", &[("k", "2"), ("method", "proportional")], &[100.0; 4]);
    script.loss(0);
    assert_eq!(script.cwnds(), [75.0; 4]);
}

#[test]
fn at_k_equal_to_the_members_it_is_standard_tcp() {
    let mut script = group("2", &[100.0, 60.0]);
    script.loss(0);
    assert_eq!(script.cwnds(), [50.0, 60.0]);
    script.acks(0, 1);
    assert_eq!(script.cwnd(0), 50.02);
    script.timeout(1);
    assert_eq!(script.cwnds(), [50.02, 1.0]);
}

#[test]
fn equation_3_2_slow_start_adds_k_over_n_for_each_acknowledgement() {
    let mut script = GroupScript::with_thresholds("tcp-p", &[("k", "3")], &[(10.0, 1e3); 4]);
    script.acks(0, 3);
    assert_eq!(script.cwnd(0), 10.0);
    script.acks(0, 1);
    assert_eq!(script.cwnd(0), 13.0);
}

#[test]
fn equation_3_8_avoidance_adds_k_after_n_windows_of_acknowledgements() {
    // N = 4, W = 10: 4 x 10 + 3/2 = 41.5, so 42 acknowledgements; equation 3.7 with a total of 40 and k = 1
    // gives [4 x 40 + 4 x 3/2] / 4 = 41.5 as well.
    let mut script = group("3", &[10.0; 4]);
    script.acks(0, 41);
    assert_eq!(script.cwnd(0), 10.0);
    script.acks(0, 1);
    assert_eq!(script.cwnd(0), 13.0);
}

#[test]
fn whatever_its_size_the_group_grows_by_k_in_a_round_trip() {
    for (size, k) in [(2_usize, 1.0), (10, 1.0), (10, 4.0), (2, 6.0)] {
        let mut script = group(&k.to_string(), &vec![50.0; size]);
        for _ in 0..300 {
            (0..size).for_each(|me| script.acks(me, script.cwnd(me) as u32));
        }
        let growth = (script.total() - 50.0 * size as f64) / 300.0;
        assert!((growth / k - 1.0).abs() < 0.05, "N = {size}, k = {k}: {growth}");
    }
}

#[test]
fn a_flow_that_was_just_cut_does_not_react_to_a_loss_of_its_own() {
    for (suppression, second) in [("detector", 50.0), ("none", 25.0)] {
        let mut script = GroupScript::new("tcp-p", &[("k", "1"), ("suppression", suppression)], &[100.0; 3]);
        script.rtt(80.0);
        script.acks(1, 1);
        script.loss(0);
        script.wait(79.0); // less than the least smoothed round trip of 80 ms
        script.loss(1);
        assert_eq!(script.cwnd(1), second);
        assert_eq!(script.cwnd(2), second);
    }
}

#[test]
fn after_a_minimum_round_trip_it_reacts_again() {
    let mut script = group("1", &[100.0; 3]);
    script.rtt(80.0);
    script.acks(1, 1);
    script.loss(0);
    script.wait(80.0);
    script.loss(1);
    assert_eq!(script.cwnds(), [25.0; 3]);
}

#[test]
fn a_cut_of_its_own_does_not_spare_the_detector() {
    // The rule looks at when another flow last cut the window.
    let mut script = group("1", &[100.0; 2]);
    script.rtt(80.0);
    script.acks(0, 1);
    script.loss(0);
    script.loss(0);
    assert_eq!(script.cwnd(0), 25.0);
}

#[test]
fn siblings_may_be_spared_too() {
    let mut script = GroupScript::new("tcp-p", &[("k", "1"), ("suppression", "both")], &[100.0; 3]);
    script.rtt(80.0);
    (0..3).for_each(|me| script.acks(me, 1));
    script.loss(0);
    script.wait(40.0);
    script.loss(0); // it was cut by no other: it halves, and the others have been cut 40 ms ago
    assert_eq!(script.cwnds(), [25.0, 50.0, 50.0]);
}

#[test]
fn with_only_siblings_spared_the_flow_that_finds_a_loss_halves_itself() {
    // N = 10, k = 2: f = 1/2 + 10 / (2 x 9 x 2) = 7/9 (equation 3.9). The second flow was cut to 7/9 and
    // halves that, and its threshold; the others are cut once.
    let mut script = GroupScript::new("tcp-p", &[("k", "2"), ("suppression", "siblings")], &[90.0; 10]);
    script.rtt(80.0);
    (0..10).for_each(|me| script.acks(me, 1));
    script.loss(0);
    script.wait(79.0);
    script.loss(1);
    let near = |value: f64, expected: f64| assert!((value - expected).abs() < NEAR, "{value} for {expected}");
    near(script.cwnd(0), 45.0);
    near(script.cwnd(1), 35.0);
    near(script.ssthresh(1), 35.0);
    near(script.cwnd(2), 70.0);
    near(script.total(), 45.0 + 35.0 + 8.0 * 70.0);
    // A minimum round trip after the cut, a loss costs the group again.
    script.wait(1.0);
    script.loss(2);
    near(script.cwnd(2), 35.0);
    near(script.cwnd(3), 70.0 * 7.0 / 9.0);
}

#[test]
fn a_timeout_in_a_burst_costs_the_siblings_what_a_loss_does() {
    for (suppression, others) in [("none", 25.0), ("detector", 50.0), ("both", 50.0), ("siblings", 50.0)] {
        let mut script = GroupScript::new("tcp-p", &[("k", "1"), ("suppression", suppression)], &[100.0; 3]);
        script.rtt(80.0);
        (0..3).for_each(|me| script.acks(me, 1));
        script.loss(0);
        script.wait(40.0);
        script.timeout(1);
        assert_eq!((script.cwnd(1), script.cwnd(2)), (1.0, others), "{suppression}");
    }
}

#[test]
fn a_timeout_starts_the_flow_over_and_cuts_the_others() {
    let mut script = group("2", &[100.0; 4]);
    script.timeout(0);
    assert_eq!((script.cwnd(0), script.ssthresh(0)), (1.0, 50.0));
    assert!((script.cwnd(1) - 250.0 / 3.0).abs() < NEAR);
}

#[test]
fn members_that_have_left_no_longer_count() {
    // Of three flows two are left: k = 1, N = 2, f = 1/2.
    let mut script = group("1", &[100.0; 3]);
    script.leave(2);
    script.loss(0);
    assert_eq!(script.cwnds(), [50.0, 50.0, 100.0]);
}
