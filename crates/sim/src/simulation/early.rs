//! Early delivery: an endpoint takes a packet before its arrival time has come, and the packet has no event
//! of its own.
//!
//! When the last link of a path has been offered a packet, the time at which it reaches the endpoint is
//! known. The endpoint may take the packet at once, as of that time, if this changes nothing. It changes
//! nothing because
//!
//! 1. **the endpoint sees the same events in the same order.** Only one path leads to it
//!    (`Flow::let_deliver_early`), in whose lane no packet overtakes another (`Network::let_deliver_early`).
//!    No packet waits in the lane before this one, and neither the endpoint's timer nor its application has
//!    anything to do up to and including the arrival (`Flow::is_idle_until`);
//! 2. **no other component sees the endpoint in between.** It belongs to no session, its control is not
//!    shared with other connections (`Flow::let_deliver_early`), and the arrival is before the next time at
//!    which the run is observed: a sample, the end of the warm-up, or the time up to which the caller runs it
//!    (`Simulation::horizon`);
//! 3. **the packets that it sends enter every link in the same order.** They cross links that no other path
//!    uses, and then wait in a lane (`Network::waits_after_its_own_links`). Their order in the schedule
//!    follows from their arrival, their departure and their lane, whenever they are put there
//!    (`schedule/key.rs`). A packet takes at least one nanosecond per link, so none is due before it is
//!    scheduled. The packets of an end that only answers may enter a queue at once: they wait in a lane before
//!    it (`PathPlan::leaves_later`), whose packets follow, at any instant, those that end their paths
//!    (`Network::put_off`);
//! 4. **the random numbers that it draws are its own.** A link draws for the packets that cross it in the
//!    order in which they enter it, and an endpoint's jitter has a stream of its own.
//!
//! [`Simulation::step`] delivers nothing early: its horizon is the event itself. A stepped run is therefore the
//! reference, and gives the same results.
//!
//! A sender's alarm that goes off before the arrival finds a timer that is not due, as it would without early
//! delivery. A timer that the packet leaves in the past is due at the arrival, in either case (`Flow::arm`).

use super::Simulation;
use crate::network::{Destination, Outcome};
use crate::packet::Packet;
use ackclock_base::Time;

impl Simulation {
    /// Hands a packet that reaches the end of its path to the endpoint, at its arrival time or early, or
    /// makes it wait in its lane. It is delivered early only before `horizon`.
    #[inline(always)] // for each packet
    pub(super) fn deliver(
        &mut self,
        outcome: Outcome,
        path: u32,
        packet: &Packet,
        [now, horizon]: [Time; 2],
    ) {
        let at = match outcome {
            Outcome::Arrives => now,
            Outcome::Ends { at, lane } => {
                if self.network.is_anything_in(lane) || !self.may_deliver(at, path, horizon) {
                    return self.network.put_off(at, lane, packet);
                }
                at
            }
            Outcome::Waits | Outcome::Dropped | Outcome::Ended => return,
        };
        self.hand_over(at, path, packet);
    }

    /// Returns whether an endpoint may take a packet that arrives at `at` and that no other packet precedes.
    #[inline(always)]
    fn may_deliver(&self, at: Time, path: u32, horizon: Time) -> bool {
        let Destination { flow, end, .. } = self.network.destination(path);
        at < horizon && self.flows[flow as usize].is_idle_until(usize::from(end), at)
    }

    /// Delivers the packets that wait in a lane early, in order, as long as each may be. Called when the
    /// packet ahead of them has been delivered.
    #[cold]
    #[inline(never)]
    pub(super) fn deliver_in_turn(&mut self, lane: usize, first: (Time, u32), horizon: Time) {
        let mut packet = Packet::default();
        let mut next = Some(first);
        while let Some((at, path)) = next {
            if !self.may_deliver(at, path, horizon) {
                return self.network.wait_in_turn(lane, at);
            }
            self.network.take_in_turn(lane, &mut packet);
            self.hand_over(at, path, &packet);
            next = self.network.next_in_turn(lane);
        }
    }
}
