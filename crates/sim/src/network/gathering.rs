//! Where paths meet before a link that they share, and their packets come nearly in order anyway.
//!
//! A packet has to wait in its lane before a shared link because another flow's may come before it. Often that can be ruled
//! out early. Behind a common bottleneck and wires of equal delay acknowledgements reach the next shared link in the order in
//! which the bottleneck sent what they answer: none that is still to come can be there before the time at which the bottleneck
//! is free, and the delay. So those that come before that are taken on at once, in order, without an event for each. The few
//! for which nobody comes by in time have one event together.

use super::handing::NO_LANE;
use super::{Network, Then};
use crate::packet::Packet;
use crate::ring::Ring;
use crate::schedule::{Moment, SourceId};
use ackclock_base::{Span, Time};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Behind which link packets come to some place, and how long they are on their way from there at least. No packet that is still
/// to come can be there before the link is free, and that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Since {
    pub(super) link: u32,
    pub(super) least: Span,
}

impl Since {
    /// The same behind a wire of constant delay.
    pub(super) fn behind(self, delay: Span) -> Self {
        Self { least: self.least + delay, ..self }
    }
}

/// A place of a path where packets wait to be offered to a shared link.
pub(super) struct Feeding {
    pub(super) link: u32,
    /// The step that ends with the waiting.
    pub(super) step: u32,
    /// Behind what they come there; `None` where nothing is known to come in order, or the path has to stay as it is.
    pub(super) since: Option<Since>,
}

/// The packets on their way to a link that paths lead to in the same way.
pub(super) struct Gathering {
    since: Since,
    /// What they are taken on to, which is to be offered to the link.
    then: Then,
    /// When the first arrives; never if none does.
    first: Time,
    /// When the last of `in_order` arrives, or did.
    last: Time,
    /// Those that arrive after all that came before them, and the others.
    in_order: Ring<Coming>,
    overtaking: BinaryHeap<Reverse<Coming>>,
    /// How many have come, which orders those of the same time.
    count: u64,
    /// The source of the event that takes on what nobody has by then, and when that is; never if it is not pending.
    source: SourceId,
    due: Time,
}

impl Gathering {
    fn new(since: Since, then: Then, source: SourceId) -> Self {
        let (in_order, overtaking) = (Ring::default(), BinaryHeap::new());
        let (first, last, due) = (Time::NEVER, Time::ZERO, Time::NEVER);
        Self { since, then, first, last, in_order, overtaking, count: 0, source, due }
    }

    /// How many are on their way.
    pub(super) fn len(&self) -> usize {
        self.in_order.len() + self.overtaking.len()
    }

    #[inline]
    fn push(&mut self, arrives: Time, passing: Passing, packet: &Packet) {
        self.count += 1;
        self.first = self.first.min(arrives);
        let coming = Coming { arrives, number: self.count, passing, packet: *packet };
        if arrives < self.last {
            return self.overtaking.push(Reverse(coming));
        }
        self.last = arrives;
        self.in_order.push(coming);
    }

    /// Takes the first; there is one. Its packet is put where it is wanted.
    #[inline]
    fn pop(&mut self, packet: &mut Packet) -> (Time, Passing) {
        if !self.overtaking.is_empty() {
            return self.pop_from_both(packet);
        }
        let taken = self.in_order.first().map(|first| first.take(packet)).unwrap_or_default();
        self.in_order.pop();
        self.first = self.in_order.first().map_or(Time::NEVER, |first| first.arrives);
        taken
    }

    #[cold]
    fn pop_from_both(&mut self, packet: &mut Packet) -> (Time, Passing) {
        let (first, other) =
            (self.in_order.first().copied(), self.overtaking.peek().map(|Reverse(other)| *other));
        match (first, other) {
            (Some(first), other) if other.is_none_or(|other| first < other) => self.in_order.pop(),
            _ => drop(self.overtaking.pop()),
        }
        let left = [self.in_order.first(), self.overtaking.peek().map(|Reverse(other)| other)];
        self.first = left.into_iter().flatten().map(|left| left.arrives).min().unwrap_or(Time::NEVER);
        first.into_iter().chain(other).min().map(|first| first.take(packet)).unwrap_or_default()
    }
}

impl Network {
    /// Lets packets gather where all paths that use a link wait before it, behind the same link and as long. Not to be called where
    /// somebody looks at queues as the run goes on, as they would be seen as they are later. Where a trace is kept nothing changes.
    pub fn let_gather(&mut self) {
        let mut feedings = std::mem::take(&mut self.feedings);
        feedings.retain(|_| self.trace.is_none());
        feedings.sort_by_key(|feeding| feeding.link);
        for paths in feedings.chunk_by(|one, other| one.link == other.link) {
            if let Some(since) = paths[0].since
                && paths.len() > 1
                && paths.iter().all(|path| path.since == Some(since))
            {
                let gathering = self.gatherings.len() as u32;
                paths.iter().for_each(|path| self.steps[path.step as usize].then = Then::Gather(gathering));
                let source = self.schedule.add_source();
                let then = self.steps[paths[0].step as usize + 1].then;
                self.gatherings.push(Gathering::new(since, then, source));
            }
        }
    }

    /// How many gatherings there are; their sources are the last of the network's, in order.
    pub fn gatherings(&self) -> usize {
        self.gatherings.len()
    }

    /// A packet is on its way to a link that others come to.
    #[inline]
    pub(super) fn gather(&mut self, arrives: Time, index: u32, path: u32, step: u32, packet: &Packet) {
        let lead = arrives.since(self.schedule.moment().now);
        self.gatherings[index as usize].push(arrives, Passing { lead, path, step }, packet);
        self.look_at(index);
    }

    #[inline]
    fn look_at(&mut self, index: u32) {
        if self.gathered.last() != Some(&index) {
            self.gathered.push(index);
        }
    }

    /// The event of a gathering: nobody has taken on what arrives now.
    pub(crate) fn on_gathering(&mut self, index: u32) {
        self.gatherings[index as usize].due = Time::NEVER;
        self.look_at(index);
    }

    /// A gathering to which something has come, or whose event has come. All that it has is to be [taken on](Self::take_on), and
    /// then it [has been](Self::has_taken_on).
    #[inline]
    pub(crate) fn next_gathering(&self) -> Option<u32> {
        self.gathered.last().copied()
    }

    /// The first packet of a gathering goes over the links that follow, as if at its time, if nothing that is still to come can precede
    /// it, or it is there now. Returns when it reaches the end of its path, or never if it does not, and which path that is.
    #[inline]
    pub(crate) fn take_on(&mut self, index: u32, now: Time, taken: &mut Packet) -> Option<(Time, u32)> {
        let gathering = &mut self.gatherings[index as usize];
        let Since { link, least } = gathering.since;
        // What arrives after the end is never taken on, as nothing that waits in a lane then is.
        let until = (self.links[link as usize].free_at() + least).max(now);
        if gathering.first > until.min(self.end) {
            return None;
        }
        let (arrives, Passing { lead, path, step }) = gathering.pop(taken);
        let then = gathering.then;
        // What follows is scheduled in the order in which it would be if each had an event.
        self.schedule.set_moment(Moment::of(arrives, lead));
        (self.reached_end, self.last_lane) = (Time::NEVER, NO_LANE);
        match then {
            Then::Offer(link) => self.offer(arrives, path, link, step + 1, taken),
            _ => self.go_further(arrives, path, step + 1, taken),
        }
        Some((self.reached_end, path))
    }

    /// All that could be taken on has been: sees to the rest.
    #[inline]
    pub(crate) fn has_taken_on(&mut self, index: u32) {
        self.gathered.retain(|other| *other != index);
        let Gathering { first, source, due, .. } = &mut self.gatherings[index as usize];
        if *first < *due {
            *due = *first;
            let order = self.schedule.next_order(*first);
            self.schedule.set(*source, *first, order);
        }
    }
}

/// A packet that gathers.
#[derive(Clone, Copy, Debug, Default)]
struct Coming {
    arrives: Time,
    number: u64,
    passing: Passing,
    packet: Packet,
}

/// What a packet that gathers is about to do.
#[derive(Clone, Copy, Debug, Default)]
struct Passing {
    /// For how long it has been known.
    lead: Span,
    path: u32,
    step: u32,
}

impl Coming {
    #[inline]
    fn take(&self, packet: &mut Packet) -> (Time, Passing) {
        *packet = self.packet;
        (self.arrives, self.passing)
    }

    fn key(&self) -> (Time, u64) {
        (self.arrives, self.number)
    }
}

impl PartialEq for Coming {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Coming {}

impl PartialOrd for Coming {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Coming {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}
