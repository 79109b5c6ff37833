//! The parts of a sender's congestion control.

use crate::language::choice::{self, Choice, Chosen};
use crate::language::document::quoted;
use crate::language::reader::TableReader;
use crate::language::registry::control_parts;
use crate::language::registry::kernel_controls::{self, KernelControl};
use crate::language::registry::own_controls::OwnControl;
use ackclock_base::{Descriptor, Kind, Values};
use ackclock_cc::entry::{BackoffEntry, Build, Entry, Plugin, PublishedDefaults};
use ackclock_cc::registry::{BACKOFFS, CONTROLS};
use ackclock_cc::{Assembly, Backoff, EcnResponse, Initial, Part};
use std::sync::Arc;

/// The source of a control.
#[derive(Clone, Debug)]
enum Law {
    /// A control of the registry, or of a plugin that has an entry like those.
    Registered(&'static Entry),
    Plugin(Arc<dyn Plugin>),
    /// A control that runs over the transport that brings it along, and over no other.
    Own(OwnControl),
}

impl Law {
    fn of(control: &Choice, table: &TableReader<'_>) -> Self {
        let (name, plugins) = (control.descriptor.name, table.reader.plugins());
        match (plugins.control(name), plugins.own_control(name)) {
            (Some(plugin), _) => Self::Plugin(Arc::clone(plugin)),
            (None, Some(own)) => Self::Own(own),
            (None, None) => {
                let entry = plugins.entry(name);
                Self::Registered(entry.unwrap_or_else(|| control.entry(CONTROLS)))
            }
        }
    }

    fn published(&self) -> PublishedDefaults {
        match self {
            Self::Registered(entry) => entry.published,
            Self::Plugin(plugin) => plugin.published(),
            Self::Own(_) => PublishedDefaults::NONE,
        }
    }

    fn has_window(&self) -> bool {
        match self {
            Self::Registered(entry) => !matches!(entry.build, Build::Model(_)),
            Self::Plugin(plugin) => plugin.has_window(),
            Self::Own(_) => false,
        }
    }
}

/// A control and the parts around it.
#[derive(Clone, Debug)]
pub struct ControlPlan {
    /// The congestion control.
    control: Choice,
    law: Law,
    /// The control of the kernel for which the law stands; `None` if the flow names the law itself.
    kernel: Option<&'static KernelControl>,
    /// The loss discriminator; `None` if the file names none.
    discriminator: Option<Choice>,
    /// The action on a transmission loss; `None` if the file names none.
    action: Option<Choice>,
    /// The layers around the window that the file names, the innermost first.
    layers: Vec<Choice>,
    /// The rule by which the timeout backs off.
    backoff: Chosen<BackoffEntry>,
}

impl ControlPlan {
    /// Returns the defaults with which the control was published.
    pub fn published(&self) -> PublishedDefaults {
        self.law.published()
    }

    /// Returns whether the control draws random numbers that no seed sets.
    pub fn draws_unseeded(&self) -> bool {
        matches!(&self.law, Law::Plugin(plugin) if plugin.draws_unseeded())
    }

    /// Returns the control's name.
    pub fn name(&self) -> &'static str {
        self.kernel.map_or(self.control.descriptor.name, |kernel| kernel.descriptor.name)
    }

    /// Returns the parameters of the control, without those of the parts around it.
    pub fn values(&self) -> &Values {
        &self.control.values
    }

    /// Returns the control of Linux that the flow names; `None` for another one.
    pub fn kernel(&self) -> Option<&'static KernelControl> {
        self.kernel
    }

    /// Returns the control's name if one transport brings it along, and other transports cannot run it.
    pub fn brought_along(&self) -> Option<&'static str> {
        (self.is_own() || self.kernel.is_some()).then(|| self.name())
    }

    /// Returns whether a transport brings the control along.
    pub fn is_own(&self) -> bool {
        matches!(self.law, Law::Own(_))
    }

    /// Returns the control as one of this type if a transport brings it along; `None` for ours, and for one of another transport.
    pub fn own<T: 'static>(&self) -> Option<&T> {
        match &self.law {
            Law::Own(own) => own.of(),
            _ => None,
        }
    }

    /// Returns the control with its parameters, if it has an entry.
    pub fn registered(&self) -> Option<(&'static Entry, &Values)> {
        match &self.law {
            Law::Registered(entry) => Some((entry, &self.control.values)),
            _ => None,
        }
    }

    /// Returns the control as `NAME,PARAMETER=VALUE,...` with the parameters that differ from their defaults, as the sockets
    /// of the kernel can be offered it. `None` if no such text says it: if it is not in the registry, or the file names parts
    /// around it.
    pub fn specification(&self) -> Option<String> {
        let (entry, values) = self.registered()?;
        let in_linux = entry.published.slow_start_in_linux;
        let is_linux = |layer: &Choice| {
            in_linux == Some(layer.descriptor.name) && layer.values == layer.descriptor.defaults()
        };
        if self.discriminator.is_some() || self.action.is_some() || !self.layers.iter().all(is_linux) {
            return None;
        }
        let defaults = entry.descriptor.defaults();
        let parameters = entry.descriptor.parameters.iter().zip(values.iter()).zip(defaults.iter());
        let changed = parameters.filter(|((_, value), default)| value != default);
        let written =
            changed.map(|((parameter, value), _)| Some(format!("{}={}", parameter.name, value.text()?)));
        let words: Option<Vec<String>> = written.collect();
        Some([vec![entry.descriptor.name.to_owned()], words?].concat().join(","))
    }

    /// Returns the layers around the window that the file names, the innermost first.
    pub fn layers(&self) -> impl Iterator<Item = Part> {
        self.layers.iter().map(part)
    }

    /// Returns the assembly that creates the controls of connections. They share what the control shares. Panics for a control that
    /// a transport brings along.
    pub fn assembly(&self) -> Assembly {
        let discriminator = self.discriminator.as_ref().map(part);
        let action = self.action.as_ref().map(part);
        let values = &self.control.values;
        let assembly = match &self.law {
            Law::Registered(entry) => Assembly::new(entry, values, discriminator, action),
            Law::Plugin(plugin) => Assembly::of_plugin(plugin, values, discriminator, action),
            Law::Own(_) => {
                panic!("{} runs only over the transport that provides it", self.name())
            }
        };
        assembly.within(self.layers())
    }

    /// Adds the slow start that the control has in Linux, unless the flow names one.
    pub fn as_in_linux(mut self) -> Self {
        let named = self.layers.iter().any(|layer| layer.descriptor.kind == Kind::SlowStart);
        let own = self.published().slow_start_in_linux.and_then(ackclock_cc::registry::find_layer);
        if let Some(entry) = own.filter(|_| !named) {
            self.layers.insert(0, Choice::default_of(entry.descriptor));
        }
        self
    }

    /// Returns a back-off rule with a factor of at most `most`.
    pub fn backoff(&self, most: f64) -> Box<dyn Backoff> {
        (self.backoff.entry.build)(&self.backoff.values, most)
    }

    /// Returns whether the control counts marks, without which it is another control.
    pub fn counts_marks(&self) -> bool {
        let any = Initial { limit: 1e4, ..Initial::default() };
        !self.is_own() && self.assembly().join(&any).properties().ecn == EcnResponse::Counts
    }

    /// Returns the name of the discriminator, named in the file or published with the control; `None` if
    /// there is none.
    pub fn judge(&self) -> Option<&'static str> {
        let named = self.discriminator.as_ref().map(|choice| choice.descriptor.name);
        named.or(self.published().discriminator)
    }
}

fn part(choice: &Choice) -> Part {
    Part { name: choice.descriptor.name, values: choice.values.clone() }
}

/// The keys that name layers.
const LAYERS: [&str; 4] = ["slow_start", "resume", "ecn_response", "growth_limit"];

/// Reads the parts around a control. Parts that the file does not name are those with which the control was
/// published. Without a control the parts are read only to find problems in them.
pub(super) fn read(table: &TableReader<'_>, control: Option<Choice>) -> Option<ControlPlan> {
    let kernel = control.as_ref().and_then(|control| kernel_controls::find(control.descriptor.name));
    let control = match kernel {
        Some(kernel) => {
            let simulated = kernel.simulated().descriptor;
            Some(Choice { values: kernel.values(), ..Choice::default_of(simulated) })
        }
        None => control,
    };
    let law = control.as_ref().map(|control| Law::of(control, table));
    let published = law.as_ref().map_or(PublishedDefaults::NONE, Law::published);
    let given = |key: &str, candidates: &[&'static Descriptor]| match table.get(key) {
        None => Some(None),
        Some(_) => choice::read(table, key, candidates, &[]).map(Some),
    };
    let discriminator = given("discriminator", &control_parts::discriminators());
    let action = given("action", &control_parts::actions());
    let kinds = [
        control_parts::slow_starts(),
        control_parts::resumes(),
        control_parts::ecn_responses(),
        control_parts::growth_limits(),
    ];
    let layers: Vec<_> = LAYERS.iter().zip(kinds).map(|(key, kind)| given(key, &kind)).collect();
    let backoff = given("backoff", &control_parts::backoffs());
    let layers: Option<Vec<_>> = layers.into_iter().collect();
    let (discriminator, action, layers, backoff) = (discriminator?, action?, layers?, backoff?);
    if action.is_some() && discriminator.is_none() && published.discriminator.is_none() {
        table.problem_at(
            "action",
            "an `action` without a `discriminator`",
            "a `discriminator` as well: without one, no loss is classified as a transmission loss",
        );
        return None;
    }
    let (control, law) = (control?, law?);
    check_layers(table, &control, &law)?;
    if let Some(kernel) = kernel {
        check_kernel(table, kernel)?;
    }
    let published = published.backoff.and_then(ackclock_cc::registry::find_backoff);
    let backoff = match backoff {
        Some(named) => named.among(BACKOFFS),
        None => Chosen::default_of(published.unwrap_or(&BACKOFFS[0])),
    };
    let layers = layers.into_iter().flatten().collect();
    Some(ControlPlan { control, law, kernel, discriminator, action, layers, backoff })
}

/// Reports a layer or a discriminator around a control without a window that it could set: the control has a model of the path, or
/// belongs to a foreign stack.
fn check_layers(table: &TableReader<'_>, control: &Choice, law: &Law) -> Option<()> {
    if law.has_window() {
        return Some(());
    }
    let given = LAYERS.iter().chain(&["discriminator", "action"]).find(|key| table.get(key).is_some());
    given.map_or(Some(()), |key| {
        let found = format!("`{key}` with the control {}", quoted(control.descriptor.name));
        let expected = match law {
            Law::Own(own) => format!("no `{key}`, or {}", own.instead),
            Law::Plugin(_) => {
                format!("no `{key}`, or a window-based control instead (with `set_cwnd` and `set_ssthresh`)")
            }
            Law::Registered(_) => {
                format!("no `{key}`, or a window-based control instead of a model-based one")
            }
        };
        table.problem_at(key, &found, &expected);
        None
    })
}

/// The keys that name parts around a control.
const PARTS: [&str; 3] = ["discriminator", "action", "backoff"];

/// Reports a part around a control of the kernel, which has its own.
fn check_kernel(table: &TableReader<'_>, kernel: &KernelControl) -> Option<()> {
    let given = LAYERS.iter().chain(&PARTS).find(|key| table.get(key).is_some());
    given.map_or(Some(()), |key| {
        let (found, ours) = (kernel.descriptor.name, kernel.simulated().descriptor.name);
        let expected = format!(
            "no `{key}`, which kernel controls do not support; or the simulated control instead, `control = {}`",
            quoted(ours)
        );
        table.problem_at(key, &format!("`{key}` with the control {}", quoted(found)), &expected);
        None
    })
}
