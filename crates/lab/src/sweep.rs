//! A sweep: values at dotted paths, and the grid of points that they span.

use crate::diagnostics::Diagnostic;
use crate::document::{Document, Node, Table, Value};
use serde_json::{Map, Value as Json, json};

/// A point: the overrides that make it.
pub type Point = Map<String, Json>;

/// The most points.
const MAX_POINTS: usize = 10_000;

/// The points of a document's sweep, the last path varying fastest; one empty point where there is no sweep.
pub fn points_of(document: &Document) -> Result<Vec<Point>, Vec<Diagnostic>> {
    let Value::Table(root) = &document.root.value else { return Ok(vec![Point::new()]) };
    let Some(sweep) = root.get("sweep") else { return Ok(vec![Point::new()]) };
    let problem = |node: &Node, path: &str, found: &str, expected: &str| {
        vec![document.problem(&node.span, path, found, expected, None)]
    };
    let Value::Table(Table { entries }) = &sweep.value else {
        return Err(problem(sweep, "sweep", &sweep.describe(), "a table of paths and lists of values"));
    };
    let mut points = vec![Point::new()];
    for (path, _, node) in entries {
        let place = format!("sweep.\"{path}\"");
        let values = match &node.value {
            Value::List(values) if !values.is_empty() => values,
            _ => return Err(problem(node, &place, &node.describe(), EXPECTED)),
        };
        let count = points.len() * values.len();
        if count > MAX_POINTS {
            let found = format!("a grid of {count} points or more");
            return Err(problem(node, &place, &found, &format!("at most {MAX_POINTS} points")));
        }
        points = points
            .iter()
            .flat_map(|point| {
                values.iter().map(|value| {
                    let mut point = point.clone();
                    point.insert(path.clone(), to_json(value));
                    point
                })
            })
            .collect();
    }
    Ok(points)
}

const EXPECTED: &str =
    "a list of the values to try, for a dotted path in quotes such as \"flows.tcp.count\" = [1, 2]";

/// The node in the file that a point's value at `path` came from.
pub fn node_of<'d>(document: &'d Document, path: &str, value: &Json) -> Option<&'d Node> {
    let Value::Table(root) = &document.root.value else { return None };
    let Value::Table(sweep) = &root.get("sweep")?.value else { return None };
    let Value::List(values) = &sweep.get(path)?.value else { return None };
    values.iter().find(|node| to_json(node) == *value)
}

fn to_json(node: &Node) -> Json {
    match &node.value {
        Value::Text(text) => json!(text),
        Value::Integer(number) => json!(number),
        Value::Float(number) => json!(number),
        Value::Flag(flag) => json!(flag),
        Value::List(items) => items.iter().map(to_json).collect(),
        Value::Table(table) => {
            let entries = table.entries.iter().map(|(key, _, value)| (key.clone(), to_json(value)));
            Json::Object(entries.collect())
        }
        Value::Other(_) => Json::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_is_a_grid() {
        let text = "[sweep]\n\"a.b\" = [1, 2]\n\"a.c\" = [\"x\", \"y\", \"z\"]\n";
        let points = points_of(&Document::parse(text, "f").unwrap()).unwrap();
        assert_eq!(points.len(), 6);
        assert_eq!(json!(points[1]), json!({"a.b": 1, "a.c": "y"}));
    }
}
