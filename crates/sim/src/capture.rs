//! Packet captures at chosen places of a network: packets in order of time with their whole headers, as a
//! packet analyser shows them. Captures are off unless requested. Captured packets are taken out while the
//! run continues, so memory is needed for the packets under way only.

use crate::endpoint::{Launch, Outbox};
use crate::packet::{Extension, Packet};
use crate::trace::Event;
use ackclock_aqm::Ecn;
use ackclock_base::Time;
use std::collections::{BTreeMap, HashMap};

/// A place at which packets are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The first ends of all flows: the packets that they send and receive.
    Senders,
    /// The second ends of all flows: the packets that they send and receive.
    Receivers,
    /// In front of a link's queue, including packets that the queue drops.
    Before(u32),
    /// Behind a link's queue, at the end of each transmission.
    After(u32),
}

/// A captured packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Captured {
    /// The time of capture.
    pub time: Time,
    /// The index of the place.
    pub place: usize,
    /// The path: twice the index of the pair of paths, plus one for the direction back.
    pub path: u32,
    /// The number that identifies the packet within the run.
    pub number: u64,
    /// The packet, with its ECN field at this place.
    pub packet: Packet,
    /// All words of its header extension.
    pub words: Vec<u64>,
    /// The time at which the packet was sent.
    pub launched: Time,
    /// Of the packets that had reached this packet's sender over the same pair of paths when it was sent, the
    /// sending time of the last; `None` if none had.
    pub heard: Option<Time>,
    /// The outcome for the packet at the link of this place; `Passes` at a place that is not a link's.
    pub fate: Fate,
}

/// The outcome for a packet at a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The packet continues.
    Passes,
    /// The queue drops the packet.
    Dropped,
    /// The packet is corrupted on the wire.
    Corrupted,
}

/// Gives the header extension of a captured packet to the functions that read transports' headers.
pub struct Beside<'a>(pub &'a [u64]);

impl Outbox for Beside<'_> {
    fn send(&mut self, _path: usize, _packet: Packet) -> Launch {
        Launch::Sent
    }

    fn send_extended(&mut self, _path: usize, _packet: Packet, _extension: Extension) -> Launch {
        Launch::Sent
    }

    fn send_long(&mut self, _path: usize, _packet: Packet, _words: &[u64]) -> Launch {
        Launch::Sent
    }

    fn long_extension(&self, _packet: &Packet, words: &mut Vec<u64>) {
        words.extend(self.0);
    }

    fn extension(&self, _packet: &Packet) -> Extension {
        std::array::from_fn(|word| self.0.get(word).copied().unwrap_or_default())
    }

    fn received(&mut self, _sent: Option<Time>, _packets: u64, _payload_bytes: u64) {}
    fn done(&mut self) {}
}

/// A packet under way.
#[derive(Clone, Debug)]
struct Flight {
    packet: Packet,
    words: Vec<u64>,
    launched: Time,
    heard: Option<Time>,
}

/// A captured packet that has not been taken. At a link its outcome may not be known yet.
struct Waiting {
    captured: Captured,
    is_decided: bool,
}

/// The time of capture, and the number of the capture within the run.
type Order = (Time, u64);

/// The captures of a run.
#[derive(Default)]
pub struct Capture {
    places: Vec<Place>,
    flights: HashMap<u64, Flight>,
    /// For each path, the time at which the packet that arrived last was sent.
    arrived: Vec<Option<Time>>,
    /// The captured packets of each place.
    waiting: Vec<BTreeMap<Order, Waiting>>,
    /// For each place and packet whose outcome is not known, the key in `waiting`.
    undecided: HashMap<(usize, u64), Order>,
    seen: u64,
}

impl Capture {
    /// Creates captures at these places.
    pub fn new(places: Vec<Place>) -> Self {
        let waiting = places.iter().map(|_| BTreeMap::new()).collect();
        Self { places, waiting, ..Self::default() }
    }

    /// Records that an endpoint, or an agent at a node, sends a packet whose header extension is `words`.
    pub(crate) fn launch(&mut self, time: Time, path: u32, number: u64, packet: &Packet, words: Vec<u64>) {
        let heard = self.arrived.get(path as usize ^ 1).copied().flatten();
        self.flights.insert(number, Flight { packet: *packet, words, launched: time, heard });
    }

    /// Changes the ECN field of a packet under way, because a queue marked it or a link set the field.
    pub(crate) fn set_ecn(&mut self, number: u64, ecn: Ecn) {
        if let Some(flight) = self.flights.get_mut(&number) {
            flight.packet.ecn = ecn;
        }
    }

    /// Records that packet `copy` is a copy of packet `number`, which is under way.
    pub(crate) fn duplicate(&mut self, number: u64, copy: u64) {
        if let Some(flight) = self.flights.get(&number).cloned() {
            self.flights.insert(copy, flight);
        }
    }

    /// Records an event of a packet, and captures the packet if the event belongs to a place.
    pub(crate) fn see(&mut self, time: Time, path: u32, number: u64, event: Event) {
        let backward = path % 2 == 1;
        for place in 0..self.places.len() {
            match (self.places[place], event) {
                (Place::Senders, Event::Launched) if !backward => self.note(time, place, path, number, true),
                (Place::Senders, Event::Delivered) if backward => self.note(time, place, path, number, true),
                (Place::Receivers, Event::Launched) if backward => self.note(time, place, path, number, true),
                (Place::Receivers, Event::Delivered) if !backward => {
                    self.note(time, place, path, number, true);
                }
                (Place::Before(at), Event::Offered { link }) if link == at => {
                    self.note(time, place, path, number, false);
                }
                (Place::Before(at), Event::Dropped { link }) if link == at => {
                    self.decide(place, number, Fate::Dropped);
                }
                (Place::Before(at), Event::Started { link }) if link == at => {
                    self.decide(place, number, Fate::Passes);
                }
                (Place::After(at), Event::Sent { link }) if link == at => {
                    self.note(time, place, path, number, false);
                }
                (Place::After(at), Event::Arrived { link }) if link == at => {
                    self.decide(place, number, Fate::Passes);
                }
                (Place::After(at), Event::Corrupted { link }) if link == at => {
                    self.decide(place, number, Fate::Corrupted);
                }
                _ => {}
            }
        }
        match event {
            Event::Delivered => self.end(path, number, true),
            Event::Dropped { .. } | Event::Corrupted { .. } | Event::Absorbed { .. } => {
                self.end(path, number, false);
            }
            _ => {}
        }
    }

    /// Returns the number of places.
    pub fn places(&self) -> usize {
        self.places.len()
    }

    /// Takes the first packet captured at a place before `until`; `None` if there is none. If the run has
    /// advanced to `until`, no earlier packet is captured afterwards. Packets behind one whose outcome is not
    /// known wait for it.
    pub fn take(&mut self, place: usize, until: Time) -> Option<Captured> {
        let first = self.waiting[place].first_entry()?;
        let (time, _) = *first.key();
        (time < until && first.get().is_decided).then(|| first.remove().captured)
    }

    /// Marks all packets whose outcome is not known as passing, at the end of the run.
    pub fn decide_all(&mut self) {
        let waiting = self.waiting.iter_mut().flat_map(BTreeMap::values_mut);
        waiting.for_each(|waiting| waiting.is_decided = true);
    }

    fn note(&mut self, time: Time, place: usize, path: u32, number: u64, is_decided: bool) {
        let Some(Flight { packet, words, launched, heard }) = self.flights.get(&number).cloned() else {
            panic!("packet {number} is captured but was never sent")
        };
        self.seen += 1;
        let order = (time, self.seen);
        if !is_decided {
            self.undecided.insert((place, number), order);
        }
        let captured =
            Captured { time, place, path, number, packet, words, launched, heard, fate: Fate::Passes };
        self.waiting[place].insert(order, Waiting { captured, is_decided });
    }

    fn decide(&mut self, place: usize, number: u64, fate: Fate) {
        let order = self.undecided.remove(&(place, number));
        if let Some(waiting) = order.and_then(|order| self.waiting[place].get_mut(&order)) {
            (waiting.captured.fate, waiting.is_decided) = (fate, true);
        }
    }

    fn end(&mut self, path: u32, number: u64, has_arrived: bool) {
        let Some(flight) = self.flights.remove(&number) else { return };
        if has_arrived {
            let path = path as usize;
            if path >= self.arrived.len() {
                self.arrived.resize(path + 1, None);
            }
            self.arrived[path] = Some(flight.launched);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: u32 = 3;

    fn at(us: u64) -> Time {
        Time::from_nanos(us * 1000)
    }

    fn taken(capture: &mut Capture, place: usize, until: Time) -> Vec<Captured> {
        std::iter::from_fn(|| capture.take(place, until)).collect()
    }

    fn times(capture: &mut Capture, place: usize, until: Time) -> Vec<(u64, u64, Fate)> {
        let seen = taken(capture, place, until).into_iter();
        seen.map(|seen| (seen.time.nanos() / 1000, seen.number, seen.fate)).collect()
    }

    #[test]
    fn captured_packets_are_in_order_of_time() {
        let mut capture = Capture::new(vec![Place::Senders]);
        for (number, sent, delivered) in [(1, 10, 90), (2, 20, 60)] {
            capture.launch(at(sent), 1, number, &Packet::default(), Vec::new());
            capture.see(at(delivered), 1, number, Event::Delivered);
        }
        assert_eq!(times(&mut capture, 0, at(60)), []);
        assert_eq!(times(&mut capture, 0, at(61)), [(60, 2, Fate::Passes)]);
        assert_eq!(times(&mut capture, 0, at(1000)), [(90, 1, Fate::Passes)]);
        assert!(capture.flights.is_empty() && capture.waiting[0].is_empty());
    }

    #[test]
    fn a_packet_before_a_queue_is_returned_when_its_fate_is_known() {
        let mut capture = Capture::new(vec![Place::Before(LINK), Place::After(LINK)]);
        for number in 1..=2 {
            capture.launch(at(0), 0, number, &Packet::default(), Vec::new());
            capture.see(at(number), 0, number, Event::Offered { link: LINK });
        }
        capture.see(at(5), 0, 2, Event::Dropped { link: LINK });
        assert_eq!(times(&mut capture, 0, at(10)), []);
        capture.see(at(7), 0, 1, Event::Started { link: LINK });
        capture.see(at(8), 0, 1, Event::Sent { link: LINK });
        capture.see(at(8), 0, 1, Event::Corrupted { link: LINK });
        assert_eq!(times(&mut capture, 0, at(10)), [(1, 1, Fate::Passes), (2, 2, Fate::Dropped)]);
        assert_eq!(times(&mut capture, 1, at(10)), [(8, 1, Fate::Corrupted)]);
        assert!(capture.flights.is_empty() && capture.undecided.is_empty());
    }

    #[test]
    fn captured_packets_show_marks_and_what_the_sender_had_received() {
        let mut capture = Capture::new(vec![Place::Senders, Place::Receivers]);
        let send = |capture: &mut Capture, time, path, number| {
            capture.launch(at(time), path, number, &Packet::default(), Vec::new());
            capture.see(at(time), path, number, Event::Launched);
        };
        send(&mut capture, 1, 0, 1);
        capture.set_ecn(1, Ecn::Experienced);
        capture.see(at(11), 0, 1, Event::Delivered);
        send(&mut capture, 11, 1, 2);
        let [sent, received] = [0, 1].map(|place| taken(&mut capture, place, at(100)));
        assert_eq!(sent[0].packet.ecn, Ecn::NotCapable);
        assert_eq!(
            received.iter().map(|seen| seen.packet.ecn).collect::<Vec<_>>(),
            [Ecn::Experienced, Ecn::NotCapable]
        );
        assert_eq!(received.iter().map(|seen| seen.heard).collect::<Vec<_>>(), [None, Some(at(1))]);
    }
}
