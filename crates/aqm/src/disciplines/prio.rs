//! Strict priorities, like Linux's prio and pfifo_fast: three bands, each first in, first out. A packet
//! leaves only while all bands before its own are empty.
//!
//! The band follows from the packet's code point as in the three tins of Linux's cake (`diffserv3`):
//! interactive traffic first, lower effort last. Linux's own default map uses the old TOS bits, which have
//! had no meaning since RFC 2474; it puts EF in the middle band. In Linux each band has a limit of its own.
//! Here all bands share one limit, and the newest packet of the last band that has one is dropped, so that a
//! band is never affected by those behind it.

use crate::departure::{Departing, Departure, Held, Ticket};
use crate::discipline::Capacity;
use crate::entry::{Entry, Queueing, Service, queue};
use crate::fifo::{Fifo, Room};
use crate::label::{Dscp, Label};
use ackclock_base::{Random, Time};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "prio",
        "Three priority bands by the DSCP: EF, VOICE-ADMIT, CS6 and CS7 first, LE and CS1 last; a band is served \
         only while the bands before it are empty",
        "Linux, net/sched/sch_prio.c; bands: RFC 3246, RFC 8622",
        &[],
    ),
    build: |_, capacity, _| Queueing::at_departure(Prio::new(capacity)),
    service: Service { drops_late: true, overtakes: true, ..Service::IN_ORDER },
};

const BANDS: usize = 3;

/// Returns the band of a code point; band 0 goes first.
fn band_of(dscp: Dscp) -> u8 {
    match dscp {
        Dscp::EF | Dscp::VOICE_ADMIT | Dscp::CS6 | Dscp::CS7 => 0,
        Dscp::LE | Dscp::CS1 => 2,
        _ => 1,
    }
}

/// The three bands.
#[derive(Clone, Debug)]
pub struct Prio {
    bands: [Fifo; BANDS],
    room: Room,
    /// The band of each path's packets.
    band_of_path: Vec<u8>,
}

impl Prio {
    /// Creates empty bands that share this capacity.
    pub fn new(capacity: Capacity) -> Self {
        Self { bands: Default::default(), room: Room::new(capacity), band_of_path: Vec::new() }
    }
}

impl Departing for Prio {
    fn on_labels(&mut self, labels: &[Label]) {
        self.band_of_path = labels.iter().map(|label| band_of(label.dscp)).collect();
    }

    fn on_arrival(&mut self, held: Held, _random: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) {
        let band = self.band_of_path.get(held.arrival.flow as usize).copied();
        let band = band.unwrap_or_else(|| band_of(Dscp::default()));
        self.bands[usize::from(band)].push(held);
        self.room.enter(held.arrival.bytes);
        while !held.link_free && self.room.is_over() {
            let Some(dropped) = self.bands.iter_mut().rev().find_map(Fifo::pop_newest) else {
                panic!("the limit is exceeded, but all bands are empty")
            };
            self.room.leave(1, u64::from(dropped.arrival.bytes));
            drops(dropped.ticket);
        }
    }

    fn on_departure(
        &mut self,
        _now: Time,
        _random: &mut dyn Random,
        _drops: &mut dyn FnMut(Ticket),
    ) -> Option<Departure> {
        let held = self.bands.iter_mut().find_map(Fifo::pop)?;
        self.room.leave(1, u64::from(held.arrival.bytes));
        Some(Departure { ticket: held.ticket, marked: false })
    }

    fn packets(&self) -> u64 {
        self.room.packets()
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        for (name, band) in
            ["band_0_packets", "band_1_packets", "band_2_packets"].into_iter().zip(&self.bands)
        {
            series(name, band.len() as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::Arrival;
    use crate::testing::{Bench, arrival};

    const FIRST: u32 = 0;
    const MIDDLE: u32 = 1;
    const LAST: u32 = 2;

    fn prio(capacity: Capacity) -> Bench<Prio> {
        let mut prio = Prio::new(capacity);
        let named = |name| Label { dscp: Dscp::named(name).expect("a code point"), ..Label::default() };
        prio.on_labels(&["EF", "AF41", "LE"].map(named));
        Bench::new(prio)
    }

    fn arrive(bench: &mut Bench<Prio>, flow: u32, count: u32) {
        (0..count).for_each(|_| bench.arrive(Arrival { flow, ..arrival(0.0) }));
    }

    #[test]
    fn a_band_waits_until_the_bands_before_it_are_empty() {
        let mut bench = prio(Capacity::Unlimited);
        arrive(&mut bench, LAST, 2);
        arrive(&mut bench, MIDDLE, 2);
        arrive(&mut bench, FIRST, 2);
        assert_eq!(bench.empty(0.0), [4, 5, 2, 3, 0, 1]);
    }

    #[test]
    fn a_first_band_that_is_never_empty_starves_the_others() {
        // A packet of the first band arrives for each that leaves: of a thousand departures none is of
        // another band.
        let mut bench = prio(Capacity::Packets(10));
        arrive(&mut bench, LAST, 5);
        for packet in 5..1005 {
            arrive(&mut bench, FIRST, 1);
            assert_eq!(bench.depart(0.0).map(|departure| departure.ticket), Some(Ticket(packet)));
        }
        assert_eq!(bench.empty(0.0), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn the_last_band_makes_way() {
        // A full room of ten: the newest packets of the last band are dropped first, then those of the middle
        // band, then the new arrivals themselves.
        let mut bench = prio(Capacity::Packets(10));
        arrive(&mut bench, LAST, 2);
        arrive(&mut bench, MIDDLE, 8);
        arrive(&mut bench, LAST, 1);
        assert_eq!(bench.dropped, [10]);
        arrive(&mut bench, FIRST, 3);
        assert_eq!(bench.dropped, [10, 1, 0, 9]);
        arrive(&mut bench, FIRST, 8);
        assert_eq!(bench.dropped, [10, 1, 0, 9, 8, 7, 6, 5, 4, 3, 2, 21]);
    }

    #[test]
    fn bands_follow_from_code_points() {
        let band = |name: &str| band_of(Dscp::named(name).expect("a code point"));
        let bands = |names: &[&str], expected| names.iter().all(|name| band(name) == expected);
        assert!(bands(&["EF", "VOICE-ADMIT", "CS6", "CS7"], 0));
        assert!(bands(&["LE", "CS1"], 2));
        assert!(bands(&["CS0", "AF11", "AF43", "CS2", "CS5"], 1));
        assert_eq!(Dscp::NAMES.iter().filter(|name| band(name) == 1).count(), 23 - 6);
    }
}
