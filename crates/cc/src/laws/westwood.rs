//! TCP Westwood (Mascolo, Casetti, Gerla, Sanadidi and Wang 2001): the window after a loss is what the measured
//! bandwidth carries in the least round trip. The filters are those of the ns-2 module of September 2001 (Valla): the
//! one with a time constant (its type 3), and the one with fixed weights (its type 1). It is not Westwood+, which takes
//! one sample in a round trip.

use crate::classic::{Classic, MIN_SSTHRESH, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::registry::{Build, Companions, Entry, control};
use ackclock_base::{Packets, Parameter, Quantity, Range, Span, Time, Values};

/// With Reno's retransmission.
pub const WESTWOOD: Entry = Entry {
    descriptor: &control(
        "westwood",
        "After a loss, the window that the measured bandwidth fills; Reno's retransmission",
        SOURCE,
        PARAMETERS,
    ),
    build: BUILD,
    companions: Companions::recovery("reno"),
};

/// With NewReno's retransmission.
pub const WESTWOOD_NR: Entry = Entry {
    descriptor: &control(
        "westwood-nr",
        "After a loss, the window that the measured bandwidth fills; NewReno's retransmission",
        SOURCE,
        PARAMETERS,
    ),
    build: BUILD,
    companions: Companions::recovery("newreno"),
};

const SOURCE: &str = "Mascolo et al. 2001; TCPW module of September 2001 for ns-2";

const BUILD: Build = Build::Alone(|values, initial| Box::new(Classic::new(Westwood::new(values), initial)));

/// What can be set.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "filter",
        summary: "Whether the weights of the bandwidth filter follow the time between acknowledgements",
        quantity: Quantity::Choice(&["time-constant", "fixed"]),
        default: "time-constant",
        range: Range::ANY,
        source: "Mascolo et al. 2001. The ns-2 module has both, fixed by default in its code; which one a simulation ran \
                 was up to its Tcl defaults",
    },
    Parameter {
        name: "time_constant",
        summary: "Time constant of the filter (tau); half of it without an acknowledgement counts as no bandwidth",
        quantity: Quantity::Time,
        default: "1 s",
        range: Range::above(0.0),
        source: "TCPW module of September 2001 for ns-2, tau_",
    },
];

/// The module's type 1, 19/21 and 1/21: the filter with a time constant for acknowledgements tau/10 apart.
const FIXED: (f64, f64) = (0.9047, 0.0476);

/// An acknowledgement counts for at most two packets: more would mean that acknowledgements were lost.
const MOST_PACKETS: u64 = 2;

/// The Westwood law.
#[derive(Clone, Debug)]
pub struct Westwood {
    fixed: bool,
    time_constant: f64,
    /// In packets per second.
    bandwidth: f64,
    last_sample: f64,
    last_ack: Option<Time>,
    acked_to: u64,
    /// Duplicates that stood for packets which a cumulative acknowledgement will count again.
    counted_before: u64,
    /// Packets acknowledged in no time since the last sample.
    pending: u64,
    min_rtt: f64,
}

impl Westwood {
    /// From the registered parameters.
    pub fn new(values: &Values) -> Self {
        Self {
            fixed: values.choice("filter") == "fixed",
            time_constant: values.time("time_constant").seconds(),
            bandwidth: 0.0,
            last_sample: 0.0,
            last_ack: None,
            acked_to: 0,
            counted_before: 0,
            pending: 0,
            min_rtt: 0.0,
        }
    }

    /// How many packets an acknowledgement says have arrived.
    fn packets(&mut self, ack: &Ack) -> u64 {
        let mut packets = ack.acked_to.saturating_sub(self.acked_to);
        self.acked_to = ack.acked_to;
        if packets == 0 {
            self.counted_before += 1;
            return 1;
        }
        if packets > 1 {
            let (before, all) = (self.counted_before, packets);
            self.counted_before = before.saturating_sub(all);
            packets = if before >= all { 1 } else { all - before };
        }
        packets.min(MOST_PACKETS)
    }

    fn sample(&mut self, packets: u64, mut interval: f64) {
        let (tau, packets) = (self.time_constant, packets as f64);
        if self.fixed {
            self.filter(packets / interval, FIXED);
            return;
        }
        let half = tau / 2.0;
        let mut idle = libm::floor(interval / half);
        interval -= idle * half;
        // The module counts a rest of less than 10 ms as another half of tau.
        if interval < 0.01 && idle > 0.0 {
            interval = half;
            idle -= 1.0;
        }
        if idle > 0.0 {
            // Samples of zero, tau/2 apart, weigh 3/5 and 1/5; after the first, the one before is zero too.
            self.filter(0.0, (0.6, 0.2));
            self.bandwidth *= libm::pow(0.6, idle - 1.0);
        }
        let weights = ((2.0 * tau - interval) / (2.0 * tau + interval), interval / (2.0 * tau + interval));
        self.filter(packets / interval, weights);
    }

    fn filter(&mut self, sample: f64, (old, new): (f64, f64)) {
        self.bandwidth = old * self.bandwidth + new * (sample + self.last_sample);
        self.last_sample = sample;
    }

    /// What the bandwidth carries in the least round trip, in whole packets.
    fn fitting(&self) -> Packets {
        libm::floor(self.bandwidth * self.min_rtt).max(MIN_SSTHRESH)
    }
}

impl WindowLaw for Westwood {
    fn observe(&mut self, _window: &mut Window, ack: &Ack) {
        if ack.min_rtt != Span::MAX {
            self.min_rtt = ack.min_rtt.seconds();
        }
        self.pending += self.packets(ack);
        let interval = self.last_ack.map_or(0.0, |last| ack.now.since(last).seconds());
        if self.last_ack.is_none() || interval > 0.0 {
            let packets = std::mem::take(&mut self.pending);
            if interval > 0.0 {
                self.sample(packets, interval);
            }
            self.last_ack = Some(ack.now);
        }
    }

    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        window.cwnd += ack.credit / window.cwnd;
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        from.min(self.fitting())
    }

    fn on_loss(&mut self, window: &mut Window, _loss: &Loss) {
        window.ssthresh = self.fitting();
        window.cwnd = window.cwnd.min(window.ssthresh);
    }

    fn on_timeout(&mut self, window: &mut Window, _timeout: &Timeout) {
        // The paper's window of one packet; the module has two.
        *window = Window { cwnd: 1.0, ssthresh: self.fitting() };
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("bandwidth_packets_per_s", self.bandwidth);
        series("bandwidth_delay_packets", self.bandwidth * self.min_rtt);
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use ackclock_base::Span;

    const BANDWIDTH: &str = "bandwidth_packets_per_s";

    fn script(settings: &[(&str, &str)]) -> Script {
        let mut script = Script::with("westwood", settings).window(100.0).starting_ssthresh(100.0);
        script.acks(1);
        script
    }

    fn ack_after(script: &mut Script, ms: u64) {
        script.wait(Span::from_millis(ms));
        script.acks(1);
    }

    #[test]
    fn the_filter_with_a_time_constant() {
        // tau = 1 s, one packet after 100 ms: 10 packets/s, (2 - 0.1)/(2 + 0.1) * 0 + 0.1/2.1 * (10 + 0) = 0.47619.
        let mut script = script(&[]);
        ack_after(&mut script, 100);
        assert!((script.published(BANDWIDTH) - 10.0 / 21.0).abs() < 1e-9);
        // Another: 19/21 * 0.47619 + 1/21 * (10 + 10) = 1.38322.
        ack_after(&mut script, 100);
        assert!((script.published(BANDWIDTH) - 610.0 / 441.0).abs() < 1e-9);
    }

    #[test]
    fn silence_counts_as_no_bandwidth() {
        // From 610/441 with a last sample of 10: 1.2 s of silence are two halves of tau and 200 ms. 0.6 b + 0.2 * 10 =
        // 2.82993, then 0.6 of it = 1.69796; the packet 200 ms later is a sample of 5: 1.8/2.2 b + 0.2/2.2 * 5 = 1.84378.
        let mut script = script(&[]);
        ack_after(&mut script, 100);
        ack_after(&mut script, 100);
        ack_after(&mut script, 1200);
        assert!((script.published(BANDWIDTH) - 1.84378).abs() < 1e-5, "{}", script.published(BANDWIDTH));
    }

    #[test]
    fn the_filter_with_fixed_weights() {
        // 0.0476 * 10, then 0.9047 * 0.476 + 0.0476 * 20 = 1.38264.
        let mut script = script(&[("filter", "fixed")]);
        ack_after(&mut script, 100);
        ack_after(&mut script, 100);
        assert!((script.published(BANDWIDTH) - 1.3826372).abs() < 1e-9);
    }

    #[test]
    fn after_a_loss_the_window_is_what_the_bandwidth_fills() {
        // One packet per millisecond for 20 s and 100 ms: 1000 packets/s * 0.1 s = 100 packets.
        let mut script = Script::new("westwood").window(150.0).starting_ssthresh(2.0);
        for _ in 0..20_000 {
            script.wait(Span::from_millis(1));
            script.acks(1);
        }
        assert!((script.published("bandwidth_delay_packets") - 100.0).abs() < 0.1);
        let whole = script.published("bandwidth_delay_packets").floor();
        script.loss();
        assert_eq!((script.cwnd(), script.ssthresh()), (whole, whole));
        // A window below that is not raised.
        script.timeout();
        assert_eq!((script.cwnd(), script.ssthresh()), (1.0, whole));
        script.loss();
        assert_eq!(script.cwnd(), 1.0);
    }

    #[test]
    fn what_duplicates_counted_is_not_counted_again() {
        // Three duplicates count one packet each, the acknowledgement of four that follows the one that is left; then
        // four at once, without duplicates before, count two.
        let mut script = script(&[("filter", "fixed")]);
        let steps = [(0, 1.0), (0, 1.0), (0, 1.0), (4, 1.0), (4, 2.0)];
        let (mut bandwidth, mut last, mut acked_to) = (0.0, 0.0, 1);
        for (newly, packets) in steps {
            acked_to += newly;
            script.wait(Span::from_millis(100));
            script.ack_as(|ack| (ack.acked_to, ack.fresh) = (acked_to, newly > 0));
            let sample = packets / 0.1;
            bandwidth = 0.9047 * bandwidth + 0.0476 * (sample + last);
            last = sample;
            assert!((script.published(BANDWIDTH) - bandwidth).abs() < 1e-9, "{acked_to}");
        }
    }
}
