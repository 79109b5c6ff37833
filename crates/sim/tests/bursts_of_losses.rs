//! A sender and a receiver with a round trip of 100 ms between them, and a burst of losses in the first
//! window: the reactions of Alnuem's actions (Alnuem 2009 sections 4.2.1 and 4.2.2) and of Learning TCP,
//! beside Reno and NewReno.

use ackclock_base::{Descriptor, Span, Time, Values};
use ackclock_cc::registry::{self, find_action, find_discriminator};
use ackclock_cc::{Assembly, Part};
use ackclock_sim::endpoint::Launch;
use ackclock_sim::random::Stream;
use ackclock_sim::tcp::options::{self, Options};
use ackclock_sim::tcp::receiver::Receiver;
use ackclock_sim::tcp::segment::Segment as Packet;
use ackclock_sim::tcp::sender::{SegmentWire, TcpSender};
use std::collections::VecDeque;

const ONE_WAY: Span = Span::from_millis(50);
const ROUND_TRIP_S: f64 = 0.1;

/// The packets that a sender sends in one call.
#[derive(Default)]
struct Sent(Vec<Packet>);

impl SegmentWire for Sent {
    fn send(&mut self, packet: Packet) -> Launch {
        self.0.push(packet);
        Launch::Sent
    }
}

/// The course of a connection after a burst of losses.
struct Outcome {
    /// The retransmissions: number and time in seconds.
    retransmitted: Vec<(u64, f64)>,
    /// The window after each acknowledgement and timeout.
    windows: Vec<f64>,
    timeouts: u64,
}

impl Outcome {
    fn retransmitted_at(&self, number: u64) -> f64 {
        let found = self.retransmitted.iter().find(|(retransmitted, _)| *retransmitted == number);
        found.unwrap_or_else(|| panic!("{number} was never retransmitted")).1
    }

    fn cuts(&self) -> Vec<f64> {
        let falls = self.windows.windows(2).filter(|pair| pair[1] < pair[0]);
        falls.map(|pair| pair[0] - pair[1]).collect()
    }
}

/// Sends twenty packets at once, then those that acknowledgements allow, 100 in all. The packets in `lost`
/// are lost when first sent. The window starts at the threshold.
fn play(control: &str, action: &[(&str, &str)], lost: &[u64]) -> Outcome {
    play_judged(control, &[], action, lost)
}

/// Plays a burst as `play` does, with settings of the discriminator too.
fn play_judged(control: &str, judging: &[(&str, &str)], action: &[(&str, &str)], lost: &[u64]) -> Outcome {
    let profile = options::find("ns2").expect("a profile");
    let values = Values::with(
        profile,
        &[("initial_window", "20 packets"), ("initial_ssthresh", "20 packets"), ("window", "1000 packets")],
    );
    let entry = registry::find(control).expect("a control");
    let options = Options::new(&values, entry.published.recovery);
    let part = |descriptor: &'static Descriptor, settings| Part {
        name: descriptor.name,
        values: Values::with(descriptor, settings),
    };
    let action = entry.published.action.and_then(find_action).map(|found| part(found.descriptor, action));
    let discriminator = entry.published.discriminator.and_then(find_discriminator);
    let discriminator = discriminator.map(|found| part(found.descriptor, judging));
    let values = entry.descriptor.defaults();
    let control = Assembly::new(entry, &values, discriminator, action).join(&options.initial());
    let backoff = registry::find_backoff("exponential").expect("a rule");
    let backoff = (backoff.build)(&backoff.descriptor.defaults(), options.details.max_backoff);
    let mut sender = TcpSender::new(&options, control, backoff, 100, Stream::new(1, "guesses"));
    let mut receiver = Receiver::new(options.receiver);

    let mut outcome = Outcome { retransmitted: Vec::new(), windows: Vec::new(), timeouts: 0 };
    let mut high = 0;
    let mut now = Time::ZERO;
    let mut acks: VecDeque<(Time, Packet)> = VecDeque::new();
    let mut wire = Sent::default();
    sender.start(now, &mut wire);
    while !sender.core().is_done() {
        for packet in wire.0.drain(..) {
            let fresh = packet.number >= high;
            high = high.max(packet.number + 1);
            if !fresh {
                outcome.retransmitted.push((packet.number, now.since(Time::ZERO).seconds()));
            }
            if fresh && lost.contains(&packet.number) {
                continue;
            }
            assert!(receiver.take(now + ONE_WAY, &packet), "no delayed acknowledgements");
            let ack = receiver.acknowledge(now + ONE_WAY);
            acks.push_back((now + ONE_WAY + ONE_WAY, ack));
        }
        match acks.front() {
            Some((due, _)) if *due <= sender.timer() => {
                let (due, ack) = acks.pop_front().expect("the front");
                now = due;
                sender.on_ack(now, &ack, &mut wire);
            }
            _ => {
                now = sender.timer();
                assert!(now < Time::NEVER, "nothing more will happen");
                sender.on_timer(now, &mut wire);
            }
        }
        outcome.windows.push(sender.core().control().decision().cwnd);
    }
    outcome.timeouts = sender.core().counts().timeouts;
    outcome
}

/// Returns `count` consecutive packets, from the fifth.
fn burst(count: u64) -> Vec<u64> {
    (5..5 + count).collect()
}

#[test]
fn mda_repairs_a_burst_in_one_round_trip() {
    for count in 2..=8 {
        let mda = play("mda", &[], &burst(count));
        let took = mda.retransmitted_at(4 + count) - mda.retransmitted_at(5);
        assert!((took - ROUND_TRIP_S).abs() < 1e-9, "{count} losses: {took} s");
        assert_eq!(mda.timeouts, 0, "{count} losses");
        // Only lost packets are retransmitted.
        let retransmitted: Vec<u64> = mda.retransmitted.iter().map(|(number, _)| *number).collect();
        assert_eq!(retransmitted, burst(count));
    }
}

#[test]
fn mda_finds_a_loss_of_any_packet_after_an_episode() {
    // The fast retransmit of 5 finds at most 26 packets outstanding; Reno's guard leaves the very next loss
    // to the timer.
    for second in 20..50 {
        assert_eq!(play("mda", &[], &[5, second]).timeouts, 0, "5 and {second}");
    }
}

#[test]
fn newreno_needs_a_round_trip_for_each_loss_and_reno_the_timer() {
    let newreno = play("newreno", &[], &burst(5));
    let took = newreno.retransmitted_at(9) - newreno.retransmitted_at(5);
    assert!((took - 4.0 * ROUND_TRIP_S).abs() < 1e-9, "{took} s");
    assert_eq!(newreno.timeouts, 0);
    assert!(play("reno", &[], &burst(5)).timeouts > 0);
}

#[test]
fn cwa_cuts_the_window_by_the_losses_after_the_first() {
    for count in 2..=8 {
        let twa = play("twa", &[("tthresh", "false")], &burst(count));
        // Five acknowledgements have added 5/20 of a packet; the cut truncates, from 20.25 - (k - 1) to 20 -
        // (k - 1).
        let [cut] = twa.cuts()[..] else { panic!("{count} losses: cuts {:?}", twa.cuts()) };
        assert!(cut > (count - 1) as f64 && cut < count as f64, "{count} losses: cut by {cut}");
        assert_eq!(twa.timeouts, 0);
    }
}

#[test]
fn appendix_d_cuts_at_every_partial_acknowledgement_of_a_burst() {
    for count in 2..=5 {
        let settings = [("tthresh", "false"), ("single_cut", "false")];
        let twa = play("twa", &settings, &burst(count));
        // The k - 1 packets retransmitted in a row are acknowledged one by one, and all but the last of these
        // acknowledgements are partial: k - 1 cuts including the first, each by k - 1. The first cut
        // truncates, and before each later one the window, below its threshold by then, has grown by one.
        let cuts = twa.cuts();
        assert!(cuts[0] > (count - 1) as f64 && cuts[0] < count as f64, "{count} losses: {cuts:?}");
        assert_eq!(cuts[1..], vec![(count - 2) as f64; count as usize - 2], "{count} losses");
        assert_eq!(twa.timeouts, 0);
    }
}

#[test]
fn with_the_threshold_the_first_burst_since_a_timeout_halves_the_window() {
    let twa = play("twa", &[], &burst(3));
    let [cut] = twa.cuts()[..] else { panic!("cuts {:?}", twa.cuts()) };
    // The window of about 20 + 5/20 is halved; below or at the threshold it is cut by two, and truncated.
    assert!((cut - 10.12).abs() < 0.02, "{cut}");
    let [cut] = play("twa", &[("inclusive", "true")], &burst(3)).cuts()[..] else { panic!("cuts") };
    assert!((cut - 2.25).abs() < 0.02, "{cut}");
}

#[test]
fn a_single_loss_is_repaired_without_any_cut() {
    for control in ["cwa", "twa"] {
        let alone = play(control, &[], &[5]);
        assert_eq!(alone.cuts(), [] as [f64; 0], "{control}");
        assert_eq!((alone.timeouts, alone.retransmitted.len()), (0, 1), "{control}");
    }
    assert_eq!(play("reno", &[], &[5]).cuts().len(), 1);
}

#[test]
fn cwa_alone_leaves_the_rest_of_a_burst_to_the_timer() {
    // Section 4.2.1: one packet is retransmitted; without MDA the others wait.
    let cwa = play("cwa", &[("tthresh", "false")], &burst(3));
    assert!(cwa.timeouts > 0);
    assert!(cwa.windows.contains(&1.0), "a timeout starts over");
    assert!(cwa.cuts()[0] > 2.0 && cwa.cuts()[0] < 3.0, "{:?}", cwa.cuts());
}

/// Settings of Learning TCP with which every loss counts as a transmission loss until the next shows
/// otherwise.
const TRUSTING: &[(&str, &str)] = &[("initial", "1"), ("most", "1")];

#[test]
fn learning_tcp_takes_the_losses_of_one_window_as_one() {
    for count in 1..=8 {
        let learning = play_judged("learning-tcp", TRUSTING, &[], &burst(count));
        assert_eq!(learning.cuts(), [] as [f64; 0], "{count} losses");
        assert_eq!(learning.timeouts, 0, "{count} losses");
    }
}

#[test]
fn learning_tcp_starts_over_at_a_loss_of_the_next_window_and_not_at_a_later_one() {
    // The loss of packet 5 is found after one round trip. Packet 30 is sent at that time, and its loss is
    // found after another, within 1.5 round trips of the guess. Packet 50 is sent one round trip later, and
    // its loss is found two round trips after the guess.
    let refuted = play_judged("learning-tcp", TRUSTING, &[], &[5, 30]);
    assert!(refuted.windows.contains(&1.0), "{:?}", refuted.windows);
    assert_eq!((refuted.cuts().len(), refuted.timeouts), (1, 0));
    let confirmed = play_judged("learning-tcp", TRUSTING, &[], &[5, 50]);
    assert_eq!((confirmed.cuts().len(), confirmed.timeouts, confirmed.retransmitted.len()), (0, 0, 2));
}
