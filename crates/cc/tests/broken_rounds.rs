//! A timeout in the middle of a round: what a control keeps of the round trips before it.

use ackclock_base::random::Scripted;
use ackclock_base::{Span, Time};
use ackclock_cc::entry::{Build, Entry};
use ackclock_cc::registry::CONTROLS;
use ackclock_cc::script::{ack_at, timeout_at};
use ackclock_cc::{Ack, Assembly, Change, Controller, Decision, Initial, Timeout};

/// Plays rounds, a timeout in the middle of one in whose beginning packets took `ms`, and rounds after it. Returns
/// what the control decides and publishes after each acknowledgement.
fn after_a_broken_round(entry: &Entry, ms: u64) -> Vec<(Decision, Vec<f64>)> {
    let initial = Initial { window: 20.0, ssthresh: 10.0, ..Initial::default() };
    let mut control = Assembly::new(entry, &entry.descriptor.defaults(), None, None).join(&initial);
    let mut random = Scripted::new(&[]);
    control.on_change(&Change::Begins);
    let (mut now, mut acked_to) = (Time::from_seconds(1.0), 0);
    let mut ack = |control: &mut Controller, ms: u64| {
        now += Span::from_millis(10);
        acked_to += 1;
        let inflight = control.decision().cwnd.trunc();
        let rtt = Span::from_millis(ms);
        let ack = Ack {
            rtt: Some(rtt),
            one_way_delay: Some(rtt / 2),
            smoothed_rtt: Span::from_millis(120),
            min_rtt: Span::from_millis(100),
            sent_to: 20 * (acked_to / 20 + 1),
            ..ack_at(now, acked_to, inflight)
        };
        control.on_ack(&ack, &mut random);
        (now, acked_to)
    };
    let set = |control: &mut Controller| {
        let window = control.window_control().expect("a window");
        window.set_cwnd(20.0);
        window.set_ssthresh(10.0);
    };
    for (ms, acks) in [(100, 40), (200, 40), (120, 41)] {
        for _ in 0..acks {
            ack(&mut control, ms);
        }
        set(&mut control);
    }
    let mut broken = (Time::ZERO, 0);
    (0..8).for_each(|_| broken = ack(&mut control, ms));
    set(&mut control);
    let (now, acked_to) = broken;
    let timeout = Timeout { sent_to: acked_to + 20, ..timeout_at(now, 20.0) };
    control.on_timeout(&timeout, &mut Scripted::new(&[]));
    set(&mut control);
    (0..200)
        .map(|_| {
            ack(&mut control, 130);
            let mut published = Vec::new();
            control.publish(&mut |_, value| published.push(value));
            (control.decision(), published)
        })
        .collect()
}

/// The laws for which the round trips before a timeout count after it, because they measure over times or packets and
/// not over rounds, and Vegas, whose round goes on.
const MEASURES_ON: [&str; 7] = ["vegas", "ledbat", "ledbat++", "copa", "rbcc-dynamic", "a-tcp", "fast"];

/// A timeout breaks the round in which it comes. A law that acts on the round trips of a round does not count those
/// before the timeout in the round after it, so it decides and publishes the same whatever they were. A law that
/// measures on must be listed.
#[test]
fn round_trips_before_a_timeout_do_not_count_after_it() {
    for entry in CONTROLS.iter().filter(|entry| matches!(entry.build, Build::Alone(_))) {
        let name = entry.descriptor.name;
        let [short, long] = [110, 190].map(|ms| after_a_broken_round(entry, ms));
        let differs = short.iter().zip(&long).position(|(a, b)| format!("{a:?}") != format!("{b:?}"));
        assert_eq!(
            differs.is_some(),
            MEASURES_ON.contains(&name),
            "{name}: {differs:?} acknowledgements after"
        );
    }
}
