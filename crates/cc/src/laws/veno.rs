//! TCP Veno (Fu and Liew 2003): Reno with Vegas's estimate of the packets waiting, to tell losses through
//! congestion from those of a radio link: if few packets wait, a loss takes a fifth instead of half.

use super::round_trips::waiting;
use super::variant::Variant;
use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "veno",
        "TCP Veno: Reno, except that a loss reduces the window by only a fifth while few packets are queued in the \
         network, and that the window grows half as fast while many are",
        "Fu and Liew 2003, \"TCP Veno: TCP enhancement for transmission over wireless access networks\"; Linux's tcp_veno.c",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Veno::new(values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// The number of waiting packets that means congestion, and the effect of a loss.
    pub struct Parameters {
        /// Estimated number of the flow's packets queued in the network at or above which the path counts as congested:
        /// a loss halves the window, and the window grows by half a packet per round trip
        beta: Packets = packets("3 packets", Range::at_least(0.0), "Fu and Liew 2003 section II; Linux's beta"),
        /// Fraction of the window that remains after a loss on a path that is not congested
        random_loss: f64 = number("0.8", Range::between(0.1, 1.0), "Fu and Liew 2003 section II; Linux's tcp_veno.c"),
        /// RTTs from which the number of queued packets is estimated: the smoothed RTT and the minimum RTT since the
        /// last loss (published), or, as in Linux, the latest RTT and the minimum RTT of the connection (linux)
        variant: Variant = choice(
            "published",
            "Fu and Liew 2003 section II (cited from memory, not checked against the paper); Linux's \
             tcp_veno.c",
        ),
    }
}

/// Reno with an estimate of the packets waiting.
#[derive(Clone, Debug)]
pub struct Veno {
    parameters: Parameters,
    /// The minimum round trip since the last loss, or of the connection as in Linux, in seconds; infinite
    /// before the first sample.
    base: f64,
    /// The number of packets waiting.
    waiting: Packets,
}

impl Veno {
    /// Creates the law before the first sample.
    pub fn new(parameters: Parameters) -> Self {
        Self { parameters, base: f64::INFINITY, waiting: 0.0 }
    }

    fn is_congested(&self) -> bool {
        self.waiting >= self.parameters.beta
    }

    fn forget(&mut self) {
        self.base = self.parameters.variant.pick(f64::INFINITY, self.base);
    }
}

impl WindowLaw for Veno {
    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.base = self.base.min(rtt.seconds());
            let now = self.parameters.variant.pick(ack.smoothed_rtt, rtt);
            self.waiting = waiting(window.cwnd, self.base, now.seconds());
        }
    }

    /// Adds one packet per round trip, or half a packet on a congested path: the paper adds one in every
    /// other round trip.
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        let increase = if self.is_congested() { 0.5 } else { 1.0 };
        window.cwnd += increase * ack.abc_increment / window.cwnd;
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        let left = if self.is_congested() { 0.5 } else { self.parameters.random_loss };
        self.forget();
        from * left
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        window.start_over(timeout);
        self.forget();
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("waiting_packets", self.waiting);
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    /// Creates a flow with a window of 20 at a base of 100 ms, whose last acknowledgement took `ms`.
    fn at_20(settings: &[(&str, &str)], ms: u64) -> Script {
        let mut script = Script::with("veno", settings).window(20.0).starting_ssthresh(2.0);
        script.ack_with_rtt(100);
        script.set_cwnd(20.0);
        script.ack_with_rtt(ms);
        script.set_cwnd(20.0);
        script
    }

    #[test]
    fn three_waiting_packets_make_the_difference() {
        // 20 (1 - 100 / 117) = 2.906 packets wait, at 118 ms 3.051: four fifths or half remain.
        for (ms, after) in [(117, 16.0), (118, 10.0)] {
            let mut script = at_20(&[], ms);
            script.loss();
            assert_eq!(script.cwnd(), after);
        }
    }

    #[test]
    fn with_many_packets_waiting_it_grows_half_as_fast() {
        for (ms, growth) in [(100, 0.05), (200, 0.025)] {
            let mut script = at_20(&[], ms);
            script.ack_with_rtt(ms);
            assert!((script.cwnd() - 20.0 - growth).abs() < 1e-12);
        }
    }

    #[test]
    fn after_a_loss_the_least_round_trip_is_learnt_anew_but_not_in_linux() {
        for (variant, waits) in [("published", 0.0), ("linux", 10.0)] {
            let mut script = at_20(&[("variant", variant)], 200);
            script.loss();
            script.recovered();
            script.set_cwnd(20.0);
            script.ack_with_rtt(200);
            assert_eq!(script.published("waiting_packets"), waits, "{variant}");
        }
    }
}
