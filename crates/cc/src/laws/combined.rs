//! Combined TCP (Hacker, Noble and Athey 2004; Cho 2006 section V.C): the flows of [Fractional
//! TCP](super::fractional), with one standard flow among them.

use super::fractional::Fractional;
use crate::entry::{Build, Entry, PublishedDefaults, control};
use crate::group::Group;

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "combined",
        "One standard flow, and parallel flows that each grow at 1/N of its rate in congestion avoidance, where N is \
         the total number of flows; a loss halves only the window of the flow that detects it",
        "Cho 2006 section V.C; Hacker, Noble and Athey 2004",
        &[],
    ),
    build: Build::Group(|_| Box::new(Group::new(Fractional { combined: true }))),
    published: PublishedDefaults::recovery("sack"),
};
