//! Controls think in packets, transports in packets or in bytes. Here is the one place where one becomes the other.

use ackclock_base::Packets;

/// What a transport counts in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// How many units a full packet has: 1 of a transport that counts packets, its payload bytes of one that counts bytes.
    per_packet: u32,
    /// One over that: a multiplication is several times as fast as a division.
    packets_per_unit: f64,
    /// Bytes of a full packet on the wire, headers included, for pacing.
    pub wire_bytes: u32,
}

impl Units {
    /// Packets of one size, which the transport numbers and counts.
    pub const fn packets(wire_bytes: u32) -> Self {
        Self::bytes(1, wire_bytes)
    }

    /// Bytes, of which a full packet carries so many.
    pub const fn bytes(payload_bytes: u32, wire_bytes: u32) -> Self {
        Self { per_packet: payload_bytes, packets_per_unit: 1.0 / payload_bytes as f64, wire_bytes }
    }

    /// An amount, below 2^63 units, in packets.
    #[inline]
    pub fn to_packets(self, amount: u64) -> Packets {
        // Signed: one instruction where an unsigned number takes several, a dozen times for each acknowledgement.
        amount as i64 as f64 * self.packets_per_unit
    }

    /// So many packets as an amount, rounded down: a window has room for what fits into it.
    #[inline]
    pub fn from_packets(self, packets: Packets) -> u64 {
        (packets * f64::from(self.per_packet)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_two_and_a_half_packets_has_room_for_two_or_for_its_bytes() {
        assert_eq!(Units::packets(1040).from_packets(2.5), 2);
        assert_eq!(Units::bytes(1000, 1040).from_packets(2.5), 2500);
        assert_eq!(Units::bytes(1000, 1040).to_packets(2500), 2.5);
        assert_eq!(Units::packets(1040).to_packets(3), 3.0);
    }
}
