//! Bulk data: sends as much as the transport allows, without end or up to a size.

use super::{Entry, Workload, application};
use ackclock_base::{Range, Size, parameters};

/// The entry in the list of applications. It comes first because it is the default of a flow.
pub const ENTRY: Entry = Entry {
    descriptor: &application(
        "bulk",
        "Sends as much data as the transport allows, without end or up to `size`",
        "ns-2's FTP",
        Bulk::TABLE,
    ),
    workload: Workload::Bulk(|values| Bulk::from(values).size.map(|size| size.bytes())),
};

parameters! {
    /// A sender with an end, or without.
    pub struct Bulk {
        /// The amount of data to send; none for data without end
        size: Option<Size> = size("none", Range::at_least(1.0), "none"),
    }
}
