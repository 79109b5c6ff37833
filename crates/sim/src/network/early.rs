//! The places at which packets may be [delivered early](crate::simulation), and the packets that wait there
//! because they may not.

use super::{NO_LINK, Network, Step, Then};
use crate::link::Link;
use crate::packet::Packet;
use crate::schedule::Order;
use ackclock_base::Time;

impl Network {
    /// Allows early delivery at the end of `path`, if the endpoint's own packets, which go over path `back`,
    /// still enter every shared link in the right order. Called when the network has been built.
    pub(crate) fn let_deliver_early(&mut self, path: u32, back: u32) {
        if !self.waits_after_its_own_links(back) {
            return;
        }
        let steps = self.steps_of(path);
        if let [on_the_way @ .., before, Step { crosses: NO_LINK, then: Then::Arrive }] =
            &mut self.steps[steps]
            && let Then::Wait(lane) = before.then
            && !self.lanes[lane as usize].reorders()
            && Self::comes_from_a_lane(on_the_way)
            && !Self::copies_before_the_end(&self.links, on_the_way)
        {
            before.then = Then::HandOver(lane);
            self.lanes[lane as usize].in_turn = true;
        }
    }

    /// Returns whether the packets of a path wait in a lane before the first agent and before the first link
    /// whose queue is observed.
    fn waits_after_its_own_links(&self, path: u32) -> bool {
        let is_own = |step: &&Step| match step.then {
            Then::GoOn => true,
            Then::Offer(link) => !self.links[link as usize].is_watched(),
            _ => false,
        };
        let first = self.steps[self.steps_of(path)].iter().find(|step| !is_own(step));
        first.is_some_and(|step| matches!(step.then, Then::Wait(_) | Then::HandOver(_)))
    }

    /// Returns whether a packet that has passed these steps was moved by [`Network::arrive`], whose caller
    /// delivers it. A packet that leaves an agent, or a queue that decides at departure, has another caller
    /// until it has waited in a lane.
    fn comes_from_a_lane(steps: &[Step]) -> bool {
        let passes = |step: &&Step| matches!(step.then, Then::GoOn | Then::Offer(_));
        let last = steps.iter().rev().find(|step| !passes(step));
        last.is_some_and(|step| matches!(step.then, Then::Wait(_)))
    }

    /// Returns whether the last link of the path duplicates packets. The caller that delivers knows of one
    /// packet only.
    fn copies_before_the_end(links: &[Link], steps: &[Step]) -> bool {
        let last = steps.iter().rev().find(|step| step.then != Then::GoOn);
        matches!(last, Some(Step { then: Then::Offer(link), .. }) if links[*link as usize].duplicates())
    }

    pub(super) fn steps_of(&self, path: u32) -> std::ops::Range<usize> {
        let end = self.starts.get(path as usize + 1).map_or(self.steps.len(), |next| *next as usize);
        self.starts[path as usize] as usize..end
    }

    /// Returns whether packets wait in a lane at the end of a path.
    #[inline]
    pub(crate) fn is_anything_in(&self, lane: u32) -> bool {
        !self.lanes[lane as usize].is_empty()
    }

    /// Makes a packet wait at the end of its path until it arrives. Its departure is set to zero, so that it
    /// comes before all packets that arrive elsewhere at that instant. No other endpoint depends on what this
    /// one does, and what it answers at that instant is in a lane in time, as after early delivery.
    #[cold]
    #[inline(never)]
    pub(crate) fn put_off(&mut self, arrives: Time, lane: u32, packet: &Packet) {
        let _ = self.enter([arrives, Time::ZERO], lane, packet);
    }

    /// Called when the head of a lane has been delivered. Returns the arrival and the path of the new head if
    /// it waits at the end of its path; `None` if the lane has no early delivery or is empty.
    #[inline]
    pub(crate) fn next_in_turn(&self, lane: usize) -> Option<(Time, u32)> {
        let lane = &self.lanes[lane];
        if !lane.in_turn {
            return None;
        }
        let (arrives, _) = lane.head(&self.pool)?;
        Some((arrives, lane.path))
    }

    /// Takes the first packet that waits at the end of a path out of its lane, and writes it to `packet`.
    pub(crate) fn take_in_turn(&mut self, lane: usize, packet: &mut Packet) {
        let (times, _) = self.lanes[lane].pop(&mut self.pool, packet);
        if self.trace.is_some() {
            self.number = super::take_number(&mut self.traced[lane], times);
        }
    }

    /// Gives the first packet that waits at the end of a path an event of its own, at `arrives`.
    pub(crate) fn wait_in_turn(&mut self, lane: usize, arrives: Time) {
        self.schedule.set(self.lanes[lane].source, arrives, Order::arrival(Time::ZERO));
    }
}
