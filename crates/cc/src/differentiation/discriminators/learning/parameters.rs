//! The parameters of Learning TCP's discriminator.

use ackclock_base::{Range, choice, parameters};

choice! {
    /// The effect of p_inc (the window at the loss over the largest so far) on a confirmed guess.
    pub enum Weight {
        /// p_inc is the probability that the guess counts.
        Chance = "chance",
        /// p_inc is the weight with which the guess counts.
        Amount = "amount",
        /// p_inc has no effect.
        Off = "off",
    }
}

choice! {
    /// How the cause of a timeout is decided.
    pub enum Timeouts {
        /// A timeout is always congestion.
        Congestion = "congestion",
        /// The cause of a timeout is guessed like that of any loss.
        Guess = "guess",
    }
}

parameters! {
    /// How the discriminator guesses, checks and learns.
    pub struct Parameters {
        /// Initial probability of guessing that a loss is a transmission error
        initial: f64 = number("0.5", PROBABILITY, "A. Jain 2003 figure 4.1: a constant of unspecified value"),
        /// Fraction of the difference between 1 and the probability of guessing a transmission error by which a
        /// confirmed guess raises that probability
        increase: f64 = number("0.1", PROBABILITY, "A. Jain 2003 figure 4.1: an increase of unspecified size"),
        /// Fraction by which a refuted guess lowers the probability of guessing a transmission error
        decrease: f64 = number("0.1", PROBABILITY, "A. Jain 2003 figure 4.1: a decrease of unspecified size"),
        /// Smallest probability of guessing a transmission error; from zero it could never rise, because only such
        /// guesses are checked
        least: f64 = number("0.01", PROBABILITY, "Not in A. Jain 2003"),
        /// Largest probability of guessing a transmission error, at least `least`
        most: f64 = number("0.99", PROBABILITY, "Not in A. Jain 2003"),
        /// Time within which another loss refutes a guess of a transmission error, as a multiple of the smoothed RTT
        check: f64 = number("1.5", Range::between(0.0, 1000.0), "A. Jain 2003 section 4.4: n = 1.5"),
        /// Use of the ratio of the window at the loss to the largest window so far when a guess is confirmed:
        /// probability that the guess counts (chance), factor on `increase` (amount), or none (off)
        p_inc: Weight = choice("chance", "A. Jain 2003 figure 4.1: an increase with probability p_inc"),
        /// Whether a timeout is always attributed to congestion (congestion), or its cause is guessed as for any other
        /// loss (guess)
        timeouts: Timeouts = choice("congestion", "A. Jain 2003 says nothing about timeouts"),
    }
}

const PROBABILITY: Range = Range::between(0.0, 1.0);
