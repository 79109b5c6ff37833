//! Reno's additive increase and multiplicative decrease (RFC 5681 section 3.1). The controls `reno`, `newreno` and
//! `sack` differ in how the host retransmits, not in this law.

use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "reno",
        "Reno: additive increase, multiplicative decrease; fast recovery repairs one loss per window, and further \
         losses in that window can require a timeout",
        "RFC 5681",
        Reno::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults::recovery("reno"),
};

/// The constructor of every control with this law.
pub const BUILD: Build = Build::Alone(|values, initial| Box::new(Classic::new(Reno::from(values), initial)));

parameters! {
    /// Additive increase and multiplicative decrease.
    pub struct Reno {
        /// Packets by which the window grows per round trip in congestion avoidance
        increase: f64 = number("1", Range::between(0.0, 1e6), "RFC 5681 section 3.1"),
        /// Fraction of the window that remains after a loss
        decrease: f64 = number("0.5", Range::between(0.0, 1.0), "RFC 5681 section 3.2"),
    }
}

impl WindowLaw for Reno {
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        // RFC 5681 equation 3, in packets: SMSS*SMSS/cwnd per acknowledgement.
        //= RFC 5681 section 3.1 linear: congestion avoidance adds at most one segment in a round trip
        //= RFC 9002 section 7.3.3: congestion avoidance adds at most one datagram for each window acknowledged
        window.cwnd += self.increase * ack.abc_increment / window.cwnd;
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        //= RFC 5681 section 3.2 ssthresh: a fast retransmit sets ssthresh to at most half of FlightSize, or two segments if that is more
        //= RFC 9002 section 7.3.2 half: a loss sets ssthresh to half of the window, and the window to ssthresh
        from * self.decrease
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    //= test RFC 5681 section 3.1 phases
    #[test]
    fn slow_start_doubles_each_round_trip() {
        let mut script = Script::new("reno").window(2.0);
        script.acks(2);
        assert_eq!(script.cwnd(), 4.0);
        script.acks(4);
        assert_eq!(script.cwnd(), 8.0);
    }

    //= test RFC 5681 section 3.1 linear
    //= test RFC 9002 section 7.3.3
    #[test]
    fn congestion_avoidance_adds_one_packet_per_window_of_acks() {
        // (w + 1/w)^2 = w^2 + 2 + 1/w^2: ten acknowledgements from w = 10 give w^2 = 100 + 20 + the sum of ten terms
        // of about 1/110, so w = sqrt(120.091) = 10.9586.
        let mut script = Script::new("reno").window(10.0).starting_ssthresh(10.0);
        script.acks(10);
        assert!((script.cwnd() - 10.9586).abs() < 1e-4, "{}", script.cwnd());
    }

    //= test RFC 5681 section 3.1 ssthresh
    //= test RFC 5681 section 3.1 loss-window
    //= test RFC 5681 section 3.2 ssthresh
    //= test RFC 9002 section 7.3.2 half
    #[test]
    fn a_loss_halves_and_a_timeout_starts_over() {
        let mut script = Script::new("reno").window(10.0).starting_ssthresh(10.0);
        script.loss();
        assert_eq!((script.cwnd(), script.ssthresh()), (5.0, 5.0));
        script.recovered();
        script.timeout();
        assert_eq!((script.cwnd(), script.ssthresh()), (1.0, 2.5));
    }

    #[test]
    fn a_spurious_loss_is_undone() {
        let mut script = Script::new("reno").window(10.0).starting_ssthresh(10.0);
        script.loss();
        script.spurious();
        assert_eq!((script.cwnd(), script.ssthresh()), (10.0, 10.0));
    }
}
