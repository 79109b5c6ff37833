//! Reads typed values from a document. A problem is noted and reading goes on, so that all are reported at once.

use crate::diagnostics::{Diagnostic, MAX_NAMES, counted, is_hidden, nearest, one_of};
use crate::document::{Document, Node, Span, Table, Value, quoted};
use ackclock_base::registry::Quantity;
use ackclock_base::spelling::Misspelt;
use ackclock_base::{Range, Rate, Value as Read};
use std::cell::{Cell, RefCell};

/// A document being read, and what was found wrong with it so far.
pub struct Reader<'d> {
    document: &'d Document,
    problems: RefCell<Vec<Diagnostic>>,
    /// Problems beyond the most that are reported.
    more: Cell<usize>,
}

/// The most problems that are reported at once.
pub const MAX_PROBLEMS: usize = 100;

impl<'d> Reader<'d> {
    /// Begins.
    pub fn new(document: &'d Document) -> Self {
        Self { document, problems: RefCell::new(Vec::new()), more: Cell::new(0) }
    }

    /// What was found wrong, in the order of the file.
    pub fn into_problems(self) -> Vec<Diagnostic> {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|problem| (problem.line.unwrap_or(usize::MAX), problem.column));
        if self.more.get() > 0 {
            let found = counted(self.more.get(), "more mistake");
            problems.push(self.document.problem(&None, "", &found, "these to be corrected first", None));
        }
        problems
    }

    /// How much was found wrong so far.
    pub fn problem_count(&self) -> usize {
        self.problems.borrow().len() + self.more.get()
    }

    /// The document.
    pub fn document(&self) -> &'d Document {
        self.document
    }

    /// Notes a problem.
    pub fn problem(&self, span: &Span, path: &str, found: &str, expected: &str, hint: Option<String>) {
        self.note(|| self.document.problem(span, path, found, expected, hint));
    }

    /// Notes a problem that may be in another file. Beyond the most that are reported it is only counted.
    pub fn note(&self, problem: impl FnOnce() -> Diagnostic) {
        let mut problems = self.problems.borrow_mut();
        if problems.len() < MAX_PROBLEMS {
            problems.push(problem());
        } else {
            self.more.set(self.more.get() + 1);
        }
    }

    /// The document as a table.
    pub fn root(&self, known: &[&str]) -> Option<TableReader<'_>> {
        self.table(&self.document.root, "", known)
    }

    /// A node that must be a table with these keys and no others.
    pub fn table<'r>(&'r self, node: &'r Node, path: &str, known: &[&str]) -> Option<TableReader<'r>> {
        let Value::Table(table) = &node.value else {
            let keys: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
            let expected = format!("a table of {}", keys.join(", "));
            self.problem(&node.span, path, &node.describe(), &expected, None);
            return None;
        };
        let mut reader = TableReader {
            reader: self,
            table,
            span: node.span.clone(),
            path: path.to_owned(),
            misspelt: Vec::new(),
        };
        for (key, span, _) in &table.entries {
            if !known.contains(&key.as_str()) {
                let hint = nearest(key, known.iter().copied());
                let expected = match &hint {
                    Some(_) if known.len() > MAX_NAMES => "a key that is known here".to_owned(),
                    _ => one_of(known.iter().copied()),
                };
                reader.misspelt.extend(hint.clone());
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
            (Value::Text(text), Quantity::Number | Quantity::Integer | Quantity::Flag) => Err(Misspelt {
                expected: format!("{} without quotes", kind(quantity)),
                hint: without_quotes(text, quantity),
            }),
            (Value::Text(text), _) if quantity != Quantity::File && text.trim().parse::<f64>().is_ok() => {
                Err(with_unit(text.trim(), quantity))
            }
            (Value::Text(text), _) => quantity.read(text).map_err(|misspelt| Misspelt {
                hint: misspelt.hint.map(|hint| format!("\"{hint}\"")),
                ..misspelt
            }),
            (Value::Integer(_) | Value::Float(_), _) => Err(with_unit(&node.describe(), quantity)),
            _ => Err(with_unit("", quantity)),
        };
        match read {
            Ok(value) if value.base().is_none_or(|base| range.contains(base)) => Some(value),
            Ok(_) => {
                let expected = format!("{} {}", kind(quantity), allowed(quantity, &range));
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

/// What is expected where there is no such quantity; where a bare number was found, with the unit it may lack.
fn with_unit(number: &str, quantity: Quantity) -> Misspelt {
    // Who writes a rate without a unit counts bits.
    let bits =
        number.parse::<f64>().ok().filter(|bits| quantity == Quantity::Rate && *bits >= 1e4 && *bits < 1e12);
    let units: &[&str] = match quantity {
        // No unit makes them right.
        _ if number.parse::<f64>().is_ok_and(|number| !number.is_finite() || number < 0.0) => &[],
        Quantity::Time => &["s", "ms"],
        Quantity::Rate => &["Mbit/s"],
        Quantity::Size => &["B"],
        Quantity::Packets | Quantity::Limit => &["packets"],
        _ => &[],
    };
    let hints: Vec<String> = units.iter().map(|unit| format!("\"{number} {unit}\"")).collect();
    let hint = (!number.is_empty() && !hints.is_empty()).then(|| hints.join(" or "));
    let hint = bits.map(|bits| format!("\"{}\"", Rate::from_bits_per_second(bits as u64))).or(hint);
    let misspelt = quantity.read("").err();
    Misspelt {
        expected: misspelt.map_or_else(|| kind(quantity).to_owned(), |misspelt| misspelt.expected),
        hint,
    }
}

/// The number or the flag that somebody has put in quotes.
fn without_quotes(text: &str, quantity: Quantity) -> Option<String> {
    let percent = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    match (percent, quantity) {
        (Some(percent), Quantity::Number) => Some((percent / 100.0).to_string()),
        _ => quantity.read(text.trim()).ok().map(|_| text.trim().to_owned()),
    }
}

/// What a quantity is, with its article.
fn kind(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Number => "a number",
        Quantity::Integer => "a whole number",
        Quantity::Flag => "true or false",
        Quantity::Time => "a time",
        Quantity::Rate => "a rate",
        Quantity::Size => "a size",
        Quantity::Packets => "a number of packets",
        Quantity::Limit => "a queue limit",
        Quantity::Choice(_) => "a word",
        Quantity::File => "the name of a file",
    }
}

/// A range in words that follow the quantity's name, its bounds as they would be written.
fn allowed(quantity: Quantity, range: &Range) -> String {
    let written = |base: f64| match quantity {
        _ if base == 0.0 => "0".to_owned(),
        Quantity::Time => ackclock_base::Span::from_seconds(base).to_string(),
        Quantity::Rate => ackclock_base::Rate::from_bits_per_second(base as u64).to_string(),
        Quantity::Size => format!("{base} B"),
        _ => base.to_string(),
    };
    let (min, max) = (written(range.min), written(range.max));
    match (range.min == f64::MIN, range.above_min, range.max == f64::MAX) {
        (true, _, _) => format!("of at most {max}"),
        (_, true, true) => format!("above {min}"),
        (_, false, true) => format!("of at least {min}"),
        (_, true, false) => format!("above {min} and at most {max}"),
        (_, false, false) => format!("from {min} to {max}"),
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
    /// Keys that unknown ones probably stand for, as they are suggested.
    misspelt: Vec<String>,
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
        // Where it has been reported as misspelt: one mistake, one message.
        if node.is_none() && !self.misspelt.contains(&format!("`{key}`")) {
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

    /// What something is called: text that fits on a line and cannot steer a terminal.
    pub fn name(&self, key: &str) -> Option<&'r str> {
        const LONGEST: usize = 200;
        let name = self.text(key)?;
        if name.is_empty() || name.chars().count() > LONGEST || name.contains(is_hidden) {
            let expected = format!("a name of 1 to {LONGEST} characters on one line");
            self.problem_at(key, &quoted(name), &expected);
            return None;
        }
        Some(name)
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
            Value::Table(_) if ["flows", "links", "media", "agents"].contains(&key) => {
                self.problem_at(key, &format!("one table, [{key}]"), &format!("a list of tables, [[{key}]]"));
                None
            }
            _ => {
                self.problem_at(key, &node.describe(), "a list in brackets");
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

    /// True or false.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.quantity(key, Quantity::Flag, Range::ANY)? {
            Read::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    /// A number of packets.
    pub fn packets(&self, key: &str, range: Range) -> Option<u64> {
        match self.quantity(key, Quantity::Packets, range)? {
            Read::Packets(packets) => Some(packets as u64),
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
