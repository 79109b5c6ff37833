//! Which of several shortest ways a flow takes: the first for all, or one that is hashed for each flow.

use super::Network;
use crate::choice::{self, Choice};
use crate::reader::TableReader;
use crate::registry;
use ackclock_base::{Descriptor, Kind, Random, Range, parameters};
use ackclock_sim::random::Stream;
use std::collections::{HashMap, VecDeque};

/// The ways to route, in the order in which lists show them. The first is that of a scenario that names none.
pub const ROUTINGS: &[&Descriptor] = &[
    &Descriptor {
        kind: Kind::Routing,
        name: "shortest",
        summary: "All flows take the first of the ways with the fewest links, in the order in which links are written",
        source: "none",
        parameters: &[],
        presets: &[],
    },
    &Descriptor {
        kind: Kind::Routing,
        name: "ecmp",
        summary: "Each node chooses among its links on ways with the fewest links, by a hash of the flow",
        source: "RFC 2992 section 1, modulo-N hash; RFC 2991",
        parameters: Ecmp::TABLE,
        presets: &[],
    },
];

parameters! {
    /// How flows are hashed.
    pub struct Ecmp {
        /// What the hash of each node depends on besides the flow
        seed: u64 = integer("1", Range::between(0.0, 9_007_199_254_740_991.0), "none"),
    }
}

/// How the flows of a scenario are routed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Routing {
    /// By the first of the shortest ways.
    #[default]
    First,
    /// By one that is hashed for each flow.
    Ecmp(Ecmp),
}

impl Routing {
    /// Reads `routing`.
    pub(super) fn read(root: &TableReader<'_>) -> Option<Self> {
        let Some(node) = root.get("routing") else { return Some(Self::First) };
        let chosen: Choice = choice::read(root.reader, node, "routing", &registry::routings(), &[])?;
        Some(match chosen.descriptor.name {
            "ecmp" => Self::Ecmp((&chosen.values).into()),
            _ => Self::First,
        })
    }
}

/// How many links each node is away from a node, [`u32::MAX`] for one from which none leads there.
#[derive(Default)]
pub(super) struct Distances {
    to: HashMap<usize, Vec<u32>>,
}

/// The most nodes for which distances are kept at a time.
const MOST_KEPT: usize = 64;

impl Distances {
    fn to(&mut self, network: &Network, node: usize) -> &[u32] {
        if self.to.len() >= MOST_KEPT && !self.to.contains_key(&node) {
            self.to.clear();
        }
        self.to.entry(node).or_insert_with(|| distances(network, node))
    }
}

fn distances(network: &Network, to: usize) -> Vec<u32> {
    let mut entering: Vec<Vec<usize>> = vec![Vec::new(); network.nodes.len()];
    for (from, links) in network.leaving.iter().enumerate() {
        links.iter().for_each(|(_, next)| entering[*next].push(from));
    }
    let mut distances = vec![u32::MAX; network.nodes.len()];
    distances[to] = 0;
    let mut queue = VecDeque::from([to]);
    while let Some(node) = queue.pop_front() {
        for before in &entering[node] {
            if distances[*before] == u32::MAX {
                distances[*before] = distances[node] + 1;
                queue.push_back(*before);
            }
        }
    }
    distances
}

/// Who asks for a way: what is hashed.
pub(super) struct Hashed<'a> {
    pub(super) seed: u64,
    /// The flow, and its direction.
    pub(super) flow: &'a str,
}

impl Network {
    /// One of the ways with the fewest links: each node on it chooses among the links that lead nearer, parallel ones too.
    pub(super) fn hashed(
        &self,
        from: usize,
        to: usize,
        hashed: &Hashed<'_>,
        distances: &mut Distances,
    ) -> Option<Vec<u32>> {
        let distances = distances.to(self, to);
        let mut left = distances[from];
        if left == u32::MAX {
            return None;
        }
        let (mut node, mut links) = (from, Vec::with_capacity(left as usize));
        while left > 0 {
            left -= 1;
            let nearer = || self.leaving[node].iter().filter(|(_, next)| distances[*next] == left);
            let chosen = match nearer().count() {
                1 => nearer().next(),
                count => {
                    let name = format!("route of {} at {}", hashed.flow, self.nodes[node]);
                    let drawn = Stream::new(hashed.seed, &name).uniform() * count as f64;
                    nearer().nth((drawn as usize).min(count.saturating_sub(1)))
                }
            };
            let (link, next) = *chosen?;
            links.push(link);
            node = next;
        }
        Some(links)
    }
}
