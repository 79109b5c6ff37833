//! The time in which a connection did not use its window. The increase of a law such as CUBIC's leaves this
//! time out.
//!
//! RFC 9438 section 4.2 counts the time of congestion avoidance; section 5.8 leaves out periods in which the
//! application limited the flow, idle ones among them. Linux does the same for idle ones
//! (`cubictcp_cwnd_event`, `CA_EVENT_TX_START`).

use ackclock_base::{Span, Time};

/// The pauses of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pauses {
    /// The time of the last event.
    heard: Time,
    total: Span,
}

impl Pauses {
    /// Records an event of a connection that uses its window.
    pub fn hear(&mut self, now: Time) {
        self.heard = now;
    }

    /// Records the end of a pause that began with the last event. Returns the pause's length.
    pub fn end(&mut self, now: Time) -> Span {
        let pause = now.since(std::mem::replace(&mut self.heard, now));
        self.total += pause;
        pause
    }

    /// Returns the total length of the pauses so far.
    pub fn total(&self) -> Span {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_the_time_from_the_last_event_to_its_end() {
        let mut pauses = Pauses::default();
        pauses.hear(Time::from_seconds(1.0));
        pauses.hear(Time::from_seconds(2.0));
        assert_eq!(pauses.end(Time::from_seconds(5.0)), Span::from_millis(3000));
        pauses.hear(Time::from_seconds(6.0));
        assert_eq!(pauses.end(Time::from_seconds(6.5)), Span::from_millis(500));
        assert_eq!(pauses.total(), Span::from_millis(3500));
    }
}
