//! Jitter as it is written: how much later packets arrive by chance, and when.

use super::wire::DELAYS;
use crate::document::Value;
use crate::reader::TableReader;
use ackclock_base::{Range, Span};
use ackclock_sim::channel::Bursts;

/// How much later each packet may arrive, and when that is so; none for always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Jitter {
    /// At most.
    pub most: Span,
    /// When.
    pub bursts: Option<Bursts>,
}

const LENGTHS: Range = Range { min: 0.0, max: 1e9, above_min: true };

pub(super) fn read(table: &TableReader<'_>) -> Option<Jitter> {
    let node = table.get("jitter")?;
    if !matches!(node.value, Value::Table(_)) {
        return table.time("jitter", DELAYS).map(|most| Jitter { most, bursts: None });
    }
    let jitter = table.reader.table(node, &table.path_of("jitter"), &["most", "good", "bad"])?;
    jitter.required("most", "how much later a packet arrives at most, such as \"20 ms\"");
    jitter.required("good", "how long there is none in the mean, such as \"1 s\"");
    jitter.required("bad", "how long there is jitter in the mean, such as \"50 ms\"");
    let (good, bad) = (jitter.time("good", LENGTHS)?, jitter.time("bad", LENGTHS)?);
    Some(Jitter { most: jitter.time("most", DELAYS)?, bursts: Some(Bursts { good, bad }) })
}
