//! Writes files of packets in Wireshark's format (draft-ietf-opsawg-pcapng).

mod blocks;

use crate::dialect::Pair;
use crate::frame::Framer;
use ackclock_sim::capture::{Captured, Fate};
use blocks::Block;
use std::io::{self, Write};

/// A place at which packets of a file were captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The name, such as that of a link.
    pub name: String,
    /// A description of the place.
    pub description: String,
    /// The rate in bit/s; `None` if the place has no rate.
    pub speed: Option<u64>,
}

/// Writes a file of captured packets.
pub struct CaptureFile<W: Write> {
    writer: W,
    block: Block,
    framer: Framer,
    with_payload: bool,
    comment: String,
    /// The number of packets written.
    pub packets: u64,
}

impl<W: Write> CaptureFile<W> {
    /// Begins a file. `about` describes the run, and `dropped` is the comment on packets that a queue drops
    /// or a wire corrupts.
    pub fn new(
        mut writer: W,
        about: &str,
        interfaces: &[Interface],
        dropped: &str,
        with_payload: bool,
    ) -> io::Result<Self> {
        let mut block = Block::default();
        let application = format!("ackclock {}", env!("CARGO_PKG_VERSION"));
        block.section(about, &application)?.write(&mut writer)?;
        for Interface { name, description, speed } in interfaces {
            block.interface(name, description, *speed)?.write(&mut writer)?;
        }
        let comment = dropped.to_owned();
        Ok(Self { writer, block, framer: Framer::default(), with_payload, comment, packets: 0 })
    }

    /// Adds a packet that was captured at this interface, by its index. A packet that a queue drops or a wire
    /// corrupts gets a comment.
    pub fn add(&mut self, interface: u32, pair: &Pair, captured: &Captured) -> io::Result<()> {
        let (data, original_len) = self.framer.frame(pair, captured, self.with_payload);
        let comment = match captured.fate {
            Fate::Passes => None,
            Fate::Dropped | Fate::Corrupted => Some(self.comment.as_str()),
        };
        self.packets += 1;
        self.block
            .packet(interface, captured.time.nanos(), data, original_len, comment)?
            .write(&mut self.writer)
    }

    /// Flushes the file and returns the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.writer.flush()?;
        Ok(self.writer)
    }
}
