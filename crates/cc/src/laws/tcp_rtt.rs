//! TCP-RTT and TCP-RTTM (Alnuem 2009 sections 6.2, 7.1 and 7.2): Reno's window with Alnuem's three actions,
//! for losses that the round trip attributes to transmission. Each part can be combined with any other
//! control too.

use super::reno::{BUILD, Reno};
use crate::entry::{Entry, PublishedDefaults, control};

/// The registry entry of TCP-RTT, with all three actions for losses that the round trip attributes to
/// transmission.
pub const TCP_RTT: Entry = Entry {
    descriptor: &control(
        "tcp-rtt",
        "Reno with Alnuem's actions for the window (CWA), retransmissions (MDA) and the timeout (RTA) at losses that \
         the discriminator rtt attributes to transmission errors",
        "Alnuem 2009 section 6.2, appendix D",
        Reno::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults {
        recovery: Some("mda-transmission"),
        discriminator: Some("rtt"),
        action: Some("cwa"),
        backoff: Some("rta"),
        ..PublishedDefaults::NONE
    },
};

/// The registry entry of TCP-RTTM, which also repairs losses through congestion at once.
pub const TCP_RTTM: Entry = Entry {
    descriptor: &control(
        "tcp-rttm",
        "TCP-RTT that after every loss, including losses attributed to congestion, retransmits all packets counted as \
         missing in one burst (MDA)",
        "Alnuem 2009 sections 7.1 and 7.2",
        Reno::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults { recovery: Some("mda"), ..TCP_RTT.published },
};
