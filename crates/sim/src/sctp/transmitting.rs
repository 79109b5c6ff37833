//! Sending: first lost chunks, over the paths for which they wait, then new data, as far as windows, the
//! receiver's room and the limit on bursts allow.

use super::association::Association;
use super::chunks::Chunks;
use super::message::{Data, Message, MessageWire};
use super::path::{Lane, Path};
use super::reachability::State;
use ackclock_base::Time;
use ackclock_recovery::sender::{Output, Transmission};

/// Converts the packets that a path may send into messages.
struct Packets<'a, W> {
    now: Time,
    path: usize,
    chunks: &'a mut Chunks,
    lane: &'a mut Lane,
    chunk_bytes: u16,
    as_ns2: bool,
    /// Whether the chunk sent last was a retransmission.
    again: bool,
    /// Whether a chunk retransmitted by this call is the earliest one in flight on the path.
    begins: bool,
    /// The lowest TSN that this call has retransmitted; `None` if it has retransmitted nothing.
    lowest: Option<u64>,
    wire: &'a mut W,
}

impl<W: MessageWire> Output for Packets<'_, W> {
    #[inline]
    fn send(&mut self, transmission: Transmission) -> Option<u16> {
        let Self { now, path, chunks, lane, wire, .. } = self;
        let lost = chunks.send_again(*path, transmission.number);
        self.again = lost.is_some();
        let tsn = lost.unwrap_or_else(|| chunks.send_new(*path, transmission.number));
        if self.again {
            self.begins |= chunks.earliest_on(*path) == Some(tsn);
            self.lowest = Some(self.lowest.map_or(tsn, |lowest| lowest.min(tsn)));
            if !self.as_ns2 {
                lane.on_repeated(tsn);
            }
        }
        lane.push(*now, tsn, !self.again);
        wire.send(*path, &Message::Data(Data { tsn, sent: *now }));
        Some(self.chunk_bytes)
    }

    #[inline]
    fn sent_before(&self) -> bool {
        self.again
    }
}

impl Association {
    /// Retransmits lost chunks and sends new data, as windows, the receiver's room and the limit on bursts
    /// allow. By ns-2's rules no new data is sent while lost chunks wait.
    pub(super) fn send_all(&mut self, now: Time, wire: &mut impl MessageWire) {
        if self.is_over() || !self.is_established() {
            return;
        }
        if self.chunks.all_waiting() > 0 {
            self.send_lost(now, wire);
            if self.options.repairs_first() && self.chunks.all_waiting() > 0 {
                return;
            }
        }
        if self.options.details.cmt {
            for step in 0..self.paths.len() {
                let index = (self.turn + step) % self.paths.len();
                if self.paths[index].reachability.state == State::Active {
                    self.send_new(now, index, wire);
                }
            }
            self.turn = (self.turn + 1) % self.paths.len();
            if self.chunks.in_flight() > 0 {
                return;
            }
        }
        self.send_new(now, self.current, wire);
    }

    /// Retransmits lost chunks, each over the path for which it waits, as the windows of paths and the limit
    /// on bursts allow.
    pub(super) fn send_lost(&mut self, now: Time, wire: &mut impl MessageWire) {
        if self.options.repairs_first()
            && let Some(index) = self.aim()
        {
            self.send_lost_as_ns2(now, index, wire);
            return;
        }
        for index in 0..self.paths.len() {
            let waiting = self.chunks.waiting(index);
            if waiting > 0 {
                self.send_over(now, index, waiting, wire);
            }
        }
    }

    /// Sends the first chunk that waits for path `index`, whatever the path's window. Called only if one
    /// waits.
    pub(super) fn send_one(&mut self, now: Time, index: usize, wire: &mut impl MessageWire) {
        self.paths[index].rest(now, &self.options.details);
        let restarts = self.restarts(index);
        self.with_packets(now, index, wire, |path, packets| path.send_one(now, packets));
        if self.options.repairs_first() {
            self.burst = self.burst.saturating_sub(1);
        }
        self.restart(now, restarts);
    }

    fn send_new(&mut self, now: Time, index: usize, wire: &mut impl MessageWire) {
        let room = self.room().min(self.data_until - self.chunks.high().min(self.data_until));
        if room > 0 {
            self.send_over(now, index, room, wire);
        } else if self.window_probing.is_needed() {
            self.watch_window(now);
        }
    }

    /// Returns the number of further chunks for which the receiver has room (RFC 9260 section 6.1 rule A). It
    /// is at least one if no chunk is in flight, so that the sender learns when there is room again. If the
    /// receiving application reads slowly, probes serve that purpose and it may be zero.
    pub(super) fn room(&self) -> u64 {
        let chunk = u64::from(self.options.sizes.payload);
        let in_flight = self.chunks.in_flight();
        (self.window / chunk).saturating_sub(in_flight).max(self.window_probing.always(in_flight))
    }

    pub(super) fn send_over(&mut self, now: Time, index: usize, chunks: u64, wire: &mut impl MessageWire) {
        let most = chunks.min(self.burst);
        if most == 0 {
            return;
        }
        self.paths[index].rest(now, &self.options.details);
        let (before, new_before) = (self.paths[index].sender.high(), self.chunks.high());
        self.with_packets(now, index, wire, |path, packets| path.send_up_to(now, most, packets));
        let sent = self.paths[index].sender.high() - before;
        self.burst -= sent.min(self.burst);
        // A retransmission gives no round-trip sample, and leaves the path idle (section 8.3).
        if self.chunks.high() > new_before {
            self.paths[index].heartbeat.on_sent(now);
        }
    }

    fn with_packets<W: MessageWire>(
        &mut self,
        now: Time,
        index: usize,
        wire: &mut W,
        send: impl FnOnce(&mut ackclock_recovery::Sender, &mut Packets<'_, W>),
    ) {
        let Self { chunks, paths, options, .. } = self;
        let Path { sender, lane, .. } = &mut paths[index];
        let chunk_bytes = options.sizes.chunk as u16;
        let as_ns2 = options.repairs_first();
        let (again, begins, lowest) = (false, false, None);
        let mut packets =
            Packets { now, path: index, chunks, lane, chunk_bytes, as_ns2, again, begins, lowest, wire };
        send(sender, &mut packets);
        let Packets { begins, lowest, .. } = packets;
        if as_ns2 {
            return;
        }
        // RFC 9260 section 6.1: the timer restarts when the earliest outstanding chunk of a path is
        // retransmitted.
        if begins {
            sender.restart_deadline(now);
        }
        if let Some(tsn) = lowest {
            let others = paths.iter_mut().enumerate().filter(|(other, _)| *other != index);
            others.for_each(|(_, path)| path.lane.on_repeated(tsn));
        }
    }
}
