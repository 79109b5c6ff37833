//! The sender's part in flow control with a receiver whose application reads slowly (RFC 9293 section 3.8.6):
//! it sends no more than the advertised window allows, and probes the window while it is closed.

use super::options::Options;
use super::segment::{Flags, Segment};
use super::sender::{SegmentWire, State, TcpSender};
use ackclock_base::Time;

/// The window that the receiver has advertised.
#[derive(Clone, Debug)]
pub(super) struct Advertised {
    /// One past the last packet for which the receiver has room.
    edge: u64,
    /// The number of window probes sent since the end of the warm-up.
    probes: u64,
}

impl Advertised {
    pub(super) fn new(options: &Options) -> Self {
        Self { edge: options.recovery.window, probes: 0 }
    }
}

impl TcpSender {
    /// Takes the window of a receiver that advertises it as closed until a segment of the receiver arrives, the
    /// answer to a SYN or the acknowledgement of one.
    pub(super) fn await_window(&mut self) {
        if let Some(advertised) = &mut self.advertised {
            advertised.edge = 0;
            self.measured.core.set_window(0);
        }
    }

    /// Returns the number of window probes sent since the end of the warm-up; `None` if the receiver's
    /// application reads at once.
    pub fn window_probes(&self) -> Option<u64> {
        self.advertised.as_ref().map(|advertised| advertised.probes)
    }

    /// Resets the count of probes at the end of the warm-up.
    pub(super) fn reset_probes(&mut self) {
        self.advertised.iter_mut().for_each(|advertised| advertised.probes = 0);
    }

    /// Takes the window from a segment of a receiver that advertises its room. Returns whether the segment
    /// has to be processed as an acknowledgement as well. That is not so if it acknowledges nothing new and
    /// only opens the window or answers a probe, since it would count as a duplicate (RFC 5681 section 2). In
    /// that case this method sends what the window allows.
    // The acknowledgement itself is processed where all are. Processing it here as well made each packet of
    // every connection 4 % slower.
    #[cold]
    pub(super) fn take_advertised(
        &mut self,
        now: Time,
        plain: &Segment,
        wire: &mut impl SegmentWire,
    ) -> bool {
        let una = self.measured.core.una();
        let moves = self.take_edge(una, plain);
        if self.state == State::Persisting && !self.measured.core.is_held_by_window() {
            self.state = State::Open;
            self.measured.core.end_wait(now);
        }
        let says_nothing_else = plain.number == una && plain.sack[0].is_empty();
        if says_nothing_else && (moves || self.state != State::Open) {
            if moves {
                self.send_allowed(now, wire);
            }
            self.watch_window(now);
            return false;
        }
        true
    }

    /// Called when an acknowledgement from a receiver with an advertised window has been processed. Starts
    /// the persist timer if the window is closed, or restores `persists_until`, the time for which the timer
    /// was set, if it was running.
    #[cold]
    pub(super) fn on_acknowledged(&mut self, now: Time, persists_until: Time) {
        if self.state == State::Persisting {
            self.measured.core.keep_deadline(persists_until);
        }
        self.watch_window(now);
    }

    /// Takes the window that an acknowledgement advertises, counted from the packet number that it
    /// acknowledges. It is ignored if that number lies below `una`, the first packet not acknowledged before,
    /// or beyond the last packet sent. An acknowledgement of new data may move the right edge back, though no
    /// receiver should do so (RFC 9293 section 3.8.6: the sender must be robust against it; Linux,
    /// tcp_ack_update_window). Others may have been overtaken and only move it forwards. Returns whether the
    /// right edge moves forwards.
    pub(super) fn take_edge(&mut self, una: u64, plain: &Segment) -> bool {
        let core = &mut self.measured.core;
        let Some(advertised) = &mut self.advertised else { return false };
        let Some(window) = plain.advertised() else { return false };
        if plain.number < una || plain.number > core.high() {
            return false;
        }
        self.seen = plain.number as u16;
        let before = advertised.edge;
        let edge = plain.number + u64::from(window);
        advertised.edge = if plain.number > una { edge } else { before.max(edge) };
        core.set_window((advertised.edge - plain.number).min(self.widest_window));
        advertised.edge > before
    }

    fn send_allowed(&mut self, now: Time, wire: &mut impl SegmentWire) {
        let (core, mut segments) = self.core_and_segments(now, wire);
        core.send_allowed(now, &mut segments);
    }

    /// Starts the persist timer if the window is closed and no data is outstanding. The first probe is sent
    /// when that has lasted for a retransmission timeout (RFC 9293 section 3.8.6.1).
    pub(super) fn watch_window(&mut self, now: Time) {
        if self.state == State::Open && self.measured.core.is_held_by_window() {
            self.state = State::Persisting;
            self.measured.core.await_answer(now);
        }
    }

    /// Called when the persist timer has expired. Sends a probe and doubles the interval to the next one, up
    /// to the largest timeout. The connection is kept however many probes have been sent.
    #[cold]
    pub(super) fn probe_window(&mut self, now: Time, wire: &mut impl SegmentWire) {
        let core = &mut self.measured.core;
        if !core.is_held_by_window() {
            self.state = State::Open; // the application has stopped
            core.end_wait(now);
            return;
        }
        let (number, bytes, flags) =
            (core.una(), self.details.acknowledging.ack_size.bytes() as u32, Flags::WINDOW_PROBE);
        wire.send(Segment { number, stamp: now, bytes, count: self.seen, flags, ..Segment::default() });
        core.on_no_answer();
        core.await_answer(now);
        if let Some(advertised) = &mut self.advertised {
            advertised.probes += 1;
        }
    }
}
