//! Checks a scenario's text while a user edits it.

use ackclock_lab::cost::describe;
use ackclock_lab::language::diagnostics;
use ackclock_lab::language::load::{Checked, overridden};
use ackclock_lab::{Diagnostic, Scenario};
use serde_json::{Map, Value, json};

/// The file name of the text; no message shows it.
pub const FILE: &str = "scenario";

/// Returns the problems of the text as `errors`, its content as `document` (null if it is not TOML), and the
/// description of the scenario as `meaning` (null if it has problems).
pub fn check(text: &str, overrides: &Map<String, Value>) -> Value {
    let document = overridden(text, FILE, overrides).ok().map(|document| document.root.to_json());
    let checked = Scenario::check(text, FILE, overrides);
    let errors: &[Diagnostic] = checked.as_ref().err().map_or(&[], Vec::as_slice);
    json!({
        "errors": diagnostics::listed(errors),
        "document": document,
        "meaning": checked.as_ref().ok().map(meaning),
    })
}

fn meaning(checked: &Checked) -> Value {
    let mut meaning = describe::of(&checked.scenario);
    meaning["warnings"] = json!(checked.warnings);
    meaning["sweep"] = checked.points();
    meaning
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tests::DUMBBELL;

    #[test]
    fn a_valid_text_has_a_meaning_and_an_invalid_one_has_errors_with_their_ends() {
        let good = check(DUMBBELL, &Map::new());
        assert_eq!((&good["errors"], &good["meaning"]["duration_s"]), (&json!([]), &json!(1.0)));
        let bad = check(&DUMBBELL.replace("\"1 s\"", "\"1 sx\""), &Map::new());
        assert_eq!(bad["meaning"], Value::Null);
        assert_eq!(bad["document"]["duration"], "1 sx");
        let error = &bad["errors"][0];
        // In `duration = "1 sx"` the value's six characters begin at column 12.
        assert_eq!((&error["line"], &error["column"]), (&json!(1), &json!(12)));
        assert_eq!(error["end"], json!({ "line": 1, "column": 18 }));
        assert!(error["message"].as_str().is_some_and(|message| message.starts_with("`duration`: found")));
    }

    #[test]
    fn a_text_that_is_not_toml_has_no_document() {
        let broken = check("duration = ", &Map::new());
        assert_eq!(broken["document"], Value::Null);
        assert_eq!(broken["errors"][0]["line"], 1);
    }

    #[test]
    fn overrides_are_in_the_document_and_the_meaning() {
        let overrides = Map::from_iter([("duration".to_owned(), json!("2 s"))]);
        let checked = check(DUMBBELL, &overrides);
        assert_eq!(
            (&checked["document"]["duration"], &checked["meaning"]["duration_s"]),
            (&json!("2 s"), &json!(2.0))
        );
    }
}
