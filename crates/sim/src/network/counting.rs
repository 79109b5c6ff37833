//! The number of packets under way, and the counts of those dropped or corrupted.

use super::{Network, PathCounts};
use crate::lane::Lane;
use crate::packet::Packet;
use ackclock_base::Time;

/// The largest number of packets under way. More indicate a window without limit over a queue without limit.
/// It is smaller where addresses have 32 bits, because memory runs out earlier.
pub const MAX_PACKETS: usize = if cfg!(target_pointer_width = "32") { 1 << 21 } else { 1 << 24 };

impl Network {
    /// Returns the counts of packets of a path that were dropped or corrupted.
    pub fn path_counts(&self, path: u32) -> PathCounts {
        self.counts[path as usize]
    }

    /// Returns whether more than [`MAX_PACKETS`] packets are under way. Counting visits every lane, which is
    /// expensive, so packets are counted only if the pool has room for more than that, or if some lane
    /// reorders.
    pub fn is_overfull(&self) -> bool {
        (self.reorders || self.pool.room() + self.waiting > MAX_PACKETS) && self.travelling() > MAX_PACKETS
    }

    /// Returns the number of packets under way.
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
