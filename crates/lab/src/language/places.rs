//! Locations in a TOML file by path, for messages about studies, which are read by other code.

use crate::language::diagnostics::Diagnostic;
use crate::language::document::{Document, Node, Span, Value};

/// A line and a column, both from 1.
pub type Place = (usize, usize);

/// Follows a path as far as it exists. Returns the number of steps that exist, the location of the last
/// step's key (or of the item, if it is in a list), and that of its value. A step is a key or the index of an
/// item. Returns problems if the text is not TOML.
pub fn of(text: &str, file: &str, path: &[String]) -> Result<(usize, Place, Place), Vec<Diagnostic>> {
    let document = Document::parse(text, file)?;
    let (mut node, mut key, mut steps) = (&document.root, &document.root.span, 0);
    for step in path {
        let Some((next_key, next)) = below(node, step) else { break };
        (node, key, steps) = (next, next_key, steps + 1);
    }
    Ok((steps, document.place(key), document.place(&node.span)))
}

fn below<'d>(node: &'d Node, step: &str) -> Option<(&'d Span, &'d Node)> {
    match &node.value {
        Value::Table(table) => {
            let (_, key, value) = table.entries.iter().find(|(name, _, _)| name == step)?;
            Some((key, value))
        }
        Value::List(items) => items.get(step.parse::<usize>().ok()?).map(|item| (&item.span, item)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    const TEXT: &str = "title = \"x\"\n\n[[cases]]\nname = \"few\"\noverrides = { \"a.b\" = 5 }\n";

    fn place(path: &[&str]) -> (usize, (usize, usize), (usize, usize)) {
        let steps: Vec<String> = path.iter().map(|step| (*step).to_owned()).collect();
        of(TEXT, "f", &steps).expect("TOML")
    }

    #[test]
    fn a_path_is_followed_as_far_as_it_exists() {
        assert_eq!(place(&["title"]), (1, (1, 1), (1, 9)));
        assert_eq!(place(&["cases", "0"]), (2, (3, 1), (3, 1)));
        assert_eq!(place(&["cases", "0", "overrides", "a.b"]), (4, (5, 15), (5, 23)));
        assert_eq!(place(&["cases", "0", "label"]), (2, (3, 1), (3, 1)));
        assert_eq!(place(&["cases", "1"]).0, 1);
        assert_eq!(of("a =", "f", &[]).expect_err("no TOML")[0].line, Some(1));
    }
}
