//! The places of flows in the network.

use super::keys::MAX_STOPS;
use super::sending::Sending;
use crate::language::diagnostics::counted;
use crate::language::document::{Node, Span as Place_, Value};
use crate::language::reader::TableReader;

/// The place of a group of flows in the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The place that the network chooses.
    Anywhere,
    /// Pairs of hosts of a dumbbell, counted from 1, used in turn.
    Pairs(Vec<usize>),
    /// The path from one node to another with the fewest links.
    Ends(String, String),
    /// The path along these nodes.
    Path(Vec<String>),
    /// Several simultaneous paths along these nodes, for a transport that supports them.
    Paths(Vec<Vec<String>>),
}

/// Reads the place of the flows, and its locations in the file; `None` after a problem was reported.
pub(super) fn read(table: &TableReader<'_>) -> Option<(Place, Vec<Place_>)> {
    let ways: Vec<&str> =
        ["pair", "from", "path", "paths"].into_iter().filter(|key| table.get(key).is_some()).collect();
    let span = |key: &str| table.get(key).and_then(|node| node.span.clone());
    if let [first, second, ..] = ways.as_slice() {
        let found = format!("`{second}` together with `{first}`");
        table.problem_at(second, &found, "only one of `pair`, `from` with `to`, `path` and `paths`");
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

/// Reads several paths, each along its nodes.
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

/// Reads the nodes of one of several paths, each with its location in the file.
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

/// Reports several paths of a transport that has only one.
pub(super) fn check_paths(table: &TableReader<'_>, place: &Place, sending: &Sending) -> Option<()> {
    let several = matches!(place, Place::Paths(_));
    if several && sending.most_paths() == 1 {
        let expected = "`path` instead of `paths`, or a transport with several paths, such as \"sctp\"";
        table.problem_at("paths", "`paths` over a transport with one path", expected);
        return None;
    }
    Some(())
}

/// Reads one pair, or a list of pairs.
fn read_pairs(table: &TableReader<'_>) -> Option<Vec<usize>> {
    let node = table.get("pair")?;
    if !matches!(node.value, Value::List(_)) {
        return table.read("pair").map(|pair| vec![pair]);
    }
    table.quantities("pair")
}
