//! Reads typed values from a document. A problem is noted and reading goes on, so that all are reported at once.

use crate::brought::Brought;
use crate::diagnostics::{Diagnostic, MAX_NAMES, counted, is_hidden, nearest, one_of};
use crate::document::{Document, Node, Span, Table as Entries, Value, quoted};
use crate::keys::{Form, Key, Otherwise, Table, length_words};
use crate::limits::MAX_PROBLEMS;
use crate::ranges::{kind, quantity_words};
use ackclock_base::declare::Field;
use ackclock_base::registry::Quantity;
use ackclock_base::spelling::Misspelt;
use ackclock_base::{Range, Rate, Value as Read};
use std::cell::{Cell, RefCell};

/// A document being read, and what was found wrong with it so far.
pub struct Reader<'d> {
    document: &'d Document,
    plugins: &'d Brought,
    problems: RefCell<Vec<Diagnostic>>,
    /// Problems beyond the most that are reported.
    more: Cell<usize>,
}

impl<'d> Reader<'d> {
    /// A reader of a document that may name what is registered, and these plugins.
    pub fn new(document: &'d Document, plugins: &'d Brought) -> Self {
        Self { document, plugins, problems: RefCell::new(Vec::new()), more: Cell::new(0) }
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

    /// What the document may name besides what is registered.
    pub fn plugins(&self) -> &'d Brought {
        self.plugins
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
    pub fn root(&self, declared: &'static Table) -> Option<TableReader<'_>> {
        self.open(&self.document.root, "", declared)
    }

    /// A node that must be a table as it is declared: with its keys and no others, and with those that it requires.
    pub fn open<'r>(
        &'r self,
        node: &'r Node,
        path: &str,
        declared: &'static Table,
    ) -> Option<TableReader<'r>> {
        let known: Vec<&str> = declared.keys().map(|key| key.name).collect();
        let mut table = TableReader { declared: Some(declared), ..self.table(node, path, &known)? };
        for key in declared.required {
            table.note_missing(key);
            table.noted.push((*key).to_owned());
        }
        let given: Vec<&Key> = declared.keys().filter(|key| table.get(key.name).is_some()).collect();
        for key in given {
            if let Some(needed) = key.needs.iter().find(|needed| table.get(needed).is_none()) {
                if table.noted.iter().any(|noted| noted == needed) {
                    continue;
                }
                let expected = format!("`{needed}` beside it: {}", table.key(needed).expected());
                table.problem_at(key.name, &format!("`{}` without `{needed}`", key.name), &expected);
                table.noted.push((*needed).to_owned());
            }
        }
        Some(table)
    }

    /// A node that must be a table with these keys and no others. Their values are read by [`Reader::quantity`].
    pub fn table<'r>(&'r self, node: &'r Node, path: &str, known: &[&str]) -> Option<TableReader<'r>> {
        let Value::Table(table) = &node.value else {
            let keys: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
            let expected = format!("a table of {}", keys.join(", "));
            self.problem(&node.span, path, &node.describe(), &expected, None);
            return None;
        };
        let mut reader = TableReader {
            reader: self,
            declared: None,
            table,
            span: node.span.clone(),
            path: path.to_owned(),
            noted: Vec::new(),
        };
        for (key, span, _) in &table.entries {
            if !known.contains(&key.as_str()) {
                let hint = nearest(key, known.iter().copied());
                let expected = match &hint {
                    Some(_) if known.len() > MAX_NAMES => "a key that is known here".to_owned(),
                    _ => one_of(known.iter().copied()),
                };
                reader.noted.extend(hint.as_deref().map(|hint| hint.trim_matches('`').to_owned()));
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
                let expected = quantity_words(quantity, &range);
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

/// A table being read.
pub struct TableReader<'r> {
    /// The reader that collects problems.
    pub reader: &'r Reader<'r>,
    /// The declaration of the table; `None` where a registered thing declares its parameters.
    declared: Option<&'static Table>,
    table: &'r Entries,
    span: Span,
    path: String,
    /// Keys whose absence has been noted, or which unknown keys probably stand for: one mistake has one message.
    noted: Vec<String>,
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

    /// The value of a key; `None` for a key that is absent, or that the table does not declare (which is noted).
    pub fn get(&self, key: &str) -> Option<&'r Node> {
        let is_known = self.declared.is_none_or(|table| table.key(key).is_some());
        self.table.get(key).filter(|_| is_known)
    }

    /// The value of a key that other keys of the table require. That it is missing is noted.
    pub fn required(&self, key: &str) -> Option<&'r Node> {
        self.note_missing(key);
        self.get(key)
    }

    fn note_missing(&self, key: &str) {
        if self.table.get(key).is_none() && !self.noted.iter().any(|noted| noted == key) {
            let place =
                if self.path.is_empty() { "the scenario".to_owned() } else { format!("`{}`", self.path) };
            let expected = self.key(key).expected();
            self.problem(&self.path_of(key), &format!("no `{key}` in {place}"), &expected);
        }
    }

    /// The declaration of a key.
    ///
    /// # Panics
    /// When the table declares no such key, which is a mistake in the code that reads it.
    fn key(&self, key: &str) -> &'static Key {
        let declared = self.declared.and_then(|table| table.key(key));
        declared.unwrap_or_else(|| {
            panic!("the table `{}` is read by a key that it does not declare: {key}", self.path)
        })
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

    /// The value of a key that is declared as a quantity; `None` if it is absent, or wrong (which is noted).
    pub fn read<T: Field>(&self, key: &str) -> Option<T> {
        let node = self.table.get(key)?;
        let quantity = self.key(key).quantity();
        let (quantity, range) = quantity.unwrap_or_else(|| panic!("`{key}` is not declared as a quantity"));
        T::of(self.reader.quantity(node, &self.path_of(key), quantity, range)?)
    }

    /// The value of a key, or the default that the key declares; `None` if it is wrong (which is noted).
    ///
    /// # Panics
    /// When the key declares no default that is a quantity, which is a mistake in its declaration.
    pub fn read_or_default<T: Field>(&self, key: &str) -> Option<T> {
        if self.table.get(key).is_some() {
            return self.read(key);
        }
        let declared = self.key(key);
        let value = match (declared.otherwise, declared.quantity()) {
            (Otherwise::Value(default), Some((quantity, _))) => quantity.read(default.trim_matches('"')).ok(),
            _ => None,
        };
        Some(value.and_then(T::of).unwrap_or_else(|| panic!("`{key}` declares no default of its type")))
    }

    /// The word of a key that is declared as one of a few; `None` if it is absent, or wrong (which is noted).
    pub fn word(&self, key: &str) -> Option<&'static str> {
        let node = self.table.get(key)?;
        let (quantity, range) = self.key(key).quantity()?;
        match self.reader.quantity(node, &self.path_of(key), quantity, range)? {
            Read::Choice(word) => Some(word),
            _ => None,
        }
    }

    /// The table that a key opens; `None` if it is absent, or wrong (which is noted).
    pub fn open(&self, key: &str) -> Option<TableReader<'r>> {
        let declared = self.key(key).table();
        let declared = declared.unwrap_or_else(|| panic!("`{key}` is not declared as a table"));
        self.reader.open(self.table.get(key)?, &self.path_of(key), declared)
    }

    /// The tables of a list of tables, each with its index; empty if it is absent, or wrong (which is noted).
    pub fn tables(&self, key: &str) -> Vec<(usize, &'r Node, Option<TableReader<'r>>)> {
        let declared = self.key(key).table();
        let declared = declared.unwrap_or_else(|| panic!("`{key}` is not declared as a list of tables"));
        let items = self.get(key).and_then(|_| self.list(key)).unwrap_or_default().iter().enumerate();
        let path = self.path_of(key);
        items
            .map(|(index, node)| (index, node, self.reader.open(node, &format!("{path}.{index}"), declared)))
            .collect()
    }

    /// A list, whose length is within the declared bounds.
    pub fn list(&self, key: &str) -> Option<&'r [Node]> {
        let node = self.table.get(key)?;
        let form = self.key(key).list();
        match (&node.value, form) {
            (Value::List(items), Some(form)) => {
                let [least, most] = form.lengths();
                if (least..=most).contains(&items.len()) {
                    return Some(items);
                }
                let found = counted(items.len(), form.noun());
                let expected =
                    format!("{} of them: {}", length_words([least, most]), self.key(key).expected());
                self.problem_at(key, &format!("a list of {found}"), &expected);
                None
            }
            (Value::Table(_), Some(Form::Tables(..))) => {
                self.problem_at(key, &format!("one table, [{key}]"), &format!("a list of tables, [[{key}]]"));
                None
            }
            _ => {
                self.problem_at(key, &node.describe(), "a list in brackets");
                None
            }
        }
    }

    /// A list of quantities.
    pub fn quantities<T: Field>(&self, key: &str) -> Option<Vec<T>> {
        let (path, form) = (self.path_of(key), self.key(key).list());
        let Some(Form::List(Form::Quantity(quantity, range), _)) = form else {
            panic!("`{key}` is not declared as a list of quantities");
        };
        let item = |node| T::of(self.reader.quantity(node, &path, *quantity, *range)?);
        self.list(key)?.iter().map(item).collect()
    }

    /// A list of rows of two quantities, each with its node. Of a row that is none, `words` says what one is.
    pub fn pairs<T: Field, U: Field>(&self, key: &str, words: &str) -> Option<Vec<(&'r Node, T, U)>> {
        let (path, form) = (self.path_of(key), self.key(key).list());
        let Some(Form::List(Form::Row([Form::Quantity(first, firsts), Form::Quantity(second, seconds)]), _)) =
            form
        else {
            panic!("`{key}` is not declared as a list of pairs");
        };
        let pair = |node: &'r Node| {
            let problem = |found: &str| self.reader.problem(&node.span, &path, found, words, None);
            let Value::List(parts) = &node.value else {
                problem(&node.describe());
                return None;
            };
            let [one, other] = parts.as_slice() else {
                problem(&format!("a list of {}", counted(parts.len(), "value")));
                return None;
            };
            // Where the two are in the wrong order, that is one mistake.
            let one = T::of(self.reader.quantity(one, &path, *first, *firsts)?)?;
            let other = U::of(self.reader.quantity(other, &path, *second, *seconds)?)?;
            Some((node, one, other))
        };
        // All are read before one is missed, so that all mistakes are found.
        let read: Vec<Option<_>> = self.list(key)?.iter().map(pair).collect();
        read.into_iter().collect()
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
