//! Tests of the delivery rate samples with cases worked by hand: packets of 1,000 bytes, times in
//! milliseconds.

use super::super::{Ledger, Newly};
use super::Sample;
use ackclock_base::{Span, Time};
use ackclock_cc::RateSample;

const BYTES: u16 = 1000;

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

/// Acknowledges everything below a number.
fn ack(ledger: &mut Ledger, now: u64, to: u64) -> Option<Sample> {
    let mut newly = Newly::default();
    ledger.acknowledge(to, &mut newly);
    ledger.count_delivery(at(now), &newly)
}

/// Acknowledges ranges selectively, in this order.
fn sack(ledger: &mut Ledger, now: u64, ranges: &[(u64, u64)]) -> Option<Sample> {
    let mut newly = Newly::default();
    for (start, end) in ranges {
        ledger.acknowledge_range(*start..*end, &mut newly);
    }
    ledger.count_delivery(at(now), &newly)
}

/// Returns a ledger of ten packets sent a millisecond apart, from idle at time zero.
fn ten() -> Ledger {
    let mut ledger = Ledger::new(3);
    for number in 0..10 {
        ledger.transmit(number, at(number), BYTES);
    }
    ledger
}

/// Returns the rate in bytes per second as a control sees it; `None` if the sample gives no rate.
fn bytes_per_second(sample: &Sample, min_rtt: Span) -> Option<f64> {
    let sample =
        RateSample { delivered: sample.delivered as f64, interval: sample.interval, ..RateSample::default() };
    sample.packets_per_second(min_rtt).map(f64::round)
}

#[test]
fn the_first_flight_counts_from_its_first_packet_at_time_zero() {
    let mut ledger = ten();
    for number in 0..10 {
        let sample = ack(&mut ledger, 50 + number, number + 1).unwrap();
        // The packets are sent over `number` ms and acknowledged 50 ms later.
        assert_eq!((sample.delivered, sample.prior_delivered), ((number + 1) * 1000, 0));
        assert_eq!(sample.interval, ms(50 + number));
        assert_eq!(sample.tx_in_flight, (number + 1) * 1000, "including itself");
        assert_eq!(sample.round_start, number == 0);
        if number == 0 {
            ledger.transmit(10, at(50), BYTES);
        }
    }
    let last = ack(&mut ledger, 100, 11).unwrap();
    // Packet 10 was sent at 50 ms, when packet 0, sent at 0 ms, had just delivered the first 1,000 bytes. Its
    // sending interval is 50 - 0 ms, and its acknowledgement interval 100 - 50 ms.
    assert_eq!((last.delivered, last.prior_delivered, last.interval), (10_000, 1000, ms(50)));
    assert_eq!(bytes_per_second(&last, ms(50)), Some(200_000.0));
    assert_eq!(last.tx_in_flight, 10_000);
    assert!(last.round_start, "the packet was sent when the first round had ended");
}

#[test]
fn the_rate_at_the_tenth_packet_is_that_of_all_ten() {
    let mut ledger = ten();
    let samples: Vec<_> = (0..10).map(|number| ack(&mut ledger, 50 + number, number + 1).unwrap()).collect();
    assert_eq!(bytes_per_second(&samples[9], ms(50)), Some(169_492.0)); // 10,000 bytes in 59 ms
}

#[test]
fn acknowledgements_that_arrive_together_show_no_rate_above_the_sending_rate() {
    // All packets are acknowledged at 59 ms, by ten acknowledgements or by one. The rate is never 10,000
    // bytes in zero time.
    let mut ledger = ten();
    let samples: Vec<_> = (1..=10).map(|to| ack(&mut ledger, 59, to).unwrap()).collect();
    assert!(samples.iter().all(|sample| sample.interval == ms(59)));
    assert_eq!(samples[9].delivered, 10_000);
    let all = ack(&mut ten(), 59, 10).unwrap();
    assert_eq!((all.delivered, all.interval), (10_000, ms(59)));
    // In this flight the packets are sent over 40 ms and acknowledged within 5 ms of the first
    // acknowledgement.
    let mut ledger = Ledger::new(3);
    for number in 0..5 {
        ledger.transmit(number, at(10 * number), BYTES);
    }
    ack(&mut ledger, 40, 1); // acknowledges the packet sent at 0 ms
    ledger.transmit(5, at(40), BYTES);
    let sample = ack(&mut ledger, 45, 6).unwrap();
    assert_eq!(sample.interval, ms(40), "the interval begins at 0 ms, not at 40 ms");
    assert_eq!(bytes_per_second(&sample, ms(30)), Some(125_000.0)); // 5,000 bytes
}

#[test]
fn an_interval_shorter_than_any_round_trip_gives_no_rate_but_counts() {
    // Packet 1 is retransmitted at 40 ms. The acknowledgement of its first transmission at 42 ms is taken for
    // one of the second.
    let mut ledger = Ledger::new(3);
    ledger.transmit(0, at(0), BYTES);
    ack(&mut ledger, 30, 1);
    ledger.transmit(1, at(30), BYTES);
    ledger.transmit(1, at(40), BYTES);
    let sample = ack(&mut ledger, 42, 2).unwrap();
    assert_eq!(sample.interval, ms(12));
    assert_eq!(bytes_per_second(&sample, ms(30)), None);
    assert_eq!((sample.delivered, sample.prior_delivered), (1000, 1000));
    assert_eq!(ledger.delivery().delivered(), 2000);
    assert!(sample.round_start);
}

#[test]
fn a_flight_after_idleness_counts_from_its_own_beginning() {
    let mut ledger = ten();
    ack(&mut ledger, 60, 10);
    ledger.transmit(10, at(5000), BYTES);
    let sample = ack(&mut ledger, 5050, 11).unwrap();
    assert_eq!((sample.delivered, sample.interval), (1000, ms(50)));
}

#[test]
fn selectively_acknowledged_packets_count_once_and_in_any_order() {
    let mut ledger = ten();
    let sample = sack(&mut ledger, 59, &[(8, 10), (2, 4)]).unwrap();
    assert_eq!((sample.delivered, sample.tx_in_flight), (4000, 10_000), "packet 9 is the newest");
    let sample = ack(&mut ledger, 60, 10).unwrap();
    assert_eq!((sample.delivered, ledger.delivery().delivered()), (10_000, 10_000));
    assert_eq!(sample.tx_in_flight, 8000, "packet 7 is the newest of the newly acknowledged ones");
    assert_eq!(ack(&mut ledger, 61, 10), None, "an acknowledgement of nothing new gives no sample");
}

#[test]
fn of_packets_sent_together_the_last_is_the_newest() {
    let mut ledger = Ledger::new(3);
    (0..6).for_each(|number| {
        ledger.transmit(number, at(0), BYTES);
    });
    let sample = sack(&mut ledger, 50, &[(4, 6), (1, 2)]).unwrap();
    assert_eq!(sample.tx_in_flight, 6000);
}

#[test]
fn a_sample_holds_what_was_lost_since_the_packet_was_sent() {
    // Packet 0 is lost, because three later ones have arrived. The last of these was sent before the loss was
    // counted, so its sample includes the loss.
    let mut ledger = ten();
    let sample = sack(&mut ledger, 53, &[(1, 4)]).unwrap();
    assert_eq!((sample.lost, ledger.delivery().lost()), (1000, 1000));
    let mut given_up = Vec::new();
    ledger.drain_given_up(|number, _, sample| given_up.push((number, sample)));
    let [(0, lost)] = given_up[..] else { panic!("{given_up:?}") };
    assert_eq!((lost.tx_in_flight, lost.lost, lost.prior_delivered, lost.delivered), (1000, 1000, 0, 3000));
    // The sample of a packet sent afterwards does not.
    ledger.transmit(10, at(53), BYTES);
    let sample = sack(&mut ledger, 103, &[(10, 11)]).unwrap();
    assert_eq!((sample.lost, sample.prior_delivered), (0, 3000));
}

#[test]
fn the_application_limit_ends_when_everything_in_flight_at_its_start_has_been_delivered() {
    let mut ledger = Ledger::new(3);
    ledger.transmit(0, at(0), BYTES);
    ledger.transmit(1, at(0), BYTES);
    ledger.note_app_limited(); // until more than 2,000 bytes have been delivered
    ledger.transmit(2, at(10), BYTES);
    assert!(!ack(&mut ledger, 50, 2).unwrap().app_limited, "packet 1 was sent before the limit");
    assert!(ledger.delivery().is_app_limited(), "2,000 bytes are not more than 2,000");
    ledger.transmit(3, at(50), BYTES);
    assert!(ack(&mut ledger, 60, 3).unwrap().app_limited, "packet 2 was sent during the limit");
    assert!(!ledger.delivery().is_app_limited());
    ledger.transmit(4, at(60), BYTES);
    assert!(ack(&mut ledger, 100, 4).unwrap().app_limited, "packet 3 was sent before the limit ended");
    assert!(!ack(&mut ledger, 110, 5).unwrap().app_limited);
}

#[test]
fn a_retransmission_after_the_limit_of_the_application_is_not_limited() {
    let mut ledger = Ledger::new(3);
    ledger.transmit(0, at(0), BYTES);
    ledger.note_app_limited(); // until more than 1,000 bytes have been delivered
    ledger.transmit(1, at(10), BYTES);
    ledger.transmit(2, at(10), BYTES);
    ack(&mut ledger, 50, 1);
    assert!(sack(&mut ledger, 60, &[(2, 3)]).unwrap().app_limited, "packet 2 was sent during the limit");
    ledger.transmit(1, at(60), BYTES);
    assert!(
        !ack(&mut ledger, 110, 2).unwrap().app_limited,
        "so was packet 1, but it arrived the second time"
    );
}
