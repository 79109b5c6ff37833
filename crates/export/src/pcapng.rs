//! Writes files of packets in Wireshark's format (draft-ietf-opsawg-pcapng).

use crate::dialect::Pair;
use crate::frame::Framer;
use ackclock_base::Time;
use ackclock_sim::capture::{Captured, Fate};
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness, PcapError};
use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Duration;

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

/// The exponent of the unit of time, 10^-9 s.
const NANOSECONDS: u8 = 9;
/// The greatest captured length, more than that of any frame.
const SNAP_BYTES: u32 = 262_144;

/// Writes a file of captured packets.
pub struct CaptureFile<W: Write> {
    writer: PcapNgWriter<W>,
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
        writer: W,
        about: &str,
        interfaces: &[Interface],
        dropped: &str,
        with_payload: bool,
    ) -> io::Result<Self> {
        let application = format!("ackclock {}", env!("CARGO_PKG_VERSION"));
        let section = SectionHeaderBlock {
            endianness: Endianness::Little,
            options: vec![
                SectionHeaderOption::Comment(Cow::Owned(about.to_owned())),
                SectionHeaderOption::UserApplication(Cow::Owned(application)),
            ],
            ..SectionHeaderBlock::default()
        };
        let mut writer = PcapNgWriter::with_section_header(writer, section).map_err(as_io)?;
        for Interface { name, description, speed } in interfaces {
            let mut options = vec![
                InterfaceDescriptionOption::IfName(Cow::Borrowed(name)),
                InterfaceDescriptionOption::IfDescription(Cow::Borrowed(description)),
                InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
            ];
            options.extend(speed.map(InterfaceDescriptionOption::IfSpeed));
            let block =
                InterfaceDescriptionBlock { linktype: DataLink::ETHERNET, snaplen: SNAP_BYTES, options };
            writer.write_pcapng_block(block).map_err(as_io)?;
        }
        let comment = dropped.to_owned();
        Ok(Self { writer, framer: Framer::default(), with_payload, comment, packets: 0 })
    }

    /// Adds a packet that was captured at this interface, by its index. A packet that a queue drops or a wire
    /// corrupts gets a comment.
    pub fn add(&mut self, interface: u32, pair: &Pair, captured: &Captured) -> io::Result<()> {
        let (data, original_len) = self.framer.frame(pair, captured, self.with_payload);
        let options = match captured.fate {
            Fate::Passes => Vec::new(),
            Fate::Dropped | Fate::Corrupted => {
                vec![EnhancedPacketOption::Comment(Cow::Borrowed(&self.comment))]
            }
        };
        let block = EnhancedPacketBlock {
            interface_id: interface,
            timestamp: since_start(captured.time),
            original_len,
            data: Cow::Borrowed(data),
            options,
        };
        self.packets += 1;
        self.writer.write_pcapng_block(block).map(|_| ()).map_err(as_io)
    }

    /// Flushes the file and returns the writer.
    pub fn finish(self) -> io::Result<W> {
        let mut writer = self.writer.into_inner();
        writer.flush()?;
        Ok(writer)
    }
}

fn since_start(time: Time) -> Duration {
    Duration::from_nanos(time.nanos())
}

fn as_io(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        other => io::Error::other(other.to_string()),
    }
}
