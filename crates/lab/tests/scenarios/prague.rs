//! Tests of Prague beside CUBIC. Every run is also checked by the trace verifier.

use crate::verified;
use serde_json::json;

/// Returns the rate of Prague divided by that of CUBIC.
fn ratio(rate: &str, delay: &str, queue: &str, prague: &str) -> f64 {
    let text = format!(
        "duration = \"40 s\"\nwarmup = \"10 s\"\n[dumbbell]\n\
         bottleneck = {{ rate = \"{rate}\", delay = \"{delay}\", queue = {queue} }}\n\
         access = {{ rate = \"10 Gbit/s\", delay = \"0 s\" }}\n\
         [[flows]]\nname = \"prague\"\ncontrol = {prague}\ntransport = {{ name = \"rfc\", ecn = true }}\n\
         [[flows]]\nname = \"cubic\"\ncontrol = \"cubic\"\ntransport = {{ name = \"rfc\", ecn = true }}\n"
    );
    let flows = &verified::result(&text, &json!({}))["flows"];
    let goodput = |flow: usize| flows[flow]["goodput_bps"].as_f64().unwrap_or_default();
    goodput(0) / goodput(1)
}

const DUALPI2: &str = "{ name = \"dualpi2\", limit = \"4000 packets\" }";
const CODEL: &str = "{ name = \"codel\", ecn = true, limit = \"4000 packets\" }";
const FALLBACK: &str = "{ name = \"prague\", classic_fallback = true }";

/// The coupling of RFC 9332 is meant to give both the same rate. Windows are about three packets here: with
/// one that is rounded down, the ratio is 0.49 and 0.28.
#[test]
fn over_slow_links_with_short_round_trips_prague_gets_more_than_half_of_cubics_rate() {
    for (rate, delay) in [("4 Mbit/s", "5 ms"), ("12 Mbit/s", "2.5 ms")] {
        let found = ratio(rate, delay, DUALPI2, "\"prague\"");
        assert!((0.5..1.0).contains(&found), "{rate}: {found}");
    }
}

/// A mark of CoDel means as much as a loss, so a scalable control that gives it less weight takes the link.
#[test]
fn with_the_classic_fallback_prague_shares_a_classic_queue_and_is_unchanged_at_an_l4s_queue() {
    let [without, with] = ["\"prague\"", FALLBACK].map(|prague| ratio("12 Mbit/s", "10 ms", CODEL, prague));
    assert!(without > 5.0 && (0.5..2.0).contains(&with), "{without} {with}");
    let [without, with] = ["\"prague\"", FALLBACK].map(|prague| ratio("12 Mbit/s", "10 ms", DUALPI2, prague));
    assert_eq!(without, with);
}
