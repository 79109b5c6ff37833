//! Packets whose ECN field a link changes, or that it duplicates.

use super::{Network, Outcome};
use crate::alteration::Alteration;
use crate::packet::Packet;
use ackclock_base::Time;

/// The changes that a link has made to a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Altered {
    /// The link.
    pub(super) link: u32,
    /// The changes.
    pub(super) alteration: Alteration,
}

impl Network {
    /// Takes a packet that has crossed a link further, with the link's changes. A copy follows as a packet of
    /// its own; it arrives at the same time, behind the original.
    #[cold]
    #[inline(never)]
    pub(super) fn pass_altered(
        &mut self,
        times: [Time; 2],
        path: u32,
        step: u32,
        packet: &mut Packet,
        altered: Altered,
    ) -> Outcome {
        let Altered { link, alteration } = altered;
        if let Some(ecn) = alteration.ecn {
            packet.ecn = ecn;
        }
        if !alteration.duplicated {
            return self.advance(times, path, step + 1, packet);
        }
        self.links[link as usize].count_copy(times[0]);
        let number = self.number;
        // The copy of the extension is made first, since the extension is released when the packet is
        // delivered or dropped.
        let mut copy = *packet;
        if packet.is_extended() {
            copy.extension = self.extensions.keep_copy(packet);
        }
        let copy_number = match &mut self.trace {
            Some(trace) => trace.duplicate(times[0], path, number, packet.bytes, link),
            None => 0,
        };
        let outcome = self.advance(times, path, step + 1, packet);
        self.number = copy_number;
        let behind = self.advance(times, path, step + 1, &mut copy);
        debug_assert!(
            outcome == Outcome::Waits && behind == Outcome::Waits,
            "a link duplicated a packet: found the outcomes {outcome:?} (packet) and {behind:?} (copy), expected \
             Waits for both"
        );
        self.number = number;
        outcome
    }
}
