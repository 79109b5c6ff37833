//! The scenario language.
//!
//! * [`document`]: TOML with the location of every value in the file, and overrides. [`places`]: locations in a file by path.
//! * [`diagnostics`]: the problems of a scenario file, with their location and a hint.
//! * [`keys`]: the declarations of every table and key of a scenario. [`limits`]: what a scenario may not exceed.
//! * [`reader`]: reads typed values from a document and collects every problem.
//! * [`scenario`]: a scenario, read and checked by [`load`].
//! * [`network`], [`media`], [`agents`], [`flows`], [`choice`], [`observe`]: the parts of a scenario.
//!   [`values`]: values that change during a run, and the files that they come from.
//! * [`sweep`]: the points of a scenario's sweep. [`precision`]: how many replications they need.
//! * [`registry`]: everything that a scenario can name, with the plugins of the user. [`schema`], [`mod@reference`]: the JSON Schema and the reference, made from
//!   the registry and the declarations.

pub mod agents;
pub mod choice;
pub mod diagnostics;
pub mod document;
pub mod flows;
pub mod keys;
pub mod limits;
pub mod load;
pub mod media;
pub mod network;
pub mod observe;
pub mod places;
pub mod precision;
pub mod reader;
pub mod reference;
pub mod registry;
pub mod scenario;
pub mod schema;
pub mod sweep;
pub mod values;
