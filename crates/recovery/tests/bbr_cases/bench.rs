//! One sender and one bottleneck, which a case can change at any acknowledgement: its capacity, what it drops
//! and delays, when it releases acknowledgements, and what the application writes.

use ackclock_base::random::Scripted;
use ackclock_base::{Span, Time};
use ackclock_cc::{Assembly, Exponential, Initial, registry};
use ackclock_recovery::declared::UndoRules;
use ackclock_recovery::detection::rack::{Rack, RackOptions};
use ackclock_recovery::ecn::MarkFeedback;
use ackclock_recovery::sender::{Acknowledgement, Output, Transmission};
use ackclock_recovery::{Options, Parts, Sender, Units};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

/// The payload bytes of a packet, so that rates can be given in bits. Payload is what counts (trap T16).
pub const PACKET_BYTES: u32 = 1448;

/// Returns the packets per second of a rate in Mbit/s of payload.
pub fn packets_per_second(megabits: f64) -> f64 {
    megabits * 1e6 / 8.0 / f64::from(PACKET_BYTES)
}

/// The states of BBR, in the order of the values of `bbr_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

const STATES: [State; 7] =
    [State::Startup, State::Drain, State::Down, State::Cruise, State::Refill, State::Up, State::ProbeRtt];

/// The visible state of the control after an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub now: Time,
    pub state: State,
    pub rounds: u64,
    pub full_pipe_rounds: u64,
    pub max_bw: f64,
    pub bw: f64,
    pub min_rtt: f64,
    pub extra_acked: f64,
    pub longterm: f64,
    pub shortterm: f64,
    pub cwnd: f64,
    /// The pacing rate in packets per second.
    pub pacing: f64,
    pub inflight: f64,
}

impl View {
    /// Returns the bandwidth-delay product, in packets.
    pub fn bdp(&self) -> f64 {
        self.bw * self.min_rtt
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Served,
    Arrives { number: u64, sent: Time },
    Flush,
    Acknowledged { cumulative: u64, highest: u64, stamp: Time, dsack: Option<u64> },
}

/// The path between the sender and a receiver.
pub struct Path {
    pub now: Time,
    /// The capacity in packets per second.
    pub capacity: f64,
    /// The number of packets that may wait.
    pub buffer: usize,
    /// The round trip without a queue.
    pub round_trip: Span,
    /// The interval at whose multiples acknowledgements are released; `None` if they are released at once.
    pub slot: Option<Span>,
    /// One in this number of packets in order is acknowledged, or after 40 ms.
    pub ack_every: u64,
    /// One in this number of packets sent is dropped; `None` for no drops.
    pub drop_every: Option<u64>,
    /// This number of the next packets is dropped.
    pub drop_next: u64,
    /// The extra delay of the next packet.
    pub delay_next: Span,
    /// Whether packets arrive in the order in which they were sent, so that a delayed packet delays all
    /// behind it.
    pub hold_order: bool,
    latest: Time,
    /// The policer: its rate in tokens, which are packets, per second, and the size of its bucket.
    pub policer: Option<(f64, f64)>,
    tokens: (f64, Time),
    pub sent: u64,
    pub dropped: u64,
    pub delivered: u64,
    queue: VecDeque<(u64, Time)>,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    order: u64,
    next: u64,
    above: BTreeSet<u64>,
    unacknowledged: u64,
    last_arrival: (u64, Time),
}

impl Path {
    fn at(&mut self, time: Time, event: Event) {
        self.order += 1;
        self.events.push(Reverse((time, self.order, event)));
    }

    fn drops(&mut self) -> bool {
        if self.drop_next > 0 {
            self.drop_next -= 1;
            return true;
        }
        if self.drop_every.is_some_and(|every| self.sent.is_multiple_of(every)) {
            return true;
        }
        if let Some((rate, most)) = self.policer {
            let (tokens, since) = self.tokens;
            let tokens = (tokens + rate * self.now.since(since).seconds()).min(most);
            let passes = tokens >= 1.0;
            self.tokens = (if passes { tokens - 1.0 } else { tokens }, self.now);
            return !passes;
        }
        self.queue.len() > self.buffer
    }

    fn serve(&mut self) {
        if !self.queue.is_empty() {
            self.at(self.now + Span::from_seconds(1.0 / self.capacity), Event::Served);
        }
    }

    fn happen(&mut self, event: Event) -> Option<(u64, u64, Time, Option<u64>)> {
        match event {
            Event::Served => {
                if let Some((number, sent)) = self.queue.pop_front() {
                    let longer = std::mem::replace(&mut self.delay_next, Span::ZERO);
                    let usual = self.now + self.round_trip / 2 + longer;
                    let at = if self.hold_order { usual.max(self.latest) } else { usual };
                    self.latest = at;
                    self.at(at, Event::Arrives { number, sent });
                }
                self.serve();
            }
            Event::Arrives { number, sent } => self.arrive(number, sent),
            Event::Flush => {
                if self.unacknowledged > 0 {
                    self.acknowledge(None);
                }
            }
            Event::Acknowledged { cumulative, highest, stamp, dsack } => {
                return Some((cumulative, highest, stamp, dsack));
            }
        }
        None
    }

    fn arrive(&mut self, number: u64, sent: Time) {
        self.delivered += 1;
        let again = number < self.next || !self.above.insert(number);
        while self.above.remove(&self.next) {
            self.next += 1;
        }
        self.last_arrival = (number, sent);
        self.unacknowledged += 1;
        let orderly = !again && self.above.is_empty();
        if orderly && self.unacknowledged < self.ack_every {
            self.at(self.now + Span::from_millis(40), Event::Flush);
        } else {
            self.acknowledge(again.then_some(number));
        }
    }

    fn acknowledge(&mut self, dsack: Option<u64>) {
        self.unacknowledged = 0;
        let (highest, stamp) = self.last_arrival;
        let mut at = self.now + self.round_trip / 2;
        if let Some(slot) = self.slot {
            at = Time::ZERO + slot * at.nanos().div_ceil(slot.nanos());
        }
        let cumulative = self.next;
        self.at(at, Event::Acknowledged { cumulative, highest, stamp, dsack });
    }
}

impl Output for Path {
    fn send(&mut self, transmission: Transmission) -> Option<u16> {
        self.sent += 1;
        if self.drops() {
            self.dropped += 1;
        } else {
            self.queue.push_back((transmission.number, self.now));
            if self.queue.len() == 1 {
                self.serve();
            }
        }
        Some(1)
    }
}

/// A connection with `bbrv3` over the path.
pub struct Bench {
    pub sender: Sender,
    pub path: Path,
    /// The interval at which the application writes a packet, and the time of the next one; `None` if the
    /// data to send is not limited in this way.
    application: Option<(Span, Time)>,
    looks_at_timers: bool,
}

impl Bench {
    /// Creates a connection over a path with a capacity in Mbit/s, a round trip, and a buffer of `products`
    /// bandwidth-delay products.
    pub fn new(megabits: f64, round_trip: Span, products: f64) -> Self {
        Self::with(megabits, round_trip, products, &[])
    }

    /// Creates a connection as [`Self::new`] does, with parameters of the control.
    pub fn with(megabits: f64, round_trip: Span, products: f64, settings: &[(&str, &str)]) -> Self {
        let capacity = packets_per_second(megabits);
        let units = Units::packets(PACKET_BYTES);
        let undo =
            UndoRules { spurious_timeouts: true, spurious_recoveries: false, dsack_undo: true, frto: false };
        let options = Options { undo, dupack_threshold: 0, ..Options::recommended(units) };
        let initial = Initial { limit: 1e6, packet_bytes: PACKET_BYTES, ..Initial::default() };
        let entry = registry::find("bbrv3").unwrap();
        let values = ackclock_base::Values::with(entry.descriptor, settings);
        let rule = RackOptions { max_ack_delay: Span::ZERO, ..RackOptions::default() };
        let parts = Parts {
            controller: Assembly::new(entry, &values, None, None).join(&initial),
            detection: Box::new(Rack::new(rule)),
            backoff: Box::new(Exponential { most: 64.0 }),
            random: Box::new(Scripted::new(&[0.25])),
        };
        let mut sender = Sender::new(options, parts, u64::MAX / 2);
        sender.stay_open();
        let path = Path {
            now: Time::ZERO,
            capacity,
            buffer: (products * capacity * round_trip.seconds()).round() as usize,
            round_trip,
            slot: None,
            ack_every: 1,
            drop_every: None,
            drop_next: 0,
            delay_next: Span::ZERO,
            hold_order: false,
            latest: Time::ZERO,
            policer: None,
            tokens: (0.0, Time::ZERO),
            sent: 0,
            dropped: 0,
            delivered: 0,
            queue: VecDeque::new(),
            events: BinaryHeap::new(),
            order: 0,
            next: 0,
            above: BTreeSet::new(),
            unacknowledged: 0,
            last_arrival: (0, Time::ZERO),
        };
        let mut bench = Self { sender, path, application: None, looks_at_timers: false };
        bench.sender.begin(Time::ZERO);
        bench.sender.await_answer(Time::ZERO);
        bench.path.now = Time::ZERO + round_trip;
        bench.sender.on_answer(bench.path.now, Time::ZERO);
        bench.sender.open(bench.path.now, &mut bench.path);
        bench
    }

    /// Makes the application write at `megabits` Mbit/s from now on.
    pub fn write_at(&mut self, megabits: f64) {
        self.sender.stop();
        let interval = Span::from_seconds(1.0 / packets_per_second(megabits));
        self.application = Some((interval, self.path.now + interval));
    }

    /// Makes the application write nothing from now on.
    pub fn pause(&mut self) {
        self.sender.stop();
        self.application = None;
    }

    /// Makes the application always have more to send from now on.
    pub fn write_all(&mut self) {
        self.application = None;
        self.sender.add_data(self.path.now, u64::MAX / 4);
        self.sender.send_allowed(self.path.now, &mut self.path);
    }

    pub fn view(&self) -> View {
        let mut values = [0.0; 9];
        const NAMES: [&str; 9] = [
            "bbr_state",
            "bbr_rounds",
            "bbr_full_pipe_rounds",
            "bbr_max_bw_packets_per_s",
            "bbr_bw_packets_per_s",
            "bbr_min_rtt_s",
            "bbr_extra_acked_packets",
            "bbr_inflight_longterm_packets",
            "bbr_inflight_shortterm_packets",
        ];
        self.sender.publish(&mut |name, value| {
            if let Some(place) = NAMES.iter().position(|known| *known == name) {
                values[place] = value;
            }
        });
        let decision = self.sender.control().decision();
        let [state, rounds, full, max_bw, bw, min_rtt, extra_acked, longterm, shortterm] = values;
        View {
            now: self.path.now,
            state: STATES[state as usize],
            rounds: rounds as u64,
            full_pipe_rounds: full as u64,
            max_bw,
            bw,
            min_rtt,
            extra_acked,
            longterm,
            shortterm,
            cwnd: decision.cwnd,
            pacing: decision.pacing_rate.unwrap().bytes_per_second() / f64::from(PACKET_BYTES),
            inflight: self.sender.inflight() as f64,
        }
    }

    /// Runs up to the next acknowledgement. Returns the state after it.
    pub fn step(&mut self) -> View {
        loop {
            let event = self.path.events.peek().map_or(Time::NEVER, |Reverse((at, ..))| *at);
            let write = self.application.map_or(Time::NEVER, |(_, at)| at);
            let next = event.min(write).min(self.sender.timer());
            assert!(next < Time::NEVER, "no event is scheduled");
            self.path.now = next;
            if event == next {
                let Some(Reverse((.., event))) = self.path.events.pop() else { continue };
                if let Some((cumulative, highest, stamp, dsack)) = self.path.happen(event) {
                    let range = (highest >= cumulative).then_some(highest..highest + 1);
                    let acknowledgement = Acknowledgement {
                        cumulative,
                        ranges: range.into_iter(),
                        stamp: Some(stamp),
                        one_way_delay: None,
                        dsack: dsack.map(|number| number..number + 1),
                        marks: MarkFeedback::default(),
                        advances: None,
                        held: None,
                    };
                    self.sender.on_ack(next, acknowledgement, &mut self.path);
                    return self.view();
                }
            } else if write == next {
                if let Some((interval, at)) = &mut self.application {
                    *at += *interval;
                }
                self.sender.add_data(next, 1);
                self.sender.send_allowed(next, &mut self.path);
            } else {
                self.sender.on_timer(next, &mut self.path);
                if self.looks_at_timers {
                    return self.view();
                }
            }
        }
    }

    /// Runs as [`Self::until`] does, and also checks the condition after each timer.
    pub fn until_timer(&mut self, holds: impl Fn(&View) -> bool) -> (View, View) {
        self.looks_at_timers = true;
        let seen = self.until(holds);
        self.looks_at_timers = false;
        seen
    }

    /// Runs until `holds` is true, for 60 seconds at most. Returns the state before and after the
    /// acknowledgement at which it becomes true.
    pub fn until(&mut self, holds: impl Fn(&View) -> bool) -> (View, View) {
        let deadline = self.path.now + Span::from_millis(60_000);
        let mut before = self.view();
        loop {
            let after = self.step();
            if holds(&after) {
                return (before, after);
            }
            assert!(after.now < deadline, "the condition does not hold within a minute: {after:?}");
            before = after;
        }
    }

    /// Runs until `state` is entered.
    pub fn enter(&mut self, state: State) -> (View, View) {
        self.until(|view| view.state != state);
        self.until(|view| view.state == state)
    }

    /// Runs for `ms` milliseconds and calls `look` at each acknowledgement.
    pub fn for_ms(&mut self, ms: u64, mut look: impl FnMut(&View, &mut Path)) {
        let end = self.path.now + Span::from_millis(ms);
        while self.path.now < end {
            let view = self.step();
            look(&view, &mut self.path);
        }
    }
}
