//! Delay-based congestion avoidance of parallel flows (Cho 2006 chapter II section C): members of a group
//! whose round trip rises make room, and with DCA-C tell their siblings to make room too. The reaction to
//! loss is Reno's.

use crate::classic::{MIN_SSTHRESH, Window};
use crate::control::{Ack, Loss};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use crate::group::{Group, GroupLaw, Members};
use crate::laws::tcp_k as strength;
use ackclock_base::{Packets, Range, choice, parameters};

/// The registry entry of DCA-C, whose members signal to their siblings.
pub const COLLABORATIVE: Entry = Entry {
    descriptor: &control(
        "dca-c",
        "Reno that, when the RTT exceeds a threshold, reduces its window and the windows of the flows in its \
         group whose window is larger",
        "Cho 2006 section II.C, algorithm 1 (TCP/DCA-C)",
        Parameters::TABLE,
    ),
    build: Build::Group(|values| Box::new(Group::new(Dca { signals: true, parameters: values.into() }))),
    published: PublishedDefaults::recovery("reno"),
};

/// The registry entry of DCA-S, whose members act each for itself.
pub const SELF: Entry = Entry {
    descriptor: &control(
        "dca-s",
        "Reno that reduces its window when the RTT exceeds a threshold, independently of the other flows in its group",
        "Cho 2006 section II.C (TCP/DCA-S)",
        Parameters::TABLE,
    ),
    build: Build::Group(|values| Box::new(Group::new(Dca { signals: false, parameters: values.into() }))),
    published: PublishedDefaults::recovery("reno"),
};

choice! {
    /// Which round trips are samples.
    pub enum Samples {
        /// The round trip of one packet at a time.
        OneAtATime = "one-at-a-time",
        /// The round trip of every acknowledgement.
        Every = "every",
    }
}

parameters! {
    /// The delay above which a flow yields, and how much it yields.
    pub struct Parameters {
        /// RTT above which a flow reduces its window, as a position between the flow's minimum (0) and maximum (1) RTT
        gamma: f64 = number("0.5", Range::between(0.0, 1.0), "Cho 2006 section II.C, equation 2.1"),
        /// Fraction by which a flow in congestion avoidance reduces its window at each RTT sample above the threshold;
        /// with dca-c, the sample, in slow start too, also reduces every larger window in the group by this fraction
        /// divided by the number of other flows
        alpha: f64 = number("0.125", Range::between(0.0, 0.5), "Cho 2006 section II.C, after Jain 1989 (window x 7/8)"),
        /// RTT sampling: one packet is timed at a time (one-at-a-time), or every acknowledgement is a sample (every)
        samples: Samples = choice(
            "one-at-a-time",
            "not in Cho 2006; ns-2 without timestamps times one packet at a time",
        ),
        /// Whether a delay-based reduction also lowers the slow start threshold to the reduced window
        lower_ssthresh: bool = flag(false, "Cho 2006 algorithm 1 never changes the slow start threshold"),
    }
}

/// Reno that gives up a share of its window when the delay exceeds a threshold.
#[derive(Clone, Debug)]
pub struct Dca {
    /// Whether members signal to their siblings.
    signals: bool,
    parameters: Parameters,
}

/// A flow's least and greatest round trip, in seconds, and the packet whose round trip is being measured.
#[derive(Clone, Debug)]
pub struct RoundTrips {
    least: f64,
    most: f64,
    /// The number of the packet being timed, which may be still to be sent.
    timed: u64,
}

impl Default for RoundTrips {
    fn default() -> Self {
        Self { least: f64::INFINITY, most: 0.0, timed: 0 }
    }
}

impl Dca {
    /// Returns the threshold in seconds (equation 2.1).
    fn threshold(&self, trips: &RoundTrips) -> f64 {
        trips.least + self.parameters.gamma * (trips.most - trips.least)
    }

    fn cut(&self, window: &mut Window, share: f64) {
        window.cwnd -= share * window.cwnd;
        if self.parameters.lower_ssthresh {
            window.ssthresh = window.ssthresh.min(window.cwnd).max(MIN_SSTHRESH);
        }
    }

    /// Signals to the siblings: those with larger windows than `sender` yield by alpha/(N-1) (algorithm 1).
    fn signal(&self, members: &mut Members<RoundTrips>, me: usize, sender: Packets) {
        let share = self.parameters.alpha / (members.count() as f64 - 1.0).max(1.0);
        let larger = members.others(me).filter(|member| member.window.cwnd > sender);
        larger.for_each(|member| self.cut(&mut member.window, share));
    }
}

impl GroupLaw for Dca {
    type Member = RoundTrips;

    fn observe(&mut self, members: &mut Members<RoundTrips>, me: usize, ack: &Ack) {
        let Some(rtt) = ack.rtt.filter(|_| ack.fresh).map(|rtt| rtt.seconds()) else { return };
        let trips = &mut members.all[me].state;
        if self.parameters.samples == Samples::OneAtATime && ack.acked_to <= trips.timed {
            return;
        }
        trips.timed = ack.sent_to;
        trips.least = trips.least.min(rtt);
        trips.most = trips.most.max(rtt);
        if rtt <= self.threshold(trips) {
            return;
        }
        // The siblings are told the window before the flow's own cut. The signal is sent in slow start too;
        // the flow's own cut happens in congestion avoidance only.
        let Window { cwnd, ssthresh } = members.all[me].window;
        if self.signals {
            self.signal(members, me, cwnd);
        }
        if cwnd > ssthresh {
            self.cut(&mut members.all[me].window, self.parameters.alpha);
        }
    }

    fn increase(&mut self, members: &mut Members<RoundTrips>, me: usize, ack: &Ack) {
        strength::grow(&mut members.all[me].window, 1.0, ack.abc_increment);
    }

    fn on_loss(&mut self, members: &mut Members<RoundTrips>, me: usize, loss: &Loss) {
        strength::cut(&mut members.all[me].window, 1.0, loss);
    }

    fn publish(&self, members: &Members<RoundTrips>, me: usize, series: &mut dyn FnMut(&'static str, f64)) {
        let trips = &members.all[me].state;
        series("rtt_threshold_s", if trips.most > 0.0 { self.threshold(trips) } else { f64::NAN });
    }
}

#[cfg(test)]
mod tests {
    use crate::group_script::GroupScript;

    const EVERY: &[(&str, &str)] = &[("samples", "every")];

    /// Creates a group in which every member has seen round trips of 60 and 100 ms, so that equation 2.1
    /// gives 80 ms.
    fn group(name: &str, settings: &[(&str, &str)], members: &[(f64, f64)]) -> GroupScript {
        let mut script = GroupScript::with_thresholds(name, settings, members);
        for rtt in [100.0, 60.0] {
            script.rtt(rtt);
            (0..members.len()).for_each(|me| script.acks(me, 1));
        }
        script
    }

    #[test]
    fn only_a_round_trip_above_equation_2_1_cuts() {
        let mut script = group("dca-s", EVERY, &[(80.0, 40.0)]);
        let before = script.cwnd(0);
        script.rtt(80.0); // 60 + 0.5 (100 - 60) = 80 ms: not above
        script.acks(0, 1);
        assert!(script.cwnd(0) > before);
        let before = script.cwnd(0);
        script.rtt(80.001);
        script.acks(0, 1); // 7/8 of the window, then 1/cwnd for the acknowledgement
        assert!((script.cwnd(0) - (0.875 * before + 1.0 / (0.875 * before))).abs() < 1e-12);
    }

    #[test]
    fn in_slow_start_it_signals_but_does_not_cut_its_own() {
        // Algorithm 1: the larger sibling gives up alpha/(N-1) = 0.125/2 with N = 3; the smaller keeps its
        // window.
        let mut script = group("dca-c", EVERY, &[(20.0, 1000.0), (80.0, 40.0), (10.0, 5.0)]);
        let (own, larger, smaller) = (script.cwnd(0), script.cwnd(1), script.cwnd(2));
        script.rtt(90.0);
        script.acks(0, 1);
        assert_eq!(script.cwnd(0), own + 1.0);
        assert!((script.cwnd(1) - larger * (1.0 - 0.125 / 2.0)).abs() < 1e-12);
        assert_eq!(script.cwnd(2), smaller);
    }

    #[test]
    fn the_self_variant_sends_no_signals() {
        let mut script = group("dca-s", EVERY, &[(20.0, 10.0), (80.0, 40.0)]);
        let sibling = script.cwnd(1);
        script.rtt(90.0);
        script.acks(0, 1);
        assert_eq!(script.cwnd(1), sibling);
    }

    #[test]
    fn siblings_together_take_half_of_alpha_whatever_their_number() {
        // Section II.C: all N notice at once (in slow start here, so that only signals cut). The flow with r
        // smaller siblings yields to each of them alpha/(N-1). r is (N-1)/2 on average, which makes alpha/2 =
        // 6.25 %, slightly less because cuts compound: 6.25 % for N = 2, mean of 1 - (1 - 0.125/9)^r = 5.97 %
        // for N = 10. The windows are so far apart that no cut changes their order, which would make the
        // other flow yield.
        for size in [2_usize, 10, 50] {
            let members: Vec<_> = (0..size).map(|rank| (100.0 + 50.0 * rank as f64, 1e6)).collect();
            let mut script = GroupScript::with_thresholds("dca-c", EVERY, &members);
            script.rtt(60.0);
            (0..size).for_each(|me| script.acks(me, 1));
            let before = script.cwnds();
            script.rtt(100.0);
            (0..size).for_each(|me| script.acks(me, 1)); // smallest first; each grows by a packet
            let shares = before.iter().zip(script.cwnds()).map(|(was, is)| 1.0 - (is - 1.0) / was);
            let mean = shares.sum::<f64>() / size as f64;
            assert!((0.0585..=0.0625 + 1e-9).contains(&mean), "{size} flows: {mean}");
        }
    }

    #[test]
    fn equal_windows_yield_nothing_to_each_other() {
        let mut script = group("dca-c", EVERY, &[(50.0, 1000.0), (50.0, 1000.0)]);
        script.rtt(90.0);
        script.acks(0, 1);
        assert_eq!(script.cwnds(), [53.0, 52.0]);
    }

    #[test]
    fn one_packet_is_timed_at_a_time() {
        // When packet 0 is acknowledged, packet 20 is the next to be sent, and the one timed. No
        // acknowledgement gives a sample until packet 20 is acknowledged.
        let mut script = GroupScript::with_thresholds("dca-s", &[], &[(20.0, 10.0)]);
        script.rtt(60.0);
        script.acks(0, 1);
        script.rtt(100.0);
        script.acks(0, 19);
        assert!(script.cwnd(0) > 20.0, "{}", script.cwnd(0));
        script.acks(0, 1);
        assert!(script.cwnd(0) < 20.0, "{}", script.cwnd(0));
    }

    #[test]
    fn the_threshold_stays_by_default() {
        for (settings, expected) in
            [(EVERY, 69.0), (&[("samples", "every"), ("lower_ssthresh", "true")][..], 61.3)]
        {
            let mut script = group("dca-s", settings, &[(70.0, 69.0)]);
            script.rtt(90.0);
            script.acks(0, 1);
            assert!((script.ssthresh(0) - expected).abs() < 0.1, "{}", script.ssthresh(0));
        }
    }

    #[test]
    fn a_timeout_is_each_flows_own() {
        for name in ["dca-c", "dca-s"] {
            let mut script = GroupScript::new(name, &[], &[40.0, 50.0]);
            script.timeout(0);
            assert_eq!((script.cwnd(0), script.ssthresh(0), script.cwnd(1)), (1.0, 20.0, 50.0));
            script.timeout_again(0);
            assert_eq!((script.cwnd(0), script.ssthresh(0), script.cwnd(1)), (1.0, 20.0, 50.0));
        }
    }

    #[test]
    fn a_loss_halves_as_in_reno() {
        let mut script = GroupScript::new("dca-c", &[], &[40.0, 50.0]);
        script.loss(0);
        assert_eq!((script.cwnd(0), script.ssthresh(0), script.cwnd(1)), (20.0, 20.0, 50.0));
    }
}
