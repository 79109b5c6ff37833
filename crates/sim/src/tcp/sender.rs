//! The sending side of a TCP connection: the handshake, and the conversion between packet numbers, segments
//! and acknowledgements. Recovery and congestion control are in [`ackclock_recovery`].

use super::accurate_ecn::{Agreed, agreed};
use super::details::Details;
use super::options::Options;
use super::persisting::Advertised;
use super::segment::{Block, ByteCounters, Flags, Segment, filled};
use crate::endpoint::Launch;
use crate::measured_sender::MeasuredSender;
use crate::random::Stream;
use ackclock_base::{Span, Time};
use ackclock_cc::{Backoff, Controller, EcnResponse};
use ackclock_recovery::declared::LocalDrop;
use ackclock_recovery::ecn::{MarkFeedback, NOT_TOLD};
use ackclock_recovery::sender::{Acknowledgement, Output, Parts, Transmission};

/// The interface through which a sender sends segments.
pub trait SegmentWire {
    /// Sends a segment now.
    fn send(&mut self, segment: Segment) -> Launch;

    /// Returns when the segment sent last, if it was not refused, will have left the host's own interface;
    /// `None` if that is unknown.
    fn leaves(&self) -> Option<Time> {
        None
    }
}

/// The sender of a connection.
pub struct TcpSender {
    pub(super) measured: MeasuredSender,
    pub(super) details: Details,
    /// The largest window that the receiver may ever allow, in packets.
    pub(super) widest_window: u64,
    pub(super) state: State,
    /// The flags of packets sent for the first time.
    pub(super) flags: Flags,
    /// The first packet not acknowledged by the last acknowledgement whose window was taken, modulo 2^16;
    /// data packets carry it. Zero if the receiver's window is fixed.
    pub(super) seen: u16,
    /// Whether the receiver counts marks (RFC 9768); during the handshake, whether it is asked to.
    accurate: bool,
    /// The window advertised by a receiver whose application reads slowly; `None` for other receivers.
    pub(super) advertised: Option<Box<Advertised>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Idle,
    Connecting,
    /// The end that listened has answered a SYN with a segment of these flags, and awaits its acknowledgement.
    Accepting(Flags),
    Open,
    /// The connection is open, but the receiver's window is closed and no data is outstanding. The
    /// retransmission timer serves as the persist timer.
    Persisting,
}

impl TcpSender {
    /// Creates a sender that has not started, with `packets` packets to send.
    pub fn new(
        options: &Options,
        controller: Controller,
        backoff: Box<dyn Backoff>,
        packets: u64,
        random: Stream,
    ) -> Self {
        let flags = Flags::of(options.details.field(controller.properties().ecn == EcnResponse::Counts));
        let parts = Parts { controller, detection: options.detection(), backoff, random: Box::new(random) };
        Self {
            measured: MeasuredSender::new(ackclock_recovery::Sender::new(
                options.recovery.clone(),
                parts,
                packets,
            )),
            details: options.details,
            widest_window: options.widest_window,
            state: State::Idle,
            flags,
            seen: 0,
            accurate: options.details.accurate_ecn,
            advertised: options.reader.as_ref().map(|_| Box::new(Advertised::new(options))),
        }
    }

    /// Starts the connection: sends a SYN, or data at once if there is no handshake.
    pub fn start(&mut self, now: Time, wire: &mut impl SegmentWire) {
        self.measured.core.begin(now);
        if self.details.handshake {
            self.state = State::Connecting;
            self.send_syn(now, wire);
        } else {
            self.open(now, wire);
        }
    }

    /// Accepts the connection that the segment `syn` asks for, as the end that listened: sends an answer with the
    /// flags of `answer`, the receiver's, and awaits its acknowledgement, before which no data is sent. Packets may
    /// be marked if the SYN asks for it, by RFC 3168 (ECE and CWR) or by RFC 9768 (all three bits).
    pub fn accept(&mut self, now: Time, syn: &Segment, answer: &Segment, wire: &mut impl SegmentWire) {
        if self.state == State::Idle {
            self.measured.core.begin(now);
            self.accurate &= syn.flags.has(Flags::COUNTS_MARKS);
            if !syn.flags.has(Flags::CONGESTION_ECHO.with(Flags::WINDOW_REDUCED)) {
                self.flags = Flags::default();
            }
            self.state = State::Accepting(answer.flags);
        }
        if let State::Accepting(flags) = self.state {
            self.send_control(now, flags, wire);
        }
    }

    /// Keeps the connection open after everything has been delivered, until it is [closed](Self::close).
    pub fn stay_open(&mut self) {
        self.measured.core.stay_open();
    }

    /// Adds `packets` packets to send over a connection that stays open when all is delivered. Sends what is
    /// allowed, if the handshake is complete and the persist timer does not run.
    pub fn send_more(&mut self, now: Time, packets: u64, wire: &mut impl SegmentWire) {
        self.measured.core.add_data(now, packets);
        if self.state == State::Open {
            let (core, mut segments) = self.core_and_segments(now, wire);
            core.send_allowed(now, &mut segments);
            if self.advertised.is_some() {
                self.watch_window(now);
            }
        }
    }

    /// Ends a connection that has stayed open.
    pub fn close(&mut self, now: Time) {
        self.measured.core.close(now);
    }

    /// Drops the data that has not been sent yet. Outstanding data is still retransmitted.
    pub fn stop(&mut self) {
        self.measured.core.stop();
    }

    /// Returns when [`Self::on_timer`] is due.
    pub fn timer(&self) -> Time {
        self.measured.core.timer()
    }

    /// Called at the time that [`Self::timer`] announced. Repeats the SYN, sends a window probe, or calls
    /// recovery's timer.
    pub fn on_timer(&mut self, now: Time, wire: &mut impl SegmentWire) {
        if self.state != State::Open && self.on_waiting_timer(now, wire) {
            return;
        }
        let (core, mut segments) = self.core_and_segments(now, wire);
        core.on_timer(now, &mut segments);
    }

    /// Called when a timer has expired and the state is not [`State::Open`]. Repeats the SYN, or sends a
    /// window probe, if that is due. Returns false if recovery's timer has to be called instead.
    #[cold]
    fn on_waiting_timer(&mut self, now: Time, wire: &mut impl SegmentWire) -> bool {
        match self.state {
            State::Connecting => {
                if now >= self.measured.core.timer() {
                    self.measured.core.on_no_answer();
                    self.send_syn(now, wire);
                }
                true
            }
            State::Accepting(flags) => {
                if now >= self.measured.core.timer() {
                    self.measured.core.on_no_answer();
                    self.send_control(now, flags, wire);
                }
                true
            }
            State::Persisting if now >= self.measured.core.deadline() => {
                self.probe_window(now, wire);
                true
            }
            _ => false,
        }
    }

    /// Processes a segment of the receiver, an acknowledgement or an answer to a SYN, and sends what it
    /// allows. An acknowledgement of packets that were never sent is ignored.
    pub fn on_ack(&mut self, now: Time, segment: &Segment, wire: &mut impl SegmentWire) {
        if self.state != State::Open && self.state != State::Persisting || segment.flags.has(Flags::SYN) {
            self.on_handshake(now, segment, wire);
            return;
        }
        let mut sack = segment.sack; // copied, so that the rest of the segment need not lie in memory
        if segment.window > 0 {
            let plain = segment.without_counters();
            sack = plain.sack;
            if plain.advertised().is_none() {
                self.take_window(plain.number, plain.window);
            } else if !self.take_advertised(now, &plain, wire) {
                return;
            }
        }
        let persists_until = self.measured.core.deadline();
        let blocks = filled(&sack).iter().filter(|block| block.start < block.end);
        let place = |offset: u32| segment.number + u64::from(offset);
        let is_part = segment.flags.has(Flags::PART) && self.is_first_outstanding(segment.number);
        let acknowledgement = Acknowledgement {
            cumulative: segment.number,
            ranges: blocks.map(|block| place(block.start)..place(block.end)),
            stamp: self.details.timestamps.then_some(segment.stamp),
            one_way_delay: self.details.timestamps.then_some(segment.one_way_delay),
            dsack: if self.details.acknowledging.dsack { segment.duplicate() } else { None },
            marks: self.marks(segment),
            advances: is_part.then_some(true),
            held: None,
        };
        let (core, mut segments) = self.core_and_segments(now, wire);
        let taken = core.on_ack(now, acknowledgement, &mut segments);
        self.measured.take(taken);
        if self.advertised.is_some() {
            self.on_acknowledged(now, persists_until);
        }
    }

    /// Returns whether `number` is outstanding, and the first packet not acknowledged cumulatively.
    fn is_first_outstanding(&self, number: u64) -> bool {
        let core = &self.measured.core;
        number == core.una() && number < core.high()
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

    /// Returns the payload bytes of a packet.
    pub fn payload_bytes(&self) -> u32 {
        self.details.payload_bytes()
    }

    /// Returns the largest random delay between sending a packet and its leaving.
    pub fn send_jitter(&self) -> Span {
        self.details.send_jitter
    }

    fn open(&mut self, now: Time, wire: &mut impl SegmentWire) {
        self.state = State::Open;
        let (core, mut segments) = self.core_and_segments(now, wire);
        core.open(now, &mut segments);
    }

    /// Returns recovery's sender, and the output that turns its packets into segments on `wire`.
    #[inline]
    pub(super) fn core_and_segments<'a, W>(
        &'a mut self,
        now: Time,
        wire: &'a mut W,
    ) -> (&'a mut ackclock_recovery::Sender, Segments<'a, W>) {
        let Self { measured: MeasuredSender { core, .. }, details, flags, seen, .. } = self;
        (core, Segments { now, details, flags: *flags, seen: *seen, refused: false, wire })
    }

    //= RFC 5681 section 2: a segment with SYN is not a duplicate acknowledgement
    /// Processes a segment with a SYN, or one that arrives before the connection is open. The awaited answer
    /// to a SYN opens the connection, and so does the acknowledgement of the answer that this end sent, whose
    /// stamp is that answer's. A repeated answer is no acknowledgement of data, and so no duplicate
    /// either (RFC 5681 section 2).
    #[cold]
    fn on_handshake(&mut self, now: Time, segment: &Segment, wire: &mut impl SegmentWire) {
        let Segment { flags, stamp, .. } = *segment;
        match self.state {
            State::Connecting if flags.has(Flags::SYN) => {
                if self.accurate {
                    self.agree(flags);
                }
                self.take_edge(0, segment);
                self.measured.core.on_answer(now, stamp);
                self.open(now, wire);
            }
            State::Accepting(_) if !flags.has(Flags::SYN) => {
                self.take_edge(0, segment);
                self.measured.core.on_answer(now, stamp);
                self.open(now, wire);
            }
            _ => {}
        }
    }

    /// Adopts the result of a handshake whose SYN asked for Accurate ECN.
    fn agree(&mut self, answer: Flags) {
        let agreed = agreed(answer);
        self.accurate = agreed == Agreed::Accurate;
        if agreed == Agreed::Nothing {
            self.flags = Flags::default();
        }
    }

    /// Returns what an acknowledgement reports about marks: RFC 9768's ACE field and byte counter if the
    /// receiver counts marks by that RFC, otherwise ECE and the receiver's count of marked packets, modulo
    /// 2^16. The counts are totals; recovery finds what is new.
    #[inline]
    fn marks(&self, segment: &Segment) -> MarkFeedback {
        if self.accurate {
            let [.., last] = segment.sack;
            return accurate_marks(segment.flags, segment.window, last);
        }
        MarkFeedback {
            echo: segment.flags.has(Flags::CONGESTION_ECHO),
            marked: segment.count,
            ..MarkFeedback::default()
        }
    }

    /// Takes the window, in packets from `number` on, of a receiver that tunes it. An acknowledgement that a
    /// later one has overtaken is ignored: it contains nothing new, since the right edge of the window never
    /// moves back.
    fn take_window(&mut self, number: u64, window: u32) {
        let core = &mut self.measured.core;
        if window > 0 && number >= core.una() {
            self.seen = number as u16;
            core.set_window(u64::from(window).min(self.widest_window));
        }
    }

    fn send_syn(&mut self, now: Time, wire: &mut impl SegmentWire) {
        let asks = if self.accurate { Flags::COUNTS_MARKS } else { Flags::default() };
        self.send_control(now, Flags::SYN.with(asks), wire);
    }

    /// Sends a message of the handshake and awaits its answer.
    fn send_control(&mut self, now: Time, flags: Flags, wire: &mut impl SegmentWire) {
        wire.send(Segment {
            stamp: now,
            bytes: self.details.acknowledging.ack_size.bytes() as u32,
            flags,
            ..Segment::default()
        });
        self.measured.core.await_answer(now);
    }
}

#[cold]
fn accurate_marks(flags: Flags, window: u32, last: Block) -> MarkFeedback {
    MarkFeedback {
        echo: true,
        marked: u16::from(flags.field_of_three()),
        accurate: true,
        marked_bytes: ByteCounters::of(window, last).map_or(NOT_TOLD, |counters| counters.marked),
    }
}

/// Converts the packets that recovery may send into segments.
pub(super) struct Segments<'a, W> {
    now: Time,
    details: &'a Details,
    flags: Flags,
    seen: u16,
    /// Whether the host's own interface has refused the segment sent last.
    refused: bool,
    wire: &'a mut W,
}

impl<W: SegmentWire> Output for Segments<'_, W> {
    #[inline]
    fn send(&mut self, transmission: Transmission) -> Option<u16> {
        let Transmission { number, again, announces_reduction } = transmission;
        let mut flags = if again { self.flags.again() } else { self.flags };
        if announces_reduction {
            flags = flags.with(Flags::WINDOW_REDUCED);
        }
        let bytes = self.details.wire_bytes();
        let count = self.seen;
        let segment = Segment { number, stamp: self.now, bytes, count, flags, ..Segment::default() };
        self.refused = self.wire.send(segment) == Launch::Refused;
        (!self.refused || self.details.rules.local_drop == LocalDrop::Lost).then_some(1)
    }

    fn leaves(&self) -> Option<Time> {
        if self.refused { None } else { self.wire.leaves() }
    }
}
