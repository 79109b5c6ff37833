//! Checks of a link against times computed by hand.

use super::*;
use crate::timeline::Timeline;
use crate::transmission::Manner;
use ackclock_aqm::{Backlog, Capacity, Discipline, Ecn, disciplines::droptail::DropTail};

fn link(capacity: Option<u64>) -> Link {
    link_with(capacity.map(|packets| Queueing::at_arrival(DropTail { capacity: Capacity::Packets(packets) })))
}

fn link_with(discipline: Option<Queueing>) -> Link {
    let parts = LinkParts {
        name: "l".into(),
        from: "a".into(),
        to: "b".into(),
        rate: Rate::from_bits_per_second(8_000_000), // one byte per microsecond
        changes: None,
        delay: Span::from_millis(10),
        discipline,
        impairments: Impairments::default(),
        seed: 1,
    };
    Link::new(parts, true, Interval { from: Time::ZERO, to: Time::from_seconds(1.0) })
}

/// Returns phases that repeat, given in milliseconds and bit/s.
fn cycle(phases: [(u64, u64); 2]) -> Changes {
    let phases = phases.map(|(ms, bits)| (Span::from_millis(ms), Rate::from_bits_per_second(bits)));
    let rates = Timeline::cycle(phases).unwrap();
    Changes { rates, manner: Manner::BitByBit, outage: None, nominal: Rate::from_bits_per_second(8_000_000) }
}

fn arrival(now: Time) -> Arrival {
    Arrival { now, bytes: 1000, flow: 0, ecn: Ecn::NotCapable }
}

fn arrival_ms(fate: Fate) -> Option<f64> {
    match fate {
        Fate::Arrives { at, .. } => Some(at.seconds() * 1e3),
        _ => None,
    }
}

#[test]
fn packets_leave_one_after_the_other() {
    // 1000 bytes take 1 ms to send, and the wire takes 10 ms.
    let mut link = link(None);
    let at = Time::from_nanos(0);
    assert_eq!(arrival_ms(link.offer(&arrival(at))), Some(11.0));
    assert_eq!(arrival_ms(link.offer(&arrival(at))), Some(12.0));
    assert_eq!(link.queue_at(at), 1);
    assert_eq!(arrival_ms(link.offer(&arrival(Time::from_seconds(0.5)))), Some(511.0));
}

#[test]
fn a_full_queue_drops() {
    let mut link = link(Some(2));
    let fates: Vec<_> = (0..4).map(|_| arrival_ms(link.offer(&arrival(Time::ZERO)))).collect();
    assert_eq!(fates, [Some(11.0), Some(12.0), Some(13.0), None]);
    assert_eq!(link.counts().dropped, 1);
}

/// A discipline that counts its periods of 1 ms.
struct Counting(u32);

impl Discipline for Counting {
    fn on_arrival(&mut self, _: &Arrival, _: &Backlog, _: &mut dyn ackclock_base::Random) -> Verdict {
        Verdict::Admit
    }

    fn period(&self) -> Option<Span> {
        Some(Span::from_millis(1))
    }

    fn on_period(&mut self, _: Time, _: &Backlog) {
        self.0 += 1;
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("periods", f64::from(self.0));
    }
}

#[test]
fn a_sample_includes_periods_without_arrivals() {
    let mut link = link(None);
    let queue = link.queue.as_mut().unwrap();
    queue.discipline = Some(Box::new(Counting(0)));
    queue.next_look = Time::from_nanos(1_000_000);
    let mut shown = Vec::new();
    for ns in [999_999, 1_000_000, 5_500_000] {
        link.queue_at(Time::from_nanos(ns));
        link.publish(&mut |_, value| shown.push(value));
    }
    assert_eq!(shown, [0.0, 1.0, 5.0]);
}

/// A discipline that reports the wait of each backlog, in microseconds.
struct Waits(std::sync::mpsc::Sender<u64>);

impl Discipline for Waits {
    fn on_arrival(&mut self, _: &Arrival, backlog: &Backlog, _: &mut dyn ackclock_base::Random) -> Verdict {
        self.0.send(backlog.wait.nanos() / 1000).expect("a receiver");
        Verdict::Admit
    }
}

#[test]
fn a_discipline_is_told_the_wait_at_the_present_rate() {
    // A byte takes 1 us for 4 ms, and 10 us after that. Ten packets of 1000 bytes arrive at once. The last
    // six will be sent at the slow rate, but a router cannot know that before the rate falls. At 3.5 ms half
    // of the fourth packet is left, and six wait: 6.5 ms. At 4.5 ms the fifth, begun at 4 ms, has been sent
    // for 0.5 of its 10 ms, and six wait at the slow rate, the sixth to the tenth and the one of 3.5 ms: 9.5
    // + 60 = 69.5 ms.
    let (told, waits) = std::sync::mpsc::channel();
    let mut link = link_with(Some(Queueing::at_arrival(Waits(told))));
    let slow = cycle([(4, 8_000_000), (1000, 800_000)]);
    link.transmission = Transmission::new(link.rate, Some(slow));
    for _ in 0..10 {
        link.offer(&arrival(Time::ZERO));
    }
    assert_eq!(waits.try_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(|ms| ms * 1000));
    link.offer(&arrival(Time::from_nanos(3_500_000)));
    link.offer(&arrival(Time::from_nanos(4_500_000)));
    assert_eq!(waits.try_iter().collect::<Vec<_>>(), [6_500, 69_500]);
}

#[test]
fn time_spent_sending_is_clipped_at_both_ends_of_the_measured_interval() {
    // Packets of 4 ms arrive at 8, 15 and 19 ms, and the interval from 10 to 20 ms is measured: 2 + 4 + 1 ms.
    // At half the rate from 15 ms on, the second packet takes until 23 ms and fills the rest of the interval,
    // 2 + 5 ms; the third waits for it. At half the rate throughout, the first takes until 16 ms and the
    // second until 24 ms, so the link is busy for all 10 ms.
    let (whole, half) = ((15, 8_000_000), (15, 4_000_000));
    let changes = [(None, 7), (Some(cycle([whole, half])), 7), (Some(cycle([half, half])), 10)];
    for (changes, busy_ms) in changes {
        let mut link = link(None);
        link.measured = Interval { from: Time::from_seconds(0.010), to: Time::from_seconds(0.020) };
        link.transmission = Transmission::new(link.rate, changes);
        for ms in [8, 15, 19] {
            let now = Time::ZERO + Span::from_millis(ms);
            link.offer(&Arrival { bytes: 4000, ..arrival(now) });
        }
        assert_eq!(link.counts().busy_ns, busy_ms * 1_000_000);
    }
}

#[test]
fn the_mean_queue_is_the_waiting_time_over_the_interval() {
    // Three packets arrive at once and wait 0, 1 and 2 ms. By Little's law the mean over 1 s is 0.003 packets
    // exactly, and the maximum is 2.
    for tracks in [true, false] {
        let mut link = link(None);
        link.queue = link.queue.filter(|_| tracks);
        for _ in 0..3 {
            link.offer(&arrival(Time::ZERO));
        }
        let statistics = link.queue_statistics(Time::from_seconds(1.0));
        assert!((statistics.mean_packets - 0.003).abs() < 1e-12);
        assert_eq!(statistics.max_packets, tracks.then_some(2));
        assert_eq!(link.counts().busy_ns, 3_000_000);
    }
}
