//! Describes the flows of captured packets: their transport protocol and the addresses of their ends.

use ackclock_sim::sctp::options::Options as SctpOptions;
use ackclock_sim::tcp::options::Options as TcpOptions;

/// The transport protocol of a flow, with what its headers depend on.
#[derive(Clone, Debug)]
pub enum Dialect {
    /// TCP.
    Tcp(TcpTerms),
    /// QUIC.
    Quic {
        /// The stream data of a packet, in bytes.
        payload_bytes: u32,
    },
    /// SCTP.
    Sctp(Box<SctpTerms>),
    /// UDP.
    Udp,
}

impl Dialect {
    /// Returns whether qlog describes packets of this kind.
    pub fn has_qlog(&self) -> bool {
        matches!(self, Self::Tcp(_) | Self::Quic { .. })
    }
}

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
    /// Whether the handshake asks for Accurate ECN (RFC 9768). If so, the ECN flags are those of the
    /// simulation.
    pub accurate_ecn: bool,
    /// Whether packets are sent as ECT(1).
    pub low_latency: bool,
    /// The agreed receive window and the widest possible one, in packets.
    pub windows: [u64; 2],
}

impl TcpTerms {
    /// Returns the terms of a connection with these options; `counts_marks` says whether its control counts
    /// marks.
    pub fn of(options: &TcpOptions, counts_marks: bool) -> Self {
        let sender = &options.sender;
        Self {
            payload_bytes: sender.payload_bytes,
            timestamps: sender.timestamps,
            sack: options.receiver.sack,
            ecn: sender.ecn,
            accurate_ecn: sender.accurate_ecn,
            low_latency: sender.field(counts_marks) == ackclock_aqm::Ecn::LowLatency,
            windows: [sender.recovery.window, sender.widest_window.max(sender.recovery.window)],
        }
    }
}

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
    pub dialect: Dialect,
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
