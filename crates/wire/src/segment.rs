//! TCP segments in Ethernet frames (RFC 9293 section 3.1, RFC 2018 section 3), as far as round trips need them.

use crate::frame::{ETHERNET, TCP};

const SYN: u8 = 0x02;
const ACK: u8 = 0x10;
/// The kinds of options: the end of the list, padding, and selective acknowledgements.
const END: u8 = 0;
const PADDING: u8 = 1;
const SACK: u8 = 5;

/// The fields of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// The sequence number of the first byte, or of the SYN.
    pub sequence: u32,
    /// The next byte that the sender of the segment expects; `None` without ACK.
    pub acknowledged: Option<u32>,
    /// Whether it is a SYN.
    pub is_syn: bool,
    /// The number of payload bytes.
    pub payload: u32,
    /// The ranges that are acknowledged selectively: the first byte, and the byte after the last.
    pub selective: Vec<(u32, u32)>,
}

/// Reads a segment over IPv4. Returns `None` for another packet.
pub fn read(frame: &[u8]) -> Option<Segment> {
    let packet = frame.get(ETHERNET..)?;
    if packet.first()? >> 4 != 4 || *packet.get(9)? != TCP {
        return None;
    }
    let length = usize::from(u16::from_be_bytes([packet[2], packet[3]]));
    let segment = packet.get(usize::from(packet[0] & 0xf) * 4..length)?;
    let header = usize::from(segment.get(12)? >> 4) * 4;
    let options = segment.get(20..header)?;
    let flags = segment[13];
    Some(Segment {
        sequence: word(segment, 4)?,
        acknowledged: word(segment, 8).filter(|_| flags & ACK != 0),
        is_syn: flags & SYN != 0,
        payload: (segment.len() - header) as u32,
        selective: selective(options),
    })
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn selective(mut options: &[u8]) -> Vec<(u32, u32)> {
    let mut ranges = Vec::new();
    while let Some(kind) = options.first() {
        let length = match *kind {
            END => break,
            PADDING => 1,
            _ => options.get(1).map_or(0, |length| usize::from(*length)),
        };
        let Some(option) = options.get(..length).filter(|_| length > 0) else { break };
        if *kind == SACK {
            let blocks = option[2..].chunks_exact(8);
            ranges.extend(blocks.filter_map(|block| Some((word(block, 0)?, word(block, 4)?))));
        }
        options = &options[length..];
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a frame with an IPv4 header of 20 bytes and a segment with these options and 3 bytes of payload.
    fn frame(flags: u8, options: &[u8]) -> Vec<u8> {
        assert_eq!(options.len() % 4, 0);
        let length = 20 + 20 + options.len() + 3;
        let mut packet =
            vec![0x45, 0, 0, length as u8, 0, 1, 0, 0, 64, TCP, 0, 0, 10, 78, 0, 1, 10, 78, 0, 2];
        packet.extend([0x13, 0x88, 0x13, 0x88, 0, 0, 1, 0, 0, 0, 2, 0]);
        packet.extend([(5 + options.len() as u8 / 4) << 4, flags, 0, 0, 0, 0, 0, 0]);
        packet.extend(options);
        packet.extend([7; 3]);
        [&[0; 12], &[8, 0][..], &packet, &[0; 5]].concat()
    }

    #[test]
    fn numbers_and_payload_are_read_without_the_padding_of_the_frame() {
        let data = Segment { sequence: 256, acknowledged: Some(512), payload: 3, ..Segment::default() };
        assert_eq!(read(&frame(ACK, &[])), Some(data));
        let syn = Segment { sequence: 256, is_syn: true, payload: 3, ..Segment::default() };
        assert_eq!(read(&frame(SYN, &[])), Some(syn));
    }

    #[test]
    fn selective_acknowledgements_are_read_behind_other_options() {
        // Padding, timestamps (kind 8, 10 bytes), padding, then two blocks.
        let mut options = vec![PADDING, PADDING, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, PADDING, PADDING, SACK, 18];
        for edge in [1000u32, 2000, 3000, 4000] {
            options.extend(edge.to_be_bytes());
        }
        let segment = read(&frame(ACK, &options)).expect("a segment");
        assert_eq!(segment.selective, [(1000, 2000), (3000, 4000)]);
    }

    #[test]
    fn broken_frames_are_not_read() {
        let whole = frame(ACK, &[PADDING, PADDING, SACK, 2]);
        for length in 0..ETHERNET + 47 {
            assert_eq!(read(&whole[..length]), None, "{length}");
        }
        // An option that claims to be longer than all options, and one without a length.
        assert_eq!(read(&frame(ACK, &[SACK, 40, 0, 0])).expect("a segment").selective, []);
        assert_eq!(read(&frame(ACK, &[SACK, 0, 0, 0])).expect("a segment").selective, []);
    }
}
