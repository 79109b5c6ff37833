//! The declarations of the scenario language as JSON, for the reference in the documentation and the form of
//! the page.

use crate::language::keys::{Form, Key, Otherwise, Table};
use crate::language::load::SCENARIO;
use ackclock_base::ranges::base_unit;
use ackclock_base::registry::Quantity;
use ackclock_base::{Kind, Range};
use serde::Serialize;

/// A table of the language.
#[derive(Clone, Debug, Serialize)]
pub struct Described {
    name: &'static str,
    meaning: &'static str,
    /// Sets of keys of which one has to be given.
    one_of: &'static [&'static [&'static str]],
    /// Whether only one of those sets may be given.
    exclusive: bool,
    keys: Vec<DescribedKey>,
    /// The forms of the values of keys that the user chooses, in words.
    others: Vec<String>,
}

/// A key of a table.
#[derive(Clone, Debug, Serialize)]
pub struct DescribedKey {
    name: &'static str,
    meaning: &'static str,
    required: bool,
    /// The default as TOML; `None` if there is none, or if it depends on other keys.
    default: Option<&'static str>,
    /// What holds without the key, in words.
    otherwise: Option<&'static str>,
    example: Option<String>,
    /// The keys without which this one is refused.
    needs: &'static [&'static str],
    /// The forms of its value in words, without the tables that it opens and the registered entries that it
    /// names.
    written: Vec<String>,
    /// The tables that its value opens.
    opens: Vec<&'static str>,
    /// The tables of which its value is a list.
    lists: Vec<&'static str>,
    /// The kinds of registered entries that its value names.
    names: Vec<&'static str>,
    /// The quantities that its value may be, with their ranges.
    ranges: Vec<DescribedRange>,
}

/// A quantity and its range.
#[derive(Clone, Debug, Serialize)]
pub struct DescribedRange {
    /// The name of the quantity in lists of parameters.
    quantity: &'static str,
    /// The unit of the bounds; empty for a plain number.
    unit: &'static str,
    minimum: Option<f64>,
    /// Whether the minimum itself is excluded.
    above_minimum: bool,
    maximum: Option<f64>,
}

/// Returns every table of the language, each before the tables that it opens.
pub fn tables() -> Vec<Described> {
    SCENARIO.reachable().into_iter().map(described).collect()
}

fn described(table: &Table) -> Described {
    Described {
        name: table.name,
        meaning: table.meaning,
        one_of: table.one_of,
        exclusive: table.exclusive,
        keys: table.keys().map(|key| described_key(table, key)).collect(),
        others: table.others.iter().map(Form::words).collect(),
    }
}

fn described_key(table: &Table, key: &Key) -> DescribedKey {
    let otherwise = table.otherwise(key);
    let is_apart = |form: &&Form| form.opens().is_some() || matches!(form, Form::Named(_));
    let is_list = |form: &&Form| matches!(form, Form::Tables(..) | Form::List(..));
    DescribedKey {
        name: key.name,
        meaning: key.meaning,
        required: table.required.contains(&key.name),
        default: match otherwise {
            Otherwise::Value(default) => Some(default),
            Otherwise::None | Otherwise::Words(_) => None,
        },
        otherwise: match otherwise {
            Otherwise::Words(words) => Some(words),
            Otherwise::None | Otherwise::Value(_) => None,
        },
        example: key.example(),
        needs: key.needs,
        written: key.forms.iter().filter(|form| !is_apart(form)).map(Form::words).collect(),
        opens: key
            .forms
            .iter()
            .filter(|form| !is_list(form))
            .filter_map(Form::opens)
            .map(|table| table.name)
            .collect(),
        lists: key.forms.iter().filter(is_list).filter_map(Form::opens).map(|table| table.name).collect(),
        names: key.forms.iter().filter_map(kind).map(Kind::name).collect(),
        ranges: key.forms.iter().filter_map(range).collect(),
    }
}

fn kind(form: &Form) -> Option<Kind> {
    match form {
        Form::Named(kind) => Some(*kind),
        _ => None,
    }
}

fn range(form: &Form) -> Option<DescribedRange> {
    match form {
        Form::Quantity(Quantity::Choice(_) | Quantity::Flag, _) => None,
        Form::Quantity(quantity, Range { min, max, above_min }) => Some(DescribedRange {
            quantity: quantity.unit(),
            unit: base_unit(*quantity),
            minimum: (*min != f64::MIN).then_some(*min),
            above_minimum: *above_min,
            maximum: (*max != f64::MAX).then_some(*max),
        }),
        _ => None,
    }
}
