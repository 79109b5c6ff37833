//! A scenario file of arbitrary text is read, or refused with reasons; what is read runs, twice the same, obeys
//! physics, and comes to a result that can be written down.
//!
//! A first line such as `#! {"flows.tcp.count": 2}` holds overrides.

#![no_main]

mod accounts;
mod mutate;

use ackclock_base::{Size, Span, Value};
use ackclock_lab::build::{self, Keep};
use ackclock_lab::flows::{FlowGroup, Protocol, Sending};
use ackclock_lab::observe::Warmup;
use ackclock_lab::result::RunResult;
use ackclock_lab::{Scenario, diagnostics, run};
use ackclock_sim::tcp::details::Details;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use serde_json::{Map, Value as Json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !is_large(text)
    {
        check(text);
    }
});

/// Hundreds of flows are read slowly, and show nothing that three do not.
fn is_large(text: &str) -> bool {
    let is_long_number = |word: &str| word.len() > 2 && word.starts_with(|c: char| c.is_ascii_digit());
    let words = |line: &str| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(is_long_number);
    text.lines().any(|line| ["count", "pairs", "hops"].iter().any(|key| line.contains(key)) && words(line))
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let text = std::str::from_utf8(&data[..size]).unwrap_or_default();
    // One in four is left to the fuzzer's own mutations, of bytes.
    if seed.is_multiple_of(4) || text.is_empty() {
        return fuzzer_mutate(data, size, max_size);
    }
    let mutated = mutate::mutate(text, seed);
    let length = mutated.len().min(max_size);
    data[..length].copy_from_slice(&mutated.as_bytes()[..length]);
    length
});

fn check(text: &str) {
    match Scenario::parse(text, "fuzz.toml", &overrides(text)) {
        Ok(scenario) => check_run(small(scenario)),
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a reason");
            assert!(!diagnostics::render(&problems).is_empty());
            let lines = text.lines().count().max(1);
            // A file whose text stands in the scenario may have more lines than it: a line's end can be written as an escape.
            let mut own = problems.iter().filter(|problem| problem.file == "fuzz.toml");
            let outside = own.find(|problem| problem.line.is_some_and(|line| line > lines + 1));
            assert!(outside.is_none(), "{outside:?} of {lines} lines");
        }
    }
}

fn overrides(text: &str) -> Map<String, Json> {
    let json = text.lines().next().and_then(|line| line.strip_prefix("#!")).unwrap_or_default();
    serde_json::from_str(json).unwrap_or_default()
}

/// What a fuzzer can afford: some thousand packets, and windows that do not fill the memory before the first of them
/// has arrived.
const MAX_PACKETS: f64 = 2000.0;
const MAX_WINDOW: f64 = 300.0;
/// What an association's receiver has room for: of the same order.
const MAX_ROOM: Size = Size::from_bytes(300_000);
const MAX_FLOWS: usize = 30;
const MAX_LINKS: usize = 300;
const MAX_SAMPLES: u64 = 100;
/// A discipline with a period looks at its queue in each of them, however few packets there are.
const MAX_DURATION: Span = Span::from_millis(10_000_000);

/// The scenario, with fewer and smaller flows and a shorter duration.
fn small(mut scenario: Scenario) -> Option<Scenario> {
    let connections = |group: &FlowGroup| group.members.len() * group.plan.sending.copies();
    let flows: usize = scenario.flows.iter().map(connections).sum();
    if flows > MAX_FLOWS || scenario.network.links.len() > MAX_LINKS {
        return None;
    }
    for group in &mut scenario.flows {
        let plan = match &mut group.plan.sending {
            Sending::Connection(plan) | Sending::Connections(plan, _) | Sending::Session(plan, _) => plan,
            Sending::Sctp(plan) => {
                plan.transport.values.set("receive_window", Value::Size(MAX_ROOM));
                continue;
            }
            Sending::Udp(_) => continue,
        };
        let window = match plan.protocol() {
            Protocol::Tcp => Details::from(&plan.transport.values).window,
            Protocol::Quic => ackclock_sim::quic::details::Details::from(&plan.transport.values).window,
        };
        let window = window.min(MAX_WINDOW);
        plan.transport.values.set("window", Value::Packets(window));
    }
    scenario.duration = scenario.duration.min(MAX_DURATION);
    let excess = scenario.expected_packets() / MAX_PACKETS;
    if excess > 1.0 {
        scenario.duration = scenario.duration.scale(1.0 / excess).max(Span::from_nanos(1));
        scenario.warmup.most = scenario.warmup.most.scale(1.0 / excess);
    }
    if scenario.warmup.most >= scenario.duration {
        scenario.warmup = Warmup::default();
    }
    scenario.observe.interval = scenario.observe.interval.max(scenario.duration / MAX_SAMPLES);
    Some(scenario)
}

fn check_run(scenario: Option<Scenario>) {
    let Some(scenario) = scenario else { return };
    let clock = StopWatch::start();
    let result = |keep| {
        let mut simulation = build::simulation(&scenario, 1, keep, build::measured(&scenario));
        simulation.run(&clock.expired).ok()?;
        let result = RunResult::of(&scenario, 1, &mut simulation);
        let result = serde_json::to_value(&result).expect("a result can be written");
        if let Some(trace) = &simulation.network.trace {
            accounts::check(&scenario, &trace.records, &result);
        }
        Some(result)
    };
    let series = is_swift(&scenario);
    let (Some(plain), Some(mut observed)) =
        (result(Keep::default()), result(Keep { series, trace: true, ..Keep::default() }))
    else {
        return;
    };
    check_series(&observed["series"]);
    observed["series"] = Json::Null;
    assert_eq!(plain, observed, "observing changes the result");
    check_numbers(&plain);
    if let Ok(violations) = run::run_and_verify(&scenario, 1, &clock.expired) {
        assert!(violations.is_empty(), "{}", violations[0]);
    }
}

/// Whether packets arrive soon: a series takes room in proportion to how long after the end the last one arrives.
fn is_swift(scenario: &Scenario) -> bool {
    let (slowest, longest) = (50_000, Span::from_millis(10_000));
    scenario.network.links.iter().all(|link| {
        let steady = link.changes().is_none_or(|changes| {
            let outage = changes.outage.is_none_or(|outage| outage.lasts <= longest);
            outage && changes.rates.values().all(|rate| rate.bits_per_second() >= slowest)
        });
        let near = link.longer.as_ref().is_none_or(|longer| longer.values().all(|longer| longer <= longest));
        steady && near && link.pace.rate.bits_per_second() >= slowest && link.delay.max(link.hold) <= longest
    })
}

fn check_numbers(result: &Json) {
    for flow in list(&result["flows"]) {
        for key in ["goodput_bps", "throughput_bps", "timeout_idle_s", "start_s"] {
            assert!(flow[key].as_f64().is_some_and(|number| number >= 0.0), "{key}: {flow}");
        }
        assert!(flow["cwnd_mean_packets"].as_f64().is_none_or(|cwnd| cwnd >= 0.0), "{flow}");
    }
    for link in list(&result["links"]) {
        let utilisation = link["utilisation"].as_f64();
        assert!(utilisation.is_some_and(|share| (0.0..=1.0 + 1e-9).contains(&share)), "{link}");
        assert!(link["queue_mean_packets"].as_f64().is_some_and(|mean| mean >= 0.0), "{link}");
    }
    assert!(result["fairness"].as_f64().is_none_or(|index| index > 0.0 && index <= 1.0 + 1e-9), "{result}");
}

/// All lists are as long as the list of times.
fn check_series(series: &Json) {
    let length = list(&series["time_s"]).len();
    for owner in ["flows", "links"] {
        let all = series[owner].as_object().into_iter().flatten();
        for (name, values) in all.flat_map(|(_, named)| named.as_object().into_iter().flatten()) {
            assert_eq!(list(values).len(), length, "{owner} {name}");
        }
    }
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

/// Cancels runs that take long: timers of a nanosecond can be written, and make a run of any length.
struct StopWatch {
    expired: Arc<AtomicBool>,
    _running: mpsc::Sender<()>,
}

impl StopWatch {
    fn start() -> Self {
        let expired = Arc::new(AtomicBool::new(false));
        let (running, dropped) = mpsc::channel::<()>();
        let flag = expired.clone();
        std::thread::spawn(move || {
            if dropped.recv_timeout(Duration::from_millis(500)) == Err(mpsc::RecvTimeoutError::Timeout) {
                flag.store(true, Ordering::Relaxed);
            }
        });
        Self { expired, _running: running }
    }
}
