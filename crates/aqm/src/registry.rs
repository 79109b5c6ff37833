//! Every queue discipline by name. The entry of a discipline is in its own file.

use crate::discipline::LinkRate;
use crate::disciplines::{
    adaptive_red, apace, avq, bc_pqp, blue, cake, choke, codel, droptail, drr, dualpi2, fair_policer,
    fq_codel, paqm, phantom_queue, pi, pie, prio, red, red_diff, scepter, sfb, sfq, shaper, sred, srtcm,
    token_bucket, trtcm,
};
use crate::entry::Entry;
use ackclock_base::{Rate, Values};

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
    drr::ENTRY,
    sfq::ENTRY,
    prio::ENTRY,
    cake::ENTRY,
];

/// A check for values that are allowed but hardly intended on a link. Returns a message, or `None`.
pub type Doubt = fn(&Values, &LinkRate) -> Option<String>;

/// The disciplines with such checks, by name.
const DOUBTS: &[(&str, Doubt)] = &[("dualpi2", dualpi2::doubt)];

/// The rate at which a discipline with these parameters serves its queue on a link.
type ServiceRate = fn(&Values, &LinkRate) -> Rate;

/// The disciplines that may serve their queue at another rate than the link's, by name.
const SERVICE_RATES: &[(&str, ServiceRate)] =
    &[("shaper", shaper::service_rate), ("cake", cake::service_rate)];

/// Returns the rate at which the discipline called `name` serves its queue: the link's, unless the discipline
/// holds packets back.
pub fn service_rate(name: &str, values: &Values, link: &LinkRate) -> Rate {
    SERVICE_RATES.iter().find(|(own, _)| *own == name).map_or(link.rate, |(_, rate)| rate(values, link))
}

/// Returns the warning of the discipline called `name` about its parameters on a link, or `None`.
pub fn doubt(name: &str, values: &Values, link: &LinkRate) -> Option<String> {
    DOUBTS.iter().find(|(doubting, _)| *doubting == name).and_then(|(_, doubt)| doubt(values, link))
}

/// Returns the discipline called `name`, or `None`.
pub fn find(name: &str) -> Option<&'static Entry> {
    QUEUES.iter().find(|entry| entry.descriptor.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_served_at_the_rate_that_holds_it_back() {
        let link = LinkRate { rate: Rate::from_bits_per_second(100_000_000), mean_packet_bytes: 1500 };
        let served = |name: &str, settings: &[(&str, &str)]| {
            let values = Values::with(find(name).expect("a discipline").descriptor, settings);
            service_rate(name, &values, &link).bits_per_second()
        };
        assert_eq!(served("shaper", &[("rate", "1 Mbit/s")]), 1_000_000);
        assert_eq!(served("shaper", &[("rate", "1 Gbit/s")]), 100_000_000, "the link is slower");
        assert_eq!(served("shaper", &[]), 100_000_000);
        assert_eq!(served("token-bucket", &[("rate", "1 Mbit/s")]), 100_000_000, "nothing waits for tokens");
        // Every other discipline leaves the rate to the link.
        for entry in QUEUES {
            let name = entry.descriptor.name;
            let own = SERVICE_RATES.iter().any(|(own, _)| *own == name);
            assert_eq!(own, entry.service.holds_back, "{name}");
        }
    }
}
