//! Whole stacks over a simulated bottleneck, under their own controls and under ours.

mod bottleneck;

use ackclock_adapter::Plan;
use ackclock_base::Time;
use ackclock_stacks::{Application, Control, Stack, noq, quinn};
use bottleneck::run;

fn own(stack: &'static dyn Stack, name: &str) -> Control {
    let own = stack.own().into_iter().find(|own| own.descriptor.name == name);
    Control::Own(own.expect("a control of the stack"))
}

fn ours(stack: &'static dyn Stack, name: &str) -> Control {
    let facts = stack.facts().expect("a stack that runs controls of ours");
    Control::Ours(Plan::named(name, facts).expect("a control that the stack runs"))
}

const NOQ: &dyn Stack = &noq::Noq;
const QUINN: &dyn Stack = &quinn::Quinn;

// More than the bottleneck allows: 10 Mbit/s times 1200 bytes of 1228 on the wire, as if a datagram were nothing but data.
const MOST: f64 = 10.0 * 1200.0 / 1228.0;

#[test]
fn a_stack_fills_the_path_under_its_own_controls_and_under_ours() {
    let runs = [
        (NOQ, own(NOQ, "noq:newreno")),
        (NOQ, own(NOQ, "noq:cubic")),
        (QUINN, own(QUINN, "quinn:cubic")),
        (NOQ, ours(NOQ, "cubic")),
        (NOQ, ours(NOQ, "bbrv3")),
        (QUINN, ours(QUINN, "newreno")),
    ];
    for (stack, control) in runs {
        let outcome = run(stack, &control, 1, Application::Endless);
        assert!(outcome.goodput_mbps > 0.9 * MOST, "{control:?}: {outcome:?}");
        assert!(outcome.goodput_mbps <= MOST, "{control:?}: {outcome:?}");
    }
}

#[test]
fn equal_seeds_give_equal_runs() {
    for (stack, control) in
        [(NOQ, own(NOQ, "noq:cubic")), (QUINN, own(QUINN, "quinn:cubic")), (NOQ, ours(NOQ, "bbrv3"))]
    {
        let outcome = |seed| run(stack, &control, seed, Application::Endless);
        assert_eq!(outcome(1), outcome(1), "{control:?}");
    }
}

#[test]
fn a_transfer_ends_when_everything_is_acknowledged() {
    // A megabyte at 10 Mbit/s takes 0.8 s and more: headers, the handshake and slow start.
    for (stack, control) in
        [(NOQ, own(NOQ, "noq:cubic")), (QUINN, own(QUINN, "quinn:cubic")), (NOQ, ours(NOQ, "cubic"))]
    {
        let outcome = run(stack, &control, 1, Application::Bytes(1_000_000));
        let completed = outcome.completed.expect("a finished transfer");
        assert!(completed > Time::from_seconds(0.84) && completed < Time::from_seconds(2.0), "{outcome:?}");
    }
}

#[test]
fn what_a_stack_cannot_run_is_refused() {
    let refused = Plan::named("bbrv3", ackclock_quinn::QUINN).expect_err("quinn paces by itself");
    assert!(refused.to_string().contains("derives its pacing rate from the window"), "{refused}");
}
