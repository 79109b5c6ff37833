//! Links whose packets wait for service: those with a discipline that decides at departure, and the stations
//! of a medium.

use super::queue::Queue;
use super::{Fate, Link};
use crate::medium::Station;
use crate::station_queue::StationQueue;
use crate::waiting_room::{QueuedPacket, WaitingRoom};
use ackclock_aqm::{Arrival, Ecn, Label};
use ackclock_base::Time;

impl Link {
    /// Makes the link a station of a medium, whose packets wait until the medium gives them a turn.
    ///
    /// # Panics
    ///
    /// If the link's queue is not observed.
    pub fn share_medium(&mut self) {
        self.transmission.spread();
        let Some(queue) = &mut self.queue else { panic!("a station of a medium has no queue") };
        if queue.room.is_none() {
            let waiting = StationQueue::new(queue.discipline.take(), self.rate);
            queue.room = Some(WaitingRoom::new(Box::new(waiting)));
            queue.next_look = Time::NEVER;
        }
    }

    /// Gives the labels of each path's packets to a discipline that decides at departure, before the first
    /// packet.
    pub fn tell_labels(&mut self, labels: &[Label]) {
        if let Some(room) = self.queue.as_mut().and_then(|queue| queue.room.as_mut()) {
            room.tell_labels(labels);
        }
    }

    /// Returns the state of the link as a station: the number of packets waiting, and the time before which
    /// none is sent.
    pub fn station(&self) -> Station {
        let room = self.queue.as_ref().and_then(|queue| queue.room.as_ref());
        room.map_or_else(Station::default, |room| Station { packets: room.packets(), ready: room.ready() })
    }

    /// Marks the link as busy until `free_at`, because another station of its medium is sending.
    pub fn wait_until(&mut self, free_at: Time) {
        self.free_at = free_at;
    }

    /// Returns whether the discipline decides at departure or the link is a station of a medium. If so,
    /// packets [wait](Self::wait), and the link is [served](Self::serve).
    #[inline]
    pub fn decides_at_departure(&self) -> bool {
        self.queue.as_ref().is_some_and(|queue| queue.room.is_some())
    }

    /// Puts an arriving packet into the queue. Packets dropped for it are appended to `dropped`.
    pub fn wait(&mut self, queued: QueuedPacket, arrival: Arrival, dropped: &mut Vec<QueuedPacket>) {
        let counted = self.measured.contains(arrival.now);
        let Some(Queue { room: Some(room), random, meter, .. }) = self.queue.as_deref_mut() else {
            panic!("a packet is queued at a link that has no waiting room")
        };
        let before = (room.packets(), dropped.len());
        room.enter(queued, arrival, self.free_at <= arrival.now, random, dropped);
        meter.change(arrival.now, before.0);
        self.other.arrived += u64::from(counted);
        self.other.dropped += u64::from(counted) * (dropped.len() - before.1) as u64;
    }

    /// Begins to send the next packet if the link is free. Returns the packet with its fate, or `None` if
    /// none is sent. Packets dropped before it are appended to `dropped`.
    pub fn serve(&mut self, now: Time, dropped: &mut Vec<QueuedPacket>) -> Option<(QueuedPacket, Fate)> {
        if self.free_at > now {
            return None;
        }
        let (queued, marked) = self.take(now, dropped)?;
        let ecn = if marked { Ecn::Experienced } else { queued.packet.ecn };
        let (sent, crossing) = self.transmit(queued.since, now, queued.packet.bytes, ecn);
        self.busy_ns += self.measured.overlap(now, sent).nanos();
        let counter =
            if crossing.wire.is_some() { &mut self.other.delivered } else { &mut self.other.corrupted };
        *counter += u64::from(self.measured.contains(sent));
        Some((queued, Fate::of(now, sent, crossing, marked)))
    }

    /// Returns when the link has to be served next; `None` if no packet waits.
    pub fn service_due(&self) -> Option<Time> {
        let room = self.queue.as_ref()?.room.as_ref().filter(|room| room.packets() > 0)?;
        Some(self.free_at.max(room.ready()))
    }
}
