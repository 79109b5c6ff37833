//! A constant bit rate, for ever or in periods with pauses between them.

use super::{Entry, HEADER, MEAN_TIMES, PACKET, RATE, Source, application};
use crate::random::Stream;
use ackclock_base::{Parameter, Quantity, Range, Span, Values};

/// Without end.
pub const CBR: Entry = Entry {
    descriptor: &application(
        "cbr",
        "A constant bit rate over UDP, whatever happens to the packets",
        "ns-2's CBR over UDP",
        &[RATE, PACKET, HEADER, JITTER],
    ),
    build: |values| Box::new(Constant(Spacing::of(values))),
    rate_bps: |values, _| rate_bps(values),
};

/// In periods.
pub const ON_OFF: Entry = Entry {
    descriptor: &application(
        "on-off",
        "A constant bit rate over UDP in periods, with pauses between them",
        "Bansal, Balakrishnan, Floyd and Shenker, SIGCOMM 2001; ns-2's CBR, started and stopped",
        &[
            Parameter { summary: "Payload bits per second while it sends", ..RATE },
            PACKET,
            HEADER,
            JITTER,
            Parameter {
                name: "on",
                summary: "How long it sends; with exponential periods in the mean",
                quantity: Quantity::Time,
                default: "1 s",
                range: MEAN_TIMES,
                source: "none",
            },
            Parameter {
                name: "off",
                summary: "How long it pauses, likewise; none for as long as it sends",
                quantity: Quantity::Time,
                default: Parameter::NONE,
                range: MEAN_TIMES,
                source: "none",
            },
            Parameter {
                name: "periods",
                summary: "All of one length, or drawn from exponential distributions",
                quantity: Quantity::Choice(&["fixed", "exponential"]),
                default: "fixed",
                range: Range::ANY,
                source: "none",
            },
            Parameter {
                name: "begins",
                summary: "What comes first",
                quantity: Quantity::Choice(&["on", "off"]),
                default: "on",
                range: Range::ANY,
                source: "none",
            },
        ],
    ),
    build: |values| Box::new(OnOff::new(Spacing::of(values), Periods::of(values))),
    // At least one packet each period, however short.
    rate_bps: |values, payload_bits| {
        let periods = Periods::of(values);
        let period = periods.on.seconds() + periods.off.seconds();
        rate_bps(values).max(payload_bits / period)
    },
};

/// Requests that are answered.
pub const REQUESTS: Entry = Entry {
    descriptor: &application(
        "requests",
        "Requests over UDP at fixed intervals, each answered at once by a reply",
        "RFC 7928 section 2.2, where requests for names are part of what a flow starts with",
        &[
            Parameter {
                name: "every",
                summary: "The time from request to request",
                quantity: Quantity::Time,
                default: "1 s",
                range: MEAN_TIMES,
                source: "none",
            },
            Parameter { summary: "Payload of a request", default: "64 B", ..PACKET },
            Parameter { name: "reply", summary: "Payload of a reply", default: "200 B", ..PACKET },
            HEADER,
            JITTER,
        ],
    ),
    build: |values| {
        Box::new(Constant(Spacing { interval: values.time("every"), jitter: values.number("jitter") }))
    },
    rate_bps: |values, payload_bits| payload_bits / values.time("every").seconds(),
};

const JITTER: Parameter = Parameter {
    name: "jitter",
    summary: "Each interval between packets is drawn uniformly from 1 - jitter to 1 + jitter times the usual one",
    quantity: Quantity::Number,
    default: "0",
    range: Range::between(0.0, 1.0),
    source: "ns-2's CBR: 0.5 with random_, else 0",
};

fn rate_bps(values: &Values) -> f64 {
    values.rate("rate").bits_per_second() as f64
}

/// Packets at an interval that may vary from packet to packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spacing {
    /// The mean time between two packets.
    pub interval: Span,
    /// Each interval is drawn uniformly from (1 - jitter) to (1 + jitter) times the mean.
    pub jitter: f64,
}

/// How long a source sends and pauses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Periods {
    /// How long it sends, or the mean of that.
    pub on: Span,
    /// How long it pauses, or the mean of that.
    pub off: Span,
    /// Whether both are drawn from exponential distributions.
    pub exponential: bool,
    /// Whether it begins with a pause.
    pub starts_off: bool,
}

/// A constant bit rate without end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant(pub Spacing);

/// A constant bit rate in periods. Each begins with a packet, as when ns-2's CBR is started again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOff {
    spacing: Spacing,
    periods: Periods,
    /// What is left of the period in which it sends.
    left: Span,
}

impl Spacing {
    fn of(values: &Values) -> Self {
        Self {
            interval: values.rate("rate").time_to_send(values.size("packet")),
            jitter: values.number("jitter"),
        }
    }

    fn draw(&self, random: &mut Stream) -> Span {
        if self.jitter == 0.0 {
            return self.interval;
        }
        self.interval.scale(random.between(1.0 - self.jitter, 1.0 + self.jitter))
    }
}

impl Periods {
    fn of(values: &Values) -> Self {
        Self {
            on: values.time("on"),
            off: values.optional_time("off").unwrap_or(values.time("on")),
            exponential: values.choice("periods") == "exponential",
            starts_off: values.choice("begins") == "off",
        }
    }

    fn draw(&self, mean: Span, random: &mut Stream) -> Span {
        if self.exponential { Span::from_seconds(random.exponential(mean.seconds())) } else { mean }
    }
}

impl Source for Constant {
    fn first(&mut self, _random: &mut Stream) -> Span {
        Span::ZERO
    }

    fn next(&mut self, random: &mut Stream) -> Span {
        self.0.draw(random)
    }
}

impl OnOff {
    /// A source that has not begun.
    pub fn new(spacing: Spacing, periods: Periods) -> Self {
        Self { spacing, periods, left: Span::ZERO }
    }
}

impl Source for OnOff {
    fn first(&mut self, random: &mut Stream) -> Span {
        let pause =
            if self.periods.starts_off { self.periods.draw(self.periods.off, random) } else { Span::ZERO };
        self.left = self.periods.draw(self.periods.on, random);
        pause
    }

    fn next(&mut self, random: &mut Stream) -> Span {
        let interval = self.spacing.draw(random);
        if interval < self.left {
            self.left = self.left.saturating_sub(interval);
            return interval;
        }
        let until_next_period = self.left + self.periods.draw(self.periods.off, random);
        self.left = self.periods.draw(self.periods.on, random);
        until_next_period
    }
}

#[cfg(test)]
mod tests {
    use super::super::departures;
    use super::*;

    /// 3 Mbit/s in packets of 1000 B: one every 8000 / 3e6 s = 2.667 ms.
    fn spacing(jitter: f64) -> Spacing {
        Spacing { interval: Span::from_seconds(8000.0 / 3e6), jitter }
    }

    fn periods(on: f64, off: f64) -> Periods {
        Periods {
            on: Span::from_seconds(on),
            off: Span::from_seconds(off),
            exponential: false,
            starts_off: true,
        }
    }

    #[test]
    fn a_constant_rate_is_constant() {
        let times = departures(&mut Constant(spacing(0.0)), 1, 8.0);
        assert_eq!(times.len(), 3000);
        assert_eq!(times[0], 0.0);
        assert!((times[2999] - 2999.0 * 8000.0 / 3e6).abs() < 1e-5);
    }

    #[test]
    fn jitter_spreads_the_intervals_and_keeps_their_mean() {
        // Uniform from 0.5 to 1.5 intervals: variance 1/12 interval^2. The mean of 37500 has a standard error of
        // 0.2887 / sqrt(37500) = 0.15 % of an interval.
        let times = departures(&mut Constant(spacing(0.5)), 1, 100.0);
        let intervals: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) / (8000.0 / 3e6)).collect();
        let mean = intervals.iter().sum::<f64>() / intervals.len() as f64;
        let variance = intervals.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / intervals.len() as f64;
        assert!((mean - 1.0).abs() < 0.005, "{mean}");
        assert!((variance - 1.0 / 12.0).abs() < 0.002, "{variance}");
        assert!(intervals.iter().all(|interval| (0.499..1.501).contains(interval)));
    }

    #[test]
    fn fixed_periods_alternate() {
        // 10 s off, 10 s on, from off: in 50 s it sends from 10 to 20 s and from 30 to 40 s, each time
        // 10 s / 2.667 ms = 3750 packets.
        let times = departures(&mut OnOff::new(spacing(0.0), periods(10.0, 10.0)), 1, 50.0);
        assert_eq!(times.iter().filter(|time| (10.0..20.0).contains(*time)).count(), 3750);
        assert_eq!(times.iter().filter(|time| (30.0..40.0).contains(*time)).count(), 3750);
        assert_eq!(times.len(), 7500);
        let starts_on = Periods { starts_off: false, ..periods(10.0, 10.0) };
        assert_eq!(departures(&mut OnOff::new(spacing(0.0), starts_on), 1, 50.0).len(), 3 * 3750);
    }

    #[test]
    fn a_period_shorter_than_an_interval_has_one_packet() {
        // 1 ms on, 9 ms off, 2.667 ms between packets: one packet each 10 ms.
        assert_eq!(departures(&mut OnOff::new(spacing(0.0), periods(0.001, 0.009)), 1, 1.0).len(), 100);
    }

    #[test]
    fn exponential_periods_have_their_means() {
        // A period with mean m has 1 / (1 - exp(-i / m)) packets in the mean: the first, and one more each time that
        // the memoryless rest exceeds i. m = 0.1 s, i = 2.667 ms: 38.0 packets per 0.1 + 0.3 s, so 95.0 per second.
        // Standard error over 20000 s: 50000 periods of relative deviation about 1.1: 0.5 %.
        let exponential = Periods { exponential: true, ..periods(0.1, 0.3) };
        let rate =
            departures(&mut OnOff::new(spacing(0.0), exponential), 1, 20_000.0).len() as f64 / 20_000.0;
        let expected = 1.0 / (1.0 - (-8000.0 / 3e6 / 0.1_f64).exp()) / 0.4;
        assert!((rate / expected - 1.0).abs() < 0.02, "{rate} {expected}");
    }
}
