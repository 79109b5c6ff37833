//! The fields of an IPv4 packet in an Ethernet frame (RFC 791, RFC 2474, RFC 3168) that links read or change.

use ackclock_aqm::Ecn;

/// The length of an Ethernet header without a VLAN tag.
const ETHERNET: usize = 14;
const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];
const UDP: u8 = 17;
const TCP: u8 = 6;
const SCTP: u8 = 132;

/// What identifies the flow of a packet: addresses, protocol, ports (zero if the protocol has none) and
/// differentiated services code point.
pub type FlowKey = ([u8; 8], u8, [u8; 4], u8);

/// The fields of a packet that links and queues read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The length of the IP packet in bytes, which is what links of a scenario count.
    pub bytes: u32,
    /// The ECN field.
    pub ecn: Ecn,
    /// The flow.
    pub flow: FlowKey,
}

/// Reads the fields of an Ethernet frame. Returns `None` if it contains no whole IPv4 packet.
pub fn read(frame: &[u8]) -> Option<Fields> {
    let packet = frame.get(ETHERNET..)?;
    let header = usize::from(packet.first()? & 0xf) * 4;
    let length = u16::from_be_bytes([*packet.get(2)?, *packet.get(3)?]);
    let whole = frame[12..ETHERNET] == ETHERTYPE_IPV4
        && packet[0] >> 4 == 4
        && header >= 20
        && usize::from(length) >= header
        && packet.len() >= usize::from(length);
    if !whole {
        return None;
    }
    // A later fragment has no ports (RFC 791: the lower 13 bits of bytes 6 and 7 are the offset).
    let first = u16::from_be_bytes([packet[6], packet[7]]) & 0x1fff == 0;
    let ports = packet.get(header..header + 4).filter(|_| first && [UDP, TCP, SCTP].contains(&packet[9]));
    let mut flow: FlowKey = ([0; 8], packet[9], [0; 4], packet[1] >> 2);
    flow.0.copy_from_slice(&packet[12..20]);
    flow.2.copy_from_slice(ports.unwrap_or(&[0; 4]));
    Some(Fields { bytes: u32::from(length), ecn: ecn_of(packet[1]), flow })
}

/// Sets the ECN field of a frame whose fields have been [read], and updates the checksum of its IP
/// header.
pub fn set_ecn(frame: &mut [u8], ecn: Ecn) {
    let packet = &mut frame[ETHERNET..];
    let before = u16::from_be_bytes([packet[0], packet[1]]);
    packet[1] = packet[1] & !3 | bits_of(ecn);
    let after = u16::from_be_bytes([packet[0], packet[1]]);
    let checksum = u16::from_be_bytes([packet[10], packet[11]]);
    // RFC 1624 section 3, equation 3: HC' = ~(~HC + ~m + m').
    let mut sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    packet[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
}

/// The values are those of RFC 3168 section 5.
fn ecn_of(class: u8) -> Ecn {
    match class & 3 {
        0 => Ecn::NotCapable,
        1 => Ecn::LowLatency,
        2 => Ecn::Classic,
        _ => Ecn::Experienced,
    }
}

fn bits_of(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotCapable => 0,
        Ecn::LowLatency => 1,
        Ecn::Classic => 2,
        Ecn::Experienced => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a frame with an IPv4 header of 20 bytes, a UDP header, 4 bytes of data and 6 bytes of padding.
    fn frame(class: u8) -> Vec<u8> {
        let mut packet = vec![0x45, class, 0, 32, 0, 1, 0, 0, 64, 17, 0, 0, 10, 78, 0, 1, 10, 78, 0, 2];
        let checksum = checksum(&packet).to_be_bytes();
        packet[10..12].copy_from_slice(&checksum);
        packet.extend([0x12, 0x34, 0x56, 0x78, 0, 12, 0, 0, 1, 2, 3, 4]);
        [&[0; 12], &ETHERTYPE_IPV4[..], &packet, &[0; 6]].concat()
    }

    /// Computes the checksum of a header from scratch (RFC 1071).
    fn checksum(header: &[u8]) -> u16 {
        let words = header.chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])));
        let mut sum: u32 = words.sum();
        while sum >> 16 != 0 {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }

    #[test]
    fn fields_are_read_and_padding_is_not_counted() {
        // DSCP 46 (expedited forwarding) and ECT(0): 46 * 4 + 2.
        let fields = read(&frame(46 << 2 | 2)).expect("a packet");
        assert_eq!((fields.bytes, fields.ecn), (32, Ecn::Classic));
        assert_eq!(fields.flow, ([10, 78, 0, 1, 10, 78, 0, 2], 17, [0x12, 0x34, 0x56, 0x78], 46));
    }

    #[test]
    fn later_fragments_have_no_ports() {
        let mut fragment = frame(0);
        fragment[ETHERNET + 7] = 1;
        assert_eq!(read(&fragment).expect("a packet").flow.2, [0; 4]);
    }

    #[test]
    fn frames_without_a_whole_packet_are_not_read() {
        let whole = frame(0);
        for length in 0..ETHERNET + 32 {
            assert_eq!(read(&whole[..length]), None, "{length}");
        }
        let mut other = whole.clone();
        other[12] = 0x86;
        assert_eq!(read(&other), None);
        let mut short = whole;
        short[ETHERNET] = 0x44;
        assert_eq!(read(&short), None);
    }

    #[test]
    fn changing_the_ecn_field_keeps_the_checksum_right() {
        for class in 0..=255 {
            for ecn in [Ecn::NotCapable, Ecn::LowLatency, Ecn::Classic, Ecn::Experienced] {
                let mut changed = frame(class);
                set_ecn(&mut changed, ecn);
                assert_eq!(read(&changed).expect("a packet").ecn, ecn);
                assert_eq!(changed[ETHERNET + 1] >> 2, class >> 2, "the code point is kept");
                assert_eq!(checksum(&changed[ETHERNET..ETHERNET + 20]), 0, "{class} {ecn:?}");
            }
        }
    }
}
