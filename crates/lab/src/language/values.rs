//! Values that change during a run: rates, delays and sizes over time, from tables or from files.

pub mod files;
pub mod over_time;
pub mod rate;
pub(crate) mod sizes;
pub(crate) mod tables;
pub(crate) mod traces;
