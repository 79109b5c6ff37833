//! What the two ends tell each other, and how it stands in a packet's header. A packet carries one chunk, or a SACK.

use super::options::{HEADER_BYTES, Sizes};
use crate::endpoint::Outbox;
use crate::packet::{Extension, Packet};
use ackclock_base::Time;

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// DATA.
    Data(Data),
    /// SACK.
    Sack(Sack<'a>),
    /// Of the handshake, or a HEARTBEAT or its answer.
    Control(Control),
}

/// A DATA chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Its transmission sequence number. Numbers are wide enough never to begin anew.
    pub tsn: u64,
    /// When it was sent.
    pub sent: Time,
}

/// A SACK chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sack<'a> {
    /// The first TSN that has not arrived: one past the Cumulative TSN Ack.
    pub cumulative: u64,
    /// What has arrived above, ascending.
    pub blocks: &'a [Block],
    /// The room that is left (a_rwnd), in bytes.
    pub window: u32,
    /// When the packet was sent that it echoes, and the path that that took.
    pub echo: Echo,
    /// Packets with data that have arrived since the SACK before.
    pub packets: u8,
}

/// The timestamp that a SACK echoes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Echo {
    /// When the packet was sent.
    pub sent: Time,
    /// Over which path.
    pub path: u8,
}

/// A Gap Ack Block: TSNs less the first that has not arrived, from the first of them to one past the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The first.
    pub start: u16,
    /// One past the last.
    pub end: u16,
}

/// Control chunks. All of them carry when they, or what they answer to, were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Which.
    pub kind: ControlKind,
    /// When the question was sent.
    pub sent: Time,
    /// The cookie of those that carry one, the initiate tag of INIT.
    pub tag: u64,
}

/// Which control chunk.
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
    /// Bytes on the wire: a cookie of 100 B, heartbeat information of 20 B (RFC 9260 section 3.3).
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

/// Where messages go.
pub trait Wire {
    /// Sends one over a path now.
    fn send(&mut self, path: usize, message: &Message<'_>);
}

/// A wire that leads into an outbox.
pub struct OutboxWire<'a> {
    /// The outbox.
    pub out: &'a mut dyn Outbox,
    /// How large packets are.
    pub sizes: Sizes,
}

impl Wire for OutboxWire<'_> {
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

/// Reads messages; keeps the room that gap blocks need.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    words: Vec<u64>,
    blocks: Vec<Block>,
}

impl Reader {
    /// What a packet says.
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
                    panic!("no message is of kind {other}")
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
