use super::*;
use crate::discipline::Ecn;
use crate::nlms::Update;
use crate::testing::{Dice, arrival, at, idle, waiting};
use ackclock_base::{Rate, Values, random::Scripted};
use proptest::prelude::*;

/// At 8 Mbit/s a packet of 1000 bytes takes a millisecond.
const LINK: LinkRate = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };

fn limited(capacity: Capacity, settings: &[(&str, &str)]) -> Apace {
    Apace::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)), capacity, &LINK)
}

fn apace(settings: &[(&str, &str)]) -> Apace {
    limited(Capacity::Packets(50), settings)
}

/// Shows the discipline `arrivals` arrivals at a queue of constant length.
fn accustom(apace: &mut Apace, packets: u64, arrivals: u32) {
    for _ in 0..arrivals {
        apace.on_arrival(&arrival(0.0), &waiting(packets), &mut Scripted::new(&[0.999_999]));
    }
}

fn near(value: f64, expected: f64) -> bool {
    (value - expected).abs() < 1e-9
}

fn capable() -> Arrival {
    Arrival { ecn: Ecn::Classic, ..arrival(0.0) }
}

#[test]
fn the_probability_is_linear_between_the_thresholds() {
    // B = 50, lower 15, upper 50, at most 0.2: at 32.5 half of it; from 50 on every packet.
    let law = apace(&[]).law;
    assert!(near(law.probability(15.0), 0.0) && near(law.probability(-3.0), 0.0));
    assert!(near(law.probability(32.5), 0.1));
    assert!(near(law.probability(43.0), 0.16));
    assert_eq!(law.probability(50.0), 1.0);
}

#[test]
fn an_upper_threshold_beyond_the_limit_flattens_the_line() {
    // From 15 to 60: at 50, 0.2 * 35 / 45.
    let law = apace(&[("upper", "1.2")]).law;
    assert!(near(law.probability(50.0), 0.2 * 35.0 / 45.0));
    assert_eq!(law.probability(60.0), 1.0);
}

#[test]
fn thresholds_that_coincide_drop_all_or_nothing() {
    let law = apace(&[("lower", "1")]).law;
    assert_eq!((law.probability(49.9), law.probability(50.0)), (0.0, 1.0));
}

#[test]
fn the_share_of_drops_follows_the_predicted_queue() {
    // A queue that stays at 36 is predicted at 36: 0.2 * 21 / 35 = 0.12. Over 100,000 arrivals the fraction has a
    // standard deviation of sqrt(0.12 * 0.88 / 100,000) = 0.001.
    let mut apace = apace(&[]);
    accustom(&mut apace, 36, 20_000);
    let mut dice = Dice(1);
    let mut dropped = 0;
    for _ in 0..100_000 {
        dropped += u32::from(apace.on_arrival(&arrival(0.0), &waiting(36), &mut dice) == Verdict::Drop);
    }
    assert!((f64::from(dropped) / 1e5 - 0.12).abs() < 0.004, "{dropped}");
}

#[test]
fn it_acts_on_the_prediction_and_not_on_the_queue() {
    // The queue alternates between 40 and 0. With a horizon of one, an empty queue predicts 40 and a drop
    // probability of 0.2 * 25 / 35 = 0.143; a queue of 40 predicts 0.
    let mut apace = apace(&[("horizon", "1"), ("step", "0.5")]);
    let mut chances = [0.0; 2];
    let mut verdicts = [Verdict::Admit; 2];
    for step in 0..2000 {
        let full = step % 2;
        let draw = &mut Scripted::new(&[if step < 1000 { 0.999 } else { 0.14 }]);
        verdicts[full] = apace.on_arrival(&arrival(0.0), &waiting(40 * full as u64), draw);
        chances[full] = apace.probability();
    }
    assert!((chances[0] - 0.2 * 25.0 / 35.0).abs() < 1e-4, "{chances:?}");
    assert_eq!(chances[1], 0.0);
    assert_eq!(verdicts, [Verdict::Drop, Verdict::Admit]);
}

#[test]
fn a_packet_that_does_not_fit_is_dropped_whatever_is_predicted() {
    let mut apace = apace(&[("ecn", "true")]);
    assert_eq!(apace.on_arrival(&capable(), &waiting(50), &mut Scripted::new(&[])), Verdict::Drop);
    assert_eq!(apace.on_arrival(&capable(), &waiting(49), &mut Scripted::new(&[])), Verdict::Admit);
}

#[test]
fn capable_packets_are_marked_up_to_the_upper_threshold() {
    let verdict = |packets, arrival: Arrival| {
        let mut apace = limited(Capacity::Packets(50), &[("ecn", "true"), ("upper", "0.8")]);
        accustom(&mut apace, packets, 20_000);
        apace.on_arrival(&arrival, &waiting(packets), &mut Scripted::new(&[0.0]))
    };
    assert_eq!(verdict(36, capable()), Verdict::Mark);
    assert_eq!(verdict(36, arrival(0.0)), Verdict::Drop);
    assert_eq!(verdict(41, capable()), Verdict::Drop);
}

#[test]
fn a_step_marks_if_marks_are_possible() {
    // Both thresholds are at 40 packets, so there is no region in which packets are marked by chance.
    // Predictions of 41 packets are above the step.
    let verdict = |more: &[(&'static str, &'static str)], arrival: Arrival| {
        let settings = [&[("ecn", "true"), ("lower", "0.8"), ("upper", "0.8")][..], more].concat();
        let mut apace = limited(Capacity::Packets(50), &settings);
        accustom(&mut apace, 41, 20_000);
        apace.on_arrival(&arrival, &waiting(41), &mut Scripted::new(&[0.0]))
    };
    assert_eq!(verdict(&[], capable()), Verdict::Mark);
    assert_eq!(verdict(&[], arrival(0.0)), Verdict::Drop);
    assert_eq!(verdict(&[("drops_above_maximum", "true")], capable()), Verdict::Drop);
    assert_eq!(verdict(&[("lower", "0.3"), ("drops_above_maximum", "false")], capable()), Verdict::Mark);
}

#[test]
fn a_limit_in_bytes_counts_in_mean_packets_and_none_drops_nothing() {
    let bytes = limited(Capacity::Bytes(50_000), &[]);
    assert_eq!(bytes.law, apace(&[]).law);
    let mut unlimited = limited(Capacity::Unlimited, &[("lower", "0")]);
    accustom(&mut unlimited, 1_000_000, 1000);
    assert_eq!(unlimited.probability(), 0.0);
    let mut none = limited(Capacity::Packets(0), &[]);
    assert_eq!(none.on_arrival(&arrival(0.0), &idle(0.0), &mut Scripted::new(&[0.0])), Verdict::Admit);
}

#[test]
fn with_a_period_arrivals_are_not_learnt_from() {
    let mut periodic = apace(&[("period", "10 ms")]);
    accustom(&mut periodic, 36, 1000);
    assert_eq!((periodic.period(), periodic.probability()), (Some(Span::from_millis(10)), 0.0));
    for _ in 0..20_000 {
        periodic.on_period(Time::ZERO, &waiting(36));
    }
    assert!((periodic.probability() - 0.12).abs() < 1e-6);
}

/// Simulates twenty TCPs as a fluid (dw/dt = (1 - p w^2 / 2) / r, r = 50 ms) over a pipe of 50 packets, with
/// an arrival a millisecond; returns the discipline and the queue after `seconds`.
fn closed_loop(settings: &[(&str, &str)], seconds: u32) -> (Apace, f64) {
    let mut apace = apace(settings);
    let (mut window, mut queue, mut packets) = (1.0, 0.0, 0);
    for step in 0..seconds * 1000 {
        let probability = if packets < 50 { apace.probability() } else { 1.0 };
        window += 0.001 * (1.0 - probability * window * window / 2.0) / 0.05;
        queue = (20.0 * window - 50.0_f64).clamp(0.0, 50.0);
        packets = libm::round(queue) as u64;
        apace.on_arrival(&arrival(f64::from(step)), &waiting(packets), &mut Scripted::new(&[0.5]));
    }
    (apace, queue)
}

#[test]
fn a_target_delay_is_held() {
    // 25 ms are 25 packets: windows of 75 / 20 = 3.75 need p = 2 / 3.75^2 = 0.142. With a lower threshold of zero that is
    // m * 25 / 50, so m settles at 0.284. Without a target m = 0.05 leaves the queue at its upper end.
    let settings: &[(&str, &str)] = &[("lower", "0"), ("max_probability", "0.05")];
    assert!(closed_loop(settings, 200).1 > 45.0);
    for start in ["0.05", "1"] {
        let settings = [("lower", "0"), ("max_probability", start), ("target_delay", "25 ms")];
        let (apace, queue) = closed_loop(&settings, 200);
        assert!((queue - 25.0).abs() < 1.0, "{queue}");
        assert!((apace.law.max_probability - 0.284).abs() < 0.02, "{}", apace.law.max_probability);
    }
}

#[test]
fn a_target_loss_is_held() {
    // p = 0.12 allows windows of sqrt(2 / 0.12) = 4.08: a queue of 31.6, and m = 0.12 * 50 / 31.6 = 0.190.
    for start in ["0.05", "1"] {
        let settings = [("lower", "0"), ("max_probability", start), ("target_loss", "0.12")];
        let (apace, queue) = closed_loop(&settings, 200);
        assert!((apace.probability() - 0.12).abs() < 0.005, "{}", apace.probability());
        assert!((queue - 31.6).abs() < 1.0, "{queue}");
        assert!((apace.law.max_probability - 0.190).abs() < 0.01, "{}", apace.law.max_probability);
    }
}

#[test]
fn a_silence_counts_for_little() {
    // Twice the target for a tenth of a second at most: exp(0.2 * 0.1).
    let parameters = Parameters::from(&Values::with(ENTRY.descriptor, &[("target_delay", "10 ms")]));
    let mut adaptation = Adaptation::new(&parameters, &LINK);
    let mut adapted = |m, ms, predicted| {
        adaptation.as_mut().map_or(0.0, |adaptation| adaptation.adapt(m, at(ms), predicted, 0.0))
    };
    assert!(near(adapted(0.5, 0.0, 20.0), 0.5));
    assert!(near(adapted(0.5, 50.0, 20.0), 0.5 * libm::exp(0.01)));
    assert!(near(adapted(0.5, 50_000.0, 20.0), 0.5 * libm::exp(0.02)));
    assert!(near(adapted(0.5, 50_050.0, 0.0), 0.5 * libm::exp(-0.01)));
    // The result is never more than 1, and never so small that it cannot grow again.
    assert_eq!(adapted(1.0, 50_100.0, 20.0), 1.0);
    assert_eq!(adapted(0.0, 50_150.0, 0.0), 0.001);
}

#[test]
fn a_packet_that_does_not_fit_counts_as_a_loss() {
    // Nothing has been learnt, so the probability is 0. The loss over 100 ms counts a tenth: 0.1 is more than twice
    // the target, and the maximum falls by exp(0.2 * 0.1); without it, it would rise by as much.
    let mut apace = apace(&[("target_loss", "0.01"), ("max_probability", "0.5")]);
    for ms in [0.0, 100.0] {
        assert_eq!(apace.on_arrival(&arrival(ms), &waiting(50), &mut Scripted::new(&[0.5])), Verdict::Drop);
    }
    assert!(near(apace.law.max_probability, 0.5 * libm::exp(-0.02)), "{}", apace.law.max_probability);
}

/// Returns the value of a published series.
fn shown(apace: &Apace, wanted: &str) -> f64 {
    let mut found = f64::NAN;
    apace.publish(&mut |name, value| {
        if name == wanted {
            found = value;
        }
    });
    found
}

#[test]
fn at_a_long_horizon_a_constant_queue_is_still_learnt() {
    // At 500 a step of 0.01 diverges: an error of 36 grows beyond any queue, and either all packets are
    // dropped or none. With the bound the error decays slowly.
    let predicted = |bounded| {
        let mut apace = apace(&[("horizon", "500"), ("bounded", bounded)]);
        accustom(&mut apace, 36, 2_000_000);
        shown(&apace, "predicted_queue_packets")
    };
    assert!((predicted("true") - 36.0).abs() < 1.0, "{}", predicted("true"));
    assert!(predicted("false").abs() > 1e6, "{}", predicted("false"));
}

#[test]
fn bounds_that_are_not_reached_change_nothing() {
    // Beyond the limit, which is the upper threshold, every packet is dropped either way.
    let (mut bounded, mut literal) =
        (apace(&[("horizon", "38")]), apace(&[("horizon", "38"), ("bounded", "false")]));
    let mut dice = Dice(3);
    let mut beyond = false;
    for n in 0..50_000_u32 {
        let packets = if n / 76 % 2 == 0 { 48 } else { (dice.uniform() * 20.0) as u64 };
        bounded.on_arrival(&arrival(0.0), &waiting(packets), &mut Scripted::new(&[0.5]));
        literal.on_arrival(&arrival(0.0), &waiting(packets), &mut Scripted::new(&[0.5]));
        assert_eq!(bounded.probability(), literal.probability());
        beyond |= literal.predicted() > 50.0 && bounded.predicted() == 50.0;
    }
    assert!(beyond, "the series never took a prediction beyond the limit");
}

proptest! {
    /// Holds for every horizon, order, reading and queue, which alternates between full and empty at any
    /// rhythm or varies at random. The weights stay bounded too, except with equation 2.3 to the letter: it
    /// multiplies errors with other samples than those that made them, which no step makes stable.
    #[test]
    fn predictions_stay_within_the_queue(
        horizon in 1_u32..=10_000,
        order in 1_u32..=30,
        step in 1e-4..2.0_f64,
        update in prop::sample::select(Update::ALL),
        rhythm in 1_usize..40_000,
        erratic in any::<bool>(),
    ) {
        let settings = [
            ("horizon", horizon.to_string()), ("order", order.to_string()), ("step", step.to_string()),
            ("update", update.word().to_owned()),
        ];
        let settings: Vec<_> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut apace = apace(&settings);
        let mut dice = Dice(u64::from(horizon));
        for n in 0..60_000 {
            let full = if erratic { dice.uniform() } else { f64::from(n / rhythm as u32 % 2) };
            apace.on_arrival(&arrival(0.0), &waiting((full * 50.0) as u64), &mut Scripted::new(&[0.5]));
            let predicted = shown(&apace, "predicted_queue_packets");
            prop_assert!((0.0..=50.0).contains(&predicted), "{predicted} at {n}");
            let sound = apace.predictor.weights().iter().all(|weight| weight.abs() < 1e6);
            prop_assert!(sound || update == Update::CurrentRegressor, "at {n}");
        }
    }
}
