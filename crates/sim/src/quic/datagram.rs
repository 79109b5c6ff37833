//! What the two ends tell each other, and how it stands in a packet's header. A packet carries a piece of the stream, an
//! acknowledgement, or a step of the handshake.

use crate::endpoint::Outbox;
use crate::packet::Packet;
use ackclock_aqm::Ecn;
use ackclock_base::{Span, Time};

/// A packet with data. The application's data has pieces of one size, one a packet, which are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Its packet number.
    pub number: u64,
    /// The piece of the stream that it carries.
    pub piece: u64,
    /// When it was sent.
    pub sent: Time,
    /// How many packet numbers below its own the sender still wants to hear of. (RFC 9000 section 13.2.4 has a receiver learn
    /// this from acknowledgements of its acknowledgements.)
    pub wanted: u32,
}

/// An ACK frame (RFC 9000 section 19.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack<'a> {
    /// The highest of the ranges of packet numbers that have arrived: the first, and one past the last.
    pub highest: (u64, u64),
    /// The ranges below, the highest first.
    pub below: &'a [(u64, u64)],
    /// How long the packet with the highest number has waited for this acknowledgement.
    pub delay: Span,
    /// Packets that have arrived marked since the beginning (the ECN-CE count).
    pub marked: u64,
}

/// What a packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Datagram<'a> {
    /// Data.
    Data(Data),
    /// An acknowledgement.
    Ack(Ack<'a>),
    /// The first packet of either end, with the time at which the client sent its own.
    Initial(Time),
    /// Flow control, where the receiving application reads slowly.
    Credit(Credit),
}

/// What the two ends say of flow control (RFC 9000 section 4.1), each in a packet of its own. Packets of this kind have numbers of
/// their own, and do not count as in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// Its number among these packets of its end; of an answer, the number that it answers to.
    pub number: u64,
    /// Which frame.
    pub kind: CreditKind,
}

/// A frame of flow control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreditKind {
    /// MAX_DATA: the receiver takes the pieces below this one.
    MaxData(u64),
    /// DATA_BLOCKED: the sender has more to send than the pieces below this one, which the receiver takes.
    DataBlocked(u64),
    /// ACK of one of the two.
    Acknowledged,
}

/// Where datagrams go.
pub trait Wire {
    /// Sends one now.
    fn send(&mut self, datagram: Datagram<'_>);
}

/// How large packets are on the wire, and what those with data say in their ECN field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Bytes of a packet with data.
    pub data: u32,
    /// Bytes of an acknowledgement of one range.
    pub ack: u32,
    /// Bytes of an Initial packet.
    pub initial: u32,
    /// The ECN field.
    pub field: Ecn,
}

/// A wire that leads into an outbox.
pub struct OutboxWire<'a> {
    /// The outbox.
    pub out: &'a mut dyn Outbox,
    /// How packets are made.
    pub packing: Packing,
}

const DATA: u64 = 0;
const ACK: u64 = 1;
const INITIAL: u64 = 2;
const MAX_DATA: u64 = 3;
const DATA_BLOCKED: u64 = 4;
const ACKNOWLEDGED: u64 = 5;
const KIND_BITS: u32 = 4;
const KIND: u64 = (1 << KIND_BITS) - 1;
const WANTED_BITS: u32 = 24;
const HALF: u32 = 32;
const LOW_HALF: u64 = u32::MAX as u64;

/// Delays are told in units of 8 us (ack_delay_exponent 3, RFC 9000 section 18.2).
const DELAY_UNIT_NS: u64 = 8_000;

/// Bytes that a further range adds to an acknowledgement: a gap and a length of two bytes each.
const RANGE_BYTES: u32 = 4;

impl Wire for OutboxWire<'_> {
    #[inline]
    fn send(&mut self, datagram: Datagram<'_>) {
        let Packing { data, ack, initial, field } = self.packing;
        let packet = |bytes, header| Packet { bytes, header, ..Packet::default() };
        match datagram {
            Datagram::Data(Data { number, piece, sent, wanted }) => {
                let wanted = u64::from(wanted);
                debug_assert!(wanted < 1 << WANTED_BITS && piece < 1 << (u64::BITS - WANTED_BITS));
                let header = [DATA | number << KIND_BITS, wanted | piece << WANTED_BITS, sent.nanos()];
                self.out.send(0, Packet { ecn: field, ..packet(data, header) });
            }
            Datagram::Ack(Ack { highest: (start, end), below, delay, marked }) => {
                let delay = (delay.nanos() / DELAY_UNIT_NS).min(LOW_HALF);
                let header = [ACK | end << KIND_BITS, delay | (end - start).min(LOW_HALF) << HALF, marked];
                let bytes = ack + below.len() as u32 * RANGE_BYTES;
                if below.is_empty() {
                    self.out.send(0, packet(bytes, header));
                } else {
                    let word = |(start, stop): &(u64, u64)| (end - stop) << HALF | (stop - start);
                    let words: Vec<u64> = below.iter().map(word).collect();
                    self.out.send_long(0, packet(bytes, header), &words);
                }
            }
            Datagram::Initial(sent) => {
                self.out.send(0, packet(initial, [INITIAL, 0, sent.nanos()]));
            }
            Datagram::Credit(Credit { number, kind }) => {
                let (kind, limit) = match kind {
                    CreditKind::MaxData(limit) => (MAX_DATA, limit),
                    CreditKind::DataBlocked(limit) => (DATA_BLOCKED, limit),
                    CreditKind::Acknowledged => (ACKNOWLEDGED, 0),
                };
                self.out.send(0, packet(ack, [kind | number << KIND_BITS, limit, 0]));
            }
        }
    }
}

/// Reads packets, with room for their ranges that is used again and again.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    words: Vec<u64>,
    below: Vec<(u64, u64)>,
}

impl Reader {
    /// What a packet that has arrived says.
    #[inline]
    pub fn read(&mut self, packet: &Packet, out: &dyn Outbox) -> Datagram<'_> {
        let [first, second, third] = packet.header;
        let number = first >> KIND_BITS;
        match first & KIND {
            DATA => Datagram::Data(Data {
                number,
                piece: second >> WANTED_BITS,
                sent: Time::from_nanos(third),
                wanted: (second & ((1 << WANTED_BITS) - 1)) as u32,
            }),
            ACK => {
                self.below.clear();
                if packet.is_extended() {
                    self.read_ranges(packet, number, out);
                }
                let delay = Span::from_nanos((second & LOW_HALF) * DELAY_UNIT_NS);
                let highest = (number.saturating_sub(second >> HALF), number);
                Datagram::Ack(Ack { highest, below: &self.below, delay, marked: third })
            }
            MAX_DATA => Datagram::Credit(Credit { number, kind: CreditKind::MaxData(second) }),
            DATA_BLOCKED => Datagram::Credit(Credit { number, kind: CreditKind::DataBlocked(second) }),
            ACKNOWLEDGED => Datagram::Credit(Credit { number, kind: CreditKind::Acknowledged }),
            _ => Datagram::Initial(Time::from_nanos(third)),
        }
    }

    #[cold]
    fn read_ranges(&mut self, packet: &Packet, end: u64, out: &dyn Outbox) {
        self.words.clear();
        out.long_extension(packet, &mut self.words);
        let range = |word: &u64| {
            let stop = end.saturating_sub(word >> HALF);
            (stop.saturating_sub(word & LOW_HALF), stop)
        };
        // Behind the last there may be zeros.
        self.below.extend(self.words.iter().filter(|word| **word != 0).map(range));
    }
}
