//! What the packets of a flow mean, and who its ends are.

use ackclock_sim::sctp::options::Options as SctpOptions;
use ackclock_sim::tcp::options::Options as TcpOptions;

/// What the headers of a flow's packets say, and how.
#[derive(Clone, Debug)]
pub enum Dialect {
    /// TCP.
    Tcp(TcpTerms),
    /// QUIC, whose packets with data carry so many bytes of a stream.
    Quic {
        /// Stream data of a packet, in bytes.
        payload_bytes: u32,
    },
    /// SCTP.
    Sctp(Box<SctpTerms>),
    /// UDP.
    Udp,
}

/// What the two ends of a TCP connection have agreed upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpTerms {
    /// Payload bytes of a packet.
    pub payload_bytes: u32,
    /// Whether there are timestamps.
    pub timestamps: bool,
    /// Whether acknowledgements may have blocks.
    pub sack: bool,
    /// Whether packets may be marked.
    pub ecn: bool,
    /// Whether the handshake asks for Accurate ECN: the bits are the simulation's then.
    pub accurate_ecn: bool,
    /// Whether packets say ECT(1).
    pub low_latency: bool,
    /// The receive window that was agreed, and the widest there may be, in packets.
    pub windows: [u64; 2],
}

impl TcpTerms {
    /// Those of a connection's options, whose control counts marks or does not.
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

/// What the two ends of an association have agreed upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SctpTerms {
    /// Payload of a DATA chunk.
    pub payload_bytes: u32,
    /// Whether packets carry a timestamp chunk.
    pub timestamps: bool,
    /// How many streams messages take in turn, and whether each keeps its order.
    pub streams: u32,
    /// Whether messages of a stream are delivered in order.
    pub ordered: bool,
    /// The room of the receiver in bytes.
    pub window: u32,
}

impl SctpTerms {
    /// Those of an association's options.
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

/// A pair of paths, there and back, and the flow that they belong to.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The flow, as an index.
    pub flow: u32,
    /// Which of its pairs it is.
    pub path: u32,
    /// The row of results that the flow is counted in.
    pub row: usize,
    /// What its packets mean.
    pub dialect: Dialect,
}

/// Where a packet comes from or goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Of the network card: a locally administered one, which ends like the address below.
    pub mac: [u8; 6],
    /// Of the host: 10.P.x.y for what begins a flow, 10.128+P.x.y for what answers, P the number of the path and x.y the number
    /// of the flow.
    pub ip: [u8; 4],
    /// Of the socket. Each connection of a flow has its own at the end that begins.
    pub port: u16,
}

/// The first port of those that no service is registered for (RFC 6335 section 6).
const FIRST_DYNAMIC_PORT: u16 = 49_152;
/// Where those listen that answer.
const LISTENING_PORT: u16 = 50_000;

impl Pair {
    /// The addresses of the two ends: of the one that begins, and of the one that answers.
    pub fn addresses(&self, connection: u8) -> [Address; 2] {
        let [_, high, x, y] = self.flow.to_be_bytes();
        // Flows beyond the 65,536 that two bytes tell apart share the second byte with the paths, of which there are eight.
        let second = (self.path as u8 & 7) | (high & 15) << 3;
        let end =
            |second: u8, port: u16| Address { mac: [2, 0, 10, second, x, y], ip: [10, second, x, y], port };
        [end(second, FIRST_DYNAMIC_PORT + u16::from(connection)), end(second | 128, LISTENING_PORT)]
    }

    /// A number that belongs to one end of one connection: the same each time, and unlike that of any other.
    pub fn tag(&self, connection: u8, way: usize) -> u32 {
        // SplitMix64's finaliser spreads neighbours over all numbers.
        let seed = u64::from(self.flow) << 16 | u64::from(connection) << 8 | (way as u64 + 1);
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) as u32).max(1)
    }
}
