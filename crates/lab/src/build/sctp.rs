//! The ends of an association. Its paths are one assembly: controls whose connections share state share it over the paths.

use super::MAX_BACKOFF;
use crate::flows::{Data, SctpPlan};
use ackclock_export::events::{Recorder, Source};
use ackclock_sim::endpoint::Ends;
use ackclock_sim::random::Stream;
use ackclock_sim::sctp::connection::Connection;

/// Makes them, with so many paths.
pub(super) fn ends(
    plan: &SctpPlan,
    paths: usize,
    name: &str,
    seed: u64,
    heard: Option<(&Recorder, usize)>,
) -> Ends {
    let options = plan.options();
    let mut assembly = plan.control.assembly();
    let path = |index: usize| {
        let random = Stream::new(seed, &format!("flow {name} path {} guesses", index + 1));
        let initial = options.initial();
        let mut control = assembly.join(&initial);
        if let Some((recorder, row)) = heard {
            let source = Source { row, path: index as u32, packet_bytes: initial.packet_bytes };
            control = control.observed(recorder.observer(source));
        }
        (control, plan.control.backoff(MAX_BACKOFF), random)
    };
    let connection = Connection {
        paths: (0..paths).map(path).collect(),
        selector: (plan.selector_entry().build)(&plan.selector.values, paths),
        chunks: plan.chunks(),
        random: Stream::new(seed, &format!("flow {name} heartbeats")),
        options,
    };
    match plan.data {
        Data::Written(_) => connection.written_ends(),
        _ => connection.ends(),
    }
}
