//! The worked example of docs/add-a-control.md. Its file, `binomial.rs`, is written for `crates/cc/src/laws`; these two
//! lines make `crate::` mean there what it means inside the crate.

use ackclock_base::Descriptor;
use ackclock_cc::{classic, control, registry, script};

mod binomial;

#[test]
fn it_could_be_registered() {
    let Descriptor { name, summary, source, .. } = binomial::ENTRY.descriptor;
    assert!(registry::find(name).is_none() && !summary.is_empty() && !source.is_empty());
}
