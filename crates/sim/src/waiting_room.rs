//! The storage of packets whose discipline decides at departure. The discipline identifies them by tickets.

use crate::packet::Packet;
use ackclock_aqm::{Arrival, Departing, Departure, Held, Label, Ticket};
use ackclock_base::{Random, Time};

/// A waiting packet, and the place at which it continues.
#[derive(Clone, Copy, Debug)]
pub struct QueuedPacket {
    /// The packet.
    pub packet: Packet,
    /// The number of its path.
    pub path: u32,
    /// The time since which it waits.
    pub since: Time,
    /// The step of the path that crosses the link.
    pub step: u32,
    /// The number in the trace.
    pub number: u64,
}

/// The waiting packets, and the discipline that decides about them.
pub struct WaitingRoom {
    discipline: Box<dyn Departing>,
    places: Vec<Option<QueuedPacket>>,
    free: Vec<u32>,
}

impl WaitingRoom {
    /// Creates an empty waiting room.
    pub fn new(discipline: Box<dyn Departing>) -> Self {
        Self { discipline, places: Vec::new(), free: Vec::new() }
    }

    /// Gives the labels of each path's packets to the discipline, before the first packet.
    pub fn tell_labels(&mut self, labels: &[Label]) {
        self.discipline.on_labels(labels);
    }

    /// Stores an arriving packet. `link_free` tells whether the link sends nothing. Packets dropped for it
    /// are appended to `dropped`.
    pub fn enter(
        &mut self,
        queued: QueuedPacket,
        arrival: Arrival,
        link_free: bool,
        random: &mut dyn Random,
        dropped: &mut Vec<QueuedPacket>,
    ) {
        let ticket = match self.free.pop() {
            Some(ticket) => ticket,
            None => {
                self.places.push(None);
                self.places.len() as u32 - 1
            }
        };
        self.places[ticket as usize] = Some(queued);
        let Self { discipline, places, free } = self;
        let held =
            Held { ticket: Ticket(ticket), arrival, link_free: link_free && discipline.packets() == 0 };
        discipline.on_arrival(held, random, &mut |ticket| dropped.push(leave(places, free, ticket)));
    }

    /// Returns the packet that leaves now and whether it is marked; `None` if no packet leaves. Packets
    /// dropped before it are appended to `dropped`.
    pub fn next(
        &mut self,
        now: Time,
        random: &mut dyn Random,
        dropped: &mut Vec<QueuedPacket>,
    ) -> Option<(QueuedPacket, bool)> {
        let Self { discipline, places, free } = self;
        let departure =
            discipline.on_departure(now, random, &mut |ticket| dropped.push(leave(places, free, ticket)));
        let Departure { ticket, marked } = departure?;
        Some((leave(places, free, ticket), marked))
    }

    /// Returns the earliest time at which the discipline releases the next packet.
    pub fn ready(&self) -> Time {
        self.discipline.ready()
    }

    /// Returns the number of waiting packets.
    pub fn packets(&self) -> u64 {
        self.discipline.packets()
    }

    /// Publishes internal values of the discipline for figures, each with its name.
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.discipline.publish(series);
    }
}

fn leave(places: &mut [Option<QueuedPacket>], free: &mut Vec<u32>, ticket: Ticket) -> QueuedPacket {
    let queued = places[ticket.0 as usize].take();
    free.push(ticket.0);
    let Some(queued) = queued else { panic!("a queue discipline released a packet twice") };
    queued
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_aqm::Ecn;
    use ackclock_base::random::Scripted;

    /// A discipline that releases the first packet repeatedly.
    struct Repeating;

    impl Departing for Repeating {
        fn on_arrival(&mut self, _held: Held, _random: &mut dyn Random, _drops: &mut dyn FnMut(Ticket)) {}

        fn on_departure(
            &mut self,
            _now: Time,
            _random: &mut dyn Random,
            _drops: &mut dyn FnMut(Ticket),
        ) -> Option<Departure> {
            Some(Departure { ticket: Ticket(0), marked: false })
        }

        fn packets(&self) -> u64 {
            1
        }
    }

    #[test]
    #[should_panic(expected = "a queue discipline released a packet twice")]
    fn releasing_a_packet_twice_panics() {
        let mut room = WaitingRoom::new(Box::new(Repeating));
        let (random, dropped) = (&mut Scripted::new(&[]), &mut Vec::new());
        let queued =
            QueuedPacket { packet: Packet::default(), path: 0, since: Time::ZERO, step: 0, number: 0 };
        let arrival = Arrival { now: Time::ZERO, bytes: 1000, flow: 0, ecn: Ecn::NotCapable };
        room.enter(queued, arrival, true, random, dropped);
        assert!(room.next(Time::ZERO, random, dropped).is_some());
        room.next(Time::ZERO, random, dropped);
    }
}
