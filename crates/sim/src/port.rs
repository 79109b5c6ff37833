//! The [`Outbox`] of a running simulation: the connection between an end of a flow and the network.

use crate::endpoint::{Endpoint, Launch, Outbox};
use crate::histogram::Histogram;
use crate::measure::Interval;
use crate::network::Network;
use crate::packet::{Extension, Packet};
use crate::random::Stream;
use ackclock_base::{Random, Span, Time};
use std::collections::VecDeque;

/// The counts of what has arrived at the ends of a flow.
#[derive(Clone, Debug, Default)]
pub struct Arrivals {
    /// The one-way delays of data packets over the measured interval.
    pub one_way_delay: Histogram,
    /// The number of packets delivered to the application over the measured interval.
    pub(crate) packets: u64,
    /// The number of payload bytes delivered to the application over the measured interval.
    pub(crate) bytes: u64,
    /// What was delivered since the last sample; `None` without series.
    pub(crate) since_sample: Option<Box<Deliveries>>,
}

/// The payload bytes delivered since the last sample, by sampling interval. An endpoint that [takes packets
/// early](crate::simulation) may already have deliveries of later intervals.
#[derive(Clone, Debug)]
pub(crate) struct Deliveries {
    every: Span,
    /// The beginning of the present interval.
    begins: Time,
    /// The end of the run. A packet may arrive long after it, behind a slow or long link, and is in no sample.
    ends: Time,
    /// The bytes of the present interval and of those that follow.
    bytes: VecDeque<u64>,
}

impl Deliveries {
    /// Begins at time zero, with the interval `every`, in a run that ends at `ends`.
    pub(crate) fn new(every: Span, ends: Time) -> Self {
        Self { every, begins: Time::ZERO, ends, bytes: VecDeque::new() }
    }

    fn add(&mut self, now: Time, bytes: u64) {
        if now >= self.ends {
            return;
        }
        let interval = (now.since(self.begins).nanos() / self.every.nanos().max(1)) as usize;
        if interval >= self.bytes.len() {
            self.bytes.resize(interval + 1, 0);
        }
        self.bytes[interval] += bytes;
    }

    /// Ends the present interval and returns the goodput in it, in bits per second.
    pub(crate) fn take(&mut self) -> f64 {
        self.begins += self.every;
        self.bytes.pop_front().unwrap_or_default() as f64 * 8.0 / self.every.seconds()
    }
}

impl Arrivals {
    #[inline]
    fn note(&mut self, now: Time, counts: bool, sent: Option<Time>, packets: u64, bytes: u64) {
        if self.since_sample.is_some() {
            return self.note_for_sample(now, counts, sent, packets, bytes);
        }
        self.count(now, counts, sent, packets, bytes);
    }

    #[inline(always)]
    fn count(&mut self, now: Time, counts: bool, sent: Option<Time>, packets: u64, bytes: u64) {
        if counts {
            self.packets += packets;
            self.bytes += bytes;
            if let Some(sent) = sent {
                self.one_way_delay.record(now.since(sent));
            }
        }
    }

    #[inline(never)] // out of line, so that without a series no room on the stack is needed
    fn note_for_sample(&mut self, now: Time, counts: bool, sent: Option<Time>, packets: u64, bytes: u64) {
        if let Some(deliveries) = &mut self.since_sample {
            deliveries.add(now, bytes);
        }
        self.count(now, counts, sent, packets, bytes);
    }
}

/// A random delay before packets leave, which never lets a packet overtake another.
#[derive(Clone, Debug)]
pub(crate) struct Jitter {
    most: Span,
    random: Stream,
    last: Time,
}

impl Jitter {
    /// Creates the jitter of an endpoint; `None` if it has none. `component` names its random stream.
    pub(crate) fn of(endpoint: &dyn Endpoint, seed: u64, component: &str) -> Option<Box<Self>> {
        let most = endpoint.properties().send_jitter;
        (most > Span::ZERO)
            .then(|| Box::new(Self { most, random: Stream::new(seed, component), last: Time::ZERO }))
    }

    fn leaves(&mut self, now: Time) -> Time {
        self.last = self.last.max(now + self.most.scale(self.random.uniform()));
        self.last
    }
}

/// The connection of a flow to the network.
pub(crate) struct Socket {
    /// The number of the first path. The paths from the first end to the second are this one and every second
    /// one after it.
    pub(crate) first_path: u32,
    /// The number of paths in each direction.
    pub(crate) paths: u32,
    /// The number of previous connections, modulo 256. Packets of those that are still in the network are
    /// ignored.
    pub(crate) connection: u8,
    pub(crate) measured: Interval,
    /// The counts of what has arrived.
    pub(crate) arrivals: Arrivals,
}

impl Socket {
    /// Creates a socket with `paths` paths in each direction.
    pub(crate) fn new(first_path: u32, paths: u32, measured: Interval) -> Self {
        Self { first_path, paths, connection: 0, measured, arrivals: Arrivals::default() }
    }
}

/// The connection of one end of a flow to the network, during one event.
pub(crate) struct Port<'a> {
    pub(crate) network: &'a mut Network,
    pub(crate) socket: &'a mut Socket,
    pub(crate) jitter: Option<&'a mut Jitter>,
    pub(crate) now: Time,
    /// The number of the end, 0 or 1.
    pub(crate) end: u32,
    pub(crate) done: bool,
}

#[cold]
#[inline(never)]
fn no_such_path(path: usize, paths: u32) -> ! {
    panic!("a packet is sent over path {path} of a flow that has {paths} paths")
}

impl Outbox for Port<'_> {
    #[inline]
    fn send(&mut self, path: usize, mut packet: Packet) -> Launch {
        let Socket { first_path, paths, connection, .. } = *self.socket;
        if path >= paths as usize {
            no_such_path(path, paths);
        }
        packet.connection = connection;
        let leaves = match &mut self.jitter {
            Some(jitter) => jitter.leaves(self.now),
            None => self.now,
        };
        self.network.launch(leaves, first_path + self.end + 2 * path as u32, &mut packet)
    }

    fn leaves(&self, path: usize) -> Option<Time> {
        self.network.leaves(self.socket.first_path + self.end + 2 * path as u32)
    }

    #[cold]
    fn send_extended(&mut self, path: usize, mut packet: Packet, extension: Extension) -> Launch {
        packet.extension = self.network.extensions.keep(extension);
        self.send(path, packet)
    }

    #[cold]
    fn send_long(&mut self, path: usize, mut packet: Packet, words: &[u64]) -> Launch {
        packet.extension = self.network.extensions.keep_long(words);
        self.send(path, packet)
    }

    fn long_extension(&self, packet: &Packet, words: &mut Vec<u64>) {
        self.network.extensions.read_long(packet, words);
    }

    fn extension(&self, packet: &Packet) -> Extension {
        self.network.extensions.of(packet)
    }

    #[inline]
    fn received(&mut self, sent: Option<Time>, packets: u64, payload_bytes: u64) {
        let Socket { measured, arrivals, .. } = &mut *self.socket;
        arrivals.note(self.now, measured.contains(self.now), sent, packets, payload_bytes);
    }

    fn done(&mut self) {
        self.done = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EVERY: Span = Span::from_millis(10);

    #[test]
    fn deliveries_are_counted_in_the_interval_in_which_they_arrive() {
        // Intervals of 10 ms in a run of 35 ms. 125 bytes in 10 ms are 100 kbit/s. What arrives at 10 ms is in the second
        // interval, and what arrives as the run ends, or a century later, is in none.
        let mut deliveries = Deliveries::new(EVERY, Time::from_seconds(0.035));
        for seconds in [0.0, 0.0099, 0.01, 0.025, 0.035, 3e9] {
            deliveries.add(Time::from_seconds(seconds), 125);
        }
        assert_eq!([0; 3].map(|_| deliveries.take()), [200_000.0, 100_000.0, 100_000.0]);
        assert_eq!(deliveries.take(), 0.0);
    }

    proptest! {
        /// Checks that the memory is bounded by the duration over the interval, whenever packets arrive.
        #[test]
        fn memory_is_bounded_by_the_samples_of_the_run(
            arrivals in prop::collection::vec((0_u32..64, any::<u64>()), 1..200), samples in 0_u64..1000,
        ) {
            let ends = Time::ZERO + EVERY * samples;
            let mut deliveries = Deliveries::new(EVERY, ends);
            for (magnitude, ns) in arrivals {
                deliveries.add(Time::from_nanos(ns >> magnitude), 1000);
            }
            prop_assert!(deliveries.bytes.len() as u64 <= samples);
        }
    }
}
