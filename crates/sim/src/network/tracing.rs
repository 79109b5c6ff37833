//! What a network says of its packets, where a trace is kept.

use super::Network;
use crate::link::Fate;
use crate::packet::Packet;
use crate::schedule::Order;
use crate::trace::{Event, Trace};
use ackclock_base::Time;
use std::collections::VecDeque;

impl Network {
    /// An endpoint sends a packet.
    #[cold]
    pub(super) fn trace_launch(&mut self, now: Time, path: u32, packet: &Packet) {
        let Some(trace) = &mut self.trace else { return };
        self.number = trace.next_packet();
        trace.push(now, path, self.number, packet.bytes, Event::Launched);
    }
}

/// The number of the packet of this order, which is the first unless it has overtaken others.
pub(super) fn take_number(traced: &mut VecDeque<(Order, u64)>, order: Order) -> u64 {
    let place = traced.iter().position(|(other, _)| *other == order);
    place.and_then(|place| traced.remove(place)).map_or(0, |(_, number)| number)
}

pub(super) fn trace_fate(
    trace: &mut Trace,
    now: Time,
    path: u32,
    number: u64,
    bytes: u32,
    link: u32,
    fate: Fate,
) {
    trace.push(now, path, number, bytes, Event::Offered { link });
    if fate == Fate::Dropped {
        trace.push(now, path, number, bytes, Event::Dropped { link });
    }
    trace_transmission(trace, path, number, bytes, link, fate);
}

pub(super) fn trace_transmission(
    trace: &mut Trace,
    path: u32,
    number: u64,
    bytes: u32,
    link: u32,
    fate: Fate,
) {
    let mut note = |time, event| trace.push(time, path, number, bytes, event);
    match fate {
        Fate::Dropped => {}
        Fate::Lost { starts, sent } => {
            note(starts, Event::Started { link });
            note(sent, Event::Sent { link });
            note(sent, Event::Lost { link });
        }
        Fate::Arrives { starts, sent, at, .. } => {
            note(starts, Event::Started { link });
            note(sent, Event::Sent { link });
            note(at, Event::Arrived { link });
        }
    }
}
