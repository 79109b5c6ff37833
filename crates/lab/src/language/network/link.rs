//! A link of a network, in one direction.

use super::wire::WirePlan;
use ackclock_aqm::Service;
use ackclock_aqm::entry::Plugin;
use ackclock_base::Span;
use ackclock_sim::timeline::Timeline;
use ackclock_sim::transmission::Changes;
use std::sync::Arc;

/// A link as the scenario declares it, between its nodes.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// The name of the link in results.
    pub name: String,
    /// The node that the link leaves.
    pub from: String,
    /// The node to which the link leads.
    pub to: String,
    /// The propagation delay, or its minimum if it changes.
    pub delay: Span,
    /// By how much packets exceed `delay` over time; `None` for a delay that does not change.
    pub longer: Option<Timeline<Span>>,
    /// The discipline of the queue if it is a plugin.
    pub plugin: Option<Arc<dyn Plugin>>,
    /// The index of the medium of the link; `None` if the link has no medium.
    pub medium: Option<usize>,
    /// The properties that the keys of the link set.
    pub wire: WirePlan,
}

impl LinkPlan {
    /// Returns how the rate changes; `None` if it does not.
    pub fn changes(&self) -> Option<Changes> {
        self.wire.pace.changes(self.wire.outage)
    }

    /// Returns the rules that the queue never breaks. A queue without limit drops nothing, so it never drops
    /// a packet that would fit.
    pub fn service(&self) -> Service {
        if let Some(plugin) = &self.plugin {
            return plugin.service();
        }
        let name = self.wire.queue.as_ref().map_or("droptail", |queue| queue.descriptor.name);
        ackclock_aqm::registry::find(name).map_or(Service::IN_ORDER, |entry| entry.service)
    }
}
