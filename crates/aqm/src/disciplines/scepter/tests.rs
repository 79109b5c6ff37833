use super::*;
use crate::discipline::Ecn;
use crate::disciplines::token_bucket::{self, TokenBucket};
use crate::testing::{Dice, arrival, idle, waiting};
use ackclock_base::{Rate, Time, random::Scripted};
use proptest::prelude::*;

const LINK: LinkRate = LinkRate { rate: Rate::from_bits_per_second(1_000_000_000), mean_packet_bytes: 1000 };

fn scepter(settings: &[(&str, &str)]) -> Scepter {
    Scepter::new(&Values::with(ENTRY.descriptor, settings), Capacity::Packets(100), &LINK)
}

/// Packets of 1000 bytes, so many for each that the tokens of 8 Mbit/s allow, into a bucket of 50: the mean level in
/// packets, and the share of packets that passed.
fn settles(law: &str, load: f64) -> (f64, f64) {
    let mut scepter = scepter(&[("rate", "8 Mbit/s"), ("burst", "50 kB"), ("law", law)]);
    let mut dice = Dice(1);
    let (mut level, mut passed) = (0.0, 0.0);
    let (first, last) = (50_000, 250_000);
    for packet in 0..last {
        let verdict = scepter.on_arrival(&arrival(f64::from(packet) / load), &idle(0.0), &mut dice);
        if packet >= first {
            level += scepter.bucket.level_bytes() / 1000.0;
            passed += f64::from(u8::from(verdict == Verdict::Admit));
        }
    }
    let count = f64::from(last - first);
    (level / count, passed / count)
}

#[test]
fn under_a_steady_overload_the_level_settles_where_the_law_drops_the_excess() {
    // A load of 1 / 0.95 loses 5 %. The free law drops 0.05 where the empty part is 0.3 + 0.7 x 0.05 / 0.2 = 0.475 of the
    // bucket: 26.25 packets are left. On the target of 25 packets, 0.05 = 0.2 / 50 x 12.5: the level readings settle at
    // 12.5, and the demand of 15 arrivals, 14.25 of which pass, lifts that to 26.75.
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
    // It drops 0.2 x 25 / 50 = 0.1 at any steady level: too many for a load that exceeds the rate by less, whose bucket
    // then stays full, and too few for one that exceeds it by more, whose bucket then stays empty.
    let (level, passed) = settles("target-literal", 1.0 / 0.95);
    assert!(level > 45.0 && passed < 0.91, "{level}, {passed}");
    let (level, passed) = settles("target-literal", 1.0 / 0.8);
    assert!(level < 5.0 && (passed - 0.8).abs() < 0.001, "{level}, {passed}");
}

#[test]
fn what_finds_no_tokens_is_dropped_whatever_the_law_says() {
    let mut scepter =
        scepter(&[("burst", "2 kB"), ("rate", "1 bit/s"), ("law", "target-level"), ("max_probability", "0")]);
    let verdicts =
        [0.0, 0.1, 0.2].map(|ms| scepter.on_arrival(&arrival(ms), &idle(0.0), &mut Scripted::new(&[0.999])));
    assert_eq!(verdicts, [Verdict::Admit, Verdict::Admit, Verdict::Drop]);
}

#[test]
fn what_would_be_dropped_early_is_marked_where_it_can_be_and_takes_its_tokens() {
    // To the letter p = max_p (T_target - T + T_predicted) / B, and a full bucket that has always been full is predicted to
    // stay so: 1 x 0.5. The first of two packets takes the only tokens, and what finds none is dropped, capable or not.
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
fn what_the_queue_refuses_takes_no_tokens() {
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
        let mut policer = TokenBucket::new(&values, Capacity::Packets(100), &LINK);
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
