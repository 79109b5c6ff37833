//! H-TCP (Leith and Shorten 2004): the increase grows with the time since the last loss, and the decrease is what just
//! empties the queue. As Linux's tcp_htcp.c, in real numbers where that counts in integers.

use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Phase, Recovered, Timeout};
use crate::registry::{Build, Companions, Entry, control};
use ackclock_base::{Packets, Parameter, Quantity, Range, Time, Values};

/// The entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "htcp",
        "H-TCP: increase as a function of the time since the last loss, adaptive back-off",
        "Leith and Shorten 2004; draft-leith-tcp-htcp; Linux's tcp_htcp.c",
        PARAMETERS,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(HTcp::new(values), initial))),
    companions: Companions::recovery("sack"),
};

/// What can be set.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "low_speed",
        summary: "For so long after a loss the increase is Reno's (Delta_L)",
        quantity: Quantity::Time,
        default: "1 s",
        range: Range::at_least(0.0),
        source: "LTCP-RC thesis equation 1.3; Linux's tcp_htcp.c",
    },
    Parameter {
        name: "adaptive_backoff",
        summary: "Whether a loss leaves RTT_min / RTT_max of the window instead of a half",
        quantity: Quantity::Flag,
        default: "true",
        range: Range::ANY,
        source: "LTCP-RC thesis equation 1.4 and section IV A; Linux's tcp_htcp.c",
    },
    Parameter {
        name: "rtt_scaling",
        summary: "Whether the increase grows with the round trip, so that flows with different ones converge alike",
        quantity: Quantity::Flag,
        default: "true",
        range: Range::ANY,
        source: "LTCP-RC thesis section IV A; Linux's tcp_htcp.c",
    },
    Parameter {
        name: "least_beta",
        summary: "The least that a loss leaves, as a fraction of the window before",
        quantity: Quantity::Number,
        default: "0.5",
        range: Range::between(0.1, 1.0),
        source: "Linux's tcp_htcp.c, BETA_MIN",
    },
    Parameter {
        name: "most_beta",
        summary: "The most that a loss leaves, as a fraction of the window before",
        quantity: Quantity::Number,
        default: "0.8",
        range: Range::between(0.1, 0.99),
        source: "Linux's tcp_htcp.c, BETA_MAX (102/128 there)",
    },
];

/// Linux, use_rtt_scaling: the increase is that of a round trip of 100 ms, and grows to at most twice or falls to at
/// least a tenth of it.
const REFERENCE_RTT: f64 = 0.1;
const SCALES: (f64, f64) = (0.1, 2.0);

/// LTCP-RC thesis equation 1.4: a throughput that differs by more than this says that conditions have changed.
const STEADY: f64 = 0.2;

/// Linux, htcp_param_update: the greatest round trip fades towards the least, in case the path has changed.
const FADING: f64 = 0.95;

/// The H-TCP law.
#[derive(Clone, Debug)]
pub struct HTcp {
    low_speed: f64,
    adaptive_backoff: bool,
    rtt_scaling: bool,
    betas: (f64, f64),
    beta: f64,
    alpha: Packets,
    /// When the last loss was repaired; the first acknowledgement before there is one.
    last_loss: Option<Time>,
    /// In seconds; infinite before the first sample.
    min_rtt: f64,
    max_rtt: f64,
    throughput: Throughput,
}

/// The throughput before a loss, as Linux's measure_achieved_throughput has it.
#[derive(Clone, Debug, Default)]
struct Throughput {
    since: Time,
    packets: f64,
    smoothed: f64,
    /// The greatest since the last loss, and up to the loss before, in packets per second.
    greatest: f64,
    before: f64,
}

impl Throughput {
    /// Counts an acknowledgement; `fresh` until three round trips after a loss.
    fn count(&mut self, ack: &Ack, window: &Window, min_rtt: f64, fresh: bool) {
        self.packets += f64::from(ack.newly_acked);
        let elapsed = ack.now.since(self.since).seconds();
        if self.packets < window.cwnd - 1.0 || elapsed < min_rtt || elapsed <= 0.0 {
            return;
        }
        let sample = self.packets / elapsed;
        self.smoothed = if fresh { sample } else { (3.0 * self.smoothed + sample) / 4.0 };
        self.greatest = if fresh { sample } else { self.greatest.max(self.smoothed) };
        (self.since, self.packets) = (ack.now, 0.0);
    }

    /// Whether it is what it was at the last loss; called at a loss.
    fn is_steady(&mut self) -> bool {
        let steady = self.before > 0.0 && (self.greatest - self.before).abs() <= STEADY * self.before;
        self.before = self.greatest;
        steady
    }
}

impl HTcp {
    /// From the registered parameters.
    pub fn new(values: &Values) -> Self {
        let least = values.number("least_beta");
        Self {
            low_speed: values.time("low_speed").seconds(),
            adaptive_backoff: values.flag("adaptive_backoff"),
            rtt_scaling: values.flag("rtt_scaling"),
            betas: (least, values.number("most_beta").max(least)),
            beta: 0.5,
            alpha: 1.0,
            last_loss: None,
            min_rtt: f64::INFINITY,
            max_rtt: 0.0,
            throughput: Throughput::default(),
        }
    }

    fn since_loss(&self, now: Time) -> f64 {
        self.last_loss.map_or(0.0, |then| now.since(then).seconds())
    }

    /// LTCP-RC thesis equation 1.3, scaled by the round trip and by 2 (1 - beta).
    fn increase(&self, now: Time) -> Packets {
        let fast = self.since_loss(now) - self.low_speed;
        let factor = if fast > 0.0 { 1.0 + 10.0 * fast + fast * fast / 4.0 } else { 1.0 };
        let scale = match self.rtt_scaling && self.min_rtt.is_finite() {
            true => (self.min_rtt / REFERENCE_RTT).clamp(SCALES.0, SCALES.1),
            false => 1.0,
        };
        // Linux's integers make no less than 1 of the scaled factor.
        2.0 * (1.0 - self.beta) * (factor * scale).max(1.0)
    }

    /// LTCP-RC thesis equation 1.4. Linux waits for one steady loss more before it trusts the quotient.
    fn back_off(&mut self) {
        let steady = self.throughput.is_steady();
        let adapts = self.adaptive_backoff && steady && self.max_rtt > 0.0;
        self.beta =
            if adapts { (self.min_rtt / self.max_rtt).clamp(self.betas.0, self.betas.1) } else { 0.5 };
        if self.max_rtt > self.min_rtt {
            self.max_rtt = self.min_rtt + FADING * (self.max_rtt - self.min_rtt);
        }
    }
}

impl WindowLaw for HTcp {
    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        let start = *self.last_loss.get_or_insert(ack.now);
        if let Some(rtt) = ack.rtt.map(|rtt| rtt.seconds()) {
            self.min_rtt = self.min_rtt.min(rtt);
            if ack.phase == Phase::Open {
                self.max_rtt = self.max_rtt.max(rtt);
            }
        }
        if ack.phase == Phase::Open {
            let fresh = ack.now.since(start).seconds() <= 3.0 * self.min_rtt;
            self.throughput.count(ack, window, self.min_rtt, fresh);
        } else {
            (self.throughput.since, self.throughput.packets) = (ack.now, 0.0);
        }
    }

    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        self.alpha = self.increase(ack.now);
        window.cwnd += self.alpha * ack.credit / window.cwnd;
    }

    fn decrease(&mut self, from: Packets, loss: &Loss) -> Packets {
        self.back_off();
        self.last_loss = Some(loss.now);
        from * self.beta
    }

    fn on_recovered(&mut self, _window: &mut Window, recovered: &Recovered) {
        self.last_loss = Some(recovered.now);
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        window.start_over(timeout);
        self.beta = 0.5;
        self.throughput.before = 0.0;
        self.last_loss = Some(timeout.now);
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("alpha_packets", self.alpha);
        series("beta", self.beta);
        series("throughput_packets_per_s", self.throughput.greatest);
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use ackclock_base::Span;

    fn after(seconds: f64, rtt_ms: u64, settings: &[(&str, &str)]) -> Script {
        let mut script = Script::with("htcp", settings).window(100.0).starting_ssthresh(100.0);
        script.ack_with_rtt(rtt_ms);
        script.wait(Span::from_seconds(seconds));
        script.ack_with_rtt(rtt_ms);
        script
    }

    #[test]
    fn the_increase_is_a_square_of_the_time_since_the_last_loss() {
        // Equation 1.3 with beta = 0.5, RTT 100 ms: 1 up to one second; after three, 1 + 10 * 2 + (2/2)^2 = 22.
        assert!((after(1.0, 100, &[]).published("alpha_packets") - 1.0).abs() < 1e-9);
        let mut script = after(3.0, 100, &[]);
        assert!((script.published("alpha_packets") - 22.0).abs() < 1e-9);
        // 100 + 1/100 + 22/100.01.
        assert!((script.cwnd() - 100.01 - 22.0 / 100.01).abs() < 1e-9, "{}", script.cwnd());
    }

    #[test]
    fn the_increase_grows_with_the_round_trip_between_a_tenth_and_twice() {
        for (rtt_ms, scaled, alpha) in [
            (50, "true", 11.0),
            (150, "true", 33.0),
            (500, "true", 44.0),
            (5, "true", 2.2),
            (50, "false", 22.0),
        ] {
            let found = after(3.0, rtt_ms, &[("rtt_scaling", scaled)]).published("alpha_packets");
            assert!((found - alpha).abs() < 1e-9, "{found} at {rtt_ms} ms");
        }
        // Never less than Reno's.
        assert!((after(0.5, 50, &[]).published("alpha_packets") - 1.0).abs() < 1e-9);
    }

    #[test]
    fn with_losses_less_than_delta_l_apart_it_is_reno() {
        // alpha = 2 (1 - 0.5) = 1 and beta = 0.5: the root of 1.5 / p.
        let settings = [("low_speed", "1000 s"), ("adaptive_backoff", "false")];
        let mut script = Script::with("htcp", &settings).window(122.0).starting_ssthresh(122.0);
        let mean = script.mean_window(1e-4, 100, 20);
        assert!((mean / 122.47 - 1.0).abs() < 0.01, "{mean}");
    }

    /// What part of the window the last of three losses left. Before each, ten round trips of so many packets in 100 ms,
    /// and then an acknowledgement that took 160 ms.
    fn kept(packets: [u32; 3], settings: &[(&str, &str)]) -> (f64, Script) {
        let mut script = Script::with("htcp", settings).window(50.0).starting_ssthresh(50.0);
        let mut kept = 1.0;
        for packets in packets {
            script.set_cwnd(50.0);
            for _ in 0..10 {
                script.acks_over(packets, 100);
            }
            script.ack_with_rtt(160);
            let before = script.cwnd();
            script.loss();
            kept = script.cwnd() / before;
            script.recovered();
        }
        (kept, script)
    }

    #[test]
    fn a_loss_leaves_the_quotient_of_round_trips_while_the_throughput_is_steady() {
        // Equation 1.4: RTT_min / RTT_max = 100 / 160 = 0.625, and alpha becomes 2 (1 - 0.625) = 0.75.
        let (ratio, mut script) = kept([60, 60, 60], &[]);
        assert!((ratio - 0.625).abs() < 1e-9, "{ratio}");
        script.acks(1);
        assert!((script.published("alpha_packets") - 0.75).abs() < 1e-9);
        // A throughput that has changed by more than 20 %, or no adaptive back-off: a half.
        assert!((kept([60, 60, 80], &[]).0 - 0.5).abs() < 1e-9);
        assert!((kept([60, 60, 60], &[("adaptive_backoff", "false")]).0 - 0.5).abs() < 1e-9);
        // It is limited: 0.625 to at most 0.6.
        assert!((kept([60, 60, 60], &[("most_beta", "0.6")]).0 - 0.6).abs() < 1e-9);
    }

    #[test]
    fn the_first_loss_and_a_timeout_halve() {
        let mut script = Script::new("htcp").window(100.0).starting_ssthresh(100.0);
        script.loss();
        assert_eq!(script.cwnd(), 50.0);
        script.timeout();
        assert_eq!((script.cwnd(), script.ssthresh()), (1.0, 25.0));
    }
}
