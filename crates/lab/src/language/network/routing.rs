//! Hashed routing: the choice of a flow among several shortest ways.

use super::graph::Network;
use ackclock_base::Random;
use ackclock_sim::random::Stream;
use std::collections::{HashMap, VecDeque};

/// For each destination, the number of links from every node to it; [`u32::MAX`] for a node without a way.
#[derive(Default)]
pub(super) struct Distances {
    to: HashMap<usize, Vec<u32>>,
}

/// The maximum number of destinations whose distances are kept at a time.
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

/// The input of the hash: the flow that asks for a way.
pub(super) struct Hashed<'a> {
    pub(super) seed: u64,
    /// The name of the flow, and its direction.
    pub(super) flow: &'a str,
}

impl Network {
    /// Returns one of the ways with the fewest links, or `None` if there is no way. Each node on it chooses
    /// among the links that lead nearer, including parallel ones.
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
