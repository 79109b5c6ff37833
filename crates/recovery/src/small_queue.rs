//! TCP small queues: how much of a flow may wait in the host's own interface (Linux net/ipv4/tcp_output.c,
//! tcp_small_queue_check). The rest waits with the sender, which goes on when one of its packets has left.
//!
//! Linux counts the memory of its buffers; here a packet counts what it carries, as in the rate.

use crate::pacer::Pace;
use ackclock_base::{Span, Time};
use std::collections::VecDeque;

/// `sk_pacing_shift` 10: of a flow's rate, what it sends in 2^-10 s may wait.
const WAIT: Span = Span::from_nanos(976_562);

/// What waits of one flow.
#[derive(Clone, Debug)]
pub struct SmallQueue {
    /// The most bytes, whatever the rate (`tcp_limit_output_bytes`).
    most: u64,
    /// When those leave that wait or are being sent, in order.
    leaving: VecDeque<Time>,
    /// One past the last packet that was sent when the window was last full (`cwnd_usage_seq`).
    full_to: u64,
}

impl SmallQueue {
    /// Nothing waits; never may more than so many bytes, and one packet.
    pub fn new(most: u64) -> Self {
        Self { most, leaving: VecDeque::new(), full_to: 0 }
    }

    /// Until when the next packet stays with the sender; `None` if it may go now. Packets carry so many bytes, and leave at
    /// this pace. For one that is sent `again` there is room for twice as much.
    pub fn holds_until(&mut self, now: Time, pace: Pace, bytes: u32, again: bool) -> Option<Time> {
        while self.leaving.front().is_some_and(|leaves| *leaves <= now) {
            self.leaving.pop_front();
        }
        let by_rate = (2.0 * pace.quantum()).max(pace.packets_in(WAIT)) * f64::from(bytes);
        let limit = by_rate.min(self.most as f64) * if again { 2.0 } else { 1.0 };
        let waiting = self.leaving.len() as f64 * f64::from(bytes);
        if waiting >= limit { self.leaving.front().copied() } else { None }
    }

    /// Whether the window is what holds the flow back, although it is not full, since packets wait only for others to leave:
    /// if it was full while the last window was sent (tcp_cwnd_validate). From one past the last packet sent, `high`, on nothing has
    /// been sent; up to `una` all is acknowledged.
    pub fn hides_limit(&mut self, is_full: bool, is_held_back: bool, una: u64, high: u64) -> bool {
        if is_full {
            self.full_to = high;
        }
        is_held_back && una < self.full_to
    }

    /// A packet has been handed over that leaves then, if that is known; one that is refused does not wait.
    pub fn on_sent(&mut self, leaves: Option<Time>) {
        self.leaving.extend(leaves);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::Rate;
    use ackclock_cc::Decision;
    use proptest::prelude::*;

    const BYTES: u32 = 1250;

    fn pace(mbps: f64, quantum: u32) -> Pace {
        let rate = Rate::from_bits_per_second((mbps * 1e6) as u64);
        let (pacing_rate, send_quantum) = (Some(rate), Some(quantum));
        let decision = Decision { pacing_rate, send_quantum, ..Decision::window(1e6, f64::INFINITY) };
        Pace::of_rate(&decision, BYTES).unwrap()
    }

    /// How many packets are handed over at once to an interface that takes 1 ms for each, and when the next one may go.
    fn handed_over(queue: &mut SmallQueue, pace: Pace, again: bool) -> (u64, Time) {
        for packets in 0.. {
            if let Some(until) = queue.holds_until(Time::ZERO, pace, BYTES, again) {
                return (packets, until);
            }
            queue.on_sent(Some(Time::ZERO + Span::from_millis(packets + 1)));
        }
        unreachable!()
    }

    #[test]
    fn two_packets_or_a_millisecond_of_the_rate() {
        // A packet of 1250 bytes is 0.1 ms at 100 Mbit/s. 2^-10 s are 9.77 of them: while nine or fewer wait another may join.
        // At 1 Mbit/s they are a tenth of one packet, and there is room for two; for two quanta, if several leave back to back.
        let first = Time::ZERO + Span::from_millis(1);
        for (mbps, quantum, packets) in
            [(1.0, 1, 2), (20.0, 1, 2), (100.0, 1, 10), (1.0, 4, 8), (100.0, 4, 10)]
        {
            let mut queue = SmallQueue::new(u64::MAX);
            assert_eq!(
                handed_over(&mut queue, pace(mbps, quantum), false),
                (packets, first),
                "{mbps} {quantum}"
            );
        }
        // What is sent again may be twice as much: 4 packets, or 19.5.
        for (mbps, packets) in [(1.0, 4), (100.0, 20)] {
            assert_eq!(
                handed_over(&mut SmallQueue::new(u64::MAX), pace(mbps, 1), true),
                (packets, first),
                "{mbps}"
            );
        }
    }

    #[test]
    fn never_more_than_the_most_and_always_one() {
        // 10,000 bytes are eight packets; where no round trip has been measured nothing else bounds them.
        let first = Time::ZERO + Span::from_millis(1);
        assert_eq!(handed_over(&mut SmallQueue::new(10_000), pace(1000.0, 1), false), (8, first));
        assert_eq!(handed_over(&mut SmallQueue::new(10_000), Pace::NONE, false), (8, first));
        assert_eq!(handed_over(&mut SmallQueue::new(1), pace(1000.0, 1), false), (1, first));
    }

    #[test]
    fn one_leaves_and_one_may_follow() {
        let (mut queue, pace) = (SmallQueue::new(u64::MAX), pace(1.0, 1));
        let ms = |ms| Time::ZERO + Span::from_millis(ms);
        assert_eq!(handed_over(&mut queue, pace, false), (2, ms(1)));
        assert_eq!(queue.holds_until(ms(1), pace, BYTES, false), None);
        queue.on_sent(Some(ms(3)));
        assert_eq!(queue.holds_until(ms(1), pace, BYTES, false), Some(ms(2)));
        // One whose departure is not known is not counted, nor one that the interface had no room for.
        assert_eq!(queue.holds_until(ms(2), pace, BYTES, false), None);
        queue.on_sent(None);
        assert_eq!(queue.holds_until(ms(2), pace, BYTES, false), None);
    }

    #[test]
    fn a_window_that_was_full_of_late_is_what_limits_a_flow_that_is_held_back() {
        // Full when packet 9 was the last one sent: until that is acknowledged.
        let mut queue = SmallQueue::new(u64::MAX);
        queue.hides_limit(true, false, 0, 10);
        assert!(queue.hides_limit(false, true, 9, 12) && !queue.hides_limit(false, true, 10, 13));
        assert!(!queue.hides_limit(false, false, 9, 12), "an application that has no more to send");
    }

    proptest! {
        /// An interface of whatever rate is never idle while its sender holds something back, and no more wait in it than the
        /// rule lets: one besides what two packets or the millisecond have.
        #[test]
        fn the_interface_stays_busy(mbps in 0.1_f64..1000.0, takes_us in 1_u64..20_000) {
            let (mut queue, pace, takes) = (SmallQueue::new(u64::MAX), pace(mbps, 1), Span::from_nanos(1000 * takes_us));
            let (mut now, mut free, mut waiting) = (Time::ZERO, Time::ZERO, VecDeque::new());
            for _ in 0..200 {
                match queue.holds_until(now, pace, BYTES, false) {
                    Some(until) => {
                        prop_assert!(now < until && until <= free);
                        now = until;
                    }
                    None => {
                        free = free.max(now) + takes;
                        queue.on_sent(Some(free));
                        waiting.push_back(free);
                    }
                }
                waiting.retain(|leaves| *leaves > now);
                // The pause that a packet stands for is a whole number of nanoseconds, up to one below what it would be.
                let pause_ns = f64::from(8 * BYTES) * 1e3 / mbps - 1.0;
                let most = 2.0_f64.max(976_562.0 / pause_ns + 1.0);
                prop_assert!(waiting.len() as f64 <= most, "{} {most}", waiting.len());
            }
        }
    }
}
