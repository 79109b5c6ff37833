//! A scenario: the network, the flows, and the length of the run.

use crate::language::agents::AgentPlan;
use crate::language::flows::{FlowGroup, Member};
use crate::language::network::Network;
use crate::language::observe::{Observe, Warmup};
use crate::language::precision::Precision;
use ackclock_base::Span;

/// A scenario, complete and checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The name of the scenario in results.
    pub name: String,
    /// The length of the run.
    pub duration: Span,
    /// The warm-up, which is not measured.
    pub warmup: Warmup,
    /// The first seed.
    pub seed: u64,
    /// The number of runs, with consecutive seeds.
    pub replications: u32,
    /// The precision of results, for which replications may be added; `None` if none is asked for.
    pub precision: Option<Precision>,
    /// The links and paths.
    pub network: Network,
    /// The agents at nodes.
    pub agents: Vec<AgentPlan>,
    /// The flows, by group.
    pub flows: Vec<FlowGroup>,
    /// What is observed, and how often.
    pub observe: Observe,
}

impl Scenario {
    /// Returns the approximate number of values in its series.
    pub fn expected_numbers(&self) -> f64 {
        let flows = self.flows.iter().map(FlowGroup::rows).sum();
        self.observe.numbers(self.duration, flows, self.network.links.len())
    }

    /// Returns the maximum number of data packets that the links' rates allow the flows to send.
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
