//! The table of `docs/quic-stacks.md` is what the registry and the stacks say. `UPDATE=1 cargo test -p ackclock-stacks --test page`
//! writes it anew.

use ackclock_adapter::plan::{is_group, table};
use ackclock_noq::NOQ;
use ackclock_quinn::QUINN;
use std::fmt::Write;
use std::path::PathBuf;

const BEGIN: &str = "<!-- generated: controls under stacks -->\n";
const END: &str = "<!-- end of what is generated -->\n";

fn rows() -> String {
    let mut text = String::from("| control | noq | quinn |\n| --- | --- | --- |\n");
    for ((entry, under_noq), (_, under_quinn)) in table(NOQ).zip(table(QUINN)) {
        let cell = |missing: Option<&str>| missing.map_or("yes".to_owned(), |what| format!("no: {what}"));
        let shared = if is_group(entry) { " (one for all connections)" } else { "" };
        let name = entry.descriptor.name;
        writeln!(text, "| `{name}`{shared} | {} | {} |", cell(under_noq), cell(under_quinn)).expect("text");
    }
    text
}

#[test]
fn the_page_lists_what_runs_under_which_stack() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/quic-stacks.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("the beginning of the table");
    let (found, after) = rest.split_once(END).expect("the end of the table");
    let wanted = rows();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{wanted}{END}{after}")).expect("the page is written");
    } else {
        assert_eq!(found, wanted, "run this test with UPDATE=1");
    }
}
