//! The blocks of a file of packets (draft-ietf-opsawg-pcapng section 3), with little-endian numbers: a type, a length, a
//! body whose parts end at multiples of four bytes, and the length again.

use std::io::{self, Write};

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
/// The number by which a reader recognises the byte order.
const BYTE_ORDER: u32 = 0x1A2B_3C4D;
/// The version of the format: major and minor.
const VERSION: [u16; 2] = [1, 0];
/// The length of a section that is not known when its header is written.
const UNKNOWN_LENGTH: u64 = u64::MAX;
/// LINKTYPE_ETHERNET.
const ETHERNET: u16 = 1;
/// The greatest captured length, more than that of any frame.
const SNAP_BYTES: u32 = 262_144;
/// The exponent of the unit of time, 10^-9 s.
const NANOSECONDS: u8 = 9;

/// The codes of options (sections 3.5, 4.1 and 4.2).
mod code {
    pub const END: u16 = 0;
    pub const COMMENT: u16 = 1;
    pub const USER_APPLICATION: u16 = 4;
    pub const INTERFACE_NAME: u16 = 2;
    pub const INTERFACE_DESCRIPTION: u16 = 3;
    pub const INTERFACE_SPEED: u16 = 8;
    pub const TIME_RESOLUTION: u16 = 9;
}

/// The block that is written next. One buffer serves all blocks of a file.
#[derive(Debug, Default)]
pub struct Block {
    bytes: Vec<u8>,
    has_options: bool,
}

impl Block {
    /// Begins a Section Header Block (section 4.1) with a comment and the name of the program that writes the file.
    pub fn section(&mut self, comment: &str, application: &str) -> io::Result<&mut Self> {
        self.begin(SECTION_HEADER).u32(BYTE_ORDER).u16(VERSION[0]).u16(VERSION[1]).u64(UNKNOWN_LENGTH);
        self.option(code::COMMENT, comment.as_bytes())?;
        self.option(code::USER_APPLICATION, application.as_bytes())
    }

    /// Begins an Interface Description Block (section 4.2); `speed` is a rate in bit/s.
    pub fn interface(&mut self, name: &str, description: &str, speed: Option<u64>) -> io::Result<&mut Self> {
        self.begin(INTERFACE_DESCRIPTION).u16(ETHERNET).u16(0).u32(SNAP_BYTES);
        self.option(code::INTERFACE_NAME, name.as_bytes())?;
        self.option(code::INTERFACE_DESCRIPTION, description.as_bytes())?;
        self.option(code::TIME_RESOLUTION, &[NANOSECONDS])?;
        if let Some(speed) = speed {
            self.option(code::INTERFACE_SPEED, &speed.to_le_bytes())?;
        }
        Ok(self)
    }

    /// Begins an Enhanced Packet Block (section 4.3) with the captured beginning of a packet of `length` bytes.
    pub fn packet(
        &mut self,
        interface: u32,
        nanos: u64,
        captured: &[u8],
        length: u32,
        comment: Option<&str>,
    ) -> io::Result<&mut Self> {
        let [high, low] = [(nanos >> 32) as u32, nanos as u32];
        self.begin(ENHANCED_PACKET).u32(interface).u32(high).u32(low);
        self.u32(captured.len() as u32).u32(length).padded(captured);
        match comment {
            Some(comment) => self.option(code::COMMENT, comment.as_bytes()),
            None => Ok(self),
        }
    }

    /// Writes the block.
    pub fn write(&mut self, writer: &mut impl Write) -> io::Result<()> {
        if self.has_options {
            self.u16(code::END).u16(0);
        }
        let length = self.bytes.len() as u32 + 4;
        self.bytes[4..8].copy_from_slice(&length.to_le_bytes());
        self.u32(length);
        writer.write_all(&self.bytes)
    }

    /// Begins a block of a type; its length is set when it is written.
    fn begin(&mut self, kind: u32) -> &mut Self {
        self.bytes.clear();
        self.has_options = false;
        self.u32(kind).u32(0)
    }

    /// Adds an option (section 3.5). Its length has 16 bits.
    fn option(&mut self, code: u16, value: &[u8]) -> io::Result<&mut Self> {
        let length = u16::try_from(value.len()).map_err(|_| {
            let found =
                format!("a pcapng option of {} bytes; the format allows at most {}", value.len(), u16::MAX);
            io::Error::new(io::ErrorKind::InvalidInput, found)
        })?;
        self.has_options = true;
        Ok(self.u16(code).u16(length).padded(value))
    }

    fn padded(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self
    }

    fn u16(&mut self, number: u16) -> &mut Self {
        self.bytes.extend_from_slice(&number.to_le_bytes());
        self
    }

    fn u32(&mut self, number: u32) -> &mut Self {
        self.bytes.extend_from_slice(&number.to_le_bytes());
        self
    }

    fn u64(&mut self, number: u64) -> &mut Self {
        self.bytes.extend_from_slice(&number.to_le_bytes());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(block: &mut Block) -> Vec<u8> {
        let mut bytes = Vec::new();
        block.write(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_section_header_is_as_the_draft_says() {
        // Section 4.1: the type, the length, the byte order, version 1.0, an unknown length of the section, a comment of
        // three bytes padded to four, the application of four bytes, the end of the options, and the length again: 4 + 4 +
        // 4 + 4 + 8 + (4 + 4) + (4 + 4) + 4 + 4 = 48 = 0x30.
        let bytes = written(Block::default().section("abc", "prog").unwrap());
        let expected: [&[u8]; 9] = [
            &[0x0A, 0x0D, 0x0D, 0x0A],
            &[0x30, 0, 0, 0],
            &[0x4D, 0x3C, 0x2B, 0x1A],
            &[1, 0, 0, 0],
            &[0xFF; 8],
            &[1, 0, 3, 0, b'a', b'b', b'c', 0],
            &[4, 0, 4, 0, b'p', b'r', b'o', b'g'],
            &[0, 0, 0, 0],
            &[0x30, 0, 0, 0],
        ];
        assert_eq!(bytes, expected.concat());
    }

    #[test]
    fn an_interface_has_its_resolution_and_its_speed() {
        // 1 Mbit/s is 0x0F4240. 4 + 4 + 8 + (4 + 4) + (4 + 0) + (4 + 4) + (4 + 8) + 4 + 4 = 56 = 0x38.
        let bytes = written(Block::default().interface("l", "", Some(1_000_000)).unwrap());
        let expected: [&[u8]; 9] = [
            &[1, 0, 0, 0],
            &[0x38, 0, 0, 0],
            &[1, 0, 0, 0, 0, 0, 4, 0],
            &[2, 0, 1, 0, b'l', 0, 0, 0],
            &[3, 0, 0, 0],
            &[9, 0, 1, 0, 9, 0, 0, 0],
            &[8, 0, 8, 0, 0x40, 0x42, 0x0F, 0, 0, 0, 0, 0],
            &[0, 0, 0, 0],
            &[0x38, 0, 0, 0],
        ];
        assert_eq!(bytes, expected.concat());
    }

    #[test]
    fn a_packet_has_options_only_with_a_comment() {
        // 2^32 + 7 ns; five bytes of 60, padded to eight: 4 + 4 + 20 + 8 + 4 = 40 = 0x28.
        let mut block = Block::default();
        let bytes = written(block.packet(2, (1 << 32) + 7, &[1, 2, 3, 4, 5], 60, None).unwrap());
        let expected: [&[u8]; 8] = [
            &[6, 0, 0, 0],
            &[0x28, 0, 0, 0],
            &[2, 0, 0, 0],
            &[1, 0, 0, 0, 7, 0, 0, 0],
            &[5, 0, 0, 0, 60, 0, 0, 0],
            &[1, 2, 3, 4],
            &[5, 0, 0, 0],
            &[0x28, 0, 0, 0],
        ];
        assert_eq!(bytes, expected.concat());
        // A comment of one byte adds 4 + 4 and the end of the options 4. The buffer is used again.
        let commented = written(block.packet(2, 0, &[1, 2, 3, 4, 5], 60, Some("x")).unwrap());
        assert_eq!(commented.len(), bytes.len() + 12);
        assert_eq!(commented[36..48], [1, 0, 1, 0, b'x', 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_text_that_does_not_fit_is_an_error() {
        assert!(Block::default().section(&"x".repeat(65_535), "").is_ok());
        assert!(Block::default().section(&"x".repeat(65_536), "").is_err());
    }
}
