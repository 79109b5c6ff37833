//! The sending side: the handshake, and what turns packet numbers into datagrams and acknowledgements into ranges of them.
//! Recovery and congestion control are [`ackclock_recovery`]'s.

use super::cargo::Cargo;
use super::datagram::{Ack, Data, Datagram, Wire};
use super::options::Options;
use crate::measured_sender::MeasuredSender;
use crate::random::Stream;
use ackclock_base::Time;
use ackclock_cc::{Backoff, Controller, EcnResponse};
use ackclock_recovery::detection::quic::Quic;
use ackclock_recovery::ecn::MarkFeedback;
use ackclock_recovery::sender::{Acknowledgement, Handed, Held, Output, Parts, Transmission};

/// The sender of a connection.
pub struct Sender {
    measured: MeasuredSender,
    cargo: Cargo,
    options: Options,
    state: State,
    /// The most marks that the receiver has reported. The greatest number where packets are not ECN-capable: then no report tells
    /// anything new.
    marked: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Connecting,
    Open,
}

impl Sender {
    /// A sender that has not started, with so many pieces of data to send.
    pub fn new(
        options: &Options,
        controller: Controller,
        backoff: Box<dyn Backoff>,
        pieces: u64,
        random: Stream,
    ) -> Self {
        let detection = Box::new(Quic::new(options.detection));
        let parts = Parts { controller, detection, backoff, random: Box::new(random) };
        Self {
            measured: MeasuredSender::new(ackclock_recovery::Sender::new(
                options.recovery.clone(),
                parts,
                pieces,
            )),
            cargo: Cargo::new(pieces),
            options: options.clone(),
            state: State::Idle,
            marked: if options.sends_capable() { 0 } else { u64::MAX },
        }
    }

    /// The application begins.
    pub fn start(&mut self, now: Time, wire: &mut impl Wire) {
        self.measured.core.begin(now);
        if self.options.handshake {
            self.state = State::Connecting;
            self.send_initial(now, wire);
        } else {
            self.open(now, wire);
        }
    }

    /// The connection stays open when it has delivered everything, until it is [closed](Self::close).
    pub fn stay_open(&mut self) {
        self.measured.core.stay_open();
    }

    /// The application has so much more to send.
    pub fn send_more(&mut self, now: Time, pieces: u64, wire: &mut impl Wire) {
        self.measured.core.add_data(now, pieces);
        self.cargo.add(pieces);
        if self.state == State::Open {
            self.with(now, wire, |core, datagrams| core.send_allowed(now, datagrams));
        }
    }

    /// The end of a connection that has stayed open.
    pub fn close(&mut self, now: Time) {
        self.measured.core.close(now);
    }

    /// The application has nothing more to send; what is outstanding is still repaired.
    pub fn stop(&mut self) {
        let again = self.cargo.stop();
        self.measured.core.stop_but_for(again);
    }

    /// When [`Self::on_timer`] is due.
    pub fn timer(&self) -> Time {
        if self.state == State::Open { self.measured.core.timer() } else { self.measured.core.deadline() }
    }

    /// The timer that [`Self::timer`] announced has expired.
    pub fn on_timer(&mut self, now: Time, wire: &mut impl Wire) {
        if self.state == State::Open {
            self.with(now, wire, |core, datagrams| core.on_timer(now, datagrams));
        } else if now >= self.measured.core.deadline() {
            self.measured.core.on_no_answer();
            self.send_initial(now, wire);
        }
    }

    /// The first packet of the other end, which answers to one that was sent then.
    #[cold]
    pub fn on_initial(&mut self, now: Time, sent: Time, wire: &mut impl Wire) {
        if self.state == State::Connecting {
            self.measured.core.on_answer(now, sent);
            self.open(now, wire);
        }
    }

    /// An acknowledgement has arrived. One of what was never sent is ignored.
    pub fn on_ack(&mut self, now: Time, ack: &Ack<'_>, wire: &mut impl Wire) {
        let (start, end) = ack.highest;
        if self.state != State::Open || end > self.measured.core.high() || start >= end {
            return;
        }
        // The lowest first, as they were sent.
        let ranges = ack.below.iter().rev().chain([&ack.highest]).map(|(start, end)| *start..*end);
        let echo = ack.marked > self.marked;
        self.marked = self.marked.max(ack.marked);
        let acknowledgement = Acknowledgement {
            cumulative: 0,
            ranges,
            stamp: None,
            one_way_delay: None,
            dsack: None,
            marks: MarkFeedback { echo, marked: self.marked as u16, ..MarkFeedback::default() },
            advances: None,
            held: Some(Held { end, delay: ack.delay.min(self.options.detection.max_ack_delay) }),
        };
        let taken = self.with(now, wire, |core, datagrams| core.on_ack(now, acknowledgement, datagrams));
        self.measured.take(taken);
        self.cargo.settle(self.measured.core.una());
    }

    /// The application has more to send than the receiver takes, or not.
    pub(super) fn hold_back(&mut self, is_held_back: bool) {
        self.measured.core.hold_back(is_held_back);
    }

    /// Raises the credit by `pieces`, which the application has to send.
    pub(super) fn grant(&mut self, now: Time, pieces: u64, wire: &mut impl Wire) {
        self.cargo.add(pieces);
        self.with(now, wire, |core, datagrams| core.grant(now, pieces, datagrams));
    }

    /// What is measured, and recovery's sender in it.
    pub fn measured(&self) -> &MeasuredSender {
        &self.measured
    }

    /// The same.
    pub fn measured_mut(&mut self) -> &mut MeasuredSender {
        &mut self.measured
    }

    /// Recovery's sender.
    pub fn core(&self) -> &ackclock_recovery::Sender {
        &self.measured.core
    }

    /// The details.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether its control counts marks.
    pub fn counts_marks(&self) -> bool {
        self.measured.core.control().ecn() == EcnResponse::Counts
    }

    fn open(&mut self, now: Time, wire: &mut impl Wire) {
        self.state = State::Open;
        self.with(now, wire, |core, datagrams| core.open(now, datagrams));
    }

    fn send_initial(&mut self, now: Time, wire: &mut impl Wire) {
        wire.send(Datagram::Initial(now));
        self.measured.core.await_answer(now);
    }

    #[inline]
    fn with<W: Wire, R>(
        &mut self,
        now: Time,
        wire: &mut W,
        act: impl FnOnce(&mut ackclock_recovery::Sender, &mut Datagrams<'_, W>) -> R,
    ) -> R {
        let Self { measured: MeasuredSender { core, .. }, cargo, .. } = self;
        let result = act(core, &mut Datagrams { now, cargo, wire });
        core.note_repeated(cargo.take_repeated());
        result
    }
}

/// Makes datagrams of what may be sent.
struct Datagrams<'a, W> {
    now: Time,
    cargo: &'a mut Cargo,
    wire: &'a mut W,
}

impl<W: Wire> Output for Datagrams<'_, W> {
    #[inline]
    fn send(&mut self, transmission: Transmission) -> Option<Handed> {
        let Transmission { number, .. } = transmission;
        let piece = self.cargo.load();
        let wanted = (number - self.cargo.first()) as u32;
        self.wire.send(Datagram::Data(Data { number, piece, sent: self.now, wanted }));
        Some(Handed::of(1))
    }

    fn on_acked(&mut self, number: u64) -> u64 {
        self.cargo.on_acked(number)
    }

    fn on_lost(&mut self, number: u64) -> bool {
        self.cargo.on_lost(number)
    }
}
