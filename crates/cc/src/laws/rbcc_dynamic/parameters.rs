//! The constants of RBCC's dynamic threshold, with the ranges that Dahal 2007 section 4.4 allows and the values that its
//! section 4.5.8 used.

use crate::laws::rbcc::step::{CWND_FLOOR, WINDOW_CAP};
use ackclock_base::{Parameter, Quantity, Range};

/// Readings of what the text leaves open, then constants in the order of the heuristics.
pub const PARAMETERS: &[Parameter] = &[
    reading(
        "probe_unit",
        "What counts as a probe of the probe phase",
        &["ack", "round-trip", "change"],
        SILENT,
    ),
    reading(
        "rtt_count_rule",
        "Whether rtt_count is falls less rises, or the length of the present run of either",
        &["net", "run"],
        SILENT,
    ),
    reading(
        "confirmation",
        "Whether the occasions that confirm a lean or bully flow are counted together or must be consecutive",
        &["total", "consecutive"],
        SILENT,
    ),
    reading(
        "rtt_min_mode",
        "Where the base round trip comes from: the least measured so far, or given beforehand",
        &["measured", "given"],
        "Dahal section 4.4, \"presently available minimum RTT\"",
    ),
    Parameter {
        name: "rtt_min",
        summary: "The base round trip when it is given",
        quantity: Quantity::Time,
        default: "62 ms",
        range: Range { min: 0.0, max: 3600.0, above_min: true },
        source: "as of the control rbcc",
    },
    number(
        "start_margin",
        "By how much the threshold begins above the base, in percent",
        "10",
        at_most(1000.0),
        FIXED,
    ),
    number("floor_margin", "By how much it stays above the base, in percent", "2.5", at_most(1000.0), FIXED),
    number(
        "alpha1",
        "Percent of the first increase of the probe phase; the n-th is one n-th",
        "12",
        range(7.0, 15.0),
        CHOSEN,
    ),
    number(
        "beta1",
        "Percent of the first decrease of the probe phase, below alpha1; normally 3 to 8",
        "5",
        at_most(15.0),
        CHOSEN,
    ),
    count("gamma1", "Heuristic I: samples in a row without growth", "2", range(2.0, 3.0), CHOSEN),
    number("probe_window", "Heuristic I: the window is at most this, in packets", "1.5", at_most(1e6), FIXED),
    count("gamma2", "Heuristic II: samples in a row with growth", "2", range(2.0, 3.0), CHOSEN),
    count("gamma31", "Heuristic III: samples in a row with growth", "5", range(4.0, 7.0), CHOSEN),
    count("gamma32", "Heuristic III: rtt_count is at most this", "-5", range(-7.0, -4.0), CHOSEN),
    count("probe_clamp", "Heuristic III: more probes than this end the phase", "20", range(1.0, 1e6), CHOSEN),
    count(
        "incr_clamp_start",
        "Where incr_clamp, the least rtt_count for an increase, begins",
        "-5",
        range(-1e3, 1e3),
        FIXED,
    ),
    count("incr_clamp_end", "Up to where it is raised", "2", range(-1e3, 1e3), FIXED),
    count(
        "decr_clamp_start",
        "Where decr_clamp, the greatest rtt_count for a decrease, begins",
        "-10",
        range(-1e3, 1e3),
        FIXED,
    ),
    count("decr_clamp_end", "Up to where it is raised", "-2", range(-1e3, 1e3), FIXED),
    count("decr_clamp_normal", "What it is in the normal phase", "-10", range(-1e3, 1e3), FIXED),
    count("clamp_step", "By how much both are raised with each probe", "1", range(0.0, 1e3), SILENT),
    number(
        "alpha2",
        "Percent of the first increase of a lean flow; the n-th in a row is one n-th",
        "5",
        range(3.0, 6.0),
        CHOSEN,
    ),
    number(
        "beta2",
        "Percent of the first decrease of a bully, below alpha2; normally 2 to 5",
        "3",
        at_most(6.0),
        CHOSEN,
    ),
    count("gamma41", "Heuristic IV: samples in a row without growth", "15", range(10.0, 20.0), CHOSEN),
    count("gamma42", "Heuristic IV: occasions that confirm it", "15", range(10.0, 20.0), CHOSEN),
    count("gamma51", "Heuristic V: samples in a row with growth", "15", range(10.0, 20.0), CHOSEN),
    count("gamma52", "Heuristic V: occasions that confirm it", "15", range(10.0, 20.0), CHOSEN),
    number(
        "lean_window",
        "Heuristics IV and V: a lean flow's window is at most this, a bully's above, in packets",
        "2",
        at_most(1e6),
        FIXED,
    ),
    CWND_FLOOR,
    WINDOW_CAP,
];

const CHOSEN: &str = "Dahal section 4.4 for the range, 4.5.8 for the value";
const FIXED: &str = "Dahal section 4.4, a number in its text";
const SILENT: &str = "not settled by Dahal section 4.4; the default is the nearest to its words";

const fn reading(
    name: &'static str,
    summary: &'static str,
    words: &'static [&'static str],
    source: &'static str,
) -> Parameter {
    Parameter {
        name,
        summary,
        quantity: Quantity::Choice(words),
        default: words[0],
        range: Range::ANY,
        source,
    }
}

const fn number(
    name: &'static str,
    summary: &'static str,
    default: &'static str,
    range: Range,
    source: &'static str,
) -> Parameter {
    Parameter { name, summary, quantity: Quantity::Number, default, range, source }
}

const fn count(
    name: &'static str,
    summary: &'static str,
    default: &'static str,
    range: Range,
    source: &'static str,
) -> Parameter {
    Parameter { name, summary, quantity: Quantity::Integer, default, range, source }
}

const fn range(min: f64, max: f64) -> Range {
    Range::between(min, max)
}

const fn at_most(max: f64) -> Range {
    Range { min: 0.0, max, above_min: true }
}
