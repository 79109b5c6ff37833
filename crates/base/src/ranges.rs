//! Quantities and their ranges in words.

use crate::registry::Quantity;
use crate::{Range, Rate, Span};

/// Returns a quantity within a range in words, such as "a time of at most 3600 s".
pub fn quantity_words(quantity: Quantity, range: &Range) -> String {
    match *range == Range::ANY {
        true => kind(quantity).to_owned(),
        false => format!("{} {}", kind(quantity), allowed(quantity, range)),
    }
}

/// Returns the name of a quantity, with its article.
pub fn kind(quantity: Quantity) -> &'static str {
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

/// Returns a range in words that follow the quantity's name, with its bounds as a file would contain them.
fn allowed(quantity: Quantity, range: &Range) -> String {
    let written = |base: f64| match quantity {
        _ if base == 0.0 => "0".to_owned(),
        Quantity::Time => Span::from_seconds(base).to_string(),
        Quantity::Rate => Rate::from_bits_per_second(base as u64).to_string(),
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

/// Returns a range in words, in the quantity's base unit.
pub fn range_words(quantity: Quantity, range: &Range) -> String {
    let unit = match quantity {
        Quantity::Time => " (in seconds)",
        Quantity::Rate => " (in bit/s)",
        Quantity::Size => " (in bytes)",
        _ => "",
    };
    format!("{}{unit}", range.words())
}

/// Returns the base unit of the bounds of a quantity; empty for a plain number.
pub fn base_unit(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Time => "s",
        Quantity::Rate => "bit/s",
        Quantity::Size => "B",
        Quantity::Packets => "packets",
        _ => "",
    }
}
