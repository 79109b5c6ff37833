//! The two kinds of ports at which packets enter and leave the links.

use super::ring::Ring;
use super::tun::Tun;
use crate::Error;
use std::os::fd::BorrowedFd;

/// A port, where the links take what a host sends and pass on what reaches it.
pub enum Port {
    /// A packet socket at the other end of the host's interface.
    Packet(Ring),
    /// The host's interface itself.
    Tun(Tun),
}

impl Port {
    /// Passes the frames that have arrived to `take`, in order, at most `most`, each with the time of its arrival in nanoseconds of
    /// the real-time clock; `None` if the kernel does not note it. Returns how many there were.
    pub fn receive(&mut self, most: usize, mut take: impl FnMut(Option<u64>, &[u8])) -> usize {
        match self {
            Self::Packet(ring) => ring.receive(most, |at_ns, bytes| take(Some(at_ns), bytes)),
            Self::Tun(tun) => tun.receive(most, |bytes| take(None, bytes)),
        }
    }

    /// Sends a frame to the host.
    pub fn send(&mut self, frame: &[u8]) {
        match self {
            Self::Packet(ring) => ring.send(frame),
            Self::Tun(tun) => tun.send(frame),
        }
    }

    /// Returns the number of frames that were lost at this port.
    pub fn lost(&mut self) -> Result<u64, Error> {
        match self {
            Self::Packet(ring) => ring.lost(),
            Self::Tun(tun) => Ok(tun.lost()),
        }
    }

    /// Returns the descriptor to wait for.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        match self {
            Self::Packet(ring) => ring.descriptor(),
            Self::Tun(tun) => tun.descriptor(),
        }
    }
}
