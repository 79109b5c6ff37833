//! Fractions of a link's packets as the scenario declares them: packets that it corrupts or duplicates, also as
//! fractions that change over time, and packets that skip its delay.

use crate::language::document::Value;
use crate::language::keys::{Form, Key, Table};
use crate::language::reader::TableReader;
use crate::language::values::over_time::{self, Kind, over_time_keys};
use crate::language::values::tables;
use ackclock_base::link::{Duplicates, Skips};
use ackclock_base::registry::Quantity;
use ackclock_base::{Kind as EntryKind, Range};
use ackclock_sim::timeline::Timeline;

const SHARES: Range = Range::between(0.0, 1.0);
const GAPS: Range = Range::between(1.0, 1e6);
const CORRELATION: Key = Key::new(
    "correlation",
    &[Form::number(SHARES)],
    "The correlation of the random numbers of successive packets, computed as in Linux's netem; 0 for \
     independent packets",
)
.or("0");

const UNITS: [(&str, f64); 2] = [("1", 1.0), ("%", 0.01)];
const UNIT_NAMES: [&str; 2] = tables::names(UNITS);

const SHARE: Kind<f64> = Kind {
    name: "share of the packets",
    quantity: Quantity::Number,
    range: SHARES,
    example: "0.01",
    trace: None,
    units: &UNITS,
    amounts: &[],
    of_base: |share| share,
};

const OVER_TIME: &[Key] = over_time_keys!(SHARE, "0.01", &UNIT_NAMES);

static CHANGING_LOSS: Table = Table::new(
    "changing_loss",
    "A probability of corruption that changes over time; packets are corrupted independently of each other",
    &[OVER_TIME],
)
.one_of(over_time::ONE_OF);

static DUPLICATE: Table = Table::new(
    "duplicate",
    "The duplication of packets by a link; each copy arrives directly after its original",
    &[
        &[
            Key::new("share", &[Form::number(SHARES)], "The share of packets that the link duplicates")
                .such_as("0.01"),
            CORRELATION,
        ],
        OVER_TIME,
    ],
)
.one_of(&[&["share"], &["cycle"], &["steps"], &["trace"]]);

static SKIPS: Table = Table::new(
    "reorder",
    "The reordering of packets by a link: some packets skip the link's delay, and so overtake earlier packets",
    &[&[
        Key::new(
            "share",
            &[Form::number(SHARES)],
            "The share of packets that skip the delay of the link; a `gap` above 1 or a `correlation` changes this share",
        )
        .such_as("0.25"),
        Key::new(
            "gap",
            &[Form::whole(GAPS)],
            "The minimum distance, in packets, between two packets that skip the delay of the link; 1 for no minimum",
        )
        .or("1"),
        CORRELATION,
    ]],
)
.requiring(&["share"]);

/// The forms of `loss`.
pub(super) const LOSS_FORMS: &[Form] = &[Form::Named(EntryKind::Loss), Form::Table(&CHANGING_LOSS)];
/// The forms of `duplicate`.
pub(super) const DUPLICATE_FORMS: &[Form] = &[Form::number(SHARES), Form::Table(&DUPLICATE)];
/// The forms of `reorder`.
pub(super) const REORDER_FORMS: &[Form] = &[Form::FLAG, Form::Table(&SKIPS)];

/// Returns whether the table under `key` gives a value over time.
pub(super) fn changes(table: &TableReader<'_>, key: &str) -> bool {
    let Some(Value::Table(given)) = table.get(key).map(|node| &node.value) else { return false };
    over_time::WAYS.iter().any(|way| given.get(way).is_some()) && given.get("name").is_none()
}

/// Reads a `loss` that [changes](changes): the probability of a loss over time.
pub(super) fn losses(table: &TableReader<'_>) -> Option<Timeline<f64>> {
    over_time::read(&table.open("loss")?, &SHARE).map(|(_, shares)| shares)
}

/// Reads `duplicate`: a fraction, or a table with the fraction and its correlation. For a fraction that changes, the
/// largest one is returned with the fraction over time.
pub(super) fn duplicates(table: &TableReader<'_>) -> Option<(Duplicates, Option<Timeline<f64>>)> {
    let node = table.get("duplicate")?;
    if !matches!(node.value, Value::Table(_)) {
        return table.read("duplicate").map(|share| (Duplicates { share, correlation: 0.0 }, None));
    }
    let duplicate = table.open("duplicate")?;
    let correlation = duplicate.read_or_default("correlation")?;
    if !changes(table, "duplicate") {
        duplicate.required_unless("share", "`cycle`, `steps` or `trace`");
        return Some((Duplicates { share: duplicate.read("share")?, correlation }, None));
    }
    if duplicate.get("share").is_some() {
        duplicate.problem_at(
            "share",
            "both a constant `share` and a share that changes over time",
            "only one of `share`, `cycle`, `steps` and `trace`",
        );
    }
    let (_, shares) = over_time::read(&duplicate, &SHARE)?;
    let share = shares.values().fold(0.0, f64::max);
    Some((Duplicates { share, correlation }, Some(shares)))
}

/// Reads `reorder`: whether packets may overtake one another, and which packets skip the delay.
pub(super) fn reorder(table: &TableReader<'_>) -> Option<(bool, Option<Skips>)> {
    let node = table.get("reorder")?;
    match node.value {
        Value::Table(_) => {}
        Value::Integer(_) | Value::Float(_) => {
            let expected = "true or false, or a share of the packets such as `{ share = 0.25 }`";
            table.problem_at("reorder", &node.describe(), expected);
            return None;
        }
        _ => return table.read("reorder").map(|reorders| (reorders, None)),
    }
    let reorder = table.open("reorder")?;
    let skips = Skips {
        share: reorder.read("share")?,
        gap: reorder.read_or_default("gap")?,
        correlation: reorder.read_or_default("correlation")?,
    };
    Some((true, Some(skips)))
}
