//! The effect of each detail in which the profile `linux` differs from `rfc`, on a sender whose
//! acknowledgements the test writes.

use ackclock_base::{Span, Time, Values};
use ackclock_cc::{Assembly, Exponential};
use ackclock_recovery::sender::RecoveryState;
use ackclock_sim::endpoint::Launch;
use ackclock_sim::random::Stream;
use ackclock_sim::tcp::options::{self, Options};
use ackclock_sim::tcp::segment::{Block, Flags, Segment};
use ackclock_sim::tcp::sender::{SegmentWire, TcpSender};

#[derive(Default)]
struct Sent(Vec<Segment>);

impl SegmentWire for Sent {
    fn send(&mut self, segment: Segment) -> Launch {
        self.0.push(segment);
        Launch::Sent
    }
}

/// A sender of endless data with Reno's window, which begins at ten packets.
struct Connection {
    sender: TcpSender,
    now: Time,
    sent: Sent,
}

const ROUND_TRIP: Span = Span::from_millis(10);

impl Connection {
    fn open(settings: &[(&str, &str)]) -> Self {
        let settings = [&[("handshake", "false")], settings].concat();
        let options = Options::new(&Values::with(options::find("rfc").unwrap(), &settings), None);
        let entry = ackclock_cc::registry::find("reno").unwrap();
        let control = Assembly::new(entry, &entry.descriptor.defaults(), None, None).join(&options.initial());
        let backoff = Box::new(Exponential { most: options.details.max_backoff });
        let sender = TcpSender::new(&options, control, backoff, u64::MAX, Stream::new(1, "guesses"));
        let mut connection = Self { sender, now: Time::from_seconds(1.0), sent: Sent::default() };
        connection.sender.start(connection.now, &mut connection.sent);
        connection
    }

    /// Passes an acknowledgement of all packets below `number`, and of a block above, a round trip later.
    fn ack(&mut self, number: u64, block: (u32, u32), window: u32) {
        let stamp = self.now;
        self.now += ROUND_TRIP;
        self.take(stamp, number, block, window);
    }

    /// Passes an acknowledgement now.
    fn take(&mut self, stamp: Time, number: u64, block: (u32, u32), window: u32) {
        let mut sack = [Block::default(); 3];
        sack[0] = Block { start: block.0, end: block.1 };
        let segment = Segment { number, stamp, bytes: 40, window, sack, ..Segment::default() };
        self.sender.on_ack(self.now, &segment, &mut self.sent);
    }

    fn cwnd(&self) -> f64 {
        self.sender.core().control().decision().cwnd
    }

    fn state(&self) -> RecoveryState {
        self.sender.core().state()
    }

    /// Returns the time from now until the timer.
    fn timer(&self) -> Span {
        self.sender.timer().since(self.now)
    }
}

const NO_BLOCK: (u32, u32) = (0, 0);

#[test]
fn packets_out_of_order_let_the_window_grow_once_three_have_overtaken_one() {
    // tcp_may_raise_cwnd. Twenty packets leave at once; acknowledgements of them come within 1 ms, so that none is lost.
    // Packets 1 and 2 overtake packet 0, and then 4 to 6 packet 3, each time without growth until the gap is filled: in
    // Linux by the one packet newly delivered, by RFC 3465 by two. From packet 3 to one past 6 there are four packets, more
    // than tcp_reordering, and in Linux packets 8 and 9, out of order, let the window grow by two.
    for (growth, windows) in
        [("packets", [20.0, 22.0, 22.0, 24.0, 24.0]), ("delivered", [20.0, 21.0, 21.0, 22.0, 24.0])]
    {
        let settings = [
            ("growth", growth),
            ("cwnd_validation", "none"),
            ("recovery", "rack"),
            ("initial_window", "20 packets"),
        ];
        let mut connection = Connection::open(&settings);
        let arrivals = [(0, (1, 3)), (3, NO_BLOCK), (3, (1, 4)), (7, NO_BLOCK), (7, (1, 3))];
        let stamp = connection.now;
        let mut found = Vec::new();
        for (tenths, (number, block)) in (0_u64..).zip(arrivals) {
            connection.now = stamp + ROUND_TRIP + Span::from_nanos(100_000 * tenths);
            connection.take(stamp, number, block, 0);
            found.push(connection.cwnd());
        }
        assert_eq!(found, windows, "{growth}");
    }
}

/// Sends responses of these sizes over one connection, one a second. Every second packet and the last of a response is
/// acknowledged 100 ms after it was sent. Returns how many milliseconds each takes until its last packet is
/// acknowledged.
fn responses(cwnd_validation: &str, sizes: &[u64]) -> Vec<u64> {
    let settings =
        [("handshake", "false"), ("after_idle", "keep"), ("hystart", "false"), ("window", "10000 packets")];
    let settings =
        [&settings[..], &[("cwnd_validation", cwnd_validation), ("receive_window", "fixed")]].concat();
    let options = Options::new(&Values::with(options::find("linux").unwrap(), &settings), None);
    let entry = ackclock_cc::registry::find("cubic").unwrap();
    let control = Assembly::new(entry, &entry.descriptor.defaults(), None, None).join(&options.initial());
    let backoff = Box::new(Exponential { most: options.details.max_backoff });
    let mut sender = TcpSender::new(&options, control, backoff, 0, Stream::new(1, "guesses"));
    let mut sent = Sent::default();
    sender.stay_open();
    sender.start(Time::from_seconds(1.0), &mut sent);
    let (mut base, mut times) = (0, Vec::new());
    for (index, size) in (1_u32..).zip(sizes) {
        let begin = Time::from_seconds(f64::from(index));
        let (first, mut now) = (sent.0.len(), begin);
        sender.send_more(now, *size, &mut sent);
        let mut next = first;
        while next < sent.0.len() {
            let segment = sent.0[next];
            next += 1;
            assert_eq!(
                segment.number,
                base + (next - first) as u64 - 1,
                "packets are sent once and in order"
            );
            if (next - first).is_multiple_of(2) || segment.number + 1 == base + size {
                now = segment.stamp + Span::from_millis(100);
                let ack = Segment {
                    number: segment.number + 1,
                    stamp: segment.stamp,
                    bytes: 40,
                    ..Segment::default()
                };
                sender.on_ack(now, &ack, &mut sent);
            }
        }
        base += size;
        times.push(now.since(begin).nanos() / 1_000_000);
    }
    times
}

#[test]
fn later_responses_use_the_window_that_earlier_ones_opened() {
    // In Linux ten packets fill the window of 10, which is then 20 (tcp_cwnd_validate). Ten more leave it, because it
    // is not below twice ten. Of 40 packets 20 leave in the first round trip and the rest in the second, and the
    // window becomes 60; of 100 packets 60 and 40. RFC 7661 needs half of the window: 22 of 40 packets leave at
    // first, and 62 of 100. RFC 9002 asks at each acknowledgement whether the window is full: 10 packets make 12, and
    // 40 packets leave as 12, 24 and 4, 100 packets as 24 or a few more, 50 and the rest.
    let sizes = [10, 10, 40, 100];
    assert_eq!(responses("linux", &sizes), [100, 100, 200, 200]);
    assert_eq!(responses("half", &sizes), [100, 100, 200, 200]);
    assert_eq!(responses("full", &sizes), [100, 100, 300, 300]);
    // Without validation the window is 20 and 30 after ten packets each, and the rest is as in Linux.
    assert_eq!(responses("none", &sizes), [100, 100, 200, 200]);
}

#[test]
fn growth_counts_one_or_two_or_all_that_is_delivered() {
    for (growth, cwnd) in [("acks", 11.0), ("packets", 12.0), ("delivered", 18.0)] {
        let mut connection = Connection::open(&[("growth", growth), ("cwnd_validation", "none")]);
        connection.ack(8, NO_BLOCK, 0);
        assert_eq!(connection.cwnd(), cwnd, "{growth}");
    }
}

#[test]
fn packets_delivered_before_do_not_count_again() {
    // Packet 0 is late. Packets 1 and 2 arrive, to which a window law does not react (in Linux,
    // tcp_may_raise_cwnd). Then three are acknowledged in order, one of which is newly delivered.
    for (growth, windows) in [("packets", [10.0, 12.0]), ("delivered", [10.0, 11.0])] {
        let mut connection = Connection::open(&[("growth", growth), ("cwnd_validation", "none")]);
        connection.ack(0, (1, 3), 0);
        let first = connection.cwnd();
        connection.ack(3, NO_BLOCK, 0);
        assert_eq!([first, connection.cwnd()], windows, "{growth}");
    }
}

#[test]
fn the_least_timeout_is_above_the_round_trip_in_linux() {
    // With round trips of 10 ms SRTT is 10 ms and RTTVAR 5 ms, so RFC 6298's 30 ms are below the minimum in
    // both interpretations.
    for (bounds, timeout) in [("timeout", 200), ("deviation", 210)] {
        let settings = [("min_rto", "200 ms"), ("min_rto_bounds", bounds), ("recovery", "sack")];
        let mut connection = Connection::open(&settings);
        connection.ack(1, NO_BLOCK, 0);
        assert_eq!(connection.timer(), Span::from_millis(timeout), "{bounds}");
    }
}

#[test]
fn a_probe_of_a_single_packet_waits_for_a_delayed_acknowledgement_or_as_long_as_linux_does() {
    // The probe waits for two round trips of 10 ms, and 40 ms or 200 ms; with more than one packet in flight
    // for no more than the round trips.
    let rack = [("recovery", "rack"), ("delayed_ack_time", "40 ms")];
    for (settings, window, millis) in [
        (vec![], "1 packets", 60),
        (vec![("probe_ack_delay", "200 ms")], "1 packets", 220),
        (vec![("probe_ack_delay", "200 ms")], "2 packets", 20),
    ] {
        let settings = [&rack[..], &[("window", window)], &settings].concat();
        let mut connection = Connection::open(&settings);
        connection.ack(1, NO_BLOCK, 0);
        assert_eq!(connection.timer(), Span::from_millis(millis), "{settings:?}");
    }
}

#[test]
fn packets_are_paced_at_gain_times_the_window_per_round_trip() {
    // The first of ten packets is acknowledged: the window is 11, and two packets may be sent, the second
    // after a round trip divided by the gain and by 11. A threshold of 20 is less than twice the window: the
    // last round trip of slow start.
    for (setting, ssthresh, gain) in [
        (("pacing_slow_start", "2"), "none", 2.0),
        (("pacing_slow_start", "1"), "none", 1.0),
        (("pacing_avoidance", "1"), "none", 2.0),
        (("pacing_avoidance", "1.2"), "20 packets", 1.2),
        (("pacing_avoidance", "1"), "20 packets", 1.0),
    ] {
        let mut settings = vec![("pacing", "true"), setting];
        if ssthresh != "none" {
            settings.push(("initial_ssthresh", ssthresh));
        }
        let mut connection = Connection::open(&settings);
        connection.ack(1, NO_BLOCK, 0);
        let expected = ROUND_TRIP.scale(1.0 / (gain * 11.0));
        assert_eq!((connection.timer(), connection.sent.0.len()), (expected, 11), "{setting:?} {ssthresh}");
    }
}

#[test]
fn an_advertised_window_bounds_the_flight_and_the_sender_tells_what_it_has_seen() {
    let mut connection =
        Connection::open(&[("receive_window", "autotuned"), ("initial_receive_window", "11584 B")]);
    // 11,584 bytes are eight packets of 1,448: eight packets of the window of ten are sent, and report no
    // acknowledgement.
    assert_eq!(connection.sent.0.len(), 8);
    assert!(connection.sent.0.iter().all(|segment| segment.count == 0));
    // Four packets are acknowledged: the window is nine from 4 on.
    connection.ack(4, NO_BLOCK, 9);
    assert_eq!(connection.sent.0.last().map(|last| (last.number, last.count)), Some((12, 4)));
    // An acknowledgement that was overtaken opens nothing.
    connection.ack(3, NO_BLOCK, 2000);
    assert_eq!(connection.sent.0.len(), 13);
    // The window is limited by max_receive_window, 3 MiB: 2172 packets.
    connection.ack(5, NO_BLOCK, 3000);
    assert_eq!(connection.sent.0.last().map(|last| last.count), Some(5));
    let options = Options::new(&Values::with(options::find("linux").unwrap(), &[]), None);
    assert_eq!((options.recovery.window, options.widest_window), (45, 2172));
    assert_eq!(options.initial().limit, 2172.0);
}

/// Opens a connection that is marked, in which ten packets are outstanding.
fn marked(rule: &str, mark_reduction: &str) -> Connection {
    let settings = [("recovery", rule), ("mark_reduction", mark_reduction), ("ecn", "true")];
    Connection::open(&settings)
}

impl Connection {
    /// Passes an acknowledgement with the echo of a mark. Returns the numbers of the packets that are sent.
    fn echo(&mut self, number: u64, block: (u32, u32)) -> Vec<u64> {
        let before = self.sent.0.len();
        let mut sack = [Block::default(); 3];
        sack[0] = Block { start: block.0, end: block.1 };
        let flags = Flags::CONGESTION_ECHO;
        let segment = Segment { number, stamp: self.now, bytes: 40, sack, flags, ..Segment::default() };
        self.now += ROUND_TRIP;
        self.sender.on_ack(self.now, &segment, &mut self.sent);
        self.sent.0[before..].iter().map(|segment| segment.number).collect()
    }
}

#[test]
fn a_mark_thins_the_sender_out_in_linux_and_silences_it_in_the_rfc() {
    // The first of ten acknowledgements halves the window of ten to five. In proportion (RFC 9937 section 6.2) n deliveries let
    // out ceil(n / 2) packets while more than five are in flight. The ninth finds five: none. At once, the flight falls from 9 to 5 without a packet, and each further delivery lets one out.
    // The window does not grow until packet 10, the first that was sent afterwards, is acknowledged.
    let cases =
        [("proportional", [1, 0, 1, 0, 1, 0, 1, 0, 0, 1]), ("immediate", [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])];
    for (mark_reduction, expected) in cases {
        for rule in ["sack", "rack"] {
            let mut connection = marked(rule, mark_reduction);
            for number in 1..=10_u64 {
                let sent = connection.echo(number, NO_BLOCK).len();
                assert_eq!(sent, expected[number as usize - 1], "{mark_reduction} {rule}, {number}");
                assert_eq!((connection.cwnd(), connection.state()), (5.0, RecoveryState::Cwr));
            }
            connection.ack(11, NO_BLOCK, 0);
            assert_eq!((connection.cwnd(), connection.state()), (5.0, RecoveryState::Open));
            connection.ack(12, NO_BLOCK, 0);
            assert!(connection.cwnd() > 5.0, "{mark_reduction} {rule}");
        }
    }
}

#[test]
fn a_loss_in_the_window_of_a_mark_continues_its_reduction() {
    // Linux's tcp_enter_recovery in state CWR: the window stays at five, and n deliveries still let out ceil(n / 2) packets.
    // Packet 1 is lost, which the fourth delivery shows, three of them selective. The fifth lets its retransmission out. A
    // reduction that began anew would send it at once.
    let mut connection = marked("sack", "proportional");
    assert_eq!(connection.echo(1, NO_BLOCK), [10]);
    let sent: Vec<Vec<u64>> = (2..7).map(|end| connection.echo(1, (1, end))).collect();
    assert_eq!(sent, [vec![], vec![11], vec![], vec![1], vec![]]);
    assert_eq!((connection.cwnd(), connection.state()), (5.0, RecoveryState::Recovery));
    // The recovery ends with the event: packet 9 is the last that had been sent when the mark was heard of.
    connection.ack(10, NO_BLOCK, 0);
    assert_ne!(connection.state(), RecoveryState::Recovery);
    assert_eq!(connection.sender.core().counts().fast_retransmits, 1);
}

#[test]
fn a_window_whose_packets_are_all_marked_stays_at_its_least() {
    // Each acknowledgement covers all that is outstanding, so it ends the event before and begins one: 10, 5, 2.5 and then the
    // least window of two packets (RFC 9438 section 4.6). (No mark was answered with nothing outstanding, and the window grew.)
    for rule in ["sack", "rack"] {
        let mut connection = marked(rule, "immediate");
        let windows: Vec<f64> = (0..8)
            .map(|_| {
                let all = connection.sender.core().high();
                connection.echo(all, NO_BLOCK);
                connection.cwnd()
            })
            .collect();
        assert_eq!(windows, [5.0, 2.5, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0], "{rule}");
    }
}

#[test]
fn the_reaction_to_a_loss_that_a_probe_repaired_is_not_undone_by_the_next_acknowledgement() {
    // The receiver allows ten packets, so the probe repeats the last of packets 1 to 10. An acknowledgement of packets 1 and 2
    // lets packets 11 and 12 out. That of packet 11, without a report of a duplicate, shows that the probe repaired a loss (RFC
    // 8985 section 7.4.2), and the window is reduced. Packet 12 was sent before that, but was not lost: its echo proves nothing.
    let settings = [("recovery", "rack"), ("window", "10 packets"), ("spurious_recoveries", "true")];
    let mut connection = Connection::open(&settings);
    connection.ack(1, NO_BLOCK, 0);
    let before = connection.cwnd();
    connection.now = connection.sender.timer();
    connection.sender.on_timer(connection.now, &mut connection.sent);
    assert_eq!(connection.sent.0.last().map(|segment| segment.number), Some(10));
    connection.ack(3, NO_BLOCK, 0);
    assert_eq!(connection.sent.0.last().map(|segment| segment.number), Some(12));
    connection.ack(12, NO_BLOCK, 0);
    let reduced = connection.cwnd();
    assert!(reduced < before, "{reduced} of {before}");
    connection.now = Time::from_nanos(connection.now.nanos() - 1_000_000);
    connection.ack(13, NO_BLOCK, 0);
    assert_eq!(connection.cwnd(), reduced);
}
