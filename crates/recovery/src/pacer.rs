//! When packets may be sent: a quantum back to back, and then nothing for as long as the quantum takes at the
//! pacing rate (draft-ietf-ccwg-bbr sections 5.6.2 and 5.6.3).

use crate::declared::Gains;
use ackclock_base::{Packets, Span, Time};
use ackclock_cc::Decision;

/// A pacer. After a time in which nothing was sent, however long, no more than one quantum or burst leaves at
/// once.
#[derive(Clone, Copy, Debug)]
pub struct Pacer {
    /// The end of the pause that the packets sent so far cost at the pacing rate.
    paid: Time,
    /// The interval with which `paid` was computed.
    interval: Span,
    /// The packets of the present quantum that have been sent.
    spent: Packets,
    /// When the waiting packet may be sent; [`Time::NEVER`] if none waits.
    due: Time,
    /// The rest of a pause that a timeout has cut short, which the next packet pays for.
    owed: Span,
}

/// How a flight is paced: the time per full packet, and the number that may leave back to back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    interval: Span,
    quantum: Packets,
    /// By how much the next packet may leave before the end of the pause: the time of a burst less one
    /// packet.
    ahead: Span,
}

/// The rounding tolerance when packets counted in bytes add up to a whole number of packets.
const ROUNDING: Packets = 1e-6;

impl Pace {
    /// No pacing: packets are sent as the window allows.
    pub const NONE: Self = Self { interval: Span::ZERO, quantum: 1.0, ahead: Span::ZERO };

    /// Returns the pace of the control's rate with full packets of `packet_bytes` payload bytes; `None` if
    /// the control has no rate.
    pub fn of_rate(decision: &Decision, packet_bytes: u32) -> Option<Self> {
        let rate = decision.pacing_rate?;
        let bits = f64::from(packet_bytes) * 8.0;
        Some(Self::new(Span::from_seconds(bits / rate.bits_per_second().max(1) as f64), decision))
    }

    /// Returns the pace of a window spread over the round trip, sped up by the gains (Linux,
    /// tcp_update_pacing_rate); [`Self::NONE`] before the first round trip sample. After a pause, `burst`
    /// packets leave back to back: the leaky bucket of RFC 9002 section 7.7.
    pub fn of_window(decision: &Decision, smoothed_rtt: Span, gains: Gains, burst: Packets) -> Self {
        if smoothed_rtt == Span::ZERO {
            return Self::NONE;
        }
        let Gains { pacing_slow_start, pacing_avoidance } = gains;
        let gain = if decision.cwnd < decision.ssthresh / 2.0 { pacing_slow_start } else { pacing_avoidance };
        //= RFC 9002 section 7.7 pace: packets are paced
        let pace = Self::new(smoothed_rtt.scale(1.0 / (gain * decision.cwnd)), decision);
        //= RFC 9002 section 7.7 bursts: bursts are bounded
        let ahead = if burst > 1.0 { pace.interval.scale(burst - 1.0) } else { Span::ZERO };
        Self { ahead, ..pace }
    }

    /// Returns how many full packets are sent in `time`; not finite without pacing.
    pub(crate) fn packets_in(self, time: Span) -> Packets {
        time.nanos() as f64 / self.interval.nanos() as f64
    }

    /// Returns the number of packets that leave back to back.
    pub(crate) fn quantum(self) -> Packets {
        self.quantum
    }

    fn new(interval: Span, decision: &Decision) -> Self {
        let quantum = f64::from(decision.send_quantum.unwrap_or(1).max(1));
        Self { interval, quantum, ahead: Span::ZERO }
    }
}

impl Pacer {
    /// Creates a pacer that has sent nothing.
    pub fn new() -> Self {
        Self { paid: Time::ZERO, interval: Span::ZERO, spent: 0.0, due: Time::NEVER, owed: Span::ZERO }
    }

    /// Returns whether a full packet may be sent now. If not, [`Self::timer`] says when.
    #[inline]
    pub fn allows(&mut self, now: Time, pace: Pace) -> bool {
        if pace.interval != self.interval {
            self.reprice(now, pace.interval);
        }
        if now >= self.paid {
            self.spent = 0.0;
        }
        let waits = pace.interval > Span::ZERO
            && now + pace.ahead < self.paid
            && self.spent + 1.0 > pace.quantum + ROUNDING;
        self.due = if waits { now + self.paid.since(now).saturating_sub(pace.ahead) } else { Time::NEVER };
        !waits
    }

    /// Recomputes the rest of the pause when the rate changes, at the new cost of the packets already sent.
    /// Without this a flow whose rate has risen would wait for one old interval, however long that was.
    #[cold]
    fn reprice(&mut self, now: Time, interval: Span) {
        if now < self.paid && self.interval > Span::ZERO {
            let factor = interval.nanos() as f64 / self.interval.nanos() as f64;
            self.paid = now + self.paid.since(now).scale(factor);
        }
        self.interval = interval;
    }

    /// Records that no packet waits.
    #[inline]
    pub fn unblock(&mut self) {
        self.due = Time::NEVER;
    }

    /// Records that the next packet waits until `until` for a reason other than pacing.
    pub fn hold(&mut self, until: Time) {
        self.due = until;
    }

    /// Records that a packet has been sent. `size` is its fraction of a full packet, to which its cost is
    /// proportional.
    #[inline]
    pub fn on_sent(&mut self, now: Time, pace: Pace, size: Packets) {
        if pace.interval > Span::ZERO {
            let interval = if size == 1.0 { pace.interval } else { pace.interval.scale(size) };
            self.paid = self.paid.max(now) + interval + std::mem::take(&mut self.owed);
            self.spent += size;
        }
    }

    /// Records that a packet has been sent without [asking](Self::allows), as a probe or a fast retransmit is. It
    /// costs what the last packet that asked would have cost, and nothing before any has asked.
    pub fn on_sent_beside(&mut self, now: Time, size: Packets) {
        let pace = Pace { interval: self.interval, ..Pace::NONE };
        self.on_sent(now, pace, size);
    }

    /// Ends the present pause, after a timeout: a packet may be sent at once. The one after it waits for the rest of
    /// that pause too.
    pub fn reset(&mut self, now: Time) {
        self.owed = self.paid.since(now);
        self.paid = now;
    }

    /// Returns when a waiting packet may be sent; [`Time::NEVER`] if none waits.
    #[inline]
    pub fn timer(&self) -> Time {
        self.due
    }
}

impl Default for Pacer {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::Rate;

    /// Returns a pace of `packets_per_second` packets of 1,000 bytes, of which `quantum` leave back to back.
    fn pace(packets_per_second: u64, quantum: u32) -> Pace {
        let rate = Rate::from_bits_per_second(packets_per_second * 8000);
        let decision = Decision {
            pacing_rate: Some(rate),
            send_quantum: Some(quantum),
            ..Decision::window(1e6, f64::INFINITY)
        };
        Pace::of_rate(&decision, 1000).unwrap()
    }

    fn at(ms: f64) -> Time {
        Time::from_seconds(5.0 + ms / 1e3)
    }

    /// Sends every packet of size `size` that may be sent now. Returns their number.
    fn send(pacer: &mut Pacer, now: Time, pace: Pace, size: Packets) -> u32 {
        let mut count = 0;
        while pacer.allows(now, pace) {
            pacer.on_sent(now, pace, size);
            count += 1;
        }
        count
    }

    #[test]
    fn single_packets_are_sent_at_the_rate_however_long_nothing_was_sent() {
        let (mut pacer, pace) = (Pacer::new(), pace(1000, 1));
        for ms in 0..5 {
            let now = at(f64::from(ms));
            assert_eq!(send(&mut pacer, now, pace, 1.0), 1);
            assert_eq!(pacer.timer(), at(f64::from(ms + 1)));
        }
        assert_eq!(
            send(&mut pacer, at(1000.0), pace, 1.0),
            1,
            "a second of silence allows no more than one packet"
        );
    }

    #[test]
    fn a_quantum_leaves_back_to_back_and_the_pause_pays_for_all_of_it() {
        let (mut pacer, pace) = (Pacer::new(), pace(1000, 4));
        for quantum in 0..3 {
            let now = at(4.0 * f64::from(quantum));
            assert_eq!(send(&mut pacer, now, pace, 1.0), 4);
            assert_eq!(pacer.timer(), at(4.0 * f64::from(quantum + 1)));
            assert_eq!(send(&mut pacer, now + Span::from_millis(3), pace, 1.0), 0);
        }
        assert_eq!(send(&mut pacer, at(1000.0), pace, 1.0), 4, "silence allows no more than one quantum");
    }

    #[test]
    fn the_rest_of_a_quantum_may_be_sent_before_its_pause_is_over() {
        let (mut pacer, pace) = (Pacer::new(), pace(1000, 4));
        assert!(pacer.allows(at(0.0), pace));
        pacer.on_sent(at(0.0), pace, 1.0);
        assert_eq!(send(&mut pacer, at(0.5), pace, 1.0), 3);
        assert_eq!(pacer.timer(), at(4.0), "the pause for all four begins at the first");
    }

    #[test]
    fn packets_cost_time_in_proportion_to_their_size() {
        let (mut pacer, pace) = (Pacer::new(), pace(1000, 1));
        assert_eq!(send(&mut pacer, at(0.0), pace, 0.25), 1);
        assert_eq!(pacer.timer(), at(0.25));
        assert_eq!(send(&mut pacer, at(0.25), pace, 1.0), 1);
        assert_eq!(pacer.timer(), at(1.25));
        // A quantum of two packets: after four quarter packets there is room for a fifth, and then for none.
        let (mut pacer, pace) = (Pacer::new(), self::pace(1000, 2));
        assert_eq!(send(&mut pacer, at(0.0), pace, 0.25), 5);
        assert_eq!(pacer.timer(), at(1.25));
    }

    #[test]
    fn a_change_of_the_rate_scales_the_rest_of_the_pause() {
        // At 10 packets a second, a packet costs 100 ms. After 20 ms the rate becomes 1,000 a second: 80 % of
        // a packet remains, which is 0.8 ms.
        let (mut pacer, slow, fast) = (Pacer::new(), pace(10, 1), pace(1000, 1));
        assert_eq!(send(&mut pacer, at(0.0), slow, 1.0), 1);
        assert!(!pacer.allows(at(20.0), fast));
        assert_eq!(pacer.timer(), at(20.8));
        // The rate returns to 10 a second when half of that is left: 40 % of a packet, which is 40 ms.
        assert!(!pacer.allows(at(20.4), slow));
        assert_eq!(pacer.timer(), at(60.4));
        // Without pacing, no packet waits.
        assert!(pacer.allows(at(20.4), Pace::NONE));
    }

    #[test]
    fn a_packet_sent_beside_the_pacer_delays_the_next_one() {
        // A packet a millisecond. Without a rate nothing costs anything. A probe at 0.5 ms makes the packet that was
        // due at 1 ms wait until 2 ms, so that three packets leave in 2 ms.
        let (mut pacer, pace) = (Pacer::new(), pace(1000, 1));
        pacer.on_sent_beside(at(0.0), 1.0);
        assert_eq!(send(&mut pacer, at(0.0), pace, 1.0), 1);
        pacer.on_sent_beside(at(0.5), 1.0);
        assert_eq!(send(&mut pacer, at(1.0), pace, 1.0), 0);
        assert_eq!(pacer.timer(), at(2.0));
        assert_eq!(send(&mut pacer, at(2.0), pace, 1.0), 1);
    }

    #[test]
    fn a_timeout_lets_one_packet_out_which_pays_for_the_pause_that_it_ends() {
        let (mut pacer, pace) = (Pacer::new(), pace(1000, 1));
        assert_eq!(send(&mut pacer, at(0.0), pace, 1.0), 1);
        pacer.reset(at(0.25));
        assert_eq!(send(&mut pacer, at(0.25), pace, 1.0), 1);
        assert_eq!(pacer.timer(), at(2.0));
        // A timeout long after the pause leaves nothing to pay.
        pacer.reset(at(10.0));
        assert_eq!(send(&mut pacer, at(10.0), pace, 1.0), 1);
        assert_eq!(pacer.timer(), at(11.0));
    }

    //= test RFC 9002 section 7.7 pace
    #[test]
    fn a_window_is_spread_over_the_round_trip_twice_as_fast_in_slow_start_and_a_fifth_faster_after() {
        let rtt = Span::from_millis(120);
        let interval = |cwnd, ssthresh| {
            Pace::of_window(&Decision::window(cwnd, ssthresh), rtt, Gains::default(), 1.0).interval
        };
        assert_eq!(interval(10.0, f64::INFINITY), Span::from_millis(6));
        assert_eq!(interval(10.0, 10.0), Span::from_millis(10));
        // A window of ten packets in 120 ms means one packet per 12 ms.
        let even = Gains { pacing_slow_start: 1.0, pacing_avoidance: 1.0 };
        let avoiding = Decision::window(10.0, 10.0);
        assert_eq!(Pace::of_window(&avoiding, rtt, even, 1.0).interval, Span::from_millis(12));
        assert_eq!(Pace::of_window(&avoiding, Span::ZERO, even, 1.0), Pace::NONE);
    }

    //= test RFC 9002 section 7.7 bursts
    #[test]
    fn a_burst_leaves_after_a_pause_and_then_one_packet_at_a_time() {
        // Ten packets over 120 ms are 12 ms apart.
        let (even, avoiding) =
            (Gains { pacing_slow_start: 1.0, pacing_avoidance: 1.0 }, Decision::window(10.0, 10.0));
        let pace = Pace::of_window(&avoiding, Span::from_millis(120), even, 4.0);
        let mut pacer = Pacer::new();
        assert_eq!(send(&mut pacer, at(0.0), pace, 1.0), 4);
        for ms in [12.0, 24.0, 36.0] {
            assert_eq!(pacer.timer(), at(ms));
            assert_eq!(send(&mut pacer, at(ms), pace, 1.0), 1);
        }
        // The three packets that were due at 48, 60 and 72 ms leave together.
        assert_eq!(send(&mut pacer, at(72.0), pace, 1.0), 3);
        assert_eq!(send(&mut pacer, at(1000.0), pace, 1.0), 4, "silence allows no more than one burst");
    }
}
