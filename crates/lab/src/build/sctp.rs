//! The ends of an association. Its paths are one assembly: controls whose connections share state share it over the paths.

use super::{MAX_BACKOFF, build_backoff};
use crate::choice::Choice;
use crate::flows::SctpPlan;
use ackclock_cc::{Assembly, Part};
use ackclock_sim::endpoint::Ends;
use ackclock_sim::random::Stream;
use ackclock_sim::sctp::connection::Connection;

/// Makes them, with so many paths.
pub(super) fn ends(plan: &SctpPlan, paths: usize, name: &str, seed: u64) -> Ends {
    let options = plan.options();
    let part = |choice: &Option<Choice>| {
        let choice = choice.as_ref()?;
        Some(Part { name: choice.descriptor.name, values: choice.values.clone() })
    };
    let mut assembly =
        Assembly::new(plan.entry(), &plan.control.values, part(&plan.discriminator), part(&plan.action));
    let path = |index: usize| {
        let random = Stream::new(seed, &format!("flow {name} path {} guesses", index + 1));
        (assembly.join(&options.initial()), build_backoff(&plan.backoff, MAX_BACKOFF), random)
    };
    Connection {
        paths: (0..paths).map(path).collect(),
        selector: (plan.selector_entry().build)(&plan.selector.values, paths),
        chunks: plan.chunks(),
        random: Stream::new(seed, &format!("flow {name} heartbeats")),
        options,
    }
    .ends()
}
