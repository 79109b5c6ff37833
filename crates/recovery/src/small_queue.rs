//! TCP small queues: how much of a flow may wait in the host's own interface (Linux net/ipv4/tcp_output.c,
//! tcp_small_queue_check). The rest waits with the sender, which continues when one of its packets has left.
//!
//! Linux counts the memory of its buffers. Here a packet counts its payload, as in the rate.

use crate::declared::SmallQueues;
use crate::pacer::Pace;
use ackclock_base::{Span, Time};
use std::collections::VecDeque;

/// The time that the waiting packets may take at the flow's rate: 2^-10 s, for `sk_pacing_shift` 10.
const WAIT: Span = Span::from_nanos(976_562);

/// The packets of one flow that wait in the interface.
#[derive(Clone, Debug)]
pub struct SmallQueue {
    /// The maximum number of waiting bytes, whatever the rate (`tcp_limit_output_bytes`).
    most: u64,
    /// The times at which the packets that wait or are being sent leave, in order.
    leaving: VecDeque<Time>,
}

impl SmallQueue {
    /// Creates the queue of a sender with these options; `None` for one without small queues.
    pub fn of(options: SmallQueues) -> Option<Self> {
        options.small_queues.then(|| Self::new(options.small_queue_limit.bytes()))
    }

    /// Creates an empty queue with room for `most` bytes, or for [fewer at a low rate](Self::holds_until),
    /// and for one packet in any case.
    pub fn new(most: u64) -> Self {
        Self { most, leaving: VecDeque::new() }
    }

    /// Returns until when the next packet stays with the sender, or `None` if it may be handed over now.
    /// Packets carry `bytes` bytes and are sent at `pace`. A retransmission (`again`) has twice the room.
    pub fn holds_until(&mut self, now: Time, pace: Pace, bytes: u32, again: bool) -> Option<Time> {
        while self.leaving.front().is_some_and(|leaves| *leaves <= now) {
            self.leaving.pop_front();
        }
        let by_rate = (2.0 * pace.quantum()).max(pace.packets_in(WAIT)) * f64::from(bytes);
        let limit = by_rate.min(self.most as f64) * if again { 2.0 } else { 1.0 };
        let waiting = self.leaving.len() as f64 * f64::from(bytes);
        if waiting >= limit { self.leaving.front().copied() } else { None }
    }

    /// Records that a packet has been handed over, which leaves at `leaves`. A packet with an unknown time of
    /// leaving is not counted.
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

    /// Hands over packets at once to an interface that takes 1 ms for each. Returns how many it may hand
    /// over, and when the next one may follow.
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
    fn two_packets_or_a_millisecond_of_the_rate_may_wait() {
        // At 100 Mbit/s a packet of 1250 bytes takes 0.1 ms, and 2^-10 s are 9.77 packets: while nine or
        // fewer wait, another may join. At 1 Mbit/s 2^-10 s are a tenth of a packet, and there is room for
        // two packets, or for two quanta if several leave back to back.
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
        // A retransmission has room beside twice as many: 4 packets, or 19.5.
        for (mbps, packets) in [(1.0, 4), (100.0, 20)] {
            assert_eq!(
                handed_over(&mut SmallQueue::new(u64::MAX), pace(mbps, 1), true),
                (packets, first),
                "{mbps}"
            );
        }
    }

    #[test]
    fn never_more_than_the_maximum_and_always_one_packet_may_wait() {
        // 10,000 bytes are eight packets. Without a measured round trip, nothing else bounds them.
        let first = Time::ZERO + Span::from_millis(1);
        assert_eq!(handed_over(&mut SmallQueue::new(10_000), pace(1000.0, 1), false), (8, first));
        assert_eq!(handed_over(&mut SmallQueue::new(10_000), Pace::NONE, false), (8, first));
        assert_eq!(handed_over(&mut SmallQueue::new(1), pace(1000.0, 1), false), (1, first));
    }

    #[test]
    fn when_a_packet_leaves_another_may_follow() {
        let (mut queue, pace) = (SmallQueue::new(u64::MAX), pace(1.0, 1));
        let ms = |ms| Time::ZERO + Span::from_millis(ms);
        assert_eq!(handed_over(&mut queue, pace, false), (2, ms(1)));
        assert_eq!(queue.holds_until(ms(1), pace, BYTES, false), None);
        queue.on_sent(Some(ms(3)));
        assert_eq!(queue.holds_until(ms(1), pace, BYTES, false), Some(ms(2)));
        // A packet whose time of leaving is unknown is not counted.
        assert_eq!(queue.holds_until(ms(2), pace, BYTES, false), None);
        queue.on_sent(None);
        assert_eq!(queue.holds_until(ms(2), pace, BYTES, false), None);
    }

    proptest! {
        /// Checks that an interface that takes `takes_us` microseconds for a packet is never idle while its
        /// sender holds a packet back, and that no more packets are in it than the rule allows: two, or those of
        /// 2^-10 s at the flow's rate and one more, whichever is greater.
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
                // A lower bound of the pacing interval, which is rounded down to a whole number of
                // nanoseconds.
                let pause_ns = f64::from(8 * BYTES) * 1e3 / mbps - 1.0;
                let most = 2.0_f64.max(976_562.0 / pause_ns + 1.0);
                prop_assert!(waiting.len() as f64 <= most, "{} {most}", waiting.len());
            }
        }
    }
}
