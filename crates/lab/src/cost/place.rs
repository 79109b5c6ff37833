//! Places in a scenario file that make a run slow.

use crate::language::document::{Document, Node, Span, Value};
use crate::language::scenario::Scenario;

/// An element of a scenario that has a cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A group of flows, as an index.
    Flows(usize),
    /// A link, as an index.
    Link(usize),
    /// A medium, as an index.
    Medium(usize),
}

impl Place {
    /// Returns the name of the place in messages.
    pub fn name(self, scenario: &Scenario) -> String {
        match self {
            Self::Flows(index) => format!("flow {}", scenario.flows[index].plan.name),
            Self::Link(index) => format!("link {}", scenario.network.links[index].name),
            Self::Medium(index) => format!("medium {}", scenario.network.media[index].name),
        }
    }

    /// Returns the location of a key of this place in the file, or of its nearest existing parent, and its
    /// dotted path.
    pub fn find(self, key: &str, scenario: &Scenario, document: &Document) -> (Span, String) {
        let tables = match self {
            Self::Flows(index) => vec![format!("flows.{index}")],
            Self::Medium(index) => vec![format!("media.{index}")],
            Self::Link(index) => tables_of_link(index, scenario, document),
        };
        let first = key.split('.').next().unwrap_or(key);
        let has = |table: &&String| reach(document, &format!("{table}.{first}")).1;
        let table = tables.iter().find(has).or(tables.last()).cloned().unwrap_or_default();
        let path = format!("{table}.{key}");
        (reach(document, &path).0, path)
    }
}

/// Returns the tables that may describe a link, the most specific first.
fn tables_of_link(index: usize, scenario: &Scenario, document: &Document) -> Vec<String> {
    let link = &scenario.network.links[index];
    let name = link.name.strip_suffix("-reverse").unwrap_or(&link.name);
    let steps: Vec<&str> = name.split('-').collect();
    let given = |key: &str| reach(document, key).1;
    let tables = if given("dumbbell") {
        match steps.as_slice() {
            ["access", _, side] => vec![format!("dumbbell.{side}"), "dumbbell.access".to_owned()],
            _ => vec!["dumbbell.bottleneck".to_owned()],
        }
    } else if given("parking_lot") {
        vec![format!("parking_lot.{}", if steps[0] == "hop" { "hop" } else { "access" })]
    } else if given("parallel") {
        match (steps.as_slice(), steps.last().and_then(|number| number.parse::<usize>().ok())) {
            (["bottleneck", _], Some(number)) => {
                vec![format!("parallel.bottlenecks.{}", number.saturating_sub(1))]
            }
            _ => vec!["parallel.access".to_owned()],
        }
    } else {
        let items = match below(&document.root, "links").map(|node| &node.value) {
            Some(Value::List(items)) => items.as_slice(),
            _ => &[],
        };
        let ends = [&link.from, &link.to].map(String::as_str);
        let describes = |item: &Node| {
            text(item, "name") == Some(name)
                || ends_of(item).is_some_and(|of| of == ends || of == [ends[1], ends[0]])
        };
        items.iter().position(describes).map(|item| format!("links.{item}")).into_iter().collect()
    };
    let is_reverse = name.len() < link.name.len();
    let reverse = tables.iter().filter(|_| is_reverse).map(|table| format!("{table}.reverse"));
    reverse.chain(tables.iter().cloned()).collect()
}

/// Returns the two nodes of a table of `[[links]]`; `None` if the table does not name them.
fn ends_of(item: &Node) -> Option<[&str; 2]> {
    match below(item, "between").map(|node| &node.value) {
        Some(Value::List(nodes)) => match nodes.as_slice() {
            [Node { value: Value::Text(one), .. }, Node { value: Value::Text(other), .. }] => {
                Some([one, other])
            }
            _ => None,
        },
        _ => Some([text(item, "from")?, text(item, "to")?]),
    }
}

fn text<'d>(table: &'d Node, key: &str) -> Option<&'d str> {
    match &below(table, key)?.value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// Follows a dotted path as far as it exists. Returns the location of the last node found, and whether the
/// whole path exists.
fn reach(document: &Document, path: &str) -> (Span, bool) {
    let mut node = &document.root;
    for step in path.split('.') {
        match below(node, step) {
            Some(next) => node = next,
            None => return (node.span.clone(), false),
        }
    }
    (node.span.clone(), true)
}

fn below<'d>(node: &'d Node, step: &str) -> Option<&'d Node> {
    match &node.value {
        Value::Table(table) => table.get(step),
        Value::List(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}
