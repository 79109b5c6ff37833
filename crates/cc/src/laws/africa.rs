//! TCP-Africa (King, Riedi and Baraniuk 2005): HighSpeed TCP's increase while hardly any packets wait in the
//! network, Reno's increase otherwise, and HighSpeed TCP's decrease.

use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use crate::laws::hstcp::{self, HighSpeed};
use ackclock_base::{Packets, Range, Span, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "africa",
        "TCP-Africa: grows as HighSpeed TCP while the queue is short and as Reno otherwise; a loss reduces the window \
         as in HighSpeed TCP",
        "King, Riedi and Baraniuk 2005",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Africa::new(&values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// When the increase is fast, and how fast.
    pub struct Parameters {
        /// Estimated number of the flow's packets queued in the network below which the window grows as in HighSpeed
        /// TCP; at or above it, the window grows as in Reno
        alpha: Packets = packets(
            "1.641 packets",
            Range::at_least(0.0),
            "King, Riedi and Baraniuk 2005 (cited from memory, not checked against the paper)",
        ),
        /// HighSpeed TCP's parameters.
        high_speed: hstcp::Parameters,
    }
}

/// Chooses between two increases by the queueing delay.
#[derive(Clone, Debug)]
pub struct Africa {
    alpha: Packets,
    high_speed: HighSpeed,
    /// Packets waiting in the network at the last acknowledgement in avoidance.
    waiting: Packets,
}

impl Africa {
    /// Creates the law with no packets waiting.
    pub fn new(parameters: &Parameters) -> Self {
        Self { alpha: parameters.alpha, high_speed: HighSpeed::new(&parameters.high_speed), waiting: 0.0 }
    }

    fn is_fast(&self) -> bool {
        self.waiting < self.alpha
    }
}

impl WindowLaw for Africa {
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        // W (aRTT - minRTT) / aRTT, with the host's smoothed round trip (gain 1/8) as aRTT.
        if ack.smoothed_rtt > Span::ZERO {
            let share = ack.min_rtt.seconds() / ack.smoothed_rtt.seconds();
            self.waiting = window.cwnd * (1.0 - share).max(0.0);
        }
        let increase = if self.is_fast() { self.high_speed.increase(window.cwnd) } else { 1.0 };
        window.cwnd += increase * ack.abc_increment / window.cwnd;
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        from * (1.0 - self.high_speed.decrease_at(from))
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("waiting_packets", self.waiting);
        series("fast_mode", f64::from(u8::from(self.is_fast())));
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    #[test]
    fn it_is_fast_while_few_packets_wait_and_slow_while_more_wait() {
        // 1000 packets at the minimum round trip of 100 ms: no packets wait, a(1000) / 1000 = 0.0078599 (see
        // the tests of hstcp).
        let mut script = Script::new("africa").window(1000.0).starting_ssthresh(1000.0);
        script.ack_with_rtt(100);
        assert_eq!(script.published("fast_mode"), 1.0);
        let fast = script.cwnd();
        assert!((fast - 1000.0 - 0.0078599).abs() < 1e-6, "{fast}");
        // 101 ms: 1000 * 1/101 = 9.9 packets wait, more than alpha = 1.641: 1/1000.
        script.ack_with_rtt(101);
        assert_eq!(script.published("fast_mode"), 0.0);
        assert!((script.published("waiting_packets") - 9.901).abs() < 1e-3);
        assert!((script.cwnd() - fast - 0.001).abs() < 1e-8);
        // Back at 100 ms the increase is fast again.
        script.ack_with_rtt(100);
        assert_eq!(script.published("fast_mode"), 1.0);
    }

    #[test]
    fn a_loss_takes_as_much_as_from_high_speed_tcp() {
        let mut scripts =
            ["africa", "hstcp"].map(|name| Script::new(name).window(5000.0).starting_ssthresh(5000.0));
        scripts.iter_mut().for_each(Script::loss);
        let [mut africa, mut high_speed] = scripts;
        assert_eq!(africa.cwnd(), high_speed.cwnd());
    }
}
