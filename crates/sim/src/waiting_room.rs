//! The storage of packets whose discipline decides at departure. The discipline identifies them by tickets.

use crate::packet::Packet;
use ackclock_aqm::{Arrival, Departing, Departure, Held, Label, Ticket};
use ackclock_base::{Random, Time};

/// A waiting packet, and the place at which it continues.
#[derive(Clone, Copy, Debug)]
pub struct Guest {
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
    guests: Vec<Option<Guest>>,
    free: Vec<u32>,
}

impl WaitingRoom {
    /// Creates an empty waiting room.
    pub fn new(discipline: Box<dyn Departing>) -> Self {
        Self { discipline, guests: Vec::new(), free: Vec::new() }
    }

    /// Gives the labels of each path's packets to the discipline, before the first packet.
    pub fn tell_labels(&mut self, labels: &[Label]) {
        self.discipline.on_labels(labels);
    }

    /// Stores an arriving packet. Packets dropped for it are appended to `dropped`.
    pub fn enter(
        &mut self,
        guest: Guest,
        arrival: Arrival,
        link_free: bool,
        random: &mut dyn Random,
        dropped: &mut Vec<Guest>,
    ) {
        let ticket = match self.free.pop() {
            Some(ticket) => ticket,
            None => {
                self.guests.push(None);
                self.guests.len() as u32 - 1
            }
        };
        self.guests[ticket as usize] = Some(guest);
        let Self { discipline, guests, free } = self;
        let held =
            Held { ticket: Ticket(ticket), arrival, link_free: link_free && discipline.packets() == 0 };
        discipline.on_arrival(held, random, &mut |ticket| dropped.push(leave(guests, free, ticket)));
    }

    /// Returns the packet that leaves now and whether it is marked; `None` if no packet leaves. Packets
    /// dropped before it are appended to `dropped`.
    pub fn next(
        &mut self,
        now: Time,
        random: &mut dyn Random,
        dropped: &mut Vec<Guest>,
    ) -> Option<(Guest, bool)> {
        let Self { discipline, guests, free } = self;
        let departure =
            discipline.on_departure(now, random, &mut |ticket| dropped.push(leave(guests, free, ticket)));
        let Departure { ticket, marked } = departure?;
        Some((leave(guests, free, ticket), marked))
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

fn leave(guests: &mut [Option<Guest>], free: &mut Vec<u32>, ticket: Ticket) -> Guest {
    let guest = guests[ticket.0 as usize].take();
    free.push(ticket.0);
    let Some(guest) = guest else { panic!("a discipline releases a packet twice") };
    guest
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
    #[should_panic(expected = "a discipline releases a packet twice")]
    fn a_packet_goes_once() {
        let mut room = WaitingRoom::new(Box::new(Repeating));
        let (random, dropped) = (&mut Scripted::new(&[]), &mut Vec::new());
        let guest = Guest { packet: Packet::default(), path: 0, since: Time::ZERO, step: 0, number: 0 };
        let arrival = Arrival { now: Time::ZERO, bytes: 1000, flow: 0, ecn: Ecn::NotCapable };
        room.enter(guest, arrival, true, random, dropped);
        assert!(room.next(Time::ZERO, random, dropped).is_some());
        room.next(Time::ZERO, random, dropped);
    }
}
