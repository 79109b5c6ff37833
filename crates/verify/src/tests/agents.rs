//! Traces written by hand of packets that an agent takes or sends.

use super::story::{Story, network};
use crate::{AgentFacts, NetworkFacts, Rule};
use ackclock_base::trace::Event;

/// A packet that ends at the node between the two links, and another that is sent from that node.
fn agent_acts() -> Story {
    Story::default()
        .launched(0, 1)
        .crosses(1, 0, [0, 0, 1000, 11_000])
        .note(11_000, 0, 1, Event::Absorbed { link: 1 })
        .note(20_000, 0, 2, Event::Injected { link: 1 })
        .crosses(2, 1, [20_000, 20_000, 20_100, 21_100])
        .delivered(21_100, 2)
}

#[test]
fn an_agent_may_take_and_send_packets_only_at_its_node() {
    let found = |story: Story, agents: &[AgentFacts]| {
        story.breaks_on(&NetworkFacts { agents: agents.to_vec(), ..network() })
    };
    let here = [AgentFacts { path: 0, link: 1 }];
    assert_eq!(found(agent_acts(), &here), []);
    assert_eq!(found(agent_acts(), &[]), [Rule::Launch, Rule::Launch]);
    assert_eq!(found(agent_acts(), &[AgentFacts { path: 0, link: 0 }]), [Rule::Launch, Rule::Launch]);
    // A packet that has ended does not go on, and it ends when it arrives.
    let goes_on = agent_acts().note(30_000, 0, 1, Event::Offered { link: 1 });
    assert!(found(goes_on, &here).contains(&Rule::OneFate));
    let early = agent_acts().changed(|record| {
        if record.event == (Event::Absorbed { link: 1 }) {
            record.time_ns += 1;
        }
    });
    assert_eq!(found(early, &here), [Rule::HandOver]);
    // A packet that was not sent.
    let unsent = agent_acts().without(|record| record.event == Event::Injected { link: 1 });
    assert!(found(unsent, &here).contains(&Rule::Launch));
}
