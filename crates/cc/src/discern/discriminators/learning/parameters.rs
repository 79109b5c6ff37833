//! What can be set of the discriminator of Learning TCP.

use ackclock_base::{Range, choice, parameters};

choice! {
    /// What p_inc, the window at the loss over the largest so far, does to a confirmed guess.
    pub enum Weight {
        /// The probability that it counts.
        Chance = "chance",
        /// How much it counts.
        Amount = "amount",
        /// Nothing.
        Off = "off",
    }
}

choice! {
    /// What a timeout is taken for.
    pub enum Timeouts {
        /// Always congestion.
        Congestion = "congestion",
        /// Guessed about as any loss.
        Guess = "guess",
    }
}

parameters! {
    /// How the discriminator guesses, checks and learns.
    pub struct Parameters {
        /// Probability that the first loss is taken for one of transmission
        initial: f64 = number("0.5", PROBABILITY, "A. Jain 2003 figure 4.1: a constant, not given"),
        /// Share of what is left to one that a confirmed guess adds to the probability
        increase: f64 = number("0.1", PROBABILITY, "A. Jain 2003 figure 4.1: increased, by how much is not given"),
        /// Share of the probability that a refuted guess takes
        decrease: f64 = number("0.1", PROBABILITY, "A. Jain 2003 figure 4.1: decreased, by how much is not given"),
        /// Least probability; from zero it could never rise, since only guesses of transmission are checked
        least: f64 = number("0.01", PROBABILITY, "Not in A. Jain 2003"),
        /// Greatest probability; no less than the least
        most: f64 = number("0.99", PROBABILITY, "Not in A. Jain 2003"),
        /// How long another loss refutes a guess, in smoothed round trips
        check: f64 = number("1.5", Range::between(0.0, 1000.0), "A. Jain 2003 section 4.4: n = 1.5"),
        /// What the window at the loss, as a share of the largest so far, is to a confirmed guess: the chance that it
        /// counts, the amount by which it counts, or nothing
        p_inc: Weight = choice("chance", "A. Jain 2003 figure 4.1: increased with probability p_inc"),
        /// Whether a timeout is always congestion, or guessed about as any loss
        timeouts: Timeouts = choice("congestion", "A. Jain 2003 says nothing of timeouts"),
    }
}

const PROBABILITY: Range = Range::between(0.0, 1.0);
