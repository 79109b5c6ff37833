//! TCP Westwood (Mascolo, Casetti, Gerla, Sanadidi and Wang 2001): the window after a loss is the product of
//! the measured bandwidth and the minimum round trip. The filters are those of the ns-2 module of September
//! 2001 (Valla): the one with a time constant (its type 3), and the one with fixed weights (its type 1). This
//! is not Westwood+, which takes one sample per round trip.

use crate::classic::{Classic, MIN_SSTHRESH, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, Span, choice, parameters};
use bandwidth::Bandwidth;

mod bandwidth;
#[cfg(test)]
mod tests;

/// The registry entry of Westwood with Reno's retransmission.
pub const WESTWOOD: Entry = Entry {
    descriptor: &control(
        "westwood",
        "Westwood: a loss reduces the window to at most the measured bandwidth times the minimum RTT; loss recovery as \
         in Reno",
        SOURCE,
        Parameters::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults::recovery("reno"),
};

/// The registry entry of Westwood with NewReno's retransmission.
pub const WESTWOOD_NR: Entry = Entry {
    descriptor: &control(
        "westwood-nr",
        "Westwood: a loss reduces the window to at most the measured bandwidth times the minimum RTT; loss recovery as \
         in NewReno",
        SOURCE,
        Parameters::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults::recovery("newreno"),
};

const SOURCE: &str = "Mascolo et al. 2001; TCPW module of September 2001 for ns-2";

const BUILD: Build =
    Build::Alone(|values, initial| Box::new(Classic::new(Westwood::new(&values.into()), initial)));

choice! {
    /// The weights of the bandwidth filter.
    pub enum Filter {
        /// The weights follow the time between acknowledgements (the module's type 3).
        TimeConstant = "time-constant",
        /// The weights are constant (the module's type 1).
        Fixed = "fixed",
    }
}

parameters! {
    /// The parameters of the bandwidth filter.
    pub struct Parameters {
        /// Weights of the bandwidth filter: computed from the time between acknowledgements (time-constant), or
        /// constant (fixed)
        filter: Filter = choice(
            "time-constant",
            "Mascolo et al. 2001. The ns-2 module has both filters: its code defaults to `fixed`, but the Tcl defaults \
             of a simulation decided which filter it used",
        ),
        /// Time constant of the bandwidth filter (tau), with filter `time-constant`; each tau/2 without an
        /// acknowledgement counts as a sample of zero bandwidth
        time_constant: Span = time("1 s", Range::above(0.0), "TCPW module of September 2001 for ns-2, tau_"),
    }
}

/// The Westwood law.
#[derive(Clone, Debug)]
pub struct Westwood {
    bandwidth: Bandwidth,
    /// The minimum round trip in seconds; zero before the first sample.
    min_rtt: f64,
}

impl Westwood {
    /// Creates the law before the first sample.
    pub fn new(parameters: &Parameters) -> Self {
        let fixed = parameters.filter == Filter::Fixed;
        Self { bandwidth: Bandwidth::new(fixed, parameters.time_constant.seconds()), min_rtt: 0.0 }
    }

    /// Returns the product of the bandwidth and the minimum round trip, in packets.
    fn product(&self) -> Packets {
        self.bandwidth.packets_per_second() * self.min_rtt
    }

    fn fitting(&self) -> Packets {
        libm::floor(self.product()).max(MIN_SSTHRESH)
    }
}

impl WindowLaw for Westwood {
    fn observe(&mut self, _window: &mut Window, ack: &Ack) {
        if ack.min_rtt != Span::MAX {
            self.min_rtt = ack.min_rtt.seconds();
        }
        self.bandwidth.observe(ack);
    }

    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        window.cwnd += ack.abc_increment / window.cwnd;
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        from.min(self.fitting())
    }

    fn on_loss(&mut self, window: &mut Window, _loss: &Loss) {
        window.ssthresh = self.fitting();
        window.cwnd = window.cwnd.min(window.ssthresh);
    }

    fn on_timeout(&mut self, window: &mut Window, _timeout: &Timeout) {
        // The paper's window of one packet; the module's is two.
        *window = Window { cwnd: 1.0, ssthresh: self.fitting() };
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("bandwidth_packets_per_s", self.bandwidth.packets_per_second());
        series("bandwidth_delay_packets", self.product());
    }
}
