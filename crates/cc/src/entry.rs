//! What is registered: a control, a discriminator, an action, a layer or a back-off rule with its description and how one is made.
//! Each file of one has such an entry; [`crate::registry`] has the list of them.

use crate::action::Action;
use crate::backoff::Backoff;
use crate::control::{Control, Initial, WindowControl};
use crate::discern::discriminators::Discriminator;
use crate::group::ControlGroup;
use crate::layer::Layer;
use crate::selector::PathSelector;
use ackclock_base::{Descriptor, Kind, Parameter, Values};
use std::fmt;

/// A registered control.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, what lists say about it, and its parameters.
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

/// A control that stands in no registry: whoever runs a scenario brings it along.
pub trait Brought: fmt::Debug + Send + Sync {
    /// Its name, what lists say about it, and its parameters.
    fn descriptor(&self) -> &'static Descriptor;

    /// What it is to be run with.
    fn companions(&self) -> Companions {
        Companions::NONE
    }

    /// Whether what stands around it may set its window. Otherwise it has a model of the path.
    fn has_window(&self) -> bool;

    /// Makes one for a new connection.
    fn build(&self, values: &Values, initial: &Initial) -> Box<dyn WindowControl>;
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
    /// The slow start that it has in Linux, where a transport follows Linux and the flow names none.
    pub slow_start_in_linux: Option<&'static str>,
}

impl Companions {
    /// Whatever the transport has.
    pub const NONE: Self =
        Self { recovery: None, discriminator: None, action: None, backoff: None, slow_start_in_linux: None };

    /// A retransmission rule, and nothing else out of the ordinary.
    pub const fn recovery(rule: &'static str) -> Self {
        Self { recovery: Some(rule), ..Self::NONE }
    }
}

/// A registered loss discriminator.
#[derive(Clone, Copy, Debug)]
pub struct DiscriminatorEntry {
    /// Its name, what lists say about it, and its parameters.
    pub descriptor: &'static Descriptor,
    /// Makes one for a new connection.
    pub build: fn(&Values) -> Box<dyn Discriminator>,
    /// Whether it can tell nothing without the transport's timestamps.
    pub needs_timestamps: bool,
}

/// A registered action.
#[derive(Clone, Copy, Debug)]
pub struct ActionEntry {
    /// Its name, what lists say about it, and its parameters.
    pub descriptor: &'static Descriptor,
    /// Makes one for a new connection.
    pub build: fn(&Values) -> Box<dyn Action>,
}

/// A registered layer around a window: a slow start, a response to marks or a limit of growth.
#[derive(Clone, Copy, Debug)]
pub struct LayerEntry {
    /// Its name, what lists say about it, and its parameters.
    pub descriptor: &'static Descriptor,
    /// Makes one for a new connection.
    pub build: fn(&Values, &Initial) -> Box<dyn Layer>,
}

/// A registered back-off rule.
#[derive(Clone, Copy, Debug)]
pub struct BackoffEntry {
    /// Its name, what lists say about it, and its parameters.
    pub descriptor: &'static Descriptor,
    /// Makes one for a new connection whose transport allows factors up to the number given.
    pub build: fn(&Values, f64) -> Box<dyn Backoff>,
}

/// A registered path selector.
#[derive(Clone, Copy, Debug)]
pub struct SelectorEntry {
    /// Its name, what lists say about it, and its parameters.
    pub descriptor: &'static Descriptor,
    /// Makes one for a new association with so many paths; `None` where new data stays with the primary path, so that there
    /// is nothing to ask.
    pub build: fn(&Values, usize) -> Option<Box<dyn PathSelector>>,
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
