//! A port: a packet socket on an interface.

use super::failed;
use super::sys::{self, FrameRing, Received};
use crate::Error;
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, send, socket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// A packet socket on an interface, with a ring of frames that have arrived.
pub struct Ring {
    socket: OwnedFd,
    frames: FrameRing,
    /// The number of frames that could not be sent, were too large to be received, or had no room in the ring
    /// when that was last counted.
    lost: u64,
}

impl Ring {
    /// Opens the port at the interface with this index in the namespace of the calling thread.
    pub fn open(interface: u32) -> Result<Self, Error> {
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let socket =
            socket(AddressFamily::Packet, SockType::Raw, flags, None).map_err(|error| match error {
                Errno::EAFNOSUPPORT => {
                    Error::Failed("the kernel has no packet sockets: it needs CONFIG_PACKET".to_owned())
                }
                error => failed("a packet socket cannot be opened", error),
            })?;
        sys::only_receive_incoming(&socket).map_err(|error| {
            failed(
                "a packet socket cannot be set to ignore outgoing packets (requires Linux 4.20 or later)",
                error,
            )
        })?;
        let frames = FrameRing::of(&socket).map_err(|error| {
            failed("the receive ring (PACKET_RX_RING) of a packet socket cannot be set up", error)
        })?;
        sys::bind_to_interface(&socket, interface)
            .map_err(|error| failed("a packet socket cannot be bound to its interface", error))?;
        Ok(Self { socket, frames, lost: 0 })
    }

    /// Passes the frames that have arrived to `take`, in order, at most `most`. Returns how many there were.
    pub fn receive(&mut self, most: usize, mut take: impl FnMut(u64, &[u8])) -> usize {
        let mut received = 0;
        while received < most {
            let lost = &mut self.lost;
            let any = self.frames.receive(|Received { at_ns, bytes }| match bytes {
                Some(bytes) => take(at_ns, bytes),
                None => *lost += 1,
            });
            if !any {
                break;
            }
            received += 1;
        }
        received
    }

    /// Sends a frame.
    pub fn send(&mut self, frame: &[u8]) {
        let sent = send(self.socket.as_raw_fd(), frame, MsgFlags::MSG_DONTWAIT);
        self.lost += u64::from(sent.is_err());
    }

    /// Returns the number of frames that were lost at this port.
    pub fn lost(&mut self) -> Result<u64, Error> {
        self.lost += sys::dropped(&self.socket)
            .map_err(|error| failed("the packets that a socket dropped cannot be counted", error))?;
        Ok(self.lost)
    }

    /// Returns the descriptor to wait for.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
