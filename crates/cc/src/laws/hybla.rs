//! TCP Hybla (Caini and Firrincieli 2004): the window grows as Reno's over a short round trip, however long
//! its own round trip is. Made for satellite paths.

use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, Span, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "hybla",
        "TCP Hybla: at a long RTT, the window grows as fast as Reno's would at a short reference RTT",
        "Caini and Firrincieli 2004, \"TCP Hybla: a TCP enhancement for heterogeneous networks\"; Linux's tcp_hybla.c",
        Hybla::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Hybla::from(values), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// Reno at the pace of a reference round trip.
    pub struct Hybla {
        /// Reference RTT: at a longer RTT, the window grows as fast as Reno's would at the reference; at a shorter RTT,
        /// the flow grows as Reno
        reference: Span = time(
            "25 ms",
            Range { min: 0.0, max: 3600.0, above_min: true },
            "Caini and Firrincieli 2004, RTT_0; Linux's rtt0",
        ),
        /// Upper bound on the ratio of the minimum RTT to `reference`
        most_rho: f64 = number(
            "40",
            Range::between(1.0, 60.0),
            "no bound in the paper; 40 is the ratio of an RTT of 1 s to the default `reference` of 25 ms",
        ),
    }
}

impl Hybla {
    /// Returns the round trip in units of the reference, at least 1 and at most `most_rho`. It uses the
    /// minimum round trip, so that a queue does not speed up growth.
    fn rho(&self, ack: &Ack) -> f64 {
        if ack.min_rtt == Span::MAX {
            return 1.0;
        }
        (ack.min_rtt.seconds() / self.reference.seconds().max(1e-9)).clamp(1.0, self.most_rho)
    }
}

impl WindowLaw for Hybla {
    /// Adds `2^rho - 1` packets per packet acknowledged.
    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        window.slow_start(ack.abc_increment * (libm::exp2(self.rho(ack)) - 1.0));
    }

    /// Adds `rho^2 / W` packets per packet acknowledged.
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        let rho = self.rho(ack);
        window.cwnd += rho * rho * ack.abc_increment / window.cwnd;
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        from / 2.0
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    #[test]
    fn at_four_times_the_reference_it_adds_16_packets_in_a_round_trip() {
        // rho = 4: 16 / 100 for an acknowledgement.
        let mut script = Script::new("hybla").window(100.0).starting_ssthresh(2.0);
        script.ack_with_rtt(100);
        assert!((script.cwnd() - 100.16).abs() < 1e-12);
    }

    #[test]
    fn slow_start_multiplies_by_two_to_the_rho_and_stops_at_the_threshold() {
        // 2^4 - 1 = 15 packets for each of ten: 160, the doubling of four rounds of 25 ms.
        let mut script = Script::new("hybla").window(10.0);
        (0..10).for_each(|_| script.ack_with_rtt(100));
        assert_eq!(script.cwnd(), 160.0);
        let mut script = Script::new("hybla").window(10.0).starting_ssthresh(20.0);
        script.ack_with_rtt(100);
        assert_eq!(script.cwnd(), 20.0);
    }

    #[test]
    fn below_the_reference_it_is_reno() {
        let mut scripts =
            ["hybla", "sack"].map(|name| Script::new(name).window(10.0).starting_ssthresh(40.0));
        for script in &mut scripts {
            (0..200).for_each(|_| script.ack_with_rtt(20));
            script.loss();
        }
        let [hybla, reno] = &mut scripts;
        assert_eq!(hybla.cwnd(), reno.cwnd());
    }

    #[test]
    fn two_flows_with_round_trips_of_50_and_200_ms_win_the_same_rate_in_a_second() {
        // W grows by rho^2 per RTT: its rate by rho^2 / RTT^2, which is 1 / 25 ms squared for all.
        let gain = |ms: u64| {
            let mut script = Script::new("hybla").window(400.0).starting_ssthresh(2.0);
            let rounds = 1000 / ms;
            for _ in 0..rounds {
                let window = script.cwnd();
                script.acks_over(window as u32, ms);
            }
            (script.cwnd() - 400.0) / (ms as f64 / 1000.0)
        };
        assert!((gain(50) / gain(200) - 1.0).abs() < 0.1, "{} and {}", gain(50), gain(200));
    }
}
