//! BIC (Xu, Harfoush and Rhee 2004): a binary search between the window at which a packet was lost and one
//! without loss, as in its authors' ns-2 module.

use super::variant::Variant;
use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, choice, parameters};

#[cfg(test)]
mod tests;

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "bic",
        "BIC: after a loss, a binary search between the reduced window and the window at the loss, then probing for a \
         larger window",
        "Xu, Harfoush and Rhee 2004; options of the authors' ns-2 module",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Bic::new(values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

choice! {
    /// The maximum with which fast convergence compares a window.
    pub enum PreviousMax {
        /// The maximum of the present search; infinite while none is known: before a loss, after a timeout,
        /// and once the window has passed the last maximum.
        Unbounded = "unbounded",
        /// The window at the last loss.
        Last = "last",
    }
}

parameters! {
    /// The parameters of the search.
    pub struct Parameters {
        /// Largest growth of the window per round trip
        most_increase: Packets = packets(
            "32 packets",
            Range::above(0.0),
            "S. Jain 2005 section IV A, S_max of the ns-2 module; Linux uses 16",
        ),
        /// Smallest growth of the window per round trip
        least_increase: Packets = packets(
            "0.01 packets",
            Range::above(0.0),
            "S. Jain 2005 section IV A, S_min of the ns-2 module",
        ),
        /// Fraction of the window that remains after a loss
        beta: f64 = number(
            "0.875",
            Range::between(0.1, 0.99),
            "S. Jain 2005 section IV A, value of the ns-2 module; Linux uses 819/1024",
        ),
        /// Window below which growth and reductions follow Reno
        low_window: Packets = packets(
            "14 packets",
            Range::at_least(0.0),
            "S. Jain 2005 section IV A, value of the ns-2 module; Linux's tcp_bic.c",
        ),
        /// Divisor of the search range: the next target window is the minimum plus (maximum - minimum) / `log_factor`,
        /// where 2 is a binary search
        log_factor: f64 = number(
            "2",
            Range::between(1.0, 100.0),
            "S. Jain 2005 section IV A, value of the ns-2 module; Linux uses 4",
        ),
        /// Whether a loss at a window below the last maximum sets the new maximum halfway between this window and the
        /// reduced one, to make room for new flows
        fast_convergence: bool = flag(true, "S. Jain 2005 section IV A, value of the ns-2 module; Linux's tcp_bic.c"),
        /// Maximum with which fast convergence compares the window at a loss if the window has passed the last maximum
        /// or no maximum is known: infinity, so that fast convergence applies (unbounded), or the last maximum, if any
        /// (last)
        previous_max: PreviousMax = choice(
            "unbounded",
            "prev_max of the paper's listing, which probing sets to a large number; Linux's tcp_bic.c keeps the last \
             maximum",
        ),
        /// Source of the constants: the other parameters (published), or Linux (linux): growth of 0.2 to 16 packets per
        /// round trip, `beta` 819/1024, `low_window` 14 packets, `log_factor` 4, `previous_max` last
        variant: Variant = choice(
            "published",
            "Linux's tcp_bic.c: max_increment, BICTCP_B / smooth_part, beta, low_window, BICTCP_B; probing past the \
             maximum stays as in the paper",
        ),
    }
}

/// Binary search increase.
#[derive(Clone, Debug)]
pub struct Bic {
    parameters: Parameters,
    /// The window at which a packet was lost; infinite while unknown.
    max: Packets,
    /// The window at the last loss, whatever probing has found since; zero before the first loss.
    last_max: Packets,
    /// A window without loss.
    min: Packets,
    target: Packets,
    probing: Option<Probing>,
}

/// The search past the maximum: the window grows as in slow start, up to the greatest increase.
#[derive(Clone, Debug)]
struct Probing {
    increase: Packets,
    until: Packets,
}

impl Bic {
    /// Creates the law before the first loss, with nothing known about the network.
    pub fn new(parameters: Parameters) -> Self {
        let linux = Parameters {
            most_increase: 16.0,
            least_increase: 0.2,
            beta: 819.0 / 1024.0,
            low_window: 14.0,
            log_factor: 4.0,
            previous_max: PreviousMax::Last,
            ..parameters
        };
        let parameters = parameters.variant.pick(parameters, linux);
        let unknown = f64::INFINITY;
        Self { parameters, max: unknown, last_max: 0.0, min: 0.0, target: unknown, probing: None }
    }

    fn aim(&mut self) {
        self.target = self.min + (self.max - self.min) / self.parameters.log_factor;
    }

    /// Returns the growth of the window per round trip, in packets.
    fn increase(&self, cwnd: Packets) -> Packets {
        match &self.probing {
            Some(probing) => probing.increase,
            // `min` and `max` instead of `clamp`, which panics if the lower bound is set above the upper.
            None => {
                (self.target - cwnd).max(self.parameters.least_increase).min(self.parameters.most_increase)
            }
        }
    }

    fn search(&mut self, cwnd: Packets) {
        if let Some(probing) = &mut self.probing {
            if cwnd >= probing.until {
                probing.increase *= 2.0;
                probing.until = cwnd + probing.increase;
            }
            if probing.increase >= self.parameters.most_increase {
                self.probing = None;
            }
        } else if cwnd < self.max {
            self.min = cwnd;
            self.aim();
        } else {
            self.probing = Some(Probing { increase: 1.0, until: cwnd + 1.0 });
            self.max = f64::INFINITY;
            self.target = f64::INFINITY;
        }
    }
}

impl WindowLaw for Bic {
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        if window.cwnd < self.parameters.low_window {
            window.cwnd += ack.abc_increment / window.cwnd;
            return;
        }
        window.cwnd += self.increase(window.cwnd) * ack.abc_increment / window.cwnd;
        self.search(window.cwnd);
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        if from < self.parameters.low_window {
            return from / 2.0;
        }
        let previous = match self.parameters.previous_max {
            PreviousMax::Last => self.last_max,
            PreviousMax::Unbounded => self.max,
        };
        let shrinking = self.parameters.fast_convergence && from < previous;
        self.probing = None;
        self.min = from * self.parameters.beta;
        self.max = if shrinking { (from + self.min) / 2.0 } else { from };
        self.last_max = self.max;
        self.aim();
        self.min
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        window.start_over(timeout);
        // Linux forgets the search: the path may have changed.
        (self.max, self.last_max, self.min, self.target) = (f64::INFINITY, 0.0, 0.0, f64::INFINITY);
        self.probing = None;
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        let known = |packets: f64| if packets.is_finite() { packets } else { f64::NAN };
        series("max_window_packets", known(self.max));
        series("min_window_packets", self.min);
        series("target_window_packets", known(self.target));
    }
}
