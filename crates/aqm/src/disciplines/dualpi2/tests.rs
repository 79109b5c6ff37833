use super::*;
use crate::discipline::Arrival;
use crate::testing::{arrival, at, held};
use ackclock_base::{Rate, Values, random::Scripted};

fn dualpi2(settings: &[(&str, &str)]) -> DualPi2 {
    DualPi2::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)), Capacity::Packets(100_000))
}

/// Creates the discipline with a base probability that does not move: the first update never comes.
fn frozen(base: f64, settings: &[(&str, &str)]) -> DualPi2 {
    let mut queue = dualpi2(settings);
    queue.controller =
        Controller::with_base(Parameters::from(&Values::with(ENTRY.descriptor, settings)), base);
    queue.next_update = Time::NEVER;
    queue
}

fn fill(queue: &mut DualPi2, ms: f64, ecn: Ecn, tickets: std::ops::Range<u32>) {
    for ticket in tickets {
        let held = held(ticket, Arrival { ecn, ..arrival(ms) });
        queue.on_arrival(held, &mut Scripted::new(&[]), &mut |_| panic!("room for all"));
    }
}

fn depart(queue: &mut DualPi2, ms: f64, dropped: &mut u32) -> Option<Departure> {
    queue.on_departure(at(ms), &mut Scripted::new(&[]), &mut |_| *dropped += 1)
}

/// Lets all packets leave at one instant; returns the numbers of unmarked, marked and dropped ones.
fn empty(queue: &mut DualPi2, ms: f64) -> (u32, u32, u32) {
    let (mut plain, mut marked, mut dropped) = (0, 0, 0);
    while let Some(departure) = depart(queue, ms, &mut dropped) {
        plain += u32::from(!departure.marked);
        marked += u32::from(departure.marked);
    }
    (plain, marked, dropped)
}

#[test]
fn the_short_queue_marks_by_k_times_the_root_of_what_the_classic_drops() {
    // p' = 0.101: of 10,000 packets the classic queue drops (or marks) 0.0102 = 102, the short one marks
    // 0.202 = 2020; the last sum may be just short of a whole.
    for (ecn, expected) in [
        (Ecn::NotCapable, (9898, 0, 102)),
        (Ecn::Classic, (9898, 102, 0)),
        (Ecn::LowLatency, (7980, 2020, 0)),
        (Ecn::Experienced, (7980, 2020, 0)),
    ] {
        let mut queue = frozen(0.101, &[]);
        fill(&mut queue, 0.0, ecn, 0..10_000);
        let (plain, marked, dropped) = empty(&mut queue, 0.0);
        let apart = plain.abs_diff(expected.0) + marked.abs_diff(expected.1) + dropped.abs_diff(expected.2);
        assert!(apart <= 2, "{ecn:?}: {plain} {marked} {dropped}");
    }
}

#[test]
fn under_overload_drops_replace_marks() {
    // p' = 0.6 with k = 2 is above 1/2: both queues drop 0.36 of the packets that may be marked too, and the
    // short one marks the rest.
    for (ecn, marked) in [(Ecn::Classic, 0), (Ecn::LowLatency, 6400)] {
        let mut queue = frozen(0.6, &[]);
        fill(&mut queue, 0.0, ecn, 0..10_000);
        let (_, marks, drops) = empty(&mut queue, 0.0);
        assert!(drops.abs_diff(3600) <= 1 && marks.abs_diff(marked) <= 1, "{ecn:?}: {marks} {drops}");
    }
}

#[test]
fn under_overload_the_short_queue_may_only_mark() {
    // As above, but the short queue marks all of its packets and drops none; the classic one still drops 0.36.
    for (ecn, expected) in [(Ecn::Classic, (0, 3600)), (Ecn::LowLatency, (10_000, 0))] {
        let mut queue = frozen(0.6, &[("drops_on_overload", "false")]);
        fill(&mut queue, 0.0, ecn, 0..10_000);
        let (_, marks, drops) = empty(&mut queue, 0.0);
        assert!(
            drops.abs_diff(expected.1) <= 1 && marks.abs_diff(expected.0) <= 1,
            "{ecn:?}: {marks} {drops}"
        );
    }
}

#[test]
fn the_short_queue_marks_on_a_ramp_of_its_own() {
    // From 0.8 to 1.2 ms: half at 1 ms. With a range of zero it is a step. The last packet of a queue is not
    // marked.
    for (waited_ms, range, probability) in [
        (0.7, "400 us", 0.0),
        (1.0, "400 us", 0.5),
        (1.2, "400 us", 1.0),
        (0.79, "0 s", 0.0),
        (0.8, "0 s", 1.0),
    ] {
        let mut queue = frozen(0.0, &[("ramp_range", range)]);
        fill(&mut queue, 0.0, Ecn::LowLatency, 0..1001);
        let (_, marked, _) = empty(&mut queue, waited_ms);
        assert!(f64::from(marked) >= 1000.0 * probability - 1.0, "{waited_ms} ms, {range}: {marked}");
        assert!(f64::from(marked) <= 1000.0 * probability, "{waited_ms} ms, {range}: {marked}");
    }
}

#[test]
fn the_classic_queue_keeps_its_share() {
    // While both have packets, the classic queue gets 10 % of the bytes: of 1000 packets 100, except for its
    // debt.
    let mut queue = frozen(0.0, &[]);
    fill(&mut queue, 0.0, Ecn::LowLatency, 0..2000);
    fill(&mut queue, 0.0, Ecn::NotCapable, 2000..4000);
    let mut dropped = 0;
    let classic = (0..1000).filter_map(|_| depart(&mut queue, 0.0, &mut dropped));
    let classic = classic.filter(|departure| departure.ticket.0 >= 2000).count();
    assert!((99..=101).contains(&classic), "{classic}");
}

#[test]
fn the_short_queue_owes_nothing_for_what_it_sends_alone_and_nothing_to_an_empty_queue() {
    // Ten packets leave while the classic queue is empty, so the short one is next when a classic one has arrived.
    // Then it owes a tenth of a packet, until both are empty: it is next again.
    let mut queue = frozen(0.0, &[]);
    let next = |queue: &mut DualPi2| depart(queue, 0.0, &mut 0).map(|departure| departure.ticket.0);
    fill(&mut queue, 0.0, Ecn::LowLatency, 0..11);
    assert!((0..10).all(|ticket| next(&mut queue) == Some(ticket)));
    fill(&mut queue, 0.0, Ecn::NotCapable, 20..21);
    assert_eq!([next(&mut queue), next(&mut queue)], [Some(10), Some(20)]);
    fill(&mut queue, 0.0, Ecn::NotCapable, 21..22);
    fill(&mut queue, 0.0, Ecn::LowLatency, 11..12);
    assert_eq!(next(&mut queue), Some(11));
}

#[test]
fn updates_between_events_are_made_up_for() {
    // Packets of 0 ms wait undisturbed until 100 ms, past updates at 16, 32 ... 96 ms. Of beta's part only
    // the last remains: 3.2 * 0.096 = 0.3072; alpha's is 0.16 * ((16 + ... + 96) - 6 * 15) / 1000 = 0.16 *
    // 0.246 = 0.03936.
    let mut queue = dualpi2(&[]);
    fill(&mut queue, 0.0, Ecn::NotCapable, 0..3);
    depart(&mut queue, 100.0, &mut 0);
    let base = libm::sqrt(queue.controller.classic());
    assert!((base - 0.34656).abs() < 1e-9, "{base}");
    // Long after the queue has emptied the controller is at rest, and updates keep their times: 100 s are
    // 6250 periods.
    empty(&mut queue, 100.0);
    fill(&mut queue, 100_000.0, Ecn::NotCapable, 3..4);
    assert_eq!((queue.controller.classic(), queue.next_update), (0.0, at(100_016.0)));
}

#[test]
fn without_ecn_it_is_one_queue_that_only_drops() {
    let mut queue = frozen(0.2, &[("ecn", "false")]);
    fill(&mut queue, 0.0, Ecn::LowLatency, 0..1000);
    fill(&mut queue, 0.0, Ecn::NotCapable, 1000..2000);
    let (_, marked, dropped) = empty(&mut queue, 50.0);
    assert!(marked == 0 && dropped.abs_diff(80) <= 1, "{marked} {dropped}"); // 0.2^2 of 2000
}

#[test]
fn a_packet_that_does_not_fit_is_dropped() {
    let mut queue =
        DualPi2::new(Parameters::from(&Values::with(ENTRY.descriptor, &[])), Capacity::Packets(2));
    let mut dropped = Vec::new();
    for (ticket, ecn) in [(0, Ecn::LowLatency), (1, Ecn::NotCapable), (2, Ecn::LowLatency)] {
        let held = held(ticket, Arrival { ecn, ..arrival(0.0) });
        queue.on_arrival(held, &mut Scripted::new(&[]), &mut |ticket| dropped.push(ticket.0));
    }
    assert_eq!(dropped, [2]);
}

#[test]
fn a_ramp_that_ends_before_two_packets_have_been_sent_is_doubted() {
    // Two packets of 1,500 B take 1.5 ms at 16 Mbit/s, as long as the ramp, and 1.6 ms at 15 Mbit/s. Without
    // marks there is no ramp.
    let doubts = |megabits: u64, ecn| {
        let settings = [("ramp_start", "1 ms"), ("ramp_range", "0.5 ms"), ("ecn", ecn)];
        let rate = Rate::from_bits_per_second(megabits * 1_000_000);
        doubt(&Values::with(ENTRY.descriptor, &settings), &LinkRate { rate, mean_packet_bytes: 1500 })
            .is_some()
    };
    assert_eq!([doubts(16, "true"), doubts(15, "true"), doubts(15, "false")], [false, true, false]);
}
