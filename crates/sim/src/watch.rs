//! The observation of one link packet by packet, if requested: loss events and bursts. It uses the events
//! that the packet [trace](crate::trace) would record, so a run without it pays nothing.

mod bursts;
mod loss_events;

pub use bursts::{BurstCounts, Bursts};
pub use loss_events::{LossEventCounts, LossEvents};

use crate::measure::Interval;
use crate::trace::Event;
use ackclock_base::{Rate, Size, Span, Time};
use std::collections::VecDeque;

/// The plan of an observation.
#[derive(Clone, Debug)]
pub struct WatchPlan {
    /// The index of the link.
    pub link: u32,
    /// The rate of the link; the highest rate if it changes.
    pub rate: Rate,
    /// The round-trip time without queues, for loss events; `None` to leave them out.
    pub round_trip: Option<Span>,
    /// The smallest number of packets in a burst; `None` to leave bursts out.
    pub burst_packets: Option<u64>,
    /// The group of each pair of paths; of each flow, if a flow has one pair.
    pub groups: Vec<u32>,
}

/// The observation of a link in a running simulation.
#[derive(Clone, Debug)]
pub struct Watch {
    link: u32,
    rate: Rate,
    waiting_bytes: u64,
    /// The beginnings of transmissions that are known, with the sizes of the packets.
    leaving: VecDeque<(Time, u32)>,
    loss_events: Option<LossEvents>,
    bursts: Option<Bursts>,
}

/// A packet at the link.
#[derive(Clone, Copy, Debug)]
struct Seen {
    flow: usize,
    packet: u64,
    bytes: u32,
}

impl Watch {
    /// Creates an observation before any packet.
    pub fn new(plan: WatchPlan, measured: Interval) -> Self {
        let flows = plan.groups.len();
        Self {
            link: plan.link,
            rate: plan.rate,
            waiting_bytes: 0,
            leaving: VecDeque::new(),
            loss_events: plan.round_trip.map(|round_trip| LossEvents::new(round_trip, flows, measured)),
            bursts: plan.burst_packets.map(|least| Bursts::new(least, plan.groups, measured)),
        }
    }

    /// Returns the sums over loss events; `None` if they are not observed.
    pub fn loss_events(&self) -> Option<LossEventCounts> {
        self.loss_events.as_ref().map(LossEvents::counts)
    }

    /// Returns the counts of a group's bursts; `None` if they are not observed.
    pub fn bursts(&self, group: u32) -> Option<BurstCounts> {
        self.bursts.as_ref().map(|bursts| bursts.counts(group))
    }

    /// Called at the end of the run: removes from the queue the packets whose transmission has begun by
    /// `end`.
    pub fn finish(&mut self, end: Time) {
        self.settle(end);
    }

    /// Returns the index of the observed link.
    pub fn link(&self) -> u32 {
        self.link
    }

    /// Records an event of a packet of a path.
    pub(crate) fn see(&mut self, time: Time, path: u32, packet: u64, bytes: u32, event: Event) {
        let seen = Seen { flow: path as usize / 2, packet, bytes };
        // Acknowledgements wait with the data, but belong to no burst or loss event.
        let is_data = path.is_multiple_of(2);
        match event {
            Event::Offered { link } if link == self.link => self.offered(time, seen, is_data),
            Event::Dropped { link } if link == self.link => self.dropped(time, seen, is_data),
            Event::Started { link } if link == self.link => {
                self.leaving.push_back((time, bytes));
                if let Some(bursts) = &mut self.bursts {
                    bursts.started(packet);
                }
            }
            _ => {}
        }
    }

    fn offered(&mut self, now: Time, seen: Seen, is_data: bool) {
        self.settle(now);
        let wait = self.time_to_send(self.waiting_bytes);
        if is_data {
            if let Some(events) = &mut self.loss_events {
                events.offered(now, seen.flow);
            }
            if let Some(bursts) = &mut self.bursts {
                let own = self.rate.time_to_send(Size::from_bytes(u64::from(seen.bytes)));
                bursts.offered(now, seen, self.waiting_bytes, wait, own);
            }
        }
        self.waiting_bytes += u64::from(seen.bytes);
    }

    fn dropped(&mut self, now: Time, seen: Seen, is_data: bool) {
        self.settle(now);
        self.waiting_bytes -= u64::from(seen.bytes);
        let wait = self.time_to_send(self.waiting_bytes);
        if is_data {
            if let Some(events) = &mut self.loss_events {
                events.dropped(now, seen.flow, wait);
            }
            if let Some(bursts) = &mut self.bursts {
                bursts.dropped(seen.packet);
            }
        }
    }

    /// Removes the packets whose transmission has begun by `now` from the queue.
    fn settle(&mut self, now: Time) {
        while let Some((starts, bytes)) = self.leaving.front().copied()
            && starts <= now
        {
            self.leaving.pop_front();
            self.waiting_bytes -= u64::from(bytes);
            if let Some(bursts) = &mut self.bursts {
                bursts.queue_is(starts, self.waiting_bytes);
            }
        }
    }

    fn time_to_send(&self, bytes: u64) -> Span {
        if bytes == 0 { Span::ZERO } else { self.rate.time_to_send(Size::from_bytes(bytes)) }
    }
}
