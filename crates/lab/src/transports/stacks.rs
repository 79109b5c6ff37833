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
        /// number of packets that the stack of a flow over [noq, quinn](quic-stacks.md) or a [stack in a library](any-stack.md) declared
        /// lost in measured time; null if the stack does not report it
        stack_lost_packets: Option<u64>;
        /// number of reductions of the congestion window, at most one for each window of data, that the stack of a flow over [noq,
        /// quinn](quic-stacks.md) or a [stack in a library](any-stack.md) made in measured time; null if the stack does not report it
        stack_reductions: Option<u64>;
        /// time in the run at which the stack of a flow over [noq, quinn](quic-stacks.md) or a [stack in a library](any-stack.md) closed
        /// the connection; null if it did not
        closed_s: Option<f64>;
        /// reason why the stack of a flow over [noq, quinn](quic-stacks.md) or a [stack in a library](any-stack.md)
        /// closed the connection, in the stack's words; null if it did not close it
        closed_reason: Option<String>;
        /// reproducibility of a flow over [noq, quinn](quic-stacks.md) or a [stack in a library](any-stack.md): `seeded` if equal seeds
        /// give equal runs, `not seeded` if its control draws random numbers that no seed sets
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
