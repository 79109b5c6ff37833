//! Every queue discipline by name. A discipline's own line stands in its file; here is the list of them.

use crate::discipline::LinkRate;
use crate::disciplines::{
    adaptive_red, apace, avq, bc_pqp, blue, choke, codel, droptail, dualpi2, fair_policer, fq_codel, paqm,
    phantom_queue, pi, pie, red, red_diff, scepter, sfb, shaper, sred, srtcm, token_bucket, trtcm,
};
use crate::entry::Entry;
use ackclock_base::Values;

/// The disciplines, in the order in which lists show them.
pub const QUEUES: &[Entry] = &[
    droptail::ENTRY,
    red::ENTRY,
    apace::ENTRY,
    sred::ENTRY,
    avq::ENTRY,
    paqm::ENTRY,
    codel::ENTRY,
    fq_codel::ENTRY,
    dualpi2::ENTRY,
    pie::ENTRY,
    token_bucket::ENTRY,
    scepter::ENTRY,
    shaper::ENTRY,
    pi::ENTRY,
    blue::ENTRY,
    adaptive_red::ENTRY,
    red_diff::ENTRY,
    choke::ENTRY,
    sfb::ENTRY,
    srtcm::ENTRY,
    trtcm::ENTRY,
    fair_policer::ENTRY,
    bc_pqp::ENTRY,
    phantom_queue::ENTRY,
];

/// What is allowed and yet hardly meant about parameters on a link, in words; `None` where nothing is.
pub type Doubt = fn(&Values, &LinkRate) -> Option<String>;

/// The disciplines that have doubts, by name.
const DOUBTS: &[(&str, Doubt)] = &[("dualpi2", dualpi2::doubt)];

/// What the discipline called `name` doubts about its parameters on a link.
pub fn doubt(name: &str, values: &Values, link: &LinkRate) -> Option<String> {
    DOUBTS.iter().find(|(doubting, _)| *doubting == name).and_then(|(_, doubt)| doubt(values, link))
}

/// The discipline called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    QUEUES.iter().find(|entry| entry.descriptor.name == name)
}
