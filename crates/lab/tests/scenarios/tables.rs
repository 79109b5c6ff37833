//! Tests of rates and delays from tables in files. Every run is checked by the verifier.

use crate::verified::{self, number, problems};
use ackclock_lab::Scenario;
use serde_json::{Map, Value};

/// Returns a scenario with UDP at 30 Mbit/s of payload, 1000 of 1028 B, over a link with these properties.
fn link(properties: &str, file: &str) -> String {
    format!(
        "duration = \"10 s\"\n[[links]]\nbetween = [\"a\", \"b\"]\n{properties}\nreverse = {{ rate = \"1 Gbit/s\" }}\n\
         queue = {{ name = \"droptail\", limit = \"10 packets\" }}\n\
         [[flows]]\nname = \"udp\"\nfrom = \"a\"\nto = \"b\"\n\
         application = {{ name = \"cbr\", rate = \"30 Mbit/s\" }}\n\
         [files.t]\ntext = \"{file}\"\n[observe]\ninterval = \"1 s\"\n"
    )
}

#[test]
fn a_rate_follows_its_table() {
    // The rates are 10 Mbit/s for 4 s, 2 for 2 s, then 20. The payload is 1000 / 1028 of them.
    let rate = "rate = { trace = \"t\", unit = \"Mbit/s\" }\ndelay = \"0 s\"";
    let result = verified::result(&link(rate, "time rate\\n100 10\\n104 2\\n106 20\\n"), &Value::Null);
    let delivered = number(&result["flows"][0], "goodput_bps") * 10.0;
    let expected = 1e6 * (40.0 + 4.0 + 80.0) / 1.028;
    assert!((delivered / expected - 1.0).abs() < 0.002, "{delivered} {expected}");
    // The result shows the highest rate, as for steps and phases.
    assert_eq!(number(&result["links"][0], "rate_bps"), 20e6);
    // A repeating table has no end: 10 Mbit/s for 4 s, 2 for 2 s, 20 for 2 s, then 10 for 2 s.
    let rate = "rate = { trace = \"t\", unit = \"kbit/s\", time = \"ms\", repeat = true }\ndelay = \"0 s\"";
    let result = verified::result(&link(rate, "0,10000\\n4000,2000\\n6000,20000\\n"), &Value::Null);
    let delivered = number(&result["flows"][0], "goodput_bps") * 10.0;
    let expected = 1e6 * (40.0 + 4.0 + 40.0 + 20.0) / 1.028;
    assert!((delivered / expected - 1.0).abs() < 0.002, "{delivered} {expected}");
    assert_eq!(number(&result["links"][0], "rate_bps"), 20e6);
}

#[test]
fn a_delay_follows_its_table() {
    // 1028 B at 1 Gbit/s take 8.2 us. The delay is 20 ms for 5 s, then 50 ms.
    let delay = "rate = \"1 Gbit/s\"\ndelay = { trace = \"t\", unit = \"ms\", columns = [1, 3] }";
    let result = verified::result(&link(delay, "1700000000.5,x,20\\n1700000005.5,y,50\\n"), &Value::Null);
    let delays = &result["flows"][0];
    assert!((number(delays, "one_way_delay_min_s") - 0.020_008_224).abs() < 1e-9, "{delays}");
    assert!((number(delays, "one_way_delay_mean_s") - 0.035).abs() < 0.0002, "{delays}");
}

#[test]
fn mistakes_in_tables_are_reported() {
    let rate =
        |keys: &str, file: &str| problems(&link(&format!("rate = {{ {keys} }}\ndelay = \"0 s\""), file));
    assert_eq!(
        rate("trace = \"t\", unit = \"Mb/s\"", "0 1\\n"),
        ["links.0.rate.unit: \"Mb/s\": one of bit/s, kbit/s, Mbit/s, Gbit/s, B, kB, MB"]
    );
    assert_eq!(
        rate("trace = \"t\", repeat = true", "1\\n"),
        [
            "links.0.rate.repeat: `repeat` without `unit`: `unit` as well: the unit of the values in the table that `trace` names, such as \"bit/s\""
        ]
    );
    assert_eq!(
        rate("trace = \"t\", unit = \"Mbit/s\"", "0 5\\n1 0\\n"),
        [
            "links.0.rate.trace: a rate that stays at 0: a rate above 0 on the last line or, with `repeat = true`, on at least one line"
        ]
    );
    assert_eq!(
        rate("trace = \"t\", unit = \"Mbit/s\", columns = [1]", "0 5\\n"),
        [
            "links.0.rate.columns: a list of 1 number: 2 numbers: the columns of the time and of the value in the \
             table that `trace` names, counted from 1, such as [1, 2]"
        ]
    );
    assert_eq!(
        rate("trace = \"t\", unit = \"Mbit/s\"", "0 5\\n0 6\\n"),
        ["links.0.rate.trace: a time of 0 after 0: lines in chronological order"]
    );
    Scenario::parse(
        &link("rate = { trace = \"t\", unit = \"Mbit/s\", repeat = true }\ndelay = \"0 s\"", "0 5\\n1 0\\n"),
        "test",
        &Map::new(),
    )
    .expect("a rate that is 0 for a while");
}
