//! BC-PQP, the burst-controlled phantom queue policer (Tahir et al., SIGCOMM 2024): each flow has a phantom
//! queue, all queues drain in turns at the contract's rate, and a packet passes if its flow's queue has room.
//! A queue that is long enough for TCP's sawtooth would let bursts through. Therefore a queue that receives
//! 1.5 times as much within a window as drains from it is filled up with bytes that belong to no packet; they
//! are removed once less than half arrives.
//!
//! This follows the code that the authors published (the emulation, `bcpqp.cc`). Differences: queues drain
//! continuously, not at the ticks of a timer, and keep no tokens while all are empty; filled bytes never
//! count as more than a queue holds, because removing more would forgive traffic that has passed. The weights
//! of flows are left out.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::entry::{Entry, PERIODS, Queueing, Service, queue};
use crate::phantom::{PhantomQueues, QUANTUM, QUEUES, level_of};
use crate::tokens::{PER_BYTE, RATE};
use ackclock_base::{Random, Range, Rate, Size, Span, Time, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "bc-pqp",
        "A policer with a phantom queue (a byte counter) for each flow; when a flow bursts, its phantom queue is \
         filled to capacity, so that the flow gains nothing from the burst",
        "Tahir et al. 2024 (SIGCOMM)",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(BcPqp::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

parameters! {
    /// The phantom queues, and the detection of bursts.
    pub struct Parameters {
        rate: Option<Rate> = RATE,
        /// Capacity of a flow's phantom queue; a packet that does not fit is dropped
        phantom_limit: Size = size(
            "25 kB",
            Range::above(0.0),
            "the default `burst` of the other policers. A Reno flow whose share is w packets per round trip needs \
             w^2 / 18 packets: its window swings from 2/3 w to 4/3 w, and its excess over w adds up to w^2 / 18",
        ),
        /// Length of the window in which the bytes that arrive at a phantom queue are compared with the bytes that
        /// drain from it, to detect bursts
        window: Span = time(
            "100 ms",
            PERIODS,
            "the argument `rtt` in the code of Tahir et al.; here 100 ms, the default of `round_trip` in scepter",
        ),
        /// Relative difference between the bytes that arrive and drain in a window: a burst begins when arrivals exceed
        /// drained bytes by more than this share, and ends when they fall short by more than this share
        threshold: f64 = number("0.5", Range::at_least(0.0), "gradient_threshold in the code of Tahir et al."),
        queues: usize = QUEUES,
        quantum: Size = QUANTUM,
    }
}

/// A policer with phantom queues that are filled up at a burst, so that the burst gains nothing.
#[derive(Clone, Debug)]
pub struct BcPqp {
    queues: PhantomQueues,
    limit: u128,
    window: Span,
    threshold: f64,
    /// The level of each queue at the end of the last window.
    before: Box<[u128]>,
    /// The part of each queue's level that belongs to no packet.
    made_up: Box<[u128]>,
    capacity: Capacity,
}

impl BcPqp {
    /// Creates the policer at rest, in front of a link with this rate.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let rate = parameters.rate.unwrap_or(link.rate);
        let queues = parameters.queues;
        Self {
            queues: PhantomQueues::new(rate, queues, parameters.quantum),
            limit: level_of(parameters.phantom_limit),
            window: parameters.window,
            threshold: parameters.threshold,
            before: vec![0; queues].into(),
            made_up: vec![0; queues].into(),
            capacity,
        }
    }

    /// Fills up a queue after a window with a burst, and removes the filled bytes after a window that ends
    /// one.
    fn control(&mut self, queue: usize) {
        let (drained, level) = (self.queues.take_drained(queue), self.queues.level(queue));
        if (level, self.before[queue], self.made_up[queue]) == (0, 0, 0) {
            return; // at rest, as most are: nothing has grown or shrunk
        }
        let drained = drained as f64 * self.threshold;
        let grown = level as f64 - self.before[queue] as f64;
        self.made_up[queue] = self.made_up[queue].min(level);
        if grown > drained {
            let missing = self.limit.saturating_sub(level);
            self.queues.fill(queue, missing);
            self.made_up[queue] += missing;
        } else if grown < -drained {
            self.queues.remove(queue, self.made_up[queue]);
            self.made_up[queue] = 0;
        }
        self.before[queue] = self.queues.level(queue);
    }
}

impl Discipline for BcPqp {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, _random: &mut dyn Random) -> Verdict {
        self.queues.drain(arrival.now);
        let queue = self.queues.of(arrival.flow);
        let needed = u128::from(arrival.bytes) * PER_BYTE;
        if !self.capacity.admits(arrival.bytes, backlog) || self.queues.level(queue) + needed > self.limit {
            return Verdict::Drop;
        }
        self.queues.push(queue, arrival.bytes);
        Verdict::Admit
    }

    fn period(&self) -> Option<Span> {
        Some(self.window)
    }

    fn on_period(&mut self, now: Time, _backlog: &Backlog) {
        self.queues.drain(now);
        for queue in 0..self.queues.count() {
            self.control(queue);
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.queues.publish(series);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{arrival, at, idle, waiting};
    use ackclock_base::{Rate, Values, random::Scripted};
    use proptest::prelude::*;

    fn policer(settings: &[(&str, &str)]) -> BcPqp {
        let link = LinkRate { rate: Rate::from_bits_per_second(1_000_000_000), mean_packet_bytes: 1000 };
        BcPqp::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)), Capacity::Packets(100), &link)
    }

    fn passes(policer: &mut BcPqp, arrival: Arrival) -> bool {
        policer.on_arrival(&arrival, &idle(0.0), &mut Scripted::new(&[])) == Verdict::Admit
    }

    fn bytes(policer: &BcPqp, flow: u32) -> f64 {
        policer.queues.level(policer.queues.of(flow)) as f64 / PER_BYTE as f64
    }

    #[test]
    fn a_burst_fills_its_queue_and_the_end_of_it_empties_it_again() {
        // 8 Mbit/s drain 10,000 bytes in a window of 10 ms. Window 1: 18,000 bytes come and 10,000 drain, so
        // the queue has grown by 8000 > 5000: it is filled up to 50,000. Window 2: no bytes come, 10,000
        // drain: it shrinks by 10,000 > 5000. The 40,000 left are all filled bytes, because real bytes drain
        // first.
        let settings = [("rate", "8 Mbit/s"), ("phantom_limit", "50 kB"), ("window", "10 ms")];
        let mut policer = policer(&settings);
        for packet in 0..18 {
            assert!(passes(&mut policer, arrival(f64::from(packet) * 0.5)));
        }
        policer.on_period(at(10.0), &idle(0.0));
        assert_eq!(bytes(&policer, 0), 50_000.0);
        assert!(!passes(&mut policer, arrival(10.5)));
        policer.on_period(at(20.0), &idle(0.0));
        assert_eq!(bytes(&policer, 0), 0.0);
    }

    #[test]
    fn a_steady_excess_of_less_than_half_passes_until_the_queue_is_full() {
        // 1.25 times the rate: in a window of 8 ms ten packets come and eight drain; 20 kB are full after 80 ms.
        let mut policer = policer(&[("rate", "8 Mbit/s"), ("phantom_limit", "20 kB"), ("window", "8 ms")]);
        let mut first_drop = None;
        for packet in 0..200 {
            let ms = f64::from(packet) * 0.8;
            if packet % 10 == 0 && packet > 0 {
                policer.on_period(at(ms), &idle(0.0));
            }
            if !passes(&mut policer, arrival(ms)) {
                first_drop = first_drop.or(Some(ms));
            }
        }
        assert!((75.0..85.0).contains(&first_drop.unwrap_or(0.0)), "{first_drop:?}");
    }

    #[test]
    fn a_packet_that_the_queue_refuses_takes_no_space() {
        let mut policer = policer(&[("rate", "1 bit/s"), ("phantom_limit", "1 kB")]);
        let refused = policer.on_arrival(&arrival(0.0), &waiting(100), &mut Scripted::new(&[]));
        assert_eq!(refused, Verdict::Drop);
        assert!(passes(&mut policer, arrival(0.0)));
    }

    /// Sends this number of packets in the `index`-th window of 10 ms, the last at its end, and returns the level at
    /// the end.
    fn window(policer: &mut BcPqp, index: u32, packets: u32) -> f64 {
        let start = 10.0 * f64::from(index);
        for packet in 1..=packets {
            assert!(passes(policer, arrival(start + 10.0 * f64::from(packet) / f64::from(packets))));
        }
        policer.on_period(at(start + 10.0), &idle(0.0));
        bytes(policer, 0)
    }

    #[test]
    fn filled_bytes_that_have_drained_are_not_removed() {
        // 8 Mbit/s drain 10,000 bytes in a window. 18 packets are a burst, which fills the queue up to 50,000. Six
        // packets in each of twelve windows let it shrink by 4000 a window, which ends no burst: 2000 bytes are left,
        // and more than that cannot be filled bytes. 14 packets in each of four windows let it grow by 4000 a window,
        // which begins no burst. In a window without packets it shrinks by 10,000, which ends the burst: 2000 filled
        // bytes are removed of the 8000, and the 6000 of packets that have passed remain.
        let mut policer = policer(&[("rate", "8 Mbit/s"), ("phantom_limit", "50 kB"), ("window", "10 ms")]);
        assert_eq!(window(&mut policer, 0, 18), 50_000.0);
        let shrinks: Vec<_> = (1..13).map(|index| window(&mut policer, index, 6)).collect();
        assert_eq!((shrinks[0], shrinks[11]), (46_000.0, 2000.0));
        let grows: Vec<_> = (13..17).map(|index| window(&mut policer, index, 14)).collect();
        assert_eq!(grows, [6000.0, 10_000.0, 14_000.0, 18_000.0]);
        assert_eq!(window(&mut policer, 17, 0), 6000.0);
    }

    #[test]
    fn the_fillings_of_two_bursts_add_up() {
        // The first burst fills the queue with more than 40,000 bytes. After three windows with six packets 38,000 are
        // left, all of which count as filled. 16 packets let it grow by 6000, the second burst, which fills 6000
        // more: 44,000. All of the 40,000 that a window without packets leaves are then filled bytes.
        let mut policer = policer(&[("rate", "8 Mbit/s"), ("phantom_limit", "50 kB"), ("window", "10 ms")]);
        let levels = [18, 6, 6, 6, 16, 0];
        let levels: Vec<_> =
            (0..).zip(levels).map(|(index, packets)| window(&mut policer, index, packets)).collect();
        assert_eq!(levels, [50_000.0, 46_000.0, 42_000.0, 38_000.0, 50_000.0, 0.0]);
    }

    proptest! {
        #[test]
        fn no_interval_passes_more_than_its_tokens_and_the_queues(
            arrivals in prop::collection::vec((0_u64..4_000_000, 40_u32..2000, 0_u32..3), 1..300),
            rate in 100_000_u64..50_000_000,
            limit in 2000_u64..20_000,
        ) {
            // Three flows: rho t and three queues. Forgiven bytes would let more through.
            let (rate_text, limit_text) = (format!("{rate} bit/s"), format!("{limit} B"));
            let settings = [("rate", rate_text.as_str()), ("phantom_limit", &limit_text), ("window", "5 ms")];
            let mut policer = policer(&settings);
            let (mut now, mut periods) = (0, 0);
            let mut passed: Vec<(u64, u128)> = Vec::new();
            for (gap, bytes, flow) in arrivals {
                now += gap;
                while 5_000_000 * (periods + 1) <= now {
                    periods += 1;
                    policer.on_period(Time::from_nanos(5_000_000 * periods), &idle(0.0));
                }
                if passes(&mut policer, Arrival { now: Time::from_nanos(now), bytes, flow, ..arrival(0.0) }) {
                    passed.push((now, u128::from(bytes) * 8));
                }
            }
            for (index, (from, _)) in passed.iter().enumerate() {
                let mut bits = 0;
                for (to, more) in &passed[index..] {
                    bits += more;
                    let tokens = u128::from(rate) * u128::from(to - from) + 3 * u128::from(limit) * 8_000_000_000;
                    prop_assert!(bits * 1_000_000_000 <= tokens, "{bits} bits in {} ns", to - from);
                }
            }
        }
    }
}
