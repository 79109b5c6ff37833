//! Named choices in a scenario: `control = "reno"`, or `control = { name = "reno", increase = 2 }`. Controls,
//! queues, losses, applications and transports are all written so, and read through the registry.

use crate::language::diagnostics::{nearest, one_of_these};
use crate::language::document::{Node, Value, quoted};
use crate::language::reader::{Reader, TableReader};
use ackclock_base::{Descriptor, Kind, Values};

/// Reads the named choice that a key of a table gives; `None` if the key is absent or a problem was reported.
/// `candidates` are the possible names; `extra` are parameters that every candidate has besides its own. A table
/// without a `name` gives parameters of the key's default.
pub fn read(
    table: &TableReader<'_>,
    key: &str,
    candidates: &[&'static Descriptor],
    extra: &'static [ackclock_base::Parameter],
) -> Option<Choice> {
    let (reader, node, path) = (table.reader, table.get(key)?, &table.path_of(key));
    let (name, span) = name_of(reader, node, path, candidates, table.key(key).default_name())?;
    let names = || candidates.iter().map(|candidate| candidate.name);
    let Some(descriptor) = candidates.iter().find(|candidate| candidate.name == name) else {
        let place = if matches!(node.value, Value::Table(_)) { format!("{path}.name") } else { path.clone() };
        let expected = one_of_these(candidates) + from_outside(candidates, &name);
        reader.problem(&span, &place, &quoted(&name), &expected, nearest(&name, names()));
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

/// Returns the option of the command line that offers what is not in the registry, if the unknown name may be that of a
/// stack in a library or of a control in Python.
fn from_outside(candidates: &[&'static Descriptor], name: &str) -> &'static str {
    match candidates.first().map(|candidate| candidate.kind) {
        Some(Kind::Control) if name.ends_with(".py") || name.contains(".py:") => {
            "; or a control in Python, loaded with `--control FILE.py`, or in Python with the argument `controls`"
        }
        Some(Kind::Control) if !name.contains(':') => "",
        Some(Kind::Control) => "; or a control of a stack in a library, loaded with `--stack PATH`",
        Some(Kind::Transport) => "; or a stack in a library, loaded with `--stack PATH`",
        _ => "",
    }
}

/// Reports a problem if a parameter `min_x` exceeds `max_x`.
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
                None => format!(" (default {})", choice.descriptor.default_of(parameter)),
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

/// A named choice with its parameters.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The descriptor of what was chosen.
    pub descriptor: &'static Descriptor,
    /// The parameters of the choice itself.
    pub values: Values,
    /// The parameters that all candidates have.
    pub extra: Values,
}

impl Choice {
    /// Returns a choice with all its defaults.
    pub fn default_of(descriptor: &'static Descriptor) -> Self {
        Self { descriptor, values: descriptor.defaults(), extra: Values::default() }
    }

    /// Returns the chosen entry of a registry. Panics if the candidates were not those of the registry.
    pub fn entry<E: Registered>(&self, registry: &'static [E]) -> &'static E {
        let name = self.descriptor.name;
        let found = registry.iter().find(|entry| entry.descriptor().name == name);
        found.unwrap_or_else(|| panic!("{name:?} is missing from the registry in which it is looked up"))
    }

    /// Converts the choice to a choice among the entries of a registry. Panics if the candidates were not
    /// those of the registry.
    pub fn among<E: Registered>(self, registry: &'static [E]) -> Chosen<E> {
        Chosen { entry: self.entry(registry), values: self.values }
    }
}

/// An entry of a registry, which scenarios can name.
pub trait Registered: 'static {
    /// Returns the entry's descriptor: its name, its description in lists, and its parameters.
    fn descriptor(&self) -> &'static Descriptor;
}

/// A chosen entry of a registry, with its parameters.
#[derive(Debug)]
pub struct Chosen<E: 'static> {
    /// The entry.
    pub entry: &'static E,
    /// Its parameters.
    pub values: Values,
}

impl<E: Registered> Chosen<E> {
    /// Returns an entry with all its defaults.
    pub fn default_of(entry: &'static E) -> Self {
        Self { entry, values: entry.descriptor().defaults() }
    }
}

impl<E> Clone for Chosen<E> {
    fn clone(&self) -> Self {
        Self { entry: self.entry, values: self.values.clone() }
    }
}

/// Implements [`Registered`] for registries' entries, whose field `descriptor` holds the descriptor.
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

/// Returns the defaults of the parameters that a choice has besides its own: its presets, or the parameters'
/// defaults.
pub fn defaults(descriptor: &Descriptor, extra: &'static [ackclock_base::Parameter]) -> Values {
    Descriptor { parameters: extra, ..*descriptor }.defaults()
}

fn name_of(
    reader: &Reader<'_>,
    node: &Node,
    path: &str,
    candidates: &[&'static Descriptor],
    default: Option<&str>,
) -> Option<(String, crate::language::document::Span)> {
    let names = one_of_these(candidates);
    let expected = &format!("{names}; write the name in quotes, or as the `name` of a table with parameters");
    match &node.value {
        Value::Text(name) => Some((name.clone(), node.span.clone())),
        Value::Table(table) => match table.get("name") {
            Some(Node { value: Value::Text(name), span }) => Some((name.clone(), span.clone())),
            Some(other) => {
                reader.problem(
                    &other.span,
                    &format!("{path}.name"),
                    &other.describe(),
                    &format!("{names}; write the name in quotes"),
                    None,
                );
                None
            }
            None if let Some(default) = default => Some((default.to_owned(), node.span.clone())),
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
