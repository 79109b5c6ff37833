//! Drills: the script is what happens on the path, to the datagram and the nanosecond.

use ackclock_aqm::Ecn;
use ackclock_base::Span;
use ackclock_stacks::drill::{Action, Bottleneck, Direction, Event, Record, Rule, Script, What, Which, run};
use ackclock_stacks::{Control, Stack, noq, packing};

const DELAY: Span = Span::from_millis(50);

fn script(rules: Vec<Rule>, bytes: u64) -> Script {
    let writes = vec![(Span::default(), bytes)];
    Script { delay: DELAY, bottleneck: None, rules, writes, finishes: true, end: Span::from_millis(5000) }
}

fn forward(which: Which, action: Action) -> Rule {
    Rule { direction: Direction::Forward, which, action }
}

fn drill(seed: u64, script: &Script) -> Record {
    let own = noq::Noq.own().into_iter().find(|own| own.descriptor.name == "noq:newreno").expect("a control");
    let control = Control::Own(own);
    let packing = packing(&control, 1200, 28, 10_000);
    run(&mut *noq::Noq.connections(&control, &packing, seed), seed, script)
}

fn forward_events(record: &Record, what: What) -> impl Iterator<Item = &Event> {
    record.events.iter().filter(move |one| one.what == what && one.direction == Direction::Forward)
}

#[test]
fn a_drill_repeats() {
    let script = script(vec![], 100_000);
    let first = drill(1, &script);
    assert_eq!(first.hashes[0], drill(1, &script).hashes[0]);
    assert_eq!(first.bytes, [100_000, 100_000]);
    assert!(!first.given_up);
}

#[test]
fn datagrams_take_the_delay_of_the_path() {
    let record = drill(1, &script(vec![], 50_000));
    let sent: Vec<_> = forward_events(&record, What::Sent).map(|one| one.at + DELAY).collect();
    let arrived: Vec<_> = forward_events(&record, What::Arrived).map(|one| one.at).collect();
    assert_eq!(sent, arrived);
    // 50,000 bytes are 43 full datagrams of 1167 bytes of data: ten, twenty and thirteen of them, a round trip apart, and a round trip for
    // the last acknowledgements. noq sends the first ones with its pacer's bursts.
    let delivered = record.delivered.expect("all is delivered").seconds();
    assert!((0.3..0.42).contains(&delivered), "{delivered}");
}

#[test]
fn exactly_the_named_datagram_is_lost() {
    let record = drill(1, &script(vec![forward(Which::Numbers(5..=5), Action::Drop)], 100_000));
    let dropped: Vec<_> = forward_events(&record, What::Dropped).map(|one| one.number).collect();
    assert_eq!(dropped, [5]);
    let last = &record.events.last().expect("events").client;
    assert_eq!((last.lost_packets, last.congestion_events), (Some(1), Some(1)));
    assert!(record.delivered.is_some());
}

#[test]
fn a_mark_a_hold_and_a_cleared_field_change_what_arrives() {
    let rules = vec![
        forward(Which::Numbers(3..=3), Action::Mark),
        forward(Which::Numbers(4..=4), Action::Bleach),
        forward(Which::Numbers(6..=6), Action::Hold(Span::from_millis(300))),
        forward(Which::Numbers(7..=7), Action::Delay(Span::from_millis(10))),
    ];
    let record = drill(1, &script(rules, 20_000));
    let began = record.began.expect("data");
    let of = |what: What, number: u64| {
        let one = forward_events(&record, what).find(|one| one.number == number).expect("the datagram");
        (one.at, one.ecn)
    };
    assert_eq!(
        [3, 4, 5].map(|number| of(What::Arrived, number).1),
        [Ecn::Experienced, Ecn::NotCapable, Ecn::Classic]
    );
    assert_eq!(of(What::Arrived, 6).0, began + Span::from_millis(300));
    assert_eq!(of(What::Arrived, 7).0, of(What::Sent, 7).0 + Span::from_millis(60));
}

#[test]
fn a_bottleneck_spaces_datagrams_and_drops_what_finds_its_queue_full() {
    let bottleneck = Bottleneck { bits_per_second: vec![(Span::default(), 9_600_000)], queue_bytes: 6_000 };
    let record = drill(1, &Script { bottleneck: Some(bottleneck), ..script(vec![], 2_000_000) });
    let arrived: Vec<_> = forward_events(&record, What::Arrived).filter(|one| one.bytes == 1200).collect();
    // 1200 bytes take a millisecond at 9.6 Mbit/s.
    let least = arrived.windows(2).map(|two| two[1].at.since(two[0].at)).min().expect("datagrams");
    assert_eq!(least, Span::from_millis(1));
    assert!(forward_events(&record, What::Dropped).count() > 0);
    assert!(record.delivered.is_some());
}

#[test]
fn the_application_writes_when_the_script_says() {
    let writes = vec![(Span::default(), 1000), (Span::from_millis(700), 2000)];
    let record = drill(1, &Script { writes, ..script(vec![], 0) });
    let began = record.began.expect("data");
    let second = forward_events(&record, What::Sent)
        .find(|one| one.bytes > 900 && one.number > 1)
        .expect("the second write");
    assert_eq!(second.at, began + Span::from_millis(700));
    assert_eq!(record.bytes, [3000, 3000]);
}
