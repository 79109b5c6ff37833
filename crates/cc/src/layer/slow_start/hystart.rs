//! HyStart as in Linux (Ha and Rhee 2008; tcp_cubic.c): slow start ends when the closely spaced
//! acknowledgements of a round have lasted for half of the minimum round trip, or when the round trips of a
//! round have risen. Unlike RFC 9406's HyStart++ it ends at once, and it also serves the slow starts after
//! timeouts.

use super::{ended, has_grown};
use crate::classic::Window;
use crate::control::{Ack, Loss, Timeout};
use crate::entry::LayerEntry;
use crate::layer::Layer;
use ackclock_base::{Descriptor, Kind, Packets, Range, Span, Time, parameters};

/// The slow start's entry in the registry.
pub const ENTRY: LayerEntry = LayerEntry {
    descriptor: &Descriptor {
        kind: Kind::SlowStart,
        name: "hystart",
        summary: "HyStart as in Linux: ends every slow start, including those after timeouts, at a long train of \
                  closely spaced acknowledgements or an RTT increase",
        source: "Ha and Rhee 2008, \"Taming the Elephants\"; Linux's tcp_cubic.c",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values, initial| Box::new(HyStart::new(values.into(), initial.paced)),
};

parameters! {
    /// Linux's module parameters and constants.
    pub struct Parameters {
        /// Whether a long train of closely spaced acknowledgements ends slow start
        train: bool = flag(true, "Linux, hystart_detect"),
        /// Whether an RTT increase ends slow start
        delay: bool = flag(true, "Linux, hystart_detect"),
        /// Window below which neither an acknowledgement train nor an RTT increase ends slow start
        low_window: Packets = packets("16 packets", Range::at_least(0.0), "Linux, hystart_low_window"),
        /// Largest gap between two consecutive acknowledgements of a train
        train_gap: Span = time("2 ms", Range::at_least(0.0), "Linux, hystart_ack_delta_us"),
        /// Time added to the minimum RTT to obtain the length of a train that ends slow start; without pacing by the
        /// transport, the length is half of the sum
        train_cushion: Span = time(
            "1 ms",
            Range::at_least(0.0),
            "Linux, hystart_ack_delay: time of four full GSO bursts at the pacing rate, at most 1 ms (1 ms below 2.1 \
             Gbit/s)",
        ),
        /// Lower bound on the RTT increase that ends slow start (an eighth of the minimum RTT, but at least this)
        least_rise: Span = time("4 ms", Range::at_least(0.0), "Linux, HYSTART_DELAY_MIN"),
        /// Upper bound on the RTT increase that ends slow start (an eighth of the minimum RTT, but at most this)
        most_rise: Span = time("16 ms", Range::at_least(0.0), "Linux, HYSTART_DELAY_MAX"),
        /// Number of RTT samples that a round needs before an RTT increase counts
        samples: u32 = integer("8", Range::between(1.0, 1e6), "Linux, HYSTART_MIN_SAMPLES"),
    }
}

/// A slow start that observes the train and the delay of acknowledgements.
#[derive(Clone, Debug)]
pub struct HyStart {
    parameters: Parameters,
    /// Whether packets are paced: a train may then be as long as the minimum round trip (Linux,
    /// `sk_pacing_status`).
    paced: bool,
    /// Whether HyStart has ended a slow start since the last timeout.
    found: bool,
    was_found: bool,
    /// The minimum round trip since the last timeout.
    least: Span,
    round: Round,
}

/// The measurements of the present round.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// The number of the first packet sent in it; that packet's acknowledgement belongs to the next round.
    end: u64,
    start: Time,
    /// The time of the last acknowledgement of the train.
    train: Time,
    samples: u32,
    least: Span,
}

/// The share of the minimum round trip that Linux takes for a rise.
const RISE: f64 = 0.125;

impl HyStart {
    /// Creates the layer before the first acknowledgement; `paced` says whether the transport paces.
    pub fn new(parameters: Parameters, paced: bool) -> Self {
        let round = Round { end: 0, start: Time::ZERO, train: Time::ZERO, samples: 0, least: Span::MAX };
        Self { parameters, paced, found: false, was_found: false, least: Span::MAX, round }
    }

    fn train_is_long(&mut self, now: Time) -> bool {
        if now.since(self.round.train) > self.parameters.train_gap {
            return false;
        }
        self.round.train = now;
        let whole = self.least + self.parameters.train_cushion;
        let bound = if self.paced { whole } else { whole / 2 };
        now.since(self.round.start) > bound
    }

    fn delay_has_risen(&mut self, rtt: Span) -> bool {
        self.round.least = self.round.least.min(rtt);
        if self.round.samples < self.parameters.samples {
            self.round.samples += 1;
            return false;
        }
        let Parameters { least_rise, most_rise, .. } = self.parameters;
        self.round.least > self.least + self.least.scale(RISE).min(most_rise).max(least_rise)
    }
}

impl Layer for HyStart {
    fn on_ack(&mut self, before: &Window, after: Window, ack: &Ack) -> Window {
        let Some(rtt) = ack.rtt else { return after };
        self.least = self.least.min(rtt);
        if self.found || before.cwnd >= before.ssthresh {
            return after;
        }
        if ack.acked_to > self.round.end || self.round.end == 0 {
            let (start, train, least) = (ack.now, ack.now, Span::MAX);
            self.round = Round { end: ack.sent_to, start, train, samples: 0, least };
        }
        if before.cwnd < self.parameters.low_window {
            return after;
        }
        let train = self.parameters.train && self.train_is_long(ack.now);
        let delay = self.parameters.delay && self.delay_has_risen(rtt);
        if (train || delay) && (has_grown(before, &after, ack) || after == *before) {
            // Linux decides before the window grows.
            self.found = true;
            return ended(*before);
        }
        after
    }

    fn on_loss(&mut self, _before: &Window, after: Window, _loss: &Loss) -> Window {
        self.was_found = self.found;
        after
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if timeout.in_a_row == 1 {
            self.was_found = self.found;
        }
        (self.found, self.least) = (false, Span::MAX);
        self.round.end = 0;
    }

    fn on_undone(&mut self) {
        self.found |= self.was_found;
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("hystart_found", f64::from(u8::from(self.found)));
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use ackclock_base::Span;

    /// Creates a flow with a window of 20, in a round that began now at a minimum round trip of 80 ms and
    /// ends after 1000 packets.
    fn at_20(settings: &[(&str, &str)]) -> Script {
        at_20_of(settings, |script| script)
    }

    /// Creates the flow of `at_20` over a transport that `change` sets.
    fn at_20_of(settings: &[(&str, &str)], change: impl FnOnce(Script) -> Script) -> Script {
        let mut script = change(Script::new("sack").window(20.0).within("hystart", settings));
        ack(&mut script, 80.0);
        script
    }

    fn ack(script: &mut Script, ms: f64) {
        script.ack_as(|ack| {
            ack.sent_to = 1000;
            ack.rtt = Some(Span::from_seconds(ms / 1000.0));
        });
    }

    /// Delivers acknowledgements `gap_ms` apart until slow start is over; returns how many milliseconds that
    /// took, at most 200.
    fn train(script: &mut Script, gap_ms: f64) -> f64 {
        let mut ms = 0.0;
        while ms < 200.0 && script.ssthresh().is_infinite() {
            script.wait(Span::from_seconds(gap_ms / 1000.0));
            ms += gap_ms;
            ack(script, 80.0);
        }
        ms
    }

    #[test]
    fn a_train_of_more_than_half_the_least_round_trip_ends_it() {
        // (80 + 1) / 2 = 40.5 ms at a packet a millisecond: the acknowledgement at 41 ms is beyond. Paced: 81 ms, and 82 is
        // beyond. With a cushion of 4 ms: 42, and 43 is beyond.
        for (settings, paced, end) in
            [(&[][..], false, 41.0), (&[], true, 82.0), (&[("train_cushion", "4 ms")], false, 43.0)]
        {
            let mut script = at_20_of(settings, |script| if paced { script.paced() } else { script });
            assert_eq!(train(&mut script, 1.0), end);
            assert_eq!(script.ssthresh(), script.cwnd());
        }
    }

    #[test]
    fn acknowledgements_further_apart_are_no_train() {
        assert_eq!(train(&mut at_20(&[]), 2.5), 200.0);
        assert_eq!(train(&mut at_20(&[("train", "false")]), 1.0), 200.0);
    }

    #[test]
    fn a_rise_of_an_eighth_ends_it_after_eight_samples() {
        // 80 / 8 = 10 ms. The first round has a sample of 80 ms; in the next, at more than 90, the ninth
        // sample ends slow start.
        for (ms, ends) in [(90.0, false), (90.1, true)] {
            let mut script = at_20(&[("train", "false")]);
            script.ack_as(|ack| {
                (ack.acked_to, ack.sent_to, ack.rtt) = (1001, 2000, Some(Span::from_seconds(ms / 1e3)))
            });
            for sample in 2..=9 {
                assert!(script.ssthresh().is_infinite(), "sample {sample}");
                script.ack_as(|ack| (ack.acked_to, ack.rtt) = (1002, Some(Span::from_seconds(ms / 1e3))));
            }
            assert_eq!(script.ssthresh().is_finite(), ends, "{ms}");
        }
    }

    #[test]
    fn below_the_low_window_nothing_ends_it() {
        let mut script = Script::new("sack").window(2.0).within("hystart", &[]);
        ack(&mut script, 80.0);
        script.wait(Span::from_millis(1));
        for _ in 0..12 {
            script.wait(Span::from_millis(1));
            ack(&mut script, 80.0);
        }
        assert_eq!((script.cwnd(), script.ssthresh()), (15.0, f64::INFINITY));
    }

    #[test]
    fn after_a_timeout_it_observes_again() {
        let mut script = at_20(&[]);
        train(&mut script, 1.0);
        assert_eq!(script.published("hystart_found"), 1.0);
        script.timeout();
        assert_eq!(script.published("hystart_found"), 0.0);
    }
}
