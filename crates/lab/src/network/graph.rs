//! Links and the nodes between which they lie.

use super::link::LinkPlan;
use super::routing_choice::Routing;
use super::wire::Wire;
use crate::media::MediumPlan;
use std::collections::{HashMap, HashSet};

/// Links and nodes.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// The links, each in one direction.
    pub links: Vec<LinkPlan>,
    /// What some of them share.
    pub media: Vec<MediumPlan>,
    /// Which of several shortest ways flows take.
    pub routing: Routing,
    pub(super) nodes: Vec<String>,
    pub(super) index: HashMap<String, usize>,
    pub(super) names: HashSet<String>,
    /// Links by the node that they leave, each with the node that it leads to.
    pub(super) leaving: Vec<Vec<(u32, usize)>>,
}

/// How flows find their ends where they do not name them.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ends {
    /// One of so many pairs of a dumbbell, in turn.
    Pairs(usize),
    /// One of so many pairs, in turn, over so many bottlenecks side by side.
    Parallel(usize, usize),
    /// The whole length of a parking lot of so many hops.
    Hops(usize),
    /// Every flow names its ends.
    Named,
}

/// The most links of a flow's path, and of all flows' paths: packets have a place at each of them.
pub(super) const MAX_PATH: usize = 10_000;
pub(super) const MAX_STEPS: usize = 800_000;
/// At each of these places there may be two sources of events: one before the link, and one behind it where packets overtake one another.
/// Flows, the ends of their paths and links have no more than so many.
const _: () = assert!(2 * MAX_STEPS + 400_000 <= ackclock_sim::schedule::MAX_SOURCES);

impl Network {
    /// Both directions. The way back has the same rate, delay and queue unless `reverse` says otherwise, and loses
    /// nothing unless `reverse` says so.
    pub(super) fn add_duplex(
        &mut self,
        name: &str,
        from: &str,
        to: &str,
        wire: &Wire,
        index: usize,
        count: usize,
    ) {
        self.add_link(name, from, to, wire, index, count);
        let back = wire.reverse.as_deref().cloned().unwrap_or_else(|| wire.way_back());
        self.add_link(&reverse_name(name), to, from, &back, index, count);
    }

    pub(super) fn add_link(
        &mut self,
        name: &str,
        from: &str,
        to: &str,
        wire: &Wire,
        index: usize,
        count: usize,
    ) {
        let link = self.links.len() as u32;
        let (from_index, to_index) = (self.node(from), self.node(to));
        self.leaving[from_index].push((link, to_index));
        self.names.insert(name.to_owned());
        self.links.push(LinkPlan {
            name: name.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
            delay: wire.delay.of(index, count),
            longer: wire.delay.longer(),
            brought: None,
            medium: None,
            wire: Wire { reverse: None, ..wire.clone() },
        });
    }

    pub(super) fn node(&mut self, name: &str) -> usize {
        if let Some(index) = self.index.get(name) {
            return *index;
        }
        let index = self.nodes.len();
        self.nodes.push(name.to_owned());
        self.leaving.push(Vec::new());
        self.index.insert(name.to_owned(), index);
        index
    }
}

pub(super) fn reverse_name(name: &str) -> String {
    format!("{name}-reverse")
}
