//! The [`Outbox`] of a running simulation: the connection between an end of a flow and the network.

use crate::endpoint::{Endpoint, Launch, Outbox};
use crate::histogram::Histogram;
use crate::measure::Interval;
use crate::network::Network;
use crate::packet::{Extension, Packet};
use crate::random::Stream;
use ackclock_base::{Random, Span, Time};

/// The counts of what has arrived at the ends of a flow.
#[derive(Clone, Debug, Default)]
pub struct Arrivals {
    /// The one-way delays of data packets over the measured interval.
    pub one_way_delay: Histogram,
    /// The number of packets delivered to the application over the measured interval.
    pub(crate) packets: u64,
    /// The number of payload bytes delivered to the application over the measured interval.
    pub(crate) bytes: u64,
    /// The number of payload bytes delivered to the application since the last sample.
    pub(crate) since_sample: u64,
}

impl Arrivals {
    #[inline]
    fn note(&mut self, now: Time, counts: bool, sent: Option<Time>, packets: u64, bytes: u64) {
        self.since_sample += bytes;
        if counts {
            self.packets += packets;
            self.bytes += bytes;
            if let Some(sent) = sent {
                self.one_way_delay.record(now.since(sent));
            }
        }
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
    panic!("a flow sent a packet over path {path}, expected a path below {paths}")
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
