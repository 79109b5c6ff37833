//! The path, and the two ends as it sees them.

use crate::observed::PACKET;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, Event, StreamEvent, StreamId,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

/// 10 Mbit/s.
const NANOS_PER_BYTE: u64 = 800;
/// One way.
const DELAY: Duration = Duration::from_millis(20);
/// Of IP and UDP.
const HEADERS: u64 = 28;

/// What is lost.
#[derive(Clone, Debug)]
pub struct Losses {
    data: BTreeSet<u64>,
    late: BTreeMap<u64, Duration>,
    acks: BTreeSet<u64>,
    outage: Option<(Duration, Duration)>,
}

impl Losses {
    /// From lists; `-` for none.
    pub fn new(data: &str, late: &str, acks: &str, outage: &str) -> Self {
        let number = |text: &str| text.parse::<u64>().expect("a number");
        let seconds = |text: &str| Duration::from_secs_f64(text.parse().expect("seconds"));
        let one = |part: &str| match part.split_once('-') {
            Some((from, to)) => number(from)..=number(to),
            None => number(part)..=number(part),
        };
        let all = |text: &str| text.split(',').filter(|part| *part != "-").flat_map(one).collect();
        let late = late.split(',').filter_map(|part| part.split_once(':'));
        let late = late.map(|(place, ms)| (number(place), Duration::from_millis(number(ms)))).collect();
        let outage = outage.split_once('-').filter(|(from, _)| !from.is_empty());
        Self {
            data: all(data),
            late,
            acks: all(acks),
            outage: outage.map(|(from, to)| (seconds(from), seconds(to))),
        }
    }
}

/// The path in one direction.
pub struct Way {
    losses: Losses,
    nanos_per_byte: u64,
    /// When the data begins, and how many packets have been sent since.
    begins: Duration,
    has_begun: bool,
    count: u64,
    free: Duration,
    under_way: VecDeque<(Duration, Vec<u8>)>,
    is_data: bool,
}

/// There and back. On the way back only time passes.
pub fn ways(losses: &Losses, begins: Duration) -> [Way; 2] {
    let way = |is_data| Way {
        losses: losses.clone(),
        nanos_per_byte: if is_data { NANOS_PER_BYTE } else { 0 },
        begins,
        has_begun: false,
        count: 0,
        free: Duration::ZERO,
        under_way: VecDeque::new(),
        is_data,
    };
    [way(true), way(false)]
}

impl Way {
    /// Packets are counted from here on.
    pub fn begin(&mut self) {
        self.has_begun = true;
    }

    /// Sends a packet.
    fn put(&mut self, now: Duration, datagram: Vec<u8>) {
        let length = datagram.len() as u64;
        let leaves = self.free.max(now) + Duration::from_nanos((length + HEADERS) * self.nanos_per_byte);
        self.free = leaves;
        let mut late = Duration::ZERO;
        // The client's own acknowledgements are not counted, and not lost.
        if self.has_begun && (!self.is_data || length > PACKET / 10) {
            let Losses { data, late: lates, acks, outage } = &self.losses;
            let lost =
                if self.is_data { data.contains(&self.count) } else { acks.contains(&(self.count + 1)) };
            if self.is_data {
                late = lates.get(&self.count).copied().unwrap_or_default();
            }
            self.count += 1;
            let is_out = |(from, until): &(Duration, Duration)| {
                (self.begins + *from..self.begins + *until).contains(&now)
            };
            if lost || outage.as_ref().is_some_and(is_out) {
                return;
            }
        }
        let arrives = leaves + DELAY + late;
        let place = self.under_way.partition_point(|(at, _)| *at <= arrives);
        self.under_way.insert(place, (arrives, datagram));
    }

    /// When the next packet arrives.
    pub fn arrival(&self) -> Option<Duration> {
        self.under_way.front().map(|(at, _)| *at)
    }

    /// That packet.
    pub fn take(&mut self) -> Vec<u8> {
        self.under_way.pop_front().expect("a packet").1
    }
}

/// An endpoint with its one connection.
pub struct End {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    stream: Option<StreamId>,
    received: u64,
    outgoing: Vec<Vec<u8>>,
}

fn address() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 4433).into()
}

impl End {
    /// Without a connection.
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint, connection: None, stream: None, received: 0, outgoing: Vec::new() }
    }

    /// Begins one.
    pub fn connect(&mut self, now: Instant, config: ClientConfig) {
        self.connection = Some(self.endpoint.connect(now, config, address(), "peer").expect("a connection"));
    }

    /// The connection.
    pub fn connection(&mut self) -> &mut Connection {
        &mut self.connection.as_mut().expect("a connection").1
    }

    /// Its window.
    pub fn window(&mut self) -> u64 {
        self.connection().congestion_state().initial_window()
    }

    /// Sends what is to be sent.
    pub fn transmit(&mut self, instant: Instant, now: Duration, way: &mut Way) {
        for datagram in self.outgoing.drain(..) {
            way.put(now, datagram);
        }
        if self.connection.is_some() {
            self.settle();
            let mut datagram = Vec::new();
            while self.connection().poll_transmit(instant, 1, &mut datagram).is_some() {
                way.put(now, std::mem::take(&mut datagram));
            }
            self.settle();
        }
    }

    /// Carries events between endpoint and connection.
    fn settle(&mut self) {
        let Some((handle, connection)) = &mut self.connection else { return };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        while let Some(event) = connection.poll() {
            match event {
                Event::Stream(StreamEvent::Opened { dir: Dir::Uni }) => {
                    self.stream = connection.streams().accept(Dir::Uni);
                }
                Event::ConnectionLost { reason } => panic!("{reason}"),
                _ => {}
            }
        }
    }

    /// A packet arrives.
    pub fn receive(&mut self, now: Instant, datagram: Vec<u8>) {
        let mut response = Vec::new();
        match self.endpoint.handle(now, address(), None, None, datagram.as_slice().into(), &mut response) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => self.connection().handle_event(event),
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = self.endpoint.accept(incoming, now, &mut response, None);
                let Ok(accepted) = accepted else { panic!("refused") };
                self.connection = Some(accepted);
            }
            Some(DatagramEvent::Response(_)) => self.outgoing.push(response),
            None => {}
        }
    }

    /// When it wants to be woken.
    pub fn timer(&mut self, start: Instant) -> Option<Duration> {
        let (_, connection) = self.connection.as_mut()?;
        connection.poll_timeout().map(|at| at.saturating_duration_since(start))
    }

    /// Wakes it, if that time has come.
    pub fn expire(&mut self, start: Instant, now: Instant) {
        if self.timer(start).is_some_and(|at| start + at <= now) {
            self.connection().handle_timeout(now);
        }
    }

    /// Writes so many bytes to a stream, as far as there is room, and ends it with the last. How many that were.
    pub fn write(&mut self, stream: StreamId, bytes: u64) -> u64 {
        let mut stream = self.connection().send_stream(stream);
        let written = stream.write(&vec![0; bytes as usize]).expect("open") as u64;
        if written == bytes {
            stream.finish().expect("open");
        }
        written
    }

    /// Bytes of the stream that have arrived in order, all of which the application takes.
    pub fn received(&mut self) -> u64 {
        if let (Some(stream), Some((_, connection))) = (self.stream, &mut self.connection) {
            let mut reader = connection.recv_stream(stream);
            if let Ok(mut chunks) = reader.read(true) {
                while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                    self.received += chunk.bytes.len() as u64;
                }
                let _ = chunks.finalize();
            }
        }
        self.received
    }
}
