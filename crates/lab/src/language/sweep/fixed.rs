//! Overrides of keys that a sweep varies. Such a key has the override's value at every point.

use super::{SAMPLES, is_alike, samples};
use crate::language::diagnostics::Diagnostic;
use crate::language::document::{Document, EVERY, Node, Table, Value};
use serde_json::{Map, Value as Json};

/// Removes from a document's sweep each path whose keys one of these overrides sets. Returns a problem for each other path
/// whose values would replace, at every point, what an override sets.
///
/// Called before the overrides are set, because paths address items of lists by their names in the file.
pub fn fix(document: &mut Document, overrides: &Map<String, Json>) -> Vec<Diagnostic> {
    let Some(swept) = sweep_of(document) else { return Vec::new() };
    let set: Vec<_> = overrides.iter().map(|(path, value)| (document.canonical(path), path, value)).collect();
    let (mut kept, mut problems) = (Table::default(), Vec::new());
    for entry in &swept.entries {
        let (path, key, _) = entry;
        let target = document.canonical(path);
        if path != SAMPLES && set.iter().any(|(one, _, value)| sets(one, value, &target)) {
            continue;
        }
        if let Some((_, inside, _)) =
            set.iter().find(|(one, _, _)| path != SAMPLES && is_within(one, &target))
        {
            let found = format!("a sweep of `{path}`, which would replace the override of `{inside}`");
            let expected = format!("no override of a part of what the sweep varies: override `{path}`");
            problems.push(document.problem(key, &format!("sweep.\"{path}\""), &found, &expected, None));
        }
        kept.entries.push(entry.clone());
    }
    if kept.entries.len() < swept.entries.len() {
        let is_range = |node: &Node| matches!(&node.value, Value::Table(table) if samples::is_range(table));
        if !kept.entries.iter().any(|(path, _, node)| path != SAMPLES && is_range(node)) {
            kept.entries.retain(|(path, _, _)| path != SAMPLES);
        }
        if let Value::Table(root) = &mut document.root.value
            && let Some((_, _, node)) = root.entries.iter_mut().find(|(key, _, _)| key == "sweep")
        {
            node.value = Value::Table(kept);
        }
    }
    problems
}

fn sweep_of(document: &Document) -> Option<Table> {
    let Value::Table(root) = &document.root.value else { return None };
    match &root.get("sweep")?.value {
        Value::Table(sweep) => Some(sweep.clone()),
        _ => None,
    }
}

/// Returns whether an override of the canonical path `one` with this value sets the key at the path `target`.
fn sets(one: &str, value: &Json, target: &str) -> bool {
    let mut steps = target.split('\n');
    if !one.split('\n').all(|step| steps.next().is_some_and(|other| step == other || step == EVERY)) {
        return false;
    }
    let mut inner = Some(value);
    for step in steps {
        inner = match inner {
            // A word stands for a table with only this name.
            Some(Json::String(_)) if step == "name" => Some(&Json::Null),
            Some(Json::Object(table)) => table.get(step),
            _ => None,
        };
    }
    inner.is_some()
}

/// Returns whether the canonical path `inner` leads to a key of what `outer` leads to, or to the same, for some item of each
/// list.
fn is_within(inner: &str, outer: &str) -> bool {
    let steps = |path: &str| path.matches('\n').count();
    steps(inner) >= steps(outer) && is_alike(inner, outer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::sweep::Sweep;
    use serde_json::json;

    const FLOWS: &str = "[[flows]]\nname = \"tcp\"\n[[flows]]\ncontrol = \"cubic\"\n[sweep]\n";

    /// The paths that still vary, and what is wrong.
    fn varied_with(sweep: &str, overrides: &Json) -> (Vec<String>, Vec<String>) {
        let mut document = Document::parse(&format!("{FLOWS}{sweep}"), "f").unwrap();
        let problems = fix(&mut document, overrides.as_object().unwrap());
        let paths = Sweep::of(&document).unwrap().columns().into_iter().map(|column| column.path).collect();
        (paths, problems.into_iter().map(|problem| problem.found).collect())
    }

    fn varied(sweep: &str, overrides: &[&str]) -> (Vec<String>, Vec<String>) {
        varied_with(sweep, &overrides.iter().map(|path| ((*path).to_owned(), json!(1))).collect())
    }

    const TWO: &str = "\"flows.tcp.control\" = [\"reno\", \"cubic\"]\n\"queue.limit\" = [1, 2]\n";

    #[test]
    fn an_override_of_a_swept_key_leaves_the_other_keys_to_the_sweep() {
        let one = |path: &str| (vec![path.to_owned()], vec![]);
        assert_eq!(varied(TWO, &["flows.tcp.control"]), one("queue.limit"));
        // The same key by another path, and a path to the key of every item.
        assert_eq!(varied(TWO, &["flows.0.control"]), one("queue.limit"));
        assert_eq!(varied(TWO, &["flows.*.control"]), one("queue.limit"));
        assert_eq!(varied(TWO, &["queue.limit"]), one("flows.tcp.control"));
        assert_eq!(varied(TWO, &["queue.limit", "flows.0.control"]), (vec![], vec![]));
    }

    #[test]
    fn other_overrides_leave_the_sweep_as_it_is() {
        for other in ["flows.cubic.control", "flows.tcp.count", "queue", "duration"] {
            assert_eq!(varied(TWO, &[other]).0.len(), 2, "{other}");
            assert!(varied(TWO, &[other]).1.is_empty(), "{other}");
        }
    }

    #[test]
    fn an_override_that_the_sweep_would_replace_is_refused() {
        let tables = "queue = [{ name = \"codel\" }, { name = \"pie\" }]\n";
        let found = "a sweep of `queue`, which would replace the override of `queue.limit`";
        assert_eq!(varied(tables, &["queue.limit"]), (vec!["queue".to_owned()], vec![found.to_owned()]));
        let every = "\"flows.*.control\" = [\"reno\", \"cubic\"]\n";
        assert_eq!(varied(every, &["flows.tcp.control"]).1.len(), 1);
        // One of the items that the override of every item reaches.
        let one = "\"flows.tcp.control\" = [\"reno\", { name = \"cubic\", c = 1 }]\n";
        assert_eq!(varied(one, &["flows.*.control.beta"]).1.len(), 1);
        assert_eq!(varied(one, &["flows.1.control.beta"]).1.len(), 0);
    }

    #[test]
    fn an_override_of_a_table_sets_the_keys_that_it_has() {
        let limits = "\"queue.limit\" = [1, 2]\n";
        let still = |value: Json| varied_with(limits, &json!({ "queue": value }));
        assert_eq!(still(json!({ "name": "codel", "limit": 5 })), (vec![], vec![]));
        assert_eq!(still(json!({ "name": "codel" })).0.len(), 1);
        assert_eq!(still(json!("codel")).0.len(), 1);
        // A word stands for a table with only this name.
        let names = "\"flows.tcp.control.name\" = [\"reno\", \"cubic\"]\n";
        assert_eq!(varied_with(names, &json!({ "flows.tcp.control": "bbrv3" })).0.len(), 0);
        assert_eq!(varied_with(names, &json!({ "flows.tcp.control": { "beta": 1 } })).0.len(), 1);
    }

    #[test]
    fn the_samples_of_the_other_ranges_stay_the_same() {
        let ranges = "a = { from = 0.0, to = 1.0 }\nb = { from = 0.0, to = 1.0 }\nsamples = { count = 3 }\n";
        let drawn = |overrides: &[&str]| {
            let mut document = Document::parse(&format!("{FLOWS}{ranges}"), "f").unwrap();
            let set = overrides.iter().map(|path| ((*path).to_owned(), json!(1))).collect();
            assert!(fix(&mut document, &set).is_empty());
            let sweep = Sweep::of(&document).unwrap();
            (0..sweep.points()).map(|point| sweep.point(point).remove("b")).collect::<Vec<_>>()
        };
        assert_eq!(drawn(&["a"]), drawn(&[]));
        assert_eq!(drawn(&["a", "b"]), [None]);
    }
}
