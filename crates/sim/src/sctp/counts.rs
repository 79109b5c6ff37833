//! The counts of an association besides those of its paths.

/// The counts of an association that its paths do not keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of times that new data left a path because the path had failed or might have.
    pub failovers: u64,
    /// The number of times that a path selector moved new data to another path.
    pub switches: u64,
    /// The number of HEARTBEATs sent.
    pub heartbeats: u64,
    /// The number of HEARTBEATs not answered in time.
    pub heartbeats_lost: u64,
    /// The number of probes of a window that the receiver had closed.
    pub window_probes: u64,
}
