//! Checks the scenarios that once gave other numbers when they were observed, or whose trace was reported to
//! violate physics.

use ackclock_soak::apart::check_apart;
use ackclock_soak::check::{Verdict, check};
use std::path::Path;

#[test]
fn scenarios_that_once_failed_run_under_every_observation() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut checked = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of cases") {
        let file = entry.expect("a file").path();
        let text = std::fs::read_to_string(&file).expect("a text");
        for seed in 1..=3 {
            let verdict = check_apart(Path::new(env!("CARGO_BIN_EXE_soak")), &text, seed);
            assert_eq!(verdict, Ok(Verdict::Ran), "{} with seed {seed}", file.display());
        }
        checked += 1;
    }
    assert!(checked >= 18, "{checked}");
}

/// Checks 100 random scenarios. More than 40 must run, because a check that leaves out all scenarios proves nothing.
#[test]
fn random_scenarios_run_under_every_observation() {
    let verdicts: Vec<Verdict> = (0..100)
        .map(|seed| {
            let text = ackclock_soak::generate::scenario(seed);
            check(&text, 1).unwrap_or_else(|failure| panic!("{}: {} in\n{text}", failure.kind, failure.what))
        })
        .collect();
    let ran = verdicts.iter().filter(|verdict| **verdict == Verdict::Ran).count();
    assert!(ran > 40, "{ran} of 100 ran");
}
