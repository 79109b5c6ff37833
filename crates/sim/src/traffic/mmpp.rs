//! The hierarchical Markov-modulated Poisson process of Muscariello, Mellia, Meo, Ajmone Marsan and Lo Cigno
//! (ICC 2004). Sessions arrive as a Poisson process. A session starts flows and a flow sends packets, both at
//! exponential intervals; the numbers are geometric. Counts of packets vary over all time scales from that of
//! a flow to that of a session, as in long-range dependent traffic, but not beyond the longest sessions.
//!
//! All levels are memoryless, so the numbers of active sessions and flows are the whole state.

use super::{
    Entry, HEADER, MEAN_NUMBERS, MEAN_TIMES, PACKET, RATE, Sizes, Source, SourceEntry, Workload, application,
};
use crate::random::Stream;
use ackclock_base::{Random, Rate, Size, Span, parameters};

/// The entry in the list of applications.
pub const ENTRY: Entry = Entry {
    descriptor: &application(
        "mmpp",
        "Sends long-range dependent traffic over UDP: sessions of flows of packets, with Poisson arrivals at each of \
         the three levels; with a `control`, writes the packets into a connection",
        "Muscariello et al., ICC 2004; Alnuem 2009 section 5.2 and appendix C",
        Parameters::TABLE,
    ),
    workload: Workload::Source(SourceEntry {
        build: |values| Box::new(Mmpp::new(Hierarchy::of(&values.into()))),
        sizes: |values| {
            let Parameters { packet, header, .. } = values.into();
            Sizes { packet, header, reply: None }
        },
        rate_bps: |values, _| Parameters::from(values).rate.bits_per_second() as f64,
    }),
};

parameters! {
    /// The rate, and the three levels.
    pub struct Parameters {
        /// Mean rate at which payload is sent
        rate: Rate = RATE,
        packet: Size = PACKET,
        header: Size = HEADER,
        /// Mean number of flows per session
        flows: f64 = number("20", MEAN_NUMBERS, UNSTATED),
        /// Mean number of packets per flow
        packets: f64 = number("10", MEAN_NUMBERS, UNSTATED),
        /// Mean time between the starts of two successive flows of a session
        between_flows: Span = time("500 ms", MEAN_TIMES, UNSTATED),
        /// Mean time between two successive packets of a flow
        between_packets: Span = time("20 ms", MEAN_TIMES, UNSTATED),
    }
}

const UNSTATED: &str = "not published; the defaults reproduce the Hurst parameters in Alnuem 2009 table C.1";

/// The rates and numbers of the three levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hierarchy {
    /// The mean number of packets per second.
    pub packet_rate: f64,
    /// The mean number of flows per session.
    pub flows_per_session: f64,
    /// The mean number of packets per flow.
    pub packets_per_flow: f64,
    /// The mean time between two flows of a session, in seconds.
    pub between_flows: f64,
    /// The mean time between two packets of a flow, in seconds.
    pub between_packets: f64,
}

impl Hierarchy {
    fn of(parameters: &Parameters) -> Self {
        let payload_bits = parameters.packet.bytes() as f64 * 8.0;
        Self {
            packet_rate: parameters.rate.bits_per_second() as f64 / payload_bits,
            flows_per_session: parameters.flows,
            packets_per_flow: parameters.packets,
            between_flows: parameters.between_flows.seconds(),
            between_packets: parameters.between_packets.seconds(),
        }
    }
}

/// A source with sessions and flows that come and go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mmpp {
    hierarchy: Hierarchy,
    session_rate: f64,
    sessions: f64,
    flows: f64,
}

/// The number of flow lifetimes simulated before the start, to reach the stationary state. The influence of
/// the initial state has shrunk to e^-10 by then.
const LIFETIMES_BEFORE: f64 = 10.0;
/// The largest number of steps simulated before the start, for scenarios with very many flows.
const MAX_STEPS_BEFORE: usize = 1_000_000;

impl Mmpp {
    /// Creates a source that has not begun.
    pub fn new(hierarchy: Hierarchy) -> Self {
        let packets_per_session = hierarchy.flows_per_session * hierarchy.packets_per_flow;
        Self {
            hierarchy,
            session_rate: hierarchy.packet_rate / packets_per_session,
            sessions: 0.0,
            flows: 0.0,
        }
    }

    /// Simulates one step of the process. Returns the time until it, in seconds, and whether it is a packet.
    fn step(&mut self, random: &mut Stream) -> (f64, bool) {
        let flow_rate = self.sessions / self.hierarchy.between_flows;
        let packet_rate = self.flows / self.hierarchy.between_packets;
        let rate = self.session_rate + flow_rate + packet_rate;
        let wait = random.exponential(1.0 / rate);
        let which = random.uniform() * rate;
        if which < packet_rate {
            self.flows -= ends(self.hierarchy.packets_per_flow, random);
            return (wait, true);
        }
        if which < packet_rate + flow_rate {
            self.flows += 1.0;
            self.sessions -= ends(self.hierarchy.flows_per_session, random);
        } else {
            self.sessions += 1.0;
        }
        (wait, false)
    }

    /// Draws a state from the stationary distribution. Sessions form a queue with infinitely many servers, so
    /// their number is Poisson; flows are simulated until their initial number is forgotten.
    fn settle(&mut self, random: &mut Stream) {
        let Hierarchy { flows_per_session, packets_per_flow, between_flows, between_packets, .. } =
            self.hierarchy;
        let lifetime = packets_per_flow * between_packets;
        self.sessions = poisson(self.session_rate * flows_per_session * between_flows, random);
        self.flows = poisson(self.session_rate * flows_per_session * lifetime, random);
        let mut played = 0.0;
        for _ in 0..MAX_STEPS_BEFORE {
            played += self.step(random).0;
            if played > LIFETIMES_BEFORE * lifetime {
                break;
            }
        }
    }

    fn until_packet(&mut self, random: &mut Stream) -> Span {
        let mut waited = 0.0;
        loop {
            let (wait, packet) = self.step(random);
            waited += wait;
            if packet {
                return Span::from_seconds(waited);
            }
        }
    }
}

impl Source for Mmpp {
    fn first(&mut self, random: &mut Stream) -> Span {
        self.settle(random);
        self.until_packet(random)
    }

    fn next(&mut self, random: &mut Stream) -> Span {
        self.until_packet(random)
    }
}

/// Returns 1 if a geometric series of parts with this mean number ends with the present part, otherwise 0.
fn ends(mean: f64, random: &mut Stream) -> f64 {
    f64::from(u8::from(random.uniform() * mean < 1.0))
}

/// Draws a Poisson number with this mean. If the mean is above 1000, the number is approximated by a rounded
/// normal one.
fn poisson(mean: f64, random: &mut Stream) -> f64 {
    if mean > 1000.0 {
        let radius = (2.0 * random.exponential(1.0)).sqrt();
        let normal = radius * libm::cos(2.0 * std::f64::consts::PI * random.uniform());
        return (mean + mean.sqrt() * normal).round().max(0.0);
    }
    let (mut number, mut sum) = (0.0, random.exponential(1.0));
    while sum < mean {
        number += 1.0;
        sum += random.exponential(1.0);
    }
    number
}

#[cfg(test)]
mod tests {
    use super::super::departures;
    use super::*;

    /// The default parameters, at 1000 packets per second.
    const USUAL: Hierarchy = Hierarchy {
        packet_rate: 1000.0,
        flows_per_session: 20.0,
        packets_per_flow: 10.0,
        between_flows: 0.5,
        between_packets: 0.02,
    };

    fn counts(hierarchy: Hierarchy, seed: u64, bin: f64, bins: usize) -> Vec<f64> {
        let mut counts = vec![0.0; bins];
        for time in departures(&mut Mmpp::new(hierarchy), seed, bin * bins as f64) {
            counts[((time / bin) as usize).min(bins - 1)] += 1.0;
        }
        counts
    }

    fn mean(numbers: &[f64]) -> f64 {
        numbers.iter().sum::<f64>() / numbers.len() as f64
    }

    fn variance(numbers: &[f64]) -> f64 {
        let mean = mean(numbers);
        numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (numbers.len() - 1) as f64
    }

    /// Estimates the Hurst parameter H by the aggregated-variance estimator of error-discriminating TCP,
    /// appendix C: with means over blocks of m = 2, 4, 8, ... counts, up to half of the series, the slope of
    /// the logarithm of their variance over log m is 2 H - 2.
    fn hurst(series: &[f64]) -> f64 {
        let points: Vec<(f64, f64)> = std::iter::successors(Some(2), |m| Some(m * 2))
            .take_while(|m| *m <= series.len() / 2)
            .map(|m| {
                let means: Vec<f64> = series.chunks_exact(m).map(mean).collect();
                ((m as f64).log10(), variance(&means).log10())
            })
            .collect();
        let n = points.len() as f64;
        let sum = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
        let (x, y) = (sum(&|p| p.0), sum(&|p| p.1));
        let slope = (n * sum(&|p| p.0 * p.1) - x * y) / (n * sum(&|p| p.0 * p.0) - x * x);
        slope / 2.0 + 1.0
    }

    /// Returns the mean of the Hurst parameters estimated from twenty series.
    fn mean_hurst(series: impl Fn(u64) -> Vec<f64>) -> f64 {
        mean(&(0..20).map(|seed| hurst(&series(seed))).collect::<Vec<f64>>())
    }

    fn normal(random: &mut Stream) -> f64 {
        let radius = (2.0 * random.exponential(1.0)).sqrt();
        radius * libm::cos(2.0 * std::f64::consts::PI * random.uniform())
    }

    /// Returns fractional Gaussian noise, computed exactly by Hosking's recursion.
    fn fractional_noise(seed: u64, h: f64, length: usize) -> Vec<f64> {
        let mut random = Stream::new(seed, "noise");
        let power = |k: f64| k.abs().powf(2.0 * h);
        let covariance =
            |k: usize| (power(k as f64 + 1.0) - 2.0 * power(k as f64) + power(k as f64 - 1.0)) / 2.0;
        let rho: Vec<f64> = (0..length).map(covariance).collect();
        let (mut series, mut phi, mut left) = (vec![normal(&mut random)], Vec::<f64>::new(), 1.0);
        for n in 1..length {
            let known: f64 = phi.iter().enumerate().map(|(j, phi)| phi * rho[n - 1 - j]).sum();
            let last = (rho[n] - known) / left;
            let before = phi.clone();
            phi.iter_mut().zip(before.iter().rev()).for_each(|(phi, mirrored)| *phi -= last * mirrored);
            phi.push(last);
            left *= 1.0 - last * last;
            let expected: f64 = phi.iter().zip(series.iter().rev()).map(|(phi, x)| phi * x).sum();
            series.push(expected + left.sqrt() * normal(&mut random));
        }
        series
    }

    #[test]
    fn the_estimator_knows_white_noise_and_fractional_noise() {
        // There are ten points, from m = 2 to 1024. At the last three there are two, four and eight means, so
        // that their variance has one, three and seven degrees of freedom, and its logarithm is low by 0.552,
        // 0.189 and 0.065 decades on average. In octaves, the points lie 4.5, 3.5 and 2.5 from the middle of
        // the ten, and the squares of all ten distances add up to 82.5, or 24.8 if one factor is in decades.
        // So the slope is low by (2.48 + 0.66 + 0.16) / 24.8 = 0.133, and H by 0.067. One estimate has a
        // standard deviation of about 0.1, and the mean of twenty estimates 0.02.
        let white = mean_hurst(|seed| fractional_noise(seed, 0.5, 2048));
        assert!((white - 0.433).abs() < 0.05, "{white}");
        // For dependent noise, means of parts of the series vary less about each other than about the true
        // mean, which lowers the estimate further: at the last point, with two halves of the series, the
        // logarithm of the variance by another -log10(2 - 2^0.6) = 0.32.
        let dependent = mean_hurst(|seed| fractional_noise(seed, 0.8, 2048));
        assert!((0.65..0.8).contains(&dependent), "{dependent}");
        assert!(dependent - white > 0.22, "{dependent} {white}");
    }

    #[test]
    fn counts_depend_over_a_long_range() {
        // Error-discriminating TCP, table C.1, runs of 100 s: H = 0.77 in bins of 0.01 s, 0.76 in bins of 0.1
        // s, and "around 0.8" for the traffic of chapter 6. One estimate has a standard deviation of 0.1, and
        // the mean of twenty estimates 0.02.
        let fine = mean_hurst(|seed| counts(USUAL, seed, 0.01, 10_000));
        assert!((0.72..0.84).contains(&fine), "{fine}");
        let coarse = mean_hurst(|seed| counts(USUAL, seed, 0.1, 1000));
        assert!((0.70..0.84).contains(&coarse), "{coarse}");
    }

    #[test]
    fn without_a_hierarchy_it_is_a_poisson_process() {
        // With one packet per flow and one flow per session, H = 1/2, and the variance equals the mean. The
        // standard error of the variance of 10000 counts is sqrt(2 / 10000) = 1.4 %.
        let flat = Hierarchy { flows_per_session: 1.0, packets_per_flow: 1.0, ..USUAL };
        let h = mean_hurst(|seed| counts(flat, seed, 0.01, 10_000));
        assert!((h - 0.5).abs() < 0.06, "{h}");
        let counted = counts(flat, 1, 0.01, 10_000);
        assert!((variance(&counted) / mean(&counted) - 1.0).abs() < 0.06);
    }

    #[test]
    fn the_mean_rate_is_what_is_asked_for() {
        // A session has a geometric number of packets with mean 20 * 10. Over long times the variance is
        // therefore 2 * 20 * 10 - 1 = 399 times the mean: 100 packets per second over 20000 s have a relative
        // deviation of sqrt(399 / 2e6) = 1.4 %.
        let hierarchy = Hierarchy { packet_rate: 100.0, ..USUAL };
        let rate = departures(&mut Mmpp::new(hierarchy), 3, 20_000.0).len() as f64 / 20_000.0;
        assert!((rate / 100.0 - 1.0).abs() < 0.05, "{rate}");
    }

    #[test]
    fn geometric_flows_raise_the_variance_to_twice_their_length() {
        // Flows form a Poisson process, each with a geometric number K of packets with mean 10. Over times
        // that are long against the flow's 0.2 s, the ratio of variance to mean is E[K^2] / E[K] = 2 * 10 - 1
        // = 19, less a share of about 2 * 0.2 s / 20 s. The standard error of the variance of 1000 counts is
        // 4.5 %.
        let flows = Hierarchy { packet_rate: 50.0, flows_per_session: 1.0, between_flows: 1e-6, ..USUAL };
        let counted = counts(flows, 5, 20.0, 1000);
        let ratio = variance(&counted) / mean(&counted);
        assert!((ratio / 19.0 - 1.0).abs() < 0.15, "{ratio}");
    }

    #[test]
    fn the_source_begins_in_its_stationary_state() {
        // The first second has the same mean number of packets as later ones, here over 400 seeds. The ratio
        // of variance to mean of counts of one second is some tens, so the mean of 400 counts of about 1000
        // has a relative deviation of about sqrt(50 / 400000) = 1 %.
        let first: Vec<f64> = (0..400).map(|seed| counts(USUAL, seed, 1.0, 1)[0]).collect();
        assert!((mean(&first) / 1000.0 - 1.0).abs() < 0.05, "{}", mean(&first));
    }
}
