//! Where the flows of a group go.

use crate::diagnostics::counted;
use crate::document::{Span as Place_, Value};
use crate::reader::TableReader;
use ackclock_base::{Quantity, Range};

/// Where flows go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Where the network puts them.
    Anywhere,
    /// Pairs of a dumbbell, from 1, in turn.
    Pairs(Vec<usize>),
    /// From one node to another by the fewest links.
    Ends(String, String),
    /// Along these nodes.
    Path(Vec<String>),
}

/// The most nodes of a written path.
const MAX_STOPS: usize = 1000;

/// Reads where they go, and where in the file that stands.
pub(super) fn read(table: &TableReader<'_>) -> Option<(Place, Vec<Place_>)> {
    let ways: Vec<&str> =
        ["pair", "from", "path"].into_iter().filter(|key| table.get(key).is_some()).collect();
    let span = |key: &str| table.get(key).and_then(|node| node.span.clone());
    if let [first, second, ..] = ways.as_slice() {
        let found = format!("`{second}` beside `{first}`");
        table.problem_at(
            second,
            &found,
            "one way to say where the flow goes: `pair`, `from` with `to`, or `path`",
        );
        return None;
    }
    if table.get("to").is_some() && table.get("from").is_none() {
        table.problem_at("to", "`to` without `from`", "both, the nodes that the flow comes from and goes to");
        return None;
    }
    match ways.first() {
        Some(&"pair") => {
            let pairs = read_pairs(table)?;
            Some((Place::Pairs(pairs), vec![span("pair")]))
        }
        Some(&"from") => {
            table.required("to", "the node that the flow goes to");
            let ends = Place::Ends(table.text("from")?.to_owned(), table.text("to")?.to_owned());
            Some((ends, vec![span("from"), span("to")]))
        }
        Some(_) => {
            let stops = table.texts("path")?;
            if !(2..=MAX_STOPS).contains(&stops.len()) {
                let found = format!("a path of {}", counted(stops.len(), "node"));
                table.problem_at("path", &found, &format!("from 2 to {MAX_STOPS} nodes"));
                return None;
            }
            let spans = table.list("path")?.iter().map(|node| node.span.clone()).collect();
            Some((Place::Path(stops.into_iter().map(str::to_owned).collect()), spans))
        }
        None => Some((Place::Anywhere, Vec::new())),
    }
}

/// One pair, or a list of them.
fn read_pairs(table: &TableReader<'_>) -> Option<Vec<usize>> {
    let node = table.get("pair")?;
    let Value::List(items) = &node.value else {
        return table.integer("pair", Range::at_least(1.0)).map(|pair| vec![pair as usize]);
    };
    if items.is_empty() {
        table.problem_at("pair", "an empty list", "a pair, or a list of pairs such as [1, 2]");
        return None;
    }
    let path = table.path_of("pair");
    let read = |item| match table.reader.quantity(item, &path, Quantity::Integer, Range::at_least(1.0))? {
        ackclock_base::Value::Integer(pair) => Some(pair as usize),
        _ => None,
    };
    items.iter().map(read).collect()
}
