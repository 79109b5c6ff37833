//! Sessions: for each row of the group one, with a flow for each of its connections.

use super::connections::{Connections, Lifetime};
use super::{flow_parts, starts};
use crate::flows::{ConnectionPlan, FlowGroup, SessionPlan};
use ackclock_base::Time;
use ackclock_export::events::Recorder;
use ackclock_sim::flow::FlowParts;
use ackclock_sim::random::Stream;
use ackclock_sim::session::SessionParts;

/// Adds the group's sessions, and their flows to `flows`. The first row is `row`; `heard` says where controls of a row are
/// listened to.
pub(super) fn add(
    (group, plan, session): (&FlowGroup, &ConnectionPlan, &SessionPlan),
    seed: u64,
    row: usize,
    heard: impl Fn(usize) -> Option<(Recorder, usize)>,
    flows: &mut Vec<FlowParts>,
    sessions: &mut Vec<SessionParts>,
) {
    for (index, member) in group.members.iter().enumerate() {
        let name = group.member_name(index);
        let start = starts(&group.plan.start, index, &name, seed);
        // What connects the connections of one reader: controls that share state share it among these.
        let mut connections = Connections::of(plan);
        connections.heard = heard(row + index);
        let number = sessions.len() as u32;
        let first_flow = flows.len() as u32;
        for connection in 1..=session.connections() {
            let name = format!("{name} {connection}");
            let ends = connections.next_of(Lifetime::Lasting(0), &name, seed);
            flows.push(FlowParts {
                start,
                row: row + index,
                session: Some(number),
                ..flow_parts(group, member, name, ends)
            });
        }
        let random = Stream::new(seed, &format!("flow {name} {}", session.name()));
        let mut opened = 0;
        sessions.push(SessionParts {
            session: session.build(),
            first_flow,
            start,
            stop: group.plan.stop.map_or(Time::NEVER, |stop| Time::ZERO + stop),
            random,
            connect: Box::new(move |packets| {
                opened += 1;
                connections.next_of(Lifetime::Lasting(packets), &format!("{name} connection {opened}"), seed)
            }),
        });
    }
}
