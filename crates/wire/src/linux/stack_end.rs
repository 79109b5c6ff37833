//! One end of a connection of a stack that runs in this process, over a UDP socket.

use super::failed;
use super::workers::Terms;
use crate::Error;
use crate::ends::{Delivered, EndCounts, SenderResult};
use crate::frame::{bits_of, ecn_of};
use crate::lateness::Lateness;
use ackclock_base::{Span, Time};
use ackclock_lab::run::result::FlowTimes;
use ackclock_sim::endpoint::{Endpoint, Launch, Outbox};
use ackclock_sim::measure::Interval;
use ackclock_sim::packet::{Extension, Packet};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use std::io::IoSliceMut;
use std::net::{SocketAddrV4, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::atomic::Ordering;

/// The place of a datagram's length in the header words of its packet.
const LENGTH: usize = 0;
/// The room for the datagrams that wait for the stack. The kernel may give less.
const RECEIVE_BUFFER: usize = 8 << 20;
/// How often the end of the run is looked for.
const CHECK_EVERY: Span = Span::from_millis(10);
/// The largest datagram between two hosts.
const LARGEST: usize = 1500;

/// Returns the socket of an end, in the namespace of the calling thread.
pub fn socket(from: SocketAddrV4, to: SocketAddrV4) -> Result<UdpSocket, Error> {
    let broken = |error: std::io::Error| failed(&format!("a socket cannot be bound to {from}"), error);
    let socket = UdpSocket::bind(from).map_err(broken)?;
    socket.connect(to).map_err(broken)?;
    socket.set_nonblocking(true).map_err(broken)?;
    let set =
        |result: nix::Result<()>| result.map_err(|error| failed("a socket option cannot be set", error));
    set(setsockopt(&socket, sockopt::IpRecvTos, &true))?;
    set(setsockopt(&socket, sockopt::ReceiveTimestampns, &true))?;
    set(setsockopt(&socket, sockopt::RxqOvfl, &1))?;
    // Without the privilege the kernel's own limit holds.
    if setsockopt(&socket, sockopt::RcvBufForce, &RECEIVE_BUFFER).is_err() {
        set(setsockopt(&socket, sockopt::RcvBuf, &RECEIVE_BUFFER))?;
    }
    Ok(socket)
}

/// The network as the end sees it.
struct Socket<'a> {
    socket: &'a UdpSocket,
    dscp: u8,
    /// The type of service that the socket has.
    tos: Option<u8>,
    datagram: Vec<u8>,
    /// The words of the datagram that is being handed over.
    words: Vec<u64>,
    now: Time,
    measured: Interval,
    counts: EndCounts,
    lateness: Lateness,
    completed: Option<Time>,
}

impl Outbox for Socket<'_> {
    fn send(&mut self, _path: usize, _packet: Packet) -> Launch {
        unreachable!("a stack sends whole datagrams")
    }

    fn send_extended(&mut self, _path: usize, _packet: Packet, _extension: Extension) -> Launch {
        unreachable!("a stack sends whole datagrams")
    }

    fn send_long(&mut self, _path: usize, packet: Packet, words: &[u64]) -> Launch {
        let tos = self.dscp << 2 | bits_of(packet.ecn);
        if self.tos != Some(tos) && setsockopt(self.socket, sockopt::Ipv4Tos, &i32::from(tos)).is_ok() {
            self.tos = Some(tos);
        }
        self.datagram.clear();
        self.datagram.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        self.datagram.truncate(packet.header[LENGTH] as usize);
        match self.socket.send(&self.datagram) {
            Ok(_) => Launch::Sent,
            Err(_) => {
                self.counts.lost += 1;
                Launch::Refused
            }
        }
    }

    fn long_extension(&self, _packet: &Packet, words: &mut Vec<u64>) {
        words.extend_from_slice(&self.words);
    }

    fn extension(&self, _packet: &Packet) -> Extension {
        Extension::default()
    }

    fn received(&mut self, _sent: Option<Time>, _packets: u64, payload_bytes: u64) {
        self.counts.delivered.add(self.now, payload_bytes, self.measured);
    }

    fn done(&mut self) {
        self.completed.get_or_insert(self.now);
    }
}

/// Runs an end from the flow's start to the end of the run.
pub fn run(mut end: Box<dyn Endpoint>, socket: &UdpSocket, terms: &Terms<'_>) -> Result<EndCounts, Error> {
    let mut out = Socket {
        socket,
        dscp: terms.flow.dscp,
        tos: None,
        datagram: Vec::with_capacity(LARGEST),
        words: Vec::new(),
        now: Time::ZERO,
        measured: terms.measured,
        counts: EndCounts { delivered: Delivered::every(terms.interval), ..EndCounts::default() },
        lateness: Lateness::default(),
        completed: None,
    };
    let (mut has_begun, mut has_stopped, mut has_reset) = (false, false, false);
    let mut lost = 0;
    loop {
        let now = terms.clock.now()?;
        out.now = now;
        if now >= terms.measured.to || terms.over.load(Ordering::Relaxed) {
            break;
        }
        if !has_reset && now >= terms.measured.from {
            has_reset = true;
            end.reset_counts(now);
            out.lateness = Lateness::default();
        }
        if !has_begun && now >= terms.flow.start {
            has_begun = true;
            end.start(now, &mut out);
        }
        if !has_stopped && now >= terms.flow.stop {
            has_stopped = true;
            end.stop(now);
        }
        while let Some(Arrived { at, packet, dropped }) = receive(&mut out, terms)? {
            out.now = terms.clock.now()?;
            out.lateness.record(at.min(out.now), out.now);
            lost = dropped.unwrap_or(lost);
            end.on_packet(out.now, 0, &packet, &mut out);
        }
        let due = end.timer();
        out.now = terms.clock.now()?;
        if due <= out.now {
            out.lateness.record(due, out.now);
            end.on_timer(out.now, &mut out);
        }
        let mut next = end.timer().min(now + CHECK_EVERY);
        for (passed, at) in
            [(has_begun, terms.flow.start), (has_stopped, terms.flow.stop), (has_reset, terms.measured.from)]
        {
            next = if passed { next } else { next.min(at) };
        }
        terms.clock.wait(&mut [PollFd::new(socket.as_fd(), PollFlags::POLLIN)], next)?;
    }
    let until = terms.clock.now()?.min(terms.measured.to);
    out.counts.lost += u64::from(lost);
    out.counts.lateness = Some(out.lateness);
    out.counts.sender = sender(&*end, until, out.completed, terms);
    Ok(out.counts)
}

/// Returns what a sender reports at the end of the run.
fn sender(end: &dyn Endpoint, until: Time, completed: Option<Time>, terms: &Terms<'_>) -> SenderResult {
    let report = end.report(until);
    let lived = until.since(until.min(terms.measured.from.max(terms.flow.start))).seconds();
    let times = FlowTimes { start: terms.flow.start, stop: terms.flow.stop, measured: terms.measured };
    // Each end runs in a thread of its own, and cannot see the other.
    let own = terms.flow.transport.and_then(|transport| transport.result([end, end], &times));
    SenderResult {
        sent_packets: end.sent().packets,
        cwnd_mean_packets: report.cwnd_area.filter(|_| lived > 0.0).map(|area| area / lived),
        completed,
        own,
        ..SenderResult::default()
    }
}

/// A datagram that has arrived.
struct Arrived {
    /// When it reached the socket.
    at: Time,
    /// The packet; its words are those of the socket.
    packet: Packet,
    /// The number of datagrams for which the socket had no room so far, if the kernel tells.
    dropped: Option<u32>,
}

/// Takes the next datagram from the socket; `None` if there is none.
fn receive(out: &mut Socket<'_>, terms: &Terms<'_>) -> Result<Option<Arrived>, Error> {
    let mut bytes = [0; LARGEST];
    let mut slices = [IoSliceMut::new(&mut bytes)];
    let mut control = nix::cmsg_space!(TimeSpec, u32, u32);
    let message =
        recvmsg::<()>(out.socket.as_raw_fd(), &mut slices, Some(&mut control), MsgFlags::MSG_DONTWAIT);
    let message = match message {
        Ok(message) => message,
        Err(Errno::EAGAIN | Errno::EINTR) => return Ok(None),
        // The other end has no socket any more, or not yet.
        Err(Errno::ECONNREFUSED) => return Ok(None),
        Err(error) => return Err(failed(&format!("the socket of flow {} failed", terms.flow.name), error)),
    };
    let mut packet = Packet::default();
    let (mut at, mut dropped) = (out.now, None);
    for part in message.cmsgs().map_err(|error| failed("a datagram cannot be read", error))? {
        match part {
            ControlMessageOwned::Ipv4Tos(tos) => packet.ecn = ecn_of(tos),
            ControlMessageOwned::ScmTimestampns(time) => {
                let real_ns = time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64;
                at = Time::from_nanos(real_ns.saturating_sub(terms.clock.real_zero_ns()?));
            }
            ControlMessageOwned::RxqOvfl(count) => dropped = Some(count),
            _ => {}
        }
    }
    let length = message.bytes;
    packet.header[LENGTH] = length as u64;
    out.words.clear();
    for part in bytes[..length].chunks(8) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        out.words.push(u64::from_le_bytes(word));
    }
    Ok(Some(Arrived { at, packet, dropped }))
}
