//! Checks that the verifier is independent of the simulator.

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
    // The tests run the simulator, so this table is not empty, which shows that it is read correctly.
    assert!(names_in("[dev-dependencies]").contains(&"ackclock-sim"));
    // No other table adds a dependency.
    let manifest = include_str!("../../Cargo.toml");
    let tables: Vec<&str> = manifest.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(tables, ["[package]", "[dependencies]", "[dev-dependencies]", "[lints]"]);
}
