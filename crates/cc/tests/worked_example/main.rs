//! The worked example of docs/extend.md. Its file, `binomial.rs`, is written for `crates/cc/src/laws`;
//! the line below gives `crate::` the meaning that it has inside the crate.

use ackclock_cc::{classic, control, entry, script};

mod binomial;
