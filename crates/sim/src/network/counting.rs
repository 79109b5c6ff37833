//! How many packets are under way, and what became of those that are not any more.

use super::{Network, PathCounts};
use crate::lane::Lane;
use crate::packet::Packet;
use ackclock_base::Time;

/// More packets than this under way mean a window without limit over a queue without limit, not an experiment.
/// Where addresses have 32 bits the memory ends earlier.
pub const MAX_PACKETS: usize = if cfg!(target_pointer_width = "32") { 1 << 21 } else { 1 << 24 };

impl Network {
    /// What became of a path's packets.
    pub fn path_counts(&self, path: u32) -> PathCounts {
        self.counts[path as usize]
    }

    /// Whether more packets are under way than any experiment means to have. To count them is to visit every lane, which costs as
    /// much as many packets: it is put off until there is room for so many.
    pub fn is_overfull(&self) -> bool {
        (self.reorders || self.pool.room() + self.waiting > MAX_PACKETS) && self.travelling() > MAX_PACKETS
    }

    /// How many packets are under way.
    fn travelling(&self) -> usize {
        self.waiting + self.lanes.iter().map(Lane::len).sum::<usize>()
    }

    #[cold]
    pub(super) fn count_dropped(&mut self, path: u32, now: Time, packet: &Packet) {
        self.counts[path as usize].dropped += u64::from(self.measured.contains(now));
        self.extensions.forget(packet);
    }

    #[cold]
    pub(super) fn count_corrupted(&mut self, path: u32, sent: Time, packet: &Packet) {
        self.counts[path as usize].corrupted += u64::from(self.measured.contains(sent));
        self.extensions.forget(packet);
    }
}
