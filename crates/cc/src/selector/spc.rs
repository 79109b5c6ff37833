//! SPC, Switch Path on Congestion (Dahal 2007, section 6.1.2): when the round trip on the path has grown
//! twice in a row above a threshold, new data takes another path. The longer that path has rested, the
//! smaller is its window.
//!
//! The thesis has two paths, so new data takes the other one. With more paths (its section 7.2 leaves that
//! open) it takes the path with the largest window by equation 6.3, which depends on the window that the path
//! had, and on the number of acknowledgements for which it has rested.

use super::{PathAck, PathSelector, Paths, Switch};
use crate::entry::SelectorEntry;
use crate::laws::rbca::{FACTOR, RTT_MIN, RTT_MIN_MODE};
use crate::laws::rbcc::RttMinMode;
use ackclock_base::{Descriptor, Kind, Packets, Range, Span, choice, parameters};

/// The selector's entry in the registry.
pub const ENTRY: SelectorEntry = SelectorEntry {
    descriptor: &Descriptor {
        kind: Kind::Selector,
        name: "spc",
        summary: "Moves new data to another path when three consecutive RTT samples of the current path are above a \
                  threshold and each is larger than the one before",
        source: "Dahal 2007 section 6.1.2, equations 6.3, 6.4",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values, paths| Some(Box::new(Spc::new(values.into(), paths))),
};

choice! {
    /// The path to switch to if there is more than one other path.
    pub enum Next {
        /// The path with the largest window to resume with.
        LargestWindow = "largest-window",
        /// The path that has rested longest.
        LongestRest = "longest-rest",
    }
}

parameters! {
    /// When to switch, and the path to switch to.
    pub struct Parameters {
        threshold_factor: f64 = FACTOR,
        rtt_min_mode: RttMinMode = RTT_MIN_MODE,
        rtt_min: Span = RTT_MIN,
        /// Path to switch to if several other paths are usable: the path that would resume with the largest window
        /// (largest-window), or the path unused for the longest time (longest-rest)
        next: Next = choice("largest-window", "not in Dahal 2007, which considers two paths only"),
        /// The constants of the window that a path resumes with after a rest.
        rest: Rest,
    }
}

parameters! {
    /// The constants of equations 6.3 and 6.4, for which the thesis gives no source.
    pub struct Rest {
        /// Lower bound on the congestion window of a path when new data returns to it
        least_window: Packets = packets("2 packets", Range::between(1.0, 1e6), "Dahal equation 6.3"),
        /// Initial numerator of the fraction of its congestion window that an unused path keeps: (`kept` + floor(n /
        /// `kept_again`)) / max(n, `least_rest`) after n acknowledgements on other paths
        kept: u64 = integer("3", Range::between(1.0, 1e6), "Dahal equation 6.4"),
        /// Number of acknowledgements on other paths per increase by one of the numerator of the window fraction that
        /// an unused path keeps (formula: see `kept`)
        kept_again: u64 = integer("10", Range::between(1.0, 1e9), "Dahal equation 6.4"),
        /// Lower bound on the denominator of the window fraction that an unused path keeps, in acknowledgements on
        /// other paths (formula: see `kept`)
        least_rest: u64 = integer("7", Range::between(1.0, 1e9), "Dahal equation 6.4"),
    }
}

impl Rest {
    /// Returns the share of its window that a path keeps after a rest of `how_old` acknowledgements (equation 6.4).
    fn share(&self, how_old: u64) -> f64 {
        (self.kept + how_old / self.kept_again) as f64 / how_old.max(self.least_rest) as f64
    }
}

/// The selector of an association.
#[derive(Clone, Debug)]
pub struct Spc {
    parameters: Parameters,
    /// The path of the last acknowledgement.
    path: usize,
    /// The last three round trips on it: PPRTT, PRTT and RTT.
    rtts: [Span; 3],
    /// For each path, the minimum round trip so far, and the number of acknowledgements when it was left.
    rtt_min: Vec<Span>,
    left_at: Vec<u64>,
    acks: u64,
    switches: u64,
}

impl Spc {
    /// Creates the selector for `paths` paths.
    pub fn new(parameters: Parameters, paths: usize) -> Self {
        Self {
            parameters,
            path: 0,
            rtts: [Span::ZERO; 3],
            rtt_min: vec![Span::MAX; paths],
            left_at: vec![0; paths],
            acks: 0,
            switches: 0,
        }
    }

    /// Returns for how many acknowledgements another path has rested: HowOld.
    fn rest(&self, path: usize) -> u64 {
        self.acks - self.left_at[path]
    }

    /// Returns the window to resume with on `path`, in packets (equation 6.3).
    fn resumed(&self, path: usize, paths: &dyn Paths) -> Packets {
        let rest = &self.parameters.rest;
        (paths.cwnd(path) * rest.share(self.rest(path))).max(rest.least_window)
    }

    fn approaches_congestion(&self) -> bool {
        let base = match self.parameters.rtt_min_mode {
            RttMinMode::Given => self.parameters.rtt_min,
            RttMinMode::Measured => self.rtt_min[self.path],
        };
        let [before_last, last, rtt] = self.rtts;
        before_last > base.scale(self.parameters.threshold_factor) && last > before_last && rtt > last
    }

    /// Returns the path to switch to, or `None` if no other is usable. Among equals it is the next one in
    /// turn.
    fn next(&self, paths: &dyn Paths) -> Option<usize> {
        let others = (1..paths.count()).map(|step| (self.path + step) % paths.count());
        let merit = |path: usize| match self.parameters.next {
            Next::LargestWindow => self.resumed(path, paths),
            Next::LongestRest => self.rest(path) as f64,
        };
        let usable = others.filter(|path| paths.is_usable(*path));
        usable.reduce(|best, path| if merit(path) > merit(best) { path } else { best })
    }

    /// Records that new data takes another path, by this selector's decision or the transport's.
    fn turn_to(&mut self, path: usize) {
        self.left_at[self.path] = self.acks;
        (self.path, self.rtts) = (path, [Span::ZERO; 3]);
    }
}

impl PathSelector for Spc {
    fn on_ack(&mut self, ack: &PathAck, paths: &dyn Paths) -> Option<Switch> {
        if ack.path != self.path {
            self.turn_to(ack.path);
        }
        self.acks += 1;
        let rtt = ack.rtt?;
        self.rtt_min[self.path] = self.rtt_min[self.path].min(rtt);
        self.rtts = [self.rtts[1], self.rtts[2], rtt];
        if !self.approaches_congestion() {
            return None;
        }
        let path = self.next(paths)?;
        let cwnd = self.resumed(path, paths);
        self.switches += 1;
        self.turn_to(path);
        Some(Switch { path, cwnd: Some(cwnd) })
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("spc_switches", self.switches as f64);
    }
}

#[cfg(test)]
mod tests;
