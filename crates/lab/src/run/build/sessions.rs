//! Construction of sessions: one for each row of the group, with a flow for each of its connections.

use super::{Run, flow_parts, starts};
use crate::language::flows::FlowGroup;
use crate::transports::{Lifetime, Opening};
use ackclock_base::Time;
use ackclock_sim::flow::FlowParts;
use ackclock_sim::random::Stream;
use ackclock_sim::session::{SessionParts, SessionPlan};

/// Adds the sessions of a group to `sessions`, and their flows to `flows`. The application is called
/// `application`, and the first row is `row`.
pub(super) fn add(
    (group, application, session): (&FlowGroup, &str, &dyn SessionPlan),
    run: &Run<'_>,
    row: usize,
    flows: &mut Vec<FlowParts>,
    sessions: &mut Vec<SessionParts>,
) {
    for (index, member) in group.members.iter().enumerate() {
        let name = group.member_name(index);
        let start = starts(&group.plan.start, index, &name, run.seed);
        // The connections of one reader have one connector, through which controls share state.
        let mut connector = group.plan.sending.transport.connector(run.seed, run.measured);
        let heard = run.heard(row + index);
        let mut connect = move |lifetime: Lifetime, name: &str| {
            connector.connect(&Opening { name, lifetime, paths: 1, heard: heard.clone() })
        };
        let number = sessions.len() as u32;
        let first_flow = flows.len() as u32;
        for connection in 1..=session.connections() {
            let name = format!("{name} {connection}");
            let ends = connect(Lifetime::Lasting(0), &name);
            flows.push(FlowParts {
                start,
                row: row + index,
                session: Some(number),
                ..flow_parts(group, member, name, ends)
            });
        }
        let random = Stream::new(run.seed, &format!("flow {name} {application}"));
        let mut opened = 0;
        sessions.push(SessionParts {
            session: session.build(),
            first_flow,
            start,
            stop: group.plan.stop.map_or(Time::NEVER, |stop| Time::ZERO + stop),
            random,
            connect: Box::new(move |packets| {
                opened += 1;
                connect(Lifetime::Lasting(packets), &format!("{name} connection {opened}"))
            }),
        });
    }
}
