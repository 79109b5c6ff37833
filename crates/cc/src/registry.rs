//! Every congestion control, and every part that can be combined with one, by name. Scenario files, `ackclock
//! list` and the documentation use these lists. The entry of a control is in its own file.

use crate::action;
use crate::backoff;
use crate::differentiation::discriminators;
use crate::entry::{ActionEntry, BackoffEntry, DiscriminatorEntry, Entry, LayerEntry, SelectorEntry};
use crate::laws::{
    a_tcp, a_tcp_p, africa, bbrv1, bbrv3, bic, c4, cm, cocoon, combined, compound, copa, cubic, cwa, dca,
    dctcp, fast, fractional, hstcp, htcp, hybla, illinois, learning_tcp, ledbat, ledbat_plus_plus, lia, ltcp,
    ltcp_rc, mda, newreno, prague, rbca, rbcc, rbcc_dynamic, rbcc_wl, reno, rta, sack, scalable, sctp, spike,
    tcp_k, tcp_p, tcp_rtt, twa, vegas, veno, vivace, westwood, yeah,
};
use crate::layer::{abe, careful_resume, rate_limited_increase, slow_start};
use crate::selector;

/// The controls, in the order in which lists show them.
pub const CONTROLS: &[Entry] = &[
    reno::ENTRY,
    newreno::ENTRY,
    sack::ENTRY,
    vegas::ENTRY,
    cubic::ENTRY,
    bbrv1::ENTRY,
    bbrv3::ENTRY,
    dctcp::ENTRY,
    prague::ENTRY,
    ledbat::ENTRY,
    ledbat_plus_plus::ENTRY,
    copa::ENTRY,
    c4::ENTRY,
    vivace::ENTRY,
    rbcc::ENTRY,
    rbcc_dynamic::ENTRY,
    rbcc_wl::ENTRY,
    ltcp::ENTRY,
    ltcp_rc::ENTRY,
    tcp_k::ENTRY,
    a_tcp::ENTRY,
    dca::COLLABORATIVE,
    dca::SELF,
    tcp_p::ENTRY,
    a_tcp_p::ENTRY,
    fractional::ENTRY,
    combined::ENTRY,
    cocoon::ENTRY,
    cm::ENTRY,
    cwa::ENTRY,
    mda::ENTRY,
    rta::ENTRY,
    twa::ENTRY,
    tcp_rtt::TCP_RTT,
    tcp_rtt::TCP_RTTM,
    spike::SPIKE,
    spike::SPIKE_NR,
    learning_tcp::ENTRY,
    hstcp::ENTRY,
    scalable::ENTRY,
    bic::ENTRY,
    africa::ENTRY,
    htcp::ENTRY,
    fast::ENTRY,
    illinois::ENTRY,
    compound::ENTRY,
    yeah::ENTRY,
    veno::ENTRY,
    hybla::ENTRY,
    westwood::WESTWOOD,
    westwood::WESTWOOD_NR,
    sctp::SCTP,
    sctp::SCTP_2960,
    rbca::ENTRY,
    lia::ENTRY,
];

/// The loss discriminators: is a loss congestion or transmission?
pub const DISCRIMINATORS: &[DiscriminatorEntry] = &[
    discriminators::always::ENTRY,
    discriminators::rtt::ENTRY,
    discriminators::spike::ENTRY,
    discriminators::learning::ENTRY,
];

/// The actions: the effect of a transmission loss on the window.
pub const ACTIONS: &[ActionEntry] = &[action::no_cut::ENTRY, action::cwa::ENTRY, action::conservative::ENTRY];

/// The slow starts: the rules by which slow start grows and ends.
pub const SLOW_STARTS: &[LayerEntry] = &[
    slow_start::standard::ENTRY,
    slow_start::hystart_plus_plus::ENTRY,
    slow_start::hystart::ENTRY,
    slow_start::search::ENTRY,
];

/// The layers that use what is remembered of an earlier connection.
pub const RESUMES: &[LayerEntry] = &[careful_resume::ENTRY];

/// The responses to the echo of a mark.
pub const ECN_RESPONSES: &[LayerEntry] = &[abe::ENTRY];

/// The limits on the growth of an unused window.
pub const GROWTH_LIMITS: &[LayerEntry] = &[rate_limited_increase::ENTRY];

/// The back-off rules: the rule by which the retransmission timeout grows while it keeps expiring.
pub const BACKOFFS: &[BackoffEntry] = &[backoff::exponential::ENTRY, backoff::rta::ENTRY];

/// The path selectors: which path of an association new data takes.
pub const SELECTORS: &[SelectorEntry] = &[selector::primary::ENTRY, selector::spc::ENTRY];

/// Returns the control called `name`, or `None`.
pub fn find(name: &str) -> Option<&'static Entry> {
    CONTROLS.iter().find(|entry| entry.descriptor.name == name)
}

/// Returns the discriminator called `name`, or `None`.
pub fn find_discriminator(name: &str) -> Option<&'static DiscriminatorEntry> {
    DISCRIMINATORS.iter().find(|entry| entry.descriptor.name == name)
}

/// Returns the action called `name`, or `None`.
pub fn find_action(name: &str) -> Option<&'static ActionEntry> {
    ACTIONS.iter().find(|entry| entry.descriptor.name == name)
}

/// The layers, those nearer to the control first: the end of slow start must be decided before growth is
/// limited.
pub const LAYERS: [&[LayerEntry]; 4] = [SLOW_STARTS, RESUMES, ECN_RESPONSES, GROWTH_LIMITS];

/// Returns the layer of any kind called `name`, or `None`.
pub fn find_layer(name: &str) -> Option<&'static LayerEntry> {
    LAYERS.iter().copied().flatten().find(|entry| entry.descriptor.name == name)
}

/// Returns the back-off rule called `name`, or `None`.
pub fn find_backoff(name: &str) -> Option<&'static BackoffEntry> {
    BACKOFFS.iter().find(|entry| entry.descriptor.name == name)
}

/// Returns the path selector called `name`, or `None`.
pub fn find_selector(name: &str) -> Option<&'static SelectorEntry> {
    SELECTORS.iter().find(|entry| entry.descriptor.name == name)
}
