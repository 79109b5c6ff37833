//! The chunks that are not acknowledged cumulatively, by TSN: the path and the number under which each was
//! last sent, whether it has arrived, and whether it waits for retransmission.

use std::collections::VecDeque;

/// The state of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The packet number under which it was last sent over `path`.
    pub number: u64,
    /// The path that carried it last.
    pub path: u8,
    /// The path that is to carry its retransmission, while it waits for that.
    to: u8,
    marks: u8,
    /// By ns-2's rules, the number of reports that it is missing; otherwise 0.
    reports: u8,
    /// The number of TSNs that had been sent above it when reports last made it lost; 0 if they have not, or
    /// may do so only once.
    above: u32,
}

const ACKED: u8 = 1;
const WAITS: u8 = 2;
/// The chunk was sent more than once.
const RETRANSMITTED: u8 = 4;
/// Reports made the chunk lost, so that only a timeout may do so again (RFC 9260 section 7.2.4). A timeout
/// clears this mark, except by ns-2's rules. If reports may make a chunk lost more than once, the
/// retransmission clears it.
const FAST: u8 = 8;
/// The chunk was last made lost by a timeout, not by reports.
const TIMED_OUT: u8 = 16;

impl Chunk {
    /// Returns whether the chunk has arrived.
    pub fn is_acked(&self) -> bool {
        self.marks & ACKED != 0
    }

    /// Returns whether the chunk waits for retransmission.
    pub fn waits(&self) -> bool {
        self.marks & WAITS != 0
    }

    /// Returns whether the chunk has been sent more than once.
    pub fn was_retransmitted(&self) -> bool {
        self.marks & RETRANSMITTED != 0
    }

    /// Returns whether the chunk is assumed to be in the network.
    pub fn is_in_flight(&self) -> bool {
        self.marks & (ACKED | WAITS) == 0
    }

    /// Returns whether reports have made the chunk lost. A later timeout makes this false, except by ns-2's
    /// rules, which alone ask for it.
    pub fn was_reported(&self) -> bool {
        self.marks & FAST != 0 || self.above > 0
    }

    /// Returns whether the chunk waits for retransmission since a timeout: it may have arrived long ago, or
    /// its path may have failed.
    pub fn timed_out(&self) -> bool {
        self.marks & (WAITS | TIMED_OUT) == WAITS | TIMED_OUT
    }

    //= RFC 9260 section 7.2.4 once: a chunk is fast-retransmitted only once
    /// Returns whether reports may make the chunk lost.
    pub fn may_be_reported(&self) -> bool {
        self.marks & (ACKED | WAITS | FAST) == 0
    }
}

/// The cause of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Reports that the chunk is missing.
    Reports,
    /// A timeout. Reports may make the chunk lost afterwards, even if they have done so before.
    Timeout,
    /// A timeout, as in ns-2: reports that have made the chunk lost before do so again only if they may more
    /// than once.
    TimeoutAsInNs2,
}

/// The chunks that wait for retransmission over a path.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    count: u64,
    /// A TSN below which no chunk waits for the path.
    from: u64,
}

/// The chunks of an association that are not acknowledged cumulatively.
#[derive(Clone, Debug)]
pub struct Chunks {
    ring: VecDeque<Chunk>,
    first: u64,
    in_flight: u64,
    waiting: Vec<Waiting>,
    /// For each path, the number of waiting chunks that it carried last.
    lost_on: Vec<u64>,
    /// For each path, a TSN below which it has no chunk in flight.
    none_below: Vec<u64>,
    /// Whether reports may make a chunk lost more than once.
    repeats: bool,
}

impl Chunks {
    /// Creates the state of an association that has sent nothing, over `paths` paths. `repeats` says whether
    /// reports may make a chunk lost more than once.
    pub fn new(paths: usize, repeats: bool) -> Self {
        let (waiting, lost_on) = (vec![Waiting::default(); paths], vec![0; paths]);
        Self {
            ring: VecDeque::new(),
            first: 0,
            in_flight: 0,
            waiting,
            lost_on,
            none_below: vec![0; paths],
            repeats,
        }
    }

    /// Returns the first TSN that is not acknowledged cumulatively.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Returns one past the last TSN sent.
    pub fn high(&self) -> u64 {
        self.first + self.ring.len() as u64
    }

    /// Returns the number of chunks assumed to be in the network.
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Returns the number of chunks that wait for retransmission over a path.
    pub fn waiting(&self, path: usize) -> u64 {
        self.waiting[path].count
    }

    /// Returns the number of chunks that wait for retransmission and that a path carried last.
    pub fn lost_on(&self, path: usize) -> u64 {
        self.lost_on[path]
    }

    /// Returns the lowest TSN in flight on a path; `None` if it has none.
    #[inline]
    pub fn earliest_on(&mut self, path: usize) -> Option<u64> {
        let mut tsn = self.none_below[path].max(self.first);
        while tsn < self.high() {
            let chunk = self.get(tsn);
            if chunk.is_in_flight() && usize::from(chunk.path) == path {
                break;
            }
            tsn += 1;
        }
        self.none_below[path] = tsn;
        (tsn < self.high()).then_some(tsn)
    }

    /// Returns whether every chunk below `tsn` that `path` carried last has arrived.
    pub fn is_first_of(&self, tsn: u64, path: usize) -> bool {
        let below = self.ring.range(..(tsn - self.first) as usize);
        !below.into_iter().any(|chunk| !chunk.is_acked() && usize::from(chunk.path) == path)
    }

    /// Returns the number of chunks that wait for retransmission.
    pub fn all_waiting(&self) -> u64 {
        self.waiting.iter().map(|waiting| waiting.count).sum()
    }

    /// Returns the state of a chunk that is not acknowledged cumulatively.
    #[inline]
    pub fn get(&self, tsn: u64) -> Chunk {
        self.ring[(tsn - self.first) as usize]
    }

    /// Records that the next new chunk is sent over a path under packet number `number`. Returns its TSN.
    #[inline]
    pub fn send_new(&mut self, path: usize, number: u64) -> u64 {
        self.ring.push_back(Chunk {
            number,
            path: path as u8,
            to: path as u8,
            marks: 0,
            reports: 0,
            above: 0,
        });
        self.in_flight += 1;
        self.high() - 1
    }

    /// Records that the first chunk that waits for a path is retransmitted over it under packet number
    /// `number`. Returns its TSN; `None` if no chunk waits for the path.
    pub fn send_again(&mut self, path: usize, number: u64) -> Option<u64> {
        let tsn = self.first_waiting(path)?;
        self.wait_no_more(tsn);
        self.waiting[path].from = tsn + 1;
        let chunk = &mut self.ring[(tsn - self.first) as usize];
        chunk.marks |= RETRANSMITTED;
        chunk.marks &= if self.repeats { !FAST } else { u8::MAX };
        (chunk.path, chunk.number) = (path as u8, number);
        self.in_flight += 1;
        self.none_below[path] = self.none_below[path].min(tsn);
        Some(tsn)
    }

    /// Returns the TSN of the first chunk that waits for a path; `None` if no chunk waits.
    pub fn first_waiting(&mut self, path: usize) -> Option<u64> {
        if self.waiting[path].count == 0 {
            return None;
        }
        let mut tsn = self.waiting[path].from.max(self.first);
        while !self.waits_for(tsn, path) {
            tsn += 1;
        }
        self.waiting[path].from = tsn;
        Some(tsn)
    }

    //= RFC 9260 section 6.1 rule-c: chunks marked for retransmission are sent before new data
    /// Returns the lowest TSN that waits for retransmission, and the path over which it is to be
    /// retransmitted; `None` if no chunk waits.
    pub fn first_to_retransmit(&mut self) -> Option<(u64, usize)> {
        (0..self.waiting.len()).filter_map(|path| Some((self.first_waiting(path)?, path))).min()
    }

    /// Returns the path that last carried the first waiting chunk from `tsn` on; `None` if no chunk waits.
    pub fn first_lost_from(&self, tsn: u64) -> Option<usize> {
        let from = tsn.saturating_sub(self.first) as usize;
        let lost = self.ring.iter().skip(from).find(|chunk| chunk.waits());
        lost.map(|chunk| usize::from(chunk.path))
    }

    /// Counts a report for each chunk below TSN `below` that has not arrived. `highest` is the highest TSN
    /// acknowledged. For a chunk that reports have made lost before, and may again, the report counts only if
    /// `highest` was sent after that (Caro et al.'s Multiple Fast Retransmit).
    pub fn report_missing(&mut self, below: u64, highest: u64) {
        let count = below.clamp(self.first, self.high()) - self.first;
        for (tsn, chunk) in (self.first..).zip(self.ring.range_mut(..count as usize)) {
            if !chunk.is_acked() && (chunk.above == 0 || highest > tsn + u64::from(chunk.above)) {
                chunk.reports = chunk.reports.saturating_add(1);
            }
        }
    }

    /// Returns the TSN of the first chunk from `from` on and below `below` that was reported missing at least
    /// `times` times and may still become lost by reports; `None` if there is none.
    pub fn first_reported(&self, from: u64, below: u64, times: u32) -> Option<u64> {
        let is_it = |tsn: &u64| {
            let chunk = self.get(*tsn);
            let may_be = chunk.marks & ACKED == 0 && (self.repeats || chunk.marks & FAST == 0);
            may_be && u32::from(chunk.reports) >= times.min(u32::from(u8::MAX))
        };
        (from.max(self.first)..below.min(self.high())).find(is_it)
    }

    /// Marks a waiting chunk as last made lost by reports. Called when enough reports have come for a chunk
    /// that already waits for its retransmission. If reports may make it lost more than once, their count
    /// begins anew.
    pub fn report_lost(&mut self, tsn: u64) {
        let chunk = &mut self.ring[(tsn - self.first) as usize];
        chunk.marks = (chunk.marks | FAST) & !TIMED_OUT;
        self.count_anew(tsn);
    }

    fn count_anew(&mut self, tsn: u64) {
        if self.repeats {
            let above = u32::try_from(self.high() - 1 - tsn).unwrap_or(u32::MAX);
            let chunk = &mut self.ring[(tsn - self.first) as usize];
            (chunk.reports, chunk.above) = (0, above);
        }
    }

    /// Marks the waiting chunks that a path carried last as lost by a timeout, whatever made them lost
    /// before, and resets their counts of reports.
    pub fn time_out(&mut self, path: usize) {
        for chunk in self.ring.iter_mut().filter(|chunk| chunk.waits() && usize::from(chunk.path) == path) {
            (chunk.marks, chunk.reports) = (chunk.marks | TIMED_OUT, 0);
        }
    }

    /// Records that a chunk has arrived. Returns its state before that; `None` if it had arrived already.
    #[inline]
    pub fn acknowledge(&mut self, tsn: u64) -> Option<Chunk> {
        let chunk = &mut self.ring[(tsn - self.first) as usize];
        let before = *chunk;
        if before.is_acked() {
            return None;
        }
        if before.waits() {
            self.wait_no_more(tsn);
        } else {
            self.in_flight -= 1;
        }
        self.ring[(tsn - self.first) as usize].marks |= ACKED;
        Some(before)
    }

    /// Forgets the chunks below a TSN, all of which have been acknowledged one by one.
    #[inline]
    pub fn release(&mut self, below: u64) {
        self.ring.drain(..(below - self.first) as usize);
        self.first = below;
    }

    /// Marks a chunk in flight as lost, for the cause `by`. It waits for retransmission over path `to`.
    pub fn lose(&mut self, tsn: u64, to: usize, by: Loss) {
        let chunk = &mut self.ring[(tsn - self.first) as usize];
        debug_assert!(chunk.is_in_flight());
        chunk.to = to as u8;
        chunk.marks = match by {
            Loss::Reports => (chunk.marks | WAITS | FAST) & !TIMED_OUT,
            Loss::Timeout => (chunk.marks | WAITS | TIMED_OUT) & !FAST,
            Loss::TimeoutAsInNs2 => chunk.marks | WAITS | TIMED_OUT,
        };
        chunk.reports = if by == Loss::Reports { chunk.reports } else { 0 };
        self.in_flight -= 1;
        self.lost_on[usize::from(chunk.path)] += 1;
        if by == Loss::Reports {
            self.count_anew(tsn);
        }
        let waiting = &mut self.waiting[to];
        waiting.from = if waiting.count == 0 { tsn } else { waiting.from.min(tsn) };
        waiting.count += 1;
    }

    /// Makes the chunks that wait for path `from` wait for path `to`.
    pub fn redirect(&mut self, from: usize, to: usize) {
        while let Some(tsn) = self.first_waiting(from) {
            self.ring[(tsn - self.first) as usize].to = to as u8;
            self.waiting[from].count -= 1;
            let waiting = &mut self.waiting[to];
            waiting.from = if waiting.count == 0 { tsn } else { waiting.from.min(tsn) };
            waiting.count += 1;
        }
    }

    fn waits_for(&self, tsn: u64, path: usize) -> bool {
        let chunk = self.get(tsn);
        chunk.waits() && usize::from(chunk.to) == path
    }

    fn wait_no_more(&mut self, tsn: u64) {
        let chunk = &mut self.ring[(tsn - self.first) as usize];
        chunk.marks &= !WAITS;
        self.lost_on[usize::from(chunk.path)] -= 1;
        self.waiting[usize::from(chunk.to)].count -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retransmission_is_lost_by_reports_of_later_chunks() {
        // Chunk 0 is lost by four reports while 4 chunks are above it. In the second half, reports whose
        // highest TSN is 4 do not count, because that was sent before the loss; those with 5 to 8 count if
        // reports may make a chunk lost more than once.
        for (repeats, second) in [(false, None), (true, Some(0))] {
            let mut chunks = Chunks::new(1, repeats);
            (0..5).for_each(|number| assert_eq!(chunks.send_new(0, number), number));
            (1..5).for_each(|highest| chunks.report_missing(highest, highest));
            assert_eq!(chunks.first_reported(0, 4, 4), Some(0));
            assert!(!chunks.get(0).was_reported(), "reports have not made it lost yet");
            chunks.lose(0, 0, Loss::Reports);
            assert!(chunks.get(0).was_reported());
            chunks.send_again(0, 5);
            (6..16).for_each(|number| assert_eq!(chunks.send_new(0, number), number - 1));
            (0..10).for_each(|_| chunks.report_missing(4, 4));
            assert_eq!(chunks.first_reported(0, 1, 4), None);
            (5..9).for_each(|highest| chunks.report_missing(highest, highest));
            assert_eq!(chunks.first_reported(0, 1, 4), second);
        }
    }

    //= test RFC 9260 section 6.1 rule-c
    //= test RFC 9260 section 7.2.4 once
    #[test]
    fn lost_chunks_wait_for_their_path_in_order() {
        let mut chunks = Chunks::new(2, false);
        let sent: Vec<u64> = (0..6).map(|number| chunks.send_new(0, number)).collect();
        assert_eq!((sent, chunks.in_flight(), chunks.high()), (vec![0, 1, 2, 3, 4, 5], 6, 6));
        chunks.lose(3, 1, Loss::Reports);
        chunks.lose(1, 1, Loss::Reports);
        chunks.lose(2, 0, Loss::Timeout);
        assert_eq!((chunks.in_flight(), chunks.waiting(1), chunks.all_waiting()), (3, 2, 3));
        assert_eq!(chunks.first_to_retransmit(), Some((1, 1)));
        assert_eq!(chunks.send_again(1, 0), Some(1));
        assert!(!chunks.get(1).may_be_reported() && chunks.get(1).was_retransmitted());
        // Chunks 1, 2 and 3 are no longer in flight on path 0. Chunk 1 has been retransmitted on path 1, and
        // is the earliest chunk on that path.
        assert_eq!((chunks.earliest_on(0), chunks.earliest_on(1)), (Some(0), Some(1)));
        // The original of chunk 3 arrives after all, so no chunk waits for path 1 any more.
        assert!(chunks.acknowledge(3).is_some_and(|chunk| chunk.waits()));
        assert_eq!((chunks.send_again(1, 1), chunks.acknowledge(3)), (None, None));
        chunks.redirect(0, 1);
        assert_eq!((chunks.send_again(1, 1), chunks.get(2).path, chunks.in_flight()), (Some(2), 1, 5));
        for tsn in 0..2 {
            chunks.acknowledge(tsn);
        }
        chunks.release(2);
        assert_eq!((chunks.first(), chunks.high(), chunks.get(2).number), (2, 6, 1));
        assert_eq!((chunks.earliest_on(0), chunks.earliest_on(1)), (Some(4), Some(2)));
    }

    #[test]
    fn a_timeout_of_a_path_takes_over_what_that_path_carried_last_and_waits() {
        // Chunks 0 and 1 were sent over path 0, 2 over path 1; reports have made 0 and 2 lost. The timer of path 0
        // expires: chunk 0 counts as lost by a timeout from now on. Chunk 1 is in flight, and 2 is path 1's.
        let mut chunks = Chunks::new(2, false);
        for (number, path) in [(0, 0), (1, 0), (2, 1)] {
            chunks.send_new(path, number);
        }
        chunks.lose(0, 1, Loss::Reports);
        chunks.lose(2, 0, Loss::Reports);
        chunks.time_out(0);
        assert_eq!([0, 1, 2].map(|tsn| chunks.get(tsn).timed_out()), [true, false, false]);
    }
}
