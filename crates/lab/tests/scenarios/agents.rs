//! Snoop at a base station: what it repairs, and that runs with it obey the verifier's laws.

use crate::verified;
use ackclock_lab::Scenario;
use ackclock_lab::language::diagnostics::render;
use serde_json::Value;

/// Returns a scenario with a sender behind 40 ms of wire and a mobile at a distance in metres from the base
/// station, at an exponent of 2.4.
fn scenario(distance_m: u32, rest: &str) -> String {
    format!(
        "name = \"snoop\"\nduration = \"30 s\"\n[[media]]\nname = \"air\"\naccess = \"simple\"\n\
         propagation = {{ name = \"shadowing\", exponent = 2.4 }}\nplaces = {{ base = [0, 0], mobile = [{distance_m}, 0] }}\n\
         [[links]]\nbetween = [\"server\", \"base\"]\nrate = \"1 Mbit/s\"\ndelay = \"40 ms\"\n\
         [[links]]\nname = \"radio\"\nbetween = [\"base\", \"mobile\"]\nrate = \"2 Mbit/s\"\ndelay = \"0 s\"\nmedium = \"air\"\n\
         [[flows]]\nname = \"tcp\"\ncontrol = \"newreno\"\nfrom = \"server\"\nto = \"mobile\"\n\
         transport = {{ name = \"rfc\", window = \"16 packets\" }}\n{rest}\n"
    )
}

const SNOOP: &str = "[[agents]]\nat = \"base\"\nagent = \"snoop\"\n";

fn parse(text: &str) -> Result<Scenario, String> {
    Scenario::parse(text, "snoop.toml", &serde_json::Map::new()).map_err(|problems| render(&problems))
}

#[test]
fn losses_of_the_radio_are_repaired_at_the_base_station() {
    // At 120 m, the margin is 57.21 - 24 * 2.079 = 7.3 dB or 1.83 deviations: 3.4 % of the packets are lost
    // in each direction.
    let [bare, snoop] =
        ["", SNOOP].map(|agent| verified::result(&scenario(120, agent), &Value::Null)["flows"][0].clone());
    let number = |flow: &Value, field: &str| flow[field].as_f64().unwrap();
    assert!(number(&bare, "corrupted_packets") > 20.0, "{bare}");
    let resent = |flow: &Value| number(flow, "retransmitted_packets") / number(flow, "sent_packets");
    assert!(resent(&snoop) < resent(&bare) / 5.0, "{} of {}", resent(&snoop), resent(&bare));
    assert!(
        number(&snoop, "agent_sent_packets") >= 0.9 * number(&snoop, "corrupted_packets") - 5.0,
        "{snoop}"
    );
    assert!(number(&snoop, "agent_ended_packets") > number(&snoop, "agent_sent_packets"), "{snoop}");
    assert!(bare.get("agent_sent_packets").is_none());
    assert!(number(&snoop, "goodput_bps") > 1.3 * number(&bare, "goodput_bps"), "{snoop}\n{bare}");
}

#[test]
fn without_loss_an_agent_changes_neither_goodput_nor_round_trip() {
    let [bare, snoop] = ["", SNOOP].map(|agent| verified::result(&scenario(10, agent), &Value::Null));
    assert_eq!(bare["flows"][0]["goodput_bps"], snoop["flows"][0]["goodput_bps"]);
    assert_eq!(bare["flows"][0]["rtt_mean_s"], snoop["flows"][0]["rtt_mean_s"]);
}

#[test]
fn flows_of_many_connections_and_of_other_transports_pass_an_agent() {
    let more = "[[flows]]\nname = \"short\"\ncontrol = \"sack\"\nfrom = \"server\"\nto = \"mobile\"\n\
                application = { name = \"transfers\", size = \"30 kB\", every = \"2 s\" }\n\
                [[flows]]\nname = \"call\"\napplication = { name = \"cbr\", rate = \"50 kbit/s\", packet = \"200 B\" }\n\
                from = \"server\"\nto = \"mobile\"\n";
    let pages = "[[flows]]\nname = \"pages\"\ncontrol = \"cubic\"\nfrom = \"server\"\nto = \"mobile\"\napplication = \"pages\"\n";
    for distance_m in [100, 180] {
        let found = verified::result(&scenario(distance_m, &format!("{more}{pages}{SNOOP}")), &Value::Null);
        assert!(found["flows"][1]["completed_connections"].as_u64().unwrap() > 0, "{distance_m}: {found}");
    }
}

#[test]
fn mistakes_in_agents_are_reported() {
    let right = scenario(100, SNOOP);
    assert!(parse(&right).is_ok());
    for (from, to, told) in [
        ("at = \"base\"", "at = \"bass\"", "the node \"bass\""),
        ("at = \"base\"", "", "no `at`"),
        ("agent = \"snoop\"", "", "no `agent`"),
        ("agent = \"snoop\"", "agent = \"scoop\"", "snoop"),
        ("agent = \"snoop\"", "agent = { name = \"snoop\", cache = 100 }", "\"100 packets\""),
        (
            "[[agents]]",
            "[[agents]]\nat = \"base\"\nagent = \"snoop\"\n[[agents]]",
            "a second agent at \"base\"",
        ),
    ] {
        let message = parse(&right.replacen(from, to, 1)).unwrap_err();
        assert!(message.contains(told), "{to}: {message}");
    }
}
