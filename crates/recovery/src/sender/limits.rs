//! What holds a sender back, and for how long.

use ackclock_base::{Span, Time};

/// The reason why a sender sends no more at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The congestion window, or loss detection, which limits what a recovery sends.
    Window,
    /// The pacer, or small queues: the host's own interface holds enough of the flow.
    Pacing,
    /// The window of the receiver.
    ReceiveWindow,
    /// The application, which has nothing more to send.
    Application,
}

impl Limit {
    /// All limits, in the order of [`Limits::spans`].
    pub const ALL: [Self; 4] = [Self::Window, Self::Pacing, Self::ReceiveWindow, Self::Application];
}

/// The time for which each limit has held a sender back.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    spans: [Span; 4],
    current: Option<Limit>,
    since: Time,
}

impl Limits {
    /// Records the limit that holds from `now` on; `None` before the sender begins and after it ends.
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

    /// Adds the time of the present limit up to `now`.
    fn settle(&mut self, now: Time) {
        if let Some(limit) = self.current {
            self.spans[limit as usize] += now.since(self.since);
        }
        self.since = self.since.max(now);
    }

    /// Returns the time of each limit up to `now`, in the order of [`Limit::ALL`].
    pub fn spans(&self, now: Time) -> [Span; 4] {
        let mut settled = self.clone();
        settled.settle(now);
        settled.spans
    }

    /// Adds the times of another sender, which has ended.
    pub(super) fn absorb(&mut self, other: &Self) {
        for (span, more) in self.spans.iter_mut().zip(other.spans) {
            *span += more;
        }
    }

    /// Restarts the times at the end of the warm-up.
    pub(super) fn reset(&mut self, now: Time) {
        (self.spans, self.since) = ([Span::ZERO; 4], self.since.max(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_counts_for_the_limit_in_force() {
        let at = Time::from_seconds;
        let mut limits = Limits::default();
        // The sender begins at 1 s and is limited by the window until 3 s, then by the application. The
        // warm-up ends at 2 s.
        limits.note(at(1.0), Some(Limit::Window));
        limits.note(at(1.5), Some(Limit::Window));
        limits.reset(at(2.0));
        limits.note(at(3.0), Some(Limit::Application));
        let seconds = |limits: &Limits, now| limits.spans(at(now)).map(Span::seconds);
        assert_eq!(seconds(&limits, 7.0), [1.0, 0.0, 0.0, 4.0]);
        // The sender ends at 5 s. Later time does not count.
        limits.note(at(5.0), None);
        assert_eq!(seconds(&limits, 7.0), [1.0, 0.0, 0.0, 2.0]);
        // The next connection begins at 6 s and adds the counts of the first.
        let mut next = Limits::default();
        next.note(at(6.0), Some(Limit::Pacing));
        next.absorb(&limits);
        assert_eq!(seconds(&next, 8.0), [1.0, 2.0, 0.0, 2.0]);
    }
}
