//! A TOML document that records the location of every value, and that overrides can change before it is read.

use crate::language::diagnostics::{Diagnostic, End, counted};
use crate::language::limits::MAX_PROBLEMS;
use serde_json::Value as Json;
use std::ops::Range;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// A range of bytes of the file; `None` for a value from an override.
pub type Span = Option<Range<usize>>;

/// A value and its location.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The location of the value.
    pub span: Span,
    /// The value.
    pub value: Value,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with a decimal point.
    Float(f64),
    /// true or false.
    Flag(bool),
    /// An array.
    List(Vec<Node>),
    /// A table.
    Table(Table),
    /// A value that no scenario uses, such as a date, with the name of its kind.
    Other(&'static str),
}

/// A table, with its entries in alphabetical order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// For each entry its key, the key's location, and its value.
    pub entries: Vec<(String, Span, Node)>,
}

/// A document.
#[derive(Clone, Debug)]
pub struct Document {
    /// The name of the file as it was given.
    pub file: String,
    /// The text, which copies of the document share.
    pub text: Arc<str>,
    /// The content.
    pub root: Node,
}

impl Node {
    /// Returns the value in words, for messages.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Text(text) => quoted(text),
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::Flag(flag) => flag.to_string(),
            Value::List(items) if items.is_empty() => "an empty list".to_owned(),
            Value::List(items) => format!("a list of {}", counted(items.len(), "value")),
            Value::Table(_) => "a table".to_owned(),
            Value::Other(name) => (*name).to_owned(),
        }
    }
}

/// Returns a text in quotes, shortened if it is long.
pub fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

impl Table {
    /// Returns the value of a key, if it has one.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|(name, _, _)| name == key).map(|(_, _, node)| node)
    }

    fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries.iter_mut().find(|(name, _, _)| name == key).map(|(_, _, node)| node)
    }

    /// Sets the value of a key. A new key gets the location `at`.
    fn set(&mut self, key: &str, node: Node, at: &Span) {
        match self.get_mut(key) {
            Some(place) => *place = node,
            None => self.entries.push((key.to_owned(), at.clone(), node)),
        }
    }
}

impl Document {
    /// Parses the text of a file.
    pub fn parse(text: &str, file: &str) -> Result<Self, Vec<Diagnostic>> {
        let (table, errors) = DeTable::parse_recoverable(text);
        let root = Node { span: Some(table.span()), value: Value::Table(copy_table(table.get_ref())) };
        let document = Self { file: file.to_owned(), text: text.into(), root };
        if errors.is_empty() {
            return Ok(document);
        }
        let problem = |error: &toml::de::Error| {
            let span = error.span().or(Some(0..0));
            let (found, expected) = syntax(error.message());
            document.problem(&span, "", &found, &expected, None)
        };
        let mut problems: Vec<Diagnostic> = errors.iter().take(MAX_PROBLEMS).map(problem).collect();
        problems.sort_by_key(|problem| (problem.line, problem.column));
        Err(without_consequences(problems))
    }

    /// Returns a problem at a location of this document.
    pub fn problem(
        &self,
        span: &Span,
        path: &str,
        found: &str,
        expected: &str,
        hint: Option<String>,
    ) -> Diagnostic {
        let place = span.as_ref().map(|span| self.line_and_column(span.start));
        let end = span.as_ref().map(|span| self.line_and_column(span.end));
        let source = place.and_then(|(line, _)| self.text.lines().nth(line - 1).map(str::to_owned));
        Diagnostic {
            file: self.file.clone(),
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            end: end.map(|(line, column)| End { line, column }),
            path: path.to_owned(),
            found: found.to_owned(),
            expected: expected.to_owned(),
            hint,
            point: None,
            source,
        }
    }

    /// Sets the value at a dotted path and creates missing tables on the way. An item of a list is addressed
    /// by its `name`, by its usual name if it has none, or by its index; `*` addresses every item. Returns a problem if
    /// the path does not exist.
    pub fn set(&mut self, path: &str, value: &Json) -> Result<(), Box<Diagnostic>> {
        let problem = self.set_all([(path, from_json(value), &None)]).pop();
        problem.map_or(Ok(()), |problem| Err(Box::new(problem)))
    }

    /// Sets nodes at dotted paths as [`Self::set`] does, in this order. Paths address items of lists by their names in
    /// the document as it is, also where an earlier node gives an item another name. A node keeps its location in
    /// the file; each path comes with its own location. Returns the problems.
    pub fn set_all<'p>(
        &mut self,
        nodes: impl IntoIterator<Item = (&'p str, Node, &'p Span)>,
    ) -> Vec<Diagnostic> {
        let nodes: Vec<_> =
            nodes.into_iter().map(|(path, node, at)| (path, self.by_index(path), node, at)).collect();
        let set = nodes.into_iter().filter_map(|(path, by_index, node, at)| {
            let (found, expected) = place(&mut self.root, &by_index, node, at).err()?;
            Some(self.problem(at, path, &found, &expected, None))
        });
        set.collect()
    }

    /// Returns the path with each item of a list, as far as it exists, addressed by its index.
    fn by_index(&self, path: &str) -> String {
        let quoted = |step: String| if step.contains('.') { format!("\"{step}\"") } else { step };
        self.steps(path).into_iter().map(quoted).collect::<Vec<_>>().join(".")
    }

    /// Returns the first step of a path, which is a key of the file.
    pub fn first_step(path: &str) -> &str {
        split_step(path).0
    }

    /// Returns the path with each item of a list replaced by its index, so that two paths to one value are
    /// equal.
    pub fn canonical(&self, path: &str) -> String {
        self.steps(path).join("\n")
    }

    fn steps(&self, path: &str) -> Vec<String> {
        let (mut steps, mut rest) = (Vec::new(), Some(path));
        let mut node = Some(&self.root);
        while let Some(path) = rest {
            let step;
            (step, rest) = split_step(path);
            let (canonical, next) = match node.map(|node| &node.value) {
                Some(Value::Table(table)) => (step.to_owned(), table.get(step)),
                Some(Value::List(items)) if step == EVERY => (step.to_owned(), items.first()),
                Some(Value::List(items)) => match item_at(items, step) {
                    Some(index) => (index.to_string(), items.get(index)),
                    None => (step.to_owned(), None),
                },
                _ => (step.to_owned(), None),
            };
            steps.push(canonical);
            node = next;
        }
        steps
    }

    /// Returns the lines and columns, from 1, of the beginning and of the end of a range of bytes.
    pub fn lines_and_columns(&self, span: &Range<usize>) -> [(usize, usize); 2] {
        [span.start, span.end].map(|byte| self.line_and_column(byte))
    }

    /// Returns the line and column of a location, from 1; those of the beginning for `None`.
    pub fn place(&self, span: &Span) -> (usize, usize) {
        self.line_and_column(span.as_ref().map_or(0, |span| span.start))
    }

    fn line_and_column(&self, byte: usize) -> (usize, usize) {
        let before = &self.text[..floor_char_boundary(&self.text, byte)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// Removes problems that follow from an earlier one: on the same line, and after an unclosed brace or header.
fn without_consequences(mut problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    problems.dedup_by_key(|problem| problem.line);
    let unclosed = problems.iter().position(|problem| {
        problem.found.contains("inline table") || problem.found.contains("unclosed table")
    });
    problems.truncate(unclosed.map_or(problems.len(), |first| first + 1));
    problems
}

/// Returns what the TOML parser found and what it expected. The parser names either, or both in one sentence.
fn syntax(message: &str) -> (String, String) {
    let file = "a TOML file (https://toml.io)".to_owned();
    match message.split_once(", expected ") {
        Some(("string values must be quoted", _)) => {
            let values = "a string or a quantity in quotes such as \"10 s\", a number, true or false, a list or a table";
            ("a value that is not TOML".to_owned(), values.to_owned())
        }
        Some((found, expected)) => (format!("{found} (not TOML)"), expected.to_owned()),
        None if message == "duplicate key" => (
            "a duplicate key".to_owned(),
            "each key once in its table; a header [[...]] adds another table to a list".to_owned(),
        ),
        None if message.contains("recurs") => ("lists or tables nested too deeply".to_owned(), file),
        None => (format!("{message} (not TOML)"), file),
    }
}

fn floor_char_boundary(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}

fn place(node: &mut Node, rest: &str, new: Node, at: &Span) -> Result<(), (String, String)> {
    let (step, rest) = split_step(rest);
    match &mut node.value {
        Value::Table(table) => match rest {
            None => {
                table.set(step, new, at);
                Ok(())
            }
            Some(rest) => {
                if table.get(step).is_none() {
                    let empty = Node { span: at.clone(), value: Value::Table(Table::default()) };
                    table.set(step, empty, at);
                }
                table.get_mut(step).map_or(Ok(()), |next| place(next, rest, new, at))
            }
        },
        Value::List(items) if step == EVERY && !items.is_empty() => {
            for item in items {
                match rest {
                    Some(rest) => place(item, rest, new.clone(), at)?,
                    None => *item = new.clone(),
                }
            }
            Ok(())
        }
        Value::List(items) => match (item_at(items, step), rest) {
            (Some(index), None) => {
                items[index] = new;
                Ok(())
            }
            (Some(index), Some(rest)) => place(&mut items[index], rest, new, at),
            (None, _) => {
                let names: Vec<&str> = items
                    .iter()
                    .filter_map(|item| item_name(item).or_else(|| usual_names(item).next()))
                    .filter(|name| item_at(items, name).is_some())
                    .collect();
                let indices = match items.len() {
                    1 => "the index 0".to_owned(),
                    count => format!("an index from 0 to {}", count.saturating_sub(1)),
                };
                Err((
                    format!("no item `{step}`"),
                    match names.as_slice() {
                        [] if items.is_empty() => {
                            "a list with at least one item (this list is empty)".to_owned()
                        }
                        [] => format!("{indices}, because no item has a unique name"),
                        [only] => format!("{indices} or the name {only}"),
                        names => format!("{indices} or one of the names {}", names.join(", ")),
                    },
                ))
            }
        },
        // A choice written as its name alone becomes a table when one of its parameters is set.
        Value::Text(name) => {
            let name = Node { span: node.span.clone(), value: Value::Text(name.clone()) };
            node.value = Value::Table(Table { entries: vec![("name".to_owned(), node.span.clone(), name)] });
            let rest = rest.map_or_else(|| step.to_owned(), |rest| format!("{step}.{rest}"));
            place(node, &rest, new, at)
        }
        _ => Err((node.describe(), format!("a table or a list that contains `{step}`"))),
    }
}

/// The step of a path that addresses every item of a list.
pub const EVERY: &str = "*";

/// Returns the first step of a dotted path and the rest, if any. A step that contains dots is in quotes.
fn split_step(path: &str) -> (&str, Option<&str>) {
    if let Some(quoted) = path.strip_prefix('"')
        && let Some((step, rest)) = quoted.split_once('"')
    {
        return (step, rest.strip_prefix('.'));
    }
    match path.split_once('.') {
        Some((step, rest)) => (step, Some(rest)),
        None => (path, None),
    }
}

/// Returns the index of the item that a step of a path addresses: by its name, by its usual name in results
/// if it has none, or by its index.
fn item_at(items: &[Node], step: &str) -> Option<usize> {
    let named = items.iter().position(|item| item_name(item) == Some(step));
    named
        .or_else(|| {
            let called =
                |item: &Node| item_name(item).is_none() && usual_names(item).any(|name| name == step);
            let mut found = items.iter().enumerate().filter(|(_, item)| called(item));
            // If two items have the same usual name, it addresses neither.
            found.next().filter(|_| found.next().is_none()).map(|(index, _)| index)
        })
        .or_else(|| step.parse().ok().filter(|index| *index < items.len()))
}

/// Returns the usual names of an item without a name: those of its control and its application.
fn usual_names(item: &Node) -> impl Iterator<Item = &str> {
    let of = |key| {
        let Value::Table(table) = &item.value else { return None };
        match &table.get(key)?.value {
            Value::Text(name) => Some(name.as_str()),
            _ => item_name(table.get(key)?),
        }
    };
    of("control").map(stem).into_iter().chain(of("application"))
}

/// Returns the name of a control, or of the file of one in Python without the folder and the ending: `gentle` of
/// `mine/gentle.py` and of `gentle.py:Gentle`.
pub fn stem(control: &str) -> &str {
    match control.split_once(".py") {
        Some((path, rest)) if rest.is_empty() || rest.starts_with(':') => {
            path.rsplit('/').next().unwrap_or(path)
        }
        _ => control,
    }
}

fn item_name(item: &Node) -> Option<&str> {
    let Value::Table(table) = &item.value else { return None };
    match table.get("name").map(|node| &node.value) {
        Some(Value::Text(name)) => Some(name),
        _ => None,
    }
}

fn copy_table(table: &DeTable<'_>) -> Table {
    let entries = table
        .iter()
        .map(|(key, value)| {
            let node = Node { span: Some(value.span()), value: copy_value(value.get_ref()) };
            (key.get_ref().to_string(), Some(key.span()), node)
        })
        .collect();
    Table { entries }
}

fn copy_value(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or(Value::Other("a number beyond 64 bits"), Value::Integer),
        DeValue::Float(number) => number.as_str().parse().map_or(Value::Other("a number"), Value::Float),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(_) => Value::Other("a date"),
        DeValue::Array(items) => Value::List(
            items
                .iter()
                .map(|item| Node { span: Some(item.span()), value: copy_value(item.get_ref()) })
                .collect(),
        ),
        DeValue::Table(table) => Value::Table(copy_table(table)),
    }
}

/// Returns the node of a JSON value, without a location.
pub fn from_json(json: &Json) -> Node {
    let value = match json {
        Json::Null => Value::Other("nothing"),
        Json::Bool(flag) => Value::Flag(*flag),
        Json::Number(number) => {
            number.as_i64().map_or_else(|| Value::Float(number.as_f64().unwrap_or(f64::NAN)), Value::Integer)
        }
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(from_json).collect()),
        Json::Object(entries) => {
            let entry = |(key, value): (&String, &Json)| (key.clone(), None, from_json(value));
            Value::Table(Table { entries: entries.iter().map(entry).collect() })
        }
    };
    Node { span: None, value }
}

impl Node {
    /// Returns the value in JSON; null for a value that JSON does not have.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Text(text) => Json::from(text.as_str()),
            Value::Integer(number) => Json::from(*number),
            Value::Float(number) => Json::from(*number),
            Value::Flag(flag) => Json::from(*flag),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Table(table) => {
                table.entries.iter().map(|(key, _, node)| (key.clone(), node.to_json())).collect()
            }
            Value::Other(_) => Json::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TEXT: &str =
        "duration = \"1 s\"\n[[flows]]\nname = \"a\"\ncontrol = \"reno\"\n[[flows]]\nname = \"b\"\n";

    fn get<'d>(node: &'d Node, path: &[&str]) -> Option<&'d Value> {
        let Some((step, rest)) = path.split_first() else { return Some(&node.value) };
        match &node.value {
            Value::Table(table) => table.get(step).and_then(|next| get(next, rest)),
            Value::List(items) => {
                step.parse::<usize>().ok().and_then(|i| items.get(i)).and_then(|next| get(next, rest))
            }
            _ => None,
        }
    }

    #[test]
    fn overrides_address_items_by_name_and_by_index() {
        let mut document = Document::parse(TEXT, "f").unwrap();
        document.set("flows.b.count", &json!(5)).unwrap();
        document.set("flows.0.control.increase", &json!(2.0)).unwrap();
        document.set("dumbbell.bottleneck.rate", &json!("1 Mbit/s")).unwrap();
        assert_eq!(get(&document.root, &["flows", "1", "count"]), Some(&Value::Integer(5)));
        assert_eq!(
            get(&document.root, &["flows", "0", "control", "name"]),
            Some(&Value::Text("reno".into()))
        );
        assert_eq!(get(&document.root, &["flows", "0", "control", "increase"]), Some(&Value::Float(2.0)));
        assert!(get(&document.root, &["dumbbell", "bottleneck", "rate"]).is_some());
        let problem = document.set("flows.c.count", &json!(5)).unwrap_err();
        assert_eq!(problem.expected, "an index from 0 to 1 or one of the names a, b");
    }

    #[test]
    fn an_item_keeps_its_name_until_all_values_are_set() {
        let mut document = Document::parse("[[flows]]\ncontrol = \"cubic\"\n", "f").unwrap();
        let set = [("flows.cubic.control", json!("reno")), ("flows.cubic.control.beta", json!(0.3))];
        let set = set.iter().map(|(path, value)| (*path, from_json(value), &None));
        assert!(document.set_all(set).is_empty());
        let control = |key| get(&document.root, &["flows", "0", "control", key]).cloned();
        assert_eq!(control("name"), Some(Value::Text("reno".into())));
        assert_eq!(control("beta"), Some(Value::Float(0.3)));
    }

    #[test]
    fn a_star_addresses_every_item() {
        let mut document = Document::parse(TEXT, "f").unwrap();
        document.set("flows.*.count", &json!(7)).unwrap();
        for item in ["0", "1"] {
            assert_eq!(get(&document.root, &["flows", item, "count"]), Some(&Value::Integer(7)));
        }
        let mut empty = Document::parse("flows = []\n", "f").unwrap();
        assert_eq!(empty.set("flows.*.count", &json!(7)).unwrap_err().found, "no item `*`");
    }

    #[test]
    fn an_item_without_a_name_has_that_of_its_control_or_its_application() {
        let text = "[[flows]]\ncontrol = \"cubic\"\n[[flows]]\ncontrol = { name = \"reno\" }\n\
                    [[flows]]\ncontrol = \"reno\"\n[[flows]]\napplication = \"pages\"\n";
        let mut document = Document::parse(text, "f").unwrap();
        document.set("flows.cubic.count", &json!(5)).unwrap();
        document.set("flows.pages.count", &json!(6)).unwrap();
        assert_eq!(get(&document.root, &["flows", "0", "count"]), Some(&Value::Integer(5)));
        assert_eq!(get(&document.root, &["flows", "3", "count"]), Some(&Value::Integer(6)));
        assert_eq!(document.canonical("flows.cubic.count"), document.canonical("flows.0.count"));
        let mut own = Document::parse("[[flows]]\ncontrol = \"mine/gentle.py:Gentle\"\n", "f").unwrap();
        own.set("flows.gentle.count", &json!(5)).unwrap();
        // Two items have this usual name, so the message does not offer it.
        let problem = document.set("flows.reno.count", &json!(5)).unwrap_err();
        assert_eq!(problem.expected, "an index from 0 to 3 or one of the names cubic, pages");
    }

    #[test]
    fn a_document_as_json_is_what_was_written() {
        let mut document =
            Document::parse("a = [1, 2.5, true]\n[b]\nc = \"x\"\nd = 1979-05-27\n", "f").unwrap();
        document.set("b.e", &json!({ "f": [1] })).unwrap();
        let expected = json!({ "a": [1, 2.5, true], "b": { "c": "x", "d": null, "e": { "f": [1] } } });
        assert_eq!(document.root.to_json(), expected);
    }

    #[test]
    fn a_problem_has_its_end() {
        // The value begins at byte 11 of the only line. It consists of the quotes and three characters, one
        // of them two bytes long.
        let document = Document::parse("duration = \"1 \u{b5}\"\n", "f").unwrap();
        let problem = document.problem(&Some(11..17), "duration", "x", "y", None);
        assert_eq!((problem.line, problem.column), (Some(1), Some(12)));
        assert_eq!(problem.end, Some(End { line: 1, column: 17 }));
        assert_eq!(document.problem(&None, "duration", "x", "y", None).end, None);
    }

    #[test]
    fn several_mistakes_in_the_syntax_are_all_reported() {
        let problems = Document::parse("a = \nb = \"x\nc = 1\nd == 2\n", "f").unwrap_err();
        assert!(problems.len() >= 2, "{problems:?}");
        assert_eq!(problems[0].line, Some(1));
    }
}
