//! The fields of an IP packet in an Ethernet frame (RFC 791, RFC 8200, RFC 2474, RFC 3168) that links read or
//! change.

use ackclock_aqm::Ecn;

/// The length of an Ethernet header without a VLAN tag.
pub(crate) const ETHERNET: usize = 14;
const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];
const ETHERTYPE_IPV6: [u8; 2] = [0x86, 0xdd];
const IPV6_HEADER: usize = 40;
const UDP: u8 = 17;
pub(crate) const TCP: u8 = 6;
const SCTP: u8 = 132;

/// What identifies the flow of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlowKey {
    /// The source and the destination; those of IPv4 fill the first 8 bytes.
    pub addresses: [u8; 32],
    /// The number of the protocol above IP.
    pub protocol: u8,
    /// The ports; zero if the protocol has none, and in fragments but the first.
    pub ports: [u8; 4],
    /// The differentiated services code point, at most 63.
    pub dscp: u8,
}

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

/// Reads the fields of an Ethernet frame. Returns `None` if it contains no whole IP packet.
pub fn read(frame: &[u8]) -> Option<Fields> {
    let packet = frame.get(ETHERNET..)?;
    match (frame[12..ETHERNET].try_into().ok()?, packet.first()? >> 4) {
        (ETHERTYPE_IPV4, 4) => read_ipv4(packet),
        (ETHERTYPE_IPV6, 6) => read_ipv6(packet),
        _ => None,
    }
}

fn read_ipv4(packet: &[u8]) -> Option<Fields> {
    let header = usize::from(packet[0] & 0xf) * 4;
    let length = u16::from_be_bytes([*packet.get(2)?, *packet.get(3)?]);
    if header < 20 || usize::from(length) < header {
        return None;
    }
    let packet = packet.get(..usize::from(length))?;
    // A later fragment has no ports (RFC 791: the lower 13 bits of bytes 6 and 7 are the offset).
    let is_first = u16::from_be_bytes([packet[6], packet[7]]) & 0x1fff == 0;
    let content = packet.get(header..).filter(|_| is_first);
    Some(fields(u32::from(length), packet[1], packet[9], &packet[12..20], content))
}

fn read_ipv6(packet: &[u8]) -> Option<Fields> {
    let length = IPV6_HEADER + usize::from(u16::from_be_bytes([*packet.get(4)?, *packet.get(5)?]));
    let packet = packet.get(..length)?;
    let class = packet[0] << 4 | packet[1] >> 4;
    Some(fields(length as u32, class, packet[6], &packet[8..IPV6_HEADER], packet.get(IPV6_HEADER..)))
}

fn fields(bytes: u32, class: u8, protocol: u8, addresses: &[u8], content: Option<&[u8]>) -> Fields {
    let ports = content.and_then(|content| content.get(..4)).filter(|_| [UDP, TCP, SCTP].contains(&protocol));
    let mut flow = FlowKey { addresses: [0; 32], protocol, ports: [0; 4], dscp: class >> 2 };
    flow.addresses[..addresses.len()].copy_from_slice(addresses);
    flow.ports.copy_from_slice(ports.unwrap_or(&[0; 4]));
    Fields { bytes, ecn: ecn_of(class), flow }
}

/// Returns whether a frame goes to several hosts, as those of IPv6 do that look for neighbours and groups.
pub fn is_multicast(frame: &[u8]) -> bool {
    frame.first().is_some_and(|byte| byte & 1 == 1)
}

/// Fills the Ethernet header at the beginning of a frame whose IP packet came without one: the version, and whether it goes to several
/// hosts.
pub fn set_header(frame: &mut [u8]) {
    let (header, packet) = frame.split_at_mut(ETHERNET);
    let is_ipv6 = packet.first().is_some_and(|byte| byte >> 4 == 6);
    let first_of_destination = packet.get(if is_ipv6 { 24 } else { 16 }).copied().unwrap_or_default();
    // Groups are ff00::/8 (RFC 4291 section 2.7), and 224.0.0.0/4 (RFC 1112 section 4), above which only broadcasts are sent.
    let is_group = if is_ipv6 { first_of_destination == 0xff } else { first_of_destination >= 224 };
    header.fill(0);
    header[0] = u8::from(is_group);
    header[12..].copy_from_slice(if is_ipv6 { &ETHERTYPE_IPV6 } else { &ETHERTYPE_IPV4 });
}

/// Sets the ECN field of a frame whose fields have been [read], and updates the checksum of its header if
/// that has one.
pub fn set_ecn(frame: &mut [u8], ecn: Ecn) {
    let packet = &mut frame[ETHERNET..];
    if packet[0] >> 4 == 6 {
        packet[1] = packet[1] & !0x30 | bits_of(ecn) << 4;
        return;
    }
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

/// Returns the ECN field of a class of traffic (RFC 3168 section 5).
pub(crate) fn ecn_of(class: u8) -> Ecn {
    match class & 3 {
        0 => Ecn::NotCapable,
        1 => Ecn::LowLatency,
        2 => Ecn::Classic,
        _ => Ecn::Experienced,
    }
}

/// Returns the value of the ECN field (RFC 3168 section 5).
pub(crate) fn bits_of(ecn: Ecn) -> u8 {
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
        let mut addresses = [0; 32];
        addresses[..8].copy_from_slice(&[10, 78, 0, 1, 10, 78, 0, 2]);
        let ports = [0x12, 0x34, 0x56, 0x78];
        assert_eq!(fields.flow, FlowKey { addresses, protocol: 17, ports, dscp: 46 });
    }

    #[test]
    fn later_fragments_have_no_ports() {
        let mut fragment = frame(0);
        fragment[ETHERNET + 7] = 1;
        assert_eq!(read(&fragment).expect("a packet").flow.ports, [0; 4]);
    }

    #[test]
    fn frames_without_a_whole_packet_are_not_read() {
        let whole = frame(0);
        for length in 0..ETHERNET + 32 {
            assert_eq!(read(&whole[..length]), None, "{length}");
        }
        let mut other = whole.clone();
        other[12..14].copy_from_slice(&ETHERTYPE_IPV6);
        assert_eq!(read(&other), None);
        let mut short = whole;
        short[ETHERNET] = 0x44;
        assert_eq!(read(&short), None);
    }

    #[test]
    fn a_packet_without_a_header_gets_one() {
        for whole in [frame(0), frame_of_ipv6(0)] {
            let mut bare = whole.clone();
            bare[..ETHERNET].fill(0x55);
            set_header(&mut bare);
            assert_eq!(bare, whole, "the header of the tests has no addresses");
            assert!(!is_multicast(&bare));
        }
        let mut to_group = frame(0);
        to_group[ETHERNET + 16] = 224;
        set_header(&mut to_group);
        assert!(is_multicast(&to_group));
        let mut to_group = frame_of_ipv6(0);
        to_group[ETHERNET + 24] = 0xff;
        set_header(&mut to_group);
        assert!(is_multicast(&to_group));
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

    /// Returns a frame with an IPv6 header, a UDP header and 4 bytes of data.
    fn frame_of_ipv6(class: u8) -> Vec<u8> {
        let mut packet = vec![0x60 | class >> 4, class << 4 | 0x0a, 0xbc, 0xde, 0, 12, 17, 64];
        packet.extend(1..=32);
        packet.extend([0x12, 0x34, 0x56, 0x78, 0, 12, 0, 0, 1, 2, 3, 4]);
        [&[0; 12], &ETHERTYPE_IPV6[..], &packet].concat()
    }

    #[test]
    fn fields_of_ipv6_are_read_and_changed() {
        let whole = frame_of_ipv6(46 << 2 | 1);
        let fields = read(&whole).expect("a packet");
        assert_eq!((fields.bytes, fields.ecn), (52, Ecn::LowLatency));
        let addresses = std::array::from_fn(|byte| byte as u8 + 1);
        let ports = [0x12, 0x34, 0x56, 0x78];
        assert_eq!(fields.flow, FlowKey { addresses, protocol: 17, ports, dscp: 46 });
        for length in 0..whole.len() {
            assert_eq!(read(&whole[..length]), None, "{length}");
        }
        let mut marked = whole.clone();
        set_ecn(&mut marked, Ecn::Experienced);
        assert_eq!(marked, frame_of_ipv6(46 << 2 | 3));
    }
}
