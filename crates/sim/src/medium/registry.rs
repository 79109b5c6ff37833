//! Every medium by name.

use super::{Medium, contention, half_duplex, token};
use ackclock_base::{Descriptor, Kind, Parameter, Values};

/// A registered medium.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, what lists say about it, and its parameters.
    pub descriptor: &'static Descriptor,
    /// Makes one for stations, of each of which the transmitter is given as a number: the links that leave one node have
    /// one between them.
    pub build: fn(&Values, &[usize]) -> Box<dyn Medium>,
}

/// The media, in the order in which lists show them.
pub const MEDIA: &[Entry] =
    &[half_duplex::ENTRY, token::ENTRY, contention::SIMPLE, contention::DCF, contention::WIFI];

/// The medium called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    MEDIA.iter().find(|entry| entry.descriptor.name == name)
}

/// A medium's descriptor, for the constant in its file.
pub const fn medium(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: &'static [Parameter],
) -> Descriptor {
    Descriptor { kind: Kind::Medium, name, summary, source, parameters, presets: &[] }
}
