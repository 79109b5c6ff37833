//! CUBIC (RFC 9438).

use crate::classic::{Classic, MIN_SSTHRESH, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::registry::{Build, Companions, Entry, control};
use ackclock_base::{Packets, Range, Span, Time, parameters};

/// The entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "cubic",
        "Window growth as a cubic function of the time since the last loss",
        "RFC 9438",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Cubic::new(values.into()), initial))),
    companions: Companions::NONE,
};

parameters! {
    /// The constants of RFC 9438.
    pub struct Parameters {
        /// How fast the window grows again after a loss, packets per second cubed
        c: f64 = number("0.4", Range::above(0.0), "RFC 9438 section 5"),
        /// The window after a loss, as a fraction of the window before
        beta: f64 = number("0.7", Range::between(0.1, 0.95), "RFC 9438 section 4.6"),
        /// Whether a flow whose windows shrink gives up more, to make room for newcomers
        fast_convergence: bool = flag(true, "RFC 9438 section 4.7"),
    }
}

/// The cubic law with its Reno-friendly region.
#[derive(Clone, Debug)]
pub struct Cubic {
    parameters: Parameters,
    /// The window at the last loss, less what fast convergence gives up (section 4.1.2). There is none before the first
    /// loss nor after a timeout: congestion avoidance then begins at its plateau (sections 4.8 and 4.10).
    w_max: Option<Packets>,
    /// The window when the slow start threshold was last set (section 4.1.2).
    cwnd_prior: Packets,
    /// Congestion avoidance since the last loss, `None` until its first acknowledgement.
    epoch: Option<Epoch>,
}

#[derive(Clone, Debug)]
struct Epoch {
    start: Time,
    /// The time from the start to the plateau, in seconds (equation 2).
    k: f64,
    /// The window at the plateau.
    origin: Packets,
    /// What Reno would have (section 4.3).
    w_est: Packets,
    last_ack: Time,
}

/// RFC 9438 section 4.2: the target is at most half a window above the window.
const MAX_TARGET: f64 = 1.5;

impl Cubic {
    /// The law before the first loss.
    pub fn new(parameters: Parameters) -> Self {
        Self { parameters, w_max: None, cwnd_prior: 0.0, epoch: None }
    }

    fn epoch_from(&mut self, cwnd: Packets, now: Time) -> Epoch {
        // Section 4.2: K = cbrt((W_max - cwnd_epoch) / C), and the plateau is here where the window is no smaller.
        let origin = self.w_max.get_or_insert(cwnd).max(cwnd);
        let k = libm::cbrt((origin - cwnd) / self.parameters.c);
        Epoch { start: now, k, origin, w_est: cwnd, last_ack: now }
    }

    /// Section 4.3: the additive increase that gives Reno's average window with CUBIC's decrease.
    fn alpha(&self) -> f64 {
        let beta = self.parameters.beta;
        3.0 * (1.0 - beta) / (1.0 + beta)
    }

    /// Equation 1 at `seconds` into the epoch.
    fn curve(&self, epoch: &Epoch, seconds: f64) -> Packets {
        let distance = seconds - epoch.k;
        self.parameters.c * distance * distance * distance + epoch.origin
    }
}

impl WindowLaw for Cubic {
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        let mut epoch = match self.epoch.take() {
            Some(epoch) => epoch,
            None => self.epoch_from(window.cwnd, ack.now),
        };
        epoch.last_ack = ack.now;
        let elapsed = ack.now.since(epoch.start);
        let now = elapsed.seconds();
        // Section 4.3, equation 4; alpha becomes 1 once the window before the loss is regained.
        let alpha = if epoch.w_est >= self.cwnd_prior { 1.0 } else { self.alpha() };
        epoch.w_est += alpha * ack.credit / window.cwnd;
        if self.curve(&epoch, now) < epoch.w_est {
            window.cwnd = window.cwnd.max(epoch.w_est);
        } else {
            // Sections 4.4 and 4.5: reach in one round trip where the curve will be.
            let ahead = (elapsed + ack.smoothed_rtt).seconds();
            let target = self.curve(&epoch, ahead).clamp(window.cwnd, MAX_TARGET * window.cwnd);
            window.cwnd += (target - window.cwnd) / window.cwnd * ack.credit;
        }
        self.epoch = Some(epoch);
    }

    fn observe(&mut self, _window: &mut Window, ack: &Ack) {
        // Section 5.8: time during which the application held the flow back does not count.
        if !ack.cwnd_limited
            && let Some(epoch) = &mut self.epoch
        {
            let idle = ack.now.since(epoch.last_ack);
            epoch.start += idle;
            epoch.last_ack = ack.now;
        }
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        // Section 4.7: a flow that did not regain its last maximum remembers less.
        let shrinking = self.parameters.fast_convergence && self.w_max.is_some_and(|w_max| from < w_max);
        self.w_max = Some(if shrinking { from * (1.0 + self.parameters.beta) / 2.0 } else { from });
        self.cwnd_prior = from;
        self.epoch = None;
        from * self.parameters.beta
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        // Section 4.8: as Reno, with beta instead of a half; K = 0 and W_max = cwnd where congestion avoidance begins.
        if !timeout.keeps_threshold {
            self.cwnd_prior = timeout.window;
            window.ssthresh = (timeout.window * self.parameters.beta).max(MIN_SSTHRESH);
        }
        window.cwnd = 1.0;
        self.w_max = None;
        self.epoch = None;
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("w_max_packets", self.w_max.unwrap_or(f64::NAN));
        series("k_s", self.epoch.as_ref().map_or(Span::ZERO.seconds(), |epoch| epoch.k));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    #[test]
    fn the_window_is_back_at_its_maximum_after_k() {
        // RFC 9438 equation 2: W_max = 1000, beta = 0.7, C = 0.4: K = cbrt(300 / 0.4) = 9.0856 s.
        let mut law = Cubic::new(Parameters::default());
        law.w_max = Some(1000.0);
        let epoch = law.epoch_from(700.0, Time::ZERO);
        assert!((epoch.k - 9.0856).abs() < 1e-4);
        assert!((law.curve(&epoch, 0.0) - 700.0).abs() < 1e-9);
        assert!((law.curve(&epoch, epoch.k) - 1000.0).abs() < 1e-9);
        // One second past the plateau: 1000 + 0.4.
        assert!((law.curve(&epoch, epoch.k + 1.0) - 1000.4).abs() < 1e-9);
    }

    #[test]
    fn the_window_follows_the_curve() {
        // 1000 packets, a loss, then acknowledgements for K seconds at RTT 100 ms: within a packet or two of W_max
        // (the window runs one RTT ahead of the curve, sections 4.4 and 4.5).
        let mut script = Script::new("cubic").window(1000.0).starting_ssthresh(1000.0);
        script.loss();
        assert!((script.cwnd() - 700.0).abs() < 1e-9);
        script.recovered();
        let mut seconds = 0.0;
        while seconds < 9.0856 {
            let rounds = script.cwnd();
            script.acks_over(rounds as u32, 100);
            seconds += 0.1;
        }
        assert!((script.cwnd() - 1000.0).abs() < 3.0, "{}", script.cwnd());
    }

    #[test]
    fn a_small_window_grows_like_reno() {
        // Section 4.3: alpha = 3 * 0.3 / 1.7 = 0.529 packets per round trip. W_max = 20, window 14, RTT 1 ms: K is
        // cbrt(6 / 0.4) = 2.47 s, so for the first round trips the cubic part stands still.
        let mut script = Script::new("cubic").window(20.0).starting_ssthresh(20.0);
        script.loss();
        script.recovered();
        script.acks_over(14, 1);
        assert!((script.cwnd() - 14.529).abs() < 0.02, "{}", script.cwnd());
    }

    #[test]
    fn fast_convergence_remembers_less_when_windows_shrink() {
        let mut law = Cubic::new(Parameters::default());
        let loss = crate::script::loss_at(Time::ZERO, 100.0);
        assert!((law.decrease(100.0, &loss) - 70.0).abs() < 1e-9);
        // 80 < 100: W_max = 80 * (1 + 0.7) / 2 = 68.
        assert!((law.decrease(80.0, &loss) - 56.0).abs() < 1e-9);
        assert!((law.w_max.unwrap() - 68.0).abs() < 1e-9);
    }

    #[test]
    fn a_timeout_starts_over_and_a_second_one_keeps_the_threshold() {
        // RFC 9438 section 4.8: 0.7 * 353 = 247.1; RFC 5681 section 3.1: a packet that times out again leaves it there.
        let mut script = Script::new("cubic").window(353.0).starting_ssthresh(353.0);
        script.timeout();
        assert_eq!(script.cwnd(), 1.0);
        assert!((script.ssthresh() - 247.1).abs() < 1e-9);
        script.timeout_again();
        assert!((script.ssthresh() - 247.1).abs() < 1e-9);
        // ns-2 cuts again: 0.7 * 1 is less than two packets.
        script.timeout();
        assert_eq!(script.ssthresh(), 2.0);
    }

    #[test]
    fn after_a_timeout_congestion_avoidance_begins_at_its_plateau() {
        // RFC 9438 section 4.8: K = 0 and W_max = 70 where slow start ends, and not 100 and cbrt(30 / 0.4) = 4.2 s.
        let mut script = Script::new("cubic").window(100.0).starting_ssthresh(100.0);
        script.timeout();
        assert!(script.published("w_max_packets").is_nan());
        script.acks(69);
        assert_eq!((script.cwnd(), script.published("k_s")), (70.0, 0.0));
        script.acks(1);
        assert_eq!((script.published("w_max_packets"), script.published("k_s")), (70.0, 0.0));
        // Six seconds on the cubic has left the plateau by C * 6^3 = 86.4 packets, and the window aims up to a round trip
        // of 0.1 s ahead: 0.4 * 6.1^3 = 90.8. From a plateau at 100 it would stand at 0.4 (6 - 4.217)^3 + 100 = 102.3, and
        // the Reno-friendly estimate at 70 + 60 * 0.529 = 101.8.
        for _ in 0..60 {
            let window = script.cwnd();
            script.acks_over(window as u32, 100);
        }
        assert!((155.0..161.0).contains(&script.cwnd()), "{}", script.cwnd());
        // Section 4.7: a loss here is above W_max, not below the window that timed out: nothing is given up.
        let before = script.cwnd();
        script.loss();
        assert_eq!(script.published("w_max_packets"), before);
    }

    #[test]
    fn the_increase_after_a_timeout_is_a_packet_a_round_trip_only_past_the_window_before_it() {
        // Section 4.3 with cwnd_prior = 10, window 7 after slow start, round trips of 1 ms: 0.529 in the first.
        let mut script = Script::new("cubic").window(10.0).starting_ssthresh(10.0);
        script.timeout();
        script.timeout_again();
        script.acks(6);
        assert_eq!(script.cwnd(), 7.0);
        script.acks_over(7, 1);
        assert!((script.cwnd() - 7.529).abs() < 0.03, "{}", script.cwnd());
    }
}
