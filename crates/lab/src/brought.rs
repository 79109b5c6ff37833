//! What whoever runs a scenario brings along besides what is registered: scenarios name it as they name the rest.

use crate::registry;
use ackclock_base::Descriptor;
use std::sync::Arc;

/// Controls and queue disciplines that stand in no registry. It goes with a document, and so with a run: no registry changes.
#[derive(Clone, Debug, Default)]
pub struct Brought {
    /// Congestion controls.
    pub controls: Vec<Arc<dyn ackclock_cc::entry::Brought>>,
    /// Queue disciplines.
    pub queues: Vec<Arc<dyn ackclock_aqm::entry::Brought>>,
}

impl Brought {
    /// Every control that a scenario may name.
    pub fn all_controls(&self) -> Vec<&'static Descriptor> {
        registry::controls()
            .into_iter()
            .chain(self.controls.iter().map(|control| control.descriptor()))
            .collect()
    }

    /// Every queue discipline that a scenario may name.
    pub fn all_queues(&self) -> Vec<&'static Descriptor> {
        registry::queues().into_iter().chain(self.queues.iter().map(|queue| queue.descriptor())).collect()
    }

    /// The control called `name`, if it was brought.
    pub fn control(&self, name: &str) -> Option<&Arc<dyn ackclock_cc::entry::Brought>> {
        self.controls.iter().find(|control| control.descriptor().name == name)
    }

    /// The discipline called `name`, if it was brought.
    pub fn queue(&self, name: &str) -> Option<&Arc<dyn ackclock_aqm::entry::Brought>> {
        self.queues.iter().find(|queue| queue.descriptor().name == name)
    }
}
