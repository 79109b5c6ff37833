//! A scenario: the network, the flows, and how long to look.

use crate::agents::AgentPlan;
use crate::flows::{FlowGroup, Member};
use crate::network::Network;
use crate::observe::{Observe, Warmup};
use crate::precision::Precision;
use ackclock_base::Span;

/// A scenario, complete and checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it is called in results.
    pub name: String,
    /// How long it runs.
    pub duration: Span,
    /// How much of that is not measured.
    pub warmup: Warmup,
    /// The first seed.
    pub seed: u64,
    /// How many seeds.
    pub replications: u32,
    /// How narrow intervals have to be, for which there may be more.
    pub precision: Option<Precision>,
    /// Links and paths.
    pub network: Network,
    /// What looks into packets at nodes.
    pub agents: Vec<AgentPlan>,
    /// Flows, by group.
    pub flows: Vec<FlowGroup>,
    /// What is observed besides, and how often.
    pub observe: Observe,
}

impl Scenario {
    /// About how many numbers its series have.
    pub fn expected_numbers(&self) -> f64 {
        let flows = self.flows.iter().map(FlowGroup::rows).sum();
        self.observe.numbers(self.duration, flows, self.network.links.len())
    }

    /// How many data packets the links' rates allow the flows to send, at most.
    pub fn expected_packets(&self) -> f64 {
        let links = &self.network.links;
        let mut users = vec![0.0_f64; links.len()];
        let members = || {
            self.flows.iter().flat_map(|group| {
                group.members.iter().flat_map(move |member| member.paths().map(move |path| (group, path)))
            })
        };
        for (_, member) in members() {
            member.forward.iter().for_each(|link| users[*link as usize] += 1.0);
        }
        let share = |link: &u32| {
            links[*link as usize].wire.pace.rate.bits_per_second() as f64 / users[*link as usize]
        };
        let packets = |(group, member): (&FlowGroup, &Member)| {
            let rate = member.forward.iter().map(share).fold(f64::INFINITY, f64::min);
            rate.max(group.least_rate_bps()) * self.duration.seconds() / (8.0 * f64::from(group.wire_bytes()))
        };
        members().map(packets).sum()
    }
}
