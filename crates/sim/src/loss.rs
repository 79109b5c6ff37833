//! Models of packets corrupted on a link, after the queue: noise, fading, bursts.

use crate::correlated::Correlated;
use crate::random::Stream;
use crate::timeline::Timeline;
use crate::two_states::TwoStates;
use ackclock_base::{Descriptor, Kind, Packets, Parameter, Random, Range, Span, Time, Values, parameters};

/// Decides which packets a link corrupts. Called once per packet, in the order of sending.
pub trait LossModel: Send {
    /// Returns whether the packet whose transmission ends at `sent` is corrupted.
    fn loses(&mut self, sent: Time, random: &mut Stream) -> bool;
}

/// A registered loss model.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name, the summary and the parameters.
    pub descriptor: &'static Descriptor,
    /// Builds the model of a link.
    pub build: fn(&Values) -> Box<dyn LossModel>,
}

/// The loss models, in the order in which lists show them.
pub const LOSSES: &[Entry] = &[
    Entry {
        descriptor: &loss(
            "independent",
            "Corrupts each packet with the same probability, independently of other packets",
            "ns-2's ErrorModel with a uniform variable",
            Independent::TABLE,
        ),
        build: |values| Box::new(Independent::from(values)),
    },
    Entry {
        descriptor: &loss(
            "correlated",
            "Corrupts packets in clusters, because the random numbers of successive packets are correlated (netem); \
             the share of corrupted packets is lower than `probability` if `probability` is below 0.5, and higher if \
             it is above 0.5",
            "Linux net/sched/sch_netem.c, get_crandom",
            Mixed::TABLE,
        ),
        build: |values| Box::new(CorrelatedLosses::new(values.into())),
    },
    Entry {
        descriptor: &loss(
            "gilbert-packets",
            "Corrupts packets in bursts: a good and a bad state alternate, each with its own probability of corruption \
             and a random length in packets",
            "Gilbert 1960; Elliott 1963",
            CountedStates::TABLE,
        ),
        build: |values| Box::new(GilbertPackets::new(values.into())),
    },
    Entry {
        descriptor: &loss(
            "gilbert-time",
            "Corrupts packets in fades that are independent of traffic: a good and a bad state alternate, each with \
             its own probability of corruption and an exponentially distributed duration",
            "Gilbert 1960; Elliott 1963, in continuous time",
            TimedStates::TABLE,
        ),
        build: |values| Box::new(GilbertTime::new(values.into())),
    },
    Entry {
        descriptor: &loss(
            "outage",
            "Corrupts all packets whose transmission ends between two times, as if the link had failed",
            "none",
            Outage::TABLE,
        ),
        build: |values| Box::new(Outage::from(values)),
    },
];

parameters! {
    /// Losses without memory.
    struct Independent {
        /// Probability that a packet is corrupted
        probability: f64 = number("0.01", Range::between(0.0, 1.0), "none"),
    }
}

parameters! {
    /// Losses by correlated random numbers.
    struct Mixed {
        /// Threshold for a packet's random number, which lies between 0 and 1: the packet is corrupted if its number is
        /// lower; without correlation, the threshold is the probability that a packet is corrupted
        probability: f64 = number("0.01", Range::between(0.0, 1.0), "tc-netem(8), loss random"),
        /// The correlation of the random numbers of successive packets; 0 for independent packets
        correlation: f64 = number("0.25", Range::between(0.0, 1.0), "tc-netem(8), loss random"),
    }
}

parameters! {
    /// The parameters of an outage in which all packets are lost.
    struct Outage {
        /// Start of the outage, as time since the start of the run
        from: Span = time("0 s", Range::between(0.0, 1e6), "none"),
        /// End of the outage, as time since the start of the run; none for an outage until the run ends
        until: Option<Span> = time("none", Range::between(0.0, 1e6), "none"),
    }
}

/// Returns a model of independent losses whose probability changes over time.
pub fn over_time(probabilities: Timeline<f64>) -> Box<dyn LossModel> {
    Box::new(OverTime(probabilities))
}

/// Losses without memory, whose probability is that of the time at which the transmission of a packet ends.
struct OverTime(Timeline<f64>);

impl LossModel for OverTime {
    fn loses(&mut self, sent: Time, random: &mut Stream) -> bool {
        random.uniform() < self.0.at(sent)
    }
}

impl LossModel for Outage {
    fn loses(&mut self, sent: Time, _random: &mut Stream) -> bool {
        let since_start = sent.since(Time::ZERO);
        since_start >= self.from && self.until.is_none_or(|until| since_start < until)
    }
}

parameters! {
    /// A good and a bad state whose lengths are counted in packets.
    struct CountedStates {
        /// Mean length of the good state, in which the run begins
        good: Packets = packets("100 packets", Range::at_least(1.0), "Gilbert 1960"),
        /// Mean length of the bad state
        bad: Packets = packets("2 packets", Range::at_least(1.0), "Gilbert 1960"),
        /// The probabilities of losses in the two states.
        chances: Chances,
    }
}

parameters! {
    /// A good and a bad state that last for times.
    struct TimedStates {
        /// Mean length of the good state, in which the run begins
        good: Span = time("1 s", Range { min: 0.0, max: 1e9, above_min: true }, "Gilbert 1960"),
        /// Mean length of the bad state
        bad: Span = time("10 ms", Range { min: 0.0, max: 1e9, above_min: true }, "Gilbert 1960"),
        /// The probabilities of losses in the two states.
        chances: Chances,
    }
}

parameters! {
    /// The probability of the bad state of a Gilbert channel, and of losses in the two states.
    struct Chances {
        /// Long-run probability of the bad state, which sets the mean length of the good state instead of `good` (at
        /// least 1 packet in gilbert-packets); none to use `good`
        probability: Option<f64> = number(
            "none",
            Range { min: 0.0, max: 0.999, above_min: true },
            "Alnuem 2009 equation 5.1",
        ),
        /// Probability that a packet is corrupted in the good state
        loss_good: f64 = number("0", Range::between(0.0, 1.0), "Elliott 1963"),
        /// Probability that a packet is corrupted in the bad state
        loss_bad: f64 = number("1", Range::between(0.0, 1.0), "Elliott 1963"),
    }
}

impl Chances {
    /// Returns the mean length of the good state: by Alnuem 2009 equation 5.1 if the probability is given,
    /// otherwise `good`.
    fn mean_good(&self, good: f64, bad: f64) -> f64 {
        self.probability.map_or(good, |probability| bad * (1.0 - probability) / probability)
    }

    fn draw(&self, bad: bool, random: &mut Stream) -> bool {
        random.uniform() < if bad { self.loss_bad } else { self.loss_good }
    }
}

/// Returns the loss model called `name`; `None` if there is none.
pub fn find(name: &str) -> Option<&'static Entry> {
    LOSSES.iter().find(|entry| entry.descriptor.name == name)
}

const fn loss(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: &'static [Parameter],
) -> Descriptor {
    Descriptor { kind: Kind::Loss, name, summary, source, parameters, presets: &[] }
}

impl LossModel for Independent {
    fn loses(&mut self, _sent: Time, random: &mut Stream) -> bool {
        random.uniform() < self.probability
    }
}

/// The losses of Linux's network emulator with `loss random PERCENT CORRELATION`.
struct CorrelatedLosses {
    probability: f64,
    numbers: Correlated,
}

impl CorrelatedLosses {
    fn new(mixed: Mixed) -> Self {
        Self { probability: mixed.probability, numbers: Correlated::new(mixed.correlation) }
    }
}

impl LossModel for CorrelatedLosses {
    fn loses(&mut self, _sent: Time, random: &mut Stream) -> bool {
        self.numbers.next(random) < self.probability
    }
}

struct GilbertPackets {
    chances: Chances,
    leave_good: f64,
    leave_bad: f64,
    bad: bool,
}

impl GilbertPackets {
    /// Creates the model in the good state.
    fn new(states: CountedStates) -> Self {
        let CountedStates { good, bad, chances } = states;
        let leave_good = 1.0 / chances.mean_good(good, bad).max(1.0);
        Self { chances, leave_good, leave_bad: 1.0 / bad, bad: false }
    }
}

impl LossModel for GilbertPackets {
    fn loses(&mut self, _sent: Time, random: &mut Stream) -> bool {
        let lost = self.chances.draw(self.bad, random);
        let leave = if self.bad { self.leave_bad } else { self.leave_good };
        self.bad ^= random.uniform() < leave;
        lost
    }
}

struct GilbertTime {
    chances: Chances,
    states: TwoStates,
}

impl GilbertTime {
    /// Creates the model in the good state.
    fn new(states: TimedStates) -> Self {
        let TimedStates { good, bad, chances } = states;
        let mean_good_s = chances.mean_good(good.seconds(), bad.seconds());
        Self { chances, states: TwoStates::new(mean_good_s, bad.seconds()) }
    }
}

impl LossModel for GilbertTime {
    fn loses(&mut self, sent: Time, random: &mut Stream) -> bool {
        let bad = self.states.is_bad(sent, random);
        self.chances.draw(bad, random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(name: &str, settings: &[(&str, &str)], gap: Span, count: u32) -> Vec<bool> {
        let entry = find(name).unwrap();
        let mut model = (entry.build)(&Values::with(entry.descriptor, settings));
        let mut random = Stream::new(3, "loss test");
        let mut now = Time::ZERO;
        (0..count)
            .map(|_| {
                now += gap;
                model.loses(now, &mut random)
            })
            .collect()
    }

    fn share(lost: &[bool]) -> f64 {
        lost.iter().filter(|lost| **lost).count() as f64 / lost.len() as f64
    }

    fn mean_burst(lost: &[bool]) -> f64 {
        let bursts = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        lost.iter().filter(|lost| **lost).count() as f64 / bursts as f64
    }

    #[test]
    fn independent_losses_have_their_probability_and_no_memory() {
        // 400,000 draws at 2 % have a standard error of 0.0002. The mean burst of independent losses is 1 /
        // (1 - p) = 1.02.
        let lost = losses("independent", &[("probability", "0.02")], Span::from_millis(1), 400_000);
        assert!((share(&lost) - 0.02).abs() < 0.001);
        assert!((mean_burst(&lost) - 1.02).abs() < 0.01);
    }

    #[test]
    fn correlated_losses_follow_one_another_and_are_fewer_than_their_probability() {
        // With a correlation of 1/2 the number of a packet is u = (v + u') / 2, in the long run the sum of
        // v/2, v'/4, v''/8 and so on. It lies below x with probability F(x), where F'(x) = 2 F(2x) (Fabius
        // 1966): F(1/4) = 5/72 and F(1/8) = 1/288. Two packets in a row are lost with probability E[1/2 - u;
        // u < 1/4] = F(1/4) / 4 + the integral of F up to 1/4, which is F(1/8): 6/288. So a loss follows a
        // loss with probability (1/48) / (5/72) = 0.3, and the correlation of successive losses is (1/48 -
        // (5/72)^2) / (5/72 * 67/72) = 0.24776. With that correlation the standard error of the share is
        // 0.0005.
        let settings = [("probability", "0.25"), ("correlation", "0.5")];
        let lost = losses("correlated", &settings, Span::from_millis(1), 400_000);
        assert!((share(&lost) - 5.0 / 72.0).abs() < 0.002, "{}", share(&lost));
        let both: Vec<bool> = lost.windows(2).map(|pair| pair[0] && pair[1]).collect();
        assert!((share(&both) / share(&lost) - 0.3).abs() < 0.012, "{}", share(&both) / share(&lost));
        let correlation = (share(&both) - share(&lost).powi(2)) / (share(&lost) * (1.0 - share(&lost)));
        assert!((correlation - 0.24776).abs() < 0.012, "{correlation}");
        // With a probability of 1/8 only F(1/8), one packet of 288, is lost.
        let settings = [("probability", "0.125"), ("correlation", "0.5")];
        let lost = losses("correlated", &settings, Span::from_millis(1), 400_000);
        assert!((share(&lost) - 1.0 / 288.0).abs() < 0.0005, "{}", share(&lost));
        // Without correlation the losses are exactly those of the independent model.
        let settings = [("probability", "0.02"), ("correlation", "0")];
        let none = losses("correlated", &settings, Span::from_millis(1), 10_000);
        let independent = losses("independent", &settings[..1], Span::from_millis(1), 10_000);
        assert!(none == independent);
    }

    #[test]
    fn a_packet_gilbert_channel_has_the_bursts_it_is_given() {
        // The good state lasts 95 and the bad one 5 packets: 5 % are lost, in bursts of 5 on average.
        let settings = [("good", "95 packets"), ("bad", "5 packets")];
        let lost = losses("gilbert-packets", &settings, Span::from_millis(1), 400_000);
        assert!((share(&lost) - 0.05).abs() < 0.003, "{}", share(&lost));
        assert!((mean_burst(&lost) - 5.0).abs() < 0.25, "{}", mean_burst(&lost));
    }

    #[test]
    fn a_time_gilbert_channel_is_bad_for_its_share_of_the_time() {
        // The good state lasts 900 ms and the bad one 100 ms, a tenth of the time.
        let settings = [("good", "900 ms"), ("bad", "100 ms")];
        let lost = losses("gilbert-time", &settings, Span::from_millis(10), 400_000);
        assert!((share(&lost) - 0.1).abs() < 0.01, "{}", share(&lost));
        // Observed every 10 ms, the state is bad again with probability 0.1 + 0.9 exp(-10 (1/100 + 1/900)) =
        // 0.90536: bursts have 10.57 packets.
        assert!((mean_burst(&lost) - 10.57).abs() < 0.6, "{}", mean_burst(&lost));
    }

    #[test]
    fn alnuems_equation_5_1_sets_the_good_state_from_the_bad_one() {
        // With e = 0.05 and b = 10 ms, g = 10 * 0.95 / 0.05 = 190 ms; in packets, 5 * 0.95 / 0.05 = 95.
        for (name, bad, good) in
            [("gilbert-time", "10 ms", "190 ms"), ("gilbert-packets", "5 packets", "95 packets")]
        {
            let by_share = [("bad", bad), ("probability", "0.05")];
            let by_length = [("bad", bad), ("good", good)];
            let [by_share, by_length] =
                [by_share, by_length].map(|settings| losses(name, &settings, Span::from_millis(1), 100_000));
            assert!(by_share == by_length, "{name}");
            assert!((share(&by_share) - 0.05).abs() < 0.01, "{name}");
        }
    }

    #[test]
    fn a_long_silence_costs_little() {
        let settings = [("good", "1 ns"), ("bad", "1 ns")];
        let lost = losses("gilbert-time", &settings, Span::from_seconds(3600.0), 2000);
        assert!((share(&lost) - 0.5).abs() < 0.06);
    }
}
