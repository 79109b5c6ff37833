//! Comparison of QUIC with quinn, a real stack, packet by packet over one path with fixed losses:
//! `reference/peers` says how its packets were recorded. Every packet must be sent at the same time under the
//! same window, up to the packet from which quinn differs; [`PATTERNS`] says where that is and why. The same
//! packets must be taken for lost throughout.
//!
//! Pacing is off on both sides: quinn paces in bursts of ten packets and stops a packet before its window is
//! full. quinn's CUBIC is that of RFC 8312, whose curve begins at the loss and not where congestion avoidance
//! begins (RFC 9438 section 4.2), and which counts time in the Reno-friendly region. Not compared: marks,
//! several streams, key updates, and quinn's BBR.
//!
//! `cargo test -p ackclock-lab --test scenarios quinn -- --nocapture` prints both sides where they part.

use crate::fixed_losses::{Losses, Reach};
use crate::tolerances::tolerance;
use ackclock_base::{Span, Time, Values};
use ackclock_cc::{Assembly, Exponential, registry};
use ackclock_sim::quic::datagram::{Ack, Data, Datagram, DatagramWire};
use ackclock_sim::quic::options::{self, Options};
use ackclock_sim::quic::receiver::Receiver;
use ackclock_sim::quic::sender::QuicSender;
use ackclock_sim::random::Stream;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use Reach::{Packets, Whole};

/// The reason that in quinn the window first grows by what an ACK frame acknowledges, and is then reduced by
/// the losses that the same frame shows. (RFC 9002 appendix A.7 processes losses first.)
const GROWS_FIRST: &str = "a window that grows before it is reduced";
/// The reason of [`GROWS_FIRST`], together with quinn's NewReno adding a whole packet when a window of
/// packets has been acknowledged. (RFC 9002 appendix B.5 adds the part of a packet per acknowledgement.)
const WHOLE_PACKETS: &str = "a window of whole packets";
/// The reason that a probe timeout sends two packets in quinn. (RFC 9002 section 6.2.4: one, "MAY send up to
/// two".)
const TWO_PROBES: &str = "two packets for a probe timeout";

/// The patterns, each with its reach with NewReno and with CUBIC.
const PATTERNS: [(&str, Reach, Reach); 13] = [
    ("no-loss", Whole, Whole),
    ("one-loss", Packets(451, WHOLE_PACKETS), Packets(252, GROWS_FIRST)),
    ("early-loss", Packets(25, GROWS_FIRST), Packets(18, GROWS_FIRST)),
    ("burst", Whole, Packets(357, GROWS_FIRST)),
    ("scattered", Packets(451, WHOLE_PACKETS), Packets(252, GROWS_FIRST)),
    ("two-windows", Packets(399, WHOLE_PACKETS), Packets(252, GROWS_FIRST)),
    ("every-tenth", Packets(451, WHOLE_PACKETS), Packets(252, GROWS_FIRST)),
    ("acks-lost", Whole, Whole),
    ("data-and-acks-lost", Packets(451, WHOLE_PACKETS), Packets(252, GROWS_FIRST)),
    ("overtaken-by-two", Whole, Whole),
    ("overtaken-by-many", Packets(451, WHOLE_PACKETS), Packets(252, GROWS_FIRST)),
    ("short-outage", Whole, Packets(616, GROWS_FIRST)),
    ("long-outage", Packets(259, TWO_PROBES), Packets(259, TWO_PROBES)),
];

/// The time per packet of 1200 B above UDP, 1228 B on the wire, at 10 Mbit/s. The forward direction has this
/// and 20 ms, the reverse direction only the 20 ms.
const NANOS_PER_PACKET: u64 = 1228 * 800;
const DELAY_NANOS: u64 = 20_000_000;
const PACKET_BYTES: f64 = 1200.0;

/// A packet with data: when it was sent, and the window after the event that sent it.
#[derive(Clone, Copy, Debug)]
struct Sent {
    time_s: f64,
    cwnd: f64,
}

/// A packet in flight. An acknowledgement has its ranges, the highest first.
enum UnderWay {
    Data(Data),
    Ack { ranges: Vec<(u64, u64)>, delay: Span },
    Initial(Time),
}

/// The path, and what is recorded of it.
#[derive(Default)]
struct Ways {
    losses: Losses,
    now: u64,
    begins: Option<u64>,
    free: u64,
    there: BTreeMap<(u64, u64), UnderWay>,
    back: BTreeMap<(u64, u64), UnderWay>,
    count: u64,
    acks: u64,
    sent: Vec<Sent>,
    /// The last packet that carried each piece of data. `lost` holds the packets whose data were
    /// retransmitted.
    carriers: BTreeMap<u64, u64>,
    lost: BTreeSet<u64>,
}

impl Ways {
    fn seconds(&self) -> f64 {
        (self.now - self.begins.unwrap_or(self.now)) as f64 * 1e-9
    }
}

impl DatagramWire for Ways {
    fn send(&mut self, datagram: Datagram<'_>) {
        self.count += 1;
        let key = |at| (at, self.count);
        match datagram {
            Datagram::Data(data) => {
                self.begins.get_or_insert(self.now);
                let order = self.sent.len() as u64;
                self.lost.extend(self.carriers.insert(data.piece, order));
                self.sent.push(Sent { time_s: self.seconds(), cwnd: f64::NAN });
                self.free = self.free.max(self.now) + NANOS_PER_PACKET;
                if !self.losses.data.contains(&order) && !self.losses.is_out(self.seconds()) {
                    let late = self.losses.late_nanos.get(&order).copied().unwrap_or(0);
                    self.there.insert(key(self.free + DELAY_NANOS + late), UnderWay::Data(data));
                }
            }
            Datagram::Ack(Ack { highest, below, delay, .. }) => {
                self.acks += 1;
                if !self.losses.acks.contains(&self.acks) && !self.losses.is_out(self.seconds()) {
                    let ranges = [&[highest], below].concat();
                    self.back.insert(key(self.now + DELAY_NANOS), UnderWay::Ack { ranges, delay });
                }
            }
            Datagram::Credit(_) => {}
            Datagram::Initial(sent) => {
                let at = self.now + NANOS_PER_PACKET + 2 * DELAY_NANOS;
                self.back.insert(key(at), UnderWay::Initial(sent));
            }
        }
    }
}

/// Returns the packets of a transfer over the profile `quic` without pacing, and those that it took for lost.
fn transfer(control: &str, packets: u64, losses: Losses) -> (Vec<Sent>, BTreeSet<u64>) {
    let settings = [("packet", "1200 B"), ("header", "28 B"), ("pacing", "false")];
    let options = Options::new(&Values::with(options::find("quic").expect("a profile"), &settings));
    let entry = registry::find(control).expect("a control");
    let mut assembly = Assembly::new(entry, &Values::with(entry.descriptor, &[]), None, None);
    let controller = assembly.join(&options.initial());
    let backoff = Box::new(Exponential { most: 65_536.0 });
    let mut sender = QuicSender::new(&options, controller, backoff, packets, Stream::new(1, "guesses"));
    let mut receiver = Receiver::new(options.receiver);
    let mut ways = Ways { losses, ..Ways::default() };
    sender.start(Time::ZERO, &mut ways);
    while !sender.core().is_done() {
        let arrivals = [&ways.there, &ways.back].map(|way| way.keys().next().map_or(u64::MAX, |(at, _)| *at));
        let timers = [receiver.timer(), sender.timer()].map(Time::nanos);
        ways.now = arrivals.into_iter().chain(timers).min().expect("four");
        let now = Time::from_nanos(ways.now);
        // Arrivals come before a timer of the same time.
        if arrivals[0] == ways.now {
            let Some((_, UnderWay::Data(data))) = ways.there.pop_first() else { panic!("data") };
            // The last packet is acknowledged at once, as by quinn, which has another frame to send at that
            // time.
            if receiver.take(now, &data, false) || receiver.delivered() == packets {
                ways.send(Datagram::Ack(receiver.acknowledge(now)));
            }
        } else if arrivals[1] == ways.now {
            match ways.back.pop_first() {
                Some((_, UnderWay::Ack { ranges, delay })) => {
                    let ack = Ack { highest: ranges[0], below: &ranges[1..], delay, marked: 0 };
                    sender.on_ack(now, &ack, &mut ways);
                }
                Some((_, UnderWay::Initial(sent))) => sender.on_initial(now, sent, &mut ways),
                _ => panic!("an answer"),
            }
        } else if timers[0] == ways.now {
            ways.send(Datagram::Ack(receiver.acknowledge(now)));
        } else {
            sender.on_timer(now, &mut ways);
        }
        let cwnd = sender.core().control().decision().cwnd;
        ways.sent.iter_mut().rev().take_while(|sent| sent.cwnd.is_nan()).for_each(|sent| sent.cwnd = cwnd);
    }
    (ways.sent, ways.lost)
}

fn reference(control: &str) -> Vec<Value> {
    let path = format!("../../reference/peers/data/quinn-{control}.jsonl");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn packets(run: &Value) -> Vec<Sent> {
    let number = |value: &Value| value.as_f64().expect("a number");
    let read = |packet: &Value| Sent { time_s: number(&packet[0]), cwnd: number(&packet[2]) / PACKET_BYTES };
    run["packets"].as_array().expect("packets").iter().map(read).collect()
}

fn first_difference(ours: &[Sent], theirs: &[Sent]) -> Option<usize> {
    let (time_s, window) = (tolerance("quinn.time_s"), tolerance("quinn.window_packets"));
    let differs = |(our, their): (&Sent, &Sent)| {
        (our.time_s - their.time_s).abs() > time_s || (our.cwnd - their.cwnd).abs() > window
    };
    let place = ours.iter().zip(theirs).position(differs);
    place.or_else(|| (ours.len() != theirs.len()).then_some(ours.len().min(theirs.len())))
}

/// Returns the packets of both sides around one of them, as text.
fn around(ours: &[Sent], theirs: &[Sent], place: usize) -> String {
    let line = |sent: Option<&Sent>| {
        sent.map(|sent| format!("{:10.6} s {:8.3}", sent.time_s, sent.cwnd)).unwrap_or_default()
    };
    let show =
        |place: usize| format!("{place:4}: {:24} {}\n", line(ours.get(place)), line(theirs.get(place)));
    (place.saturating_sub(4)..place + 4).map(show).collect()
}

/// Returns the times at which packets were sent in an outage, without its first 50 ms, and in the second
/// after it.
fn probes(sent: &[Sent], (from, until): (f64, f64)) -> Vec<f64> {
    let mut times: Vec<f64> = sent.iter().map(|sent| sent.time_s).collect();
    times.retain(|time| (from + 0.05..until + 1.0).contains(time));
    times.dedup();
    times
}

/// Calls `each` for every run of quinn with its pattern, its reach, the packets and losses here, and those of
/// quinn.
fn runs(
    control: &str,
    mut each: impl FnMut(&str, Reach, (&[Sent], &BTreeSet<u64>), (&[Sent], &BTreeSet<u64>)),
) {
    let runs = reference(control);
    assert_eq!(runs.len(), PATTERNS.len());
    for (name, newreno, cubic) in PATTERNS {
        let run = runs.iter().find(|run| run["pattern"] == name).expect("a run");
        let total = run["messages"].as_u64().expect("a number");
        let (sent, lost) = transfer(control, total, Losses::of(run));
        let order = |entry: &Value| entry[1].as_u64().expect("a number");
        let declared = run["declared_lost"].as_array().expect("a list").iter().map(order).collect();
        let reach = if control == "newreno" { newreno } else { cubic };
        each(name, reach, (&sent, &lost), (&packets(run), &declared));
    }
}

#[test]
fn each_packet_is_sent_as_quinn_sends_it() {
    for control in ["newreno", "cubic"] {
        runs(control, |name, reach, (ours, _), (theirs, _)| {
            let found = first_difference(ours, theirs);
            let shown = found.map(|place| around(ours, theirs, place)).unwrap_or_default();
            println!(
                "{control} {name}: the same for {} of {} packets\n{shown}",
                found.unwrap_or(theirs.len()),
                theirs.len()
            );
            match reach {
                Whole => assert_eq!(found, None, "{control} {name}"),
                Packets(count, choice) => assert_eq!(found, Some(count), "{control} {name}: {choice}"),
            }
        });
    }
}

#[test]
fn the_packets_taken_for_lost_are_those_of_quinn() {
    for control in ["newreno", "cubic"] {
        runs(control, |name, _, (_, ours), (_, theirs)| match name {
            // The packet arrives before its data is queued for retransmission, by which losses are recognised
            // here.
            "overtaken-by-many" => assert_eq!(theirs.iter().collect::<Vec<_>>(), [&120], "{control}"),
            // The flight and all probes but the last are lost: four of one packet here, four of two in quinn.
            "long-outage" => {
                let of_flight = |lost: &BTreeSet<u64>| lost.range(..258).copied().collect::<Vec<_>>();
                assert_eq!(of_flight(ours), of_flight(theirs), "{control}");
                assert_eq!((ours.len(), theirs.len()), (40 + 4, 40 + 8), "{control}");
            }
            _ => assert_eq!(ours, theirs, "{control} {name}"),
        });
    }
}

#[test]
fn probes_are_sent_when_quinn_sends_them() {
    runs("newreno", |name, _, (ours, _), (theirs, _)| {
        if name == "long-outage" {
            let (ours, theirs) = (probes(ours, (0.2, 3.2)), probes(theirs, (0.2, 3.2)));
            let apart = ours.iter().zip(&theirs).take(5).map(|(our, their)| (our - their).abs());
            // The timeout doubles each time. The first differs by less than a millisecond, so the last may
            // differ by 16.
            assert!(
                ours.len() >= 5 && apart.fold(0.0, f64::max) < tolerance("quinn.time_s"),
                "{ours:?} {theirs:?}"
            );
        }
    });
}

#[test]
fn persistent_congestion_halves_the_threshold_once() {
    // 134 packets are in flight in slow start when everything is lost, so the threshold is 67 (RFC 9002
    // appendix B.8). After the window has fallen, the frame that ends the outage acknowledges more than 67
    // packets that had arrived before it (appendix A.7), so the window returns to 67.
    let outage = Losses { outage: Some((0.2, 3.2)), ..Losses::default() };
    let (sent, _) = transfer("newreno", 600, outage);
    let after = sent.iter().find(|sent| sent.time_s > 3.74).expect("a packet");
    assert!((67.0..68.0).contains(&after.cwnd), "{after:?}");
}
