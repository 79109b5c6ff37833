//! trTCM, the two rate three colour marker (RFC 2698), colour-blind, as a policer: red packets are dropped,
//! and yellow ones marked if marks are enabled. Without marks it is a token bucket of the peak rate and the
//! peak burst.

use super::srtcm::YELLOW;
use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::entry::{ECN, Entry, Queueing, Service, queue};
use crate::tokens::{BURST, Bucket, RATE};
use ackclock_base::{Random, Range, Rate, Size, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "trtcm",
        "A policer with two rates: packets beyond the peak rate are dropped, packets beyond the committed rate can be \
         marked",
        "RFC 2698",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(TrTcm::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

parameters! {
    /// The two buckets, and the treatment of yellow packets.
    pub struct Parameters {
        /// Committed rate (CIR); none for the link's rate
        rate: Option<Rate> = RATE.source("RFC 2698 section 2"),
        /// Depth of the committed bucket (CBS)
        burst: Size = BURST.source("CBS of RFC 2698 section 2, which specifies no value"),
        /// Peak rate (PIR), above which packets are dropped; if none, equal to the committed rate (`rate`)
        peak_rate: Option<Rate> = rate(
            "none",
            Range::at_least(1.0),
            "RFC 2698 section 2: equal to or greater than CIR",
        ),
        /// Depth of the peak bucket (PBS); a packet larger than the bucket is always dropped
        peak_burst: Size = size(
            "50 kB",
            Range::above(0.0),
            "PBS of RFC 2698 section 2, which specifies no value; here the sum of srtcm's CBS and EBS",
        ),
        ecn: bool = ECN
            .source("RFC 3168 section 5; RFC 2698 section 4 marks packets for later nodes to drop")
            .about(YELLOW),
    }
}

/// The meter: a packet without tokens in the peak bucket is red, one without tokens in the committed bucket
/// is yellow.
#[derive(Clone, Debug)]
pub struct TrTcm {
    committed: Bucket,
    peak: Bucket,
    marks: bool,
    capacity: Capacity,
}

impl TrTcm {
    /// Creates the meter with full buckets, in front of a link with this rate.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let committed = Bucket::full(parameters.rate.unwrap_or(link.rate), parameters.burst);
        let peak_rate = parameters.peak_rate.unwrap_or(committed.rate());
        Self {
            peak: Bucket::full(peak_rate, parameters.peak_burst),
            committed,
            marks: parameters.ecn,
            capacity,
        }
    }
}

impl Discipline for TrTcm {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, _random: &mut dyn Random) -> Verdict {
        self.peak.refill(arrival.now);
        self.committed.refill(arrival.now);
        if !self.capacity.admits(arrival.bytes, backlog) || !self.peak.take(arrival.bytes) {
            return Verdict::Drop;
        }
        let green = self.committed.take(arrival.bytes);
        if !green && self.marks && arrival.ecn.is_capable() { Verdict::Mark } else { Verdict::Admit }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.peak.publish(series);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::Ecn;
    use crate::disciplines::token_bucket::{self, TokenBucket};
    use crate::testing::{arrival, idle, waiting};
    use Verdict::{Admit, Drop, Mark};
    use ackclock_base::{Rate, Time, Values, random::Scripted};
    use proptest::prelude::*;

    const LINK: LinkRate =
        LinkRate { rate: Rate::from_bits_per_second(1_000_000_000), mean_packet_bytes: 1000 };

    fn policer(settings: &[(&str, &str)]) -> TrTcm {
        TrTcm::new(Parameters::from(&Values::with(ENTRY.descriptor, settings)), Capacity::Packets(100), &LINK)
    }

    fn ask(policer: &mut TrTcm, ms: f64) -> Verdict {
        let arrival = Arrival { ecn: Ecn::Classic, ..arrival(ms) };
        policer.on_arrival(&arrival, &idle(0.0), &mut Scripted::new(&[]))
    }

    #[test]
    fn red_exceeds_the_peak_and_yellow_the_committed_rate() {
        // CBS 1000, PBS 3000: one green, two yellow, red. After a millisecond CIR has added 500 bytes and
        // PIR 1000: yellow. After two, CIR has added 1000 and PIR another 1000: green. Red takes none of
        // the committed tokens.
        let settings = [
            ("rate", "4 Mbit/s"),
            ("burst", "1000 B"),
            ("peak_rate", "8 Mbit/s"),
            ("peak_burst", "3000 B"),
            ("ecn", "true"),
        ];
        let mut policer = policer(&settings);
        assert_eq!([0; 4].map(|_| ask(&mut policer, 0.0)), [Admit, Mark, Mark, Drop]);
        assert_eq!([0; 2].map(|_| ask(&mut policer, 1.0)), [Mark, Drop]);
        assert_eq!([0; 2].map(|_| ask(&mut policer, 2.0)), [Admit, Drop]);
    }

    #[test]
    fn a_packet_that_the_queue_refuses_takes_no_tokens() {
        let mut policer = policer(&[("rate", "1 bit/s"), ("peak_burst", "1 kB")]);
        let refused = policer.on_arrival(&arrival(0.0), &waiting(100), &mut Scripted::new(&[]));
        assert_eq!(refused, Drop);
        assert_eq!(ask(&mut policer, 0.0), Admit);
    }

    proptest! {
        #[test]
        fn without_marks_it_is_a_token_bucket_of_the_peak(
            arrivals in prop::collection::vec((0_u64..4_000_000, 40_u32..2000), 1..200),
            rate in 100_000_u64..50_000_000,
            burst in 40_u64..20_000,
        ) {
            let (rate, burst) = (format!("{rate} bit/s"), format!("{burst} B"));
            let mut meter = policer(&[("peak_rate", &rate), ("peak_burst", &burst)]);
            let values = Values::with(token_bucket::ENTRY.descriptor, &[("rate", &rate), ("burst", &burst)]);
            let mut bucket = TokenBucket::new((&values).into(), Capacity::Packets(100), &LINK);
            let mut now = 0;
            for (gap, bytes) in arrivals {
                now += gap;
                let packet = Arrival { now: Time::from_nanos(now), bytes, ..arrival(0.0) };
                let random = &mut Scripted::new(&[]);
                let expected = bucket.on_arrival(&packet, &idle(0.0), random);
                prop_assert_eq!(meter.on_arrival(&packet, &idle(0.0), random), expected);
            }
        }
    }
}
