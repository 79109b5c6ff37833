//! SPC, Switch Path on Congestion (Dahal 2007, section 6.1.2): when the round trip on the path has grown twice in a row above
//! a threshold, new data goes over another path, with a window that is the smaller the longer that path has rested.
//!
//! The thesis has two paths, and the other one is where it goes. Of more paths (its section 7.2 leaves that open) it goes where
//! it can resume with the largest window, which equation 6.3 tells from what it knows of each: the window that the path had, and
//! how many acknowledgements it has rested for. With two paths that is the other one.

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
        summary: "Switches the path when the round trip has grown twice in a row above a threshold",
        source: "Dahal 2007 section 6.1.2, equations 6.3, 6.4",
        parameters: Parameters::TABLE,
        presets: &[],
    },
    build: |values, paths| Some(Box::new(Spc::new(values.into(), paths))),
};

choice! {
    /// Where to go if there is more than one other path.
    pub enum Next {
        /// Where it can resume with the largest window.
        LargestWindow = "largest-window",
        /// Where it was longest ago.
        LongestRest = "longest-rest",
    }
}

parameters! {
    /// When to switch, and where to.
    pub struct Parameters {
        threshold_factor: f64 = FACTOR,
        rtt_min_mode: RttMinMode = RTT_MIN_MODE,
        rtt_min: Span = RTT_MIN,
        /// Of several other paths, the one to go to: where it can resume with the largest window, or where it was longest ago
        next: Next = choice("largest-window", "not in the thesis, which has two paths"),
        /// How much of a window is left after a rest.
        rest: Rest,
    }
}

parameters! {
    /// The constants of equations 6.3 and 6.4, which the thesis prints without saying where they come from.
    pub struct Rest {
        /// The least window to resume with
        least_window: Packets = packets("2 packets", Range::between(1.0, 1e6), "Dahal equation 6.3"),
        /// Numerator of the share of its window that a path keeps after a short rest; the denominator is least_rest
        kept: u64 = integer("3", Range::between(1.0, 1e6), "Dahal equation 6.4"),
        /// Acknowledgements of rest after which the numerator grows by one
        kept_again: u64 = integer("10", Range::between(1.0, 1e9), "Dahal equation 6.4"),
        /// The shortest rest that counts, in acknowledgements; a shorter one counts as this
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
    /// The path that it has seen last.
    path: usize,
    /// PPRTT, PRTT and RTT on it.
    rtts: [Span; 3],
    /// By path: the least round trip so far, and how many acknowledgements there had been when it was left.
    rtt_min: Vec<Span>,
    left_at: Vec<u64>,
    acks: u64,
    switches: u64,
}

impl Spc {
    /// For so many paths.
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

    /// HowOld of another path.
    fn rest(&self, path: usize) -> u64 {
        self.acks - self.left_at[path]
    }

    /// Equation 6.3.
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

    /// The path to go to. Of equals the next in turn.
    fn next(&self, paths: &dyn Paths) -> Option<usize> {
        let others = (1..paths.count()).map(|step| (self.path + step) % paths.count());
        let merit = |path: usize| match self.parameters.next {
            Next::LargestWindow => self.resumed(path, paths),
            Next::LongestRest => self.rest(path) as f64,
        };
        let usable = others.filter(|path| paths.is_usable(*path));
        usable.reduce(|best, path| if merit(path) > merit(best) { path } else { best })
    }

    /// New data takes another path, whoever has decided that.
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
