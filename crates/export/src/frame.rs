//! Converts captured packets to bytes with Ethernet and IPv4 headers.

use crate::dialect::Pair;
use ackclock_aqm::Ecn;
use ackclock_sim::capture::Captured;
use etherparse::{EtherType, Ethernet2Header, IpEcn, Ipv4Header};

/// The bytes of all payloads.
pub(crate) static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

pub(crate) const IPV4_BYTES: u32 = 20;
/// The greatest length of an IPv4 packet, in bytes.
pub(crate) const MOST_BYTES: u32 = 65_535;

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
        let [from, to] = pair.ends(captured);
        let mut ip =
            Ipv4Header { source: from.ip, destination: to.ip, time_to_live: 64, ..Ipv4Header::default() };
        ip.dont_fragment = true;
        ip.identification = captured.number as u16;
        ip.ecn = field(captured.packet.ecn);
        ip.protocol = pair.dialect.protocol();
        let payload = pair.dialect.put_headers(pair, captured, transport);
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
