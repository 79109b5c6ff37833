//! Every congestion control by name: its description, how it is built, and the retransmission rule it goes with.
//! This table is what a scenario file, `ackclock list` and the documentation know of controls.

use crate::classic::Classic;
use crate::control::{Control, Initial};
use crate::laws::{cubic, rbcc, reno, vegas};
use ackclock_base::{Descriptor, Kind, Parameter, Values};

/// A registered control.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What it is.
    pub descriptor: &'static Descriptor,
    /// Makes one for a new connection.
    pub build: fn(&Values, &Initial) -> Box<dyn Control>,
    /// The retransmission rule it was published with, where the transport's own would not do.
    pub recovery: Option<&'static str>,
}

/// The controls, in the order in which lists show them.
pub const CONTROLS: &[Entry] = &[
    Entry {
        descriptor: &control(
            "reno",
            "Additive increase, multiplicative decrease; one loss repaired per window",
            "RFC 5681",
            reno::PARAMETERS,
        ),
        build: |values, initial| Box::new(Classic::new(reno::Reno::new(values), initial)),
        recovery: Some("reno"),
    },
    Entry {
        descriptor: &control(
            "newreno",
            "Reno with partial acknowledgements: one loss repaired per round trip",
            "RFC 6582; RFC 2582 as in Dahal section 4.5.1",
            reno::PARAMETERS,
        ),
        build: |values, initial| Box::new(Classic::new(reno::Reno::new(values), initial)),
        recovery: Some("newreno"),
    },
    Entry {
        descriptor: &control(
            "sack",
            "Reno's window with selective acknowledgements",
            "RFC 2018, RFC 6675",
            reno::PARAMETERS,
        ),
        build: |values, initial| Box::new(Classic::new(reno::Reno::new(values), initial)),
        recovery: Some("sack"),
    },
    Entry {
        descriptor: &control(
            "vegas",
            "Keeps between alpha and beta packets waiting in the network",
            "Brakmo and Peterson 1995; ns-2 2.35; Dahal section 2.1.2",
            vegas::PARAMETERS,
        ),
        build: |values, initial| Box::new(Classic::new(vegas::Vegas::new(values), initial)),
        recovery: Some("vegas"),
    },
    Entry {
        descriptor: &control(
            "cubic",
            "Window growth as a cubic function of the time since the last loss",
            "RFC 9438",
            cubic::PARAMETERS,
        ),
        build: |values, initial| Box::new(Classic::new(cubic::Cubic::new(values), initial)),
        recovery: None,
    },
    Entry {
        descriptor: &control(
            "rbcc",
            "Moves the window on every acknowledgement by the distance of the round trip from a threshold",
            "Dahal 2007 sections 3.3, 4.1 to 4.3, equations 3.4, 3.5, 4.1",
            rbcc::PARAMETERS,
        ),
        build: |values, initial| Box::new(Classic::new(rbcc::Rbcc::new(values, initial), initial)),
        recovery: Some("newreno"),
    },
];

/// The control called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    CONTROLS.iter().find(|entry| entry.descriptor.name == name)
}

const fn control(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: &'static [Parameter],
) -> Descriptor {
    Descriptor { kind: Kind::Control, name, summary, source, parameters, presets: &[] }
}
