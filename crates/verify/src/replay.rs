//! Replays a trace, with the verifier's own queues and accounts.

mod accounts;
mod course;
mod queue;
mod wire;

use crate::rates::Spare;
use crate::{NetworkFacts, PathFacts, Rule, Violation};
use ackclock_base::Time;
use ackclock_base::trace::{Event, Record};
use course::{Course, Stage};
use std::collections::{HashMap, HashSet, VecDeque};

/// The replay of a trace.
pub(crate) struct Replay<'a> {
    network: &'a NetworkFacts,
    end: Time,
    links: Vec<LinkState>,
    paths: Vec<PathState>,
    courses: HashMap<u64, Course>,
    /// The packets whose last transmission collided with another on their medium.
    collided: HashSet<u64>,
    /// The packets in the order of launching.
    launched: Vec<u64>,
    /// The violations so far.
    pub(crate) found: Vec<Violation>,
}

/// The state of a path during the replay.
struct PathState {
    /// When the path last passed a packet on, by the number of links crossed before.
    passed_on: Vec<Time>,
    /// The [`Course::number`] of the packet that was delivered last.
    delivered_last: usize,
    counts: Counts,
}

/// The state of a link during the replay.
#[derive(Default)]
struct LinkState {
    /// The packet that was offered last. It waits if it is neither dropped nor started before the next event
    /// on the link.
    newcomer: Option<Offer>,
    /// The packet that joined the queue last, as long as another packet may still be dropped to make room for
    /// it.
    squeezed_in: Option<Offer>,
    waiting: VecDeque<Offer>,
    waiting_bytes: u64,
    /// The packet that is being sent.
    sending: Option<u64>,
    /// The time at which the last transmission ended.
    free_since: Time,
    /// What may still be sent at that instant.
    spare: Spare,
    /// Whether the packet that is being sent was offered before its transmission started.
    waited: bool,
    /// For a link that repeats: the latest time at which the packets sent so far leave its wire, on which
    /// none overtakes another.
    wire_until: Time,
    /// The time at which the last packet arrived.
    arrived: Time,
    /// The packet that arrived last; `None` before the first, and once a copy of it has been made.
    arrived_last: Option<u64>,
    /// Among the packets that have arrived, the latest time at which a transmission ended.
    newest_arrived: Time,
    /// On a link that repeats: the packets that were sent and have neither arrived nor been lost, in the order of their first
    /// transmissions.
    under_way: VecDeque<u64>,
    /// The time at which the last packet was lost; `None` before the first.
    lost: Option<Time>,
    counts: Counts,
}

/// A packet that was offered to a link.
#[derive(Clone, Copy)]
struct Offer {
    path: u32,
    packet: u64,
    bytes: u32,
    at: Time,
    /// Whether a packet of its path that was offered later has started.
    overtaken: bool,
}

/// The number of records of each kind before the end of the run, whether or not the records make sense: the accounts are kept
/// apart from the laws.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Packets launched by an endpoint or injected by an agent.
    launched: u64,
    offered: u64,
    dropped: u64,
    sent: u64,
    lost: u64,
    arrived: u64,
    absorbed: u64,
    delivered: u64,
}

/// A record, with its time and link as the replay uses them.
#[derive(Clone, Copy)]
struct Step<'a> {
    record: &'a Record,
    time: Time,
    link: Option<usize>,
}

impl<'a> Replay<'a> {
    /// Begins the replay of a run that ended at `end`.
    pub(crate) fn new(network: &'a NetworkFacts, end: Time) -> Self {
        let path = |path: &PathFacts| PathState {
            passed_on: vec![Time::ZERO; path.links.len() + 1],
            delivered_last: 0,
            counts: Counts::default(),
        };
        Self {
            network,
            end,
            links: network.links.iter().map(|_| LinkState::default()).collect(),
            paths: network.paths.iter().map(path).collect(),
            courses: HashMap::new(),
            collided: HashSet::new(),
            launched: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Takes the next record in the order of time; `place` is its index in the order of writing.
    pub(crate) fn take(&mut self, place: usize, record: &'a Record) {
        let link = record.event.link().map(|link| link as usize);
        let step = Step { record, time: Time::from_nanos(record.time_ns), link };
        if record.path as usize >= self.paths.len() || link.is_some_and(|link| link >= self.links.len()) {
            self.note(Rule::Known, &step, "a record names a path or a link that does not exist".to_owned());
            return;
        }
        if step.time < self.end {
            self.count(&step);
        }
        if matches!(record.event, Event::Launched | Event::Injected { .. } | Event::Duplicated { .. }) {
            self.launch(place, &step);
            return;
        }
        let Some(mut course) = self.courses.remove(&record.packet) else {
            self.note(Rule::Launch, &step, format!("{}, but was never launched", verb(record.event)));
            return;
        };
        self.check_identity(&step, &course, place);
        if self.check_stage(&step, &course) {
            self.follow(&step, &course);
        }
        self.advance(&step, &mut course, place);
        self.courses.insert(record.packet, course);
    }

    /// Counts a record for its path and for its link.
    fn count(&mut self, step: &Step<'_>) {
        let path = &mut self.paths[step.record.path as usize].counts;
        let mut unused = Counts::default();
        let link = step.link.map_or(&mut unused, |link| &mut self.links[link].counts);
        match step.record.event {
            Event::Launched | Event::Injected { .. } | Event::Duplicated { .. } => path.launched += 1,
            Event::Absorbed { .. } => path.absorbed += 1,
            Event::Offered { .. } => link.offered += 1,
            Event::Started { .. } | Event::Failed { .. } => {}
            Event::Sent { .. } => link.sent += 1,
            Event::Arrived { .. } => link.arrived += 1,
            Event::Dropped { .. } => {
                link.dropped += 1;
                path.dropped += 1;
            }
            Event::Corrupted { .. } => {
                link.lost += 1;
                path.lost += 1;
            }
            Event::Delivered => path.delivered += 1,
        }
    }

    /// Takes the record with which a packet enters the network.
    fn launch(&mut self, place: usize, step: &Step<'_>) {
        let Record { path, packet, bytes, .. } = *step.record;
        if self.courses.contains_key(&packet) {
            self.note(Rule::Launch, step, "launched a second time".to_owned());
            return;
        }
        self.check_agent(step);
        self.launched.push(packet);
        // A copy follows its original: it has the same place in the order of launching.
        let number = match step.link.filter(|_| matches!(step.record.event, Event::Duplicated { .. })) {
            Some(link) => self.copied(step, link).unwrap_or(self.launched.len()),
            None => self.launched.len(),
        };
        let mut course = Course {
            path,
            bytes,
            number,
            stage: Stage::AtNode,
            hops: 0,
            since: step.time,
            place,
            at_end: None,
            goes_on: false,
        };
        self.advance(step, &mut course, place);
        self.courses.insert(packet, course);
    }

    /// Checks that a packet may be a copy of the packet that arrived last over a link, and returns the place
    /// of that packet in the order of launching; `None` if there is no such packet.
    fn copied(&mut self, step: &Step<'_>, link: usize) -> Option<usize> {
        let Record { path, bytes, .. } = *step.record;
        let original = self.links[link].arrived_last.take();
        if self.network.links[link].rules.duplicates.is_none() {
            self.note(Rule::Launch, step, "is recorded as a copy, but the link copies no packets".to_owned());
        }
        let original = original.and_then(|packet| Some((packet, self.courses.get(&packet)?)));
        let found = match original {
            Some((_, course)) if (course.path, course.bytes, course.since) == (path, bytes, step.time) => {
                return Some(course.number);
            }
            Some((packet, _)) => format!(
                "is recorded as a copy, but differs in path, size or time from packet {packet}, the last to arrive \
                 over this link"
            ),
            None => "is recorded as a copy, but no packet has arrived over this link since the last copy"
                .to_owned(),
        };
        self.note(Rule::Launch, step, found);
        None
    }

    /// Checks that a packet that ends at a node, or is sent from one, does so where there is an agent.
    fn check_agent(&mut self, step: &Step<'_>) {
        let Record { path, event, .. } = *step.record;
        if let Event::Injected { link } | Event::Absorbed { link } = event
            && !self.network.has_agent(path, Some(link))
        {
            self.note(
                Rule::Launch,
                step,
                format!("{} at the node before this link, but that node has no agent", verb(event)),
            );
        }
    }

    /// Checks that the packet has the path and the size that it was launched with, and that its records were written in the
    /// order of time.
    fn check_identity(&mut self, step: &Step<'_>, course: &Course, place: usize) {
        let Record { path, bytes, event, .. } = *step.record;
        if path != course.path {
            let launched = self.network.path_words(course.path);
            self.note(Rule::Identity, step, format!("{}, but it was launched by {launched}", verb(event)));
        }
        if bytes != course.bytes {
            let was = course.bytes;
            self.note(
                Rule::Identity,
                step,
                format!("{} with {bytes} B, but launched with {was} B", verb(event)),
            );
        }
        if place < course.place {
            let was = course.stage.words();
            let what =
                format!("{}, but its record was written before the record of an earlier event", verb(event));
            self.note(Rule::TimeGoesOn, step, format!("{what}: the packet was {was} at {}", course.since));
        }
    }

    /// Returns whether the record may come next for its packet.
    fn check_stage(&mut self, step: &Step<'_>, course: &Course) -> bool {
        let event = step.record.event;
        let here = self.network.paths[course.path as usize].links.get(course.hops).map(|link| *link as usize);
        let expected = match event {
            Event::Launched
            | Event::Injected { .. }
            | Event::Duplicated { .. }
            | Event::Absorbed { .. }
            | Event::Offered { .. }
            | Event::Delivered => Stage::AtNode,
            Event::Started { link }
                if course.stage == Stage::Failed && self.network.repeats(link as usize) =>
            {
                Stage::Failed
            }
            Event::Dropped { .. } | Event::Started { .. } => Stage::Offered,
            Event::Sent { .. } | Event::Failed { .. } => Stage::Started,
            Event::Corrupted { .. } | Event::Arrived { .. } => Stage::Sent,
        };
        if course.stage == expected && here == step.link {
            return true;
        }
        let rule = if course.stage.is_fate() { Rule::OneFate } else { Rule::Route };
        let was = course.stage.words();
        let next = here.and_then(|link| self.network.links.get(link));
        let next = next.map_or("its path ends here".to_owned(), |link| {
            format!("the next link of its path is {}", link.name)
        });
        self.note(rule, step, format!("{}, but the packet was {was}, and {next}", verb(event)));
        false
    }

    /// Checks the laws that concern the event itself.
    fn follow(&mut self, step: &Step<'_>, course: &Course) {
        let Record { path, packet, bytes, event, .. } = *step.record;
        if let Some(link) = step.link
            && self.links[link].newcomer.is_some_and(|newcomer| newcomer.packet != packet)
        {
            self.admit_newcomer(link);
        }
        if let Some(link) = step.link {
            self.check_squeezed_in(step, link);
        }
        match (event, step.link) {
            (Event::Offered { .. }, Some(link)) => {
                self.pass_on(step, course);
                self.links[link].newcomer =
                    Some(Offer { path, packet, bytes, at: step.time, overtaken: false });
            }
            (Event::Dropped { .. }, Some(link)) => self.drop_packet(step, course, link),
            (Event::Started { .. }, Some(link)) => self.start(step, course, link),
            (Event::Sent { .. } | Event::Failed { .. }, Some(link)) => self.finish(step, course, link),
            (Event::Corrupted { .. }, Some(link)) => {
                self.check_wire(step, course.since, course.since);
                self.links[link].lost = Some(step.time);
                self.links[link].under_way.retain(|other| *other != packet);
            }
            (Event::Arrived { .. }, Some(link)) => {
                if self.network.repeats(link) {
                    self.arrive_in_turn(step, course, link);
                } else {
                    self.arrive(step, course, link);
                }
                self.links[link].arrived_last = Some(packet);
            }
            (Event::Absorbed { .. }, _) => {
                self.pass_on(step, course);
                self.check_agent(step);
            }
            (Event::Delivered, _) => {
                self.pass_on(step, course);
                self.deliver(step, course);
            }
            _ => {}
        }
    }

    /// Notes what the record says of its packet. The record is believed, so that one fault is not reported again at every later
    /// record.
    fn advance(&mut self, step: &Step<'_>, course: &mut Course, place: usize) {
        let links = &self.network.paths[course.path as usize].links;
        // If a record names another link than the next, the replay takes the packet to be at that link.
        if let Some(link) = step.link
            && links.get(course.hops).map(|link| *link as usize) != Some(link)
            && let Some(hops) = links.iter().position(|other| *other as usize == link)
        {
            course.hops = hops;
        }
        course.stage = match step.record.event {
            Event::Launched | Event::Injected { .. } => Stage::AtNode,
            // A copy has crossed its link already.
            Event::Duplicated { .. } => {
                course.hops = (course.hops + 1).min(links.len());
                Stage::AtNode
            }
            Event::Absorbed { .. } => Stage::Absorbed,
            Event::Offered { .. } => Stage::Offered,
            Event::Dropped { .. } => Stage::Dropped,
            Event::Started { .. } => Stage::Started,
            Event::Sent { .. } => Stage::Sent,
            Event::Failed { .. } => Stage::Failed,
            Event::Corrupted { .. } => Stage::Corrupted,
            Event::Arrived { .. } => {
                course.hops = (course.hops + 1).min(links.len());
                Stage::AtNode
            }
            Event::Delivered => Stage::Delivered,
        };
        (course.since, course.place) = (step.time, place);
        if step.time < self.end {
            course.at_end = Some((course.stage, course.hops));
        } else {
            course.goes_on = true;
        }
    }

    /// Checks that a node passes a packet on as it arrives, or with the packet before it on the path if that arrived later. An
    /// endpoint launches straight into the first link.
    fn pass_on(&mut self, step: &Step<'_>, course: &Course) {
        let passed_on = &mut self.paths[course.path as usize].passed_on[course.hops];
        let due = if course.hops == 0 { course.since } else { course.since.max(*passed_on) };
        *passed_on = step.time;
        if step.time != due {
            self.note(Rule::HandOver, step, format!("{}, but due at {due}", verb(step.record.event)));
        }
    }

    /// Checks that a path delivers in the order of launching.
    fn deliver(&mut self, step: &Step<'_>, course: &Course) {
        let links = &self.network.paths[course.path as usize].links;
        let reorders = links.iter().any(|link| self.network.links[*link as usize].rules.reorders);
        let splits = (0..links.len()).any(|hop| self.network.splits(course.path, hop));
        if reorders || splits || self.network.has_agent(course.path, None) {
            return;
        }
        let last = &mut self.paths[course.path as usize].delivered_last;
        if course.number < *last {
            let other = self.launched[*last - 1];
            let what = format!("delivered after packet {other}, although launched before that packet");
            self.note(Rule::DeliveryOrder, step, what);
        } else {
            *last = course.number;
        }
    }

    /// Adds a violation by the packet of a record.
    fn note(&mut self, rule: Rule, step: &Step<'_>, what: String) {
        let packet = self.network.packet_words(step.record.packet, step.record.path, step.link);
        self.found.push(Violation { rule, time: step.time, what: format!("{packet}: {what}") });
    }
}

/// Returns what happened to a packet, as a participle for messages.
fn verb(event: Event) -> &'static str {
    match event {
        Event::Launched => "launched",
        Event::Offered { .. } => "offered",
        Event::Dropped { .. } => "dropped",
        Event::Started { .. } => "started",
        Event::Sent { .. } => "sent",
        Event::Failed { .. } => "not received",
        Event::Corrupted { .. } => "corrupted",
        Event::Arrived { .. } => "arrived",
        Event::Duplicated { .. } => "copied",
        Event::Injected { .. } => "sent by an agent",
        Event::Absorbed { .. } => "absorbed by an agent",
        Event::Delivered => "delivered",
    }
}
