//! The header fields that all packets of a flow share, besides those in each [`Arrival`](crate::Arrival).

/// The header fields that all packets of one path share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The differentiated services code point.
    pub dscp: Dscp,
    /// The number of the sending node. Any numbering with one number per node will do.
    pub source: u32,
    /// The number of the receiving node.
    pub destination: u32,
}

/// A differentiated services code point (RFC 2474): six bits in the IP header that ask for a certain
/// treatment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dscp(u8);

impl Dscp {
    /// The lower-effort code point (RFC 8622).
    pub const LE: Self = Self(1);
    /// Class selector 1, which the lower effort had before (RFC 3662).
    pub const CS1: Self = Self(8);
    /// Admitted voice (RFC 5865).
    pub const VOICE_ADMIT: Self = Self(44);
    /// Expedited forwarding (RFC 3246).
    pub const EF: Self = Self(46);
    /// Class selector 6, network control (RFC 4594 section 3.2).
    pub const CS6: Self = Self(48);
    /// Class selector 7 (RFC 2474 section 4.2.2.2).
    pub const CS7: Self = Self(56);

    /// The names of the code points, as in IANA's registry.
    pub const NAMES: [&str; 23] = [
        "CS0",
        "LE",
        "CS1",
        "AF11",
        "AF12",
        "AF13",
        "CS2",
        "AF21",
        "AF22",
        "AF23",
        "CS3",
        "AF31",
        "AF32",
        "AF33",
        "CS4",
        "AF41",
        "AF42",
        "AF43",
        "CS5",
        "VOICE-ADMIT",
        "EF",
        "CS6",
        "CS7",
    ];

    /// The code points of [`NAMES`](Self::NAMES), in the same order.
    const VALUES: [u8; 23] =
        [0, 1, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 44, 46, 48, 56];

    /// Returns the code point with these six bits; higher bits are ignored.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & 63)
    }

    /// Returns the six bits of the code point.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Returns the code point called `name`; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        let place = Self::NAMES.iter().position(|own| *own == name)?;
        Some(Self(Self::VALUES[place]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_registry() {
        // RFC 2474 section 4.2.2: class selector c is 8 c. RFC 2597 section 6: AFcd is 8 c + 2 d.
        for class in 0..8 {
            assert_eq!(Dscp::named(&format!("CS{class}")), Some(Dscp(8 * class)));
        }
        for (class, drops) in (1..=4).flat_map(|class| (1..=3).map(move |drops| (class, drops))) {
            assert_eq!(Dscp::named(&format!("AF{class}{drops}")), Some(Dscp(8 * class + 2 * drops)));
        }
        let others = ["LE", "VOICE-ADMIT", "EF"].map(Dscp::named);
        assert_eq!(others, [Some(Dscp::LE), Some(Dscp::VOICE_ADMIT), Some(Dscp::EF)]);
        assert_eq!(Dscp::named("ef"), None);
        assert_eq!((Dscp::from_bits(46), Dscp::from_bits(64 + 46)), (Dscp::EF, Dscp::EF));
    }
}
