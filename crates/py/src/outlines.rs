//! Lists what the runs of a study will contain before any of them is run: all runs at once, on all cores.

use crate::python_class::Plugin;
use crate::{read_overrides, refuse};
use ackclock_lab::cost::warnings::repair::Repairs;
use ackclock_lab::language::diagnostics;
use ackclock_lab::language::document::Document;
use ackclock_lab::{Scenario, run as runner};
use pyo3::prelude::*;
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Returns a JSON object for each run of a scenario, given its overrides and whether its series are kept: the
/// flows, links, duration, packets and series of the run, or its problems.
#[pyfunction]
#[pyo3(signature = (text, file, runs, plugins = vec![]))]
pub fn outlines(
    py: Python<'_>,
    text: &str,
    file: &str,
    runs: Vec<(String, bool)>,
    plugins: Vec<Plugin>,
) -> PyResult<Vec<String>> {
    let plugins = Plugin::kinds(py, &plugins, &Arc::default())?;
    let document = Document::parse(text, file).map_err(|problems| refuse(&problems))?;
    let runs = runs.iter().map(|(overrides, series)| Ok((read_overrides(overrides)?, *series)));
    let runs: Vec<(Map<String, Value>, bool)> = runs.collect::<PyResult<_>>()?;
    let outline = |(overrides, series): &(Map<String, Value>, bool)| {
        let outline = match Scenario::at(&document, overrides, &plugins) {
            Ok(scenario) => of(&scenario, *series),
            Err(problems) => json!({
                "problems": diagnostics::render(&problems),
                "diagnostics": diagnostics::listed(&problems),
            }),
        };
        outline.to_string()
    };
    Ok(py.detach(|| runs.par_iter().map(outline).collect()))
}

/// Returns the warnings about runs of one scenario that are compared with one another, given the overrides of each:
/// controls that use different loss recovery. A run with a wrong scenario is left out.
#[pyfunction]
#[pyo3(signature = (text, file, runs, plugins = vec![]))]
pub fn comparison_warnings(
    py: Python<'_>,
    text: &str,
    file: &str,
    runs: Vec<String>,
    plugins: Vec<Plugin>,
) -> PyResult<Vec<String>> {
    let plugins = Plugin::kinds(py, &plugins, &Arc::default())?;
    let document = Document::parse(text, file).map_err(|problems| refuse(&problems))?;
    let mut repairs = Repairs::default();
    for overrides in runs {
        if let Ok(scenario) = Scenario::at(&document, &read_overrides(&overrides)?, &plugins) {
            repairs.add(&scenario);
        }
    }
    Ok(repairs.warnings())
}

fn of(scenario: &Scenario, series: bool) -> Value {
    let flows = scenario
        .flows
        .iter()
        .map(|group| json!({ "group": group.plan.name, "names": group.names().collect::<Vec<_>>() }));
    json!({
        "flows": flows.collect::<Vec<_>>(),
        "links": scenario.network.links.iter().map(|link| link.name.as_str()).collect::<Vec<_>>(),
        "duration_s": scenario.duration.seconds(),
        "expected_packets": scenario.expected_packets(),
        "series": if series { runner::series_names(scenario) } else { Vec::new() },
    })
}
