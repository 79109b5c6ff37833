//! A discipline after PAQM (Gao, He and Hou, INFOCOM 2002): predicts the arrivals of the next interval from
//! their correlation, and drops as many of them as needed for the queue to have a desired length at its end.
//!
//! This is a reconstruction from the paper's abstract and from what Jain 2003 says of it: a linear
//! least-mean-square predictor of the traffic, and a controller on it. The paper's own algorithm may differ.

mod forecast;
#[cfg(test)]
mod tests;

use crate::discipline::{Arrival, Backlog, Capacity, Discipline, LinkRate, Verdict};
use crate::entry::{ECN, Entry, PERIODS, Queueing, Service, queue};
use ackclock_base::{Packets, Random, Range, Span, Time, parameters};
use forecast::Forecast;

/// The discipline's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &queue(
        "paqm",
        "Drops the fraction of the predicted arrivals by which the queue would exceed a desired length (a \
         reconstruction of PAQM)",
        "after Gao, He and Hou 2002, reconstructed",
        Parameters::TABLE,
    ),
    build: |values, capacity, link| Queueing::at_arrival(Paqm::new(values.into(), capacity, link)),
    service: Service::IN_ORDER,
};

parameters! {
    /// The desired queue, and the prediction of traffic.
    pub struct Parameters {
        /// Desired queue length
        optimal_queue: Packets = packets("20 packets", Range::at_least(0.0), "Jain 2003 section 2.7.1"),
        /// Length of the intervals in which arrivals are counted and predicted, at least the transmission time of a
        /// packet of mean size; none for ten times that transmission time, but at least 0.1 ms
        interval: Option<Span> = time("none", PERIODS, "not published"),
        /// Number of most recent intervals from whose arrivals the number of arrivals in the next interval is predicted
        order: usize = integer("10", Range::between(1.0, 200.0), "not published"),
        /// Number of intervals over which the mean and the autocovariance of the arrivals are averaged
        memory: f64 = number("1000", Range::at_least(1.0), "not published"),
        ecn: bool = ECN,
        /// With `ecn`, whether ECN-capable packets are dropped while the drop probability is 1; if not, they are marked
        drops_above_maximum: bool = flag(true, "RFC 3168 section 7"),
    }
}

/// Drops as much of the predicted traffic as needed to keep the desired queue.
#[derive(Clone, Debug)]
pub struct Paqm {
    capacity: Capacity,
    optimal_packets: f64,
    interval: Span,
    /// The packets that the link sends in an interval.
    served_packets: f64,
    forecast: Forecast,
    arrived: u32,
    predicted_arrivals: f64,
    probability: f64,
    ecn: bool,
    drops_above_maximum: bool,
}

impl Paqm {
    /// Creates an empty queue with this capacity, in front of a link with this rate.
    pub fn new(parameters: Parameters, capacity: Capacity, link: &LinkRate) -> Self {
        let packet_s = f64::from(link.mean_packet_bytes) / link.rate.bytes_per_second();
        let packet = Span::from_seconds(packet_s).max(Span::from_nanos(1));
        // Without the least period, the work on a fast link would grow with its rate and not with its packets.
        let usual = || packet.scale(10.0).max(Span::from_seconds(PERIODS.min));
        let interval = parameters.interval.unwrap_or_else(usual).max(packet);
        Self {
            capacity,
            optimal_packets: parameters.optimal_queue,
            interval,
            served_packets: interval.seconds() / packet_s,
            forecast: Forecast::new(parameters.order, parameters.memory),
            arrived: 0,
            predicted_arrivals: 0.0,
            probability: 0.0,
            ecn: parameters.ecn,
            drops_above_maximum: parameters.drops_above_maximum,
        }
    }

    /// Returns the drop probability p at which waiting + (1 - p) arriving - served is the desired length.
    fn needed(&self, waiting: f64, arriving: f64) -> f64 {
        let excess = waiting + arriving - self.served_packets - self.optimal_packets;
        if excess <= 0.0 { 0.0 } else { (excess / arriving).min(1.0) }
    }
}

impl Discipline for Paqm {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        self.arrived += 1;
        let early = self.probability > 0.0 && random.uniform() < self.probability;
        // RFC 3168 section 7: if every packet would be dropped, marking is not enough.
        let enough = self.probability < 1.0 || !self.drops_above_maximum;
        let may_mark = self.ecn && arrival.ecn.is_capable() && enough;
        match (self.capacity.admits(arrival.bytes, backlog), early) {
            (true, false) => Verdict::Admit,
            (true, true) if may_mark => Verdict::Mark,
            _ => Verdict::Drop,
        }
    }

    fn period(&self) -> Option<Span> {
        Some(self.interval)
    }

    fn on_period(&mut self, _now: Time, backlog: &Backlog) {
        self.predicted_arrivals = self.forecast.observe(f64::from(self.arrived)).max(0.0);
        self.arrived = 0;
        self.probability = self.needed(backlog.packets as f64, self.predicted_arrivals);
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("predicted_arrivals_packets", self.predicted_arrivals);
        series("drop_probability", self.probability);
    }
}
