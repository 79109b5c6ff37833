//! Tests of a sender over a path that delays everything by 100 ms and loses nothing: pacing, windows in
//! bytes, and what a control is told.

use ackclock_base::random::Scripted;
use ackclock_base::{Packets, Random, Span, Time};
use ackclock_cc::{
    Ack, Assembly, Change, Control, Controller, Decision, Exponential, Initial, Loss, Timeout, registry,
};
use ackclock_recovery::declared::{Losses, RackRules};
use ackclock_recovery::detection::Detection;
use ackclock_recovery::detection::rack::{Rack, RackOptions};
use ackclock_recovery::detection::sack::{Flight, Sack};
use ackclock_recovery::ecn::MarkFeedback;
use ackclock_recovery::sender::{Acknowledgement, Output, Transmission};
use ackclock_recovery::{Options, Parts, Sender, Units};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex};

#[path = "sender/flight_size.rs"]
mod flight_size;
#[path = "sender/going_back.rs"]
mod going_back;
#[path = "sender/held_back.rs"]
mod held_back;
#[path = "sender/numbers_once.rs"]
mod numbers_once;
#[path = "sender/paced_repairs.rs"]
mod paced_repairs;

const RTT: Span = Span::from_millis(100);

/// The packets that a sender has sent, and the acknowledgements on their way back.
struct Path {
    now: Time,
    /// The size of packets from now on.
    bytes: u16,
    sent: Vec<(Time, u16)>,
    acks: VecDeque<(Time, u64)>,
}

impl Output for Path {
    fn send(&mut self, transmission: Transmission) -> Option<u16> {
        self.sent.push((self.now, self.bytes));
        self.acks.push_back((self.now + RTT, transmission.number + 1));
        Some(self.bytes)
    }
}

struct Run {
    sender: Sender,
    path: Path,
}

impl Run {
    fn new(options: Options, controller: Controller, bytes: u16, packets: u64) -> Self {
        Self::with(sack(Flight::Inferred), options, controller, bytes, packets)
    }

    fn with(
        detection: Box<dyn Detection>,
        options: Options,
        controller: Controller,
        bytes: u16,
        packets: u64,
    ) -> Self {
        let parts = Parts {
            controller,
            detection,
            backoff: Box::new(Exponential { most: 64.0 }),
            random: Box::new(Scripted::new(&[0.25])),
        };
        let (sent, acks) = (Vec::new(), VecDeque::new());
        Self {
            sender: Sender::new(options, parts, packets),
            path: Path { now: Time::ZERO, bytes, sent, acks },
        }
    }

    /// Begins to send. With a handshake the round trip is known.
    fn start(&mut self, handshake: bool) {
        self.sender.begin(self.path.now);
        if handshake {
            self.sender.await_answer(self.path.now);
            let asked = std::mem::replace(&mut self.path.now, Time::ZERO + RTT);
            self.sender.on_answer(self.path.now, asked);
        }
        self.sender.open(self.path.now, &mut self.path);
    }

    /// Runs all events up to `end`.
    fn until(&mut self, end: Time) {
        loop {
            let ack = self.path.acks.front().map_or(Time::NEVER, |(at, _)| *at);
            let next = ack.min(self.sender.timer());
            if next > end {
                self.path.now = end;
                return;
            }
            self.path.now = next;
            if ack > next {
                self.sender.on_timer(next, &mut self.path);
                continue;
            }
            let (_, cumulative) = self.path.acks.pop_front().unwrap();
            self.acknowledge(cumulative, std::iter::empty());
        }
    }

    /// Delivers an acknowledgement now.
    fn acknowledge(&mut self, cumulative: u64, ranges: impl Iterator<Item = Range<u64>>) {
        let acknowledgement = Acknowledgement {
            cumulative,
            ranges,
            stamp: Some(self.path.now - RTT),
            one_way_delay: None,
            dsack: None,
            marks: MarkFeedback::default(),
            advances: None,
            held: None,
        };
        self.sender.on_ack(self.path.now, acknowledgement, &mut self.path);
    }

    fn add_data(&mut self, packets: u64) {
        self.sender.add_data(self.path.now, packets);
        self.sender.send_allowed(self.path.now, &mut self.path);
    }

    /// Returns the times between departures from packet `from` on, in microseconds.
    fn gaps(&self, from: usize) -> Vec<u64> {
        let times: Vec<u64> = self.path.sent[from..].iter().map(|(at, _)| at.nanos()).collect();
        times.windows(2).map(|pair| (pair[1] - pair[0]) / 1000).collect()
    }
}

fn sack(reduction: Flight) -> Box<dyn Detection> {
    Box::new(Sack::new(Losses { reduction, ..Losses::default() }))
}

fn rack() -> Box<dyn Detection> {
    let rack = RackRules { tail_loss_probe: false, ..RackRules::default() };
    Box::new(Rack::new(RackOptions { rack, max_ack_delay: Span::ZERO, ..RackOptions::default() }))
}

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

fn initial(window: Packets, ssthresh: Packets, packet_bytes: u32) -> Initial {
    Initial { window, ssthresh, limit: 1e6, packet_bytes, ..Initial::default() }
}

fn cubic(window: Packets, ssthresh: Packets) -> Controller {
    let entry = registry::find("cubic").unwrap();
    Assembly::new(entry, &entry.descriptor.defaults(), None, None).join(&initial(window, ssthresh, 1000))
}

/// A control whose window never changes, and which records all that it is told.
#[derive(Clone)]
struct Told {
    window: Packets,
    acks: Arc<Mutex<Vec<Ack>>>,
    changes: Arc<Mutex<Vec<Change>>>,
}

impl Told {
    fn new(window: Packets) -> Self {
        Self { window, acks: Arc::default(), changes: Arc::default() }
    }

    fn controller(&self) -> Controller {
        Controller::Model(Box::new(self.clone()))
    }

    fn acks(&self) -> Vec<Ack> {
        self.acks.lock().unwrap().clone()
    }
}

impl Control for Told {
    fn decision(&self) -> Decision {
        Decision::window(self.window, f64::INFINITY)
    }

    fn on_change(&mut self, change: &Change) {
        self.changes.lock().unwrap().push(*change);
    }

    fn on_ack(&mut self, ack: &Ack, _random: &mut dyn Random) {
        self.acks.lock().unwrap().push(*ack);
    }

    fn on_loss(&mut self, loss: &Loss, _random: &mut dyn Random) {
        panic!("nothing is lost: {loss:?}");
    }

    fn on_timeout(&mut self, timeout: &Timeout, _random: &mut dyn Random) {
        panic!("nothing is lost: {timeout:?}");
    }
}

/// A control with a window of ten packets that records timeouts.
#[derive(Clone, Default)]
struct Expiring(Arc<Mutex<Vec<Timeout>>>);

impl Control for Expiring {
    fn decision(&self) -> Decision {
        Decision::window(10.0, f64::INFINITY)
    }

    fn on_ack(&mut self, _ack: &Ack, _random: &mut dyn Random) {}

    fn on_loss(&mut self, _loss: &Loss, _random: &mut dyn Random) {}

    fn on_timeout(&mut self, timeout: &Timeout, _random: &mut dyn Random) {
        self.0.lock().unwrap().push(*timeout);
    }
}

#[test]
fn a_control_hears_how_much_a_timeout_leaves_in_flight() {
    // RFC 8985 section 6.3: a timeout marks as lost the first packet, and the packets sent more than 125 ms
    // ago, a round trip of 100 ms and a quarter of it. Three of the four were sent 50 ms before the timer
    // expires. RFC 6675 marks all four.
    let left = |detection| {
        let told = Expiring::default();
        let options = Options { pacing: false, ..Options::recommended(Units::packets(1000)) };
        let controller = Controller::Model(Box::new(told.clone()));
        let mut run = Run::with(detection, options, controller, 1, 4);
        run.sender.stay_open();
        run.start(false);
        run.until(at(100));
        run.add_data(1);
        run.path.acks.clear();
        let expires = run.sender.timer();
        run.path.now = expires - Span::from_millis(50);
        run.add_data(3);
        run.path.acks.clear();
        run.until(expires);
        let timeouts = told.0.lock().unwrap();
        (timeouts[0].inflight, timeouts[0].left_in_flight)
    };
    assert_eq!(left(rack()), (4.0, 3.0));
    assert_eq!(left(sack(Flight::Inferred)), (4.0, 0.0));
}

/// A model whose window is always 40 packets.
struct Forty;

impl Control for Forty {
    fn decision(&self) -> Decision {
        Decision::window(40.0, f64::INFINITY)
    }

    fn on_ack(&mut self, _ack: &Ack, _random: &mut dyn Random) {}

    fn on_loss(&mut self, _loss: &Loss, _random: &mut dyn Random) {}

    fn on_timeout(&mut self, _timeout: &Timeout, _random: &mut dyn Random) {}
}

#[test]
fn the_window_of_a_model_also_limits_its_flight_in_recovery() {
    // Of 40 packets the first six are lost. The first two selective acknowledgements let out a packet each;
    // the third shows the loss, with 33 packets in the network. A model with a window of 40 sends seven
    // packets, six of them retransmissions. For a window law, which reduces, proportional rate reduction lets
    // out the first one.
    let let_out = |(detection, dupack_threshold), controller| {
        let units = Units::packets(1000);
        let options = Options { pacing: false, dupack_threshold, ..Options::recommended(units) };
        let mut run = Run::with(detection, options, controller, 1, 1000);
        run.start(false);
        assert_eq!(run.path.sent.len(), 40);
        run.path.now = at(100);
        (6..9).for_each(|last| run.acknowledge(0, std::iter::once(6..last + 1)));
        run.path.sent.len() - 40
    };
    for rule in [|| (sack(Flight::Proportional), 3), || (rack(), 0)] {
        assert_eq!(let_out(rule(), Controller::Model(Box::new(Forty))), 2 + 7);
        assert_eq!(let_out(rule(), cubic(40.0, f64::INFINITY)), 2 + 1);
    }
}

#[test]
fn a_window_law_is_paced_by_its_profile() {
    let run = |pacing, ssthresh| {
        let options = Options { pacing, ..Options::recommended(Units::packets(1000)) };
        let mut run = Run::new(options, cubic(10.0, ssthresh), 1, 1000);
        run.start(true);
        run.until(at(199));
        run.gaps(0)
    };
    // Ten packets are sent in 100 ms: twice as fast in slow start (5 ms apart), 1.2 times as fast in
    // avoidance (8.333 ms apart).
    assert_eq!(run(true, f64::INFINITY), [5000; 9]);
    assert_eq!(run(true, 10.0), [8333; 9]);
    assert_eq!(run(false, 10.0), [0; 9]);
}

#[test]
fn a_paced_window_law_stays_paced() {
    let mut run = Run::new(Options::recommended(Units::packets(1000)), cubic(10.0, 10.0), 1, 100_000);
    run.start(true);
    run.until(at(20_000));
    let cwnd = run.sender.control().decision().cwnd;
    assert!(cwnd > 50.0, "{cwnd}");
    // Packets are never closer than the round trip over 1.2 windows at the end, when the window is largest.
    let least = 100_000.0 / (1.2 * cwnd);
    assert!(run.gaps(0).iter().all(|gap| *gap as f64 > least - 1.0), "{least}");
}

//= test RFC 9002 section 7.8 pacing
#[test]
fn a_paced_window_doubles_in_each_round_of_slow_start_if_there_is_data_for_it() {
    let window_after = |packets: u64, ms: u64| {
        let options = Options::recommended(Units::packets(1000));
        let mut run = Run::new(options, cubic(10.0, f64::INFINITY), 1, packets);
        run.start(true);
        run.until(at(ms));
        run.sender.control().decision().cwnd
    };
    // Data is sent from 100 ms on, at two windows in a round trip. While the window doubles with what is acknowledged, a round leaves
    // within ln 2 = 0.69 round trips (the sum of 2 / 2w over the windows w that it passes), and its last acknowledgement comes back one
    // round trip later: 170 ms after its begin at the latest.
    for (doublings, window) in [(1, 20.0), (2, 40.0), (3, 80.0), (4, 160.0)] {
        assert_eq!(window_after(100_000, 170 + 100 * doublings), window, "after {doublings} rounds");
    }
    // Five packets never fill a window of ten, whatever the pacer holds back of them.
    assert_eq!(window_after(5, 250), 10.0);
}

#[test]
fn a_rate_is_paced_by_its_quantum() {
    // A limit of 12.5 MB/s plays no role here. The initial rate of BBR is 4 ln 2 * 10 / 0.1 s = 277 packets
    // per second, and its quantum two packets: 7.213 ms for both.
    let entry = registry::find("bbrv3").unwrap();
    let controller =
        Assembly::new(entry, &entry.descriptor.defaults(), None, None).join(&initial(10.0, 1e6, 1000));
    let mut run = Run::new(Options::recommended(Units::bytes(1000)), controller, 1000, 1000);
    run.start(true);
    run.until(at(199));
    assert_eq!(run.gaps(0), [0, 7213, 0, 7213, 0, 7213, 0, 7213, 0]);
}

#[test]
fn a_window_in_bytes_has_room_for_packets_that_fit() {
    let flight = |packet_bytes: u32, bytes| {
        let options = Options { pacing: false, ..Options::recommended(Units::bytes(packet_bytes)) };
        let mut run = Run::new(options, Told::new(10.0).controller(), bytes, 1000);
        run.start(false);
        (run.path.sent.len(), run.sender.inflight())
    };
    for packet_bytes in [1000, 1448, 49, 65_535] {
        assert_eq!(flight(packet_bytes, packet_bytes as u16), (10, 10 * u64::from(packet_bytes)));
    }
    // With packets half as large, 9.5 full packets are in flight after the 19th, and a full one would no
    // longer fit.
    assert_eq!(flight(1448, 724), (19, 19 * 724));
}

#[test]
fn a_control_is_told_packets_whatever_the_transport_counts() {
    let told = |units, bytes| {
        let told = Told::new(10.0);
        let options = Options { pacing: false, ..Options::recommended(units) };
        let mut run = Run::new(options, told.controller(), bytes, 1000);
        run.start(false);
        run.until(at(1000));
        told.acks()
    };
    let packets = told(Units::packets(65_535), 1);
    let bytes = told(Units::bytes(65_535), 65_535);
    assert_eq!(packets.len(), 100);
    // The values agree to within the rounding of a division by 65,535.
    let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
    for (one, other) in packets.iter().zip(&bytes) {
        let (rate, other_rate) = (one.rate.unwrap(), other.rate.unwrap());
        assert!(close(one.newly_acked, other.newly_acked) && close(one.abc_increment, other.abc_increment));
        assert!(close(one.inflight, other.inflight) && close(one.inflight_before, other.inflight_before));
        assert!(close(one.delivered, other.delivered) && close(rate.delivered, other_rate.delivered));
        assert!(close(rate.tx_in_flight, other_rate.tx_in_flight));
        assert_eq!((one.round_start, one.cwnd_limited), (other.round_start, other.cwnd_limited));
        assert_eq!(rate.interval, other_rate.interval);
    }
    // The rate is 10 packets in 100 ms.
    assert!(close(bytes[99].rate.unwrap().packets_per_second(RTT).unwrap(), 100.0));
}

#[test]
fn growth_of_the_window_counts_bytes() {
    // In slow start, 19 packets of half the size count as 9.5 packets.
    let options = Options { pacing: false, ..Options::recommended(Units::bytes(1448)) };
    let mut run = Run::new(options, cubic(10.0, f64::INFINITY), 724, 1000);
    run.start(false);
    run.until(at(100));
    let cwnd = run.sender.control().decision().cwnd;
    assert!((cwnd - 19.5).abs() < 1e-9, "{cwnd}");
}

#[test]
fn a_round_ends_when_a_packet_is_acknowledged_that_was_sent_after_the_last_had_ended() {
    let told = Told::new(10.0);
    let options = Options { pacing: false, ..Options::recommended(Units::packets(1000)) };
    let mut run = Run::new(options, told.controller(), 1, 1000);
    run.start(false);
    run.until(at(1000));
    let starts: Vec<usize> =
        told.acks().iter().enumerate().filter(|(_, ack)| ack.round_start).map(|(index, _)| index).collect();
    // The first acknowledgement ends the round of the first flight. The 11th, 21st, ... acknowledge the
    // packets that it let out.
    assert_eq!(starts, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
}

#[test]
fn packets_are_application_limited_until_the_flight_at_the_silence_is_delivered() {
    let told = Told::new(10.0);
    let options = Options { pacing: false, ..Options::recommended(Units::packets(1000)) };
    let mut run = Run::new(options, told.controller(), 1, 3);
    run.start(false); // 0 to 2 are sent at 0 ms, and the application is silent
    run.until(at(10));
    run.add_data(5); // 3 to 7 are sent after a silence
    run.until(at(20));
    run.add_data(100); // 8 and 9 fill the window after a silence with eight packets in flight
    // From 100 ms on the ten packets are acknowledged and let out ten others. The ninth is the first beyond
    // the eight in flight at the silence, and the packet that it lets out is the 19th.
    run.until(at(220));
    let limited: Vec<bool> = told.acks().iter().map(|ack| ack.rate.unwrap().app_limited).collect();
    let expected: Vec<bool> = (0..limited.len()).map(|number| (3..18).contains(&number)).collect();
    assert!(limited.len() > 18);
    assert_eq!(limited, expected);
}

#[test]
fn a_silence_with_nothing_in_flight_ends_with_the_first_packet() {
    let told = Told::new(2.0);
    let options = Options { pacing: false, ..Options::recommended(Units::packets(1000)) };
    let mut run = Run::new(options, told.controller(), 1, 0);
    run.start(false);
    run.add_data(100); // nothing was sent before: the first two follow a silence
    run.until(at(200));
    let limited: Vec<bool> = told.acks().iter().map(|ack| ack.rate.unwrap().app_limited).collect();
    assert_eq!(limited, [true, true, false, false]);
}

//= test RFC 6298 section 5.2
//= test RFC 6298 section 5.3
//= test RFC 6298 section 5.1
#[test]
fn the_timer_restarts_at_acknowledgements_of_new_data_and_stops_at_the_last() {
    // Three packets are sent with a window of two and a timeout of a second: at 0, 0 and 100 ms. They are
    // acknowledged at 100, 100 and 200 ms.
    let options = Options { pacing: false, ..Options::recommended(Units::packets(1000)) };
    let mut run = Run::new(options, Told::new(2.0).controller(), 1, 3);
    run.start(false);
    assert_eq!(run.sender.deadline(), at(1000));
    run.until(at(150));
    assert_eq!(run.sender.deadline(), at(1100));
    run.until(at(250));
    assert_eq!(run.sender.deadline(), Time::NEVER);
}
