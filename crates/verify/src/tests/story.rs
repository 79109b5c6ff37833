//! Traces written by hand, and the network in which they are checked.

use crate::{
    LinkFacts, NetworkFacts, PathFacts, QueueLimit, Rule, SendingRate, ServiceRules, Violation, verify,
};
use ackclock_base::trace::{Event, Record};
use ackclock_base::{Rate, Span, Time};

/// The laws broken by a lawful trace: none.
pub(super) const NOTHING: [Rule; 0] = [];

/// The rules of a tail-drop queue.
pub(super) const TAIL_DROP: ServiceRules = ServiceRules {
    drops_late: false,
    overtakes: false,
    queues_by_ecn: false,
    holds_back: false,
    drops_only_when_full: true,
};

/// A trace of packets of 1000 B. Times are in microseconds.
#[derive(Clone, Default)]
pub(super) struct Story {
    pub(super) records: Vec<Record>,
}

impl Story {
    /// Adds a record.
    pub(super) fn note(mut self, us: u64, path: u32, packet: u64, event: Event) -> Self {
        self.records.push(Record { time_ns: us * 1000, path, packet, bytes: 1000, event });
        self
    }

    pub(super) fn launched(self, us: u64, packet: u64) -> Self {
        self.note(us, 0, packet, Event::Launched)
    }

    /// Adds the records of a packet that crosses a link: when it is offered, started, sent, and arrives.
    pub(super) fn crosses(self, packet: u64, link: u32, us: [u64; 4]) -> Self {
        self.note(us[0], 0, packet, Event::Offered { link })
            .note(us[1], 0, packet, Event::Started { link })
            .note(us[2], 0, packet, Event::Sent { link })
            .note(us[3], 0, packet, Event::Arrived { link })
    }

    pub(super) fn delivered(self, us: u64, packet: u64) -> Self {
        self.note(us, 0, packet, Event::Delivered)
    }

    pub(super) fn dropped(self, us: u64, packet: u64) -> Self {
        self.note(us, 0, packet, Event::Offered { link: 0 }).note(us, 0, packet, Event::Dropped { link: 0 })
    }

    pub(super) fn without(mut self, unwanted: impl Fn(&Record) -> bool) -> Self {
        self.records.retain(|record| !unwanted(record));
        self
    }

    pub(super) fn changed(mut self, change: impl Fn(&mut Record)) -> Self {
        self.records.iter_mut().for_each(change);
        self
    }

    /// Returns the laws broken on [`network`] within 50 ms.
    pub(super) fn breaks(self) -> Vec<Rule> {
        self.breaks_with(TAIL_DROP)
    }

    /// Returns the laws broken on [`network`] within 50 ms, where the discipline of the slow link may do what `service` says.
    pub(super) fn breaks_with(self, service: ServiceRules) -> Vec<Rule> {
        let mut network = network();
        network.links[0].service = service;
        self.breaks_on(&network)
    }

    /// Returns the laws broken on another network within 50 ms.
    pub(super) fn breaks_on(self, network: &NetworkFacts) -> Vec<Rule> {
        let found = self.violations_on(network);
        found.iter().for_each(|violation| println!("{violation}"));
        found.into_iter().map(|violation| violation.rule).collect()
    }

    /// Returns the violations on another network within 50 ms.
    pub(super) fn violations_on(self, network: &NetworkFacts) -> Vec<Violation> {
        verify(&self.records, network, Time::from_seconds(0.05))
    }
}

/// A slow link of a byte per microsecond with 10 ms of wire, on which one packet may wait, and a fast link of ten bytes per
/// microsecond with 1 ms of wire and no limit. Path 0 crosses both, path 1 the fast one.
pub(super) fn network() -> NetworkFacts {
    let link = |name: &str, rate, delay_ms, limit| LinkFacts {
        delay: Span::from_millis(delay_ms),
        limit,
        service: TAIL_DROP,
        ..LinkFacts::new(name, SendingRate::Constant(Rate::from_bits_per_second(rate)))
    };
    let path = |backward, links: &[u32]| PathFacts { flow: "f".into(), backward, links: links.to_vec() };
    NetworkFacts {
        links: vec![
            link("slow", 8_000_000, 10, Some(QueueLimit::Packets(1))),
            link("fast", 80_000_000, 1, None),
        ],
        paths: vec![path(false, &[0, 1]), path(true, &[1])],
        agents: Vec::new(),
    }
}

/// Two packets over both links, of which the second waits for the first.
pub(super) fn pair() -> Story {
    Story::default()
        .launched(0, 1)
        .crosses(1, 0, [0, 0, 1000, 11_000])
        .launched(0, 2)
        .crosses(2, 0, [0, 1000, 2000, 12_000])
        .crosses(1, 1, [11_000, 11_000, 11_100, 12_100])
        .crosses(2, 1, [12_000, 12_000, 12_100, 13_100])
        .delivered(12_100, 1)
        .delivered(13_100, 2)
}
