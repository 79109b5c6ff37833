//! Limits of a scenario that several of its parts keep.

/// The longest run, in seconds.
pub const MAX_SECONDS: f64 = 1e6;
/// The most flows.
pub const MAX_FLOWS: usize = 10_000;
/// The greatest seed: up to here, every whole number is a float of its own, which is what JSON has.
pub const MAX_SEED: f64 = 9_007_199_254_740_991.0;
/// The most replications of a scenario.
pub const MAX_REPLICATIONS: f64 = 1e5;
/// The most points of a sweep.
pub const MAX_POINTS: usize = 10_000;
/// The most runs of all points of a sweep with all replications: weeks of computing, however short each is.
pub const MAX_RUNS: usize = 10_000_000;
/// The most problems that are reported at once.
pub const MAX_PROBLEMS: usize = 100;
