//! The system calls for which no safe function exists. All `unsafe` code of the workspace but the exported
//! names of `crates/wasm` and one call in `ackclock-structops` is in this file.

#![expect(unsafe_code, reason = "each block says why it is sound")]

use nix::errno::Errno;
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};
use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::mem::size_of;
use std::num::NonZeroUsize;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

/// A priority among real-time threads. Those of other programs are lower by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// That of the links.
    Links = 20,
    /// That of the ends of flows, whose packets the links must not wait for.
    Ends = 10,
}

/// Real-time priority of the calling thread, until dropped.
pub struct RealTime(bool);

impl RealTime {
    /// Asks for SCHED_FIFO. Children and new threads do not inherit it.
    pub fn begin(priority: Priority) -> Self {
        Self(set_scheduler(libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, priority as i32))
    }

    /// Returns whether the kernel has granted it.
    pub fn is_granted(&self) -> bool {
        self.0
    }
}

impl Drop for RealTime {
    fn drop(&mut self) {
        if self.0 {
            set_scheduler(libc::SCHED_OTHER, 0);
        }
    }
}

fn set_scheduler(policy: i32, priority: i32) -> bool {
    let parameter = libc::sched_param { sched_priority: priority };
    // SAFETY: the kernel reads `parameter`, which lives until the call returns.
    unsafe { libc::sched_setscheduler(0, policy, &parameter) == 0 }
}

/// Switches a feature of an interface off by the old commands of ethtool, which need no netlink family.
pub fn switch_off(socket: BorrowedFd<'_>, interface: &str, command: u32) -> io::Result<()> {
    /// `struct ethtool_value` of linux/ethtool.h.
    #[repr(C)]
    struct Value {
        command: u32,
        data: u32,
    }
    let mut value = Value { command, data: 0 };
    let mut request = request_about(interface)?;
    request.ifr_ifru.ifru_data = (&raw mut value).cast();
    // SAFETY: the kernel reads and writes `request` and the `value` it points to, which both live until the
    // call returns; the commands passed here take an `ethtool_value`.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL as _, &raw mut request) };
    Errno::result(result).map(drop).map_err(io::Error::from)
}

/// Creates a TUN device without a header before its packets, in the namespace of the calling thread, and attaches the file to it.
pub fn attach_tun(file: &File, interface: &str) -> io::Result<()> {
    let mut request = request_about(interface)?;
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: the kernel reads and writes `request`, which lives until the call returns.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF as _, &raw mut request) };
    Errno::result(result).map(drop).map_err(io::Error::from)
}

/// Returns a request about an interface.
fn request_about(interface: &str) -> io::Result<libc::ifreq> {
    // SAFETY: all zero is a value of `ifreq`, which contains integers, arrays of them and pointers.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    if interface.len() >= request.ifr_name.len() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for (to, from) in request.ifr_name.iter_mut().zip(interface.bytes()) {
        *to = from as libc::c_char;
    }
    Ok(request)
}

/// The most bytes of `struct tcp_info` that are read: more than any kernel has so far.
const TCP_INFO_BYTES: usize = 512;

/// Returns what the kernel tells of a TCP connection: `struct tcp_info` of linux/tcp.h, as long as this kernel has it.
pub fn tcp_info(socket: BorrowedFd<'_>) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0u8; TCP_INFO_BYTES];
    let mut length = TCP_INFO_BYTES as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes to `bytes`, which has that many.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            bytes.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    Errno::result(result)?;
    bytes.truncate(length as usize);
    Ok(bytes)
}

/// Sets an option of a packet socket.
fn set_option<T>(socket: &OwnedFd, option: i32, value: &T) -> io::Result<()> {
    // SAFETY: the kernel reads `size_of::<T>()` bytes of `value`, which is borrowed until the call returns.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            option,
            std::ptr::from_ref(value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    Errno::result(result).map(drop).map_err(io::Error::from)
}

/// Binds a packet socket to all protocols on an interface.
pub fn bind_to_interface(socket: &OwnedFd, index: u32) -> io::Result<()> {
    // SAFETY: all zero is a value of `sockaddr_ll`, which contains integers and an array of them.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = index as i32;
    // SAFETY: the kernel reads `address`, of the length that is passed, until the call returns.
    let result = unsafe {
        libc::bind(
            socket.as_raw_fd(),
            (&raw const address).cast(),
            size_of::<libc::sockaddr_ll>() as libc::socklen_t,
        )
    };
    Errno::result(result).map(drop).map_err(io::Error::from)
}

/// Lets a packet socket ignore what is sent over its interface, and send past the queue of the interface.
pub fn only_receive_incoming(socket: &OwnedFd) -> io::Result<()> {
    /// `PACKET_IGNORE_OUTGOING` of linux/if_packet.h, since Linux 4.20.
    const IGNORE_OUTGOING: i32 = 23;
    set_option(socket, IGNORE_OUTGOING, &1i32)?;
    set_option(socket, libc::PACKET_QDISC_BYPASS, &1i32)
}

/// Returns the number of packets for which a packet socket had no room since the last call.
pub fn dropped(socket: &OwnedFd) -> io::Result<u64> {
    // SAFETY: all zero is a value of `tpacket_stats`, which contains integers.
    let mut stats: libc::tpacket_stats = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::tpacket_stats>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes to `stats`.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_STATISTICS,
            (&raw mut stats).cast(),
            &raw mut length,
        )
    };
    Errno::result(result)?;
    Ok(u64::from(stats.tp_drops))
}

const FRAME_BYTES: usize = 2048;
const FRAMES: usize = 8192;
const BLOCK_BYTES: usize = 1 << 18;
const RING_BYTES: NonZeroUsize = NonZeroUsize::new(FRAME_BYTES * FRAMES).unwrap();

/// The memory that a packet socket shares with the kernel (version 2 of packet_mmap, see the kernel's
/// Documentation/networking/packet_mmap.rst). The kernel fills the frames in order, with the time at which
/// each arrived.
pub struct FrameRing {
    memory: NonNull<u8>,
    next: usize,
}

/// A frame that has arrived.
pub struct Received<'a> {
    /// The time of arrival in nanoseconds of the real-time clock.
    pub at_ns: u64,
    /// The frame; `None` if it is larger than the ring's frames.
    pub bytes: Option<&'a [u8]>,
}

impl FrameRing {
    /// Gives the socket a ring. The socket must not be bound yet, so that no packet of another interface
    /// gets in.
    pub fn of(socket: &OwnedFd) -> io::Result<Self> {
        set_option(socket, libc::PACKET_VERSION, &(libc::tpacket_versions::TPACKET_V2 as i32))?;
        let request = libc::tpacket_req {
            tp_block_size: BLOCK_BYTES as u32,
            tp_block_nr: (FRAME_BYTES * FRAMES / BLOCK_BYTES) as u32,
            tp_frame_size: FRAME_BYTES as u32,
            tp_frame_nr: FRAMES as u32,
        };
        set_option(socket, libc::PACKET_RX_RING, &request)?;
        let protection = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a new mapping overlaps no memory that Rust knows of.
        let memory = unsafe { mmap(None, RING_BYTES, protection, MapFlags::MAP_SHARED, socket, 0) }?;
        Ok(Self { memory: memory.cast(), next: 0 })
    }

    /// Passes the next frame to `take` and returns it to the kernel. Returns whether there was one.
    pub fn receive(&mut self, take: impl FnOnce(Received<'_>)) -> bool {
        // SAFETY: `next` is below `FRAMES`, so the frame lies in the mapping, which lives as long as `self`.
        // Frames begin at multiples of 2048, more than any field needs.
        let frame = unsafe { self.memory.add(self.next * FRAME_BYTES) };
        // SAFETY: the kernel and this thread both access the status, which is the first field of the header,
        // as an aligned word; it says whose frame it is.
        let status = unsafe { frame.cast::<AtomicU32>().as_ref() };
        if status.load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
            return false;
        }
        // SAFETY: the frame is ours until its status is set below, so nothing writes to it. The kernel puts
        // the header at its beginning.
        let header = unsafe { frame.cast::<libc::tpacket2_hdr>().as_ref() };
        let (begin, length) = (usize::from(header.tp_mac), header.tp_snaplen as usize);
        let is_whole = header.tp_snaplen == header.tp_len && begin + length <= FRAME_BYTES;
        let bytes = is_whole.then(|| {
            // SAFETY: the bytes lie in the frame, as was just checked, and `take` cannot keep them.
            unsafe { std::slice::from_raw_parts(frame.add(begin).as_ptr(), length) }
        });
        take(Received { at_ns: u64::from(header.tp_sec) * 1_000_000_000 + u64::from(header.tp_nsec), bytes });
        status.store(libc::TP_STATUS_KERNEL, Ordering::Release);
        self.next = (self.next + 1) % FRAMES;
        true
    }
}

impl Drop for FrameRing {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `of` with this length, and nothing refers to it any more. If the
        // call fails, the mapping stays until the process ends, which harms nothing.
        let _ = unsafe { munmap(self.memory.cast::<c_void>(), RING_BYTES.get()) };
    }
}
