//! TCP Vegas (Brakmo, Peterson 1995), with the once-per-round-trip accounting of ns-2 2.35's Agent/TCP/Vegas,
//! which the theses measured. The host's retransmission rule `vegas` implements its early retransmission.

use super::variant::Variant;
use crate::classic::{Classic, MIN_SSTHRESH, Window, WindowLaw};
use crate::control::{Ack, Initial, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, Time, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "vegas",
        "Vegas: keeps between `alpha` and `beta` packets of the flow queued in the network",
        "Brakmo and Peterson 1995; ns-2 2.35; Dahal section 2.1.2",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(start(values.into(), initial))),
    published: PublishedDefaults::recovery("vegas"),
};

parameters! {
    /// The numbers of packets that may wait, and choices specific to ns-2.
    pub struct Parameters {
        /// Number of the flow's packets queued in the network below which the window grows
        alpha: Packets = packets("1 packet", Range::at_least(0.0), "Dahal section 4.5.1; ns-2's v_alpha_"),
        /// Number of the flow's packets queued in the network above which the window shrinks
        beta: Packets = packets("3 packets", Range::at_least(0.0), "Dahal section 4.5.1; ns-2's v_beta_"),
        /// Number of the flow's packets queued in the network above which slow start ends
        gamma: Packets = packets("1 packet", Range::at_least(0.0), "Dahal section 4.5.1; ns-2's v_gamma_"),
        /// Whether the window stays inflated by the duplicate acknowledgements after a recovery with at most three of
        /// them, as in ns-2; if not, the end of a recovery always deflates the window
        keeps_inflation: bool = flag(
            true,
            "ns-2 2.35, which the theses used, removes the inflation only after more than three duplicate \
             acknowledgements",
        ),
        /// Whether the first two packets are sent one at a time, so that the initial window applies only after the
        /// second has been acknowledged
        first_alone: bool = flag(
            false,
            "true in ns-2 2.35 with delay_growth_, its default: ns-2's Vegas sends no SYN, so its first packet is \
             treated as the SYN",
        ),
        /// Source of the constants: the other parameters (published), or Linux (linux), which overrides them with
        /// `alpha` 2, `beta` 4, `gamma` 1 and `keeps_inflation` false
        variant: Variant = choice(
            "published",
            "Linux's tcp_vegas.c for alpha, beta and gamma; at a loss, both variants reduce the window by a \
             quarter, whereas Linux halves it",
        ),
    }
}

/// The window after a timeout.
const RESTART_WINDOW: Packets = 2.0;

/// ns-2 removes the inflation only if more duplicates than this have arrived.
const MAX_KEPT: u32 = 3;

/// The Vegas law.
#[derive(Clone, Debug)]
pub struct Vegas {
    parameters: Parameters,
    /// The minimum round trip, in seconds; infinite before the first. The round trip of a round with a single
    /// packet replaces it, however long.
    base_rtt: f64,
    /// Whether the first packet has been acknowledged. It gives no sample: ns-2 keeps the sending time of
    /// each packet since the first, and takes the first's time of 0 for "not known".
    first_acked: bool,
    /// The initial window, while the first packets are sent one by one; `None` otherwise.
    opens_to: Option<Packets>,
    /// The round being measured: its first packet, its start, and its samples.
    round: Round,
    /// Whether the present round of slow start grows: only every other one does, and the first does not.
    growing_round: bool,
    /// The growth per acknowledgement in this round, in packets.
    step: Packets,
    /// Packets waiting at the end of the last round, for figures.
    waiting: Packets,
    /// The time at which a loss last changed the window; `None` if none has.
    changed: Option<Time>,
    /// Duplicates at the last loss, if it cut the window; zero otherwise.
    inflation: u32,
}

#[derive(Clone, Debug, Default)]
struct Round {
    first: u64,
    start: Time,
    rtt_sum: f64,
    rtt_count: u32,
}

fn start(parameters: Parameters, initial: &Initial) -> Classic<Vegas> {
    let mut law = Vegas::new(parameters);
    if !parameters.first_alone {
        return Classic::new(law, initial);
    }
    law.opens_to = Some(initial.window);
    Classic::new(law, &Initial { window: 1.0, ..*initial })
}

impl Vegas {
    /// Creates the law before the first acknowledgement.
    pub fn new(parameters: Parameters) -> Self {
        let linux = Parameters { alpha: 2.0, beta: 4.0, gamma: 1.0, keeps_inflation: false, ..parameters };
        Self {
            parameters: parameters.variant.pick(parameters, linux),
            base_rtt: f64::INFINITY,
            first_acked: false,
            opens_to: None,
            round: Round::default(),
            growing_round: true,
            step: 0.0,
            waiting: 0.0,
            changed: None,
            inflation: 0,
        }
    }

    /// Computes, once per round trip, how many packets wait in the network, and moves the window accordingly.
    fn end_round(&mut self, window: &mut Window, ack: &Ack) {
        let round = &self.round;
        let sent_in_round = ack.sent_to.saturating_sub(round.first) as f64;
        let rtt = match round.rtt_count {
            0 => ack.rtt.unwrap_or_else(|| ack.now.since(round.start)).seconds(),
            count => round.rtt_sum / f64::from(count),
        };
        if rtt > 0.0 {
            // A round of a single packet has no queue of its own.
            if rtt < self.base_rtt || sent_in_round <= 1.0 {
                self.base_rtt = rtt;
            }
            let actual = sent_in_round / rtt;
            let expected = (ack.sent_to.saturating_sub(ack.acked_to) + 1) as f64 / self.base_rtt;
            self.waiting = libm::floor((expected - actual) * self.base_rtt + 0.5);
            self.steer(window);
        }
        self.round = Round { first: ack.sent_to, start: ack.now, ..Round::default() };
    }

    fn steer(&mut self, window: &mut Window) {
        if window.cwnd < window.ssthresh {
            self.growing_round = !self.growing_round;
            self.step = if self.growing_round { 1.0 } else { 0.0 };
            if self.growing_round && self.waiting > self.parameters.gamma {
                window.ssthresh = MIN_SSTHRESH;
                window.cwnd = (window.cwnd * 7.0 / 8.0).max(RESTART_WINDOW);
                self.step = 0.0;
            }
        } else if self.waiting > self.parameters.beta {
            window.cwnd = (window.cwnd - 1.0).max(RESTART_WINDOW);
            self.step = 0.0;
        } else {
            self.step = if self.waiting < self.parameters.alpha { 1.0 / window.cwnd } else { 0.0 };
        }
    }

    fn grow(&mut self, window: &mut Window, ack: &Ack) {
        if self.step == 1.0 && window.cwnd >= window.ssthresh {
            self.step = 0.0;
        }
        // No growth while the window is not used: ns-2 allows two packets of slack.
        let used = (ack.sent_to.saturating_sub(ack.acked_to) + 1) as f64;
        if window.cwnd - used <= 2.0 {
            window.cwnd += self.step;
        }
    }
}

impl WindowLaw for Vegas {
    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        if !ack.fresh {
            return;
        }
        if self.first_acked
            && let Some(opened) = self.opens_to.take()
        {
            window.cwnd = opened;
        }
        if ack.acked_to > self.round.first {
            self.end_round(window, ack);
        }
        if self.first_acked
            && let Some(rtt) = ack.rtt
        {
            self.base_rtt = self.base_rtt.min(rtt.seconds());
            self.round.rtt_sum += rtt.seconds();
            self.round.rtt_count += 1;
        }
        self.first_acked = true;
    }

    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        self.grow(window, ack);
    }

    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        self.grow(window, ack);
    }

    /// Returns the window less a quarter, or half of it if the packet had been retransmitted; unchanged if
    /// the window has been cut since the lost packet was sent.
    fn decrease(&mut self, from: Packets, loss: &Loss) -> Packets {
        if self.changed.is_some_and(|changed| loss.sent < changed) {
            return from;
        }
        self.changed = Some(loss.now);
        let whole = libm::floor(from);
        match loss.transmissions {
            _ if whole <= 3.0 => RESTART_WINDOW,
            0 | 1 => whole - libm::floor(whole / 4.0),
            _ => libm::floor(whole / 2.0),
        }
    }

    fn on_loss(&mut self, window: &mut Window, loss: &Loss) {
        self.opens_to = None; // the very first packet was marked
        let changed = self.changed;
        window.cwnd = self.decrease(loss.window, loss);
        self.inflation = if self.changed == changed { 0 } else { loss.duplicates };
        window.ssthresh = MIN_SSTHRESH; // "used only during slow start"
    }

    fn on_repaired(&mut self, window: &mut Window, _now: Time, duplicates: u32) {
        if self.parameters.keeps_inflation && duplicates <= MAX_KEPT {
            window.cwnd += f64::from(self.inflation);
        }
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        if !timeout.keeps_threshold {
            window.ssthresh = libm::floor(timeout.window / 2.0).max(MIN_SSTHRESH);
        }
        window.cwnd = RESTART_WINDOW;
        self.changed = Some(timeout.now);
    }

    fn needs_full_window(&self) -> bool {
        false
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("waiting_packets", self.waiting);
        series("base_rtt_s", if self.base_rtt.is_finite() { self.base_rtt } else { f64::NAN });
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    /// Creates a flow with a window of 10 at a base round trip of 100 ms, in congestion avoidance.
    fn at_ten() -> Script {
        let mut script = Script::new("vegas").window(10.0).starting_ssthresh(2.0);
        script.round(10, 100);
        script
    }

    #[test]
    fn the_window_grows_by_one_per_round_while_little_waits() {
        // RTT stays at its base: expected = 10/0.1, actual = 10/0.1, no packets wait, 0 < alpha = 1: 1/cwnd
        // per ACK.
        let mut script = at_ten();
        let before = script.cwnd();
        script.round(10, 100);
        assert!((script.cwnd() - before - 1.0).abs() < 0.1, "{} -> {}", before, script.cwnd());
    }

    #[test]
    fn it_shrinks_by_one_when_too_many_packets_wait() {
        // RTT doubles to 200 ms: (10/0.1 - 10/0.2) * 0.1 = 5 packets wait, above beta = 3: one packet less.
        let mut script = at_ten();
        script.round(10, 200);
        let before = script.cwnd();
        script.round(10, 200);
        assert!((script.cwnd() - (before - 1.0)).abs() < 1e-9, "{} -> {}", before, script.cwnd());
    }

    #[test]
    fn linux_rests_with_four_packets_waiting() {
        // RTT 160 ms: (10/0.1 - 10/0.16) * 0.1 = 3.75, rounded to 4: no more than Linux's beta.
        for (variant, change) in [("published", -1.0), ("linux", 0.0)] {
            let mut script =
                Script::with("vegas", &[("variant", variant)]).window(10.0).starting_ssthresh(2.0);
            script.round(10, 100);
            script.round(10, 160);
            let before = script.cwnd();
            script.round(10, 160);
            assert!(
                (script.cwnd() - before - change).abs() < 1e-9,
                "{variant}: {before} -> {}",
                script.cwnd()
            );
        }
    }

    #[test]
    fn it_rests_between_alpha_and_beta() {
        // RTT 125 ms: (10/0.1 - 10/0.125) * 0.1 = 2 packets wait: between 1 and 3.
        let mut script = at_ten();
        script.round(10, 125);
        let before = script.cwnd();
        script.round(10, 125);
        assert_eq!(script.cwnd(), before);
    }

    #[test]
    fn a_loss_takes_a_quarter_and_a_second_in_the_same_window_nothing() {
        let mut script = Script::new("vegas").window(16.0).starting_ssthresh(2.0);
        script.loss();
        assert_eq!(script.cwnd(), 12.0);
        script.loss_of_packet_sent_at(0);
        assert_eq!(script.cwnd(), 12.0);
    }

    #[test]
    fn a_timeout_leaves_two_packets_and_half_the_window_as_threshold_once() {
        // ns-2 counts whole packets: 25 / 2 is 12. RFC 5681 section 3.1: a second timeout of the same packet
        // keeps the threshold.
        let mut script = Script::new("vegas").window(25.0).starting_ssthresh(2.0);
        script.timeout();
        assert_eq!((script.cwnd(), script.ssthresh()), (2.0, 12.0));
        script.timeout_again();
        assert_eq!((script.cwnd(), script.ssthresh()), (2.0, 12.0));
        script.timeout();
        assert_eq!(script.ssthresh(), 2.0, "ns-2 halves again");
    }

    #[test]
    fn the_base_round_trip_is_the_least_sample_not_the_least_mean_of_a_round() {
        // A round with one sample of 80 ms and nine of 100 ms has a mean of 98 ms. At 160 ms afterwards half
        // of the ten packets wait: (10/0.08 - 10/0.16) * 0.08 = 5; with the mean it would be (10/0.098 -
        // 10/0.16) * 0.098 + 0.5 = 4.4, rounded down to 4.
        let mut script = at_ten();
        script.round(1, 80);
        script.round(9, 100);
        script.round(10, 160);
        script.round(10, 160);
        assert_eq!(script.published("base_rtt_s"), 0.08);
    }

    /// Returns the window after each of six acknowledgements with the same round trip, from a window of
    /// `initial` packets.
    fn opening(settings: &[(&str, &str)], initial: f64) -> [f64; 6] {
        let mut script = Script::with("vegas", settings).window(initial).starting_ssthresh(20.0);
        [(); 6].map(|()| {
            script.ack_with_rtt(86);
            script.cwnd()
        })
    }

    #[test]
    fn the_first_round_does_not_grow_and_then_every_other_does() {
        // The values of cwnd_ of ns-2 2.35's Agent/TCP/Vegas after each acknowledgement on an empty path,
        // with windowInit_ 1: packets 0 and 1 are sent alone, 2 and 3 together without growth, 4 and 5 with
        // it.
        assert_eq!(opening(&[], 1.0), [1.0, 2.0, 2.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn the_initial_window_may_open_with_the_second_acknowledgement() {
        // With windowInit_ 2 the first packet is sent alone. The second acknowledgement opens the window to
        // 2, and makes it 3, because it begins a round that grows.
        assert_eq!(opening(&[("first_alone", "true")], 2.0)[..3], [1.0, 3.0, 3.0]);
        assert_eq!(opening(&[("first_alone", "false")], 2.0)[0], 2.0);
    }

    #[test]
    fn the_first_packet_gives_no_sample_and_a_packet_alone_replaces_the_base() {
        // The first packet's 140 ms are the base only until the second packet, alone in its round, takes 208
        // ms and replaces them. A lower sample, 200 ms, then lowers the base.
        let mut script = Script::new("vegas").window(1.0);
        script.ack_with_rtt(140);
        script.ack_with_rtt(208);
        assert_eq!(script.published("base_rtt_s"), 0.208);
        script.ack_with_rtt(200);
        assert_eq!(script.published("base_rtt_s"), 0.2);
    }

    #[test]
    fn the_inflation_of_three_duplicates_stays_and_that_of_more_does_not() {
        for (keeps, duplicates, after) in [("true", 3, 15.0), ("true", 4, 12.0), ("false", 3, 12.0)] {
            let mut script =
                Script::with("vegas", &[("keeps_inflation", keeps)]).window(16.0).starting_ssthresh(2.0);
            script.loss();
            script.recovered_after(duplicates);
            assert_eq!(script.cwnd(), after);
        }
    }
}
