//! The links of a network and its nodes.

use super::link::LinkPlan;
use super::routing_choice::Routing;
use super::wire::WirePlan;
use crate::language::media::MediumPlan;
use std::collections::{HashMap, HashSet};

/// Links, and the nodes that they connect.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// The links, each in one direction.
    pub links: Vec<LinkPlan>,
    /// The media that some of the links share.
    pub media: Vec<MediumPlan>,
    /// The rule by which flows choose among several shortest ways.
    pub routing: Routing,
    pub(super) nodes: Vec<String>,
    pub(super) index: HashMap<String, usize>,
    pub(super) names: HashSet<String>,
    /// For each node the links that leave it, each with the node to which it leads.
    pub(super) leaving: Vec<Vec<(u32, usize)>>,
}

/// How flows get their ends if they do not name them.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ends {
    /// The pairs of a dumbbell with this number of pairs, in turn.
    Pairs(usize),
    /// This number of pairs, in turn, over this number of parallel bottlenecks.
    Parallel(usize, usize),
    /// The whole length of a parking lot with this number of hops.
    Hops(usize),
    /// Every flow has to name its ends.
    Named,
}

/// The maximum number of links on one path. `MAX_STEPS` is the maximum over the paths of all flows; every
/// packet may be at any of these places.
pub(super) const MAX_PATH: usize = 10_000;
pub(super) const MAX_STEPS: usize = 800_000;
/// Each of these places may have two sources of events: one before the link, and one behind it if packets
/// overtake one another. Flows, the ends of their paths and links have at most the rest.
const _: () = assert!(2 * MAX_STEPS + 400_000 <= ackclock_sim::schedule::MAX_SOURCES);

impl Network {
    /// Adds a link in both directions. The reverse direction has the same rate, delay and queue unless
    /// `reverse` says otherwise, and corrupts nothing unless `reverse` says so.
    pub(super) fn add_duplex(
        &mut self,
        name: &str,
        from: &str,
        to: &str,
        wire: &WirePlan,
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
        wire: &WirePlan,
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
            plugin: None,
            medium: None,
            wire: WirePlan { reverse: None, ..wire.clone() },
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
