//! What is allowed in a scenario and yet hardly meant. A warning stops nothing: whoever reads a scenario is told.

use crate::build::link_rates;
use crate::scenario::Scenario;
use std::collections::BTreeSet;

/// The warnings about a scenario, one sentence each.
pub fn of(scenario: &Scenario) -> Vec<String> {
    let members = scenario.flows.iter().flat_map(|group| &group.members).flat_map(|member| member.paths());
    let crossed: BTreeSet<u32> = members.flat_map(|member| member.forward.iter().copied()).collect();
    let rates = link_rates(scenario);
    // A queue that only acknowledgements pass does no harm.
    let doubts = crossed.into_iter().filter_map(|index| {
        let link = &scenario.network.links[index as usize];
        let queue = link.queue.as_ref()?;
        let name = queue.descriptor.name;
        let doubt = ackclock_aqm::registry::doubt(name, &queue.values, &rates[index as usize])?;
        Some(format!("{name} at link {}: {doubt}", link.name))
    });
    doubts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    fn warnings(rate: &str, queue: &str) -> Vec<String> {
        let text = format!(
            "duration = \"1 s\"\n[dumbbell]\nbottleneck = {{ rate = \"{rate}\", delay = \"8 ms\", queue = {queue} }}\n\
             access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }}\n[[flows]]\ncontrol = \"dctcp\"\n"
        );
        let scenario = Scenario::parse(&text, "test", &Map::new()).expect("a good scenario");
        of(&scenario)
    }

    #[test]
    fn dualpi2_doubts_a_ramp_shorter_than_two_packets() {
        // Two packets of 1500 bytes take 2 ms at 12 Mbit/s and 1.2 ms at 20 Mbit/s, where the default ramp ends. Once for
        // the way there: on the way back there are acknowledgements.
        let told = warnings("12 Mbit/s", "\"dualpi2\"");
        assert_eq!(told.len(), 1, "{told:?}");
        let expected = "dualpi2 at link bottleneck: ramp_start and ramp_range end at 1.2 ms, before two packets of 1500 B at \
                        12 Mbit/s have gone (2 ms)";
        assert!(told[0].starts_with(expected), "{}", told[0]);
        assert!(warnings("20 Mbit/s", "\"dualpi2\"").is_empty());
        assert!(warnings("12 Mbit/s", "{ name = \"dualpi2\", ramp_start = \"2 ms\" }").is_empty());
        assert!(warnings("12 Mbit/s", "{ name = \"dualpi2\", ecn = false }").is_empty());
        assert!(warnings("12 Mbit/s", "\"pie\"").is_empty());
    }
}
