//! Files that a scenario names. Their text is in the scenario, in `[files."NAME"]`, where the Python package
//! puts it when it reads a scenario file. A scenario's text alone therefore determines the simulation.

use crate::language::diagnostics::{Diagnostic, nearest};
use crate::language::document::{Node, Value, quoted};
use crate::language::keys::{Form, Key, Table};
use crate::language::reader::TableReader;
use std::path::{Component, Path};

/// A mistake in a file: its line, what was found, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

impl Mistake {
    /// Creates a mistake in a line, counted from 1.
    pub fn new(line: usize, found: String, expected: &str) -> Self {
        Self { line, found, expected: expected.to_owned() }
    }
}

/// The keys of `[files]`.
pub static FILES: Table =
    Table::new("files", "The contents of files to which the scenario refers, by file name", &[])
        .others(&[Form::Table(&FILE)]);

static FILE: Table = Table::new(
    "file",
    "A file to which the scenario refers",
    &[&[Key::new("text", &[Form::Text], "The contents of the file").such_as("\"0 20\\n1 5\\n\"")]],
)
.requiring(&["text"]);

/// Checks `[files]`, whether or not anything uses the files.
pub fn check(root: &TableReader<'_>) {
    let Some(node) = root.get("files") else { return };
    let Value::Table(files) = &node.value else {
        root.problem_at("files", &node.describe(), "a table [files.\"NAME\"] with `text` for each file");
        return;
    };
    for (name, _, file) in &files.entries {
        let path = format!("files.\"{name}\"");
        if let Some(table) = root.reader.open(file, &path, &FILE) {
            table.text("text");
        }
    }
}

/// Parses the file called `name`, which `key` of `table` names, with `parse`. Returns `None` after reporting
/// a problem: a mistake is reported with its line.
pub fn read<T>(
    table: &TableReader<'_>,
    key: &str,
    name: &str,
    parse: impl FnOnce(&str) -> Result<T, Mistake>,
) -> Option<T> {
    let document = table.reader.document();
    let Some(text) = text_of(&document.root, name) else {
        let names = names(&document.root);
        let span = table.get(key).map(|node| node.span.clone()).unwrap_or_default();
        let hint = nearest(name, names.iter().copied());
        let found = format!("the name {} of a missing file", quoted(name));
        let expected = "a file at this path, relative to the folder of the scenario file, or its text in \
                        [files.\"NAME\"]";
        table.reader.problem(&span, &table.path_of(key), &found, expected, hint);
        return None;
    };
    let mistake = match parse(text) {
        Ok(read) => return Some(read),
        Err(mistake) => mistake,
    };
    // A message about a file elsewhere names the place alone: its text may be private.
    let shown = stays_in_its_folder(name);
    let found = if shown {
        mistake.found
    } else {
        "a line that is not shown, because the file is outside the scenario's folder".to_owned()
    };
    let beside = Path::new(&document.file).parent().map_or_else(|| name.into(), |folder| folder.join(name));
    table.reader.note(|| Diagnostic {
        file: beside.to_string_lossy().into_owned(),
        line: Some(mistake.line),
        column: Some(1),
        end: None,
        path: table.path_of(key),
        found,
        expected: mistake.expected,
        hint: None,
        point: None,
        source: text.lines().nth(mistake.line.saturating_sub(1)).filter(|_| shown).map(str::to_owned),
    });
    None
}

/// Returns whether a file of this name is in the folder of the scenario, or below it, as far as the name says.
fn stays_in_its_folder(name: &str) -> bool {
    let path = Path::new(name);
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

fn entries(root: &Node) -> &[(String, crate::language::document::Span, Node)] {
    let Value::Table(root) = &root.value else { return &[] };
    match root.get("files").map(|files| &files.value) {
        Some(Value::Table(files)) => &files.entries,
        _ => &[],
    }
}

fn names(root: &Node) -> Vec<&str> {
    entries(root).iter().map(|(name, _, _)| name.as_str()).collect()
}

fn text_of<'n>(root: &'n Node, name: &str) -> Option<&'n str> {
    let (_, _, file) = entries(root).iter().find(|(other, _, _)| other == name)?;
    let Value::Table(file) = &file.value else { return None };
    match &file.get("text")?.value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}
