//! Plugins: controls, queue disciplines and transports that the user of the library adds to the registered ones.
//! Scenarios name them like registered ones.

use crate::language::registry::control_parts;
use crate::language::registry::own_controls::OwnControl;
use crate::transports::{self, Transport};
use ackclock_base::Descriptor;
use ackclock_cc::entry::Entry;
use std::sync::Arc;

/// Controls, queue disciplines and transports that are in no registry. They belong to a document, and so to a run; no
/// registry changes. A plugin takes the place of a registered control or discipline of its name.
#[derive(Clone, Debug, Default)]
pub struct Plugins {
    /// The congestion controls that have an entry such as those in the registry.
    pub entries: Vec<&'static Entry>,
    /// The congestion controls whose description is known only when the program runs.
    pub controls: Vec<Arc<dyn ackclock_cc::entry::Plugin>>,
    /// The queue disciplines.
    pub queues: Vec<Arc<dyn ackclock_aqm::entry::Plugin>>,
    /// The congestion controls that are written for a foreign stack.
    pub own_controls: Vec<OwnControl>,
    /// The transports, with the controls that they bring along: stacks in libraries.
    pub transports: Vec<&'static dyn Transport>,
}

impl Plugins {
    /// Returns every control that a scenario may name.
    pub fn all_controls(&self) -> Vec<&'static Descriptor> {
        let entries = self.entries.iter().map(|entry| entry.descriptor);
        entries
            .chain(self.controls.iter().map(|control| control.descriptor()))
            .chain(self.own_controls().map(|own| own.descriptor))
            .chain(control_parts::controls())
            .collect()
    }

    /// Returns every profile of a transport that a scenario may name.
    pub fn all_transports(&self) -> Vec<&'static Descriptor> {
        let plugins = self.transports.iter().flat_map(|transport| transport.profiles());
        transports::profiles().chain(plugins).collect()
    }

    /// Returns the transport that has a profile of this name.
    pub fn transport(&self, profile: &str) -> Option<&'static dyn Transport> {
        let has =
            |transport: &&&dyn Transport| transport.profiles().iter().any(|found| found.name == profile);
        transports::find(profile).or_else(|| self.transports.iter().find(has).copied())
    }

    /// Returns the controls that are written for foreign stacks, and those that plugins bring along.
    fn own_controls(&self) -> impl Iterator<Item = OwnControl> {
        let of_plugins = self.transports.iter().flat_map(|transport| transport.own_controls());
        self.own_controls.iter().cloned().chain(of_plugins)
    }

    /// Returns every queue discipline that a scenario may name.
    pub fn all_queues(&self) -> Vec<&'static Descriptor> {
        let registered = ackclock_aqm::registry::QUEUES.iter().map(|entry| entry.descriptor);
        self.queues.iter().map(|queue| queue.descriptor()).chain(registered).collect()
    }

    /// Returns the entry of the plugin control called `name`; `None` if no entry of a plugin has this name.
    pub fn entry(&self, name: &str) -> Option<&'static Entry> {
        self.entries.iter().copied().find(|entry| entry.descriptor.name == name)
    }

    /// Returns the plugin control called `name`, if there is one.
    pub fn control(&self, name: &str) -> Option<&Arc<dyn ackclock_cc::entry::Plugin>> {
        self.controls.iter().find(|control| control.descriptor().name == name)
    }

    /// Returns the control called `name` that a foreign stack brings along or that is written for one; `None` if there is none.
    pub fn own_control(&self, name: &str) -> Option<OwnControl> {
        let mut known = self.own_controls().chain(crate::language::registry::own_controls::all());
        known.find(|own| own.descriptor.name == name)
    }

    /// Returns the plugin discipline called `name`, if there is one.
    pub fn queue(&self, name: &str) -> Option<&Arc<dyn ackclock_aqm::entry::Plugin>> {
        self.queues.iter().find(|queue| queue.descriptor().name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::Plugins;
    use ackclock_base::Descriptor;
    use ackclock_cc::entry::Entry;
    use ackclock_cc::laws::newreno;

    #[test]
    fn a_plugin_takes_the_place_of_a_registered_control_of_its_name() {
        const MINE: Descriptor = Descriptor { summary: "mine", ..*newreno::ENTRY.descriptor };
        const ENTRY: Entry = Entry { descriptor: &MINE, ..newreno::ENTRY };
        let plugins = Plugins { entries: vec![&ENTRY], ..Plugins::default() };
        let controls = plugins.all_controls();
        let newreno = controls.iter().find(|control| control.name == "newreno").expect("NewReno");
        assert_eq!(newreno.summary, "mine");
        assert_eq!(plugins.entry("newreno").expect("an entry").descriptor.summary, "mine");
    }
}
