use super::*;
use crate::discipline::Ecn;
use crate::disciplines::token_bucket::{self, TokenBucket};
use crate::testing::{Dice, arrival, idle, waiting};
use ackclock_base::{Rate, Time, Values, random::Scripted};
use proptest::prelude::*;

const LINK: LinkRate = LinkRate { rate: Rate::from_bits_per_second(1_000_000_000), mean_packet_bytes: 1000 };

fn scepter(settings: &[(&str, &str)]) -> Scepter {
    Scepter::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)), Capacity::Packets(100), &LINK)
}

/// Sends packets of 1000 bytes, `load` for each that the tokens of 8 Mbit/s allow, into a bucket of 50;
/// returns the mean level in packets, and the share of packets that passed.
fn settles_with(settings: &[(&str, &str)], load: f64) -> (f64, f64) {
    let mut scepter = scepter(&[&[("rate", "8 Mbit/s"), ("burst", "50 kB")], settings].concat());
    let mut dice = Dice(1);
    let (mut level, mut passed) = (0.0, 0.0);
    let (first, last) = (50_000, 250_000);
    let mut periods = 0;
    for packet in 0..last {
        let arrival = arrival(f64::from(packet) / load);
        while let Some(period) = scepter.period()
            && period.nanos() * (periods + 1) <= arrival.now.nanos()
        {
            periods += 1;
            scepter.on_period(Time::from_nanos(period.nanos() * periods), &idle(0.0));
        }
        let verdict = scepter.on_arrival(&arrival, &idle(0.0), &mut dice);
        if packet >= first {
            level += scepter.bucket.level_bytes() / 1000.0;
            passed += f64::from(u8::from(verdict == Verdict::Admit));
        }
    }
    let count = f64::from(last - first);
    (level / count, passed / count)
}

#[test]
fn a_packet_without_tokens_can_pass_marked() {
    // A bucket of two packets, and a max_p of 0 so that no packet is dropped early: the third packet of an
    // instant finds no tokens.
    let third = |settings: &[(&str, &str)], ecn: Ecn| {
        let always = [("rate", "8 Mbit/s"), ("burst", "2 kB"), ("max_probability", "0")];
        let mut scepter = scepter(&[&always, settings].concat());
        let verdicts = [(); 3].map(|()| {
            scepter.on_arrival(&Arrival { ecn, ..arrival(0.0) }, &idle(0.0), &mut Scripted::new(&[0.5; 3]))
        });
        (verdicts[1], verdicts[2], scepter.bucket.level_bytes())
    };
    assert_eq!(third(&[], Ecn::Classic), (Verdict::Admit, Verdict::Drop, 0.0));
    let marks = [("exceeding", "mark"), ("ecn", "true")];
    assert_eq!(third(&marks, Ecn::Classic), (Verdict::Admit, Verdict::Mark, 0.0));
    assert_eq!(third(&marks, Ecn::NotCapable), (Verdict::Admit, Verdict::Drop, 0.0));
    assert_eq!(third(&marks[..1], Ecn::Classic), (Verdict::Admit, Verdict::Drop, 0.0));
}

#[test]
fn an_update_sees_the_tokens_that_have_arrived_since_the_last_packet() {
    // 100 packets empty the bucket of 100 kB at 0. At 100 ms it is full again: no token is missing, and PI squared
    // does not drop. With the level at 0 it would: 100 ms are twice the target.
    let mut scepter = scepter(&[("law", "pi-squared"), ("rate", "8 Mbit/s"), ("burst", "100 kB")]);
    for _ in 0..100 {
        assert_eq!(
            scepter.on_arrival(&arrival(0.0), &idle(0.0), &mut Scripted::new(&[0.999])),
            Verdict::Admit
        );
    }
    scepter.on_period(Time::from_nanos(100_000_000), &idle(0.0));
    assert_eq!(scepter.probability, 0.0);
}

/// Returns the same values for a law with its defaults.
fn settles(law: &str, load: f64) -> (f64, f64) {
    settles_with(&[("law", law)], load)
}

#[test]
fn pi_squared_settles_at_its_target_whatever_the_overload() {
    // Half of 50 packets, less one on average, since the level is read after an arrival took its tokens.
    for load in [1.0 / 0.99, 1.0 / 0.95, 1.0 / 0.6] {
        let (level, passed) = settles("pi-squared", load);
        assert!((level - 24.5).abs() < 1.0, "{load}: {level}");
        assert!((passed - 1.0 / load).abs() < 0.002, "{load}: {passed}");
    }
}

#[test]
fn pid_squared_settles_at_its_target_whatever_the_overload() {
    for load in [1.0 / 0.99, 1.0 / 0.95, 1.0 / 0.6] {
        let (level, passed) = settles("pid-squared", load);
        assert!((level - 24.5).abs() < 1.5, "{load}: {level}");
        assert!((passed - 1.0 / load).abs() < 0.002, "{load}: {passed}");
    }
}

#[test]
fn a_long_horizon_neither_diverges_nor_starves_the_contract() {
    // 5 % of overload. To the letter a step of 0.01 is unstable beyond a horizon of 156: it swings between
    // dropping no packet and every packet, and at 500 passes 92 % of the contract; TCP, which falls back each
    // time, gets far less.
    let far = [("horizon", "500"), ("law", "free")];
    let (level, passed) = settles_with(&far, 1.05);
    assert!((passed - 1.0 / 1.05).abs() < 0.001 && (level - 26.0).abs() < 0.5, "{level}, {passed}");
    let (_, passed) = settles_with(&[far.as_slice(), &[("bounded", "false")]].concat(), 1.05);
    assert!(passed < 0.9, "{passed}");
}

#[test]
fn predictions_are_of_levels_that_a_bucket_can_have() {
    // A step of 2 overshoots wildly under bursts.
    let settings = [("burst", "20 kB"), ("rate", "8 Mbit/s"), ("step", "2"), ("horizon", "1")];
    for (bounded, stays) in [("true", true), ("false", false)] {
        let mut scepter = scepter(&[settings.as_slice(), &[("bounded", bounded)]].concat());
        let mut dice = Dice(1);
        let mut within = true;
        for packet in 0..2000 {
            let ms = f64::from(packet / 20 * 17 + packet % 20 / 4);
            scepter.on_arrival(&arrival(ms), &idle(0.0), &mut dice);
            scepter.publish(&mut |name, value| {
                within &= name != "predicted_tokens_bytes" || (0.0..=20_000.0).contains(&value);
            });
        }
        assert_eq!(within, stays, "bounded {bounded}");
    }
}

#[test]
fn a_bucket_of_one_round_trip_holds_its_tokens() {
    // 8 Mbit/s bring 120 kB in 120 ms.
    let settings =
        [("rate", "8 Mbit/s"), ("depth", "round-trip"), ("round_trip", "120 ms"), ("burst", "1 kB")];
    assert_eq!(scepter(&settings).bucket.depth_bytes(), 120_000.0);
}

#[test]
fn predictions_in_bytes_need_no_mean_packet() {
    // Links with different mean packets decide differently in packets, and alike in bytes.
    let verdicts = |unit, mean_packet_bytes| {
        let link = LinkRate { mean_packet_bytes, ..LINK };
        let settings = [("rate", "8 Mbit/s"), ("burst", "20 kB"), ("unit", unit)];
        let parameters = Parameters::from(&Values::with(ENTRY.descriptor, &settings));
        let mut scepter = Scepter::new(parameters, Capacity::Packets(100), &link);
        let mut dice = Dice(1);
        let mut ask = |packet| scepter.on_arrival(&arrival(f64::from(packet) * 0.8), &idle(0.0), &mut dice);
        (0..3000).map(&mut ask).collect::<Vec<_>>()
    };
    assert_eq!(verdicts("bytes", 40), verdicts("bytes", 1500));
    assert_ne!(verdicts("packets", 40), verdicts("packets", 1500));
}

#[test]
fn under_a_steady_overload_the_level_settles_at_the_drop_rate_of_the_excess() {
    // A load of 1 / 0.95 loses 5 %. The free law drops 0.05 when the empty part is 0.3 + 0.7 x 0.05 / 0.2 =
    // 0.475 of the bucket: 26.25 packets are left. With the target of 25 packets, 0.05 = 0.2 / 50 x 12.5: the
    // level readings settle at 12.5, and the demand of 15 arrivals, 14.25 of which pass, raises that to
    // 26.75.
    for (law, expected) in
        [("free", 26.25), ("target-level", 12.5), ("target-mean-level", 12.5), ("target-demand", 26.75)]
    {
        let (level, passed) = settles(law, 1.0 / 0.95);
        assert!((level - expected).abs() < 1.5, "{law}: {level}");
        assert!((passed - 0.95).abs() < 0.001, "{law}: {passed}");
    }
}

#[test]
fn to_the_letter_equation_5_1_has_no_level_to_settle_at() {
    // It drops 0.2 x 25 / 50 = 0.1 at any steady level: too many for a load that exceeds the rate by less,
    // whose bucket stays full, and too few for one that exceeds it by more, whose bucket stays empty.
    let (level, passed) = settles("target-literal", 1.0 / 0.95);
    assert!(level > 45.0 && passed < 0.91, "{level}, {passed}");
    let (level, passed) = settles("target-literal", 1.0 / 0.8);
    assert!(level < 5.0 && (passed - 0.8).abs() < 0.001, "{level}, {passed}");
}

#[test]
fn a_packet_without_tokens_is_dropped_whatever_the_law_says() {
    let mut scepter =
        scepter(&[("burst", "2 kB"), ("rate", "1 bit/s"), ("law", "target-level"), ("max_probability", "0")]);
    let verdicts =
        [0.0, 0.1, 0.2].map(|ms| scepter.on_arrival(&arrival(ms), &idle(0.0), &mut Scripted::new(&[0.999])));
    assert_eq!(verdicts, [Verdict::Admit, Verdict::Admit, Verdict::Drop]);
}

#[test]
fn an_early_drop_becomes_a_mark_if_possible_and_takes_its_tokens() {
    // To the letter p = max_p (T_target - T + T_predicted) / B, and a full bucket that has always been full
    // is predicted to stay so: 1 x 0.5. The first of two packets takes the only tokens, and the second finds
    // none and is dropped, capable or not.
    let settings =
        [("burst", "1 kB"), ("rate", "1 bit/s"), ("law", "target-literal"), ("max_probability", "1")];
    let capable = Arrival { ecn: Ecn::Classic, ..arrival(0.0) };
    let early = &mut Scripted::new(&[0.4]);
    let mut marking = scepter(&[settings.as_slice(), &[("ecn", "true")]].concat());
    assert_eq!(marking.on_arrival(&capable, &idle(0.0), early), Verdict::Mark);
    assert_eq!(marking.on_arrival(&capable, &idle(0.0), early), Verdict::Drop);
    assert_eq!(scepter(&settings).on_arrival(&capable, &idle(0.0), early), Verdict::Drop);
}

#[test]
fn a_packet_that_the_queue_refuses_takes_no_tokens() {
    let mut scepter = scepter(&[("burst", "1 kB"), ("rate", "1 bit/s")]);
    let random = &mut Scripted::new(&[0.999]);
    assert_eq!(scepter.on_arrival(&arrival(0.0), &waiting(100), random), Verdict::Drop);
    assert_eq!(scepter.on_arrival(&arrival(0.0), &idle(0.0), random), Verdict::Admit);
}

proptest! {
    #[test]
    fn without_early_drops_it_is_the_token_bucket(
        arrivals in prop::collection::vec((0_u64..4_000_000, 40_u32..2000), 1..200),
        rate in 100_000_u64..50_000_000,
        burst in 40_u64..20_000,
    ) {
        let (rate, burst) = (format!("{rate} bit/s"), format!("{burst} B"));
        let bucket = [("rate", rate.as_str()), ("burst", burst.as_str())];
        let never = [("law", "target-level"), ("max_probability", "0")];
        let mut scepter = scepter(&[bucket.as_slice(), &never].concat());
        let values = Values::with(token_bucket::ENTRY.descriptor, &bucket);
        let mut policer = TokenBucket::new((&values).into(), Capacity::Packets(100), &LINK);
        let mut now = 0;
        for (gap, bytes) in arrivals {
            now += gap;
            let packet = Arrival { now: Time::from_nanos(now), bytes, ..arrival(0.0) };
            let random = &mut Scripted::new(&[0.0]);
            let expected = policer.on_arrival(&packet, &idle(0.0), random);
            prop_assert_eq!(scepter.on_arrival(&packet, &idle(0.0), random), expected);
        }
    }
}
