//! What a link is made of, as it is written: rate, delay, queue, losses, and what differs on the way back.

use super::detour;
use crate::choice::{self, Choice};
use crate::diagnostics::counted;
use crate::document::{Node, Value};
use crate::media::{self, Named};
use crate::rate::{self, Pace};
use crate::reader::TableReader;
use crate::registry;
use ackclock_aqm::entry::QueueLimit;
use ackclock_base::{Range, Span};
use ackclock_sim::channel::Detour;
pub(super) const LINK_KEYS: [&str; 9] =
    ["rate", "delay", "queue", "loss", "jitter", "detour", "reorder", "medium", "reverse"];
pub(super) const DELAYS: Range = Range::between(0.0, 3600.0);

/// One link, or one direction of it, before it has ends.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub(super) pace: Pace,
    pub(super) delay: Delay,
    pub(super) queue: Option<Choice>,
    pub(super) loss: Option<Choice>,
    pub(super) jitter: Span,
    pub(super) detour: Option<Detour>,
    pub(super) reorders: bool,
    pub(super) medium: Option<Named>,
    /// What differs on the way back.
    pub(super) reverse: Option<Box<Wire>>,
}

/// A delay, or delays spread evenly over the pairs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Delay {
    Fixed(Span),
    Evenly(Span, Span),
}

impl Delay {
    pub(super) fn of(self, index: usize, count: usize) -> Span {
        match self {
            Self::Fixed(delay) => delay,
            Self::Evenly(first, last) => {
                let share = if count > 1 { index as f64 / (count - 1) as f64 } else { 0.0 };
                Span::from_seconds(first.seconds() + (last.seconds() - first.seconds()) * share)
            }
        }
    }
}

pub(super) fn required_wire(
    table: &TableReader<'_>,
    key: &str,
    base: Option<&Wire>,
    limited: bool,
) -> Option<Wire> {
    table.required(key, "a table with `rate` and `delay`")?;
    wire(table, key, base, limited)
}

/// A link's properties under a key, on top of others; without the key, those others.
pub(super) fn wire(table: &TableReader<'_>, key: &str, base: Option<&Wire>, limited: bool) -> Option<Wire> {
    let Some(node) = table.get(key) else { return base.cloned() };
    read_wire(&table.reader.table(node, &table.path_of(key), &LINK_KEYS)?, base, limited)
}

/// Reads a link's properties. A link that is not `limited` has a queue without limit unless one is given.
pub(super) fn read_wire(table: &TableReader<'_>, base: Option<&Wire>, limited: bool) -> Option<Wire> {
    if base.is_none() {
        table.required("rate", "a rate such as \"10 Mbit/s\"");
        table.required("delay", "a propagation delay such as \"10 ms\"");
    }
    let pace = match table.get("rate") {
        Some(_) => rate::read(table),
        None => base.map(|base| base.pace.clone()),
    };
    let delay = match table.get("delay") {
        Some(node) => read_delay(table, node),
        None => base.map(|base| base.delay),
    };
    let queue = match table.get("queue") {
        Some(node) => Some(choice::read(
            table.reader,
            node,
            &table.path_of("queue"),
            &registry::queues(),
            QueueLimit::TABLE,
        )?),
        None => match base {
            Some(base) => base.queue.clone(),
            None => limited.then(default_queue),
        },
    };
    let loss = match table.get("loss") {
        Some(node) => {
            Some(choice::read(table.reader, node, &table.path_of("loss"), &registry::losses(), &[])?)
        }
        None => base.and_then(|base| base.loss.clone()),
    };
    let jitter = match table.get("jitter") {
        Some(_) => table.time("jitter", DELAYS)?,
        None => base.map_or(Span::ZERO, |base| base.jitter),
    };
    let detour = match table.get("detour") {
        Some(node) => Some(detour::read(table, node)?),
        None => base.and_then(|base| base.detour),
    };
    let reorders = match table.get("reorder") {
        Some(_) => table.flag("reorder")?,
        None => base.is_some_and(|base| base.reorders),
    };
    if reorders && jitter == Span::ZERO && detour.is_none() {
        let key = if table.get("reorder").is_some() { "reorder" } else { "jitter" };
        table.problem_at(
            key,
            "`reorder` without a `jitter`",
            "a `jitter` such as \"2 ms\": without one nothing overtakes",
        );
    }
    let medium = match table.get("medium") {
        Some(_) => Some(media::read_name(table)?),
        None => base.and_then(|base| base.medium.clone()),
    };
    let one_way =
        Wire { pace: pace?, delay: delay?, queue, loss, jitter, detour, reorders, medium, reverse: None };
    let reverse = match table.get("reverse") {
        Some(node) => {
            let keys = &LINK_KEYS[..LINK_KEYS.len() - 1];
            let reverse = table.reader.table(node, &table.path_of("reverse"), keys)?;
            let base = Wire { loss: None, ..one_way.clone() };
            Some(Box::new(read_wire(&reverse, Some(&base), limited)?))
        }
        None => base.and_then(|base| base.reverse.clone()),
    };
    Some(Wire { reverse, ..one_way })
}

pub(super) fn default_queue() -> Choice {
    let descriptor = registry::queues()[0];
    let extra = choice::defaults(descriptor, QueueLimit::TABLE);
    Choice { extra, ..Choice::default_of(descriptor) }
}

pub(super) fn read_delay(table: &TableReader<'_>, node: &Node) -> Option<Delay> {
    if !matches!(node.value, Value::Table(_)) {
        return table.time("delay", DELAYS).map(Delay::Fixed);
    }
    let evenly = table.reader.table(node, &table.path_of("delay"), &["evenly"])?;
    evenly.required("evenly", "the first and the last delay, such as [\"9 ms\", \"39 ms\"]");
    let path = evenly.path_of("evenly");
    let ends: Option<Vec<Span>> = evenly
        .list("evenly")?
        .iter()
        .map(|node| match table.reader.quantity(node, &path, ackclock_base::Quantity::Time, DELAYS)? {
            ackclock_base::Value::Time(span) => Some(span),
            _ => None,
        })
        .collect();
    match ends?.as_slice() {
        [first, last] => Some(Delay::Evenly(*first, *last)),
        other => {
            evenly.problem_at("evenly", &counted(other.len(), "delay"), "the first and the last delay");
            None
        }
    }
}
