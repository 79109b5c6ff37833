//! Comparison of SCTP with usrsctp, a real stack, packet by packet over one path with fixed losses:
//! `reference/peers` says how its packets were recorded. Every packet must be equal, at the same time and
//! with the same window, up to the packet from which usrsctp does what RFC 9260 does not say; [`PATTERNS`]
//! says where that is and what it is. Not compared: fragmentation and bundling.
//!
//! `cargo test -p ackclock-lab --test scenarios usrsctp -- --nocapture` prints both sides where they part.

use crate::bare_paths::{Losses, Paths, Sent, connection, transfer};
use crate::reference;
use crate::tolerances::tolerance;
use serde_json::Value;

/// How far a comparison reaches.
enum Reach {
    /// Up to the last packet.
    Whole,
    /// This number of packets, with the reason why the next one differs.
    Packets(usize, &'static str),
    /// This number of packets, the last one being the one before a timeout, and all later packets with times
    /// since that timeout. usrsctp's timer runs from the first packet, whatever is acknowledged.
    Timeout(usize),
}
use Reach::{Packets, Timeout, Whole};

/// The reason that losses besides the first packet of a fast retransmission are retransmitted at the next
/// SACKs, one at each, whatever the window. (RFC 9260 section 7.2.4: the first packet ignores the window, the
/// rest is sent "as soon as cwnd allows".)
const REST: &str = "the rest of a fast retransmission waits for no window";
/// The reason that a fast retransmitted packet is fast retransmitted again. (RFC 9260 section 7.2.4:
/// "ineligible for a subsequent fast retransmit".)
const AGAIN: &str = "a second fast retransmission";

/// The patterns, each with the minimum threshold in chunks and the reach. usrsctp's minimum is 2 after a fast
/// retransmission and 4 after a timeout; that of RFC 9260 section 7.2.3 is 4 after both.
const PATTERNS: [(&str, u32, Reach); 16] = [
    ("no-loss", 4, Whole),
    ("one-loss", 4, Whole),
    ("early-loss", 2, Whole),
    ("sacks-lost", 4, Whole),
    ("first-window-lost", 4, Whole),
    ("burst", 4, Packets(98, REST)),
    ("scattered", 4, Packets(100, REST)),
    ("two-windows", 4, Packets(98, REST)),
    ("resent-lost-in-burst", 4, Packets(98, REST)),
    ("data-and-sacks-lost", 4, Packets(98, REST)),
    ("apart", 4, Packets(117, AGAIN)),
    ("resent-lost", 4, Packets(117, AGAIN)),
    ("last-lost", 4, Timeout(400)),
    ("last-two-lost", 4, Timeout(400)),
    ("last-lost-twice", 4, Timeout(400)),
    ("all-sacks-lost", 4, Timeout(60)),
];

/// The unit of usrsctp's windows: the path's MTU including a common header, 1480 + 12 B, where RFC 9260 uses
/// the largest DATA chunk.
const UNIT_BYTES: f64 = 1492.0;

/// The path: 10 Mbit/s and 20 ms one way, for half a minute.
pub const PATH: Paths = Paths {
    count: 1,
    nanos_per_byte: 800,
    delay_nanos: 20_000_000,
    further_nanos: 0,
    limit: usize::MAX,
    loses_first: false,
    dead_nanos: (0, 0),
    end_nanos: 30_000_000_000,
};

/// Runs the profile `sctp` with usrsctp's sizes: windows count in [`UNIT_BYTES`] and begin with three times
/// 1480 B. Bursts are not bounded, because usrsctp has another of the bounds that RFC 9260 section 6.1 D
/// allows, one that lowers the window permanently.
fn ours(floor: u32, losses: Losses) -> Vec<Sent> {
    let settings = [
        ("mtu", "1524 B"),
        ("chunk", "1468 B"),
        ("initial_window", "2.97587132 packets"),
        ("max_burst", "1000"),
        ("heartbeat_interval", "3600 s"),
    ];
    let floor = format!("{floor} packets");
    transfer(connection(("sctp", &settings), ("sctp", &[("min_ssthresh", &floor)]), 1, 400), PATH, losses)
}

/// Reads losses from lists such as `60-63,70/2`, or `-` for none.
pub fn losses(data: &str, sacks: &str) -> Losses {
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let one = |part: &str| match part.split_once('-') {
        Some((from, to)) => (number(from)..=number(to)).map(|tsn| (tsn, 1)).collect::<Vec<_>>(),
        None => {
            let (tsn, times) = part.split_once('/').unwrap_or((part, "1"));
            vec![(number(tsn), number(times))]
        }
    };
    let all = |text: &str| text.split(',').filter(|part| *part != "-").flat_map(one).collect::<Vec<_>>();
    let sacks = all(sacks).into_iter().map(|(at, _)| at).collect();
    Losses { data: all(data).into_iter().collect(), sacks, ..Losses::default() }
}

/// A packet of usrsctp.
#[derive(Clone, Copy, Debug)]
struct Theirs {
    time_s: f64,
    tsn: u64,
    times: u64,
    cwnd_bytes: f64,
}

fn packets(run: &Value) -> Vec<Theirs> {
    let number = |value: &Value| value.as_f64().expect("a number");
    let read = |packet: &Value| Theirs {
        time_s: number(&packet[0]),
        tsn: number(&packet[1]) as u64,
        times: number(&packet[2]) as u64,
        cwnd_bytes: number(&packet[3]),
    };
    run["packets"].as_array().expect("packets").iter().map(read).collect()
}

/// Returns the first packet in which two series differ by more than the tolerances. Times count from the
/// first packet of each.
fn first_difference(ours: &[Sent], theirs: &[Theirs]) -> Option<usize> {
    let (time_s, window) = (tolerance("usrsctp.time_s"), tolerance("usrsctp.window_chunks") * UNIT_BYTES);
    let (start, their_start) = (ours[0].time_s, theirs[0].time_s);
    let differs = |(our, their): (&Sent, &Theirs)| {
        our.tsn != their.tsn
            || our.times != their.times
            || ((our.time_s - start) - (their.time_s - their_start)).abs() > time_s
            || (our.cwnd * UNIT_BYTES - their.cwnd_bytes).abs() > window
    };
    let place = ours.iter().zip(theirs).position(differs);
    place.or_else(|| (ours.len() != theirs.len()).then_some(ours.len().min(theirs.len())))
}

/// Returns the packets of both sides around one of them, as text.
fn around(ours: &[Sent], theirs: &[Theirs], place: usize) -> String {
    let line = |time_s: f64, tsn: u64, times: u64, cwnd: f64| {
        format!("{time_s:10.6} s {tsn:4}/{times} {cwnd:8.0} B")
    };
    let show = |place: usize| {
        let our = ours
            .get(place)
            .map(|our| line(our.time_s - ours[0].time_s, our.tsn, our.times, our.cwnd * UNIT_BYTES));
        let their = theirs.get(place);
        let their = their
            .map(|their| line(their.time_s - theirs[0].time_s, their.tsn, their.times, their.cwnd_bytes));
        format!("{place:4}: {:35} {}\n", our.unwrap_or_default(), their.unwrap_or_default())
    };
    (place.saturating_sub(4)..place + 4).map(show).collect()
}

#[test]
fn each_packet_is_sent_as_usrsctp_sends_it() {
    let runs = reference::runs("usrsctp-one-path");
    assert_eq!(runs.len(), PATTERNS.len());
    for (name, floor, reach) in &PATTERNS {
        let run = runs.iter().find(|run| run["pattern"] == *name).expect("a run");
        let text = |key: &str| run[key].as_str().expect("text");
        let (ours, theirs) = (ours(*floor, losses(text("lost_data"), text("lost_sacks"))), packets(run));
        let found = first_difference(&ours, &theirs);
        let shown = found.map(|place| around(&ours, &theirs, place)).unwrap_or_default();
        println!(
            "{name}: the same for {} of {} packets\n{shown}",
            found.unwrap_or(theirs.len()),
            theirs.len()
        );
        match reach {
            Whole => assert_eq!(found, None, "{name}"),
            Packets(count, choice) => assert_eq!(found, Some(*count), "{name}: {choice}"),
            Timeout(count) => {
                assert_eq!(found, Some(*count), "{name}");
                let (ours, theirs) = (&ours[*count..], &theirs[*count..]);
                let found = first_difference(ours, theirs);
                let shown = around(ours, theirs, found.unwrap_or(0));
                assert_eq!(found, None, "{name} after the timeout\n{shown}");
            }
        }
    }
}
