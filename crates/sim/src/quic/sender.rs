//! The sending side: the handshake, and the conversion between packet numbers, datagrams and acknowledged
//! ranges. Recovery and congestion control are in [`ackclock_recovery`].

use super::datagram::{Ack, Data, Datagram, DatagramWire};
use super::options::Options;
use super::stream_data::StreamData;
use crate::measured_sender::MeasuredSender;
use crate::random::Stream;
use ackclock_base::Time;
use ackclock_cc::{Backoff, Controller, EcnResponse};
use ackclock_recovery::detection::quic::Quic;
use ackclock_recovery::ecn::MarkFeedback;
use ackclock_recovery::sender::{Acknowledgement, Held, Output, Parts, Transmission};

/// The sender of a connection.
pub struct QuicSender {
    measured: MeasuredSender,
    stream: StreamData,
    options: Options,
    state: State,
    /// The largest count of marks that the receiver has reported. If packets are not ECN-capable it is the
    /// largest number, so that no report is new.
    marked: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Connecting,
    Open,
}

impl QuicSender {
    /// Creates a sender that has not started, with `pieces` pieces of data to send.
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
            stream: StreamData::new(pieces),
            options: options.clone(),
            state: State::Idle,
            marked: if options.sends_capable() { 0 } else { u64::MAX },
        }
    }

    /// Starts the connection: sends an Initial packet, or data at once if there is no handshake.
    pub fn start(&mut self, now: Time, wire: &mut impl DatagramWire) {
        self.measured.core.begin(now);
        if self.options.handshake {
            self.state = State::Connecting;
            self.send_initial(now, wire);
        } else {
            self.open(now, wire);
        }
    }

    /// Keeps the connection open after everything has been delivered, until it is [closed](Self::close).
    pub fn stay_open(&mut self) {
        self.measured.core.stay_open();
    }

    /// Adds `pieces` pieces to send, and sends what is allowed if the connection is open.
    pub fn send_more(&mut self, now: Time, pieces: u64, wire: &mut impl DatagramWire) {
        self.measured.core.add_data(now, pieces);
        self.stream.add(pieces);
        if self.state == State::Open {
            self.with(now, wire, |core, datagrams| core.send_allowed(now, datagrams));
        }
    }

    /// Ends a connection that has stayed open.
    pub fn close(&mut self, now: Time) {
        self.measured.core.close(now);
    }

    /// Drops the data that has not been sent yet. Outstanding data is still retransmitted.
    pub fn stop(&mut self) {
        let again = self.stream.stop();
        self.measured.core.stop_but_for(again);
    }

    /// Returns when [`Self::on_timer`] is due.
    pub fn timer(&self) -> Time {
        if self.state == State::Open { self.measured.core.timer() } else { self.measured.core.deadline() }
    }

    /// Called at the time that [`Self::timer`] announced. Repeats the Initial packet before the connection is
    /// open, and calls recovery's timer afterwards.
    pub fn on_timer(&mut self, now: Time, wire: &mut impl DatagramWire) {
        if self.state == State::Open {
            self.with(now, wire, |core, datagrams| core.on_timer(now, datagrams));
        } else if now >= self.measured.core.deadline() {
            self.measured.core.on_no_answer();
            self.send_initial(now, wire);
        }
    }

    /// Called when an Initial packet of the other end arrives, which answers the one sent at `sent`. Opens
    /// the connection, with a round-trip sample if only one was sent, unless it is open already.
    #[cold]
    pub fn on_initial(&mut self, now: Time, sent: Time, wire: &mut impl DatagramWire) {
        if self.state == State::Connecting {
            self.measured.core.on_answer(now, sent);
            self.open(now, wire);
        }
    }

    /// Processes an acknowledgement, and sends what it allows. An acknowledgement of packets that were never
    /// sent is ignored.
    pub fn on_ack(&mut self, now: Time, ack: &Ack<'_>, wire: &mut impl DatagramWire) {
        let (start, end) = ack.highest;
        if self.state != State::Open || end > self.measured.core.high() || start >= end {
            return;
        }
        // The ranges are passed on from the lowest to the highest, in the order in which packets were sent.
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
        self.stream.settle(self.measured.core.una());
    }

    /// Sets whether the application has data that the receiver's limit does not allow to be sent.
    pub(super) fn hold_back(&mut self, is_held_back: bool) {
        self.measured.core.hold_back(is_held_back);
    }

    /// Adds `pieces` pieces that the receiver's raised limit allows, and sends what the window allows.
    pub(super) fn grant(&mut self, now: Time, pieces: u64, wire: &mut impl DatagramWire) {
        self.stream.add(pieces);
        self.with(now, wire, |core, datagrams| core.grant(now, pieces, datagrams));
    }

    /// Returns the measured sender, which contains recovery's sender.
    pub fn measured(&self) -> &MeasuredSender {
        &self.measured
    }

    /// Returns the measured sender for changes.
    pub fn measured_mut(&mut self) -> &mut MeasuredSender {
        &mut self.measured
    }

    /// Returns recovery's sender.
    pub fn core(&self) -> &ackclock_recovery::Sender {
        &self.measured.core
    }

    /// Returns the options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Returns whether the control counts marks.
    pub fn counts_marks(&self) -> bool {
        self.measured.core.control().properties().ecn == EcnResponse::Counts
    }

    fn open(&mut self, now: Time, wire: &mut impl DatagramWire) {
        self.state = State::Open;
        self.with(now, wire, |core, datagrams| core.open(now, datagrams));
    }

    fn send_initial(&mut self, now: Time, wire: &mut impl DatagramWire) {
        wire.send(Datagram::Initial(now));
        self.measured.core.await_answer(now);
    }

    #[inline]
    fn with<W: DatagramWire, R>(
        &mut self,
        now: Time,
        wire: &mut W,
        act: impl FnOnce(&mut ackclock_recovery::Sender, &mut Datagrams<'_, W>) -> R,
    ) -> R {
        let Self { measured: MeasuredSender { core, .. }, stream, .. } = self;
        let result = act(core, &mut Datagrams { now, stream, wire });
        core.note_repeated(stream.take_repeated());
        result
    }
}

/// Converts the packets that recovery may send into datagrams.
struct Datagrams<'a, W> {
    now: Time,
    stream: &'a mut StreamData,
    wire: &'a mut W,
}

impl<W: DatagramWire> Output for Datagrams<'_, W> {
    #[inline]
    fn send(&mut self, transmission: Transmission) -> Option<u16> {
        let Transmission { number, .. } = transmission;
        let piece = self.stream.load();
        let wanted = (number - self.stream.first()) as u32;
        self.wire.send(Datagram::Data(Data { number, piece, sent: self.now, wanted }));
        Some(1)
    }

    fn on_acked(&mut self, number: u64) -> u64 {
        self.stream.on_acked(number)
    }

    fn on_lost(&mut self, number: u64) -> bool {
        self.stream.on_lost(number)
    }
}
