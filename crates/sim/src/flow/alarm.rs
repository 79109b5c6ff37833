//! When the schedule wakes an end of a flow.

use crate::schedule::{Order, Schedule, SourceId};
use ackclock_base::Time;

/// The event by which an end is woken for its timer. A timer that moves to a later time is left where it is and looked at again when
/// the alarm goes off: most are moved at every acknowledgement and never expire.
#[derive(Clone, Copy)]
pub(super) struct Alarm {
    source: SourceId,
    due: Time,
    /// Where the end has been handed packets that arrive after that.
    after: Option<After>,
}

/// For when the alarm will be set when it has gone off.
#[derive(Clone, Copy)]
struct After {
    due: Time,
    /// Its place among events of the same time, if a packet that arrives later moves it.
    order: Option<Order>,
}

impl Alarm {
    pub(super) fn new(source: SourceId) -> Self {
        Self { source, due: Time::NEVER, after: None }
    }

    /// Sets the alarm, if the timer is due earlier than it.
    #[inline]
    pub(super) fn set(&mut self, timer: Time, schedule: &mut Schedule) {
        match &mut self.after {
            None if timer < self.due => {
                self.due = timer;
                let order = schedule.next_order(timer);
                schedule.set(self.source, timer, order);
            }
            Some(after) if timer < after.due => {
                *after = After { due: timer, order: Some(schedule.next_order(timer)) };
            }
            _ => {}
        }
    }

    /// The alarm goes off. Says whether anything may have to be done; otherwise it is set again.
    pub(super) fn goes_off(&mut self, schedule: &mut Schedule) -> bool {
        self.due = Time::NEVER;
        let Some(After { due, order }) = self.after.take() else { return true };
        if due < Time::NEVER {
            self.due = due;
            let order = order.unwrap_or_else(|| schedule.next_order(due));
            schedule.set(self.source, due, order);
        }
        false
    }

    /// Whether the end may be handed a packet that arrives then, whatever its timer says: it expires later.
    #[inline]
    pub(super) fn lets_pass(&self, arrives: Time) -> bool {
        arrives < self.after.map_or(self.due, |after| after.due)
    }

    /// The same with its timer as it is now. The packet may move that; so if the alarm goes off before the packet arrives, what it
    /// would find then is kept.
    pub(super) fn lets_pass_after(&mut self, arrives: Time, timer: Time) -> bool {
        let lets_pass = self.after.is_none() && self.due < arrives && arrives < timer;
        if lets_pass {
            self.after = Some(After { due: timer, order: None });
        }
        lets_pass
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    /// An alarm for 10 ns, and its schedule.
    fn alarm() -> (Alarm, Schedule) {
        let mut schedule = Schedule::default();
        let mut alarm = Alarm::new(schedule.add_source());
        alarm.set(at(10), &mut schedule);
        (alarm, schedule)
    }

    fn goes_off_at(schedule: &mut Schedule) -> Option<u64> {
        schedule.next_before(Time::NEVER).map(|(time, _)| time.nanos())
    }

    #[test]
    fn a_timer_that_moves_to_later_leaves_it_where_it_is() {
        let (mut alarm, mut schedule) = alarm();
        alarm.set(at(30), &mut schedule);
        assert_eq!(goes_off_at(&mut schedule), Some(10));
        assert!(alarm.goes_off(&mut schedule), "somebody has to look at the timer");
        alarm.set(at(30), &mut schedule);
        alarm.set(at(20), &mut schedule);
        assert_eq!(goes_off_at(&mut schedule), Some(20));
    }

    #[test]
    fn what_arrives_later_than_it_moves_it_only_when_it_has_gone_off() {
        // The alarm is at 10 ns, the timer at 25: a packet of 20 ns may pass, not one of 10, which may come before the alarm or after,
        // nor one of 25. It moves the timer to 40: when the alarm goes off at 10 it is set for 25, as if the packet had not come,
        // and goes off then.
        let (mut alarm, mut schedule) = alarm();
        assert!(alarm.lets_pass(at(9)) && !alarm.lets_pass(at(10)));
        assert!(!alarm.lets_pass_after(at(10), at(25)) && !alarm.lets_pass_after(at(25), at(25)));
        assert!(alarm.lets_pass_after(at(20), at(25)));
        alarm.set(at(40), &mut schedule);
        assert!(alarm.lets_pass(at(24)) && !alarm.lets_pass(at(25)));
        assert!(!alarm.lets_pass_after(at(26), at(40)), "only once in the time of an alarm");
        assert_eq!(goes_off_at(&mut schedule), Some(10));
        assert!(!alarm.goes_off(&mut schedule), "nothing was due then");
        assert_eq!(goes_off_at(&mut schedule), Some(25));
        assert!(alarm.goes_off(&mut schedule));
        assert_eq!(goes_off_at(&mut schedule), None);
    }

    #[test]
    fn what_arrives_later_may_make_the_next_one_earlier() {
        let (mut alarm, mut schedule) = alarm();
        assert!(alarm.lets_pass_after(at(20), Time::NEVER));
        alarm.set(at(30), &mut schedule);
        assert_eq!(goes_off_at(&mut schedule), Some(10));
        assert!(!alarm.goes_off(&mut schedule));
        assert_eq!(goes_off_at(&mut schedule), Some(30));
    }
}
