//! The two ends of an association, and an independent model of what the application has received.

use super::forging;
use super::network_driver::{self, Ends};
use super::script::Script;
use ackclock_base::{Span, Time, Values};
use ackclock_cc::{Assembly, Exponential, registry};
use ackclock_sim::random::Stream;
use ackclock_sim::sctp::association::Association;
use ackclock_sim::sctp::message::{Block, Control, ControlKind, Data, Echo, Message, MessageWire, Sack};
use ackclock_sim::sctp::options::{Options, PROFILES};
use ackclock_sim::sctp::path::Path;
use ackclock_sim::sctp::receiver::Receiver;
use std::collections::BTreeSet;

/// A message that owns its blocks.
#[derive(Clone, Debug)]
pub enum Owned {
    Data(Data),
    Sack { cumulative: u64, blocks: Vec<Block>, window: u32, echo: Echo, packets: u8 },
    Control(Control),
}

type Messages = network_driver::Messages<Owned>;

#[derive(Default)]
struct Sent(Messages);

impl MessageWire for Sent {
    fn send(&mut self, path: usize, message: &Message<'_>) {
        let owned = match *message {
            Message::Data(data) => Owned::Data(data),
            Message::Control(control) => Owned::Control(control),
            Message::Sack(Sack { cumulative, blocks, window, echo, packets }) => {
                Owned::Sack { cumulative, blocks: blocks.to_vec(), window, echo, packets }
            }
        };
        self.0.push((path, owned));
    }
}

pub struct AssociationEnds {
    association: Association,
    receiver: Receiver,
    established: bool,
    options: Options,
    /// The chunks that have arrived, and the number delivered to the application.
    arrived: BTreeSet<u64>,
    delivered: u64,
    acknowledged: u64,
    /// One past the last chunk sent when the association failed.
    sent_at_failure: Option<u64>,
}

impl AssociationEnds {
    pub fn new(script: &mut Script<'_>) -> Self {
        let profile = script.one_of(&[&PROFILES[0], &PROFILES[1]]);
        let values: Values = script.values(profile);
        let mut options = Options::new(&values);
        // HEARTBEATs every nanosecond find no more errors, and take forever if timeouts last minutes.
        let interval = &mut options.details.heartbeat_interval;
        *interval = interval.map(|interval| interval.max(Span::from_millis(1000)));
        // The same holds for a path that takes a thousand timeouts of a minute to fail while others answer
        // HEARTBEATs.
        let most = &mut options.details.path_max_retrans;
        *most = (*most).min(20);
        let paths = usize::from(script.byte() % 4) + 1;
        let entry = if script.byte() < 128 {
            registry::find("sctp").unwrap()
        } else {
            script.one_of(&registry::CONTROLS.iter().collect::<Vec<_>>())
        };
        let control_values = script.values(entry.descriptor);
        let mut assembly = Assembly::new(entry, &control_values, None, None);
        let confirms = options.details.confirm_paths;
        let path = |index: usize| {
            let backoff = Box::new(Exponential { most: 65_536.0 });
            let random = Stream::new(1, "guesses");
            Path::new(&options, assembly.join(&options.initial()), backoff, random, index == 0 || !confirms)
        };
        let made: Vec<Path> = (0..paths).map(path).collect();
        let selector = script.one_of(&[&registry::SELECTORS[0], &registry::SELECTORS[1]]);
        let selector = (selector.build)(&script.values(selector.descriptor), paths);
        let chunks = script.one_of(&[u64::MAX, 0, 1, 10, 500]);
        Self {
            association: Association::new(options.clone(), made, selector, chunks, Stream::new(1, "hearts")),
            receiver: Receiver::new(&options),
            established: !options.details.handshake,
            options,
            arrived: BTreeSet::new(),
            delivered: 0,
            acknowledged: 0,
            sent_at_failure: None,
        }
    }

    fn first_missing(&self) -> u64 {
        (0..)
            .zip(&self.arrived)
            .find(|(place, tsn)| place != *tsn)
            .map_or(self.arrived.len() as u64, |(place, _)| place)
    }

    /// Returns the number of arrived chunks that can be delivered in the order of their streams.
    fn deliverable(&self) -> u64 {
        let streams = u64::from(self.options.details.streams);
        if !self.options.details.ordered {
            return self.arrived.len() as u64;
        }
        let high = self.arrived.last().map_or(0, |last| last + 1);
        let of_stream = |stream: u64| {
            let tsns = (stream..high).step_by(streams as usize);
            tsns.take_while(|tsn| self.arrived.contains(tsn)).count() as u64
        };
        (0..streams.min(high)).map(of_stream).sum()
    }

    /// Checks that an association that has failed sends no data (it still answers control chunks).
    fn check_silence(&mut self, sent: &Sent) {
        if self.association.failed_at().is_some() {
            let high = self.association.sent_to();
            if self.sent_at_failure.is_some() {
                let data = sent.0.iter().filter(|(_, message)| matches!(message, Owned::Data(_))).count();
                assert_eq!(data, 0, "sent after it has failed");
            }
            assert_eq!(*self.sent_at_failure.get_or_insert(high), high, "sent after it has failed");
            assert_eq!(self.association.timer(), Time::NEVER);
        }
    }
}

impl Ends for AssociationEnds {
    type Message = Owned;
    const OUTLIVE_PATHS: bool = true;

    fn paths(&self) -> usize {
        self.association.paths().len()
    }

    fn is_over(&self) -> bool {
        self.association.is_over()
    }

    fn stop(&mut self) {
        self.association.stop();
    }

    fn timer(&self) -> Time {
        self.association.timer().min(self.receiver.timer())
    }

    fn start(&mut self, now: Time) -> Messages {
        let mut sent = Sent::default();
        self.association.start(now, &mut sent);
        sent.0
    }

    /// Calls the timers that are due. Returns the messages of the sender and of the receiver.
    fn on_timer(&mut self, now: Time) -> (Messages, Messages) {
        let (mut sent, mut answered) = (Sent::default(), Sent::default());
        if self.receiver.timer() <= now {
            let (path, sack) = self.receiver.sack();
            answered.send(path, &Message::Sack(sack));
        }
        if self.association.timer() <= now {
            self.association.on_timer(now, &mut sent);
        }
        self.check_silence(&sent);
        (sent.0, answered.0)
    }

    /// Passes a message to the receiver. Returns its answers.
    fn receive(&mut self, now: Time, path: usize, message: &Owned) -> Messages {
        let mut answered = Sent::default();
        match message {
            Owned::Data(data) if self.established => {
                let arrived = self.receiver.on_data(now, path, data);
                let room =
                    self.options.details.receive_window.bytes() / u64::from(self.options.sizes.payload);
                let has_room = self.arrived.len() as u64 - self.delivered < room.max(1);
                if has_room || data.tsn == self.first_missing() {
                    self.arrived.insert(data.tsn);
                }
                self.delivered += arrived.delivered;
                if arrived.answers {
                    let (path, sack) = self.receiver.sack();
                    answered.send(path, &Message::Sack(sack));
                }
            }
            Owned::Control(control) => {
                let kind = match control.kind {
                    ControlKind::Init => ControlKind::InitAck,
                    ControlKind::CookieEcho => {
                        self.established = true;
                        ControlKind::CookieAck
                    }
                    _ => ControlKind::HeartbeatAck,
                };
                answered.send(path, &Message::Control(Control { kind, ..*control }));
            }
            _ => {}
        }
        answered.0
    }

    /// Passes a message to the sender. Returns the messages that it sends.
    fn hear(&mut self, now: Time, path: usize, message: &Owned) -> Messages {
        let mut sent = Sent::default();
        match message {
            Owned::Sack { cumulative, blocks, window, echo, packets } => {
                let sack =
                    Sack { cumulative: *cumulative, blocks, window: *window, echo: *echo, packets: *packets };
                self.association.on_sack(now, &sack, &mut sent);
            }
            Owned::Control(control) => self.association.on_control(now, path, control, &mut sent),
            Owned::Data(_) => {}
        }
        self.check_silence(&sent);
        sent.0
    }

    /// Checks what must hold at any time.
    fn check(&mut self, honest: bool) {
        let association = &self.association;
        assert_eq!(self.delivered, self.deliverable(), "each once, and none out of its stream's order");
        let chunk = u64::from(self.options.sizes.chunk);
        let of_paths: u64 = association.paths().iter().map(|path| path.sender.inflight()).sum();
        if association.failed_at().is_none() {
            assert_eq!(
                of_paths,
                association.in_flight() * chunk,
                "what the paths and the association know is in flight"
            );
        }
        let acknowledged = association.acknowledged();
        assert!(acknowledged >= self.acknowledged && acknowledged <= association.sent_to());
        self.acknowledged = acknowledged;
        for path in association.paths() {
            let cwnd = path.cwnd();
            assert!(cwnd.is_finite() && cwnd >= 1.0, "a window of {cwnd}");
        }
        if honest {
            assert!(acknowledged <= self.first_missing(), "acknowledged and not arrived");
            assert!(self.arrived.last().is_none_or(|last| *last < association.sent_to()));
        }
    }

    /// Checks that everything has arrived, or that the association has failed. If no path works it must have
    /// failed, unless there was nothing to send.
    fn check_end(&self, all_dead: bool) {
        let association = &self.association;
        if association.failed_at().is_none() {
            assert!(association.is_done(), "neither done nor failed");
            assert_eq!(self.arrived.len() as u64, association.sent_to());
            assert_eq!(self.delivered, association.sent_to());
        }
        if all_dead && association.failed_at().is_none() {
            assert_eq!(association.acknowledged(), association.sent_to());
        }
    }

    fn forge(&mut self, now: Time, other: bool, script: &mut Script<'_>) -> Messages {
        if other {
            forging::control(script, now, self.paths())
        } else {
            forging::sacks(script, now, self.association.acknowledged(), self.association.sent_to())
        }
    }

    /// Stops the application or changes the primary path.
    fn change(&mut self, byte: u8) {
        match byte {
            41..=60 => self.stop(),
            byte => self.association.set_primary(usize::from(byte) % self.paths()),
        }
    }

    fn sent(&self) -> u64 {
        self.association.sent_to()
    }
}
