//! HEARTBEATs of a path (RFC 9260 section 8.3). One is sent when the path has been idle for the interval and
//! an RTO, give or take half of the RTO, and one at once when the path fails. A HEARTBEAT that is not
//! answered within an RTO counts as an error.

use super::association::{Association, Unanswered};
use super::details::{Details, HeartbeatRepeat};
use super::message::{Control, ControlKind, Message, MessageWire};
use super::path::Path;
use super::reachability::State;
use ackclock_base::{Random, Span, Time};

/// The HEARTBEATs of a path.
#[derive(Clone, Copy, Debug)]
pub struct Heartbeat {
    interval: Option<Span>,
    /// The time from which idleness counts: when new data or a HEARTBEAT was last sent, or of [`Self::wait`].
    /// [`Time::NEVER`] if none has happened yet.
    idle_since: Time,
    /// The time for which the path may be idle before a HEARTBEAT is sent.
    patience: Span,
    /// The time by which the last HEARTBEAT must be answered; `None` if no HEARTBEAT waits for an answer.
    answer_by: Option<Time>,
}

/// The event that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// A HEARTBEAT has to be sent.
    Heartbeat,
    /// The last HEARTBEAT was not answered in time.
    NoAnswer,
}

impl Heartbeat {
    /// Creates the HEARTBEATs with this interval; `None` for no HEARTBEATs.
    pub fn new(interval: Option<Span>) -> Self {
        let (idle_since, patience, answer_by) = (Time::NEVER, Span::ZERO, None);
        Self { interval, idle_since, patience, answer_by }
    }

    /// Starts the idle time at `now`. A HEARTBEAT is due after the interval and an RTO, give or take half of
    /// the RTO. If the path may have failed, it is due after exactly an RTO, whatever the interval (RFC 7829
    /// section 3).
    pub fn wait(&mut self, now: Time, rto: Span, may_have_failed: bool, random: &mut dyn Random) {
        self.idle_since = now;
        self.wait_longer(rto, may_have_failed, random);
    }

    /// Recomputes for this RTO how long the path may be idle, as in [`Self::wait`]. The time from which
    /// idleness counts stays as it is, even if a HEARTBEAT has not been answered.
    pub fn wait_longer(&mut self, rto: Span, may_have_failed: bool, random: &mut dyn Random) {
        self.patience = match self.interval {
            //= RFC 9260 section 8.3: a HEARTBEAT is sent over an idle path after HB.interval plus the RTO, with a jitter of +/- 50 % of the RTO
            Some(interval) if !may_have_failed => interval + rto.scale(0.5 + random.uniform()),
            _ => rto,
        };
    }

    /// Restarts the idle time. Called when new data is sent over the path. A retransmission, which measures
    /// no round trip, leaves the path idle (RFC 9260 section 8.3).
    #[inline]
    pub fn on_sent(&mut self, now: Time) {
        self.idle_since = now;
    }

    /// Restarts the idle time and starts the wait for an answer. Called when a HEARTBEAT is sent, which has
    /// to be answered within `rto`.
    pub fn on_asked(&mut self, now: Time, rto: Span) {
        (self.idle_since, self.answer_by) = (now, Some(now + rto));
    }

    /// Ends the wait for an answer. Called when a HEARTBEAT is answered or given up.
    pub fn on_answered(&mut self) {
        self.answer_by = None;
    }

    /// Returns whether a HEARTBEAT waits for its answer.
    pub fn is_asked(&self) -> bool {
        self.answer_by.is_some()
    }

    /// Stops HEARTBEATs for good, and the wait for an answer.
    pub fn stop(&mut self) {
        (self.answer_by, self.interval, self.idle_since) = (None, None, Time::NEVER);
    }

    /// Returns when the answer to a HEARTBEAT is overdue or, if none is awaited, when the next HEARTBEAT has
    /// to be sent; [`Time::NEVER`] if neither is to come.
    #[inline]
    pub fn timer(&self) -> Time {
        match self.answer_by {
            Some(by) => by,
            None if self.interval.is_none() || self.idle_since == Time::NEVER => Time::NEVER,
            None => self.idle_since + self.patience,
        }
    }

    /// Returns the event that is due at `now`; `None` if none is.
    pub fn due(&self, now: Time) -> Option<Due> {
        (now >= self.timer()).then(|| if self.answer_by.is_some() { Due::NoAnswer } else { Due::Heartbeat })
    }
}

impl Association {
    /// Sends a HEARTBEAT over path `index`. If an earlier one still waits for its answer, because a timeout
    /// over data has made the path fail meanwhile, the new one replaces it. The earlier one counts as lost,
    /// but as no error besides that of the timeout (RFC 9260 section 8.3), since its own time is not up.
    pub(super) fn send_heartbeat(&mut self, now: Time, index: usize, wire: &mut impl MessageWire) {
        self.counts.heartbeats += 1;
        self.counts.heartbeats_lost += u64::from(self.paths[index].heartbeat.is_asked());
        let control = Control { kind: ControlKind::Heartbeat, sent: now, tag: 0 };
        wire.send(index, &Message::Control(control));
        let path = &mut self.paths[index];
        path.heartbeat.on_asked(now, path.sender.rto());
        self.wait_longer_for_heartbeat(index);
    }

    pub(super) fn on_heartbeat_ack(
        &mut self,
        now: Time,
        index: usize,
        sent: Time,
        wire: &mut impl MessageWire,
    ) {
        if self.is_over() || !self.is_established() || sent > now {
            return;
        }
        let path = &mut self.paths[index];
        path.heartbeat.on_answered();
        path.sender.on_probe_answered(now, sent);
        path.note_rtt(now.since(sent));
        let works = path.reachability.state == State::Active;
        self.on_success(index);
        // The next HEARTBEAT remains due after the idle time that began when the answered one was sent: the
        // interval and the RTO of that moment, give or take half of the RTO (ns-2's
        // HeartbeatGenTimerExpiration). Only a path that was not active begins its idle time anew, at this
        // answer.
        if !works {
            self.wait_for_heartbeat(now, index);
        }
        self.burst = self.options.burst(false);
        self.send_all(now, wire);
    }

    pub(super) fn wait_for_heartbeat(&mut self, now: Time, index: usize) {
        let Self { paths, random, .. } = self;
        let Path { heartbeat, sender, reachability, .. } = &mut paths[index];
        heartbeat.wait(now, sender.rto(), reachability.state == State::PotentiallyFailed, random);
    }

    /// Called when a HEARTBEAT has not been answered within an RTO. Counts an error, which may make the path
    /// or the association fail, and sends or schedules the next HEARTBEAT.
    pub(super) fn on_no_heartbeat_ack(&mut self, now: Time, index: usize, wire: &mut impl MessageWire) {
        let path = &mut self.paths[index];
        path.heartbeat.on_answered();
        path.sender.on_no_answer();
        self.counts.heartbeats_lost += 1;
        let fails = self.on_error(now, index, Unanswered::Heartbeat);
        if self.failed_at().is_some() {
            return;
        }
        if self.asks_again(index, fails) {
            self.send_heartbeat(now, index, wire);
        } else {
            self.wait_longer_for_heartbeat(index);
        }
        self.send_all(now, wire);
    }

    /// Called when the timer of path `index` has expired over data. Sends a HEARTBEAT at once if the path is
    /// inactive and [`Self::asks_again`] allows it. `fails` tells whether this timeout has made it inactive.
    pub(super) fn ask_failed(&mut self, now: Time, index: usize, fails: bool, wire: &mut impl MessageWire) {
        if self.asks_again(index, fails) && self.paths[index].reachability.state == State::Inactive {
            self.send_heartbeat(now, index, wire);
        }
    }

    /// Returns whether a HEARTBEAT follows at once on a message that was not answered in time.
    /// `heartbeat_repeat` decides: if the path is inactive and has become so just now (`fails`), if it is
    /// inactive, or always. In the first two cases none follows on a path that new data takes for want of a
    /// better one, since it is not idle.
    fn asks_again(&self, index: usize, fails: bool) -> bool {
        let Details { heartbeat_repeat, heartbeat_interval, .. } = &self.options.details;
        let has_failed = self.paths[index].reachability.state == State::Inactive && index != self.current;
        let is_due = match heartbeat_repeat {
            HeartbeatRepeat::Interval => fails && has_failed,
            HeartbeatRepeat::WhenFailed => has_failed,
            HeartbeatRepeat::Always => true,
        };
        heartbeat_interval.is_some() && is_due
    }

    /// Recomputes when the next HEARTBEAT is due, from the path's present RTO. The time from which idleness
    /// counts stays as it is.
    fn wait_longer_for_heartbeat(&mut self, index: usize) {
        let Self { paths, random, .. } = self;
        let Path { heartbeat, sender, reachability, .. } = &mut paths[index];
        heartbeat.wait_longer(sender.rto(), reachability.state == State::PotentiallyFailed, random);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::random::Scripted;

    //= test RFC 9260 section 8.3
    #[test]
    fn a_heartbeat_is_due_after_the_interval_and_a_random_rto() {
        let (start, rto) = (Time::from_seconds(10.0), Span::from_millis(1000));
        let mut heartbeat = Heartbeat::new(Some(Span::from_millis(30_000)));
        assert_eq!(heartbeat.timer(), Time::NEVER);
        // The first is due at 10 + 30 + 1 * (0.5 + 0.25) s.
        heartbeat.wait(start, rto, false, &mut Scripted::new(&[0.25]));
        assert_eq!(heartbeat.timer(), Time::from_seconds(40.75));
        heartbeat.on_sent(Time::from_seconds(12.0));
        assert_eq!(heartbeat.timer(), Time::from_seconds(42.75));
        heartbeat.on_asked(Time::from_seconds(42.75), rto);
        assert_eq!(heartbeat.due(Time::from_seconds(43.7)), None);
        assert_eq!(heartbeat.due(Time::from_seconds(43.75)), Some(Due::NoAnswer));
        heartbeat.on_answered();
        // The RTO is doubled, and idleness still counts from the HEARTBEAT at 42.75 s: 42.75 + 30 + 2 * (0.5
        // + 0.5) s.
        heartbeat.wait_longer(Span::from_millis(2000), false, &mut Scripted::new(&[0.5]));
        assert_eq!(heartbeat.timer(), Time::from_seconds(74.75));
        heartbeat.wait(start, rto, true, &mut Scripted::new(&[]));
        assert_eq!(heartbeat.timer(), Time::from_seconds(11.0));
    }
}
