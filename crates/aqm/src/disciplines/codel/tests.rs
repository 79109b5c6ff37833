use super::*;
use crate::discipline::{Arrival, Ecn};
use crate::testing::{arrival, at, held};
use ackclock_base::{Values, random::Scripted};

fn codel(ecn: bool) -> CoDel {
    let settings: &[(&str, &str)] = if ecn { &[("ecn", "true")] } else { &[] };
    let parameters = Parameters::from(&Values::with(ENTRY.descriptor, settings));
    CoDel::new(parameters, Capacity::Unlimited)
}

fn fill(codel: &mut CoDel, count: u32, ms: f64, ecn: Ecn) {
    for ticket in 0..count {
        let held = held(ticket, Arrival { ecn, ..arrival(ms) });
        codel.on_arrival(held, &mut Scripted::new(&[]), &mut |_| panic!("room for all"));
    }
}

/// Lets packets leave every 10 ms from `from_ms` on; returns the times at which a packet was dropped.
fn drop_times(codel: &mut CoDel, from_ms: f64, count: usize) -> Vec<f64> {
    let mut times = Vec::new();
    for step in 0..count {
        let ms = from_ms + 10.0 * step as f64;
        codel.on_departure(at(ms), &mut Scripted::new(&[]), &mut |_| times.push(ms));
    }
    times
}

#[test]
fn drops_come_after_an_interval_and_then_by_the_root_of_their_count() {
    // All 1000 packets arrive at 0, and one leaves every 10 ms from 10 ms on. At 10 ms the waiting time is
    // above 5 ms for the first time, so the first drop is at 110 ms (RFC 8289 section 5.6). The next are due
    // 100/sqrt(1) = 100 ms later, then 100/sqrt(2) = 70.7, 57.7, 50, 44.7 ms (section 5.6), each taken at the
    // departure that follows: 210 (due 210), 290 (280.7), 340 (338.4), 390 (388.4), 440 (433.2).
    let mut codel = codel(false);
    fill(&mut codel, 1000, 0.0, Ecn::NotCapable);
    assert_eq!(drop_times(&mut codel, 10.0, 44), [110.0, 210.0, 290.0, 340.0, 390.0, 440.0]);
}

#[test]
fn soon_after_the_last_drops_it_continues_their_count() {
    // Six drops until 440 ms, as above; the seventh would be due at 474.0. The queue empties before it. When
    // it is full again at 450, the waiting time is too long at 460, and dropping begins at 560: count starts
    // at 6 - 1 = 5 (section 5.5), so that the next are due 100/sqrt(5) = 44.7 and 100/sqrt(6) = 40.8 ms later:
    // 604.7, 645.5. Sixteen intervals after 474.0 is 2074.0: dropping that begins at 2070 continues the count,
    // and the next are due at 2114.7 and 2155.5; dropping that begins at 2080 counts from 1, and the next are
    // due 100 and 70.7 ms later.
    for (again, drops) in [
        (450.0, [560.0, 610.0, 650.0]),
        (1960.0, [2070.0, 2120.0, 2160.0]),
        (1970.0, [2080.0, 2180.0, 2260.0]),
    ] {
        let mut codel = codel(false);
        fill(&mut codel, 1000, 0.0, Ecn::NotCapable);
        assert_eq!(drop_times(&mut codel, 10.0, 44).len(), 6);
        while codel.on_departure(at(450.0), &mut Scripted::new(&[]), &mut |_| panic!("a drop")).is_some() {}
        fill(&mut codel, 1000, again, Ecn::NotCapable);
        assert_eq!(drop_times(&mut codel, again + 10.0, 50)[..3], drops);
    }
}

#[test]
fn nothing_is_dropped_while_packets_wait_less_than_the_target() {
    // A packet arrives and one leaves each millisecond, and after each departure at least four wait: 4000 B are more
    // than max_packet, so the waiting time decides. 4.9 ms are below the target, 5 ms are not (section 5.6: "sojourn
    // < TARGET"). The first packet that has waited 5 ms arrived at 1 ms and leaves at 6 ms: one is dropped an
    // interval later, at 106 ms.
    let first_drop = |waits_ms: f64| {
        let mut codel = codel(false);
        fill(&mut codel, 5, 0.0, Ecn::NotCapable);
        let mut first = None;
        for step in 0..1000 {
            let ms = f64::from(step);
            // The first five leave at once; the packet of the sixth departure is the one that arrived at 1 ms.
            fill(&mut codel, 1, ms + 1.0, Ecn::NotCapable);
            let now = if step < 5 { ms / 10.0 } else { ms - 4.0 + waits_ms };
            codel.on_departure(at(now), &mut Scripted::new(&[]), &mut |_| {
                first.get_or_insert(now);
            });
        }
        first
    };
    assert_eq!(first_drop(4.9), None);
    assert_eq!(first_drop(5.0), Some(106.0));
}

#[test]
fn an_interval_counts_from_when_packets_last_waited_less() {
    // The first packet leaves at 10 ms after 10, so that a drop would be due at 110. At 15.9 ms a packet leaves that
    // has waited 4.9 ms. Those that follow are above the target from 20 ms on: the first drop is at 120 ms.
    let mut codel = codel(false);
    fill(&mut codel, 3, 0.0, Ecn::NotCapable);
    drop_times(&mut codel, 10.0, 1);
    fill(&mut codel, 100, 11.0, Ecn::NotCapable);
    for ms in [12.0, 14.0, 15.9] {
        assert!(drop_times(&mut codel, ms, 1).is_empty());
    }
    assert_eq!(drop_times(&mut codel, 20.0, 12), [120.0]);
}

#[test]
fn an_interval_counts_from_when_a_packet_or_less_waited() {
    // As above, but at 20 ms only one packet of 1000 B is left behind. The next leaves at 30 ms: a drop at 130 ms.
    let mut codel = codel(false);
    fill(&mut codel, 3, 0.0, Ecn::NotCapable);
    drop_times(&mut codel, 10.0, 2);
    fill(&mut codel, 100, 20.0, Ecn::NotCapable);
    assert_eq!(drop_times(&mut codel, 30.0, 12), [130.0]);
}

#[test]
fn an_interval_counts_from_when_the_queue_was_empty() {
    // The queue is above the target from 10 ms on and loses all packets at 40 ms, as a queue of FQ-CoDel can when
    // the limit is reached. The link asks for a packet at 50 ms and finds none. Packets wait too long again from 60
    // ms on: a drop at 160 ms.
    let mut codel = codel(false);
    fill(&mut codel, 10, 0.0, Ecn::NotCapable);
    drop_times(&mut codel, 10.0, 3);
    while codel.queue.pop().is_some() {}
    assert!(codel.on_departure(at(50.0), &mut Scripted::new(&[]), &mut |_| ()).is_none());
    fill(&mut codel, 100, 51.0, Ecn::NotCapable);
    assert_eq!(drop_times(&mut codel, 60.0, 12), [160.0]);
}

#[test]
fn dropping_ends_with_the_drop_that_brings_waits_below_the_target() {
    // Eleven packets leave from 10 to 110 ms, and at 110 ms one is dropped beside the one that leaves. The next drop
    // is due at 210. The packet that follows it arrived at 207 ms: it leaves, and dropping has ended.
    let mut codel = codel(false);
    fill(&mut codel, 23, 0.0, Ecn::NotCapable);
    assert_eq!(drop_times(&mut codel, 10.0, 20), [110.0]);
    fill(&mut codel, 100, 207.0, Ecn::NotCapable);
    assert_eq!((codel.queue.len(), codel.law.count()), (102, 1));
    codel.queue.pop();
    assert_eq!(drop_times(&mut codel, 210.0, 1), [210.0]);
    assert_eq!(codel.law.count(), 0);
}

#[test]
fn a_last_packet_is_never_dropped() {
    // Section 5.6: with a packet's worth of bytes or less waiting, there is no standing queue.
    let mut codel = codel(false);
    for step in 0..50 {
        fill(&mut codel, 2, 20.0 * f64::from(step), Ecn::NotCapable);
        assert!(drop_times(&mut codel, 20.0 * f64::from(step) + 10.0, 1).is_empty());
        assert!(drop_times(&mut codel, 20.0 * f64::from(step) + 19.0, 1).is_empty());
    }
}

#[test]
fn capable_packets_are_marked() {
    let mut codel = codel(true);
    fill(&mut codel, 100, 0.0, Ecn::Classic);
    let marks: Vec<f64> = (1..=30)
        .map(|step| 10.0 * f64::from(step))
        .filter(|ms| {
            let departure = codel.on_departure(at(*ms), &mut Scripted::new(&[]), &mut |_| panic!("a drop"));
            departure.is_some_and(|departure| departure.marked)
        })
        .collect();
    assert_eq!(marks, [110.0, 210.0, 290.0]);
}

#[test]
fn packets_that_waited_longer_than_the_threshold_are_marked() {
    // All packets arrive at 0 and leave at 1, 2, 3 ms and so on. With a threshold of 2 ms, those that leave at 3 ms and
    // later have waited longer. No packet has waited for an interval, so the control law does nothing; `ecn` is off.
    for (ecn, marked) in [(Ecn::Classic, true), (Ecn::LowLatency, true), (Ecn::NotCapable, false)] {
        let parameters = Parameters::from(&Values::with(ENTRY.descriptor, &[("ce_threshold", "2 ms")]));
        let mut codel = CoDel::new(parameters, Capacity::Unlimited);
        fill(&mut codel, 5, 0.0, ecn);
        let marks = [1.0, 2.0, 3.0, 4.0].map(|ms| {
            let departure = codel.on_departure(at(ms), &mut Scripted::new(&[]), &mut |_| panic!("a drop"));
            departure.expect("five packets wait").marked
        });
        assert_eq!(marks, [false, false, marked, marked]);
    }
}
