//! What a sender asks of the network: to take a packet.

use super::{NO_LINK, Network, Outcome, Step, Then};
use crate::endpoint::Launch;
use crate::packet::Packet;
use ackclock_base::Time;

impl Network {
    /// An endpoint sends a packet. A packet waits in a lane before any queue but that of its path's first link, so what a queue refuses
    /// here the host's own interface refuses. A path whose packets leave later than they are launched, and a discipline that decides at
    /// departure, refuse nothing here.
    #[inline]
    pub fn launch(&mut self, now: Time, path: u32, packet: &mut Packet) -> Launch {
        let outcome = if self.trace.is_some() {
            self.launch_traced(now, path, packet)
        } else {
            self.advance([now, now], path, self.starts[path as usize], packet)
        };
        match outcome {
            Outcome::Dropped => Launch::Refused,
            _ => Launch::Sent { leaves: self.leaves_first_link(path) },
        }
    }

    /// When the packet that was just launched will have left its path's first link. Not known of a discipline that decides at
    /// departure, nor where an agent comes before.
    #[inline]
    fn leaves_first_link(&self, path: u32) -> Option<Time> {
        let link = match self.steps[self.starts[path as usize] as usize] {
            Step { crosses: NO_LINK, then: Then::Offer(link) | Then::Ask(link) } => link,
            Step { crosses, .. } => crosses,
        };
        self.links.get(link as usize).map(|link| link.free_at())
    }
}
