//! Tests of the timing of the profile `linux`, as far as it can be calculated. Every run is also checked by
//! the trace verifier.

use crate::verified::{self, number};
use serde_json::Value;

/// Runs one flow over a path of this rate with a round trip of 100 ms without a queue.
fn flow(rate: &str, queue: u32, duration: &str, flow: &str) -> Value {
    let text = format!(
        "duration = \"{duration}\"\n[dumbbell]\n\
         bottleneck = {{ rate = \"{rate}\", delay = \"50 ms\", queue = {{ name = \"droptail\", limit = \"{queue} packets\" }} }}\n\
         access = {{ rate = \"100 Gbit/s\", delay = \"0 s\" }}\n[[flows]]\n{flow}\n"
    );
    verified::result(&text, &Value::Null)["flows"][0].clone()
}

#[test]
fn a_lost_tail_is_repaired_by_a_probe_after_two_round_trips() {
    // Ten packets of 1500 bytes are sent at once. A queue for seven, besides the one in transmission, loses
    // the last two. At 10 Mbit/s a packet takes 1.2 ms, so after the handshake of 100 ms the eighth
    // acknowledgement comes at 100 + 100 + 8 * 1.2 = 209.6 ms (an acknowledgement takes no transmission
    // time). Two smoothed round trips later, after 200 to 219.2 ms, the probe retransmits the tenth packet.
    // Its acknowledgement after 101.2 ms shows the loss of the ninth, which takes another 101.2 ms.
    let tail = |transport: &str| {
        let text = format!(
            "control = \"reno\"\napplication = {{ name = \"bulk\", size = \"14480 B\" }}\ntransport = {transport}"
        );
        flow("10 Mbit/s", 7, "10 s", &text)
    };
    let linux = tail("\"linux\"");
    assert_eq!((number(&linux, "lost_packets"), number(&linux, "timeouts")), (2.0, 0.0));
    let completed = number(&linux, "completed_s");
    assert!((0.2096 + 0.2 + 0.2..0.2096 + 0.2192 + 0.205).contains(&completed), "{completed}");
    // Without the probe the timer expires at least 200 ms above the smoothed round trip.
    let without = tail("{ name = \"linux\", tail_loss_probe = false }");
    assert_eq!(number(&without, "timeouts"), 1.0);
    assert!(number(&without, "completed_s") > 0.2096 + 0.3 + 0.1, "{without}");
    // The minimum timeout of RFC 6298 is one second.
    let rfc = tail("\"rfc\"");
    assert_eq!(number(&rfc, "timeouts"), 1.0);
    assert!(number(&rfc, "completed_s") > 1.2, "{rfc}");
}

#[test]
fn a_tuned_window_limits_no_sender_within_the_memory() {
    // 100 Mbit/s and 100 ms hold 833 packets, and the queue as many. Half of 4 MB are 1381 packets, enough
    // for all.
    let goodput = |details: &str| {
        let transport = format!("{{ name = \"rfc\", receive_window = \"autotuned\", {details} }}");
        number(
            &flow("100 Mbit/s", 833, "20 s", &format!("control = \"cubic\"\ntransport = {transport}")),
            "goodput_bps",
        )
    };
    let agreed =
        number(&flow("100 Mbit/s", 833, "20 s", "control = \"cubic\"\ntransport = \"rfc\""), "goodput_bps");
    let tuned = goodput("max_receive_window = \"4 MB\"");
    assert!((tuned / agreed - 1.0).abs() < 0.02, "{tuned} {agreed}");
    // 400,000 bytes are 276 packets of 1448. 276 packets per round trip, of 100 ms and 0.12 ms per packet,
    // are 31.93 Mbit/s, less the first second, in which the window opens.
    let bounded = goodput("max_receive_window = \"400 kB\"") / (276.0 * 1448.0 * 8.0 / 0.10012);
    assert!((0.94..1.0).contains(&bounded), "{bounded}");
}

#[test]
fn the_window_opens_as_fast_as_slow_start_does() {
    // A fixed window of 45 packets lets no more than 45 out per round trip: 5.2 Mbit/s. With a tuned window 2
    // MB arrive when slow start has sent them: 10, 20, ... 640 in seven round trips are 1270 of 1382 packets,
    // and the rest follows in the eighth.
    let completed = |details: &str| {
        let transport = format!("{{ name = \"rfc\", delayed_ack = false, {details} }}");
        let text = format!(
            "control = \"reno\"\napplication = {{ name = \"bulk\", size = \"2 MB\" }}\ntransport = {transport}"
        );
        number(&flow("1 Gbit/s", 5000, "10 s", &text), "completed_s")
    };
    let agreed = completed("window = \"5000 packets\"");
    let tuned = completed("receive_window = \"autotuned\"");
    assert!((0.9..0.95).contains(&agreed), "{agreed}");
    assert!((tuned - agreed).abs() < 0.005, "{tuned} {agreed}");
    assert!(completed("window = \"45 packets\"") > 1382.0 / 45.0 * 0.1);
}

#[test]
fn with_hystart_cubic_has_the_slow_start_of_linux_and_others_their_own() {
    // 100 Mbit/s and 100 ms hold 833 packets, and the queue as many: standard slow start overflows it,
    // HyStart ends before.
    let lost = |control: &str, rest: &str| {
        let transport = "transport = { name = \"rfc\", hystart = true }";
        let text = format!("control = \"{control}\"\n{transport}\n{rest}");
        number(&flow("100 Mbit/s", 833, "3 s", &text), "lost_packets")
    };
    assert_eq!(lost("cubic", ""), 0.0);
    assert_eq!(lost("cubic", "slow_start = \"hystart\""), 0.0);
    assert!(lost("cubic", "slow_start = \"standard\"") > 500.0);
    assert!(lost("reno", "") > 500.0);
}

#[test]
fn quick_acknowledgements_shorten_the_start_with_single_packets() {
    // With a window of one packet, each packet waits for the previous acknowledgement, for 100 ms and 1.2 ms,
    // and 40 ms more if that is delayed. Twenty packets follow the handshake. The last acknowledgement does
    // not count, because the transfer ends when the packet arrives.
    let completed = |quick: u32| {
        let transport = format!(
            "{{ name = \"rfc\", window = \"1 packets\", delayed_ack_time = \"40 ms\", quick_acks = {quick} }}"
        );
        let text = format!(
            "control = \"reno\"\napplication = {{ name = \"bulk\", size = \"28960 B\" }}\ntransport = {transport}"
        );
        number(&flow("10 Mbit/s", 100, "10 s", &text), "completed_s")
    };
    let saved = completed(0) - completed(16);
    assert!((saved - 16.0 * 0.04).abs() < 1e-6, "{saved}");
}

#[test]
fn in_linux_packets_reordered_by_less_than_a_quarter_of_the_round_trip_are_no_losses() {
    // Every packet is up to 20 ms late, less than a quarter of 100 ms, and 16 others may overtake it. Three
    // packets acknowledged out of order indicate a loss only until reordering has been seen. (The first
    // expectation, a tenth of the retransmissions of `rfc`, assumed an unbounded window, and ignored that the
    // queue overflows if nothing else slows the flow down.)
    let retransmitted = |transport: &str| {
        let text = format!(
            "duration = \"60 s\"\n[dumbbell]\n\
             bottleneck = {{ rate = \"10 Mbit/s\", delay = \"50 ms\", jitter = \"20 ms\", reorder = true, \
             queue = {{ name = \"droptail\", limit = \"1000 packets\" }} }}\n\
             access = {{ rate = \"100 Gbit/s\", delay = \"0 s\" }}\n[[flows]]\ncontrol = \"reno\"\n\
             transport = {{ name = \"{transport}\", window = \"200 packets\" }}\n"
        );
        let found = verified::result(&text, &Value::Null)["flows"][0].clone();
        assert_eq!(number(&found, "lost_packets"), 0.0);
        number(&found, "retransmitted_packets")
    };
    let (linux, rfc) = (retransmitted("linux"), retransmitted("rfc"));
    assert!(linux <= 3.0 && rfc >= 20.0, "{linux} {rfc}");
}

/// Runs one flow through its own interface of this rate, with 100 Mbit/s and a round trip of 40 ms behind it
/// and a queue for two products, 666 packets. Returns the results of the flow and of the interface.
fn own_interface(rate: &str, flow: &str) -> (Value, Value) {
    let text = format!(
        "duration = \"20 s\"\nwarmup = \"10 s\"\n\
         [[links]]\nname = \"own\"\nbetween = [\"a\", \"b\"]\nrate = \"{rate}\"\ndelay = \"0 s\"\n\
         queue = {{ name = \"droptail\", limit = \"100000 packets\" }}\n\
         [[links]]\nname = \"narrow\"\nbetween = [\"b\", \"c\"]\nrate = \"100 Mbit/s\"\ndelay = \"20 ms\"\n\
         queue = {{ name = \"droptail\", limit = \"666 packets\" }}\n\
         [[flows]]\nname = \"f\"\n{flow}\nfrom = \"a\"\nto = \"c\"\n"
    );
    let found = verified::result(&text, &Value::Null);
    (found["flows"][0].clone(), found["links"][0].clone())
}

/// Returns the profile with these parameters, with and without its bound on what waits in the interface.
fn transports(details: &str) -> [String; 2] {
    let with = |rest: &str| format!("transport = {{ name = \"linux\"{rest} }}");
    [with(details), with(&format!("{details}, small_queues = false"))]
}

#[test]
fn small_queues_keep_the_hosts_own_interface_short_and_busy() {
    let [bounded, unbounded] = transports("").map(|transport| {
        let (flow, own) = own_interface("50 Mbit/s", &format!("control = \"cubic\"\n{transport}"));
        (number(&flow, "goodput_bps"), number(&own, "queue_max_packets"), number(&own, "wait_mean_s"))
    });
    // Without small queues all of the window waits there, except the 167 packets in flight.
    assert!(unbounded.1 > 100.0 && unbounded.2 > 0.024, "{unbounded:?}");
    // 50 Mbit/s of packets of 1500 bytes are 4.07 packets in 2^-10 s, and 1.2 times the window's rate may be
    // handed over. The window grows until it was last full a round trip ago, to at most twice the flight:
    // while nine packets wait, a tenth joins. From then on one joins as one leaves, so each waits for the
    // maximum number of others, at 0.24 ms each.
    assert!((2.0..=9.0).contains(&bounded.1), "{bounded:?}");
    assert!((bounded.2 - bounded.1 * 0.24e-3).abs() < 1e-8, "{bounded:?}");
    // The link carries its full payload nevertheless.
    let carries = 50e6 * 1448.0 / 1500.0;
    for goodput in [bounded.0, unbounded.0] {
        assert!((goodput / carries - 1.0).abs() < 0.001, "{bounded:?} {unbounded:?}");
    }
}

#[test]
fn small_queues_change_nothing_where_packets_leave_one_by_one_through_a_fast_interface() {
    for (control, details) in [("cubic", ", pacing = true"), ("bbrv1", ""), ("bbrv3", "")] {
        let found = transports(details)
            .map(|transport| own_interface("10 Gbit/s", &format!("control = \"{control}\"\n{transport}")));
        assert_eq!(found[0], found[1], "{control}");
        let lost = number(&found[0].0, "lost_packets");
        assert!(lost > 0.0 || control != "cubic", "repairs are compared too");
    }
}
