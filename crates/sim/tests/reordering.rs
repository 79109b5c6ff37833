//! A path that lets packets overtake others by less than a quarter of its round trip: rules that count later
//! packets take that for losses, rules that go by time do not (RFC 8985 section 3.3.2).

use ackclock_base::{Span, Time, Values};
use ackclock_cc::{Assembly, Exponential};
use ackclock_sim::endpoint::Launch;
use ackclock_sim::random::Stream;
use ackclock_sim::tcp::options::{self, Options};
use ackclock_sim::tcp::receiver::Receiver;
use ackclock_sim::tcp::segment::Segment;
use ackclock_sim::tcp::sender::{SegmentWire, TcpSender};

const ONE_WAY: Span = Span::from_millis(50);
/// The time between two packets. Ten packets overtake one that is late by ten times this.
const APART: Span = Span::from_millis(2);

#[derive(Default)]
struct Sent(Vec<Segment>);

impl SegmentWire for Sent {
    fn send(&mut self, packet: Segment) -> Launch {
        self.0.push(packet);
        Launch::Sent
    }
}

/// Returns the number of retransmissions among 2000 packets, and the final window. Packet 40 is late by two
/// packets, and every fiftieth from 100 to 1800 by ten.
fn play(settings: &[(&str, &str)]) -> (u64, f64) {
    let mut all = vec![("window", "40 packets"), ("initial_window", "40 packets"), ("delayed_ack", "false")];
    all.extend([("handshake", "false"), ("initial_ssthresh", "40 packets")]);
    all.extend(settings);
    let values = Values::with(options::find("rfc").expect("a profile"), &all);
    let options = Options::new(&values, None);
    let entry = ackclock_cc::registry::find("reno").expect("a control");
    let control = Assembly::new(entry, &entry.descriptor.defaults(), None, None).join(&options.initial());
    let backoff = Box::new(Exponential { most: options.details.max_backoff });
    let mut sender = TcpSender::new(&options, control, backoff, 2000, Stream::new(1, "guesses"));
    let mut receiver = Receiver::new(options.receiver);
    let mut wire = Sent::default();
    let mut now = Time::ZERO;
    let mut link_free = now;
    // The segments under way: arrival time, whether it is an acknowledgement, and the segment.
    let mut under_way: Vec<(Time, bool, Segment)> = Vec::new();
    sender.start(now, &mut wire);
    while !sender.core().is_done() {
        for packet in wire.0.drain(..) {
            link_free = link_free.max(now) + APART;
            let late = match packet.number {
                40 => APART * 5 / 2,
                number if (100..1800).contains(&number) && number % 50 == 0 => APART * 21 / 2,
                _ => Span::ZERO,
            };
            under_way.push((link_free + ONE_WAY + late, false, packet));
        }
        let next = (0..under_way.len()).min_by_key(|index| under_way[*index].0);
        match next.filter(|index| under_way[*index].0 <= sender.timer()) {
            Some(index) => {
                let (due, is_ack, packet) = under_way.remove(index);
                now = due;
                if is_ack {
                    sender.on_ack(now, &packet, &mut wire);
                } else {
                    assert!(receiver.take(now, &packet), "no delayed acknowledgements");
                    under_way.push((now + ONE_WAY, true, receiver.acknowledge(now)));
                }
            }
            None => {
                now = sender.timer();
                sender.on_timer(now, &mut wire);
            }
        }
    }
    (sender.core().counts().retransmitted, sender.core().control().decision().cwnd)
}

#[test]
fn reordering_within_a_quarter_of_the_round_trip_is_a_loss_only_for_counting_rules() {
    // 21 ms are less than a quarter of the minimum round trip, 102 ms, plus what the queue adds to it.
    let (retransmitted, window) = play(&[("recovery", "rack")]);
    assert_eq!((retransmitted, window >= 40.0), (0, true), "{window}");
    for rule in ["sack", "newreno"] {
        let (retransmitted, window) = play(&[("recovery", rule)]);
        assert!(
            retransmitted >= 10 && window < 40.0,
            "{rule}: {retransmitted} retransmitted, window {window}"
        );
    }
}

#[test]
fn spurious_losses_of_counting_rules_are_undone_with_dsack_or_timestamps() {
    for undo in [&[("dsack", "true"), ("dsack_undo", "true")][..], &[("spurious_recoveries", "true")][..]] {
        for rule in ["sack", "newreno"] {
            // NewReno's receiver sends no blocks, and so reports no duplicates.
            if rule == "newreno" && undo.len() == 2 {
                continue;
            }
            let settings: Vec<(&str, &str)> = undo.iter().copied().chain([("recovery", rule)]).collect();
            let (retransmitted, window) = play(&settings);
            assert!(retransmitted >= 10, "{rule}: {retransmitted}");
            assert!(window >= 40.0, "{rule} with {undo:?}: {window}");
        }
    }
}
