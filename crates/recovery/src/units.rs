//! Conversion between packets, in which controls count, and the packets or bytes in which a transport counts.
//! No other module converts.

use crate::ledger::MAX_OUTSTANDING;
use ackclock_base::Packets;

/// The unit in which a transport counts. Windows, rates and delivered data count payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// The number of units in a full packet: 1 if the transport counts packets, the payload bytes if it
    /// counts bytes.
    per_packet: u32,
    /// The inverse of `per_packet`, because a multiplication is several times as fast as a division.
    packets_per_unit: f64,
    /// The amount added before a window is rounded down. A sum of packets in bytes may be slightly below a
    /// whole number, which would cost a whole packet.
    rounding: f64,
    /// The payload bytes of a full packet.
    packet_bytes: u32,
    /// The part of a full packet, in units, that need not fit into the window.
    over: u32,
}

impl Units {
    /// Returns the units of a transport that numbers and counts packets of `packet_bytes` payload bytes each.
    pub const fn packets(packet_bytes: u32) -> Self {
        Self { per_packet: 1, packets_per_unit: 1.0, rounding: 0.0, packet_bytes, over: 0 }
    }

    /// Returns the units of a transport that counts bytes; a full packet carries `packet_bytes` of them, up
    /// to 65,535. Such a transport needs a rule of [`detection`](crate::detection) that takes the flight from
    /// the ledger: rules that count duplicate acknowledgements count packets.
    pub const fn bytes(packet_bytes: u32) -> Self {
        let per_packet = if packet_bytes == 0 { 1 } else { packet_bytes };
        Self { per_packet, packets_per_unit: 1.0 / per_packet as f64, rounding: 0.5, packet_bytes, over: 0 }
    }

    //= RFC 9260 section 6.1 rule-b: a full chunk may be sent while the outstanding data is less than the window
    /// Returns these units for a transport that may send a full packet while less than the window is in
    /// flight (RFC 9260 section 6.1, rule B). The packet may then exceed the window by all but one of its
    /// units.
    pub const fn passing_the_window(self) -> Self {
        Self { over: self.per_packet - 1, ..self }
    }

    /// Returns the payload bytes of a full packet.
    pub const fn packet_bytes(self) -> u32 {
        self.packet_bytes
    }

    /// Returns the maximum number of outstanding packets. A packet stores counts of 32 bits when it is sent,
    /// and up to two windows are delivered while it is outstanding.
    pub const fn most_outstanding(self) -> u64 {
        let most = (u32::MAX / 2 / self.per_packet) as u64;
        if most < MAX_OUTSTANDING { most } else { MAX_OUTSTANDING }
    }

    /// Returns an amount in the transport's unit, below 2^63, as a number of packets.
    #[inline]
    pub fn to_packets(self, amount: u64) -> Packets {
        // A signed conversion takes one instruction and an unsigned one several, and this one happens a dozen
        // times per acknowledgement.
        amount as i64 as f64 * self.packets_per_unit
    }

    /// Returns a number of full packets in the transport's unit.
    pub fn of_packets(self, packets: u64) -> u64 {
        packets.saturating_mul(u64::from(self.per_packet))
    }

    /// Returns a number of packets in the transport's unit, rounded down to a whole number of units.
    #[inline]
    pub fn from_packets(self, packets: Packets) -> u64 {
        // The conversion is signed for speed, as in `to_packets`.
        ((packets * f64::from(self.per_packet) + self.rounding) as i64).max(0) as u64
    }

    /// Returns the amount, in the transport's unit, below which the flight must be for another full packet to
    /// be sent under the window `cwnd`.
    #[inline]
    pub fn room(self, cwnd: Packets) -> u64 {
        //= RFC 9260 section 6.1 rule-b-most: no new data is sent while the outstanding data fills or exceeds the window
        self.from_packets(cwnd).saturating_sub(u64::from(self.per_packet - 1 - self.over))
    }
}

//= RFC 9002 section 7.2 initial: the initial window is ten datagrams, but at most 14,720 bytes or two datagrams, whichever is more
//= RFC 9260 section 7.2.1 initial: the initial window is min(4 * PMDCS, max(2 * PMDCS, 4404 bytes))
/// Returns the initial window, in packets of `packet_bytes`, that standards allow: `min(most * packet, max(2
/// * packet, bytes))`, the form of RFC 6928, RFC 9002 section 7.2 and RFC 9260 section 7.2.1.
pub fn initial_window(packet_bytes: u32, most: Packets, bytes: u32) -> Packets {
    most.min((f64::from(bytes) / f64::from(packet_bytes.max(1))).max(2.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    //= test RFC 9260 section 6.1 rule-b
    //= test RFC 9260 section 6.1 rule-b-most
    #[test]
    fn a_window_of_two_and_a_half_packets_has_room_for_two() {
        assert_eq!(Units::packets(1000).from_packets(2.5), 2);
        assert_eq!(Units::bytes(1000).from_packets(2.5), 2500);
        assert_eq!(Units::bytes(1000).to_packets(2500), 2.5);
        assert_eq!(Units::packets(1000).to_packets(3), 3.0);
        // In a window of 2,500 bytes, a packet of 1,000 fits beside 1,500 bytes in flight, and not beside
        // 1,501.
        assert_eq!(Units::bytes(1000).room(2.5), 1501);
        assert_eq!(Units::packets(1000).room(2.5), 2);
        assert_eq!(Units::bytes(1000).room(0.5), 0);
        // A packet may also be sent with anything below 2,500 in flight, if only its beginning has to fit.
        assert_eq!(Units::bytes(1000).passing_the_window().room(2.5), 2500);
    }

    #[test]
    fn outstanding_packets_are_bounded_by_counts_of_32_bits() {
        assert_eq!(Units::packets(1448).most_outstanding(), MAX_OUTSTANDING);
        assert_eq!(Units::bytes(65_535).most_outstanding(), 32_768);
    }

    #[test]
    fn an_initial_window_of_large_packets_is_bounded_in_bytes() {
        // RFC 6928 section 2: 10 segments of 1448 B are 14,480 B, below 14,600 B; 14,600 / 2920 is 5; two
        // segments of 8948 B are 17,896 B, above 14,600 B, and always allowed.
        for (mss, packets) in [(100, 10.0), (1448, 10.0), (2920, 5.0), (8948, 2.0)] {
            assert_eq!(initial_window(mss, 10.0, 14_600), packets, "{mss} B");
        }
    }

    proptest! {
        #[test]
        fn a_window_of_whole_packets_has_room_for_the_last_one(
            bytes in 1_u32..65_536, packets in 1_u64..20_000
        ) {
            let units = Units::bytes(bytes);
            let one = units.to_packets(u64::from(bytes));
            let cwnd: f64 = (0..packets).map(|_| one).sum();
            let before = u64::from(bytes) * (packets - 1);
            prop_assert!(before < units.room(cwnd), "{before} bytes in flight of {}", units.from_packets(cwnd));
            prop_assert!(before + u64::from(bytes) >= units.room(cwnd), "there is room for no more");
        }
    }
}
