//! Bounds what a random scenario costs: about 2,000 packets, windows small enough that they do not fill the
//! memory before the first packet arrives, and nothing for which a run would print a warning about its cost.

use ackclock_base::{Size, Span, Value};
use ackclock_lab::Scenario;
use ackclock_lab::cost::Cost;
use ackclock_lab::language::flows::{FlowGroup, SourcePlan};
use ackclock_lab::language::observe::Warmup;
use ackclock_sim::random::Stream;

const MAX_PACKETS: f64 = 2000.0;
const MAX_WINDOW: f64 = 300.0;
/// The largest receive window of an SCTP association, of the same order as [`MAX_WINDOW`].
const MAX_ROOM: Size = Size::from_bytes(300_000);
const MAX_FLOWS: usize = 30;
const MAX_LINKS: usize = 300;
const MAX_SAMPLES: u64 = 100;
/// The most packets that a source may send at once, such as those of a frame of video. All of them wait at the first link,
/// however short the run is.
const MAX_BURST: u64 = 100_000;
/// The longest duration: a discipline with a period looks at its queue once a period even if there are few
/// packets.
const MAX_DURATION: Span = Span::from_millis(10_000_000);

/// Returns the scenario with smaller windows and a shorter duration; `None` if it has too many flows or
/// links, has a source that sends too many packets at once, or is slow for another reason than its packets. A single event
/// cannot be cancelled, such as that in which a discipline works off all periods that have passed.
pub fn small(mut scenario: Scenario) -> Option<Scenario> {
    let connections = |group: &FlowGroup| group.members.len() * group.plan.sending.workload.copies();
    let flows: usize = scenario.flows.iter().map(connections).sum();
    if flows > MAX_FLOWS || scenario.network.links.len() > MAX_LINKS {
        return None;
    }
    if scenario.flows.iter().filter_map(|group| group.plan.sending.uncontrolled()).any(begins_with_too_many) {
        return None;
    }
    for group in &mut scenario.flows {
        // What the receiver allows is a number of packets or, where a transport says so, of bytes.
        group.plan.sending.change_profile(|values| {
            match (values.get("window"), values.get("receive_window")) {
                (Some(Value::Packets(window)), _) => {
                    let window = window.min(MAX_WINDOW);
                    values.set("window", Value::Packets(window));
                }
                (_, Some(Value::Size(room))) => {
                    let room = room.min(MAX_ROOM);
                    values.set("receive_window", Value::Size(room));
                }
                (None, None) => {}
                windows => panic!("a transport whose receiver allows {windows:?}"),
            }
        });
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
    let is_slow = Cost::all(&scenario).iter().any(|cost| cost.is_announced(scenario.duration));
    (!is_slow).then_some(scenario)
}

/// Returns whether a source begins with more than [`MAX_BURST`] packets at one instant.
fn begins_with_too_many(source: &SourcePlan) -> bool {
    let (mut source, mut random) = (source.build(), Stream::new(1, "burst"));
    source.first(&mut random);
    (0..MAX_BURST).all(|_| source.payload().is_some() && source.next(&mut random) == Span::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_with_a_frame_of_millions_of_packets_is_left_out() {
        // A large frame of 1 Tbit/s, 40 frames a second and 5 times the small ones has 12 * 5 / (5 + 11) of 3.125e9 bytes:
        // 7,961,108 packets of 1472 B. At 1 Gbit/s it has 7,962.
        let is_left_out = |rate: &str| {
            let text = format!(
                r#"
                duration = "1 s"
                [dumbbell]
                bottleneck = {{ rate = "10 Mbit/s", delay = "1 ms" }}
                access = {{ rate = "100 Mbit/s", delay = "1 ms" }}
                [[flows]]
                application = {{ name = "video", rate = "{rate}", frames = 40 }}
                "#
            );
            small(Scenario::parse(&text, "video.toml", &serde_json::Map::new()).expect("a valid scenario"))
                .is_none()
        };
        assert!(is_left_out("1 Tbit/s"));
        assert!(!is_left_out("1 Gbit/s"));
    }

    #[test]
    fn a_scenario_with_one_very_slow_event_is_left_out() {
        // BC-PQP examines each of its phantom queues every 0.1 ms. With 65,536 of them, the packet that arrives after 60 s
        // causes 4e10 examinations in one event, which nothing interrupts; with 16 it causes 1e7.
        let is_left_out = |queues: u32| {
            let text = format!(
                r#"
                duration = "61 s"
                [dumbbell]
                left = {{ rate = "1 Mbit/s", delay = "1 ms" }}
                bottleneck = {{ rate = "64 kbit/s", delay = "1 ms" }}
                right = {{ rate = "1 Gbit/s", delay = "1 ms", queue = {{ name = "bc-pqp", window = "0.1 ms", queues = {queues} }} }}
                [[flows]]
                name = "late"
                start = "60 s"
                control = "sack"
                "#
            );
            small(Scenario::parse(&text, "late.toml", &serde_json::Map::new()).expect("a valid scenario"))
                .is_none()
        };
        assert!(is_left_out(65_536));
        assert!(!is_left_out(16));
    }
}
