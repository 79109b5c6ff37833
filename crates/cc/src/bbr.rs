//! BBR: controls that send as fast as the path has been seen to deliver, and keep in flight what fits into
//! the minimum round trip. [`v3`] is the BBR of draft-ietf-ccwg-bbr, [`v1`] that of
//! draft-cardwell-iccrg-bbr-congestion-control-00.
//!
//! The modules here hold what both share: rounds, the search for the full pipe, pacing, the stay in ProbeRTT,
//! the allowance for aggregated acknowledgements, the window to which a recovery returns.
//!
//! All amounts are in packets, so a `SMSS` of the drafts is 1 here.

pub mod aggregation;
pub mod app_limited;
pub mod full_pipe;
pub mod pacing;
pub mod probe_rtt;
pub mod recent_max;
pub mod repair;
pub mod rounds;
pub mod v1;
pub mod v3;
