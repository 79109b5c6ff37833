//! Links whose packets wait for service: links whose discipline decides at departure, and the stations of a
//! medium.

use super::altering::Altered;
use super::tracing::{trace_drops, trace_transmission};
use super::{Network, Outcome, Shared};
use crate::link::{Fate, Link};
use crate::medium::Turn;
use crate::packet::Packet;
use crate::schedule::{Order, SourceId};
use crate::trace::Event;
use crate::waiting_room::QueuedPacket;
use ackclock_aqm::{Arrival, Ecn};
use ackclock_base::Time;

impl Network {
    /// Queues a packet at a link whose discipline decides at departure, or at a station of a medium, and
    /// serves the link.
    #[inline(never)]
    pub(super) fn join(
        &mut self,
        now: Time,
        path: u32,
        link: u32,
        step: u32,
        packet: &mut Packet,
    ) -> Outcome {
        let queued = QueuedPacket { packet: *packet, path, since: now, step, number: self.number };
        let arrival = Arrival { now, bytes: packet.bytes, flow: path, ecn: packet.ecn };
        // A packet that the link can send at this instant leaves before the arrival, as it does where
        // disciplines decide at arrival.
        if self.links[link as usize].service_due().is_some_and(|due| due <= now) {
            self.serve(link, now);
        }
        self.wait(link, queued, arrival);
        self.serve(link, now);
        Outcome::Waits
    }

    /// Puts a packet into the queue of a link whose discipline decides at departure.
    pub(super) fn wait(&mut self, link: u32, queued: QueuedPacket, arrival: Arrival) {
        let QueuedPacket { packet, path, number, .. } = queued;
        if let Some(trace) = &mut self.trace {
            trace.push(arrival.now, path, number, packet.bytes, Event::Offered { link });
        }
        self.waiting += 1;
        self.links[link as usize].wait(queued, arrival, &mut self.refused);
        self.note_refused(link, arrival.now);
    }

    /// Sends the next packet of a link whose discipline decides at departure, or of its medium, if it is
    /// free.
    pub fn serve(&mut self, link: u32, now: Time) {
        match self.medium_of[link as usize] {
            None => self.serve_alone(link, now),
            Some(medium) => self.serve_medium(medium as usize, now),
        }
    }

    /// Lets the stations of a medium send in the medium's order until it is busy or no station may send, and
    /// sets the event of the next turn.
    pub(super) fn serve_medium(&mut self, medium: usize, now: Time) {
        let source = self.service_of(self.media[medium].links[0]);
        loop {
            let due = self.media[medium].due(now, &self.links);
            let Turn { station, starts } = match due {
                Some(turn) if turn.starts <= now && !self.media[medium].states.is_empty() => {
                    self.take_turn(medium, turn, now);
                    continue;
                }
                Some(turn) if turn.starts <= now => turn,
                Some(Turn { starts, .. }) => {
                    return self.schedule.set(source, starts, Order::SERVICE);
                }
                None => return self.schedule.clear(source),
            };
            let link = self.media[medium].links[station];
            let next = self.links[link as usize].serve(now, &mut self.refused);
            self.note_refused(link, now);
            if next.is_some() {
                let Shared { medium, links, .. } = &mut self.media[medium];
                let sent = self.links[link as usize].free_at();
                links.iter().for_each(|link| self.links[*link as usize].wait_until(sent));
                medium.on_sending(station, starts.max(now), sent);
            }
            self.go_on(link, next);
        }
    }

    pub(super) fn serve_alone(&mut self, link: u32, now: Time) {
        let next = self.links[link as usize].serve(now, &mut self.refused);
        self.note_refused(link, now);
        let source = self.service_of(link);
        match self.links[link as usize].service_due() {
            Some(due) => self.schedule.set(source, due, Order::SERVICE),
            None => self.schedule.clear(source),
        }
        self.go_on(link, next);
    }

    /// Returns the event source of a link, or of its medium.
    fn service_of(&self, link: u32) -> SourceId {
        let Some(source) = self.services[link as usize] else {
            panic!("link {link} is served, but its packets do not wait for service")
        };
        source
    }

    /// Continues with a packet that waited and whose transmission has begun.
    pub(super) fn go_on(&mut self, link: u32, next: Option<(QueuedPacket, Fate)>) {
        let Some((queued, fate)) = next else { return };
        self.waiting -= 1;
        let QueuedPacket { mut packet, path, step, number, .. } = queued;
        if let Some(trace) = &mut self.trace {
            trace_transmission(trace, path, number, packet.bytes, link, fate);
        }
        match fate {
            Fate::Arrives { sent, at, marked, .. } => {
                if marked {
                    packet.ecn = Ecn::Experienced;
                }
                self.number = number;
                let outcome = self.advance([at, sent], path, step + 1, &mut packet);
                debug_assert!(
                    !matches!(outcome, Outcome::Arrives | Outcome::Ends { .. }),
                    "a packet reached its endpoint without passing through the list of packets in transit"
                );
            }
            Fate::Altered { sent, at, alteration, .. } => {
                self.number = number;
                let altered = Altered { link, alteration };
                let outcome = self.pass_altered([at, sent], path, step, &mut packet, altered);
                debug_assert!(
                    !matches!(outcome, Outcome::Arrives | Outcome::Ends { .. }),
                    "a packet reached its endpoint without passing through the list of packets in transit"
                );
            }
            Fate::Dropped => {}
            Fate::Corrupted { sent, .. } => self.count_corrupted(path, sent, &packet),
        }
    }

    /// Traces, counts and releases the packets that a queue has just dropped.
    pub(super) fn note_refused(&mut self, link: u32, now: Time) {
        trace_drops(&mut self.trace, link, now, &self.refused);
        self.count_refused(now);
    }

    /// Counts and releases dropped packets whose drops have been traced already.
    pub(super) fn count_refused(&mut self, now: Time) {
        self.waiting -= self.refused.len();
        for queued in self.refused.drain(..) {
            self.extensions.forget(&queued.packet);
            self.counts[queued.path as usize].dropped += u64::from(self.measured.contains(now));
        }
    }
}

impl Shared {
    /// Returns the next turn; `None` if no station has a packet. If the medium is busy, or no station may
    /// send yet, the result is the time at which that ends, with a station that has no meaning.
    fn due(&mut self, now: Time, links: &[Link]) -> Option<Turn> {
        let Self { medium, links: stations_links, random, stations, states, .. } = self;
        for (index, (station, link)) in stations.iter_mut().zip(&*stations_links).enumerate() {
            *station = links[*link as usize].station();
            if let Some(state) = states.get(index) {
                *station = state.add_to(*station);
            }
        }
        let ready =
            stations.iter().filter(|station| station.packets > 0).map(|station| station.ready).min()?;
        let free_at = links[stations_links[0] as usize].free_at().max(ready);
        if free_at > now {
            return Some(Turn { station: 0, starts: free_at });
        }
        let turn = medium.next(now, stations, random);
        assert!(stations[turn.station].packets > 0, "the medium selects a station without a packet to send");
        Some(turn)
    }
}
