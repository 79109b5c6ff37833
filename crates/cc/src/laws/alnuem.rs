//! The controls of Alnuem's thesis: Reno's window, with a loss discriminator, an action, a retransmission rule and a
//! back-off around it (Alnuem 2009 chapters 4 to 7). Each part can be had with any other control too.

use super::reno::{BUILD, Reno};
use crate::registry::{Companions, Entry, control};
use ackclock_base::Descriptor;

/// Every loss is called transmission, and answered by the congestion window action.
pub const CWA: Entry = entry(
    &control(
        "cwa",
        "Reno that cuts its window by the number of packets lost",
        "Alnuem 2009 section 4.2.1",
        Reno::TABLE,
    ),
    Companions { recovery: Some("reno"), discriminator: ORACLE, action: Some("cwa"), backoff: None },
);

/// Several losses of a window are repaired at once.
pub const MDA: Entry = entry(
    &control(
        "mda",
        "Reno that resends as many packets at once as it has counted missing",
        "Alnuem 2009 section 4.2.2",
        Reno::TABLE,
    ),
    Companions::recovery("mda"),
);

/// The timeout backs off the less, the more bandwidth there was.
pub const RTA: Entry = entry(
    &control(
        "rta",
        "Reno whose timeout backs off by how much of the best bandwidth is missing",
        "Alnuem 2009 section 4.2.3",
        Reno::TABLE,
    ),
    Companions { backoff: Some("rta"), ..Companions::recovery("reno") },
);

/// All three actions, for every loss.
pub const TWA: Entry = entry(
    &control(
        "twa",
        "Reno with Alnuem's three actions, every loss being called transmission",
        "Alnuem 2009 sections 4.3 and 5.3",
        Reno::TABLE,
    ),
    Companions { recovery: Some("mda"), discriminator: ORACLE, action: Some("cwa"), backoff: Some("rta") },
);

/// All three actions, where a round trip tells that a loss is of transmission.
pub const TCP_RTT: Entry = entry(
    &control(
        "tcp-rtt",
        "Reno with Alnuem's three actions for losses that a round trip tells to be of transmission",
        "Alnuem 2009 section 6.2, appendix D",
        Reno::TABLE,
    ),
    Companions {
        recovery: Some("mda-transmission"),
        discriminator: Some("rtt"),
        action: Some("cwa"),
        backoff: Some("rta"),
    },
);

/// The same, and losses of congestion are repaired at once as well.
pub const TCP_RTTM: Entry = entry(
    &control(
        "tcp-rttm",
        "TCP-RTT that repairs several losses at once whatever their cause",
        "Alnuem 2009 sections 7.1 and 7.2",
        Reno::TABLE,
    ),
    Companions { recovery: Some("mda"), ..TCP_RTT.companions },
);

/// The Spike scheme on Reno.
pub const SPIKE: Entry = entry(
    &control(
        "spike",
        "Reno that leaves its window as it is after losses outside of spikes of the trip time (SpikeR)",
        "Alnuem 2009 sections 3.5.2.13 and 6.2",
        Reno::TABLE,
    ),
    Companions {
        recovery: Some("reno"),
        discriminator: Some("spike"),
        action: Some("no-cut"),
        backoff: None,
    },
);

/// The Spike scheme on NewReno.
pub const SPIKE_NR: Entry = entry(
    &control(
        "spike-nr",
        "NewReno that leaves its window as it is after losses outside of spikes of the trip time (SpikeNR)",
        "Alnuem 2009 sections 6.4.3 and 7.3",
        Reno::TABLE,
    ),
    Companions { recovery: Some("newreno"), ..SPIKE.companions },
);

/// Every loss is one of transmission (section 5.3).
const ORACLE: Option<&str> = Some("always");

const fn entry(descriptor: &'static Descriptor, companions: Companions) -> Entry {
    Entry { descriptor, build: BUILD, companions }
}
