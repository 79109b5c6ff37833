//! An adapter as stacks hold their controllers: shared by the clones that a stack makes when a path changes, and told of the
//! machine's instants.

use crate::adapter::Adapter;
use ackclock_base::Time;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A shared adapter. Clones are the same control.
#[derive(Clone)]
pub struct Handle {
    adapter: Arc<Mutex<Adapter>>,
    /// The instant that the control takes for zero.
    epoch: Instant,
}

impl Handle {
    pub(crate) fn new(adapter: Adapter, epoch: Instant) -> Self {
        Self { adapter: Arc::new(Mutex::new(adapter)), epoch }
    }

    /// Returns the adapter. A thread that panicked inside the control has told it less than happened, and the connection goes on.
    pub fn adapter(&self) -> MutexGuard<'_, Adapter> {
        self.adapter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the control's time at an instant; zero for instants before the connection began, to which nothing that it sent
    /// belongs.
    pub fn time(&self, at: Instant) -> Time {
        Time::from_nanos(at.saturating_duration_since(self.epoch).as_nanos() as u64)
    }
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Handle").finish_non_exhaustive()
    }
}
