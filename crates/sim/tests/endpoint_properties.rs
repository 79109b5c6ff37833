//! Checks the invariants of a TCP connection under arbitrary events: a short version of the fuzz target
//! `tcp_endpoint`, with the same driver. Also regression tests of errors that the fuzzer and a comparison
//! with the RFCs found.

mod endpoint_driver;
mod scripts;

use ackclock_base::{Span, Time, Values};
use ackclock_cc::{Assembly, Exponential};
use ackclock_sim::endpoint::Launch;
use ackclock_sim::random::Stream;
use ackclock_sim::tcp::options::{self, Options};
use ackclock_sim::tcp::segment::{Block, Flags, Segment as Packet};
use ackclock_sim::tcp::sender::{SegmentWire, TcpSender};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn endpoints_keep_their_promises(bytes in scripts::scripts()) {
        endpoint_driver::drive(&bytes);
    }
}

/// A sender with endless data, and the packets that it has sent.
struct Connection {
    sender: TcpSender,
    now: Time,
    sent: Sent,
}

#[derive(Default)]
struct Sent(Vec<Packet>);

impl SegmentWire for Sent {
    fn send(&mut self, packet: Packet) -> Launch {
        self.0.push(packet);
        Launch::Sent
    }
}

impl Connection {
    fn open(profile: &str, settings: &[(&str, &str)]) -> Self {
        Self::with_control("sack", profile, settings)
    }

    fn with_control(control: &str, profile: &str, settings: &[(&str, &str)]) -> Self {
        let values = Values::with(options::find(profile).unwrap(), settings);
        let options = Options::new(&values, Some("sack"));
        let entry = ackclock_cc::registry::find(control).unwrap();
        let values = entry.descriptor.defaults();
        let control = Assembly::new(entry, &values, None, None).join(&options.initial());
        let backoff = Box::new(Exponential { most: options.details.max_backoff });
        let mut connection = Self {
            sender: TcpSender::new(&options, control, backoff, u64::MAX, Stream::new(1, "guesses")),
            now: Time::from_seconds(1.0),
            sent: Sent::default(),
        };
        connection.sender.start(connection.now, &mut connection.sent);
        connection
    }

    /// Passes an acknowledgement to the sender, a millisecond after the last event. Returns the packets that
    /// it sends in response.
    fn ack(&mut self, number: u64, block: (u64, u64), flags: Flags) -> Vec<Packet> {
        self.ack_with_marks(number, block, flags, 0)
    }

    fn ack_with_marks(&mut self, number: u64, block: (u64, u64), flags: Flags, marks: u16) -> Vec<Packet> {
        self.now += Span::from_millis(1);
        let offset = |number_in_block: u64| number_in_block.saturating_sub(number) as u32;
        let mut sack = [Block::default(); 3];
        sack[0] = Block { start: offset(block.0), end: offset(block.1) };
        let packet =
            Packet { number, stamp: self.now, bytes: 40, count: marks, flags, sack, ..Packet::default() };
        self.sent.0.clear();
        self.sender.on_ack(self.now, &packet, &mut self.sent);
        self.sent.0.clone()
    }
}

const PLAIN: Flags = Flags::ECN_CAPABLE;
const NO_BLOCK: (u64, u64) = (0, 0);

//= test RFC 5681 section 2
/// RFC 5681 section 2: a duplicate acknowledgement has SYN off. SYN is repeated if the first round trip takes
/// longer than the timeout, and so is the answer.
#[test]
fn repeated_answers_to_syn_are_no_duplicates() {
    let mut connection = Connection::open("rfc", &[]);
    assert_eq!(connection.ack(0, NO_BLOCK, Flags::SYN).len(), 10);
    for _ in 0..5 {
        assert_eq!(connection.ack(0, NO_BLOCK, Flags::SYN), []);
    }
    assert_eq!(connection.sender.core().counts().fast_retransmits, 0);
}

/// RFC 3168 section 6.1.2: the first new packet after a reduction announces it, whatever its cause, and marks
/// of the same window cause no second reduction.
#[test]
fn a_loss_is_announced_to_the_receiver_that_echoes_marks() {
    let settings = [("ecn", "true"), ("initial_window", "10 packets"), ("reduction", "immediate")];
    let mut connection = Connection::open("ns2", &settings);
    for end in 2..4 {
        connection.ack(0, (1, end), PLAIN);
    }
    let retransmitted = connection.ack(0, (1, 4), PLAIN);
    assert_eq!(
        retransmitted.first().map(|packet| (packet.number, packet.flags)),
        Some((0, Flags::RETRANSMISSION))
    );
    let cwnd = connection.sender.core().control().decision().cwnd;
    let new: Vec<Packet> = (5..11).flat_map(|end| connection.ack(0, (1, end), PLAIN)).collect();
    let announced: Vec<bool> = new.iter().map(|packet| packet.flags.has(Flags::WINDOW_REDUCED)).collect();
    assert!(announced.len() > 1 && announced[0] && !announced[1..].contains(&true), "{announced:?}");
    connection.ack(10, NO_BLOCK, Flags::CONGESTION_ECHO);
    assert!(connection.sender.core().control().decision().cwnd >= cwnd, "a second reduction");
}

/// RFC 3168 section 6.1.2: the receiver echoes a mark until the packet with the announcement arrives, the
/// first new packet after the reduction. The echo that acknowledges the packet before it still belongs to the
/// old mark.
#[test]
fn a_mark_halves_the_window_once() {
    let settings = [("ecn", "true"), ("initial_window", "10 packets"), ("reduction", "immediate")];
    let mut connection = Connection::open("ns2", &settings);
    let mut new = connection.ack(1, NO_BLOCK, Flags::CONGESTION_ECHO);
    let halved = connection.sender.core().control().decision().cwnd;
    assert!(halved < 6.0, "{halved}");
    new.extend((2..=10).flat_map(|number| connection.ack(number, NO_BLOCK, Flags::CONGESTION_ECHO)));
    let announcing = new.first().map(|packet| (packet.number, packet.flags.has(Flags::WINDOW_REDUCED)));
    assert_eq!(announcing, Some((10, true)));
    assert!(connection.sender.core().control().decision().cwnd >= halved, "a second reduction");
    // The announcement has arrived, so an echo belongs to another mark.
    connection.ack(11, NO_BLOCK, Flags::CONGESTION_ECHO);
    assert!(connection.sender.core().control().decision().cwnd < halved);
}

/// RFC 9331 section 4: a control that reacts to each mark sends ECT(1), also in retransmissions, and is told
/// the number of marked packets.
#[test]
fn a_control_that_counts_marks_is_told_of_each() {
    let settings = [("ecn", "true"), ("initial_window", "16 packets"), ("reduction", "immediate")];
    let mut connection = Connection::with_control("dctcp", "ns2", &settings);
    assert!(connection.sent.0.iter().all(|packet| packet.flags == Flags::LOW_LATENCY));
    let cwnd = |connection: &Connection| connection.sender.core().control().decision().cwnd;
    // alpha begins at 1, so the first mark halves 16, and the second, in the same window, does nothing. An
    // echo alone is no mark, nor is an acknowledgement that was overtaken and reports fewer marks than the
    // one before.
    connection.ack_with_marks(1, NO_BLOCK, Flags::CONGESTION_ECHO, 1);
    assert_eq!(cwnd(&connection), 8.0);
    connection.ack_with_marks(2, NO_BLOCK, Flags::CONGESTION_ECHO, 3);
    assert_eq!(cwnd(&connection), 8.0);
    for number in [3, 16] {
        connection.ack_with_marks(number, NO_BLOCK, Flags::CONGESTION_ECHO, 2);
    }
    assert!(cwnd(&connection) >= 8.0);
    let before = cwnd(&connection);
    // 3 of the 16 packets were marked: alpha = 1 + (3/16 - 1) / 16 is below 1, and a mark in a new window
    // cuts by half of alpha.
    connection.ack_with_marks(17, NO_BLOCK, PLAIN, 4);
    let factor = cwnd(&connection) / before;
    assert!(factor > 0.5 && factor < 0.6, "{factor}");
    let retransmitted: Vec<Packet> =
        (19..23).flat_map(|end| connection.ack_with_marks(17, (18, end), PLAIN, 4)).collect();
    let again = retransmitted.iter().find(|packet| packet.number == 17).map(|packet| packet.flags);
    assert_eq!(again, Some(Flags::RETRANSMISSION.with(Flags::LOW_LATENCY)));
}

/// RFC 9768 section 3.2.2: the field of three bits counts from five, and nothing else is taken into account.
#[test]
fn accurate_ecn_counts_marks_from_five_on() {
    let settings = [("ecn", "true"), ("accurate_ecn", "true"), ("initial_window", "16 packets")];
    let mut connection = Connection::with_control("dctcp", "ns2", &settings);
    let mut cwnd = |number, field, wide| {
        connection.ack_with_marks(number, NO_BLOCK, Flags::of_three(field), wide);
        connection.sender.core().control().decision().cwnd
    };
    // One mark halves 16, since alpha begins at 1. The next window has no mark, whatever a wide counter says.
    assert_eq!(cwnd(1, 6, 0), 8.0);
    assert!(cwnd(17, 6, 3) >= 8.0);
    // A control that does not count treats it as an echo, once per window of data. No reduction is announced:
    // CWR is a bit of the field.
    let mut connection = Connection::open("ns2", &settings);
    let mut sent = connection.ack(1, NO_BLOCK, Flags::of_three(6));
    let halved = connection.sender.core().control().decision().cwnd;
    assert!(halved < 9.0, "{halved}");
    sent.extend((2..=16).flat_map(|number| connection.ack(number, NO_BLOCK, Flags::of_three(7))));
    assert!(connection.sender.core().control().decision().cwnd >= halved, "a second reduction");
    assert!(!sent.is_empty() && sent.iter().all(|packet| !packet.flags.has(Flags::WINDOW_REDUCED)));
}

//= test RFC 6298 section 3
/// Karn's algorithm (RFC 6298 section 3): a timed packet that is retransmitted gives no sample.
#[test]
fn a_retransmitted_packet_is_not_timed() {
    let settings = [("initial_window", "10 packets"), ("reduction", "immediate"), ("initial_rto", "3 s")];
    let mut connection = Connection::open("ns2", &settings);
    // Packet 0 is lost. The first new packet after its retransmission is timed: 12.
    let sent: Vec<u64> =
        (2..13).flat_map(|end| connection.ack(0, (1, end), PLAIN)).map(|packet| packet.number).collect();
    let last = sent.iter().max().unwrap() + 1;
    assert!(sent.starts_with(&[10, 11, 0, 12]) && last > 15, "{sent:?}");
    // Packet 12 is lost too, and retransmitted before the recovery ends.
    let retransmitted = connection.ack(0, (13, last), PLAIN);
    assert!(retransmitted.iter().any(|packet| packet.number == 12), "{retransmitted:?}");
    connection.ack(last, NO_BLOCK, PLAIN);
    assert_eq!(connection.sender.timer(), connection.now + Span::from_millis(3000), "no sample yet");
}

/// The host's own interface, which may be full.
#[derive(Default)]
struct Interface {
    sent: Vec<u64>,
    full: bool,
}

impl SegmentWire for Interface {
    fn send(&mut self, packet: Packet) -> Launch {
        if self.full {
            return Launch::Refused;
        }
        self.sent.push(packet.number);
        Launch::Sent
    }
}

/// Linux's tcp_transmit_skb: a packet that the interface refuses has not been sent, and the window falls once
/// for the outstanding packets. If none is outstanding, only the timer can try again.
#[test]
fn packets_that_a_full_interface_refuses_are_sent_later_and_reduce_the_window_once() {
    let settings = [("handshake", "false"), ("local_drop", "cwr"), ("cwnd_validation", "none")];
    let options = Options::new(&Values::with(options::find("linux").unwrap(), &settings), Some("sack"));
    let entry = ackclock_cc::registry::find("sack").unwrap();
    let control = Assembly::new(entry, &entry.descriptor.defaults(), None, None).join(&options.initial());
    let backoff = Box::new(Exponential { most: options.details.max_backoff });
    let mut sender = TcpSender::new(&options, control, backoff, u64::MAX, Stream::new(1, "guesses"));
    let mut interface = Interface { full: true, ..Interface::default() };
    sender.start(Time::from_seconds(1.0), &mut interface);
    // RFC 6298 section 2.1: the first timeout is 1 s.
    assert_eq!((sender.timer(), sender.core().counts().sent), (Time::from_seconds(2.0), 0));
    interface.full = false;
    sender.on_timer(Time::from_seconds(2.0), &mut interface);
    assert_eq!(interface.sent, (0..10).collect::<Vec<_>>());
    assert_eq!(sender.core().counts().timeouts, 0);
    // Two acknowledgements find the interface full. The window of 11 is halved at the first, to 5.5, and
    // grows at the second.
    let mut cwnd = |number, interface: &mut Interface| {
        let now = Time::from_seconds(2.1);
        sender.on_ack(now, &Packet { number, stamp: now, bytes: 40, ..Packet::default() }, interface);
        sender.core().control().decision().cwnd
    };
    interface.full = true;
    let halved = cwnd(1, &mut interface);
    assert_eq!(halved, 5.5);
    assert!(cwnd(2, &mut interface) >= halved, "a second reduction");
    // The interface has room again: the refused packet is sent once the flight is below the window.
    interface.full = false;
    for number in 3..9 {
        cwnd(number, &mut interface);
    }
    assert_eq!(interface.sent[10..12], [10, 11]);
}
