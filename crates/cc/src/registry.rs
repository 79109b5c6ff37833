//! Every congestion control by name, and what goes with it: what a scenario file, `ackclock list` and the
//! documentation know of controls. A control's own line stands in its file; here is the list of them.

use crate::action::{self, Action};
use crate::backoff::{self, Backoff};
use crate::control::{Control, Initial, WindowControl};
use crate::discern::discriminators::{self, Discriminator};
use crate::group::ControlGroup;
use crate::laws::{
    a_tcp, a_tcp_p, alnuem, cm, cocoon, cubic, dca, dctcp, fractional, rbcc, reno, tcp_k, tcp_p, vegas,
};
use ackclock_base::{Descriptor, Kind, Parameter, Values};

/// The controls, in the order in which lists show them.
pub const CONTROLS: &[Entry] = &[
    reno::RENO,
    reno::NEWRENO,
    reno::SACK,
    vegas::ENTRY,
    cubic::ENTRY,
    dctcp::ENTRY,
    crate::laws::ledbat::ENTRY,
    rbcc::ENTRY,
    crate::laws::rbcc_dynamic::ENTRY,
    crate::laws::ltcp::ENTRY,
    crate::laws::ltcp_rc::ENTRY,
    tcp_k::ENTRY,
    a_tcp::ENTRY,
    dca::COLLABORATIVE,
    dca::SELF,
    tcp_p::ENTRY,
    a_tcp_p::ENTRY,
    fractional::FRACTIONAL,
    fractional::COMBINED,
    cocoon::ENTRY,
    cm::ENTRY,
    alnuem::CWA,
    alnuem::MDA,
    alnuem::RTA,
    alnuem::TWA,
    alnuem::TCP_RTT,
    alnuem::TCP_RTTM,
    alnuem::SPIKE,
    alnuem::SPIKE_NR,
    crate::laws::learning_tcp::ENTRY,
    crate::laws::hstcp::ENTRY,
    crate::laws::scalable::ENTRY,
    crate::laws::bic::ENTRY,
    crate::laws::africa::ENTRY,
    crate::laws::htcp::ENTRY,
    crate::laws::fast::ENTRY,
    crate::laws::westwood::WESTWOOD,
    crate::laws::westwood::WESTWOOD_NR,
];

/// The loss discriminators: is a loss congestion or transmission?
pub const DISCRIMINATORS: &[DiscriminatorEntry] = &[
    discriminators::always::ENTRY,
    discriminators::rtt::ENTRY,
    discriminators::spike::ENTRY,
    discriminators::learning::ENTRY,
];

/// What a loss of transmission does to the window.
pub const ACTIONS: &[ActionEntry] = &[action::no_cut::ENTRY, action::cwa::ENTRY, action::conservative::ENTRY];

/// How the retransmission timeout grows while it keeps expiring.
pub const BACKOFFS: &[BackoffEntry] = &[backoff::exponential::ENTRY, backoff::rta::ENTRY];

/// A registered control.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What it is.
    pub descriptor: &'static Descriptor,
    /// How one is made.
    pub build: Build,
    /// What it was published with.
    pub companions: Companions,
}

/// How a control is made for a new connection.
#[derive(Clone, Copy, Debug)]
pub enum Build {
    /// Each connection has its own window.
    Alone(fn(&Values, &Initial) -> Box<dyn WindowControl>),
    /// Each connection has its own model of the path, and nothing around it may set its window.
    Model(fn(&Values, &Initial) -> Box<dyn Control>),
    /// The connections of a group share state: this makes the group, which makes its members' controls.
    Group(fn(&Values) -> Box<dyn ControlGroup>),
}

/// The parts around a window law that a control was published with, by name. A scenario may choose others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Companions {
    /// The retransmission rule; the transport's own where none is named.
    pub recovery: Option<&'static str>,
    /// The loss discriminator, if it has one.
    pub discriminator: Option<&'static str>,
    /// What it does about a loss of transmission.
    pub action: Option<&'static str>,
    /// How its timeout backs off; exponentially where nothing is named.
    pub backoff: Option<&'static str>,
}

impl Companions {
    /// Whatever the transport has.
    pub const NONE: Self = Self { recovery: None, discriminator: None, action: None, backoff: None };

    /// A retransmission rule, and nothing else out of the ordinary.
    pub const fn recovery(rule: &'static str) -> Self {
        Self { recovery: Some(rule), ..Self::NONE }
    }
}

/// A registered loss discriminator.
#[derive(Clone, Copy, Debug)]
pub struct DiscriminatorEntry {
    /// What it is.
    pub descriptor: &'static Descriptor,
    /// Makes one for a new connection.
    pub build: fn(&Values) -> Box<dyn Discriminator>,
    /// Whether it can tell nothing without the transport's timestamps.
    pub needs_timestamps: bool,
}

/// A registered action.
#[derive(Clone, Copy, Debug)]
pub struct ActionEntry {
    /// What it is.
    pub descriptor: &'static Descriptor,
    /// Makes one for a new connection.
    pub build: fn(&Values) -> Box<dyn Action>,
}

/// A registered back-off rule.
#[derive(Clone, Copy, Debug)]
pub struct BackoffEntry {
    /// What it is.
    pub descriptor: &'static Descriptor,
    /// Makes one for a new connection whose transport allows factors up to the number given.
    pub build: fn(&Values, f64) -> Box<dyn Backoff>,
}

/// The control called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    CONTROLS.iter().find(|entry| entry.descriptor.name == name)
}

/// The discriminator called `name`.
pub fn find_discriminator(name: &str) -> Option<&'static DiscriminatorEntry> {
    DISCRIMINATORS.iter().find(|entry| entry.descriptor.name == name)
}

/// The action called `name`.
pub fn find_action(name: &str) -> Option<&'static ActionEntry> {
    ACTIONS.iter().find(|entry| entry.descriptor.name == name)
}

/// The back-off rule called `name`.
pub fn find_backoff(name: &str) -> Option<&'static BackoffEntry> {
    BACKOFFS.iter().find(|entry| entry.descriptor.name == name)
}

/// A control's descriptor, for the constant in its file.
pub const fn control(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: &'static [Parameter],
) -> Descriptor {
    Descriptor { kind: Kind::Control, name, summary, source, parameters, presets: &[] }
}
