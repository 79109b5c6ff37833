//! What ns-2's agent does with the timers of paths while lost chunks wait to be sent again (`repair = "ns2"`; ProcessSackChunk,
//! SendBufferDequeueUpTo, ProcessGapAckBlocks and RtxMarkedChunks of its module 3.8). A chunk that waits counts as outstanding on the
//! path that it was lost on, so the timer of that path runs on, and when it expires the first of all that wait is sent whatever
//! the windows say. Where most of the time passes in timeouts that decides how much arrives.

use super::association::Association;
use super::message::Wire;
use ackclock_base::Time;

/// The timer of a path before an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    deadline: Time,
    /// Whether the acknowledgement takes one of its chunks with the cumulative TSN.
    moves: bool,
}

impl Default for Held {
    fn default() -> Self {
        Self { deadline: Time::NEVER, moves: false }
    }
}

/// Which timers begin anew with a chunk that is sent again: of the path that it was lost on, and of the one that carries it.
pub(super) type Restarts = [Option<usize>; 2];

impl Association {
    /// Whether the timer of a path runs for chunks that wait alone.
    pub(super) fn holds_timer(&self, index: usize) -> bool {
        self.options.repairs_first()
            && self.paths[index].sender.inflight() == 0
            && self.chunks.lost_on(index) > 0
    }

    /// Notes the timers before an acknowledgement that moves the cumulative TSN to here.
    pub(super) fn note_timers(&mut self, cumulative: u64) {
        for path in &mut self.paths {
            path.held = Held { deadline: path.sender.deadline(), moves: false };
        }
        for tsn in self.chunks.first()..cumulative {
            self.paths[usize::from(self.chunks.get(tsn).path)].held.moves = true;
        }
    }

    /// After the acknowledgement: a timer goes on as it was unless the cumulative TSN has taken one of its path's chunks.
    pub(super) fn hold_timers(&mut self, now: Time) {
        let Self { paths, chunks, .. } = self;
        for (index, path) in paths.iter_mut().enumerate() {
            if chunks.lost_on(index) == 0 {
                if path.sender.inflight() == 0 {
                    path.sender.give_up_answer();
                }
            } else if !path.held.moves && path.held.deadline != Time::NEVER {
                path.sender.keep_deadline(path.held.deadline);
            } else if path.sender.deadline() == Time::NEVER {
                path.sender.restart_deadline(now);
            }
        }
    }

    /// Sends one that waits for a path, if its window allows. Says whether that was so.
    pub(super) fn send_again_as_ns2(&mut self, now: Time, index: usize, wire: &mut impl Wire) -> bool {
        let before = self.paths[index].sender.high();
        let restarts = self.restarts(index);
        self.send_over(now, index, 1, wire);
        let is_sent = self.paths[index].sender.high() > before;
        if is_sent {
            self.restart(now, restarts);
        }
        is_sent
    }

    /// For the first that waits for a path: the timer of the path that it was lost on begins anew if it is the first there that has
    /// not arrived and others are in flight, that of the new path if it is the first there.
    pub(super) fn restarts(&mut self, index: usize) -> Restarts {
        let Some(tsn) = self.chunks.first_waiting(index).filter(|_| self.options.repairs_first()) else {
            return [None; 2];
        };
        let from = usize::from(self.chunks.get(tsn).path);
        let leaves_others = self.chunks.is_first_of(tsn, from) && self.paths[from].sender.inflight() > 0;
        [leaves_others.then_some(from), self.chunks.is_first_of(tsn, index).then_some(index)]
    }

    pub(super) fn restart(&mut self, now: Time, restarts: Restarts) {
        for index in restarts.into_iter().flatten() {
            self.paths[index].sender.restart_deadline(now);
        }
    }
}
