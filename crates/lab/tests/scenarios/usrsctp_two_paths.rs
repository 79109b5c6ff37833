//! Comparison of SCTP with usrsctp over two paths: which packets are sent over which path when packets are
//! lost, when the first path fails, and when it works again. `reference/peers` says how usrsctp's packets
//! were recorded.
//!
//! At a timeout usrsctp moves everything outstanding on the path to the other one, also what has arrived, so the
//! SACK of the first retransmission fills that path's window. Its HEARTBEAT timer runs from the association's
//! start; here a path is probed when it fails. A return to the first path is therefore held to the latest time
//! of RFC 9260 section 8.3 and not to usrsctp's.
//!
//! `cargo test -p ackclock-lab --test scenarios -- usrsctp_two_paths --nocapture` prints both sides.

use crate::bare_paths::{Losses, Paths, Sent, connection, transfer};
use crate::reference::{self, number};
use crate::tolerances::tolerance;
use crate::usrsctp::{PATH, losses};
use serde_json::Value;

/// The unit of usrsctp's windows: the path's MTU, which over IPv4 is that of the whole packet.
const UNIT_BYTES: f64 = 1500.0;

/// Returns the value of a run's setting, if it has it.
fn setting<'a>(run: &'a Value, name: &str) -> Option<&'a str> {
    let settings = run["settings"].as_array().expect("settings").iter().filter_map(Value::as_str);
    settings.filter_map(|text| text.split_once('=')).find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// Runs the profile `sctp` with usrsctp's sizes and the settings of the run.
fn ours(run: &Value) -> Vec<Sent> {
    let heartbeat = setting(run, "heartbeat_ms").map_or("30 s".to_owned(), |value| format!("{value} ms"));
    let settings = [
        ("mtu", "1532 B"),
        ("chunk", "1468 B"),
        ("initial_window", "2.976 packets"), // 4464 B
        ("max_burst", "1000"),
        ("heartbeat_interval", heartbeat.as_str()),
        ("path_max_retrans", setting(run, "path_errors").expect("path_errors")),
    ];
    let nanos = |place: &str| number(run, place) as u64 * 1_000_000;
    let paths = Paths {
        count: 2,
        further_nanos: 13_000,
        dead_nanos: (nanos("/dead_ms/0"), nanos("/dead_ms/1")),
        end_nanos: 200_000_000_000,
        ..PATH
    };
    let chunks = number(run, "/messages") as u64;
    let lost: Losses = losses(run["lost_data"].as_str().expect("a list"), "-");
    transfer(connection(("sctp", &settings), ("sctp", &[]), 2, chunks), paths, lost)
}

/// Returns usrsctp's packets, with times since the first and windows in units, as here.
fn packets(run: &Value) -> Vec<Sent> {
    let read = |packet: &Value| Sent {
        time_s: number(packet, "/0"),
        path: number(packet, "/1") as usize - 1,
        tsn: number(packet, "/2") as u64,
        times: number(packet, "/3") as u64,
        cwnd: number(packet, "/4") / UNIT_BYTES,
    };
    run["packets"].as_array().expect("packets").iter().map(read).collect()
}

/// Returns the packets from `place` on, with times since that packet.
fn since(packets: &[Sent], place: usize) -> Vec<Sent> {
    let start = packets[place].time_s;
    packets[place..].iter().map(|sent| Sent { time_s: sent.time_s - start, ..*sent }).collect()
}

/// Returns the number of equal packets before the first difference: over the same path, at the same time and
/// under the same window.
fn same(ours: &[Sent], theirs: &[Sent]) -> usize {
    let (time_s, window) =
        (tolerance("usrsctp-two-paths.time_s"), tolerance("usrsctp-two-paths.window_chunks"));
    let differs = |(our, their): (&Sent, &Sent)| {
        (our.path, our.tsn, our.times) != (their.path, their.tsn, their.times)
            || (our.time_s - their.time_s).abs() > time_s
            || (our.cwnd - their.cwnd).abs() > window
    };
    let place = ours.iter().zip(theirs).position(differs).unwrap_or(ours.len().min(theirs.len()));
    for at in (place.saturating_sub(2)..place + 3).filter(|_| place < ours.len().max(theirs.len())) {
        let line = |sent: Option<&Sent>| {
            sent.map_or(String::new(), |sent| {
                let Sent { time_s, path, tsn, times, cwnd } = sent;
                format!("{time_s:10.6} s path {} TSN {tsn}/{times} cwnd {cwnd:.2}", path + 1)
            })
        };
        println!("    {at:4}: {:50} {}", line(ours.get(at)), line(theirs.get(at)));
    }
    place
}

/// The behaviour of an association whose first path fails.
#[derive(Debug, PartialEq)]
struct Failure {
    /// The index of the first retransmitted packet.
    first_again: usize,
    /// The number of later attempts over the failed path before the failover.
    attempts: usize,
    /// The time from the first retransmission to the first new data over the second path.
    failover_s: f64,
    /// When new data was sent over the first path again, since the first packet; `None` if it was not.
    back_s: Option<f64>,
}

impl Failure {
    fn of(packets: &[Sent]) -> Self {
        let new = |place: &usize| packets[*place].times == 1;
        let first_again = packets.iter().position(|sent| sent.times > 1).expect("a retransmission");
        let failover =
            (0..packets.len()).filter(new).find(|place| packets[*place].path == 1).expect("a failover");
        let mut attempts: Vec<f64> = packets[first_again..failover]
            .iter()
            .filter(|sent| sent.path == 0)
            .map(|sent| sent.time_s)
            .collect();
        attempts.dedup();
        let back = (failover..packets.len()).filter(new).find(|place| packets[*place].path == 0);
        Self {
            first_again,
            attempts: attempts.len(),
            failover_s: packets[failover].time_s - packets[first_again].time_s,
            back_s: back.map(|place| packets[place].time_s - packets[0].time_s),
        }
    }
}

fn run(pattern: &str) -> Value {
    let runs = reference::runs("usrsctp-two-paths");
    runs.into_iter().find(|run| run["pattern"] == pattern).expect("a run")
}

#[test]
fn while_both_paths_work_each_packet_is_sent_as_usrsctp_sends_it() {
    for pattern in ["no-loss", "one-loss"] {
        let run = run(pattern);
        let (ours, theirs) = (ours(&run), packets(&run));
        println!("{pattern}:");
        let same = same(&since(&ours, 0), &since(&theirs, 0));
        assert_eq!((same, ours.len()), (theirs.len(), theirs.len()), "{pattern}");
    }
}

/// Compares the packets before and after the timeout. The timeout itself differs in time, because
/// acknowledgements do not restart usrsctp's timer.
#[test]
fn after_a_timeout_the_second_path_carries_the_lost_packets() {
    for pattern in ["last-lost", "first-window-lost"] {
        let run = run(pattern);
        let (ours, theirs) = (ours(&run), packets(&run));
        let again = |packets: &[Sent]| packets.iter().position(|sent| sent.times > 1).expect("a timeout");
        let (place, their_place) = (again(&ours), again(&theirs));
        println!("{pattern}:");
        assert_eq!(place, their_place, "{pattern}");
        let before = same(&since(&ours[..place], 0), &since(&theirs[..place], 0));
        let after = same(&since(&ours, place), &since(&theirs, place));
        assert_eq!((before, after), (place, theirs.len() - place), "{pattern}");
    }
}

#[test]
fn a_failed_path_is_left_and_used_again_as_by_usrsctp() {
    for pattern in ["failure", "failure-after-five", "return"] {
        let run = run(pattern);
        let (ours, theirs) = (ours(&run), packets(&run));
        let (our, their) = (Failure::of(&ours), Failure::of(&theirs));
        println!("{pattern}:\n  ours    {our:?}\n  usrsctp {their:?}");
        let before = same(&since(&ours[..our.first_again], 0), &since(&theirs[..their.first_again], 0));
        let after = same(&since(&ours, our.first_again), &since(&theirs, their.first_again));
        println!("    the same before the first timeout: {before}, from it on: {after}");
        assert_eq!((our.first_again, before), (their.first_again, their.first_again), "{pattern}");
        assert_eq!(our.attempts, their.attempts, "{pattern}");
        let off = our.failover_s / their.failover_s - 1.0;
        assert!(off.abs() <= tolerance("usrsctp-two-paths.failover"), "{pattern}: {our:?}, {their:?}");
        // A HEARTBEAT is sent after the interval plus half a timeout to one and a half (RFC 9260 section
        // 8.3). The timeout is 4 s here.
        let heartbeat_s =
            setting(&run, "heartbeat_ms").map(|text| text.parse::<f64>().expect("a number") / 1e3);
        for (packets, failure) in [(&ours, &our), (&theirs, &their)] {
            let failover_s = packets[failure.first_again].time_s - packets[0].time_s + failure.failover_s;
            let latest_s = heartbeat_s.map(|interval_s| failover_s + interval_s + 1.5 * 4.0 + 0.2);
            assert_eq!(failure.back_s.is_some(), latest_s.is_some(), "{pattern}: {failure:?}");
            assert!(failure.back_s <= latest_s, "{pattern}: {failure:?}, {latest_s:?}");
        }
        // No packet is missing on either side.
        for packets in [&ours, &theirs] {
            assert_eq!(
                packets.iter().filter(|sent| sent.times == 1).count() as f64,
                number(&run, "/messages")
            );
        }
    }
}
