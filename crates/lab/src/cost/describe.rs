//! A summary of a scenario, with the defaults filled in that its file leaves out.

use crate::cost::warnings;
use crate::language::flows::{FlowGroup, Member};
use crate::language::network::{LinkPlan, Loss};
use crate::language::scenario::Scenario;
use crate::run::build;
use ackclock_aqm::Capacity;
use serde_json::{Value, json};

/// The maximum number of paths of a group that are shown, because thousands would inform no reader.
const MOST_PATHS: usize = 100;

/// Returns the scenario as a JSON object.
pub fn of(scenario: &Scenario) -> Value {
    let links = &scenario.network.links;
    let names: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
    let network =
        links.iter().zip(build::capacities(scenario)).map(|(link, capacity)| of_link(link, capacity));
    json!({
        "name": scenario.name,
        "duration_s": scenario.duration.seconds(),
        "warmup_s": scenario.warmup.most.seconds(),
        "seed": scenario.seed,
        "replications": scenario.replications,
        "precision": scenario.precision,
        "expected_packets": scenario.expected_packets(),
        "flows": scenario.flows.iter().map(of_group).collect::<Vec<_>>(),
        "links": names,
        "network": { "links": network.collect::<Vec<_>>() },
        "warnings": warnings::of_one(scenario),
    })
}

fn of_group(group: &FlowGroup) -> Value {
    let path = |member: &Member| json!({ "forward": member.forward, "backward": member.backward });
    let paths = group.members.iter().flat_map(Member::paths).take(MOST_PATHS).map(path);
    json!({
        "group": group.plan.name,
        "control": group.control_name(),
        "transport": group.plan.sending.transport_name(),
        "names": group.names().collect::<Vec<_>>(),
        "repeatable": !group.plan.sending.transport.facts().draws_unseeded,
        "paths": paths.collect::<Vec<_>>(),
    })
}

fn of_link(link: &LinkPlan, capacity: Option<Capacity>) -> Value {
    let (packets, bytes) = match capacity {
        Some(Capacity::Packets(packets)) => (Some(packets), None),
        Some(Capacity::Bytes(bytes)) => (None, Some(bytes)),
        Some(Capacity::Unlimited) | None => (None, None),
    };
    json!({
        "name": link.name,
        "from": link.from,
        "to": link.to,
        "rate_bps": link.wire.pace.rate.bits_per_second(),
        "varies": link.changes().is_some(),
        "delay_s": link.delay.seconds(),
        "queue": link.wire.queue.as_ref().map(|queue| queue.descriptor.name),
        "queue_packets": packets,
        "queue_bytes": bytes,
        "loss": link.wire.loss.as_ref().map(Loss::name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    #[test]
    fn the_summary_of_a_scenario_has_its_paths_and_queue_limits() {
        let text = "duration = \"1 s\"\n[dumbbell]\n\
                    bottleneck = { rate = \"10 Mbit/s\", delay = \"8 ms\", queue = { name = \"red\", limit = \"50 packets\" } }\n\
                    access = { rate = \"1 Gbit/s\", delay = \"1 ms\" }\n\
                    [[flows]]\nname = \"a\"\ncontrol = \"sack\"\ncount = 2\n";
        let scenario = Scenario::parse(text, "test", &Map::new()).expect("a valid scenario");
        let told = of(&scenario);
        let group = &told["flows"][0];
        assert_eq!((&group["names"], &group["control"]), (&json!(["a-1", "a-2"]), &json!("sack")));
        assert_eq!(group["transport"], json!("rfc"));
        // Both flows cross the bottleneck, each after a link of its own.
        let bottleneck =
            told["links"].as_array().and_then(|links| links.iter().position(|name| name == "bottleneck"));
        let forward = |flow: usize| group["paths"][flow]["forward"].as_array().cloned().unwrap_or_default();
        assert!(forward(0).contains(&json!(bottleneck)) && forward(1).contains(&json!(bottleneck)));
        assert_ne!(forward(0), forward(1));
        let link = &told["network"]["links"][bottleneck.unwrap_or_default()];
        assert_eq!((&link["queue"], &link["queue_packets"]), (&json!("red"), &json!(50)));
        assert_eq!((&link["rate_bps"], &link["delay_s"]), (&json!(10_000_000), &json!(0.008)));
    }
}
