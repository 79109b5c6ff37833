//! Tests of links that share a medium: the scenario language, and runs in which the verifier finds nothing.

use crate::verified;
use ackclock_lab::Scenario;
use ackclock_lab::language::diagnostics::render;
use serde_json::Value;

/// Returns a scenario with four mobiles around a base station, some of them far away. `medium` is the rest of
/// their medium's table.
fn cell(medium: &str, flows: &str) -> String {
    format!(
        "name = \"cell\"\nduration = \"10 s\"\n[[media]]\nname = \"air\"\n{medium}\n\
         [dumbbell]\npairs = 4\nbottleneck = {{ rate = \"20 Mbit/s\", delay = \"5 ms\" }}\n\
         left = {{ rate = \"100 Mbit/s\", delay = \"1 ms\" }}\n\
         right = {{ rate = \"2 Mbit/s\", delay = \"1 us\", queue = {{ name = \"droptail\", limit = \"20 packets\" }}, medium = \"air\" }}\n\
         {flows}"
    )
}

const FADING: &str = "propagation = { name = \"shadowing\", exponent = 2.2 }\n\
                      mobility = { name = \"random-waypoint\", max_speed_mps = 40 }\nplaces = { right = [300, 300] }";
const BOTH_WAYS: &str = "[[flows]]\nname = \"down\"\ncount = 4\ncontrol = \"sack\"\nstart = { every = \"0.1 s\" }\n\
                         [[flows]]\nname = \"up\"\ncontrol = \"newreno\"\nfrom = \"sink-2\"\nto = \"source-2\"\n\
                         [[flows]]\nname = \"call\"\napplication = { name = \"cbr\", rate = \"100 kbit/s\", packet = \"200 B\" }\n\
                         from = \"source-3\"\nto = \"sink-3\"\n";

fn parse(text: &str) -> Result<Scenario, String> {
    Scenario::parse(text, "cell.toml", &serde_json::Map::new()).map_err(|problems| render(&problems))
}

fn total(result: &Value, records: &str, field: &str) -> f64 {
    let records = result[records].as_array().unwrap();
    records.iter().filter_map(|record| record[field].as_f64()).sum()
}

#[test]
fn every_medium_obeys_physics_with_and_without_fading() {
    let accesses = [
        "{ name = \"half-duplex\", turnaround = \"100 us\" }",
        "\"token\"",
        "\"simple\"",
        "\"dcf\"",
        "{ name = \"dcf\", attempts = 2, eifs = false }",
        "\"wifi\"",
        "{ name = \"wifi\", aggregate = 5, attempts = 2, aggregate_size = \"4 kB\" }",
    ];
    for access in accesses {
        for fading in ["", FADING] {
            let found =
                verified::result(&cell(&format!("access = {access}\n{fading}"), BOTH_WAYS), &Value::Null);
            let delivered = total(&found, "flows", "delivered_packets");
            assert!(delivered > 300.0, "{access} {fading}: {delivered}");
            let lost = total(&found, "flows", "corrupted_packets");
            let [sent, again, met, faded, given_up] =
                ["transmitted", "repeated", "collided", "unreceived", "corrupted"]
                    .map(|what| total(&found, "links", &format!("{what}_packets")));
            let counted = access.contains("simple") || access.contains("dcf") || access.contains("wifi");
            assert_eq!(sent > 0.0, counted, "{access}");
            assert_eq!(
                (again > 0.0, met > 0.0),
                (counted && !access.contains("simple"), counted),
                "{access}"
            );
            assert_eq!(faded > 0.0, counted && !fading.is_empty(), "{access} {fading}");
            assert!(given_up <= met + faded || !counted, "{access} {fading}");
            // Without answers, packets that collide or fade are lost. With answers, seven attempts suffice.
            let answers = access.contains("dcf") || access.contains("wifi");
            let loses = access.contains("simple") || !fading.is_empty();
            if !answers || fading.is_empty() && !access.contains("attempts") {
                assert_eq!(lost > 0.0, !answers && loses, "{access} {fading}: {lost}");
            }
        }
    }
}

#[test]
fn packets_that_a_medium_repeats_are_not_lost() {
    // At 150 m and an exponent of 2.4 the margin is 57.21 - 24 * 2.176 = 4.98 dB or 1.246 deviations: 10.6 %
    // of the packets are lost at each attempt, and one in 10^7 with seven attempts.
    let medium = |access: &str| {
        let places = "places = { right = [0, 0], sink-1 = [150, 0], sink-2 = [0, 150], sink-3 = [150, 0], sink-4 = [0, 150] }";
        format!("access = {access}\npropagation = {{ name = \"shadowing\", exponent = 2.4 }}\n{places}")
    };
    let run = |access: &str, flow: &str| {
        verified::result(
            &cell(&medium(access), &format!("[[flows]]\nname = \"down\"\n{flow}\n")),
            &Value::Null,
        )
    };
    let share = |access: &str| {
        let found =
            run(access, "application = { name = \"cbr\", rate = \"800 kbit/s\", packet = \"500 B\" }");
        total(&found, "flows", "corrupted_packets") / total(&found, "flows", "sent_packets")
    };
    // With 2000 packets, the standard error is 0.7 %.
    assert!((share("\"simple\"") - 0.106).abs() < 0.028, "{}", share("\"simple\""));
    assert_eq!(share("\"dcf\""), 0.0);
    let [simple, repeating] = ["\"simple\"", "\"dcf\""].map(|access| run(access, "control = \"sack\""));
    assert!(total(&repeating, "flows", "goodput_bps") > 3.0 * total(&simple, "flows", "goodput_bps"));
}

#[test]
fn the_wifi_example_runs() {
    let text = include_str!("../../../../scenarios/examples/wifi.toml");
    let found = verified::result(
        &text.replace("20 s", "3 s").replace("warmup = \"5 s\"", "warmup = \"1 s\""),
        &Value::Null,
    );
    assert!(total(&found, "flows", "goodput_bps") > 20e6, "{}", total(&found, "flows", "goodput_bps"));
}

#[test]
fn both_directions_of_a_link_share_a_medium_that_the_link_names() {
    let text = "duration = \"1 s\"\n[[media]]\nname = \"line\"\naccess = \"half-duplex\"\n\
                [[links]]\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\nmedium = \"line\"\n\
                [[links]]\nbetween = [\"b\", \"c\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
                [[flows]]\ncontrol = \"sack\"\nfrom = \"a\"\nto = \"c\"\n";
    let links = parse(text).unwrap().network.links;
    assert_eq!(links.iter().map(|link| link.medium).collect::<Vec<_>>(), [Some(0), Some(0), None, None]);
    verified::result(text, &Value::Null);
}

#[test]
fn mistakes_in_media_are_reported() {
    let right = cell(&format!("access = \"dcf\"\n{FADING}"), BOTH_WAYS);
    assert!(parse(&right).is_ok());
    for (from, to, told) in [
        ("medium = \"air\"", "medium = \"sky\"", "the medium \"sky\""),
        (", medium = \"air\"", "", "the medium \"air\", which no link uses"),
        ("access = \"dcf\"", "access = \"dfc\"", "one of half-duplex, token"),
        ("access = \"dcf\"", "", "no `access`"),
        ("propagation = { name = \"shadowing\", exponent = 2.2 }", "", "`mobility` without `propagation`"),
        ("right = [300, 300]", "wrong = [300, 300]", "the node \"wrong\""),
        ("right = [300, 300]", "right = [300]", "x and y of the node in metres"),
        ("right = [300, 300]", "right = [300, \"a\"]", "a number"),
        ("exponent = 2.2", "exponent = 22", "from 1 to 10"),
        ("max_speed_mps = 40", "max_speed_mps = 0.5", "`max_speed_mps`"),
        ("[[media]]", "[[media]]\nname = \"air\"\naccess = \"token\"\n[[media]]", "a second medium"),
        ("[[media]]", "[media]", "[[media]]"),
    ] {
        let message = parse(&right.replacen(from, to, 1)).unwrap_err();
        assert!(message.contains(told), "{to}: {message}");
    }
}
