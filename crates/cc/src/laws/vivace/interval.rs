//! A monitor interval: what has become of the packets sent in it, and what that is worth.

use ackclock_base::{Range, Span, Time, parameters};

parameters! {
    /// What a rate is worth: `x^exponent - latency x dRTT/dt - loss x L`, with x in Mbit/s and L the share that is lost.
    pub struct Utility {
        /// Power of the rate in the utility
        exponent: f64 = number("0.9", Range::between(0.01, 0.999), "Dong et al. 2018, from memory; the authors' sender"),
        /// Weight of the slope of the round trip
        latency: f64 = number("900", Range::between(0.0, 1e9), "Dong et al. 2018, from memory; the authors' sender"),
        /// Weight of the share of packets that are lost
        loss: f64 = number("11.35", Range::between(0.0, 1e9), "Dong et al. 2018, from memory: up to 5 % of loss at random"),
        /// Slopes of the round trip up to this are taken for none
        latency_filter: f64 = number("0.01", Range::between(0.0, 1.0), "Dong et al. 2018, from memory; 0.02 in the authors' sender"),
    }
}

/// What an interval is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// To see whether twice as much is worth more.
    #[default]
    Start,
    /// To see what a little more is worth.
    More,
    /// To see what a little less is worth.
    Less,
    /// To wait for what the others say.
    Waits,
}

/// Packets sent at one rate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interval {
    /// When it began.
    pub start: Time,
    /// When it ended.
    pub end: Option<Time>,
    /// In packets per second.
    pub rate: f64,
    /// What it is for.
    pub role: Role,
    /// Packets that arrived.
    pub acked: f64,
    /// Packets that did not.
    pub lost: f64,
    /// Whether the application held the host back.
    pub app_limited: bool,
    samples: f64,
    sums: Sums,
}

/// Of times of sending and round trips, in seconds since the beginning.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    time: f64,
    rtt: f64,
    square: f64,
    product: f64,
}

impl Interval {
    /// One that begins now.
    pub fn begin(start: Time, rate: f64, role: Role) -> Self {
        Self { start, rate, role, ..Self::default() }
    }

    /// The round trip of a packet.
    pub fn see(&mut self, sent: Time, rtt: Span) {
        let (time, rtt) = (sent.since(self.start).seconds(), rtt.seconds());
        self.samples += 1.0;
        self.sums.time += time;
        self.sums.rtt += rtt;
        self.sums.square += time * time;
        self.sums.product += time * rtt;
    }

    /// The slope of the round trip over the time of sending, by least squares.
    pub fn slope(&self) -> f64 {
        let Sums { time, rtt, square, product } = self.sums;
        let variance = self.samples * square - time * time;
        if variance > 0.0 { (self.samples * product - time * rtt) / variance } else { 0.0 }
    }

    /// Packets per second that were sent and have been heard of.
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
    /// The utility of so many Mbit/s, with what an interval at that rate has shown.
    pub fn of(&self, megabits: f64, interval: &Interval) -> f64 {
        let slope = interval.slope();
        let slope = if slope.abs() <= self.latency_filter { 0.0 } else { slope };
        libm::pow(megabits, self.exponent) - megabits * (self.latency * slope + self.loss * interval.loss())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An interval at 10 Mbit/s in which the round trip grows by so many ms in each 10 ms, and so many of 100 packets are lost.
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
    fn what_was_sent_is_what_arrived_and_what_was_lost() {
        assert!((interval(0.0, 3.0).sent_rate() - 1000.0).abs() < 1e-6);
    }
}
