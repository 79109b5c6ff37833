//! The laboratory: the scenario language, the execution of scenarios, and their results.
//!
//! * [`document`]: TOML with the location of every value in the file, and overrides.
//! * [`diagnostics`]: the problems of a scenario file, with their location and a hint.
//! * [`keys`]: the declarations of every table and key of a scenario.
//! * [`reader`]: reads typed values from a document and collects every problem.
//! * [`scenario`]: a scenario, read and checked by [`load`].
//! * [`network`], [`media`], [`agents`], [`rate`], [`flows`], [`choice`]: the parts of a scenario.
//!   [`over_time`], [`files`], `traces`: values that change during a run.
//! * [`sweep`]: the points of a scenario's sweep. [`precision`]: how many replications they need.
//! * [`build`]: constructs a simulation from a scenario and a seed.
//! * [`describe`], [`warnings`], [`cost`]: a summary of a scenario, likely mistakes in it, and what it costs.
//!   [`run`], [`result`]: runs a scenario, and its result. [`panics`]: what a panic of a run becomes. [`exports`]: a run in the
//!   formats of other tools.
//! * [`statistics`]: means over seeds with their intervals, and paired differences, for tests of a control.
//! * [`facts`]: the facts about a scenario for the independent check of a packet trace, [`ackclock_verify`].
//! * [`transports`]: the transports of flows, in one list. [`own_controls`], [`kernel_controls`]: the controls that some of
//!   them bring along.
//! * [`registry`]: everything that a scenario can name, besides the plugins of [`plugins`](mod@plugins). [`schema`],
//!   [`mod@reference`]: the JSON Schema and the reference, made from the registry and the declarations.

pub mod agents;
pub mod build;
pub mod choice;
pub mod cost;
pub mod describe;
pub mod diagnostics;
pub mod document;
pub mod exports;
pub mod facts;
pub mod files;
pub mod flows;
pub mod kernel_controls;
pub mod keys;
pub mod limits;
pub mod load;
pub mod media;
pub mod network;
pub mod observe;
pub mod over_time;
pub mod own_controls;
pub mod panics;
pub mod places;
pub mod plugins;
pub mod precision;
mod ranges;
pub mod rate;
pub mod reader;
pub mod reference;
pub mod registry;
pub mod result;
mod routings;
pub mod run;
pub mod scenario;
pub mod schema;
mod sizes;
pub mod statistics;
pub mod sweep;
mod tables;
mod traces;
pub mod transports;
pub mod warnings;

pub use ackclock_verify as verify;
pub use diagnostics::Diagnostic;
pub use plugins::Plugins;
pub use result::RunResult;
pub use scenario::Scenario;

/// The version of the core.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
