//! The event that wakes an end of a flow.

use crate::schedule::{Order, Schedule, SourceId};
use ackclock_base::Time;

/// The event that wakes an end for its timer. When a timer moves to a later time, the alarm stays and the
/// timer is checked when it goes off, because most timers move at every acknowledgement and never expire.
#[derive(Clone, Copy)]
pub(super) struct Alarm {
    source: SourceId,
    due: Time,
}

impl Alarm {
    pub(super) fn new(source: SourceId) -> Self {
        Self { source, due: Time::NEVER }
    }

    /// Moves the alarm to `timer` if that is earlier than its present time.
    #[inline]
    pub(super) fn set(&mut self, timer: Time, schedule: &mut Schedule) {
        if timer < self.due {
            self.due = timer;
            schedule.set(self.source, timer, Order::TIMER);
        }
    }

    /// Called when the alarm goes off. The alarm is off until it is set again.
    pub(super) fn goes_off(&mut self) {
        self.due = Time::NEVER;
    }

    /// Returns when the alarm goes off, which is never later than the end's timer.
    #[inline]
    pub(super) fn due(&self) -> Time {
        self.due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_that_moves_later_does_not_move_the_alarm() {
        let at = Time::from_nanos;
        let mut schedule = Schedule::default();
        let mut alarm = Alarm::new(schedule.add_source());
        let next = |schedule: &mut Schedule| schedule.next_before(Time::NEVER).map(|(time, _)| time);
        alarm.set(at(10), &mut schedule);
        alarm.set(at(30), &mut schedule);
        assert_eq!((alarm.due(), next(&mut schedule)), (at(10), Some(at(10))));
        alarm.goes_off();
        alarm.set(at(30), &mut schedule);
        alarm.set(at(20), &mut schedule);
        assert_eq!((alarm.due(), next(&mut schedule)), (at(20), Some(at(20))));
        assert_eq!(next(&mut schedule), None);
    }
}
