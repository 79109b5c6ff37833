//! The tolerances of the comparisons, from `reference/tolerances.toml`, which the documentation also prints.

use std::path::PathBuf;

/// Returns the number at a dotted path.
pub fn tolerance(path: &str) -> f64 {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../reference/tolerances.toml");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let document: toml::Value = toml::from_str(&text).expect("TOML");
    let found = path.split('.').try_fold(&document, |table, key| table.get(key));
    found.and_then(toml::Value::as_float).unwrap_or_else(|| panic!("no tolerance {path}"))
}
