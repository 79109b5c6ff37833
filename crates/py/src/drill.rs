//! Drills: a stack over a scripted path, with what it did as columns.

use crate::library::StackLibrary;
use ackclock_base::Span;
use ackclock_lab::transports::drill::{Action, Bottleneck, Direction, Ecn, Event, Rule, Script, What, Which};
use ackclock_lab::transports::{STACKS, drill as drills};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A rule: whether it is for datagrams of the client, the kind of its range, the first and last number or time in nanoseconds (of `first` the
/// time and the count), the action, and the action's time in nanoseconds.
type GivenRule = (bool, String, u64, u64, String, u64);

/// Runs a script with a stack and one of its controls. `stack` is a StackLibrary, or the name of a stack that is built in. Returns columns of
/// the events, and facts about the whole. Raises ValueError for a stack, a control or a rule that does not exist. A library may end the process.
#[pyfunction]
#[pyo3(signature = (stack, control, seed, *, delay_ns, bottleneck, rules, writes, finishes, end_ns, datagram))]
#[allow(clippy::too_many_arguments, reason = "Python callers pass most arguments by name")]
fn drill<'py>(
    py: Python<'py>,
    stack: &Bound<'py, PyAny>,
    control: &str,
    seed: u64,
    delay_ns: u64,
    bottleneck: Option<(Vec<(u64, u64)>, u64)>,
    rules: Vec<GivenRule>,
    writes: Vec<(u64, u64)>,
    finishes: bool,
    end_ns: u64,
    datagram: u16,
) -> PyResult<Bound<'py, PyDict>> {
    let stack = match stack.extract::<PyRef<'_, StackLibrary>>() {
        Ok(library) => library.stack()?,
        Err(_) => {
            let name: String = stack.extract()?;
            *STACKS.iter().find(|built_in| built_in.name() == name).ok_or_else(|| {
                let known: Vec<&str> = STACKS.iter().map(|stack| stack.name()).collect();
                PyValueError::new_err(format!("unknown stack {name:?}, expected {}", known.join(" or ")))
            })?
        }
    };
    let script = Script {
        delay: Span::from_nanos(delay_ns),
        bottleneck: bottleneck.map(|(rates, queue_bytes)| Bottleneck {
            bits_per_second: rates.into_iter().map(|(from, rate)| (Span::from_nanos(from), rate)).collect(),
            queue_bytes,
        }),
        rules: rules.iter().map(rule).collect::<PyResult<_>>()?,
        writes: writes.into_iter().map(|(at, bytes)| (Span::from_nanos(at), bytes)).collect(),
        finishes,
        end: Span::from_nanos(end_ns),
    };
    let mut connections =
        drills::connections(stack, control, datagram, seed).map_err(PyValueError::new_err)?;
    let record = drills::run(&mut *connections, seed, &script);
    let column = |value: fn(&Event) -> u64| record.events.iter().map(value).collect::<Vec<u64>>();
    let told =
        |value: fn(&Event) -> Option<u64>| record.events.iter().map(value).collect::<Vec<Option<u64>>>();
    let made = PyDict::new(py);
    made.set_item("at_ns", column(|one| one.at.nanos()))?;
    made.set_item("what", record.events.iter().map(|one| name(one.what)).collect::<Vec<_>>())?;
    made.set_item(
        "forward",
        record.events.iter().map(|one| one.direction == Direction::Forward).collect::<Vec<_>>(),
    )?;
    made.set_item("number", column(|one| one.number))?;
    made.set_item("bytes", column(|one| one.bytes as u64))?;
    made.set_item("ecn", record.events.iter().map(|one| field(one)).collect::<Vec<_>>())?;
    made.set_item("window", told(|one| one.client.window_bytes))?;
    made.set_item("in_flight", told(|one| one.client.in_flight_bytes))?;
    made.set_item("rtt_ns", told(|one| one.client.rtt.map(Span::nanos)))?;
    made.set_item("least_rtt_ns", told(|one| one.client.least_rtt.map(Span::nanos)))?;
    made.set_item("pacing_bps", told(|one| one.client.pacing_bps))?;
    made.set_item("sent", told(|one| one.client.sent_packets))?;
    made.set_item("lost", told(|one| one.client.lost_packets))?;
    made.set_item("spurious", told(|one| one.client.spurious_packets))?;
    made.set_item("probe_timeouts", told(|one| one.client.probe_timeouts))?;
    made.set_item("reductions", told(|one| one.client.congestion_events))?;
    made.set_item("closed", record.events.last().and_then(|one| one.client.closed.clone()))?;
    made.set_item("began_ns", record.began.map(ackclock_base::Time::nanos))?;
    made.set_item("delivered_ns", record.delivered.map(Span::nanos))?;
    made.set_item("taken", record.bytes[0])?;
    made.set_item("read", record.bytes[1])?;
    made.set_item("shape", record.hashes[0])?;
    made.set_item("content", record.hashes[1])?;
    made.set_item("given_up", record.given_up)?;
    Ok(made)
}

fn rule((forward, kind, first, last, action, time): &GivenRule) -> PyResult<Rule> {
    let time = Span::from_nanos(*time);
    Ok(Rule {
        direction: if *forward { Direction::Forward } else { Direction::Backward },
        which: match kind.as_str() {
            "numbers" => Which::Numbers(*first..=*last),
            "times" => Which::Times(Span::from_nanos(*first)..=Span::from_nanos(*last)),
            "first" => Which::First(Span::from_nanos(*first), *last),
            _ => {
                return Err(PyValueError::new_err(format!(
                    "unknown kind of range {kind:?}, expected numbers, times or first"
                )));
            }
        },
        action: match action.as_str() {
            "drop" => Action::Drop,
            "mark" => Action::Mark,
            "bleach" => Action::Bleach,
            "delay" => Action::Delay(time),
            "hold" => Action::Hold(time),
            _ => {
                let expected = "expected drop, mark, bleach, delay or hold";
                return Err(PyValueError::new_err(format!("unknown action {action:?}, {expected}")));
            }
        },
    })
}

fn name(what: What) -> &'static str {
    match what {
        What::Sent => "sent",
        What::Dropped => "dropped",
        What::Arrived => "arrived",
        What::Timer => "timer",
    }
}

fn field(event: &Event) -> &'static str {
    match event.ecn {
        Ecn::NotCapable => "not-ect",
        Ecn::Classic => "ect0",
        Ecn::LowLatency => "ect1",
        Ecn::Experienced => "ce",
    }
}

/// Adds what Python needs for drills to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(drill, module)?)
}
