//! Checks the laws of a queue and its transmitter: which packets may wait, which one is next, and how long
//! its transmission takes.

use super::wire::slot_end;
use super::{Course, LinkState, Offer, Replay, Stage, Step};
use crate::rates::Sent;
use crate::{Rule, Violation};
use ackclock_base::link::LinkRules;
use ackclock_base::trace::Event;

impl Replay<'_> {
    /// Moves the newcomer of a link into the queue, since it was neither dropped nor sent at once.
    pub(super) fn admit_newcomer(&mut self, link: usize) {
        let state = &mut self.links[link];
        let Some(offer) = state.newcomer.take() else { return };
        state.waiting.push_back(offer);
        state.waiting_bytes += u64::from(offer.bytes);
        if self.network.links[link].service.drops_late {
            state.squeezed_in = Some(offer);
        } else {
            self.check_limit(link, offer);
        }
    }

    /// Checks the limit of a queue that may drop others to make room for a newcomer, when the instant at which it may do so is
    /// over.
    pub(super) fn check_squeezed_in(&mut self, step: &Step<'_>, link: usize) {
        let makes_room = matches!(step.record.event, Event::Dropped { .. });
        let waiting = self.links[link].squeezed_in.filter(|offer| !makes_room || step.time > offer.at);
        if let Some(offer) = waiting {
            self.links[link].squeezed_in = None;
            self.check_limit(link, offer);
        }
    }

    /// Checks that the waiting packets, with the packet that was offered last, fit into the queue. An idle
    /// link takes any packet.
    fn check_limit(&mut self, link: usize, offer: Offer) {
        let state = &self.links[link];
        let (packets, bytes) = (state.waiting.len() as u64, state.waiting_bytes);
        // Packets may wait at a station of a medium although it is sending none.
        let busy = state.sending.is_some() || packets > 1 && self.network.links[link].medium.is_some();
        if busy && !self.network.may_wait(link, packets, bytes) {
            let packet = self.network.packet_words(offer.packet, offer.path, Some(link));
            let limit = self.network.links[link].limit.map(|limit| limit.to_string()).unwrap_or_default();
            let what = format!(
                "{packet}: waiting packets, including this one: {packets} ({bytes} B), but the queue's limit is {limit}"
            );
            self.found.push(Violation { rule: Rule::QueueLimit, time: offer.at, what });
        }
    }

    /// Checks that a queue may drop a packet, and takes it out of the queue.
    pub(super) fn drop_packet(&mut self, step: &Step<'_>, course: &Course, link: usize) {
        let packet = step.record.packet;
        let state = &mut self.links[link];
        if state.newcomer.take().is_none() {
            state.leave_queue(packet);
        }
        let (packets, bytes) =
            (state.waiting.len() as u64 + 1, state.waiting_bytes + u64::from(course.bytes));
        // A station of a medium is not idle while another one has the medium or waits for its answer.
        let idle = state.sending.is_none() && self.network.links[link].medium.is_none();
        let room = idle || self.network.fits(link, packets, bytes);
        let service = self.network.links[link].service;
        if step.time != course.since && !service.drops_late {
            let what = format!("dropped after waiting since {}", course.since);
            self.note(Rule::Drop, step, format!("{what}, but the discipline drops packets only on arrival"));
        } else if room && service.drops_only_when_full {
            self.note(
                Rule::Drop,
                step,
                format!("dropped, but the queue had room; waiting packets: {}", packets - 1),
            );
        }
    }

    /// Checks that a packet may be sent now, and begins its transmission.
    pub(super) fn start(&mut self, step: &Step<'_>, course: &Course, link: usize) {
        let packet = step.record.packet;
        let holds_back = self.network.holds_back(link);
        let service = self.network.links[link].service;
        let path = step.record.path;
        let collides = self.network.links[link].medium.is_some_and(|medium| medium.collides);
        let other = self.medium_busy(link);
        self.collided.remove(&packet);
        if let Some((_, other)) = other.filter(|_| collides) {
            self.collided.extend([packet, other]);
        } else if let Some((other, busy_with)) = other {
            let name = &self.network.links[other].name;
            let what =
                format!("started while packet {busy_with} was being sent on link {name} of the same medium");
            self.note(Rule::OneAtATime, step, what);
        }
        let state = &mut self.links[link];
        let first = state.waiting.iter().find(|offer| !service.overtakes || offer.path == path).copied();
        let place = state.place_of(packet).unwrap_or(state.waiting.len());
        let offer = state.newcomer.take().or_else(|| state.leave_queue(packet));
        let busy_with = state.sending.replace(packet);
        state.waited = offer.is_some_and(|offer| offer.at < step.time);
        let free_since = state.free_since;
        if self.network.repeats(link) && !state.under_way.contains(&packet) {
            state.under_way.push_back(packet);
        }
        let first = first.filter(|first| first.packet != packet && course.stage == Stage::Offered);
        // In two queues that both keep their order, a packet that was overtaken overtakes no other: the one that overtook it is
        // in the other queue, and so is any that it overtakes itself, which started later although it was there before.
        let may_overtake =
            self.network.splits(path, course.hops) && !offer.is_some_and(|offer| offer.overtaken);
        if first.is_some() && may_overtake {
            let passed = self.links[link].waiting.iter_mut().take(place).filter(|other| other.path == path);
            passed.for_each(|other| other.overtaken = true);
        } else if let Some(first) = first {
            self.note(
                Rule::QueueOrder,
                step,
                format!("started before packet {}, which was ahead of it", first.packet),
            );
        }
        if let Some(other) = busy_with {
            self.note(Rule::OneAtATime, step, format!("started while packet {other} was being sent"));
        } else if let Some(due) = offer.map(|offer| offer.at.max(free_since))
            && (step.time < due || step.time > due && !holds_back)
        {
            self.note(Rule::WorkConserving, step, format!("started, but its start was due at {due}"));
        }
    }

    /// Returns another link of the same medium that is sending, with the packet that it sends; `None` if no
    /// other link sends.
    fn medium_busy(&self, link: usize) -> Option<(usize, u64)> {
        let number = |link: usize| self.network.links[link].medium.map(|medium| medium.number);
        let medium = number(link)?;
        let others = (0..self.links.len()).filter(|other| *other != link);
        let mut others = others.filter(|other| number(*other) == Some(medium));
        others.find_map(|other| Some((other, self.links[other].sending?)))
    }

    /// Checks how long a transmission took, and ends it.
    pub(super) fn finish(&mut self, step: &Step<'_>, course: &Course, link: usize) {
        let state = &mut self.links[link];
        let busy_with = state.sending.take();
        state.free_since = step.time;
        if let Some(other) = busy_with.filter(|other| *other != step.record.packet) {
            self.note(
                Rule::OneAtATime,
                step,
                format!("its transmission ended, but packet {other} was being sent"),
            );
        }
        if self.network.repeats(link) {
            let LinkRules { jitter, hold, .. } = self.network.links[link].rules;
            let leaves = slot_end(step.time + self.network.wire(link, step.time) + jitter, hold);
            let state = &mut self.links[link];
            state.wire_until = state.wire_until.max(leaves);
        }
        let facts = &self.network.links[link];
        let framing_bytes = facts.medium.map_or(0, |medium| medium.framing_bytes);
        let bytes = u64::from(course.bytes) + u64::from(framing_bytes);
        let state = &mut self.links[link];
        let sent = Sent { starts: course.since, ends: step.time, bytes, waited: state.waited };
        if let Err(wrong) = facts.rate.check(&sent, &mut state.spare) {
            let took = step.time.since(course.since);
            self.note(Rule::LinkRate, step, format!("its transmission took {took}: {wrong}"));
        }
    }
}

impl LinkState {
    /// Takes a packet out of the queue; `None` if it does not wait.
    fn leave_queue(&mut self, packet: u64) -> Option<Offer> {
        let place = self.place_of(packet)?;
        let offer = self.waiting.remove(place)?;
        self.waiting_bytes -= u64::from(offer.bytes);
        Some(offer)
    }

    /// Returns how many packets are ahead of a packet in the queue; `None` if it does not wait.
    fn place_of(&self, packet: u64) -> Option<usize> {
        self.waiting.iter().position(|offer| offer.packet == packet)
    }
}
