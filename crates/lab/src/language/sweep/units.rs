//! The meaning of a sweep's values: numbers in one unit, as the columns of results contain them.

use crate::language::document::{Node, Value};
use ackclock_base::Value as Read;
use ackclock_base::registry::Quantity;
use ackclock_base::spelling::Limit;
use serde_json::{Value as Json, json};

/// The kinds of quantities, each with the last word of the names of results.
const KINDS: [(Quantity, &str); 5] = [
    (Quantity::Time, "s"),
    (Quantity::Rate, "bps"),
    (Quantity::Size, "bytes"),
    (Quantity::Packets, "packets"),
    (Quantity::Limit, "bdp"),
];

/// Returns the number in a text such as "10 ms", and its unit; `None` if the text is no quantity.
fn quantity(text: &str) -> Option<(f64, &'static str)> {
    KINDS.iter().find_map(|(quantity, unit)| match quantity.read(text).ok()? {
        // The other limits are quantities of the kinds above.
        Read::Limit(Limit::Bdp(multiple)) => Some((multiple, *unit)),
        Read::Limit(_) => None,
        value => Some((value.base()?, *unit)),
    })
}

/// Returns the unit of a column and its cells: numbers if all values are quantities of one kind, otherwise
/// the values as they are.
pub fn cells(values: &[Node]) -> (&'static str, Vec<Json>) {
    let read = |node: &Node| match &node.value {
        Value::Text(text) => quantity(text),
        _ => None,
    };
    let quantities: Option<Vec<(f64, &str)>> = values.iter().map(read).collect();
    match quantities.as_deref() {
        Some([(_, unit), rest @ ..]) if rest.iter().all(|(_, other)| other == unit) => {
            let whole = |number: f64| number.fract() == 0.0 && number.abs() < 9e15;
            let counted = matches!(*unit, "packets" | "bytes" | "bps");
            let cell = |(number, _): &(f64, &str)| match counted && whole(*number) {
                true => json!(*number as i64),
                false => json!(number),
            };
            (unit, quantities.iter().flatten().map(cell).collect())
        }
        _ => ("", values.iter().map(Node::to_json).collect()),
    }
}

/// Returns a text that is equal for values with the same meaning: "1 s" and "1000 ms", 1 and 1.0.
pub fn meaning(node: &Node) -> String {
    match &node.value {
        Value::Integer(number) => (*number as f64).to_string(),
        Value::Float(number) => number.to_string(),
        Value::Text(text) => match quantity(text) {
            Some((number, unit)) => format!("{number} {unit}"),
            None => format!("{text:?}"),
        },
        _ => node.to_json().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &[&str]) -> Vec<Node> {
        values.iter().map(|text| Node { span: None, value: Value::Text((*text).to_owned()) }).collect()
    }

    #[test]
    fn quantities_of_one_kind_are_numbers() {
        assert_eq!(cells(&texts(&["10 ms", "2 s"])), ("s", vec![json!(0.01), json!(2.0)]));
        assert_eq!(cells(&texts(&["1.5 Mbit/s"])), ("bps", vec![json!(1_500_000)]));
        assert_eq!(cells(&texts(&["10 packets", "1 packet"])), ("packets", vec![json!(10), json!(1)]));
        assert_eq!(cells(&texts(&["0.5 bdp"])), ("bdp", vec![json!(0.5)]));
        assert_eq!(cells(&texts(&["10 packets", "1 s"])), ("", vec![json!("10 packets"), json!("1 s")]));
        assert_eq!(cells(&texts(&["unlimited", "1 bdp"])).0, "");
        assert_eq!(cells(&texts(&["reno"])), ("", vec![json!("reno")]));
    }
}
