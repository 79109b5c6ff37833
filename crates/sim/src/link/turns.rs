//! A link as a station of a medium whose turns have more than one packet.

use super::Link;
use crate::alteration::Alteration;
use crate::channel::{Crossing, Sending};
use crate::waiting_room::QueuedPacket;
use ackclock_aqm::Ecn;
use ackclock_base::{Span, Time};

impl Link {
    /// Takes the next packet out of the queue and returns it and whether it is marked; `None` if no packet is
    /// ready. Packets dropped before it are appended to `dropped`.
    pub(crate) fn take(
        &mut self,
        now: Time,
        dropped: &mut Vec<QueuedPacket>,
    ) -> Option<(QueuedPacket, bool)> {
        let counted = self.measured.contains(now);
        let queue = self.queue.as_deref_mut()?;
        let room = queue.room.as_mut().filter(|room| room.ready() <= now)?;
        let before = (room.packets(), dropped.len());
        let next = room.next(now, &mut queue.random, dropped);
        queue.meter.change(now, before.0);
        self.other.dropped += u64::from(counted) * (dropped.len() - before.1) as u64;
        let (queued, marked) = next?;
        queue.note_wait(queued.since, now, self.measured);
        self.other.marked += u64::from(marked && counted);
        Some((queued, marked))
    }

    /// Returns how long `bytes` take if they are sent from `starts` on.
    pub(crate) fn takes(&mut self, starts: Time, bytes: u32) -> Span {
        self.transmission.time(starts, bytes)
    }

    /// Sends `bytes` of a packet with this ECN field. Returns when the transmission ends, when the packet
    /// arrives (`None` if it is not received), and what changes about it. Later packets do not wait for a
    /// transmission that is `in_vain`.
    pub(crate) fn attempt(
        &mut self,
        starts: Time,
        bytes: u32,
        ecn: Ecn,
        in_vain: bool,
    ) -> (Time, Option<Time>, Alteration) {
        let takes = self.transmission.time(starts, bytes);
        let wire = self.delay;
        let Crossing { takes, wire, alteration } = match &mut self.impaired {
            None => Crossing::plain(takes, wire),
            Some(impaired) if in_vain => impaired.carry_in_vain(&Sending { starts, takes, bytes }, wire, ecn),
            Some(impaired) => impaired.carry(&Sending { starts, takes, bytes }, wire, ecn),
        };
        let sent = starts + takes;
        self.busy_ns += self.measured.overlap(starts, sent).nanos();
        (sent, wire.map(|wire| sent + wire), alteration)
    }

    /// Returns whether the other end's answer is received.
    pub(crate) fn hears_answer(&mut self, now: Time) -> bool {
        self.impaired.as_mut().is_none_or(|impaired| impaired.answers(now))
    }

    /// Counts a packet that was received, or given up, with a transmission that ended at `sent`.
    pub(crate) fn count(&mut self, sent: Time, received: bool) {
        let counted = u64::from(self.measured.contains(sent));
        if received {
            self.other.delivered += counted;
        } else {
            self.other.corrupted += counted;
        }
    }

    /// Returns whether `now` lies in the measured interval.
    pub(crate) fn measures(&self, now: Time) -> bool {
        self.measured.contains(now)
    }
}
