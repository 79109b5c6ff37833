//! Warnings: settings of a scenario that are allowed but probably not intended, or that make a run slow. A
//! warning does not stop a run.

mod receive_window;
pub mod repair;

use crate::cost::{self, Cost};
use crate::language::agents;
use crate::language::flows::{FlowGroup, FlowPlan, Member};
use crate::language::network::LinkPlan;
use crate::language::scenario::Scenario;
use crate::run::build::link_rates;
use ackclock_base::{Size, Span};
use ackclock_sim::network::MAX_PACKETS;
use repair::Repairs;
use std::collections::BTreeSet;

/// Returns the warnings about a scenario, one sentence each, also those about its flows beside each other.
pub fn of_one(scenario: &Scenario) -> Vec<String> {
    let mut repairs = Repairs::default();
    repairs.add(scenario);
    of(scenario).into_iter().chain(repairs.warnings()).collect()
}

/// Returns the warnings about a scenario that do not depend on what its flows are compared with, one sentence each.
pub fn of(scenario: &Scenario) -> Vec<String> {
    let members = scenario.flows.iter().flat_map(|group| &group.members).flat_map(|member| member.paths());
    let crossed: BTreeSet<u32> = members.flat_map(|member| member.forward.iter().copied()).collect();
    let rates = link_rates(scenario);
    // A queue that only acknowledgements pass needs no warning.
    let doubts = crossed.into_iter().filter_map(|index| {
        let link = &scenario.network.links[index as usize];
        let queue = link.wire.queue.as_ref()?;
        let name = queue.descriptor.name;
        let doubt = ackclock_aqm::registry::doubt(name, &queue.values, &rates[index as usize])?;
        Some(format!("{name} at link {}: {doubt}", link.name))
    });
    let slow = scenario.network.links.iter().zip(&rates).filter_map(|(link, rate)| {
        let rest = slowness(link, rate.mean_packet_bytes, scenario.duration)?;
        Some(format!(
            "rate of link {}: sending a packet of {} B takes {rest}",
            link.name, rate.mean_packet_bytes
        ))
    });
    let idle = scenario.agents.iter().filter_map(|plan| {
        let (name, at) = (plan.agent.entry.descriptor.name, &plan.at);
        let seen = agents::is_passed(plan, &scenario.flows, &scenario.network.links);
        (!seen).then(|| {
            format!("agent {name} at {at}: receives no packets, because no TCP flow passes this node in both directions")
        })
    });
    doubts
        .chain(slow)
        .chain(idle)
        .chain(scenario.flows.iter().flat_map(|group| of_flows(&group.plan, scenario.duration)))
        .chain(receive_window::of(scenario))
        .chain(scenario.flows.iter().filter_map(|group| own_interface(group, &scenario.network.links)))
        .chain(crowd(scenario))
        .chain(costs(scenario))
        .collect()
}

/// Returns the warnings about costs other than the packets that links deliver.
fn costs(scenario: &Scenario) -> impl Iterator<Item = String> {
    let announced = |cost: &Cost| cost.is_announced(scenario.duration);
    Cost::all(scenario).into_iter().filter(announced).map(|cost| cost.announcement(scenario))
}

/// Returns a warning about sources over UDP that fill the delay of their links with more packets than a run
/// allows in flight; `None` if they do not.
fn crowd(scenario: &Scenario) -> Option<String> {
    let packets = cost::under_way(scenario);
    (packets > MAX_PACKETS as f64).then(|| {
        format!(
            "UDP sources have about {packets:.1e} packets in flight at once, but a run with more \
             than {MAX_PACKETS} stops with an error; a shorter `delay`, lower rates or a shorter `duration` reduce \
             this number"
        )
    })
}

/// Returns the warnings about flows that never send, whose control counts marks that no queue may set, or whose runs differ.
fn of_flows(plan: &FlowPlan, run: Span) -> impl Iterator<Item = String> {
    let FlowPlan { name, start, sending, count, .. } = plan;
    let (first, last) = (start.first(), start.last(*count));
    let late = ((first >= run || last > run) && !start.is_never()).then(|| match first >= run {
        true => {
            let at = if start.uniform.is_some() { "no earlier than" } else { "at" };
            format!("flow {name}: starts {at} {first} and sends nothing, because the run lasts {run}")
        }
        false => format!(
            "flow {name}: may start as late as {last} and then sends nothing, because the run lasts {run}"
        ),
    });
    let takes_none = sending.transport.facts().takes_marks == Some(false);
    let deaf = sending.control().filter(|control| takes_none && control.counts_marks());
    let unheard = deaf.map(|control| {
        let (control, transport) = (control.name(), sending.transport_name());
        format!(
            "flow {name}: {control} relies on ECN marks, but its packets cannot be marked; \
             `transport = {{ name = \"{transport}\", ecn = true }}` enables ECN"
        )
    });
    let differs = sending.transport.facts().draws_unseeded.then(|| {
        let control = sending.control_name();
        format!(
            "flow {name}: {control} draws random numbers that the seed does not determine, so runs with the same seed \
             can differ; several replications (`--replications 10`) show by how much"
        )
    });
    late.into_iter().chain(unheard).chain(differs)
}

/// Returns a warning if the interface of a sender is its bottleneck, so that small queues and not the
/// discipline decide what waits there.
fn own_interface(group: &FlowGroup, links: &[LinkPlan]) -> Option<String> {
    let FlowPlan { name, sending, .. } = &group.plan;
    if !sending.transport.facts().small_queues {
        return None;
    }
    let rate = |link: &u32| links[*link as usize].wire.pace.nominal;
    let first = group.members.iter().flat_map(Member::paths).find_map(|member| {
        let (first, others) = member.forward.split_first()?;
        let slowest = others.iter().all(|other| rate(other) > rate(first));
        let link = &links[*first as usize];
        (slowest && link.wire.queue.is_some() && link.medium.is_none()).then_some(link)
    })?;
    let link = &first.name;
    let transport = sending.transport_name();
    Some(format!(
        "flow {name}: link {link} is its sender's own interface and the slowest link of its path. On such a \
         link, small queues (TSQ) keep the queue nearly empty if its discipline drops at arrival, and have no effect if it \
         drops at departure, so disciplines cannot be compared. To let a queue build at {link}, put a faster link before \
         it, or set `transport = {{ name = \"{transport}\", small_queues = false }}`"
    ))
}

/// Returns how long a packet takes and how long the run lasts, in words, if a packet takes as long as the
/// run; `None` otherwise.
fn slowness(link: &LinkPlan, bytes: u32, run: Span) -> Option<String> {
    let long = link.wire.pace.nominal.time_to_send(Size::from_bytes(u64::from(bytes)));
    (long >= run).then(|| format!("{long} at {}, but the run lasts {run}", link.wire.pace.nominal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    fn warnings(rate: &str, queue: &str) -> Vec<String> {
        let rate = if rate.starts_with('{') { rate.to_owned() } else { format!("\"{rate}\"") };
        let text = format!(
            "duration = \"1 s\"\n[dumbbell]\nbottleneck = {{ rate = {rate}, delay = \"8 ms\", queue = {queue} }}\n\
             access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }}\n[[flows]]\ncontrol = \"sack\"\n"
        );
        let scenario = Scenario::parse(&text, "test", &Map::new()).expect("a valid scenario");
        of(&scenario)
    }

    #[test]
    fn dualpi2_doubts_a_ramp_shorter_than_two_packets() {
        // Two packets of 1500 bytes take 2 ms at 12 Mbit/s, and 1.2 ms, where the default ramp ends, at 20
        // Mbit/s. There is one warning, for the forward direction; the backward direction carries
        // acknowledgements.
        let told = warnings("12 Mbit/s", "\"dualpi2\"");
        assert_eq!(told.len(), 1, "{told:?}");
        let expected = "dualpi2 at link bottleneck: the ramp (ramp_start + ramp_range) ends at 1.2 ms, but sending two \
                        packets of 1500 B at 12 Mbit/s takes 2 ms";
        assert!(told[0].starts_with(expected), "{}", told[0]);
        assert!(warnings("20 Mbit/s", "\"dualpi2\"").is_empty());
        assert!(warnings("12 Mbit/s", "{ name = \"dualpi2\", ramp_start = \"2 ms\" }").is_empty());
        assert!(warnings("12 Mbit/s", "{ name = \"dualpi2\", ecn = false }").is_empty());
        assert!(warnings("12 Mbit/s", "\"pie\"").is_empty());
    }

    #[test]
    fn a_rate_at_which_a_packet_takes_as_long_as_the_run_causes_a_warning() {
        // 1500 B are 12,000 bits: 1.2 s at 10 kbit/s and 1 s at 12 kbit/s, in a run of one second and in both
        // directions.
        let told = warnings("10 kbit/s", "\"droptail\"");
        assert!(told[0].ends_with("takes 1.2 s at 10 kbit/s, but the run lasts 1 s"), "{told:?}");
        assert_eq!(warnings("12 kbit/s", "\"droptail\"").len(), 2);
        // If the rate changes, a packet in transmission follows it.
        for fine in [
            "{ cycle = [[\"1 s\", \"20 Mbit/s\"], [\"2 s\", \"1 kbit/s\"]] }",
            "{ steps = [[\"0 s\", \"20 Mbit/s\"], [\"0.2 s\", \"1 bit/s\"], [\"0.4 s\", \"20 Mbit/s\"]] }",
        ] {
            assert!(warnings(fine, "\"droptail\"").is_empty(), "{fine}");
        }
    }

    fn about_flows(flow: &str) -> Vec<String> {
        about_overridden_flows(flow, &[])
    }

    fn about_overridden_flows(flow: &str, overrides: &[(&str, &str)]) -> Vec<String> {
        let overrides: Map<_, _> =
            overrides.iter().map(|(path, value)| (path.to_string(), json!(value))).collect();
        let text = format!(
            "duration = \"10 s\"\n[dumbbell]\nbottleneck = {{ rate = \"10 Mbit/s\", delay = \"8 ms\" }}\n\
             access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }}\n[[flows]]\n{flow}\n"
        );
        of(&Scenario::parse(&text, "test", &overrides).expect("a valid scenario"))
    }

    #[test]
    fn flows_that_overrides_leave_out_cause_a_warning() {
        // In the file itself the same start is an error.
        let told =
            |path, value| about_overridden_flows("control = \"sack\"\nstart = \"9 s\"", &[(path, value)]);
        assert_eq!(
            told("flows.sack.start", "10 s"),
            ["flow sack: starts at 10 s and sends nothing, because the run lasts 10 s"]
        );
        assert!(told("flows.sack.start", "9.9 s").is_empty());
        assert!(told("flows.sack.start", "never").is_empty());
        assert_eq!(
            told("duration", "8 s"),
            ["flow sack: starts at 9 s and sends nothing, because the run lasts 8 s"]
        );
        // A draw that may come too late.
        let drawn = |high: &str| {
            about_overridden_flows(
                &format!("control = \"sack\"\nstart = {{ uniform = [\"1 s\", \"{high}\"] }}"),
                &[],
            )
        };
        assert!(drawn("9 s").is_empty());
        assert_eq!(
            drawn("12 s"),
            ["flow sack: may start as late as 12 s and then sends nothing, because the run lasts 10 s"]
        );
    }

    #[test]
    fn a_bottleneck_at_the_senders_own_interface_causes_a_warning() {
        let told = |transport: &str, links: &str, to: &str| {
            let text = format!(
                "duration = \"10 s\"\n{links}[[flows]]\ncontrol = \"cubic\"\nfrom = \"a\"\nto = \"{to}\"\n\
                 transport = {transport}\n"
            );
            of(&Scenario::parse(&text, "test", &Map::new()).expect("a valid scenario"))
        };
        let link = |ends: &str, rate: &str| {
            format!("[[links]]\nbetween = [{ends}]\nrate = \"{rate}\"\ndelay = \"10 ms\"\nqueue = \"red\"\n")
        };
        let one = link("\"a\", \"b\"", "10 Mbit/s");
        let warned = told("\"linux\"", &one, "b");
        assert_eq!(warned.len(), 1, "{warned:?}");
        let begins = "flow cubic: link a-b is its sender's own interface and the slowest link of its path";
        assert!(warned[0].starts_with(begins), "{warned:?}");
        // There is no warning without small queues, and none if the bottleneck is in the network.
        assert!(told("{ name = \"linux\", small_queues = false }", &one, "b").is_empty());
        assert!(told("{ name = \"linux\", send_jitter = \"1 ms\" }", &one, "b").is_empty());
        assert!(told("\"rfc\"", &one, "b").is_empty() && told("\"quic\"", &one, "b").is_empty());
        let slow_behind = link("\"a\", \"b\"", "100 Mbit/s") + &link("\"b\", \"c\"", "10 Mbit/s");
        assert!(told("\"linux\"", &slow_behind, "c").is_empty());
        let fast_behind = one + &link("\"b\", \"c\"", "100 Mbit/s");
        assert_eq!(told("\"linux\"", &fast_behind, "c").len(), 1);
    }

    #[test]
    fn controls_that_count_marks_need_ecn() {
        for (control, transport) in [("prague", "rfc"), ("dctcp", "quic")] {
            let told = about_flows(&format!("control = \"{control}\"\ntransport = \"{transport}\""));
            assert_eq!(told.len(), 1, "{told:?}");
            assert!(
                told[0].starts_with(&format!("flow {control}: {control} relies on ECN marks")),
                "{told:?}"
            );
            let with =
                format!("control = \"{control}\"\ntransport = {{ name = \"{transport}\", ecn = true }}");
            assert!(about_flows(&with).is_empty());
        }
        assert!(about_flows("control = \"cubic\"").is_empty());
    }
}
