//! Reads typed values from a document. Reading continues after a problem, so that all problems are reported
//! at once.

use crate::language::diagnostics::{Diagnostic, MAX_NAMES, counted, in_order, is_hidden, nearest, one_of};
use crate::language::document::{Document, Node, Span, Table as Entries, Value, quoted};
use crate::language::keys::{Form, Key, Otherwise, Table, length_words};
use crate::language::limits::MAX_PROBLEMS;
use crate::language::registry::plugins::Plugins;
use ackclock_base::declare::Field;
use ackclock_base::ranges::{kind, quantity_words};
use ackclock_base::registry::Quantity;
use ackclock_base::spelling::Misspelt;
use ackclock_base::{Range, Rate, Value as Read};
use std::cell::{Cell, RefCell};

/// A document being read, and the problems found so far.
pub struct Reader<'d> {
    document: &'d Document,
    plugins: &'d Plugins,
    problems: RefCell<Vec<Diagnostic>>,
    /// The number of problems beyond the maximum that is reported.
    more: Cell<usize>,
}

impl<'d> Reader<'d> {
    /// Creates a reader of a document that may name registered entries and these plugins.
    pub fn new(document: &'d Document, plugins: &'d Plugins) -> Self {
        Self { document, plugins, problems: RefCell::new(Vec::new()), more: Cell::new(0) }
    }

    /// Returns the problems found, in the order of the file.
    pub fn into_problems(self) -> Vec<Diagnostic> {
        let mut problems = in_order(self.problems.into_inner());
        if self.more.get() > 0 {
            let found = counted(self.more.get(), "more mistake");
            problems.push(self.document.problem(
                &None,
                "",
                &found,
                "none; correct the mistakes listed above, then check again to see the others",
                None,
            ));
        }
        problems
    }

    /// Returns the number of problems found so far.
    pub fn problem_count(&self) -> usize {
        self.problems.borrow().len() + self.more.get()
    }

    /// Returns the document.
    pub fn document(&self) -> &'d Document {
        self.document
    }

    /// Returns the plugins that the document may name besides registered entries.
    pub fn plugins(&self) -> &'d Plugins {
        self.plugins
    }

    /// Reports a problem.
    pub fn problem(&self, span: &Span, path: &str, found: &str, expected: &str, hint: Option<String>) {
        self.note(|| self.document.problem(span, path, found, expected, hint));
    }

    /// Reports a problem that may be in another file. Problems beyond the maximum are only counted.
    pub fn note(&self, problem: impl FnOnce() -> Diagnostic) {
        let mut problems = self.problems.borrow_mut();
        if problems.len() < MAX_PROBLEMS {
            problems.push(problem());
        } else {
            self.more.set(self.more.get() + 1);
        }
    }

    /// Opens the document as a table.
    pub fn root(&self, declared: &'static Table) -> Option<TableReader<'_>> {
        self.open(&self.document.root, "", declared)
    }

    /// Opens a node that must be a table as declared: with the keys that it requires and no unknown ones.
    /// Returns `None` if it is no table.
    pub fn open<'r>(
        &'r self,
        node: &'r Node,
        path: &str,
        declared: &'static Table,
    ) -> Option<TableReader<'r>> {
        let known: Vec<&str> = declared.keys().map(|key| key.name).collect();
        let mut table = TableReader { declared: Some(declared), ..self.table(node, path, &known)? };
        for key in declared.required {
            table.note_missing(key, "");
            table.noted.push((*key).to_owned());
        }
        let given: Vec<&Key> = declared.keys().filter(|key| table.get(key.name).is_some()).collect();
        for key in given {
            if let Some(needed) = key.needs.iter().find(|needed| table.get(needed).is_none()) {
                if table.noted.iter().any(|noted| noted == needed) {
                    continue;
                }
                let needed_key = table.key(needed);
                let expected = match needed_key.quantity() {
                    Some((Quantity::Flag, _)) => format!("`{needed} = true` as well"),
                    _ => format!("`{needed}` as well: {}", needed_key.expected()),
                };
                table.problem_at(key.name, &format!("`{}` without `{needed}`", key.name), &expected);
                table.noted.push((*needed).to_owned());
            }
        }
        Some(table)
    }

    /// Opens a node that must be a table with these keys and no others. Their values are read by
    /// [`Reader::quantity`].
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
                    Some(_) if known.len() > MAX_NAMES => "a known key".to_owned(),
                    _ => one_of(known.iter().copied()),
                };
                reader.noted.extend(hint.as_deref().map(|hint| hint.trim_matches('`').to_owned()));
                self.problem(span, &reader.path_of(key), &format!("the key `{key}`"), &expected, hint);
            }
        }
        Some(reader)
    }

    /// Reads a quantity, from a text or, if it has no unit, from a bare number. Returns `None` after a
    /// problem was reported.
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

/// Returns what is expected in place of a value without its unit. If a bare number was found, the hint adds
/// the unit that it may lack.
fn with_unit(number: &str, quantity: Quantity) -> Misspelt {
    // A rate without a unit is taken for a number of bits.
    let bits =
        number.parse::<f64>().ok().filter(|bits| quantity == Quantity::Rate && *bits >= 1e4 && *bits < 1e12);
    let units: &[&str] = match quantity {
        // A negative or infinite number is not valid with any unit.
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

/// Returns the number or the flag that the user has put in quotes; `None` if the text is neither.
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
    /// The declaration of the table; `None` if a registered entry declares its parameters.
    declared: Option<&'static Table>,
    table: &'r Entries,
    span: Span,
    path: String,
    /// Keys whose absence has been reported, or which unknown keys probably mean, so that one mistake causes
    /// one message.
    noted: Vec<String>,
}

impl<'r> TableReader<'r> {
    /// Returns the dotted path of a key in this table.
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Returns the path of the table.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the value of a key; `None` if it is absent, or if the table does not declare it (a problem
    /// reported elsewhere).
    pub fn get(&self, key: &str) -> Option<&'r Node> {
        let is_known = self.declared.is_none_or(|table| table.key(key).is_some());
        self.table.get(key).filter(|_| is_known)
    }

    /// Returns whether the file itself gives a value to a key, and not an override.
    pub fn is_written(&self, key: &str) -> bool {
        self.get(key).is_some_and(|node| node.span.is_some())
    }

    /// Returns the value of a key that other keys of the table require, and reports its absence.
    pub fn required(&self, key: &str) -> Option<&'r Node> {
        self.note_missing(key, "");
        self.get(key)
    }

    /// Reports the absence of a key in whose place the table may have other keys, which `others` names in words.
    pub fn required_unless(&self, key: &str, others: &str) {
        self.note_missing(key, &format!("; or {others} instead"));
    }

    fn note_missing(&self, key: &str, instead: &str) {
        if self.table.get(key).is_none() && !self.noted.iter().any(|noted| noted == key) {
            let place =
                if self.path.is_empty() { "the scenario".to_owned() } else { format!("`{}`", self.path) };
            let expected = self.key(key).expected() + instead;
            self.problem(&self.path_of(key), &format!("no `{key}` in {place}"), &expected);
        }
    }

    /// Returns the declaration of a key.
    ///
    /// # Panics
    /// Panics if the table declares no such key, which is a mistake in the code that reads it.
    pub(super) fn key(&self, key: &str) -> &'static Key {
        let declared = self.declared.and_then(|table| table.key(key));
        declared.unwrap_or_else(|| {
            panic!("the table `{}` does not declare the key `{key}`, which the code reads", self.path)
        })
    }

    /// Reports a problem with the table itself.
    pub fn problem(&self, path: &str, found: &str, expected: &str) {
        // The location is the beginning of the table, because the end of a long table is far from what the
        // user sees.
        self.reader.problem(&self.span, path, found, expected, None);
    }

    /// Reports a problem with the value of a key, or with the table if the key is absent.
    pub fn problem_at(&self, key: &str, found: &str, expected: &str) {
        let span = self.table.get(key).map_or_else(|| self.span.clone(), |node| node.span.clone());
        self.reader.problem(&span, &self.path_of(key), found, expected, None);
    }

    /// Returns a text; `None` if it is absent, or invalid (which is reported).
    pub fn text(&self, key: &str) -> Option<&'r str> {
        let node = self.table.get(key)?;
        match &node.value {
            Value::Text(text) => Some(text),
            _ => {
                self.problem_at(key, &node.describe(), "a string in quotes");
                None
            }
        }
    }

    /// Returns a name: a text that fits on a line and cannot control a terminal. `None` if it is absent, or
    /// invalid (which is reported).
    pub fn name(&self, key: &str) -> Option<&'r str> {
        const LONGEST: usize = 200;
        let name = self.text(key)?;
        if name.is_empty() || name.chars().count() > LONGEST || name.contains(is_hidden) {
            let expected =
                format!("a name of 1 to {LONGEST} characters on one line, without invisible characters");
            self.problem_at(key, &quoted(name), &expected);
            return None;
        }
        Some(name)
    }

    /// Returns the value of a key that is declared as a quantity; `None` if it is absent, or invalid (which
    /// is reported).
    pub fn read<T: Field>(&self, key: &str) -> Option<T> {
        let node = self.table.get(key)?;
        let quantity = self.key(key).quantity();
        let (quantity, range) = quantity.unwrap_or_else(|| panic!("`{key}` is not declared as a quantity"));
        T::of(self.reader.quantity(node, &self.path_of(key), quantity, range)?)
    }

    /// Returns the value of a key, or the default that the key declares; `None` if the value is invalid
    /// (which is reported).
    ///
    /// # Panics
    /// Panics if the key declares no default that is a quantity, which is a mistake in its declaration.
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

    /// Returns the word of a key that is declared as one of a few; `None` if it is absent, or invalid (which
    /// is reported).
    pub fn word(&self, key: &str) -> Option<&'static str> {
        let node = self.table.get(key)?;
        let (quantity, range) = self.key(key).quantity()?;
        match self.reader.quantity(node, &self.path_of(key), quantity, range)? {
            Read::Choice(word) => Some(word),
            _ => None,
        }
    }

    /// Opens the table of a key; `None` if it is absent, or invalid (which is reported).
    pub fn open(&self, key: &str) -> Option<TableReader<'r>> {
        let declared = self.key(key).table();
        let declared = declared.unwrap_or_else(|| panic!("`{key}` is not declared as a table"));
        self.reader.open(self.table.get(key)?, &self.path_of(key), declared)
    }

    /// Opens the tables of a list of tables, each with its index; empty if the list is absent, or invalid
    /// (which is reported).
    pub fn tables(&self, key: &str) -> Vec<(usize, &'r Node, Option<TableReader<'r>>)> {
        let declared = self.key(key).table();
        let declared = declared.unwrap_or_else(|| panic!("`{key}` is not declared as a list of tables"));
        let items = self.get(key).and_then(|_| self.list(key)).unwrap_or_default().iter().enumerate();
        let path = self.path_of(key);
        items
            .map(|(index, node)| (index, node, self.reader.open(node, &format!("{path}.{index}"), declared)))
            .collect()
    }

    /// Returns a list whose length is within the declared bounds; `None` if it is absent, or invalid (which
    /// is reported).
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
                let plural = if [least, most] == [1, 1] { "" } else { "s" };
                let expected = format!(
                    "{} {}{plural}: {}",
                    length_words([least, most]),
                    form.noun(),
                    self.key(key).expected()
                );
                self.problem_at(key, &format!("a list of {found}"), &expected);
                None
            }
            (Value::Table(_), Some(Form::Tables(..))) => {
                let path = self.path_of(key);
                self.problem_at(
                    key,
                    &format!("one table, [{path}]"),
                    &format!("a list of tables, [[{path}]]"),
                );
                None
            }
            _ => {
                self.problem_at(key, &node.describe(), "a list in brackets");
                None
            }
        }
    }

    /// Returns a list of quantities; `None` if it is absent, or invalid (which is reported).
    pub fn quantities<T: Field>(&self, key: &str) -> Option<Vec<T>> {
        let (path, form) = (self.path_of(key), self.key(key).list());
        let Some(Form::List(Form::Quantity(quantity, range), _)) = form else {
            panic!("`{key}` is not declared as a list of quantities");
        };
        let item = |node| T::of(self.reader.quantity(node, &path, *quantity, *range)?);
        self.list(key)?.iter().map(item).collect()
    }

    /// Returns a list of rows of two quantities, each with its node; `None` if it is absent, or invalid
    /// (which is reported). For an invalid row the message expects what `words` says.
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
            // Two values in the wrong order are one mistake, not two.
            let one = T::of(self.reader.quantity(one, &path, *first, *firsts)?)?;
            let other = U::of(self.reader.quantity(other, &path, *second, *seconds)?)?;
            Some((node, one, other))
        };
        // All rows are read before the result is assembled, so that all mistakes are found.
        let read: Vec<Option<_>> = self.list(key)?.iter().map(pair).collect();
        read.into_iter().collect()
    }

    /// Returns a list of texts; `None` if it is absent, or invalid (which is reported).
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
