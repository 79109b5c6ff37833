//! Properties of every registered control under any events, from 1 kbit/s to 400 Gbit/s: its window stays
//! finite and at or above one packet, a spurious loss is undone, a packet that times out again leaves the
//! slow start threshold unchanged, no window grows in the round of a mark, and nothing panics.

use ackclock_base::random::Scripted;
use ackclock_base::registry::Quantity;
use ackclock_base::{Descriptor, Parameter, Rate, Size, Span, Time, Value, Values};
use ackclock_cc::entry::{Build, Entry, LayerEntry};
use ackclock_cc::registry::{ACTIONS, CONTROLS, DISCRIMINATORS, LAYERS};
use ackclock_cc::script::{Script, timeout_at};
use ackclock_cc::{
    Ack, Assembly, Change, Control, Controller, Counted, Decision, EcnResponse, Ending, IncomingAck, Initial,
    Loss, LossSignal, Lost, Part, Phase, RateSample, Recovered, Sent, Timeout,
};
use proptest::prelude::*;

/// A bound above the greatest window of any control.
const MAX_CWND: f64 = 1e9;

/// A source of random values from bytes that proptest generates and can shrink; it returns zeros when they
/// are used up.
struct Draws<'a>(std::slice::Iter<'a, u8>);

impl Draws<'_> {
    fn byte(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    fn below(&mut self, bound: usize) -> usize {
        (usize::from(self.byte()) << 8 | usize::from(self.byte())) % bound.max(1)
    }

    fn unit(&mut self) -> f64 {
        f64::from(u16::from(self.byte()) << 8 | u16::from(self.byte())) / 65535.0
    }

    /// Draws a value from `low` to `high`, with every order of magnitude equally likely.
    fn scale(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }

    fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }
}

/// Returns the defaults in half of the cases, otherwise with some parameters anywhere in their ranges.
fn values(descriptor: &'static Descriptor, draws: &mut Draws<'_>) -> Values {
    let mut values = descriptor.defaults();
    if draws.flag() {
        return values;
    }
    for parameter in descriptor.parameters {
        if draws.flag()
            && let Some(value) = value(parameter, draws)
        {
            values.set(parameter.name, value);
        }
    }
    values
}

fn value(parameter: &Parameter, draws: &mut Draws<'_>) -> Option<Value> {
    let range = parameter.range;
    let number = {
        let (low, high) = (range.min.max(-1e9), range.max.min(1e9));
        let drawn = low + (high - low) * draws.unit() * draws.unit();
        if range.contains(drawn) { drawn } else { high }
    };
    Some(match parameter.quantity {
        Quantity::Number => Value::Number(number),
        Quantity::Integer => Value::Integer(number.ceil() as i64),
        Quantity::Flag => Value::Flag(draws.flag()),
        Quantity::Time => Value::Time(Span::from_seconds(number)),
        Quantity::Rate => Value::Rate(Rate::from_bits_per_second(number as u64)),
        Quantity::Size => Value::Size(Size::from_bytes(number as u64)),
        Quantity::Packets => Value::Packets(number),
        Quantity::Choice(words) => Value::Choice(words[draws.below(words.len())]),
        Quantity::Limit | Quantity::File => return None,
    })
}

/// Draws any of the layers, with any settings.
fn layers(draws: &mut Draws<'_>) -> Vec<Part> {
    let kinds: Vec<&[LayerEntry]> = LAYERS.into_iter().filter(|_| draws.flag()).collect();
    kinds.into_iter().map(|kind| part(kind[draws.below(kind.len())].descriptor, draws)).collect()
}

fn part(descriptor: &'static Descriptor, draws: &mut Draws<'_>) -> Part {
    Part { name: descriptor.name, values: values(descriptor, draws) }
}

/// Draws a control, alone or with any discriminator and action and within any layers.
fn assembly(entry: &Entry, draws: &mut Draws<'_>) -> Assembly {
    let own = values(entry.descriptor, draws);
    let discriminator = draws.flag().then(|| {
        let entry = &DISCRIMINATORS[draws.below(DISCRIMINATORS.len())];
        part(entry.descriptor, draws)
    });
    let action = draws.flag().then(|| {
        let entry = &ACTIONS[draws.below(ACTIONS.len())];
        part(entry.descriptor, draws)
    });
    Assembly::new(entry, &own, discriminator, action).within(layers(draws))
}

/// A path of some rate, and a host's state for a connection over it.
struct Host {
    now: Time,
    packets_per_second: f64,
    base_rtt: f64,
    acked_to: u64,
    min_rtt: Span,
    in_a_row: u32,
}

impl Host {
    fn new(draws: &mut Draws<'_>) -> Self {
        let bits_per_second = draws.scale(1e3, 400e9);
        Self {
            now: Time::from_seconds(1.0),
            packets_per_second: bits_per_second / (8.0 * draws.scale(40.0, 65_000.0)),
            base_rtt: draws.scale(1e-6, 10.0),
            acked_to: 0,
            min_rtt: Span::MAX,
            in_a_row: 0,
        }
    }

    fn rtt(&mut self, draws: &mut Draws<'_>) -> Span {
        // Some round trips are outside what any path has.
        let rtt = match draws.byte() {
            0 => Span::from_nanos(1),
            1 => Span::from_seconds(3600.0),
            _ => Span::from_seconds(self.base_rtt * (1.0 + 4.0 * draws.unit())),
        };
        self.min_rtt = self.min_rtt.min(rtt);
        rtt
    }

    fn inflight(decision: &Decision, draws: &mut Draws<'_>) -> f64 {
        if draws.byte() == 0 { 0.0 } else { decision.cwnd.trunc() }
    }

    fn ack(&mut self, control: &mut Controller, phase: Phase, draws: &mut Draws<'_>) {
        let sampled = draws.byte() >= 16;
        let rtt = sampled.then(|| self.rtt(draws));
        let fresh = draws.byte() >= 32;
        let acked = if fresh { f64::from(1 + draws.byte() % 2) } else { 0.0 };
        self.acked_to += acked as u64;
        let inflight = Self::inflight(&control.decision(), draws);
        let one_way_delay = rtt.map(|rtt| rtt.scale(draws.unit()));
        let mut random = Scripted::new(&[draws.unit()]);
        let incoming = IncomingAck { now: self.now, fresh, echo: rtt, one_way_delay };
        control.on_incoming(|| incoming, &mut random);
        let app_limited = draws.byte() < 16;
        let prior_delivered = (self.acked_to as f64 - inflight).max(0.0);
        let ack = Ack {
            now: self.now,
            fresh,
            acked_to: self.acked_to,
            sent_to: self.acked_to + inflight as u64,
            newly_acked: acked,
            newly_lost: f64::from(draws.byte() / 128),
            marks: u32::from(draws.byte() % 4),
            abc_increment: acked,
            rtt,
            one_way_delay,
            smoothed_rtt: rtt.unwrap_or(Span::ZERO),
            min_rtt: self.min_rtt,
            inflight_before: inflight,
            inflight: (inflight - acked).max(0.0),
            delivered: self.acked_to as f64,
            lost: 0.0,
            round_start: draws.byte() < 16,
            cwnd_limited: draws.byte() >= 32,
            app_limited,
            phase,
            rate: rtt.filter(|_| draws.flag()).map(|interval| RateSample {
                delivered: self.acked_to as f64 - prior_delivered,
                interval: interval.scale(draws.unit()),
                prior_delivered,
                lost: f64::from(draws.byte() / 64),
                tx_in_flight: inflight,
                app_limited,
            }),
        };
        control.on_ack(&ack, &mut random);
        let sent = Sent { now: self.now, inflight, after_idle: inflight == 0.0, app_limited };
        control.on_sent(&sent, &mut random);
        self.in_a_row = if fresh { 0 } else { self.in_a_row };
    }

    /// Reports a loss, and in half of the cases that it was spurious.
    fn loss(&mut self, control: &mut Controller, draws: &mut Draws<'_>) -> Result<(), TestCaseError> {
        let before = control.decision();
        let inflight = Self::inflight(&before, draws);
        let signals =
            [LossSignal::DuplicateAcks, LossSignal::EarlyTimer, LossSignal::Ecn, LossSignal::LocalDrop];
        let loss = Loss {
            now: self.now,
            signal: signals[draws.below(8).min(2)],
            window: before.cwnd.min(inflight),
            inflight,
            lost: self.acked_to,
            sent_to: self.acked_to + inflight as u64,
            sent: Time::from_nanos(self.now.nanos().saturating_sub(self.min_rtt.nanos().min(1 << 40))),
            transmissions: 1 + u32::from(draws.byte() % 3),
            duplicates: u32::from(draws.byte()),
        };
        let mut random = Scripted::new(&[draws.unit()]);
        let lost = Lost {
            now: self.now,
            number: self.acked_to + draws.below(8) as u64,
            sent: loss.sent,
            size: 1.0,
            tx_in_flight: inflight,
            lost: 1.0,
            prior_delivered: (self.acked_to as f64 - inflight).max(0.0),
            delivered: self.acked_to as f64,
            app_limited: draws.flag(),
        };
        control.on_lost(&lost, &mut random);
        control.on_loss(&loss, &mut random);
        if draws.flag() {
            control.on_recovered(&Recovered { now: self.now, ending: Ending::Undone });
            let after = control.decision();
            prop_assert!(after.cwnd >= before.cwnd, "undo left {after:?} of {before:?}");
            prop_assert_eq!(after.ssthresh, before.ssthresh, "undo");
            return Ok(());
        }
        for _ in 0..draws.below(6) {
            self.pass(draws);
            self.ack(control, Phase::Recovery, draws);
        }
        if draws.flag() {
            let (window, missing) = (before.cwnd.min(inflight), draws.below(1000) as u64);
            control.on_counted(&Counted { now: self.now, window, missing }, &mut random);
        }
        let ending = Ending::Repaired { duplicates: u32::from(draws.byte()) };
        control.on_recovered(&Recovered { now: self.now, ending });
        Ok(())
    }

    fn timeout(&mut self, control: &mut Controller, draws: &mut Draws<'_>) {
        self.in_a_row += 1;
        let decision = control.decision();
        let inflight = Self::inflight(&decision, draws);
        let window = decision.cwnd.min(inflight);
        let keeps_threshold = self.in_a_row > 1 && draws.flag();
        let timeout = Timeout {
            now: self.now,
            window,
            inflight,
            left_in_flight: (inflight * draws.unit()).trunc(),
            sent_to: self.acked_to + inflight as u64,
            in_a_row: self.in_a_row,
            keeps_threshold,
        };
        control.on_timeout(&timeout, &mut Scripted::new(&[draws.unit()]));
        if draws.byte() < 16 {
            control.on_recovered(&Recovered { now: self.now, ending: Ending::Undone });
        }
    }

    fn pass(&mut self, draws: &mut Draws<'_>) {
        let packets = draws.scale(0.01, 1000.0);
        self.now += Span::from_seconds(packets / self.packets_per_second);
    }

    fn event(&mut self, control: &mut Controller, draws: &mut Draws<'_>) -> Result<(), TestCaseError> {
        self.pass(draws);
        match draws.byte() {
            0..=3 => self.timeout(control, draws),
            4..=23 => self.loss(control, draws)?,
            24 => {
                if let Some(control) = control.window_control() {
                    control.set_cwnd(draws.scale(1.0, 1e6));
                }
            }
            _ => self.ack(control, Phase::Open, draws),
        }
        Ok(())
    }
}

fn check(name: &str, control: &dyn Control) -> Result<(), TestCaseError> {
    let Decision { cwnd, ssthresh, pacing_rate, .. } = control.decision();
    prop_assert!((1.0..=MAX_CWND).contains(&cwnd), "{name}: cwnd {cwnd}");
    prop_assert!(ssthresh >= 1.0, "{name}: ssthresh {ssthresh}");
    prop_assert!(pacing_rate.is_none_or(|rate| rate.bits_per_second() > 0), "{name}: {pacing_rate:?}");
    control.publish(&mut |_, _| {});
    Ok(())
}

/// Creates a control with these parameters in random layers, and plays up to a hundred random events. Returns the host and
/// the control.
fn after_some_events(
    entry: &Entry,
    values: &Values,
    draws: &mut Draws<'_>,
) -> Result<(Host, Controller), TestCaseError> {
    let initial = Initial {
        window: draws.scale(1.0, 100.0),
        ssthresh: if draws.flag() { f64::INFINITY } else { draws.scale(2.0, 1e6) },
        limit: 1e7,
        selective_acks: draws.flag(),
        ..Initial::default()
    };
    let mut assembly = Assembly::new(entry, values, None, None).within(layers(draws));
    let (mut host, mut control) = (Host::new(draws), assembly.join(&initial));
    control.on_change(&Change::Begins);
    for _ in 0..draws.below(100) {
        host.event(&mut control, draws)?;
    }
    Ok((host, control))
}

/// Reports a timeout of a connection, and repeated timeouts of the same packet. RFC 5681 section 3.1: the
/// first leaves the loss window, which is one packet, or two if a law's paper says so, unless a discriminator
/// attributes it to another cause than congestion; later ones keep the threshold constant.
fn timeouts(entry: &Entry, draws: &mut Draws<'_>) -> Result<(), TestCaseError> {
    let values = values(entry.descriptor, draws);
    let (mut host, mut control) = after_some_events(entry, &values, draws)?;
    for in_a_row in 1..=4 {
        let before = control.decision();
        let window = before.cwnd;
        let timeout = Timeout {
            now: host.now,
            window,
            inflight: window.trunc(),
            left_in_flight: 0.0,
            sent_to: host.acked_to + window as u64,
            in_a_row,
            keeps_threshold: in_a_row > 1,
        };
        control.on_timeout(&timeout, &mut Scripted::new(&[]));
        let after = control.decision();
        if in_a_row > 1 {
            prop_assert_eq!(after.ssthresh, before.ssthresh, "after {} in a row", in_a_row);
        } else if entry.published.discriminator.is_none()
            && !KEEPS_AT_TIMEOUT.contains(&entry.descriptor.name)
            && values.get("timeout_cut") != Some(Value::Flag(false))
        {
            prop_assert!(after.cwnd <= 2.0, "the loss window: {after:?} of {before:?}");
        }
        host.pass(draws);
    }
    Ok(())
}

/// Plays three connections under one control, of which one may end early.
fn live(entry: &Entry, draws: &mut Draws<'_>) -> Result<(), TestCaseError> {
    let initial = Initial {
        window: draws.scale(1.0, 100.0),
        ssthresh: if draws.flag() { f64::INFINITY } else { draws.scale(2.0, 1e6) },
        limit: draws.scale(2.0, 1e7),
        packet_bytes: 40 + draws.below(60_000) as u32,
        header_bytes: 52,
        selective_acks: draws.flag(),
        paced: draws.flag(),
        min_window: if draws.flag() { 2.0 } else { 1.0 },
        loss_window: 1.0,
    };
    let mut assembly = assembly(entry, draws);
    let mut hosts: Vec<Host> = (0..3).map(|_| Host::new(draws)).collect();
    let mut controls: Vec<Controller> = hosts.iter().map(|_| assembly.join(&initial)).collect();
    for (control, host) in controls.iter_mut().zip(&hosts) {
        control.on_change(&Change::Begins);
        control.on_change(&Change::Opens { rtt: draws.flag().then(|| Span::from_seconds(host.base_rtt)) });
    }
    let ends = draws.below(200);
    for step in 0..200 {
        let chosen = draws.below(controls.len());
        hosts[chosen].event(&mut controls[chosen], draws)?;
        for control in &controls {
            check(entry.descriptor.name, &**control)?;
        }
        if step == ends && controls.len() > 1 {
            controls[0].on_change(&Change::Ends);
            controls.remove(0);
            hosts.remove(0);
        }
    }
    Ok(())
}

/// The laws that keep their window at a timeout (Dahal 2007 sections 5.2 v and 6.1.1 v).
const KEEPS_AT_TIMEOUT: [&str; 2] = ["rbcc-wl", "rbca"];

/// Reports a mark to a control that reacts to marks as to losses, and then acknowledgements until a packet sent after
/// the reduction is acknowledged. RFC 3168 section 6.1.2, RFC 9002 section 7.3.2: the window does not grow before.
/// This holds for windows, not for models of the path.
fn a_marked_round(entry: &Entry, draws: &mut Draws<'_>) -> Result<(), TestCaseError> {
    let values = values(entry.descriptor, draws);
    let (mut host, mut control) = after_some_events(entry, &values, draws)?;
    if control.has_model() || control.properties().ecn == EcnResponse::Counts {
        return Ok(());
    }
    let before = control.decision();
    let loss = Loss {
        now: host.now,
        signal: LossSignal::Ecn,
        window: before.cwnd,
        inflight: before.cwnd,
        lost: host.acked_to,
        sent_to: host.acked_to + before.cwnd as u64,
        sent: Time::from_nanos(host.now.nanos().saturating_sub(host.min_rtt.nanos().min(1 << 40))),
        transmissions: 1,
        duplicates: 0,
    };
    control.on_loss(&loss, &mut Scripted::new(&[]));
    let reduced = control.decision().cwnd;
    for _ in 0..draws.below(40) {
        host.pass(draws);
        host.ack(&mut control, Phase::Cwr, draws);
        let cwnd = control.decision().cwnd;
        prop_assert!(cwnd <= reduced, "{reduced} grows to {cwnd} in the round of a mark");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    //= test RFC 5681 section 3.1 again
    #[test]
    fn a_packet_that_times_out_again_leaves_every_controls_threshold(
        bytes in prop::collection::vec(any::<u8>(), 3000)
    ) {
        for entry in CONTROLS {
            let outcome = timeouts(entry, &mut Draws(bytes.iter()));
            prop_assert!(outcome.is_ok(), "{}: {outcome:?}", entry.descriptor.name);
        }
    }

    //= test RFC 3168 section 6.1.2 growth
    //= test RFC 9002 section 7.3.2 growth
    #[test]
    fn no_window_grows_in_the_round_of_a_mark(bytes in prop::collection::vec(any::<u8>(), 6000)) {
        for entry in CONTROLS {
            let outcome = a_marked_round(entry, &mut Draws(bytes.iter()));
            prop_assert!(outcome.is_ok(), "{}: {outcome:?}", entry.descriptor.name);
        }
    }

    #[test]
    fn every_control_survives_whatever_happens(bytes in prop::collection::vec(any::<u8>(), 6000)) {
        for entry in CONTROLS {
            let outcome = live(entry, &mut Draws(bytes.iter()));
            prop_assert!(outcome.is_ok(), "{}: {outcome:?}", entry.descriptor.name);
        }
    }
}

//= test RFC 9002 section 7.2 minimum
/// RFC 5681 equation 4 with section 3.2, RFC 9438 section 4.6, RFC 9002 appendix B.6: a loss leaves at least
/// two packets, however small the window was and however often it was halved. The transport may have another
/// floor, as ns-2 has. Controls with a model of the path are excluded.
#[test]
fn a_loss_leaves_the_least_window_of_the_transport() {
    let windows = CONTROLS.iter().filter(|entry| !matches!(entry.build, Build::Model(_)));
    for entry in windows.filter(|entry| entry.published.discriminator.is_none()) {
        let name = entry.descriptor.name;
        for (window, least) in [(1.0, 2.0), (2.0, 2.0), (3.0, 2.0), (2.0, 1.0), (5.0, 4.0)] {
            let mut script = Script::new(name).window(window).starting_ssthresh(window).floors(least, 1.0);
            for _ in 0..3 {
                script.loss();
                script.recovered();
                assert!(script.cwnd() >= least, "{name}: {} of {window}", script.cwnd());
            }
        }
    }
    let mut reno = Script::new("sack").window(2.0).starting_ssthresh(2.0).floors(1.0, 1.0);
    reno.loss();
    assert_eq!((reno.cwnd(), reno.ssthresh()), (1.0, 2.0), "ns-2");
}

//= test RFC 9002 section 7.6.2 window
/// RFC 9002 section 7.6.2: persistent congestion leaves two packets; RFC 5681 section 3.1: a timeout leaves
/// one.
#[test]
fn a_timeout_leaves_the_loss_window_of_the_transport() {
    for loss_window in [1.0, 2.0] {
        for name in ["sack", "cubic", "lia", "bbrv1", "bbrv3", "c4", "vivace"] {
            let mut script = Script::new(name).window(40.0).starting_ssthresh(40.0).floors(2.0, loss_window);
            script.acks(1);
            script.timeout();
            assert_eq!(script.cwnd(), loss_window, "{name}");
        }
    }
}

/// The file of a control has its name, with `+` spelt out, or the name of the control of which it is a
/// variant (`dca-c`, `westwood-nr`).
#[test]
fn every_control_is_found_in_the_file_of_its_name() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/laws");
    for entry in CONTROLS {
        let name = entry.descriptor.name.replace('-', "_").replace("++", "_plus_plus");
        let mut stems = (1..=name.len()).rev().filter_map(|length| name.get(..length));
        let text = stems.find_map(|stem| std::fs::read_to_string(format!("{folder}/{stem}.rs")).ok());
        let holds = text.is_some_and(|text| text.contains(&format!("\"{}\"", entry.descriptor.name)));
        assert!(holds, "no file of {}", entry.descriptor.name);
    }
}

/// The controls whose reaction to a timeout an undo does not take back: it ends with the first acknowledgement that
/// brings something new.
const ENDS_WITH_AN_ACK: [&str; 2] = ["c4", "vivace"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// RFC 5682 and RFC 4015: spurious timeouts are undone. Of several in a row of one packet, all are: the state before
    /// the first one is back, whatever layers there are, and the second and third change nothing that is kept for that.
    #[test]
    fn spurious_timeouts_in_a_row_are_undone(bytes in prop::collection::vec(any::<u8>(), 3000)) {
        for entry in CONTROLS {
            let outcome = undone(entry, &mut Draws(bytes.iter()));
            prop_assert!(outcome.is_ok(), "{}: {outcome:?}", entry.descriptor.name);
        }
    }
}

fn undone(entry: &Entry, draws: &mut Draws<'_>) -> Result<(), TestCaseError> {
    if ENDS_WITH_AN_ACK.contains(&entry.descriptor.name) {
        return Ok(());
    }
    let values = values(entry.descriptor, draws);
    let (mut host, mut control) = after_some_events(entry, &values, draws)?;
    let before = control.decision();
    for in_a_row in 1..=1 + draws.below(3) as u32 {
        let timeout = Timeout {
            in_a_row,
            keeps_threshold: in_a_row > 1,
            sent_to: host.acked_to + before.cwnd as u64,
            ..timeout_at(host.now, before.cwnd)
        };
        control.on_timeout(&timeout, &mut Scripted::new(&[]));
        host.pass(draws);
    }
    control.on_recovered(&Recovered { now: host.now, ending: Ending::Undone });
    let after = control.decision();
    prop_assert!(after.cwnd >= before.cwnd, "undo left {after:?} of {before:?}");
    prop_assert_eq!(after.ssthresh, before.ssthresh);
    Ok(())
}
