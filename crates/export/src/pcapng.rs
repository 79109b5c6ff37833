//! Files of packets in the format of Wireshark (draft-ietf-opsawg-pcapng).

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

/// Where packets of a file are seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name, such as that of a link.
    pub name: String,
    /// What it is, in words.
    pub description: String,
    /// Its rate in bit/s, where it has one.
    pub speed: Option<u64>,
}

/// Units of time are 10^-9 s.
const NANOSECONDS: u8 = 9;
/// More than any frame has.
const SNAP_BYTES: u32 = 262_144;

/// Writes a file.
pub struct CaptureFile<W: Write> {
    writer: PcapNgWriter<W>,
    framer: Framer,
    with_payload: bool,
    comment: String,
    /// Packets written.
    pub packets: u64,
}

impl<W: Write> CaptureFile<W> {
    /// Begins one. `about` says of which run it is, `dropped` what to say of packets that go no further.
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

    /// Adds a packet that was seen at this interface. One that a queue drops or a wire loses has a comment.
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

    /// Writes what is left.
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
