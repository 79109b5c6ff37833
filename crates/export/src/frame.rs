//! Converts captured packets to bytes with Ethernet and IPv4 headers.

use crate::dialect::{Dialect, Pair};
use crate::{sctp, tcp};
use ackclock_aqm::Ecn;
use ackclock_sim::capture::Captured;
use etherparse::{EtherType, Ethernet2Header, IpEcn, IpNumber, Ipv4Header, UdpHeader};

/// The bytes of all payloads.
pub(crate) static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

const IPV4_BYTES: u32 = 20;
const UDP_BYTES: u32 = 8;
/// The greatest length of an IPv4 packet, in bytes.
const MOST_BYTES: u32 = 65_535;

/// Makes frames in buffers that it reuses.
#[derive(Default)]
pub struct Framer {
    bytes: Vec<u8>,
    transport: Vec<u8>,
}

impl Framer {
    /// Returns the frame of a captured packet, with its payload or without, and the frame's length on the
    /// wire in bytes.
    ///
    /// TCP's and SCTP's headers are as long as their fields and options need, and packets with data have the
    /// payload of the scenario. If a scenario counts headers of another size, such as 40 bytes for an
    /// acknowledgement with timestamps, the frame is longer or shorter than the simulated packet. UDP's and
    /// QUIC's packets have their simulated size, because their content is opaque.
    pub fn frame(&mut self, pair: &Pair, captured: &Captured, with_payload: bool) -> (&[u8], u32) {
        let Self { bytes, transport } = self;
        bytes.clear();
        transport.clear();
        let way = (captured.path % 2) as usize;
        let addresses = pair.addresses(captured.packet.connection);
        let (from, to) = (addresses[way], addresses[1 - way]);
        let mut ip =
            Ipv4Header { source: from.ip, destination: to.ip, time_to_live: 64, ..Ipv4Header::default() };
        ip.dont_fragment = true;
        ip.identification = captured.number as u16;
        ip.ecn = field(captured.packet.ecn);
        let payload = match &pair.dialect {
            Dialect::Tcp(terms) => {
                ip.protocol = IpNumber::TCP;
                let (mut header, payload) = tcp::header(pair, terms, captured);
                let payload = payload.min(MOST_BYTES - IPV4_BYTES - header.header_len() as u32);
                let room = &ZEROS[..payload as usize];
                header.checksum = header.calc_checksum_ipv4_raw(from.ip, to.ip, room).unwrap_or_default();
                transport.extend(header.to_bytes());
                payload
            }
            Dialect::Sctp(terms) => {
                ip.protocol = IpNumber::SCTP;
                sctp::packet(pair, terms, captured, transport)
            }
            Dialect::Udp | Dialect::Quic { .. } => {
                ip.protocol = IpNumber::UDP;
                let payload =
                    captured.packet.bytes.clamp(IPV4_BYTES + UDP_BYTES, MOST_BYTES) - IPV4_BYTES - UDP_BYTES;
                let (source_port, destination_port) = (from.port, to.port);
                let length = (payload + UDP_BYTES) as u16;
                let mut header = UdpHeader { source_port, destination_port, length, checksum: 0 };
                let room = &ZEROS[..payload as usize];
                header.checksum = header.calc_checksum_ipv4_raw(from.ip, to.ip, room).unwrap_or_default();
                transport.extend(header.to_bytes());
                payload
            }
        };
        ip.total_len = (IPV4_BYTES + transport.len() as u32 + payload).min(MOST_BYTES) as u16;
        ip.header_checksum = ip.calc_header_checksum();
        let ethernet = Ethernet2Header { source: from.mac, destination: to.mac, ether_type: EtherType::IPV4 };
        bytes.extend(ethernet.to_bytes());
        bytes.extend(ip.to_bytes());
        bytes.extend(&*transport);
        let length = bytes.len() as u32 + payload;
        if with_payload {
            bytes.extend(&ZEROS[..payload as usize]);
        }
        (bytes, length)
    }
}

fn field(ecn: Ecn) -> IpEcn {
    match ecn {
        Ecn::NotCapable => IpEcn::ZERO,
        Ecn::LowLatency => IpEcn::ONE,
        Ecn::Classic => IpEcn::TWO,
        Ecn::Experienced => IpEcn::THREE,
    }
}
