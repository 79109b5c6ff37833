//! Warnings about flows that the window of their receiver keeps from filling their path, which would
//! otherwise go unnoticed.

use crate::language::flows::{FlowGroup, Member, Sending, Workload};
use crate::language::network::LinkPlan;
use crate::language::scenario::Scenario;
use ackclock_base::{Rate, Span};
use std::collections::BTreeMap;

/// Returns a warning for each group without an end whose flows, together with all others that cross their
/// narrowest link, may have less in flight than that link sends in a round trip without queues.
pub(super) fn of(scenario: &Scenario) -> Vec<String> {
    let links = &scenario.network.links;
    let allowed = allowed_bytes(scenario);
    let short = scenario.flows.iter().filter_map(|group| {
        let (bytes, key) = widest(group)?;
        let endless = matches!(group.plan.sending.workload, Workload::Bulk(None));
        let member = group.members.first().filter(|_| endless)?;
        let (narrowest, rate) = narrowest(member, links)?;
        let together = *allowed.get(&narrowest)?;
        let rtt = round_trip(member, links);
        let path = rate.bytes_per_second() * rtt.seconds();
        let one = bytes as f64;
        // If the application reads more slowly than the window allows, a larger window would only fill up.
        let reader = group.plan.sending.parts().and_then(|parts| parts.reader.as_ref());
        let is_read =
            reader.is_none_or(|reader| reader.in_the_long_run().bytes_per_second() * rtt.seconds() > one);
        (together < path && is_read).then(|| sentence(&group.plan.name, key, one, rtt, rate))
    });
    short.collect()
}

/// Returns the maximum of payload bytes that the receiver of a single connection allows in flight, and the
/// key that sets it; `None` for other workloads.
fn widest(group: &FlowGroup) -> Option<(u64, &'static str)> {
    let Sending { transport, workload, .. } = &group.plan.sending;
    transport.facts().allowed.widest.filter(|_| workload.is_one_connection())
}

fn sentence(name: &str, key: &str, window: f64, rtt: Span, rate: Rate) -> String {
    let reached = Rate::from_bits_per_second((8.0 * window / rtt.seconds()) as u64);
    let size =
        if window < 1e6 { format!("{:.0} kB", window / 1e3) } else { format!("{:.1} MB", window / 1e6) };
    format!(
        "flow {name}: its receive window of {size} limits it to {reached} at a round-trip time of {rtt}, less than the {rate} \
         of its slowest link; a larger `{key}` of the transport raises this limit"
    )
}

/// Returns the link with the lowest rate on the forward path, and that rate.
fn narrowest(member: &Member, links: &[LinkPlan]) -> Option<(u32, Rate)> {
    let rates = member.forward.iter().map(|link| (*link, links[*link as usize].wire.pace.nominal));
    rates.min_by_key(|(_, rate)| *rate)
}

fn round_trip(member: &Member, links: &[LinkPlan]) -> Span {
    let ways = member.forward.iter().chain(&member.backward);
    ways.fold(Span::ZERO, |sum, link| sum + links[*link as usize].delay)
}

/// Returns the bytes that the receivers of all flows over each link allow in flight together. The value is
/// infinite for a link that also carries other flows than single connections, because these help to fill it.
fn allowed_bytes(scenario: &Scenario) -> BTreeMap<u32, f64> {
    let mut allowed = BTreeMap::new();
    for group in &scenario.flows {
        let window = widest(group).map_or(f64::INFINITY, |(bytes, _)| bytes as f64);
        for link in group.members.iter().flat_map(Member::paths).flat_map(|member| &member.forward) {
            *allowed.entry(*link).or_insert(0.0) += window;
        }
    }
    allowed
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    fn warnings(transport: &str, count: u32) -> Vec<String> {
        let text = format!(
            "duration = \"10 s\"\n[dumbbell]\nbottleneck = {{ rate = \"1 Gbit/s\", delay = \"74 ms\" }}\n\
             access = {{ rate = \"10 Gbit/s\", delay = \"0.5 ms\" }}\n\
             [[flows]]\ncontrol = \"cubic\"\ntransport = {transport}\ncount = {count}\n"
        );
        of(&Scenario::parse(&text, "test", &Map::new()).expect("a valid scenario"))
    }

    #[test]
    fn a_receive_window_below_the_path_causes_a_warning() {
        // 10,000 packets of 1448 B are 14.48 MB, or 772 Mbit/s over 150 ms. 1 Gbit/s needs 18.75 MB.
        let told = warnings("\"rfc\"", 1);
        assert_eq!(
            told,
            [
                "flow cubic: its receive window of 14.5 MB limits it to 772.266666 Mbit/s at a round-trip time of 150 ms, less \
              than the 1 Gbit/s of its slowest link; a larger `window` of the transport raises this limit"
            ]
        );
        // 3 MiB are 2,172 packets or 3.145 MB: 168 Mbit/s.
        let told = warnings("\"linux\"", 1);
        assert!(told[0].contains("window of 3.1 MB") && told[0].contains("`max_receive_window`"), "{told:?}");
        for fine in [
            "{ name = \"rfc\", window = \"13000 packets\" }",
            "{ name = \"linux\", max_receive_window = \"19 MB\", window = \"20000 packets\" }",
        ] {
            assert!(warnings(fine, 1).is_empty(), "{fine}");
        }
        // An application that reads at 700 Mbit/s would not use a larger window; one that reads at 800 Mbit/s
        // would.
        let read = |rate: &str| warnings(&format!("\"rfc\"\nreader = \"{rate}\""), 1).len();
        assert_eq!((read("700 Mbit/s"), read("800 Mbit/s")), (0, 1));
        // Two flows together fill the path, or six with Linux's window.
        assert!(warnings("\"rfc\"", 2).is_empty());
        assert_eq!((warnings("\"linux\"", 5).len(), warnings("\"linux\"", 6).len()), (1, 0));
    }
}
