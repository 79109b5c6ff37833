use super::*;
use crate::discipline::{Arrival, Ecn};
use crate::flow_hash::{draw_salt, mix};
use crate::testing::{Bench, Dice, arrival, at};

fn cake(settings: &[(&str, &str)], capacity: Capacity) -> Bench<Cake> {
    let parameters = Parameters::from(&Values::with(ENTRY.descriptor, settings));
    Bench::new(Cake::new(parameters, capacity))
}

fn arrive(bench: &mut Bench<Cake>, ms: f64, flow: u32, bytes: u32, count: u32) {
    (0..count).for_each(|_| bench.arrive(Arrival { flow, bytes, ..arrival(ms) }));
}

/// Lets `count` packets leave at one instant and returns their number per flow; packet `ticket` belongs to
/// flow `ticket / each`.
fn share(bench: &mut Bench<Cake>, each: u32, count: usize) -> [usize; 4] {
    let mut flows = [0; 4];
    for _ in 0..count {
        let ticket = bench.depart(0.0).expect("a packet").ticket.0;
        flows[(ticket / each) as usize] += 1;
    }
    flows
}

#[test]
fn the_shaper_holds_its_rate_to_a_nanosecond() {
    // 1500 B at 7 Mbit/s: the k-th packet leaves k * 12,000 / 7e6 s after the first, rounded up, in front of
    // a link that is always free. A token bucket would have sent a burst first.
    let mut bench = cake(&[("rate", "7 Mbit/s")], Capacity::Unlimited);
    arrive(&mut bench, 1.0, 0, 1500, 50);
    for packet in 0..50_u64 {
        let due = 1_000_000 + (packet * 12_000 * 1000).div_ceil(7);
        assert_eq!(bench.queue.ready().nanos(), due);
        assert_eq!(bench.depart_at(Time::from_nanos(due - 1)), None);
        assert!(bench.depart_at(Time::from_nanos(due)).is_some());
    }
    assert_eq!(bench.queue.packets(), 0);
}

#[test]
fn overhead_is_shaped_too() {
    // 1000 B and 48 B of overhead in 22 cells of ATM (1056 B) are 1166 B: at 8 Mbit/s 1.166 ms.
    let settings = [("rate", "8 Mbit/s"), ("overhead", "48 B"), ("framing", "atm")];
    let mut bench = cake(&settings, Capacity::Unlimited);
    arrive(&mut bench, 0.0, 0, 1000, 2);
    assert!(bench.depart(0.0).is_some());
    assert_eq!(bench.queue.ready(), at(1.166));
}

#[test]
fn without_a_rate_nothing_is_held_back() {
    let mut bench = cake(&[], Capacity::Unlimited);
    arrive(&mut bench, 0.0, 0, 1500, 5);
    assert_eq!(bench.empty(0.0), [0, 1, 2, 3, 4]);
}

#[test]
fn a_turn_lasts_a_4096th_of_a_second() {
    // 1 Mbit/s are 30 B in that time, less than 300; 25 Mbit/s 762 B; 1 Gbit/s 30,517 B, more than an MTU.
    let of = |bits| quantum(Some(Rate::from_bits_per_second(bits)));
    assert_eq!([of(1_000_000), of(25_000_000), of(1_000_000_000), quantum(None)], [300, 762, 1514, 1514]);
}

#[test]
fn a_sparse_flow_goes_first() {
    let mut bench = cake(&[], Capacity::Unlimited);
    arrive(&mut bench, 0.0, 1, 1000, 10);
    (0..3).for_each(|packet| assert_eq!(bench.depart(0.0).unwrap().ticket, Ticket(packet)));
    arrive(&mut bench, 0.0, 2, 1000, 1);
    assert_eq!(bench.empty(0.0), [10, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn hosts_share_before_their_flows_do() {
    // Flow 0 is alone at its sender, flows 1 to 3 belong to another; all go to one receiver. By senders flow
    // 0 gets half and each other a sixth: 150 and 50 of 300. By flows each gets a quarter. Triple isolation
    // counts the receiver's four flows, which is more than one and three: a quarter each as well. With
    // receivers of their own it counts senders again. A turn and a packet may be in progress.
    let label = |source, destination| Label { source, destination, ..Label::default() };
    let one = [label(1, 9), label(2, 9), label(2, 9), label(2, 9)];
    let own = [label(1, 5), label(2, 6), label(2, 7), label(2, 8)];
    let (by_sender, by_flow) = ([150, 50, 50, 50], [75; 4]);
    let cases = [
        ("dual-srchost", one, by_sender),
        ("dual-dsthost", one, by_flow),
        ("flows", one, by_flow),
        ("triple-isolate", one, by_flow),
        ("triple-isolate", own, by_sender),
        ("dual-dsthost", own, by_flow),
    ];
    for (isolation, labels, expected) in cases {
        let mut bench = cake(&[("isolation", isolation)], Capacity::Unlimited);
        bench.queue.on_labels(&labels);
        (0..4).for_each(|flow| arrive(&mut bench, 0.0, flow, 1000, 400));
        let found = share(&mut bench, 400, 300);
        let near = found.iter().zip(&expected).all(|(found, expected)| found.abs_diff(*expected) <= 3);
        assert!(near, "{isolation}: {found:?} of {expected:?}");
    }
}

#[test]
fn hosts_forget_flows_that_have_ended() {
    // The sender of flows 1 to 3 has one bulk flow left when two of them have nothing more to send: that flow
    // shares evenly with flow 0.
    let label = |source| Label { source, ..Label::default() };
    let mut bench = cake(&[("isolation", "dual-srchost")], Capacity::Unlimited);
    bench.queue.on_labels(&[1, 2, 2, 2].map(label));
    for flow in 0..4 {
        arrive(&mut bench, 0.0, flow, 1000, if flow < 2 { 400 } else { 20 });
    }
    for _ in 0..200 {
        bench.depart(0.0);
    }
    assert_eq!(bench.queue.hosts.flows_sent_by(2), 1);
}

#[test]
fn an_overflow_drops_from_the_head_of_the_queue_with_most_bytes() {
    // Six packets of flow 1 and four of flow 2; the next packet of flow 2 pushes out the oldest of flow 1,
    // and BLUE steps up for flow 1.
    let mut bench = cake(&[], Capacity::Packets(10));
    arrive(&mut bench, 10.0, 1, 1000, 6);
    arrive(&mut bench, 10.0, 2, 1000, 5);
    assert_eq!(bench.dropped, [0]);
    assert_eq!(blue(&bench), 1.0 / 256.0);
}

fn blue(bench: &Bench<Cake>) -> f64 {
    bench.queue.queues.iter().map(|queue| queue.cobalt.probability()).fold(0.0, f64::max)
}

#[test]
fn blue_steps_down_while_a_queue_is_empty() {
    // An overflow at 10 ms as above. Both queues have sent all at 12 ms; flow 1's is found empty at 20 ms, when a third
    // flow sends: BLUE steps down. Its next packet arrives at 41 ms, 21 ms later: at most four steps fit, 5 ms apart.
    let mut bench = cake(&[], Capacity::Packets(10));
    arrive(&mut bench, 10.0, 1, 1000, 6);
    arrive(&mut bench, 10.0, 2, 1000, 5);
    while bench.queue.packets() > 0 {
        bench.depart(12.0);
    }
    assert_eq!(blue(&bench), 1.0 / 256.0);
    arrive(&mut bench, 20.0, 3, 1000, 10);
    bench.empty(20.0);
    assert_eq!(blue(&bench), 1.0 / 256.0 - 1.0 / 4096.0);
    arrive(&mut bench, 41.0, 1, 1000, 1);
    assert_eq!(blue(&bench), 1.0 / 256.0 - 5.0 / 4096.0);
}

#[test]
fn each_queue_has_a_cobalt_of_its_own() {
    // One packet leaves every 10 ms. The bulk flow's packets wait far above 5 ms: that is first seen at 10
    // ms, and the first drop is due at 110 ms. The other flow sends less than its share: its packets are sent
    // as they come. A flow whose packets can be marked loses none.
    for (ecn, drops) in [(Ecn::NotCapable, true), (Ecn::Classic, false)] {
        let mut bench = cake(&[], Capacity::Unlimited);
        (0..200).for_each(|_| bench.arrive(Arrival { flow: 1, ecn, ..arrival(0.0) }));
        let mut marked = 0;
        for step in 0..40_u32 {
            let ms = 10.0 * f64::from(step);
            if step % 4 == 0 {
                bench.arrive(Arrival { flow: 2, ecn, ..arrival(ms) });
            }
            let departure = bench.depart(ms).expect("a packet");
            marked += u32::from(departure.marked);
        }
        assert_eq!(bench.dropped.is_empty(), !drops);
        assert!(bench.dropped.iter().all(|ticket| *ticket < 200), "{:?}", bench.dropped);
        assert_eq!(marked > 0, !drops);
    }
}

#[test]
fn a_place_that_rests_goes_to_another_flow_and_to_the_hosts_of_that_flow() {
    // Nine flows of one set of eight places; the bench's first draw is the salt. The last is of sender 2, the others
    // of sender 1.
    let salt = draw_salt(&mut Dice(7));
    let set = |flow: u32| mix(salt ^ u64::from(flow)) % 1024 / 8;
    let (same, others): (Vec<u32>, Vec<u32>) = (0..5000).partition(|flow| set(*flow) == set(0));
    let labels: Vec<_> =
        (0..5000).map(|flow| Label { source: 1 + u32::from(flow == same[8]), ..Label::default() }).collect();
    let mut bench = cake(&[("isolation", "dual-srchost")], Capacity::Unlimited);
    bench.queue.on_labels(&labels);
    // Flow 0 sends a packet and no more, and its queue rests after two rounds. The last flow finds that place free:
    // all others have packets. It is a bulk flow of sender 2.
    arrive(&mut bench, 0.0, same[0], 1000, 1);
    bench.depart(0.0);
    same[1..8].iter().for_each(|flow| arrive(&mut bench, 0.0, *flow, 1000, 40));
    (0..60).for_each(|_| _ = bench.depart(0.0));
    arrive(&mut bench, 0.0, same[8], 1000, 10);
    (0..10).for_each(|_| _ = bench.depart(0.0));
    assert_eq!((bench.queue.queues.len(), bench.queue.hosts.flows_sent_by(2)), (8, 1));
    // All queues rest. When the last flow has its place again and flow 0 returns, it takes another.
    bench.empty(0.0);
    arrive(&mut bench, 0.0, others[0], 1000, 60);
    bench.empty(0.0);
    arrive(&mut bench, 0.0, same[8], 1000, 1);
    arrive(&mut bench, 0.0, same[0], 1000, 1);
    assert_eq!(bench.queue.queues.iter().filter(|queue| !queue.fifo.is_empty()).count(), 2);
}
