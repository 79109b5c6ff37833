//! Early delivery: an endpoint takes a packet before its time has come, and the packet has no event of its own.
//!
//! When the last link of a path has been offered a packet, the time at which it reaches the endpoint is known. The endpoint may
//! take the packet at once, as of that time, where this changes nothing. It changes nothing because
//!
//! 1. **the endpoint sees the same things in the same order.** One path leads to it (`Flow::let_deliver_early`), in whose lane no
//!    packet overtakes another (`Network::let_deliver_early`). No packet waits in the lane before this one, and neither its timer
//!    nor its application has anything to do up to the arrival, that instant included (`Flow::is_idle_until`);
//! 2. **nothing else sees the endpoint in between.** No session tells it what to do, its control is not shared with other
//!    connections (`Flow::let_deliver_early`), and the arrival is before the next instant at which the run is looked at: a sample,
//!    the end of the warm-up, or the instant up to which the caller runs it (`Simulation::horizon`);
//! 3. **what it sends enters every link in the same order.** Its packets cross links that no other path uses, and then wait in a
//!    lane (`Network::waits_after_its_own_links`). Their places in the schedule are their arrival, their departure, and their lane,
//!    whenever they are put there (`schedule/key.rs`). A packet takes a nanosecond at least for every link, so that none of them
//!    is due before it is put there;
//! 4. **what it draws at random is its own.** A link draws for the packets that cross it in the order in which they enter it, and
//!    an endpoint's jitter has a stream of its own.
//!
//! A sender's alarm that goes off before the arrival finds a timer that is not due, as it would have without the packet. A timer that
//! the packet leaves in the past is due at the arrival, in either case (`Flow::arm`).

use super::Simulation;
use crate::network::{Destination, NO_LANE, Outcome};
use crate::packet::Packet;
use crate::schedule::SourceId;
use ackclock_base::Time;

impl Simulation {
    /// Hands a packet that reaches the end of its path to the endpoint, now or early, or lets it wait for its time.
    #[inline(always)] // for each packet
    pub(super) fn deliver(&mut self, outcome: Outcome, path: u32, packet: &Packet, horizon: Time) {
        let Outcome::Arrives { at, lane } = outcome else { return };
        if lane != NO_LANE && (self.network.is_anything_in(lane) || !self.may_deliver(at, path, horizon)) {
            return self.network.put_off(at, lane, packet);
        }
        self.hand_over(at, path, packet);
    }

    /// Whether an endpoint may take a packet that arrives at `at` and that no other packet precedes.
    #[inline(always)]
    fn may_deliver(&self, at: Time, path: u32, horizon: Time) -> bool {
        let Destination { flow, end, .. } = self.network.destination(path);
        at < horizon && self.flows[flow as usize].is_idle_until(usize::from(end), at)
    }

    /// Delivers the packets that wait in a lane early, in order, as long as each may be. Called when the packet ahead of them was delivered.
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

    /// Among ten thousand flows nearly all that an event touches comes from memory. The events of a bucket do not depend on one
    /// another, so reading for all of them first takes little longer than for one. Changes nothing.
    #[inline]
    pub(super) fn look_ahead(&mut self) {
        let Self { network, flows, .. } = self;
        let all = network.lanes();
        let Some(ahead) = network.schedule.ahead() else { return };
        let lanes: [Option<usize>; 16] = {
            let mut ahead = ahead.map(SourceId::index).filter(|source| *source < all);
            std::array::from_fn(|_| ahead.next())
        };
        let read = lanes.into_iter().flatten().fold(0, |read, lane| {
            let (word, to) = network.look_ahead(lane);
            let timer = to.map_or(0, |to| flows[to.flow as usize].timer(usize::from(to.end)).nanos());
            read ^ word ^ timer
        });
        std::hint::black_box(read);
    }
}
