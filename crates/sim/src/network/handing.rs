//! Packets that are handed to an endpoint before their time has come.
//!
//! What an endpoint does follows from what reaches it, in what order, and from its timers. So when the last link before it has
//! sent a packet, and nothing else can reach the endpoint earlier, it may take the packet at once, with the time at which it
//! arrives, and nobody need wait for that time. What it sends in turn leaves at that time, which is right if the first
//! link is its own: before the next one that others use it waits in a lane.

use super::{NO_LINK, Network, Step, Then};
use crate::packet::Packet;
use crate::schedule::Order;
use ackclock_base::Time;

impl Network {
    /// Lets packets be handed over early on a path to an endpoint whose way back is that one, if that is right: see above. To be
    /// called when the network has been built, where nobody looks at endpoints but at instants up to which nothing is handed over
    /// before. Where a trace is kept nothing changes.
    pub(crate) fn let_hand_over(&mut self, path: u32, back: u32) {
        if !self.waits_unless_its_own(back) {
            return;
        }
        let steps = self.steps_of(path);
        if let [
            on_the_way @ ..,
            Step { then: Then::Wait(lane), .. },
            Step { crosses: NO_LINK, then: Then::Arrive },
        ] = &mut self.steps[steps.clone()]
            && Self::comes_from_an_event(on_the_way)
        {
            let (lane, place) = (*lane, steps.end - 2);
            self.steps[place].then = Then::HandOver(lane);
            self.lanes[lane as usize].in_turn = true;
        }
    }

    /// Whether packets of a path wait before they are told to any link but their sender's own.
    fn waits_unless_its_own(&self, path: u32) -> bool {
        let is_own = |step: &&Step| match step.then {
            Then::GoOn => true,
            Then::Offer(link) | Then::Ask(link) => !self.links[link as usize].is_watched(),
            _ => false,
        };
        let first = self.steps[self.steps_of(path)].iter().find(|step| !is_own(step));
        first.is_some_and(|step| matches!(step.then, Then::Wait(_) | Then::Gather(_) | Then::HandOver(_)))
    }

    /// Whether what has passed these steps is in nobody's hands: a packet that has waited, then, and was not in the hands of an
    /// agent, or of a link that decides at departure, since.
    fn comes_from_an_event(steps: &[Step]) -> bool {
        let simple = |step: &&Step| matches!(step.then, Then::GoOn | Then::Offer(_) | Then::Ask(_));
        let last = steps.iter().rev().find(|step| !simple(step));
        last.is_some_and(|step| matches!(step.then, Then::Wait(_) | Then::Gather(_)))
    }

    fn steps_of(&self, path: u32) -> std::ops::Range<usize> {
        let end = self.starts.get(path as usize + 1).map_or(self.steps.len(), |next| *next as usize);
        self.starts[path as usize] as usize..end
    }

    /// A packet will have reached the end of its path.
    #[inline]
    pub(super) fn reach_end_early(&mut self, arrives: Time, lane: u32) {
        (self.reached_end, self.last_lane) = (self.lanes[lane as usize].reserve(arrives), lane);
    }

    /// Where the packet that has just reached the end of its path would have to wait for its time, and for others that wait there,
    /// if it is one that may be handed over.
    #[inline]
    pub(crate) fn lane_at_end(&self) -> Option<u32> {
        (self.last_lane != NO_LANE).then_some(self.last_lane)
    }

    /// Whether packets wait at the end of a path.
    #[inline]
    pub(crate) fn is_anything_in(&self, lane: u32) -> bool {
        !self.lanes[lane as usize].is_empty()
    }

    /// A packet that might have been handed over has to wait until it arrives.
    #[cold]
    #[inline(never)]
    pub(crate) fn put_off(&mut self, arrives: Time, lane: u32, packet: &Packet) {
        self.enter(arrives, lane, packet);
    }

    /// When the next of those that were put off arrives and in which place among those of the same time, and where, if what was before
    /// it has.
    #[inline]
    pub(crate) fn next_in_turn(&self, lane: usize) -> Option<((Time, Order), u32)> {
        let lane = &self.lanes[lane];
        if !lane.in_turn {
            return None;
        }
        Some((lane.head(&self.pool)?, lane.path))
    }

    /// It is handed over after all.
    #[inline]
    pub(crate) fn take_in_turn(&mut self, lane: usize, packet: &mut Packet) {
        self.lanes[lane].pop(&mut self.pool, packet);
    }

    /// It goes on waiting.
    #[inline]
    pub(crate) fn wait_in_turn(&mut self, lane: usize, (arrives, order): (Time, Order)) {
        self.schedule.set(self.lanes[lane].source, arrives, order);
    }
}

/// The index of none.
pub(super) const NO_LANE: u32 = u32::MAX;
