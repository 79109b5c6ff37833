//! Registry entries of controls, discriminators, actions, layers, back-off rules and path selectors: a
//! description and a constructor each. The file of each part defines its entry; [`crate::registry`] lists
//! them all.

use crate::action::Action;
use crate::backoff::Backoff;
use crate::control::{Control, Initial, WindowControl};
use crate::differentiation::discriminators::Discriminator;
use crate::group::ControlGroup;
use crate::layer::Layer;
use crate::selector::PathSelector;
use ackclock_base::{Descriptor, Kind, Parameter, Values};
use std::fmt;

/// A registered control.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, its description and its parameters.
    pub descriptor: &'static Descriptor,
    /// The constructor.
    pub build: Build,
    /// The parts that it was published with.
    pub published: PublishedDefaults,
}

/// The constructor of a control for a new connection.
#[derive(Clone, Copy, Debug)]
pub enum Build {
    /// Makes a control with a window of its own for each connection.
    Alone(fn(&Values, &Initial) -> Box<dyn WindowControl>),
    /// Makes a control with a model of the path for each connection; no part around it may set its window.
    Model(fn(&Values, &Initial) -> Box<dyn Control>),
    /// Makes a group whose connections share state; the group makes the controls of its members.
    Group(fn(&Values) -> Box<dyn ControlGroup>),
}

/// A plugin: a control outside the registry, supplied by the program that runs a scenario.
pub trait Plugin: fmt::Debug + Send + Sync {
    /// Returns its name, its description and its parameters.
    fn descriptor(&self) -> &'static Descriptor;

    /// Returns the parts that it should run with.
    fn published(&self) -> PublishedDefaults {
        PublishedDefaults::NONE
    }

    /// Returns whether the control has a window that others may set: slow starts, discriminators and actions around it, and the
    /// host during recovery, which then reduces the flight proportionally (RFC 6937). Return false only for a control with a
    /// model of the path, such as BBR: nothing may be put around it, and its decision holds during recovery too.
    fn has_window(&self) -> bool;

    /// Returns whether the control draws random numbers that no seed sets, so that runs with one seed differ.
    fn draws_unseeded(&self) -> bool {
        false
    }

    /// Creates the control of a new connection.
    fn build(&self, values: &Values, initial: &Initial) -> Box<dyn WindowControl>;
}

/// The published defaults: the parts, by name, that a control was published with. A scenario may choose
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedDefaults {
    /// The retransmission rule; `None` for the transport's own.
    pub recovery: Option<&'static str>,
    /// The loss discriminator; `None` if the control has none.
    pub discriminator: Option<&'static str>,
    /// The action on a transmission loss; `None` if the control has none.
    pub action: Option<&'static str>,
    /// The back-off rule of the retransmission timeout; `None` for exponential back-off.
    pub backoff: Option<&'static str>,
    /// The slow start that Linux combines with it, used if the transport follows Linux and the flow names no
    /// slow start.
    pub slow_start_in_linux: Option<&'static str>,
}

impl PublishedDefaults {
    /// No parts of its own: the transport's choices apply.
    pub const NONE: Self =
        Self { recovery: None, discriminator: None, action: None, backoff: None, slow_start_in_linux: None };

    /// Names a retransmission rule and no other part.
    pub const fn recovery(rule: &'static str) -> Self {
        Self { recovery: Some(rule), ..Self::NONE }
    }
}

/// A registered loss discriminator.
#[derive(Clone, Copy, Debug)]
pub struct DiscriminatorEntry {
    /// Its name, its description and its parameters.
    pub descriptor: &'static Descriptor,
    /// Creates the discriminator of a new connection.
    pub build: fn(&Values) -> Box<dyn Discriminator>,
    /// Whether it can judge nothing without the transport's timestamps.
    pub needs_timestamps: bool,
}

/// A registered action.
#[derive(Clone, Copy, Debug)]
pub struct ActionEntry {
    /// Its name, its description and its parameters.
    pub descriptor: &'static Descriptor,
    /// Creates the action of a new connection.
    pub build: fn(&Values) -> Box<dyn Action>,
}

/// A registered layer around a window: a slow start, a response to marks or a limit of growth.
#[derive(Clone, Copy, Debug)]
pub struct LayerEntry {
    /// Its name, its description and its parameters.
    pub descriptor: &'static Descriptor,
    /// Creates the layer of a new connection.
    pub build: fn(&Values, &Initial) -> Box<dyn Layer>,
}

/// A registered back-off rule.
#[derive(Clone, Copy, Debug)]
pub struct BackoffEntry {
    /// Its name, its description and its parameters.
    pub descriptor: &'static Descriptor,
    /// Creates the rule of a new connection; the second argument is the greatest factor that its transport
    /// allows.
    pub build: fn(&Values, f64) -> Box<dyn Backoff>,
}

/// A registered path selector.
#[derive(Clone, Copy, Debug)]
pub struct SelectorEntry {
    /// Its name, its description and its parameters.
    pub descriptor: &'static Descriptor,
    /// Creates the selector of a new association with the given number of paths. Returns `None` if new data
    /// always stays on the primary path, so that no selector is needed.
    pub build: fn(&Values, usize) -> Option<Box<dyn PathSelector>>,
}

/// Returns a control's descriptor, for the constant in its file.
pub const fn control(
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: &'static [Parameter],
) -> Descriptor {
    Descriptor { kind: Kind::Control, name, summary, source, parameters, presets: &[] }
}
