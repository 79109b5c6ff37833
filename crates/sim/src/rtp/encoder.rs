//! The encoder of a call: frames at fixed intervals, each of the size that the rate has at its time.

use crate::random::Stream;
use ackclock_base::{Random, Span, Time};

/// The time in which a call makes no frames: from the first time until before the second.
#[derive(Clone, Copy, Debug)]
pub struct Pause {
    /// When it begins.
    pub from: Time,
    /// When it is over.
    pub to: Time,
}

impl Pause {
    /// No pause.
    pub const NONE: Self = Self { from: Time::ZERO, to: Time::ZERO };

    fn holds(self, at: Time) -> bool {
        self.from <= at && at < self.to
    }

    /// Returns how much of the time from `begin` to `end` is outside of the pause.
    pub(super) fn outside(self, begin: Time, end: Time) -> Span {
        end.since(begin).saturating_sub(end.min(self.to).since(begin.max(self.from)))
    }
}

/// What an encoder has made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Encoded {
    /// The number of frames.
    pub frames: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// The frames of an encoder.
#[derive(Debug)]
pub struct Encoder {
    frames_per_second: f64,
    /// The largest share by which the size of a frame differs from its mean.
    variation: f64,
    random: Stream,
    begin: Time,
    pause: Pause,
    /// The number of the next frame, from 0. Those of the pause are never made.
    next: u64,
}

impl Encoder {
    /// Creates an encoder whose first frame is due at `begin`, or after the pause.
    pub fn new(frames_per_second: f64, variation: f64, random: Stream, begin: Time, pause: Pause) -> Self {
        let mut encoder = Self { frames_per_second, variation, random, begin, pause, next: 0 };
        encoder.skip_pause();
        encoder
    }

    fn skip_pause(&mut self) {
        if self.pause.holds(self.due()) {
            let frames = self.pause.to.since(self.begin).seconds() * self.frames_per_second;
            self.next = frames.ceil() as u64;
        }
    }

    /// Returns when the next frame is due. It is computed from the frame's number, so that rounding errors do not add up.
    pub fn due(&self) -> Time {
        self.begin + Span::from_seconds(self.next as f64 / self.frames_per_second)
    }

    /// Returns the size in bytes of the frame that is due, at this rate in bits per second.
    pub fn frame(&mut self, rate_bps: f64) -> u32 {
        self.next += 1;
        self.skip_pause();
        let factor = 1.0 + self.variation * (2.0 * self.random.uniform() - 1.0);
        let bytes = rate_bps / 8.0 / self.frames_per_second * factor;
        bytes.round().clamp(1.0, MAX_FRAME_BYTES) as u32
    }
}

/// The largest size of a frame in bytes: that of the highest rate at one frame per second, at most twice.
const MAX_FRAME_BYTES: f64 = 25e6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_their_size_and_their_time() {
        // 1.5 Mbit/s at 30 frames per second: 6250 B. Frame 3000 is due after 100 s.
        let mut encoder =
            Encoder::new(30.0, 0.0, Stream::new(1, "encoder"), Time::from_seconds(2.0), Pause::NONE);
        assert_eq!(encoder.due(), Time::from_seconds(2.0));
        (0..3000).for_each(|_| assert_eq!(encoder.frame(1.5e6), 6250));
        assert_eq!(encoder.due(), Time::from_seconds(102.0));
    }

    #[test]
    fn a_pause_has_no_frames() {
        // Ten frames per second from 2 s on: those of 2.0 and 2.1 s, and after the pause from 2.15 to 3 s again from 3.0 s on.
        let pause = Pause { from: Time::from_seconds(2.15), to: Time::from_seconds(3.0) };
        let begin = Time::from_seconds(2.0);
        let mut encoder = Encoder::new(10.0, 0.0, Stream::new(1, "encoder"), begin, pause);
        let due: Vec<f64> = (0..4)
            .map(|_| {
                let due = encoder.due().seconds();
                encoder.frame(1e6);
                due
            })
            .collect();
        assert_eq!(due, [2.0, 2.1, 3.0, 3.1]);
        // A call that begins in its pause makes its first frame at the first of its own times after it.
        let begin = Time::from_seconds(2.95);
        let first = Encoder::new(10.0, 0.0, Stream::new(1, "encoder"), begin, pause).due();
        assert_eq!(first, Time::from_seconds(3.05));
    }

    #[test]
    fn time_is_counted_outside_of_a_pause() {
        let pause = Pause { from: Time::from_seconds(2.0), to: Time::from_seconds(5.0) };
        let outside =
            |begin, end| pause.outside(Time::from_seconds(begin), Time::from_seconds(end)).seconds();
        assert_eq!([outside(0.0, 1.0), outside(1.0, 3.0), outside(3.0, 4.0)], [1.0, 1.0, 0.0]);
        assert_eq!([outside(1.0, 6.0), outside(4.0, 7.0), outside(6.0, 7.0)], [2.0, 2.0, 1.0]);
        let begin = Time::from_seconds(1.0);
        assert_eq!(Pause::NONE.outside(begin, Time::from_seconds(3.0)).seconds(), 2.0);
    }

    #[test]
    fn sizes_vary_evenly_around_their_mean() {
        // Evenly from 0.8 to 1.2 of 6250 B: 5000 to 7500, with a standard deviation of 2500 / sqrt(12) = 722. Of 3000 the mean is
        // within 4 * 722 / sqrt(3000) = 53 of 6250.
        let mut encoder = Encoder::new(30.0, 0.2, Stream::new(1, "encoder"), Time::ZERO, Pause::NONE);
        let sizes: Vec<u32> = (0..3000).map(|_| encoder.frame(1.5e6)).collect();
        assert!(sizes.iter().all(|size| (5000..=7500).contains(size)));
        assert!(sizes.iter().any(|size| *size < 5010) && sizes.iter().any(|size| *size > 7490));
        let mean = sizes.iter().sum::<u32>() as f64 / 3000.0;
        assert!((mean - 6250.0).abs() < 53.0, "{mean}");
    }
}
