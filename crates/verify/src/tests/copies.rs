//! Traces written by hand of packets that a link copies, and of packets that skip its delay.

use super::story::{NOTHING, Story, network};
use crate::{NetworkFacts, Rule};
use ackclock_base::link::{Duplicates, LinkRules, Skips};
use ackclock_base::trace::Event;

/// Returns the usual network, whose first link copies packets or lets them skip its delay.
fn altering(duplicates: bool, skips_delay: bool) -> NetworkFacts {
    let mut network = network();
    network.links[0].rules = LinkRules {
        duplicates: duplicates.then(Duplicates::default),
        skips: skips_delay.then(Skips::default),
        reorders: skips_delay,
        ..LinkRules::default()
    };
    network
}

/// Two packets cross two links. The first of these copies the first packet, which then has number 3.
fn copied() -> Story {
    Story::default()
        .launched(0, 1)
        .launched(100, 2)
        .crosses(1, 0, [0, 0, 1000, 11_000])
        .note(11_000, 0, 3, Event::Duplicated { link: 0 })
        .crosses(1, 1, [11_000, 11_000, 11_100, 12_100])
        .crosses(3, 1, [11_000, 11_100, 11_200, 12_200])
        .crosses(2, 0, [100, 1000, 2000, 12_000])
        .crosses(2, 1, [12_000, 12_000, 12_100, 13_100])
        .delivered(12_100, 1)
        .delivered(12_200, 3)
        .delivered(13_100, 2)
}

fn found(story: Story, duplicates: bool) -> Vec<Rule> {
    story.breaks_on(&altering(duplicates, false))
}

#[test]
fn a_copy_arrives_with_its_original_where_the_link_copies() {
    assert_eq!(found(copied(), true), NOTHING);
    assert_eq!(found(copied(), false), [Rule::Launch]);
    let change = |change: fn(&mut ackclock_base::trace::Record)| {
        copied().changed(|record| {
            if matches!(record.event, Event::Duplicated { .. }) {
                change(record);
            }
        })
    };
    // Earlier than its original, later, with another size, and after a packet that is not there.
    assert!(found(change(|record| record.time_ns -= 1), true).contains(&Rule::Launch));
    assert!(found(change(|record| record.time_ns += 1), true).contains(&Rule::Launch));
    assert!(found(change(|record| record.bytes += 1), true).contains(&Rule::Launch));
    assert!(
        found(change(|record| record.event = Event::Duplicated { link: 1 }), true).contains(&Rule::Launch)
    );
    // One copy of one arrival.
    let twice = copied().note(11_000, 0, 4, Event::Duplicated { link: 0 });
    assert!(found(twice, true).contains(&Rule::Launch));
}

#[test]
fn a_copy_that_vanishes_is_reported() {
    let vanished = copied().without(|record| record.packet == 3 && record.event == Event::Delivered);
    assert!(found(vanished, true).contains(&Rule::Conservation));
}

#[test]
fn a_packet_that_skips_the_delay_arrives_as_it_has_been_sent() {
    let story = |at: u64| {
        Story::default()
            .launched(0, 1)
            .crosses(1, 0, [0, 0, 1000, at])
            .crosses(1, 1, [at, at, at + 100, at + 1100])
            .delivered(at + 1100, 1)
    };
    assert_eq!(story(1000).breaks_on(&altering(false, true)), NOTHING);
    assert_eq!(story(11_000).breaks_on(&altering(false, true)), NOTHING);
    assert_eq!(story(1001).breaks_on(&altering(false, true)), [Rule::LinkDelay]);
    assert_eq!(story(1000).breaks_on(&altering(false, false)), [Rule::LinkDelay]);
}
