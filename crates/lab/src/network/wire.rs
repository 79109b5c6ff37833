//! What a link is made of, as it is written: rate, delay, queue, losses, and what differs on the way back.

use super::delay::{self, Delay};
use super::jitter::{self, Jitter};
use super::{detour, outage, shares};
use crate::choice::{self, Choice};
use crate::media::{self, Named};
use crate::rate::{self, Pace};
use crate::reader::TableReader;
use crate::registry;
use ackclock_aqm::entry::QueueLimit;
use ackclock_base::{Range, Span};
use ackclock_sim::alteration::{Duplicates, EcnRule, Skips};
use ackclock_sim::channel::Detour;
use ackclock_sim::outage::Outage;

pub(super) const LINK_KEYS: [&str; 13] = [
    "rate",
    "delay",
    "outage",
    "queue",
    "loss",
    "duplicate",
    "ecn",
    "jitter",
    "detour",
    "reorder",
    "hold",
    "medium",
    "reverse",
];
pub(super) const DELAYS: Range = Range::between(0.0, 3600.0);

/// One link, or one direction of it, before it has ends.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub(super) pace: Pace,
    pub(super) delay: Delay,
    pub(super) outage: Option<Outage>,
    pub(super) queue: Option<Choice>,
    pub(super) loss: Option<Choice>,
    pub(super) duplicates: Option<Duplicates>,
    pub(super) ecn: Option<EcnRule>,
    pub(super) jitter: Jitter,
    pub(super) detour: Option<Detour>,
    pub(super) reorders: bool,
    pub(super) skips: Option<Skips>,
    pub(super) hold: Span,
    pub(super) medium: Option<Named>,
    /// What differs on the way back.
    pub(super) reverse: Option<Box<Wire>>,
}

impl Wire {
    /// The way back where nothing is said of it: the same without loss, copies, and rules for the ECN field.
    pub(super) fn way_back(&self) -> Self {
        Self { loss: None, duplicates: None, ecn: None, reverse: None, ..self.clone() }
    }
}

/// What a link has that says nothing of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Defaults {
    /// Whether its queue has a limit.
    limited: bool,
    /// Its delay; none where it has to be given.
    delay: Option<Span>,
}

impl Defaults {
    pub(super) const BOTTLENECK: Self = Self { limited: true, delay: None };
    pub(super) const ACCESS: Self = Self { limited: false, delay: None };

    /// The same where round trips are given.
    pub(super) fn without_delay(self) -> Self {
        Self { delay: Some(Span::ZERO), ..self }
    }
}

pub(super) fn required_wire(table: &TableReader<'_>, key: &str, defaults: Defaults) -> Option<Wire> {
    table.required(key, "a table with `rate` and `delay`")?;
    wire(table, key, None, defaults)
}

/// A link's properties under a key, on top of others; without the key, those others.
pub(super) fn wire(
    table: &TableReader<'_>,
    key: &str,
    base: Option<&Wire>,
    defaults: Defaults,
) -> Option<Wire> {
    let Some(node) = table.get(key) else { return base.cloned() };
    read_wire(&table.reader.table(node, &table.path_of(key), &LINK_KEYS)?, base, defaults)
}

/// Reads a link's properties.
pub(super) fn read_wire(table: &TableReader<'_>, base: Option<&Wire>, defaults: Defaults) -> Option<Wire> {
    if base.is_none() {
        table.required("rate", "a rate such as \"10 Mbit/s\"");
        if defaults.delay.is_none() {
            table.required("delay", "a propagation delay such as \"10 ms\"");
        }
    }
    let pace = match table.get("rate") {
        Some(_) => rate::read(table),
        None => base.map(|base| base.pace.clone()),
    };
    let delay = match table.get("delay") {
        Some(node) => delay::read(table, node),
        None => base.map(|base| base.delay.clone()).or(defaults.delay.map(Delay::Fixed)),
    };
    let outage = match table.get("outage") {
        Some(_) => Some(outage::read(table, pace.as_ref())?),
        // A trace has its own silences.
        None => base.and_then(|base| base.outage).filter(|_| !pace.as_ref().is_some_and(Pace::is_trace)),
    };
    let queue = match table.get("queue") {
        Some(node) => Some(choice::read(
            table.reader,
            node,
            &table.path_of("queue"),
            &table.reader.document().brought.all_queues(),
            QueueLimit::TABLE,
        )?),
        None => match base {
            Some(base) => base.queue.clone(),
            None => defaults.limited.then(default_queue),
        },
    };
    let loss = match table.get("loss") {
        Some(node) => {
            Some(choice::read(table.reader, node, &table.path_of("loss"), &registry::losses(), &[])?)
        }
        None => base.and_then(|base| base.loss.clone()),
    };
    let duplicates = match table.get("duplicate") {
        Some(_) => Some(shares::duplicates(table)?),
        None => base.and_then(|base| base.duplicates),
    };
    let ecn = match table.get("ecn") {
        Some(_) => Some(jitter::word::<EcnRule>(table, "ecn")?),
        None => base.and_then(|base| base.ecn),
    };
    let jitter = match table.get("jitter") {
        Some(_) => jitter::read(table)?,
        None => base.map(|base| base.jitter).unwrap_or_default(),
    };
    let detour = match table.get("detour") {
        Some(node) => Some(detour::read(table, node)?),
        None => base.and_then(|base| base.detour),
    };
    let (reorders, skips) = match table.get("reorder") {
        Some(_) => shares::reorder(table)?,
        None => base.map_or((false, None), |base| (base.reorders, base.skips)),
    };
    let changing = matches!(delay, None | Some(Delay::Changing(_)));
    let takes_no_time = matches!(delay, Some(Delay::Fixed(Span::ZERO)));
    if skips.is_some() && takes_no_time && jitter.most == Span::ZERO && detour.is_none() {
        table.problem_at(
            "reorder",
            "packets that skip a `delay` of nothing",
            "a `delay` or a `jitter` for the others, such as \"10 ms\"",
        );
    } else if reorders && skips.is_none() && jitter.most == Span::ZERO && detour.is_none() && !changing {
        let key = if table.get("reorder").is_some() { "reorder" } else { "jitter" };
        table.problem_at(
            key,
            "`reorder` without a `jitter`",
            "a `jitter` such as \"2 ms\": without one nothing overtakes",
        );
    }
    let hold = match table.get("hold") {
        Some(_) => table.time("hold", DELAYS)?,
        None => base.map_or(Span::ZERO, |base| base.hold),
    };
    let medium = match table.get("medium") {
        Some(_) => Some(media::read_name(table)?),
        None => base.and_then(|base| base.medium.clone()),
    };
    if ecn == Some(EcnRule::Drop) && medium.is_some() {
        let key = if table.get("ecn").is_some() { "ecn" } else { "medium" };
        table.problem_at(
            key,
            "`ecn = \"drop\"` on a link of a medium",
            "a link of its own that drops, behind the medium: what is lost on a medium may be sent again",
        );
    }
    let one_way = Wire {
        pace: pace?,
        delay: delay?,
        outage,
        queue,
        loss,
        duplicates,
        ecn,
        jitter,
        detour,
        reorders,
        skips,
        hold,
        medium,
        reverse: None,
    };
    let reverse = match table.get("reverse") {
        Some(node) => {
            let keys = &LINK_KEYS[..LINK_KEYS.len() - 1];
            let reverse = table.reader.table(node, &table.path_of("reverse"), keys)?;
            Some(Box::new(read_wire(&reverse, Some(&one_way.way_back()), defaults)?))
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
