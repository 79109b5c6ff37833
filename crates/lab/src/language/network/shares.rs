//! Fractions of a link's packets as the scenario declares them: packets that it duplicates, and packets that
//! skip its delay.

use crate::language::document::Value;
use crate::language::keys::{Form, Key, Table};
use crate::language::reader::TableReader;
use ackclock_base::Range;
use ackclock_base::link::{Duplicates, Skips};

const SHARES: Range = Range::between(0.0, 1.0);
const GAPS: Range = Range::between(1.0, 1e6);
const CORRELATION: Key = Key::new(
    "correlation",
    &[Form::number(SHARES)],
    "How much of the random number of the packet before is mixed into that of each packet",
)
.or("0");

static DUPLICATE: Table = Table::new(
    "duplicate",
    "Copies of packets that arrive behind them",
    &[&[
        Key::new("share", &[Form::number(SHARES)], "The share of the packets of which a copy arrives")
            .such_as("0.01"),
        CORRELATION,
    ]],
)
.requiring(&["share"]);

static SKIPS: Table = Table::new(
    "reorder",
    "Packets that skip the delay and overtake the others",
    &[&[
        Key::new("share", &[Form::number(SHARES)], "The share of the packets that skip the delay")
            .such_as("0.25"),
        Key::new(
            "gap",
            &[Form::whole(GAPS)],
            "The number of packets from one that skips the delay to the next that may",
        )
        .or("1"),
        CORRELATION,
    ]],
)
.requiring(&["share"]);

/// The forms of `duplicate`.
pub(super) const DUPLICATE_FORMS: &[Form] = &[Form::number(SHARES), Form::Table(&DUPLICATE)];
/// The forms of `reorder`.
pub(super) const REORDER_FORMS: &[Form] = &[Form::FLAG, Form::Table(&SKIPS)];

/// Reads `duplicate`: a fraction, or a table with the fraction and its correlation.
pub(super) fn duplicates(table: &TableReader<'_>) -> Option<Duplicates> {
    let node = table.get("duplicate")?;
    if !matches!(node.value, Value::Table(_)) {
        return table.read("duplicate").map(|share| Duplicates { share, correlation: 0.0 });
    }
    let duplicate = table.open("duplicate")?;
    Some(Duplicates {
        share: duplicate.read("share")?,
        correlation: duplicate.read_or_default("correlation")?,
    })
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
