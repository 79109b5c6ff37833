//! Generates random scenarios from everything that the registry and the scenario language have. Rates and
//! delays come from short lists, so that packets of several flows often arrive at the same instant: at such
//! instants two runs of one scenario could differ.

mod flows;
mod links;

use crate::mutate::careful::{SIZES, thing};
use crate::random::Random;
use ackclock_base::Kind;
use flows::flow;
use links::{LinkRole, wire};

/// Generates the text of a random scenario. Some scenarios are refused when they are read, because each
/// parameter is drawn independently of the others. No period or timer is below a millisecond: with one, a run
/// of a second takes longer than all other runs together.
pub fn scenario(seed: u64) -> String {
    let text = any_scenario(seed);
    ["\"1 ns\"", "\"1 us\""].iter().fold(text, |text, short| text.replace(short, "\"1 ms\""))
}

fn any_scenario(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let mut lines = vec![format!("duration = \"{}\"", random.word(&["0.5 s", "1 s", "2 s", "8 s"]))];
    if random.once_in(4) {
        lines.push(format!("warmup = {}", random.word(&["\"0.2 s\"", "\"0.37 s\"", UNTIL])));
    }
    let has_medium = random.once_in(6);
    let network = network(random, has_medium);
    lines.extend(observe(random, network.text.starts_with("dumbbell")));
    if network.text.contains("medium = ") {
        lines.push(medium(random));
    }
    if random.once_in(if network.between.len() == 3 { 2 } else { 8 }) {
        lines.push(format!("routing = {}", thing(Kind::Routing, random)));
    }
    if network.has_agents && random.once_in(6) {
        lines.push(format!("agents = [{{ at = \"left\", agent = {} }}]", thing(Kind::Agent, random)));
    }
    lines.push(network.text);
    let groups = 1 + random.below(4);
    let flows: Vec<String> = (0..groups).map(|_| flow(random, &network.between, network.paths)).collect();
    lines.push(format!("flows = [{}]", flows.join(", ")));
    if lines.iter().any(|line| line.contains("trace = ") || line.contains("sizes = ")) {
        lines.push(format!("files = {{ {} }}", files(random)));
    }
    lines.join("\n") + "\n"
}

/// A warm-up that ends when all connections have reached congestion avoidance.
const UNTIL: &str = "{ until = \"congestion-avoidance\", at_most = \"0.4 s\" }";

/// A network as text, with what the flows must know about it.
struct Network {
    text: String,
    /// The pairs of ends that flows may name; empty if flows need not name their ends.
    between: Vec<String>,
    /// Several paths between two nodes, for SCTP associations; empty if the network has no such paths.
    paths: &'static str,
    /// Whether all flows cross a node called `left`.
    has_agents: bool,
}

fn network(random: &mut Random, has_medium: bool) -> Network {
    let medium = |random: &mut Random| has_medium && random.once_in(2);
    match random.below(8) {
        0 => parking_lot(random),
        1 => parallel(random),
        2 | 3 => bare_links(random, has_medium),
        _ => {
            let pairs =
                if random.once_in(4) { format!("pairs = {}, ", 1 + random.below(3)) } else { String::new() };
            let sides = if random.once_in(3) {
                let (left, right) = (wire(random, LinkRole::Access(false)), {
                    let on_air = medium(random);
                    wire(random, LinkRole::Access(on_air))
                });
                format!("left = {left}, right = {right}")
            } else {
                let on_air = medium(random);
                format!("access = {}", wire(random, LinkRole::Access(on_air)))
            };
            let text = format!(
                "dumbbell = {{ {pairs}bottleneck = {}, {sides} }}",
                wire(random, LinkRole::Bottleneck)
            );
            Network { text, between: Vec::new(), paths: "", has_agents: true }
        }
    }
}

fn parking_lot(random: &mut Random) -> Network {
    let hops = 2 + random.below(2);
    let (hop, access) = (wire(random, LinkRole::Bottleneck), wire(random, LinkRole::Access(false)));
    let text = format!("parking_lot = {{ hops = {hops}, hop = {hop}, access = {access} }}");
    let between = (1..=hops).map(|hop| format!("from = \"source-{hop}\", to = \"sink-{}\"", hop + 1));
    Network { text, between: between.collect(), paths: "", has_agents: false }
}

fn parallel(random: &mut Random) -> Network {
    let count = 1 + random.below(3);
    let bottlenecks: Vec<String> = (0..count).map(|_| wire(random, LinkRole::Bottleneck)).collect();
    let access = wire(random, LinkRole::Access(false));
    let text = format!("parallel = {{ bottlenecks = [{}], access = {access} }}", bottlenecks.join(", "));
    Network { text, between: Vec::new(), paths: "", has_agents: false }
}

/// Generates a network of single links with two ways from `a` to `b`, one of which flows to `c` share.
fn bare_links(random: &mut Random, has_medium: bool) -> Network {
    let links = [("a", "left"), ("left", "b"), ("a", "other"), ("other", "b"), ("left", "c")];
    let links: Vec<String> = links
        .iter()
        .map(|(from, to)| {
            let kind = match random.below(3) {
                0 => LinkRole::Bottleneck,
                _ => LinkRole::Access(has_medium && random.once_in(3)),
            };
            let wire = wire(random, kind);
            format!("{{ between = [\"{from}\", \"{to}\"], {}", wire.trim_start_matches('{').trim_start())
        })
        .collect();
    let between = ["from = \"a\", to = \"b\"", "from = \"a\", to = \"c\"", "from = \"b\", to = \"c\""];
    Network {
        text: format!("links = [{}]", links.join(", ")),
        between: between.map(str::to_owned).into(),
        paths: "paths = [[\"a\", \"left\", \"b\"], [\"a\", \"other\", \"b\"]]",
        has_agents: true,
    }
}

fn medium(random: &mut Random) -> String {
    let mut keys = vec!["name = \"air\"".to_owned(), format!("access = {}", thing(Kind::Medium, random))];
    if random.once_in(2) {
        keys.push(format!("propagation = {}", thing(Kind::Propagation, random)));
        if random.once_in(2) {
            keys.push(format!("mobility = {}", thing(Kind::Mobility, random)));
        }
    }
    format!("media = [{{ {} }}]", keys.join(", "))
}

/// Generates how often series are sampled and what is observed packet by packet; `None` if the scenario says
/// nothing about it.
fn observe(random: &mut Random, has_bottleneck: bool) -> Option<String> {
    let interval = format!("interval = \"{}\"", random.word(&["1 ms", "10 ms", "33 ms", "100 ms"]));
    match random.below(4) {
        0 => Some(format!("observe = {{ {interval} }}")),
        1 if has_bottleneck => Some(format!(
            "observe = {{ {interval}, at = \"bottleneck\", loss_events = \"20 ms\", bursts = \"3 packets\" }}"
        )),
        2 => {
            Some(format!("observe = {{ {interval}, distributions = true, transfers = true, flows = false }}"))
        }
        _ => None,
    }
}

fn files(random: &mut Random) -> String {
    let rates = ["1\\n", "0\\n3\\n3\\n90\\n", "1\\n1\\n3\\n4\\n5\\n", "1\\n5\\n5\\n5\\n7\\n"];
    let delays = ["time_s,delay_s\\n0,0.01\\n0.2,0\\n", "time_s,delay_s\\n0,0\\n0.1,0.05\\n0.3,0.002\\n"];
    let (rate, delay) = (random.word(&rates), random.word(&delays));
    let sizes = random.word(&["0 0\\n3000 50\\n200000 100\\n", "1448 1\\n"]);
    let tables = [
        "rates = { text = \"time Mbit/s\\n7 3\\n7.1 0\\n7.15 10\\n\" }",
        "rates = { text = \"0,1\\n0.25,40\\n\" }",
    ];
    let named = [
        format!("rate = {{ text = \"{rate}\" }}"),
        format!("delay = {{ text = \"{delay}\" }}"),
        format!("{SIZES} = {{ text = \"{sizes}\" }}"),
        random.word(&tables).to_owned(),
        "delays = { text = \"50 10\\n150 1\\n170 30\\n\" }".to_owned(),
    ];
    named.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_lab::Scenario;
    use ackclock_lab::language::network::plain_link_keys;
    use serde_json::Map;
    use std::collections::BTreeMap;

    #[test]
    fn a_seed_gives_one_scenario() {
        assert_eq!(scenario(7), scenario(7));
        assert_ne!(scenario(7), scenario(8));
    }

    #[test]
    fn a_third_of_the_scenarios_can_be_read_and_all_parts_occur() {
        const SCENARIOS: u64 = 2000;
        let (mut read, mut seen, mut written) = (0, BTreeMap::new(), BTreeMap::<&str, u32>::new());
        let parts = [
            "dumbbell",
            "parking_lot",
            "parallel",
            "links",
            "media",
            "agents",
            "jitter",
            "detour",
            "outage",
            "reorder",
            "trace",
            "cycle",
            "steps",
            "loss",
            "duplicate",
            "ecn = \"clear\"",
            "ecn = \"set-ce\"",
            "ecn = \"drop\"",
            "\"correlated\"",
            "\"normal\"",
            "\"pareto\"",
            "reorder = {",
            "queue",
            "paths",
            "selector",
            "discriminator",
            "quic",
            "sctp",
            "application",
            "sizes = ",
            "transfers = true",
            "unit = \"Mbit/s\"",
            "unit = \"ms\"",
            "name = \"ecmp\"",
            "observe",
            "warmup",
            "reverse",
            "dscp",
        ];
        let parts: Vec<&str> = parts.into_iter().chain(plain_link_keys().map(|(key, _)| key)).collect();
        for seed in 0..SCENARIOS {
            let text = scenario(seed);
            if Scenario::parse(&text, "random", &Map::new()).is_ok() {
                read += 1;
                for part in parts.iter().filter(|part| text.contains(*part)) {
                    *seen.entry(*part).or_insert(0) += 1;
                }
                let writes = |flow: &&str| {
                    flow.contains("control = ")
                        && ["\"cbr\"", "\"on-off\"", "\"video\""].iter().any(|name| flow.contains(name))
                };
                for flow in text.split("}, {").filter(writes) {
                    let transport = ["sctp", "quic"].into_iter().find(|name| flow.contains(name));
                    *written.entry(transport.unwrap_or("tcp")).or_insert(0) += 1;
                }
            }
        }
        assert!(read > SCENARIOS / 3, "{read}");
        let rare: Vec<_> =
            parts.iter().filter(|part| seen.get(*part).is_none_or(|count| *count < 10)).collect();
        assert!(rare.is_empty(), "{rare:?} of {seen:?}");
        assert!(written.len() == 3 && written.values().all(|count| *count >= 5), "{written:?}");
    }
}
