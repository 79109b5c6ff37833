//! TCP-RTT and TCP-RTTM (Alnuem 2009 sections 6.2, 7.1 and 7.2): Reno's window with Alnuem's three actions, for losses that
//! a round trip tells to be of transmission. Each part can be had with any other control too.

use super::reno::{BUILD, Reno};
use crate::entry::{Companions, Entry, control};

/// All three actions, where a round trip tells that a loss is of transmission.
pub const TCP_RTT: Entry = Entry {
    descriptor: &control(
        "tcp-rtt",
        "Reno with Alnuem's three actions for losses that a round trip tells to be of transmission",
        "Alnuem 2009 section 6.2, appendix D",
        Reno::TABLE,
    ),
    build: BUILD,
    companions: Companions {
        recovery: Some("mda-transmission"),
        discriminator: Some("rtt"),
        action: Some("cwa"),
        backoff: Some("rta"),
        ..Companions::NONE
    },
};

/// The same, and losses of congestion are repaired at once as well.
pub const TCP_RTTM: Entry = Entry {
    descriptor: &control(
        "tcp-rttm",
        "TCP-RTT that repairs several losses at once whatever their cause",
        "Alnuem 2009 sections 7.1 and 7.2",
        Reno::TABLE,
    ),
    build: BUILD,
    companions: Companions { recovery: Some("mda"), ..TCP_RTT.companions },
};
