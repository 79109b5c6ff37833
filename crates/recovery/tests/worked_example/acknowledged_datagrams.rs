//! An example transport: datagrams with acknowledgements over any number of paths, each with a congestion
//! window and a recovery of its own. It has no clock and no socket, so it cannot know whether its network is
//! simulated.

use ackclock_base::Time;
use ackclock_recovery::sender::{Acknowledgement, Output, Transmission};
use ackclock_recovery::{Sender, ecn::MarkFeedback};
use std::collections::BTreeSet;

/// The payload bytes of a full datagram.
pub const PAYLOAD_BYTES: u64 = 1000;

/// A network that carries datagrams: a header of three words, and `payload` bytes of payload.
pub trait Network {
    fn send(&mut self, path: usize, header: [u64; 3], payload: u64);
}

/// The sending end. The header of a datagram is its number on the path, its offset in the data, and the time.
pub struct Sending {
    pub paths: Vec<Sender>,
    bytes: u64,
}

/// One path, whose datagrams carry every n-th part of the data.
struct Path<'a, N> {
    now: Time,
    path: u64,
    paths: u64,
    bytes: u64,
    network: &'a mut N,
}

impl<N: Network> Output for Path<'_, N> {
    fn send(&mut self, transmission: Transmission) -> Option<u16> {
        let place = (transmission.number * self.paths + self.path) * PAYLOAD_BYTES;
        let payload = PAYLOAD_BYTES.min(self.bytes - place);
        self.network.send(self.path as usize, [transmission.number, place, self.now.nanos()], payload);
        Some(payload as u16)
    }
}

impl Sending {
    /// Creates the sending end for `bytes` bytes over `paths` paths. `sender` creates the sender of a path
    /// with a given number of datagrams to send.
    pub fn new(bytes: u64, paths: u64, sender: impl FnMut(u64) -> Sender) -> Self {
        let datagrams = |path| (bytes.div_ceil(PAYLOAD_BYTES) + paths - 1 - path) / paths;
        Self { paths: (0..paths).map(datagrams).map(sender).collect(), bytes }
    }

    fn path<'a, N>(
        &'a mut self,
        now: Time,
        path: usize,
        network: &'a mut N,
    ) -> (&'a mut Sender, Path<'a, N>) {
        let (paths, bytes) = (self.paths.len() as u64, self.bytes);
        (&mut self.paths[path], Path { now, path: path as u64, paths, bytes, network })
    }

    pub fn start(&mut self, now: Time, network: &mut impl Network) {
        for path in 0..self.paths.len() {
            let (sender, mut output) = self.path(now, path, network);
            sender.begin(now);
            sender.open(now, &mut output);
        }
    }

    pub fn timer(&self) -> Time {
        self.paths.iter().map(Sender::timer).min().unwrap_or(Time::NEVER)
    }

    pub fn on_timer(&mut self, now: Time, network: &mut impl Network) {
        for path in 0..self.paths.len() {
            let (sender, mut output) = self.path(now, path, network);
            sender.on_timer(now, &mut output);
        }
    }

    pub fn on_packet(&mut self, now: Time, path: usize, header: [u64; 3], network: &mut impl Network) {
        let [cumulative, block, sent] = header;
        let ranges = std::iter::once(block >> 32..block & 0xffff_ffff);
        let (stamp, marks) = (Some(Time::from_nanos(sent)), MarkFeedback::default());
        let (sender, mut output) = self.path(now, path, network);
        sender.on_ack(
            now,
            Acknowledgement {
                cumulative,
                ranges,
                stamp,
                one_way_delay: None,
                dsack: None,
                marks,
                advances: None,
                held: None,
            },
            &mut output,
        );
    }

    pub fn is_done(&self) -> bool {
        self.paths.iter().all(Sender::is_done)
    }
}

/// The receiving end. The header of an acknowledgement is the first missing number, the block of numbers
/// around the one that has just arrived, and the time from that datagram's header.
pub struct Receiving {
    /// For each path, the number below which all have arrived, and the higher numbers that have arrived.
    paths: Vec<(u64, BTreeSet<u64>)>,
}

impl Receiving {
    pub fn new(paths: usize) -> Self {
        Self { paths: vec![Default::default(); paths] }
    }

    /// Receives a datagram and acknowledges it. Returns whether it arrived for the first time.
    pub fn on_packet(&mut self, path: usize, header: [u64; 3], network: &mut impl Network) -> bool {
        let [number, _, sent] = header;
        let (missing, above) = &mut self.paths[path];
        let is_new = number >= *missing && above.insert(number);
        let (mut start, mut end) = (number, number + 1);
        while start > *missing && above.contains(&(start - 1)) {
            start -= 1;
        }
        while above.contains(&end) {
            end += 1;
        }
        while above.remove(missing) {
            *missing += 1;
        }
        network.send(path, [*missing, start << 32 | end, sent], 0);
        is_new
    }
}
