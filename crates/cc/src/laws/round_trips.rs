//! Statistics of the round trips of each round, for laws that act once per round. A round ends when the first
//! packet sent in it is acknowledged, as in Linux's modules derived from Vegas.

use crate::control::Ack;

/// The round trips so far, in seconds.
#[derive(Clone, Debug)]
pub struct RoundTrips {
    /// The minimum of the connection.
    pub base: f64,
    /// The maximum of the connection.
    pub greatest: f64,
    /// The number of the first packet sent in this round.
    end: u64,
    round: Round,
}

/// The round trips of one round, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// The number of samples.
    pub samples: u32,
    /// The minimum.
    pub least: f64,
    /// The maximum.
    pub greatest: f64,
    sum: f64,
}

impl Round {
    const EMPTY: Self = Self { samples: 0, least: f64::INFINITY, greatest: 0.0, sum: 0.0 };

    /// Returns the mean, in seconds.
    pub fn mean(&self) -> f64 {
        self.sum / f64::from(self.samples)
    }
}

impl Default for RoundTrips {
    fn default() -> Self {
        Self { base: f64::INFINITY, greatest: 0.0, end: 0, round: Round::EMPTY }
    }
}

impl RoundTrips {
    /// Processes an acknowledgement. Returns the round that ends with it, or `None` if no round ends or the
    /// round had no sample.
    pub fn observe(&mut self, ack: &Ack) -> Option<Round> {
        if let Some(rtt) = ack.rtt.map(|rtt| rtt.seconds()) {
            self.base = self.base.min(rtt);
            self.greatest = self.greatest.max(rtt);
            self.round.samples += 1;
            self.round.least = self.round.least.min(rtt);
            self.round.greatest = self.round.greatest.max(rtt);
            self.round.sum += rtt;
        }
        if ack.acked_to <= self.end {
            return None;
        }
        self.end = ack.sent_to;
        let ended = std::mem::replace(&mut self.round, Round::EMPTY);
        (ended.samples > 0).then_some(ended)
    }

    /// Discards the samples of the present round.
    pub fn restart(&mut self) {
        self.round = Round::EMPTY;
    }
}

/// Returns how many packets of a window wait in the network at a round trip of `rtt` seconds: `cwnd (rtt -
/// base) / rtt` (Vegas).
pub fn waiting(cwnd: f64, base: f64, rtt: f64) -> f64 {
    if rtt > base { cwnd * (1.0 - base / rtt) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::ack_at;
    use ackclock_base::{Span, Time};

    #[test]
    fn a_round_ends_when_its_first_packet_is_acknowledged() {
        // Packets 0 to 9 in flight: packet 10 is the first sent after the first acknowledgement.
        let mut rounds = RoundTrips::default();
        let mut ended = Vec::new();
        for number in 1..=20 {
            let rtt = Some(Span::from_millis(100 + number));
            let ack = Ack { rtt, sent_to: number + 9, ..ack_at(Time::ZERO, number, 10.0) };
            if let Some(round) = rounds.observe(&ack) {
                ended.push((number, round.samples, round.least, round.mean()));
            }
        }
        // 102 to 111 ms from the second to the eleventh acknowledgement: the mean is 106.5.
        assert_eq!(ended.len(), 2);
        assert_eq!(ended[1].0, 11);
        assert_eq!((ended[1].1, ended[1].2), (10, 0.102));
        assert!((ended[1].3 - 0.1065).abs() < 1e-12);
        assert_eq!((rounds.base, rounds.greatest), (0.101, 0.12));
    }

    #[test]
    fn half_of_a_window_waits_where_the_round_trip_has_doubled() {
        assert_eq!((waiting(10.0, 0.1, 0.2), waiting(10.0, 0.1, 0.1)), (5.0, 0.0));
    }
}
