//! Where the flows of a group go.

use super::Sending;
use super::keys::MAX_STOPS;
use crate::diagnostics::counted;
use crate::document::{Node, Span as Place_, Value};
use crate::reader::TableReader;

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
    /// Along these nodes at once, over a transport that has several paths.
    Paths(Vec<Vec<String>>),
}

/// Reads where they go, and where in the file that stands.
pub(super) fn read(table: &TableReader<'_>) -> Option<(Place, Vec<Place_>)> {
    let ways: Vec<&str> =
        ["pair", "from", "path", "paths"].into_iter().filter(|key| table.get(key).is_some()).collect();
    let span = |key: &str| table.get(key).and_then(|node| node.span.clone());
    if let [first, second, ..] = ways.as_slice() {
        let found = format!("`{second}` beside `{first}`");
        table.problem_at(
            second,
            &found,
            "one way to say where the flow goes: `pair`, `from` with `to`, `path`, or `paths`",
        );
        return None;
    }
    if table.get("to").is_some() != table.get("from").is_some() {
        return None;
    }
    match ways.first() {
        Some(&"pair") => {
            let pairs = read_pairs(table)?;
            Some((Place::Pairs(pairs), vec![span("pair")]))
        }
        Some(&"from") => {
            let ends = Place::Ends(table.text("from")?.to_owned(), table.text("to")?.to_owned());
            Some((ends, vec![span("from"), span("to")]))
        }
        Some(&"paths") => read_paths(table),
        Some(_) => {
            let stops = table.texts("path")?;
            let spans = table.list("path")?.iter().map(|node| node.span.clone()).collect();
            Some((Place::Path(stops.into_iter().map(str::to_owned).collect()), spans))
        }
        None => Some((Place::Anywhere, Vec::new())),
    }
}

/// Several paths, each along its nodes.
fn read_paths(table: &TableReader<'_>) -> Option<(Place, Vec<Place_>)> {
    let items = table.list("paths")?;
    let (mut paths, mut spans) = (Vec::new(), Vec::new());
    for (index, item) in items.iter().enumerate() {
        let stops = read_stops(table, item, &format!("{}.{index}", table.path_of("paths")))?;
        if !(2..=MAX_STOPS).contains(&stops.len()) {
            let found = format!("a path of {}", counted(stops.len(), "node"));
            let expected = format!("from 2 to {MAX_STOPS} nodes");
            table.reader.problem(&item.span, &table.path_of("paths"), &found, &expected, None);
            return None;
        }
        spans.extend(stops.iter().map(|(_, span)| span.clone()));
        paths.push(stops.into_iter().map(|(stop, _)| stop).collect());
    }
    Some((Place::Paths(paths), spans))
}

/// The nodes of one of several paths, each with where it stands.
fn read_stops(table: &TableReader<'_>, item: &Node, path: &str) -> Option<Vec<(String, Place_)>> {
    let Value::List(nodes) = &item.value else {
        table.reader.problem(
            &item.span,
            path,
            &item.describe(),
            "a list of nodes such as [\"a\", \"b\"]",
            None,
        );
        return None;
    };
    let stops = nodes.iter().map(|node| match &node.value {
        Value::Text(stop) => Some((stop.clone(), node.span.clone())),
        _ => {
            table.reader.problem(&node.span, path, &node.describe(), "a name in quotes", None);
            None
        }
    });
    stops.collect()
}

/// Only some transports have several paths.
pub(super) fn check_paths(table: &TableReader<'_>, place: &Place, sending: &Sending) -> Option<()> {
    let several = matches!(place, Place::Paths(_));
    if several && sending.most_paths() == 1 {
        let expected = "`path`, or a transport with several paths such as \"sctp\"";
        table.problem_at("paths", "`paths` of a flow that has one", expected);
        return None;
    }
    Some(())
}

/// One pair, or a list of them.
fn read_pairs(table: &TableReader<'_>) -> Option<Vec<usize>> {
    let node = table.get("pair")?;
    if !matches!(node.value, Value::List(_)) {
        return table.read("pair").map(|pair| vec![pair]);
    }
    table.quantities("pair")
}
