//! What holds a sender back, and for how long.

use ackclock_base::{Span, Time};

/// What holds a sender back at the moment: why it sends no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The congestion window, or what the detection of losses lets out in a recovery.
    Window,
    /// The pacer, or small queues: the host's own interface holds enough of the flow.
    Pacing,
    /// The window of the receiver.
    ReceiveWindow,
    /// The application, which has nothing more to send.
    Application,
}

impl Limit {
    /// All of them, in the order of [`Limits::spans`].
    pub const ALL: [Self; 4] = [Self::Window, Self::Pacing, Self::ReceiveWindow, Self::Application];
}

/// For how long each of them has held a sender back.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    spans: [Span; 4],
    current: Option<Limit>,
    since: Time,
}

impl Limits {
    /// Notes what holds the sender back from now on; `None` where it has not begun or has ended.
    #[inline]
    pub fn note(&mut self, now: Time, limit: Option<Limit>) {
        if limit != self.current {
            self.change(now, limit);
        }
    }

    #[cold]
    fn change(&mut self, now: Time, limit: Option<Limit>) {
        self.settle(now);
        self.current = limit;
    }

    /// Adds the time up to `now`.
    fn settle(&mut self, now: Time) {
        if let Some(limit) = self.current {
            self.spans[limit as usize] += now.since(self.since);
        }
        self.since = self.since.max(now);
    }

    /// Returns the time that each limit has had up to `now`, in the order of [`Limit::ALL`].
    pub fn spans(&self, now: Time) -> [Span; 4] {
        let mut settled = self.clone();
        settled.settle(now);
        settled.spans
    }

    /// Adds what another sender has counted that has ended.
    pub(super) fn absorb(&mut self, other: &Self) {
        for (span, more) in self.spans.iter_mut().zip(other.spans) {
            *span += more;
        }
    }

    /// Starts anew at the end of the warm-up.
    pub(super) fn reset(&mut self, now: Time) {
        (self.spans, self.since) = ([Span::ZERO; 4], self.since.max(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_to_what_held_the_sender_back_then() {
        let at = Time::from_seconds;
        let mut limits = Limits::default();
        // Begins at 1 s, held back by the window until 3 s, then by the application; the warm-up ends at 2 s.
        limits.note(at(1.0), Some(Limit::Window));
        limits.note(at(1.5), Some(Limit::Window));
        limits.reset(at(2.0));
        limits.note(at(3.0), Some(Limit::Application));
        let seconds = |limits: &Limits, now| limits.spans(at(now)).map(Span::seconds);
        assert_eq!(seconds(&limits, 7.0), [1.0, 0.0, 0.0, 4.0]);
        // Ends at 5 s: what follows counts for nothing.
        limits.note(at(5.0), None);
        assert_eq!(seconds(&limits, 7.0), [1.0, 0.0, 0.0, 2.0]);
        // A connection that follows it at 6 s takes its counts over.
        let mut next = Limits::default();
        next.note(at(6.0), Some(Limit::Pacing));
        next.absorb(&limits);
        assert_eq!(seconds(&next, 8.0), [1.0, 2.0, 0.0, 2.0]);
    }
}
