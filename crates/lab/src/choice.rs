//! A named thing in a scenario: `control = "reno"`, or `control = { name = "reno", increase = 2 }`. One way to
//! write controls, queues, losses, applications and transports, read through the registry.

use crate::diagnostics::{nearest, one_of_these};
use crate::document::{Node, Value, quoted};
use crate::reader::{Reader, TableReader};
use ackclock_base::{Descriptor, Values};

/// Reads a named thing. `candidates` are those that may stand here; `extra` are parameters that every one of them
/// has besides its own.
pub fn read(
    reader: &Reader<'_>,
    node: &Node,
    path: &str,
    candidates: &[&'static Descriptor],
    extra: &'static [ackclock_base::Parameter],
) -> Option<Choice> {
    let (name, span) = name_of(reader, node, path, candidates)?;
    let names = || candidates.iter().map(|candidate| candidate.name);
    let Some(descriptor) = candidates.iter().find(|candidate| candidate.name == name) else {
        let place =
            if matches!(node.value, Value::Table(_)) { format!("{path}.name") } else { path.to_owned() };
        reader.problem(&span, &place, &quoted(&name), &one_of_these(candidates), nearest(&name, names()));
        return None;
    };
    let mut choice = Choice { descriptor, values: descriptor.defaults(), extra: defaults(descriptor, extra) };
    let Value::Table(table) = &node.value else { return Some(choice) };
    let parameters = || extra.iter().chain(descriptor.parameters);
    let known: Vec<&str> =
        std::iter::once("name").chain(parameters().map(|parameter| parameter.name)).collect();
    let table_reader = reader.table(node, path, &known)?;
    for parameter in parameters() {
        let key = parameter.name;
        let Some(given) = table.get(key) else { continue };
        let place = table_reader.path_of(key);
        if let Some(value) = reader.quantity(given, &place, parameter.quantity, parameter.range) {
            choice.values.set(key, value);
            choice.extra.set(key, value);
        }
    }
    check_order(&table_reader, &choice);
    Some(choice)
}

/// What is called min_x is not above what is called max_x.
fn check_order(table: &TableReader<'_>, choice: &Choice) {
    let base = |name: &str| choice.values.get(name).and_then(|value| value.base());
    for least in choice.descriptor.parameters {
        let Some(rest) = least.name.strip_prefix("min_") else { continue };
        let Some(greatest) = choice.descriptor.parameter(&format!("max_{rest}")) else { continue };
        if let (Some(low), Some(high)) = (base(least.name), base(greatest.name))
            && low > high
        {
            let given = [greatest, least].into_iter().find(|parameter| table.get(parameter.name).is_some());
            let default = |parameter: &ackclock_base::Parameter| match table.get(parameter.name) {
                None => format!(" ({} unless given)", choice.descriptor.default_of(parameter)),
                Some(_) => String::new(),
            };
            let found = format!("`{}` above `{}`", least.name, greatest.name);
            let expected = format!(
                "`{}`{} of at most `{}`{}",
                least.name,
                default(least),
                greatest.name,
                default(greatest)
            );
            table.problem_at(given.unwrap_or(least).name, &found, &expected);
        }
    }
}

/// A named thing with its parameters.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What it is.
    pub descriptor: &'static Descriptor,
    /// Its parameters.
    pub values: Values,
    /// The parameters that all of its kind have.
    pub extra: Values,
}

impl Choice {
    /// A named thing with all its defaults.
    pub fn default_of(descriptor: &'static Descriptor) -> Self {
        Self { descriptor, values: descriptor.defaults(), extra: Values::default() }
    }

    /// Returns the entry of a registry that was chosen. The candidates must have been those of the registry.
    pub fn entry<E: Registered>(&self, registry: &'static [E]) -> &'static E {
        let name = self.descriptor.name;
        let found = registry.iter().find(|entry| entry.descriptor().name == name);
        found.unwrap_or_else(|| {
            panic!("{name:?} was chosen from another registry than the one it is looked up in")
        })
    }

    /// Returns the same as a choice among the entries of a registry. The candidates must have been those of the registry.
    pub fn among<E: Registered>(self, registry: &'static [E]) -> Chosen<E> {
        Chosen { entry: self.entry(registry), values: self.values }
    }
}

/// An entry of a registry of things that scenarios name.
pub trait Registered: 'static {
    /// The entry's name, what lists say about it, and its parameters.
    fn descriptor(&self) -> &'static Descriptor;
}

/// An entry of a registry that was chosen, with its parameters.
#[derive(Debug)]
pub struct Chosen<E: 'static> {
    /// The entry.
    pub entry: &'static E,
    /// Its parameters.
    pub values: Values,
}

impl<E: Registered> Chosen<E> {
    /// An entry with all its defaults.
    pub fn default_of(entry: &'static E) -> Self {
        Self { entry, values: entry.descriptor().defaults() }
    }
}

impl<E> Clone for Chosen<E> {
    fn clone(&self) -> Self {
        Self { entry: self.entry, values: self.values.clone() }
    }
}

/// Says where registries keep the descriptors of their entries.
macro_rules! registered {
    ($($entry:ty),+ $(,)?) => {
        $(impl Registered for $entry {
            fn descriptor(&self) -> &'static Descriptor {
                self.descriptor
            }
        })+
    };
}

registered! {
    ackclock_cc::entry::Entry,
    ackclock_cc::entry::BackoffEntry,
    ackclock_cc::entry::SelectorEntry,
    ackclock_sim::agents::Entry,
    ackclock_sim::traffic::Entry,
}

/// The defaults of parameters that a thing has besides its own: what it presets, or theirs.
pub fn defaults(descriptor: &Descriptor, extra: &'static [ackclock_base::Parameter]) -> Values {
    Descriptor { parameters: extra, ..*descriptor }.defaults()
}

fn name_of(
    reader: &Reader<'_>,
    node: &Node,
    path: &str,
    candidates: &[&'static Descriptor],
) -> Option<(String, crate::document::Span)> {
    let names = one_of_these(candidates);
    let expected = &format!("{names}: in quotes, or as the `name` of a table with parameters");
    match &node.value {
        Value::Text(name) => Some((name.clone(), node.span.clone())),
        Value::Table(table) => match table.get("name") {
            Some(Node { value: Value::Text(name), span }) => Some((name.clone(), span.clone())),
            Some(other) => {
                reader.problem(
                    &other.span,
                    &format!("{path}.name"),
                    &other.describe(),
                    &format!("{names}, in quotes"),
                    None,
                );
                None
            }
            None => {
                reader.problem(&node.span, path, "a table without `name`", expected, None);
                None
            }
        },
        _ => {
            reader.problem(&node.span, path, &node.describe(), expected, None);
            None
        }
    }
}
