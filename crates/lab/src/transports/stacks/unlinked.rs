//! The transport of a build without foreign stacks.

use super::StackResult;
use crate::language::choice::Choice;
use crate::language::reader::TableReader;
use crate::run::result::{Declared, Field};
use crate::transports::plan::{Parts, Transport, TransportPlan};
use ackclock_base::Descriptor;
use std::sync::Arc;

/// The foreign stacks as transports: none.
#[derive(Debug)]
pub(in crate::transports) struct Stacks;

impl Stacks {
    /// The stacks that are built in.
    pub(in crate::transports) const BUILT_IN: Self = Self;
}

impl Transport for Stacks {
    fn profiles(&self) -> &'static [Descriptor] {
        &[]
    }

    fn check(&self, _table: &TableReader<'_>, _discriminator: Option<&str>, _profile: &Choice) {}

    fn result_fields(&self) -> Vec<Field> {
        StackResult::fields()
    }

    fn plan(&self, _parts: Parts) -> Arc<dyn TransportPlan> {
        unreachable!("no profile names this transport")
    }
}
