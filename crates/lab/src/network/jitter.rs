//! Jitter as it is written: how much later packets arrive by chance, how that is distributed, and when.

use super::wire::DELAYS;
use crate::document::Value;
use crate::reader::TableReader;
use ackclock_base::declare::Field;
use ackclock_base::registry::Quantity;
use ackclock_base::{Range, Span};
use ackclock_sim::channel::Bursts;
use ackclock_sim::jitter::Distribution;

/// How much later each packet may arrive, and when that is so; none for always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Jitter {
    /// At most.
    pub most: Span,
    /// How it is distributed from 0 to that.
    pub distribution: Distribution,
    /// When.
    pub bursts: Option<Bursts>,
}

const LENGTHS: Range = Range { min: 0.0, max: 1e9, above_min: true };
const KEYS: [&str; 5] = ["most", "mean", "distribution", "good", "bad"];

pub(super) fn read(table: &TableReader<'_>) -> Option<Jitter> {
    let node = table.get("jitter")?;
    if !matches!(node.value, Value::Table(_)) {
        return table.time("jitter", DELAYS).map(|most| Jitter { most, ..Jitter::default() });
    }
    let jitter = table.reader.table(node, &table.path_of("jitter"), &KEYS)?;
    let given = |key: &str| jitter.get(key).is_some();
    let by_mean = given("mean") || given("distribution");
    if by_mean && given("most") {
        let found = if given("mean") { "`most` beside `mean`" } else { "`most` beside a `distribution`" };
        jitter.problem_at("most", found, "`mean` alone: the distribution says how much it is at most");
        return None;
    }
    if by_mean {
        jitter.required("mean", "how much later a packet arrives in the mean, such as \"10 ms\"");
    } else {
        jitter.required("most", "how much later a packet arrives at most, such as \"20 ms\"");
    }
    let bursts = if !by_mean || given("good") || given("bad") {
        jitter.required("good", "how long there is none in the mean, such as \"1 s\"");
        jitter.required("bad", "how long there is jitter in the mean, such as \"50 ms\"");
        let (good, bad) = (jitter.time("good", LENGTHS)?, jitter.time("bad", LENGTHS)?);
        Some(Bursts { good, bad })
    } else {
        None
    };
    if !by_mean {
        return Some(Jitter { most: jitter.time("most", DELAYS)?, bursts, ..Jitter::default() });
    }
    let distribution = match jitter.get("distribution") {
        Some(_) => word::<Distribution>(&jitter, "distribution")?,
        None => Distribution::default(),
    };
    Some(Jitter { most: distribution.most(jitter.time("mean", DELAYS)?), distribution, bursts })
}

/// Reads one of the words of a choice; `None` if it is absent, or wrong (which is noted).
pub(super) fn word<T: Field>(table: &TableReader<'_>, key: &str) -> Option<T> {
    T::of(table.quantity(key, Quantity::Choice(T::WORDS), Range::ANY)?)
}
