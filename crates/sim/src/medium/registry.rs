//! The list of all media.

use super::{Medium, contention, half_duplex, token};
use ackclock_base::{Descriptor, Kind, Parameter, Values};

/// A registered medium.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name, the summary and the parameters.
    pub descriptor: &'static Descriptor,
    /// Builds the medium for stations, given the transmitter of each station. Links that leave one node share
    /// a transmitter.
    pub build: fn(&Values, &[usize]) -> Box<dyn Medium>,
}

/// The media, in the order in which lists show them.
pub const MEDIA: &[Entry] =
    &[half_duplex::ENTRY, token::ENTRY, contention::SIMPLE, contention::DCF, contention::WIFI];

/// Returns the medium called `name`; `None` if there is none.
pub fn find(name: &str) -> Option<&'static Entry> {
    MEDIA.iter().find(|entry| entry.descriptor.name == name)
}

/// Returns a medium's descriptor, for the constant in its file.
pub const fn medium(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: &'static [Parameter],
) -> Descriptor {
    Descriptor { kind: Kind::Medium, name, summary, source, parameters, presets: &[] }
}
