//! A port: a TUN device, which is the interface of a host itself.

use super::sys;
use crate::Error;
use crate::frame::{ETHERNET, set_header};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

const PATH: &str = "/dev/net/tun";
/// The longest IP packet.
const PACKET: usize = 65_535;

/// A TUN device, which ends when this is dropped.
pub struct Tun {
    device: File,
    /// A frame that has arrived, with room for the Ethernet header that a packet comes without.
    frame: Vec<u8>,
    /// The number of packets that could not be passed to the host.
    lost: u64,
}

impl Tun {
    /// Creates the interface with this name in the namespace of the calling thread.
    pub fn create(interface: &str) -> Result<Self, Error> {
        let device = File::options().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(PATH);
        let device = device.map_err(without)?;
        sys::attach_tun(&device, interface).map_err(without)?;
        Ok(Self { device, frame: vec![0; ETHERNET + PACKET], lost: 0 })
    }

    /// Passes the frames that the host has sent to `take`, in order, at most `most`. Returns how many there were.
    pub fn receive(&mut self, most: usize, mut take: impl FnMut(&[u8])) -> usize {
        for received in 0..most {
            let Ok(length) = self.device.read(&mut self.frame[ETHERNET..]) else { return received };
            let frame = &mut self.frame[..ETHERNET + length];
            set_header(frame);
            take(frame);
        }
        most
    }

    /// Passes a frame to the host.
    pub fn send(&mut self, frame: &[u8]) {
        let written = self.device.write(&frame[ETHERNET..]);
        self.lost += u64::from(written.is_err());
    }

    /// Returns the number of packets that could not be passed to the host.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Returns the descriptor to wait for.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

/// Says what gives TUN devices, and what works without.
fn without(error: io::Error) -> Error {
    let reason = match error.kind() {
        ErrorKind::NotFound => {
            format!(
                "{PATH} is missing: the kernel needs CONFIG_TUN, and a container must be given this device"
            )
        }
        ErrorKind::PermissionDenied => {
            format!(
                "this user may not create them; root may, as may any user with write access to {PATH} in a user \
                 namespace"
            )
        }
        _ => "the kernel refuses them".to_owned(),
    };
    Error::Failed(format!(
        "`--device tun` needs TUN devices, but {reason} ({error}). `--device packet`, the default, needs none"
    ))
}
