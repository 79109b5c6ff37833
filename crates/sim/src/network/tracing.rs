//! The trace records of a network's packets.

use super::{Network, Outcome};
use crate::alteration::Alteration;
use crate::link::Fate;
use crate::packet::Packet;
use crate::trace::{Event, Trace};
use crate::waiting_room::QueuedPacket;
use ackclock_aqm::{Arrival, Ecn};
use ackclock_base::Time;
use std::collections::VecDeque;

impl Network {
    /// Sends a packet of an endpoint and records it in the trace.
    #[cold]
    #[inline(never)]
    pub(super) fn launch_traced(&mut self, now: Time, path: u32, packet: &mut Packet) -> Outcome {
        if let Some(trace) = &mut self.trace {
            let words = |words: &mut Vec<u64>| self.extensions.read_long(packet, words);
            self.number = trace.begin(now, path, packet, Event::Launched, words);
        }
        self.advance([now, now], path, self.starts[path as usize], packet)
    }

    /// Offers a packet to a link that decides at arrival, records the result, and takes the packet further.
    #[cold]
    #[inline(never)]
    pub(super) fn ask_traced(
        &mut self,
        times: [Time; 2],
        path: u32,
        link: u32,
        step: u32,
        packet: &mut Packet,
    ) -> Outcome {
        let arrival = Arrival { now: times[0], bytes: packet.bytes, flow: path, ecn: packet.ecn };
        let fate = self.links[link as usize].offer(&arrival);
        if let Some(trace) = &mut self.trace {
            trace_fate(trace, times[0], path, self.number, packet.bytes, link, fate);
        }
        self.follow(fate, times, path, link, step, packet)
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

fn trace_fate(trace: &mut Trace, now: Time, path: u32, number: u64, bytes: u32, link: u32, fate: Fate) {
    trace.push(now, path, number, bytes, Event::Offered { link });
    if fate == Fate::Dropped {
        trace.push(now, path, number, bytes, Event::Dropped { link });
    }
    trace_transmission(trace, path, number, bytes, link, fate);
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
