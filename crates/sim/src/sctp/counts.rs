//! What is counted of an association besides what its paths count.

/// What only an association counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How often new data left a path because that had failed, or might have.
    pub failovers: u64,
    /// How often a selector sent it elsewhere.
    pub switches: u64,
    /// HEARTBEATs sent.
    pub heartbeats: u64,
    /// HEARTBEATs not answered in time.
    pub heartbeats_lost: u64,
    /// Probes of a window that the receiver had closed.
    pub window_probes: u64,
}
