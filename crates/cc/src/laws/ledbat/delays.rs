//! The base delay (minimum of the last minutes) and the current delay (minimum of the last few packets) of
//! RFC 6817 section 2.4.2. Both filters have a fixed size, so that a law can be cloned without an allocation.

use ackclock_base::{Span, Time};

/// The longest history of base delays, in minutes.
pub const MAX_MINUTES: usize = 20;

/// The greatest number of samples of the current delay.
pub const MAX_SAMPLES: usize = 16;

/// The delay of the path without a queue: the minimum of each minute, for some minutes.
#[derive(Clone, Debug)]
pub struct BaseDelay {
    minutes: usize,
    /// The minute of the newest sample.
    minute: u64,
    /// The minima, indexed by the minute modulo their number; [`Span::MAX`] for a minute without a sample.
    least: [Span; MAX_MINUTES],
}

impl BaseDelay {
    /// Creates a filter over `minutes` minutes.
    pub fn new(minutes: usize) -> Self {
        Self { minutes: minutes.clamp(1, MAX_MINUTES), minute: 0, least: [Span::MAX; MAX_MINUTES] }
    }

    /// Adds the delay of a packet.
    pub fn sample(&mut self, now: Time, delay: Span) {
        let minute = now.nanos() / 60_000_000_000;
        let passed = minute.saturating_sub(self.minute).min(self.minutes as u64);
        for ago in 0..passed {
            self.least[self.place(minute - ago)] = Span::MAX;
        }
        self.minute = self.minute.max(minute);
        let place = self.place(self.minute);
        self.least[place] = self.least[place].min(delay);
    }

    /// Returns the minimum; `None` before the first sample.
    pub fn least(&self) -> Option<Span> {
        self.least[..self.minutes].iter().copied().min().filter(|least| *least < Span::MAX)
    }

    fn place(&self, minute: u64) -> usize {
        (minute % self.minutes as u64) as usize
    }
}

/// The present delay: the minimum of the newest samples, so that a single late packet does not count as a
/// queue.
#[derive(Clone, Debug)]
pub struct CurrentDelay {
    samples: usize,
    next: usize,
    newest: [Span; MAX_SAMPLES],
}

impl CurrentDelay {
    /// Creates a filter over `samples` samples.
    pub fn new(samples: usize) -> Self {
        Self { samples: samples.clamp(1, MAX_SAMPLES), next: 0, newest: [Span::MAX; MAX_SAMPLES] }
    }

    /// Adds the delay of a packet.
    pub fn sample(&mut self, delay: Span) {
        self.newest[self.next] = delay;
        self.next = (self.next + 1) % self.samples;
    }

    /// Returns the minimum; `None` before the first sample.
    pub fn least(&self) -> Option<Span> {
        self.newest[..self.samples].iter().copied().min().filter(|least| *least < Span::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(ms: u64) -> Option<Span> {
        Some(Span::from_millis(ms))
    }

    #[test]
    fn a_base_delay_is_forgotten_after_its_minutes() {
        // 50 ms in minute 0; later samples are 80. With three minutes of history the 50 counts in minutes 0,
        // 1 and 2.
        let mut base = BaseDelay::new(3);
        assert_eq!(base.least(), None);
        base.sample(Time::from_seconds(1.0), Span::from_millis(50));
        for (seconds, least) in [(2.0, 50), (61.0, 50), (179.9, 50), (180.0, 80)] {
            base.sample(Time::from_seconds(seconds), Span::from_millis(80));
            assert_eq!(base.least(), millis(least), "{seconds} s");
        }
        // After an hour of silence all samples are forgotten.
        base.sample(Time::from_seconds(3780.0), Span::from_millis(90));
        assert_eq!(base.least(), millis(90));
    }

    #[test]
    fn the_current_delay_is_the_least_of_the_newest() {
        let mut current = CurrentDelay::new(3);
        assert_eq!(current.least(), None);
        for (ms, least) in [(70, 70), (60, 60), (90, 60), (80, 60), (85, 80)] {
            current.sample(Span::from_millis(ms));
            assert_eq!(current.least(), millis(least));
        }
    }
}
