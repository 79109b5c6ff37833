//! Puts a connection's control together from its parts, as a scenario or a host's configuration names them.

use crate::control::{Control, Initial};
use crate::discern::Discerning;
use crate::group::ControlGroup;
use crate::registry::{self, Build, Companions, Entry};
use ackclock_base::{Descriptor, Values};

/// What a group of connections is controlled by.
pub struct Assembly {
    maker: Box<dyn ControlGroup>,
    discriminator: Option<Part>,
    action: Option<Part>,
}

/// A named part with its parameters.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name in the registry.
    pub name: &'static str,
    /// Its parameters.
    pub values: Values,
}

impl Part {
    /// With the parameters it was published with.
    fn published(descriptor: &Descriptor) -> Self {
        Self { name: descriptor.name, values: descriptor.defaults() }
    }
}

impl Assembly {
    /// A control, with the discriminator and the action that are named, or else those it was published with.
    pub fn new(entry: &Entry, values: &Values, discriminator: Option<Part>, action: Option<Part>) -> Self {
        let maker: Box<dyn ControlGroup> = match entry.build {
            Build::Alone(build) => Box::new(Alone { build, values: values.clone() }),
            Build::Group(build) => build(values),
        };
        let Companions { discriminator: judge, action: answer, .. } = entry.companions;
        let judge =
            judge.and_then(registry::find_discriminator).map(|entry| Part::published(entry.descriptor));
        let answer = answer.and_then(registry::find_action).map(|entry| Part::published(entry.descriptor));
        Self { maker, discriminator: discriminator.or(judge), action: action.or(answer) }
    }
}

impl ControlGroup for Assembly {
    fn join(&mut self, initial: &Initial) -> Box<dyn Control> {
        let control = self.maker.join(initial);
        let discriminator = self.discriminator.as_ref();
        let discriminator = discriminator
            .and_then(|part| Some((registry::find_discriminator(part.name)?.build)(&part.values)));
        let Some(discriminator) = discriminator else { return control };
        let action = self.action.as_ref();
        let action = action.and_then(|part| Some((registry::find_action(part.name)?.build)(&part.values)));
        let action = action.unwrap_or_else(|| Box::new(crate::action::no_cut::NoCut));
        Box::new(Discerning::new(control, discriminator, action, initial.limit))
    }
}

/// Members that know nothing of each other.
struct Alone {
    build: fn(&Values, &Initial) -> Box<dyn Control>,
    values: Values,
}

impl ControlGroup for Alone {
    fn join(&mut self, initial: &Initial) -> Box<dyn Control> {
        (self.build)(&self.values, initial)
    }
}
