//! Series over time for figures: sampled at a fixed interval, so that their size is known before the run.

use crate::flow::Flow;
use crate::network::Network;
use ackclock_base::{Span, Time};
use std::collections::BTreeMap;

/// Named values over time; NaN where there was nothing to sample.
pub type Named = BTreeMap<String, Vec<f64>>;

/// What was sampled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The instants, in seconds.
    pub time_s: Vec<f64>,
    /// Each flow's series.
    pub flows: Vec<Named>,
    /// Each watched link's series: the link's index and its series.
    pub links: Vec<(usize, Named)>,
}

/// Takes the samples.
#[derive(Clone, Debug)]
pub struct Sampler {
    every: Span,
    series: Series,
}

impl Sampler {
    /// Samples every `every`, the flows and the links given by index.
    pub fn new(every: Span, flows: usize, links: Vec<usize>) -> Self {
        let series = Series {
            time_s: Vec::new(),
            flows: vec![Named::new(); flows],
            links: links.into_iter().map(|link| (link, Named::new())).collect(),
        };
        Self { every, series }
    }

    /// The sampling interval.
    pub fn every(&self) -> Span {
        self.every
    }

    /// Takes one sample of everything but the goodput, which the flows count themselves.
    pub fn take(&mut self, now: Time, flows: &[Flow], network: &mut Network) {
        let index = self.series.time_s.len();
        self.series.time_s.push(now.seconds());
        for (flow, named) in flows.iter().zip(&mut self.series.flows) {
            sample_flow(flow, &mut |name, value| put(named, name, index, value));
        }
        for (link, named) in &mut self.series.links {
            let link = &mut network.links[*link];
            put(named, "queue_packets", index, link.queue_at(now) as f64);
            let counts = link.counts();
            put(named, "arrived_packets", index, counts.arrived as f64);
            put(named, "dropped_packets", index, counts.dropped as f64);
            link.publish(&mut |name, value| put(named, name, index, value));
        }
    }

    /// The series so far from the sample of this number on, all of the same length.
    pub fn series_since(&self, sample: usize, flows: &[Flow]) -> Series {
        let from = sample.min(self.series.time_s.len());
        let rest = |named: &Named| {
            let values = |values: &Vec<f64>| values.get(from..).unwrap_or_default().to_vec();
            named.iter().map(|(name, list)| (name.clone(), values(list))).collect::<Named>()
        };
        let series = Series {
            time_s: self.series.time_s[from..].to_vec(),
            flows: self.series.flows.iter().map(rest).collect(),
            links: self.series.links.iter().map(|(link, named)| (*link, rest(named))).collect(),
        };
        Self { every: self.every, series }.completed(from, flows)
    }

    /// The series, all of the same length.
    pub fn into_series(self, flows: &[Flow]) -> Series {
        self.completed(0, flows)
    }

    /// With what the flows count themselves, where the first sample has the number `from`.
    fn completed(mut self, from: usize, flows: &[Flow]) -> Series {
        let length = self.series.time_s.len();
        for (flow, named) in flows.iter().zip(&mut self.series.flows) {
            let goodput = flow.goodput_series(self.every, from + length).split_off(from);
            named.insert("goodput_bps".to_owned(), goodput);
        }
        let links = self.series.links.iter_mut().map(|(_, named)| named);
        for named in self.series.flows.iter_mut().chain(links) {
            named.values_mut().for_each(|values| values.resize(length, f64::NAN));
        }
        self.series
    }
}

fn sample_flow(flow: &Flow, put: &mut dyn FnMut(&'static str, f64)) {
    if !flow.one_of_many {
        flow.sender().publish(put);
    }
}

fn put(named: &mut Named, name: &str, index: usize, value: f64) {
    if !named.contains_key(name) {
        named.insert(name.to_owned(), Vec::new());
    }
    if let Some(values) = named.get_mut(name) {
        values.resize(index, f64::NAN);
        values.push(value);
    }
}
