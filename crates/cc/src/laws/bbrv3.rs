//! BBRv3 (draft-ietf-ccwg-bbr). The state machine is in [`crate::bbr::v3`], the parts shared with BBRv1 are
//! in [`crate::bbr`].

use crate::bbr::v3::{BbrV3, Parameters};
use crate::entry::{Build, Entry, PublishedDefaults, control};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "bbrv3",
        "BBRv3: paces at the measured bandwidth, with a window derived from the bandwidth-delay product; losses set \
         upper bounds on both",
        "draft-ietf-ccwg-bbr, main branch of August 2026",
        Parameters::TABLE,
    ),
    build: Build::Model(|values, initial| Box::new(BbrV3::new(values.into(), initial))),
    published: PublishedDefaults::recovery("rack"), // finds lost retransmissions; Linux runs BBR with it
};
