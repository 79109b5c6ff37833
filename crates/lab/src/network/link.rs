//! A link of a network, in one direction.

use super::wire::Wire;
use ackclock_aqm::Service;
use ackclock_aqm::entry::Brought;
use ackclock_base::Span;
use ackclock_sim::timeline::Timeline;
use ackclock_sim::transmission::Changes;
use std::sync::Arc;

/// A link as it is written, between its nodes.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// Its name in results.
    pub name: String,
    /// The node it leaves.
    pub from: String,
    /// The node it leads to.
    pub to: String,
    /// Its propagation delay, the least where it changes.
    pub delay: Span,
    /// How much longer than `delay` packets take over time; `None` for a delay that does not change.
    pub longer: Option<Timeline<Span>>,
    /// The discipline of its queue, where it is a plugin.
    pub brought: Option<Arc<dyn Brought>>,
    /// The medium that it shares with others, as an index.
    pub medium: Option<usize>,
    /// What its keys say.
    pub wire: Wire,
}

impl LinkPlan {
    /// How its rate changes, if it does.
    pub fn changes(&self) -> Option<Changes> {
        self.wire.pace.changes(self.wire.outage)
    }

    /// What its queue never breaks. One without limit drops nothing, so it never drops what would fit.
    pub fn service(&self) -> Service {
        if let Some(brought) = &self.brought {
            return brought.service();
        }
        let name = self.wire.queue.as_ref().map_or("droptail", |queue| queue.descriptor.name);
        ackclock_aqm::registry::find(name).map_or(Service::IN_ORDER, |entry| entry.service)
    }
}
