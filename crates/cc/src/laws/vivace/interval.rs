//! A monitor interval: the fate of the packets sent in it, and the utility of its rate.

use ackclock_base::{Range, Span, Time, parameters};

parameters! {
    /// The utility of a rate: `x^exponent - latency x dRTT/dt - loss x L`, with x in Mbit/s and L the share
    /// of packets lost.
    pub struct Utility {
        /// Exponent of the rate, in Mbit/s, in the utility function
        exponent: f64 = number(
            "0.9",
            Range::between(0.01, 0.999),
            "Dong et al. 2018 (cited from memory, not checked against the paper) and the authors' code",
        ),
        /// Weight of the latency gradient (change of the round trip per unit of time) in the utility function
        latency: f64 = number(
            "900",
            Range::between(0.0, 1e9),
            "Dong et al. 2018 (cited from memory, not checked against the paper) and the authors' code",
        ),
        /// Weight of the share of lost packets in the utility function
        loss: f64 = number(
            "11.35",
            Range::between(0.0, 1e9),
            "Dong et al. 2018 (cited from memory, not checked against the paper): tolerates up to 5 % random loss",
        ),
        /// Absolute value of the latency gradient, in seconds per second, up to which the gradient counts as zero
        latency_filter: f64 = number(
            "0.01",
            Range::between(0.0, 1.0),
            "Dong et al. 2018 (cited from memory, not checked against the paper); 0.02 in the authors' code",
        ),
    }
}

/// The purpose of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Finds out whether twice the rate has a higher utility.
    #[default]
    Start,
    /// Measures the utility of a slightly higher rate.
    More,
    /// Measures the utility of a slightly lower rate.
    Less,
    /// Sends while the results of the others arrive.
    Waits,
}

/// The packets sent at one rate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interval {
    /// The start of the interval.
    pub start: Time,
    /// The end of the interval; `None` while it lasts.
    pub end: Option<Time>,
    /// The sending rate in packets per second.
    pub rate: f64,
    /// The purpose of the interval.
    pub role: Role,
    /// Packets that arrived.
    pub acked: f64,
    /// Packets that were lost.
    pub lost: f64,
    /// Whether the application limited the host.
    pub app_limited: bool,
    samples: f64,
    sums: Sums,
}

/// Sums over sending times (since the start) and round trips, in seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    time: f64,
    rtt: f64,
    square: f64,
    product: f64,
}

impl Interval {
    /// Creates an interval that begins at `start`.
    pub fn begin(start: Time, rate: f64, role: Role) -> Self {
        Self { start, rate, role, ..Self::default() }
    }

    /// Adds the round trip of a packet.
    pub fn see(&mut self, sent: Time, rtt: Span) {
        let (time, rtt) = (sent.since(self.start).seconds(), rtt.seconds());
        self.samples += 1.0;
        self.sums.time += time;
        self.sums.rtt += rtt;
        self.sums.square += time * time;
        self.sums.product += time * rtt;
    }

    /// Returns the slope of the round trip over the sending time, by least squares; zero without two distinct
    /// samples.
    pub fn slope(&self) -> f64 {
        let Sums { time, rtt, square, product } = self.sums;
        let variance = self.samples * square - time * time;
        if variance > 0.0 { (self.samples * product - time * rtt) / variance } else { 0.0 }
    }

    /// Returns the rate, in packets per second, of the packets sent whose fate is known.
    pub fn sent_rate(&self) -> f64 {
        let lasted = self.end.map_or(0.0, |end| end.since(self.start).seconds());
        if lasted > 0.0 { (self.acked + self.lost) / lasted } else { 0.0 }
    }

    fn loss(&self) -> f64 {
        let heard = self.acked + self.lost;
        if heard > 0.0 { self.lost / heard } else { 0.0 }
    }
}

impl Utility {
    /// Returns the utility of a rate of `megabits` Mbit/s with the results of an interval at that rate.
    pub fn of(&self, megabits: f64, interval: &Interval) -> f64 {
        let slope = interval.slope();
        let slope = if slope.abs() <= self.latency_filter { 0.0 } else { slope };
        libm::pow(megabits, self.exponent) - megabits * (self.latency * slope + self.loss * interval.loss())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates an interval at 10 Mbit/s in which the round trip grows by `growth_ms` every 10 ms, and `lost`
    /// of 100 packets are lost.
    fn interval(growth_ms: f64, lost: f64) -> Interval {
        let mut interval = Interval::begin(Time::from_seconds(1.0), 1250.0, Role::More);
        for step in 0..10 {
            let sent = Time::from_seconds(1.0 + 0.01 * f64::from(step));
            interval.see(sent, Span::from_seconds(0.04 + growth_ms / 1e3 * f64::from(step)));
        }
        Interval { acked: 100.0 - lost, lost, end: Some(Time::from_seconds(1.1)), ..interval }
    }

    #[test]
    fn the_slope_is_that_of_the_line_through_the_round_trips() {
        for (growth, slope) in [(0.0, 0.0), (1.0, 0.1), (-0.5, -0.05)] {
            assert!((interval(growth, 0.0).slope() - slope).abs() < 1e-6, "{growth} ms");
        }
        assert_eq!(Interval::begin(Time::ZERO, 1.0, Role::Start).slope(), 0.0);
    }

    #[test]
    fn the_utility_is_the_papers() {
        // 10^0.9 = 7.943; a slope of 0.1 takes 900 * 10 * 0.1 = 900, 0.009 nothing, 3 % of loss 11.35 * 10 * 0.03 = 3.405.
        let utility = Utility::default();
        for (growth, lost, expected) in
            [(0.0, 0.0, 7.9433), (1.0, 0.0, 7.9433 - 900.0), (0.09, 0.0, 7.9433), (0.0, 3.0, 4.5383)]
        {
            let found = utility.of(10.0, &interval(growth, lost));
            assert!((found - expected).abs() < 1e-3, "{growth} ms, {lost} lost: {found}");
        }
    }

    #[test]
    fn the_rate_sent_counts_arrivals_and_losses() {
        assert!((interval(0.0, 3.0).sent_rate() - 1000.0).abs() < 1e-6);
    }
}
