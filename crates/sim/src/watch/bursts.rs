//! Bursts: the fate of packets that arrive faster than the link can send them (RFC 7928 section 7.2).
//!
//! A burst is a run of data packets of one group of flows, each of which is offered to the link less than its
//! own transmission time after the previous one. A run with fewer packets than a minimum is not a burst. A
//! burst is over when, after its last packet, no more bytes wait than before its first. If the group's next
//! burst begins before that, the end of the burst remains unknown.

use super::Seen;
use crate::measure::Interval;
use ackclock_base::{Span, Time};
use std::collections::{BTreeMap, HashMap};

/// The record of the bursts of each group.
#[derive(Clone, Debug)]
pub struct Bursts {
    least: u64,
    measured: Interval,
    /// The group of each flow.
    groups: Vec<u32>,
    latest: Vec<Latest>,
    /// The run of each waiting packet.
    waiting: HashMap<u64, u64>,
    /// The runs that are bursts, or may become one, by their numbers.
    runs: BTreeMap<u64, Run>,
    next: u64,
}

/// The latest packet, run and burst of a group.
#[derive(Clone, Copy, Debug, Default)]
struct Latest {
    packet: Option<Time>,
    run: u64,
    /// The number of a burst that is not over.
    burst: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    group: u32,
    began: Time,
    packets: u64,
    dropped: u64,
    bytes_before: u64,
    peak_wait: Span,
    lasted: Option<Span>,
}

/// The counts of the bursts of a group that began in the measured interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BurstCounts {
    /// The number of bursts.
    pub bursts: u64,
    /// The number of bursts of which no packet was dropped.
    pub without_loss: u64,
    /// The number of packets in all bursts.
    pub packets: u64,
    /// The number of packets of bursts that were dropped at the link.
    pub dropped: u64,
    /// The sum over all bursts of the longest wait that a packet of the burst found, in seconds: the bytes
    /// waiting before it, over the rate.
    pub peak_wait_s: f64,
    /// The number of bursts that were over before the group's next burst.
    pub over: u64,
    /// The sum of the durations of the bursts counted in `over`, in seconds.
    pub lasted_s: f64,
}

impl Bursts {
    /// Creates an empty record. A burst has at least `least` packets.
    pub fn new(least: u64, groups: Vec<u32>, measured: Interval) -> Self {
        let count = groups.iter().max().map_or(0, |most| *most as usize + 1);
        Self {
            least,
            measured,
            groups,
            latest: vec![Latest::default(); count],
            waiting: HashMap::new(),
            runs: BTreeMap::new(),
            next: 0,
        }
    }

    /// Records a data packet that is offered while `bytes` bytes wait, which take `wait` to send. The link
    /// sends the packet in `own`.
    pub(super) fn offered(&mut self, now: Time, seen: Seen, bytes: u64, wait: Span, own: Span) {
        let group = self.groups[seen.flow];
        let latest = &mut self.latest[group as usize];
        if latest.packet.is_none_or(|packet| now.since(packet) >= own) {
            if self.runs.get(&latest.run).is_some_and(|run| run.packets < self.least) {
                self.runs.remove(&latest.run);
            }
            self.next += 1;
            latest.run = self.next;
            let run = Run {
                group,
                began: now,
                packets: 0,
                dropped: 0,
                bytes_before: bytes,
                peak_wait: Span::ZERO,
                lasted: None,
            };
            self.runs.insert(latest.run, run);
        }
        latest.packet = Some(now);
        self.waiting.insert(seen.packet, latest.run);
        let Some(run) = self.runs.get_mut(&latest.run) else {
            panic!("the latest run of packets of a group has no record")
        };
        run.packets += 1;
        run.peak_wait = run.peak_wait.max(wait);
        if run.packets >= self.least {
            run.lasted = None;
            latest.burst = Some(latest.run);
        }
    }

    /// Records that a packet's transmission begins, or that its beginning is known.
    pub(super) fn started(&mut self, packet: u64) {
        self.waiting.remove(&packet);
    }

    /// Records that a packet is dropped.
    pub(super) fn dropped(&mut self, packet: u64) {
        // A run that did not become a burst may have been forgotten.
        let run = self.waiting.remove(&packet).and_then(|run| self.runs.get_mut(&run));
        if let Some(run) = run {
            run.dropped += 1;
        }
    }

    /// Records that from `at` on `bytes` bytes wait.
    pub(super) fn queue_is(&mut self, at: Time, bytes: u64) {
        for latest in &mut self.latest {
            let Some(burst) = latest.burst else { continue };
            let Some(run) = self.runs.get_mut(&burst) else {
                panic!("the run of packets of a burst in progress has no record")
            };
            if bytes <= run.bytes_before {
                run.lasted = Some(at.since(run.began));
                latest.burst = None;
            }
        }
    }

    /// Returns the counts of a group's bursts.
    pub fn counts(&self, group: u32) -> BurstCounts {
        let bursts = self.runs.values().filter(|run| {
            run.group == group && run.packets >= self.least && self.measured.contains(run.began)
        });
        bursts.fold(BurstCounts::default(), |sums, burst| BurstCounts {
            bursts: sums.bursts + 1,
            without_loss: sums.without_loss + u64::from(burst.dropped == 0),
            packets: sums.packets + burst.packets,
            dropped: sums.dropped + burst.dropped,
            peak_wait_s: sums.peak_wait_s + burst.peak_wait.seconds(),
            over: sums.over + u64::from(burst.lasted.is_some()),
            lasted_s: sums.lasted_s + burst.lasted.map_or(0.0, Span::seconds),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Watch, WatchPlan};
    use super::*;
    use crate::trace::Event;
    use ackclock_base::Rate;

    fn us(us: u64) -> Time {
        Time::ZERO + Span::from_nanos(us * 1000)
    }

    /// Returns the watch of a link that sends a packet of 1000 bytes in 1 ms. Flows 0 and 1 are in group 0,
    /// flow 2 in group 1.
    fn watch(least: u64) -> Watch {
        let plan = WatchPlan {
            link: 7,
            rate: Rate::from_bits_per_second(8_000_000),
            round_trip: None,
            burst_packets: Some(least),
            groups: vec![0, 0, 1],
        };
        Watch::new(plan, Interval { from: us(0), to: us(1_000_000) })
    }

    fn offer(watch: &mut Watch, at: u64, flow: u32, packet: u64, starts: Option<u64>) {
        watch.see(us(at), 2 * flow, packet, 1000, Event::Offered { link: 7 });
        match starts {
            Some(starts) => watch.see(us(starts), 2 * flow, packet, 1000, Event::Started { link: 7 }),
            None => watch.see(us(at), 2 * flow, packet, 1000, Event::Dropped { link: 7 }),
        }
    }

    #[test]
    fn a_burst_of_two_flows_with_a_drop() {
        // A packet of the other group begins at 0 ms. At 0.1, 0.2 and 0.3 ms three packets of group 0 arrive,
        // the last of which is dropped; they find 0, 1 and 2 packets waiting. The second leaves the queue at
        // 2 ms, so that nothing waits, as before, 1.9 ms after the burst began. One packet at 50 ms is no
        // burst.
        let mut watch = watch(3);
        offer(&mut watch, 0, 2, 1, Some(0));
        offer(&mut watch, 100, 0, 2, Some(1000));
        offer(&mut watch, 200, 1, 3, Some(2000));
        offer(&mut watch, 300, 0, 4, None);
        offer(&mut watch, 50_000, 0, 5, Some(50_000));
        offer(&mut watch, 60_000, 2, 6, Some(60_000));
        let counts = watch.bursts(0).unwrap_or_default();
        assert_eq!((counts.bursts, counts.without_loss, counts.packets, counts.dropped), (1, 0, 3, 1));
        assert!((counts.peak_wait_s - 0.002).abs() < 1e-12, "{counts:?}");
        assert_eq!(counts.over, 1);
        assert!((counts.lasted_s - 0.0019).abs() < 1e-12, "{counts:?}");
        assert_eq!(watch.bursts(1), Some(BurstCounts::default()));
    }

    #[test]
    fn a_run_goes_on_while_each_packet_follows_within_its_own_transmission_time() {
        // A packet of 1000 bytes takes 1 ms, so one that follows after exactly 1 ms begins a run of its own: none of the
        // three at 0, 1 and 2 ms is in a burst. Four packets 0.999 ms apart are one burst, although the last comes 2.997 ms
        // after the first. A packet of 500 bytes takes 0.5 ms: one after 0.5 ms begins a run, one after 0.499 ms does not.
        let mut watch = watch(2);
        let starts = [0, 1000, 2000, 10_000, 10_999, 11_998, 12_997];
        for (packet, at) in (1..).zip(starts) {
            offer(&mut watch, at, 0, packet, Some(at));
        }
        let small = [(20_000, 11), (20_500, 12), (30_000, 13), (30_499, 14)];
        for (at, packet) in small {
            watch.see(us(at), 0, packet, 500, Event::Offered { link: 7 });
            watch.see(us(at), 0, packet, 500, Event::Started { link: 7 });
        }
        let counts = watch.bursts(0).unwrap_or_default();
        assert_eq!((counts.bursts, counts.packets), (2, 4 + 2), "{counts:?}");
    }

    #[test]
    fn a_drop_at_departure_counts_for_the_burst_that_the_packet_came_with() {
        // Two bursts of two packets are 5 ms apart. A packet of the first is dropped after it has waited.
        let mut watch = watch(2);
        for (at, packet) in [(0, 1), (1, 2)] {
            watch.see(us(at), 0, packet, 1000, Event::Offered { link: 7 });
        }
        watch.see(us(0), 0, 1, 1000, Event::Started { link: 7 });
        for (at, packet) in [(5000, 3), (5001, 4)] {
            watch.see(us(at), 0, packet, 1000, Event::Offered { link: 7 });
        }
        watch.see(us(6000), 0, 2, 1000, Event::Dropped { link: 7 });
        let counts = watch.bursts(0).unwrap_or_default();
        assert_eq!((counts.bursts, counts.without_loss, counts.dropped), (2, 1, 1));
        // The queue never returned to its state before a burst.
        assert_eq!(counts.over, 0);
    }
}
