//! The registry of everything that a scenario can name, which `ackclock list` and the documentation print.

pub(crate) mod control_parts;
pub mod kernel_controls;
pub mod own_controls;
pub mod plugins;

pub use control_parts::{
    actions, backoffs, controls, discriminators, ecn_responses, growth_limits, resumes, selectors,
    slow_starts,
};

use crate::cost::warnings::repair;
use ackclock_aqm::entry::QueueLimit;
use ackclock_base::ranges::range_words;
use ackclock_base::registry::Quantity;
use ackclock_base::{Descriptor, Kind, Parameter, Range};
use plugins::Plugins;
use serde::Serialize;

/// Returns every queue discipline.
pub fn queues() -> Vec<&'static Descriptor> {
    ackclock_aqm::registry::QUEUES.iter().map(|entry| entry.descriptor).collect()
}

/// Returns every loss model.
pub fn losses() -> Vec<&'static Descriptor> {
    ackclock_sim::loss::LOSSES.iter().map(|entry| entry.descriptor).collect()
}

/// Returns every medium.
pub fn media() -> Vec<&'static Descriptor> {
    ackclock_sim::medium::registry::MEDIA.iter().map(|entry| entry.descriptor).collect()
}

/// Returns every model of propagation.
pub fn propagations() -> Vec<&'static Descriptor> {
    ackclock_sim::radio::propagation::PROPAGATIONS.iter().map(|entry| entry.descriptor).collect()
}

/// Returns every mobility model.
pub fn mobilities() -> Vec<&'static Descriptor> {
    ackclock_sim::radio::mobility::MOBILITIES.iter().map(|entry| entry.descriptor).collect()
}

/// Returns every routing rule.
pub fn routings() -> Vec<&'static Descriptor> {
    crate::language::network::routings::ROUTINGS.to_vec()
}

/// Returns every agent.
pub fn agents() -> Vec<&'static Descriptor> {
    ackclock_sim::agents::AGENTS.iter().map(|entry| entry.descriptor).collect()
}

/// Returns every transport profile.
pub fn transports() -> Vec<&'static Descriptor> {
    crate::transports::profiles().collect()
}

/// Returns every application.
pub fn applications() -> Vec<&'static Descriptor> {
    ackclock_sim::traffic::APPLICATIONS.iter().map(|entry| entry.descriptor).collect()
}

/// Returns every registered entry of a kind.
pub fn of(kind: Kind) -> Vec<&'static Descriptor> {
    match kind {
        Kind::Control => controls(),
        Kind::Discriminator => discriminators(),
        Kind::Action => actions(),
        Kind::SlowStart => slow_starts(),
        Kind::Resume => resumes(),
        Kind::EcnResponse => ecn_responses(),
        Kind::GrowthLimit => growth_limits(),
        Kind::Backoff => backoffs(),
        Kind::Selector => selectors(),
        Kind::Queue => queues(),
        Kind::Loss => losses(),
        Kind::Medium => media(),
        Kind::Propagation => propagations(),
        Kind::Mobility => mobilities(),
        Kind::Routing => routings(),
        Kind::Agent => agents(),
        Kind::Transport => transports(),
        Kind::Application => applications(),
    }
}

/// Returns every entry, in the order of lists, with its own parameters and those that all entries of its kind
/// have.
pub fn all() -> Vec<(&'static Descriptor, Vec<&'static Parameter>)> {
    let all = Kind::ALL.iter().flat_map(|kind| of(*kind));
    all.map(|descriptor| (descriptor, parameters_of(descriptor))).collect()
}

/// Returns a descriptor's parameters, with those of its kind first.
pub fn parameters_of(descriptor: &'static Descriptor) -> Vec<&'static Parameter> {
    let of_all = if descriptor.kind == Kind::Queue { QueueLimit::TABLE } else { &[] };
    of_all.iter().chain(descriptor.parameters).collect()
}

/// An entry as `ackclock list --json` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    name: &'static str,
    kind: Kind,
    summary: &'static str,
    source: &'static str,
    parameters: Vec<ListedParameter>,
    /// What a user has to know who compares it with others.
    remark: Option<String>,
}

/// A parameter as `ackclock list --json` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct ListedParameter {
    name: &'static str,
    summary: &'static str,
    unit: &'static str,
    default: Option<&'static str>,
    range: String,
    minimum: Option<f64>,
    above_minimum: bool,
    maximum: Option<f64>,
    choices: Option<&'static [&'static str]>,
    source: &'static str,
}

/// Returns every entry and those of these plugin transports, as `ackclock list --json` prints them.
pub fn listed(plugins: &Plugins) -> Vec<Listed> {
    let entry = |(descriptor, parameters): (&'static Descriptor, Vec<&'static Parameter>)| Listed {
        name: descriptor.name,
        kind: descriptor.kind,
        summary: descriptor.summary,
        source: descriptor.source,
        parameters: parameters.into_iter().map(|parameter| listed_parameter(descriptor, parameter)).collect(),
        remark: repair::remark(control_parts::recovery(descriptor)),
    };
    let of_plugins = plugins.transports.iter().flat_map(|transport| {
        let controls = transport.own_controls().into_iter().map(|own| own.descriptor);
        controls.chain(transport.profiles())
    });
    all().into_iter().chain(of_plugins.map(|entry| (entry, parameters_of(entry)))).map(entry).collect()
}

fn listed_parameter(descriptor: &Descriptor, parameter: &'static Parameter) -> ListedParameter {
    let default = descriptor.default_of(parameter);
    let choices = match parameter.quantity {
        Quantity::Choice(words) => Some(words),
        _ => None,
    };
    ListedParameter {
        name: parameter.name,
        summary: parameter.summary,
        unit: parameter.quantity.unit(),
        default: (default != Parameter::NONE).then_some(default),
        range: match choices {
            Some(words) => crate::language::diagnostics::one_of(words.iter().copied()),
            None if parameter.range == Range::ANY => String::new(),
            None => range_words(parameter.quantity, &parameter.range),
        },
        minimum: (parameter.range.min != f64::MIN).then_some(parameter.range.min),
        above_minimum: parameter.range.above_min,
        maximum: (parameter.range.max != f64::MAX).then_some(parameter.range.max),
        choices,
        source: parameter.source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_complete_and_every_default_is_allowed() {
        for (descriptor, parameters) in all() {
            assert!(!descriptor.summary.is_empty() && !descriptor.source.is_empty(), "{}", descriptor.name);
            descriptor.defaults();
            for parameter in parameters {
                let text = descriptor.default_of(parameter);
                if text == Parameter::NONE {
                    continue;
                }
                let value = parameter.quantity.read(text).unwrap();
                let again = value.text().map(|written| parameter.quantity.read(&written));
                assert!(again.is_none_or(|again| again == Ok(value)), "{}: {text}", descriptor.name);
                let allowed = value.base().is_none_or(|base| parameter.range.contains(base));
                assert!(allowed, "{}.{} = {text}", descriptor.name, parameter.name);
                assert!(!parameter.source.is_empty(), "{}.{}", descriptor.name, parameter.name);
            }
            for (name, _) in descriptor.presets {
                let declared = parameters_of(descriptor).iter().any(|parameter| parameter.name == *name);
                assert!(declared, "preset {}.{name}", descriptor.name);
            }
        }
    }

    #[test]
    fn names_are_unique_within_their_kind() {
        let mut names: Vec<_> =
            all().iter().map(|(entry, _)| (format!("{:?}", entry.kind), entry.name)).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
