//! The packets on a path. Links and heaps refer to them by their places.

use super::Packet;

/// The place of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(pub(crate) usize);

/// The packets on a path. A place is reused when its packet is gone.
pub(crate) struct Stored<C> {
    places: Vec<Option<(Packet<C>, u64)>>,
    free: Vec<usize>,
}

impl<C> Default for Stored<C> {
    fn default() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }
}

impl<C> Stored<C> {
    pub(crate) fn put(&mut self, packet: Packet<C>, number: u64) -> Place {
        match self.free.pop() {
            Some(place) => {
                self.places[place] = Some((packet, number));
                Place(place)
            }
            None => {
                self.places.push(Some((packet, number)));
                Place(self.places.len() - 1)
            }
        }
    }

    pub(crate) fn get(&self, place: Place) -> &Packet<C> {
        &self.entry(place).0
    }

    pub(crate) fn get_mut(&mut self, place: Place) -> &mut Packet<C> {
        match &mut self.places[place.0] {
            Some((packet, _)) => packet,
            None => panic!("cannot change a packet that has left its path"),
        }
    }

    /// Returns the packet's number in records.
    pub(crate) fn number(&self, place: Place) -> u64 {
        self.entry(place).1
    }

    pub(crate) fn take(&mut self, place: Place) -> Packet<C> {
        let Some((packet, _)) = self.places[place.0].take() else { panic!("a packet left its path twice") };
        self.free.push(place.0);
        packet
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    fn entry(&self, place: Place) -> &(Packet<C>, u64) {
        let Some(entry) = &self.places[place.0] else {
            panic!("cannot read a packet that has left its path")
        };
        entry
    }
}
