//! BIC (Xu, Harfoush and Rhee 2004): a binary search between the window at which a packet was lost and one at which
//! none was, as the ns-2 module of its authors has it.

use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::registry::{Build, Companions, Entry, control};
use ackclock_base::{Packets, Parameter, Quantity, Range, Values};

#[cfg(test)]
mod tests;

/// The entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "bic",
        "Binary search for the window that the network holds",
        "Xu, Harfoush and Rhee 2004; options of the authors' ns-2 module",
        PARAMETERS,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Bic::new(values), initial))),
    companions: Companions::recovery("sack"),
};

/// What can be set.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "most_increase",
        summary: "The most that the window grows by in a round trip",
        quantity: Quantity::Packets,
        default: "32 packets",
        range: Range::above(0.0),
        source: "LTCP-RC thesis section IV A, S_max of the ns-2 module; Linux has 16",
    },
    Parameter {
        name: "least_increase",
        summary: "The least that the window grows by in a round trip",
        quantity: Quantity::Packets,
        default: "0.01 packets",
        range: Range::above(0.0),
        source: "LTCP-RC thesis section IV A, S_min of the ns-2 module",
    },
    Parameter {
        name: "beta",
        summary: "The window after a loss, as a fraction of the window before",
        quantity: Quantity::Number,
        default: "0.875",
        range: Range::between(0.1, 0.99),
        source: "LTCP-RC thesis section IV A, of the ns-2 module; Linux has 819/1024",
    },
    Parameter {
        name: "low_window",
        summary: "Below this window it is Reno",
        quantity: Quantity::Packets,
        default: "14 packets",
        range: Range::at_least(0.0),
        source: "LTCP-RC thesis section IV A, of the ns-2 module; Linux's tcp_bic.c",
    },
    Parameter {
        name: "log_factor",
        summary: "The target lies this part of the way from the window to the maximum: 2 is the middle",
        quantity: Quantity::Number,
        default: "2",
        range: Range::between(1.0, 100.0),
        source: "LTCP-RC thesis section IV A, of the ns-2 module; Linux has 4",
    },
    Parameter {
        name: "fast_convergence",
        summary: "Whether a flow whose windows shrink gives up more, to make room for newcomers",
        quantity: Quantity::Flag,
        default: "true",
        range: Range::ANY,
        source: "LTCP-RC thesis section IV A, of the ns-2 module; Linux's tcp_bic.c",
    },
    Parameter {
        name: "previous_max",
        summary: "What fast convergence compares with past the last maximum: the unbounded one of probing, or the last",
        quantity: Quantity::Choice(&["unbounded", "last"]),
        default: "unbounded",
        range: Range::ANY,
        source: "prev_max of the paper's listing, which probing sets to a large number; Linux's tcp_bic.c keeps the last",
    },
];

/// Binary search increase.
#[derive(Clone, Debug)]
pub struct Bic {
    most: Packets,
    least: Packets,
    beta: f64,
    low_window: Packets,
    log_factor: f64,
    fast_convergence: bool,
    keeps_last_max: bool,
    /// Where a packet was lost; infinite while that is not known.
    max: Packets,
    /// Where a packet was lost last, whatever probing has found since; zero while none was.
    last_max: Packets,
    /// Where none was.
    min: Packets,
    target: Packets,
    probing: Option<Probing>,
}

/// Past the maximum the window probes as slow start does, up to the greatest increase.
#[derive(Clone, Debug)]
struct Probing {
    increase: Packets,
    until: Packets,
}

impl Bic {
    /// From the registered parameters.
    pub fn new(values: &Values) -> Self {
        let unknown = f64::INFINITY;
        Self {
            most: values.packets("most_increase"),
            least: values.packets("least_increase"),
            beta: values.number("beta"),
            low_window: values.packets("low_window"),
            log_factor: values.number("log_factor"),
            fast_convergence: values.flag("fast_convergence"),
            keeps_last_max: values.choice("previous_max") == "last",
            max: unknown,
            last_max: 0.0,
            min: 0.0,
            target: unknown,
            probing: None,
        }
    }

    fn aim(&mut self) {
        self.target = self.min + (self.max - self.min) / self.log_factor;
    }

    /// How much the window may grow by in a round trip.
    fn increase(&self, cwnd: Packets) -> Packets {
        match &self.probing {
            Some(probing) => probing.increase,
            // `min` and `max` and not `clamp`, which panics where the bounds are set the wrong way round.
            None => (self.target - cwnd).max(self.least).min(self.most),
        }
    }

    fn search(&mut self, cwnd: Packets) {
        if let Some(probing) = &mut self.probing {
            if cwnd >= probing.until {
                probing.increase *= 2.0;
                probing.until = cwnd + probing.increase;
            }
            if probing.increase >= self.most {
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
        if window.cwnd < self.low_window {
            window.cwnd += ack.credit / window.cwnd;
            return;
        }
        window.cwnd += self.increase(window.cwnd) * ack.credit / window.cwnd;
        self.search(window.cwnd);
    }

    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        if from < self.low_window {
            return from / 2.0;
        }
        let previous = if self.keeps_last_max { self.last_max } else { self.max };
        let shrinking = self.fast_convergence && from < previous;
        self.probing = None;
        self.min = from * self.beta;
        self.max = if shrinking { (from + self.min) / 2.0 } else { from };
        self.last_max = self.max;
        self.aim();
        self.min
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        window.start_over(timeout);
        // Linux forgets the search: the path may be another.
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
