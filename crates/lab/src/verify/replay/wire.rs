//! The laws of a wire: when what was sent arrives.

use super::{Course, Replay, Step, verb};
use crate::verify::{LinkFacts, Rule};
use ackclock_base::{Span, Time};

impl Replay<'_> {
    /// A packet arrives after the wire's delay; with jitter somewhat later, and not before those that were sent before it
    /// unless the link lets packets overtake. One that they hold up arrives with the last of them.
    pub(super) fn arrive(&mut self, step: &Step<'_>, course: &Course, link: usize) {
        self.check_met(step);
        let LinkFacts { jitter, reorders, .. } = self.facts.links[link];
        let earliest = course.since + self.facts.wire(link, course.since);
        let latest = earliest + jitter;
        let last = std::mem::replace(&mut self.links[link].arrived, step.time);
        let held_up = !reorders && last > latest;
        let latest = if held_up { last } else { latest };
        let hold = self.facts.links[link].hold;
        self.check_slot(step, hold);
        self.check_wire(step, slot_end(earliest, hold), slot_end(latest, hold));
        // In the order of time nothing arrives before the last: what overtook shows by when it was sent.
        let newest = &mut self.links[link].newest_arrived;
        if course.since < *newest && !reorders {
            let what = format!("arrived after a packet that was sent later, at {newest}");
            self.note(Rule::LinkDelay, step, what);
        } else {
            *newest = course.since.max(*newest);
        }
    }

    /// Where a link repeats, a packet arrives after the wire's delay or with the one that was sent first before it; if the last
    /// of those was lost, when the other end has been told so.
    pub(super) fn arrive_in_turn(&mut self, step: &Step<'_>, course: &Course, link: usize) {
        let LinkFacts { jitter, hold, .. } = self.facts.links[link];
        let delay = self.facts.wire(link, course.since);
        let line = &mut self.links[link];
        let first = line.under_way.pop_front();
        let last = std::mem::replace(&mut line.arrived, step.time);
        // One that was given up in the same turn, or later, is waited for until that is known.
        let tells = self.facts.links[link].medium.map_or(Span::ZERO, |medium| medium.tells);
        let told = line.lost.filter(|lost| *lost + tells >= course.since).map(|lost| lost + tells + delay);
        let earliest = (course.since + delay).max(last);
        let latest = (course.since + delay + jitter).max(last).max(told.unwrap_or_default());
        if let Some(other) = first.filter(|first| *first != step.record.packet) {
            line.under_way.retain(|under_way| *under_way != step.record.packet);
            self.note(
                Rule::LinkDelay,
                step,
                format!("arrived before packet {other}, which was sent before it"),
            );
        }
        self.check_slot(step, hold);
        self.check_wire(step, slot_end(earliest, hold), slot_end(latest, hold));
        self.check_met(step);
    }

    fn check_met(&mut self, step: &Step<'_>) {
        if self.met.contains(&step.record.packet) {
            self.note(Rule::OneAtATime, step, "arrived, though another met it on its medium".to_owned());
        }
    }

    /// Where there are slots, packets are handed over at their ends.
    fn check_slot(&mut self, step: &Step<'_>, hold: Span) {
        if step.time != slot_end(step.time, hold) {
            self.note(Rule::LinkDelay, step, format!("arrived within a slot of {hold}"));
        }
    }

    pub(super) fn check_wire(&mut self, step: &Step<'_>, earliest: Time, latest: Time) {
        if step.time < earliest || step.time > latest {
            let due =
                if earliest == latest { format!("{latest}") } else { format!("{earliest} to {latest}") };
            self.note(Rule::LinkDelay, step, format!("{}, but due at {due}", verb(step.record.event)));
        }
    }
}

/// The end of the slot in which an instant lies; the instant itself where there are none.
fn slot_end(at: Time, slot: Span) -> Time {
    let into = at.nanos().checked_rem(slot.nanos()).unwrap_or(0);
    if into == 0 { at } else { at + slot.saturating_sub(Span::from_nanos(into)) }
}
