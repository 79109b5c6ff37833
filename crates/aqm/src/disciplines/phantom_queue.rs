//! A phantom queue (HULL: Alizadeh et al., "Less Is More", NSDI 2012): a counter that drains at a share of
//! the rate, and marks packets while it is above a threshold, so that senders that respond to marks stay
//! below the rate and no packets wait. If every packet can be marked it drops none itself: the senders'
//! response keeps the rate.

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::entry::{ECN, Entry, Queueing, Service, queue};
use crate::phantom::PhantomQueue;
use crate::tokens::RATE;
use ackclock_base::{Random, Range, Rate, Size, parameters};

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "phantom-queue",
        "Marks or drops packets while a counter of admitted bytes, which drains at a share of the link's rate or of a \
         given rate, is above a threshold",
        "Alizadeh et al. 2012 (HULL)",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(Phantom::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

parameters! {
    /// The counter and its threshold.
    pub struct Parameters {
        /// Reference rate: the counter drains at `drain` times this rate; none for the link's rate
        rate: Option<Rate> = RATE.source("Alizadeh et al. 2012 (HULL): a phantom queue drains at a share of its link's rate"),
        /// Rate at which the counter drains, as a share of `rate` (gamma)
        drain: f64 = number(
            "0.95",
            Range { min: 0.0, max: 1.0, above_min: true },
            "Alizadeh et al. 2012 (950 Mbit/s on 1 Gbit/s)",
        ),
        /// Level of the counter above which packets are marked if they are ECN-capable and `ecn` is on, and dropped
        /// otherwise
        threshold: Size = size(
            "6 kB",
            Range::at_least(0.0),
            "four packets of 1500 bytes; not checked against the HULL paper",
        ),
        ecn: bool = ECN.by_default("true").source("Alizadeh et al. 2012 enable marking"),
    }
}

/// Marks by a counter instead of the queue.
#[derive(Clone, Debug)]
pub struct Phantom {
    counter: PhantomQueue,
    rate: Rate,
    threshold: f64,
    ecn: bool,
    capacity: Capacity,
    passed_bytes: u64,
}

impl Phantom {
    /// Creates the counter at rest, in front of a link with this rate.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let rate = parameters.rate.unwrap_or(link.rate);
        let drained = (parameters.drain * rate.bits_per_second() as f64).round().max(1.0);
        Self {
            counter: PhantomQueue::new(Rate::from_bits_per_second(drained as u64)),
            rate,
            threshold: parameters.threshold.bytes() as f64,
            ecn: parameters.ecn,
            capacity,
            passed_bytes: 0,
        }
    }
}

impl Discipline for Phantom {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, _random: &mut dyn Random) -> Verdict {
        self.counter.drain(arrival.now);
        let beyond = self.counter.bytes() > self.threshold;
        let marked = beyond && self.ecn && arrival.ecn.is_capable();
        if !self.capacity.admits(arrival.bytes, backlog) || (beyond && !marked) {
            return Verdict::Drop;
        }
        self.counter.push(arrival.bytes);
        self.passed_bytes += u64::from(arrival.bytes);
        if marked { Verdict::Mark } else { Verdict::Admit }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("token_rate_bps", self.rate.bits_per_second() as f64);
        series("passed_bytes", self.passed_bytes as f64);
        series("phantom_bytes", self.counter.bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::Ecn;
    use crate::testing::{arrival, idle, waiting};
    use Verdict::{Admit, Drop, Mark};
    use ackclock_base::{Values, random::Scripted};

    fn phantom(settings: &[(&str, &str)]) -> Phantom {
        let link = LinkRate { rate: Rate::from_bits_per_second(8_000_000), mean_packet_bytes: 1000 };
        Phantom::new(
            Parameters::from(&Values::with(ENTRY.descriptor, settings)),
            Capacity::Packets(100),
            &link,
        )
    }

    fn ask(phantom: &mut Phantom, ms: f64, ecn: Ecn) -> Verdict {
        phantom.on_arrival(&Arrival { ecn, ..arrival(ms) }, &idle(0.0), &mut Scripted::new(&[]))
    }

    #[test]
    fn it_marks_beyond_the_threshold_and_marked_packets_count() {
        // Packets find 0, 1000, 2000, 3000 bytes; half of 8 Mbit/s drains 500 in a millisecond. After 4 ms
        // 2000 of 4000 are left, which is not above the threshold.
        let mut phantom = phantom(&[("drain", "0.5"), ("threshold", "2000 B")]);
        assert_eq!([0; 4].map(|_| ask(&mut phantom, 0.0, Ecn::Classic)), [Admit, Admit, Admit, Mark]);
        assert_eq!(ask(&mut phantom, 4.0, Ecn::Classic), Admit);
        assert_eq!(ask(&mut phantom, 4.0, Ecn::Classic), Mark);
    }

    #[test]
    fn a_packet_that_cannot_be_marked_is_dropped_and_does_not_count() {
        let mut phantom = phantom(&[("drain", "0.5"), ("threshold", "0 B")]);
        assert_eq!([0; 3].map(|_| ask(&mut phantom, 0.0, Ecn::NotCapable)), [Admit, Drop, Drop]);
        assert_eq!(ask(&mut phantom, 2.0, Ecn::NotCapable), Admit);
    }

    #[test]
    fn a_packet_that_the_queue_refuses_does_not_count() {
        let mut phantom = phantom(&[("threshold", "0 B")]);
        let refused = phantom.on_arrival(&arrival(0.0), &waiting(100), &mut Scripted::new(&[]));
        assert_eq!(refused, Drop);
        assert_eq!(ask(&mut phantom, 0.0, Ecn::Classic), Admit);
    }
}
