//! Sending: how an endpoint gives a packet to the network.

use super::{NO_LINK, Network, Outcome, Step, Then};
use crate::endpoint::Launch;
use crate::packet::Packet;
use ackclock_base::Time;

impl Network {
    /// Sends a packet of an endpoint. A packet waits in a lane before any queue but that of the first link,
    /// so a drop that is seen here is a refusal by the host's own interface. Nothing is refused here if
    /// packets leave later than they are launched, or if the first link's discipline decides at departure.
    #[inline]
    pub fn launch(&mut self, now: Time, path: u32, packet: &mut Packet) -> Launch {
        if self.trace.is_some() {
            self.trace_launch(now, path, packet);
        }
        match self.advance([now, now], path, self.starts[path as usize], packet) {
            Outcome::Dropped => Launch::Refused,
            _ => Launch::Sent,
        }
    }

    /// Returns when the packet just launched, if it was not refused, will have left the first link; `None` if
    /// that link's discipline decides at departure, or if an agent or a lane precedes it.
    pub fn leaves(&self, path: u32) -> Option<Time> {
        let link = match self.steps[self.starts[path as usize] as usize] {
            Step { crosses: NO_LINK, then: Then::Offer(link) } => link,
            Step { crosses, .. } => crosses,
        };
        self.links.get(link as usize).map(|link| link.free_at())
    }
}
