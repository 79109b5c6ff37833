//! The frames of a call at the receiver. A frame is complete with its last packet, and is shown at once unless a newer one has been
//! shown. Frames that miss a packet are skipped; the decoder needs no other frame to show one.

use super::encoder::Pause;
use crate::histogram::Histogram;
use ackclock_base::{Span, Time};
use std::collections::{BTreeMap, VecDeque};

/// The number of shown frames over which the mean time between two is taken (W3C, Identifiers for WebRTC's Statistics API, freezeCount).
const MEAN_OVER: usize = 30;
/// By how much the time between two shown frames exceeds the mean at least if it is a freeze, unless three times the mean is longer (the same).
const FREEZES_AFTER: Span = Span::from_millis(150);
/// The number of incomplete frames that are kept. Packets of older ones come too late for any purpose.
const MAX_INCOMPLETE: usize = 1000;

/// The frames at the receiver, and the measurements of them.
#[derive(Debug)]
pub struct Playout {
    /// The time from the capture of a frame after which it is late.
    deadline: Span,
    /// The time in which the call makes no frames, which is no freeze.
    pause: Pause,
    /// Frames captured before this time are not counted.
    counts_from: Time,
    /// The number of packets that each incomplete frame misses, by the time of its capture.
    missing: BTreeMap<Time, u32>,
    /// When the newest frame that was shown was captured, and when it was shown.
    shown: Option<(Time, Time)>,
    /// The times between the last shown frames.
    intervals: VecDeque<Span>,
    frames: Frames,
}

/// What has been measured of the frames that arrived.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    /// The times from the capture of a frame to the arrival of its last packet, of complete frames.
    pub delays: Histogram,
    /// The number of complete frames that were late.
    pub late: u64,
    /// The number of freezes.
    pub freezes: u64,
    /// The duration of all freezes.
    pub frozen: Span,
}

impl Playout {
    /// Creates a receiver of frames, which are late `deadline` after their capture, of a call with this pause.
    pub fn new(deadline: Span, pause: Pause) -> Self {
        Self {
            deadline,
            pause,
            counts_from: Time::ZERO,
            missing: BTreeMap::new(),
            shown: None,
            intervals: VecDeque::new(),
            frames: Frames::default(),
        }
    }

    /// Called when a packet arrives that has not arrived before, of the frame captured at `captured`, which has `packets` packets.
    pub fn take(&mut self, now: Time, captured: Time, packets: u32) {
        let missing = self.missing.entry(captured).or_insert(packets);
        *missing = missing.saturating_sub(1);
        if *missing == 0 {
            self.missing.remove(&captured);
            self.complete(now, captured);
        } else if self.missing.len() > MAX_INCOMPLETE {
            self.missing.pop_first();
        }
    }

    fn complete(&mut self, now: Time, captured: Time) {
        if captured >= self.counts_from {
            let delay = now.since(captured);
            self.frames.delays.record(delay);
            self.frames.late += u64::from(delay > self.deadline);
        }
        let Some((newest, at)) = self.shown else {
            self.shown = Some((captured, now));
            return;
        };
        if captured < newest {
            return;
        }
        let interval = self.pause.outside(at, now);
        self.frames.add_freeze(self.freeze(interval));
        self.intervals.push_back(interval);
        if self.intervals.len() > MEAN_OVER {
            self.intervals.pop_front();
        }
        self.shown = Some((captured, now));
    }

    /// Returns the time between two shown frames if it is a freeze.
    fn freeze(&self, interval: Span) -> Option<Span> {
        let sum = self.intervals.iter().fold(Span::ZERO, |sum, interval| sum + *interval);
        let mean = sum / (self.intervals.len() as u64).max(1);
        let least = (mean * 3).max(mean + FREEZES_AFTER);
        (!self.intervals.is_empty() && interval >= least).then_some(interval)
    }

    /// Resets the measurements. Frames captured before `now` are not counted from now on.
    pub fn reset(&mut self, now: Time) {
        self.counts_from = now;
        self.frames = Frames::default();
    }

    /// Returns the measurements as of `until`, at which no frame has been shown for so long that it may be a freeze.
    pub fn frames(&self, until: Time) -> Frames {
        let mut frames = self.frames.clone();
        if let Some((_, at)) = self.shown {
            frames.add_freeze(self.freeze(self.pause.outside(at, until)));
        }
        frames
    }
}

impl Frames {
    fn add_freeze(&mut self, freeze: Option<Span>) {
        if let Some(frozen) = freeze {
            self.freezes += 1;
            self.frozen += frozen;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY: Span = Span::from_millis(60);

    fn at(frame: u64) -> Time {
        Time::ZERO + Span::from_millis(40) * frame
    }

    /// Returns a receiver that got frames each 40 ms, of two packets each, `DELAY` after their capture, but for those of which one packet
    /// is missing.
    fn after(frames: u64, incomplete: std::ops::Range<u64>) -> Playout {
        let mut playout = Playout::new(Span::from_millis(150), Pause::NONE);
        for frame in 0..frames {
            let packets = if incomplete.contains(&frame) { 1 } else { 2 };
            (0..packets).for_each(|_| playout.take(at(frame) + DELAY, at(frame), 2));
        }
        playout
    }

    #[test]
    fn a_frame_is_complete_with_its_last_packet() {
        let mut playout = after(10, 4..5);
        let until = at(9) + DELAY;
        assert_eq!(playout.frames(until).delays.count(), 9);
        assert_eq!((playout.frames(until).late, playout.frames(until).freezes), (0, 0));
        // The last packet of frame 4 comes 300 ms after its capture: late, and not shown any more.
        playout.take(at(4) + Span::from_millis(300), at(4), 2);
        let frames = playout.frames(until);
        assert_eq!((frames.delays.count(), frames.late), (10, 1));
        assert_eq!(playout.shown.map(|(captured, _)| captured), Some(at(9)));
    }

    #[test]
    fn a_freeze_is_what_the_identifiers_of_webrtc_s_statistics_define() {
        // The mean is 40 ms, so a freeze is at least max(120, 190) = 190 ms: five frames of 40 ms, of which four are missing.
        assert_eq!(after(40, 20..23).frames(at(39) + DELAY).freezes, 0);
        let frames = after(40, 20..24).frames(at(39) + DELAY);
        assert_eq!((frames.freezes, frames.frozen), (1, Span::from_millis(200)));
    }

    #[test]
    fn a_call_that_ends_in_a_freeze_has_one() {
        let playout = after(40, 0..0);
        let last = at(39) + DELAY;
        assert_eq!(playout.frames(last + Span::from_millis(189)).freezes, 0);
        let frames = playout.frames(last + Span::from_millis(5000));
        assert_eq!((frames.freezes, frames.frozen), (1, Span::from_millis(5000)));
    }

    #[test]
    fn a_pause_is_no_freeze() {
        // Frames 20 to 49 are not made: the pause ends with the capture of frame 50, which is shown 60 ms later.
        let pause = Pause { from: at(20), to: at(50) };
        let mut playout = Playout::new(Span::from_millis(150), pause);
        for frame in (0..20).chain(50..60) {
            playout.take(at(frame) + DELAY, at(frame), 1);
        }
        assert_eq!(playout.frames(at(59) + DELAY).freezes, 0);
        // Four frames of 40 ms are missing after the pause, and the next one is shown 60 ms after its capture.
        let mut playout = Playout::new(Span::from_millis(150), pause);
        for frame in (0..20).chain(54..60) {
            playout.take(at(frame) + DELAY, at(frame), 1);
        }
        let frames = playout.frames(at(59) + DELAY);
        assert_eq!((frames.freezes, frames.frozen), (1, Span::from_millis(220)));
    }

    #[test]
    fn only_frames_that_are_captured_in_measured_time_count() {
        let mut playout = after(10, 4..5);
        playout.reset(at(4) + Span::from_nanos(1));
        playout.take(at(9), at(4), 2);
        assert_eq!(playout.frames(at(9)).delays.count(), 0);
        playout.take(at(12), at(10), 1);
        assert_eq!(playout.frames(at(12)).delays.count(), 1);
    }
}
