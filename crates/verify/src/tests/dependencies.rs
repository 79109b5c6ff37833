//! The verifier is independent of the simulator.

/// Returns the names in a table of the manifest of this crate.
fn names_in(table: &str) -> Vec<&'static str> {
    let manifest = include_str!("../../Cargo.toml");
    let lines = manifest.lines().skip_while(|line| *line != table).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.split_once(['.', ' ', '='])).map(|(name, _)| name).collect()
}

#[test]
fn the_verifier_shares_no_code_with_the_simulator() {
    assert_eq!(names_in("[dependencies]"), ["ackclock-base", "serde"]);
    // The tests run the simulator, so that table is not empty: it is read as it should be.
    assert!(names_in("[dev-dependencies]").contains(&"ackclock-sim"));
    // Nothing comes in by another table.
    let manifest = include_str!("../../Cargo.toml");
    let tables: Vec<&str> = manifest.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(tables, ["[package]", "[dependencies]", "[dev-dependencies]", "[lints]"]);
}
