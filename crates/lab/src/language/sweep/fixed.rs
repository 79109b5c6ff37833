//! Overrides of keys that a sweep varies. Such a key has the override's value at every point.

use super::{SAMPLES, samples};
use crate::language::diagnostics::Diagnostic;
use crate::language::document::{Document, EVERY, Node, Table, Value};

/// Removes from a document's sweep each path whose keys one of these overrides sets. Returns a problem for each path that
/// contains a key of an override and more: at every point, the sweep would replace what the override sets.
///
/// Called before the overrides are set, because paths address items of lists by their names in the file.
pub fn fix<'p>(document: &mut Document, overrides: impl Iterator<Item = &'p str>) -> Vec<Diagnostic> {
    let Some(swept) = sweep_of(document) else { return Vec::new() };
    let set: Vec<(String, &str)> = overrides.map(|path| (document.canonical(path), path)).collect();
    let (mut kept, mut problems) = (Table::default(), Vec::new());
    for entry in &swept.entries {
        let (path, key, _) = entry;
        let target = document.canonical(path);
        let as_deep = |one: &str| one.matches('\n').count() == target.matches('\n').count();
        if path != SAMPLES && set.iter().any(|(one, _)| as_deep(one) && contains(one, &target)) {
            continue;
        }
        if let Some((_, inside)) = set.iter().find(|(one, _)| path != SAMPLES && contains(&target, one)) {
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

/// Returns whether the canonical path `inner` leads to a key of what `outer` leads to, or to the same.
fn contains(outer: &str, inner: &str) -> bool {
    let mut steps = inner.split('\n');
    outer.split('\n').all(|one| steps.next().is_some_and(|other| one == other || one == EVERY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::sweep::Sweep;

    const FLOWS: &str = "[[flows]]\nname = \"tcp\"\n[[flows]]\ncontrol = \"cubic\"\n[sweep]\n";

    /// The paths that still vary, and what is wrong.
    fn varied(sweep: &str, overrides: &[&str]) -> (Vec<String>, Vec<String>) {
        let mut document = Document::parse(&format!("{FLOWS}{sweep}"), "f").unwrap();
        let problems = fix(&mut document, overrides.iter().copied());
        let paths = Sweep::of(&document).unwrap().columns().into_iter().map(|column| column.path).collect();
        (paths, problems.into_iter().map(|problem| problem.found).collect())
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
    }

    #[test]
    fn the_samples_of_the_other_ranges_stay_the_same() {
        let ranges = "a = { from = 0.0, to = 1.0 }\nb = { from = 0.0, to = 1.0 }\nsamples = { count = 3 }\n";
        let drawn = |overrides: &[&str]| {
            let mut document = Document::parse(&format!("{FLOWS}{ranges}"), "f").unwrap();
            assert!(fix(&mut document, overrides.iter().copied()).is_empty());
            let sweep = Sweep::of(&document).unwrap();
            (0..sweep.points()).map(|point| sweep.point(point).remove("b")).collect::<Vec<_>>()
        };
        assert_eq!(drawn(&["a"]), drawn(&[]));
        assert_eq!(drawn(&["a", "b"]), [None]);
    }
}
