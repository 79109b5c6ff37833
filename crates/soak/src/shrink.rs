//! Shrinks a scenario that fails, as long as it fails in the same way.

use crate::check::{Failure, Verdict};
use toml::{Table, Value};

/// Returns the smallest scenario that this search finds: it leaves out every key and every element of a list
/// without which the scenario still fails, and reduces counts. Returns the text unchanged if it is not a TOML
/// table or does not fail in this way, as `check` says.
pub fn shrink(text: &str, kind: &str, check: impl Fn(&str) -> Result<Verdict, Failure>) -> String {
    let fails = |text: &str| check(text).is_err_and(|failure| failure.kind == kind);
    let Ok(mut table) = text.parse::<Table>() else { return text.to_owned() };
    let written = |table: &Table| toml::to_string(table).unwrap_or_default();
    if !fails(&written(&table)) {
        return text.to_owned();
    }
    loop {
        let smaller = smaller(&Value::Table(table.clone())).into_iter().find_map(|value| match value {
            Value::Table(table) if fails(&written(&table)) => Some(table),
            _ => None,
        });
        match smaller {
            Some(smaller) => table = smaller,
            None => return written(&table),
        }
    }
}

/// Lists all values that are one step smaller than this one, those that leave out most first.
fn smaller(value: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    match value {
        Value::Table(table) => {
            for key in table.keys() {
                let mut without = table.clone();
                without.remove(key);
                found.push(Value::Table(without));
            }
            for (key, inner) in table {
                for inner in smaller(inner) {
                    let mut other = table.clone();
                    other.insert(key.clone(), inner);
                    found.push(Value::Table(other));
                }
            }
            // Reduces `{ name = "cubic" }` to `"cubic"`.
            if let (1, Some(name)) = (table.len(), table.get("name")) {
                found.push(name.clone());
            }
        }
        Value::Array(list) => {
            for index in 0..list.len() {
                let mut without = list.clone();
                without.remove(index);
                found.push(Value::Array(without));
            }
            for (index, inner) in list.iter().enumerate() {
                for inner in smaller(inner) {
                    let mut other = list.clone();
                    other[index] = inner;
                    found.push(Value::Array(other));
                }
            }
        }
        Value::Integer(count) if *count > 1 => {
            found.push(Value::Integer(1));
            if *count > 2 {
                found.push(Value::Integer(count - 1));
            }
        }
        _ => {}
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;

    #[test]
    fn values_that_leave_out_most_come_first() {
        let table: Table = "a = [1, 3]\nb = { name = \"x\", c = 2 }".parse().unwrap();
        let found = smaller(&Value::Table(table));
        let texts: Vec<String> = found.iter().map(|value| value.to_string().replace('\n', "; ")).collect();
        assert_eq!(texts.len(), 2 + 2 + 2 + 2 + 1, "{texts:?}");
        assert!(found[0].get("a").is_none() && found[1].get("b").is_none(), "{texts:?}");
    }

    #[test]
    fn a_scenario_that_does_not_fail_stays_unchanged() {
        let text = "duration = \"1 s\"";
        assert_eq!(shrink(text, "panic", |text| check(text, 1)), text);
    }
}
