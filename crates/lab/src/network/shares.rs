//! Shares of a link's packets as they are written: those that it copies, and those that skip its delay.

use crate::document::Value;
use crate::reader::TableReader;
use ackclock_base::Range;
use ackclock_base::Value as Read;
use ackclock_base::registry::Quantity;
use ackclock_sim::alteration::{Duplicates, Skips};

const SHARES: Range = Range::between(0.0, 1.0);
const GAPS: Range = Range::between(1.0, 1e6);
const EXAMPLE: &str = "a share of the packets such as 0.01";

/// Reads `duplicate`: a share, or a table with the share and its correlation.
pub(super) fn duplicates(table: &TableReader<'_>) -> Option<Duplicates> {
    let node = table.get("duplicate")?;
    if !matches!(node.value, Value::Table(_)) {
        return number(table, "duplicate").map(|share| Duplicates { share, correlation: 0.0 });
    }
    let duplicate = table.reader.table(node, &table.path_of("duplicate"), &["share", "correlation"])?;
    duplicate.required("share", EXAMPLE);
    Some(Duplicates { share: number(&duplicate, "share")?, correlation: correlation(&duplicate)? })
}

/// Reads `reorder`: whether packets may overtake one another, and those that skip the delay.
pub(super) fn reorder(table: &TableReader<'_>) -> Option<(bool, Option<Skips>)> {
    let node = table.get("reorder")?;
    match node.value {
        Value::Table(_) => {}
        Value::Integer(_) | Value::Float(_) => {
            let expected = "true or false, or a share of the packets such as `{ share = 0.25 }`";
            table.problem_at("reorder", &node.describe(), expected);
            return None;
        }
        _ => return table.flag("reorder").map(|reorders| (reorders, None)),
    }
    let reorder = table.reader.table(node, &table.path_of("reorder"), &["share", "gap", "correlation"])?;
    reorder.required("share", EXAMPLE);
    let gap = match reorder.get("gap") {
        Some(_) => reorder.integer("gap", GAPS)? as u64,
        None => 1,
    };
    let (share, correlation) = (number(&reorder, "share")?, correlation(&reorder)?);
    Some((true, Some(Skips { share, gap, correlation })))
}

fn correlation(table: &TableReader<'_>) -> Option<f64> {
    match table.get("correlation") {
        Some(_) => number(table, "correlation"),
        None => Some(0.0),
    }
}

fn number(table: &TableReader<'_>, key: &str) -> Option<f64> {
    match table.quantity(key, Quantity::Number, SHARES)? {
        Read::Number(number) => Some(number),
        _ => None,
    }
}
