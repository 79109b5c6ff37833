//! Assembles a connection's control from the parts that a scenario or a host's configuration names.

use crate::control::{Control, Initial, WindowControl};
use crate::differentiation::{Cause, Counted, Differentiating, IncomingAck, LossDifferentiation};
use crate::entry::{Build, Entry, Plugin, PublishedDefaults};
use crate::group::ControlGroup;
use crate::layer::Layered;
use crate::registry;
use ackclock_base::{Descriptor, Random, Values};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// The parts from which the controls of a group of connections are made.
pub struct Assembly {
    maker: Maker,
    discriminator: Option<Part>,
    action: Option<Part>,
    layers: Vec<Part>,
}

/// A named part with its parameters.
#[derive(Clone, Debug)]
pub struct Part {
    /// The part's name in the registry.
    pub name: &'static str,
    /// The values of its parameters.
    pub values: Values,
}

impl Part {
    /// Returns the part with the default values of its parameters.
    fn published(descriptor: &Descriptor) -> Self {
        Self { name: descriptor.name, values: descriptor.defaults() }
    }
}

impl Assembly {
    /// Assembles a registered control with the discriminator and the action given, or else those it was
    /// published with.
    pub fn new(entry: &Entry, values: &Values, discriminator: Option<Part>, action: Option<Part>) -> Self {
        let maker = match entry.build {
            Build::Alone(build) => Maker::Windows(Box::new(Alone { build, values: values.clone() })),
            Build::Group(build) => Maker::Windows(build(values)),
            Build::Model(build) => {
                let values = values.clone();
                Maker::Models(Box::new(move |initial| build(&values, initial)))
            }
        };
        Self::of(maker, entry.published, discriminator, action)
    }

    /// Assembles a plugin control, as [`Self::new`] does a registered one.
    pub fn of_plugin(
        control: &Arc<dyn Plugin>,
        values: &Values,
        discriminator: Option<Part>,
        action: Option<Part>,
    ) -> Self {
        let (plugin, values) = (Arc::clone(control), values.clone());
        let maker = match control.has_window() {
            true => Maker::Windows(Box::new(Alone {
                build: move |values: &Values, initial: &Initial| plugin.build(values, initial),
                values,
            })),
            false => Maker::Models(Box::new(move |initial| plugin.build(&values, initial))),
        };
        Self::of(maker, control.published(), discriminator, action)
    }

    fn of(
        maker: Maker,
        published: PublishedDefaults,
        discriminator: Option<Part>,
        action: Option<Part>,
    ) -> Self {
        let PublishedDefaults { discriminator: judge, action: answer, .. } = published;
        let judge =
            judge.and_then(registry::find_discriminator).map(|entry| Part::published(entry.descriptor));
        let answer = answer.and_then(registry::find_action).map(|entry| Part::published(entry.descriptor));
        Self { maker, discriminator: discriminator.or(judge), action: action.or(answer), layers: Vec::new() }
    }

    /// Adds these layers around each window, the first one innermost.
    pub fn within(mut self, layers: impl IntoIterator<Item = Part>) -> Self {
        self.layers.extend(layers);
        self
    }

    /// Creates the control of a new connection. Layers and a discriminator are only put around a control
    /// whose window can be set.
    pub fn join(&mut self, initial: &Initial) -> Controller {
        let maker = match &mut self.maker {
            Maker::Windows(maker) => maker,
            Maker::Models(build) => return Controller::Model(build(initial)),
        };
        let around = |control, part: &Part| match registry::find_layer(part.name) {
            Some(entry) => Box::new(Layered::new(control, (entry.build)(&part.values, initial)))
                as Box<dyn WindowControl>,
            None => control,
        };
        let control = self.layers.iter().fold(maker.join(initial), around);
        let discriminator = self.discriminator.as_ref();
        let discriminator = discriminator
            .and_then(|part| Some((registry::find_discriminator(part.name)?.build)(&part.values)));
        let Some(discriminator) = discriminator else { return Controller::Window(control) };
        let action = self.action.as_ref();
        let action = action.and_then(|part| Some((registry::find_action(part.name)?.build)(&part.values)));
        let action = action.unwrap_or_else(|| Box::new(crate::action::no_cut::NoCut));
        Controller::Differentiating(Box::new(Differentiating::new(
            control,
            discriminator,
            action,
            initial.limit,
        )))
    }
}

type ModelMaker = Box<dyn Fn(&Initial) -> Box<dyn Control> + Send>;

enum Maker {
    Windows(Box<dyn ControlGroup>),
    Models(ModelMaker),
}

/// A connection's control and the parts around it.
pub enum Controller {
    /// A control with a window, to which every loss is reported as congestion.
    Window(Box<dyn WindowControl>),
    /// A control with a model of the path.
    Model(Box<dyn Control>),
    /// A control inside a layer that tells transmission losses from losses through congestion.
    Differentiating(Box<dyn LossDifferentiation>),
}

impl Controller {
    /// Returns whether the control has a model of the path. If so, its window limits the packets in flight
    /// during recovery too.
    pub fn has_model(&self) -> bool {
        matches!(self, Self::Model(_))
    }

    /// Passes an incoming acknowledgement to [`LossDifferentiation::on_incoming`]; returns `None` if no discriminator
    /// is present.
    #[inline]
    pub fn on_incoming(
        &mut self,
        incoming: impl FnOnce() -> IncomingAck,
        random: &mut dyn Random,
    ) -> Option<Cause> {
        match self {
            Self::Differentiating(layer) => Some(layer.on_incoming(&incoming(), random)),
            Self::Window(_) | Self::Model(_) => None,
        }
    }

    /// Passes a count of missing packets to [`LossDifferentiation::on_counted`]; does nothing without a
    /// discriminator.
    pub fn on_counted(&mut self, counted: &Counted, random: &mut dyn Random) {
        if let Self::Differentiating(layer) = self {
            layer.on_counted(counted, random);
        }
    }

    /// Returns the control if its window can be set, and `None` for a control with a model.
    pub fn window_control(&mut self) -> Option<&mut dyn WindowControl> {
        match self {
            Self::Window(control) => Some(&mut **control),
            Self::Differentiating(layer) => Some(&mut **layer),
            Self::Model(_) => None,
        }
    }
}

impl Deref for Controller {
    type Target = dyn Control;

    #[inline]
    fn deref(&self) -> &Self::Target {
        match self {
            Self::Window(control) => &**control,
            Self::Model(control) => &**control,
            Self::Differentiating(layer) => &**layer,
        }
    }
}

impl DerefMut for Controller {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Window(control) => &mut **control,
            Self::Model(control) => &mut **control,
            Self::Differentiating(layer) => &mut **layer,
        }
    }
}

/// A group whose members share no state.
struct Alone<Build> {
    build: Build,
    values: Values,
}

impl<Build: Fn(&Values, &Initial) -> Box<dyn WindowControl> + Send> ControlGroup for Alone<Build> {
    fn join(&mut self, initial: &Initial) -> Box<dyn WindowControl> {
        (self.build)(&self.values, initial)
    }
}
