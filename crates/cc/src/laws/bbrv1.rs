//! BBRv1 (draft-cardwell-iccrg-bbr-congestion-control-00). The state machine is in [`crate::bbr::v1`], the
//! parts shared with BBRv3 are in [`crate::bbr`].

use crate::bbr::v1::{BbrV1, Parameters};
use crate::entry::{Build, Entry, PublishedDefaults, control};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "bbrv1",
        "BBR version 1: paces at the maximum delivery rate of the last ten rounds times a gain that cycles; the window \
         is a multiple of this rate times the minimum RTT of the last 10 s; losses do not lower the rate",
        "draft-cardwell-iccrg-bbr-congestion-control-00; Cardwell et al. 2016",
        Parameters::TABLE,
    ),
    build: Build::Model(|values, initial| Box::new(BbrV1::new(values.into(), initial))),
    published: PublishedDefaults::recovery("rack"), // finds lost retransmissions; Linux runs BBR with it
};
