//! Reads typed values from a document. A problem is noted and reading goes on, so that all are reported at once.

use crate::diagnostics::{Diagnostic, nearest, one_of};
use crate::document::{Document, Node, Span, Table, Value};
use ackclock_base::registry::Quantity;
use ackclock_base::spelling::Misspelt;
use ackclock_base::{Range, Value as Read};
use std::cell::RefCell;

/// A document being read, and what was found wrong with it so far.
pub struct Reader<'d> {
    document: &'d Document,
    problems: RefCell<Vec<Diagnostic>>,
}

impl<'d> Reader<'d> {
    /// Begins.
    pub fn new(document: &'d Document) -> Self {
        Self { document, problems: RefCell::new(Vec::new()) }
    }

    /// What was found wrong.
    pub fn into_problems(self) -> Vec<Diagnostic> {
        self.problems.into_inner()
    }

    /// Whether anything was found wrong so far.
    pub fn has_problems(&self) -> bool {
        !self.problems.borrow().is_empty()
    }

    /// Notes a problem.
    pub fn problem(&self, span: &Span, path: &str, found: &str, expected: &str, hint: Option<String>) {
        self.problems.borrow_mut().push(self.document.problem(span, path, found, expected, hint));
    }

    /// The document as a table.
    pub fn root(&self, known: &[&str]) -> Option<TableReader<'_>> {
        self.table(&self.document.root, "", known)
    }

    /// A node that must be a table with these keys and no others.
    pub fn table<'r>(&'r self, node: &'r Node, path: &str, known: &[&str]) -> Option<TableReader<'r>> {
        let Value::Table(table) = &node.value else {
            self.problem(&node.span, path, &node.describe(), "a table", None);
            return None;
        };
        let reader = TableReader { reader: self, table, span: node.span.clone(), path: path.to_owned() };
        for (key, span, _) in &table.entries {
            if !known.contains(&key.as_str()) {
                let hint = nearest(key, known.iter().copied());
                let expected = one_of(known.iter().copied());
                self.problem(span, &reader.path_of(key), &format!("the key `{key}`"), &expected, hint);
            }
        }
        Some(reader)
    }

    /// A quantity, from its text or from a bare number where it has no unit.
    pub fn quantity(&self, node: &Node, path: &str, quantity: Quantity, range: Range) -> Option<Read> {
        let read = match (&node.value, quantity) {
            (Value::Integer(number), Quantity::Number) => Ok(Read::Number(*number as f64)),
            (Value::Float(number), Quantity::Number) => Ok(Read::Number(*number)),
            (Value::Integer(number), Quantity::Integer) => Ok(Read::Integer(*number)),
            (Value::Flag(flag), Quantity::Flag) => Ok(Read::Flag(*flag)),
            (Value::Text(text), Quantity::Choice(words)) => quantity
                .read(text)
                .map_err(|misspelt| Misspelt { hint: nearest(text, words.iter().copied()), ..misspelt }),
            (Value::Text(_), Quantity::Number | Quantity::Integer | Quantity::Flag) => {
                Err(Misspelt { expected: format!("a {} without quotes", quantity.unit()), hint: None })
            }
            (Value::Text(text), _) => quantity.read(text),
            (Value::Integer(_) | Value::Float(_), _) => Err(with_unit(node, quantity)),
            _ => Err(quantity.read("").err().unwrap_or_else(|| with_unit(node, quantity))),
        };
        match read {
            Ok(value) if value.base().is_none_or(|base| range.contains(base)) => Some(value),
            Ok(_) => {
                let expected = format!("a {} that is {}", quantity.unit(), range_words(quantity, &range));
                self.problem(&node.span, path, &node.describe(), &expected, None);
                None
            }
            Err(misspelt) => {
                self.problem(&node.span, path, &node.describe(), &misspelt.expected, misspelt.hint);
                None
            }
        }
    }
}

/// A bare number where a unit is needed.
fn with_unit(node: &Node, quantity: Quantity) -> Misspelt {
    let example = match quantity {
        Quantity::Time => "ms",
        Quantity::Rate => "Mbit/s",
        Quantity::Size => "B",
        Quantity::Packets | Quantity::Limit => "packets",
        _ => "",
    };
    let misspelt = quantity.read("").err();
    Misspelt {
        expected: misspelt.map_or_else(|| quantity.unit().to_owned(), |misspelt| misspelt.expected),
        hint: (!example.is_empty()).then(|| format!("\"{} {example}\"", node.describe())),
    }
}

/// A range in words, in the quantity's base unit.
pub fn range_words(quantity: Quantity, range: &Range) -> String {
    let unit = match quantity {
        Quantity::Time => " (in seconds)",
        Quantity::Rate => " (in bit/s)",
        Quantity::Size => " (in bytes)",
        _ => "",
    };
    format!("{}{unit}", range.words())
}

/// A table being read.
pub struct TableReader<'r> {
    /// The reader that collects problems.
    pub reader: &'r Reader<'r>,
    table: &'r Table,
    span: Span,
    path: String,
}

impl<'r> TableReader<'r> {
    /// The dotted path of a key in this table.
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The table's own path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&'r Node> {
        self.table.get(key)
    }

    /// The value of a key that must be there.
    pub fn required(&self, key: &str, expected: &str) -> Option<&'r Node> {
        let node = self.table.get(key);
        if node.is_none() {
            let place =
                if self.path.is_empty() { "the scenario".to_owned() } else { format!("`{}`", self.path) };
            self.problem(&self.path_of(key), &format!("no `{key}` in {place}"), expected);
        }
        node
    }

    /// Notes a problem with the table itself.
    pub fn problem(&self, path: &str, found: &str, expected: &str) {
        // The end of a table of many lines is far from what one looks at: point at its beginning.
        self.reader.problem(&self.span, path, found, expected, None);
    }

    /// Notes a problem with the value of a key.
    pub fn problem_at(&self, key: &str, found: &str, expected: &str) {
        let span = self.table.get(key).map_or_else(|| self.span.clone(), |node| node.span.clone());
        self.reader.problem(&span, &self.path_of(key), found, expected, None);
    }

    /// A text.
    pub fn text(&self, key: &str) -> Option<&'r str> {
        let node = self.table.get(key)?;
        match &node.value {
            Value::Text(text) => Some(text),
            _ => {
                self.problem_at(key, &node.describe(), "a text in quotes");
                None
            }
        }
    }

    /// A quantity; `None` if it is absent, or wrong (which is noted).
    pub fn quantity(&self, key: &str, quantity: Quantity, range: Range) -> Option<Read> {
        self.reader.quantity(self.table.get(key)?, &self.path_of(key), quantity, range)
    }

    /// A list.
    pub fn list(&self, key: &str) -> Option<&'r [Node]> {
        let node = self.table.get(key)?;
        match &node.value {
            Value::List(items) => Some(items),
            _ => {
                self.problem_at(key, &node.describe(), "a list");
                None
            }
        }
    }

    /// A whole number.
    pub fn integer(&self, key: &str, range: Range) -> Option<i64> {
        match self.quantity(key, Quantity::Integer, range)? {
            Read::Integer(number) => Some(number),
            _ => None,
        }
    }

    /// A time.
    pub fn time(&self, key: &str, range: Range) -> Option<ackclock_base::Span> {
        match self.quantity(key, Quantity::Time, range)? {
            Read::Time(span) => Some(span),
            _ => None,
        }
    }

    /// A rate.
    pub fn rate(&self, key: &str, range: Range) -> Option<ackclock_base::Rate> {
        match self.quantity(key, Quantity::Rate, range)? {
            Read::Rate(rate) => Some(rate),
            _ => None,
        }
    }

    /// A list of texts.
    pub fn texts(&self, key: &str) -> Option<Vec<&'r str>> {
        let texts = self.list(key)?.iter().map(|node| match &node.value {
            Value::Text(text) => Some(text.as_str()),
            _ => {
                let path = self.path_of(key);
                self.reader.problem(&node.span, &path, &node.describe(), "a name in quotes", None);
                None
            }
        });
        texts.collect()
    }
}
