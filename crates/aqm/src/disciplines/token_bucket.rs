//! The token-bucket policer: a packet that finds too few tokens is dropped at arrival, and none is delayed.
//! With marks, a packet that finds tokens but few of them is marked, and takes them: if marks cost no tokens,
//! marked traffic could pass the contract at any rate.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::entry::{ECN, Entry, Queueing, Service, queue};
use crate::tokens::{BURST, Bucket, RATE};
use ackclock_base::{Random, Range, Rate, Size, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "token-bucket",
        "A token-bucket policer: drops packets that exceed a rate and a burst size, and delays none",
        "RFC 2215 section 3.6; Jain 2003 section 5.1",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(TokenBucket::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

parameters! {
    /// The bucket, and the level for marks.
    pub struct Parameters {
        rate: Option<Rate> = RATE,
        burst: Size = BURST,
        /// With `ecn`, level of the bucket, as a share of its depth, below which ECN-capable packets that find enough
        /// tokens are marked
        marking_level: f64 = number(
            "0.5",
            Range::between(0.0, 1.0),
            "Jain 2003 section 5.1 mentions marking, but no level; half the depth corresponds to srTCM with CBS = \
             EBS",
        ),
        /// Whether ECN-capable packets are marked while the bucket is below `marking_level`; a packet that finds too
        /// few tokens is dropped in any case
        ecn: bool = ECN,
    }
}

/// The policer. Packets that it admits wait in an ordinary queue for the link.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    bucket: Bucket,
    /// The level in bytes below which packets are marked; `None` without marks.
    marks_below: Option<f64>,
    capacity: Capacity,
}

impl TokenBucket {
    /// Creates the policer with a full bucket, in front of a link with this rate.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let bucket = Bucket::full(parameters.rate.unwrap_or(link.rate), parameters.burst);
        let marks_below = parameters.ecn.then(|| parameters.marking_level * bucket.depth_bytes());
        Self { bucket, marks_below, capacity }
    }
}

impl Discipline for TokenBucket {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, _random: &mut dyn Random) -> Verdict {
        self.bucket.refill(arrival.now);
        let few = self.marks_below.is_some_and(|bytes| self.bucket.level_bytes() < bytes);
        if !self.capacity.admits(arrival.bytes, backlog) || !self.bucket.take(arrival.bytes) {
            return Verdict::Drop;
        }
        if few && arrival.ecn.is_capable() { Verdict::Mark } else { Verdict::Admit }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.bucket.publish(series);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::Ecn;
    use crate::testing::{arrival, idle, waiting};
    use ackclock_base::{Rate, Values, random::Scripted};
    use proptest::prelude::*;

    const LINK: LinkRate =
        LinkRate { rate: Rate::from_bits_per_second(1_000_000_000), mean_packet_bytes: 1000 };

    fn policer(settings: &[(&str, &str)]) -> TokenBucket {
        let parameters = Parameters::from(&Values::with(ENTRY.descriptor, settings));
        TokenBucket::new(parameters, Capacity::Packets(100), &LINK)
    }

    fn ask(policer: &mut TokenBucket, arrival: Arrival) -> Verdict {
        policer.on_arrival(&arrival, &idle(0.0), &mut Scripted::new(&[]))
    }

    #[test]
    fn a_burst_passes_whole_and_then_the_rate() {
        // 5000 bytes of tokens: of ten packets of 1000 at once five pass. 8 Mbit/s bring one more each
        // millisecond, so of packets every 0.5 ms every second one passes.
        let mut policer = policer(&[("rate", "8 Mbit/s"), ("burst", "5000 B")]);
        let passed = (0..10).filter(|_| ask(&mut policer, arrival(0.0)) == Verdict::Admit).count();
        assert_eq!(passed, 5);
        let verdicts: Vec<_> =
            (1..=6).map(|step| ask(&mut policer, arrival(0.5 * f64::from(step)))).collect();
        let expected = [Verdict::Drop, Verdict::Admit].repeat(3);
        assert_eq!(verdicts, expected);
    }

    #[test]
    fn below_the_marking_level_capable_packets_are_marked_and_take_tokens() {
        // Three quarters of 4000 bytes are 3000: the first two packets find 4000 and 3000, the others less,
        // the last none.
        let settings =
            [("rate", "8 Mbit/s"), ("burst", "4000 B"), ("marking_level", "0.75"), ("ecn", "true")];
        let capable = Arrival { ecn: Ecn::Classic, ..arrival(0.0) };
        let verdicts = |arrival: Arrival| {
            let mut policer = policer(&settings);
            [0; 5].map(|_| ask(&mut policer, arrival))
        };
        use Verdict::{Admit, Drop, Mark};
        assert_eq!(verdicts(capable), [Admit, Admit, Mark, Mark, Drop]);
        assert_eq!(verdicts(arrival(0.0)), [Admit, Admit, Admit, Admit, Drop]);
    }

    #[test]
    fn a_packet_that_the_queue_refuses_takes_no_tokens() {
        let mut policer = policer(&[("burst", "1000 B"), ("rate", "1 bit/s")]);
        let refused = policer.on_arrival(&arrival(0.0), &waiting(100), &mut Scripted::new(&[]));
        assert_eq!(refused, Verdict::Drop);
        assert_eq!(ask(&mut policer, arrival(0.0)), Verdict::Admit);
    }

    #[test]
    fn without_a_rate_it_is_the_links() {
        // 1 Gbit/s bring 1000 bytes in 8 us.
        let mut policer = policer(&[("burst", "1000 B")]);
        let verdicts = [0.0, 0.007, 0.008].map(|ms| ask(&mut policer, arrival(ms)));
        assert_eq!(verdicts, [Verdict::Admit, Verdict::Drop, Verdict::Admit]);
    }

    proptest! {
        #[test]
        fn no_interval_passes_more_than_its_tokens_and_a_burst(
            arrivals in prop::collection::vec((0_u64..4_000_000, 40_u32..2000), 1..200),
            rate in 100_000_u64..50_000_000,
            burst in 40_u64..20_000,
            ecn in any::<bool>(),
        ) {
            // Jain 2003 section 5.1: at most rho t + sigma bits in any interval of length t. Compared in
            // whole numbers.
            let settings =
                [("rate", format!("{rate} bit/s")), ("burst", format!("{burst} B")), ("ecn", ecn.to_string())];
            let mut policer = policer(&settings.each_ref().map(|(name, text)| (*name, text.as_str())));
            let mut now_ns = 0;
            let mut passed: Vec<(u64, u128)> = Vec::new();
            for (gap_ns, bytes) in arrivals {
                now_ns += gap_ns;
                let now = ackclock_base::Time::from_nanos(now_ns);
                let packet = Arrival { now, bytes, ecn: Ecn::Classic, ..arrival(0.0) };
                if ask(&mut policer, packet) != Verdict::Drop {
                    passed.push((now_ns, u128::from(bytes) * 8));
                }
            }
            for (index, (from, _)) in passed.iter().enumerate() {
                let mut bits = 0;
                for (to, more) in &passed[index..] {
                    bits += more;
                    let tokens = u128::from(rate) * u128::from(to - from) + u128::from(burst) * 8_000_000_000;
                    prop_assert!(bits * 1_000_000_000 <= tokens, "{bits} bits in {} ns", to - from);
                }
            }
        }
    }
}
