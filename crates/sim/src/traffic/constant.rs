//! Constant bit rate, without end or in periods with pauses between them.

use super::{Entry, HEADER, MEAN_TIMES, PACKET, RATE, Sizes, Source, SourceEntry, Workload, application};
use crate::random::Stream;
use ackclock_base::declare::{self, Declared};
use ackclock_base::{Range, Rate, Size, Span, choice, parameters};

/// The constant bit rate without end.
pub const CBR: Entry = Entry {
    descriptor: &application(
        "cbr",
        "Sends at a constant bit rate over UDP, without reacting to losses; with a `control`, writes into a \
         connection at that rate",
        "ns-2's CBR over UDP",
        WithoutEnd::TABLE,
    ),
    workload: Workload::Source(SourceEntry {
        build: |values| {
            let WithoutEnd { rate, packet, jitter, .. } = values.into();
            Box::new(Constant(Spacing::at(rate, packet, jitter)))
        },
        sizes: |values| {
            let WithoutEnd { packet, header, .. } = values.into();
            Sizes { packet, header, reply: None }
        },
        rate_bps: |values, _| WithoutEnd::from(values).rate.bits_per_second() as f64,
    }),
};

/// The constant bit rate in periods.
pub const ON_OFF: Entry = Entry {
    descriptor: &application(
        "on-off",
        "Sends at a constant bit rate over UDP in periods with pauses between them; with a `control`, writes into a \
         connection in this pattern",
        "Bansal, Balakrishnan, Floyd and Shenker, SIGCOMM 2001; ns-2's CBR, started and stopped",
        InPeriods::TABLE,
    ),
    workload: Workload::Source(SourceEntry {
        build: |values| {
            let InPeriods { rate, packet, jitter, periods, .. } = values.into();
            Box::new(OnOff::new(Spacing::at(rate, packet, jitter), periods))
        },
        sizes: |values| {
            let InPeriods { packet, header, .. } = values.into();
            Sizes { packet, header, reply: None }
        },
        // Each sending period has at least one packet, however short it is.
        rate_bps: |values, payload_bits| {
            let InPeriods { rate, periods, .. } = values.into();
            let period = periods.on.seconds() + periods.off().seconds();
            (rate.bits_per_second() as f64).max(payload_bits / period)
        },
    }),
};

/// Requests that are answered.
pub const REQUESTS: Entry = Entry {
    descriptor: &application(
        "requests",
        "Sends requests over UDP at intervals; each is answered at once by a reply",
        "RFC 7928 section 2.2: DNS lookups are part of a flow's start-up time",
        Requests::TABLE,
    ),
    workload: Workload::Source(SourceEntry {
        build: |values| {
            let Requests { every, jitter, .. } = values.into();
            Box::new(Constant(Spacing { interval: every, jitter }))
        },
        sizes: |values| {
            let Requests { packet, reply, header, .. } = values.into();
            Sizes { packet, header, reply: Some(reply) }
        },
        rate_bps: |values, payload_bits| payload_bits / Requests::from(values).every.seconds(),
    }),
};

parameters! {
    /// The parameters of a constant bit rate without end.
    pub struct WithoutEnd {
        /// Rate at which payload is sent
        rate: Rate = RATE,
        packet: Size = PACKET,
        header: Size = HEADER,
        jitter: f64 = JITTER,
    }
}

parameters! {
    /// The parameters of a constant bit rate in periods.
    pub struct InPeriods {
        /// Rate at which payload is sent during a sending period
        rate: Rate = RATE,
        packet: Size = PACKET,
        header: Size = HEADER,
        jitter: f64 = JITTER,
        /// The lengths of the periods.
        periods: Periods,
    }
}

choice! {
    /// The distribution of the lengths of periods.
    pub enum Lengths {
        /// All periods have the same length.
        Fixed = "fixed",
        /// The lengths are drawn from exponential distributions.
        Exponential = "exponential",
    }
}

choice! {
    /// The state in which a source in periods begins.
    pub enum Begins {
        /// The source begins by sending.
        On = "on",
        /// The source begins with a pause.
        Off = "off",
    }
}

parameters! {
    /// The parameters of sending periods and pauses.
    pub struct Periods {
        /// The length of a sending period; the mean length with exponential `periods`
        on: Span = time("1 s", MEAN_TIMES, "none"),
        /// The length of a pause; the mean length with exponential `periods`; none: equal to `on`
        off: Option<Span> = time("none", MEAN_TIMES, "none"),
        /// The lengths of sending periods and pauses: constant (fixed), or drawn from exponential distributions
        /// (exponential)
        periods: Lengths = choice("fixed", "none"),
        /// Whether the source begins by sending (on) or with a pause (off)
        begins: Begins = choice("on", "none"),
    }
}

parameters! {
    /// Requests at intervals, and their replies.
    pub struct Requests {
        /// The mean time between two successive requests
        every: Span = time("1 s", MEAN_TIMES, "none"),
        /// Payload of a request
        packet: Size = PACKET.by_default("64 B"),
        /// Payload of a reply
        reply: Size = PACKET.by_default("200 B"),
        header: Size = HEADER,
        jitter: f64 = JITTER,
    }
}

const JITTER: Declared<f64> =
    declare::number("0", Range::between(0.0, 1.0), "ns-2's CBR: 0.5 with random_, else 0").about(
        "Variation of the intervals between packets or writes, each drawn uniformly from 1 - jitter to 1 + jitter \
         times the mean interval; 0 for constant intervals",
    );

/// The interval between packets, which may vary from packet to packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spacing {
    /// The mean time between two packets.
    pub interval: Span,
    /// The relative jitter: each interval is drawn uniformly from (1 - jitter) to (1 + jitter) times the
    /// mean.
    pub jitter: f64,
}

/// A constant bit rate without end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant(pub Spacing);

/// A constant bit rate in periods. Each sending period begins with a packet, as when ns-2's CBR is started
/// again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOff {
    spacing: Spacing,
    periods: Periods,
    /// The rest of the present sending period after the last packet.
    left: Span,
}

impl Spacing {
    fn at(rate: Rate, packet: Size, jitter: f64) -> Self {
        Self { interval: rate.time_to_send(packet), jitter }
    }

    fn draw(&self, random: &mut Stream) -> Span {
        if self.jitter == 0.0 {
            return self.interval;
        }
        self.interval.scale(random.between(1.0 - self.jitter, 1.0 + self.jitter))
    }
}

impl Periods {
    fn off(&self) -> Span {
        self.off.unwrap_or(self.on)
    }

    fn draw(&self, mean: Span, random: &mut Stream) -> Span {
        match self.periods {
            Lengths::Fixed => mean,
            Lengths::Exponential => Span::from_seconds(random.exponential(mean.seconds())),
        }
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
    /// Creates a source that has not begun.
    pub fn new(spacing: Spacing, periods: Periods) -> Self {
        Self { spacing, periods, left: Span::ZERO }
    }
}

impl Source for OnOff {
    fn first(&mut self, random: &mut Stream) -> Span {
        let pause = match self.periods.begins {
            Begins::On => Span::ZERO,
            Begins::Off => self.periods.draw(self.periods.off(), random),
        };
        self.left = self.periods.draw(self.periods.on, random);
        pause
    }

    fn next(&mut self, random: &mut Stream) -> Span {
        let interval = self.spacing.draw(random);
        if interval < self.left {
            self.left = self.left.saturating_sub(interval);
            return interval;
        }
        let until_next_period = self.left + self.periods.draw(self.periods.off(), random);
        self.left = self.periods.draw(self.periods.on, random);
        until_next_period
    }
}

#[cfg(test)]
mod tests {
    use super::super::departures;
    use super::*;

    /// Returns the spacing of 3 Mbit/s in packets of 1000 B: one every 8000 / 3e6 s = 2.667 ms.
    fn spacing(jitter: f64) -> Spacing {
        Spacing { interval: Span::from_seconds(8000.0 / 3e6), jitter }
    }

    fn periods(on: f64, off: f64) -> Periods {
        Periods {
            on: Span::from_seconds(on),
            off: Some(Span::from_seconds(off)),
            periods: Lengths::Fixed,
            begins: Begins::Off,
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
        // Intervals are uniform from 0.5 to 1.5 of the mean, with variance 1/12 interval^2. The mean of 37500
        // has a standard error of 0.2887 / sqrt(37500) = 0.15 % of an interval.
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
        // Pauses and sending periods of 10 s alternate, and a pause comes first. In 50 s the source sends
        // from 10 to 20 s and from 30 to 40 s, each time 10 s / 2.667 ms = 3750 packets.
        let times = departures(&mut OnOff::new(spacing(0.0), periods(10.0, 10.0)), 1, 50.0);
        assert_eq!(times.iter().filter(|time| (10.0..20.0).contains(*time)).count(), 3750);
        assert_eq!(times.iter().filter(|time| (30.0..40.0).contains(*time)).count(), 3750);
        assert_eq!(times.len(), 7500);
        let starts_on = Periods { begins: Begins::On, ..periods(10.0, 10.0) };
        assert_eq!(departures(&mut OnOff::new(spacing(0.0), starts_on), 1, 50.0).len(), 3 * 3750);
    }

    #[test]
    fn a_period_shorter_than_an_interval_has_one_packet() {
        // With sending periods of 1 ms, pauses of 9 ms and 2.667 ms between packets, there is one packet each
        // 10 ms.
        assert_eq!(departures(&mut OnOff::new(spacing(0.0), periods(0.001, 0.009)), 1, 1.0).len(), 100);
    }

    #[test]
    fn exponential_periods_have_their_means() {
        // A sending period with mean m has 1 / (1 - exp(-i / m)) packets in the mean, where i is the
        // interval: the first, and one more each time that the rest of the period, which is memoryless,
        // exceeds i. For m = 0.1 s and i = 2.667 ms there are 38.0 packets in 0.1 + 0.3 s, so 95.0 per
        // second. 20000 s have 50000 periods, whose numbers of packets have a relative deviation of about
        // 1.1, so the standard error is 0.5 %.
        let exponential = Periods { periods: Lengths::Exponential, ..periods(0.1, 0.3) };
        let rate =
            departures(&mut OnOff::new(spacing(0.0), exponential), 1, 20_000.0).len() as f64 / 20_000.0;
        let expected = 1.0 / (1.0 - (-8000.0 / 3e6 / 0.1_f64).exp()) / 0.4;
        assert!((rate / expected - 1.0).abs() < 0.02, "{rate} {expected}");
    }
}
