use super::*;
use crate::random::Stream;
use crate::reading::ReaderOptions;
use crate::tcp::options::{self, Options};
use crate::tcp::segment::Block;
use ackclock_base::{Rate, Span, Values};
use ackclock_cc::{Assembly, Exponential};
use ackclock_recovery::sender::RecoveryState;

/// Returns a host under the profile `linux` with these details changed, whose control is NewReno's.
fn host(details: &[(&str, &str)]) -> Host {
    let profile = options::find("linux").unwrap();
    let mut options = Options::new(&Values::with(profile, details), None);
    options.reader = Some(ReaderOptions { rate: Rate::from_bits_per_second(1_000_000_000), changes: None });
    let entry = ackclock_cc::registry::find("newreno").unwrap();
    let mut assembly = Assembly::new(entry, &entry.descriptor.defaults(), None, None);
    let control = assembly.join(&options.initial());
    let backoff = Box::new(Exponential { most: options.details.max_backoff });
    let random = Stream::new(1, "guesses");
    Host::new(Connection { options, control, backoff, packets: 0, random })
}

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// Returns an acknowledgement of everything below `number`, with the given blocks and room for 100 packets.
fn ack(number: u64, sent: Time, blocks: &[(u64, u64)]) -> Segment {
    let offset = |packet: u64| (packet - number) as u32;
    let mut segment = Segment { number, stamp: sent, ..Segment::default() }.advertising(100);
    for (place, (start, end)) in segment.sack.iter_mut().zip(blocks) {
        *place = Block { start: offset(*start), end: offset(*end) };
    }
    segment
}

/// Returns a host that has accepted a connection over a round trip of 100 ms at 100 ms.
fn accepted(details: &[(&str, &str)]) -> Host {
    let mut host = host(details);
    host.on_syn(at(0), &Segment { flags: Flags::SYN, ..Segment::default() });
    host.on_segment(at(100), Some(&ack(0, at(0), &[])), None);
    host.take_departures();
    host
}

fn numbers(host: &mut Host) -> Vec<u64> {
    let sent = host.take_departures();
    sent.iter().filter(|sent| sent.kind == DepartureKind::Data).map(|sent| sent.segment.number).collect()
}

#[test]
fn a_listening_host_answers_a_syn_and_times_its_acknowledgement() {
    let mut host = host(&[]);
    host.on_syn(at(0), &Segment { flags: Flags::SYN, ..Segment::default() });
    host.write(at(10), 3);
    // The answer is repeated after the initial timeout of 1 s. Nothing else leaves before the acknowledgement.
    assert_eq!(host.timer(), at(1000));
    let kinds: Vec<_> = host.take_departures().iter().map(|sent| sent.kind).collect();
    assert_eq!(kinds, [DepartureKind::Handshake]);
    host.on_segment(at(100), Some(&ack(0, at(0), &[])), None);
    assert_eq!(numbers(&mut host), [0, 1, 2]);
    // The handshake took 100 ms: RTO is 100 + max(4 * 50, 200) = 300 ms.
    assert_eq!(host.sender().core().rtt().fine().mean, Span::from_millis(100));
    assert_eq!(host.sender().core().timeout(), Span::from_millis(300));
}

#[test]
fn the_round_trip_of_a_handshake_is_a_minimum_only_if_asked_for() {
    for (counts, least) in [("false", Span::MAX), ("true", Span::from_millis(100))] {
        let host = accepted(&[("handshake_min_rtt", counts)]);
        assert_eq!(host.sender().core().rtt().min(), least);
    }
}

#[test]
fn an_answer_to_a_syn_that_is_lost_is_sent_again_and_gives_no_sample() {
    let mut host = host(&[]);
    host.on_syn(at(0), &Segment { flags: Flags::SYN, ..Segment::default() });
    host.on_timer(at(1000));
    assert_eq!(host.take_departures().len(), 2);
    assert_eq!(host.timer(), at(3000)); // twice the timeout
    host.on_segment(at(1100), Some(&ack(0, at(1000), &[])), None);
    assert_eq!(host.sender().core().rtt().fine().mean, Span::ZERO); // Karn
}

#[test]
fn the_window_is_closed_until_the_peer_says_how_wide_it_is() {
    let mut host = host(&[]);
    host.connect(at(0));
    let answer = Segment { flags: Flags::SYN, ..ack(0, at(0), &[]) }.advertising(2);
    host.on_segment(at(100), Some(&answer), None);
    host.take_departures();
    host.write(at(100), 5);
    assert_eq!(numbers(&mut host), [0, 1]);
}

#[test]
fn data_carries_the_acknowledgement_that_is_held_back() {
    let mut host = accepted(&[("quick_acks", "0"), ("delayed_ack_time", "40 ms")]);
    let data = |number| Segment { number, ..Segment::default() };
    host.on_segment(at(200), None, Some(&data(0)));
    assert_eq!((host.timer(), host.take_departures()), (at(240), vec![]));
    host.write(at(210), 1);
    assert_eq!(host.take_departures().len(), 1);
    // The second packet is held back anew. At 250 + 40 ms its acknowledgement leaves alone.
    host.on_segment(at(250), None, Some(&data(1)));
    assert_eq!(host.receiver().timer(), at(290));
    host.on_timer(at(290));
    let sent = host.take_departures();
    assert_eq!((sent[0].kind, sent[0].segment.number), (DepartureKind::Acknowledgement, 2));
}

#[test]
fn the_states_of_recovery_are_those_of_linux_and_prr_says_the_window() {
    let mut host = accepted(&[]);
    let state = |host: &Host| host.sender().core().state();
    host.write(at(100), 10);
    numbers(&mut host);
    assert_eq!((state(&host), host.sender().core().window()), (RecoveryState::Open, 10.0));
    // Two packets above the first are in doubt; a third makes the first lost (DupThresh, RFC 8985 section 6.2). Of ten
    // packets three have arrived and one is lost: six are in flight. ssthresh is 5, the first acknowledgement of PRR lets
    // the retransmission out, so the window is 6 + 1 = 7.
    host.on_segment(at(200), Some(&ack(0, at(100), &[(1, 3)])), None);
    assert_eq!(state(&host), RecoveryState::Disorder);
    host.on_segment(at(200), Some(&ack(0, at(100), &[(1, 4)])), None);
    assert_eq!((state(&host), numbers(&mut host)), (RecoveryState::Recovery, vec![0]));
    let core = host.sender().core();
    assert_eq!((core.window(), core.control().decision().ssthresh), (7.0, 5.0));
    let ledger = core.ledger();
    assert_eq!((ledger.sacked(), ledger.marked_lost(), ledger.resent()), (3, 1, 1));
    // All arrive: the recovery ends with the control's window.
    host.on_segment(at(300), Some(&ack(10, at(200), &[])), None);
    assert_eq!((state(&host), host.sender().core().window()), (RecoveryState::Open, 5.0));
    assert_eq!(host.sender().core().delivered(), 10.0);
}

#[test]
fn a_timeout_is_in_state_loss_until_its_packets_are_acknowledged() {
    let mut host = accepted(&[("tail_loss_probe", "false")]);
    host.write(at(100), 2);
    host.on_timer(at(400));
    let state = |host: &Host| host.sender().core().state();
    assert_eq!((state(&host), host.sender().core().expiries()), (RecoveryState::Loss, 1));
    host.on_segment(at(500), Some(&ack(1, at(400), &[])), None);
    assert_eq!(state(&host), RecoveryState::Loss);
    host.on_segment(at(600), Some(&ack(2, at(500), &[])), None);
    assert_eq!(state(&host), RecoveryState::Open);
}

#[test]
fn without_selective_acknowledgements_a_duplicate_is_disorder() {
    let mut host = accepted(&[("recovery", "newreno")]);
    host.write(at(100), 4);
    host.on_segment(at(200), Some(&ack(1, at(100), &[])), None);
    assert_eq!(host.sender().core().state(), RecoveryState::Open);
    host.on_segment(at(210), Some(&ack(1, at(100), &[])), None);
    assert_eq!(host.sender().core().state(), RecoveryState::Disorder);
    host.on_segment(at(220), Some(&ack(4, at(100), &[])), None);
    assert_eq!(host.sender().core().state(), RecoveryState::Open);
}

#[test]
fn packets_delivered_with_an_echo_count_as_marked() {
    let mut host = accepted(&[("ecn", "true")]);
    host.write(at(100), 4);
    let echo = |number| Segment { flags: Flags::CONGESTION_ECHO, ..ack(number, at(100), &[]) };
    host.on_segment(at(200), Some(&echo(2)), None);
    host.on_segment(at(210), Some(&ack(3, at(100), &[])), None);
    assert_eq!(host.sender().core().delivered_marked(), 2.0);
}

#[test]
fn a_host_whose_interface_refuses_sends_nothing() {
    let mut host = accepted(&[("local_drop", "cwr")]);
    host.refuse(true);
    host.write(at(100), 1);
    host.on_segment(at(110), None, Some(&Segment::default())); // Linux's quick-ACK mode: owed at once
    assert_eq!(host.take_departures(), vec![]);
    host.refuse(false);
    host.on_timer(host.timer());
    assert_eq!(numbers(&mut host), [0]);
}
