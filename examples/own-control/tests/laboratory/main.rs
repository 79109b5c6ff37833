//! What `cargo test` says about the controller: its law alone, the law under the laboratory's transports, and the controller itself
//! under quinn.

mod law;
mod parts;
mod tail;
mod under_quinn;

use ackclock_lab::language::diagnostics;
use ackclock_lab::language::document::Document;
use ackclock_lab::{Plugins, Scenario, run};
use ackclock_own_control::GentleFactory;
use ackclock_stacks::{Factory, OwnControl};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A steady path: 25 Mbit/s, 40 ms, a buffer of one product of both.
const STEADY: &str = include_str!("steady.toml");

/// Returns the scenario of a file's text whose flow `mine` has this control and this transport.
fn scenario(text: &str, control: Value, transport: &str, plugins: &Plugins) -> Scenario {
    let read = || {
        let mut document = Document::parse(text, "the scenario")?;
        for (path, value) in [("flows.mine.control", control), ("flows.mine.transport", json!(transport))] {
            document.set(path, &value).map_err(|problem| vec![*problem])?;
        }
        Scenario::read(&document, plugins)
    };
    read().unwrap_or_else(|problems| panic!("{}", diagnostics::render(&problems)))
}

/// Returns the scenario with the law of this folder over the laboratory's QUIC.
fn with_law(text: &str, beta: f64) -> Scenario {
    let plugins = Plugins { entries: vec![&law::ENTRY], ..Plugins::default() };
    scenario(text, json!({ "name": "gentle", "beta": beta }), "quic", &plugins)
}

/// Returns the scenario with the controller of the crate under quinn.
fn under_quinn(text: &str, beta: f64) -> Scenario {
    let controller = OwnControl::new("gentle", Factory::Quinn(Arc::new(GentleFactory { beta })));
    let plugins = Plugins { own_controls: vec![controller.into()], ..Plugins::default() };
    scenario(text, json!("quinn:gentle"), "quinn", &plugins)
}

/// Returns the goodput of the flow with seed 1, in Mbit/s.
fn goodput(scenario: &Scenario) -> f64 {
    let result = run::run(scenario, 1, false, &AtomicBool::new(false)).expect("a run");
    result.flows[0].goodput_bps / 1e6
}
