//! Tests of LTCP-RC as a whole: its increase, and the changes between transition and steady state.

use super::ENTRY;
use crate::script::Script;

/// Creates a flow with W = 1200, in layer 5 (1000 to 1750).
fn in_layer_five(settings: &[(&str, &str)]) -> Script {
    let mut script = Script::of(&ENTRY, settings).window(1200.0).starting_ssthresh(1200.0);
    script.ack_with_rtt(120);
    script
}

/// Returns the growth by one acknowledgement times the window: K_R K.
fn growth(script: &mut Script) -> f64 {
    let before = script.cwnd();
    script.ack_with_rtt(120);
    (script.cwnd() - before) * before
}

/// Plays a tooth of the saw: a loss, then acknowledgements until the window is back at `top`.
fn saw_tooth(script: &mut Script, top: f64) {
    script.loss();
    script.recovered();
    while script.cwnd() < top {
        script.ack_with_rtt(120);
    }
}

#[test]
fn the_increase_is_ltcps_times_the_factor() {
    // Chapter IV: K_R = 0.5 * 120^(1/3) = 2.4662, K = 5: 12.331 packets in a round trip. The example of chapter V
    // section B: layer 10, RTT 120 ms, 24 packets in a round trip (24.66), or 10 without the factor.
    assert!((growth(&mut in_layer_five(&[])) - 12.331).abs() < 1e-3);
    let mut script = Script::of(&ENTRY, &[]).window(9000.0).starting_ssthresh(9000.0);
    script.ack_with_rtt(120);
    assert!((growth(&mut script) - 24.662).abs() < 1e-3);
}

#[test]
fn the_factor_follows_the_least_round_trip_and_not_the_queue() {
    let mut script = in_layer_five(&[]);
    script.ack_with_rtt(300);
    assert!((growth(&mut script) - 12.331).abs() < 1e-3);
    // A shorter round trip: 0.5 * 64^(1/3) = 2, times 5.
    script.ack_with_rtt(64);
    assert!((growth(&mut script) - 10.0).abs() < 1e-9);
}

#[test]
fn a_loss_takes_as_much_as_ltcps_in_every_mode_and_state() {
    for mode in ["fixed", "on-off", "full-half"] {
        let mut script = in_layer_five(&[("mode", mode)]);
        for _ in 0..5 {
            let before = script.cwnd();
            script.loss();
            assert!((script.cwnd() - 0.85 * before).abs() < 1e-9, "{mode}");
        }
    }
}

#[test]
fn the_third_loss_in_a_layer_turns_the_factor_off() {
    // Equations 5.1 and 5.2: K_R K is 12.331 in transition; 5 with on-off and 1.4797 * 5 = 7.399 with full-half when steady.
    for (mode, steady) in [("fixed", 12.331), ("on-off", 5.0), ("full-half", 7.399)] {
        let mut script = in_layer_five(&[("mode", mode)]);
        for _ in 0..2 {
            saw_tooth(&mut script, 1200.0);
            assert!((growth(&mut script) - 12.331).abs() < 1e-3, "{mode}");
        }
        saw_tooth(&mut script, 1200.0);
        assert!((growth(&mut script) - steady).abs() < 1e-3, "{mode}");
    }
}

#[test]
fn climbing_past_the_layer_of_the_last_loss_turns_it_on_again() {
    let mut script = in_layer_five(&[("mode", "on-off")]);
    for _ in 0..3 {
        saw_tooth(&mut script, 1200.0);
    }
    while script.cwnd() <= 1750.0 {
        assert!((growth(&mut script) - 5.0).abs() < 1e-9);
    }
    // Layer 6 is above 5, the layer of the last loss: 2.4662 * 6.
    assert!((growth(&mut script) - 14.797).abs() < 1e-3);
}

#[test]
fn climbing_back_to_the_layer_of_the_last_loss_does_not() {
    // Losses at 1100 in layer 5 lead to 935 in layer 4; the way back passes W_5 = 1000 into layer 5, no
    // higher than before.
    let mut script = in_layer_five(&[("mode", "on-off")]);
    while script.cwnd() > 1100.0 {
        script.loss();
        script.recovered();
    }
    for _ in 0..3 {
        saw_tooth(&mut script, 1100.0);
    }
    script.loss();
    script.recovered();
    assert!((growth(&mut script) - 4.0).abs() < 1e-9);
    while script.cwnd() <= 1000.0 {
        script.ack_with_rtt(120);
    }
    assert!((growth(&mut script) - 5.0).abs() < 1e-9);
}

#[test]
fn recovery_from_a_loss_is_faster_by_the_factor() {
    // Equation 4.13 for one flow: t = beta W RTT / (K_R K). W = 1400: 210 / (2.4662 * 5) = 17.03 round trips, against 42.
    let mut script = Script::of(&ENTRY, &[]).window(1400.0).starting_ssthresh(1400.0);
    script.loss();
    script.recovered();
    let rounds = script.rounds_until(1400.0, 120);
    assert!((17..=18).contains(&rounds), "{rounds}");
}

#[test]
fn a_first_layer_of_tcp_has_neither_factor_nor_beta() {
    let mut script = Script::of(&ENTRY, &[("first_layer", "tcp")]).window(20.0).starting_ssthresh(20.0);
    assert!((growth(&mut script) - 1.0).abs() < 1e-9);
    let before = script.cwnd();
    script.loss();
    assert!((script.cwnd() - before / 2.0).abs() < 1e-9);
    let mut script = Script::of(&ENTRY, &[]).window(20.0).starting_ssthresh(20.0);
    script.ack_with_rtt(120);
    assert!((growth(&mut script) - 2.466).abs() < 1e-3);
}

#[test]
fn a_timeout_is_no_loss_of_the_history() {
    let mut script = in_layer_five(&[("mode", "on-off")]);
    for _ in 0..3 {
        saw_tooth(&mut script, 1200.0);
    }
    script.timeout();
    assert_eq!(script.cwnd(), 1.0);
    // Slow start to 600 in layer 4: the flow is still steady, because it has not passed layer 5 of the last
    // loss.
    while script.cwnd() < 600.0 {
        script.ack_with_rtt(120);
    }
    script.ack_with_rtt(120);
    assert!((growth(&mut script) - 4.0).abs() < 1e-9);
}

#[test]
fn under_random_loss_the_window_grows_with_the_round_trip_to_the_power_of_one_fifth() {
    // Equation 4.20: W ~ RTT^0.2 / p^0.6. From 40 to 160 ms: 4^0.2 = 1.3195, if K is approximated by the cube
    // root of the window; with its steps, within a few per cent. With alpha = 5/3, K_R^0.6 and with it the
    // window is proportional to RTT: a factor of 4.
    let mean = |loss_rate, rtt_ms, alpha| {
        let mut script = Script::of(&ENTRY, &[("alpha", alpha)]).window(1000.0).starting_ssthresh(1000.0);
        script.mean_window(loss_rate, rtt_ms, 30)
    };
    let third = "0.3333333333333333";
    for loss_rate in [1e-4, 1e-5] {
        let ratio = mean(loss_rate, 160, third) / mean(loss_rate, 40, third);
        assert!((ratio / 1.3195 - 1.0).abs() < 0.06, "{ratio}");
    }
    let exponent = libm::log10(mean(3e-6, 120, third) / mean(3e-3, 120, third)) / 3.0;
    assert!((exponent - 0.6).abs() < 0.03, "{exponent}");
    let ratio = mean(1e-4, 160, "1.6666666666666667") / mean(1e-4, 40, "1.6666666666666667");
    assert!((ratio / 4.0 - 1.0).abs() < 0.06, "{ratio}");
}
