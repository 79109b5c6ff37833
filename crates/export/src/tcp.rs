//! Makes TCP headers (RFC 9293) from segments whose numbers count packets.

use crate::dialect::{Dialect, IpNumber, Pair};
use crate::frame::{IPV4_BYTES, MOST_BYTES, ZEROS};
use crate::qlog::{Frame, QlogPacket};
use ackclock_base::Time;
use ackclock_sim::capture::{Beside, Captured};
use ackclock_sim::tcp::options::Options as TcpOptions;
use ackclock_sim::tcp::segment::{Block, Flags, Segment};
use etherparse::{TcpHeader, TcpOptionElement};

/// The initial sequence number of every connection is this far before 2^32, less an offset that differs
/// between connections. So sequence numbers wrap within the second mebibyte, and software that does not
/// expect it fails early. (For the same reason Linux lets its jiffies wrap five minutes after it starts.)
const BEFORE_WRAP: u32 = 1 << 20;

/// The largest shift of the window (RFC 7323 section 2.3).
const MAX_SHIFT: u8 = 14;

/// The options of Accurate ECN (RFC 9768 section 3.2.3), which differ in the counter that comes first.
const ACCURATE_ECN_0: u8 = 172;
const ACCURATE_ECN_1: u8 = 174;
/// The initial value of the counter of unmarked bytes (section 3.2.1).
const FIRST_UNMARKED: u32 = 1;

/// The terms that the two ends of a TCP connection have agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpTerms {
    /// The payload of a packet, in bytes.
    pub payload_bytes: u32,
    /// Whether segments carry timestamps (RFC 7323).
    pub timestamps: bool,
    /// Whether acknowledgements may have SACK blocks (RFC 2018).
    pub sack: bool,
    /// Whether packets may be marked (RFC 3168).
    pub ecn: bool,
    /// Whether the handshake asks for Accurate ECN (RFC 9768). If so, the ECN flags are those of the simulation.
    pub accurate_ecn: bool,
    /// Whether packets are sent as ECT(1).
    pub low_latency: bool,
    /// The agreed receive window and the widest possible one, in packets.
    pub windows: [u64; 2],
}

impl TcpTerms {
    /// Those of a connection's options, whose control counts marks or does not.
    pub fn of(options: &TcpOptions, counts_marks: bool) -> Self {
        let (details, window) = (&options.details, options.recovery.window);
        Self {
            payload_bytes: details.payload_bytes(),
            timestamps: details.timestamps,
            sack: options.receiver.sack,
            ecn: details.ecn,
            accurate_ecn: details.accurate_ecn,
            low_latency: details.field(counts_marks) == ackclock_aqm::Ecn::LowLatency,
            windows: [window, options.widest_window.max(window)],
        }
    }
}

impl Dialect for TcpTerms {
    fn protocol(&self) -> IpNumber {
        IpNumber::TCP
    }

    fn put_headers(&self, pair: &Pair, captured: &Captured, out: &mut Vec<u8>) -> u32 {
        let [from, to] = pair.ends(captured);
        let (mut header, payload) = header(pair, self, captured);
        let payload = payload.min(MOST_BYTES - IPV4_BYTES - header.header_len() as u32);
        let room = &ZEROS[..payload as usize];
        header.checksum = header.calc_checksum_ipv4_raw(from.ip, to.ip, room).unwrap_or_default();
        out.extend(header.to_bytes());
        payload
    }

    fn qlog_name(&self) -> Option<&'static str> {
        Some("TCP")
    }

    fn qlog_packet(&self, captured: &Captured) -> Option<QlogPacket> {
        Some(packet(captured, self.payload_bytes))
    }
}

fn packet(captured: &Captured, payload_bytes: u32) -> QlogPacket {
    let segment = Segment::read(&captured.packet, &Beside(&captured.words)).without_counters();
    let bytes = |packets: u64| packets * u64::from(payload_bytes);
    if segment.flags.has(Flags::WINDOW_PROBE) {
        return QlogPacket::usual(None, vec![Frame::DataBlocked { limit: bytes(segment.number) }]);
    }
    if segment.flags.has(Flags::SYN) {
        return QlogPacket::initial();
    }
    if captured.path.is_multiple_of(2) {
        return QlogPacket::data(segment.number, segment.number, payload_bytes);
    }
    let above = segment.sack.iter().filter(|block| block.start < block.end);
    let place = |offset: u32| segment.number + u64::from(offset);
    let mut acked_ranges: Vec<[u64; 2]> =
        above.map(|block| [place(block.start), place(block.end) - 1]).collect();
    acked_ranges.extend(segment.number.checked_sub(1).map(|last| [0, last]));
    let mut frames = vec![Frame::Ack { ack_delay: None, acked_ranges, ce: None }];
    let room = segment.advertised().map(|window| segment.number + u64::from(window));
    frames.extend(room.map(|edge| Frame::MaxData { maximum: bytes(edge) }));
    QlogPacket::usual(None, frames)
}

/// The header of a captured segment without its checksum, and how many bytes of payload follow.
pub fn header(pair: &Pair, terms: &TcpTerms, captured: &Captured) -> (TcpHeader, u32) {
    let Captured { packet, words, .. } = captured;
    let way = (captured.path % 2) as usize;
    let segment = Segment::read(packet, &Beside(words));
    let connection = packet.connection;
    let addresses = pair.addresses(connection);
    let (from, to) = (addresses[way], addresses[1 - way]);
    let [first, second] = [0, 1].map(|way| initial_sequence_number(pair, connection, way));
    let numbers = Numbers { first: first.wrapping_add(1), bytes: terms.payload_bytes };
    let is_probe = segment.flags.has(Flags::WINDOW_PROBE);
    let is_syn = segment.flags.has(Flags::SYN) && !is_probe;
    let mut header = TcpHeader::new(from.port, to.port, 0, 0);
    let payload = match (way, is_syn) {
        (0, true) => {
            header.sequence_number = first;
            0
        }
        (0, false) => {
            header.sequence_number = numbers.of(segment.number);
            header.acknowledgment_number = second.wrapping_add(1);
            header.psh = !is_probe;
            if is_probe {
                // As in Linux (tcp_xmit_probe_skb), a window probe has the number of a byte that has been
                // acknowledged already, to which the receiver must respond.
                header.sequence_number = header.sequence_number.wrapping_sub(1);
            }
            if is_probe { 0 } else { terms.payload_bytes }
        }
        (_, true) => {
            header.sequence_number = second;
            header.acknowledgment_number = numbers.first;
            0
        }
        (_, false) => {
            header.sequence_number = second.wrapping_add(1);
            header.acknowledgment_number = numbers.of(segment.number);
            0
        }
    };
    header.syn = is_syn;
    header.ack = way == 1 || !is_syn;
    header.window_size = window(terms, &segment, way, is_syn);
    put_ecn(&mut header, terms, segment.flags, way);
    put_options(&mut header, terms, &segment, captured, numbers);
    (header, payload)
}

/// Returns the initial sequence number of one direction (RFC 9293 section 3.4.1, without the part that makes
/// it hard to guess).
fn initial_sequence_number(pair: &Pair, connection: u8, way: usize) -> u32 {
    0_u32.wrapping_sub(BEFORE_WRAP + (pair.tag(connection, way) & 0xffff))
}

/// Converts packet numbers to sequence numbers.
#[derive(Clone, Copy)]
struct Numbers {
    first: u32,
    bytes: u32,
}

impl Numbers {
    fn of(self, packet: u64) -> u32 {
        self.first.wrapping_add((packet as u32).wrapping_mul(self.bytes))
    }

    /// Returns the left and the right edge of a SACK block; a block whose start is greater than its end lies
    /// below the acknowledgement and reports a duplicate.
    fn block(self, acknowledged: u64, block: Block) -> (u32, u32) {
        let (start, end) = (u64::from(block.start), u64::from(block.end));
        let edge = |offset: u64| match start > end {
            true => self.of(acknowledged.wrapping_sub(offset)),
            false => self.of(acknowledged + offset),
        };
        (edge(start), edge(end))
    }
}

/// Returns the least shift with which the widest window fits into 16 bits; at most [`MAX_SHIFT`].
fn shift(terms: &TcpTerms) -> u8 {
    let widest = terms.windows[1].saturating_mul(u64::from(terms.payload_bytes));
    (0..MAX_SHIFT).find(|shift| widest >> shift <= u64::from(u16::MAX)).unwrap_or(MAX_SHIFT)
}

/// Returns the window field. The sending end always advertises the largest window. The window of a segment
/// with SYN is not shifted.
fn window(terms: &TcpTerms, segment: &Segment, way: usize, is_syn: bool) -> u16 {
    let packets = match (segment.advertised(), u64::from(segment.without_counters().window)) {
        (Some(room), _) => u64::from(room),
        (None, 0) => terms.windows[0],
        (None, told) => told,
    };
    let bytes = packets.saturating_mul(u64::from(terms.payload_bytes));
    let shift = if is_syn { 0 } else { shift(terms) };
    if way == 0 { u16::MAX } else { (bytes >> shift).min(u64::from(u16::MAX)) as u16 }
}

fn put_ecn(header: &mut TcpHeader, terms: &TcpTerms, flags: Flags, way: usize) {
    header.ece = flags.has(Flags::CONGESTION_ECHO);
    header.cwr = flags.has(Flags::WINDOW_REDUCED);
    header.ns = flags.has(Flags::ACCURATE);
    if header.syn && terms.ecn && !terms.accurate_ecn {
        // Flags by which the ends agree on ECN (RFC 3168 section 6.1.1). The simulation takes this as agreed.
        (header.ece, header.cwr) = (true, way == 0);
    }
}

fn put_options(
    header: &mut TcpHeader,
    terms: &TcpTerms,
    segment: &Segment,
    captured: &Captured,
    numbers: Numbers,
) {
    use TcpOptionElement::{
        MaximumSegmentSize, Noop, SelectiveAcknowledgementPermitted, Timestamp, WindowScale,
    };
    let way = captured.path % 2;
    let mut elements = Vec::with_capacity(8);
    let stamps = terms.timestamps.then(|| {
        let echo = match (way, header.syn) {
            (0, true) => 0,
            (0, false) => captured.heard.map_or(0, stamp),
            _ => stamp(segment.stamp),
        };
        Timestamp(stamp(captured.launched), echo)
    });
    if header.syn {
        let room = terms.payload_bytes + if terms.timestamps { 12 } else { 0 };
        elements.push(MaximumSegmentSize(room.min(u32::from(u16::MAX)) as u16));
        elements.extend(
            terms.sack.then_some([SelectiveAcknowledgementPermitted, Noop, Noop]).into_iter().flatten(),
        );
        elements.extend([Noop, WindowScale(shift(terms))]);
    }
    if let Some(stamps) = stamps {
        elements.extend([Noop, Noop, stamps]);
    }
    let plain = segment.without_counters();
    let mut blocks = plain.sack.iter().filter(|block| !block.is_empty());
    if let Some(first) = blocks.next().filter(|_| way == 1) {
        let edges = |block: &Block| numbers.block(segment.number, *block);
        let others = std::array::from_fn(|_| blocks.next().map(edges));
        elements.extend([Noop, Noop, TcpOptionElement::SelectiveAcknowledgement(edges(first), others)]);
    }
    // All options together take at most 40 bytes, as in the simulation: 12 for timestamps and 28 for three
    // SACK blocks, or 20 for two and 8 for the counters.
    let _ = header.set_options(&elements);
    if let Some(counters) = segment.counters().filter(|_| way == 1 && !header.syn) {
        let mut raw = header.options.as_slice().to_vec();
        let kind = if terms.low_latency { ACCURATE_ECN_1 } else { ACCURATE_ECN_0 };
        raw.extend([kind, 8]);
        for counter in [counters.unmarked + FIRST_UNMARKED, counters.marked] {
            raw.extend(&counter.to_be_bytes()[1..]);
        }
        let _ = header.set_options_raw(&raw);
    }
}

/// Returns a timestamp in milliseconds, the unit of Linux. It is never zero, which means that there is no
/// timestamp.
fn stamp(time: Time) -> u32 {
    (time.nanos() / 1_000_000) as u32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: Numbers = Numbers { first: u32::MAX - 999, bytes: 1000 };

    #[test]
    fn sequence_numbers_wrap_at_two_to_the_32() {
        // The sequence numbers are 2^32 - 1000, 0 and 1000; after 2^32 packets of 1000 bytes they repeat.
        assert_eq!([0, 1, 2].map(|packet| NUMBERS.of(packet)), [u32::MAX - 999, 0, 1000]);
        assert_eq!(NUMBERS.of((1 << 32) + 2), 1000);
    }

    #[test]
    fn blocks_lie_above_the_acknowledgement_and_duplicates_below_it() {
        // With 5 packets acknowledged, the edge is 2^32 - 1000 + 5000 = 4000.
        assert_eq!(NUMBERS.block(5, Block { start: 2, end: 4 }), (6000, 8000));
        // Packet 3 arrived twice, so the block reaches from 2000 to 3000 (RFC 2883).
        assert_eq!(NUMBERS.block(5, Block::duplicate(3, 5)), (2000, 3000));
    }

    fn terms(widest: u64) -> TcpTerms {
        TcpTerms {
            payload_bytes: 1000,
            timestamps: true,
            sack: true,
            ecn: false,
            accurate_ecn: false,
            low_latency: false,
            windows: [20, widest],
        }
    }

    #[test]
    fn a_window_that_a_slow_reader_has_closed_is_zero() {
        // 20 packets of 1000 B are agreed. A widest window of 60,000 B needs no shift, one of 120,000 B a
        // shift by one bit.
        let window = |widest: u64, room: Option<u64>| {
            let segment = room.map_or(Segment::default(), |room| Segment::default().advertising(room));
            window(&terms(widest), &segment, 1, false)
        };
        assert_eq!([None, Some(0), Some(3)].map(|room| window(60, room)), [20_000, 0, 3000]);
        assert_eq!(window(120, Some(3)), 1500);
    }

    #[test]
    fn the_widest_window_fits() {
        // 65,000 bytes need no shift and 66,000 a shift by one bit; the widest possible window is 2^30 bytes
        // (RFC 7323 section 2.3).
        assert_eq!([65, 66, 10_000, u64::MAX].map(|widest| shift(&terms(widest))), [0, 1, 8, 14]);
    }
}
