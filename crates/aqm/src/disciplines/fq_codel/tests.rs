use super::*;
use crate::discipline::{Arrival, Ecn};
use crate::testing::{Bench, Dice, arrival};
use ackclock_base::Values;

const BULK: u32 = 1;
const SPARSE: u32 = 2;

fn bench(settings: &[(&str, &str)], capacity: Capacity) -> Bench<FqCoDel> {
    let parameters = Parameters::from(&Values::with(ENTRY.descriptor, settings));
    Bench::new(FqCoDel::new(parameters, capacity))
}

fn arrive(bench: &mut Bench<FqCoDel>, ms: f64, flow: u32, bytes: u32, count: u32) {
    (0..count).for_each(|_| bench.arrive(Arrival { flow, bytes, ecn: Ecn::Classic, ..arrival(ms) }));
}

#[test]
fn queues_share_the_link_by_bytes() {
    // 100 packets of 1500 B (tickets 0 to 99) against 300 of 500 B: after each turn both have sent the same
    // amount, except for a quantum (1514 B) and a packet that overdraws it (1499 B at most).
    let mut bench = bench(&[], Capacity::Unlimited);
    arrive(&mut bench, 0.0, BULK, 1500, 100);
    arrive(&mut bench, 0.0, SPARSE, 500, 300);
    let (mut large, mut small) = (0_i64, 0_i64);
    while large < 100 * 1500 && small < 300 * 500 {
        match bench.depart(1.0) {
            Some(Departure { ticket: Ticket(ticket), .. }) if ticket < 100 => large += 1500,
            _ => small += 500,
        }
        assert!((large - small).abs() <= 1514 + 1499, "{large} and {small}");
    }
}

#[test]
fn a_turn_may_have_any_length() {
    // The quantum has more bytes than a signed number can hold.
    let mut bench = bench(&[("quantum", "1e10 GB")], Capacity::Unlimited);
    arrive(&mut bench, 0.0, BULK, 1000, 2);
    assert_eq!(bench.empty(0.0), [0, 1]);
}

#[test]
fn a_new_queue_goes_first() {
    // The bulk flow's queue becomes old when its first quantum is spent (two packets of 1000 B overdraw 1514 B).
    let mut bench = bench(&[], Capacity::Unlimited);
    arrive(&mut bench, 0.0, BULK, 1000, 10);
    let first: Vec<_> =
        (0..3).filter_map(|_| bench.depart(1.0)).map(|departure| departure.ticket.0).collect();
    assert_eq!(first, [0, 1, 2]);
    arrive(&mut bench, 1.0, SPARSE, 1000, 1);
    assert_eq!(bench.empty(1.0), [10, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn a_flow_that_sends_packet_after_packet_starves_no_other() {
    // As soon as its packet has left, the flow sends the next. Its queue was empty in between, but must wait
    // for its turn among the old ones: quanta of 1514 B let each flow send at most two packets of 1000 B in a
    // row.
    let mut bench = bench(&[], Capacity::Unlimited);
    arrive(&mut bench, 0.0, BULK, 1000, 1000);
    arrive(&mut bench, 0.0, SPARSE, 1000, 1);
    let mut bulk = 0;
    for _ in 0..300 {
        match bench.depart(1.0) {
            Some(Departure { ticket: Ticket(ticket), .. }) if ticket < 1000 => bulk += 1,
            _ => arrive(&mut bench, 1.0, SPARSE, 1000, 1),
        }
    }
    assert!((148..=200).contains(&bulk), "{bulk} of 300");
}

#[test]
fn flows_that_become_new_in_turn_starve_no_other() {
    // As soon as a packet of one of two flows has left, the other sends one, so that one of their queues is always
    // about to be found empty while the other has a packet. A queue found empty waits behind the old ones before it
    // is new again (RFC 8290 section 4.2). The bulk flow then has a third of the turns or more; otherwise it would
    // never send.
    let mut bench = bench(&[], Capacity::Unlimited);
    arrive(&mut bench, 0.0, BULK, 1000, 1000);
    let (mut bulk, mut flow) = (0, SPARSE);
    arrive(&mut bench, 0.0, flow, 1000, 1);
    for _ in 0..300 {
        match bench.depart(1.0) {
            Some(Departure { ticket: Ticket(ticket), .. }) if ticket < 1000 => bulk += 1,
            _ => {
                flow = if flow == SPARSE { SPARSE + 1 } else { SPARSE };
                arrive(&mut bench, 1.0, flow, 1000, 1);
            }
        }
    }
    assert!((100..=200).contains(&bulk), "{bulk} of 300");
}

#[test]
fn an_overflow_drops_from_the_head_of_the_queue_with_most_bytes() {
    // 90 packets and 10 in a queue of 100, and one more: half of the 90 are dropped, or a batch if that is
    // less.
    for (batch, dropped) in [("64", 45), ("1", 1), ("10", 10)] {
        let mut bench = bench(&[("drop_batch", batch)], Capacity::Packets(100));
        arrive(&mut bench, 0.0, BULK, 1000, 90);
        arrive(&mut bench, 0.0, SPARSE, 1000, 10);
        assert!(bench.dropped.is_empty());
        arrive(&mut bench, 0.0, SPARSE, 1000, 1);
        assert_eq!(bench.dropped, (0..dropped).collect::<Vec<_>>());
        assert_eq!(bench.queue.packets(), u64::from(101 - dropped));
        assert_eq!(bench.empty(0.0).len() as u32, 101 - dropped);
    }
}

#[test]
fn half_of_the_queue_with_most_bytes_is_half_of_its_bytes() {
    // 10 packets of 1400 B and 20 of 300 B are 20,000 B; the first seven and the eighth are the first 10,000.
    // Linux stops at the same packet: it counts bytes, and drops while they are less than half.
    let mut bench = bench(&[], Capacity::Packets(30));
    arrive(&mut bench, 0.0, BULK, 1400, 10);
    arrive(&mut bench, 0.0, BULK, 300, 20);
    arrive(&mut bench, 0.0, SPARSE, 100, 1);
    assert_eq!(bench.dropped, (0..8).collect::<Vec<_>>());
}

#[test]
fn overflow_drops_count_as_drops_of_codel() {
    // A packet leaves every 10 ms, and from 100 ms on CoDel drops. At 700 ms it is at its k-th drop, and the
    // queue overflows by one packet: the 64 dropped packets count, and the distance to its next drops shrinks
    // from 100 / sqrt(k) ms to 100 / sqrt(k + 64).
    let mut bench = bench(&[("ecn", "false")], Capacity::Packets(1000));
    arrive(&mut bench, 0.0, BULK, 1000, 1000);
    for step in 0..70 {
        bench.depart(f64::from(step) * 10.0);
    }
    let (count, dropped) = (bench.queue.queues[0].law.count(), bench.dropped.len());
    assert!(count > 1 && bench.queue.packets() as usize == 1000 - 70 - dropped, "{count}");
    let missing = 1000 - bench.queue.packets() as u32;
    arrive(&mut bench, 700.0, BULK, 1000, missing + 1);
    assert_eq!(bench.dropped.len(), dropped + 64);
    assert_eq!(bench.queue.queues[0].law.count(), count + 64);
}

#[test]
fn a_packet_that_does_not_fit_at_all_is_dropped() {
    let mut bench = bench(&[], Capacity::Bytes(999));
    arrive(&mut bench, 0.0, BULK, 1000, 1);
    assert_eq!((bench.dropped.as_slice(), bench.queue.packets()), ([0].as_slice(), 0));
}

#[test]
fn each_queue_has_a_codel_of_its_own() {
    // One packet leaves every 10 ms. The bulk flow's packets wait far above 5 ms, the other's are sent as
    // they come: CoDel drops only the bulk flow's, the first one 100 ms after it saw the first that had
    // waited too long.
    let mut bench = bench(&[("ecn", "false")], Capacity::Unlimited);
    arrive(&mut bench, 0.0, BULK, 1500, 200);
    for step in 1..=40 {
        let ms = 10.0 * f64::from(step);
        if step % 4 == 0 {
            arrive(&mut bench, ms, SPARSE, 1500, 1);
        }
        let departure = bench.depart(ms);
        assert_eq!(bench.dropped.is_empty(), step < 11, "at {ms} ms");
        assert_eq!(departure.is_some_and(|departure| departure.ticket.0 >= 200), step % 4 == 0, "at {ms} ms");
    }
    assert!(bench.dropped.iter().all(|ticket| *ticket < 200));
}

#[test]
fn capable_packets_are_marked() {
    // The same times as for CoDel alone: 110, 210, 290 ms.
    let mut bench = bench(&[("ecn", "true")], Capacity::Unlimited);
    arrive(&mut bench, 0.0, BULK, 1000, 100);
    let marked = |step: &i32| bench.depart(10.0 * f64::from(*step)).is_some_and(|departure| departure.marked);
    assert_eq!((1..=30).filter(marked).collect::<Vec<_>>(), [11, 21, 29]);
    assert!(bench.dropped.is_empty());
}

#[test]
fn links_hash_flows_differently() {
    // Two flows in n queues share one with probability 1/n: of 4000 links with 4 queues, 1000 +- 3 * 27.4.
    let collides = |seed| {
        let mut bench = bench(&[("queues", "4")], Capacity::Unlimited);
        bench.dice = Dice(seed);
        arrive(&mut bench, 0.0, BULK, 1000, 1);
        arrive(&mut bench, 0.0, SPARSE, 1000, 1);
        bench.queue.queues.len() == 1
    };
    let collisions = (0..4000).filter(|seed| collides(*seed)).count();
    assert!((918..=1082).contains(&collisions), "{collisions}");
}

#[test]
fn each_queue_marks_above_the_threshold() {
    // Two packets of each flow arrive at 0. The first turn is at 1 ms, below the threshold of 2 ms, the next at 3 ms.
    let mut bench = bench(&[("ce_threshold", "2 ms")], Capacity::Unlimited);
    arrive(&mut bench, 0.0, BULK, 1500, 2);
    arrive(&mut bench, 0.0, SPARSE, 1500, 2);
    let marks = [1.0, 1.0, 3.0, 3.0].map(|ms| bench.depart(ms).expect("four packets wait").marked);
    assert_eq!(marks, [false, false, true, true]);
}
