//! Runs one connection of a stack over a scripted path, and records what its sender did.
//!
//! A scenario asks what a control achieves on a path. A drill asks what a sender does when exactly the fifth datagram is lost. The script counts
//! datagrams and time from the moment at which the stack took the first bytes of its application, because the length of a handshake is the
//! stack's own matter.

use crate::connection::{Connection, Connections, State};
use crate::control::Control;
use crate::end::{DATA, EPOCH};
use crate::stack::{Stack, packing};
use ackclock_base::{Span, Time};
use bytes::{Bytes, BytesMut};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

pub use ackclock_aqm::Ecn;

/// The most events of a drill, after which it is given up.
const MOST_EVENTS: usize = 2_000_000;
/// The most bytes of a datagram without a number: it carries acknowledgements, or little of the stream.
const LARGEST_WITHOUT_NUMBER: usize = 500;
/// The headers of IPv4 and UDP in bytes. A drill has no use for them.
const HEADER: u32 = 28;
/// The window of the receiver in full datagrams: more than any drill needs.
const WINDOW: u64 = 10_000;

/// The direction of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the client, which has the data, to the server.
    Forward,
    /// From the server to the client.
    Backward,
}

/// The datagrams of a rule.
#[derive(Clone, Debug)]
pub enum Which {
    /// Those with these numbers in their direction.
    Numbers(RangeInclusive<u64>),
    /// Those that are sent between these times after the data began.
    Times(RangeInclusive<Span>),
    /// The first ones with a number that are sent from this time after the data began on, and how many.
    First(Span, u64),
}

/// What the path does to a datagram.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// Drops it.
    Drop,
    /// Marks it as having experienced congestion, if it is ECN-capable.
    Mark,
    /// Clears its ECN field.
    Bleach,
    /// Delays it for longer than the path does.
    Delay(Span),
    /// Keeps it at the end of the path until this time after the data began.
    Hold(Span),
}

/// What happens to some datagrams.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Their direction.
    pub direction: Direction,
    /// Their numbers or times.
    pub which: Which,
    /// What happens.
    pub action: Action,
}

/// The rate of the path forward, and the queue before it.
#[derive(Clone, Debug)]
pub struct Bottleneck {
    /// Bits per second of the payload of UDP, each from a time after the data began on. The first time is 0.
    pub bits_per_second: Vec<(Span, u64)>,
    /// The most bytes that wait; a datagram that finds more is dropped.
    pub queue_bytes: u64,
}

/// A path and an application.
#[derive(Clone, Debug)]
pub struct Script {
    /// The delay of the path in one direction.
    pub delay: Span,
    /// Its bottleneck; `None` if it has none.
    pub bottleneck: Option<Bottleneck>,
    /// What happens to some datagrams. All rules that fit apply, in their order.
    pub rules: Vec<Rule>,
    /// The application writes these bytes at these times after the data began, in order. The first time is 0.
    pub writes: Vec<(Span, u64)>,
    /// Whether the application ends the stream after its last bytes.
    pub finishes: bool,
    /// The end of the drill, after the data began; and the most time that the handshake may take.
    pub end: Span,
}

/// What an event of a drill is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// A datagram left its sender.
    Sent,
    /// A datagram was dropped on the path.
    Dropped,
    /// A datagram arrived.
    Arrived,
    /// The timer of the client expired.
    Timer,
}

/// An event of a drill.
#[derive(Clone, Debug)]
pub struct Event {
    /// The time since the simulation began.
    pub at: Time,
    /// What it is.
    pub what: What,
    /// The direction of the datagram; forward for a timer.
    pub direction: Direction,
    /// The number of the datagram in its direction: the first one of more than 500 bytes that is sent after the data began has number 1. Is 0 for
    /// smaller datagrams, before the data began, and for a timer.
    pub number: u64,
    /// The bytes of the datagram.
    pub bytes: usize,
    /// Its ECN field as it was sent or as it arrived.
    pub ecn: Ecn,
    /// What the client tells about itself after this event.
    pub client: State,
}

/// What a drill shows.
#[derive(Clone, Debug)]
pub struct Record {
    /// The events in their order.
    pub events: Vec<Event>,
    /// When the stack took the first bytes; `None` if it never did.
    pub began: Option<Time>,
    /// When everything was acknowledged, after the data began; `None` if it was not.
    pub delivered: Option<Span>,
    /// The bytes of the stream that the stack took, and that the server read.
    pub bytes: [u64; 2],
    /// A hash of the times and the lengths of all datagrams, and one of their content. Stacks that draw connection identifiers without a seed
    /// have the former equal, and not the latter.
    pub hashes: [u64; 2],
    /// Whether the drill was given up after two million events.
    pub given_up: bool,
}

/// A datagram on its way, ordered by its arrival.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Flying {
    at: Time,
    order: u64,
    forward: bool,
    number: u64,
    ecn: u8,
    datagram: Vec<u8>,
}

/// The ECN fields by the number that a [`Flying`] datagram has of them.
const FIELDS: [Ecn; 4] = [Ecn::NotCapable, Ecn::LowLatency, Ecn::Classic, Ecn::Experienced];

/// Returns what makes connections of a stack whose senders have this control of its own. The error says which controls there are.
pub fn connections(
    stack: &'static dyn Stack,
    control: &str,
    datagram: u16,
    seed: u64,
) -> Result<Box<dyn Connections>, String> {
    let own = stack.own();
    let name = format!("{}:{control}", stack.name());
    match own.iter().find(|own| own.descriptor.name == name) {
        Some(own) => {
            let control = Control::Own(own.clone());
            let packing = packing(&control, datagram, HEADER, WINDOW);
            Ok(stack.connections(&control, &packing, seed))
        }
        None => {
            let known: Vec<&str> =
                own.iter().filter_map(|own| Some(own.descriptor.name.split_once(':')?.1)).collect();
            Err(format!(
                "{} has no congestion control {control:?}, expected one of {}",
                stack.name(),
                known.join(", ")
            ))
        }
    }
}

/// Runs a script with a connection of this seed.
pub fn run(connections: &mut dyn Connections, seed: u64, script: &Script) -> Record {
    let ends = connections.connect(seed);
    let mut drill = Drill {
        script,
        ends,
        flying: BinaryHeap::new(),
        now: Time::ZERO,
        order: 0,
        numbers: [0; 2],
        counts: vec![0; script.rules.len()],
        free_at: Time::ZERO,
        to_write: 0,
        written: 0,
        has_finished: false,
        shape: DefaultHasher::new(),
        content: DefaultHasher::new(),
        buffer: Vec::new(),
        record: Record {
            events: Vec::new(),
            began: None,
            delivered: None,
            bytes: [0; 2],
            hashes: [0; 2],
            given_up: false,
        },
    };
    drill.run();
    drill.record.hashes = [drill.shape.finish(), drill.content.finish()];
    drill.record
}

struct Drill<'s> {
    script: &'s Script,
    ends: [Box<dyn Connection>; 2],
    flying: BinaryHeap<Reverse<Flying>>,
    now: Time,
    order: u64,
    /// The last numbers of datagrams in each direction.
    numbers: [u64; 2],
    /// The datagrams that each rule has counted.
    counts: Vec<u64>,
    /// When the bottleneck has sent all that waits.
    free_at: Time,
    /// The bytes that the application has and that the stack has not taken.
    to_write: u64,
    /// The number of writes of the script that the application has made.
    written: usize,
    has_finished: bool,
    shape: DefaultHasher,
    content: DefaultHasher,
    buffer: Vec<u8>,
    record: Record,
}

impl Drill<'_> {
    fn run(&mut self) {
        self.ends[0].connect(instant(self.now));
        self.drive();
        while self.record.events.len() < MOST_EVENTS {
            let timers = [0, 1].map(|end| self.timer(end));
            let arrival = self.flying.peek().map_or(Time::NEVER, |Reverse(first)| first.at);
            let next = arrival.min(timers[0]).min(timers[1]).min(self.next_write());
            let end = self.record.began.unwrap_or(Time::ZERO) + self.script.end;
            if next > end {
                return;
            }
            self.now = next;
            if arrival == next {
                let Some(Reverse(first)) = self.flying.pop() else { return };
                self.arrive(first);
            } else {
                for (end, timer) in timers.into_iter().enumerate() {
                    if timer == next {
                        self.ends[end].expire(instant(next));
                        if end == 0 {
                            self.note(What::Timer, Direction::Forward, 0, 0, Ecn::NotCapable);
                        }
                    }
                }
            }
            self.drive();
        }
        self.record.given_up = true;
    }

    fn timer(&mut self, end: usize) -> Time {
        self.ends[end].timeout().map_or(Time::NEVER, |at| {
            let nanos = at.saturating_duration_since(*EPOCH).as_nanos();
            Time::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)).max(self.now)
        })
    }

    /// Returns when the application writes again.
    fn next_write(&self) -> Time {
        let next = self.script.writes.get(self.written);
        next.zip(self.record.began).map_or(Time::NEVER, |((at, _), began)| (began + *at).max(self.now))
    }

    fn arrive(&mut self, flying: Flying) {
        let (direction, end) =
            if flying.forward { (Direction::Forward, 1) } else { (Direction::Backward, 0) };
        let (bytes, ecn) = (flying.datagram.len(), FIELDS[usize::from(flying.ecn)]);
        self.ends[end].receive(instant(self.now), BytesMut::from(&flying.datagram[..]), ecn);
        self.note(What::Arrived, direction, flying.number, bytes, ecn);
    }

    /// Writes, reads and sends until neither end has anything more to do now.
    fn drive(&mut self) {
        self.write();
        self.record.bytes[1] += self.ends[1].read();
        for (end, direction) in [Direction::Forward, Direction::Backward].into_iter().enumerate() {
            loop {
                self.buffer.clear();
                let mut buffer = std::mem::take(&mut self.buffer);
                let ecn = self.ends[end].transmit(instant(self.now), &mut buffer);
                self.buffer = buffer;
                let Some(ecn) = ecn else { break };
                self.send(direction, ecn);
                if end == 0 {
                    self.write();
                }
                if self.record.events.len() >= MOST_EVENTS {
                    return;
                }
            }
        }
        if self.has_finished && self.record.delivered.is_none() && self.ends[0].is_delivered() {
            self.record.delivered = self.record.began.map(|began| self.now.since(began));
        }
    }

    fn write(&mut self) {
        // The first bytes are offered until the stack takes some, which is when the data begins.
        while self.written == 0 || self.next_write() <= self.now {
            let Some((_, bytes)) = self.script.writes.get(self.written) else { break };
            self.to_write = self.to_write.saturating_add(*bytes);
            self.written += 1;
        }
        let window = self.ends[0].state().window_bytes.unwrap_or(1 << 20);
        self.ends[0].set_buffer(2 * window + DATA.len() as u64);
        while self.to_write > 0 {
            let most = self.to_write.min(DATA.len() as u64) as usize;
            let taken = self.ends[0].write(Bytes::from_static(&DATA[..most])) as u64;
            self.to_write -= taken;
            self.record.bytes[0] += taken;
            if taken > 0 && self.record.began.is_none() {
                self.record.began = Some(self.now);
            }
            if taken < most as u64 {
                return;
            }
        }
        let is_all = self.record.began.is_some() && self.written == self.script.writes.len();
        if self.script.finishes && is_all && !self.has_finished {
            self.has_finished = self.ends[0].finish();
        }
    }

    fn send(&mut self, direction: Direction, ecn: Ecn) {
        let forward = direction == Direction::Forward;
        let has_number = self.record.began.is_some() && self.buffer.len() > LARGEST_WITHOUT_NUMBER;
        let count = &mut self.numbers[usize::from(!forward)];
        *count += u64::from(has_number);
        let number = if has_number { *count } else { 0 };
        (self.now.nanos(), forward, self.buffer.len()).hash(&mut self.shape);
        self.buffer.hash(&mut self.content);
        self.note(What::Sent, direction, number, self.buffer.len(), ecn);
        let (mut arrives, mut ecn, mut is_dropped) = (self.now, ecn, false);
        if let Some(bottleneck) = self.script.bottleneck.as_ref().filter(|_| forward) {
            let after = self.record.began.map_or(Span::default(), |began| self.now.since(began));
            let rates = bottleneck.bits_per_second.iter().take_while(|(from, _)| *from <= after);
            let bits_per_second = rates.last().map_or(u64::MAX, |(_, rate)| *rate) as f64;
            let crossing = |bytes: u64| Span::from_seconds(8.0 * bytes as f64 / bits_per_second);
            let begins = self.free_at.max(self.now);
            if begins.since(self.now) > crossing(bottleneck.queue_bytes) {
                is_dropped = true;
            } else {
                self.free_at = begins + crossing(self.buffer.len() as u64);
                arrives = self.free_at;
            }
        }
        arrives += self.script.delay;
        let began = self.record.began.unwrap_or(Time::NEVER);
        for (rule, count) in self.script.rules.iter().zip(&mut self.counts) {
            if rule.direction != direction || began > self.now {
                continue;
            }
            let fits = match &rule.which {
                Which::Numbers(numbers) => numbers.contains(&number),
                Which::Times(times) => times.contains(&self.now.since(began)),
                Which::First(from, most) => {
                    let is_one = number > 0 && self.now.since(began) >= *from;
                    *count += u64::from(is_one);
                    is_one && *count <= *most
                }
            };
            match rule.action {
                _ if !fits => {}
                Action::Drop => is_dropped = true,
                Action::Mark if ecn != Ecn::NotCapable => ecn = Ecn::Experienced,
                Action::Mark => {}
                Action::Bleach => ecn = Ecn::NotCapable,
                Action::Delay(more) => arrives += more,
                Action::Hold(until) => arrives = arrives.max(began + until),
            }
        }
        if is_dropped {
            self.note(What::Dropped, direction, number, self.buffer.len(), ecn);
            return;
        }
        self.order += 1;
        let ecn = FIELDS.iter().position(|field| *field == ecn).unwrap_or(0) as u8;
        let flying =
            Flying { at: arrives, order: self.order, forward, number, ecn, datagram: self.buffer.clone() };
        self.flying.push(Reverse(flying));
    }

    fn note(&mut self, what: What, direction: Direction, number: u64, bytes: usize, ecn: Ecn) {
        let client = self.ends[0].state();
        self.record.events.push(Event { at: self.now, what, direction, number, bytes, ecn, client });
    }
}

fn instant(now: Time) -> Instant {
    *EPOCH + Duration::from_nanos(now.nanos())
}
