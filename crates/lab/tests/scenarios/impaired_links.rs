//! Tests of links that delay and reorder packets, and that take a longer way for a while.

use ackclock_base::{Span, Time};
use ackclock_lab::Scenario;
use ackclock_lab::language::diagnostics::render;
use std::sync::atomic::AtomicBool;

/// Returns a scenario with a link of 10 Mbit/s and 20 ms with these properties, and a flow over it.
pub(crate) fn scenario(link: &str, flow: &str) -> Result<Scenario, String> {
    let text = format!(
        "name = \"impaired\"\nduration = \"20 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\n\
         delay = \"20 ms\"\n{link}\n[[flows]]\nfrom = \"a\"\nto = \"b\"\n{flow}\n"
    );
    Scenario::parse(&text, "impaired.toml", &serde_json::Map::new()).map_err(|problems| render(&problems))
}

/// Returns the flow's result of a run in which the verifier finds nothing.
pub(crate) fn result(link: &str, flow: &str) -> serde_json::Value {
    results(link, flow)["flows"][0].clone()
}

/// Returns all results of such a run.
pub(crate) fn results(link: &str, flow: &str) -> serde_json::Value {
    let scenario = scenario(link, flow).unwrap();
    let never = AtomicBool::new(false);
    assert_eq!(ackclock_lab::run::run_and_verify(&scenario, 1, &never).unwrap(), []);
    let result = ackclock_lab::run::run(&scenario, 1, false, &never).unwrap();
    serde_json::to_value(result).unwrap()
}

pub(crate) const EVEN: &str =
    "application = { name = \"cbr\", rate = \"4 Mbit/s\", packet = \"1000 B\", header = \"28 B\" }";
pub(crate) const TCP: &str = "control = \"sack\"\ntransport = { name = \"rfc\", window = \"20 packets\" }";

#[test]
fn jitter_is_spread_evenly_over_the_delay() {
    // A packet every 2 ms takes 20.8224 ms and up to 10 ms more: 25.82 ms on average, with a standard error
    // of 10 ms / sqrt(12 * 10,000) = 0.029 ms; four are 0.12 ms. If packets wait for earlier ones, the excess
    // of a packet is the maximum of u0, u1 - 2 ms, u2 - 4 ms and so on, with each u uniform up to 10 ms. It
    // is below x with probability (x / 10) (x / 10 + 0.2) (x / 10 + 0.4) ..., each factor at most 1. Its mean
    // is 6.061 ms.
    let ms = |result: &serde_json::Value, key: &str| result[key].as_f64().unwrap() * 1e3;
    let [ordered, reordered] =
        ["false", "true"].map(|reorder| result(&format!("jitter = \"10 ms\"\nreorder = {reorder}"), EVEN));
    for result in [&ordered, &reordered] {
        assert!((20.822..20.9).contains(&ms(result, "one_way_delay_min_s")));
        assert!((30.6..30.83).contains(&ms(result, "one_way_delay_p99_s")));
    }
    assert!((ms(&reordered, "one_way_delay_mean_s") - 25.822).abs() < 0.12);
    assert!((ms(&ordered, "one_way_delay_mean_s") - 26.884).abs() < 0.12);
}

#[test]
fn a_detour_lengthens_the_path_during_its_interval() {
    // A packet every 2 ms takes 20.8224 ms. A quarter of the 10,000 packets take 30 ms more: 28.3224 ms on
    // average, to 0.003 ms per packet. When the path is short again, the next 14 packets would arrive before
    // the last one of the long path. In order they arrive with it, 28, 26, ... 2 ms late: 210 ms over 10,000
    // packets.
    let detour = "detour = { from = \"5 s\", until = \"10 s\", longer = \"30 ms\" }";
    let ms = |result: &serde_json::Value, key: &str| result[key].as_f64().unwrap() * 1e3;
    let [ordered, reordered] =
        ["false", "true"].map(|reorder| result(&format!("{detour}\nreorder = {reorder}"), EVEN));
    for result in [&ordered, &reordered] {
        assert!((ms(result, "one_way_delay_min_s") - 20.8224).abs() < 1e-6);
        assert_eq!(result["lost_packets"], 0);
    }
    let [ordered, reordered] = [&ordered, &reordered].map(|result| ms(result, "one_way_delay_mean_s"));
    assert!((reordered - 28.3224).abs() < 0.01, "{reordered}");
    assert!((ordered - reordered - 0.021).abs() < 0.001, "{ordered} {reordered}");
    // Without an end the detour lasts. The reverse direction has the same detour unless it is declared
    // otherwise.
    let plan = |text: &str| {
        scenario(text, TCP)
            .unwrap()
            .network
            .links
            .iter()
            .map(|link| link.wire.rules.detour)
            .collect::<Vec<_>>()
    };
    let lasting = plan("detour = { from = \"5 s\", longer = \"30 ms\" }");
    assert!(
        lasting[0]
            .is_some_and(|detour| detour.until == Time::NEVER && detour.longer == Span::from_millis(30))
    );
    assert_eq!(lasting[0], lasting[1]);
    let problem =
        scenario("detour = { from = \"5 s\", until = \"5 s\", longer = \"30 ms\" }", TCP).unwrap_err();
    assert!(problem.contains("an `until` that is not after `from`"), "{problem}");
}

#[test]
fn tcp_takes_reordering_for_loss_and_jitter_for_delay() {
    let [ordered, reordered] =
        ["false", "true"].map(|reorder| result(&format!("jitter = \"20 ms\"\nreorder = {reorder}"), TCP));
    assert_eq!(ordered["retransmitted_packets"], 0);
    assert!(reordered["retransmitted_packets"].as_u64().unwrap() > 20);
    assert_eq!([&ordered, &reordered].map(|result| result["lost_packets"].as_u64()), [Some(0); 2]);
}

#[test]
fn every_distribution_of_jitter_has_the_mean_that_is_asked_for() {
    // Packets take 20.8224 ms and 5 ms more on average. Four standard errors of 10,000 packets are 4/100 of
    // the deviation: 5 ms * 0.57735 for uniform jitter, 5 ms / 4 for normal jitter, 5 ms * 1.29525 for
    // Pareto's.
    for (distribution, deviation_ms) in [("uniform", 2.887), ("normal", 1.25), ("pareto", 6.476)] {
        let jitter =
            format!("jitter = {{ mean = \"5 ms\", distribution = \"{distribution}\" }}\nreorder = true");
        let result = result(&jitter, EVEN);
        let ms = |key: &str| result[key].as_f64().unwrap() * 1e3;
        let mean = ms("one_way_delay_mean_s");
        assert!((mean - 25.8224).abs() < 0.04 * deviation_ms, "{distribution}: {mean}");
        let deviation = ms("one_way_delay_std_s");
        assert!((deviation / deviation_ms - 1.0).abs() < 0.06, "{distribution}: {deviation}");
    }
    // Uniform jitter up to 10 ms equals uniform jitter with a mean of 5 ms, to the packet.
    assert_eq!(result("jitter = { mean = \"5 ms\" }", TCP), result("jitter = \"10 ms\"", TCP));
    // It can have bursts as other jitter does.
    let bursts = "jitter = { mean = \"5 ms\", distribution = \"normal\", good = \"1 s\", bad = \"1 s\" }";
    let mean = result(bursts, EVEN)["one_way_delay_mean_s"].as_f64().unwrap() * 1e3;
    assert!((21.5..25.5).contains(&mean), "{mean}");
}

#[test]
fn packets_that_skip_the_delay_overtake_the_others() {
    let ms = |link: &str, key: &str| result(link, EVEN)[key].as_f64().unwrap() * 1e3;
    // A packet takes 0.8224 ms, and three of four take 20 ms more: 15.8224 ms on average. Four standard
    // errors are 4 * 20 ms * sqrt(0.25 * 0.75 / 10,000) = 0.35 ms.
    let quarter = "reorder = { share = 0.25 }";
    assert!((ms(quarter, "one_way_delay_mean_s") - 15.8224).abs() < 0.35);
    assert!((ms(quarter, "one_way_delay_min_s") - 0.8224).abs() < 1e-9);
    // If every fifth packet skips the delay, the mean is 0.8224 ms + 4/5 of 20 ms, except for the packets in
    // flight at the end.
    let fifth = "reorder = { share = 1, gap = 5 }";
    assert!((ms(fifth, "one_way_delay_mean_s") - 16.8224).abs() < 0.01);
    // A packet that skips the delay also skips a detour, jitter and changes of the delay, but keeps to slots.
    let all = "jitter = \"10 ms\"\ndetour = { from = \"5 s\", longer = \"30 ms\" }\nreorder = { share = 1 }";
    assert!((ms(all, "one_way_delay_mean_s") - 0.8224).abs() < 1e-9);
    assert!((ms("hold = \"50 ms\"\nreorder = { share = 1 }", "one_way_delay_p99_s") - 49.0).abs() < 2.0);
}

#[test]
fn the_number_of_correlated_losses_agrees_with_its_closed_form() {
    // 5/72 of 10,000 packets are lost (see the test of the loss model): 694, with a standard error of
    // sqrt(10,000 * 5/72 * 67/72) = 25 packets times about sqrt((1 + 0.248) / (1 - 0.248)) = 1.29.
    let lost = result("loss = { name = \"correlated\", probability = 0.25, correlation = 0.5 }", EVEN);
    let lost = lost["corrupted_packets"].as_f64().unwrap();
    assert!((lost - 694.4).abs() < 130.0, "{lost}");
}

#[test]
fn no_jitter_is_the_default() {
    assert_eq!(result("jitter = \"0 s\"", TCP), result("", TCP));
}

#[test]
fn the_reverse_direction_has_the_same_jitter_unless_declared_otherwise() {
    let links = |text: &str| {
        let scenario = scenario(text, TCP).unwrap();
        let links = scenario.network.links.iter();
        links.map(|link| (link.wire.rules.jitter.millis(), link.wire.rules.reorders)).collect::<Vec<_>>()
    };
    assert_eq!(links("jitter = \"2 ms\"\nreorder = true"), [(2.0, true); 2]);
    let one_way = "jitter = \"2 ms\"\nreorder = true\nreverse = { jitter = \"0 s\", reorder = false }";
    assert_eq!(links(one_way), [(2.0, true), (0.0, false)]);
}

#[test]
fn reordering_needs_jitter() {
    let message = scenario("reorder = true", TCP).unwrap_err();
    assert!(message.contains("`reorder` without a `jitter`"), "{message}");
    let message = scenario("reorder = 0.25", TCP).unwrap_err();
    assert!(
        message.contains("true or false, or a share of the packets such as `{ share = 0.25 }`"),
        "{message}"
    );
}

#[test]
fn losses_duplicates_and_jitter_may_change_over_time() {
    // 10,000 packets leave, one every 2 ms, for 20 s. From 5 s to 10 s a quarter of them pass, and all of them are lost
    // or copied: 2,500, and as many from 15 s on. Transmissions take 0.8224 ms, so a packet may lie on the other side of
    // a change.
    let shares = "{ steps = [[\"0 s\", 0], [\"5 s\", 1], [\"10 s\", 0], [\"15 s\", 1]] }";
    let near = |value: &serde_json::Value, expected: u64| {
        value.as_u64().is_some_and(|count| count.abs_diff(expected) <= 4)
    };
    let lost = &results(&format!("loss = {shares}"), EVEN)["links"][0]["corrupted_packets"];
    assert!(near(lost, 5000), "{lost}");
    let copied = &results(&format!("duplicate = {shares}"), EVEN)["links"][0]["duplicated_packets"];
    // Copies count at arrival: the ten packets of the last 20.8 ms do not arrive before the end.
    assert!(near(copied, 4990), "{copied}");
    // A probability of 0.2 for half of the time loses 1000 packets; four deviations are 4 sqrt(5000 * 0.2 * 0.8) = 113.
    let cycle = "{ cycle = [[\"1 s\", 0], [\"1 s\", 0.2]] }";
    let lost = results(&format!("loss = {cycle}"), EVEN)["links"][0]["corrupted_packets"].as_u64().unwrap();
    assert!(lost.abs_diff(1000) < 113, "{lost}");
    // Without a change the losses are those of the model, to the packet.
    let constant = results("loss = { steps = [[\"0 s\", 0.05]] }", EVEN);
    assert_eq!(constant, results("loss = { name = \"independent\", probability = 0.05 }", EVEN));
    assert_eq!(results("duplicate = { steps = [[\"0 s\", 0.3]] }", EVEN), results("duplicate = 0.3", EVEN));
    assert_eq!(
        results("jitter = { steps = [[\"0 s\", \"9 ms\"]] }", EVEN),
        results("jitter = \"9 ms\"", EVEN)
    );
    // Half of the packets have up to 10 ms more: the mean of 20.8224 ms is 2.5 ms longer. The variance of the jitter is
    // the mean of its square, 100/3/2 ms^2, less 2.5^2 ms^2: four standard errors of 10,000 packets are 0.13 ms.
    let jitter = "jitter = { cycle = [[\"1 s\", \"0 ms\"], [\"1 s\", \"10 ms\"]] }\nreorder = true";
    let mean = result(jitter, EVEN)["one_way_delay_mean_s"].as_f64().unwrap() * 1e3;
    assert!((mean - 23.3224).abs() < 0.13, "{mean}");
}

#[test]
fn mistakes_in_impairments_over_time_are_reported_at_their_place() {
    for (link, message) in [
        ("loss = { steps = [[\"0 s\", 2]] }", "a number from 0 to 1"),
        ("loss = { steps = [[\"1 s\", 0.1]] }", "a first step from 1 s"),
        ("loss = { trace = \"losses.csv\" }", "unit"),
        (
            "duplicate = { share = 0.1, steps = [[\"0 s\", 0.1]] }",
            "both a constant `share` and a share that changes over time",
        ),
        (
            "jitter = { most = \"1 ms\", steps = [[\"0 s\", \"1 ms\"]] }",
            "`most` with a jitter that changes over time",
        ),
        ("jitter = { steps = [[\"0 s\", 5]] }", "a time"),
    ] {
        let problem = scenario(link, EVEN).unwrap_err();
        assert!(problem.contains(message), "{link}: {problem}");
    }
}
