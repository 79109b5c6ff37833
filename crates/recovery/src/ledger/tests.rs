//! Tests of the ledger with cases worked by hand.

use super::*;
use ackclock_base::Span;

fn sent(count: u64) -> Ledger {
    let mut ledger = Ledger::new(3);
    for number in 0..count {
        ledger.transmit(number, Time::from_nanos(number), 1);
    }
    ledger
}

fn sack(ledger: &mut Ledger, start: u64, end: u64) -> Newly {
    let mut newly = Newly::default();
    ledger.acknowledge_range(ledger.una() + start..ledger.una() + end, &mut newly);
    newly
}

//= test RFC 6675 section 4 is-lost
//= test RFC 6675 section 4 pipe
#[test]
fn a_packet_is_lost_when_three_later_ones_are_acknowledged() {
    // Packet 0 is missing and 1, 2 and 3 arrive: RFC 6675 IsLost(0) holds at the third. In flight are 10 - 3
    // - 1 = 6 packets.
    let mut ledger = sent(10);
    sack(&mut ledger, 1, 3);
    assert!(!ledger.first_is_lost());
    sack(&mut ledger, 1, 4);
    assert!(ledger.first_is_lost());
    assert_eq!(ledger.pipe(), 6);
    assert_eq!(ledger.next_hole(), Some(0));
    ledger.transmit(0, Time::from_nanos(20), 1);
    ledger.resend(0);
    assert_eq!((ledger.pipe(), ledger.next_hole()), (7, None));
}

#[test]
fn retransmitting_the_last_packet_hides_no_earlier_loss() {
    // The rescue of RFC 6675 rule 4 retransmits packet 9. The loss of packet 4 shows only afterwards.
    let mut ledger = sent(10);
    ledger.transmit(9, Time::from_nanos(20), 1);
    ledger.resend(9);
    sack(&mut ledger, 5, 8);
    assert_eq!(ledger.next_hole(), Some(0));
    (0..4).for_each(|number| ledger.resend(number));
    assert_eq!(ledger.next_hole(), Some(4));
}

#[test]
fn a_repeated_block_acknowledges_nothing_new() {
    let mut ledger = sent(10);
    assert_eq!(sack(&mut ledger, 2, 5).delivered, 3);
    assert_eq!(sack(&mut ledger, 2, 5).delivered, 0);
    assert_eq!(sack(&mut ledger, 2, 7).delivered, 2);
    assert_eq!(sack(&mut ledger, 1, 7).delivered, 1);
}

#[test]
fn a_cumulative_acknowledgement_settles_the_counters() {
    let mut ledger = sent(10);
    sack(&mut ledger, 1, 6);
    ledger.transmit(0, Time::from_nanos(20), 1);
    ledger.resend(0);
    let mut newly = Newly::default();
    ledger.acknowledge(6, &mut newly);
    assert_eq!((newly.cumulative, newly.delivered, newly.retransmitted), (6, 1, 1));
    assert_eq!(newly.unambiguous_sending(), None);
    assert_eq!((ledger.pipe(), ledger.span()), (4, 4));
}

//= test RFC 6675 section 5.1 use
#[test]
fn after_a_timeout_everything_unacknowledged_is_lost_or_the_ledger_goes_back() {
    let mut kept = sent(10);
    sack(&mut kept, 4, 6);
    kept.all_lost();
    assert_eq!((kept.pipe(), kept.next_hole()), (0, Some(0)));
    let mut back = sent(10);
    sack(&mut back, 4, 6);
    back.go_back();
    assert_eq!((back.pipe(), back.next(), back.high()), (0, 0, 10));
}

#[test]
fn the_ring_grows_without_forgetting() {
    let mut ledger = sent(1000);
    assert_eq!(ledger.sent(700).at, Time::from_nanos(700));
    let mut newly = Newly::default();
    ledger.acknowledge(999, &mut newly);
    assert_eq!(newly.unambiguous_sending(), Some(Time::from_nanos(998)));
}

#[test]
fn the_delivery_rate_is_counted_over_the_flight() {
    // One packet is sent per millisecond and acknowledged 10 ms later. When packet 20 is sent, at 20 ms,
    // packets 0 to 10 have been delivered, 11 in all. When it is acknowledged, at 30 ms, 21 have been: 10
    // packets in 10 ms.
    let mut ledger = Ledger::new(3);
    let at = |ms: u64| Time::ZERO + Span::from_millis(ms);
    let mut sample = None;
    for ms in 0..=30 {
        if ms >= 10 {
            let mut newly = Newly::default();
            ledger.acknowledge(ms - 9, &mut newly);
            sample = ledger.count_delivery(at(ms), &newly);
        }
        ledger.transmit(ms, at(ms), 1);
    }
    let sample = sample.unwrap();
    assert_eq!((sample.delivered, sample.interval), (10, Span::from_millis(10)));
}
