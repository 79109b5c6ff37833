//! Nothing is undone where every loss is real: over a path that keeps the order of packets and loses some of them, for every
//! control, each rule of loss detection and all methods of detecting spurious reactions at once. Nor is anything undone when
//! the network delivers copies of packets that were never retransmitted.

use ackclock_base::{Span, Time, Values};
use ackclock_cc::observed::{Observer, Shown};
use ackclock_cc::{Ack, Assembly, Ending, Exponential, Loss, Lost, Probe, Recovered, Timeout, registry};
use ackclock_sim::endpoint::Launch;
use ackclock_sim::random::Stream;
use ackclock_sim::tcp::options::{self, Options};
use ackclock_sim::tcp::receiver::Receiver;
use ackclock_sim::tcp::segment::{Flags, Segment};
use ackclock_sim::tcp::sender::{SegmentWire, TcpSender};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Sent(Vec<Segment>);

impl SegmentWire for Sent {
    fn send(&mut self, packet: Segment) -> Launch {
        self.0.push(packet);
        Launch::Sent
    }
}

/// The numbers of reactions and of those that were undone.
#[derive(Clone, Copy, Debug, Default)]
struct Reactions {
    made: u32,
    undone: u32,
}

struct Counting(Arc<Mutex<Reactions>>);

impl Observer for Counting {
    fn acked(&mut self, _: &Ack, _: &dyn Shown) {}
    fn lost(&mut self, _: &Lost, _: &dyn Shown) {}
    fn reduced(&mut self, _: &Loss, _: &dyn Shown) {
        self.0.lock().expect("one thread").made += 1;
    }
    fn timed_out(&mut self, _: &Timeout, _: &dyn Shown) {
        self.0.lock().expect("one thread").made += 1;
    }
    fn congested(&mut self, _: &Timeout, _: &dyn Shown) {}
    fn probed(&mut self, _: &Probe, _: &dyn Shown) {}
    fn recovered(&mut self, recovered: &Recovered, _: &dyn Shown) {
        self.0.lock().expect("one thread").undone += u32::from(recovered.ending == Ending::Undone);
    }
}

const ONE_WAY: Span = Span::from_millis(30);
/// The time between two packets on the narrow link.
const APART: Span = Span::from_millis(1);
const PACKETS: u64 = 600;

/// What happens to the packets on their way, one after the other; nothing to those after the last.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Arrives,
    Lost,
    /// Arrives twice if it was never sent before.
    Copied,
}

/// Returns the reactions of a transfer.
fn play(control: usize, profile: &str, rule: &str, fates: &[Fate]) -> Reactions {
    let settings = [
        ("recovery", rule),
        ("window", "60 packets"),
        ("receive_window", "fixed"),
        ("dsack", "true"),
        ("dsack_undo", "true"),
        ("spurious_recoveries", "true"),
        ("frto", "true"),
        ("small_queues", "false"),
        ("handshake", "false"),
    ];
    let options = Options::new(&Values::with(options::find(profile).expect("a profile"), &settings), None);
    let entry = &registry::CONTROLS[control % registry::CONTROLS.len()];
    let reactions = Arc::new(Mutex::new(Reactions::default()));
    let control = Assembly::new(entry, &entry.descriptor.defaults(), None, None)
        .join(&options.initial())
        .observed(Box::new(Counting(Arc::clone(&reactions))));
    let backoff = Box::new(Exponential { most: options.details.max_backoff });
    let mut sender = TcpSender::new(&options, control, backoff, PACKETS, Stream::new(1, "guesses"));
    let mut receiver = Receiver::new(options.receiver);
    let mut wire = Sent::default();
    let (mut now, mut link_free) = (Time::ZERO, Time::ZERO);
    let (mut data, mut acks) = (VecDeque::<(Time, Segment)>::new(), VecDeque::<(Time, Segment)>::new());
    let mut fates = fates.iter();
    sender.start(now, &mut wire);
    while !sender.core().is_done() && now < Time::from_seconds(1e6) {
        for packet in wire.0.drain(..) {
            link_free = link_free.max(now) + APART;
            let fate = *fates.next().unwrap_or(&Fate::Arrives);
            let is_copied = fate == Fate::Copied && !packet.flags.has(Flags::RETRANSMISSION);
            let copies = if is_copied { 2 } else { usize::from(fate != Fate::Lost) };
            (0..copies).for_each(|_| data.push_back((link_free + ONE_WAY, packet)));
        }
        let front = |lane: &VecDeque<(Time, Segment)>| lane.front().map_or(Time::NEVER, |(due, _)| *due);
        let (arrives, acknowledged) = (front(&data), front(&acks));
        now = arrives.min(acknowledged).min(receiver.timer()).min(sender.timer());
        if now == arrives {
            let (_, packet) = data.pop_front().expect("a packet");
            if receiver.take(now, &packet) {
                acks.push_back((now + ONE_WAY, receiver.acknowledge(now)));
            }
        } else if now == acknowledged {
            let (_, packet) = acks.pop_front().expect("an acknowledgement");
            sender.on_ack(now, &packet, &mut wire);
        } else if now == receiver.timer() {
            acks.push_back((now + ONE_WAY, receiver.acknowledge(now)));
        } else {
            sender.on_timer(now, &mut wire);
        }
    }
    assert!(sender.core().is_done(), "{} hangs under {rule}", entry.descriptor.name);
    *reactions.lock().expect("one thread")
}

fn name(control: usize) -> &'static str {
    registry::CONTROLS[control % registry::CONTROLS.len()].descriptor.name
}

/// Runs of packets with the same fate, of which `share` of 256 have another than to arrive.
fn fates(other: Fate, share: u8) -> impl Strategy<Value = Vec<Fate>> {
    let run = (any::<u8>(), 1_usize..6)
        .prop_map(move |(drawn, length)| vec![if drawn < share { other } else { Fate::Arrives }; length]);
    prop::collection::vec(run, 0..200).prop_map(|runs| runs.concat())
}

fn rules() -> impl Strategy<Value = (&'static str, &'static str)> {
    (prop::sample::select(vec!["rfc", "linux"]), prop::sample::select(vec!["newreno", "sack", "rack"]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    //= test RFC 3522 section 3.2 compare
    #[test]
    fn real_losses_in_order_undo_nothing(
        control: usize, (profile, rule) in rules(), fates in (1_u8..80).prop_flat_map(|share| fates(Fate::Lost, share))
    ) {
        let reactions = play(control, profile, rule, &fates);
        prop_assert_eq!(reactions.undone, 0, "{}: {:?}", name(control), reactions);
    }

    //= test RFC 3708 section 2 retransmitted
    #[test]
    fn copies_of_packets_that_were_never_retransmitted_undo_nothing(
        control: usize, (profile, rule) in rules(),
        fates in fates(Fate::Copied, 20), losses in prop::collection::vec(0_usize..600, 1..20)
    ) {
        let mut fates = fates;
        fates.resize(fates.len().max(600), Fate::Arrives);
        losses.into_iter().for_each(|place| fates[place] = Fate::Lost);
        let reactions = play(control, profile, rule, &fates);
        prop_assert_eq!(reactions.undone, 0, "{}: {:?}", name(control), reactions);
    }
}
