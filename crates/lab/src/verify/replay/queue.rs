//! The laws of a queue and its transmitter: who may wait, who goes next, one at a time, for as long as its bits take.

use super::{Course, Line, Offer, Replay, Stage, Step};
use crate::verify::{Rule, Violation};
use ackclock_sim::trace::Event;

impl Replay<'_> {
    /// The newcomer was neither dropped nor sent at once: it waits.
    pub(super) fn admit_newcomer(&mut self, link: usize) {
        let line = &mut self.links[link];
        let Some(offer) = line.newcomer.take() else { return };
        line.waiting.push_back(offer);
        line.waiting_bytes += u64::from(offer.bytes);
        if self.facts.links[link].service.drops_late {
            line.squeezed_in = Some(offer);
        } else {
            self.check_limit(link, offer);
        }
    }

    /// Where a queue makes room for a newcomer by dropping others, it does so at the same instant.
    pub(super) fn check_squeezed_in(&mut self, step: &Step<'_>, link: usize) {
        let makes_room = matches!(step.record.event, Event::Dropped { .. });
        let waiting = self.links[link].squeezed_in.filter(|offer| !makes_room || step.time > offer.at);
        if let Some(offer) = waiting {
            self.links[link].squeezed_in = None;
            self.check_limit(link, offer);
        }
    }

    /// With the offer, no more waits than fits; an idle link takes any packet.
    fn check_limit(&mut self, link: usize, offer: Offer) {
        let line = &self.links[link];
        let (packets, bytes) = (line.waiting.len() as u64, line.waiting_bytes);
        // A station of a medium may have nothing under way and yet let packets wait.
        let busy = line.sending.is_some() || packets > 1 && self.facts.links[link].medium.is_some();
        if busy && !self.facts.may_fit(link, packets, bytes) {
            let packet = self.facts.packet_words(offer.packet, offer.path, Some(link));
            let capacity = self.facts.links[link].capacity;
            let what = format!("{packet}: {packets} packets, {bytes} B wait, the limit is {capacity:?}");
            self.found.push(Violation { rule: Rule::QueueLimit, time: offer.at, what });
        }
    }

    pub(super) fn drop_packet(&mut self, step: &Step<'_>, course: &Course, link: usize) {
        let packet = step.record.packet;
        let line = &mut self.links[link];
        if line.newcomer.take().is_none() {
            line.leave_queue(packet);
        }
        let (packets, bytes) = (line.waiting.len() as u64 + 1, line.waiting_bytes + u64::from(course.bytes));
        let idle = line.sending.is_none() && (packets == 1 || self.facts.links[link].medium.is_none());
        let room = idle || self.facts.fits(link, packets, bytes);
        let service = self.facts.links[link].service;
        if step.time != course.since && !service.drops_late {
            self.note(Rule::Drop, step, format!("dropped, but offered at {}", course.since));
        } else if room && service.drops_only_when_full {
            self.note(Rule::Drop, step, format!("dropped, with {} packets waiting", packets - 1));
        }
    }

    pub(super) fn start(&mut self, step: &Step<'_>, course: &Course, link: usize) {
        let packet = step.record.packet;
        let holds_back = self.facts.holds_back(link);
        let service = self.facts.links[link].service;
        let path = step.record.path;
        let collides = self.facts.links[link].medium.is_some_and(|medium| medium.collides);
        let meets = self.medium_busy(link);
        self.met.remove(&packet);
        if let Some((_, other)) = meets.filter(|_| collides) {
            self.met.extend([packet, other]);
        } else if let Some((other, busy_with)) = meets {
            let name = &self.facts.links[other].name;
            let what =
                format!("started while packet {busy_with} was being sent on link {name} of its medium");
            self.note(Rule::OneAtATime, step, what);
        }
        let line = &mut self.links[link];
        let first = line.waiting.iter().find(|offer| !service.overtakes || offer.path == path).copied();
        let offer = line.newcomer.take().or_else(|| line.leave_queue(packet));
        let busy_with = line.sending.replace(packet);
        let free_since = line.free_since;
        if self.facts.repeats(link) && !line.under_way.contains(&packet) {
            line.under_way.push_back(packet);
        }
        let first = first.filter(|first| first.packet != packet && course.stage == Stage::Offered);
        if let Some(first) = first {
            self.note(Rule::QueueOrder, step, format!("started before packet {}", first.packet));
        }
        if let Some(other) = busy_with {
            self.note(Rule::OneAtATime, step, format!("started while packet {other} was being sent"));
        } else if let Some(due) = offer.map(|offer| offer.at.max(free_since))
            && (step.time < due || step.time > due && !holds_back)
        {
            self.note(Rule::WorkConserving, step, format!("started, but due at {due}"));
        }
    }

    /// Another link of the same medium that is sending, and which packet.
    fn medium_busy(&self, link: usize) -> Option<(usize, u64)> {
        let number = |link: usize| self.facts.links[link].medium.map(|medium| medium.number);
        let medium = number(link)?;
        let others = (0..self.links.len()).filter(|other| *other != link);
        let mut others = others.filter(|other| number(*other) == Some(medium));
        others.find_map(|other| Some((other, self.links[other].sending?)))
    }

    pub(super) fn finish(&mut self, step: &Step<'_>, course: &Course, link: usize) {
        let line = &mut self.links[link];
        let busy_with = line.sending.take();
        line.free_since = step.time;
        if let Some(other) = busy_with.filter(|other| *other != step.record.packet) {
            self.note(Rule::OneAtATime, step, format!("sent while packet {other} was being sent"));
        }
        if let Err(wrong) = self.facts.check_transmission(link, course.since, step.time, course.bytes) {
            let took = step.time.since(course.since);
            self.note(Rule::LinkRate, step, format!("sent within {took}, {wrong}"));
        }
    }
}

impl Line {
    fn leave_queue(&mut self, packet: u64) -> Option<Offer> {
        let place = self.waiting.iter().position(|offer| offer.packet == packet)?;
        let offer = self.waiting.remove(place)?;
        self.waiting_bytes -= u64::from(offer.bytes);
        Some(offer)
    }
}
