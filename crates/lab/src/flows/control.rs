//! What a sender's congestion control is put together from.

use crate::choice::{self, Choice, Chosen};
use crate::document::quoted;
use crate::reader::TableReader;
use crate::registry;
use ackclock_base::{Descriptor, Kind};
use ackclock_cc::entry::{BackoffEntry, Brought, Build, Companions, Entry};
use ackclock_cc::registry::{BACKOFFS, CONTROLS};
use ackclock_cc::{Assembly, Backoff, EcnResponse, Initial, Part};
use std::sync::Arc;

/// Where a control comes from.
#[derive(Clone, Debug)]
enum Law {
    Registered(&'static Entry),
    Brought(Arc<dyn Brought>),
}

impl Law {
    fn of(control: &Choice, table: &TableReader<'_>) -> Self {
        match table.reader.plugins().control(control.descriptor.name) {
            Some(brought) => Self::Brought(Arc::clone(brought)),
            None => Self::Registered(control.entry(CONTROLS)),
        }
    }

    fn companions(&self) -> Companions {
        match self {
            Self::Registered(entry) => entry.companions,
            Self::Brought(brought) => brought.companions(),
        }
    }

    fn has_window(&self) -> bool {
        match self {
            Self::Registered(entry) => !matches!(entry.build, Build::Model(_)),
            Self::Brought(brought) => brought.has_window(),
        }
    }
}

/// A control and the parts around it.
#[derive(Clone, Debug)]
pub struct ControlPlan {
    /// The congestion control, and where it comes from.
    control: Choice,
    law: Law,
    /// The loss discriminator, where one is named.
    discriminator: Option<Choice>,
    /// What a loss of transmission does, where that is said.
    action: Option<Choice>,
    /// What stands around the window, where that is named, the innermost first.
    layers: Vec<Choice>,
    /// How the timeout backs off.
    backoff: Chosen<BackoffEntry>,
}

impl ControlPlan {
    /// What the control was published with.
    pub fn companions(&self) -> Companions {
        self.law.companions()
    }

    /// The control's name.
    pub fn name(&self) -> &'static str {
        self.control.descriptor.name
    }

    /// What makes the controls of connections, which share what the control shares.
    pub fn assembly(&self) -> Assembly {
        let part = |choice: &Choice| Part { name: choice.descriptor.name, values: choice.values.clone() };
        let discriminator = self.discriminator.as_ref().map(part);
        let action = self.action.as_ref().map(part);
        let values = &self.control.values;
        let assembly = match &self.law {
            Law::Registered(entry) => Assembly::new(entry, values, discriminator, action),
            Law::Brought(brought) => Assembly::bringing(brought, values, discriminator, action),
        };
        assembly.within(self.layers.iter().map(part))
    }

    /// Adds the slow start that the control has in Linux, unless the flow names one.
    pub fn as_in_linux(mut self) -> Self {
        let named = self.layers.iter().any(|layer| layer.descriptor.kind == Kind::SlowStart);
        let own = self.companions().slow_start_in_linux.and_then(ackclock_cc::registry::find_layer);
        if let Some(entry) = own.filter(|_| !named) {
            self.layers.insert(0, Choice::default_of(entry.descriptor));
        }
        self
    }

    /// A rule that lets the factor on the timeout grow to `most`.
    pub fn backoff(&self, most: f64) -> Box<dyn Backoff> {
        (self.backoff.entry.build)(&self.backoff.values, most)
    }

    /// Whether it counts marks, and is another control without them.
    pub fn counts_marks(&self) -> bool {
        let any = Initial { limit: 1e4, ..Initial::default() };
        self.assembly().join(&any).ecn() == EcnResponse::Counts
    }

    /// The discriminator that will judge, named or published with the control.
    pub fn judge(&self) -> Option<&'static str> {
        let named = self.discriminator.as_ref().map(|choice| choice.descriptor.name);
        named.or(self.companions().discriminator)
    }
}

/// The keys of layers.
const LAYERS: [&str; 4] = ["slow_start", "resume", "ecn_response", "growth_limit"];

/// Reads the parts around a control; without a control only to find what is wrong with them. Those that are not named are
/// the ones it was published with.
pub(super) fn read(table: &TableReader<'_>, control: Option<Choice>) -> Option<ControlPlan> {
    let law = control.as_ref().map(|control| Law::of(control, table));
    let companions = law.as_ref().map_or(Companions::NONE, Law::companions);
    let given = |key: &str, candidates: &[&'static Descriptor]| match table.get(key) {
        None => Some(None),
        Some(node) => choice::read(table.reader, node, &table.path_of(key), candidates, &[]).map(Some),
    };
    let discriminator = given("discriminator", &registry::discriminators());
    let action = given("action", &registry::actions());
    let kinds =
        [registry::slow_starts(), registry::resumes(), registry::ecn_responses(), registry::growth_limits()];
    let layers: Vec<_> = LAYERS.iter().zip(kinds).map(|(key, kind)| given(key, &kind)).collect();
    let backoff = given("backoff", &registry::backoffs());
    let layers: Option<Vec<_>> = layers.into_iter().collect();
    let (discriminator, action, layers, backoff) = (discriminator?, action?, layers?, backoff?);
    if action.is_some() && discriminator.is_none() && companions.discriminator.is_none() {
        table.problem_at(
            "action",
            "an `action` without a `discriminator`",
            "a `discriminator` as well: without one no loss is called transmission",
        );
        return None;
    }
    let (control, law) = (control?, law?);
    check_layers(table, &control, &law)?;
    let published = companions.backoff.and_then(ackclock_cc::registry::find_backoff);
    let backoff = match backoff {
        Some(named) => named.among(BACKOFFS),
        None => Chosen::default_of(published.unwrap_or(&BACKOFFS[0])),
    };
    let layers = layers.into_iter().flatten().collect();
    Some(ControlPlan { control, law, discriminator, action, layers, backoff })
}

/// A control with a model of the path has no window that a layer or a discriminator could set.
fn check_layers(table: &TableReader<'_>, control: &Choice, law: &Law) -> Option<()> {
    if law.has_window() {
        return Some(());
    }
    let given = LAYERS.iter().chain(&["discriminator", "action"]).find(|key| table.get(key).is_some());
    given.map_or(Some(()), |key| {
        let found = format!("`{key}` around {}", quoted(control.descriptor.name));
        table.problem_at(key, &found, "a control with a window: this one has a model of the path");
        None
    })
}
