//! Tests of SFB's bins over time, its hash functions and its penalty.

use super::*;
use crate::discipline::Ecn;
use crate::testing::{Dice, arrival, waiting};
use ackclock_base::{Rate, Values};

fn sfb(settings: &[(&str, &str)]) -> Sfb {
    let parameters = Parameters::from(&Values::with(ENTRY.descriptor, settings));
    let link = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };
    Sfb::new(parameters, Capacity::Packets(200), &link)
}

fn offer(sfb: &mut Sfb, ms: f64, flow: u32, packets: u64) -> Verdict {
    let packet = Arrival { flow, ..arrival(ms) };
    sfb.on_arrival(&packet, &waiting(packets), &mut Dice(ms as u64))
}

#[test]
fn a_bin_holds_half_more_than_its_share() {
    // 200 packets over 23 bins are 8.7, half more 13.04: 14 packets of one flow wait, and the next is
    // dropped.
    let mut sfb = sfb(&[]);
    let admitted = (0..20).take_while(|waits| offer(&mut sfb, 0.0, 1, *waits) == Verdict::Admit);
    assert_eq!(admitted.count(), 14);
}

#[test]
fn packets_that_left_the_queue_leave_their_bins() {
    // 14 of flow 1 wait. When 10 of 14 wait, another fits.
    let mut sfb = sfb(&[]);
    (0..14).for_each(|waits| _ = offer(&mut sfb, 0.0, 1, waits));
    assert_eq!(offer(&mut sfb, 1.0, 1, 14), Verdict::Drop);
    assert_eq!(offer(&mut sfb, 2.0, 1, 10), Verdict::Admit);
    assert_eq!(sfb.waiting.len(), 11);
}

#[test]
fn a_flow_in_the_penalty_box_gets_the_penalty_rate() {
    // An unresponsive flow that meets its bins over-full 2000 times has probability 2000 * 0.0005 = 1, except
    // for rounding. Afterwards, with room in the queue, it sends a packet of 1000 bytes each millisecond from
    // 1 ms to 10 s. The bucket lets 30 kB through, and 120 kbit/s * 9.999 s = 149 985 B: 179 whole packets.
    let mut sfb = sfb(&[("decrement", "0")]);
    (0..14).for_each(|waits| _ = offer(&mut sfb, 0.0, 1, waits));
    for _ in 0..2001 {
        assert_eq!(offer(&mut sfb, 0.0, 1, 14), Verdict::Drop);
    }
    let passed =
        (1..=10_000).filter(|step| offer(&mut sfb, f64::from(*step), 1, 0) == Verdict::Admit).count();
    assert_eq!(passed, 179);
    assert_eq!(offer(&mut sfb, 10_000.0, 2, 0), Verdict::Admit, "another flow passes");
}

#[test]
fn new_hash_functions_know_the_waiting_packets_and_the_unresponsive_flows() {
    let settings =
        |warmup| [("rehash", "10 s"), ("warmup", warmup), ("decrement", "0"), ("increment", "0.01")];
    let probability = |warmup| {
        let mut sfb = sfb(&settings(warmup));
        (0..14).for_each(|waits| _ = offer(&mut sfb, 0.0, 1, waits));
        for step in 0..900 {
            offer(&mut sfb, 10.0 * f64::from(step), 1, 14);
        }
        offer(&mut sfb, 10_000.0, 2, 14);
        assert_eq!(sfb.waiting.len(), 15);
        let judgement = sfb.bins.judge(1, &Steps { increment: 0.0, ..sfb.steps });
        assert!(judgement.full, "14 packets still wait");
        judgement.probability
    };
    // Learning begins 5 s before the change, when the flow has long been at 1: 400 arrivals are more than
    // enough.
    assert_eq!(probability("5 s"), 1.0);
    assert_eq!(probability("0 s"), 0.0);
}

#[test]
fn early_drops_are_marks_if_possible_and_overflows_never() {
    // Probability 1 - 1e-9 without a full bin: marked, except by chance.
    let verdict = |ecn, packets| {
        let mut sfb = sfb(&[("ecn", "true"), ("increment", "0.999999999"), ("bin_size", "0 packets")]);
        offer(&mut sfb, 0.0, 1, 0);
        offer(&mut sfb, 0.0, 1, 1);
        sfb.steps.bin_size = 1000.0;
        let packet = Arrival { flow: 1, ecn, ..arrival(1.0) };
        sfb.on_arrival(&packet, &waiting(packets), &mut Dice(1))
    };
    assert_eq!(verdict(Ecn::Classic, 1), Verdict::Mark);
    assert_eq!(verdict(Ecn::NotCapable, 1), Verdict::Drop);
    assert_eq!(verdict(Ecn::Classic, 200), Verdict::Drop);
}

#[test]
fn packets_that_leave_while_the_next_hash_functions_learn_leave_their_bins_too() {
    // 14 packets of flow 1 wait when the next functions begin to learn, at 6 s, and none at 7 s. Under the new
    // functions, from 10 s on, its bins are empty.
    let mut sfb = sfb(&[("rehash", "10 s"), ("warmup", "5 s")]);
    (0..14).for_each(|waits| _ = offer(&mut sfb, 0.0, 1, waits));
    offer(&mut sfb, 6000.0, 2, 14);
    offer(&mut sfb, 7000.0, 2, 0);
    assert_eq!(offer(&mut sfb, 10_000.0, 1, 0), Verdict::Admit);
}

#[test]
fn each_set_of_hash_functions_starts_with_nothing_learnt() {
    // Flow 1 reaches probability 1 under the first functions and is silent afterwards. The second ones come into
    // use at 10 s and the third at 20 s, in the bins of the first: none of them knows it.
    let settings = [("rehash", "10 s"), ("warmup", "5 s"), ("increment", "0.5"), ("bin_size", "0 packets")];
    let mut sfb = sfb(&settings);
    (0..3).for_each(|waits| _ = offer(&mut sfb, 0.0, 1, waits));
    assert_eq!(sfb.bins.greatest_probability(), 1.0);
    let greatest = [6.0, 10.0, 16.0, 20.0, 26.0, 30.0].map(|seconds| {
        offer(&mut sfb, 1000.0 * seconds, 2, 0);
        sfb.bins.greatest_probability()
    });
    assert_eq!(greatest[1..], [0.0; 5]);
}
