//! An example of a bench for a controller that is written for a stack: a window of a fixed size.

use ackclock_lab::language::document::Document;
use ackclock_lab::{Plugins, Scenario, run};
use ackclock_stacks::{Factory, OwnControl};
use noq_proto::congestion::{Controller, ControllerFactory};
use std::any::Any;
use std::sync::{Arc, atomic::AtomicBool};
use std::time::Instant;

const PATH: &str = r#"
duration = "20 s"
warmup = "5 s"
[dumbbell]
bottleneck = { rate = "20 Mbit/s", delay = "19 ms", queue = { name = "droptail", limit = "1 bdp" } }
access = { rate = "1 Gbit/s", delay = "0.5 ms" }
[[flows]]
name = "mine"
control = "noq:fixed"
transport = "noq"
"#;

#[test]
fn a_window_of_twenty_packets_takes_twenty_packets_a_round_trip() {
    let control = OwnControl::new("fixed", Factory::Noq(Arc::new(FixedFactory)));
    let plugins = Plugins { own_controls: vec![control.into()], ..Plugins::default() };
    let document = Document::parse(PATH, "path").expect("TOML");
    let scenario = Scenario::read(&document, &plugins).expect("a scenario");
    let result = run::run(&scenario, 1, false, &AtomicBool::new(false)).expect("a run");
    let goodput = result.flows[0].goodput_bps;
    // noq sends while a packet more is less than the window: 20 packets are in flight, with 1439 B of data each, for
    // 40 ms and the 0.6 ms that a packet takes at the bottleneck.
    assert!((goodput / (20.0 * 8.0 * 1439.0 / 0.0406) - 1.0).abs() < 0.03, "{goodput}");
    assert_eq!(result.flows[0].lost_packets, 0);
}

struct FixedFactory;

impl ControllerFactory for FixedFactory {
    fn build(self: Arc<Self>, _now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Fixed(21 * u64::from(current_mtu)))
    }
}

#[derive(Clone, Debug)]
struct Fixed(u64);

impl Controller for Fixed {
    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: bool, _: u64, _: u64) {}

    fn on_mtu_update(&mut self, _new_mtu: u16) {}

    fn window(&self) -> u64 {
        self.0
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.0
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
