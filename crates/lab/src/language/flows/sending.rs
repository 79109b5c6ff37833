//! The transport and the workload of a group of flows.

use super::control::{self, ControlPlan};
use super::keys;
use super::workload::{self, SourcePlan, Workload};
use crate::language::choice::{self, Choice, Chosen};
use crate::language::document::{self, Value, quoted};
use crate::language::reader::TableReader;
use crate::language::registry;
use crate::language::values::rate;
use crate::transports::{self, Parts, TransportPlan};
use ackclock_base::Values;
use ackclock_cc::entry::SelectorEntry;
use ackclock_cc::registry::SELECTORS;
use ackclock_sim::traffic;
use std::sync::Arc;

/// The transport and the workload of a group. Any workload goes over any transport.
#[derive(Clone, Debug)]
pub struct Sending {
    /// The transport.
    pub transport: Arc<dyn TransportPlan>,
    /// The workload.
    pub workload: Workload,
    /// The application's entry in the registry.
    pub application: &'static traffic::Entry,
}

impl Sending {
    /// Returns the choices of the group about its transport; `None` over UDP.
    pub fn parts(&self) -> Option<&Parts> {
        self.transport.parts()
    }

    /// Returns the control and the parts around it; `None` over UDP.
    pub fn control(&self) -> Option<&ControlPlan> {
        self.parts().map(|parts| &parts.control)
    }

    /// Returns the source that sends whatever the network does; `None` if there is a congestion control.
    pub fn uncontrolled(&self) -> Option<&SourcePlan> {
        self.workload.source().filter(|_| self.parts().is_none())
    }

    /// Returns the source that writes into the connection of each flow; `None` if there is none.
    pub fn writes(&self) -> Option<&SourcePlan> {
        self.workload.source().filter(|_| self.parts().is_some())
    }

    /// Returns whether each flow is one connection, or one association, with a congestion control.
    pub fn is_one_connection(&self) -> bool {
        self.workload.is_one_connection() && self.parts().is_some()
    }

    /// Returns the name of the control, or that of the application over UDP.
    pub(crate) fn control_name(&self) -> &'static str {
        self.control().map_or(self.application.descriptor.name, ControlPlan::name)
    }

    /// Returns the name of the transport's profile; `udp` over UDP.
    pub(crate) fn transport_name(&self) -> &'static str {
        self.parts().map_or("udp", |parts| parts.profile.descriptor.name)
    }

    /// Returns the maximum number of simultaneous paths of a flow.
    pub fn most_paths(&self) -> usize {
        self.parts().map_or(1, |parts| parts.transport.most_paths())
    }

    /// Changes the parameters of the transport's profile; does nothing over UDP.
    pub fn change_profile(&mut self, change: impl FnOnce(&mut Values)) {
        if let Some(mut parts) = self.parts().cloned() {
            change(&mut parts.profile.values);
            self.transport = parts.transport.plan(parts);
        }
    }

    /// Returns the name of a group for which the file gives none.
    pub(super) fn default_name(&self) -> &'static str {
        match &self.workload {
            Workload::Timetable(descriptor, _) | Workload::Session(descriptor, _) => descriptor.name,
            Workload::Bulk(_) | Workload::Source(_) => document::stem(self.control_name()),
        }
    }
}

/// Reads the transport and the workload of a group.
pub(super) fn read(table: &TableReader<'_>) -> Option<Sending> {
    let pick = |key: &str, candidates: &[&'static ackclock_base::Descriptor]| match table.get(key) {
        Some(_) => choice::read(table, key, candidates, &[]),
        None => candidates.first().map(|descriptor| Choice::default_of(descriptor)),
    };
    let application = pick("application", &registry::applications())
        .map(|application| (application.entry(traffic::APPLICATIONS), application));
    let over_connection = ["control", "transport"].into_iter().any(|key| table.get(key).is_some());
    if let Some((entry, application)) = &application
        && let traffic::Workload::Source(source) = entry.workload
    {
        if !over_connection {
            return Some(over_udp(table, entry, SourcePlan::new(source, application.clone())));
        }
        check_writing(table, application, (source.sizes)(&application.values).reply.is_some());
    }
    let controls = table.reader.plugins().all_controls();
    if table.get("control").is_none() {
        let names = crate::language::diagnostics::one_of_these(&controls);
        table.problem(&table.path_of("control"), "no `control`", &names);
    }
    let control = pick("control", &controls);
    let profile = pick("transport", &table.reader.plugins().all_transports());
    let control = control::read(table, control);
    let (control, profile) = (control?, profile?);
    let reader = rate::read(table, "reader");
    let transport = table.reader.plugins().transport(profile.descriptor.name)?;
    let several = transport.most_paths() > 1;
    if !several && table.get("selector").is_some() {
        table.problem_at(
            "selector",
            "a `selector` over a transport with one path",
            "a transport with several paths such as \"sctp\"",
        );
    }
    transport.check_control(table, &control, &profile)?;
    transport.check(table, control.judge(), &profile);
    let (entry, application) = application?;
    transport.check_application(table, entry)?;
    let selector = if several { Some(read_selector(table)?) } else { None };
    let lasts = matches!(entry.workload, traffic::Workload::Bulk(_) | traffic::Workload::Source(_));
    if !lasts && table.get("reader").is_some() {
        let found = format!("`reader` with the application {}", quoted(entry.descriptor.name));
        table.problem_at(
            "reader",
            &found,
            "no `reader`, or an application with one connection for each flow: \"bulk\" or a source such as \"cbr\"",
        );
        return None;
    }
    let transport = transport.plan(Parts { transport, profile, control, selector, reader });
    let workload = workload::read(table, entry, application, transport.payload_bytes())?;
    Some(Sending { transport, workload, application: entry })
}

/// Returns a source without a control or a transport, and reports each key that needs one.
fn over_udp(table: &TableReader<'_>, application: &'static traffic::Entry, source: SourcePlan) -> Sending {
    for key in keys::CONTROLLED.iter().map(|key| key.name) {
        if table.get(key).is_some() {
            let name = quoted(application.descriptor.name);
            let found = format!("`{key}` with the application {name} but no `control`");
            let expected =
                format!("no `{key}`, or a `control` as well: without one, the application sends over UDP");
            table.problem_at(key, &found, &expected);
        }
    }
    let transport = transports::uncontrolled(&source);
    Sending { transport, workload: Workload::Source(source), application }
}

/// Reads the path selector. By default, new data stays on the primary path.
fn read_selector(table: &TableReader<'_>) -> Option<Chosen<SelectorEntry>> {
    match table.get("selector") {
        None => Some(Chosen::default_of(&SELECTORS[0])),
        Some(_) => Some(choice::read(table, "selector", &registry::selectors(), &[])?.among(SELECTORS)),
    }
}

/// Reports an application that cannot go over a connection, and parameters that have no effect over one.
fn check_writing(table: &TableReader<'_>, application: &Choice, is_answered: bool) {
    if is_answered {
        let name = quoted(application.descriptor.name);
        let found = format!("the application {name} in a flow with a `control` or a `transport`");
        let expected = "no `control` and no `transport`, so that the application runs over UDP; or the application \
                        \"transfers\"";
        table.problem_at("application", &found, expected);
    }
    let parameters = table.get("application").map(|node| &node.value);
    if let Some(Value::Table(parameters)) = parameters
        && let Some((_, span, _)) = parameters.entries.iter().find(|(key, _, _)| key == "header")
    {
        let path = format!("{}.header", table.path_of("application"));
        let found = "`header` of an application in a flow with a `control` or a `transport`";
        let expected = "no `header`, because the transport of this flow determines the length of headers";
        table.reader.problem(span, &path, found, expected, None);
    }
}
