//! A group of flows over SCTP.

use super::control::ControlPlan;
use super::data::Data;
use crate::choice::{self, Choice};
use crate::document::quoted;
use crate::rate::Pace;
use crate::reader::TableReader;
use crate::registry;
use ackclock_cc::entry::SelectorEntry;
use ackclock_sim::sctp::options::Options;
use ackclock_sim::traffic;

/// What an association is made of.
#[derive(Clone, Debug)]
pub struct SctpPlan {
    /// The congestion control of each path.
    pub control: ControlPlan,
    /// Which path new data takes.
    pub selector: Choice,
    /// The transport profile.
    pub transport: Choice,
    /// What it has to send.
    pub data: Data,
    /// How fast the receiving application reads; `None` where it reads everything at once.
    pub reader: Option<Pace>,
}

impl SctpPlan {
    /// The selector's entry in the registry.
    pub fn selector_entry(&self) -> &'static SelectorEntry {
        let found = ackclock_cc::registry::find_selector(self.selector.descriptor.name);
        // The selector was chosen from this registry.
        found.unwrap_or(&ackclock_cc::registry::SELECTORS[0])
    }

    /// The association's options.
    pub fn options(&self) -> Options {
        let reader = self.reader.as_ref().map(Pace::reader_options);
        Options { reader, ..Options::new(&self.transport.values) }
    }

    /// How many chunks it has to send when it begins; [`u64::MAX`] for no end.
    pub fn chunks(&self) -> u64 {
        self.data.packets(self.payload_bytes())
    }

    /// Payload bytes of a packet.
    pub fn payload_bytes(&self) -> u64 {
        u64::from(self.options().sizes.payload)
    }
}

/// The path selector; new data stays with the primary path where none is named.
pub(super) fn read_selector(table: &TableReader<'_>) -> Option<Choice> {
    match table.get("selector") {
        None => Some(Choice::default_of(registry::selectors()[0])),
        Some(node) => {
            choice::read(table.reader, node, &table.path_of("selector"), &registry::selectors(), &[])
        }
    }
}

/// An association sends as much as it can, without end or up to a size, or what a source writes.
pub(super) fn check_application(table: &TableReader<'_>, application: &Choice) -> Option<()> {
    let name = application.descriptor.name;
    if name != "bulk" && traffic::find(name).is_none() {
        let found = format!("the application {} over SCTP", quoted(name));
        table.problem_at(
            "application",
            &found,
            "\"bulk\" or a source such as \"cbr\", or a transport of TCP",
        );
        return None;
    }
    Some(())
}

/// The time that a packet takes one way is told by TCP's timestamps alone.
pub(super) fn check_discriminator(table: &TableReader<'_>, discriminator: Option<&str>, transport: &str) {
    let Some(entry) = discriminator.and_then(ackclock_cc::registry::find_discriminator) else { return };
    if entry.needs_timestamps {
        let given = if table.get("discriminator").is_some() { "discriminator" } else { "control" };
        let found = format!("the discriminator {} over {transport}", quoted(entry.descriptor.name));
        table.problem_at(given, &found, "one that does not look at TCP's timestamps");
    }
}
