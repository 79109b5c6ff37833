//! The series of a run: as JSON by flow and link, or as columns.

use crate::language::flows::FlowGroup;
use crate::language::scenario::Scenario;
use ackclock_sim::series::{Named, Series};
use ackclock_sim::simulation::Simulation;
use serde::Serialize;
use std::collections::BTreeMap;

/// Series over time. All lists have the length of `time_s`, with null where nothing could be sampled.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SeriesResult {
    time_s: Vec<f64>,
    flows: BTreeMap<String, Named>,
    links: BTreeMap<String, Named>,
}

impl SeriesResult {
    /// Returns the series of a simulation whose rows are called `names`.
    pub(super) fn of(simulation: &Simulation, names: Vec<String>, series: Series) -> Self {
        let link = |(index, named): (usize, Named)| (simulation.network.links[index].name.to_string(), named);
        Self {
            flows: names.into_iter().zip(series.rows).collect(),
            links: series.links.into_iter().map(link).collect(),
            time_s: series.time_s,
        }
    }

    /// Returns what a simulation of the scenario has sampled from sample number `sample` on, without removing
    /// it; `None` if nothing is sampled.
    pub fn since(scenario: &Scenario, simulation: &Simulation, sample: usize) -> Option<Self> {
        let names = scenario.flows.iter().flat_map(FlowGroup::names).collect();
        simulation.series_since(sample).map(|series| Self::of(simulation, names, series))
    }

    /// Returns the series of flows that something other than a simulation has sampled, by their names.
    pub fn of_flows(
        time_s: Vec<f64>,
        flows: impl IntoIterator<Item = (String, Vec<(&'static str, Vec<f64>)>)>,
    ) -> Self {
        let named = |(name, series): (String, Vec<(&str, Vec<f64>)>)| {
            (name, series.into_iter().map(|(quantity, values)| (quantity.to_owned(), values)).collect())
        };
        Self { time_s, flows: flows.into_iter().map(named).collect(), links: BTreeMap::new() }
    }

    /// Returns all series as columns of one length: `time_s`, `flows.FLOW.QUANTITY` and
    /// `links.LINK.QUANTITY`, with NaN where nothing could be sampled.
    pub fn columns(self) -> Vec<(String, Vec<f64>)> {
        let mut columns = vec![("time_s".to_owned(), self.time_s)];
        for (kind, owners) in [("flows", self.flows), ("links", self.links)] {
            for (owner, named) in owners {
                let path = |quantity: String| format!("{kind}.{owner}.{quantity}");
                columns.extend(named.into_iter().map(|(quantity, values)| (path(quantity), values)));
            }
        }
        columns
    }
}
