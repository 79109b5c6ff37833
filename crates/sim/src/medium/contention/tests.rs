//! Checks of contention against times computed by hand.

use super::*;
use ackclock_base::random::Scripted;

const READY: Station = Station { packets: 1, ready: Time::ZERO };
const NOTHING: Station = Station { packets: 0, ready: Time::ZERO };

/// Creates stations with a transmitter each, slots of 20 us after 50 us, and an initial window of 0 to 31
/// slots.
fn dcf(stations: usize) -> Contention {
    let transmitters: Vec<usize> = (0..stations).collect();
    Contention::new(Dcf::default().exchange.rules(), &transmitters)
}

fn us(us: u64) -> Time {
    Time::from_nanos(us * 1000)
}

/// Returns a number in [0, 1) from which `slots` of 32 slots are drawn.
fn slots_of_32(slots: u32) -> f64 {
    (f64::from(slots) + 0.5) / 32.0
}

#[test]
fn a_station_sends_at_once_on_a_free_medium_and_waits_on_a_busy_one() {
    let mut medium = dcf(2);
    let random = &mut Scripted::new(&[slots_of_32(3)]);
    // The medium is free from 0 on. At 200 us it has been free for more than 50 us.
    assert_eq!(medium.next(us(200), &[READY, NOTHING], random), Turn { station: 0, starts: us(200) });
    assert!(medium.collides(0) && !medium.collides(1));
    medium.on_sending(0, us(200), us(1000));
    medium.on_outcome(0, Outcome::Answered, random);
    // The other station got a packet in the meantime. Both wait 50 us and three slots from 1000 us on, and
    // collide.
    let turn = medium.next(us(1000), &[READY, READY], random);
    assert_eq!(turn.starts, us(1000 + 50 + 60));
    assert!(medium.collides(0) && medium.collides(1));
}

#[test]
fn the_count_stops_while_others_send() {
    let mut medium = dcf(2);
    let random = &mut Scripted::new(&[slots_of_32(2), slots_of_32(7)]);
    medium.on_sending(0, us(0), us(0));
    assert_eq!(medium.next(us(0), &[READY, READY], random), Turn { station: 0, starts: us(90) });
    medium.on_sending(0, us(90), us(1000));
    medium.on_outcome(0, Outcome::Answered, &mut Scripted::new(&[slots_of_32(30)]));
    // Two of seven slots have been counted: 50 us and five slots remain.
    assert_eq!(medium.next(us(1000), &[READY, READY], random), Turn { station: 1, starts: us(1150) });
}

#[test]
fn the_window_doubles_without_answers_and_is_reset() {
    let mut medium = dcf(1);
    let almost_one = &mut Scripted::new(&[0.999_999]);
    let mut drawn = Vec::new();
    for _ in 0..7 {
        medium.on_outcome(0, Outcome::Silence, almost_one);
        drawn.push(medium.transmitters[0].slots.unwrap());
    }
    assert_eq!(drawn, [63, 127, 255, 511, 1023, 1023, 1023]);
    for outcome in [Outcome::GaveUp, Outcome::Answered] {
        medium.on_outcome(0, Outcome::Silence, almost_one);
        medium.on_outcome(0, outcome, almost_one);
        assert_eq!(medium.transmitters[0].slots, Some(31));
    }
}

#[test]
fn a_count_that_ended_without_packets_lets_the_next_packet_go_at_once() {
    let mut medium = dcf(2);
    let random = &mut Scripted::new(&[slots_of_32(4)]);
    medium.on_sending(0, us(0), us(1000));
    medium.on_outcome(0, Outcome::Answered, random);
    // 1050 us and four slots end at 1130 us. A packet at 1500 us is sent at once; one at 1100 us has a slot
    // and a half left.
    assert_eq!(medium.clone().next(us(1500), &[READY, NOTHING], random).starts, us(1500));
    assert_eq!(medium.clone().next(us(1100), &[READY, NOTHING], random).starts, us(1130));
    // A packet that arrives before the medium has been free for 50 us draws slots, four again.
    assert_eq!(medium.next(us(1010), &[NOTHING, READY], random), Turn { station: 1, starts: us(1130) });
}

#[test]
fn links_of_one_transmitter_take_turns_and_never_collide() {
    let mut medium = Contention::new(Dcf::default().exchange.rules(), &[0, 0, 1]);
    let random = &mut Scripted::new(&[slots_of_32(0)]);
    let mut served = Vec::new();
    for round in 0..4 {
        let now = us(round * 1000);
        // The turn is the same however often it is asked for before it begins.
        let turns = [(); 3].map(|()| medium.next(now, &[READY, READY, NOTHING], random));
        let turn = turns[0];
        assert_eq!(turns, [turn; 3]);
        assert_eq!([0, 1, 2].map(|station| medium.collides(station)).iter().filter(|on| **on).count(), 1);
        served.push(turn.station);
        medium.on_sending(turn.station, turn.starts, now + Span::from_millis(1));
        medium.on_outcome(turn.station, Outcome::Answered, random);
    }
    assert_eq!(served, [1, 0, 1, 0]);
}

#[test]
fn a_simple_medium_always_waits_and_has_no_answers() {
    let rules = Simple::default().rules();
    let mut medium = Contention::new(rules, &[0, 1]);
    let tenth = &mut Scripted::new(&[10.5 / 40.0]);
    // Ten slots of 50 us are drawn and count from 10,000 us on, though the medium has long been free.
    assert_eq!(medium.next(us(10_000), &[READY, NOTHING], tenth).starts, us(10_500));
    // A second call during the wait gives the same turn.
    assert_eq!(medium.next(us(10_200), &[READY, NOTHING], tenth).starts, us(10_500));
    assert_eq!(rules.access.answer, None);
    medium.on_sending(0, us(10_500), us(14_500));
    medium.on_outcome(0, Outcome::Answered, &mut Scripted::new(&[0.0]));
    assert_eq!(medium.next(us(14_500), &[READY, NOTHING], tenth).starts, us(14_500));
}
