//! Host isolation: turns are shared first among hosts, then among flows (Høiland-Jørgensen, Täht and Morton
//! 2018 section III-B). The quantum of a flow is divided by the number of bulk flows of its host, so that
//! each host gets as much as any other.

use crate::label::Label;
use ackclock_base::choice;

choice! {
    /// The parties among which turns are shared fairly before they are shared among flows.
    pub enum Isolation {
        /// Sending and receiving hosts; the one with more flows counts.
        Triple = "triple-isolate",
        /// Sending hosts.
        Sources = "dual-srchost",
        /// Receiving hosts.
        Destinations = "dual-dsthost",
        /// Flows only.
        Flows = "flows",
    }
}

/// The numbers of the sending and the receiving host; `None` if a flow counts for itself.
pub type Pair = Option<[u32; 2]>;

/// The hosts, and the number of bulk flows of each.
#[derive(Clone, Debug)]
pub struct Hosts {
    isolation: Isolation,
    /// The hosts of each path; empty if they are not known.
    of_path: Vec<[u32; 2]>,
    /// The number of bulk flows that each host sends, and that each receives.
    bulk: [Vec<u32>; 2],
}

impl Hosts {
    /// Creates the table without any hosts: each flow counts for itself until [`learn`](Self::learn) is
    /// called.
    pub fn new(isolation: Isolation) -> Self {
        Self { isolation, of_path: Vec::new(), bulk: [Vec::new(), Vec::new()] }
    }

    /// Sets the hosts of all paths.
    pub fn learn(&mut self, labels: &[Label]) {
        self.of_path = labels.iter().map(|label| [label.source, label.destination]).collect();
        let hosts = self.of_path.iter().flatten().map(|host| *host as usize + 1).max().unwrap_or(0);
        self.bulk = [vec![0; hosts], vec![0; hosts]];
    }

    /// Returns the hosts of a path; `None` if they are not known.
    pub fn of(&self, path: u32) -> Pair {
        self.of_path.get(path as usize).copied()
    }

    /// Called when a flow of these hosts becomes a bulk flow.
    pub fn begins(&mut self, hosts: Pair) {
        for (bulk, host) in self.bulk.iter_mut().zip(hosts.into_iter().flatten()) {
            bulk[host as usize] += 1;
        }
    }

    /// Called when a bulk flow of these hosts ends.
    pub fn ends(&mut self, hosts: Pair) {
        for (bulk, host) in self.bulk.iter_mut().zip(hosts.into_iter().flatten()) {
            bulk[host as usize] -= 1;
        }
    }

    /// Returns the share of a quantum for a flow of these hosts.
    pub fn share(&self, quantum: i64, hosts: Pair) -> i64 {
        let Some([source, destination]) = hosts else { return quantum };
        let [sends, receives] = [&self.bulk[0][source as usize], &self.bulk[1][destination as usize]]
            .map(|bulk| i64::from(*bulk));
        let flows = match self.isolation {
            Isolation::Triple => sends.max(receives),
            Isolation::Sources => sends,
            Isolation::Destinations => receives,
            Isolation::Flows => 1,
        };
        quantum / flows.max(1)
    }

    /// Returns how many bulk flows a host sends.
    #[cfg(test)]
    pub fn flows_sent_by(&self, host: u32) -> u32 {
        self.bulk[0][host as usize]
    }
}
