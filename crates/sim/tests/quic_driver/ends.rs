//! The two ends of a connection, and an independent model of what the application has received.

use super::network_driver::{self, Ends};
use super::script::Script;
use ackclock_base::{Span, Time};
use ackclock_cc::{Assembly, Exponential, registry};
use ackclock_sim::quic::datagram::{Ack, Data, Datagram, DatagramWire};
use ackclock_sim::quic::options::{Options, PROFILES};
use ackclock_sim::quic::receiver::Receiver;
use ackclock_sim::quic::sender::QuicSender;
use ackclock_sim::random::Stream;
use std::collections::BTreeSet;

/// A datagram that owns its ranges.
#[derive(Clone, Debug)]
pub enum Owned {
    Data(Data),
    Ack { ranges: Vec<(u64, u64)>, delay: Span, marked: u64 },
    Initial(Time),
}

type Messages = network_driver::Messages<Owned>;

#[derive(Default)]
struct Sent(Messages);

impl DatagramWire for Sent {
    fn send(&mut self, datagram: Datagram<'_>) {
        let owned = match datagram {
            Datagram::Data(data) => Owned::Data(data),
            Datagram::Ack(Ack { highest, below, delay, marked }) => {
                Owned::Ack { ranges: [&[highest], below].concat(), delay, marked }
            }
            Datagram::Initial(sent) => Owned::Initial(sent),
            Datagram::Credit(_) => return, // only of slow readers
        };
        self.0.push((0, owned));
    }
}

pub struct ConnectionEnds {
    sender: QuicSender,
    receiver: Receiver,
    /// One past the highest packet number sent, and the pieces that have arrived.
    numbers: u64,
    arrived: BTreeSet<u64>,
    /// The number below which packets are settled, as reported by the sender.
    settled: u64,
    total: u64,
    stopped: bool,
}

impl ConnectionEnds {
    pub fn new(script: &mut Script<'_>) -> Self {
        let mut options = Options::new(&script.values(&PROFILES[0]));
        // A connection of a million packets finds no more errors, and takes long.
        options.recovery.window = options.recovery.window.min(2500);
        let entry = script.one_of(&registry::CONTROLS.iter().collect::<Vec<_>>());
        let mut assembly = Assembly::new(entry, &script.values(entry.descriptor), None, None);
        let backoff = Box::new(Exponential { most: 65_536.0 });
        let total = script.one_of(&[u64::MAX, 0, 1, 10, 500]);
        let control = assembly.join(&options.initial());
        Self {
            sender: QuicSender::new(&options, control, backoff, total, Stream::new(1, "guesses")),
            receiver: Receiver::new(options.receiver),
            numbers: 0,
            arrived: BTreeSet::new(),
            settled: 0,
            total,
            stopped: false,
        }
    }

    /// Checks that no packet number is used twice and none is left out.
    fn note_sent(&mut self, sent: &Sent) {
        for (_, message) in &sent.0 {
            if let Owned::Data(data) = message {
                assert_eq!(data.number, self.numbers);
                self.numbers += 1;
                assert!(data.piece < self.total, "a piece that the application does not have");
            }
        }
    }

    fn first_missing(&self) -> u64 {
        (0..)
            .zip(&self.arrived)
            .find(|(place, piece)| place != *piece)
            .map_or(self.arrived.len() as u64, |(place, _)| place)
    }

    fn acknowledge(&mut self, now: Time) -> Messages {
        let mut answered = Sent::default();
        answered.send(Datagram::Ack(self.receiver.acknowledge(now)));
        answered.0
    }
}

impl Ends for ConnectionEnds {
    type Message = Owned;
    const OUTLIVE_PATHS: bool = false;

    fn start(&mut self, now: Time) -> Messages {
        let mut sent = Sent::default();
        self.sender.start(now, &mut sent);
        self.note_sent(&sent);
        sent.0
    }

    fn timer(&self) -> Time {
        self.sender.timer().min(self.receiver.timer())
    }

    fn on_timer(&mut self, now: Time) -> (Messages, Messages) {
        let answered = if self.receiver.timer() <= now { self.acknowledge(now) } else { Vec::new() };
        let mut sent = Sent::default();
        if self.sender.timer() <= now {
            self.sender.on_timer(now, &mut sent);
            self.note_sent(&sent);
        }
        (sent.0, answered)
    }

    fn receive(&mut self, now: Time, _path: usize, message: &Owned) -> Messages {
        match message {
            Owned::Data(data) => {
                let answers = self.receiver.take(now, data, false);
                // A packet that arrives after the sender has settled its number cannot be told from a
                // duplicate, and is ignored.
                self.settled = self.settled.max(data.number - u64::from(data.wanted));
                if data.number >= self.settled {
                    self.arrived.insert(data.piece);
                }
                if answers { self.acknowledge(now) } else { Vec::new() }
            }
            Owned::Initial(sent) => vec![(0, Owned::Initial(*sent))],
            Owned::Ack { .. } => Vec::new(),
        }
    }

    fn hear(&mut self, now: Time, _path: usize, message: &Owned) -> Messages {
        let mut sent = Sent::default();
        match message {
            Owned::Ack { ranges, delay, marked } => {
                if let Some((highest, below)) = ranges.split_first() {
                    let ack = Ack { highest: *highest, below, delay: *delay, marked: *marked };
                    self.sender.on_ack(now, &ack, &mut sent);
                }
            }
            Owned::Initial(at) => self.sender.on_initial(now, *at, &mut sent),
            Owned::Data(_) => {}
        }
        self.note_sent(&sent);
        sent.0
    }

    /// Returns forged acknowledgements of packets that were sent, in ranges that were not received, or of
    /// packets that were never sent.
    fn forge(&mut self, now: Time, other: bool, script: &mut Script<'_>) -> Messages {
        if other {
            return vec![(
                0,
                Owned::Initial(Time::from_nanos(script.number_near(now.nanos()).min(now.nanos()))),
            )];
        }
        let mut end = script.number_near(self.numbers).min(self.numbers + 2);
        let mut ranges = Vec::new();
        for _ in 0..=script.byte() % 8 {
            let start = end.saturating_sub(u64::from(script.byte() % 16));
            ranges.push((start, end));
            end = start.saturating_sub(u64::from(script.byte() % 16));
        }
        let delay = Span::from_nanos(u64::from(script.pair()) * 8000);
        vec![(0, Owned::Ack { ranges, delay, marked: u64::from(script.byte()) })]
    }

    /// Stops the application.
    fn change(&mut self, byte: u8) {
        if byte < 128 {
            self.stop();
        }
    }

    fn stop(&mut self) {
        self.sender.stop();
        self.stopped = true;
    }

    fn sent(&self) -> u64 {
        self.numbers
    }

    fn is_over(&self) -> bool {
        self.sender.core().is_done()
    }

    fn check(&mut self, honest: bool) {
        assert_eq!(self.receiver.delivered(), self.first_missing(), "in order, and nothing else");
        assert!(self.sender.core().inflight() <= self.numbers);
        let cwnd = self.sender.core().control().decision().cwnd;
        assert!(cwnd.is_finite() && cwnd >= 1.0, "a window of {cwnd}");
        if honest && self.sender.core().is_done() && !self.stopped {
            assert_eq!(self.arrived.len() as u64, self.total, "done, and something is missing");
        }
    }

    fn check_end(&self, all_dead: bool) {
        if !all_dead {
            assert!(self.sender.core().is_done(), "not done");
            assert_eq!(self.receiver.delivered(), self.arrived.len() as u64, "a hole in the stream");
        }
    }
}
