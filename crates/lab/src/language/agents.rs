//! Agents of a scenario, which examine the packets of TCP flows at a node on their path.

use crate::language::choice::{self, Chosen};
use crate::language::diagnostics::{nearest, one_of_many};
use crate::language::document::quoted;
use crate::language::flows::FlowGroup;
use crate::language::keys::{Form, Key, Table};
use crate::language::network::{LinkPlan, Network};
use crate::language::reader::TableReader;
use crate::language::registry;
use ackclock_base::Kind;
use ackclock_sim::agent::AgentParts;
use ackclock_sim::agents::{self, AGENTS};
use ackclock_sim::flow::FlowParts;

/// An agent as the scenario declares it.
#[derive(Clone, Debug)]
pub struct AgentPlan {
    /// The node at which the agent is.
    pub at: String,
    /// The kind of agent, with its parameters.
    pub agent: Chosen<agents::Entry>,
}

/// The keys of an agent at a node.
pub static AGENT: Table = Table::new(
    "agent_at_node",
    "An agent that reads the packets of TCP flows at a node and can retransmit or remove some",
    &[&[
        Key::new(
            "at",
            &[Form::Text],
            "The node of the agent: an intermediate node on the paths of TCP flows",
        )
        .such_as("\"left\""),
        Key::new("agent", &[Form::Named(Kind::Agent)], "The kind of agent, with its parameters")
            .such_as("\"snoop\""),
    ]],
)
.requiring(&["at", "agent"]);

/// Reads `[[agents]]`.
pub fn read(root: &TableReader<'_>, network: &Network) -> Vec<AgentPlan> {
    let mut plans: Vec<AgentPlan> = Vec::new();
    for (_, _, table) in root.tables("agents") {
        let Some(table) = table else { continue };
        let Some(plan) = read_one(&table, network) else { continue };
        if plans.iter().any(|other| other.at == plan.at) {
            let found = format!("a second agent at {}", quoted(&plan.at));
            table.problem_at("at", &found, "at most one agent at a node");
        }
        plans.push(plan);
    }
    plans
}

fn read_one(table: &TableReader<'_>, network: &Network) -> Option<AgentPlan> {
    let at = table.text("at")?;
    let nodes = || network.links.iter().map(|link| link.from.as_str());
    if !nodes().any(|node| node == at) {
        let span = table.get("at").map(|node| node.span.clone()).unwrap_or_default();
        let found = format!("the node {}", quoted(at));
        let expected = format!("a node of the network: {}", one_of_many(nodes()));
        table.reader.problem(&span, &table.path_of("at"), &found, &expected, nearest(at, nodes()));
        return None;
    }
    let agent = choice::read(table, "agent", &registry::agents(), &[])?;
    Some(AgentPlan { at: at.to_owned(), agent: agent.among(AGENTS) })
}

/// Returns the agents of a run with these flows: for each plan, one for every path of a TCP flow that passes
/// its node.
pub fn parts(
    plans: &[AgentPlan],
    groups: &[FlowGroup],
    links: &[LinkPlan],
    flows: &[FlowParts],
) -> Vec<AgentParts> {
    let is_read = |group: &FlowGroup| std::iter::repeat_n(is_read_by_agents(group), group.rows());
    let is_read: Vec<bool> = groups.iter().flat_map(is_read).collect();
    let mut parts = Vec::new();
    for plan in plans {
        for (flow, of) in flows.iter().enumerate().filter(|(_, flow)| is_read[flow.row]) {
            for (path, pair) in of.paths.iter().enumerate() {
                if let Some(after) = passes(&pair.forward, &pair.backward, &plan.at, links) {
                    let agent = (plan.agent.entry.build)(&plan.agent.values);
                    parts.push(AgentParts { flow: flow as u32, path: path as u32, after, agent });
                }
            }
        }
    }
    parts
}

fn is_read_by_agents(group: &FlowGroup) -> bool {
    group.plan.sending.transport.facts().speaks_to_agents
}

/// Returns whether the agent sees packets. It sees none if no TCP flow passes its node, for example if the
/// node is the end of all of them.
pub fn is_passed(plan: &AgentPlan, groups: &[FlowGroup], links: &[LinkPlan]) -> bool {
    let members = groups.iter().filter(|group| is_read_by_agents(group)).flat_map(|group| &group.members);
    members
        .flat_map(|member| member.paths())
        .any(|way| passes(&way.forward, &way.backward, &plan.at, links).is_some())
}

/// Returns how many links, forward and backward, precede a node that both directions pass; `None` if one of
/// them does not pass it.
fn passes(forward: &[u32], backward: &[u32], node: &str, links: &[LinkPlan]) -> Option<[usize; 2]> {
    let before = |way: &[u32]| (1..way.len()).find(|place| links[way[*place] as usize].from == node);
    Some([before(forward)?, before(backward)?])
}
