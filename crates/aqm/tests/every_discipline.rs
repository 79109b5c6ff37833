//! Properties of every registered discipline under any arrivals: no more packets wait than fit, no packet is
//! lost, duplicated or invented, packets of a flow leave in order, only packets that may be marked are
//! marked, a free link does not idle, and nothing panics. Each discipline's
//! [`Service`](ackclock_aqm::Service) says which exceptions it has.

mod reference_link;

use ackclock_aqm::disciplines::droptail::DropTail;
use ackclock_aqm::entry::{Entry, PERIODS};
use ackclock_aqm::registry::{self, QUEUES};
use ackclock_aqm::testing::Dice;
use ackclock_aqm::{Arrival, Capacity, Departing, Departure, Ecn, Held, LinkRate, Queueing, Service, Ticket};
use ackclock_base::random::Scripted;
use ackclock_base::registry::Quantity;
use ackclock_base::{Descriptor, Parameter, Random, Rate, Size, Span, Time, Value, Values};
use proptest::prelude::*;
use reference_link::{Happening, ReferenceLink};
use std::collections::{BTreeMap, VecDeque};

const RATE: u64 = 10_000_000;

/// The source of all random choices of a run.
struct Draws<'a>(std::slice::Iter<'a, u8>);

impl Draws<'_> {
    fn byte(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    fn unit(&mut self) -> f64 {
        f64::from(u16::from(self.byte()) << 8 | u16::from(self.byte())) / 65535.0
    }
}

/// The disciplines with tokens, which publish a count of the bytes that have taken some.
const TOKENS: [&str; 8] =
    ["token-bucket", "scepter", "srtcm", "trtcm", "shaper", "fair-policer", "bc-pqp", "phantom-queue"];

/// Returns the defaults in half of the cases, otherwise with some parameters anywhere in their ranges.
fn values(descriptor: &'static Descriptor, draws: &mut Draws<'_>) -> Values {
    let mut values = descriptor.defaults();
    let anything = draws.byte() & 1 == 1;
    for parameter in descriptor.parameters {
        let free = anything && draws.byte() & 1 == 1;
        if (free || parameter.name == "ecn")
            && let Some(value) = value(parameter, draws)
        {
            values.set(parameter.name, value);
        }
    }
    values
}

/// Draws a value in the parameter's range, with every order of magnitude up to a million equally likely.
fn value(parameter: &Parameter, draws: &mut Draws<'_>) -> Option<Value> {
    let share = draws.unit();
    let range = parameter.range;
    let (low, high) = (range.min.max(-1e3), range.max.min(1e6));
    let (least, most) = (low.max(1e-9), high.max(1e-9));
    let number = match draws.byte() % 3 {
        0 if range.contains(low) => low,
        1 => high,
        _ if low < 0.0 => low + (high - low) * share,
        _ => least * (most / least).powf(share),
    };
    Some(match parameter.quantity {
        Quantity::Flag => Value::Flag(share > 0.5),
        Quantity::Number => Value::Number(number),
        Quantity::Integer => Value::Integer(number.clamp(low, high.min(5000.0)).ceil() as i64),
        Quantity::Time => Value::Time(Span::from_seconds(number.clamp(1e-6, 1e3))),
        Quantity::Rate => Value::Rate(Rate::from_bits_per_second(number.max(1000.0) as u64)),
        Quantity::Size => Value::Size(Size::from_bytes(number.ceil() as u64)),
        Quantity::Choice(words) => Value::Choice(words[(share * (words.len() - 1) as f64).round() as usize]),
        Quantity::Packets | Quantity::Limit | Quantity::File => return None,
    })
}

fn capacity(draws: &mut Draws<'_>) -> Capacity {
    let number = u64::from(draws.byte());
    match draws.byte() % 8 {
        0 => Capacity::Unlimited,
        1 | 2 => Capacity::Bytes(1500 * (1 + number)),
        _ => Capacity::Packets(1 + number),
    }
}

/// Returns bursts and pauses of packets of several flows; the packets of a flow but the last have the same ECN
/// field.
fn arrivals(dice: &mut Dice, count: usize) -> Vec<Arrival> {
    const FIELDS: [Ecn; 4] = [Ecn::NotCapable, Ecn::Classic, Ecn::LowLatency, Ecn::NotCapable];
    let mut now = Time::ZERO;
    let mut arrival = || {
        // 779 B in 0.4 ms on average are 15.6 Mbit/s for a link of 10, until a pause empties the queue.
        let pause = dice.uniform() < 0.004;
        now += Span::from_seconds(dice.uniform() * if pause { 0.3 } else { 0.8e-3 });
        let flow = (dice.uniform() * 12.0) as u32;
        let bytes = [40, 576, 1000, 1500][(dice.uniform() * 4.0) as usize];
        let field = if flow == 11 { (dice.uniform() * 4.0) as usize } else { flow as usize % FIELDS.len() };
        Arrival { now, bytes, flow, ecn: FIELDS[field] }
    };
    (0..count).map(|_| arrival()).collect()
}

/// The account of a run: packets that have arrived and are neither dropped nor sent, in the order of arrival.
struct Account<'a> {
    entry: &'a Entry,
    capacity: Capacity,
    marks: bool,
    waiting: VecDeque<(usize, Arrival)>,
    counts: BTreeMap<&'static str, usize>,
    /// The bytes of the packets that have begun their transmission.
    left_bytes: u64,
}

impl Account<'_> {
    fn take(&mut self, happening: &Happening) -> Result<(), TestCaseError> {
        let name = self.entry.descriptor.name;
        let service = self.entry.service;
        match *happening {
            Happening::Arrived { number, arrival } => {
                self.waiting.push_back((number, arrival));
                *self.counts.entry("arrived").or_default() += 1;
            }
            Happening::Dropped { number, newcomer } => {
                let (packets, bytes) = self.without(newcomer);
                let dropped = self.leave(number)?;
                prop_assert!(
                    service.drops_late || number == newcomer,
                    "{name} drops a packet that has waited"
                );
                prop_assert!(
                    !service.drops_only_when_full || !self.capacity.has_room(dropped.bytes, packets, bytes),
                    "{name} drops a packet that fits"
                );
                *self.counts.entry("dropped").or_default() += 1;
            }
            Happening::Left { number, marked } => {
                let overtaken = self.waiting.iter().any(|(other, _)| *other < number);
                let left = self.leave(number)?;
                if overtaken {
                    prop_assert!(service.overtakes, "{name} lets a packet overtake");
                    let alike = |arrival: &Arrival| {
                        arrival.flow == left.flow && (!service.queues_by_ecn || arrival.ecn == left.ecn)
                    };
                    let same = self.waiting.iter().any(|(other, arrival)| *other < number && alike(arrival));
                    prop_assert!(!same, "{name} lets a packet overtake one of its flow");
                }
                prop_assert!(!marked || left.ecn.is_capable(), "{name} marks a packet that cannot be marked");
                prop_assert!(!marked || self.marks, "{name} marks though marks are off");
                *self.counts.entry("left").or_default() += 1;
                self.left_bytes += u64::from(left.bytes);
            }
            Happening::Settled { packets, idles } => {
                prop_assert_eq!(packets, self.waiting.len() as u64, "{} counts other packets", name);
                prop_assert!(!idles || service.holds_back, "{name} lets a free link idle");
                let bytes: u64 = self.waiting.iter().map(|(_, arrival)| u64::from(arrival.bytes)).sum();
                let fits = match self.capacity {
                    Capacity::Unlimited => true,
                    Capacity::Packets(most) => packets <= most,
                    Capacity::Bytes(most) => bytes <= most,
                };
                prop_assert!(fits, "{name} holds {packets} packets, {bytes} B of {:?}", self.capacity);
            }
        }
        Ok(())
    }

    /// Checks the published count of bytes that have taken tokens, of disciplines with tokens: a policer counts what it
    /// admits, and a shaper what it sends.
    fn check_passed(&self, shown: &BTreeMap<&'static str, f64>) -> Result<(), TestCaseError> {
        if !TOKENS.contains(&self.entry.descriptor.name) {
            return Ok(());
        }
        let passed = shown.get("passed_bytes").expect("a count of bytes");
        let waiting: u64 = self.waiting.iter().map(|(_, arrival)| u64::from(arrival.bytes)).sum();
        let expected = self.left_bytes + if self.entry.service.holds_back { 0 } else { waiting };
        prop_assert_eq!(*passed, expected as f64, "{}: bytes passed", self.entry.descriptor.name);
        Ok(())
    }

    /// Returns the packets and bytes that wait besides the newcomer.
    fn without(&self, newcomer: usize) -> (u64, u64) {
        let others = self.waiting.iter().filter(|(number, _)| *number != newcomer);
        others.fold((0, 0), |(packets, bytes), (_, arrival)| (packets + 1, bytes + u64::from(arrival.bytes)))
    }

    fn leave(&mut self, number: usize) -> Result<Arrival, TestCaseError> {
        let place = self.waiting.iter().position(|(other, _)| *other == number);
        let name = self.entry.descriptor.name;
        prop_assert!(place.is_some(), "{name} sends packet {number} twice, or one that never arrived");
        Ok(self.waiting.remove(place.unwrap_or(0)).map(|(_, arrival)| arrival).expect("it is there"))
    }
}

fn check(entry: &Entry, bytes: &[u8], count: usize) -> Result<(), TestCaseError> {
    let mut draws = Draws(bytes.iter());
    let values = values(entry.descriptor, &mut draws);
    let capacity = capacity(&mut draws);
    let seed = u64::from_le_bytes(std::array::from_fn(|_| draws.byte()));
    check_with(entry, &values, capacity, seed, count)
}

fn check_with(
    entry: &Entry,
    values: &Values,
    capacity: Capacity,
    seed: u64,
    count: usize,
) -> Result<(), TestCaseError> {
    // A threshold of CoDel marks whatever `ecn` says.
    let threshold = matches!(values.get("ce_threshold"), Some(Value::Time(_)));
    let marks = values.get("ecn") == Some(Value::Flag(true)) || threshold;
    let rate = LinkRate { rate: Rate::from_bits_per_second(RATE), mean_packet_bytes: 1000 };
    let mut link = ReferenceLink::new((entry.build)(values, capacity, &rate), rate.rate, Dice(seed ^ 1));
    let mut account =
        Account { entry, capacity, marks, waiting: VecDeque::new(), counts: BTreeMap::new(), left_bytes: 0 };
    let mut shown = shown_by(&link);
    for arrival in arrivals(&mut Dice(seed), count) {
        link.arrive(arrival);
        for happening in link.happenings() {
            account.take(&happening)?;
        }
        let now = shown_by(&link);
        check_shown(entry.descriptor.name, &shown, &now)?;
        if values.get("exceeding") != Some(Value::Choice("mark")) {
            account.check_passed(&now)?;
        }
        shown = now;
    }
    let at = |what| account.counts.get(what).copied().unwrap_or(0);
    prop_assert_eq!(at("arrived"), count);
    prop_assert_eq!(count, at("dropped") + at("left") + account.waiting.len());
    Ok(())
}

/// Returns the published values.
fn shown_by<R: Random>(link: &ReferenceLink<R>) -> BTreeMap<&'static str, f64> {
    let mut shown = BTreeMap::new();
    link.publish(&mut |name, number| {
        shown.insert(name, number);
    });
    shown
}

/// Checks that the names are the same as before, and that a value is NaN only if it has not been known
/// before.
fn check_shown(
    name: &str,
    before: &BTreeMap<&'static str, f64>,
    now: &BTreeMap<&'static str, f64>,
) -> Result<(), TestCaseError> {
    prop_assert!(before.keys().eq(now.keys()), "{name} shows {before:?}, then {now:?}");
    let is_number =
        |(series, number): (&&str, &f64)| number.is_finite() || number.is_nan() && before[*series].is_nan();
    prop_assert!(
        now.iter().all(is_number),
        "{name} shows NaN for a value that was known: {now:?} after {before:?}"
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_discipline_obeys_the_rules_of_a_queue(bytes in prop::collection::vec(any::<u8>(), 0..160)) {
        for entry in QUEUES {
            check(entry, &bytes, 400)?;
        }
    }
}

#[test]
fn under_overload_every_discipline_both_sends_and_drops() {
    // A third of the traffic is too much. A discipline that lets all of it through, or none, decides nothing.
    for entry in QUEUES {
        let mut values = entry.descriptor.defaults();
        if entry.descriptor.parameter("rate").is_some() {
            values.set("rate", Value::Rate(Rate::from_bits_per_second(1_000_000)));
        }
        let rate = LinkRate { rate: Rate::from_bits_per_second(RATE), mean_packet_bytes: 1000 };
        let queueing = (entry.build)(&values, Capacity::Packets(50), &rate);
        let mut link = ReferenceLink::new(queueing, rate.rate, Dice(7));
        let (mut dropped, mut left) = (0, 0);
        for arrival in arrivals(&mut Dice(3), 20_000) {
            link.arrive(arrival);
            for happening in link.happenings() {
                dropped += usize::from(matches!(happening, Happening::Dropped { .. }));
                left += usize::from(matches!(happening, Happening::Left { .. }));
            }
        }
        assert!(dropped > 20, "{} drops {dropped}", entry.descriptor.name);
        assert!(left > 1000, "{} sends {left}", entry.descriptor.name);
    }
}

/// Checks that the work of a discipline follows from its packets and the time, and not from its link's rate: at any rate no
/// discipline looks at its queue more often than its own parameters may ask for, every 0.1 ms.
#[test]
fn no_discipline_looks_at_its_queue_more_often_on_a_faster_link() {
    for entry in QUEUES {
        for exponent in 3..=12 {
            for mean_packet_bytes in [40, 1000, 9000] {
                let rate =
                    LinkRate { rate: Rate::from_bits_per_second(10_u64.pow(exponent)), mean_packet_bytes };
                let queueing = (entry.build)(&entry.descriptor.defaults(), Capacity::Packets(50), &rate);
                let Queueing::AtArrival(discipline) = queueing else { continue };
                let (name, period) = (entry.descriptor.name, discipline.period());
                assert!(
                    period.is_none_or(|period| period.seconds() >= PERIODS.min),
                    "{name} at {}: {period:?}",
                    rate.rate
                );
            }
        }
    }
}

/// The disciplines that forget: after a long silence they decide as if nothing had been before. The others remember
/// something that no silence ends, by their publications: a virtual capacity (AVQ), a slope (adaptive RED, RED-diff), bins
/// (SFB), a list (SRED), predictors (APACE, PAQM, Scepter), the phase of their steps (BLUE) or of spread-out decisions
/// (DualPI2), or queues that stay in a round until it is their turn (FQ-CoDel, CAKE).
const FORGETFUL: [&str; 16] = [
    "droptail",
    "red",
    "choke",
    "pi",
    "pie",
    "codel",
    "sfq",
    "drr",
    "prio",
    "token-bucket",
    "srtcm",
    "trtcm",
    "shaper",
    "phantom-queue",
    "fair-policer",
    "bc-pqp",
];

/// Returns the fates of `later` packets, whose numbers count from 0, after others that arrived `earlier`.
fn fates(entry: &Entry, earlier: &[Arrival], later: &[Arrival]) -> Vec<(usize, &'static str)> {
    let rate = LinkRate { rate: Rate::from_bits_per_second(RATE), mean_packet_bytes: 1000 };
    let queueing = (entry.build)(&entry.descriptor.defaults(), Capacity::Packets(60), &rate);
    let mut link = ReferenceLink::new(queueing, rate.rate, Scripted::new(&[0.001]));
    earlier.iter().chain(later).for_each(|arrival| link.arrive(*arrival));
    let fate = |happening: Happening| match happening {
        Happening::Dropped { number, .. } => Some((number.checked_sub(earlier.len())?, "dropped")),
        Happening::Left { number, .. } => Some((number.checked_sub(earlier.len())?, "left")),
        Happening::Arrived { .. } | Happening::Settled { .. } => None,
    };
    link.happenings().into_iter().filter_map(fate).collect()
}

#[test]
fn after_a_long_silence_a_discipline_decides_as_a_new_one() {
    // An overload of a half for two seconds, and the same again: at once, or after 2000 s. Chance always says 0.001, so
    // that each draw has the same result however many there were. Each flow sends one of the first twelve packets, so
    // that queues have the same numbers.
    let burst = |from: Time, seed| {
        let mut packets = arrivals(&mut Dice(seed), 5000);
        for (index, packet) in packets.iter_mut().enumerate() {
            packet.now = from + packet.now.since(Time::ZERO);
            packet.flow = if index < 12 { index as u32 } else { packet.flow };
        }
        packets
    };
    let earlier = burst(Time::ZERO, 5);
    let end = earlier.last().map_or(Time::ZERO, |last| last.now);
    for name in FORGETFUL {
        let entry = registry::find(name).expect(name);
        let [at_once, much_later] = [end, end + Span::from_millis(2_000_000)].map(|from| burst(from, 6));
        assert_eq!(fates(entry, &earlier, &much_later), fates(entry, &[], &much_later), "{name}");
        assert_ne!(fates(entry, &earlier, &at_once), fates(entry, &[], &at_once), "{name} at once");
    }
}

#[test]
fn the_rules_can_be_broken() {
    let codel = registry::find("codel").expect("CoDel");
    let droptail = registry::find("droptail").expect("a tail-drop queue");
    let room_for_one_more: fn(&Values, Capacity, &LinkRate) -> Queueing = |_, capacity, _| {
        let capacity = match capacity {
            Capacity::Packets(most) => Capacity::Packets(most + 1),
            other => other,
        };
        Queueing::at_arrival(DropTail { capacity })
    };
    let liars = [
        ("drops a packet that has waited", Entry { service: Service::IN_ORDER, ..*codel }),
        ("holds 31 packets", Entry { build: room_for_one_more, ..*droptail }),
        (
            "lets a packet overtake",
            Entry { service: Service { overtakes: false, ..codel.service }, build: last_first, ..*codel },
        ),
        (
            "lets a packet overtake one of its flow",
            Entry { service: Service { overtakes: true, ..codel.service }, build: last_first, ..*codel },
        ),
    ];
    for (fault, liar) in liars {
        let found = check_with(&liar, &liar.descriptor.defaults(), Capacity::Packets(30), 1, 5000)
            .expect_err(fault)
            .to_string();
        assert!(found.contains(fault), "{found}");
    }
}

/// A stack instead of a queue.
fn last_first(_: &Values, _: Capacity, _: &LinkRate) -> Queueing {
    struct Stack(Vec<Held>);
    impl Departing for Stack {
        fn on_arrival(&mut self, held: Held, _: &mut dyn Random, drops: &mut dyn FnMut(Ticket)) {
            if self.0.len() < 10 { self.0.push(held) } else { drops(held.ticket) }
        }
        fn on_departure(
            &mut self,
            _: Time,
            _: &mut dyn Random,
            _: &mut dyn FnMut(Ticket),
        ) -> Option<Departure> {
            self.0.pop().map(|held| Departure { ticket: held.ticket, marked: false })
        }
        fn packets(&self) -> u64 {
            self.0.len() as u64
        }
    }
    Queueing::at_departure(Stack(Vec::new()))
}
