//! The simulator's own links, driven by the caller's clock: no clock, no input or output.
//!
//! A caller with sockets and a clock [offers](Path::offer) each packet at its time of arrival, asks when the
//! path has to be [looked at](Path::due) next, and [takes](Path::take) the packets that have reached its end.
//! Events inside the path are processed in the order of their times and not of the calls, so a caller that
//! looks late, and tells the true times of arrival, changes nothing about the fate of a packet.
//!
//! ```
//! use ackclock_base::{Rate, Span, Time};
//! use ackclock_wire::path::{Packet, Path};
//! use ackclock_sim::channel::Impairments;
//! use ackclock_sim::link::{Link, LinkParts};
//! use ackclock_sim::measure::Interval;
//!
//! let link = LinkParts {
//!     name: "wire".to_owned(),
//!     from: "a".to_owned(),
//!     to: "b".to_owned(),
//!     rate: Rate::from_bits_per_second(10_000_000),
//!     changes: None,
//!     delay: Span::from_millis(5),
//!     discipline: None,
//!     impairments: Impairments::default(),
//!     seed: 1,
//! };
//! let always = Interval { from: Time::ZERO, to: Time::NEVER };
//! let mut path = Path::new(vec![Link::new(link, true, always)], &[]);
//!
//! // 1250 bytes take 1 ms at 10 Mbit/s. The second packet waits for the first.
//! for content in ["first", "second"] {
//!     path.offer(Time::ZERO, Packet { bytes: 1250, content, ..Packet::default() });
//! }
//! let ms = |ms| Time::ZERO + Span::from_millis(ms);
//! assert_eq!(path.due(), Some(ms(6)));
//! assert_eq!(path.take(ms(5)), None);
//! // The caller looks late: both packets are there, with the times at which they arrived.
//! assert_eq!(path.take(ms(9)).map(|leaving| leaving.at), Some(ms(6)));
//! assert_eq!(path.take(ms(9)).map(|leaving| (leaving.at, leaving.packet.content)), Some((ms(7), "second")));
//! assert_eq!(path.due(), None);
//! ```

mod hop;
mod stored;

use ackclock_aqm::{Arrival, Ecn, Label};
use ackclock_base::Time;
use ackclock_base::trace::{Event, Record};
use ackclock_sim::link::{Fate, Link};
use ackclock_sim::packet::Packet as Queued;
use ackclock_sim::waiting_room::QueuedPacket;
use hop::{Due, Hop, Moving};
use std::collections::BinaryHeap;
use stored::{Place, Stored};

/// A packet on a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet<C> {
    /// The size on the wire, in bytes, as the links and their queues count it.
    pub bytes: u32,
    /// The ECN field.
    pub ecn: Ecn,
    /// The index of the flow, by which disciplines tell flows apart.
    pub flow: u32,
    /// The number of its route, from 0, among those of the path.
    pub route: usize,
    /// The content, which the path does not read.
    pub content: C,
}

/// A packet that has reached the end of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving<C> {
    /// The time at which it reaches the end.
    pub at: Time,
    /// The packet, with its ECN field as the links have changed it.
    pub packet: Packet<C>,
}

/// Links that packets cross in one direction: in a row, or by several routes that share links.
pub struct Path<C> {
    hops: Vec<Hop>,
    /// The indices of the links of each route, in order. None occurs twice.
    routes: Vec<Vec<usize>>,
    /// The packets that have crossed the last link.
    leaving: BinaryHeap<Moving>,
    stored: Stored<C>,
    /// The time up to which events have been processed.
    now: Time,
    /// The number of moves from one link to the next, which keeps the order of packets that move together.
    moves: u64,
    /// The number of packets offered or copied.
    numbers: u64,
    /// The packets dropped by a queue. Emptied after each use, and kept to avoid allocations.
    refused: Vec<QueuedPacket>,
    observer: Option<Box<dyn FnMut(Record) + Send>>,
}

impl<C: Clone> Path<C> {
    /// Creates a path over these links, in the order in which packets cross them. `labels` has the labels of
    /// the flows, by their indices, for the disciplines that classify packets by them.
    ///
    /// # Panics
    ///
    /// If there is no link.
    pub fn new(links: Vec<Link>, labels: &[Label]) -> Self {
        let row = (0..links.len()).collect();
        Self::with_routes(links, vec![row], labels)
    }

    /// Creates a path with several routes: the indices of the links of each, in the order in which its packets cross
    /// them.
    ///
    /// # Panics
    ///
    /// If a route has no link, an index that no link has, or a link twice.
    pub fn with_routes(links: Vec<Link>, routes: Vec<Vec<usize>>, labels: &[Label]) -> Self {
        for route in &routes {
            assert!(!route.is_empty(), "a route has no links");
            for (place, link) in route.iter().enumerate() {
                assert!(
                    *link < links.len(),
                    "a route names link {link}, expected an index below {}",
                    links.len()
                );
                assert!(!route[..place].contains(link), "a route names link {link} twice");
            }
        }
        let hop = |mut link: Link| {
            link.tell_labels(labels);
            Hop::new(link)
        };
        Self {
            hops: links.into_iter().map(hop).collect(),
            routes,
            leaving: BinaryHeap::new(),
            stored: Stored::default(),
            now: Time::ZERO,
            moves: 0,
            numbers: 0,
            refused: Vec::new(),
            observer: None,
        }
    }

    /// Calls `observer` with what happens to each packet, as the simulator's packet trace records it: links
    /// by their place on the path, packets by a number that counts offers and copies from 1.
    pub fn observe(&mut self, observer: impl FnMut(Record) + Send + 'static) {
        self.observer = Some(Box::new(observer));
    }

    /// Offers a packet that arrives at the first link at `at`. A packet that arrives before the time up to
    /// which events have been processed counts as arriving at that time, because a link must not be served
    /// later than its next offer.
    pub fn offer(&mut self, at: Time, packet: Packet<C>) {
        let at = at.max(self.now);
        self.numbers += 1;
        let first = self.routes[packet.route].first().copied();
        let place = self.stored.put(packet, self.numbers);
        self.move_to(first, at, at, place);
        self.advance(at);
    }

    /// Returns when something happens on the path next: a packet reaches its end, or a link has to be served
    /// or reached. The result may lie in the past, and is `None` if the path is empty.
    pub fn due(&self) -> Option<Time> {
        let inside = self.hops.iter().filter_map(Hop::due).map(|due| due.time());
        inside.chain(self.leaving.peek().map(|moving| moving.at)).min()
    }

    /// Processes all events until `now`, in the order of their times.
    pub fn advance(&mut self, now: Time) {
        while let Some((due, index)) = self.next_event().filter(|(due, _)| due.time() <= now) {
            match due {
                Due::Service(at) => self.serve(index, at),
                Due::Arrival(..) => {
                    if let Some(moving) = self.hops[index].arriving.pop() {
                        self.arrive(index, moving);
                    }
                }
            }
        }
        self.now = self.now.max(now);
    }

    /// Returns the next packet that reaches the end of the path until `now`; `None` if there is none.
    pub fn take(&mut self, now: Time) -> Option<Leaving<C>> {
        self.advance(now);
        let Moving { at, place, .. } = *self.leaving.peek().filter(|moving| moving.at <= now)?;
        self.leaving.pop();
        let number = self.stored.number(place);
        let packet = self.stored.take(place);
        self.record(at, packet.flow, number, packet.bytes, Event::Delivered);
        Some(Leaving { at, packet })
    }

    /// Returns the links, in the order in which packets cross them.
    pub fn links_mut(&mut self) -> impl Iterator<Item = &mut Link> {
        self.hops.iter_mut().map(|hop| &mut hop.link)
    }

    /// Returns the number of packets on the path.
    pub fn packets(&self) -> usize {
        self.stored.len()
    }

    fn next_event(&self) -> Option<(Due, usize)> {
        let events = self.hops.iter().enumerate().filter_map(|(index, hop)| Some((hop.due()?, index)));
        events.min()
    }

    /// Returns the link that a packet reaches after that with this index; `None` for the end of the path.
    fn after(&self, index: usize, place: Place) -> Option<usize> {
        let route = &self.routes[self.stored.get(place).route];
        let position =
            route.iter().position(|link| *link == index).expect("a packet is at a link of its route");
        route.get(position + 1).copied()
    }

    /// Takes a packet to the link with this index, or to the end of the path.
    fn move_to(&mut self, index: Option<usize>, at: Time, departed: Time, place: Place) {
        self.moves += 1;
        let moving = Moving { at, departed, order: self.moves, place };
        match index {
            Some(index) => self.hops[index].arriving.push(moving),
            None => self.leaving.push(moving),
        }
    }

    /// Offers a packet to the link that it has reached.
    fn arrive(&mut self, index: usize, moving: Moving) {
        let Moving { at, departed, place, .. } = moving;
        let Packet { bytes, ecn, flow, .. } = *self.stored.get(place);
        let number = self.stored.number(place);
        let arrival = Arrival { now: at, bytes, flow, ecn };
        self.record(at, flow, number, bytes, Event::Offered { link: index as u32 });
        let link = &mut self.hops[index].link;
        if !link.decides_at_departure() {
            let fate = link.offer(&arrival);
            return self.follow(index, place, fate, [at, departed]);
        }
        let packet = Queued { bytes, ecn, ..Queued::default() };
        // The number of a queued packet is for its holder, here the place at which the rest is stored.
        let queued =
            QueuedPacket { packet, path: flow, since: at, step: index as u32, number: place.0 as u64 };
        link.wait(queued, arrival, &mut self.refused);
        self.forget_refused(index, at);
        self.serve(index, at);
    }

    /// Lets a link whose discipline decides at departure begin the next transmission.
    fn serve(&mut self, index: usize, now: Time) {
        let Hop { link, service, .. } = &mut self.hops[index];
        let next = link.serve(now, &mut self.refused);
        // A link that has been idle is free since a time in the past.
        *service = link.service_due().map(|due| due.max(now));
        self.forget_refused(index, now);
        if let Some((queued, fate)) = next {
            self.follow(index, Place(queued.number as usize), fate, [now, now]);
        }
    }

    /// Continues with a packet according to its fate at a link. `now` is when the link decided it, and
    /// `departed` when the packet departed from the last link with a queue.
    fn follow(&mut self, index: usize, place: Place, fate: Fate, [now, departed]: [Time; 2]) {
        let (flow, number, bytes) = {
            let packet = self.stored.get(place);
            (packet.flow, self.stored.number(place), packet.bytes)
        };
        let link = index as u32;
        match fate {
            Fate::Dropped => {
                self.record(now, flow, number, bytes, Event::Dropped { link });
                self.stored.take(place);
            }
            Fate::Corrupted { starts, sent } => {
                self.record(starts, flow, number, bytes, Event::Started { link });
                self.record(sent, flow, number, bytes, Event::Sent { link });
                self.record(sent, flow, number, bytes, Event::Corrupted { link });
                self.stored.take(place);
            }
            Fate::Arrives { starts, sent, at, .. } | Fate::Altered { starts, sent, at, .. } => {
                self.record(starts, flow, number, bytes, Event::Started { link });
                self.record(sent, flow, number, bytes, Event::Sent { link });
                self.record(at, flow, number, bytes, Event::Arrived { link });
                let (ecn, duplicated) = match fate {
                    Fate::Altered { alteration, .. } => (alteration.ecn, alteration.duplicated),
                    Fate::Arrives { marked, .. } => (marked.then_some(Ecn::Experienced), false),
                    _ => (None, false),
                };
                if let Some(ecn) = ecn {
                    self.stored.get_mut(place).ecn = ecn;
                }
                let departed = if self.hops[index].link.is_watched() { sent } else { departed };
                let next = self.after(index, place);
                self.move_to(next, at, departed, place);
                if duplicated {
                    self.copy(index, place, at, departed);
                }
            }
        }
    }

    /// Sends a copy of a packet behind it.
    fn copy(&mut self, index: usize, place: Place, at: Time, departed: Time) {
        self.hops[index].link.count_copy(at);
        self.numbers += 1;
        let packet = self.stored.get(place).clone();
        self.record(at, packet.flow, self.numbers, packet.bytes, Event::Duplicated { link: index as u32 });
        let copy = self.stored.put(packet, self.numbers);
        let next = self.after(index, copy);
        self.move_to(next, at, departed, copy);
    }

    fn forget_refused(&mut self, index: usize, now: Time) {
        let mut refused = std::mem::take(&mut self.refused);
        for queued in refused.drain(..) {
            let place = Place(queued.number as usize);
            let number = self.stored.number(place);
            self.record(now, queued.path, number, queued.packet.bytes, Event::Dropped { link: index as u32 });
            self.stored.take(place);
        }
        self.refused = refused;
    }

    fn record(&mut self, time: Time, flow: u32, packet: u64, bytes: u32, event: Event) {
        if let Some(observer) = &mut self.observer {
            observer(Record { time_ns: time.nanos(), path: flow, packet, bytes, event });
        }
    }
}
