//! The sending end of a call: the encoder, the queue in which packets wait for the pacer, and the rate control.

use super::connection::Details;
use super::control::{Feedback, PacketReport, RateControl};
use super::encoder::{Encoded, Encoder};
use super::receiver::Arrival;
use crate::endpoint::{Endpoint, Outbox, Sent};
use crate::histogram::Histogram;
use crate::packet::Packet;
use crate::random::Stream;
use crate::report::Report;
use ackclock_aqm::Ecn;
use ackclock_base::{Span, Time};
use std::collections::VecDeque;

/// The number of sent packets that are remembered until they are reported: all that sequence numbers of 16 bits tell apart.
const MAX_OUTSTANDING: usize = 1 << 16;

/// A packet may leave this long after the last one although too many bytes are in flight, so that a call goes on when reports are lost:
/// as in the implementation of SCReAM by its authors (`ScreamV2Tx.cpp`), which then forgets all that is in flight.
const LONGEST_WAIT: Span = Span::from_millis(500);

/// A packet that waits in the sender.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    bytes: u32,
    /// The number of packets of its frame.
    packets: u32,
    /// When its frame was captured.
    captured: Time,
}

/// The sending end.
pub(super) struct RtpSender {
    details: Details,
    control: Box<dyn RateControl>,
    /// The stream of the sizes of frames until the flow begins, and the encoder from then on.
    random: Option<Stream>,
    encoder: Option<Encoder>,
    waiting: VecDeque<Waiting>,
    waiting_bytes: u64,
    /// The time at which the pacer lets the next packet leave.
    may_send: Time,
    /// The number of the next packet.
    next: u64,
    /// The sent packets that have not been reported: the payload and the time of sending. The first has the number `oldest`.
    outstanding: VecDeque<(u32, Time)>,
    oldest: u64,
    /// The bytes of the packets that have not been reported.
    in_flight: u64,
    /// The time at which the last packet left.
    last_sent: Time,
    rtt: Option<Span>,
    rtts: Histogram,
    sent: Sent,
    encoded: Encoded,
}

impl RtpSender {
    pub(super) fn new(details: Details, control: Box<dyn RateControl>, random: Stream) -> Self {
        Self {
            details,
            control,
            random: Some(random),
            encoder: None,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            may_send: Time::ZERO,
            next: 0,
            outstanding: VecDeque::new(),
            oldest: 0,
            in_flight: 0,
            last_sent: Time::ZERO,
            rtt: None,
            rtts: Histogram::default(),
            sent: Sent::default(),
            encoded: Encoded::default(),
        }
    }

    /// Returns what the encoder has made since counting began.
    pub(super) fn encoded(&self) -> Encoded {
        self.encoded
    }

    /// Puts the packets of the frame that is due into the queue.
    fn encode(&mut self, now: Time) {
        let Some(encoder) = &mut self.encoder else { return };
        let bytes = encoder.frame(self.control.encoder_bps(self.waiting_bytes));
        let waited = self.waiting.front().map_or(Span::ZERO, |oldest| now.since(oldest.captured));
        self.control.on_frame(bytes, waited);
        let packets = bytes.div_ceil(self.details.packet.bytes() as u32);
        for index in 0..packets {
            // The sizes of a frame's packets differ by a byte at most.
            let bytes = bytes / packets + u32::from(index < bytes % packets);
            self.waiting.push_back(Waiting { bytes, packets, captured: now });
        }
        self.waiting_bytes += u64::from(bytes);
        self.encoded.frames += 1;
        self.encoded.bytes += u64::from(bytes);
    }

    fn send(&mut self, now: Time, waiting: Waiting, out: &mut dyn Outbox) {
        let Waiting { bytes, packets, captured } = waiting;
        let span = f64::from(bytes) * 8.0 / self.control.sending_bps(self.waiting_bytes);
        self.may_send = now + Span::from_seconds(span);
        self.waiting_bytes -= u64::from(bytes);
        let ecn = if self.details.ecn { Ecn::Classic } else { Ecn::NotCapable };
        let words = Words { number: self.next, packets, sent: now, captured };
        let bytes_on_wire = bytes + self.details.header.bytes() as u32;
        out.send(0, Packet { bytes: bytes_on_wire, ecn, header: words.header(), ..Packet::default() });
        self.next += 1;
        self.outstanding.push_back((bytes, now));
        self.in_flight += u64::from(bytes);
        if self.outstanding.len() > MAX_OUTSTANDING {
            self.forget(1);
            self.oldest += 1;
        }
        self.last_sent = now;
        self.control.on_sent(self.in_flight);
        self.sent.packets += 1;
        self.sent.payload_bytes += u64::from(bytes);
    }

    /// Returns when the next packet that waits may leave.
    fn leaves(&self) -> Time {
        let has_room = (self.in_flight as f64) < self.control.window();
        if has_room { self.may_send } else { self.may_send.max(self.last_sent + LONGEST_WAIT) }
    }

    /// Removes the oldest `packets` from those in flight, which are at least that number, and returns their payloads and times.
    fn forget(&mut self, packets: usize) -> Vec<(u32, Time)> {
        let removed: Vec<_> = self.outstanding.drain(..packets).collect();
        self.in_flight -= removed.iter().map(|(bytes, _)| u64::from(*bytes)).sum::<u64>();
        removed
    }
}

impl Endpoint for RtpSender {
    fn start(&mut self, now: Time, _out: &mut dyn Outbox) {
        let Details { frames, variation, .. } = self.details;
        let pause = self.details.pause();
        self.encoder = self.random.take().map(|random| Encoder::new(frames, variation, random, now, pause));
    }

    fn timer(&self) -> Time {
        let encodes = self.encoder.as_ref().map_or(Time::NEVER, Encoder::due);
        if self.waiting.is_empty() { encodes } else { encodes.min(self.leaves()) }
    }

    fn on_timer(&mut self, now: Time, out: &mut dyn Outbox) {
        if self.encoder.as_ref().is_some_and(|encoder| encoder.due() <= now) {
            self.encode(now);
        }
        while self.leaves() <= now
            && let Some(waiting) = self.waiting.pop_front()
        {
            self.send(now, waiting, out);
        }
    }

    fn on_packet(&mut self, now: Time, _path: usize, report: &Packet, out: &mut dyn Outbox) {
        let [first, count, held] = report.header;
        let mut words = Vec::new();
        out.long_extension(report, &mut words);
        words.truncate(count as usize);
        // A report that a later one has overtaken is ignored. The control hears nothing of the packets of such reports, and of lost ones.
        let Some(skipped) = first.checked_sub(self.oldest) else { return };
        self.forget((skipped as usize).min(self.outstanding.len()));
        let known = words.len().min(self.outstanding.len());
        let packets: Vec<PacketReport> = self
            .forget(known)
            .into_iter()
            .zip(&words)
            .map(|((bytes, sent), word)| {
                let Arrival { arrived, marked } = Arrival::of(*word);
                PacketReport { bytes, sent, arrived, marked }
            })
            .collect();
        self.oldest = first + known as u64;
        // The report goes out `held` after the last packet arrived.
        let Some(newest) = packets.iter().rev().find(|packet| packet.arrived.is_some()) else { return };
        let rtt = now.since(newest.sent).saturating_sub(Span::from_nanos(held));
        self.rtt = Some(rtt);
        self.rtts.record(rtt);
        self.control.on_feedback(&Feedback { now, rtt, packets: &packets });
    }

    fn stop(&mut self, _now: Time) {
        self.encoder = None;
        self.waiting.clear();
        self.waiting_bytes = 0;
    }

    fn sent(&self) -> Sent {
        self.sent
    }

    fn report(&self, _until: Time) -> Report<'_> {
        Report { rtt: Some(&self.rtts), ..Report::default() }
    }

    fn reset_counts(&mut self, _now: Time) {
        self.sent = Sent::default();
        self.encoded = Encoded::default();
        self.rtts = Histogram::default();
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("rtt_s", self.rtt.map_or(f64::NAN, Span::seconds));
        series("media_rate_bps", self.control.target_bps());
        self.control.publish(series);
    }
}

/// The meaning of the header words of a packet of a frame. The time of capture identifies the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    /// The number of the packet, from 0, without gaps.
    pub(super) number: u64,
    /// The number of packets of the frame.
    pub(super) packets: u32,
    /// When the packet was sent.
    pub(super) sent: Time,
    /// When the frame was captured.
    pub(super) captured: Time,
}

/// The bits of the first word below the number of packets of the frame.
const NUMBER_BITS: u32 = 44;

impl Words {
    fn header(self) -> [u64; 3] {
        [self.number | u64::from(self.packets) << NUMBER_BITS, self.sent.nanos(), self.captured.nanos()]
    }

    /// Returns the meaning of the words of a packet.
    pub(super) fn of(packet: &Packet) -> Self {
        let [first, sent, captured] = packet.header;
        Self {
            number: first & ((1 << NUMBER_BITS) - 1),
            packets: (first >> NUMBER_BITS) as u32,
            sent: Time::from_nanos(sent),
            captured: Time::from_nanos(captured),
        }
    }
}
