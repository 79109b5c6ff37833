//! SEARCH (draft-chung-ccwg-search): slow start ends when less is delivered over some round trips than was
//! sent over as many a round trip before, so that the difference must be waiting in a queue. It serves only
//! the first slow start of a connection. The draft's drain after the end is not implemented.

mod bins;

use super::{First, ended, has_grown};
use crate::classic::Window;
use crate::control::{Ack, Loss, Timeout};
use crate::entry::LayerEntry;
use crate::layer::Layer;
use ackclock_base::{Descriptor, Kind, Range, Span, Time, parameters};
use bins::{Bins, EXTRA, WINDOW};

/// The slow start's entry in the registry.
pub const ENTRY: LayerEntry = LayerEntry {
    descriptor: &Descriptor {
        kind: Kind::SlowStart,
        name: "search",
        summary: "SEARCH: ends a connection's first slow start when the data delivered is a given share (26 % by \
                  default) below the data sent one round trip earlier",
        source: "draft-chung-ccwg-search-09, with the interpolation that its authors say they intended",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values, _| Box::new(Search::new(values.into())),
};

parameters! {
    /// The condition that ends slow start.
    pub struct Parameters {
        /// Fraction by which the data delivered must fall short of the data sent one round trip earlier for slow start
        /// to end
        threshold: f64 = number("0.26", Range::between(0.0, 1.0), "draft-chung-ccwg-search-09, THRESH"),
        /// Length of the interval over which sent and delivered data are compared, as a multiple of the first RTT
        /// sample
        window: f64 = number("3.5", Range::between(0.1, 100.0), "draft-chung-ccwg-search-09, WINDOW_SIZE_FACTOR"),
    }
}

/// A slow start that compares what is delivered with what was sent.
#[derive(Clone, Debug)]
pub struct Search {
    parameters: Parameters,
    first: First,
    /// The measurements; `None` before the first round trip is known.
    measured: Option<Measured>,
}

#[derive(Clone, Debug)]
struct Measured {
    /// The length of a bin, and the end of the present one.
    bin: Span,
    end: Time,
    bins: Bins,
}

impl Search {
    /// Creates the layer before the first acknowledgement.
    pub fn new(parameters: Parameters) -> Self {
        Self { parameters, first: First::default(), measured: None }
    }

    /// Processes an acknowledgement. Returns the share missing of what was sent; `None` if no bin has ended
    /// or the bins do not reach back far enough.
    fn missing(&mut self, ack: &Ack, rtt: Span) -> Option<f64> {
        let (sent, delivered) = (ack.sent_to as f64, ack.delivered);
        let Some(measured) = &mut self.measured else {
            let bin = rtt.scale(self.parameters.window / WINDOW as f64).max(Span::from_nanos(1));
            self.measured = Some(Measured { bin, end: ack.now + bin, bins: Bins::new(sent, delivered) });
            return None;
        };
        if ack.now <= measured.end {
            return None;
        }
        let passed = ack.now.since(measured.end).nanos() / measured.bin.nanos() + 1;
        if passed > WINDOW {
            // No acknowledgement has arrived for longer than the ten bins of a comparison: everything is
            // forgotten.
            self.measured = None;
            return None;
        }
        measured.end += measured.bin * passed;
        measured.bins.pass(passed, sent, delivered);
        let ago = rtt.seconds() / measured.bin.seconds();
        (ago < EXTRA as f64).then(|| measured.bins.missing(ago)).flatten()
    }
}

impl Layer for Search {
    fn on_ack(&mut self, before: &Window, after: Window, ack: &Ack) -> Window {
        if !self.first.goes_on(before) {
            return after;
        }
        let Some(rtt) = ack.rtt else { return after };
        let missing = self.missing(ack, rtt);
        let ends = missing.is_some_and(|missing| missing >= self.parameters.threshold);
        if ends && (has_grown(before, &after, ack) || after == *before) {
            self.first.end();
            return ended(after);
        }
        after
    }

    fn on_loss(&mut self, _before: &Window, after: Window, _loss: &Loss) -> Window {
        self.first.lose(1);
        after
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.first.lose(timeout.in_a_row);
    }

    fn on_undone(&mut self) {
        self.first.resume();
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use ackclock_base::Span;

    /// Delivers acknowledgements 5 ms apart at a round trip of 100 ms, each of which delivers `delivered`
    /// packets and sees `sent` more sent, until slow start is over. Returns the number of acknowledgements,
    /// at most 400.
    fn end(script: &mut Script, delivered: f64, sent: f64) -> u32 {
        for count in 1..=400 {
            script.wait(Span::from_millis(5));
            script.ack_as(|ack| {
                ack.delivered = f64::from(count) * delivered;
                ack.sent_to = (f64::from(count) * sent) as u64;
            });
            if script.ssthresh().is_finite() {
                return count;
            }
        }
        400
    }

    fn searching() -> Script {
        Script::new("sack").window(10.0).within("search", &[])
    }

    #[test]
    fn slow_start_continues_while_delivery_follows_sending() {
        assert_eq!(end(&mut searching(), 10.0, 10.0), 400);
    }

    #[test]
    fn slow_start_ends_when_0_26_of_what_was_sent_is_missing() {
        // 14 are sent for 10 delivered: 4 / 14 = 0.286. A bin lasts 35 ms, so a round trip has 2.857 bins. A
        // comparison needs more than ten bins before those floor(2.857) = 2: the 13th bin is the first, since
        // 13 - 2 > 10. It ends at 5 + 13 * 35 = 460 ms. The first acknowledgement after that is the 93rd, at
        // 465 ms.
        assert_eq!(end(&mut searching(), 10.0, 14.0), 93);
        // 3 / 13 = 0.231 does not end it. (The first bin has one acknowledgement more than the others, so a
        // share nearer to the threshold would be decided by that.)
        assert_eq!(end(&mut searching(), 10.0, 13.0), 400);
    }

    #[test]
    fn a_loss_ends_it_as_in_any_slow_start() {
        let mut script = searching();
        script.loss();
        let ssthresh = script.ssthresh();
        end(&mut script, 10.0, 20.0);
        assert_eq!(script.ssthresh(), ssthresh);
    }

    #[test]
    fn a_long_silence_restarts_the_search() {
        // After 400 ms of acknowledgements, a silence of 400 ms is longer than ten bins of 35 ms: everything
        // is forgotten, and the count restarts.
        let mut script = searching();
        for _ in 0..80 {
            script.wait(Span::from_millis(5));
            script.ack_as(|ack| ack.sent_to = ack.acked_to * 2);
        }
        script.wait(Span::from_millis(400));
        assert!(end(&mut script, 100.0, 140.0) > 93);
    }
}
