//! Tests of the rule with the numbers of RFC 9002.

use super::*;
use crate::detection::testing::SUMMARY;
use crate::ledger::Newly;
use std::ops::Range;

const OPTIONS: QuicOptions =
    QuicOptions { thresholds: Thresholds::RFC, max_ack_delay: Span::from_millis(25), undoes: true };

const RTT: Smoothed = Smoothed { mean: Span::from_millis(80), deviation: Span::from_millis(5) };

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

struct Play {
    rule: Quic,
    ledger: Ledger,
    rtt: Smoothed,
}

impl Play {
    fn new(options: QuicOptions, rtt: Smoothed) -> Self {
        Self { rule: Quic::new(options), ledger: Ledger::new(0), rtt }
    }

    fn send(&mut self, number: u64, ms: u64) {
        let in_line = self.ledger.transmit(number, at(ms), 1000);
        self.rule.on_sent(&mut self.ledger, number, in_line);
    }

    fn ack(&mut self, ms: u64, range: Range<u64>) -> Reaction {
        let mut newly = Newly::default();
        self.ledger.acknowledge_range(range, &mut newly);
        let summary = AckSummary { now: at(ms), delivered: newly.delivered, rtt: self.rtt, ..SUMMARY };
        self.rule.on_ack(&mut self.ledger, &summary)
    }

    fn timer(&self) -> Time {
        self.rule.timer(&self.ledger, self.rtt, Time::NEVER)
    }

    fn on_timer(&mut self, ms: u64) -> Expiry {
        let clock = Clock { now: at(ms), rtt: self.rtt, window: 10, fresh_until: 1000 };
        self.rule.on_timer(&mut self.ledger, &clock)
    }

    fn lost(&self) -> Vec<u64> {
        (self.ledger.una()..self.ledger.next()).filter(|number| self.ledger.is_lost(*number)).collect()
    }
}

//= test RFC 9002 section 6.1
//= test RFC 9002 section 6.1.1
//= test RFC 9002 section 7.3.2 once
#[test]
fn a_packet_is_lost_when_one_three_later_is_acknowledged() {
    let mut play = Play::new(OPTIONS, RTT);
    (0..6).for_each(|number| play.send(number, 0));
    assert_eq!(play.ack(80, 3..4).loss.map(|loss| loss.number), Some(0));
    assert_eq!(play.lost(), [0]);
    assert_eq!(play.ack(81, 4..5).loss, None, "one reduction per round trip");
    assert_eq!((play.lost(), play.ledger.pipe()), (vec![0, 1], 2000));
}

//= test RFC 9002 section 6.1.2 threshold
//= test RFC 9002 section 6.1.2 timer
//= test RFC 9002 section 6.2.1 exclusive
#[test]
fn a_packet_is_lost_nine_eighths_of_a_round_trip_after_it_was_sent() {
    let mut play = Play::new(OPTIONS, RTT);
    play.send(0, 0);
    play.send(1, 2);
    play.send(2, 4);
    assert_eq!(play.ack(84, 2..3).loss, None);
    // The deadline is 9/8 of 80 ms after each packet was sent.
    assert_eq!(play.timer(), at(90));
    assert!(matches!(play.on_timer(90), Expiry::Losses(reaction) if reaction.loss.is_some()));
    assert_eq!((play.lost(), play.timer()), (vec![0], at(92)));
    assert!(matches!(play.on_timer(92), Expiry::Losses(reaction) if reaction.loss.is_none()));
    // The latest round trip counts if it is longer than the smoothed one.
    let mut play = Play::new(OPTIONS, RTT);
    play.send(0, 0);
    play.send(1, 0);
    play.ack(160, 1..2);
    assert_eq!(play.timer(), at(180));
}

//= test RFC 9002 section 6.1.2 granularity
#[test]
fn the_time_threshold_is_a_millisecond_at_least() {
    // 9/8 of the round trip of 0.1 ms would be less than a millisecond.
    let rtt = Smoothed { mean: Span::from_nanos(100_000), deviation: Span::ZERO };
    let mut play = Play::new(OPTIONS, rtt);
    (0..2).for_each(|number| play.send(number, 0));
    assert_eq!(play.ack(0, 1..2).loss, None);
    assert_eq!(play.timer(), at(1));
}

#[test]
fn both_thresholds_can_be_chosen() {
    let thresholds = Thresholds { packets: 5, round_trips: 1.5, adaptive: false };
    let mut play = Play::new(QuicOptions { thresholds, ..OPTIONS }, RTT);
    (0..8).for_each(|number| play.send(number, 0));
    assert_eq!(play.ack(80, 4..5).loss, None, "a packet four later");
    // The deadline is 1.5 times 80 ms.
    assert_eq!(play.timer(), at(120));
    assert_eq!(play.ack(81, 5..6).loss.map(|loss| loss.number), Some(0));
    assert_eq!(play.lost(), [0]);
}

#[test]
fn adaptive_thresholds_grow_until_the_late_packet_would_not_have_been_lost() {
    let reordered = |adaptive: bool| {
        let thresholds = Thresholds { adaptive, ..Thresholds::RFC };
        let mut play = Play::new(QuicOptions { thresholds, ..OPTIONS }, RTT);
        (0..40).for_each(|number| play.send(number, 0));
        // Packet 0 arrives after packet 7: seven later packets were acknowledged before it.
        assert!(play.ack(80, 1..8).loss.is_some());
        play.ack(95, 0..1);
        // Seven packets later than packet 10 arrive while it is missing, too.
        play.ack(96, 8..10);
        play.ack(97, 11..18);
        play
    };
    assert_eq!(reordered(false).lost(), [10], "three later packets are acknowledged");
    let play = reordered(true);
    assert!(play.lost().is_empty(), "17 - 10 packets are less than eight");
    // Packet 0 took 95 ms with a round trip of 80 ms: an eighth more allows 90 ms, a quarter 100 ms. The
    // round trip is 97 ms from here on.
    assert_eq!(play.timer(), Time::from_nanos(97_000_000 * 5 / 4));
    let mut play = play;
    play.ack(98, 18..19);
    assert_eq!(play.lost(), [10], "18 - 10 packets are eight");
}

//= test RFC 9002 section 6.2.1 period
//= test RFC 9002 section 6.2.1 backoff
//= test RFC 9002 section 6.2.1 reset
//= test RFC 9002 section 6.2.1 restart
//= test RFC 9002 section 6.2.2
//= test RFC 9002 section 6.2.4 probe
//= test RFC 9002 section 6.2
#[test]
fn the_probe_timeout_has_its_own_formula_and_doubles() {
    // The timeout is 80 + max(4 * 5, 1) + 25 = 125 ms after the last packet.
    let mut play = Play::new(OPTIONS, RTT);
    play.send(0, 0);
    play.send(1, 10);
    assert_eq!(play.timer(), at(135));
    assert_eq!((play.on_timer(135), play.ledger.pipe()), (Expiry::Probe(2), 2000));
    play.send(2, 135);
    assert_eq!(play.timer(), at(135 + 250));
    play.on_timer(385);
    play.send(3, 385);
    assert_eq!(play.timer(), at(385 + 500));
    play.ack(470, 3..4);
    assert_eq!(
        (play.lost(), play.ledger.una()),
        (vec![2], 2),
        "the others were sent 375 ms ago, and are forgotten"
    );
    play.send(4, 470);
    assert_eq!(play.timer(), at(595), "an acknowledgement ends the doubling");
    // 125 ms * 2^8 are 32 s; 125 ms * 2^9 would be 64 s.
    (0..8).for_each(|_| _ = play.on_timer(595));
    assert_eq!(play.timer(), at(470 + 125 * 256));
    play.on_timer(595);
    assert_eq!(play.timer(), at(470 + 60_000), "the timeout is at most a minute");
    // A timeout that exceeds a minute without doubling is not doubled. With a round trip of 100 s, as between
    // planets, it is 100 + 4 * 5 + 0.025 s.
    play.rtt = Smoothed { mean: Span::from_millis(100_000), deviation: Span::from_millis(5_000) };
    assert_eq!(play.timer(), at(470 + 120_025));
    // Before a sample, the timeout is 333 + 4 * 166.5 + 25 ms.
    let mut play = Play::new(OPTIONS, Smoothed::default());
    play.send(0, 0);
    assert_eq!(play.timer(), at(1024));
}

//= test RFC 9002 section 7.6.1
//= test RFC 9002 section 7.6.2 sample
//= test RFC 9002 section 7.6.2 between
#[test]
fn losses_over_three_probe_timeouts_are_persistent_congestion() {
    // The example of section 7.6.3 in seconds, with packet numbers from 1 on and a probe timeout of 2 s. The
    // text counts from the packet sent at 1 s, before the first sample at 1.2 s. The pseudocode of appendix
    // B.8 counts from the next packet, at 2 s: 6 s are still three times 2 s.
    let rtt = Smoothed { mean: Span::from_millis(1000), deviation: Span::from_millis(250) };
    let example = |last_ms: u64, acked: Option<u64>| {
        let mut play = Play::new(QuicOptions { max_ack_delay: Span::ZERO, undoes: false, ..OPTIONS }, rtt);
        for (number, ms) in [0, 1000].into_iter().enumerate() {
            play.send(number as u64, ms);
        }
        play.ack(1200, 0..1);
        for (number, ms) in [2000, 3000, 4000, 5000, 6000, last_ms, 12_000].into_iter().enumerate() {
            play.send(number as u64 + 2, ms);
        }
        if let Some(number) = acked {
            play.ack(12_100, number..number + 1);
        }
        let reaction = play.ack(12_200, 8..9);
        assert_eq!(play.ledger.pipe(), 0);
        reaction.resolution
    };
    assert_eq!(example(8000, None), Some(Resolution::PersistentCongestion));
    assert_eq!(example(7999, None), None);
    assert_eq!(example(8000, Some(4)), None, "a packet in between has arrived");
}

#[test]
fn the_ledger_releases_settled_packets() {
    let mut play = Play::new(OPTIONS, RTT);
    (0..10).for_each(|number| play.send(number, number));
    play.ack(82, 0..2);
    assert_eq!((play.ledger.una(), play.ledger.pipe()), (2, 8000));
    play.ack(86, 5..7);
    assert_eq!((play.lost(), play.ledger.una()), (vec![2, 3], 2), "remembered in case they arrive");
    // A lost packet is forgotten three probe timeouts (375 ms) after it was sent.
    play.ack(87, 4..5);
    play.send(10, 300);
    play.ack(380, 7..11);
    assert_eq!((play.ledger.una(), play.ledger.is_empty()), (11, true));
}

#[test]
fn the_reaction_is_undone_when_every_lost_packet_is_acknowledged() {
    let mut play = Play::new(OPTIONS, RTT);
    (0..8).for_each(|number| play.send(number, 0));
    assert!(play.ack(80, 3..5).loss.is_some());
    assert_eq!((play.lost(), play.rule.in_recovery()), (vec![0, 1], true));
    assert_eq!(play.ack(81, 0..1).resolution, None);
    assert_eq!(play.ack(82, 1..2).resolution, Some(Resolution::Undone));
    assert!(!play.rule.in_recovery());
}

#[test]
fn late_packets_of_an_earlier_episode_undo_nothing() {
    // Packet 0 is late and packet 1 lost in the first episode, which ends with packet 7. Packet 8 is lost in the second. Late
    // packets are acknowledged: of the first episode, they say nothing of the second.
    let mut play = Play::new(OPTIONS, RTT);
    (0..8).for_each(|number| play.send(number, 0));
    assert!(play.ack(80, 3..5).loss.is_some());
    (8..14).for_each(|number| play.send(number, 81));
    assert!(play.ack(160, 5..8).loss.is_none());
    assert_eq!(play.ack(162, 9..12).loss.map(|loss| loss.number), Some(8));
    assert_eq!(play.ack(163, 0..1).resolution, None);
    assert_eq!(play.ack(164, 1..2).resolution, None, "the first is over");
    assert_eq!(play.ack(165, 8..9).resolution, Some(Resolution::Undone));
}

#[test]
fn after_an_undo_a_loss_in_the_same_window_has_a_reaction_of_its_own() {
    let mut play = Play::new(OPTIONS, RTT);
    (0..8).for_each(|number| play.send(number, 0));
    assert_eq!(play.ack(80, 3..4).loss.map(|loss| loss.number), Some(0));
    assert_eq!(play.ack(81, 0..1).resolution, Some(Resolution::Undone));
    assert_eq!(play.ack(82, 4..5).loss.map(|loss| loss.number), Some(1));
}

//= test RFC 9002 section 7.3.2 marks
#[test]
fn losses_in_the_window_of_a_mark_reduce_nothing_and_undo_nothing() {
    // A mark reduces the window when packets 0 to 7 have been sent. The loss of packet 1 belongs to its event, that of packet 8
    // does not.
    let mut play = Play::new(OPTIONS, RTT);
    (0..8).for_each(|number| play.send(number, 0));
    play.ack(80, 0..1);
    play.rule.on_cwr(&play.ledger, None);
    (8..14).for_each(|number| play.send(number, 81));
    let reaction = play.ack(82, 2..5);
    assert_eq!((reaction.loss, play.lost()), (None, vec![1]));
    assert_eq!(play.ack(83, 1..2).resolution, None, "the mark stands");
    assert_eq!(play.ack(162, 9..12).loss.map(|loss| loss.number), Some(8));
    play.rule.forbid_undo();
    assert_eq!(play.ack(163, 8..9).resolution, None, "a mark was echoed in this episode");
}

//= test RFC 9002 section 7.3.2 end
#[test]
fn recovery_ends_when_a_packet_sent_in_it_is_acknowledged() {
    let mut play = Play::new(OPTIONS, RTT);
    (0..8).for_each(|number| play.send(number, 0));
    assert!(play.ack(80, 3..4).loss.is_some());
    play.send(8, 81);
    assert_eq!(play.ack(82, 4..8).recovered, None);
    assert_eq!(play.ack(161, 8..9).recovered, Some(0));
    // A later loss is an episode of its own.
    (9..13).for_each(|number| play.send(number, 170));
    assert_eq!(play.ack(250, 12..13).loss.map(|loss| loss.number), Some(9));
}

#[test]
fn no_timer_runs_while_nothing_is_in_flight() {
    // RFC 9002 section 6.2.1: the first probe timeout is 80 ms, four deviations of 5 ms and the longest delay
    // of an acknowledgement, 25 ms. When the only packet is acknowledged, there is nothing to probe for.
    let mut play = Play::new(OPTIONS, RTT);
    play.send(0, 0);
    assert_eq!(play.timer(), at(125));
    play.ack(80, 0..1);
    assert_eq!(play.timer(), Time::NEVER);
}
