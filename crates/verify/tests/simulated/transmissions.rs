//! Compares the simulator's transmission times over links whose rate changes with the verifier's.

use ackclock_base::trace::{Event, Record};
use ackclock_base::{Rate, Span, Time};
use ackclock_sim::outage;
use ackclock_sim::timeline::Timeline;
use ackclock_sim::transmission::{Changes, Manner, Transmission};
use ackclock_verify::{
    ChangeApplies, LinkFacts, NetworkFacts, Outage, OverTime, PathFacts, Rule, SendingRate, VaryingRate,
    verify,
};
use proptest::prelude::*;

/// Returns whether the verifier finds a fault with a transmission from `starts` to `ends`.
fn refuted(rate: &VaryingRate, starts: Time, ends: Time, bytes: u32) -> bool {
    let record = |time: Time, event| Record { time_ns: time.nanos(), path: 0, packet: 1, bytes, event };
    let records = [
        record(starts, Event::Launched),
        record(starts, Event::Offered { link: 0 }),
        record(starts, Event::Started { link: 0 }),
        record(ends, Event::Sent { link: 0 }),
        record(ends, Event::Arrived { link: 0 }),
        record(ends, Event::Delivered),
    ];
    let network = NetworkFacts {
        links: vec![LinkFacts::new("link", SendingRate::Varying(rate.clone()))],
        paths: vec![PathFacts { flow: "flow".into(), backward: false, links: vec![0] }],
        agents: Vec::new(),
    };
    let found = verify(&records, &network, Time::NEVER);
    assert!(found.iter().all(|violation| violation.rule == Rule::LinkRate), "{found:?}");
    !found.is_empty()
}

/// A rate in bit/s: zero, a multiple of half a bit in a nanosecond, or any.
fn rates() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        (1_u64..20).prop_map(|bits| bits * 500_000_000),
        1_u64..20_000_000_000,
        1_u64..1_000_000_000_000
    ]
}

/// Phases: how many nanoseconds each lasts, and its rate in bit/s. The rate of the last phase is not zero.
fn phases() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let last = (1_u64..8, 100_000_000_u64..20_000_000_000);
    (prop::collection::vec((1_u64..8, rates()), 0..8), last).prop_map(|(mut phases, last)| {
        phases.push(last);
        phases
    })
}

/// Returns how the rate changes, as the simulator and as the verifier are told.
fn told(
    phases: &[(u64, u64)],
    repeats: bool,
    out: Option<(u64, u64, Option<u64>)>,
) -> (Changes, VaryingRate) {
    let rate = Rate::from_bits_per_second;
    let begins = |phase: usize| Time::from_nanos(phases[..phase].iter().map(|(lasts, _)| lasts).sum());
    let steps = (1..phases.len()).map(|phase| (begins(phase), rate(phases[phase].1)));
    let timeline = if repeats {
        let phases = phases.iter().map(|(lasts, to)| (Span::from_nanos(*lasts), rate(*to)));
        Timeline::cycle(phases).unwrap()
    } else {
        Timeline::steps(rate(phases[0].1), steps.clone())
    };
    let out = out.map(|(from, lasts, more)| {
        let every = more.map(|more| Span::from_nanos(lasts + more));
        (Time::from_nanos(from), Span::from_nanos(lasts), every)
    });
    let changes = Changes {
        rates: timeline,
        manner: Manner::BitByBit,
        outage: out.map(|(from, lasts, every)| outage::Outage { from, lasts, every }),
        nominal: Rate::default(),
    };
    let varying = VaryingRate {
        rates: OverTime {
            first: rate(phases[0].1),
            changes: steps.collect(),
            period: repeats.then(|| begins(phases.len()).since(Time::ZERO)),
        },
        applies: ChangeApplies::BitByBit,
        outage: out.map(|(from, lasts, every)| Outage { from, lasts, every }),
    };
    (changes, varying)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Checks changes bit by bit: the simulator's end is allowed, and no earlier end is.
    #[test]
    fn a_transmission_bit_by_bit_ends_as_the_simulator_has_it(
        phases in phases(), repeats in any::<bool>(), starts in 0_u64..100, bytes in 1_u32..40,
    ) {
        let (changes, varying) = told(&phases, repeats, None);
        let starts = Time::from_nanos(starts);
        let ends = starts + Transmission::new(Rate::default(), Some(changes)).time(starts, bytes);
        prop_assert!(!refuted(&varying, starts, ends, bytes));
        let earlier = (starts.nanos() + 1..ends.nanos()).rev().take(30).map(Time::from_nanos);
        prop_assert!(earlier.into_iter().all(|ends| refuted(&varying, starts, ends, bytes)));
    }

    /// Checks outages: the simulator's end is allowed and, if the rate does not change meanwhile, no earlier
    /// end is.
    #[test]
    fn a_transmission_over_outages_ends_as_the_simulator_has_it(
        phases in phases(), one_rate in any::<bool>(), starts in 0_u64..100, bytes in 1_u32..40,
        out in (0_u64..60, 1_u64..10, prop::option::of(1_u64..10)),
    ) {
        // A rate of zero from the start would never end.
        let phases: Vec<(u64, u64)> =
            phases.iter().map(|(lasts, rate)| (*lasts, (*rate).max(100_000_000))).collect();
        let phases = if one_rate { &phases[..1] } else { &phases[..] };
        let (changes, varying) = told(phases, true, Some(out));
        let starts = Time::from_nanos(starts);
        let ends = starts + Transmission::new(Rate::default(), Some(changes)).time(starts, bytes);
        prop_assert!(!refuted(&varying, starts, ends, bytes));
        if phases.len() > 1 {
            return Ok(()); // where the rate falls as an outage begins there may be two ends
        }
        let earlier = (starts.nanos() + 1..ends.nanos()).rev().take(30).map(Time::from_nanos);
        prop_assert!(earlier.into_iter().all(|ends| refuted(&varying, starts, ends, bytes)));
    }
}
