//! The laboratory: the scenario language, the execution of scenarios, and their results.
//!
//! * [`language`]: reads a scenario from its file, checks it, and says what a scenario can name.
//! * [`run`](mod@run): builds a simulation from a scenario and a seed, runs it, and keeps its result.
//! * [`cost`](mod@cost): says before a run what is likely wrong with a scenario and what it costs.
//! * [`transports`]: the transports of flows, in one list. Each is read and built in a file of its own.

pub mod cost;
pub mod language;
pub mod run;
pub mod transports;

pub use ackclock_verify as verify;
pub use language::diagnostics::Diagnostic;
pub use language::registry::plugins::Plugins;
pub use language::scenario::Scenario;
pub use run::result::RunResult;

/// The version of the core.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
