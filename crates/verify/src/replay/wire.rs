//! Checks the laws of a wire: when a packet that was sent arrives.

use super::{Course, Replay, Step, verb};
use crate::Rule;
use ackclock_base::link::LinkRules;
use ackclock_base::{Span, Time};

impl Replay<'_> {
    /// Checks when a packet arrives: after the wire's delay, with jitter somewhat later, and not before those that were sent
    /// before it, unless packets may overtake one another. A packet that they hold up arrives with the last of them. A
    /// packet that skips the delay arrives as its transmission ends.
    pub(super) fn arrive(&mut self, step: &Step<'_>, course: &Course, link: usize) {
        self.check_collision(step);
        let LinkRules { jitter, reorders, skips, hold, .. } = self.network.links[link].rules;
        let earliest = course.since + self.network.wire(link, course.since);
        let latest = earliest + jitter;
        let last = std::mem::replace(&mut self.links[link].arrived, step.time);
        let held_up = !reorders && last > latest;
        let latest = if held_up { last } else { latest };
        self.check_slot(step, hold);
        if !(skips.is_some() && step.time == slot_end(course.since, hold)) {
            self.check_wire(step, slot_end(earliest, hold), slot_end(latest, hold));
        }
        // The replay goes by time, so a packet that overtook another is known by when it was sent.
        let newest = &mut self.links[link].newest_arrived;
        if course.since < *newest && !reorders {
            let what = format!("arrived after a packet whose transmission ended later, at {newest}");
            self.note(Rule::LinkDelay, step, what);
        } else {
            *newest = course.since.max(*newest);
        }
    }

    /// Checks when a packet arrives over a link that repeats: after the wire's delay, or with the packet whose first
    /// transmission was before its own. If that packet was lost, it arrives when the other end knows it.
    pub(super) fn arrive_in_turn(&mut self, step: &Step<'_>, course: &Course, link: usize) {
        let LinkRules { jitter, hold, skips, .. } = self.network.links[link].rules;
        let delay = self.network.wire(link, course.since);
        let least = if skips.is_some() { Span::ZERO } else { delay };
        let state = &mut self.links[link];
        let first = state.under_way.pop_front();
        let last = std::mem::replace(&mut state.arrived, step.time);
        // A packet that was given up in the same transmission opportunity, or later, is waited for until the other end knows it.
        let tells = self.network.links[link].medium.map_or(Span::ZERO, |medium| medium.tells);
        let told = state.lost.filter(|lost| *lost + tells >= course.since).map(|lost| lost + tells + delay);
        let earliest = slot_end(course.since + least, hold).max(last);
        let alone = slot_end(course.since + delay + jitter, hold);
        let latest = alone.max(last).max(told.unwrap_or_default()).max(state.wire_until);
        if let Some(other) = first.filter(|first| *first != step.record.packet) {
            state.under_way.retain(|under_way| *under_way != step.record.packet);
            self.note(
                Rule::LinkDelay,
                step,
                format!("arrived before packet {other}, which was first sent earlier"),
            );
        }
        // A packet that waited for another arrives with it, or when the other is known to be lost, whatever
        // the slots are.
        let waited = told.is_some() || step.time == last;
        if !waited {
            self.check_slot(step, hold);
        }
        self.check_wire(step, earliest, latest);
        self.check_collision(step);
    }

    /// Checks that no packet of a collision arrives.
    fn check_collision(&mut self, step: &Step<'_>) {
        if self.collided.contains(&step.record.packet) {
            self.note(Rule::OneAtATime, step, "arrived, though it collided on its medium".to_owned());
        }
    }

    /// Checks that a packet arrives at the end of a slot if the link has slots of the length `hold`.
    fn check_slot(&mut self, step: &Step<'_>, hold: Span) {
        if step.time != slot_end(step.time, hold) {
            self.note(Rule::LinkDelay, step, format!("arrived within a slot of {hold}, not at its end"));
        }
    }

    /// Checks that a packet is lost or arrives at a time from `earliest` to `latest`.
    pub(super) fn check_wire(&mut self, step: &Step<'_>, earliest: Time, latest: Time) {
        if step.time < earliest || step.time > latest {
            let due = if earliest == latest {
                format!("at {latest}")
            } else {
                format!("from {earliest} to {latest}")
            };
            self.note(Rule::LinkDelay, step, format!("{}, but due {due}", verb(step.record.event)));
        }
    }
}

/// Returns the end of the slot in which `at` lies, or `at` if `slot` is zero.
pub(super) fn slot_end(at: Time, slot: Span) -> Time {
    let into = at.nanos().checked_rem(slot.nanos()).unwrap_or(0);
    if into == 0 { at } else { at + slot.saturating_sub(Span::from_nanos(into)) }
}
