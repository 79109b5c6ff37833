//! TCP Westwood (Mascolo, Casetti, Gerla, Sanadidi and Wang 2001): the window after a loss is what the measured
//! bandwidth carries in the least round trip. The filters are those of the ns-2 module of September 2001 (Valla): the
//! one with a time constant (its type 3), and the one with fixed weights (its type 1). It is not Westwood+, which takes
//! one sample in a round trip.

use crate::classic::{Classic, MIN_SSTHRESH, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::registry::{Build, Companions, Entry, control};
use ackclock_base::{Packets, Parameter, Quantity, Range, Span, Values};
use bandwidth::Bandwidth;

mod bandwidth;
#[cfg(test)]
mod tests;

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

/// The Westwood law.
#[derive(Clone, Debug)]
pub struct Westwood {
    bandwidth: Bandwidth,
    /// In seconds; zero before the first sample.
    min_rtt: f64,
}

impl Westwood {
    /// From the registered parameters.
    pub fn new(values: &Values) -> Self {
        let fixed = values.choice("filter") == "fixed";
        Self { bandwidth: Bandwidth::new(fixed, values.time("time_constant").seconds()), min_rtt: 0.0 }
    }

    /// What the bandwidth carries in the least round trip.
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
        series("bandwidth_packets_per_s", self.bandwidth.packets_per_second());
        series("bandwidth_delay_packets", self.product());
    }
}
