//! The trace records of a network's packets.

use super::Network;
use crate::alteration::Alteration;
use crate::link::Fate;
use crate::packet::Packet;
use crate::trace::{Event, Trace};
use crate::waiting_room::QueuedPacket;
use ackclock_aqm::Ecn;
use ackclock_base::Time;
use std::collections::VecDeque;

// Nearly all runs are without a trace, so what records is out of line.
impl Network {
    /// Records that an endpoint sends a packet, and numbers it.
    #[cold]
    #[inline(never)]
    pub(super) fn trace_launch(&mut self, now: Time, path: u32, packet: &Packet) {
        let Some(trace) = &mut self.trace else { return };
        let words = |words: &mut Vec<u64>| self.extensions.read_long(packet, words);
        self.number = trace.begin(now, path, packet, Event::Launched, words);
    }

    /// Records what happens to a packet at a link that decides at arrival.
    #[cold]
    #[inline(never)]
    pub(super) fn trace_fate(&mut self, now: Time, path: u32, bytes: u32, link: u32, fate: Fate) {
        let Some(trace) = &mut self.trace else { return };
        trace.push(now, path, self.number, bytes, Event::Offered { link });
        if fate == Fate::Dropped {
            trace.push(now, path, self.number, bytes, Event::Dropped { link });
        }
        trace_transmission(trace, path, self.number, bytes, link, fate);
    }

    /// Keeps the number of the packet that enters a lane with these times of arrival and departure.
    #[cold]
    #[inline(never)]
    pub(super) fn note_number(&mut self, lane: u32, times: (Time, Time)) {
        self.traced[lane as usize].push_back((times, self.number));
    }

    /// Records that an endpoint takes the packet that was moved last.
    #[inline]
    pub(crate) fn note_delivered(&mut self, now: Time, path: u32, packet: &Packet) {
        if let Some(trace) = &mut self.trace {
            trace.push(now, path, self.number, packet.bytes, Event::Delivered);
        }
    }
}

/// Removes and returns the number of the packet with this arrival and departure, which is the first one
/// unless the packet has overtaken others; 0 if there is none.
pub(super) fn take_number(traced: &mut VecDeque<((Time, Time), u64)>, times: (Time, Time)) -> u64 {
    let place = traced.iter().position(|(other, _)| *other == times);
    place.and_then(|place| traced.remove(place)).map_or(0, |(_, number)| number)
}

/// Records the packets that a queue drops.
pub(super) fn trace_drops(trace: &mut Option<Trace>, link: u32, now: Time, dropped: &[QueuedPacket]) {
    let Some(trace) = trace else { return };
    for QueuedPacket { packet, path, number, .. } in dropped {
        trace.push(now, *path, *number, packet.bytes, Event::Dropped { link });
    }
}

pub(super) fn trace_transmission(
    trace: &mut Trace,
    path: u32,
    number: u64,
    bytes: u32,
    link: u32,
    fate: Fate,
) {
    match fate {
        Fate::Arrives { marked: true, .. } => trace.set_ecn(number, Ecn::Experienced),
        Fate::Altered { alteration: Alteration { ecn: Some(ecn), .. }, .. } => trace.set_ecn(number, ecn),
        _ => {}
    }
    let mut note = |time, event| trace.push(time, path, number, bytes, event);
    match fate {
        Fate::Dropped => {}
        Fate::Corrupted { starts, sent } => {
            note(starts, Event::Started { link });
            note(sent, Event::Sent { link });
            note(sent, Event::Corrupted { link });
        }
        Fate::Arrives { starts, sent, at, .. } | Fate::Altered { starts, sent, at, .. } => {
            note(starts, Event::Started { link });
            note(sent, Event::Sent { link });
            note(at, Event::Arrived { link });
        }
    }
}
