//! YeAH-TCP (Baiocchi, Castellani and Vacirca 2007): Scalable TCP while few packets wait and Reno while many
//! do. It drains the queue above a bound, without a loss.

use super::round_trips::{Round, RoundTrips, waiting};
use crate::classic::{Classic, MIN_SSTHRESH, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "yeah",
        "YeAH-TCP: grows as Scalable TCP while few packets are queued in the network (fast mode), and as Reno \
         while many are (slow mode)",
        "Baiocchi, Castellani and Vacirca 2007, \"YeAH-TCP: yet another highspeed TCP\"; Linux's tcp_yeah.c",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Yeah::new(values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// The thresholds of the slow mode, and the reaction to a queue. Linux has the same constants.
    pub struct Parameters {
        /// Estimated number of the flow's packets queued in the network above which the flow is in slow mode and grows
        /// as Reno
        most_waiting: Packets = packets("80 packets", Range::above(0.0), "Baiocchi et al. 2007, Q_max; Linux, ALPHA"),
        /// Divisor of the minimum RTT: while the queueing delay exceeds the quotient, the flow is in slow mode and
        /// grows as Reno
        delay_divisor: f64 = number("8", Range::between(0.1, 1e6), "Baiocchi et al. 2007, phi; Linux, PHY"),
        /// Fraction of the flow's queued packets by which the window is reduced each round trip to drain the queue
        /// while more than `most_waiting` packets are queued
        drained: f64 = number("1", Range::between(0.0, 1.0), "Baiocchi et al. 2007, gamma; Linux, GAMMA"),
        /// Largest fraction by which the window is reduced in a round trip to drain the queue
        most_drained: f64 = number("0.5", Range::between(0.0, 1.0), "Baiocchi et al. 2007, epsilon; Linux, EPSILON"),
        /// Smallest fraction by which a loss reduces the window, unless competitors fill the queue
        least_cut: f64 = number("0.125", Range::between(0.0, 0.5), "Baiocchi et al. 2007, delta; Linux, DELTA"),
        /// Number of consecutive round trips in slow mode after which the flow assumes that competitors fill the queue,
        /// so that a loss halves the window
        greedy_rounds: u32 = integer("16", Range::between(1.0, 1e6), "Baiocchi et al. 2007, rho; Linux, RHO"),
        /// Number of round trips in fast mode after which the flow assumes that it has no competitors and resets its
        /// estimate of a competing Reno flow's window
        free_rounds: u32 = integer("50", Range::between(1.0, 1e6), "Linux, ZETA"),
    }
}

/// Scalable TCP's increase is one packet per this many acknowledgements, or per window of them if that is
/// less.
const SCALABLE_ACKS: f64 = 100.0;

/// The law with the results of the last rounds.
#[derive(Clone, Debug)]
pub struct Yeah {
    parameters: Parameters,
    round_trips: RoundTrips,
    /// Packets that waited in the last round.
    waiting: Packets,
    slow_rounds: u32,
    fast_rounds: u32,
    /// An estimate of the window of a Reno flow on the same path.
    reno: Packets,
}

impl Yeah {
    /// Creates the law before the first round.
    pub fn new(parameters: Parameters) -> Self {
        let round_trips = RoundTrips::default();
        Self { parameters, round_trips, waiting: 0.0, slow_rounds: 0, fast_rounds: 0, reno: MIN_SSTHRESH }
    }

    fn end_round(&mut self, window: &mut Window, round: &Round) {
        let Parameters { most_waiting, delay_divisor, free_rounds, .. } = self.parameters;
        let base = self.round_trips.base;
        self.waiting = waiting(window.cwnd, base, round.least);
        if self.waiting <= most_waiting && round.least - base <= base / delay_divisor {
            self.slow_rounds = 0;
            self.fast_rounds += 1;
            if self.fast_rounds > free_rounds {
                (self.reno, self.fast_rounds) = (MIN_SSTHRESH, 0);
            }
            return;
        }
        if self.waiting > most_waiting && window.cwnd > self.reno {
            let drained = self.waiting * self.parameters.drained;
            let left = window.cwnd - drained.min(window.cwnd * self.parameters.most_drained);
            window.cwnd = left.max(self.reno);
            window.ssthresh = window.cwnd;
        }
        let known = self.reno > MIN_SSTHRESH;
        self.reno = if known { self.reno + 1.0 } else { (window.cwnd / 2.0).max(MIN_SSTHRESH) };
        self.slow_rounds = self.slow_rounds.saturating_add(1);
    }
}

impl WindowLaw for Yeah {
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        let acks = if self.slow_rounds > 0 { window.cwnd } else { window.cwnd.min(SCALABLE_ACKS) };
        window.cwnd += ack.abc_increment / acks;
    }

    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        if let Some(round) = self.round_trips.observe(ack)
            && ack.phase == crate::control::Phase::Open
        {
            self.end_round(window, &round);
        }
    }

    /// Returns the window after a loss: a fast flow gives up the waiting packets, at least an eighth; against
    /// competitors that fill the queue it gives up half.
    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        let half = from / 2.0;
        let greedy = self.slow_rounds >= self.parameters.greedy_rounds;
        let cut = if greedy { half } else { self.waiting.min(half).max(from * self.parameters.least_cut) };
        self.fast_rounds = 0;
        self.reno = (self.reno / 2.0).max(MIN_SSTHRESH);
        from - cut
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        window.start_over(timeout);
        self.round_trips.restart();
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("waiting_packets", self.waiting);
        series("slow_rounds", f64::from(self.slow_rounds));
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    /// Creates a flow with a window of `packets` after a round at 100 ms and one of `ms`, whose end the next
    /// acknowledgement reveals.
    fn after(packets: f64, ms: u64) -> Script {
        let mut script = Script::new("yeah").window(packets).starting_ssthresh(2.0);
        for rtt in [100, 100, ms] {
            script.set_cwnd(packets);
            script.round(packets as u32, rtt);
        }
        script.set_cwnd(packets);
        script
    }

    #[test]
    fn while_little_waits_it_adds_a_hundredth_for_each_acknowledgement() {
        let mut script = after(400.0, 100);
        script.ack_with_rtt(100);
        assert!((script.cwnd() - 400.01).abs() < 1e-9, "{}", script.cwnd());
    }

    #[test]
    fn more_than_80_waiting_packets_are_taken_out_at_the_end_of_a_round() {
        // 400 (1 - 100 / 160) = 150 packets wait: 250 remain, and Reno's increase is 1 / 250.
        let mut script = after(400.0, 160);
        script.ack_with_rtt(160);
        assert!((script.cwnd() - 250.0 - 1.0 / 250.0).abs() < 1e-9, "{}", script.cwnd());
        assert_eq!(script.published("waiting_packets"), 150.0);
    }

    #[test]
    fn half_of_the_window_is_the_most_that_is_taken_out() {
        // 400 (1 - 100 / 400) = 300 packets wait.
        let mut script = after(400.0, 400);
        script.ack_with_rtt(400);
        assert!((script.cwnd() - 200.0).abs() < 0.01, "{}", script.cwnd());
    }

    #[test]
    fn a_round_trip_an_eighth_longer_makes_it_slow_but_takes_nothing() {
        // 100 (1 - 100 / 113) = 11.5 packets wait; 13 ms of delay are more than an eighth of the minimum
        // round trip, 12.5 ms.
        for (ms, slow) in [(112, 0.0), (113, 1.0)] {
            let mut script = after(100.0, ms);
            script.ack_with_rtt(ms);
            assert_eq!(script.published("slow_rounds"), slow);
            assert!(script.cwnd() > 100.0);
        }
    }

    #[test]
    fn a_loss_takes_the_waiting_packets_and_at_least_an_eighth() {
        // 400 packets: if none wait, 350 remain. At 125 ms 80 wait: 320 remain.
        for (ms, left) in [(100, 350.0), (125, 320.0)] {
            let mut script = after(400.0, ms);
            script.ack_with_rtt(ms);
            script.set_cwnd(400.0);
            script.loss();
            assert!((script.cwnd() - left).abs() < 1e-9, "{ms} ms: {}", script.cwnd());
        }
    }

    #[test]
    fn after_sixteen_slow_rounds_it_is_reno_towards_its_competitors() {
        let mut script = after(100.0, 120);
        for _ in 0..16 {
            script.set_cwnd(100.0);
            script.round(100, 120);
        }
        script.set_cwnd(100.0);
        script.loss();
        assert_eq!(script.cwnd(), 50.0);
    }

    #[test]
    fn round_trips_before_a_timeout_do_not_count_in_the_round_after_it() {
        // The minimum is 100 ms. One packet ends a round, the next begins another one with 100 ms, the timer expires,
        // and the packets after it take 160: 16 (1 - 100 / 160) = 6 packets wait. With the one before, none would.
        let mut script = after(400.0, 100);
        script.acks(2);
        script.timeout();
        script.set_ssthresh(2.0);
        for _ in 0..400 {
            script.set_cwnd(16.0);
            script.ack_with_rtt(160);
        }
        assert_eq!(script.published("waiting_packets"), 6.0);
    }

    /// Plays rounds of 240 packets: a slow one, which leaves an estimate for a flow of Reno, and then fast ones, `first`,
    /// and after a loss `then`, if any. Returns the whole packets that another slow round leaves.
    fn left_by_a_slow_round(first: u32, then: Option<u32>) -> f64 {
        let settings = [("free_rounds", "10"), ("most_waiting", "10 packets"), ("most_drained", "1")];
        let mut script = Script::with("yeah", &settings).window(240.0).starting_ssthresh(2.0);
        let play = |script: &mut Script, acks: u32, ms: u64| {
            for _ in 0..acks {
                script.set_cwnd(240.0);
                script.ack_with_rtt(ms);
            }
        };
        play(&mut script, 1 + 2 * 240, 100);
        play(&mut script, 240, 400);
        assert_eq!(script.cwnd().floor(), 60.0);
        play(&mut script, first * 240, 100);
        if let Some(then) = then {
            script.loss();
            script.recovered();
            play(&mut script, then * 240, 100);
        }
        play(&mut script, 240, 2400);
        script.cwnd().floor()
    }

    #[test]
    fn after_free_rounds_without_a_loss_the_competitors_are_forgotten() {
        // 240 (1 - 100 / 400) = 180 packets wait and are drained, and half of the 60 left are Reno's. In the last round
        // 240 (1 - 100 / 2400) = 230 wait, and all are drained down to Reno's window: 30 are left. Linux's tcp_yeah.c
        // forgets that window (reno_count) after more than ZETA fast rounds, here 10, three of which came before the
        // first slow one: 10 are left. A loss halves it and begins the count anew: 15 are left after four and ten more.
        let left = [(7, None), (8, None), (4, Some(10)), (4, Some(11))];
        assert_eq!(left.map(|(first, then)| left_by_a_slow_round(first, then)), [30.0, 10.0, 15.0, 10.0]);
    }
}
