//! Packets that a link passes on with another ECN field, or twice.

use super::{Network, Outcome};
use crate::alteration::Alteration;
use crate::packet::Packet;
use ackclock_base::Time;

/// What a link has changed about a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Altered {
    /// The link.
    pub(super) link: u32,
    /// The changes.
    pub(super) alteration: Alteration,
}

impl Network {
    /// Takes a packet that has crossed a link on from there, with what the link changed about it. A copy follows the packet as a packet
    /// of its own: it arrives at the same time, behind it.
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
        // Before the packet goes on: its extension is given up as soon as it has met its fate.
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
            "packets wait behind a link that copies them"
        );
        self.number = number;
        outcome
    }
}
