//! The constants of RBCC's dynamic threshold, with the ranges that Dahal 2007 section 4.4 allows and the values that its
//! section 4.5.8 used.

use crate::laws::rbcc::step::Bounds;
use ackclock_base::{Range, Span, choice, parameters};

choice! {
    /// What counts as a probe of the probe phase.
    pub enum ProbeUnit {
        /// Every acknowledgement.
        Ack = "ack",
        /// One acknowledgement in a round trip.
        RoundTrip = "round-trip",
        /// Every change of the threshold.
        Change = "change",
    }
}

choice! {
    /// How `rtt_count` counts.
    pub enum RttCount {
        /// Falls less rises since it was last 0, as the text defines it.
        Net = "net",
        /// The length of the present run of falls, or of rises with a minus: "for consecutive instances".
        Run = "run",
    }
}

choice! {
    /// How the occasions that confirm a lean or bully flow count.
    pub enum Confirmation {
        /// All together.
        Total = "total",
        /// One after the other without others in between.
        Consecutive = "consecutive",
    }
}

choice! {
    /// Where the base round trip comes from.
    pub enum RttMinMode {
        /// It is the least measured so far.
        Measured = "measured",
        /// It is given beforehand.
        Given = "given",
    }
}

parameters! {
    /// Readings of what the text leaves open, then constants in the order of the heuristics.
    pub struct Parameters {
        /// What counts as a probe of the probe phase
        probe_unit: ProbeUnit = choice("ack", SILENT),
        /// Whether rtt_count is falls less rises, or the length of the present run of either
        rtt_count_rule: RttCount = choice("net", SILENT),
        /// Whether the occasions that confirm a lean or bully flow are counted together or must be consecutive
        confirmation: Confirmation = choice("total", SILENT),
        /// Where the base round trip comes from: the least measured so far, or given beforehand
        rtt_min_mode: RttMinMode = choice("measured", "Dahal section 4.4, \"presently available minimum RTT\""),
        /// The base round trip when it is given
        rtt_min: Span = time("62 ms", at_most(3600.0), "as of the control rbcc"),
        /// By how much the threshold begins above the base, in percent
        start_margin: f64 = number("10", at_most(1000.0), FIXED),
        /// By how much it stays above the base, in percent
        floor_margin: f64 = number("2.5", at_most(1000.0), FIXED),
        /// Percent of the first increase of the probe phase; the n-th is one n-th
        alpha1: f64 = number("12", Range::between(7.0, 15.0), CHOSEN),
        /// Percent of the first decrease of the probe phase, below alpha1; normally 3 to 8
        beta1: f64 = number("5", at_most(15.0), CHOSEN),
        /// Heuristic I: samples in a row without growth
        gamma1: u32 = integer("2", Range::between(2.0, 3.0), CHOSEN),
        /// Heuristic I: the window is at most this, in packets
        probe_window: f64 = number("1.5", at_most(1e6), FIXED),
        /// Heuristic II: samples in a row with growth
        gamma2: u32 = integer("2", Range::between(2.0, 3.0), CHOSEN),
        /// Heuristic III: samples in a row with growth
        gamma31: u32 = integer("5", Range::between(4.0, 7.0), CHOSEN),
        /// Heuristic III: rtt_count is at most this
        gamma32: i32 = integer("-5", Range::between(-7.0, -4.0), CHOSEN),
        /// Heuristic III: more probes than this end the phase
        probe_clamp: u32 = integer("20", Range::between(1.0, 1e6), CHOSEN),
        /// Where incr_clamp, the least rtt_count for an increase, begins
        incr_clamp_start: i32 = integer("-5", CLAMPS, FIXED),
        /// Up to where it is raised
        incr_clamp_end: i32 = integer("2", CLAMPS, FIXED),
        /// Where decr_clamp, the greatest rtt_count for a decrease, begins
        decr_clamp_start: i32 = integer("-10", CLAMPS, FIXED),
        /// Up to where it is raised
        decr_clamp_end: i32 = integer("-2", CLAMPS, FIXED),
        /// What it is in the normal phase
        decr_clamp_normal: i32 = integer("-10", CLAMPS, FIXED),
        /// By how much both are raised with each probe
        clamp_step: i32 = integer("1", Range::between(0.0, 1e3), SILENT),
        /// Percent of the first increase of a lean flow; the n-th in a row is one n-th
        alpha2: f64 = number("5", Range::between(3.0, 6.0), CHOSEN),
        /// Percent of the first decrease of a bully, below alpha2; normally 2 to 5
        beta2: f64 = number("3", at_most(6.0), CHOSEN),
        /// Heuristic IV: samples in a row without growth
        gamma41: u32 = integer("15", Range::between(10.0, 20.0), CHOSEN),
        /// Heuristic IV: occasions that confirm it
        gamma42: u32 = integer("15", Range::between(10.0, 20.0), CHOSEN),
        /// Heuristic V: samples in a row with growth
        gamma51: u32 = integer("15", Range::between(10.0, 20.0), CHOSEN),
        /// Heuristic V: occasions that confirm it
        gamma52: u32 = integer("15", Range::between(10.0, 20.0), CHOSEN),
        /// Heuristics IV and V: a lean flow's window is at most this, a bully's above, in packets
        lean_window: f64 = number("2", at_most(1e6), FIXED),
        /// Between which bounds the window moves.
        bounds: Bounds,
    }
}

const CHOSEN: &str = "Dahal section 4.4 for the range, 4.5.8 for the value";
const FIXED: &str = "Dahal section 4.4, a number in its text";
const SILENT: &str = "not settled by Dahal section 4.4; the default is the nearest to its words";

const CLAMPS: Range = Range::between(-1e3, 1e3);

const fn at_most(max: f64) -> Range {
    Range { min: 0.0, max, above_min: true }
}
