//! The sending side: the handshake, and what turns packet numbers into datagrams and acknowledgements into ranges of them.
//! Recovery and congestion control are [`ackclock_recovery`]'s.

use super::cargo::Cargo;
use super::datagram::{Ack, Data, Datagram, Wire};
use super::options::Options;
use crate::histogram::Histogram;
use crate::random::Stream;
use ackclock_base::{Span, Time};
use ackclock_cc::{Backoff, Control, Controller, EcnResponse};
use ackclock_recovery::detection::quic::Quic;
use ackclock_recovery::ecn::MarkFeedback;
use ackclock_recovery::sender::{Acknowledgement, Counts, Held, Output, Parts, Transmission};

/// The sender of a connection.
pub struct Sender {
    core: ackclock_recovery::Sender,
    cargo: Cargo,
    options: Options,
    state: State,
    marked: u64,
    last_rtt: Option<Span>,
    rtt: Histogram,
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
            core: ackclock_recovery::Sender::new(options.recovery.clone(), parts, pieces),
            cargo: Cargo::new(pieces),
            options: options.clone(),
            state: State::Idle,
            marked: 0,
            last_rtt: None,
            rtt: Histogram::default(),
        }
    }

    /// The application begins.
    pub fn start(&mut self, now: Time, wire: &mut impl Wire) {
        self.core.begin(now);
        if self.options.handshake {
            self.state = State::Connecting;
            self.send_initial(now, wire);
        } else {
            self.open(now, wire);
        }
    }

    /// The connection stays open when it has delivered everything, until it is [closed](Self::close).
    pub fn stay_open(&mut self) {
        self.core.stay_open();
    }

    /// The application has so much more to send.
    pub fn send_more(&mut self, now: Time, pieces: u64, wire: &mut impl Wire) {
        self.core.add_data(pieces);
        self.cargo.add(pieces);
        if self.state == State::Open {
            self.with(now, wire, |core, datagrams| core.send_allowed(now, datagrams));
        }
    }

    /// The end of a connection that has stayed open.
    pub fn close(&mut self) {
        self.core.close();
    }

    /// The application has nothing more to send; what is outstanding is still repaired.
    pub fn stop(&mut self) {
        let again = self.cargo.stop();
        self.core.stop_but_for(again);
    }

    /// When [`Self::on_timer`] is due.
    pub fn timer(&self) -> Time {
        if self.state == State::Open { self.core.timer() } else { self.core.deadline() }
    }

    /// The timer that [`Self::timer`] announced has expired.
    pub fn on_timer(&mut self, now: Time, wire: &mut impl Wire) {
        if self.state == State::Open {
            self.with(now, wire, |core, datagrams| core.on_timer(now, datagrams));
        } else if now >= self.core.deadline() {
            self.core.on_no_answer();
            self.send_initial(now, wire);
        }
    }

    /// The first packet of the other end, which answers to one that was sent then.
    #[cold]
    pub fn on_initial(&mut self, now: Time, sent: Time, wire: &mut impl Wire) {
        if self.state == State::Connecting {
            self.core.on_answer(now, sent);
            self.open(now, wire);
        }
    }

    /// An acknowledgement has arrived. One of what was never sent is ignored.
    pub fn on_ack(&mut self, now: Time, ack: &Ack<'_>, wire: &mut impl Wire) {
        let (start, end) = ack.highest;
        if self.state != State::Open || end > self.core.high() || start >= end {
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
            marks: MarkFeedback { echo, marked: self.marked as u16 },
            advances: None,
            held: Some(Held { end, delay: ack.delay.min(self.options.detection.max_ack_delay) }),
        };
        let taken = self.with(now, wire, |core, datagrams| core.on_ack(now, acknowledgement, datagrams));
        if let Some(rtt) = taken.clean_rtt {
            self.rtt.record(rtt);
            self.last_rtt = Some(rtt);
        }
        self.cargo.settle(self.core.una());
    }

    /// Whether everything that the application had to send is acknowledged.
    pub fn is_done(&self) -> bool {
        self.core.is_done()
    }

    /// Whether it is repairing a loss.
    pub fn recovering(&self) -> bool {
        self.core.recovering()
    }

    /// The congestion control.
    pub fn control(&self) -> &dyn Control {
        self.core.control()
    }

    /// Shows the inside of the control, see [`Control::publish`].
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.core.publish(series);
    }

    /// The latest round-trip sample.
    pub fn last_rtt(&self) -> Option<Span> {
        self.last_rtt
    }

    /// The details.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// One past the highest packet number.
    pub fn high(&self) -> u64 {
        self.core.high()
    }

    /// Whether its control counts marks.
    pub fn counts_marks(&self) -> bool {
        self.core.control().ecn() == EcnResponse::Counts
    }

    /// Packets thought to be in the network.
    pub fn inflight(&self) -> u64 {
        self.core.inflight()
    }

    /// What was counted.
    pub fn counts(&self) -> &Counts {
        self.core.counts()
    }

    /// Round trips, one for each acknowledgement that tells one.
    pub fn rtt(&self) -> &Histogram {
        &self.rtt
    }

    /// Counts what another sender has counted as its own, except for the window.
    pub fn absorb(&mut self, other: &Self) {
        self.core.absorb(other.counts());
        self.rtt.absorb(&other.rtt);
    }

    /// Starts counting anew at the end of the warm-up.
    pub fn reset_counts(&mut self, now: Time) {
        self.core.reset_counts(now);
        self.rtt = Histogram::default();
    }

    /// The congestion window's integral up to `now`, in packet seconds.
    pub fn cwnd_area(&mut self, now: Time) -> f64 {
        self.core.cwnd_area(now)
    }

    fn open(&mut self, now: Time, wire: &mut impl Wire) {
        self.state = State::Open;
        self.with(now, wire, |core, datagrams| core.open(now, datagrams));
    }

    fn send_initial(&mut self, now: Time, wire: &mut impl Wire) {
        wire.send(Datagram::Initial(now));
        self.core.await_answer(now);
    }

    #[inline]
    fn with<W: Wire, R>(
        &mut self,
        now: Time,
        wire: &mut W,
        act: impl FnOnce(&mut ackclock_recovery::Sender, &mut Datagrams<'_, W>) -> R,
    ) -> R {
        let Self { core, cargo, .. } = self;
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
    fn send(&mut self, transmission: Transmission) -> Option<u16> {
        let Transmission { number, .. } = transmission;
        let piece = self.cargo.load();
        let wanted = (number - self.cargo.first()) as u32;
        self.wire.send(Datagram::Data(Data { number, piece, sent: self.now, wanted }));
        Some(1)
    }

    fn on_acked(&mut self, number: u64) -> u64 {
        self.cargo.on_acked(number)
    }

    fn on_lost(&mut self, number: u64) -> bool {
        self.cargo.on_lost(number)
    }
}
