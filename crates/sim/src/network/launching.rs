//! What a sender asks of the network: to take a packet, and what has become of it at the first link.

use super::{NO_LINK, Network, Outcome, Step, Then};
use crate::packet::Packet;
use ackclock_base::Time;

impl Network {
    /// An endpoint sends a packet.
    #[inline]
    pub fn launch(&mut self, now: Time, path: u32, packet: &mut Packet) {
        let outcome = if self.trace.is_some() {
            self.launch_traced(now, path, packet)
        } else {
            self.advance([now, now], path, self.starts[path as usize], packet)
        };
        self.dropped_at_arrival = outcome == Outcome::Dropped;
    }

    /// Whether the queue of its path's first link dropped the packet that was just launched. A packet waits in a lane before
    /// any later queue, so none of those can have. Not known of a path whose packets leave later than they are launched,
    /// nor of a discipline that decides at departure.
    pub fn refused_launch(&self) -> bool {
        self.dropped_at_arrival
    }

    /// When the packet that was just launched will have left its path's first link. Not known of a discipline that decides at
    /// departure, nor where an agent comes before.
    pub fn leaves_first_link(&self, path: u32) -> Option<Time> {
        let link = match self.steps[self.starts[path as usize] as usize] {
            Step { crosses: NO_LINK, then: Then::Offer(link) | Then::Ask(link) } => link,
            Step { crosses: NO_LINK, .. } => return None,
            Step { crosses, .. } => crosses,
        };
        (!self.dropped_at_arrival).then(|| self.links[link as usize].free_at())
    }
}
