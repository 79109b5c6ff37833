//! Limits that several parts of a scenario share.

/// The maximum duration of a run, in seconds.
pub const MAX_SECONDS: f64 = 1e6;
/// The maximum number of flows.
pub const MAX_FLOWS: usize = 10_000;
/// The maximum seed. Up to here every whole number is exact as a float, the only number that JSON has.
pub const MAX_SEED: f64 = 9_007_199_254_740_991.0;
/// The maximum number of replications of a scenario.
pub const MAX_REPLICATIONS: f64 = 1e5;
/// The maximum number of points of a sweep.
pub const MAX_POINTS: usize = 10_000;
/// The maximum number of runs of all points of a sweep with all replications: weeks of computing, however
/// short each run is.
pub const MAX_RUNS: usize = 10_000_000;
/// The maximum number of problems that are reported at once.
pub const MAX_PROBLEMS: usize = 100;
