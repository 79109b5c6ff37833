//! The datagrams of a connection, and their representation in a packet's header. A packet carries a piece of
//! the stream, an acknowledgement, a step of the handshake, or a frame of flow control.

use crate::endpoint::Outbox;
use crate::packet::Packet;
use ackclock_aqm::Ecn;
use ackclock_base::{Span, Time};

/// A packet with data. The application's data consists of pieces of one size, one per packet, which are
/// numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// The packet number.
    pub number: u64,
    /// The piece of the stream in the packet.
    pub piece: u64,
    /// The time of sending.
    pub sent: Time,
    /// The number of packet numbers below its own that the sender still wants acknowledged. (By RFC 9000
    /// section 13.2.4 a receiver learns this from acknowledgements of its acknowledgements.)
    pub wanted: u32,
}

/// An ACK frame (RFC 9000 section 19.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack<'a> {
    /// The highest range of received packet numbers: the first number, and one past the last.
    pub highest: (u64, u64),
    /// The lower ranges in descending order, each as its first number and one past its last.
    pub below: &'a [(u64, u64)],
    /// The time for which the packet with the highest number has waited for this acknowledgement.
    pub delay: Span,
    /// The number of packets received with a mark (the ECN-CE count).
    pub marked: u64,
}

/// The content of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Datagram<'a> {
    /// A packet with data.
    Data(Data),
    /// An acknowledgement.
    Ack(Ack<'a>),
    /// The first packet of either end, with the time at which the client sent its own.
    Initial(Time),
    /// A frame of flow control, used if the receiving application reads slowly.
    Credit(Credit),
}

/// A frame of flow control (RFC 9000 section 4.1), in a packet of its own. Packets of this kind have a number
/// space of their own, and do not count as in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// The frame's number among the packets of this kind that its end sends; for an acknowledgement, the
    /// number of the frame that it acknowledges.
    pub number: u64,
    /// The kind of frame.
    pub kind: CreditKind,
}

/// The kind of a frame of flow control for the whole connection. The acknowledgement of such a frame counts
/// as a kind of its own. There are no frames for single streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreditKind {
    /// MAX_DATA: the receiver accepts the pieces below this number.
    MaxData(u64),
    /// DATA_BLOCKED: the sender has pieces to send at or above this number, which is the limit.
    DataBlocked(u64),
    /// The acknowledgement of a MAX_DATA or DATA_BLOCKED frame.
    Acknowledged,
}

/// The interface through which datagrams are sent.
pub trait DatagramWire {
    /// Sends a datagram now.
    fn send(&mut self, datagram: Datagram<'_>);
}

/// The sizes of packets on the wire, and the ECN field of those with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// The size of a packet with data, in bytes.
    pub data: u32,
    /// The size of an acknowledgement of one range, in bytes.
    pub ack: u32,
    /// The size of an Initial packet, in bytes.
    pub initial: u32,
    /// The ECN field of packets with data.
    pub field: Ecn,
}

/// A wire that sends through an outbox.
pub struct OutboxWire<'a> {
    /// The outbox.
    pub out: &'a mut dyn Outbox,
    /// The sizes and the ECN field of packets.
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

/// The unit of acknowledgement delays: 8 us (ack_delay_exponent 3, RFC 9000 section 18.2).
const DELAY_UNIT_NS: u64 = 8_000;

/// The bytes that a further range adds to an acknowledgement: a gap and a length of two bytes each.
const RANGE_BYTES: u32 = 4;

impl DatagramWire for OutboxWire<'_> {
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

/// Reads packets. It keeps its buffers for reuse.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    words: Vec<u64>,
    below: Vec<(u64, u64)>,
}

impl Reader {
    /// Reads the content of a packet that has arrived.
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
        // Zeros may follow the last range.
        self.below.extend(self.words.iter().filter(|word| **word != 0).map(range));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::testing::Last;

    #[test]
    fn an_acknowledgement_carries_its_delay_in_units_of_eight_microseconds() {
        // RFC 9000 section 18.2: 1234.5 us are 154.3 units, of which 154 arrive, 1232 us.
        let mut last = Last::default();
        let packing = Packing { data: 1200, ack: 50, initial: 1200, field: Ecn::NotCapable };
        let sent = Ack { highest: (7, 9), below: &[], delay: Span::from_nanos(1_234_500), marked: 3 };
        OutboxWire { out: &mut last, packing }.send(Datagram::Ack(sent));
        let arrived = Ack { delay: Span::from_nanos(1_232_000), ..sent };
        assert_eq!(Reader::default().read(&last.packet, &last), Datagram::Ack(arrived));
        assert_eq!(last.packet.bytes, 50);
    }
}
