//! The two ends of an association, which are those of every simulation, with paths of a few lines between
//! them. The whole can be compared with recorded packets of another implementation. Only the packets that a
//! list names are lost.

use ackclock_base::{Time, Values};
use ackclock_cc::{Assembly, Exponential, registry};
use ackclock_sim::endpoint::{Launch, Outbox};
use ackclock_sim::packet::{Extension, Packet};
use ackclock_sim::random::Stream;
use ackclock_sim::sctp::connection::Connection;
use ackclock_sim::sctp::message::{ControlKind, Message, Reader};
use ackclock_sim::sctp::options::{self, Options};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The packets that are lost.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    /// Data packets by TSN and transmission number, from 1.
    pub data: BTreeSet<(u64, u64)>,
    /// SACKs, counted from 1.
    pub sacks: BTreeSet<u64>,
    /// HEARTBEATs by path and number on that path, from 1.
    pub heartbeats: BTreeSet<(usize, u64)>,
}

/// The properties of the paths, which are alike.
#[derive(Clone, Copy, Debug)]
pub struct Paths {
    pub count: usize,
    pub nanos_per_byte: u64,
    pub delay_nanos: u64,
    /// By how much each path is longer than the previous one.
    pub further_nanos: u64,
    /// The number of packets that the sender's queue holds, including the one being sent.
    pub limit: usize,
    /// Whether packets are lost before the queue, or after they have been sent.
    pub loses_first: bool,
    /// The interval, since the first packet with data, in which the first path delivers nothing in either
    /// direction.
    pub dead_nanos: (u64, u64),
    pub end_nanos: u64,
}

/// A sent packet with data.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code)] // each test that shares this file reads some fields
pub struct Sent {
    pub time_s: f64,
    pub path: usize,
    pub tsn: u64,
    /// The number of the transmission, from 1.
    pub times: u64,
    /// The window of the packet's path after the event that sends it.
    pub cwnd: f64,
}

/// The packets in flight: for each its arrival time, the packet, and the rest of its header.
type UnderWay = VecDeque<(u64, Packet, Vec<u64>)>;

/// All paths in one direction, as an end sees them.
struct Way {
    paths: Paths,
    now: u64,
    /// When the first packet with data was sent, in either direction.
    began: u64,
    /// For each path, when the waiting packets will have been sent; `under_way` holds the packets in flight.
    leaving: Vec<VecDeque<u64>>,
    under_way: Vec<UnderWay>,
    arrived: Vec<u64>,
    losses: Losses,
    sacks: u64,
    heartbeats: Vec<u64>,
    times: BTreeMap<u64, u64>,
    sent: Vec<Sent>,
}

impl Way {
    fn new(paths: Paths, losses: Losses) -> Self {
        let leaving = vec![VecDeque::new(); paths.count];
        let under_way = (0..paths.count).map(|_| UnderWay::new()).collect();
        let (arrived, times, sent) = (Vec::new(), BTreeMap::new(), Vec::new());
        let heartbeats = vec![0; paths.count];
        let (now, began) = (0, u64::MAX);
        Self { paths, now, began, leaving, under_way, arrived, losses, sacks: 0, heartbeats, times, sent }
    }

    /// Records a packet. Returns whether it is to be lost.
    fn note(&mut self, path: usize, message: &Message<'_>) -> bool {
        match message {
            Message::Data(data) => {
                self.began = self.began.min(self.now);
                let times = self.times.entry(data.tsn).or_default();
                *times += 1;
                let (tsn, times, time_s) = (data.tsn, *times, self.now as f64 * 1e-9);
                self.sent.push(Sent { time_s, path, tsn, times, cwnd: f64::NAN });
                self.losses.data.contains(&(tsn, times))
            }
            Message::Sack(_) => {
                self.sacks += 1;
                self.losses.sacks.contains(&self.sacks)
            }
            Message::Control(control) if control.kind == ControlKind::Heartbeat => {
                self.heartbeats[path] += 1;
                self.losses.heartbeats.contains(&(path, self.heartbeats[path]))
            }
            Message::Control(_) => false,
        }
    }

    fn put(&mut self, path: usize, packet: Packet, words: &[u64]) {
        let Paths { nanos_per_byte, delay_nanos, further_nanos, limit, loses_first, dead_nanos, .. } =
            self.paths;
        let mut reader = Reader::default();
        let is_listed =
            self.note(path, &reader.read(&Packet { extension: Default::default(), ..packet }, self));
        let since = self.now.checked_sub(self.began);
        let is_dead = path == 0 && since.is_some_and(|since| (dead_nanos.0..dead_nanos.1).contains(&since));
        let is_lost = is_listed || is_dead;
        let (now, leaving) = (self.now, &mut self.leaving[path]);
        while leaving.front().is_some_and(|at| *at <= now) {
            leaving.pop_front();
        }
        if leaving.len() >= limit || (is_lost && loses_first) {
            return;
        }
        let leaves = leaving.back().map_or(now, |at| *at) + u64::from(packet.bytes) * nanos_per_byte;
        leaving.push_back(leaves);
        if !is_lost {
            let arrives = leaves + delay_nanos + further_nanos * path as u64;
            self.under_way[path].push_back((arrives, packet, words.to_vec()));
        }
    }

    /// Returns when the next packet arrives, and its path.
    fn arrival(&self) -> (u64, usize) {
        let heads = self.under_way.iter().map(|packets| packets.front().map_or(u64::MAX, |(at, ..)| *at));
        heads.zip(0..).min().expect("a path")
    }
}

impl Outbox for Way {
    fn send(&mut self, path: usize, packet: Packet) -> Launch {
        self.put(path, packet, &[]);
        Launch::Sent
    }

    fn send_extended(&mut self, path: usize, packet: Packet, extension: Extension) -> Launch {
        self.put(path, packet, &extension);
        Launch::Sent
    }

    fn send_long(&mut self, path: usize, packet: Packet, words: &[u64]) -> Launch {
        self.put(path, packet, words);
        Launch::Sent
    }

    fn long_extension(&self, _packet: &Packet, words: &mut Vec<u64>) {
        words.extend_from_slice(&self.arrived);
    }

    fn extension(&self, _packet: &Packet) -> Extension {
        std::array::from_fn(|place| self.arrived.get(place).copied().unwrap_or(0))
    }

    fn received(&mut self, _sent: Option<Time>, _packets: u64, _payload_bytes: u64) {}

    fn done(&mut self) {}
}

/// Creates a connection from a profile with settings and the control of each path with its own.
pub fn connection(
    profile: (&str, &[(&str, &str)]),
    control: (&str, &[(&str, &str)]),
    paths: usize,
    chunks: u64,
) -> Connection {
    let options = Options::new(&Values::with(options::find(profile.0).expect("a profile"), profile.1));
    let entry = registry::find(control.0).expect("a control");
    let mut assembly = Assembly::new(entry, &Values::with(entry.descriptor, control.1), None, None);
    let mut path = || {
        let backoff = Box::new(Exponential { most: 65_536.0 });
        (assembly.join(&options.initial()), backoff as _, Stream::new(1, "guesses"))
    };
    let paths = (0..paths).map(|_| path()).collect();
    Connection { paths, options, selector: None, chunks, random: Stream::new(1, "heartbeats") }
}

/// Runs an association. Returns its packets with data.
pub fn transfer(connection: Connection, paths: Paths, losses: Losses) -> Vec<Sent> {
    let names = ["cwnd_path_1_packets", "cwnd_path_2_packets"];
    let mut ends = connection.ends();
    let unbounded = Paths { limit: usize::MAX, ..paths };
    let mut ways = [Way::new(paths, losses.clone()), Way::new(unbounded, losses)];
    ends[0].start(Time::ZERO, &mut ways[0]);
    let mut seen = 0;
    loop {
        // Arrivals come before a timer of the same time.
        let arrivals = [ways[0].arrival(), ways[1].arrival()];
        let timers = [ends[0].timer().nanos(), ends[1].timer().nanos()];
        let now = arrivals.iter().map(|(at, _)| *at).chain(timers).min().expect("four");
        if now >= paths.end_nanos {
            return std::mem::take(&mut ways[0].sent);
        }
        let began = ways[0].began.min(ways[1].began);
        ways.iter_mut().for_each(|way| (way.now, way.began) = (now, began));
        if let Some(from) = arrivals.iter().position(|(at, _)| *at == now) {
            let (to, path) = (1 - from, arrivals[from].1);
            let (_, packet, words) = ways[from].under_way[path].pop_front().expect("a packet");
            ways[to].arrived = words;
            ends[to].on_packet(Time::from_nanos(now), path, &packet, &mut ways[to]);
        } else {
            let end = timers.iter().position(|at| *at == now).expect("a timer");
            ends[end].on_timer(Time::from_nanos(now), &mut ways[end]);
        }
        let mut windows = [f64::NAN; 2];
        ends[0].publish(&mut |name, value| {
            if let Some(path) = names.iter().position(|known| *known == name) {
                windows[path] = value;
            }
        });
        ways[0].sent[seen..].iter_mut().for_each(|sent| sent.cwnd = windows[sent.path]);
        seen = ways[0].sent.len();
    }
}
