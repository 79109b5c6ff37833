//! What the network carries: small plain values that are copied, never boxed.

use ackclock_aqm::Ecn;

/// A packet on its way. Which flow and path it belongs to follows from its lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Size on the wire in bytes; less than [`Packet::MAX_BYTES`].
    pub bytes: u32,
    /// Which of its flow's connections, one after another, it belongs to, modulo 256. Set as it is sent.
    pub connection: u8,
    /// Its ECN field.
    pub ecn: Ecn,
    /// Where the rest of its header lies, if these words are not all of it. Set as it is sent.
    pub extension: ExtensionId,
    /// What the endpoints tell each other; the network does not look at it. Only they know what a word means.
    pub header: [u64; HEADER_WORDS],
}

/// Words of a header that every packet has room for.
pub const HEADER_WORDS: usize = 3;

/// More of a header, for the few packets whose words do not suffice (TCP: those with SACK blocks). It lies beside the
/// network, not in the packet.
pub type Extension = [u64; 4];

impl Packet {
    /// No packet is as large (IPv6 jumbograms aside, none is larger than 64 KiB).
    pub const MAX_BYTES: u32 = 1 << 24;

    /// Whether it has more of a header than its words.
    pub fn is_extended(&self) -> bool {
        self.extension != ExtensionId::NONE
    }
}

/// A place among the extensions that lie beside the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtensionId(u32);

impl ExtensionId {
    const NONE: Self = Self(0);
}

/// The extensions of the packets under way. A place is used again as soon as its packet has met its fate, so there are
/// never more than there were extended packets under way at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extensions {
    places: Vec<Extension>,
    free: Vec<u32>,
    /// The place where each goes on, or 0; empty as long as none has ever been longer than one place.
    rest: Vec<u32>,
}

impl Extensions {
    /// Keeps one.
    pub(crate) fn keep(&mut self, extension: Extension) -> ExtensionId {
        match self.free.pop() {
            Some(id) => {
                self.places[id as usize - 1] = extension;
                ExtensionId(id)
            }
            None => {
                self.places.push(extension);
                ExtensionId(self.places.len() as u32)
            }
        }
    }

    /// Keeps a longer one, in as many places as it needs.
    pub(crate) fn keep_long(&mut self, words: &[u64]) -> ExtensionId {
        let mut rest = 0;
        for part in words.chunks(Extension::default().len()).rev() {
            let mut extension = Extension::default();
            extension[..part.len()].copy_from_slice(part);
            let ExtensionId(id) = self.keep(extension);
            if rest > 0 {
                self.rest.resize(self.places.len(), 0);
                self.rest[id as usize - 1] = rest;
            }
            rest = id;
        }
        ExtensionId(rest)
    }

    /// Keeps what a packet has once more, for a copy of the packet.
    pub(crate) fn keep_copy(&mut self, packet: &Packet) -> ExtensionId {
        let mut words = Vec::new();
        self.read_long(packet, &mut words);
        self.keep_long(&words)
    }

    /// All words of a packet's, with zeros at the end.
    pub(crate) fn read_long(&self, packet: &Packet, words: &mut Vec<u64>) {
        let mut id = packet.extension.0;
        while id > 0 {
            words.extend(self.places[id as usize - 1]);
            // No more places than go on need be known to.
            id = self.rest.get(id as usize - 1).copied().unwrap_or(0);
        }
    }

    /// The one of a packet; zeros if it has none.
    pub(crate) fn of(&self, packet: &Packet) -> Extension {
        match packet.extension {
            ExtensionId::NONE => Extension::default(),
            ExtensionId(id) => self.places[id as usize - 1],
        }
    }

    /// A packet has met its fate.
    #[inline]
    pub(crate) fn forget(&mut self, packet: &Packet) {
        if packet.is_extended() {
            self.free.push(packet.extension.0);
            if !self.rest.is_empty() {
                self.forget_rest(packet.extension.0);
            }
        }
    }

    #[cold]
    fn forget_rest(&mut self, mut id: u32) {
        while let Some(rest) = self.rest.get_mut(id as usize - 1).map(std::mem::take).filter(|rest| *rest > 0)
        {
            self.free.push(rest);
            id = rest;
        }
    }

    /// How many are kept.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_used_again_once_its_packet_has_met_its_fate() {
        let mut extensions = Extensions::default();
        let send = |extensions: &mut Extensions, word| Packet {
            extension: extensions.keep([word; 4]),
            ..Packet::default()
        };
        let (first, second) = (send(&mut extensions, 1), send(&mut extensions, 2));
        assert_eq!((extensions.of(&first), extensions.of(&second)), ([1; 4], [2; 4]));
        extensions.forget(&first);
        extensions.forget(&Packet::default());
        let third = send(&mut extensions, 3);
        assert_eq!((extensions.of(&second), extensions.of(&third)), ([2; 4], [3; 4]));
        assert_eq!((extensions.len(), extensions.places.len()), (2, 2));
        assert_eq!(extensions.of(&Packet::default()), [0; 4]);
    }

    #[test]
    fn a_long_extension_takes_several_places_and_gives_all_of_them_back() {
        let mut extensions = Extensions::default();
        let words: Vec<u64> = (1..=10).collect();
        let read = |extensions: &Extensions, packet: &Packet| {
            let mut read = Vec::new();
            extensions.read_long(packet, &mut read);
            read
        };
        for _ in 0..3 {
            let short = Packet { extension: extensions.keep([7; 4]), ..Packet::default() };
            let long = Packet { extension: extensions.keep_long(&words), ..Packet::default() };
            assert_eq!(read(&extensions, &long), [&words[..], &[0, 0]].concat());
            assert_eq!((read(&extensions, &short), extensions.len()), (vec![7; 4], 4));
            extensions.forget(&long);
            extensions.forget(&short);
            assert_eq!((extensions.len(), extensions.places.len()), (0, 4));
        }
    }
}
