//! Converts the calls that a stack makes to its congestion controller into the records that a control gets.
//!
//! A stack reports acknowledgements one packet at a time, then the losses of the same frame. A control gets losses first (RFC 9002
//! appendix A.7). The adapter therefore collects the reports of one instant, and passes them on when the stack sends a packet, asks for
//! the window, or reports an event of a later instant.

use crate::outstanding::Outstanding;
use crate::stack::Stack;
use ackclock_base::{Packets, Random, Span, Time};
use ackclock_cc::{
    Ack, Assembly, Change, Controller, Decision, EcnResponse, Ending, Follows, Initial, Loss, LossSignal,
    Phase, Recovered, Sent, Timeout,
};
use ackclock_recovery::Units;
use ackclock_recovery::declared::Timer;
use ackclock_recovery::ledger::{Ledger, MAX_OUTSTANDING, Newly};
use ackclock_recovery::records;
use ackclock_recovery::rtt::{MinBounds, RttEstimator};

/// The initial window in packets (RFC 9002 section 7.2).
const INITIAL_WINDOW: Packets = 10.0;
/// The least window, and the window after persistent congestion (RFC 9002 sections 7.2 and 7.6.2).
const MIN_WINDOW: Packets = 2.0;
/// IPv6, UDP, and a short header of QUIC with its authentication tag.
const HEADER_BYTES: u32 = 40 + 8 + 25;

/// A packet that the peer has acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// When the acknowledgement arrived.
    pub now: Time,
    /// When the packet was sent.
    pub sent: Time,
    /// The packet number, where the stack names packets.
    pub key: Option<u64>,
    /// The size of the packet in bytes, as the stack counts it.
    pub bytes: u64,
    /// Whether the application had nothing more to send before the acknowledgement.
    pub app_limited: bool,
}

/// A congestion event: lost packets, or an acknowledgement that reports marks.
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// When it was found.
    pub now: Time,
    /// When the last lost packet was sent, or the newest packet whose acknowledgement reports marks.
    pub sent: Time,
    /// The bytes that were lost, where the stack does not name lost packets one by one.
    pub lost_bytes: u64,
    /// Whether it is persistent congestion (RFC 9002 section 7.6).
    pub is_persistent: bool,
    /// Whether packets were marked, not lost.
    pub is_mark: bool,
}

/// A control with what it needs under a foreign stack.
pub struct Adapter {
    control: Controller,
    stack: Stack,
    random: Box<dyn Random + Send>,
    units: Units,
    outstanding: Outstanding,
    ledger: Ledger,
    rtt: RttEstimator,
    is_open: bool,
    /// The reports of the current instant that the control has not got yet.
    frame: Option<Frame>,
    /// Recovery lasts until a packet with this number or a later one is acknowledged.
    recovery_ends: Option<u64>,
    /// Losses of packets below this number belong to the last reduction. It outlives the recovery: a loss found late must not
    /// reduce the window twice.
    reduced_until: u64,
    /// One past the highest number acknowledged.
    acked_to: u64,
    /// Whether the window has held the stack back in this round trip, and in the last one.
    limited: [bool; 2],
    last_reported: Time,
}

/// A packet by its number in the ledger.
#[derive(Clone, Copy, Debug)]
struct Numbered {
    number: u64,
    sent: Time,
}

/// The reports of a stack at one instant.
struct Frame {
    now: Time,
    newly: Newly,
    inflight_before: u64,
    /// The newest packet acknowledged; `None` if the stack reports no acknowledgement.
    newest: Option<Numbered>,
    lost_before: u64,
    congestion: Option<Congestion>,
    marks: u32,
}

impl Adapter {
    /// Returns an adapter around the control of a new connection under `stack` whose packets have `packet_bytes` bytes. The control
    /// counts in packets of this size for the life of the connection, also when path MTU discovery finds a larger one. `random`
    /// is for controls that guess.
    pub fn new(
        stack: Stack,
        assembly: &mut Assembly,
        packet_bytes: u16,
        random: Box<dyn Random + Send>,
    ) -> Self {
        let packet_bytes = u32::from(packet_bytes);
        let units = Units::bytes(packet_bytes);
        let initial = Initial {
            window: INITIAL_WINDOW,
            limit: units.most_outstanding() as f64,
            packet_bytes,
            header_bytes: HEADER_BYTES,
            selective_acks: true,
            paced: true, // both quinn and noq spread the window over the round trip
            min_window: MIN_WINDOW,
            loss_window: MIN_WINDOW,
            ..Initial::default()
        };
        let mut control = assembly.join(&initial);
        control.on_change(&Change::Begins);
        let ms = Span::from_millis;
        let timer = Timer { tick: ms(1), min_rto: ms(1), max_rto: ms(60_000), initial_rto: ms(999) };
        Self {
            control,
            stack,
            random,
            units,
            outstanding: Outstanding::default(),
            ledger: Ledger::new(0),
            rtt: RttEstimator::new(timer, MinBounds::Timeout),
            is_open: false,
            frame: None,
            recovery_ends: None,
            reduced_until: 0,
            acked_to: 0,
            limited: [true; 2],
            last_reported: Time::ZERO,
        }
    }

    /// Called when the stack has sent a packet that must be acknowledged. `key` is its packet number.
    pub fn on_sent(&mut self, now: Time, key: u64, bytes: u16) {
        self.report_frame();
        if self.ledger.span() >= MAX_OUTSTANDING - 1 {
            self.ledger.settle(Time::NEVER);
        }
        let after_idle = self.ledger.pipe() == 0;
        let number = self.outstanding.push(key, now, bytes);
        assert_eq!(number, self.ledger.high(), "the ledger must number packets in the order of sending");
        self.ledger.transmit(number, now, bytes);
        let inflight = self.inflight();
        let decision = self.control.decision();
        // quinn keeps flight and the next datagram below the window, so that it stops one packet before it.
        self.limited[0] |= inflight + 1.0 >= decision.cwnd;
        let follows = self.control.properties().follows;
        if follows == Follows::Everything || follows == Follows::Restarts && after_idle {
            let app_limited = self.ledger.delivery().is_app_limited();
            self.control.on_sent(&Sent { now, inflight, after_idle, app_limited }, &mut *self.random);
        }
    }

    /// Called when the stack had data to send and the window held it back.
    pub fn on_window_limited(&mut self) {
        self.limited[0] = true;
    }

    /// Called for each packet that an acknowledgement newly covers. A packet that was not reported as sent is ignored.
    pub fn on_acked(&mut self, acked: Acked) {
        let Acked { now, sent, key, bytes, app_limited } = acked;
        let Some(number) = self.outstanding.take_sent_at(sent, key, bytes) else { return };
        if app_limited {
            self.ledger.note_app_limited();
        }
        self.begin_frame(now);
        let frame = self.frame.as_mut().expect("a frame has begun");
        self.ledger.acknowledge_range(number..number + 1, &mut frame.newly);
        if frame.newest.is_none_or(|newest| number > newest.number) {
            frame.newest = Some(Numbered { number, sent });
        }
    }

    /// Called when the stack has reported all packets of an acknowledgement. `in_flight` is what the stack has in flight now, in bytes.
    /// The oldest packets that the stack no longer counts (of a discarded key, or without anything to acknowledge) are forgotten.
    pub fn on_acked_all(&mut self, in_flight: u64) {
        while self.ledger.pipe() > in_flight
            && self.outstanding.oldest().is_some_and(|oldest| oldest < self.acked_so_far())
        {
            let Some((number, _)) = self.outstanding.take_oldest(Time::NEVER) else { break };
            self.ledger.acknowledge_range(number..number + 1, &mut Newly::default());
        }
    }

    /// Called when the stack gives up the packet with this packet number.
    pub fn on_lost(&mut self, now: Time, key: u64) {
        if let Some(number) = self.outstanding.take_named(key) {
            self.begin_frame(now);
            self.ledger.lose(number);
        }
    }

    /// Called when the stack reports congestion. Where it does not name lost packets, those lost are the oldest in flight that
    /// were sent no later than [`Congestion::sent`], up to [`Congestion::lost_bytes`].
    pub fn on_congestion(&mut self, congestion: Congestion) {
        self.begin_frame(congestion.now);
        if !self.stack.names_packets {
            let mut left = congestion.lost_bytes;
            while left > 0 {
                let Some((number, bytes)) = self.outstanding.take_oldest(congestion.sent) else { break };
                self.ledger.lose(number);
                left = left.saturating_sub(u64::from(bytes));
            }
        }
        let frame = self.frame.as_mut().expect("a frame has begun");
        frame.marks += u32::from(congestion.is_mark);
        let is_loss = !congestion.is_mark;
        if is_loss || frame.congestion.is_none() {
            frame.congestion = Some(congestion);
        }
    }

    /// Called when every packet of the last reported loss has arrived after all.
    pub fn on_spurious(&mut self) {
        self.report_frame();
        if self.reduced_until > 0 {
            self.recovery_ends = None;
            self.control.on_recovered(&Recovered { now: self.last_reported, ending: Ending::Undone });
        }
    }

    /// Returns the control's decision after every report of the stack so far.
    pub fn decision(&mut self) -> Decision {
        self.report_frame();
        self.control.decision()
    }

    /// The size in bytes of the packets in which the control counts.
    pub fn packet_bytes(&self) -> u32 {
        self.units.packet_bytes()
    }

    /// Returns the window in bytes.
    pub fn window_bytes(&mut self) -> u64 {
        let cwnd = self.decision().cwnd;
        self.units.from_packets(cwnd)
    }

    /// Returns the slow start threshold in bytes, or `None` where there is none.
    pub fn threshold_bytes(&mut self) -> Option<u64> {
        let threshold = self.decision().ssthresh;
        threshold.is_finite().then(|| self.units.from_packets(threshold))
    }

    /// Returns the pacing rate in bytes per second, or `None` if packets may leave as fast as the window allows.
    pub fn bytes_per_second(&mut self) -> Option<u64> {
        self.decision().pacing_rate.map(|rate| rate.bits_per_second() / 8)
    }

    /// Returns the bytes that may leave back to back, or `None` where the control leaves that to the stack.
    pub fn quantum_bytes(&mut self) -> Option<u64> {
        let quantum = self.decision().send_quantum;
        quantum.map(|packets| u64::from(packets) * u64::from(self.packet_bytes()))
    }

    /// Shows the inside of the control, see [`Control::publish`](ackclock_cc::Control::publish).
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.control.publish(series);
    }

    /// The packets that the adapter has seen delivered and lost since the connection began.
    pub fn delivered_and_lost(&self) -> [Packets; 2] {
        let delivery = self.ledger.delivery();
        [delivery.delivered(), delivery.lost()].map(|amount| self.units.to_packets(amount))
    }

    fn inflight(&self) -> Packets {
        self.units.to_packets(self.ledger.pipe())
    }

    /// One past the highest number acknowledged, the current frame included.
    fn acked_so_far(&self) -> u64 {
        let in_frame = self.frame.as_ref().and_then(|frame| frame.newest);
        in_frame.map_or(self.acked_to, |newest| self.acked_to.max(newest.number + 1))
    }

    /// Opens a frame for this instant if none is open. Passes on the frame of an earlier instant first.
    fn begin_frame(&mut self, now: Time) {
        if self.frame.as_ref().is_some_and(|frame| frame.now != now) {
            self.report_frame();
        }
        if self.frame.is_none() {
            self.frame = Some(Frame {
                now,
                newly: Newly::default(),
                inflight_before: self.ledger.pipe(),
                newest: None,
                lost_before: self.ledger.delivery().lost(),
                congestion: None,
                marks: 0,
            });
        }
    }

    /// Passes the reports of one instant on to the control: the end of a recovery, the lost packets, the loss that begins a new
    /// recovery, persistent congestion, the acknowledgement.
    fn report_frame(&mut self) {
        let Some(frame) = self.frame.take() else { return };
        self.last_reported = frame.now;
        let sample = self.ledger.count_delivery(frame.now, &frame.newly);
        let timed = frame.newest.filter(|newest| frame.newly.newest_is(newest.number));
        let rtt = timed.map(|newest| frame.now.since(newest.sent));
        if let Some(rtt) = rtt {
            self.rtt.sample(rtt);
            if !self.is_open {
                self.is_open = true;
                self.control.on_change(&Change::Opens { rtt: Some(rtt) });
            }
        }
        self.acked_to = frame.newest.map_or(self.acked_to, |newest| self.acked_to.max(newest.number + 1));
        let was_recovering = self.recovery_ends.is_some();
        if self.recovery_ends.is_some_and(|end| self.acked_to > end) {
            self.recovery_ends = None;
            let ending = Ending::Repaired { duplicates: 0 };
            self.control.on_recovered(&Recovered { now: frame.now, ending });
        }
        let lost = self.report_lost(frame.now);
        if let Some(congestion) = &frame.congestion {
            self.report_congestion(&frame, congestion, lost);
        }
        if frame.newly.delivered > 0 {
            let is_recovering = was_recovering || self.recovery_ends.is_some();
            let phase = if is_recovering { Phase::Recovery } else { Phase::Open };
            let round_start = sample.is_some_and(|sample| sample.round_start);
            let to_packets = |amount| self.units.to_packets(amount);
            let delivery = self.ledger.delivery();
            let ack = Ack {
                now: frame.now,
                fresh: true,
                acked_to: self.acked_to,
                sent_to: self.ledger.high(),
                newly_acked: to_packets(frame.newly.delivered),
                newly_lost: to_packets(delivery.lost() - frame.lost_before),
                marks: if self.control.properties().ecn == EcnResponse::Counts { frame.marks } else { 0 },
                abc_increment: to_packets(frame.newly.delivered),
                rtt,
                one_way_delay: None,
                smoothed_rtt: self.rtt.fine().mean,
                min_rtt: self.rtt.min(),
                inflight_before: to_packets(frame.inflight_before),
                inflight: to_packets(self.ledger.pipe()),
                delivered: to_packets(delivery.delivered()),
                lost: to_packets(delivery.lost()),
                round_start,
                cwnd_limited: self.limited[0] || self.limited[1],
                app_limited: delivery.is_app_limited(),
                phase,
                rate: sample.map(|sample| records::rate_sample(self.units, &sample)),
            };
            if round_start {
                self.limited = [false, self.limited[0]];
            }
            self.control.on_ack(&ack, &mut *self.random);
        }
        self.ledger.drain_selective(|_, _| ());
        self.ledger.settle(frame.now);
    }

    /// Reports each lost packet to the control. Returns the first and the last of them, or `None` if no packet is lost.
    fn report_lost(&mut self, now: Time) -> Option<[Numbered; 2]> {
        let Self { ledger, control, random, units, .. } = self;
        let mut ends: Option<[Numbered; 2]> = None;
        ledger.drain_given_up(|number, sent, sample| {
            control.on_lost(&records::lost(*units, now, number, sent, &sample), &mut **random);
            let this = Numbered { number, sent: sent.at };
            let [first, last] = ends.unwrap_or([this; 2]);
            ends = Some([
                if number < first.number { this } else { first },
                if number > last.number { this } else { last },
            ]);
        });
        ends
    }

    /// Reports a loss or a mark to the control, at most once per window of data, and persistent congestion.
    fn report_congestion(&mut self, frame: &Frame, congestion: &Congestion, lost: Option<[Numbered; 2]>) {
        // A mark is about the newest packet that was acknowledged.
        let marked = frame.newest.map(|newest| [newest; 2]);
        let Some([first, last]) = (if congestion.is_mark { marked } else { lost.or(marked) }) else { return };
        let counts = congestion.is_mark && self.control.properties().ecn == EcnResponse::Counts;
        let inflight = self.units.to_packets(frame.inflight_before);
        let high = self.ledger.high();
        if last.number >= self.reduced_until && !counts {
            self.reduced_until = high;
            self.recovery_ends = Some(high);
            let signal = if congestion.is_mark { LossSignal::Ecn } else { LossSignal::DuplicateAcks };
            let loss = Loss {
                now: frame.now,
                signal,
                window: self.control.decision().cwnd,
                inflight,
                lost: first.number,
                sent_to: high,
                sent: first.sent,
                transmissions: 1,
                duplicates: 0,
            };
            self.control.on_loss(&loss, &mut *self.random);
        }
        if congestion.is_persistent {
            self.rtt.forget_min();
            self.recovery_ends = None;
            let timeout = Timeout {
                now: frame.now,
                window: self.control.decision().cwnd,
                inflight,
                left_in_flight: self.inflight(),
                sent_to: high,
                in_a_row: 1,
                keeps_threshold: true,
            };
            self.control.on_persistent_congestion(&timeout, &mut *self.random);
        }
    }
}
