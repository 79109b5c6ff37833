//! Declarations of the scenario language. Each key of each table is declared once, with its forms, its range,
//! its default and its meaning. The reader, the JSON Schema, the reference in the documentation and the form
//! of the page use these declarations.
//!
//! A declaration is a constant beside the code that reads the table:
//!
//! ```
//! use ackclock_base::Range;
//! use ackclock_lab::language::keys::{Form, Key, Table};
//!
//! static PAUSE: Table = Table::new("pause", "A time in which a link sends nothing", &[&[
//!     Key::new("from", &[Form::time(Range::between(0.0, 1e6))], "The time at which the pause begins").such_as("\"15 s\""),
//!     Key::new("lasts", &[Form::time(Range::between(0.0, 60.0))], "How long the pause lasts").or("\"1 s\""),
//! ]])
//! .requiring(&["from"]);
//!
//! assert!(PAUSE.key("lasts").is_some());
//! ```

use ackclock_base::declare::Field;
use ackclock_base::ranges;
use ackclock_base::registry::Quantity;
use ackclock_base::{Kind, Range};

/// A table of the scenario language.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The name of the table in the schema and in the reference.
    pub name: &'static str,
    /// What the table describes, as a noun phrase without a full stop.
    pub meaning: &'static str,
    /// The keys, in groups that several tables may share.
    pub groups: &'static [&'static [Key]],
    /// The required keys.
    pub required: &'static [&'static str],
    /// Sets of keys of which one has to be given as a whole; empty if there is no such choice.
    pub one_of: &'static [&'static [&'static str]],
    /// Whether only one of those sets may be given.
    pub exclusive: bool,
    /// The forms of the values of keys that the user chooses, such as names of nodes; empty if there are no
    /// such keys.
    pub others: &'static [Form],
    /// The default in words of the keys that are not `kept`, in a table that changes another one; empty if each key has
    /// its own default.
    pub inherits: &'static str,
    /// The keys with their own defaults in a table that changes another one.
    pub kept: &'static [&'static str],
}

/// A key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The name of the key.
    pub name: &'static str,
    /// The forms that the value may have.
    pub forms: &'static [Form],
    /// What the key means, as a noun phrase or a clause without a full stop.
    pub meaning: &'static str,
    /// What holds if the key is not given.
    pub otherwise: Otherwise,
    /// An example of a value, as TOML; empty if the default or the first form provides one.
    pub example: &'static str,
    /// Keys of the same table without which this one is refused.
    pub needs: &'static [&'static str],
}

/// What holds if a key is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// What the key describes does not exist.
    None,
    /// This value, as TOML.
    Value(&'static str),
    /// A value that depends on other keys, in words.
    Words(&'static str),
}

/// A form that a value may have.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A quantity within a range.
    Quantity(Quantity, Range),
    /// A text in quotes, such as a name.
    Text,
    /// A number, or a number with a unit in quotes: one end of a range of values of any kind.
    Amount,
    /// Any value.
    Anything,
    /// A registered entry of this kind: its name, or a table with its `name` and parameters.
    Named(Kind),
    /// A table.
    Table(&'static Table),
    /// A list of tables, whose length has these bounds.
    Tables(&'static Table, [usize; 2]),
    /// A list of values of one form, whose length has these bounds.
    List(&'static Form, [usize; 2]),
    /// A list with one value of each of these forms, in this order.
    Row(&'static [Form]),
}

impl Table {
    /// Creates a table with these groups of keys.
    pub const fn new(name: &'static str, meaning: &'static str, groups: &'static [&'static [Key]]) -> Self {
        Self {
            name,
            meaning,
            groups,
            required: &[],
            one_of: &[],
            exclusive: true,
            others: &[],
            inherits: "",
            kept: &[],
        }
    }

    /// Returns the table with these keys required.
    pub const fn requiring(self, required: &'static [&'static str]) -> Self {
        Self { required, ..self }
    }

    /// Returns the table with the requirement that exactly one of these sets of keys is given.
    pub const fn one_of(self, one_of: &'static [&'static [&'static str]]) -> Self {
        Self { one_of, ..self }
    }

    /// Returns the table with the requirement that at least one of these sets of keys is given.
    pub const fn any_of(self, one_of: &'static [&'static [&'static str]]) -> Self {
        Self { one_of, exclusive: false, ..self }
    }

    /// Returns the table with keys that the user chooses, whose values have one of these forms.
    pub const fn others(self, others: &'static [Form]) -> Self {
        Self { others, ..self }
    }

    /// Returns the table with this default in words for every key that is not `kept`.
    pub const fn inheriting(self, inherits: &'static str, kept: &'static [&'static str]) -> Self {
        Self { inherits, kept, ..self }
    }

    /// Returns what holds in this table if it does not give a key.
    pub fn otherwise(&self, key: &Key) -> Otherwise {
        if self.inherits.is_empty() || self.kept.contains(&key.name) {
            key.otherwise
        } else {
            Otherwise::Words(self.inherits)
        }
    }

    /// Returns the keys, in the order in which messages and the reference list them.
    pub fn keys(&self) -> impl Iterator<Item = &'static Key> + use<> {
        self.groups.iter().copied().flatten()
    }

    /// Returns the key called `name`, if it is declared.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys().find(|key| key.name == name)
    }

    /// Returns the keys of the shortest complete table.
    pub fn least(&self) -> impl Iterator<Item = &'static str> + use<> {
        let first = self.one_of.first().copied().unwrap_or_default();
        self.required.iter().chain(first).copied()
    }

    /// Returns this table and every table that its values open, each once, in the order of discovery.
    pub fn reachable(&'static self) -> Vec<&'static Table> {
        let mut found: Vec<&'static Table> = vec![self];
        let mut next = 0;
        while let Some(table) = found.get(next).copied() {
            next += 1;
            let forms = table.keys().flat_map(|key| key.forms).chain(table.others);
            for opened in forms.filter_map(Form::opens) {
                if !found.iter().any(|known| std::ptr::eq(*known, opened)) {
                    found.push(opened);
                }
            }
        }
        found
    }
}

impl Key {
    /// Creates an optional key. Without it, what it describes does not exist.
    pub const fn new(name: &'static str, forms: &'static [Form], meaning: &'static str) -> Self {
        Self { name, forms, meaning, otherwise: Otherwise::None, example: "", needs: &[] }
    }

    /// Returns the key with a default, as TOML.
    pub const fn or(self, default: &'static str) -> Self {
        Self { otherwise: Otherwise::Value(default), ..self }
    }

    /// Returns the key with a default that depends on other keys, in words.
    pub const fn otherwise(self, words: &'static str) -> Self {
        Self { otherwise: Otherwise::Words(words), ..self }
    }

    /// Returns the key with an example, as TOML.
    pub const fn such_as(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// Returns the key with the condition that these keys of the same table are given as well.
    pub const fn needing(self, needs: &'static [&'static str]) -> Self {
        Self { needs, ..self }
    }

    /// Returns the name or the word that the key has by default; `None` if its default is no text, or depends on other
    /// keys.
    pub fn default_name(&self) -> Option<&'static str> {
        match self.otherwise {
            Otherwise::Value(default) => default.strip_prefix('"')?.strip_suffix('"'),
            _ => None,
        }
    }

    /// Returns an example of a value, as TOML; `None` if the first form is a table, whose shortest form is an
    /// example.
    pub fn example(&self) -> Option<String> {
        match (self.example, self.otherwise) {
            ("", Otherwise::Value(default)) => Some(default.to_owned()),
            ("", _) => match self.forms.first()? {
                Form::Quantity(Quantity::Choice(words), _) => words.first().map(|word| format!("\"{word}\"")),
                Form::Quantity(Quantity::Flag, _) => Some("true".to_owned()),
                _ => None,
            },
            (example, _) => Some(example.to_owned()),
        }
    }

    /// Returns the first form that is a quantity, with its range, if there is one.
    pub fn quantity(&self) -> Option<(Quantity, Range)> {
        self.forms.iter().find_map(|form| match form {
            Form::Quantity(quantity, range) => Some((*quantity, *range)),
            _ => None,
        })
    }

    /// Returns the first form that is a list, if there is one.
    pub fn list(&self) -> Option<&'static Form> {
        self.forms.iter().find(|form| matches!(form, Form::List(..) | Form::Tables(..) | Form::Row(_)))
    }

    /// Returns the table that the value opens, by itself or in a list, if there is one.
    pub fn table(&self) -> Option<&'static Table> {
        self.forms.iter().find_map(Form::opens)
    }

    /// Returns what messages expect of the value: its meaning and an example.
    pub fn expected(&self) -> String {
        let meaning = lower(self.meaning);
        match self.example() {
            Some(example) => format!("{meaning}, such as {example}"),
            None => format!("{meaning}: {}", self.forms.first().map(Form::words).unwrap_or_default()),
        }
    }
}

impl Form {
    /// Returns the form of a time within a range in seconds.
    pub const fn time(range: Range) -> Self {
        Self::Quantity(Quantity::Time, range)
    }

    /// Returns the form of a number within a range.
    pub const fn number(range: Range) -> Self {
        Self::Quantity(Quantity::Number, range)
    }

    /// Returns the form of a whole number within a range.
    pub const fn whole(range: Range) -> Self {
        Self::Quantity(Quantity::Integer, range)
    }

    /// True or false.
    pub const FLAG: Self = Self::Quantity(Quantity::Flag, Range::ANY);

    /// Returns the form of one of a few words.
    pub const fn words_of(words: &'static [&'static str]) -> Self {
        Self::Quantity(Quantity::Choice(words), Range::ANY)
    }

    /// Returns the form of a word of a type made by [`choice!`](ackclock_base::choice).
    pub const fn choice<T: Field>() -> Self {
        Self::words_of(T::WORDS)
    }

    /// Returns the table that a value of this form opens, by itself or in a list, if any.
    pub const fn opens(&self) -> Option<&'static Table> {
        match self {
            Self::Table(table) | Self::Tables(table, _) => Some(table),
            Self::List(Self::Table(table), _) => Some(table),
            _ => None,
        }
    }

    /// Returns the form in words, for messages and the reference.
    pub fn words(&self) -> String {
        match self {
            Self::Quantity(Quantity::Choice(words), _) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                match quoted.split_last() {
                    Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
                    _ => quoted.concat(),
                }
            }
            Self::Quantity(quantity, range) => ranges::quantity_words(*quantity, range),
            Self::Text => "a string in quotes".to_owned(),
            Self::Amount => "a number, alone or with a unit in quotes".to_owned(),
            Self::Anything => "any value".to_owned(),
            Self::Named(kind) => {
                let name = kind.name();
                let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
                format!("the name of {article} {name}, or a table with its `name` and parameters")
            }
            Self::Table(table) => table.words(),
            Self::Tables(_, lengths) => format!("a list of {} tables", length_words(*lengths)),
            Self::List(item, lengths) => {
                format!("a list of {}, each {}", counted_values(*lengths), item.words())
            }
            Self::Row(forms) => {
                let forms: Vec<String> = forms.iter().map(Self::words).collect();
                format!("a list of {}", forms.join(" and "))
            }
        }
    }
}

impl Table {
    /// Returns the keys of the table in words.
    fn words(&self) -> String {
        let names: Vec<String> = self.keys().map(|key| format!("`{}`", key.name)).collect();
        match names.is_empty() {
            true => format!("a table of {}", lower(self.meaning)),
            false => format!("a table of {}", names.join(", ")),
        }
    }
}

/// The bounds of the length of a list that must not be empty.
pub const SOME: [usize; 2] = [1, usize::MAX];

/// The bounds of the length of a list of any length.
pub const ANY_NUMBER: [usize; 2] = [0, usize::MAX];

/// Returns the bounds of a length in words.
pub fn length_words([least, most]: [usize; 2]) -> String {
    match (least, most) {
        (least, most) if least == most => least.to_string(),
        (least, usize::MAX) => format!("{least} or more"),
        (least, most) => format!("{least} to {most}"),
    }
}

fn counted_values(lengths: [usize; 2]) -> String {
    let noun = if lengths == [1, 1] { "value" } else { "values" };
    format!("{} {noun}", length_words(lengths))
}

/// Returns the text with a small first letter, unless it begins with a word in capitals.
fn lower(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

impl Form {
    /// Returns the bounds of the length of a list.
    pub const fn lengths(&self) -> [usize; 2] {
        match self {
            Self::List(_, lengths) | Self::Tables(_, lengths) => *lengths,
            Self::Row(forms) => [forms.len(), forms.len()],
            _ => ANY_NUMBER,
        }
    }

    /// Returns the name of a list's items in messages.
    pub fn noun(&self) -> &'static str {
        match self {
            Self::List(Self::Quantity(quantity, _), _) => quantity.unit(),
            Self::List(Self::Text, _) => "name",
            Self::Tables(..) | Self::List(Self::Table(_), _) => "table",
            _ => "value",
        }
    }
}

#[cfg(test)]
mod tests;
