use super::*;
use crate::discipline::Ecn;
use crate::testing::{Dice, arrival, waiting};
use ackclock_base::{Values, random::Scripted};

fn sred(settings: &[(&str, &str)]) -> Sred {
    Sred::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)), Capacity::Packets(60))
}

fn of(flow: u32) -> Arrival {
    Arrival { flow, ..arrival(0.0) }
}

fn near(value: f64, expected: f64) -> bool {
    (value - expected).abs() < 1e-12
}

#[test]
fn the_length_alone_has_two_steps() {
    // Of 60: a sixth is 10, a third 20.
    let sred = sred(&[]);
    let probability = [9, 10, 19, 20, 59].map(|packets| sred.by_length(&waiting(packets)));
    assert_eq!(probability, [0.0, 0.0375, 0.0375, 0.15, 0.15]);
    let bytes = Sred { capacity: Capacity::Bytes(60_000), ..sred.clone() };
    assert_eq!(bytes.by_length(&waiting(10)), 0.0375);
    assert_eq!(Sred { capacity: Capacity::Unlimited, ..sred }.by_length(&waiting(1000)), 0.0);
}

#[test]
fn a_single_flow_always_hits() {
    // The list of 100 fills without a comparison; after that the frequency is 1 - (1 - 1/100)^n.
    let mut sred = sred(&[("list", "100")]);
    let mut dice = Dice(1);
    for _ in 0..150 {
        sred.on_arrival(&of(7), &waiting(0), &mut dice);
    }
    assert!(near(sred.hit_frequency, 1.0 - 0.99_f64.powi(50)));
}

#[test]
fn the_frequency_of_hits_is_one_over_the_number_of_flows() {
    // Twenty flows in turn. An estimate over 1000 comparisons, each a hit with probability 1/20, is averaged
    // over 200,000: its mean has a standard deviation of sqrt(0.05 * 0.95 / 200,000) = 0.0005, and slightly
    // more as the list itself changes.
    let mut sred = sred(&[]);
    let mut dice = Dice(1);
    let mut sum = 0.0;
    for index in 0..210_000 {
        sred.on_arrival(&of(index % 20), &waiting(0), &mut dice);
        sum += if index < 10_000 { 0.0 } else { sred.hit_frequency };
    }
    assert!((sum / 200_000.0 - 0.05).abs() < 0.003, "{}", sum / 200_000.0);
}

#[test]
fn the_probability_goes_with_the_square_of_the_flows() {
    // With 64 flows of 256 that count: (64/256)^2 = 1/16 of 0.15; an arrival that meets its own flow has 1 +
    // 64 times that.
    let mut full = sred(&[]);
    full.hit_frequency = 1.0 / 64.0;
    assert!(near(full.zap(&waiting(30), false), 0.15 / 16.0));
    assert!(near(full.zap(&waiting(30), true), 0.15 / 16.0 * 65.0));
    // With 512 flows their number has no effect.
    full.hit_frequency = 1.0 / 512.0;
    assert!(near(full.zap(&waiting(30), false), 0.15));
    let mut simple = sred(&[("full", "false"), ("many_flows", "32")]);
    simple.hit_frequency = 1.0 / 16.0;
    assert!(near(simple.zap(&waiting(30), true), 0.15 / 4.0));
}

#[test]
fn an_arrival_that_meets_another_flow_may_take_its_place() {
    let mut sred = sred(&[("list", "2")]);
    for flow in [1, 2] {
        sred.on_arrival(&of(flow), &waiting(0), &mut Scripted::new(&[]));
    }
    // The first number picks the place, the second decides: 0.25 and more leave the entry.
    sred.on_arrival(&of(3), &waiting(0), &mut Scripted::new(&[0.4, 0.25]));
    assert_eq!(sred.list, [1, 2]);
    sred.on_arrival(&of(3), &waiting(0), &mut Scripted::new(&[0.6, 0.24]));
    assert_eq!(sred.list, [1, 3]);
}

#[test]
fn capable_packets_are_marked_and_an_overflow_drops() {
    let verdict = |packets, ecn: Ecn| {
        let mut sred = sred(&[("ecn", "true")]);
        sred.on_arrival(&Arrival { ecn, ..of(1) }, &waiting(packets), &mut Scripted::new(&[0.14]))
    };
    assert_eq!(verdict(30, Ecn::Classic), Verdict::Mark);
    assert_eq!(verdict(30, Ecn::NotCapable), Verdict::Drop);
    assert_eq!(verdict(15, Ecn::Classic), Verdict::Admit);
    assert_eq!(verdict(60, Ecn::Classic), Verdict::Drop);
}
