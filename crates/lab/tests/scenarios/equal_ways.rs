//! Tests of flows that are hashed over equal paths. Every run is checked by the verifier.

use crate::verified::{self, number, problems};
use ackclock_lab::Scenario;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Returns a network with four parallel nodes between a and b, and two parallel links between b and c.
fn mesh(routing: &str, flows: &str) -> String {
    let mut text = format!("duration = \"1 s\"\n{routing}\n");
    let mut link = |name: &str, from: &str, to: &str| {
        text += &format!(
            "[[links]]\nname = \"{name}\"\nbetween = [\"{from}\", \"{to}\"]\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\n"
        );
    };
    for middle in ["m1", "m2", "m3", "m4"] {
        link(&format!("a-{middle}"), "a", middle);
        link(&format!("{middle}-b"), middle, "b");
    }
    link("b-c-1", "b", "c");
    link("b-c-2", "b", "c");
    text + flows
}

/// Returns the number of flows on each path.
fn ways(text: &str) -> BTreeMap<String, usize> {
    let result = verified::result(text, &Value::Null);
    let mut ways = BTreeMap::new();
    for flow in result["flows"].as_array().expect("flows") {
        let way = flow["route"].as_str().expect("a route").to_owned();
        assert!(number(flow, "goodput_bps") > 0.0);
        *ways.entry(way).or_insert(0) += 1;
    }
    ways
}

const MANY: &str = "[[flows]]\nname = \"f\"\ncount = 80\nfrom = \"a\"\nto = \"c\"\napplication = \"cbr\"\n";

#[test]
fn flows_are_hashed_over_all_equal_ways() {
    // 80 flows over eight paths are 10 each on average, with a deviation of sqrt(80 / 8 * 7 / 8) = 3.
    let ways = ways(&mesh("routing = \"ecmp\"", MANY));
    assert_eq!(ways.len(), 8, "{ways:?}");
    assert!(ways.values().all(|count| (1..=22).contains(count)), "{ways:?}");
    assert!(ways.keys().all(|way| way.split(" > ").count() == 3), "{ways:?}");
    // The choices of each node do not depend on the seed of the run, but on that of the routing.
    let routes = |routing: &str, seed: u64| {
        let overrides = json!({ "seed": seed });
        let result = verified::result(&mesh(routing, MANY), &overrides);
        let flows = result["flows"].as_array().expect("flows").clone();
        flows.into_iter().map(|flow| flow["route"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(routes("routing = \"ecmp\"", 1), routes("routing = { name = \"ecmp\", seed = 1 }", 7));
    assert_ne!(routes("routing = \"ecmp\"", 1), routes("routing = { name = \"ecmp\", seed = 2 }", 1));
}

#[test]
fn without_ecmp_all_take_the_first_way() {
    let scenario = Scenario::parse(&mesh("", MANY), "test", &Map::new()).expect("a scenario");
    let members = &scenario.flows[0].members;
    assert!(members.iter().all(|member| *member == members[0]));
    let result = verified::result(&mesh("", MANY), &Value::Null);
    assert_eq!(result["flows"][0].get("route"), None);
}

#[test]
fn each_transfer_and_each_flow_over_parallel_bottlenecks_has_its_hash() {
    let transfers = "[[flows]]\ncontrol = \"reno\"\nfrom = \"a\"\nto = \"c\"\n\
                     application = { name = \"transfers\", size = \"1 kB\", count = 40, every = \"10 ms\" }\n";
    let result = verified::result(&mesh("routing = \"ecmp\"", transfers), &Value::Null);
    assert_eq!(result["flows"][0]["route"], Value::Null);
    for middle in 1..=4 {
        let name = format!("a-m{middle}");
        let links = result["links"].as_array().expect("links");
        let link = links.iter().find(|link| link["name"] == *name).expect("the link");
        // The link carries a SYN and a packet of about ten of the transfers.
        assert!((4.0..=40.0).contains(&number(link, "delivered_packets")), "{link}");
    }
    let parallel = "duration = \"1 s\"\nrouting = \"ecmp\"\n[parallel]\npairs = 40\n\
                    bottlenecks = [{ rate = \"10 Mbit/s\", delay = \"1 ms\" }, { rate = \"10 Mbit/s\", delay = \"1 ms\" }]\n\
                    access = { rate = \"1 Gbit/s\", delay = \"1 ms\" }\n\
                    [[flows]]\nname = \"f\"\ncount = 40\napplication = \"cbr\"\n";
    let ways = ways(parallel);
    let first =
        ways.iter().filter(|(way, _)| way.contains("bottleneck-1")).map(|(_, count)| count).sum::<usize>();
    // 20 of 40 flows are expected, with a deviation of 3.2.
    assert!((8..=32).contains(&first), "{ways:?}");
}

#[test]
fn an_unknown_routing_is_refused() {
    assert_eq!(problems(&mesh("routing = \"ospf\"", MANY)), ["routing: \"ospf\": one of shortest, ecmp"]);
}
