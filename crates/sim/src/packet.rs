//! Packets: small plain values that are copied, never boxed.

use ackclock_aqm::Ecn;

/// A packet on its way. Its flow and its path follow from the lane that holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// The size on the wire in bytes; less than [`Packet::MAX_BYTES`].
    pub bytes: u32,
    /// The number of its connection among the flow's successive connections, modulo 256. Set when the packet
    /// is sent.
    pub connection: u8,
    /// Its ECN field.
    pub ecn: Ecn,
    /// The place of the rest of the header, if the header is longer than its words. Set when the packet is
    /// sent.
    pub extension: ExtensionId,
    /// The header words. Only endpoints and agents know their meaning; the network does not read them.
    pub header: [u64; HEADER_WORDS],
}

/// The number of header words in every packet.
pub const HEADER_WORDS: usize = 3;

/// A header extension, for the few packets whose header words do not suffice (TCP: those with SACK blocks).
/// It is stored outside the packet.
pub type Extension = [u64; 4];

impl Packet {
    /// The upper limit of a packet's size in bytes, which is exclusive. No packet is that large (except for
    /// IPv6 jumbograms, none is larger than 64 KiB).
    pub const MAX_BYTES: u32 = 1 << 24;

    /// Returns whether the header is longer than its words.
    pub fn is_extended(&self) -> bool {
        self.extension != ExtensionId::NONE
    }
}

/// The identifier of a stored header extension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtensionId(u32);

impl ExtensionId {
    const NONE: Self = Self(0);
}

/// The header extensions of the packets under way. A place is reused as soon as its packet has been delivered
/// or dropped, so there are never more places than there were extended packets under way at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extensions {
    places: Vec<Extension>,
    free: Vec<u32>,
    /// For each place, the identifier of the next place of the same long extension, or 0. Empty until an
    /// extension needs more than one place.
    rest: Vec<u32>,
}

impl Extensions {
    /// Stores an extension and returns its identifier.
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

    /// Stores a long extension in as many places as it needs. Returns the identifier of the first.
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

    /// Stores a second copy of a packet's extension, for a copy of the packet.
    pub(crate) fn keep_copy(&mut self, packet: &Packet) -> ExtensionId {
        let mut words = Vec::new();
        self.read_long(packet, &mut words);
        self.keep_long(&words)
    }

    /// Appends all words of a packet's extension to `words`, padded with zeros.
    pub(crate) fn read_long(&self, packet: &Packet, words: &mut Vec<u64>) {
        let mut id = packet.extension.0;
        while id > 0 {
            words.extend(self.places[id as usize - 1]);
            // `rest` may be shorter than `places`; a missing entry means the end.
            id = self.rest.get(id as usize - 1).copied().unwrap_or(0);
        }
    }

    /// Returns the extension of a packet, or the first place of a long one; zeros if it has none.
    pub(crate) fn of(&self, packet: &Packet) -> Extension {
        match packet.extension {
            ExtensionId::NONE => Extension::default(),
            ExtensionId(id) => self.places[id as usize - 1],
        }
    }

    /// Releases the extension of a packet that has been delivered or dropped.
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

    /// Returns the number of places in use.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_reused_when_its_packet_is_gone() {
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
