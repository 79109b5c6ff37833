//! Time series for figures, sampled at a fixed interval, so that their size is known before the run.

use crate::flow::Flow;
use crate::network::Network;
use ackclock_base::{Span, Time};
use std::collections::BTreeMap;

/// Named values over time; NaN where no value was sampled.
pub type Named = BTreeMap<String, Vec<f64>>;

/// The sampled series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The sampling times, in seconds.
    pub time_s: Vec<f64>,
    /// The series of each row of flows; of a row of many flows, only what they deliver together.
    pub rows: Vec<Named>,
    /// The series of each observed link, with the link's index.
    pub links: Vec<(usize, Named)>,
}

/// The sampler of a run. Its memory is one number for each series and each sample, whatever the number of
/// flows in a row and whenever packets arrive.
#[derive(Clone, Debug)]
pub struct Sampler {
    every: Span,
    time_s: Vec<f64>,
    rows: Vec<Columns>,
    /// The goodput of each row in the present interval.
    goodput_bps: Vec<f64>,
    links: Vec<(usize, Columns)>,
}

impl Sampler {
    /// Creates a sampler with the interval `every` for `rows` rows of flows and for the links with these
    /// indices.
    pub fn new(every: Span, rows: usize, links: Vec<usize>) -> Self {
        Self {
            every,
            time_s: Vec::new(),
            rows: vec![Columns::with("goodput_bps"); rows],
            goodput_bps: vec![0.0; rows],
            links: links.into_iter().map(|link| (link, Columns::default())).collect(),
        }
    }

    /// Returns the sampling interval.
    pub fn every(&self) -> Span {
        self.every
    }

    /// Takes one sample of everything, and ends the interval in which the flows count deliveries.
    pub fn take(&mut self, now: Time, flows: &mut [Flow], network: &mut Network) {
        let index = self.time_s.len();
        self.time_s.push(now.seconds());
        self.goodput_bps.fill(0.0);
        self.rows.iter_mut().for_each(|columns| columns.begin(index));
        let sampled = if self.rows.is_empty() { &mut [] } else { flows };
        for flow in &mut *sampled {
            self.goodput_bps[flow.row] += flow.take_goodput(self.every);
        }
        for (columns, goodput) in self.rows.iter_mut().zip(&self.goodput_bps) {
            columns.put("goodput_bps", *goodput);
        }
        for flow in sampled.iter().filter(|flow| !flow.one_of_many) {
            flow.sender().publish(&mut |name, value| self.rows[flow.row].put(name, value));
        }
        for (link, columns) in &mut self.links {
            let link = &mut network.links[*link];
            columns.begin(index);
            columns.put("queue_packets", link.queue_at(now) as f64);
            let counts = link.counts();
            columns.put("arrived_packets", counts.arrived as f64);
            columns.put("dropped_packets", counts.dropped as f64);
            link.publish(&mut |name, value| columns.put(name, value));
        }
    }

    /// Returns a copy of the series so far from sample number `sample` (counted from 0) on, all of the same
    /// length.
    pub fn series_since(&self, sample: usize) -> Series {
        let length = self.time_s.len();
        let from = sample.min(length);
        Series {
            rows: self.rows.iter().map(|columns| columns.named(from, length)).collect(),
            links: self.links.iter().map(|(link, columns)| (*link, columns.named(from, length))).collect(),
            time_s: self.time_s[from..].to_vec(),
        }
    }

    /// Returns the series, all of the same length.
    pub fn into_series(self) -> Series {
        let length = self.time_s.len();
        Series {
            rows: self.rows.into_iter().map(|columns| columns.into_named(length)).collect(),
            links: self.links.into_iter().map(|(link, columns)| (link, columns.into_named(length))).collect(),
            time_s: self.time_s,
        }
    }
}

/// The series of one row or link while they are sampled. Values come in the same order at each instant, so a
/// value's column is nearly always the one after the previous value's.
#[derive(Clone, Debug, Default)]
struct Columns {
    index: usize,
    next: usize,
    columns: Vec<(&'static str, Vec<f64>)>,
}

impl Columns {
    /// Creates a series called `name`, which exists even if nothing is sampled.
    fn with(name: &'static str) -> Self {
        Self { columns: vec![(name, Vec::new())], ..Self::default() }
    }

    /// Begins sample number `index`.
    fn begin(&mut self, index: usize) {
        (self.index, self.next) = (index, 0);
    }

    fn put(&mut self, name: &'static str, value: f64) {
        let expected = self.columns.get(self.next).is_some_and(|(column, _)| *column == name);
        if !expected {
            let known = self.columns.iter().position(|(column, _)| *column == name);
            self.next = known.unwrap_or(self.columns.len());
            if known.is_none() {
                self.columns.push((name, Vec::new()));
            }
        }
        let values = &mut self.columns[self.next].1;
        values.resize(self.index, f64::NAN);
        values.push(value);
        self.next += 1;
    }

    /// Returns a copy of the series from sample number `from` to below `length`; missing values are NaN.
    fn named(&self, from: usize, length: usize) -> Named {
        let rest = self.columns.iter().map(|(name, values)| {
            let mut values = values.get(from..).unwrap_or_default().to_vec();
            values.resize(length - from, f64::NAN);
            ((*name).to_owned(), values)
        });
        rest.collect()
    }

    fn into_named(self, length: usize) -> Named {
        let filled = self.columns.into_iter().map(|(name, mut values)| {
            values.resize(length, f64::NAN);
            (name.to_owned(), values)
        });
        filled.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_in_any_order_and_filled_where_nothing_was_sampled() {
        let mut columns = Columns::default();
        for (index, sampled) in
            [vec![("a", 1.0), ("b", 2.0)], vec![("b", 3.0)], vec![], vec![("c", 4.0), ("a", 5.0), ("b", 6.0)]]
                .into_iter()
                .enumerate()
        {
            columns.begin(index);
            sampled.into_iter().for_each(|(name, value)| columns.put(name, value));
        }
        let named = columns.into_named(5);
        let is = |name: &str, expected: [f64; 5]| {
            let same = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
            assert!(named[name].iter().zip(&expected).all(same), "{name}: {:?}", named[name]);
            assert_eq!(named[name].len(), 5);
        };
        let none = f64::NAN;
        is("a", [1.0, none, none, 5.0, none]);
        is("b", [2.0, 3.0, none, 6.0, none]);
        is("c", [none, none, none, 4.0, none]);
    }
}
