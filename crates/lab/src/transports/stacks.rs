//! Foreign QUIC stacks as transports of scenarios. Without the feature `stacks` no profile names one; results have the same fields.

#[cfg(feature = "stacks")]
mod linked;
#[cfg(not(feature = "stacks"))]
mod unlinked;

#[cfg(feature = "stacks")]
pub use ackclock_stacks::{STACKS, Stack, drill, library};
#[cfg(feature = "stacks")]
pub use linked::Stacks;
#[cfg(not(feature = "stacks"))]
pub(super) use unlinked::Stacks;

use crate::run::result::declared::records;

records! {
    /// A connection of a stack that is not ours.
    pub struct StackResult {
        /// over [noq and quinn](quic-stacks.md) and [stacks in libraries](any-stack.md), as the stack tells: packets that it gave up for lost, and
        /// reductions of its window; null if it does not tell
        stack_lost_packets, stack_reductions: Option<u64>;
        /// when the stack closed the connection; null if it has not
        closed_s: Option<f64>;
        /// why it did, in its own words; null if it has not
        closed_reason: Option<String>;
        /// `seeded` where equal seeds give equal runs, else `not seeded`: the control draws random numbers that no seed sets
        randomness: &'static str;
    }
}

#[cfg(feature = "stacks")]
impl StackResult {
    /// Returns the result of a connection of a stack.
    fn of(report: ackclock_stacks::StackReport<'_>) -> Self {
        Self {
            stack_lost_packets: report.lost_packets,
            stack_reductions: report.reductions,
            closed_s: report.closed_at.map(ackclock_base::Time::seconds),
            closed_reason: report.closed_reason.map(str::to_owned),
            randomness: if report.is_seeded { "seeded" } else { "not seeded" },
        }
    }
}
