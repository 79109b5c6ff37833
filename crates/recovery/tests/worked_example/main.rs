//! The worked example of a transport in real time: a megabyte over two UDP sockets of this machine. The
//! simulator's tests run the same transport.

mod acknowledged_datagrams;

use ackclock_base::random::Scripted;
use ackclock_base::{Span, Time};
use ackclock_cc::entry::Entry;
use ackclock_cc::registry;
use ackclock_cc::{Assembly, Exponential, Initial};
use ackclock_recovery::declared::{Losses, Timer};
use ackclock_recovery::detection::sack::{Flight, Sack};
use ackclock_recovery::{Options, Parts, Sender, Units};
use acknowledged_datagrams::{Network, PAYLOAD_BYTES, Receiving, Sending};
use std::io;
use std::net::UdpSocket;
use std::time::{Duration, Instant};

const PATHS: usize = 2;
const BYTES: usize = 1_000_000;
/// One in this number of datagrams, 3 %, is dropped by the receiver, so that there is something to recover
/// from.
const DROPPED: usize = 32;
const PATIENCE: Duration = Duration::from_secs(60);
const HEADER_BYTES: usize = 24;

/// The sockets of one end, and the data that it has to send.
struct Sockets<'a> {
    sockets: Vec<UdpSocket>,
    data: &'a [u8],
}

impl Network for Sockets<'_> {
    fn send(&mut self, path: usize, header: [u64; 3], payload: u64) {
        let mut datagram: Vec<u8> = header.iter().flat_map(|word| word.to_le_bytes()).collect();
        if payload > 0 {
            let place = header[1] as usize;
            datagram.extend(&self.data[place..place + payload as usize]);
        }
        // A socket whose buffer is full acts as a network that loses datagrams.
        let _ = self.sockets[path].send(&datagram);
    }
}

impl Sockets<'_> {
    /// Returns the header and payload of the next datagram of a path; `None` if there is none.
    fn receive<'a>(&self, path: usize, buffer: &'a mut [u8]) -> Option<([u64; 3], &'a [u8])> {
        let length = self.sockets[path].recv(buffer).ok()?;
        let (header, payload) = buffer[..length].split_at_checked(HEADER_BYTES)?;
        let mut words = header.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
        Some(([(); 3].map(|()| words.next().unwrap()), payload))
    }
}

/// Returns two sockets that are connected to each other and do not block.
fn pair() -> io::Result<(UdpSocket, UdpSocket)> {
    let (one, other) = (UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?);
    one.connect(other.local_addr()?)?;
    other.connect(one.local_addr()?)?;
    one.set_nonblocking(true)?;
    other.set_nonblocking(true)?;
    Ok((one, other))
}

fn sender(entry: &Entry, datagrams: u64) -> Sender {
    let recommended = Options::recommended(Units::bytes(PAYLOAD_BYTES as u32));
    // Linux's minimum timeout: the loss of the tail is no reason to wait for a second.
    let timer = Timer { min_rto: Span::from_millis(200), ..recommended.timer };
    let initial = Initial {
        limit: recommended.window as f64,
        packet_bytes: PAYLOAD_BYTES as u32,
        ..Initial::default()
    };
    let detection = Losses { reduction: Flight::Inferred, ..Losses::default() };
    let parts = Parts {
        controller: Assembly::new(entry, &entry.descriptor.defaults(), None, None).join(&initial),
        detection: Box::new(Sack::new(detection)),
        backoff: Box::new(Exponential { most: 64.0 }),
        random: Box::new(Scripted::new(&[0.3, 0.7])),
    };
    Sender::new(Options { timer, ..recommended }, parts, datagrams)
}

/// Sends a megabyte. Returns the number of retransmissions.
fn transfer(entry: &Entry) -> u64 {
    let data: Vec<u8> =
        (0..BYTES as u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let pairs: Vec<_> = (0..PATHS).map(|_| pair().expect("two sockets")).collect();
    let (here, there): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    let (mut here, mut there) =
        (Sockets { sockets: here, data: &data }, Sockets { sockets: there, data: &[] });
    let mut sending = Sending::new(BYTES as u64, PATHS as u64, |datagrams| sender(entry, datagrams));
    let mut receiving = Receiving::new(PATHS);
    let (mut arrived, mut received, mut by_path) = (0, vec![0; BYTES], [0; PATHS]);
    let (start, mut buffer) = (Instant::now(), [0; 2048]);
    let now = || Time::from_nanos(start.elapsed().as_nanos() as u64);
    sending.start(now(), &mut here);
    while !sending.is_done() {
        assert!(start.elapsed() < PATIENCE, "{arrived} datagrams have arrived, and nothing more");
        let mut is_idle = true;
        for (path, carried) in by_path.iter_mut().enumerate() {
            while let Some((header, payload)) = there.receive(path, &mut buffer) {
                is_idle = false;
                arrived += 1;
                if arrived % DROPPED != 0 && receiving.on_packet(path, header, &mut there) {
                    let place = header[1] as usize;
                    received[place..place + payload.len()].copy_from_slice(payload);
                    *carried += payload.len();
                }
            }
            while let Some((header, _)) = here.receive(path, &mut buffer) {
                is_idle = false;
                sending.on_packet(now(), path, header, &mut here);
            }
        }
        if sending.timer() <= now() {
            sending.on_timer(now(), &mut here);
        } else if is_idle {
            std::thread::sleep(Duration::from_micros(100));
        }
    }
    assert!(received == data, "what has arrived is not what was sent");
    assert_eq!(by_path, [500_000; PATHS], "each byte once, half of them on each path");
    sending.paths.iter().map(|path| path.counts().retransmitted).sum()
}

/// Checks that of 1,000 datagrams and the retransmissions at least 31 are dropped, and all of these are
/// retransmitted.
#[test]
fn a_megabyte_in_real_time_under_cubic() {
    assert!(transfer(registry::find("cubic").unwrap()) >= 31);
}

#[test]
fn a_megabyte_in_real_time_under_bbrv3() {
    assert!(transfer(registry::find("bbrv3").unwrap()) >= 31);
}
