//! QUIC's packets: opaque over UDP, and told in full to qlog.

use crate::dialect::{Dialect, IpNumber, Pair};
use crate::frame::IPV4_BYTES;
use crate::qlog::{Frame, QlogPacket, millis};
use crate::udp::{Opaque, UDP_BYTES};
use ackclock_sim::capture::{Beside, Captured};
use ackclock_sim::quic::datagram::{Ack, Credit, CreditKind, Data, Datagram, Reader};

/// What the two ends of a QUIC connection have agreed upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuicTerms {
    /// Stream data of a packet, in bytes.
    pub payload_bytes: u32,
}

impl Dialect for QuicTerms {
    fn protocol(&self) -> IpNumber {
        Opaque.protocol()
    }

    fn put_headers(&self, pair: &Pair, captured: &Captured, out: &mut Vec<u8>) -> u32 {
        Opaque.put_headers(pair, captured, out)
    }

    fn qlog_name(&self) -> Option<&'static str> {
        Some("QUIC")
    }

    /// Returns the length of the datagram's payload, which is one QUIC packet.
    fn qlog_bytes(&self, captured: &Captured) -> u32 {
        captured.packet.bytes.saturating_sub(IPV4_BYTES + UDP_BYTES)
    }

    fn qlog_packet(&self, captured: &Captured) -> Option<QlogPacket> {
        let mut reader = Reader::default();
        Some(packet(reader.read(&captured.packet, &Beside(&captured.words)), self.payload_bytes))
    }
}

fn packet(datagram: Datagram<'_>, payload_bytes: u32) -> QlogPacket {
    match datagram {
        Datagram::Initial(_) => QlogPacket::initial(),
        Datagram::Credit(Credit { number, kind }) => {
            let bytes = |pieces: u64| pieces * u64::from(payload_bytes);
            let ranges = || vec![[number, number]];
            let (number, frame) = match kind {
                CreditKind::MaxData(limit) => (Some(number), Frame::MaxData { maximum: bytes(limit) }),
                CreditKind::DataBlocked(limit) => (Some(number), Frame::DataBlocked { limit: bytes(limit) }),
                CreditKind::Acknowledged => {
                    (None, Frame::Ack { ack_delay: None, acked_ranges: ranges(), ce: None })
                }
            };
            QlogPacket::usual(number, vec![frame])
        }
        Datagram::Data(Data { number, piece, .. }) => QlogPacket::data(number, piece, payload_bytes),
        Datagram::Ack(Ack { highest, below, delay, marked }) => {
            let ranges = std::iter::once(&highest).chain(below);
            let acked_ranges =
                ranges.filter(|(start, end)| start < end).map(|(start, end)| [*start, end - 1]).collect();
            let ce = (marked > 0).then_some(marked);
            QlogPacket::usual(None, vec![Frame::Ack { ack_delay: Some(millis(delay)), acked_ranges, ce }])
        }
    }
}
