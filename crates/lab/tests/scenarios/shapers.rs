//! Tests of queues that are served at a rate other than the link's.

use crate::verified;
use serde_json::Value;

#[test]
fn a_limit_in_time_uses_the_rate_at_which_the_queue_empties() {
    // Linux's `tbf rate 1mbit burst 4kb latency 400ms`: 400 ms at 1 Mbit/s are 50,000 bytes or 33 packets of
    // 1500 bytes, and "1 bdp" is 1 Mbit/s * 100 ms = 12,500 bytes or 8 packets. At the rate of the link, 100
    // Mbit/s, both would be a hundred times that. A shaper faster than its link empties at the link's rate: 4
    // ms at 100 Mbit/s are again 50,000 bytes.
    for (shaper, limit, most) in
        [("1 Mbit/s", "400 ms", 33), ("1 Mbit/s", "1 bdp", 8), ("1 Gbit/s", "4 ms", 33)]
    {
        let text = format!(
            "duration = \"30 s\"\n[dumbbell]\nrtt = \"100 ms\"\naccess = {{ rate = \"1 Gbit/s\" }}\n\
             bottleneck = {{ rate = \"100 Mbit/s\", queue = {{ name = \"shaper\", rate = \"{shaper}\", burst = \"4 kB\", \
             limit = \"{limit}\" }} }}\n[[flows]]\ncontrol = \"cubic\"\n"
        );
        let link = verified::result(&text, &Value::Null)["links"][0].clone();
        assert_eq!(link["queue_max_packets"].as_u64(), Some(most), "{shaper}, {limit}");
    }
}
