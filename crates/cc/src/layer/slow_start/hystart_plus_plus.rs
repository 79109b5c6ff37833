//! HyStart++ (RFC 9406): when the minimum round trip of a round rises, slow start becomes conservative, and
//! after five such rounds without a fall it is over. It serves only the first slow start of a connection
//! (section 4.3).

use super::{First, ended, has_grown, regrown};
use crate::classic::Window;
use crate::control::{Ack, Loss, Timeout};
use crate::entry::LayerEntry;
use crate::layer::Layer;
use ackclock_base::{Descriptor, Kind, Packets, Range, Span, parameters};

/// The slow start's entry in the registry.
pub const ENTRY: LayerEntry = LayerEntry {
    descriptor: &Descriptor {
        kind: Kind::SlowStart,
        name: "hystart++",
        summary: "HyStart++: in a connection's first slow start, grows the window a quarter as fast once the RTT has \
                  risen, and ends slow start after five such rounds, unless the RTT falls again",
        source: "RFC 9406",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values, initial| Box::new(HyStartPlusPlus::new(values.into(), initial.paced)),
};

parameters! {
    /// The constants of RFC 9406 section 4.3.
    pub struct Parameters {
        /// Lower bound on the RTT increase that ends standard slow start (the minimum RTT of the last round divided by
        /// `rise_divisor`, but at least this)
        least_rise: Span = time("4 ms", Range::at_least(0.0), "RFC 9406 section 4.3, MIN_RTT_THRESH"),
        /// Upper bound on the RTT increase that ends standard slow start (the minimum RTT of the last round divided by
        /// `rise_divisor`, but at most this)
        most_rise: Span = time("16 ms", Range::at_least(0.0), "RFC 9406 section 4.3, MAX_RTT_THRESH"),
        /// Divisor of the last round's minimum RTT; the quotient, bounded by `least_rise` and `most_rise`, is the RTT
        /// increase that ends standard slow start
        rise_divisor: f64 = number("8", Range::between(1.0, 1000.0), "RFC 9406 section 4.3, MIN_RTT_DIVISOR"),
        /// Number of RTT samples that a round needs before an RTT increase counts
        samples: u32 = integer("8", Range::between(1.0, 1e6), "RFC 9406 section 4.3, N_RTT_SAMPLE"),
        /// Divisor of the standard growth in conservative slow start, which follows an RTT increase
        growth_divisor: f64 = number("4", Range::between(1.0, 1000.0), "RFC 9406 section 4.3, CSS_GROWTH_DIVISOR"),
        /// Number of rounds of conservative slow start after which slow start ends; the first round may be incomplete
        conservative_rounds: u32 = integer("5", Range::between(1.0, 1e6), "RFC 9406 section 4.3, CSS_ROUNDS"),
        /// Largest growth of the window by one acknowledgement, before `growth_divisor` applies; no limit if the
        /// transport paces
        most_growth: Packets = packets("8 packets", Range::at_least(1.0), "RFC 9406 section 4.3, L; infinite with pacing"),
    }
}

/// A slow start that observes the round trip.
#[derive(Clone, Debug)]
pub struct HyStartPlusPlus {
    parameters: Parameters,
    /// Whether packets are paced: the growth by an acknowledgement is then not bounded (section 4.3).
    paced: bool,
    first: First,
    round: Round,
    /// The minimum round trip of the round before.
    last_least: Span,
    conservative: Option<Conservative>,
}

/// The measurements of the present round.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// The number of the first packet sent in it; that packet's acknowledgement belongs to the next round.
    end: u64,
    samples: u32,
    least: Span,
    /// Whether the window grew; it does not while the application leaves it unused.
    grew: bool,
}

#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// The round trip below which the rise counts as reversed.
    baseline: Span,
    rounds: u32,
}

impl HyStartPlusPlus {
    /// Creates the layer before the first acknowledgement; `paced` says whether the transport paces.
    pub fn new(parameters: Parameters, paced: bool) -> Self {
        let round = Round { end: 0, samples: 0, least: Span::MAX, grew: false };
        Self { parameters, paced, first: First::default(), round, last_least: Span::MAX, conservative: None }
    }

    //= RFC 9406 section 4.3 threshold: conservative slow start requires an RTT increase of an eighth of the last round's minimum RTT, at least 4 ms and at most 16 ms
    /// Returns the rise needed, RttThresh of section 4.2.
    fn rise(&self) -> Span {
        let Parameters { least_rise, most_rise, rise_divisor, .. } = self.parameters;
        self.last_least.scale(1.0 / rise_divisor).min(most_rise).max(least_rise)
    }

    /// Moves from slow start to its conservative form, and back if the round trip has fallen again (section
    /// 4.2).
    fn judge(&mut self) {
        //= RFC 9406 section 4.3 samples: the RTT samples of a round are ignored if they are fewer than eight
        if self.round.samples < self.parameters.samples || self.last_least == Span::MAX {
            return;
        }
        match self.conservative {
            None if self.round.least >= self.last_least + self.rise() => {
                self.conservative = Some(Conservative { baseline: self.round.least, rounds: 0 });
            }
            //= RFC 9406 section 4.2 resume: slow start resumes after a round of conservative slow start whose minimum RTT is below the baseline
            Some(Conservative { baseline, .. }) if self.round.least < baseline => self.conservative = None,
            _ => {}
        }
    }

    fn begin_round(&mut self, ack: &Ack) {
        if let Some(conservative) = &mut self.conservative {
            conservative.rounds += u32::from(self.round.grew);
        }
        self.last_least = self.round.least;
        self.round = Round { end: ack.sent_to, samples: 0, least: Span::MAX, grew: false };
    }
}

impl Layer for HyStartPlusPlus {
    fn on_ack(&mut self, before: &Window, after: Window, ack: &Ack) -> Window {
        //= RFC 9406 section 4.3 first: HyStart++ applies only to the first slow start of a connection
        if !self.first.goes_on(before) {
            return after;
        }
        //= RFC 9406 section 4.3 growth: in conservative slow start, the window grows at a quarter of the rate of slow start
        let divisor = self.conservative.map_or(1.0, |_| self.parameters.growth_divisor);
        let most_growth = self.parameters.most_growth;
        //= RFC 9406 section 4.3 paced: with pacing, the growth per acknowledgement is not limited
        //= RFC 9406 section 4.3 unpaced: without pacing, an acknowledgement adds at most eight segments
        let standard = if self.paced { ack.newly_acked } else { ack.newly_acked.min(most_growth) };
        let window = regrown(before, after, ack, standard / divisor);
        if ack.acked_to > self.round.end {
            self.begin_round(ack);
        }
        if let Some(rtt) = ack.rtt {
            self.round.samples += 1;
            self.round.least = self.round.least.min(rtt);
        }
        self.round.grew |= has_grown(before, &after, ack);
        self.judge();
        let rounds = self.conservative.map_or(0, |conservative| conservative.rounds);
        //= RFC 9406 section 4.3 rounds: slow start ends after five rounds of conservative slow start
        if rounds >= self.parameters.conservative_rounds {
            self.first.end();
            return ended(window);
        }
        window
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

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series(
            "conservative_slow_start",
            f64::from(u8::from(!self.first.over && self.conservative.is_some())),
        );
    }
}

#[cfg(test)]
mod tests;
