//! Writes SCTP's packets (RFC 9260): the common header and one chunk, after a timestamp chunk if the flow has
//! timestamps.

use crate::dialect::{Dialect, IpNumber, Pair};
use ackclock_sim::capture::{Beside, Captured};
use ackclock_sim::sctp::message::{Control, ControlKind, Data, Message, Reader, Sack};
use ackclock_sim::sctp::options::Options as SctpOptions;

/// Flags of a DATA chunk: the whole message is in the chunk (B and E, section 3.3.1), and the message is
/// unordered (U).
const WHOLE: u8 = 3;
const UNORDERED: u8 = 4;
/// The type of the timestamp chunk: an unassigned type that receivers skip if they do not know it (section
/// 3.2).
const TIMESTAMP: u8 = 0xbe;
/// The simulated size of a cookie and of the information of a HEARTBEAT, in bytes.
const COOKIE: usize = 100;
const INFORMATION: usize = 20;

/// The terms that the two ends of an SCTP association have agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SctpTerms {
    /// The payload of a DATA chunk, in bytes.
    pub payload_bytes: u32,
    /// Whether packets carry a timestamp chunk.
    pub timestamps: bool,
    /// The number of streams; messages use them in turn.
    pub streams: u32,
    /// Whether the messages of a stream are delivered in order.
    pub ordered: bool,
    /// The receive window, in bytes.
    pub window: u32,
}

impl SctpTerms {
    /// Returns the terms of an association with these options.
    pub fn of(options: &SctpOptions) -> Self {
        let details = &options.details;
        Self {
            payload_bytes: options.sizes.payload,
            timestamps: details.timestamps,
            streams: details.streams.max(1),
            ordered: details.ordered,
            window: details.receive_window.bytes().min(u64::from(u32::MAX)) as u32,
        }
    }
}

impl Dialect for SctpTerms {
    fn protocol(&self) -> IpNumber {
        IpNumber::SCTP
    }

    fn put_headers(&self, pair: &Pair, captured: &Captured, out: &mut Vec<u8>) -> u32 {
        packet(pair, self, captured, out)
    }
}

/// Appends the packet without its payload and returns the length of the payload that follows, padding
/// included. The checksum is that of a payload of zeros.
fn packet(pair: &Pair, terms: &SctpTerms, captured: &Captured, out: &mut Vec<u8>) -> u32 {
    let Captured { packet, words, path, .. } = captured;
    let (way, connection) = ((path % 2) as usize, packet.connection);
    let addresses = pair.addresses(connection);
    let (from, to) = (addresses[way], addresses[1 - way]);
    // An association has one tag for each end on all its paths.
    let first = Pair { path: 0, ..pair.clone() };
    let mut reader = Reader::default();
    let message = reader.read(packet, &Beside(words));
    let is_init = matches!(message, Message::Control(Control { kind: ControlKind::Init, .. }));
    let begins = out.len();
    out.extend(from.port.to_be_bytes());
    out.extend(to.port.to_be_bytes());
    out.extend(if is_init { 0 } else { first.tag(connection, 1 - way) }.to_be_bytes());
    let checksum = out.len();
    out.extend([0; 4]);
    if terms.timestamps && !matches!(message, Message::Control(_)) {
        chunk(out, TIMESTAMP, 0, 8);
        let micros = captured.launched.nanos() / 1000;
        out.extend((micros as u32).to_be_bytes());
        out.extend([0; 4]);
    }
    let tsns = first.tag(connection, 0);
    let payload = match message {
        Message::Data(Data { tsn, .. }) => {
            let flags = WHOLE | if terms.ordered { 0 } else { UNORDERED };
            chunk(out, 0, flags, 12 + terms.payload_bytes as usize);
            let streams = u64::from(terms.streams);
            out.extend(tsns.wrapping_add(tsn as u32).to_be_bytes());
            out.extend(((tsn % streams) as u16).to_be_bytes());
            out.extend(((tsn / streams) as u16).to_be_bytes());
            out.extend([0; 4]);
            terms.payload_bytes.next_multiple_of(4)
        }
        Message::Sack(sack) => {
            put_sack(out, tsns, &sack);
            0
        }
        Message::Control(control) => {
            put_control(out, &first, connection, terms, &control);
            0
        }
    };
    let sum = crc32c::crc32c(&out[begins..]);
    let sum = crc32c::crc32c_append(sum, &crate::frame::ZEROS[..payload as usize]);
    out[checksum..checksum + 4].copy_from_slice(&sum.to_le_bytes());
    payload
}

/// Appends the header of a chunk whose content has this number of bytes.
fn chunk(out: &mut Vec<u8>, kind: u8, flags: u8, bytes: usize) {
    out.extend([kind, flags]);
    out.extend(((bytes + 4) as u16).to_be_bytes());
}

fn put_sack(out: &mut Vec<u8>, tsns: u32, sack: &Sack<'_>) {
    chunk(out, 3, 0, 12 + 4 * sack.blocks.len());
    // The Cumulative TSN Ack is the last TSN received in sequence, and blocks count from it (section 3.3.4).
    out.extend(tsns.wrapping_add(sack.cumulative as u32).wrapping_sub(1).to_be_bytes());
    out.extend(sack.window.to_be_bytes());
    out.extend((sack.blocks.len() as u16).to_be_bytes());
    out.extend([0; 2]);
    for block in sack.blocks {
        out.extend((block.start + 1).to_be_bytes());
        out.extend(block.end.to_be_bytes());
    }
}

fn put_control(out: &mut Vec<u8>, pair: &Pair, connection: u8, terms: &SctpTerms, control: &Control) {
    let way = usize::from(control.kind == ControlKind::InitAck);
    match control.kind {
        ControlKind::Init | ControlKind::InitAck => {
            let cookie = if way == 1 { 4 + COOKIE } else { 0 };
            chunk(out, 1 + way as u8, 0, 16 + cookie);
            out.extend(pair.tag(connection, way).to_be_bytes());
            out.extend(terms.window.to_be_bytes());
            let streams = (terms.streams.min(65_535) as u16).to_be_bytes();
            out.extend(streams);
            out.extend(streams);
            out.extend(pair.tag(connection, way).to_be_bytes()); // the initial TSN equals the tag, as on many hosts
            if way == 1 {
                chunk_parameter(out, 7, COOKIE, control.tag);
            }
        }
        ControlKind::CookieEcho => {
            chunk(out, 10, 0, COOKIE);
            filled(out, COOKIE, control.tag);
        }
        ControlKind::CookieAck => chunk(out, 11, 0, 0),
        ControlKind::Heartbeat | ControlKind::HeartbeatAck => {
            let kind = if control.kind == ControlKind::Heartbeat { 4 } else { 5 };
            chunk(out, kind, 0, 4 + INFORMATION);
            chunk_parameter(out, 1, INFORMATION, control.sent.nanos());
        }
    }
}

/// Appends a chunk parameter of `bytes` bytes that begins with a number and is filled with zeros.
fn chunk_parameter(out: &mut Vec<u8>, kind: u16, bytes: usize, number: u64) {
    out.extend(kind.to_be_bytes());
    out.extend(((bytes + 4) as u16).to_be_bytes());
    filled(out, bytes, number);
}

fn filled(out: &mut Vec<u8>, bytes: usize, number: u64) {
    out.extend(number.to_be_bytes());
    out.extend(std::iter::repeat_n(0, bytes - 8));
}
