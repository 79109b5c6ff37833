//! Comparison of the profile `linux` with a kernel of Linux, packet by packet over one path with fixed losses:
//! `reference/peers` says how the kernel's packets were recorded. Every packet must be sent at the same time and
//! under the same window, up to the packet from which the kernel differs; [`PATTERNS`] says where that is and
//! why. Not compared: segmentation offload, the push flag, ECN, several flows, small queues.
//!
//! `cargo test -p ackclock-lab --test scenarios linux_kernel -- --nocapture` prints both sides where they part.

use crate::fixed_losses::{Losses, Reach};
use crate::reference;
use crate::tolerances::tolerance;
use Reach::{Packets, Whole};
use ackclock_base::{Random, Time, Values};
use ackclock_cc::{Ack, Change, Control, Decision, Loss, Lost, Probe, Properties, Recovered, Timeout};
use ackclock_cc::{Assembly, Controller, Exponential, Part, registry};
use ackclock_sim::endpoint::Launch;
use ackclock_sim::random::Stream;
use ackclock_sim::tcp::options::{self, Options};
use ackclock_sim::tcp::receiver::Receiver;
use ackclock_sim::tcp::segment::{Flags, Segment};
use ackclock_sim::tcp::sender::{SegmentWire, TcpSender};
use serde_json::Value;
use std::collections::BTreeMap;

/// The kernel's controls, in the order of [`PATTERNS`].
const CONTROLS: [&str; 3] = ["cubic", "reno", "bbr"];

/// The reason that the kernel's windows and thresholds are whole packets: Reno's window grows by one when a
/// window of packets has been acknowledged (tcp_cong_avoid_ai).
const WHOLE_PACKETS: &str = "windows of whole packets";
/// The reason that acknowledgements cover other pairs of packets, because the receive window stops opening at
/// another packet. The packet before a loss is then acknowledged sooner or later, and other acknowledgements
/// are those that are lost.
const PAIRS: &str = "other pairs of packets in an acknowledgement";
/// The reason that the kernel's CUBIC keeps the maximum that it remembers when a loss proves spurious, and then
/// grows more slowly (tcp_reno_undo_cwnd restores the window only).
const UNDO: &str = "an undone loss leaves its maximum";
/// The reason that the kernel's timers tick every 4 ms and are rounded up at each step.
const TICKS: &str = "timers of 4 ms ticks";
/// The reason that the window of BBR has heard of two acknowledgements more or less when a paced packet leaves.
const PACED: &str = "acknowledgements between paced packets";
/// The reason that the kernel's BBR has a window that is smaller by a packet in recovery.
const CONSERVED: &str = "a window smaller by one packet in recovery";

/// The patterns, each with its reach with each control. Those that are not recorded with a control are not
/// compared.
const PATTERNS: [(&str, [Reach; 3]); 13] = [
    ("no-loss", [Whole, Packets(426, PAIRS), Whole]),
    ("one-loss", [Whole, Packets(315, PAIRS), Packets(47, PACED)]),
    ("early-loss", [Packets(59, PAIRS), Packets(37, WHOLE_PACKETS), Packets(20, CONSERVED)]),
    ("burst", [Packets(181, PAIRS), Whole, Whole]),
    ("scattered", [Whole, Whole, Whole]),
    ("two-windows", [Packets(347, PAIRS), Whole, Whole]),
    ("every-tenth", [Whole, Whole, Whole]),
    ("acks-lost", [Packets(136, PAIRS), Whole, Whole]),
    ("data-and-acks-lost", [Whole, Whole, Whole]),
    ("overtaken-by-two", [Whole, Whole, Whole]),
    ("overtaken-by-many", [Packets(242, UNDO), Packets(254, PAIRS), Packets(47, PACED)]),
    ("short-outage", [Whole, Packets(404, PAIRS), Packets(47, PACED)]),
    ("long-outage", [Packets(173, TICKS), Packets(233, TICKS), Packets(47, PACED)]),
];

/// The path: its rate and delay, how many packets wait before the one in transmission, and the seconds in which
/// nothing arrives.
#[derive(Clone, Copy)]
struct Path {
    nanos_per_byte: u64,
    delay_nanos: u64,
    queue: u64,
    stall: Option<(f64, f64)>,
}

/// The path of the patterns of losses: 10 Mbit/s and 20 ms one way.
const PATH: Path = Path { nanos_per_byte: 800, delay_nanos: 20_000_000, queue: u64::MAX, stall: None };

/// A packet with data: when it was sent, its number, and window and threshold after the event that sent it.
#[derive(Clone, Copy, Debug)]
struct Sent {
    time_s: f64,
    number: u64,
    cwnd: f64,
    ssthresh: f64,
    /// Whether the sender is in recovery. The kernel's window is then what proportional rate reduction allows
    /// at the moment, and the window here its target.
    recovers: bool,
}

/// The packets in flight, by their time of arrival and their order of sending.
type UnderWay = BTreeMap<(u64, u64), Segment>;

/// The path, and what is recorded of it.
struct Ways {
    path: Path,
    losses: Losses,
    now: u64,
    begins: Option<u64>,
    free: u64,
    there: UnderWay,
    back: UnderWay,
    count: u64,
    acks: u64,
    dropped: u64,
    sent: Vec<Sent>,
}

impl Ways {
    fn new(path: Path, losses: Losses) -> Self {
        let (there, back, sent) = (UnderWay::new(), UnderWay::new(), Vec::new());
        let (now, free, count, acks, dropped) = (0, 0, 0, 0, 0);
        Self { path, losses, now, begins: None, free, there, back, count, acks, dropped, sent }
    }

    /// Returns the seconds since the first packet with data; `None` before it.
    fn seconds(&self, at: u64) -> Option<f64> {
        Some((at - self.begins?) as f64 * 1e-9)
    }

    fn is_out(&self) -> bool {
        self.seconds(self.now).is_some_and(|seconds| self.losses.is_out(seconds))
    }

    /// Returns when a packet arrives that would arrive at `at`, and its order.
    fn arrival(&self, at: u64) -> (u64, u64) {
        let (seconds, stall) = (self.seconds(at), self.path.stall);
        let until = seconds.zip(stall).filter(|(seconds, (from, until))| (*from..*until).contains(seconds));
        let until = until.zip(self.begins).map(|((_, (_, until)), begins)| begins + (until * 1e9) as u64);
        (until.unwrap_or(at), self.count)
    }

    /// Sends a segment of the receiver.
    fn answer(&mut self, segment: Segment) {
        self.count += 1;
        self.acks += u64::from(self.begins.is_some());
        let is_listed = self.begins.is_some() && self.losses.acks.contains(&self.acks);
        if !is_listed && !self.is_out() {
            self.back.insert(self.arrival(self.now + self.path.delay_nanos), segment);
        }
    }
}

impl SegmentWire for Ways {
    fn send(&mut self, segment: Segment) -> Launch {
        self.count += 1;
        let (mut is_lost, mut late) = (false, 0);
        if !segment.flags.has(Flags::SYN) {
            self.begins.get_or_insert(self.now);
            let order = self.sent.len() as u64;
            let time_s = self.seconds(self.now).expect("begun");
            let (number, cwnd, ssthresh) = (segment.number, f64::NAN, f64::NAN);
            self.sent.push(Sent { time_s, number, cwnd, ssthresh, recovers: false });
            is_lost = self.losses.data.contains(&order) || self.is_out();
            late = self.losses.late_nanos.get(&order).copied().unwrap_or(0);
        }
        let serial = u64::from(segment.bytes) * self.path.nanos_per_byte;
        if self.free.saturating_sub(self.now) / serial > self.path.queue {
            self.dropped += 1;
            return Launch::Sent;
        }
        self.free = self.free.max(self.now) + serial;
        if !is_lost {
            self.there.insert(self.arrival(self.free + self.path.delay_nanos + late), segment);
        }
        Launch::Sent
    }
}

/// A control whose first window leaves unpaced, as the first ten packets of the kernel do
/// (tcp_update_skb_after_send).
struct UnpacedStart {
    control: Box<dyn Control>,
    /// Whether an acknowledgement has arrived.
    is_over: bool,
}

impl Control for UnpacedStart {
    fn decision(&self) -> Decision {
        let decision = self.control.decision();
        Decision { pacing_rate: decision.pacing_rate.filter(|_| self.is_over), ..decision }
    }

    fn properties(&self) -> Properties {
        self.control.properties()
    }

    fn on_change(&mut self, change: &Change) {
        self.control.on_change(change);
    }

    fn on_sent(&mut self, sent: &ackclock_cc::Sent, random: &mut dyn Random) {
        self.control.on_sent(sent, random);
    }

    fn on_ack(&mut self, ack: &Ack, random: &mut dyn Random) {
        self.is_over = true;
        self.control.on_ack(ack, random);
    }

    fn on_lost(&mut self, lost: &Lost, random: &mut dyn Random) {
        self.control.on_lost(lost, random);
    }

    fn on_loss(&mut self, loss: &Loss, random: &mut dyn Random) {
        self.control.on_loss(loss, random);
    }

    fn on_timeout(&mut self, timeout: &Timeout, random: &mut dyn Random) {
        self.control.on_timeout(timeout, random);
    }

    fn on_probe(&mut self, probe: &Probe) {
        self.control.on_probe(probe);
    }

    fn on_recovered(&mut self, recovered: &Recovered) {
        self.control.on_recovered(recovered);
    }
}

/// Returns the control that stands for the kernel's, with its settings and its slow start, as in scenarios.
/// Without segmentation offload the kernel's BBR hands over single packets.
type Stands = (&'static str, &'static [(&'static str, &'static str)], Option<&'static str>);
fn stands_for(control: &str) -> Stands {
    match control {
        "cubic" => ("cubic", &[("variant", "linux")], Some("hystart")),
        "reno" => ("newreno", &[], None),
        _ => ("bbrv1", &[("min_quantum", "1 packets")], None),
    }
}

/// Runs a transfer over the profile `linux`.
fn transfer(control: &str, packets: u64, path: Path, losses: Losses) -> Ways {
    let (name, settings, layer) = stands_for(control);
    let entry = registry::find(name).expect("a control");
    // The interface takes everything, as that of the kernel does.
    let values = Values::with(options::find("linux").expect("a profile"), &[("small_queues", "false")]);
    let options = Options::new(&values, entry.published.recovery);
    let layers = layer.map(|name| {
        let descriptor = registry::find_layer(name).expect("a layer").descriptor;
        Part { name: descriptor.name, values: descriptor.defaults() }
    });
    let values = Values::with(entry.descriptor, settings);
    let controller = Assembly::new(entry, &values, None, None).within(layers).join(&options.initial());
    let controller = match controller {
        Controller::Model(control) => Controller::Model(Box::new(UnpacedStart { control, is_over: false })),
        other => other,
    };
    let backoff = Box::new(Exponential { most: options.details.max_backoff });
    let mut sender = TcpSender::new(&options, controller, backoff, packets, Stream::new(1, "guesses"));
    let mut receiver = Receiver::new(options.receiver);
    let mut ways = Ways::new(path, losses);
    sender.start(Time::ZERO, &mut ways);
    while !sender.core().is_done() {
        let arrivals = [&ways.there, &ways.back].map(|way| way.keys().next().map_or(u64::MAX, |(at, _)| *at));
        let timers = [receiver.timer(), sender.timer()].map(Time::nanos);
        ways.now = arrivals.into_iter().chain(timers).min().expect("four");
        let now = Time::from_nanos(ways.now);
        // Arrivals come before a timer of the same time.
        if arrivals[0] == ways.now {
            let (_, segment) = ways.there.pop_first().expect("a packet");
            if segment.flags.has(Flags::SYN) {
                ways.answer(receiver.on_syn(now, &segment));
            } else if receiver.take(now, &segment) {
                ways.answer(receiver.acknowledge(now));
            }
        } else if arrivals[1] == ways.now {
            let (_, segment) = ways.back.pop_first().expect("an acknowledgement");
            sender.on_ack(now, &segment, &mut ways);
        } else if timers[0] == ways.now {
            ways.answer(receiver.acknowledge(now));
        } else {
            sender.on_timer(now, &mut ways);
        }
        let (decision, recovers) = (sender.core().control().decision(), sender.core().recovering());
        for sent in ways.sent.iter_mut().rev().take_while(|sent| sent.cwnd.is_nan()) {
            (sent.cwnd, sent.ssthresh, sent.recovers) = (decision.cwnd, decision.ssthresh, recovers);
        }
    }
    ways
}

/// Returns the packets of the kernel.
fn packets(run: &Value) -> Vec<Sent> {
    let number = |value: &Value| value.as_f64().expect("a number");
    let read = |packet: &Value| Sent {
        time_s: number(&packet[0]),
        number: packet[1].as_u64().expect("a packet"),
        cwnd: number(&packet[2]),
        ssthresh: Some(number(&packet[3])).filter(|packets| *packets >= 0.0).unwrap_or(f64::INFINITY),
        recovers: false,
    };
    run["packets"].as_array().expect("packets").iter().map(read).collect()
}

/// Returns the packets by their number and the count of transmissions of it.
fn by_number(sent: &[Sent]) -> Vec<((u64, u32), Sent)> {
    let mut times = BTreeMap::new();
    let each = |sent: &Sent| {
        let count: &mut u32 = times.entry(sent.number).or_default();
        *count += 1;
        ((sent.number, *count), *sent)
    };
    sent.iter().map(each).collect()
}

/// Returns the place of the kernel's first packet that differs from the same packet here by more than the
/// tolerances, or that is not sent here.
fn first_difference(ours: &[Sent], theirs: &[Sent]) -> Option<usize> {
    let (time_s, window) = (tolerance("linux.time_s"), tolerance("linux.window_packets"));
    let ours: BTreeMap<_, _> = by_number(ours).into_iter().collect();
    by_number(theirs).iter().position(|(which, their)| {
        ours.get(which).is_none_or(|our| {
            let in_proportion = our.recovers && their.ssthresh.is_finite();
            let their_window = if in_proportion { their.ssthresh } else { their.cwnd };
            // The kernel counts whole packets.
            (our.time_s - their.time_s).abs() > time_s || (our.cwnd.floor() - their_window).abs() > window
        })
    })
}

/// Returns the packets of both sides around one of them, as text.
fn around(ours: &[Sent], theirs: &[Sent], place: usize) -> String {
    let line = |sent: Option<&Sent>| {
        sent.map(|sent| format!("{:10.6} s {:4} {:8.3}", sent.time_s, sent.number, sent.cwnd))
            .unwrap_or_default()
    };
    let show =
        |place: usize| format!("{place:4}: {:30} {}\n", line(ours.get(place)), line(theirs.get(place)));
    (place.saturating_sub(4)..place + 4).map(show).collect()
}

#[test]
fn each_packet_is_sent_as_linux_sends_it() {
    for (control, place) in CONTROLS.iter().zip(0..) {
        for run in &reference::runs(&format!("linux-{control}")) {
            let name = run["pattern"].as_str().expect("a name");
            let (_, reaches) = PATTERNS.iter().find(|(known, _)| *known == name).expect("a pattern");
            let total = run["messages"].as_u64().expect("a number");
            let ours = transfer(control, total, PATH, Losses::of(run)).sent;
            let theirs = packets(run);
            let found = first_difference(&ours, &theirs);
            let shown = found.map(|place| around(&ours, &theirs, place)).unwrap_or_default();
            let (same, count) = (found.unwrap_or(theirs.len()), theirs.len());
            println!(
                "{control} {name}: the same for {same} of {count} packets, {} here\n{shown}",
                ours.len()
            );
            match reaches[place] {
                Whole => assert_eq!(found, None, "{control} {name}"),
                Packets(count, choice) => assert_eq!(found, Some(count), "{control} {name}: {choice}"),
            }
        }
    }
}

#[test]
fn a_stall_of_milliseconds_prolongs_the_first_slow_start() {
    // 100 Mbit/s and 20 ms hold 167 packets, and the queue as many. Undisturbed, the train of acknowledgements
    // ends slow start within the round in which the window has reached the product. A gap of more than 2 ms
    // interrupts the train, so that slow start goes on, and the queue overflows by more.
    let of = |stall| {
        let path = Path { nanos_per_byte: 80, delay_nanos: 10_000_000, queue: 167, stall };
        let ways = transfer("cubic", 3000, path, Losses::default());
        let first = ways.sent.iter().find(|sent| sent.ssthresh.is_finite()).expect("an end of slow start");
        (first.ssthresh, ways.dropped)
    };
    let [undisturbed, stalled] = [None, Some((0.1025, 0.105))].map(of);
    assert!(undisturbed.0 < 1.5 * 167.0 && stalled.0 > 1.5 * undisturbed.0, "{undisturbed:?} {stalled:?}");
    assert!(undisturbed.1 < 20 && stalled.1 > 3 * undisturbed.1, "{undisturbed:?} {stalled:?}");
}
