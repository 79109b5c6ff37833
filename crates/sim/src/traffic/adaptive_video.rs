//! Video whose viewer requests one segment after another over a TCP connection that stays open. The rate of
//! each segment follows from the throughput of the last ones. The viewer pauses while the playout buffer is
//! full.

use super::{Entry, RATE, Workload, application};
use crate::session::{Desk, Order, Session, SessionPlan, Viewing};
use ackclock_base::{Range, Rate, Span, Time, parameters};
use std::collections::VecDeque;
use std::sync::Arc;

/// The entry in the list of applications.
pub const ENTRY: Entry = Entry {
    descriptor: &application(
        "adaptive-video",
        "Requests segments of video over one connection, each at the encoding rate that the throughput of the last \
         segments allows, and pauses while the buffer is full",
        "RFC 7928 section 9.1, which leaves the rate adaptation to the tester",
        Parameters::TABLE,
    ),
    workload: Workload::Session(|values, payload_bytes| {
        Arc::new(AdaptiveVideo::of(&values.into(), payload_bytes))
    }),
};

parameters! {
    /// The ladder of rates, and the viewer's rule.
    pub struct Parameters {
        /// The lowest encoding rate of the video
        lowest: Rate = RATE.by_default("500 kbit/s"),
        /// The number of encoding rates of the video
        rungs: usize = integer("4", Range::between(1.0, 100.0), "none"),
        /// The ratio of each encoding rate of the video to the next lower rate
        step: f64 = number("2", Range { min: 1.0, max: 10.0, above_min: true }, "none"),
        /// The playing time of a segment
        segment: Span = time("4 s", Range::between(0.01, 3600.0), "none"),
        /// The playing time of a full buffer, at which requests pause; a time below `segment` counts as `segment`
        buffer: Span = time("20 s", Range::between(0.01, 36_000.0), "none"),
        /// The largest ratio of the encoding rate of the next segment to the mean throughput of the last `memory`
        /// segments; the lowest encoding rate is always allowed
        margin: f64 = number("0.8", Range { min: 0.0, max: 10.0, above_min: true }, "none"),
        /// The number of most recent segments over which throughput is averaged
        memory: usize = integer("3", Range::between(1.0, 1000.0), "none"),
    }
}

/// The video and its viewer's rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptiveVideo {
    /// The lowest rate in bits per second.
    pub lowest_bps: f64,
    /// The number of rates.
    pub rungs: usize,
    /// The ratio of each rate to the one below.
    pub step: f64,
    /// The playing time of a segment.
    pub segment: Span,
    /// The largest playing time in the buffer.
    pub buffer: Span,
    /// The largest ratio of the chosen rate to the throughput.
    pub margin: f64,
    /// The number of segments over which the throughput is averaged.
    pub memory: usize,
    /// The payload of a packet in bits.
    pub payload_bits: f64,
}

impl AdaptiveVideo {
    /// Creates the video from the parameters of a scenario, for packets of this payload.
    pub fn of(parameters: &Parameters, payload_bytes: u64) -> Self {
        let Parameters { lowest, rungs, step, segment, buffer, margin, memory } = *parameters;
        Self {
            lowest_bps: lowest.bits_per_second() as f64,
            rungs,
            step,
            segment,
            buffer: buffer.max(segment),
            margin,
            memory,
            payload_bits: payload_bytes as f64 * 8.0,
        }
    }

    fn rate_bps(&self, rung: usize) -> f64 {
        (0..rung).fold(self.lowest_bps, |rate, _| rate * self.step)
    }

    fn packets(&self, rung: usize) -> u64 {
        (self.rate_bps(rung) * self.segment.seconds() / self.payload_bits).ceil().max(1.0) as u64
    }

    /// Returns the highest rung that a throughput allows, or the lowest of all if it allows none. Rungs count
    /// from 0.
    fn rung_for(&self, throughput_bps: f64) -> usize {
        let allowed = self.margin * throughput_bps;
        (1..self.rungs).rev().find(|rung| self.rate_bps(*rung) <= allowed).unwrap_or(0)
    }
}

impl SessionPlan for AdaptiveVideo {
    fn build(&self) -> Box<dyn Session> {
        Box::new(Watching::new(*self))
    }
}

/// The state of the viewer.
#[derive(Clone, Debug)]
pub struct Watching {
    video: AdaptiveVideo,
    /// The rung of the segment under way, and the time at which it was requested.
    rung: usize,
    asked: Time,
    /// The throughputs of the last segments, in bits per second.
    throughputs: VecDeque<f64>,
    /// The playing time that was in the buffer at `seen`. Playing begins when the first segment has arrived.
    buffered: Span,
    seen: Time,
    playing: bool,
    viewing: Viewing,
}

impl Watching {
    /// Creates a viewer that has not begun.
    pub fn new(video: AdaptiveVideo) -> Self {
        Self {
            video,
            rung: 0,
            asked: Time::ZERO,
            throughputs: VecDeque::new(),
            buffered: Span::ZERO,
            seen: Time::ZERO,
            playing: false,
            viewing: Viewing::default(),
        }
    }

    fn ask(&mut self, at: Time, anew: bool, desk: &mut Desk<'_>) {
        self.asked = at;
        desk.tally.begin(at);
        desk.orders.push(Order { connection: 0, at, packets: self.video.packets(self.rung), anew });
    }

    /// Plays until `now`. If the buffer did not last until then, that counts as a stall, if `measured`.
    fn play(&mut self, now: Time, measured: bool) {
        let passed = now.since(self.seen);
        self.seen = now;
        if self.playing && passed > self.buffered && measured {
            self.viewing.stalls += 1;
            self.viewing.stalled += passed.saturating_sub(self.buffered);
        }
        if self.playing {
            self.buffered = self.buffered.saturating_sub(passed);
        }
    }
}

impl Session for Watching {
    fn begin(&mut self, now: Time, desk: &mut Desk<'_>) {
        self.ask(now, true, desk);
    }

    fn delivered(&mut self, now: Time, _connection: usize, desk: &mut Desk<'_>) {
        let measured = desk.tally.measures(now);
        self.play(now, measured);
        self.buffered += self.video.segment;
        self.playing = true;
        desk.tally.complete(self.asked, now);
        if measured {
            self.viewing.segments += 1;
            self.viewing.rates_bps += self.video.rate_bps(self.rung);
        }
        let bits = self.video.packets(self.rung) as f64 * self.video.payload_bits;
        self.throughputs.push_back(bits / now.since(self.asked).seconds().max(1e-9));
        if self.throughputs.len() > self.video.memory {
            self.throughputs.pop_front();
        }
        let mean = self.throughputs.iter().sum::<f64>() / self.throughputs.len() as f64;
        let rung = self.video.rung_for(mean);
        self.viewing.switches += u64::from(measured && rung != self.rung);
        self.rung = rung;
        // The viewer waits with the next request until a further segment fits into the buffer.
        let excess = (self.buffered + self.video.segment).saturating_sub(self.video.buffer);
        self.ask(now + excess, false, desk);
    }

    fn viewing(&self) -> Option<Viewing> {
        Some(self.viewing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Interval;
    use crate::random::Stream;
    use crate::session::Tally;

    /// Rates of 0.5, 1, 2 and 4 Mbit/s. A segment at the lowest rate has 2 Mbit, 250 packets of 1000 B.
    const USUAL: AdaptiveVideo = AdaptiveVideo {
        lowest_bps: 500_000.0,
        rungs: 4,
        step: 2.0,
        segment: Span::from_millis(4000),
        buffer: Span::from_millis(20_000),
        margin: 0.8,
        memory: 3,
        payload_bits: 8000.0,
    };

    #[test]
    fn rungs_follow_the_throughput() {
        let rungs = [0.1e6, 1.24e6, 1.25e6, 2.5e6, 4.9e6, 5e6, 1e9].map(|bps| USUAL.rung_for(bps));
        assert_eq!(rungs, [0, 0, 1, 2, 2, 3, 3]);
        assert_eq!([0, 1, 2, 3].map(|rung| USUAL.packets(rung)), [250, 500, 1000, 2000]);
    }

    #[test]
    fn the_buffer_fills_stalls_and_holds_back() {
        let mut watching = Watching::new(USUAL);
        let mut random = Stream::new(1, "video");
        let mut tally = Tally::new(Interval { from: Time::ZERO, to: Time::from_seconds(100.0) });
        let mut step = |seconds: f64, begins: bool| {
            let (now, mut orders) = (Time::from_seconds(seconds), Vec::new());
            let mut desk = Desk { random: &mut random, orders: &mut orders, tally: &mut tally };
            if begins {
                watching.begin(now, &mut desk)
            } else {
                watching.delivered(now, 0, &mut desk)
            }
            let [order] = orders.as_slice() else { panic!("{orders:?}") };
            (order.at.seconds(), order.packets, order.anew)
        };
        assert_eq!(step(0.0, true), (0.0, 250, true));
        // 2 Mbit arrive in 1 s. 80 % of 2 Mbit/s are 1.6 Mbit/s, so 1 Mbit/s is the highest allowed rate. The
        // buffer now holds 4 s.
        assert_eq!(step(1.0, false), (1.0, 500, false));
        // 4 Mbit arrive in 6 s. The mean of 2 and 0.667 Mbit/s is 1.333 Mbit/s, 80 % of which are 1.067. The
        // buffer lasted for 4 of the 6 s.
        assert_eq!(step(7.0, false), (7.0, 500, false));
        // 4 Mbit arrive in 0.1 s, at 40 Mbit/s. The mean of three is 14.2 Mbit/s. The buffer holds 4 - 0.1 +
        // 4 = 7.9 s.
        assert_eq!(step(7.1, false), (7.1, 2000, false));
        assert_eq!(step(7.2, false), (7.2, 2000, false)); // the buffer holds 11.8 s
        assert_eq!(step(7.3, false), (7.3, 2000, false)); // 15.7 s, and 19.7 s with the next segment
        // The buffer holds 19.6 s, so the next segment fits in 3.6 s.
        assert_eq!(step(7.4, false), (11.0, 2000, false));
        let Viewing { segments, rates_bps, switches, stalls, stalled } = watching.viewing().unwrap();
        assert_eq!((segments, switches, stalls, stalled), (6, 2, 1, Span::from_millis(2000)));
        assert_eq!(rates_bps, 0.5e6 + 1e6 + 1e6 + 3.0 * 4e6);
        assert_eq!((tally.begun(), tally.times().count()), (7, 6));
    }
}
