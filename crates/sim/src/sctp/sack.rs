//! The processing of SACKs (RFC 9260 sections 6.2.1, 7.2): first one pass over the new acknowledgements, then
//! each path's sender processes its own packets, and finally what may be sent is sent.

use super::association::{Association, Choices};
use super::chunks::Loss;
use super::message::{MessageWire, Sack};
use super::path::{AckSummary, Nothing, Path};
use ackclock_base::{Span, Time};
use ackclock_cc::selector::PathAck;
use ackclock_recovery::ecn::MarkFeedback;
use ackclock_recovery::sender::{Acknowledgement, ReportedLosses};

/// What the processing of a SACK has found.
#[derive(Clone, Copy, Debug, Default)]
struct SackOutcome {
    /// Whether it moves the cumulative TSN.
    advances: bool,
    /// Whether it newly acknowledges a chunk that was sent more than once. That decides about the limit on
    /// bursts, except by ns-2's rules.
    retransmitted: bool,
    /// The highest newly acknowledged TSN (HTNA); `None` if nothing is newly acknowledged.
    highest: Option<u64>,
    /// Whether its reports have made a chunk lost.
    losses: bool,
}

impl Association {
    /// Processes a SACK: finds losses, updates the windows and sends what is allowed. A SACK is ignored if
    /// its cumulative TSN is lower than that of a previous one, or lies beyond the last chunk sent. Gap
    /// blocks that reach beyond the last chunk sent are cut off. An association that is not yet established,
    /// or is over, ignores all SACKs.
    pub fn on_sack(&mut self, now: Time, sack: &Sack<'_>, wire: &mut impl MessageWire) {
        let first = self.chunks.first();
        if self.is_over()
            || !self.is_established()
            || !(first..=self.chunks.high()).contains(&sack.cumulative)
        {
            return;
        }
        self.note_timers(sack);
        let mut outcome = self.take_in(sack);
        self.window = u64::from(sack.window);
        self.is_heard = true;
        self.find_losses(sack, &mut outcome);
        let rtt = self.echoed(now, sack);
        self.tell_paths(now, &outcome);
        self.leave_recovery();
        self.hold_timers(now);
        self.select(now, rtt);
        let bounds = if self.options.repairs_first() { self.bounds_burst } else { outcome.retransmitted };
        self.burst = self.options.burst(bounds);
        if outcome.losses
            && let Some(path) = self.aim()
        {
            self.send_one(now, path, wire); // section 7.2.4 rule 3: whatever the window is
            if self.options.repairs_first() && self.chunks.all_waiting() > 0 {
                return;
            }
        }
        self.send_all(now, wire);
        self.bounds_burst &= self.burst > 0;
    }

    /// Records the chunks that the SACK newly acknowledges. Returns what it has found.
    fn take_in(&mut self, sack: &Sack<'_>) -> SackOutcome {
        let mut outcome =
            SackOutcome { advances: sack.cumulative > self.chunks.first(), ..SackOutcome::default() };
        for tsn in self.chunks.first()..sack.cumulative {
            self.acknowledge(tsn, &mut outcome);
        }
        self.highest = outcome.highest.unwrap_or(self.highest);
        self.chunks.release(sack.cumulative);
        self.paths.iter_mut().for_each(|path| path.lane.measure_from(sack.cumulative));
        if !sack.blocks.is_empty() || !self.seen.is_empty() {
            self.take_in_blocks(sack, &mut outcome);
        }
        self.highest = self.highest.max(outcome.highest.unwrap_or(0));
        outcome
    }

    /// Processes the gap blocks. Receivers repeat their blocks: of a block that begins with the same TSN as
    /// one of the previous SACK, only the part beyond the end of that one is looked at.
    fn take_in_blocks(&mut self, sack: &Sack<'_>, outcome: &mut SackOutcome) {
        std::mem::swap(&mut self.seen, &mut self.earlier);
        self.seen.clear();
        let (mut place, high) = (0, self.chunks.high());
        for block in sack.blocks {
            let start = (sack.cumulative + u64::from(block.start)).min(high);
            let end = (sack.cumulative + u64::from(block.end)).min(high);
            while self.earlier.get(place).is_some_and(|earlier| earlier.0 < start) {
                place += 1;
            }
            let known = self
                .earlier
                .get(place)
                .filter(|earlier| earlier.0 == start)
                .map_or(start, |earlier| earlier.1);
            for tsn in known.max(start)..end {
                self.acknowledge(tsn, outcome);
            }
            self.seen.push((start, end.max(known)));
        }
    }

    #[inline]
    fn acknowledge(&mut self, tsn: u64, outcome: &mut SackOutcome) {
        let Some(chunk) = self.chunks.acknowledge(tsn) else { return };
        outcome.highest = outcome.highest.max(Some(tsn));
        outcome.retransmitted |= chunk.was_retransmitted();
        self.errors = 0; // section 8.1
        let path = &mut self.paths[usize::from(chunk.path)];
        path.held.is_taken |= path.held.earliest == Some(tsn);
        if chunk.waits() {
            path.summary.late += 1;
        } else {
            path.summary.acknowledge(chunk.number);
        }
        // The error counter that is cleared is that of the path that carried the chunk last (section 8.2). A
        // chunk that waits for retransmission since a timeout may have arrived long ago, which says nothing
        // about the path now.
        let is_of_now = !chunk.timed_out();
        //= RFC 9260 section 6.3.1 c5: a retransmitted chunk gives no round-trip sample
        if !chunk.was_retransmitted()
            && let Some(sent) = path.lane.measured(tsn)
            && is_of_now
        {
            path.summary.stamp = Some(sent);
        }
        if is_of_now {
            self.on_success(usize::from(chunk.path));
        }
    }

    /// Finds the chunks that reports make lost: by TSN those sent once (section 7.2.4), and by packet number
    /// those that were retransmitted or, under CMT, all. A SACK without gap blocks makes none lost.
    fn find_losses(&mut self, sack: &Sack<'_>, outcome: &mut SackOutcome) {
        if sack.blocks.is_empty() {
            return;
        }
        let by_path = self.options.details.cmt;
        if self.options.repairs_first() && !by_path {
            return self.find_losses_as_ns2(outcome);
        }
        //= RFC 9260 section 7.2.4 highest: a SACK reports as missing only chunks below the highest TSN that it newly acknowledges
        if let Some(highest) = outcome.highest.filter(|_| !by_path) {
            // In recovery, a SACK that moves the cumulative TSN reports all chunks missing below its highest
            // block.
            let told = self.seen.last().map_or(0, |block| block.1.saturating_sub(1));
            let in_recovery = outcome.advances && self.recover.is_some();
            let enough = self.reports.report_below(if in_recovery { highest.max(told) } else { highest });
            for tsn in enough.start.max(self.chunks.first())..enough.end {
                let chunk = self.chunks.get(tsn);
                if chunk.may_be_reported() && !chunk.was_retransmitted() {
                    self.lose(tsn, outcome);
                }
            }
        }
        self.find_losses_by_number(sack, by_path, outcome);
    }

    /// Finds losses as ns-2 does. Each chunk counts the SACKs that report it missing. The count returns to
    /// zero when a timeout makes the chunk lost and, with `multiple_fast_retransmit`, when reports do. A SACK
    /// reports the chunks missing below `highest`. In recovery, a SACK that moves the cumulative TSN also
    /// reports those missing below its last block. If chunks become lost, one path reduces its window: the
    /// path that last carried the first chunk that waits for retransmission, of the chunks first sent since
    /// the previous recovery began.
    fn find_losses_as_ns2(&mut self, outcome: &mut SackOutcome) {
        let told = self.seen.last().map_or(0, |block| block.1.saturating_sub(1));
        let in_recovery = outcome.advances && self.recover.is_some_and(|recover| self.highest < recover);
        let below = if in_recovery { self.highest.max(told) } else { self.highest };
        self.chunks.report_missing(below, self.highest);
        let (times, mut from) = (self.options.details.missing_reports, 0);
        while let Some(tsn) = self.chunks.first_reported(from, below, times) {
            self.lose(tsn, outcome);
            from = tsn + 1;
        }
        if outcome.losses
            && let Some(index) = self.chunks.first_lost_from(self.recover.unwrap_or(0))
        {
            self.recover = Some(self.chunks.high());
            self.paths[index].summary.reduces = true;
            self.paths[index].lane.suspend_measuring();
        }
    }

    /// Finds losses by packet number: a retransmission becomes lost by reports of packets sent later over the
    /// same path. With `everything`, as under CMT, this applies to all packets (split fast retransmit).
    fn find_losses_by_number(&mut self, sack: &Sack<'_>, everything: bool, outcome: &mut SackOutcome) {
        let one_path = self.paths.iter().filter(|path| path.summary.highest > 0).count() == 1;
        // Under CMT, a SACK for several packets, of which all newly acknowledged ones are of one path, counts
        // as that number of reports.
        let times = if everything && one_path { sack.packets.max(1) } else { 1 };
        for index in 0..self.paths.len() {
            let highest = self.paths[index].summary.highest;
            if highest == 0 {
                continue;
            }
            for _ in 0..times {
                let enough = self.paths[index].reports.report_below(highest - 1);
                self.lose_numbers(index, enough, everything, outcome);
            }
        }
    }

    fn lose_numbers(
        &mut self,
        index: usize,
        numbers: std::ops::Range<u64>,
        everything: bool,
        outcome: &mut SackOutcome,
    ) {
        let kept = self.paths[index].lane.numbers();
        for number in numbers.start.max(kept.start)..numbers.end.min(kept.end) {
            let tsn = self.paths[index].lane.tsn(number);
            if tsn < self.chunks.first() {
                continue;
            }
            let chunk = self.chunks.get(tsn);
            let is_it = usize::from(chunk.path) == index && chunk.number == number;
            if is_it && chunk.may_be_reported() && (everything || chunk.was_retransmitted()) {
                self.lose(tsn, outcome);
            }
        }
    }

    /// Marks a chunk as lost by reports, and decides whether its path reduces its window.
    fn lose(&mut self, tsn: u64, outcome: &mut SackOutcome) {
        let chunk = self.chunks.get(tsn);
        let index = usize::from(chunk.path);
        let by_path = self.options.details.cmt;
        let as_ns2 = self.options.repairs_first();
        outcome.losses = true;
        if chunk.waits() {
            return self.chunks.report_lost(tsn);
        }
        let to = self.destination(index, false);
        self.chunks.lose(tsn, to, Loss::Reports);
        if as_ns2 && !by_path {
            return self.paths[index].summary.lost.push(chunk.number);
        }
        let recover = if by_path { &mut self.paths[index].recover } else { &mut self.recover };
        // Losses found during a recovery belong to it, even those of chunks sent since it began, except in
        // ns-2. Each path on which the SACK that begins a recovery shows losses reduces its window once.
        let begins = recover.is_none_or(|recover| as_ns2 && tsn >= recover);
        if begins {
            *recover = Some(self.chunks.high());
        }
        let is_beginning =
            begins || (!by_path && !as_ns2 && self.paths.iter().any(|path| path.summary.reduces));
        let path = &mut self.paths[index];
        path.summary.lost.push(chunk.number);
        path.summary.reduces |= is_beginning;
    }

    /// Makes the echoed timestamp the sample for its path's timer, in place of all others. Returns that path
    /// and the round-trip time; `None` if timestamps are not used or the SACK echoes none.
    fn echoed(&mut self, now: Time, sack: &Sack<'_>) -> Option<(usize, Span)> {
        let index = usize::from(sack.echo.path);
        if !self.options.details.timestamps || sack.echo.sent > now {
            return None;
        }
        for path in &mut self.paths {
            path.summary.stamp = None;
        }
        let path = self.paths.get_mut(index)?;
        path.summary.stamp = Some(sack.echo.sent);
        let rtt = now.since(sack.echo.sent);
        path.note_rtt(rtt);
        Some((index, rtt))
    }

    fn tell_paths(&mut self, now: Time, outcome: &SackOutcome) {
        let by_path = self.options.details.cmt;
        let first = self.chunks.first();
        let ends = |recover: Option<u64>| recover.filter(|recover| first < *recover).is_some();
        let together = ends(self.recover);
        let chunk = u64::from(self.options.sizes.chunk);
        for path in &mut self.paths {
            if path.summary.is_empty() {
                path.summary.clear();
                continue;
            }
            let recovering = if by_path { ends(path.recover) } else { together };
            let advances = (!by_path).then_some(outcome.advances);
            let late = path.summary.late * chunk;
            if let Some(rtt) = path.take(now, recovering, advances, late) {
                self.rtt.record(rtt);
            }
        }
    }

    /// Ends each recovery whose chunks are all acknowledged cumulatively. ns-2's rules need the end of the
    /// last recovery even when that is over, so by them it is kept.
    fn leave_recovery(&mut self) {
        if self.options.repairs_first() && !self.options.details.cmt {
            return;
        }
        let first = self.chunks.first();
        let over = |recover: &mut Option<u64>| {
            if recover.is_some_and(|recover| first >= recover) {
                *recover = None;
            }
        };
        over(&mut self.recover);
        self.paths.iter_mut().for_each(|path| over(&mut path.recover));
    }

    /// Asks the selector, if there is one, for the path of new data. A path to which it switches also becomes
    /// the primary one.
    fn select(&mut self, now: Time, echoed: Option<(usize, Span)>) {
        let Some(selector) = &mut self.selector else { return };
        let path = self.current;
        let rtt = match echoed {
            Some((index, rtt)) => (index == path).then_some(rtt),
            None => self.paths[path].last_rtt(),
        };
        let Some(switch) = selector.on_ack(&PathAck { now, path, rtt }, &Choices(&self.paths)) else {
            return;
        };
        self.counts.switches += 1;
        (self.current, self.primary) = (switch.path, switch.path);
        if let Some(cwnd) = switch.cwnd {
            self.paths[switch.path].sender.set_cwnd(now, cwnd);
        }
    }
}

impl Path {
    /// Passes what the SACK means for this path to the path's sender. Returns the round-trip time of the
    /// packet sent last among those newly acknowledged; `None` if there are none or one of them was a
    /// retransmission.
    fn take(&mut self, now: Time, recovering: bool, advances: Option<bool>, late: u64) -> Option<Span> {
        let Self { sender, lane, summary, held, .. } = self;
        let AckSummary { acked, lost, stamp, reduces, .. } = &mut *summary;
        lost.sort_unstable();
        sender.take_reported_losses(&ReportedLosses {
            lost,
            reduces: *reduces,
            recovering,
            late,
            is_full: held.is_full,
        });
        let una = sender.una();
        let cumulative = acked.iter().find(|run| run.start == una).map_or(una, |run| run.end);
        let acknowledgement = Acknowledgement {
            cumulative,
            ranges: acked.drain(..),
            stamp: *stamp,
            one_way_delay: None,
            dsack: None,
            marks: MarkFeedback::default(),
            advances,
            held: None,
        };
        let taken = sender.on_ack(now, acknowledgement, &mut Nothing);
        lane.release(sender.una());
        summary.clear();
        if let Some(rtt) = taken.clean_rtt {
            self.note_rtt(rtt);
        }
        taken.clean_rtt
    }
}
