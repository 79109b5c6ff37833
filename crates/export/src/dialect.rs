//! Describes the flows of captured packets: their transport protocol and the addresses of their ends.

use crate::qlog::QlogPacket;
use ackclock_sim::capture::Captured;
pub use etherparse::IpNumber;
use std::fmt::Debug;
use std::sync::Arc;

/// What the packets of a transport mean to the formats of other tools.
pub trait Dialect: Debug + Send + Sync {
    /// Returns the protocol's number in the header of IPv4.
    fn protocol(&self) -> IpNumber;

    /// Appends the headers of a captured packet of this pair that follow IPv4's, with a checksum of a payload of zeros. Returns how
    /// many bytes of payload follow.
    fn put_headers(&self, pair: &Pair, captured: &Captured, out: &mut Vec<u8>) -> u32;

    /// Returns the protocol's name in files of qlog; `None` for a protocol that qlog's events do not describe.
    fn qlog_name(&self) -> Option<&'static str> {
        None
    }

    /// Returns the length of a captured packet as qlog counts it, in bytes: with the headers of IP, unless the
    /// protocol has its packets in datagrams.
    fn qlog_bytes(&self, captured: &Captured) -> u32 {
        captured.packet.bytes
    }

    /// Returns what qlog says of a captured packet; `None` if it says nothing.
    fn qlog_packet(&self, _captured: &Captured) -> Option<QlogPacket> {
        None
    }
}

/// A flow's pair of paths, one in each direction.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The index of the flow.
    pub flow: u32,
    /// The index of the pair among the flow's pairs.
    pub path: u32,
    /// The index of the row of results that counts the flow.
    pub row: usize,
    /// The flow's transport protocol.
    pub dialect: Arc<dyn Dialect>,
}

/// The addresses of one end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The address of the network card: locally administered, with the last four bytes of the IP address as
    /// its last four.
    pub mac: [u8; 6],
    /// The address of the host: 10.P.x.y for the end that opens the flow and 10.128+P.x.y for the end that
    /// answers, where P is the number of the path and x.y the number of the flow.
    pub ip: [u8; 4],
    /// The port. At the end that opens the flow, each connection has a port of its own.
    pub port: u16,
}

/// The first dynamic port, to which no service is assigned (RFC 6335 section 6).
const FIRST_DYNAMIC_PORT: u16 = 49_152;
/// The port on which the answering end listens.
const LISTENING_PORT: u16 = 50_000;

impl Pair {
    /// Returns the addresses of the two ends, first those of the end that opens the flow.
    pub fn addresses(&self, connection: u8) -> [Address; 2] {
        let [_, high, x, y] = self.flow.to_be_bytes();
        // Two bytes distinguish 65,536 flows. Beyond them a flow's number also takes bits of the second byte,
        // next to the number of the path, which is below eight.
        let second = (self.path as u8 & 7) | (high & 15) << 3;
        let end =
            |second: u8, port: u16| Address { mac: [2, 0, 10, second, x, y], ip: [10, second, x, y], port };
        [end(second, FIRST_DYNAMIC_PORT + u16::from(connection)), end(second | 128, LISTENING_PORT)]
    }

    /// Returns the addresses that a captured packet comes from and goes to.
    pub fn ends(&self, captured: &Captured) -> [Address; 2] {
        let way = (captured.path % 2) as usize;
        let addresses = self.addresses(captured.packet.connection);
        [addresses[way], addresses[1 - way]]
    }

    /// Returns a number for one end of one connection, the same at each call. Two ends practically never have
    /// the same number.
    pub fn tag(&self, connection: u8, way: usize) -> u32 {
        // SplitMix64's finaliser maps neighbouring seeds to numbers far apart.
        let seed = u64::from(self.flow) << 16 | u64::from(connection) << 8 | (way as u64 + 1);
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) as u32).max(1)
    }
}
