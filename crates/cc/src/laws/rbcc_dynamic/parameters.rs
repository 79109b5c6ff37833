//! The constants of RBCC's dynamic threshold, with the ranges that Dahal 2007 section 4.4 allows and the
//! values used in its section 4.5.8.

use crate::laws::rbcc::step::Bounds;
use ackclock_base::{Range, Span, choice, parameters};

choice! {
    /// The event that counts as a probe of the probe phase.
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
    /// The rule by which `rtt_count` counts.
    pub enum RttCount {
        /// Falls less rises of the round trip since it was last 0, as the text defines it.
        Net = "net",
        /// The length of the present run of falls (positive) or rises (negative): "for consecutive
        /// instances".
        Run = "run",
    }
}

choice! {
    /// How the occasions that confirm a lean or bully flow are counted.
    pub enum Confirmation {
        /// All occasions together.
        Total = "total",
        /// Consecutive occasions only.
        Consecutive = "consecutive",
    }
}

choice! {
    /// The source of the base round trip.
    pub enum RttMinMode {
        /// The minimum measured so far.
        Measured = "measured",
        /// A value given beforehand.
        Given = "given",
    }
}

parameters! {
    /// Choices that the text leaves open, then constants in the order of the heuristics.
    pub struct Parameters {
        /// Event that counts as a probe in the probe phase: an acknowledgement (ack), the first acknowledgement of
        /// a round trip (round-trip), or a change of the threshold (change)
        probe_unit: ProbeUnit = choice("ack", SILENT),
        /// Meaning of rtt_count, which an unchanged round trip resets to 0: number of falls minus number of rises of
        /// the round trip (net), or length of the current run of falls, negative for a run of rises (run)
        rtt_count_rule: RttCount = choice("net", SILENT),
        /// Samples that count towards the number that confirms a lean or a bully flow: all that meet the condition
        /// (total), or only consecutive samples that meet it (consecutive)
        confirmation: Confirmation = choice("total", SILENT),
        /// Source of the base round trip: the minimum measured so far (measured), or `rtt_min` (given)
        rtt_min_mode: RttMinMode = choice("measured", "Dahal section 4.4, \"presently available minimum RTT\""),
        /// Base round trip with rtt_min_mode `given`; without effect with `measured`
        rtt_min: Span = time("62 ms", at_most(3600.0), "the default of `rtt_min` in the control rbcc"),
        /// Initial distance of the threshold above the base round trip, in per cent of that round trip
        start_margin: f64 = number("10", at_most(1000.0), FIXED),
        /// Least distance of the threshold above the base round trip, in per cent of that round trip
        floor_margin: f64 = number("2.5", at_most(1000.0), FIXED),
        /// Percentage by which the first increase of the probe phase raises the threshold; the n-th increase uses this
        /// percentage divided by n
        alpha1: f64 = number("12", Range::between(7.0, 15.0), CHOSEN),
        /// Percentage by which the first decrease of the probe phase lowers the threshold; the n-th decrease uses this
        /// percentage divided by n. Meant to be below alpha1, normally 3 to 8
        beta1: f64 = number("5", at_most(15.0), CHOSEN),
        /// Number of consecutive samples without growth of the window from which heuristic I raises the threshold, if
        /// rtt_count is not negative and the window is at most `probe_window`
        gamma1: u32 = integer("2", Range::between(2.0, 3.0), CHOSEN),
        /// Largest window, in packets, at which heuristic I raises the threshold
        probe_window: f64 = number("1.5", at_most(1e6), FIXED),
        /// Number of consecutive samples with growth of the window from which heuristic II lowers the threshold, if
        /// rtt_count is at most decr_clamp
        gamma2: u32 = integer("2", Range::between(2.0, 3.0), CHOSEN),
        /// Number of consecutive samples with growth of the window from which heuristic III ends the probe phase, if
        /// rtt_count is at most `gamma32`
        gamma31: u32 = integer("5", Range::between(4.0, 7.0), CHOSEN),
        /// Largest rtt_count at which heuristic III ends the probe phase
        gamma32: i32 = integer("-5", Range::between(-7.0, -4.0), CHOSEN),
        /// Largest number of probes; beyond it, heuristic III ends the probe phase whatever the trends
        probe_clamp: u32 = integer("20", Range::between(1.0, 1e6), CHOSEN),
        /// Initial value of incr_clamp: every second sample of the probe phase with an rtt_count of at least incr_clamp
        /// raises the threshold
        incr_clamp_start: i32 = integer("-5", CLAMPS, FIXED),
        /// Value up to which incr_clamp rises: every second sample of the probe phase with an rtt_count of at least
        /// incr_clamp raises the threshold
        incr_clamp_end: i32 = integer("2", CLAMPS, FIXED),
        /// Initial value of decr_clamp, the largest rtt_count at which the threshold can be lowered
        decr_clamp_start: i32 = integer("-10", CLAMPS, FIXED),
        /// Value up to which decr_clamp rises in the probe phase; decr_clamp is the largest rtt_count at which the
        /// threshold can be lowered
        decr_clamp_end: i32 = integer("-2", CLAMPS, FIXED),
        /// Value of decr_clamp after the probe phase; decr_clamp is the largest rtt_count at which the threshold can be
        /// lowered
        decr_clamp_normal: i32 = integer("-10", CLAMPS, FIXED),
        /// Step by which incr_clamp and decr_clamp rise with each probe
        clamp_step: i32 = integer("1", Range::between(0.0, 1e3), SILENT),
        /// Percentage by which a lean flow's first increase raises the threshold; the n-th consecutive increase uses
        /// this percentage divided by n
        alpha2: f64 = number("5", Range::between(3.0, 6.0), CHOSEN),
        /// Percentage by which a bully's first decrease lowers the threshold; the n-th consecutive decrease uses this
        /// percentage divided by n. Meant to be below alpha2, normally 2 to 5
        beta2: f64 = number("3", at_most(6.0), CHOSEN),
        /// Number of consecutive samples without growth of the window from which a sample meets the condition of
        /// heuristic IV, if rtt_count is not negative and the window is at most `lean_window`
        gamma41: u32 = integer("15", Range::between(10.0, 20.0), CHOSEN),
        /// Number of samples that meet the condition of heuristic IV after which the flow counts as lean
        gamma42: u32 = integer("15", Range::between(10.0, 20.0), CHOSEN),
        /// Number of consecutive samples with growth of the window from which a sample meets the condition of
        /// heuristic V, if rtt_count is at most `decr_clamp_normal` and the window exceeds `lean_window`
        gamma51: u32 = integer("15", Range::between(10.0, 20.0), CHOSEN),
        /// Number of samples that meet the condition of heuristic V after which the flow counts as a bully
        gamma52: u32 = integer("15", Range::between(10.0, 20.0), CHOSEN),
        /// Largest window, in packets, of a flow that heuristic IV can classify as lean; heuristic V classifies as a
        /// bully only a flow with a larger window
        lean_window: f64 = number("2", at_most(1e6), FIXED),
        /// The bounds on the window.
        bounds: Bounds,
    }
}

const CHOSEN: &str = "Dahal section 4.4 for the range, 4.5.8 for the value";
const FIXED: &str = "stated in the text of Dahal section 4.4";
const SILENT: &str = "left open by Dahal section 4.4; the default is closest to its wording";

const CLAMPS: Range = Range::between(-1e3, 1e3);

const fn at_most(max: f64) -> Range {
    Range { min: 0.0, max, above_min: true }
}
