//! The replay of a trace: the verifier's own queues and accounts.

mod accounts;
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

    /// The newcomer was neither dropped nor sent at once: it waits.
    fn admit_newcomer(&mut self, link: usize) {
        let line = &mut self.links[link];
        let Some(offer) = line.newcomer.take() else { return };
        line.waiting.push_back(offer);
        line.waiting_bytes += u64::from(offer.bytes);
        if self.facts.links[link].service.drops_late {
            line.squeezed_in = Some(offer);
        } else {
            self.check_limit(link, offer);
        }
    }

    /// Where a queue makes room for a newcomer by dropping others, it does so at the same instant.
    fn check_squeezed_in(&mut self, step: &Step<'_>, link: usize) {
        let makes_room = matches!(step.record.event, Event::Dropped { .. });
        let waiting = self.links[link].squeezed_in.filter(|offer| !makes_room || step.time > offer.at);
        if let Some(offer) = waiting {
            self.links[link].squeezed_in = None;
            self.check_limit(link, offer);
        }
    }

    /// With the offer, no more waits than fits; an idle link takes any packet.
    fn check_limit(&mut self, link: usize, offer: Offer) {
        let line = &self.links[link];
        let (packets, bytes) = (line.waiting.len() as u64, line.waiting_bytes);
        // A station of a medium may have nothing under way and yet let packets wait.
        let busy = line.sending.is_some() || packets > 1 && self.facts.links[link].medium.is_some();
        if busy && !self.facts.may_fit(link, packets, bytes) {
            let packet = self.facts.packet_words(offer.packet, offer.path, Some(link));
            let capacity = self.facts.links[link].capacity;
            let what = format!("{packet}: {packets} packets, {bytes} B wait, the limit is {capacity:?}");
            self.found.push(Violation { rule: Rule::QueueLimit, time: offer.at, what });
        }
    }

    fn drop_packet(&mut self, step: &Step<'_>, course: &Course, link: usize) {
        let packet = step.record.packet;
        let line = &mut self.links[link];
        if line.newcomer.take().is_none() {
            line.leave_queue(packet);
        }
        let (packets, bytes) = (line.waiting.len() as u64 + 1, line.waiting_bytes + u64::from(course.bytes));
        let idle = line.sending.is_none() && (packets == 1 || self.facts.links[link].medium.is_none());
        let room = idle || self.facts.fits(link, packets, bytes);
        let service = self.facts.links[link].service;
        if step.time != course.since && !service.drops_late {
            self.note(Rule::Drop, step, format!("dropped, but offered at {}", course.since));
        } else if room && service.drops_only_when_full {
            self.note(Rule::Drop, step, format!("dropped, with {} packets waiting", packets - 1));
        }
    }

    fn start(&mut self, step: &Step<'_>, course: &Course, link: usize) {
        let packet = step.record.packet;
        let holds_back = self.facts.holds_back(link);
        let service = self.facts.links[link].service;
        let path = step.record.path;
        let collides = self.facts.links[link].medium.is_some_and(|medium| medium.collides);
        let meets = self.medium_busy(link);
        self.met.remove(&packet);
        if let Some((_, other)) = meets.filter(|_| collides) {
            self.met.extend([packet, other]);
        } else if let Some((other, busy_with)) = meets {
            let name = &self.facts.links[other].name;
            let what =
                format!("started while packet {busy_with} was being sent on link {name} of its medium");
            self.note(Rule::OneAtATime, step, what);
        }
        let line = &mut self.links[link];
        let first = line.waiting.iter().find(|offer| !service.overtakes || offer.path == path).copied();
        let offer = line.newcomer.take().or_else(|| line.leave_queue(packet));
        let busy_with = line.sending.replace(packet);
        let free_since = line.free_since;
        if self.facts.repeats(link) && !line.under_way.contains(&packet) {
            line.under_way.push_back(packet);
        }
        let first = first.filter(|first| first.packet != packet && course.stage == Stage::Offered);
        if let Some(first) = first {
            self.note(Rule::QueueOrder, step, format!("started before packet {}", first.packet));
        }
        if let Some(other) = busy_with {
            self.note(Rule::OneAtATime, step, format!("started while packet {other} was being sent"));
        } else if let Some(due) = offer.map(|offer| offer.at.max(free_since))
            && (step.time < due || step.time > due && !holds_back)
        {
            self.note(Rule::WorkConserving, step, format!("started, but due at {due}"));
        }
    }

    /// Another link of the same medium that is sending, and which packet.
    fn medium_busy(&self, link: usize) -> Option<(usize, u64)> {
        let number = |link: usize| self.facts.links[link].medium.map(|medium| medium.number);
        let medium = number(link)?;
        let others = (0..self.links.len()).filter(|other| *other != link);
        let mut others = others.filter(|other| number(*other) == Some(medium));
        others.find_map(|other| Some((other, self.links[other].sending?)))
    }

    fn finish(&mut self, step: &Step<'_>, course: &Course, link: usize) {
        let line = &mut self.links[link];
        let busy_with = line.sending.take();
        line.free_since = step.time;
        if let Some(other) = busy_with.filter(|other| *other != step.record.packet) {
            self.note(Rule::OneAtATime, step, format!("sent while packet {other} was being sent"));
        }
        if let Err(wrong) = self.facts.check_transmission(link, course.since, step.time, course.bytes) {
            let took = step.time.since(course.since);
            self.note(Rule::LinkRate, step, format!("sent within {took}, {wrong}"));
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

impl Line {
    fn leave_queue(&mut self, packet: u64) -> Option<Offer> {
        let place = self.waiting.iter().position(|offer| offer.packet == packet)?;
        let offer = self.waiting.remove(place)?;
        self.waiting_bytes -= u64::from(offer.bytes);
        Some(offer)
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
