//! Traces of links that share a medium, written by hand: two stations, each a link of a byte per microsecond that adds 100
//! bytes to each packet of 1000 and arrives at once.

use super::*;

/// Two paths, each over the link of its number.
fn breaks(story: Story, medium: MediumFacts) -> Vec<Rule> {
    let mut trace = Trace::default();
    trace.records = story.records;
    let path = |link: u32| PathFacts { flow: format!("f{link}"), backward: false, links: vec![link] };
    let [slow, _] = links();
    let link = LinkFacts {
        delay: Span::ZERO,
        capacity: None,
        medium: Some(MediumFacts { framing_bytes: 100, ..medium }),
        ..slow
    };
    let found = verify(&trace, &[link.clone(), link], &[path(0), path(1)], &[], Time::from_seconds(0.05));
    found.iter().for_each(|violation| println!("{violation}"));
    found.into_iter().map(|violation| violation.rule).collect()
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
    /// Launched and offered to the link of its path.
    fn waits(self, us: u64, path: u32, packet: u64) -> Self {
        self.note(us, path, packet, Event::Launched).note(us, path, packet, Event::Offered { link: path })
    }

    /// A transmission of 1.1 ms that ends so.
    fn sent(self, us: u64, path: u32, packet: u64, end: Event) -> Self {
        self.note(us, path, packet, Event::Started { link: path }).note(us + 1100, path, packet, end)
    }

    fn arrives(self, us: u64, path: u32, packet: u64) -> Self {
        self.note(us, path, packet, Event::Arrived { link: path }).note(us, path, packet, Event::Delivered)
    }
}

/// Packet 1 of the first station and packet 2 of the second meet, and are sent again one after the other.
fn met() -> Story {
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
fn what_meets_is_repeated() {
    assert_eq!(breaks(met(), COLLIDES), []);
    // A medium on which nobody meets, and one that repeats nothing.
    assert!(breaks(met(), MediumFacts { collides: false, ..COLLIDES }).contains(&Rule::OneAtATime));
    assert!(breaks(met(), MediumFacts { repeats: false, ..COLLIDES }).contains(&Rule::Route));
    // The 100 bytes that the medium adds take their time.
    let quick = met().changed(|record| {
        if record.event == (Event::Failed { link: 0 }) {
            record.time_ns -= 100_000;
        }
    });
    assert_eq!(breaks(quick, COLLIDES), [Rule::LinkRate]);
}

#[test]
fn what_meets_does_not_arrive() {
    let arrives = Story::default()
        .waits(0, 0, 1)
        .waits(0, 1, 2)
        .sent(100, 0, 1, Event::Sent { link: 0 })
        .sent(100, 1, 2, Event::Sent { link: 1 })
        .arrives(1200, 0, 1)
        .note(1200, 1, 2, Event::Lost { link: 1 });
    assert_eq!(breaks(arrives, COLLIDES), [Rule::OneAtATime]);
}

/// Packets 1 and 3 of a station in one turn; the first is not received and is sent again.
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
fn what_is_behind_a_packet_that_is_repeated_waits_for_it() {
    assert_eq!(breaks(held([4100, 4100]), COLLIDES), []);
    assert_eq!(breaks(held([4100, 4101]), COLLIDES), [Rule::LinkDelay], "later than that");
    let early = breaks(held([4100, 2300]), COLLIDES);
    assert!(early.contains(&Rule::LinkDelay) && early.contains(&Rule::DeliveryOrder), "{early:?}");
}

#[test]
fn what_is_behind_a_packet_that_is_given_up_waits_until_that_is_told() {
    let story = |arrives: u64| {
        Story::default()
            .waits(0, 0, 1)
            .waits(0, 0, 3)
            .sent(100, 0, 1, Event::Sent { link: 0 })
            .note(1200, 0, 1, Event::Lost { link: 0 })
            .sent(1200, 0, 3, Event::Sent { link: 0 })
            .arrives(arrives, 0, 3)
    };
    let rest_of_turn = MediumFacts { tells: Span::from_millis(2), ..COLLIDES };
    assert_eq!(breaks(story(2350), rest_of_turn), []);
    assert_eq!(breaks(story(3201), rest_of_turn), [Rule::LinkDelay]);
}

/// A packet that ends at the node between two links, and one that is sent from there.
fn agent_acts() -> Story {
    Story::default()
        .launched(0, 1)
        .crosses(1, 0, [0, 0, 1000, 11_000])
        .note(11_000, 0, 1, Event::Absorbed { link: 1 })
        .note(20_000, 0, 2, Event::Injected { link: 1 })
        .crosses(2, 1, [20_000, 20_000, 20_100, 21_100])
        .delivered(21_100, 2)
}

#[test]
fn an_agent_may_end_and_send_where_it_is_and_nowhere_else() {
    let paths = [PathFacts { flow: "f".into(), backward: false, links: vec![0, 1] }];
    let found = |story: Story, agents: &[AgentFacts]| {
        let mut trace = Trace::default();
        trace.records = story.records;
        let found = verify(&trace, &links(), &paths, agents, Time::from_seconds(0.05));
        found.iter().for_each(|violation| println!("{violation}"));
        found.into_iter().map(|violation| violation.rule).collect::<Vec<_>>()
    };
    let here = [AgentFacts { path: 0, link: 1 }];
    assert_eq!(found(agent_acts(), &here), []);
    assert_eq!(found(agent_acts(), &[]), [Rule::Launch, Rule::Launch]);
    assert_eq!(found(agent_acts(), &[AgentFacts { path: 0, link: 0 }]), [Rule::Launch, Rule::Launch]);
    // What has ended does not go on, and does not end before it has come.
    let goes_on = agent_acts().note(30_000, 0, 1, Event::Offered { link: 1 });
    assert!(found(goes_on, &here).contains(&Rule::OneFate));
    let early = agent_acts().changed(|record| {
        if record.event == (Event::Absorbed { link: 1 }) {
            record.time_ns += 1;
        }
    });
    assert_eq!(found(early, &here), [Rule::HandOver]);
    // One that nobody sent.
    let unsent = agent_acts().without(|record| record.event == Event::Injected { link: 1 });
    assert!(found(unsent, &here).contains(&Rule::Launch));
}
