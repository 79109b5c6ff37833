//! Associations driven by hand: what is sent over which path and when, the effect of timers, and the effect
//! of acknowledgements.

use ackclock_base::{Rate, Time, Values};
use ackclock_cc::{Assembly, Exponential, registry};
use ackclock_sim::random::Stream;
use ackclock_sim::reading::ReaderOptions;
use ackclock_sim::sctp::association::Association;
use ackclock_sim::sctp::message::{Block, Control, ControlKind, Data, Echo, Message, MessageWire, Sack};
use ackclock_sim::sctp::options::{Options, find};
use ackclock_sim::sctp::path::Path;

/// A message that was sent: the path, and the TSN of data or the kind of a control chunk.
#[derive(Debug, PartialEq)]
enum Sent {
    Data(usize, u64),
    Control(usize, ControlKind),
}
use Sent::Data as Chunk;

#[derive(Default)]
struct Written(Vec<Sent>);

impl MessageWire for Written {
    fn send(&mut self, path: usize, message: &Message<'_>) {
        match message {
            Message::Data(Data { tsn, .. }) => self.0.push(Sent::Data(path, *tsn)),
            Message::Control(control) => self.0.push(Sent::Control(path, control.kind)),
            Message::Sack(_) => {}
        }
    }
}

struct Driver {
    association: Association,
    wire: Written,
}

fn at(seconds: f64) -> Time {
    Time::from_seconds(seconds)
}

impl Driver {
    /// Creates an association over paths with these initial windows, without handshake and HEARTBEATs unless
    /// `settings` say otherwise.
    fn new<const PATHS: usize>(
        profile: &str,
        law: &str,
        windows: [f64; PATHS],
        settings: &[(&str, &str)],
    ) -> Self {
        let mut all = vec![
            ("handshake", "false"),
            ("confirm_paths", "false"),
            ("heartbeat_interval", "3000 s"),
            ("initial_rto", "1 s"),
            ("max_burst", "1000"),
        ];
        all.retain(|(key, _)| settings.iter().all(|(set, _)| set != key));
        all.extend_from_slice(settings);
        Self::with(Options::new(&Values::with(find(profile).expect("a profile"), &all)), law, windows)
    }

    /// Creates an association with these options over paths with these initial windows.
    fn with<const PATHS: usize>(options: Options, law: &str, windows: [f64; PATHS]) -> Self {
        let entry = registry::find(law).expect("a control");
        let mut assembly = Assembly::new(entry, &entry.descriptor.defaults(), None, None);
        let path = |window: f64| {
            let (backoff, random) = (Box::new(Exponential { most: 65_536.0 }), Stream::new(1, "guesses"));
            let mut path = Path::new(&options, assembly.join(&options.initial()), backoff, random, true);
            path.sender.set_cwnd(Time::ZERO, window);
            path
        };
        let paths = windows.map(path).into();
        let association =
            Association::new(options.clone(), paths, None, u64::MAX, Stream::new(1, "heartbeats"));
        let mut driver = Self { association, wire: Written::default() };
        driver.association.start(Time::ZERO, &mut driver.wire);
        driver
    }

    /// Returns the messages sent since the last call.
    fn sent(&mut self) -> Vec<Sent> {
        std::mem::take(&mut self.wire.0)
    }

    /// Passes a SACK for one packet that acknowledges all TSNs below `cumulative`, and ranges above.
    fn sack(&mut self, seconds: f64, cumulative: u64, above: &[std::ops::Range<u64>]) {
        self.sack_for(1, seconds, cumulative, above);
    }

    /// Passes such a SACK for a number of packets.
    fn sack_for(&mut self, packets: u8, seconds: f64, cumulative: u64, above: &[std::ops::Range<u64>]) {
        let near = |tsn: u64| (tsn - cumulative) as u16;
        let blocks: Vec<_> =
            above.iter().map(|range| Block { start: near(range.start), end: near(range.end) }).collect();
        let sack = Sack { cumulative, blocks: &blocks, window: 1 << 20, echo: Echo::default(), packets };
        self.association.on_sack(at(seconds), &sack, &mut self.wire);
    }

    fn control(&mut self, seconds: f64, path: usize, kind: ControlKind, sent: f64) {
        let control = Control { kind, sent: at(sent), tag: 7 };
        self.association.on_control(at(seconds), path, &control, &mut self.wire);
    }

    /// Lets the next timer expire, which must be due at this time.
    fn expire(&mut self, seconds: f64) {
        assert_eq!(self.association.timer(), at(seconds));
        self.association.on_timer(at(seconds), &mut self.wire);
    }

    /// Lets all timers before this time expire, while the second path answers HEARTBEATs.
    fn pass(&mut self, seconds: f64) {
        while self.association.timer() < at(seconds) {
            let now = self.association.timer();
            self.association.on_timer(now, &mut self.wire);
            if self.sent().contains(&Sent::Control(1, ControlKind::Heartbeat)) {
                self.control(now.seconds(), 1, ControlKind::HeartbeatAck, now.seconds());
            }
        }
    }

    fn windows(&self) -> [f64; 2] {
        [0, 1].map(|path| self.association.paths()[path].cwnd())
    }

    fn ssthresh(&self, path: usize) -> f64 {
        self.association.paths()[path].sender.control().decision().ssthresh
    }

    fn rto_s(&self, path: usize) -> f64 {
        self.association.paths()[path].sender.rto().seconds()
    }
}

#[test]
fn the_timer_of_a_retransmission_runs_from_its_sending() {
    // RFC 9260 sections 6.3.2 R3 and 7.2.4: chunk 0 is missing; the third report causes its retransmission,
    // which restarts the timer. Chunks that were sent before and arrive afterwards have higher TSNs and do
    // not affect the timer: 0.12 s plus RTO.Min.
    let mut driver = Driver::new("sctp", "sctp", [8.0, 4.0], &[]);
    assert_eq!(driver.sent().len(), 8);
    for (seconds, end) in [(0.10, 2), (0.11, 3), (0.12, 4), (0.13, 5), (0.14, 6), (0.15, 7), (0.16, 8)] {
        driver.sack(seconds, 0, std::slice::from_ref(&(1..end)));
    }
    assert!(driver.sent().contains(&Chunk(0, 0)));
    assert_eq!(driver.association.timer(), at(1.12));
    // When chunk 0 arrives, all others have except for those sent since, so another chunk is the earliest.
    driver.sack(0.2, 8, &[]);
    assert_eq!(driver.association.timer(), at(1.2));
}

//= test RFC 9260 section 6.3.2 r3
#[test]
fn an_acknowledgement_of_the_earliest_chunk_begins_the_timer_anew() {
    let mut driver = Driver::new("sctp", "sctp", [4.0, 4.0], &[]);
    driver.sack(0.1, 0, std::slice::from_ref(&(2..3)));
    assert_eq!(driver.association.timer(), at(1.0), "0 and 1 are missing");
    driver.sack(0.2, 1, std::slice::from_ref(&(2..3)));
    assert_eq!(driver.association.timer(), at(1.2));
}

//= test RFC 9260 section 7.2.4 highest
#[test]
fn a_sack_reports_what_is_missing_below_the_highest_that_it_newly_acknowledges() {
    // Four reports make a loss. The first concerns chunks 0 to 4, below 5. The three SACKs that bring 1 to 3
    // report 0 and not 4; those that bring 6 to 8 report both. Lost chunks are retransmitted when all chunks
    // in flight have arrived.
    let later = [[1..1, 5..6], [5..5, 5..7], [5..5, 5..8], [5..5, 5..9]];
    let earlier = [[1..1, 5..6], [1..2, 5..6], [1..3, 5..6], [1..4, 5..6]];
    for (sacks, expected) in [(earlier, (2, 1)), (later, (2, 2))] {
        let mut driver = Driver::new("sctp", "sctp", [8.0, 4.0], &[("missing_reports", "4")]);
        let mut sent = driver.sent();
        for above in sacks {
            assert!(!sent[1..].contains(&Chunk(0, 0)), "before {above:?}");
            driver.sack(0.1, 0, &above[usize::from(above[0].is_empty())..]);
            sent.append(&mut driver.sent());
        }
        driver.sack(0.2, 4, std::slice::from_ref(&(5..20)));
        sent.append(&mut driver.sent());
        let times = |tsn: u64| sent.iter().filter(|sent| **sent == Chunk(0, tsn)).count();
        assert_eq!((times(0), times(4)), expected, "{sent:?}");
    }
}

//= test RFC 9260 section 7.2.1 idle
#[test]
fn the_window_of_a_path_that_carries_single_retransmissions_falls_between_them() {
    // Chunk 0 is sent over path 2 at 1 s and chunk 1 at 3.05 s, two RTOs of 1 s later. The window of 12
    // packets falls to 6 and then to 3, or to the 4 that RFC 9260 section 7.2.1 leaves, which sets the
    // threshold to 12 before. Retransmissions after a timeout do not fill a window of 12.
    let settings = [("retransmit_to", "alternate"), ("chunk", "1468 B")];
    for (profile, law, window, threshold) in
        [("sctp", "sctp", 4.0, 12.0), ("sctp-thesis", "sctp-2960", 3.0, 65_536.0 / 1468.0)]
    {
        let mut driver = Driver::new(profile, law, [1.0, 12.0], &settings);
        assert_eq!(driver.sent(), [Chunk(0, 0)]);
        driver.expire(1.0);
        assert_eq!(driver.sent(), [Chunk(1, 0)]);
        driver.sack(1.05, 1, &[]);
        assert_eq!(driver.sent(), [Chunk(0, 1)]);
        assert_eq!(driver.windows(), [1.0, 12.0], "{profile}");
        driver.expire(3.05);
        assert_eq!(driver.sent(), [Chunk(1, 1)]);
        assert_eq!((driver.windows()[1], driver.ssthresh(1)), (window, threshold), "{profile}");
    }
}

#[test]
fn an_idle_path_whose_window_does_not_fall_keeps_its_threshold() {
    // Path 2 has the four packets that RFC 9260 section 7.2.1 leaves, and is used for the first time since
    // two RTOs. Its threshold is 50 chunks of 1468 bytes.
    let settings = [("retransmit_to", "alternate"), ("chunk", "1468 B"), ("initial_ssthresh", "73400 B")];
    let mut driver = Driver::new("sctp", "sctp", [1.0, 4.0], &settings);
    driver.expire(1.0);
    driver.sack(1.05, 1, &[]);
    driver.expire(3.05);
    assert_eq!((driver.sent().last(), driver.windows()[1]), (Some(&Chunk(1, 1)), 4.0));
    assert_eq!(driver.ssthresh(1), 50.0);
}

#[test]
fn the_timer_of_a_path_with_nothing_in_flight_does_not_start_in_ns2() {
    // All chunks of path 1 time out, and the first is sent over path 2.
    let mut driver = Driver::new("sctp-thesis", "sctp-2960", [4.0, 4.0], &[]);
    driver.expire(1.0);
    let deadlines = [0, 1].map(|path: usize| driver.association.paths()[path].sender.deadline());
    assert_eq!(deadlines, [Time::NEVER, at(2.0)]);
}

#[test]
fn a_closed_window_is_not_probed_when_nothing_is_left_to_send() {
    // Both chunks are acknowledged at 0.1 s with a window of zero. The RTO is 1 s, its minimum, so the last
    // chunk is sent as a probe at 1.1 s, unless the application has stopped.
    let values = [("handshake", "false"), ("heartbeat_interval", "3000 s")];
    let options = Options::new(&Values::with(find("sctp").expect("a profile"), &values));
    let reader = Some(ReaderOptions { rate: Rate::default(), changes: None });
    for (stops, probes) in [(false, vec![Chunk(0, 1)]), (true, vec![])] {
        let mut driver =
            Driver::with(Options { reader: reader.clone(), ..options.clone() }, "sctp", [2.0, 4.0]);
        driver.association.stay_open();
        assert_eq!(driver.sent(), [Chunk(0, 0), Chunk(0, 1)]);
        let sack = Sack { cumulative: 2, blocks: &[], window: 0, echo: Echo::default(), packets: 2 };
        driver.association.on_sack(at(0.1), &sack, &mut driver.wire);
        if stops {
            driver.association.stop();
        }
        driver.expire(1.1);
        assert_eq!(driver.sent(), probes, "stops: {stops}");
    }
}

#[test]
fn chunks_that_arrive_after_their_loss_let_their_path_grow_in_ns2() {
    // A timeout leaves path 1 a window of one packet, and chunk 0 is sent over path 2. All four chunks had
    // arrived: of 1, 2 and 3 one packet's worth counts for path 1, on which they are still outstanding, which
    // is more than its window.
    let mut driver = Driver::new("sctp-thesis", "sctp-2960", [4.0, 4.0], &[]);
    assert_eq!(driver.sent().len(), 5, "the last may pass the window");
    driver.expire(1.0);
    assert_eq!((driver.sent(), driver.windows()[0]), (vec![Chunk(1, 0)], 1.0));
    driver.sack(1.05, 5, &[]);
    assert_eq!(driver.windows(), [2.0, 4.0]);
}

#[test]
fn the_handshake_measures_a_round_trip_except_in_ns2() {
    // The round trip is 0.1 s twice, so the timeout is RTO.Min. Without the sample it remains RTO.Initial, 3
    // s here.
    for (profile, rto_s) in [("sctp", 1.0), ("sctp-thesis", 3.0)] {
        let settings = [("handshake", "true"), ("initial_rto", "3 s")];
        let mut driver = Driver::new(profile, "sctp", [4.0, 4.0], &settings);
        assert_eq!(driver.sent(), [Sent::Control(0, ControlKind::Init)]);
        driver.control(0.1, 0, ControlKind::InitAck, 0.0);
        driver.control(0.2, 0, ControlKind::CookieAck, 0.1);
        assert!(driver.association.is_established());
        assert_eq!(driver.rto_s(0), rto_s, "{profile}");
    }
}

/// Lets the first path fail at 63 s, after timeouts of 1, 2, 4, 8, 16 and 32 s, each over one new chunk,
/// which the second path carries at once.
fn fail_first_path(profile: &str, settings: &[(&str, &str)]) -> Driver {
    let mut all = vec![("heartbeat_interval", "30 s"), ("retransmit_to", "alternate"), ("failback", "true")];
    all.push(("chunk", "1468 B"));
    all.extend_from_slice(settings);
    let mut driver = Driver::new(profile, "sctp", [1.0, 2.0], &all);
    for (tsn, expires) in (0..).zip([1.0, 3.0, 7.0, 15.0, 31.0]) {
        driver.pass(expires);
        driver.expire(expires);
        driver.sack(expires, tsn + 1, &[]);
    }
    driver.pass(63.0);
    driver.sent();
    driver.expire(63.0);
    assert_eq!(driver.sent(), [Chunk(1, 5), Sent::Control(0, ControlKind::Heartbeat)], "{profile}");
    driver
}

#[test]
fn a_failed_path_is_probed_and_used_again_when_it_answers() {
    for profile in ["sctp", "sctp-thesis"] {
        let mut driver = fail_first_path(profile, &[]);
        driver.sack(63.1, 6, &[]);
        assert_eq!(driver.sent()[0], Chunk(1, 6), "{profile}");
        driver.control(63.2, 0, ControlKind::HeartbeatAck, 63.0);
        assert!(matches!(driver.sent()[..], [Chunk(0, _)]), "{profile}");
    }
}

#[test]
fn a_failed_path_is_probed_again_after_each_rto_or_interval() {
    // The RTO is 60 s: 63, 123, 183 s. With the interval, the next is 30 s and 30 to 90 s after the one at 63
    // s.
    for (profile, repeat, from, to) in [
        ("sctp-thesis", "always", 123.0, 123.0),
        ("sctp", "when-failed", 123.0, 123.0),
        ("sctp", "interval", 123.0, 183.0),
    ] {
        let settings = [("receive_window", "1500 B"), ("heartbeat_repeat", repeat)];
        let mut driver = fail_first_path(profile, &settings);
        let mut asked = None;
        while asked.is_none() {
            let now = driver.association.timer();
            driver.association.on_timer(now, &mut driver.wire);
            let sent = driver.sent();
            asked = sent.contains(&Sent::Control(0, ControlKind::Heartbeat)).then(|| now.seconds());
            if sent.contains(&Sent::Control(1, ControlKind::Heartbeat)) {
                driver.control(now.seconds(), 1, ControlKind::HeartbeatAck, now.seconds());
            }
            let sent_to = driver.association.sent_to();
            driver.sack(now.seconds(), sent_to, &[]);
        }
        assert!(asked.is_some_and(|asked| (from..=to).contains(&asked)), "{profile}: {asked:?}");
    }
}

//= test RFC 9260 section 8.1
#[test]
fn heartbeats_without_an_answer_count_for_the_association_on_the_path_of_its_data_alone() {
    // RFC 9260 section 8.1. Timeouts over data come at 1, 3, 7 and 15 s, the fourth of which exceeds the
    // limit. The HEARTBEAT of the second path is sent after 10.5 to 11.5 s, and is given up 1 s later: in
    // ns-2 that is the fourth error.
    for (profile, from, to) in [("sctp", 15.0, 15.0), ("sctp-thesis", 11.5, 12.5)] {
        let settings =
            [("heartbeat_interval", "10 s"), ("association_max_retrans", "3"), ("retransmit_to", "same")];
        let mut driver = Driver::new(profile, "sctp", [4.0, 4.0], &settings);
        while driver.association.failed_at().is_none() {
            let now = driver.association.timer();
            driver.association.on_timer(now, &mut driver.wire);
        }
        let failed_s = driver.association.failed_at().map(Time::seconds);
        assert!(failed_s.is_some_and(|failed_s| (from..=to).contains(&failed_s)), "{profile}: {failed_s:?}");
    }
}

#[test]
fn the_next_heartbeat_is_due_by_the_timeout_at_which_the_last_one_was_sent() {
    // RFC 9260 section 8.3. Four HEARTBEATs over the second path are not answered, at RTOs of 1, 2, 4 and 8
    // s. The fifth is answered, which ends the back-off. The sixth is still sent 30 s and 8 to 24 s after it.
    let settings = [
        ("heartbeat_interval", "30 s"),
        ("path_max_retrans", "100"),
        ("association_max_retrans", "1000"),
        ("receive_window", "1500 B"),
    ];
    let mut driver = Driver::new("sctp", "sctp", [4.0, 4.0], &settings);
    let mut asked = Vec::new();
    while asked.len() < 6 {
        let now = driver.association.timer();
        driver.association.on_timer(now, &mut driver.wire);
        let sent = driver.sent();
        let now_s = now.seconds();
        if sent.contains(&Sent::Control(0, ControlKind::Heartbeat)) {
            driver.control(now_s, 0, ControlKind::HeartbeatAck, now_s);
        }
        if sent.contains(&Sent::Control(1, ControlKind::Heartbeat)) {
            asked.push(now_s);
            if asked.len() == 5 {
                driver.control(now_s, 1, ControlKind::HeartbeatAck, now_s);
            }
        }
        let sent_to = driver.association.sent_to();
        driver.sack(now_s, sent_to, &[]);
    }
    let apart_s = asked[5] - asked[4];
    assert!((38.0..=54.0).contains(&apart_s), "{asked:?}");
}

#[test]
fn multiple_fast_retransmit_sends_a_chunk_a_third_time_after_later_chunks_arrive() {
    // Chunk 0 is lost twice. Three reports cause its retransmission. Chunks 8 and 9 (and 10 in ns-2, which
    // passes the window) were sent before that, and their reports do not count; the three reports after that
    // are caused by chunks sent later. RFC 9260 section 7.2.4 leaves the second loss to the timer.
    for profile in ["sctp", "sctp-thesis"] {
        for (multiple, times) in [("false", 1), ("true", 2)] {
            let settings =
                [("multiple_fast_retransmit", multiple), ("missing_reports", "3"), ("retransmit_to", "same")];
            let mut driver = Driver::new(profile, "sctp", [8.0, 4.0], &settings);
            let mut sent = driver.sent();
            for end in [2, 3, 8, 9, 10, 11, 12, 13, 14] {
                driver.sack(0.1 + end as f64 / 100.0, 0, std::slice::from_ref(&(1..end)));
                sent.append(&mut driver.sent());
            }
            let again = sent.iter().skip(1).filter(|sent| **sent == Chunk(0, 0)).count();
            assert_eq!(again, times, "{profile}, {multiple}: {sent:?}");
        }
    }
}

#[test]
fn a_heartbeat_that_is_replaced_when_data_times_out_counts_as_lost() {
    // Neither path answers, both have failed, and data is still sent over them: at most the last HEARTBEAT of
    // each path has not been counted as lost.
    let settings = [
        ("path_max_retrans", "0"),
        ("association_max_retrans", "1000"),
        ("heartbeat_interval", "10 s"),
        ("heartbeat_repeat", "always"),
    ];
    let mut driver = Driver::new("sctp", "sctp", [4.0, 4.0], &settings);
    while driver.association.timer() < at(600.0) {
        let now = driver.association.timer();
        driver.association.on_timer(now, &mut driver.wire);
    }
    let counts = driver.association.counts();
    assert!(counts.heartbeats > 10, "{counts:?}");
    assert!(counts.heartbeats <= counts.heartbeats_lost + 2, "{counts:?}");
}

#[test]
fn under_cmt_a_sack_for_several_packets_of_one_path_is_that_number_of_reports() {
    // Iyengar, Amer and Stewart 2006 (DAC): a delayed SACK for three packets counts as three reports if all that it newly
    // acknowledges was sent over one path. TSN 0 was sent over the first of three paths and is missing; a later TSN of
    // that path arrives, and in the second case one of another path too. Three reports make a loss.
    for (others, lost) in [(false, true), (true, false)] {
        let settings = [("cmt", "true"), ("missing_reports", "3"), ("retransmit_to", "same")];
        let mut driver = Driver::new("sctp", "sctp", [4.0; 3], &settings);
        let sent = driver.sent();
        let path_of = |tsn| {
            sent.iter().find_map(|sent| match sent {
                Chunk(path, sent) if *sent == tsn => Some(*path),
                _ => None,
            })
        };
        let next_of = |wanted: fn(Option<usize>) -> bool| {
            (2..12).find(|tsn| wanted(path_of(*tsn))).map_or(0..0, |tsn| tsn..tsn + 1)
        };
        assert_eq!((path_of(0), sent.len()), (Some(0), 12));
        let mut above = vec![next_of(|path| path == Some(0))];
        above.extend(others.then(|| next_of(|path| path != Some(0))));
        above.sort_by_key(|range| range.start);
        driver.sack_for(3, 0.1, 0, &above);
        assert_eq!(driver.sent().contains(&Chunk(0, 0)), lost, "{above:?} of {sent:?}");
    }
}
