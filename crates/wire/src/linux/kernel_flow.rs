//! A flow over the TCP of the kernel: a thread for each end.

use super::workers::Terms;
use super::{failed, sys};
use crate::Error;
use crate::ends::{Delivered, SenderCounts, SenderResult};
use ackclock_base::{Span, Time};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrIn, bind, connect, setsockopt, socket, sockopt,
};
use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::sync::atomic::Ordering;

/// What the application writes: it has no meaning.
static DATA: [u8; 65_536] = [7; 65_536];
/// How often the kernel is asked about the connection, and how often the end of the run is looked for.
const SAMPLE_EVERY: Span = Span::from_millis(10);

/// Returns the socket of a sender under this control of the kernel, in the namespace of the calling thread.
pub fn sender(control: &str, tos: u8, from: SocketAddrV4) -> Result<TcpStream, Error> {
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    let socket = socket(AddressFamily::Inet, SockType::Stream, flags, None)
        .map_err(|error| failed("a socket cannot be opened", error))?;
    name_control(&socket, control)?;
    set_up(&socket, tos)?;
    bind(socket.as_raw_fd(), &SockaddrIn::from(from))
        .map_err(|error| failed(&format!("a socket cannot be bound to {from}"), error))?;
    Ok(TcpStream::from(socket))
}

/// Returns the socket of a receiver, in the namespace of the calling thread.
pub fn listener(control: &str, tos: u8, at: SocketAddrV4) -> Result<TcpListener, Error> {
    let listener =
        TcpListener::bind(at).map_err(|error| failed(&format!("a socket cannot listen on {at}"), error))?;
    name_control(&listener, control)?;
    set_up(&listener, tos)?;
    listener.set_nonblocking(true).map_err(|error| failed("a socket cannot be made non-blocking", error))?;
    Ok(listener)
}

fn name_control(socket: &impl AsFd, control: &str) -> Result<(), Error> {
    setsockopt(socket, sockopt::TcpCongestion, &OsString::from(control)).map_err(|error| {
        let available = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
        let available = available.unwrap_or_default();
        failed(
            &format!(
                "the kernel's congestion control `{control}` cannot be set on a socket (available: {}; as root, \
                 `modprobe tcp_{control}` loads its module)",
                available.trim()
            ),
            error,
        )
    })
}

fn set_up(socket: &impl AsFd, tos: u8) -> Result<(), Error> {
    setsockopt(socket, sockopt::Ipv4Tos, &i32::from(tos))
        .map_err(|error| failed("the socket option IP_TOS cannot be set", error))
}

/// Connects at the flow's start and writes until its stop. Returns what the kernel has counted.
pub fn send(mut socket: TcpStream, to: SocketAddrV4, terms: &Terms<'_>) -> Result<SenderResult, Error> {
    let broken =
        |error: std::io::Error| failed(&format!("the connection of flow {} failed", terms.flow.name), error);
    let mut counts = SenderCounts::new(terms.measured, terms.interval);
    if !wait_for(None, terms.flow.start, terms)? {
        return Ok(counts.finish());
    }
    match connect(socket.as_raw_fd(), &SockaddrIn::from(to)) {
        Ok(()) | Err(Errno::EINPROGRESS) => {}
        Err(error) => return Err(broken(error.into())),
    }
    let mut left = terms.flow.bytes.unwrap_or(u64::MAX);
    let mut is_connected = false;
    loop {
        let now = terms.clock.now()?;
        // A receiver that ends with unread data resets the connection, which is no error then.
        let failed = if terms.is_over(now) { None } else { socket.take_error().map_err(broken)? };
        if let Some(error) = failed
            && !terms.is_over(terms.clock.now()?)
        {
            return Err(broken(error));
        }
        is_connected = is_connected || socket.peer_addr().is_ok();
        if is_connected {
            counts.sample(now, &sys::tcp_info(socket.as_fd()).map_err(broken)?);
        }
        while is_connected && left > 0 && now < terms.flow.stop {
            let most = left.min(DATA.len() as u64) as usize;
            match socket.write(&DATA[..most]) {
                Ok(written) => left -= written as u64,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) if terms.is_over(terms.clock.now()?) => break,
                Err(error) => return Err(broken(error)),
            }
        }
        if terms.is_over(now) {
            return Ok(counts.finish());
        }
        let writes = !is_connected || (left > 0 && now < terms.flow.stop);
        let next = if now < terms.measured.from { terms.measured.from } else { terms.measured.to };
        let next = next.min(now + SAMPLE_EVERY);
        poll(writes.then(|| (socket.as_fd(), PollFlags::POLLOUT)), next, terms)?;
    }
}

/// Accepts the connection and reads what arrives. Returns how much arrived in measured time.
pub fn receive(listener: &TcpListener, terms: &Terms<'_>) -> Result<Delivered, Error> {
    let broken =
        |error: std::io::Error| failed(&format!("the connection of flow {} failed", terms.flow.name), error);
    let mut delivered = Delivered::every(terms.interval);
    let mut socket = loop {
        match listener.accept() {
            Ok((socket, _)) => break socket,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(broken(error)),
        }
        let until = terms.clock.now()? + SAMPLE_EVERY;
        if !wait_for(Some((listener.as_fd(), PollFlags::POLLIN)), until, terms)? {
            return Ok(delivered);
        }
    };
    socket.set_nonblocking(true).map_err(broken)?;
    let mut buffer = vec![0; DATA.len()];
    loop {
        let now = terms.clock.now()?;
        match socket.read(&mut buffer) {
            Ok(0) => return Ok(delivered),
            Ok(read) => delivered.add(now, read as u64, terms.measured),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                let until = terms.clock.now()? + SAMPLE_EVERY;
                if !wait_for(Some((socket.as_fd(), PollFlags::POLLIN)), until, terms)? {
                    return Ok(delivered);
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(broken(error)),
        }
        if now >= terms.measured.to {
            return Ok(delivered);
        }
    }
}

/// Sleeps until `until`, or until the descriptor is ready. Returns whether the run goes on.
fn wait_for(
    ready: Option<(BorrowedFd<'_>, PollFlags)>,
    until: Time,
    terms: &Terms<'_>,
) -> Result<bool, Error> {
    loop {
        let now = terms.clock.now()?;
        if terms.over.load(Ordering::Relaxed) {
            return Ok(false);
        }
        if now >= until || poll(ready, until.min(now + SAMPLE_EVERY), terms)? {
            return Ok(true);
        }
    }
}

/// Sleeps until `until`, or until the descriptor is ready. Returns whether it is.
fn poll(ready: Option<(BorrowedFd<'_>, PollFlags)>, until: Time, terms: &Terms<'_>) -> Result<bool, Error> {
    let mut descriptors: Vec<PollFd<'_>> =
        ready.into_iter().map(|(one, flags)| PollFd::new(one, flags)).collect();
    terms.clock.wait(&mut descriptors, until)
}
