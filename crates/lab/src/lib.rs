//! The laboratory: the scenario language, running scenarios, and their results.
//!
//! * [`document`]: TOML with the place of everything in the file, and overrides.
//! * [`diagnostics`]: what is wrong with a scenario file, where, and what would be right.
//! * [`keys`]: the declarations of every table and key of a scenario.
//! * [`reader`]: reading typed values from a document, collecting every problem.
//! * [`scenario`]: a scenario, read and checked by [`load`].
//! * [`network`], [`media`], [`agents`], [`rate`], [`flows`], [`choice`]: its parts. [`over_time`], [`files`], `traces`: what
//!   changes while it runs.
//! * [`sweep`]: the points that a scenario's sweep spans. [`precision`]: how many replications they need.
//! * [`build`]: from a scenario and a seed to a simulation.
//! * [`describe`], [`warnings`], [`cost`]: what it comes to. [`run`], [`result`]: running it, and what comes out. [`exports`]: the
//!   same in the formats of other tools.
//! * [`facts`]: what the independent check of a packet trace, [`ackclock_verify`], is told of a scenario.
//! * [`transports`]: what flows go over, in one list.
//! * [`registry`]: everything that a scenario can name, besides what is [`brought`] along. [`schema`], [`reference`]: the JSON Schema and the
//!   reference made from it and from the declarations.

pub mod agents;
pub mod brought;
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
pub mod keys;
pub mod limits;
pub mod load;
pub mod media;
pub mod network;
pub mod observe;
pub mod over_time;
pub mod places;
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
pub mod sweep;
mod tables;
mod traces;
pub mod transports;
pub mod warnings;

pub use ackclock_verify as verify;
pub use brought::Brought;
pub use diagnostics::Diagnostic;
pub use result::RunResult;
pub use scenario::Scenario;

/// The version of the core.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
