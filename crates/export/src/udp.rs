//! UDP's header (RFC 768), before what is opaque: the data of a source, or a packet of QUIC.

use crate::dialect::{Dialect, IpNumber, Pair};
use crate::frame::{IPV4_BYTES, MOST_BYTES, ZEROS};
use ackclock_sim::capture::Captured;
use etherparse::UdpHeader;

/// The length of the header, in bytes.
pub(crate) const UDP_BYTES: u32 = 8;

/// Packets over UDP with opaque data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opaque;

impl Dialect for Opaque {
    fn protocol(&self) -> IpNumber {
        IpNumber::UDP
    }

    fn put_headers(&self, pair: &Pair, captured: &Captured, out: &mut Vec<u8>) -> u32 {
        let [from, to] = pair.ends(captured);
        let payload =
            captured.packet.bytes.clamp(IPV4_BYTES + UDP_BYTES, MOST_BYTES) - IPV4_BYTES - UDP_BYTES;
        let (source_port, destination_port) = (from.port, to.port);
        let length = (payload + UDP_BYTES) as u16;
        let mut header = UdpHeader { source_port, destination_port, length, checksum: 0 };
        let room = &ZEROS[..payload as usize];
        header.checksum = header.calc_checksum_ipv4_raw(from.ip, to.ip, room).unwrap_or_default();
        out.extend(header.to_bytes());
        payload
    }
}
