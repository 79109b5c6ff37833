//! Traces of links that share a medium, written by hand: two stations, each a link of a byte per microsecond that adds 100
//! bytes to each packet of 1000 and arrives at once.

use super::story::{Story, network};
use crate::{LinkFacts, MediumFacts, NetworkFacts, PathFacts, Rule};
use ackclock_base::Span;
use ackclock_base::trace::Event;

/// Returns the laws broken on two links of a medium. Each of the two paths crosses the link of its number.
fn breaks(story: Story, medium: MediumFacts) -> Vec<Rule> {
    let path = |link: u32| PathFacts { flow: format!("f{link}"), backward: false, links: vec![link] };
    let link = LinkFacts {
        delay: Span::ZERO,
        limit: None,
        medium: Some(MediumFacts { framing_bytes: 100, ..medium }),
        ..network().links[0].clone()
    };
    story.breaks_on(&NetworkFacts {
        links: vec![link.clone(), link],
        paths: vec![path(0), path(1)],
        agents: Vec::new(),
    })
}

const COLLIDES: MediumFacts = MediumFacts {
    number: 0,
    framing_bytes: 100,
    collides: true,
    repeats: true,
    set_aside: 1,
    set_aside_bytes: 1100,
    tells: Span::from_nanos(50_000),
};

impl Story {
    /// Adds a packet that is launched and offered to the link of its path.
    fn waits(self, us: u64, path: u32, packet: u64) -> Self {
        self.note(us, path, packet, Event::Launched).note(us, path, packet, Event::Offered { link: path })
    }

    /// Adds a transmission of 1.1 ms that ends with `end`.
    fn sent(self, us: u64, path: u32, packet: u64, end: Event) -> Self {
        self.note(us, path, packet, Event::Started { link: path }).note(us + 1100, path, packet, end)
    }

    /// Adds the arrival of a packet and its delivery.
    fn arrives(self, us: u64, path: u32, packet: u64) -> Self {
        self.note(us, path, packet, Event::Arrived { link: path }).note(us, path, packet, Event::Delivered)
    }
}

/// Packet 1 of the first station and packet 2 of the second collide, and are repeated one after the other.
fn collision() -> Story {
    let failed = |link| Event::Failed { link };
    Story::default()
        .waits(0, 0, 1)
        .waits(0, 1, 2)
        .sent(100, 0, 1, failed(0))
        .sent(100, 1, 2, failed(1))
        .sent(2000, 0, 1, Event::Sent { link: 0 })
        .arrives(3100, 0, 1)
        .sent(4000, 1, 2, Event::Sent { link: 1 })
        .arrives(5100, 1, 2)
}

#[test]
fn packets_that_collide_are_repeated() {
    assert_eq!(breaks(collision(), COLLIDES), []);
    // A medium without collisions and one without repetition make the trace unlawful.
    assert!(breaks(collision(), MediumFacts { collides: false, ..COLLIDES }).contains(&Rule::OneAtATime));
    assert!(breaks(collision(), MediumFacts { repeats: false, ..COLLIDES }).contains(&Rule::Route));
    // The 100 bytes that the medium adds take time.
    let quick = collision().changed(|record| {
        if record.event == (Event::Failed { link: 0 }) {
            record.time_ns -= 100_000;
        }
    });
    assert_eq!(breaks(quick, COLLIDES), [Rule::LinkRate]);
}

#[test]
fn packets_that_collide_do_not_arrive() {
    let arrives = Story::default()
        .waits(0, 0, 1)
        .waits(0, 1, 2)
        .sent(100, 0, 1, Event::Sent { link: 0 })
        .sent(100, 1, 2, Event::Sent { link: 1 })
        .arrives(1200, 0, 1)
        .note(1200, 1, 2, Event::Corrupted { link: 1 });
    assert_eq!(breaks(arrives, COLLIDES), [Rule::OneAtATime]);
}

/// Packets 1 and 3 of a station in one transmission opportunity; the first is not received and is repeated.
fn held(arrives: [u64; 2]) -> Story {
    Story::default()
        .waits(0, 0, 1)
        .waits(0, 0, 3)
        .sent(100, 0, 1, Event::Failed { link: 0 })
        .sent(1200, 0, 3, Event::Sent { link: 0 })
        .sent(3000, 0, 1, Event::Sent { link: 0 })
        .arrives(arrives[0], 0, 1)
        .arrives(arrives[1], 0, 3)
}

#[test]
fn packets_behind_a_repeated_packet_wait_for_it() {
    assert_eq!(breaks(held([4100, 4100]), COLLIDES), []);
    assert_eq!(breaks(held([4100, 4101]), COLLIDES), [Rule::LinkDelay], "later than that");
    let early = breaks(held([4100, 2300]), COLLIDES);
    assert!(early.contains(&Rule::LinkDelay) && early.contains(&Rule::DeliveryOrder), "{early:?}");
}

#[test]
fn packets_behind_a_packet_given_up_wait_until_the_other_end_knows() {
    let story = |arrives: u64| {
        Story::default()
            .waits(0, 0, 1)
            .waits(0, 0, 3)
            .sent(100, 0, 1, Event::Sent { link: 0 })
            .note(1200, 0, 1, Event::Corrupted { link: 0 })
            .sent(1200, 0, 3, Event::Sent { link: 0 })
            .arrives(arrives, 0, 3)
    };
    let rest_of_turn = MediumFacts { tells: Span::from_millis(2), ..COLLIDES };
    assert_eq!(breaks(story(2350), rest_of_turn), []);
    assert_eq!(breaks(story(3201), rest_of_turn), [Rule::LinkDelay]);
}
