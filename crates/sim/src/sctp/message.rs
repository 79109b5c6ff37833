//! The messages of an association, and their representation in a packet's header. A packet carries one chunk:
//! DATA, SACK, or one of the handshake or of HEARTBEATs.

use super::options::{HEADER_BYTES, Sizes};
use crate::endpoint::Outbox;
use crate::packet::{Extension, Packet};
use ackclock_base::Time;

/// The content of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// A DATA chunk.
    Data(Data),
    /// A SACK chunk.
    Sack(Sack<'a>),
    /// A chunk of the handshake, a HEARTBEAT or its answer.
    Control(Control),
}

/// A DATA chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// The transmission sequence number, which is wide enough never to wrap.
    pub tsn: u64,
    /// The time at which the chunk was sent this time.
    pub sent: Time,
}

/// A SACK chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sack<'a> {
    /// The first TSN that has not arrived: one past the Cumulative TSN Ack.
    pub cumulative: u64,
    /// The ranges that have arrived above `cumulative`, ascending.
    pub blocks: &'a [Block],
    /// The room that is left in bytes (a_rwnd).
    pub window: u32,
    /// The echoed timestamp.
    pub echo: Echo,
    /// The number of data packets that have arrived since the last SACK.
    pub packets: u8,
}

/// The timestamp that a SACK echoes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Echo {
    /// The time at which the first data packet that has arrived since the previous SACK was sent. If none
    /// has, it is that of the previous SACK, or [`Time::NEVER`] from the receiver of a slow application.
    pub sent: Time,
    /// The path over which that packet arrived.
    pub path: u8,
}

/// A Gap Ack Block, in TSNs relative to the first that has not arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The first TSN.
    pub start: u16,
    /// One past the last TSN.
    pub end: u16,
}

/// A control chunk. All control chunks carry the time at which they, or the chunk that they answer, were
/// sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// The kind of chunk.
    pub kind: ControlKind,
    /// The time at which the chunk, or the chunk that it answers, was sent.
    pub sent: Time,
    /// The initiate tag of an INIT, or the cookie in other chunks of the handshake; 0 in HEARTBEATs.
    pub tag: u64,
}

/// The kind of a control chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlKind {
    /// INIT.
    Init = 2,
    /// INIT ACK.
    InitAck,
    /// COOKIE ECHO.
    CookieEcho,
    /// COOKIE ACK.
    CookieAck,
    /// HEARTBEAT.
    Heartbeat,
    /// HEARTBEAT ACK.
    HeartbeatAck,
}

const CONTROLS: [ControlKind; 6] = [
    ControlKind::Init,
    ControlKind::InitAck,
    ControlKind::CookieEcho,
    ControlKind::CookieAck,
    ControlKind::Heartbeat,
    ControlKind::HeartbeatAck,
];

impl ControlKind {
    /// Returns the size on the wire in bytes, with a cookie of 100 B and heartbeat information of 20 B (RFC
    /// 9260 section 3.3).
    fn bytes(self) -> u32 {
        HEADER_BYTES
            + match self {
                Self::Init => 20,
                Self::InitAck => 20 + 4 + 100,
                Self::CookieEcho => 4 + 100,
                Self::CookieAck => 4,
                Self::Heartbeat | Self::HeartbeatAck => 4 + 4 + 20,
            }
    }
}

const DATA: u64 = 0;
const SACK: u64 = 1;
const KIND_BITS: u32 = 4;
const SMALL_BITS: u32 = 8;

/// The interface through which messages are sent.
pub trait MessageWire {
    /// Sends a message over a path now.
    fn send(&mut self, path: usize, message: &Message<'_>);
}

/// A wire that sends through an outbox.
pub struct OutboxWire<'a> {
    /// The outbox.
    pub out: &'a mut dyn Outbox,
    /// The sizes of packets.
    pub sizes: Sizes,
}

impl MessageWire for OutboxWire<'_> {
    #[inline]
    fn send(&mut self, path: usize, message: &Message<'_>) {
        match message {
            Message::Data(Data { tsn, sent }) => {
                let header = [DATA | tsn << KIND_BITS, sent.nanos(), 0];
                self.out.send(path, Packet { bytes: self.sizes.data, header, ..Packet::default() });
            }
            Message::Sack(sack) => self.send_sack(path, sack),
            Message::Control(Control { kind, sent, tag }) => {
                let header = [*kind as u64, sent.nanos(), *tag];
                self.out.send(path, Packet { bytes: kind.bytes(), header, ..Packet::default() });
            }
        }
    }
}

impl OutboxWire<'_> {
    fn send_sack(&mut self, path: usize, sack: &Sack<'_>) {
        let Echo { sent, path: echoed } = sack.echo;
        let blocks = sack.blocks.len() as u64;
        let header = [
            SACK | sack.cumulative << KIND_BITS,
            sent.nanos(),
            u64::from(sack.window)
                | u64::from(sack.packets) << 32
                | u64::from(echoed) << (32 + SMALL_BITS)
                | blocks << (32 + 2 * SMALL_BITS),
        ];
        let bytes = self.sizes.sack + 4 * blocks as u32;
        let packet = Packet { bytes, header, ..Packet::default() };
        if blocks == 0 {
            self.out.send(path, packet);
            return;
        }
        let word = |pair: &[Block]| {
            let half = |block: &Block| u64::from(block.start) | u64::from(block.end) << 16;
            half(&pair[0]) | pair.get(1).map_or(0, half) << 32
        };
        let pairs = sack.blocks.chunks(2);
        let mut extension = Extension::default();
        if pairs.len() <= extension.len() {
            pairs.zip(&mut extension).for_each(|(pair, place)| *place = word(pair));
            self.out.send_extended(path, packet, extension);
        } else {
            self.out.send_long(path, packet, &pairs.map(word).collect::<Vec<u64>>());
        }
    }
}

/// Reads messages from packets. It keeps its buffers for reuse.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    words: Vec<u64>,
    blocks: Vec<Block>,
}

impl Reader {
    /// Reads the content of a packet.
    #[inline]
    pub fn read(&mut self, packet: &Packet, out: &dyn Outbox) -> Message<'_> {
        let [first, sent, third] = packet.header;
        let sent = Time::from_nanos(sent);
        let kind = first & ((1 << KIND_BITS) - 1);
        match kind {
            DATA => Message::Data(Data { tsn: first >> KIND_BITS, sent }),
            SACK => {
                self.read_blocks(packet, out, (third >> (32 + 2 * SMALL_BITS)) as usize);
                let small = |place: u32| (third >> (32 + place * SMALL_BITS)) as u8;
                Message::Sack(Sack {
                    cumulative: first >> KIND_BITS,
                    blocks: &self.blocks,
                    window: third as u32,
                    echo: Echo { sent, path: small(1) },
                    packets: small(0),
                })
            }
            other => {
                let Some(&kind) = CONTROLS.get(other as usize - ControlKind::Init as usize) else {
                    panic!("unknown SCTP message kind {other}")
                };
                Message::Control(Control { kind, sent, tag: third })
            }
        }
    }

    fn read_blocks(&mut self, packet: &Packet, out: &dyn Outbox, count: usize) {
        self.blocks.clear();
        if count > 0 {
            self.words.clear();
            out.long_extension(packet, &mut self.words);
            let half = |word: u64| Block { start: word as u16, end: (word >> 16) as u16 };
            let blocks = self.words.iter().flat_map(|word| [half(*word), half(word >> 32)]);
            self.blocks.extend(blocks.take(count));
        }
    }
}
