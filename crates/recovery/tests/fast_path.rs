//! Tests that the fast path changes nothing: a sender whose rule offers it does what it does with the same
//! rule that never offers it, in whatever order packets are lost, delayed and acknowledged.

use ackclock_base::random::Scripted;
use ackclock_base::{Packets, Random, Span, Time};
use ackclock_cc::{
    Ack, Assembly, Change, Control, Controller, Decision, Exponential, Initial, Loss, Lost, Recovered, Sent,
    Timeout, WindowControl, registry,
};
use ackclock_recovery::declared::{Losses, PartialAckTimer, UndoRules};
use ackclock_recovery::detection::duplicates::Duplicates;
use ackclock_recovery::detection::mda::{LatePartial, Mda};
use ackclock_recovery::detection::sack::{Flight, Sack};
use ackclock_recovery::detection::vegas::Vegas;
use ackclock_recovery::detection::{AckSummary, AfterTimeout, Detection, Reaction};
use ackclock_recovery::ecn::MarkFeedback;
use ackclock_recovery::ledger::Ledger;
use ackclock_recovery::sender::{Acknowledgement, Output, Transmission};
use ackclock_recovery::{Options, Parts, Sender, Units};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// A rule that never offers the fast path.
struct Restless<Rule>(Rule);

impl<Rule: Detection> Detection for Restless<Rule> {
    fn on_ack(&mut self, ledger: &mut Ledger, summary: &AckSummary) -> Reaction {
        self.0.on_ack(ledger, summary)
    }
    fn on_timeout(&mut self, ledger: &mut Ledger, now: Time) {
        self.0.on_timeout(ledger, now);
    }
    fn on_undone(&mut self, ledger: &mut Ledger) {
        self.0.on_undone(ledger);
    }
    fn leave_flight_to_control(&mut self) {
        self.0.leave_flight_to_control();
    }
    fn on_possibly_spurious_timeout(&mut self, ledger: &mut Ledger) {
        self.0.on_possibly_spurious_timeout(ledger);
    }
    fn on_confirmed_timeout(&mut self, ledger: &mut Ledger, now: Time) {
        self.0.on_confirmed_timeout(ledger, now);
    }
    fn in_recovery(&self) -> bool {
        self.0.in_recovery()
    }
    fn inflight(&self, ledger: &Ledger) -> u64 {
        self.0.inflight(ledger)
    }
    fn next(&mut self, ledger: &mut Ledger, cwnd: u64, fresh_until: u64) -> Option<u64> {
        self.0.next(ledger, cwnd, fresh_until)
    }
    fn on_sent(&mut self, ledger: &mut Ledger, number: u64, in_line: bool) {
        self.0.on_sent(ledger, number, in_line);
    }
    fn wants_ranges(&self, ledger: &Ledger) -> bool {
        self.0.wants_ranges(ledger)
    }
}

/// The log of a sender: what it sent, and what its control was told.
type Log = Arc<Mutex<Vec<String>>>;

/// A control that logs what it is told.
struct Noting(Controller, Log);

impl Noting {
    fn note(&self, told: &dyn Debug) {
        self.1.lock().unwrap().push(format!("{told:?}"));
    }
}

impl Control for Noting {
    fn decision(&self) -> Decision {
        self.0.decision()
    }
    fn on_change(&mut self, change: &Change) {
        self.note(change);
        self.0.on_change(change);
    }
    fn on_sent(&mut self, sent: &Sent, random: &mut dyn Random) {
        self.note(sent);
        self.0.on_sent(sent, random);
    }
    fn on_ack(&mut self, ack: &Ack, random: &mut dyn Random) {
        self.note(ack);
        self.0.on_ack(ack, random);
    }
    fn on_lost(&mut self, lost: &Lost, random: &mut dyn Random) {
        self.note(lost);
        self.0.on_lost(lost, random);
    }
    fn on_loss(&mut self, loss: &Loss, random: &mut dyn Random) {
        self.note(loss);
        self.0.on_loss(loss, random);
    }
    fn on_timeout(&mut self, timeout: &Timeout, random: &mut dyn Random) {
        self.note(timeout);
        self.0.on_timeout(timeout, random);
    }
    fn on_recovered(&mut self, recovered: &Recovered) {
        self.note(recovered);
        self.0.on_recovered(recovered);
    }
}

impl WindowControl for Noting {
    fn set_cwnd(&mut self, cwnd: Packets) {
        self.0.window_control().unwrap().set_cwnd(cwnd);
    }
    fn set_ssthresh(&mut self, ssthresh: Packets) {
        self.0.window_control().unwrap().set_ssthresh(ssthresh);
    }
}

/// The fate of a packet on the path: `None` if it is lost, or its extra delay in milliseconds.
type Fate = Option<u64>;

/// When a packet arrives, and in which order it was sent.
type Place = (Time, usize);

/// An acknowledgement: the next packet in order, ranges above it, and when the packet that triggered it was
/// sent.
type Answer = (u64, Vec<Range<u64>>, Time);

/// A path of 20 ms with a receiver that acknowledges at once.
struct Path {
    now: Time,
    /// The fates of consecutive packets, repeated from the beginning.
    fates: Vec<Fate>,
    bytes: u16,
    sent: usize,
    /// The packets on their way to the receiver; `acks` are the acknowledgements on their way to the sender.
    data: BTreeMap<Place, (u64, Time)>,
    acks: BTreeMap<Place, Answer>,
    next: u64,
    stored: BTreeSet<u64>,
    log: Log,
}

impl Output for Path {
    fn send(&mut self, transmission: Transmission) -> Option<u16> {
        self.log.lock().unwrap().push(format!("{} {transmission:?}", self.now));
        let fate = self.fates[self.sent % self.fates.len()];
        self.sent += 1;
        if let Some(ms) = fate {
            let arrives = self.now + Span::from_millis(10 + ms);
            self.data.insert((arrives, self.sent), (transmission.number, self.now));
        }
        Some(self.bytes)
    }
}

impl Path {
    fn receive(&mut self, at: Place, (number, stamp): (u64, Time)) {
        if number >= self.next {
            self.stored.insert(number);
        }
        while self.stored.remove(&self.next) {
            self.next += 1;
        }
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for number in &self.stored {
            match ranges.last_mut() {
                Some(last) if last.end == *number => last.end += 1,
                _ => ranges.push(*number..*number + 1),
            }
        }
        ranges.truncate(3);
        self.acks.insert((at.0 + Span::from_millis(10), at.1), (self.next, ranges, stamp));
    }
}

/// Returns the log of a sender that sends `packets` packets over a path.
fn play(
    options: &Options,
    rule: Box<dyn Detection>,
    bytes: u16,
    packets: u64,
    fates: &[Fate],
) -> Vec<String> {
    let log = Log::default();
    let entry = registry::find("reno").unwrap();
    let initial = Initial { window: 2.0, ssthresh: 40.0, limit: 1e3, ..Initial::default() };
    let reno = Assembly::new(entry, &entry.descriptor.defaults(), None, None).join(&initial);
    let parts = Parts {
        controller: Controller::Window(Box::new(Noting(reno, log.clone()))),
        detection: rule,
        backoff: Box::new(Exponential { most: 64.0 }),
        random: Box::new(Scripted::new(&[0.25])),
    };
    let mut path = Path {
        now: Time::ZERO,
        fates: fates.to_vec(),
        bytes,
        sent: 0,
        data: BTreeMap::new(),
        acks: BTreeMap::new(),
        next: 0,
        stored: BTreeSet::new(),
        log: log.clone(),
    };
    let mut sender = Sender::new(options.clone(), parts, packets);
    sender.begin(path.now);
    sender.open(path.now, &mut path);
    for _ in 0..2_000 {
        let arrival = path.data.first_key_value().map_or(Time::NEVER, |(at, _)| at.0);
        let ack = path.acks.first_key_value().map_or(Time::NEVER, |(at, _)| at.0);
        path.now = arrival.min(ack).min(sender.timer());
        if path.now == Time::NEVER {
            break;
        }
        if arrival == path.now {
            let (at, packet) = path.data.pop_first().unwrap();
            path.receive(at, packet);
        } else if ack == path.now {
            let (_, (cumulative, ranges, stamp)) = path.acks.pop_first().unwrap();
            let acknowledgement = Acknowledgement {
                cumulative,
                ranges: ranges.into_iter(),
                stamp: Some(stamp),
                one_way_delay: None,
                dsack: None,
                marks: MarkFeedback::default(),
                advances: None,
                held: None,
            };
            sender.on_ack(path.now, acknowledgement, &mut path);
        } else {
            sender.on_timer(path.now, &mut path);
        }
    }
    let log = log.lock().unwrap();
    log.clone()
}

/// Generates fates: most packets arrive on time, some are delayed and a few are lost.
fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = prop_oneof![20 => Just(Some(0)), 2 => (0_u64..30).prop_map(Some), 1 => Just(None)];
    prop::collection::vec(fate, 1..120)
}

fn sack_options() -> impl Strategy<Value = Losses> {
    let after = prop_oneof![Just(AfterTimeout::GoBackN), Just(AfterTimeout::KeepSack)];
    let flight = prop_oneof![
        Just(Flight::Inferred),
        Just(Flight::Proportional),
        Just(Flight::Linux),
        Just(Flight::Counted)
    ];
    (after, flight).prop_map(|(after_timeout, reduction)| Losses {
        after_timeout,
        reduction,
        ..Losses::default()
    })
}

fn options(pacing: bool, frto: bool) -> Options {
    let undo = UndoRules { spurious_timeouts: true, spurious_recoveries: true, dsack_undo: false, frto };
    Options { pacing, undo, abc_limit: 1, ..Options::recommended(Units::packets(1000)) }
}

proptest! {
    #[test]
    fn the_fast_path_of_sack_changes_nothing(fates in fates(), rule in sack_options(), pacing: bool, frto: bool, packets in 1_u64..400) {
        let options = options(pacing, frto);
        let fast_path = play(&options, Box::new(Sack::new(rule)), 1, packets, &fates);
        let restless = play(&options, Box::new(Restless(Sack::new(rule))), 1, packets, &fates);
        prop_assert_eq!(fast_path, restless);
    }

    #[test]
    fn the_fast_path_of_sack_in_bytes_changes_nothing(fates in fates(), bytes in 1_u16..1500, pacing: bool, packets in 1_u64..400) {
        let rule = Losses { reduction: Flight::Inferred, ..Losses::default() };
        let options = Options { units: Units::bytes(1500), ..options(pacing, false) };
        let fast_path = play(&options, Box::new(Sack::new(rule)), bytes, packets, &fates);
        let restless = play(&options, Box::new(Restless(Sack::new(rule))), bytes, packets, &fates);
        prop_assert_eq!(fast_path, restless);
    }

    #[test]
    fn the_fast_path_of_duplicates_changes_nothing(fates in fates(), partial in 0_usize..5, limited_transmit: bool, packets in 1_u64..400) {
        let timers = [PartialAckTimer::First, PartialAckTimer::Every];
        let (partial_ack_timer, window_deflation) = (timers[partial % 4 / 2], partial % 2 == 1);
        let losses = Losses { limited_transmit, partial_ack_timer, window_deflation, ..Losses::default() };
        let rule = || Duplicates::new(losses, partial < 4);
        let options = options(false, false);
        let fast_path = play(&options, Box::new(rule()), 1, packets, &fates);
        prop_assert_eq!(fast_path, play(&options, Box::new(Restless(rule())), 1, packets, &fates));
    }

    #[test]
    fn the_fast_path_of_vegas_changes_nothing(fates in fates(), packets in 1_u64..400) {
        let options = options(false, false);
        let fast_path = play(&options, Box::new(Vegas::new(Losses::default())), 1, packets, &fates);
        prop_assert_eq!(fast_path, play(&options, Box::new(Restless(Vegas::new(Losses::default()))), 1, packets, &fates));
    }

    #[test]
    fn the_fast_path_of_multiple_drops_changes_nothing(fates in fates(), late in 0_usize..3, packets in 1_u64..400) {
        let late_partial = [LatePartial::One, LatePartial::Two, LatePartial::Nothing][late];
        let rule = Losses { late_partial, ..Losses::default() };
        let options = options(false, false);
        let fast_path = play(&options, Box::new(Mda::new(rule, true)), 1, packets, &fates);
        prop_assert_eq!(fast_path, play(&options, Box::new(Restless(Mda::new(rule, true))), 1, packets, &fates));
    }
}

/// A rule that counts the acknowledgements of which it hears.
struct Counting(Box<dyn Detection>, Arc<Mutex<u32>>);

impl Detection for Counting {
    fn on_ack(&mut self, ledger: &mut Ledger, summary: &AckSummary) -> Reaction {
        *self.1.lock().unwrap() += 1;
        self.0.on_ack(ledger, summary)
    }
    fn on_timeout(&mut self, ledger: &mut Ledger, now: Time) {
        self.0.on_timeout(ledger, now);
    }
    fn on_undone(&mut self, ledger: &mut Ledger) {
        self.0.on_undone(ledger);
    }
    fn in_recovery(&self) -> bool {
        self.0.in_recovery()
    }
    fn inflight(&self, ledger: &Ledger) -> u64 {
        self.0.inflight(ledger)
    }
    fn next(&mut self, ledger: &mut Ledger, cwnd: u64, fresh_until: u64) -> Option<u64> {
        self.0.next(ledger, cwnd, fresh_until)
    }
    fn allows_fast_path(&self) -> bool {
        self.0.allows_fast_path()
    }
}

#[test]
fn a_rule_on_the_fast_path_hears_of_nothing() {
    // The first of a hundred acknowledgements shows that the rule offers the fast path. Each of the rules above does;
    // otherwise the tests above would compare it with itself.
    let losses = Losses { limited_transmit: false, ..Losses::default() };
    let rules: [Box<dyn Detection>; 4] = [
        Box::new(Sack::new(Losses { reduction: Flight::Inferred, ..losses })),
        Box::new(Duplicates::new(losses, false)),
        Box::new(Vegas::new(losses)),
        Box::new(Mda::new(losses, true)),
    ];
    let heard = rules.map(|rule| {
        let count = Arc::default();
        let rule = Counting(rule, Arc::clone(&count));
        play(&options(false, false), Box::new(rule), 1, 100, &[Some(0)]);
        *count.lock().unwrap()
    });
    assert_eq!(heard, [1; 4]);
}
