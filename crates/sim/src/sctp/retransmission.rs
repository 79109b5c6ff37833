//! The choice of the path that retransmits a lost chunk (RFC 9260 sections 6.3.3, 6.4.1), and the reaction to
//! a timeout.

use super::association::{Association, Unanswered};
use super::chunks::Loss;
use super::details::RetransmitTo;
use super::message::MessageWire;
use super::path::{Nothing, Path};
use super::reachability::State;
use ackclock_base::Time;

impl Association {
    /// Returns the path that is to retransmit a chunk lost on path `lost_on`. `timeout` tells whether a
    /// timeout has made it lost, or reports.
    pub(super) fn destination(&self, lost_on: usize, timeout: bool) -> usize {
        let works = self.paths[lost_on].reachability.state == State::Active;
        match self.options.retransmit_to() {
            RetransmitTo::Alternate => self.alternate(lost_on),
            RetransmitTo::AlternateAfterTimeout if timeout || !works => self.alternate(lost_on),
            RetransmitTo::Same if !works => self.alternate(lost_on),
            RetransmitTo::AlternateAfterTimeout | RetransmitTo::Same => lost_on,
            RetransmitTo::HighestSsthresh => {
                self.highest_ssthresh().unwrap_or_else(|| self.alternate(lost_on))
            }
        }
    }

    /// Returns the active path with the highest slow start threshold, the first among equals; `None` if no
    /// path is active (RTX-SSTHRESH of Iyengar, Amer and Stewart 2006).
    fn highest_ssthresh(&self) -> Option<usize> {
        let threshold = |path: usize| self.paths[path].sender.control().decision().ssthresh;
        let works = |path: &usize| self.paths[*path].reachability.state == State::Active;
        let paths = (0..self.paths.len()).filter(works);
        paths.reduce(|best, path| if threshold(path) > threshold(best) { path } else { best })
    }

    /// Called when T3-rtx of path `index` has expired (section 6.3.3). Reduces its window to one packet,
    /// counts an error unless the receiver only lacks room, marks the chunks in flight on the path as lost,
    /// and retransmits the first waiting chunk at once.
    pub(super) fn on_timeout(&mut self, now: Time, index: usize, wire: &mut impl MessageWire) {
        if self.holds_timer(index) {
            self.paths[index].sender.expire(now);
        } else {
            let had = self.paths[index].sender.inflight() > 0;
            self.paths[index].sender.on_timer(now, &mut Nothing);
            if !had {
                return;
            }
        }
        let fails = !self.is_refused() && self.on_error(now, index, Unanswered::Data);
        if self.failed_at().is_some() {
            return;
        }
        self.lose_all(index);
        if !self.options.repairs_first() {
            (self.recover, self.paths[index].recover) = (None, None);
        }
        if let Some(path) = self.aim() {
            self.send_one(now, path, wire);
        }
        self.ask_failed(now, index, fails, wire);
    }

    /// Returns the path that is to retransmit the first waiting chunk; `None` if no chunk waits. By ns-2's
    /// rules it is chosen now, from where that chunk was lost, and all other waiting chunks are moved to it.
    pub(super) fn aim(&mut self) -> Option<usize> {
        let (tsn, path) = self.chunks.first_to_retransmit()?;
        if !self.options.repairs_first() || self.options.details.cmt {
            return Some(path);
        }
        let chunk = self.chunks.get(tsn);
        let to = self.destination(usize::from(chunk.path), chunk.timed_out());
        (0..self.paths.len()).filter(|from| *from != to).for_each(|from| self.chunks.redirect(from, to));
        Some(to)
    }

    /// Marks all chunks in flight on a path as lost.
    fn lose_all(&mut self, index: usize) {
        let to = self.destination(index, true);
        let as_ns2 = self.options.repairs_first();
        let Self { paths, chunks, .. } = self;
        let Path { lane, sender, .. } = &mut paths[index];
        if as_ns2 {
            lane.suspend_measuring();
            chunks.time_out(index);
        } else {
            lane.give_up_measuring();
        }
        for number in lane.numbers() {
            let tsn = lane.tsn(number);
            if tsn < chunks.first() {
                continue;
            }
            let chunk = chunks.get(tsn);
            if chunk.is_in_flight() && usize::from(chunk.path) == index && chunk.number == number {
                chunks.lose(tsn, to, if as_ns2 { Loss::TimeoutAsInNs2 } else { Loss::Timeout });
            }
        }
        lane.release(sender.una());
    }
}
