//! The effect of an acknowledgement on the timers of paths. The timer of a path restarts when the earliest
//! chunk outstanding on it is acknowledged (RFC 9260 section 6.3.2 rule R3), which is the one with the lowest
//! TSN. The path's sender cannot decide that: it knows only packet numbers, and a retransmission has a low
//! TSN under a high number.
//!
//! ns-2's agent behaves differently while lost chunks wait for retransmission (`repair = "ns2"`;
//! ProcessSackChunk, SendBufferDequeueUpTo, ProcessGapAckBlocks and RtxMarkedChunks of its module 3.8). A
//! waiting chunk counts as outstanding on the path on which it was lost, so the timer of that path keeps
//! running, and when it expires the first of all waiting chunks is sent whatever the windows are. Any chunk
//! of a path that the cumulative TSN covers restarts the path's timer. If most of the time passes in
//! timeouts, this determines the throughput.

use super::association::Association;
use super::message::{MessageWire, Sack};
use ackclock_base::Time;
use ackclock_recovery::units::Units;

/// The retransmission timer of a path as it was before the SACK that is being processed, and what the SACK
/// does to the chunk for which it runs. They decide whether the timer restarts or continues.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    deadline: Time,
    /// The TSN of the chunk for which the timer runs; `None` if there is none.
    pub(super) earliest: Option<u64>,
    /// Whether the SACK acknowledges that chunk or, by ns-2's rules, its cumulative TSN newly covers any
    /// chunk that the path carried last.
    pub(super) is_taken: bool,
    /// In ns-2, whether outstanding chunks together with waiting ones fill the window; otherwise `None`.
    pub(super) is_full: Option<bool>,
}

impl Default for Held {
    fn default() -> Self {
        Self { deadline: Time::NEVER, earliest: None, is_taken: false, is_full: None }
    }
}

/// The paths whose timers restart with a retransmission: the path on which the chunk was lost, and the one
/// that carries it now. Each is `None` if its timer does not restart.
pub(super) type Restarts = [Option<usize>; 2];

impl Association {
    /// Returns whether the timer of path `index` runs only for chunks that were lost on it and wait for
    /// retransmission. That happens by ns-2's rules only.
    pub(super) fn holds_timer(&self, index: usize) -> bool {
        self.options.repairs_first()
            && self.paths[index].sender.inflight() == 0
            && self.chunks.lost_on(index) > 0
    }

    /// Records in [`Held`] the timer of each path before the SACK is processed. By ns-2's rules, also records
    /// which paths carried chunks that its cumulative TSN newly covers, and applies the limit on bursts if
    /// reports had made one of them lost.
    pub(super) fn note_timers(&mut self, sack: &Sack<'_>) {
        let as_ns2 = self.options.repairs_first();
        let sizes = self.options.sizes;
        for index in 0..self.paths.len() {
            let earliest = if as_ns2 { None } else { self.chunks.earliest_on(index) };
            let waiting = self.chunks.lost_on(index) * u64::from(sizes.chunk);
            let path = &mut self.paths[index];
            // In whole bytes, as the sender fills it: a fraction of a byte can never be sent.
            let window = Units::bytes(sizes.max_chunk).from_packets(path.cwnd());
            let is_full = as_ns2.then(|| path.sender.inflight() + waiting >= window);
            path.held = Held { deadline: path.sender.deadline(), earliest, is_taken: false, is_full };
        }
        if !as_ns2 {
            return;
        }
        for tsn in self.chunks.first()..sack.cumulative {
            let chunk = self.chunks.get(tsn);
            self.paths[usize::from(chunk.path)].held.is_taken = true;
            self.bounds_burst |= chunk.was_reported();
        }
        for tsn in sack.cumulative..self.chunks.high() {
            let chunk = self.chunks.get(tsn);
            let held = &mut self.paths[usize::from(chunk.path)].held;
            if !chunk.is_acked() && held.earliest.is_none() {
                held.earliest = Some(tsn);
            }
            if sack.blocks.is_empty() || self.paths.iter().all(|path| path.held.earliest.is_some()) {
                break;
            }
        }
    }

    /// Sets the timers after the SACK. A path without outstanding chunks has its timer stopped, a path whose
    /// earliest chunk was acknowledged or whose timer did not run has it restarted, and on other paths it
    /// continues. By ns-2's rules chunks that wait for retransmission count as outstanding.
    pub(super) fn hold_timers(&mut self, now: Time) {
        let as_ns2 = self.options.repairs_first();
        let Self { paths, chunks, .. } = self;
        for (index, path) in paths.iter_mut().enumerate() {
            let is_outstanding = path.sender.inflight() > 0 || as_ns2 && chunks.lost_on(index) > 0;
            if !is_outstanding {
                path.sender.give_up_answer();
            } else if path.held.is_taken || path.held.deadline == Time::NEVER {
                path.sender.restart_deadline(now);
            } else {
                path.sender.keep_deadline(path.held.deadline);
            }
        }
    }

    /// Retransmits the chunks that wait for path `index`, as its window allows. ns-2 checks the limit on
    /// bursts after each packet, so one packet more than the limit may leave. Once that has left, the limit
    /// no longer applies.
    pub(super) fn send_lost_as_ns2(&mut self, now: Time, index: usize, wire: &mut impl MessageWire) {
        self.burst = self.burst.saturating_add(1);
        (0..self.chunks.waiting(index)).all(|_| self.send_again_as_ns2(now, index, wire));
        self.bounds_burst &= self.burst > 0;
        self.burst = self.burst.checked_sub(1).unwrap_or(u64::MAX);
    }

    /// Retransmits one chunk that waits for a path, if its window allows. Returns whether it did.
    fn send_again_as_ns2(&mut self, now: Time, index: usize, wire: &mut impl MessageWire) -> bool {
        let before = self.paths[index].sender.high();
        let restarts = self.restarts(index);
        self.send_over(now, index, 1, wire);
        let is_sent = self.paths[index].sender.high() > before;
        if is_sent {
            self.restart(now, restarts);
        }
        is_sent
    }

    /// Returns the timers that restart, by ns-2's rules, when the first chunk that waits for path `index` is
    /// retransmitted, and stops timing that chunk. The timer of the path on which it was lost restarts if
    /// that path carried no earlier chunk that is still missing, and has other chunks in flight. The timer of
    /// path `index`, if that is another path, restarts if it carried no earlier chunk that is still missing.
    pub(super) fn restarts(&mut self, index: usize) -> Restarts {
        let Some(tsn) = self.chunks.first_waiting(index).filter(|_| self.options.repairs_first()) else {
            return [None; 2];
        };
        let from = usize::from(self.chunks.get(tsn).path);
        self.paths[from].lane.on_repeated_in_ns2(tsn);
        let leaves_others = self.chunks.is_first_of(tsn, from) && self.paths[from].sender.inflight() > 0;
        let is_first = index != from && self.chunks.is_first_of(tsn, index);
        [leaves_others.then_some(from), is_first.then_some(index)]
    }

    pub(super) fn restart(&mut self, now: Time, restarts: Restarts) {
        for index in restarts.into_iter().flatten() {
            self.paths[index].sender.restart_deadline(now);
        }
    }
}
