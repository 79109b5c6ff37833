//! Tests of the rule with cases of RFC 8985, worked by hand.

use super::*;
use crate::detection::testing::SUMMARY;
use crate::ledger::Newly;
use std::ops::Range;

const SMOOTHED: Smoothed = Smoothed { mean: Span::from_millis(45), deviation: Span::ZERO };

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

struct Play {
    rule: Rack,
    ledger: Ledger,
    cwnd: u64,
    fresh_until: u64,
}

impl Play {
    fn new() -> Self {
        Self { rule: Rack::new(RackOptions::default()), ledger: Ledger::new(0), cwnd: 100, fresh_until: 1000 }
    }

    fn send(&mut self, number: u64, ms: u64) {
        let in_line = self.ledger.transmit(number, at(ms), 1);
        self.rule.on_sent(&mut self.ledger, number, in_line);
    }

    /// Sends one packet per millisecond.
    fn send_each(&mut self, numbers: Range<u64>, from_ms: u64) {
        let first = numbers.start;
        numbers.for_each(|number| self.send(number, from_ms + number - first));
    }

    fn ack_with(&mut self, ms: u64, to: u64, block: Range<u64>, dsack: Option<(u64, u64)>) -> Reaction {
        let mut newly = Newly::default();
        self.ledger.acknowledge(to, &mut newly);
        self.ledger.acknowledge_range(block, &mut newly);
        let Newly { cumulative, delivered, .. } = newly;
        let duplicate = cumulative == 0 && !self.ledger.is_empty();
        let summary =
            AckSummary { now: at(ms), cumulative, delivered, duplicate, rtt: SMOOTHED, dsack, ..SUMMARY };
        self.rule.on_ack(&mut self.ledger, &summary)
    }

    fn ack(&mut self, ms: u64, to: u64, block: Range<u64>) -> Reaction {
        self.ack_with(ms, to, block, None)
    }

    /// Acknowledges everything below `to` with the echo of the timestamp of `echoed_ms`.
    fn ack_echoing(&mut self, ms: u64, to: u64, echoed_ms: u64) -> Reaction {
        let mut newly = Newly::default();
        self.ledger.acknowledge(to, &mut newly);
        let Newly { cumulative, delivered, .. } = newly;
        let (now, stamp) = (at(ms), Some(at(echoed_ms)));
        let summary = AckSummary { now, cumulative, delivered, stamp, rtt: SMOOTHED, ..SUMMARY };
        self.rule.on_ack(&mut self.ledger, &summary)
    }

    /// Returns when the rule's timer expires, if the retransmission timer is due at ten seconds.
    fn timer(&self) -> Time {
        self.rule.timer(&self.ledger, SMOOTHED, at(10_000))
    }

    fn on_timer(&mut self, ms: u64) -> Expiry {
        let clock = Clock { now: at(ms), rtt: SMOOTHED, window: 10, fresh_until: self.fresh_until };
        self.rule.on_timer(&mut self.ledger, &clock)
    }

    fn next(&mut self) -> Option<u64> {
        self.rule.next(&mut self.ledger, self.cwnd, self.fresh_until)
    }

    fn lost(&self) -> Vec<u64> {
        (self.ledger.una()..self.ledger.next()).filter(|number| self.ledger.is_lost(*number)).collect()
    }
}

//= test RFC 8985 section 6.2 newest
//= test RFC 8985 section 6.2 timer
//= test RFC 8985 section 8
#[test]
fn a_packet_sent_before_a_delivered_one_is_lost_a_quarter_of_the_round_trip_later() {
    let mut play = Play::new();
    play.send_each(0..4, 0);
    assert_eq!(play.ack(43, 0, 3..4).loss, None);
    assert_eq!(
        (play.lost(), play.timer()),
        (vec![], at(52)),
        "a round trip of 40 ms and 10 ms more after the last packet"
    );
    // Another acknowledgement at 50 ms shows the loss of the first packet.
    let reaction = play.ack(50, 0, 3..4);
    assert_eq!(
        (reaction.loss.map(|loss| loss.number), play.lost(), play.timer()),
        (Some(0), vec![0], at(52))
    );
    // In recovery the window is zero as long as no reordering was seen.
    play.ack(51, 0, 3..4);
    assert_eq!(play.lost(), [0, 1, 2]);
    // Without another acknowledgement, the timer shows all three losses.
    let mut play = Play::new();
    play.send_each(0..4, 0);
    play.ack(43, 0, 3..4);
    let expiry = play.on_timer(52);
    assert!(matches!(expiry, Expiry::Losses(reaction) if reaction.loss.is_some()), "{expiry:?}");
    assert_eq!((play.lost(), play.timer()), (vec![0, 1, 2], at(10_000)));
}

//= test RFC 8985 section 3.3.2 at-once
#[test]
fn three_selective_acknowledgements_show_the_loss_at_once() {
    let mut play = Play::new();
    play.send_each(0..3, 0);
    (3..6).for_each(|number| play.send(number, 3));
    let reaction = play.ack(43, 0, 3..6);
    assert_eq!((reaction.loss.map(|loss| loss.number), play.lost()), (Some(0), vec![0, 1, 2]));
    assert!(play.rule.in_recovery());
}

#[test]
fn packets_overtaken_by_less_than_a_quarter_of_the_round_trip_are_not_lost() {
    let mut play = Play::new();
    play.send_each(0..20, 0);
    play.ack(41, 0, 1..2);
    play.ack(42, 0, 1..3);
    assert_eq!(play.ack(43, 3, 0..0).loss, None, "packet 0 arrives");
    assert!(play.rule.window.seen);
    // From now on counting shows no loss: seven later packets have arrived when packet 3 does, 9 ms late.
    for end in 5..12 {
        assert_eq!(play.ack(39 + end, 3, 4..end).loss, None);
        assert_eq!(play.lost(), []);
    }
    assert_eq!(play.timer(), at(53), "3 ms + 40 ms + 10 ms");
    assert_eq!(play.ack(52, 11, 0..0).loss, None);
    assert!(play.timer() > at(53), "no packet is overtaken any more");
}

#[test]
fn a_retransmission_is_found_lost_again() {
    let mut play = Play::new();
    play.cwnd = 10;
    play.send_each(0..20, 0);
    for end in 2..5 {
        play.ack(39 + end, 0, 1..end);
    }
    assert_eq!((play.lost(), play.next()), (vec![0], Some(0)));
    play.send(0, 43);
    assert_eq!(play.lost(), []);
    play.send(20, 44);
    // Packets sent before the retransmission show nothing about it.
    for end in 5..21 {
        play.ack(39 + end, 0, 1..end);
        assert_eq!(play.lost(), []);
    }
    // A packet sent after the retransmission shows that it is lost: it was sent at 43 ms, and the round trip
    // of 40 ms has passed. In recovery nothing is added to that.
    let reaction = play.ack(84, 0, 1..21);
    assert_eq!((play.lost(), play.next()), (vec![0], Some(0)));
    assert!(reaction.restart_timer, "the timer has run since the first retransmission");
}

#[test]
fn a_packet_lost_during_a_recovery_begins_the_next() {
    let mut play = Play::new();
    play.send_each(0..10, 0);
    play.ack(46, 0, 1..6);
    assert_eq!(play.next(), Some(0));
    play.send_each(10..14, 47);
    play.send(0, 51);
    play.ack(90, 0, 1..10);
    play.ack(91, 0, 11..14);
    assert_eq!(play.lost(), [10]);
    let reaction = play.ack(92, 10, 11..14);
    assert_eq!((reaction.recovered.is_some(), reaction.loss.map(|loss| loss.number)), (true, Some(10)));
}

//= test RFC 8985 section 7.2 timeout
//= test RFC 8985 section 7.3 once
//= test RFC 8985 section 7.3 highest
//= test RFC 8985 section 7.2 start
#[test]
fn a_lost_tail_is_probed_after_two_round_trips_and_the_answer_shows_the_losses() {
    let mut play = Play::new();
    play.fresh_until = 10;
    play.send_each(0..10, 0);
    play.ack(47, 8, 0..0);
    assert_eq!(play.timer(), at(47 + 90));
    assert_eq!(play.on_timer(137), Expiry::Probe(9));
    play.send(9, 137);
    assert_eq!(play.timer(), at(10_000), "no second probe without a round trip in between");
    // The probe is delivered. Packet 8, sent 169 ms ago, is not.
    let reaction = play.ack(177, 8, 9..10);
    assert_eq!((reaction.loss.map(|loss| loss.number), play.lost()), (Some(8), vec![8]));
}

//= test RFC 8985 section 7.2 lone
//= test RFC 8985 section 7.2 bound
//= test RFC 8985 section 7.3 new
#[test]
fn a_probe_is_new_data_if_there_is_any_and_waits_for_a_delayed_acknowledgement_of_a_lone_packet() {
    let mut play = Play::new();
    play.send_each(0..2, 0);
    play.ack(41, 1, 0..0);
    assert_eq!(play.timer(), at(41 + 90 + 200));
    assert_eq!(play.on_timer(331), Expiry::Probe(2));
    // The probe is due no later than the retransmission timer, which it replaces.
    let mut play = Play::new();
    play.send(0, 0);
    assert_eq!(play.rule.timer(&play.ledger, Smoothed::default(), at(500)), at(500));
    assert_eq!(play.on_timer(500), Expiry::Probe(1));
}

//= test RFC 8985 section 7.4.2 loss
//= test RFC 8985 section 7.4.2 dsack
#[test]
fn a_loss_that_the_probe_repaired_causes_a_reaction_unless_a_duplicate_is_reported() {
    for (dsack, reacts) in [(None, true), (Some((9, 10)), false)] {
        let mut play = Play::new();
        play.fresh_until = 10;
        play.send_each(0..10, 0);
        play.ack(48, 9, 0..0);
        assert_eq!(play.on_timer(48 + 90 + 200), Expiry::Probe(9));
        play.send(9, 338);
        assert_eq!(
            play.ack_with(378, 10, 0..0, None).loss,
            None,
            "the original or the probe may have arrived"
        );
        if dsack.is_some() {
            play.ack_with(379, 10, 0..0, dsack);
        }
        play.fresh_until = 12;
        play.send_each(10..12, 400);
        assert_eq!(play.ack(440, 11, 0..0).loss.is_some(), reacts);
        assert_eq!(play.ack(442, 12, 0..0).recovered.is_some(), reacts, "nothing else is to be repaired");
    }
}

//= test RFC 8985 section 3.3.2 dsack
#[test]
fn a_reported_duplicate_widens_the_window() {
    // Packet 0 was retransmitted at 0 ms, too early, and its duplicate is reported. The timer is then due at 1 ms +
    // 40 ms + 2 * 10 ms. If the duplicate is one of packet 1, which was sent once, the network has made it, and
    // the timer is due 10 ms sooner; so it is if no packet was retransmitted.
    for (retransmitted, reported, due) in [(true, 0, 61), (true, 1, 51), (false, 0, 51)] {
        let mut play = Play::new();
        play.send_each(0..10, 0);
        if retransmitted {
            play.send(0, 0);
        }
        play.ack_with(41, 1, 0..0, Some((reported, reported + 1)));
        play.ack(43, 1, 2..4);
        assert_eq!(play.timer(), at(due), "{retransmitted} {reported}");
    }
}

#[test]
fn a_duplicate_of_a_probe_does_not_widen_the_window() {
    let mut play = Play::new();
    play.fresh_until = 10;
    play.send_each(0..10, 0);
    play.ack(47, 8, 0..0);
    assert_eq!(play.on_timer(137), Expiry::Probe(9));
    play.send(9, 137);
    play.ack(140, 10, 0..0);
    play.fresh_until = 20;
    play.send_each(10..14, 150);
    play.ack_with(177, 10, 0..0, Some((9, 10)));
    play.ack(193, 10, 13..14);
    // Packet 12, sent at 152 ms, is the last that 13 has overtaken.
    assert_eq!(play.timer(), at(152 + 40 + 10));
}

#[test]
fn after_a_probe_of_new_data_a_duplicate_of_a_retransmission_widens_the_window() {
    // The probe is packet 10, and packet 8 is retransmitted after it. Packet 13, sent at 162 ms, has a round trip of 41 ms
    // and has overtaken 12, sent at 161 ms. The least round trip is 40 ms: 2 * 10 ms more.
    let mut play = Play::new();
    play.send_each(0..10, 0);
    play.ack(47, 8, 0..0);
    assert_eq!(play.on_timer(137), Expiry::Probe(10));
    play.send(10, 137);
    play.send(8, 140);
    play.send_each(11..14, 160);
    play.ack_with(180, 11, 0..0, Some((8, 9)));
    play.ack(203, 11, 13..14);
    assert_eq!(play.timer(), at(161 + 41 + 2 * 10));
}

//= test RFC 8985 section 6.2 rtt
#[test]
fn the_round_trip_waited_for_is_that_of_the_delivered_packet_sent_last_or_in_linux_the_highest() {
    // Packets 0 to 3 leave at 0 to 3 ms. Packet 0 is retransmitted at 28 ms and acknowledged at 70 ms with packet 1:
    // 42 and 69 ms. The RFC waits for the 42 ms of the packet sent last. Linux waits for the 69 ms of packet 1,
    // so packet 3, sent at 3 ms before the retransmission of 28 ms, is lost 10 ms after 45 or 72 ms.
    for (round_trip_of, due) in [(RoundTripOf::LastSent, 10_000), (RoundTripOf::Highest, 82)] {
        let mut play = Play::new();
        play.rule.options.rack_rtt = round_trip_of;
        play.send_each(0..4, 0);
        play.ack(42, 0, 2..3);
        play.send(0, 28);
        let reaction = play.ack(70, 2, 0..0);
        assert_eq!((reaction.loss.is_some(), play.timer()), (due == 10_000, at(due)), "{round_trip_of:?}");
    }
    // An acknowledgement of nothing but packets that were sent before the newest sets the round trip too: packet 3
    // arrives after 40 ms, packet 1 after 49 ms. Packets 0 and 2 are waited for as long, and 10 ms more.
    let mut play = Play::new();
    play.send_each(0..4, 0);
    play.ack(43, 0, 3..4);
    assert_eq!(play.timer(), at(2 + 40 + 10));
    play.ack(50, 0, 1..2);
    assert_eq!(play.timer(), at(2 + 49 + 10));
}

//= test RFC 8985 section 6.2 again
#[test]
fn a_retransmission_under_way_is_not_repeated_when_the_next_recovery_begins() {
    // Without a proportional reduction. Packet 0 is lost, and packet 10, which was sent in the recovery. Packet 10 is
    // retransmitted in the recovery, which ends with the acknowledgement of packets 0 to 9. It begins the
    // next recovery, in which nothing is retransmitted: the window has room for new data.
    let mut play = Play::new();
    play.rule.reduction = Flight::Inferred;
    play.send_each(0..10, 0);
    assert_eq!(play.ack(46, 0, 1..6).resend, None);
    play.cwnd = 1;
    assert_eq!(play.next(), Some(0), "the fast retransmit leaves whatever the window");
    play.send_each(10..14, 47);
    play.send(0, 51);
    assert_eq!(play.next(), None);
    play.cwnd = 100;
    play.ack(90, 0, 1..10);
    play.ack(91, 0, 11..14);
    assert_eq!(play.next(), Some(10));
    play.send(10, 91);
    let reaction = play.ack(92, 10, 11..14);
    assert_eq!((reaction.loss.map(|loss| loss.number), reaction.resend), (Some(10), None));
    assert_eq!((play.lost(), play.next()), (vec![], Some(14)));
    play.cwnd = 1;
    assert_eq!(play.next(), None, "nothing leaves beyond the window");
}

//= test RFC 8985 section 6.2 again
#[test]
fn a_packet_that_left_just_before_a_retransmission_shows_nothing_about_it() {
    // At 50 ms the pacer lets packet 10 out, and then an acknowledgement shows that packet 0 is lost, which is
    // retransmitted at the same time. Packet 10 arrives first, 40 ms later, and proves nothing. Packet 11, sent 1 ms
    // later, does.
    let mut play = Play::new();
    play.send_each(0..10, 0);
    play.ack(47, 0, 1..8);
    assert_eq!(play.lost(), [0]);
    play.send(10, 50);
    play.send(0, 50);
    play.send(11, 51);
    play.ack(90, 0, 10..11);
    assert_eq!(play.lost(), [8, 9], "they left before packet 10");
    play.ack(91, 0, 11..12);
    assert_eq!(play.lost(), [0, 8, 9]);
}

#[test]
fn packets_overtaken_by_three_or_more_are_remembered_until_a_timeout_shows_losses() {
    // Packet 0 arrives after 1 and 2: a distance of three packets from 0 to the first that has not arrived. Packet 3 arrives
    // after 4 to 6: a distance of four, which is more than the threshold.
    let mut play = Play::new();
    play.send_each(0..20, 0);
    play.ack(42, 0, 1..3);
    play.ack(43, 3, 0..0);
    assert!(!play.rule.is_often_overtaken());
    play.ack(46, 3, 4..7);
    play.ack(47, 7, 0..0);
    assert!(play.rule.is_often_overtaken());
    // A timeout after three selective acknowledgements outside of a recovery: losses looked like reordering.
    play.ack(51, 7, 8..11);
    play.rule.on_timeout(&mut play.ledger, at(52));
    assert!(!play.rule.is_often_overtaken());
}

#[test]
fn in_linux_the_timers_expire_two_milliseconds_later() {
    // TCP_TIMEOUT_MIN_US is added to the timer of reordering, 2 + 40 + 10 ms, and to that of a probe of several
    // packets, 47 + 90 ms, but not to that of a single one, which waits for a delayed acknowledgement.
    let with_slack = || {
        let mut play = Play::new();
        let rack = RackRules { rack_timer_slack: Span::from_millis(2), ..RackRules::default() };
        play.rule = Rack::new(RackOptions { rack, ..RackOptions::default() });
        play
    };
    let mut play = with_slack();
    play.send_each(0..4, 0);
    play.ack(43, 0, 3..4);
    assert_eq!(play.timer(), at(54));
    let mut play = with_slack();
    play.send_each(0..10, 0);
    play.ack(47, 8, 0..0);
    assert_eq!(play.timer(), at(47 + 90 + 2));
    play.ack(48, 9, 0..0);
    assert_eq!(play.timer(), at(48 + 90 + 200));
}

//= test RFC 8985 section 6.3
#[test]
fn a_timeout_marks_the_first_packet_lost_and_those_that_have_been_out_long_enough() {
    let mut play = Play::new();
    play.send_each(0..4, 0);
    play.ack(40, 1, 0..0);
    play.send_each(4..6, 500);
    play.rule.on_timeout(&mut play.ledger, at(520));
    assert_eq!(play.lost(), [1, 2, 3], "packets sent 20 ms ago are not lost");
    play.cwnd = 1;
    assert_eq!(play.next(), Some(1), "whatever the window");
    play.send(1, 520);
    assert_eq!(play.next(), None);
    // The first packet is lost whatever its age. The others were sent at 2 and 3 ms; at 41 ms that is less
    // than the round trip of 40 ms ago.
    let mut young = Play::new();
    young.send_each(0..4, 0);
    young.ack(40, 1, 0..0);
    young.rule.on_timeout(&mut young.ledger, at(41));
    assert_eq!(young.lost(), [1]);
}

#[test]
fn a_packet_that_a_spurious_timeout_marked_lost_can_be_lost_later() {
    let mut play = Play::new();
    play.send_each(0..6, 0);
    play.ack(40, 1, 0..0);
    play.rule.on_timeout(&mut play.ledger, at(500));
    assert_eq!(play.lost(), [1, 2, 3, 4, 5]);
    play.rule.on_undone(&mut play.ledger);
    assert_eq!((play.lost(), play.ledger.pipe()), (vec![], 5));
    play.ack(510, 1, 4..5);
    assert_eq!(play.lost(), [], "packet 4 arrives 506 ms after it was sent: a round trip of 506 ms");
    assert_eq!(play.timer(), at(3 + 506 + 10));
}

#[test]
fn an_echoed_timestamp_tells_a_retransmission_from_its_original() {
    // Packet 3 arrives after 40 ms and shows that 0 to 2 are lost. Packet 4 leaves at 55 ms, and 0 again at 60
    // ms. The acknowledgement of packet 0 at 100 ms is that of the retransmission if it echoes 60 ms: packet 4
    // was sent before it, and 55 + 40 ms have passed. An echo of 0 ms is that of the original, which says
    // nothing about packet 4.
    for (echoed_ms, lost) in [(60, vec![1, 2, 4]), (0, vec![1, 2])] {
        let mut play = Play::new();
        play.send_each(0..4, 0);
        for ms in [43, 50, 51] {
            play.ack(ms, 0, 3..4);
        }
        play.send(4, 55);
        play.send(0, 60);
        play.ack_echoing(100, 1, echoed_ms);
        assert_eq!(play.lost(), lost, "an echo of {echoed_ms} ms");
    }
}

#[test]
fn the_first_partial_acknowledgement_counts_what_is_missing_and_duplicates_restart_no_timer() {
    // Of ten packets, the second duplicate shows that packet 0 is lost, and a third follows. When packet 0 is
    // acknowledged, nine are outstanding, three of which have arrived by the count of duplicates: six are
    // missing.
    let mut play = Play::new();
    play.send_each(0..10, 0);
    play.ack(43, 0, 3..4);
    assert!(play.ack(50, 0, 3..4).loss.is_some());
    let duplicate = play.ack(51, 0, 4..5);
    assert_eq!((duplicate.missing, duplicate.restart_timer), (None, false));
    let partial = play.ack(90, 1, 0..0);
    assert_eq!((partial.missing, partial.restart_timer), (Some(6), true));
    assert_eq!(play.ack(91, 2, 0..0).missing, None);
}
