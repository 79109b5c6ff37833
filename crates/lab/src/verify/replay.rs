//! The replay of a trace: the verifier's own queues and accounts.

mod accounts;
mod queue;
mod wire;

use super::facts::Facts;
use super::{AgentFacts, LinkFacts, PathFacts, Rule, Violation};
use ackclock_base::Time;
use ackclock_sim::trace::{Event, Record};
use std::collections::{HashMap, HashSet, VecDeque};

/// The replay.
pub(super) struct Replay<'a> {
    facts: Facts<'a>,
    end: Time,
    links: Vec<Line>,
    paths: Vec<Way>,
    courses: HashMap<u64, Course>,
    /// The packets whose last transmission met another's on their medium.
    met: HashSet<u64>,
    /// The packets in the order of launching.
    launched: Vec<u64>,
    pub(super) found: Vec<Violation>,
}

/// A path during the replay.
struct Way {
    /// When it last passed a packet on, by the number of links crossed before.
    passed_on: Vec<Time>,
    /// The packet delivered last, by [`Course::number`].
    delivered_last: usize,
    counts: Counts,
}

/// A link during the replay.
#[derive(Default)]
struct Line {
    /// Offered last. If it is neither dropped nor started before anything else happens on the link, it waits.
    newcomer: Option<Offer>,
    /// Joined the queue last, where another may yet be dropped to make room for it.
    squeezed_in: Option<Offer>,
    waiting: VecDeque<Offer>,
    waiting_bytes: u64,
    sending: Option<u64>,
    /// When the last transmission ended.
    free_since: Time,
    /// When the last packet arrived, and when the transmission of the newest that has arrived ended.
    arrived: Time,
    newest_arrived: Time,
    /// Where it repeats: what was sent and has neither arrived nor been lost, in the order of sending first; and when the
    /// last was lost.
    under_way: VecDeque<u64>,
    lost: Option<Time>,
    counts: Counts,
}

#[derive(Clone, Copy)]
struct Offer {
    path: u32,
    packet: u64,
    bytes: u32,
    at: Time,
}

/// Records before the end of the run, whether or not they make sense: the accounts are kept apart from the laws.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// By an endpoint or an agent.
    launched: u64,
    offered: u64,
    dropped: u64,
    sent: u64,
    lost: u64,
    arrived: u64,
    absorbed: u64,
    delivered: u64,
}

/// What has become of a packet.
struct Course {
    path: u32,
    bytes: u32,
    /// Its place in the order of launching, counted from one.
    number: usize,
    stage: Stage,
    /// Links crossed.
    hops: usize,
    /// The time and the place of its last record.
    since: Time,
    place: usize,
    /// Where it was at the end of the run, and whether the trace says what became of it after that.
    at_end: Option<(Stage, usize)>,
    goes_on: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    AtNode,
    Offered,
    Started,
    Failed,
    Sent,
    Dropped,
    Lost,
    Absorbed,
    Delivered,
}

impl Stage {
    fn is_fate(self) -> bool {
        matches!(self, Self::Dropped | Self::Lost | Self::Absorbed | Self::Delivered)
    }

    fn words(self) -> &'static str {
        match self {
            Self::AtNode => "at a node",
            Self::Offered => "in the queue",
            Self::Started => "being sent",
            Self::Failed => "to be sent again",
            Self::Sent => "on the wire",
            Self::Dropped => "dropped",
            Self::Lost => "lost",
            Self::Absorbed => "at its end with an agent",
            Self::Delivered => "delivered",
        }
    }
}

/// A record with what the verifier knows of it.
#[derive(Clone, Copy)]
struct Step<'a> {
    record: &'a Record,
    time: Time,
    link: Option<usize>,
}

impl<'a> Replay<'a> {
    pub(super) fn new(
        links: &'a [LinkFacts],
        paths: &'a [PathFacts],
        agents: &'a [AgentFacts],
        end: Time,
    ) -> Self {
        let way = |path: &PathFacts| Way {
            passed_on: vec![Time::ZERO; path.links.len() + 1],
            delivered_last: 0,
            counts: Counts::default(),
        };
        Self {
            facts: Facts { links, paths, agents },
            end,
            links: links.iter().map(|_| Line::default()).collect(),
            paths: paths.iter().map(way).collect(),
            courses: HashMap::new(),
            met: HashSet::new(),
            launched: Vec::new(),
            found: Vec::new(),
        }
    }

    pub(super) fn take(&mut self, place: usize, record: &'a Record) {
        let link = link_of(record.event);
        let step =
            Step { record, time: Time::from_nanos(record.time_ns), link: link.map(|link| link as usize) };
        if record.path as usize >= self.paths.len() || step.link.is_some_and(|link| link >= self.links.len())
        {
            self.note(Rule::Known, &step, "a record names a path or a link that does not exist".to_owned());
            return;
        }
        if step.time < self.end {
            self.count(&step);
        }
        if matches!(record.event, Event::Launched | Event::Injected { .. }) {
            self.launch(place, &step);
            return;
        }
        let Some(mut course) = self.courses.remove(&record.packet) else {
            self.note(Rule::Launch, &step, format!("{} without having been launched", verb(record.event)));
            return;
        };
        self.check_identity(&step, &course, place);
        if self.check_stage(&step, &course) {
            self.follow(&step, &course);
        }
        self.advance(&step, &mut course, place);
        self.courses.insert(record.packet, course);
    }

    fn count(&mut self, step: &Step<'_>) {
        let path = &mut self.paths[step.record.path as usize].counts;
        let mut unused = Counts::default();
        let link = step.link.map_or(&mut unused, |link| &mut self.links[link].counts);
        match step.record.event {
            Event::Launched | Event::Injected { .. } => path.launched += 1,
            Event::Absorbed { .. } => path.absorbed += 1,
            Event::Offered { .. } => link.offered += 1,
            Event::Started { .. } | Event::Failed { .. } => {}
            Event::Sent { .. } => link.sent += 1,
            Event::Arrived { .. } => link.arrived += 1,
            Event::Dropped { .. } => {
                link.dropped += 1;
                path.dropped += 1;
            }
            Event::Lost { .. } => {
                link.lost += 1;
                path.lost += 1;
            }
            Event::Delivered => path.delivered += 1,
        }
    }

    fn launch(&mut self, place: usize, step: &Step<'_>) {
        let Record { path, packet, bytes, .. } = *step.record;
        if self.courses.contains_key(&packet) {
            self.note(Rule::Launch, step, "launched a second time".to_owned());
            return;
        }
        self.check_agent(step);
        self.launched.push(packet);
        let number = self.launched.len();
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

    /// Only an agent ends the way of a packet at a node, or sends one from there.
    fn check_agent(&mut self, step: &Step<'_>) {
        let Record { path, event, .. } = *step.record;
        if let Event::Injected { link } | Event::Absorbed { link } = event
            && !self.facts.has_agent(path, Some(link))
        {
            self.note(Rule::Launch, step, format!("{} where there is no agent", verb(event)));
        }
    }

    fn check_identity(&mut self, step: &Step<'_>, course: &Course, place: usize) {
        let Record { path, bytes, event, .. } = *step.record;
        if path != course.path {
            let launched = self.facts.path_words(course.path);
            self.note(Rule::Identity, step, format!("{} though launched by {launched}", verb(event)));
        }
        if bytes != course.bytes {
            let was = course.bytes;
            self.note(Rule::Identity, step, format!("{} with {bytes} B, launched with {was} B", verb(event)));
        }
        if place < course.place {
            let was = course.stage.words();
            let what = format!("{} when it was {was} since {}", verb(event), course.since);
            self.note(Rule::TimeGoesOn, step, format!("{what}, but written before"));
        }
    }

    /// Whether the record is what may come next for the packet.
    fn check_stage(&mut self, step: &Step<'_>, course: &Course) -> bool {
        let event = step.record.event;
        let here = self.facts.paths[course.path as usize].links.get(course.hops).map(|link| *link as usize);
        let expected = match event {
            Event::Launched
            | Event::Injected { .. }
            | Event::Absorbed { .. }
            | Event::Offered { .. }
            | Event::Delivered => Stage::AtNode,
            Event::Started { link } if course.stage == Stage::Failed && self.facts.repeats(link as usize) => {
                Stage::Failed
            }
            Event::Dropped { .. } | Event::Started { .. } => Stage::Offered,
            Event::Sent { .. } | Event::Failed { .. } => Stage::Started,
            Event::Lost { .. } | Event::Arrived { .. } => Stage::Sent,
        };
        if course.stage == expected && here == step.link {
            return true;
        }
        let rule = if course.stage.is_fate() { Rule::OneFate } else { Rule::Route };
        let was = course.stage.words();
        let next = here.and_then(|link| self.facts.links.get(link));
        let next = next.map_or("its path ends here".to_owned(), |link| format!("link {} is next", link.name));
        self.note(rule, step, format!("{}, but it was {was}, and {next}", verb(event)));
        false
    }

    /// The laws of the event itself.
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
                self.links[link].newcomer = Some(Offer { path, packet, bytes, at: step.time });
            }
            (Event::Dropped { .. }, Some(link)) => self.drop_packet(step, course, link),
            (Event::Started { .. }, Some(link)) => self.start(step, course, link),
            (Event::Sent { .. } | Event::Failed { .. }, Some(link)) => self.finish(step, course, link),
            (Event::Lost { .. }, Some(link)) => {
                self.check_wire(step, course.since, course.since);
                self.links[link].lost = Some(step.time);
                self.links[link].under_way.retain(|other| *other != packet);
            }
            (Event::Arrived { .. }, Some(link)) if self.facts.repeats(link) => {
                self.arrive_in_turn(step, course, link);
            }
            (Event::Arrived { .. }, Some(link)) => self.arrive(step, course, link),
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

    /// The record is believed from here on, so that one fault is not reported again at every later record.
    fn advance(&mut self, step: &Step<'_>, course: &mut Course, place: usize) {
        let links = &self.facts.paths[course.path as usize].links;
        // Where a record names another link than the next, the packet is taken to have got there.
        if let Some(link) = step.link
            && links.get(course.hops).map(|link| *link as usize) != Some(link)
            && let Some(hops) = links.iter().position(|other| *other as usize == link)
        {
            course.hops = hops;
        }
        course.stage = match step.record.event {
            Event::Launched | Event::Injected { .. } => Stage::AtNode,
            Event::Absorbed { .. } => Stage::Absorbed,
            Event::Offered { .. } => Stage::Offered,
            Event::Dropped { .. } => Stage::Dropped,
            Event::Started { .. } => Stage::Started,
            Event::Sent { .. } => Stage::Sent,
            Event::Failed { .. } => Stage::Failed,
            Event::Lost { .. } => Stage::Lost,
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

    /// A node passes a packet on as it comes, unless the one before it on the path came later. An endpoint launches
    /// straight into the first link.
    fn pass_on(&mut self, step: &Step<'_>, course: &Course) {
        let passed_on = &mut self.paths[course.path as usize].passed_on[course.hops];
        let due = if course.hops == 0 { course.since } else { course.since.max(*passed_on) };
        *passed_on = step.time;
        if step.time != due {
            self.note(Rule::HandOver, step, format!("{}, but due at {due}", verb(step.record.event)));
        }
    }

    fn deliver(&mut self, step: &Step<'_>, course: &Course) {
        let links = &self.facts.paths[course.path as usize].links;
        let reorders = links.iter().any(|link| self.facts.links[*link as usize].reorders);
        if reorders || self.facts.has_agent(course.path, None) {
            return;
        }
        let last = &mut self.paths[course.path as usize].delivered_last;
        if course.number < *last {
            let other = self.launched[*last - 1];
            let what = format!("delivered after packet {other}, which was launched after it");
            self.note(Rule::DeliveryOrder, step, what);
        } else {
            *last = course.number;
        }
    }

    fn note(&mut self, rule: Rule, step: &Step<'_>, what: String) {
        let packet = self.facts.packet_words(step.record.packet, step.record.path, step.link);
        self.found.push(Violation { rule, time: step.time, what: format!("{packet}: {what}") });
    }
}

fn link_of(event: Event) -> Option<u32> {
    match event {
        Event::Offered { link }
        | Event::Dropped { link }
        | Event::Started { link }
        | Event::Sent { link }
        | Event::Failed { link }
        | Event::Lost { link }
        | Event::Injected { link }
        | Event::Absorbed { link }
        | Event::Arrived { link } => Some(link),
        Event::Launched | Event::Delivered => None,
    }
}

fn verb(event: Event) -> &'static str {
    match event {
        Event::Launched => "launched",
        Event::Offered { .. } => "offered",
        Event::Dropped { .. } => "dropped",
        Event::Started { .. } => "started",
        Event::Sent { .. } => "sent",
        Event::Failed { .. } => "not received",
        Event::Lost { .. } => "lost",
        Event::Arrived { .. } => "arrived",
        Event::Injected { .. } => "sent by an agent",
        Event::Absorbed { .. } => "ended by an agent",
        Event::Delivered => "delivered",
    }
}
