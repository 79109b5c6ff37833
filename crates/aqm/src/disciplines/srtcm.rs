//! srTCM, the single rate three colour marker (RFC 2697), colour-blind, as a policer: red packets are
//! dropped, and yellow ones marked if marks are enabled. Without marks it is a token bucket of both depths
//! together.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::entry::{ECN, Entry, Queueing, Service, queue};
use crate::tokens::{BURST, PER_BYTE, RATE};
use ackclock_base::{Random, Range, Rate, Size, Time, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "srtcm",
        "A policer with one rate and two burst sizes: packets beyond both bursts are dropped, packets beyond the \
         committed burst can be marked",
        "RFC 2697",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(SrTcm::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

parameters! {
    /// The two buckets, and the treatment of yellow packets.
    pub struct Parameters {
        rate: Option<Rate> = RATE.source("RFC 2697 section 2, CIR"),
        /// Depth of the committed bucket (CBS); a packet that finds too few tokens in it takes them from the excess bucket
        burst: Size = BURST.source("CBS of RFC 2697 section 2, which specifies no value"),
        /// Depth of the excess bucket (EBS), which receives the tokens that do not fit in the committed bucket
        excess_burst: Size = size("25 kB", Range::at_least(0.0), "EBS of RFC 2697 section 2, which specifies no value"),
        ecn: bool = ECN
            .source("RFC 3168 section 5; RFC 2697 section 4 marks packets for later nodes to drop")
            .about(YELLOW),
    }
}

/// The meaning of `ecn` in a three colour marker.
pub const YELLOW: &str = "Whether ECN-capable packets that exceed the committed bucket (yellow) are marked; if not, \
                          they pass unchanged";

/// The meter: tokens go into the committed bucket, and tokens that do not fit into the excess bucket (section
/// 3).
#[derive(Clone, Debug)]
pub struct SrTcm {
    rate: Rate,
    committed_depth: u128,
    excess_depth: u128,
    /// The tokens of the committed bucket, Tc.
    committed: u128,
    /// The tokens of the excess bucket, Te.
    excess: u128,
    at: Time,
    passed_bytes: u64,
    marks: bool,
    capacity: Capacity,
}

impl SrTcm {
    /// Creates the meter with full buckets, in front of a link with this rate.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let depth = |size: Size| u128::from(size.bytes()) * PER_BYTE;
        let (committed_depth, excess_depth) = (depth(parameters.burst), depth(parameters.excess_burst));
        Self {
            rate: parameters.rate.unwrap_or(link.rate),
            committed_depth,
            excess_depth,
            committed: committed_depth,
            excess: excess_depth,
            at: Time::ZERO,
            passed_bytes: 0,
            marks: parameters.ecn,
            capacity,
        }
    }

    fn refill(&mut self, now: Time) {
        let arrived = u128::from(self.rate.bits_per_second()) * u128::from(now.since(self.at).nanos());
        let committed = arrived.min(self.committed_depth - self.committed);
        self.committed += committed;
        self.excess = (self.excess + arrived - committed).min(self.excess_depth);
        self.at = self.at.max(now);
    }
}

impl Discipline for SrTcm {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, _random: &mut dyn Random) -> Verdict {
        self.refill(arrival.now);
        if !self.capacity.admits(arrival.bytes, backlog) {
            return Verdict::Drop;
        }
        let needed = u128::from(arrival.bytes) * PER_BYTE;
        let green = needed <= self.committed;
        if green {
            self.committed -= needed;
        } else if needed <= self.excess {
            self.excess -= needed;
        } else {
            return Verdict::Drop;
        }
        self.passed_bytes += u64::from(arrival.bytes);
        if !green && self.marks && arrival.ecn.is_capable() { Verdict::Mark } else { Verdict::Admit }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("token_rate_bps", self.rate.bits_per_second() as f64);
        series("bucket_bytes", (self.committed_depth + self.excess_depth) as f64 / PER_BYTE as f64);
        series("tokens_bytes", (self.committed + self.excess) as f64 / PER_BYTE as f64);
        series("passed_bytes", self.passed_bytes as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::Ecn;
    use crate::testing::{arrival, idle, waiting};
    use Verdict::{Admit, Drop, Mark};
    use ackclock_base::{Values, random::Scripted};

    fn policer(settings: &[(&str, &str)]) -> SrTcm {
        let link = LinkRate { rate: Rate::from_bits_per_second(1_000_000_000), mean_packet_bytes: 1000 };
        SrTcm::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)), Capacity::Packets(100), &link)
    }

    fn ask(policer: &mut SrTcm, ms: f64, ecn: Ecn) -> Verdict {
        policer.on_arrival(&Arrival { ecn, ..arrival(ms) }, &idle(0.0), &mut Scripted::new(&[]))
    }

    #[test]
    fn packets_are_green_then_yellow_then_red() {
        // CBS 2000, EBS 2000: two green, two yellow, red. 8 Mbit/s bring one packet in a millisecond: into
        // the committed bucket until that is full after two, then into the other one.
        let settings =
            [("rate", "8 Mbit/s"), ("burst", "2000 B"), ("excess_burst", "2000 B"), ("ecn", "true")];
        let mut policer = policer(&settings);
        assert_eq!([0; 5].map(|_| ask(&mut policer, 0.0, Ecn::Classic)), [Admit, Admit, Mark, Mark, Drop]);
        assert_eq!([0; 2].map(|_| ask(&mut policer, 1.0, Ecn::Classic)), [Admit, Drop]);
        assert_eq!([0; 4].map(|_| ask(&mut policer, 4.0, Ecn::Classic)), [Admit, Admit, Mark, Drop]);
        // 16 ms bring 16 packets' worth, of which the buckets keep two each.
        assert_eq!([0; 5].map(|_| ask(&mut policer, 20.0, Ecn::Classic)), [Admit, Admit, Mark, Mark, Drop]);
    }

    #[test]
    fn yellow_passes_unchanged_if_it_cannot_or_need_not_be_marked() {
        for (ecn, field) in [("true", Ecn::NotCapable), ("false", Ecn::Classic)] {
            let settings =
                [("rate", "1 bit/s"), ("burst", "1000 B"), ("excess_burst", "1000 B"), ("ecn", ecn)];
            let mut policer = policer(&settings);
            assert_eq!([0; 3].map(|_| ask(&mut policer, 0.0, field)), [Admit, Admit, Drop]);
        }
    }

    #[test]
    fn a_packet_that_the_queue_refuses_takes_no_tokens() {
        let mut policer = policer(&[("rate", "1 bit/s"), ("burst", "1 kB"), ("excess_burst", "0 B")]);
        let refused = policer.on_arrival(&arrival(0.0), &waiting(100), &mut Scripted::new(&[]));
        assert_eq!(refused, Drop);
        assert_eq!(ask(&mut policer, 0.0, Ecn::NotCapable), Admit);
    }
}
