use super::*;
use crate::discipline::Ecn;
use crate::testing::{Dice, arrival, waiting};
use ackclock_base::{Rate, Values, random::Scripted};

/// A packet of 1000 bytes takes a millisecond: ten in the default interval of 10 ms.
const LINK: LinkRate = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };

fn paqm(settings: &[(&str, &str)]) -> Paqm {
    Paqm::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)), Capacity::Packets(50), &LINK)
}

/// Shows the discipline intervals of `arrivals` each, with a queue of constant length.
fn accustom(paqm: &mut Paqm, arrivals: u32, packets: u64) {
    for _ in 0..100 {
        for _ in 0..arrivals {
            paqm.on_arrival(&arrival(0.0), &waiting(packets), &mut Scripted::new(&[0.999_999]));
        }
        paqm.on_period(Time::ZERO, &waiting(packets));
    }
}

#[test]
fn the_interval_is_ten_mean_packets() {
    assert_eq!(paqm(&[]).period(), Some(Span::from_millis(10)));
    assert_eq!(paqm(&[("interval", "2 ms")]).served_packets, 2.0);
    // At 1 Gbit/s ten packets of 1000 bytes take 80 us: the least period is 0.1 ms, in which 12.5 are sent.
    let fast = LinkRate { rate: Rate::from_bits_per_second(1_000_000_000), ..LINK };
    let fast = Paqm::new(Parameters::from(&ENTRY.descriptor.defaults()), Capacity::Packets(50), &fast);
    assert_eq!(fast.period(), Some(Span::from_nanos(100_000)));
    assert!((fast.served_packets - 12.5).abs() < 1e-9, "{}", fast.served_packets);
}

#[test]
fn it_drops_packets_that_would_bring_the_queue_above_the_desired_length() {
    // 25 wait, 16 arrive and 10 are sent: 31, 11 above the desired 20: 11 of the 16 are dropped. If 12 wait
    // and 16 arrive, none is dropped; if 60 wait, all are.
    for (packets, probability) in [(25, 11.0 / 16.0), (12, 0.0), (60, 1.0)] {
        let mut paqm = paqm(&[]);
        accustom(&mut paqm, 16, packets);
        assert!((paqm.probability - probability).abs() < 1e-9, "{}", paqm.probability);
    }
}

#[test]
fn the_queue_stays_at_the_desired_length_under_a_constant_overload() {
    // In each interval 15 arrive and 10 leave: a third of the 15 must be dropped. The drops of one interval
    // vary by sqrt(15 * 2/9) = 1.8 packets and are made up for in the next.
    let mut paqm = paqm(&[]);
    let mut dice = Dice(1);
    let (mut queue, mut sum, mut dropped) = (0_u64, 0, 0);
    for interval in 0..11_000 {
        for _ in 0..15 {
            match paqm.on_arrival(&arrival(0.0), &waiting(queue), &mut dice) {
                Verdict::Drop => dropped += u32::from(interval >= 1000),
                _ => queue += 1,
            }
        }
        queue = queue.saturating_sub(10);
        paqm.on_period(Time::ZERO, &waiting(queue));
        sum += if interval >= 1000 { queue } else { 0 };
    }
    assert!((sum as f64 / 10_000.0 - 20.0).abs() < 0.2, "{}", sum as f64 / 10_000.0);
    assert!((f64::from(dropped) / 150_000.0 - 1.0 / 3.0).abs() < 0.001, "{dropped}");
}

#[test]
fn silence_drops_nothing() {
    let mut paqm = paqm(&[("optimal_queue", "0 packets")]);
    accustom(&mut paqm, 0, 0);
    assert_eq!(paqm.probability, 0.0);
}

#[test]
fn capable_packets_are_marked_and_an_overflow_drops() {
    let with = |drops: &str, probability, packets, ecn: Ecn| {
        let mut paqm = paqm(&[("ecn", "true"), ("drops_above_maximum", drops)]);
        paqm.probability = probability;
        let arrival = Arrival { ecn, ..arrival(0.0) };
        paqm.on_arrival(&arrival, &waiting(packets), &mut Scripted::new(&[0.4]))
    };
    let verdict = |packets, ecn| with("true", 0.5, packets, ecn);
    assert_eq!(with("true", 1.0, 30, Ecn::Classic), Verdict::Drop);
    assert_eq!(with("false", 1.0, 30, Ecn::Classic), Verdict::Mark);
    assert_eq!(verdict(30, Ecn::Classic), Verdict::Mark);
    assert_eq!(verdict(30, Ecn::NotCapable), Verdict::Drop);
    assert_eq!(verdict(50, Ecn::Classic), Verdict::Drop);
}
