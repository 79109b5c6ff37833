//! What can be set of the discriminator of Learning TCP.

use ackclock_base::{Parameter, Quantity, Range};

/// All of it.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "initial",
        summary: "Probability that the first loss is taken for one of transmission",
        quantity: Quantity::Number,
        default: "0.5",
        range: PROBABILITY,
        source: "A. Jain 2003 figure 4.1: a constant, not given",
    },
    Parameter {
        name: "increase",
        summary: "Share of what is left to one that a confirmed guess adds to the probability",
        quantity: Quantity::Number,
        default: "0.1",
        range: PROBABILITY,
        source: "A. Jain 2003 figure 4.1: increased, by how much is not given",
    },
    Parameter {
        name: "decrease",
        summary: "Share of the probability that a refuted guess takes",
        quantity: Quantity::Number,
        default: "0.1",
        range: PROBABILITY,
        source: "A. Jain 2003 figure 4.1: decreased, by how much is not given",
    },
    Parameter {
        name: "least",
        summary: "Least probability; from zero it could never rise, since only guesses of transmission are checked",
        quantity: Quantity::Number,
        default: "0.01",
        range: PROBABILITY,
        source: "Not in A. Jain 2003",
    },
    Parameter {
        name: "most",
        summary: "Greatest probability; no less than the least",
        quantity: Quantity::Number,
        default: "0.99",
        range: PROBABILITY,
        source: "Not in A. Jain 2003",
    },
    Parameter {
        name: "check",
        summary: "How long another loss refutes a guess, in smoothed round trips",
        quantity: Quantity::Number,
        default: "1.5",
        range: Range::between(0.0, 1000.0),
        source: "A. Jain 2003 section 4.4: n = 1.5",
    },
    Parameter {
        name: "p_inc",
        summary: "What the window at the loss, as a share of the largest so far, is to a confirmed guess: the chance that \
                  it counts, the amount by which it counts, or nothing",
        quantity: Quantity::Choice(&["chance", "amount", "off"]),
        default: "chance",
        range: Range::ANY,
        source: "A. Jain 2003 figure 4.1: increased with probability p_inc",
    },
    Parameter {
        name: "timeouts",
        summary: "Whether a timeout is always congestion, or guessed about as any loss",
        quantity: Quantity::Choice(&["congestion", "guess"]),
        default: "congestion",
        range: Range::ANY,
        source: "A. Jain 2003 says nothing of timeouts",
    },
];

const PROBABILITY: Range = Range::between(0.0, 1.0);
