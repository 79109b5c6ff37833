//! The worked example of docs/extend.md. Its file, `early_random.rs`, is written for
//! `crates/aqm/src/disciplines`; the line below gives `crate::` the meaning that it has inside the crate.

use ackclock_aqm::{discipline, entry, testing};

mod early_random;
