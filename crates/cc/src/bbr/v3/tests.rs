//! Tests of the state machine against closed forms. The path carries 1,250 packets of 1,000 bytes a second
//! (10 Mbit/s) in a round trip of 40 ms: its bandwidth-delay product is 50 packets.

mod losses;
mod probing;
mod round_trips;
mod startup;
mod traps;

use super::State;
use crate::control::{Ack, Change};
use crate::script::Script;
use ackclock_base::Span;

const RTT: Span = Span::from_millis(40);
const BDP: u32 = 50;

/// Sends a flight over the path. A flight larger than the product takes longer than a round trip. The whole
/// flight is acknowledged at once, a batch that is all excess.
fn flight(script: &mut Script, packets: u32, change: impl FnOnce(&mut Ack)) {
    let interval = RTT.max(Span::from_seconds(f64::from(packets) / 1250.0));
    script.wait(interval.saturating_sub(RTT));
    script.flight(packets, interval, RTT, change);
}

fn script() -> Script {
    script_with(&[("probe_rtt_interval", "1000 s")]) // the tests of ProbeRTT set it themselves
}

fn script_with(settings: &[(&str, &str)]) -> Script {
    let mut script = Script::with("bbrv3", settings).window(10.0).drawing(&[0.25]);
    script.change(&Change::Opens { rtt: Some(RTT) });
    script
}

fn is_in(script: &mut Script, state: State) -> bool {
    script.published("bbr_state") == f64::from(state.index())
}

/// Returns the pacing rate in bytes per second.
fn pacing(script: &mut Script) -> f64 {
    script.decision().pacing_rate.unwrap().bytes_per_second().round()
}

/// Runs Startup up to Drain: rounds of 10, 20, 40 and 80 packets, and three more of 80 without growth, after which
/// the pipe counts as full.
fn in_drain() -> Script {
    let mut script = script();
    for packets in [10, 20, 40, 80, 80, 80, 80] {
        assert!(is_in(&mut script, State::Startup));
        flight(&mut script, packets, |_| {});
    }
    assert!(is_in(&mut script, State::Drain));
    script
}

/// Runs Drain for four rounds, the most that it may take. It then ends although too many packets are still in
/// flight.
fn in_down() -> Script {
    let mut script = in_drain();
    (0..4).for_each(|_| flight(&mut script, 80, |_| {}));
    assert!(is_in(&mut script, State::Down));
    script
}

fn in_cruise() -> Script {
    let mut script = in_down();
    flight(&mut script, BDP, |_| {});
    assert!(is_in(&mut script, State::Cruise));
    script
}

fn in_up() -> Script {
    let mut script = in_cruise();
    script.wait(Span::from_millis(2300));
    flight(&mut script, BDP, |_| {});
    assert!(is_in(&mut script, State::Refill));
    flight(&mut script, BDP, |_| {});
    assert!(is_in(&mut script, State::Up));
    script
}

/// Brings a connection to DOWN after a probe in which too much was lost with 100 packets in flight: the bound
/// is 98.98.
fn bounded() -> Script {
    let mut script = in_up();
    script.lost(401, 100.0, |lost| lost.lost = 3.0);
    script
}

/// Runs from DOWN to the next probe; `change` plays each round.
fn next_up(script: &mut Script, change: impl Fn(&mut Script)) {
    change(script);
    assert!(is_in(script, State::Cruise));
    script.wait(Span::from_millis(2300));
    change(script);
    assert!(is_in(script, State::Refill));
    change(script);
    assert!(is_in(script, State::Up));
}
