use crate::script::Script;
use ackclock_base::Span;

/// Creates a flow with a window of 20 after a first round at `ms`.
fn after_a_round_at(ms: f64) -> Rounds {
    let script = Script::new("sack").window(10.0).within("hystart++", &[]);
    let mut rounds = Rounds { script, acked_to: 0, end: 0 };
    rounds.acks(1, ms);
    assert_eq!(rounds.round(ms), 9);
    rounds
}

/// A script whose acknowledgements report the sender's position: a window beyond what is acknowledged.
struct Rounds {
    script: Script,
    acked_to: u64,
    end: u64,
}

impl Rounds {
    fn acks(&mut self, count: u64, ms: f64) {
        for _ in 0..count {
            self.acked_to += 1;
            let sent_to = self.acked_to + self.script.cwnd() as u64 - 1;
            if self.acked_to > self.end {
                self.end = sent_to;
            }
            let acked_to = self.acked_to;
            self.script.ack_as(|ack| {
                (ack.acked_to, ack.sent_to) = (acked_to, sent_to);
                ack.rtt = Some(Span::from_seconds(ms / 1000.0));
            });
        }
    }

    /// Plays the rest of a round, or a whole one; returns the number of acknowledgements.
    fn round(&mut self, ms: f64) -> u64 {
        let before = self.acked_to;
        if self.acked_to == self.end {
            self.acks(1, ms);
        }
        self.acks(self.end - self.acked_to, ms);
        self.acked_to - before
    }

    fn is_conservative(&mut self) -> bool {
        self.script.published("conservative_slow_start") == 1.0
    }
}

//= test RFC 9406 section 4.3 threshold
#[test]
fn a_rise_is_an_eighth_of_the_round_trip_between_4_and_16_ms() {
    // RFC 9406 section 4.2: clamp(lastRoundMinRTT / 8, 4 ms, 16 ms).
    for (last, rise) in
        [(10.0, 4.0), (20.0, 4.0), (32.0, 4.0), (64.0, 8.0), (100.0, 12.5), (128.0, 16.0), (200.0, 16.0)]
    {
        for (more, conservative) in [(-0.01, false), (0.01, true)] {
            let mut rounds = after_a_round_at(last);
            rounds.acks(8, last + rise + more);
            assert_eq!(rounds.is_conservative(), conservative, "{last} + {rise} + {more}");
        }
    }
}

//= test RFC 9406 section 4.3 samples
#[test]
fn seven_samples_are_too_few() {
    let mut rounds = after_a_round_at(40.0);
    rounds.acks(7, 45.0);
    assert!(!rounds.is_conservative());
    rounds.acks(1, 45.0);
    assert!(rounds.is_conservative());
}

//= test RFC 9406 section 4.3 growth
//= test RFC 9406 section 4.3 rounds
#[test]
fn conservative_growth_is_a_quarter_and_five_rounds_of_it_are_the_last() {
    let mut rounds = after_a_round_at(40.0);
    rounds.acks(8, 45.0);
    // The rest of this round is the first of five (section 4.3); 4 acknowledgements add a packet.
    for round in 1..=5 {
        let before = rounds.script.cwnd();
        assert_eq!(rounds.script.ssthresh(), f64::INFINITY, "round {round}");
        let count = rounds.round(45.0);
        assert!((rounds.script.cwnd() - before - count as f64 / 4.0).abs() < 1e-9, "round {round}");
    }
    rounds.acks(1, 45.0);
    assert_eq!(rounds.script.ssthresh(), rounds.script.cwnd());
    assert!(!rounds.is_conservative());
    // Congestion avoidance: 1/cwnd.
    let before = rounds.script.cwnd();
    rounds.acks(1, 45.0);
    assert!((rounds.script.cwnd() - before - 1.0 / before).abs() < 1e-9);
}

//= test RFC 9406 section 4.2 resume
#[test]
fn a_round_trip_that_falls_below_the_baseline_resumes_slow_start() {
    // The baseline is 46 ms. The next round is no lower; the one after it is 45.9, and slow start resumes
    // with a packet per acknowledgement.
    let mut rounds = after_a_round_at(40.0);
    rounds.acks(8, 46.0);
    rounds.round(46.0);
    rounds.round(46.0);
    assert!(rounds.is_conservative());
    rounds.acks(8, 45.9);
    assert!(!rounds.is_conservative());
    let before = rounds.script.cwnd();
    rounds.acks(1, 45.9);
    assert_eq!(rounds.script.cwnd(), before + 1.0);
}

//= test RFC 9406 section 4.3 paced
//= test RFC 9406 section 4.3 unpaced
#[test]
fn one_acknowledgement_adds_eight_packets_at_most_and_any_number_where_packets_are_paced() {
    for (paced, after) in [(false, 18.0), (true, 30.0)] {
        let script = Script::new("sack").window(10.0).within("hystart++", &[]);
        let mut script = if paced { script.paced() } else { script };
        script.ack_as(|ack| ack.newly_acked = 20.0);
        assert_eq!(script.cwnd(), after);
    }
}

//= test RFC 9406 section 4.3 first
#[test]
fn it_serves_the_first_slow_start_alone() {
    // Section 4.3: after a timeout slow start is plain, up to the threshold, whatever the round trip is.
    let mut rounds = after_a_round_at(40.0);
    rounds.script.timeout();
    rounds.script.set_cwnd(1.0);
    rounds.acks(1, 40.0);
    rounds.acks(7, 400.0);
    assert_eq!(rounds.script.cwnd(), 9.0);
    assert!(!rounds.is_conservative());
}

#[test]
fn rounds_that_leave_the_window_unused_do_not_end_it() {
    let mut rounds = after_a_round_at(40.0);
    rounds.acks(8, 45.0);
    for _ in 0..200 {
        rounds.acked_to += 1;
        let acked_to = rounds.acked_to;
        rounds.script.ack_as(|ack| {
            (ack.acked_to, ack.sent_to) = (acked_to, acked_to);
            (ack.rtt, ack.cwnd_limited) = (Some(Span::from_millis(45)), false);
        });
    }
    assert_eq!(rounds.script.ssthresh(), f64::INFINITY);
}
