//! What is followed packet by packet at one link, if it is asked for: events of loss and bursts. It sees what the packet
//! [trace](crate::trace) would record, so a run that does not ask pays nothing for it.

mod bursts;
mod loss_events;

pub use bursts::{BurstCounts, Bursts};
pub use loss_events::{LossEventCounts, LossEvents};

use crate::measure::Interval;
use crate::trace::Event;
use ackclock_base::{Rate, Size, Span, Time};
use std::collections::VecDeque;

/// What to follow.
#[derive(Clone, Debug)]
pub struct WatchPlan {
    /// The link, as an index.
    pub link: u32,
    /// Its rate; where that changes, the highest.
    pub rate: Rate,
    /// The round trip without queues, for events of loss; `None` to leave them out.
    pub round_trip: Option<Span>,
    /// How many packets make a burst; `None` to leave bursts out.
    pub burst_packets: Option<u64>,
    /// The group of each pair of paths, there and back: of each flow, where a flow has one.
    pub groups: Vec<u32>,
}

/// Follows a link.
#[derive(Clone, Debug)]
pub struct Watch {
    link: u32,
    rate: Rate,
    waiting_bytes: u64,
    /// When those leave the queue whose transmission is known to begin.
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
    /// Nothing seen yet.
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

    /// The events of loss, if they are followed.
    pub fn loss_events(&self) -> Option<LossEventCounts> {
        self.loss_events.as_ref().map(LossEvents::counts)
    }

    /// The bursts of a group, if they are followed.
    pub fn bursts(&self, group: u32) -> Option<BurstCounts> {
        self.bursts.as_ref().map(|bursts| bursts.counts(group))
    }

    /// The run ends: what is known to leave the queue until then has left.
    pub fn finish(&mut self, end: Time) {
        self.settle(end);
    }

    /// Which link is followed.
    pub fn link(&self) -> u32 {
        self.link
    }

    /// Something has happened to a packet of a path.
    pub(crate) fn see(&mut self, time: Time, path: u32, packet: u64, bytes: u32, event: Event) {
        let seen = Seen { flow: path as usize / 2, packet, bytes };
        // Acknowledgements wait with the data, but they are nobody's burst or loss.
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

    /// Lets those leave the queue whose transmission has begun by `now`.
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
