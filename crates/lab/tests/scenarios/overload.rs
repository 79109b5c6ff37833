//! A queue discipline under a load that does not give way: what it leaves of its link. Every run is checked by the verifier.

use crate::verified;
use ackclock_aqm::Capacity;
use ackclock_lab::{Scenario, build};
use serde_json::{Map, Value};

/// The last 40 of 100 s of 15 Mbit/s in packets of 1000 bytes on the wire through 10 Mbit/s.
fn result(queue: &str) -> Value {
    let text = format!(
        "duration = \"100 s\"\nwarmup = \"60 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\n\
         delay = \"10 ms\"\nqueue = {queue}\nreverse = {{ rate = \"1 Gbit/s\" }}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\n\
         application = {{ name = \"cbr\", rate = \"14.58 Mbit/s\", packet = \"972 B\", header = \"28 B\" }}\n"
    );
    verified::result(&text, &Value::Null)
}

fn utilisation(queue: &str) -> f64 {
    result(queue)["links"][0]["utilisation"].as_f64().expect("a share")
}

#[test]
fn fq_codel_has_the_room_of_its_rfc() {
    // The others have ns-2's 50 packets.
    for (queue, packets) in [("fq-codel", 10_240), ("codel", 50)] {
        let text = format!(
            "duration = \"1 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
             queue = \"{queue}\"\n[[flows]]\nfrom = \"a\"\nto = \"b\"\ncontrol = \"reno\"\n"
        );
        let scenario = Scenario::parse(&text, "test", &Map::new()).expect("a good scenario");
        assert_eq!(build::capacities(&scenario)[0], Some(Capacity::Packets(packets)), "{queue}");
    }
}

#[test]
fn an_idle_link_passes_a_packet_whatever_its_limit() {
    // With no room to wait 5 Mbit/s of evenly spaced packets pass 10 Mbit/s unharmed, for none ever has to. It is so for
    // disciplines that decide at arrival, and for those that decide at departure.
    for queue in ["droptail", "pie", "codel", "fq-codel", "dualpi2", "choke"] {
        let text = format!(
            "duration = \"2 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\n\
             queue = {{ name = \"{queue}\", limit = \"0 packets\" }}\nreverse = {{ rate = \"1 Gbit/s\" }}\n\
             [[flows]]\nfrom = \"a\"\nto = \"b\"\n\
             application = {{ name = \"cbr\", rate = \"5 Mbit/s\", packet = \"972 B\" }}\n"
        );
        let result = verified::result(&text, &Value::Null);
        let link = &result["links"][0];
        assert_eq!(link["dropped_packets"], 0, "{queue}");
        assert!(link["delivered_packets"].as_u64() > Some(1000), "{queue}: {link}");
    }
}

#[test]
fn avq_holds_the_use_of_its_link_at_gamma() {
    // Its own drops are no load: what is left is held at 0.98. Counting them, the capacity falls as long as 0.98 of the
    // link is less than what is offered, which is for ever. The capacity begins at 0.8 and follows within 1 / alpha = 10 s.
    let held = utilisation("{ name = \"avq\", limit = \"50 packets\" }");
    assert!((held - 0.98).abs() < 0.01, "{held}");
    let starved = utilisation("{ name = \"avq\", limit = \"50 packets\", load = \"offered\" }");
    assert!(starved < 0.05, "{starved}");
}
