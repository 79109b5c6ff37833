//! An independent check of a run: replays its packet trace and asks of it what physics asks of a packet network.
//!
//! The verifier shares no logic with the simulator. It knows the trace, a few plain facts about each link and path,
//! and integer arithmetic; it keeps its own queues and its own accounts, and a fault common to both would have to be
//! made twice.
//!
//! What holds of a network that obeys physics:
//!
//! * a packet is launched once, follows exactly its path, keeps its size, and meets one fate: dropped, lost or
//!   delivered;
//! * a link takes one packet at a time, in the order in which they were offered, for exactly their bits over its rate;
//!   it starts at once when it is free, and what it sends arrives after exactly its delay;
//! * no more waits than fits, and a tail-drop queue that has room drops nothing;
//! * nodes hold nothing back, except to keep the order of a path's packets, and a path delivers in order;
//! * at the end every packet is accounted for, path by path and link by link.
//!
//! Records are written in the order of processing, not of time: a packet's future on a link is written when the link
//! is offered the packet, and may lie beyond the end of the run. So the replay goes by time. At the same time, ends of
//! transmissions come first: a transmission takes time, so nothing else at that instant can be their cause, and the
//! link is free from that instant on. The rest is taken in the order in which it was written. Of one packet, that is
//! the order of cause and effect; on one link, it is the order of the offers, so that first the next in line leaves
//! the queue, and then a newcomer looks for room.

use ackclock_aqm::Capacity;
use ackclock_base::{Rate, Span, Time};
use ackclock_sim::trace::{Event, Record, Trace};
use serde::{Serialize, Serializer};
use std::collections::{HashMap, VecDeque};
use std::fmt;

/// What the verifier is told of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkFacts {
    /// Its name, for messages.
    pub name: String,
    /// How fast it sends.
    pub rate: Rate,
    /// How long the wire takes.
    pub delay: Span,
    /// How much may wait, not counting the packet being sent; `None` where nothing limits the queue.
    pub capacity: Option<Capacity>,
    /// Whether it drops only what does not fit (a tail-drop queue does, RED does not).
    pub drops_only_when_full: bool,
}

/// What the verifier is told of a path. Paths are numbered as in [`Record::path`]: twice the flow's index, plus one
/// for the way back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFacts {
    /// The flow's name, for messages.
    pub flow: String,
    /// Whether it is the way back.
    pub backward: bool,
    /// The links in order, as indices.
    pub links: Vec<u32>,
}

/// A law that a trace can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// A record names a path or a link that does not exist.
    Known,
    /// Things happen only to packets that have been launched, and a packet is launched once.
    Launch,
    /// A packet stays on its path and keeps its size.
    Identity,
    /// What happens to a packet later is not recorded with an earlier time.
    TimeGoesOn,
    /// A packet goes over the links of its path in order, and on each from the queue to the transmitter to the wire.
    Route,
    /// Nothing happens to a packet that has been dropped, lost or delivered.
    OneFate,
    /// Packets leave a queue in the order in which they were offered.
    QueueOrder,
    /// A link sends one packet at a time.
    OneAtATime,
    /// A transmission takes the packet's bits over the link's rate, rounded to a nanosecond, and at least one.
    LinkRate,
    /// A packet arrives the link's delay after its transmission; a corrupted one is lost as that ends.
    LinkDelay,
    /// A link starts with a packet when it is offered, or when the one before has been sent.
    WorkConserving,
    /// The waiting packets fit into the queue. An idle link takes any packet: it does not wait.
    QueueLimit,
    /// A packet is dropped as it is offered, and by a tail-drop queue only when it does not fit.
    Drop,
    /// A launched packet is offered at once; a node passes a packet on as it arrives, or with the one before it on the
    /// same path.
    HandOver,
    /// A path delivers in the order of launching.
    DeliveryOrder,
    /// Launched = dropped + lost + delivered + in flight; offered = dropped + sent + inside; sent = lost + arrived +
    /// on the wire.
    Conservation,
}

/// A broken law.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// Which law.
    pub rule: Rule,
    /// When; in nanoseconds where it is serialised.
    #[serde(rename = "time_ns", serialize_with = "as_nanos")]
    pub time: Time,
    /// What happened, and to which packet of which flow on which link.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {:?}: {}", self.time, self.rule, self.what)
    }
}

fn as_nanos<S: Serializer>(time: &Time, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(time.nanos())
}

/// After so many violations the replay stops: one fault often breaks a law for every packet that follows.
pub const MOST_VIOLATIONS: usize = 100;

/// Replays a trace of a run that ended at `end`. Returns the laws that it breaks, in the order in which the replay
/// meets them; nothing if it breaks none. Needs room in proportion to the trace.
pub fn verify(trace: &Trace, links: &[LinkFacts], paths: &[PathFacts], end: Time) -> Vec<Violation> {
    let mut replay = Replay::new(links, paths, end);
    for place in in_time_order(&trace.records) {
        replay.take(place, &trace.records[place]);
        if replay.found.len() >= MOST_VIOLATIONS {
            break;
        }
    }
    if replay.found.len() < MOST_VIOLATIONS {
        replay.close_accounts();
    }
    replay.found.truncate(MOST_VIOLATIONS);
    replay.found
}

/// The records' places by time, ends of transmissions first; the sort is stable, so the others stay in the order of
/// writing.
fn in_time_order(records: &[Record]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..records.len()).collect();
    places.sort_by_key(|place| {
        let Record { time_ns, event, .. } = records[*place];
        (time_ns, !matches!(event, Event::Sent { .. }))
    });
    places
}

struct Replay<'a> {
    facts: Facts<'a>,
    end: Time,
    links: Vec<Line>,
    paths: Vec<Way>,
    courses: HashMap<u64, Course>,
    /// The packets in the order of launching.
    launched: Vec<u64>,
    found: Vec<Violation>,
}

#[derive(Clone, Copy)]
struct Facts<'a> {
    links: &'a [LinkFacts],
    paths: &'a [PathFacts],
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
    waiting: VecDeque<Offer>,
    waiting_bytes: u64,
    sending: Option<u64>,
    /// When the last transmission ended.
    free_since: Time,
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
    launched: u64,
    offered: u64,
    dropped: u64,
    sent: u64,
    lost: u64,
    arrived: u64,
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
    Sent,
    Dropped,
    Lost,
    Delivered,
}

impl Stage {
    fn is_fate(self) -> bool {
        matches!(self, Self::Dropped | Self::Lost | Self::Delivered)
    }

    fn words(self) -> &'static str {
        match self {
            Self::AtNode => "at a node",
            Self::Offered => "in the queue",
            Self::Started => "being sent",
            Self::Sent => "on the wire",
            Self::Dropped => "dropped",
            Self::Lost => "lost",
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
    fn new(links: &'a [LinkFacts], paths: &'a [PathFacts], end: Time) -> Self {
        let way = |path: &PathFacts| Way {
            passed_on: vec![Time::ZERO; path.links.len() + 1],
            delivered_last: 0,
            counts: Counts::default(),
        };
        Self {
            facts: Facts { links, paths },
            end,
            links: links.iter().map(|_| Line::default()).collect(),
            paths: paths.iter().map(way).collect(),
            courses: HashMap::new(),
            launched: Vec::new(),
            found: Vec::new(),
        }
    }

    fn take(&mut self, place: usize, record: &'a Record) {
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
        if record.event == Event::Launched {
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
            Event::Launched => path.launched += 1,
            Event::Offered { .. } => link.offered += 1,
            Event::Started { .. } => {}
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
            Event::Launched | Event::Offered { .. } | Event::Delivered => Stage::AtNode,
            Event::Dropped { .. } | Event::Started { .. } => Stage::Offered,
            Event::Sent { .. } => Stage::Started,
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
        match (event, step.link) {
            (Event::Offered { .. }, Some(link)) => {
                self.pass_on(step, course);
                self.links[link].newcomer = Some(Offer { path, packet, bytes, at: step.time });
            }
            (Event::Dropped { .. }, Some(link)) => self.drop_packet(step, course, link),
            (Event::Started { .. }, Some(link)) => self.start(step, link),
            (Event::Sent { .. }, Some(link)) => self.finish(step, course, link),
            (Event::Lost { .. }, _) => self.check_wire(step, course, Span::ZERO),
            (Event::Arrived { .. }, Some(link)) => {
                self.check_wire(step, course, self.facts.links[link].delay);
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
            Event::Launched => Stage::AtNode,
            Event::Offered { .. } => Stage::Offered,
            Event::Dropped { .. } => Stage::Dropped,
            Event::Started { .. } => Stage::Started,
            Event::Sent { .. } => Stage::Sent,
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
        let (packets, bytes) = (line.waiting.len() as u64, line.waiting_bytes);
        if line.sending.is_some() && !self.facts.fits(link, packets, bytes) {
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
        let room = line.sending.is_none() || self.facts.fits(link, packets, bytes);
        if step.time != course.since {
            self.note(Rule::Drop, step, format!("dropped, but offered at {}", course.since));
        } else if room && self.facts.links[link].drops_only_when_full {
            self.note(Rule::Drop, step, format!("dropped, with {} packets waiting", packets - 1));
        }
    }

    fn start(&mut self, step: &Step<'_>, link: usize) {
        let packet = step.record.packet;
        let line = &mut self.links[link];
        let first = line.waiting.front().copied();
        let offer = line.newcomer.take().or_else(|| line.leave_queue(packet));
        let busy_with = line.sending.replace(packet);
        let free_since = line.free_since;
        if let Some(first) = first.filter(|first| first.packet != packet) {
            self.note(Rule::QueueOrder, step, format!("started before packet {}", first.packet));
        }
        if let Some(other) = busy_with {
            self.note(Rule::OneAtATime, step, format!("started while packet {other} was being sent"));
        } else if let Some(due) = offer.map(|offer| offer.at.max(free_since))
            && due != step.time
        {
            self.note(Rule::WorkConserving, step, format!("started, but due at {due}"));
        }
    }

    fn finish(&mut self, step: &Step<'_>, course: &Course, link: usize) {
        let line = &mut self.links[link];
        let busy_with = line.sending.take();
        line.free_since = step.time;
        if let Some(other) = busy_with.filter(|other| *other != step.record.packet) {
            self.note(Rule::OneAtATime, step, format!("sent while packet {other} was being sent"));
        }
        let took = step.time.since(course.since);
        let needs = self.facts.transmission(link, course.bytes);
        if took != needs {
            self.note(Rule::LinkRate, step, format!("sent within {took}, its bits take {needs}"));
        }
    }

    fn check_wire(&mut self, step: &Step<'_>, course: &Course, delay: Span) {
        let due = course.since + delay;
        if step.time != due {
            self.note(Rule::LinkDelay, step, format!("{}, but due at {due}", verb(step.record.event)));
        }
    }

    fn deliver(&mut self, step: &Step<'_>, course: &Course) {
        let last = &mut self.paths[course.path as usize].delivered_last;
        if course.number < *last {
            let other = self.launched[*last - 1];
            let what = format!("delivered after packet {other}, which was launched after it");
            self.note(Rule::DeliveryOrder, step, what);
        } else {
            *last = course.number;
        }
    }

    fn close_accounts(&mut self) {
        for link in 0..self.links.len() {
            self.admit_newcomer(link);
        }
        let mut ways = vec![Remaining::default(); self.paths.len()];
        let mut lines = vec![Remaining::default(); self.links.len()];
        for packet in &self.launched {
            let course = &self.courses[packet];
            let Some((stage, hops)) = course.at_end.filter(|(stage, _)| !stage.is_fate()) else { continue };
            let link = self.facts.paths[course.path as usize].links.get(hops);
            ways[course.path as usize].add(*packet, stage, course.goes_on);
            if let Some(line) = link.and_then(|link| lines.get_mut(*link as usize))
                && stage != Stage::AtNode
            {
                line.add(*packet, stage, course.goes_on);
            }
        }
        for (path, remaining) in ways.iter().enumerate() {
            self.balance_path(path, remaining);
        }
        for (link, remaining) in lines.iter().enumerate() {
            self.balance_link(link, remaining);
        }
    }

    fn balance_path(&mut self, path: usize, remaining: &Remaining) {
        let Counts { launched, dropped, lost, delivered, .. } = self.paths[path].counts;
        let in_flight = remaining.inside + remaining.on_the_wire + remaining.at_nodes;
        if launched != dropped + lost + delivered + in_flight {
            let name = self.facts.path_words(path as u32);
            let sum = format!("{launched} launched, {dropped} dropped, {lost} lost, {delivered} delivered");
            self.imbalance(remaining, &format!("{name}: {sum}, {in_flight} in flight"));
        }
    }

    fn balance_link(&mut self, link: usize, remaining: &Remaining) {
        let Counts { offered, dropped, sent, lost, arrived, .. } = self.links[link].counts;
        let Remaining { inside, on_the_wire, .. } = *remaining;
        let name = format!("link {}", self.facts.links[link].name);
        if offered != dropped + sent + inside {
            let sum = format!("{name}: {offered} offered, {dropped} dropped, {sent} sent, {inside} inside");
            self.imbalance(remaining, &sum);
        } else if sent != lost + arrived + on_the_wire {
            let sum =
                format!("{name}: {sent} sent, {lost} lost, {arrived} arrived, {on_the_wire} on the wire");
            self.imbalance(remaining, &sum);
        }
    }

    fn imbalance(&mut self, remaining: &Remaining, sum: &str) {
        let lost_sight = match remaining.vanished {
            Some((packet, stage)) => format!("; packet {packet} was last {} and vanished", stage.words()),
            None => String::new(),
        };
        self.found.push(Violation {
            rule: Rule::Conservation,
            time: self.end,
            what: format!("{sum}{lost_sight}"),
        });
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

impl Facts<'_> {
    /// The bits over the rate in integers, rounded half up.
    fn transmission(&self, link: usize, bytes: u32) -> Span {
        let rate = u128::from(self.links[link].rate.bits_per_second());
        let bit_nanoseconds = u128::from(bytes) * 8 * 1_000_000_000;
        let ns = (bit_nanoseconds + rate / 2).checked_div(rate).unwrap_or(u128::MAX).max(1);
        Span::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }

    fn fits(&self, link: usize, packets: u64, bytes: u64) -> bool {
        match self.links[link].capacity {
            None | Some(Capacity::Unlimited) => true,
            Some(Capacity::Packets(most)) => packets <= most,
            Some(Capacity::Bytes(most)) => bytes <= most,
        }
    }

    fn packet_words(&self, packet: u64, path: u32, link: Option<usize>) -> String {
        let path = self.path_words(path);
        match link.and_then(|link| self.links.get(link)) {
            Some(link) => format!("{path}, packet {packet}, link {}", link.name),
            None => format!("{path}, packet {packet}"),
        }
    }

    fn path_words(&self, path: u32) -> String {
        match self.paths.get(path as usize) {
            Some(facts) if facts.backward => format!("flow {} (backward)", facts.flow),
            Some(facts) => format!("flow {}", facts.flow),
            None => format!("path {path}"),
        }
    }
}

/// What a path or a link still holds at the end of the run.
#[derive(Clone, Copy, Default)]
struct Remaining {
    at_nodes: u64,
    inside: u64,
    on_the_wire: u64,
    /// The first packet whose course breaks off before the end without a fate, and where it was.
    vanished: Option<(u64, Stage)>,
}

impl Remaining {
    /// A packet is in flight if the trace knows its future: where it will be at or after the end. If not, something
    /// should have happened to it before, and the accounts are to show it.
    fn add(&mut self, packet: u64, stage: Stage, goes_on: bool) {
        match stage {
            _ if !goes_on => self.vanished = self.vanished.or(Some((packet, stage))),
            Stage::AtNode => self.at_nodes += 1,
            Stage::Sent => self.on_the_wire += 1,
            _ => self.inside += 1,
        }
    }
}

fn link_of(event: Event) -> Option<u32> {
    match event {
        Event::Offered { link }
        | Event::Dropped { link }
        | Event::Started { link }
        | Event::Sent { link }
        | Event::Lost { link }
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
        Event::Lost { .. } => "lost",
        Event::Arrived { .. } => "arrived",
        Event::Delivered => "delivered",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A trace in microseconds, of packets of 1000 B.
    #[derive(Clone, Default)]
    struct Story {
        records: Vec<Record>,
    }

    impl Story {
        fn note(mut self, us: u64, path: u32, packet: u64, event: Event) -> Self {
            self.records.push(Record { time_ns: us * 1000, path, packet, bytes: 1000, event });
            self
        }

        fn launched(self, us: u64, packet: u64) -> Self {
            self.note(us, 0, packet, Event::Launched)
        }

        /// Offered, started, sent, arrived.
        fn crosses(self, packet: u64, link: u32, us: [u64; 4]) -> Self {
            self.note(us[0], 0, packet, Event::Offered { link })
                .note(us[1], 0, packet, Event::Started { link })
                .note(us[2], 0, packet, Event::Sent { link })
                .note(us[3], 0, packet, Event::Arrived { link })
        }

        fn delivered(self, us: u64, packet: u64) -> Self {
            self.note(us, 0, packet, Event::Delivered)
        }

        fn dropped(self, us: u64, packet: u64) -> Self {
            self.note(us, 0, packet, Event::Offered { link: 0 }).note(
                us,
                0,
                packet,
                Event::Dropped { link: 0 },
            )
        }

        fn without(mut self, unwanted: impl Fn(&Record) -> bool) -> Self {
            self.records.retain(|record| !unwanted(record));
            self
        }

        fn changed(mut self, change: impl Fn(&mut Record)) -> Self {
            self.records.iter_mut().for_each(change);
            self
        }

        /// The laws broken within 50 ms.
        fn breaks(self) -> Vec<Rule> {
            let mut trace = Trace::default();
            trace.records = self.records;
            let paths = [
                PathFacts { flow: "f".into(), backward: false, links: vec![0, 1] },
                PathFacts { flow: "f".into(), backward: true, links: vec![1] },
            ];
            let found = verify(&trace, &links(), &paths, Time::from_seconds(0.05));
            found.iter().for_each(|violation| println!("{violation}"));
            found.into_iter().map(|violation| violation.rule).collect()
        }
    }

    /// A byte per microsecond, 10 ms of wire, one packet may wait; then ten bytes per microsecond, 1 ms, no limit.
    fn links() -> [LinkFacts; 2] {
        let link = |name: &str, rate, delay_ms, capacity| LinkFacts {
            name: name.into(),
            rate: Rate::from_bits_per_second(rate),
            delay: Span::from_millis(delay_ms),
            capacity,
            drops_only_when_full: true,
        };
        [link("slow", 8_000_000, 10, Some(Capacity::Packets(1))), link("fast", 80_000_000, 1, None)]
    }

    /// One packet goes through, the second waits for it.
    fn pair() -> Story {
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

    const NOTHING: [Rule; 0] = [];

    #[test]
    fn a_lawful_trace_passes() {
        let story = pair()
            // No room: dropped. At 1 ms, when the second has left the queue, there is room again.
            .launched(0, 3)
            .dropped(0, 3)
            .launched(1000, 4)
            .crosses(4, 0, [1000, 2000, 3000, 13_000])
            .crosses(4, 1, [13_000, 13_000, 13_100, 14_100])
            .delivered(14_100, 4)
            // Corrupted on the wire, and overtaken by the end of the run at 50 ms.
            .launched(20_000, 5)
            .note(20_000, 0, 5, Event::Offered { link: 0 })
            .note(20_000, 0, 5, Event::Started { link: 0 })
            .note(21_000, 0, 5, Event::Sent { link: 0 })
            .note(21_000, 0, 5, Event::Lost { link: 0 })
            .launched(45_000, 6)
            .crosses(6, 0, [45_000, 45_000, 46_000, 56_000]);
        assert_eq!(story.breaks(), NOTHING);
        assert_eq!(Story::default().breaks(), NOTHING);
    }

    #[test]
    fn unknown_paths_and_links_are_reported() {
        assert_eq!(
            pair().launched(0, 3).changed(|r| r.path += 7 * u32::from(r.packet == 3)).breaks(),
            [Rule::Known]
        );
        assert_eq!(pair().note(20_000, 0, 1, Event::Offered { link: 9 }).breaks(), [Rule::Known]);
    }

    #[test]
    fn nothing_happens_to_a_packet_that_was_not_launched() {
        assert_eq!(pair().delivered(20_000, 3).breaks()[0], Rule::Launch);
        assert_eq!(pair().launched(20_000, 2).breaks()[0], Rule::Launch);
    }

    #[test]
    fn a_packet_keeps_its_size_and_its_path() {
        let arrives = |record: &Record| record.packet == 1 && record.event == Event::Arrived { link: 0 };
        let longer = pair().changed(|record| record.bytes += u32::from(arrives(record)));
        assert_eq!(longer.breaks(), [Rule::Identity]);
        let elsewhere = pair().changed(|record| record.path += u32::from(arrives(record)));
        assert_eq!(elsewhere.breaks(), [Rule::Identity]);
    }

    #[test]
    fn the_time_of_a_packet_goes_on() {
        // Written in this order, the second link hands the packet over before the first.
        let story = Story::default()
            .launched(0, 1)
            .crosses(1, 1, [11_000, 11_000, 11_100, 12_100])
            .crosses(1, 0, [0, 0, 1000, 11_000])
            .delivered(12_100, 1);
        assert_eq!(story.breaks()[0], Rule::TimeGoesOn);
    }

    #[test]
    fn a_packet_follows_its_path() {
        let shortcut = Story::default().launched(0, 1).crosses(1, 1, [0, 0, 100, 1100]).delivered(1100, 1);
        assert_eq!(shortcut.breaks(), [Rule::Route]);
        let short = Story::default().launched(0, 1).crosses(1, 0, [0, 0, 1000, 11_000]).delivered(11_000, 1);
        assert_eq!(short.breaks(), [Rule::Route]);
        let leap = Story::default().launched(0, 1).crosses(1, 0, [0, 0, 1000, 11_000]);
        let leap = leap.crosses(1, 1, [11_000, 11_000, 11_100, 12_100]).delivered(12_100, 1);
        assert_eq!(leap.without(|record| record.event == Event::Started { link: 1 }).breaks(), [Rule::Route]);
    }

    #[test]
    fn a_packet_meets_one_fate() {
        assert_eq!(pair().delivered(20_000, 2).breaks(), [Rule::OneFate, Rule::Conservation]);
        assert_eq!(pair().note(20_000, 0, 2, Event::Offered { link: 0 }).breaks()[0], Rule::OneFate);
    }

    #[test]
    fn a_queue_keeps_its_order() {
        // Three at once; the third goes before the second (room for two, so that only the order is wrong).
        let story = Story::default()
            .launched(0, 1)
            .crosses(1, 1, [0, 0, 100, 1100])
            .launched(0, 2)
            .crosses(2, 1, [0, 200, 300, 1300])
            .launched(0, 3)
            .crosses(3, 1, [0, 100, 200, 1200])
            .delivered(1100, 1)
            .delivered(1300, 2)
            .delivered(1300, 3)
            .changed(|record| record.path = 1);
        assert_eq!(story.breaks(), [Rule::QueueOrder]);
    }

    #[test]
    fn a_link_sends_one_packet_at_a_time() {
        let story = Story::default()
            .launched(0, 1)
            .crosses(1, 1, [0, 0, 100, 1100])
            .launched(50, 2)
            .crosses(2, 1, [50, 50, 150, 1150])
            .delivered(1100, 1)
            .delivered(1150, 2)
            .changed(|record| record.path = 1);
        assert_eq!(story.breaks()[0], Rule::OneAtATime);
    }

    #[test]
    fn a_transmission_takes_the_time_of_its_bits() {
        let story = |sent| {
            Story::default()
                .launched(0, 1)
                .crosses(1, 1, [0, 0, sent, sent + 1000])
                .delivered(sent + 1000, 1)
                .changed(|record| record.path = 1)
        };
        assert_eq!(story(100).breaks(), NOTHING);
        assert_eq!(story(99).breaks(), [Rule::LinkRate]);
        assert_eq!(story(101).breaks(), [Rule::LinkRate]);
    }

    #[test]
    fn transmissions_are_rounded_to_a_nanosecond_and_never_instant() {
        let links = |rate| [LinkFacts { rate: Rate::from_bits_per_second(rate), ..links()[0].clone() }];
        let time = |rate, bytes| Facts { links: &links(rate), paths: &[] }.transmission(0, bytes).nanos();
        assert_eq!(time(3_000_000_000, 1000), 2667, "8000 bits at 3 bits a nanosecond: 2666.67");
        assert_eq!(time(16_000_000_000, 1), 1, "half a nanosecond");
        assert_eq!(time(1_000_000_000_000, 1), 1);
        assert_eq!(time(0, 1), u64::MAX);
    }

    #[test]
    fn a_wire_takes_its_delay() {
        let story = |arrived| {
            Story::default()
                .launched(0, 1)
                .crosses(1, 1, [0, 0, 100, arrived])
                .delivered(arrived, 1)
                .changed(|record| record.path = 1)
        };
        assert_eq!(story(1099).breaks(), [Rule::LinkDelay]);
        assert_eq!(story(1101).breaks(), [Rule::LinkDelay]);
    }

    #[test]
    fn a_link_with_work_works() {
        let story = |started: u64| {
            Story::default()
                .launched(0, 1)
                .crosses(1, 1, [0, started, started + 100, started + 1100])
                .delivered(started + 1100, 1)
                .changed(|record| record.path = 1)
        };
        assert_eq!(story(1).breaks(), [Rule::WorkConserving], "idle, and waits");
        let gap = pair().changed(|record| {
            let late = record.packet == 2 && record.time_ns > 0;
            record.time_ns += 1000 * u64::from(late);
        });
        assert_eq!(gap.breaks(), [Rule::WorkConserving], "a pause between two packets");
    }

    #[test]
    fn the_queue_has_a_limit() {
        // One may wait, two do.
        let story = pair()
            .launched(0, 3)
            .crosses(3, 0, [0, 2000, 3000, 13_000])
            .crosses(3, 1, [13_000, 13_000, 13_100, 14_100])
            .delivered(14_100, 3);
        assert_eq!(story.breaks(), [Rule::QueueLimit]);
    }

    #[test]
    fn limits_in_bytes_count_bytes() {
        let links = |most| [LinkFacts { capacity: Some(Capacity::Bytes(most)), ..links()[0].clone() }];
        assert!(Facts { links: &links(1500), paths: &[] }.fits(0, 3, 1500));
        assert!(!Facts { links: &links(1499), paths: &[] }.fits(0, 1, 1500));
    }

    #[test]
    fn a_queue_with_room_drops_nothing() {
        let idle = Story::default().launched(0, 1).dropped(0, 1);
        assert_eq!(idle.breaks(), [Rule::Drop]);
        let room = pair().launched(1500, 3).dropped(1500, 3);
        assert_eq!(room.breaks(), [Rule::Drop]);
        let late = pair().launched(0, 3).dropped(0, 3).changed(|record| {
            record.time_ns += u64::from(record.event == Event::Dropped { link: 0 });
        });
        assert_eq!(late.breaks(), [Rule::Drop]);
    }

    #[test]
    fn nodes_pass_on_what_arrives() {
        let held = Story::default()
            .launched(0, 1)
            .crosses(1, 0, [0, 0, 1000, 11_000])
            .crosses(1, 1, [11_500, 11_500, 11_600, 12_600])
            .delivered(12_600, 1);
        assert_eq!(held.breaks(), [Rule::HandOver]);
        let early = pair().changed(|record| record.time_ns -= u64::from(record.event == Event::Delivered));
        assert_eq!(early.breaks()[..2], [Rule::Route, Rule::TimeGoesOn]);
    }

    #[test]
    fn deliveries_are_in_order() {
        // Both reach the end at once, so that only the order is wrong.
        let story = Story::default()
            .launched(0, 1)
            .launched(0, 2)
            .crosses(2, 1, [0, 0, 100, 1100])
            .crosses(1, 1, [0, 100, 200, 1200])
            .delivered(1100, 2)
            .delivered(1200, 1)
            .changed(|record| record.path = 1);
        assert_eq!(story.breaks(), [Rule::DeliveryOrder]);
    }

    #[test]
    fn every_packet_is_accounted_for() {
        let vanished = pair().without(|record| record.packet == 2 && record.event == Event::Delivered);
        assert_eq!(vanished.breaks(), [Rule::Conservation]);
        // The path and the link each miss it.
        let swallowed = Story::default().launched(0, 1).note(0, 0, 1, Event::Offered { link: 0 });
        assert_eq!(swallowed.breaks(), [Rule::Conservation, Rule::Conservation]);
    }

    #[test]
    fn the_replay_stops_after_so_many_violations() {
        let story = (1..1000).fold(Story::default(), |story, packet| story.delivered(packet, packet));
        assert_eq!(story.breaks().len(), MOST_VIOLATIONS);
    }

    #[test]
    fn a_violation_names_link_flow_and_packet() {
        let mut trace = Trace::default();
        trace.records = pair().without(|record| record.event == Event::Started { link: 0 }).records;
        let paths = [PathFacts { flow: "f".into(), backward: false, links: vec![0, 1] }];
        let found = verify(&trace, &links(), &paths, Time::from_seconds(0.05));
        let text = found[0].to_string();
        assert!(text.contains("flow f, packet 1, link slow"), "{text}");
        let json = serde_json::to_value(&found[0]).unwrap();
        assert_eq!((json["rule"].as_str(), json["time_ns"].as_u64()), (Some("route"), Some(1_000_000)));
    }

    mod simulated {
        use super::*;
        use ackclock_aqm::{LinkRate, registry as queues};
        use ackclock_base::{Random, Values};
        use ackclock_cc::{Assembly, ControlGroup, Exponential, registry as controls};
        use ackclock_sim::flow::{FlowParts, Transport};
        use ackclock_sim::link::LinkParts;
        use ackclock_sim::loss;
        use ackclock_sim::measure::Interval;
        use ackclock_sim::random::Stream;
        use ackclock_sim::simulation::{Parts, Simulation};
        use ackclock_sim::tcp::options::{self, Options};
        use ackclock_sim::traffic::{UdpOptions, constant::Constant, constant::Spacing};
        use std::sync::atomic::AtomicBool;

        /// A run with all that a trace can show: shared and private links, limits in packets and in bytes, early
        /// drops, losses, jitter, a flow without congestion control, packets in flight at the end.
        struct Run {
            trace: Trace,
            links: Vec<LinkFacts>,
            paths: Vec<PathFacts>,
            end: Time,
        }

        impl Run {
            fn broken(&self, records: Vec<Record>) -> Vec<Violation> {
                let mut trace = Trace::default();
                trace.records = records;
                verify(&trace, &self.links, &self.paths, self.end)
            }
        }

        /// A link's name, bits per second, milliseconds of wire, queue and loss model.
        type Sketch = (&'static str, u64, u64, Option<(&'static str, Capacity)>, Option<&'static str>);

        /// The first three are shared, the others belong to one path each.
        const LINKS: [Sketch; 6] = [
            ("tail", 8_000_000, 5, Some(("droptail", Capacity::Packets(8))), None),
            ("red", 5_000_000, 3, Some(("red", Capacity::Packets(40))), None),
            ("back", 150_000, 5, Some(("droptail", Capacity::Bytes(160))), None),
            ("radio", 20_000_000, 1, None, Some("gilbert-packets")),
            ("access", 50_000_001, 2, None, None),
            ("near", 100_000_000, 0, None, None),
        ];
        const FORWARD: [&[u32]; 4] = [&[4, 0, 1], &[0, 3], &[5, 0, 1], &[1]];
        const BACKWARD: [&[u32]; 4] = [&[2], &[2], &[2], &[2]];

        fn link(index: usize) -> LinkParts {
            let (name, rate, delay_ms, queue, loss) = LINKS[index];
            let rate = Rate::from_bits_per_second(rate);
            let discipline = queue.map(|(name, capacity)| {
                let entry = queues::find(name).unwrap();
                (entry.build)(
                    &entry.descriptor.defaults(),
                    capacity,
                    &LinkRate { rate, mean_packet_bytes: 1000 },
                )
            });
            let loss = loss.map(|name| {
                let entry = loss::find(name).unwrap();
                (entry.build)(&entry.descriptor.defaults())
            });
            let (from, to) = (String::new(), String::new());
            LinkParts {
                name: name.into(),
                from,
                to,
                rate,
                delay: Span::from_millis(delay_ms),
                discipline,
                loss,
                seed: 1,
            }
        }

        fn flow(index: usize) -> FlowParts {
            let transport = match index {
                3 => Transport::Udp(UdpOptions {
                    wire_bytes: 700,
                    payload_bytes: 660,
                    source: Box::new(Constant(Spacing {
                        interval: Span::from_nanos(3_333_333),
                        jitter: 0.0,
                    })),
                    random: Stream::new(1, "source"),
                }),
                // One with jitter, one whose receiver takes packets early because it holds no acknowledgement back.
                0 => tcp("cubic", &[("send_jitter", "5 ms")]),
                1 => tcp("sack", &[]),
                _ => tcp("newreno", &[("delayed_ack", "false")]),
            };
            FlowParts {
                name: format!("flow-{index}"),
                forward: FORWARD[index].to_vec(),
                backward: BACKWARD[index].to_vec(),
                start: Time::from_seconds(0.05 * index as f64),
                stop: Time::NEVER,
                transport,
                row: index,
                one_of_many: false,
            }
        }

        fn tcp(control: &str, settings: &[(&str, &str)]) -> Transport {
            let entry = controls::find(control).unwrap();
            let profile = options::find("rfc").unwrap();
            let settings = [&[("window", "60 packets")], settings].concat();
            let options = Options::new(&Values::with(profile, &settings), entry.companions.recovery);
            let control =
                Assembly::new(entry, &entry.descriptor.defaults(), None, None).join(&options.initial());
            let backoff = Box::new(Exponential { most: options.sender.max_backoff });
            Transport::Tcp { options, control, backoff, packets: u64::MAX }
        }

        fn run() -> Run {
            let end = Time::from_seconds(2.5);
            let mut simulation = Simulation::new(Parts {
                links: (0..LINKS.len()).map(link).collect(),
                flows: (0..FORWARD.len()).map(flow).collect(),
                measured: Interval { from: Time::ZERO, to: end },
                seed: 1,
                sample_every: None,
                traced: true,
            });
            simulation.run(&AtomicBool::new(false)).unwrap();
            let facts = |(name, rate, delay_ms, queue, _): &Sketch| LinkFacts {
                name: (*name).into(),
                rate: Rate::from_bits_per_second(*rate),
                delay: Span::from_millis(*delay_ms),
                capacity: queue.map(|(_, capacity)| capacity),
                drops_only_when_full: queue.is_none_or(|(name, _)| name == "droptail"),
            };
            let path = |index: usize| {
                let backward = index % 2 == 1;
                let links = if backward { BACKWARD[index / 2] } else { FORWARD[index / 2] };
                PathFacts { flow: format!("flow-{}", index / 2), backward, links: links.to_vec() }
            };
            Run {
                trace: simulation.network.trace.take().unwrap(),
                links: LINKS.iter().map(facts).collect(),
                paths: (0..2 * FORWARD.len()).map(path).collect(),
                end,
            }
        }

        fn count(run: &Run, event: Event) -> usize {
            run.trace.records.iter().filter(|record| record.event == event).count()
        }

        #[test]
        fn a_simulation_obeys_physics() {
            let run = run();
            assert_eq!(run.broken(run.trace.records.clone()), []);
            // The run has what the other tests need.
            for link in [0, 1, 2] {
                assert!(count(&run, Event::Dropped { link }) > 5, "drops on {link}");
            }
            assert!(count(&run, Event::Lost { link: 3 }) > 5);
            assert!(run.trace.records.iter().any(|record| record.time_ns > run.end.nanos()));
        }

        #[test]
        fn a_claim_of_other_physics_is_refuted() {
            let run = run();
            let with = |change: &dyn Fn(&mut LinkFacts)| {
                let mut links = run.links.clone();
                change(&mut links[0]);
                let found = verify(&run.trace, &links, &run.paths, run.end);
                found.first().map(|violation| violation.rule)
            };
            let slower = |link: &mut LinkFacts| link.rate = Rate::from_bits_per_second(7_999_000);
            assert_eq!(with(&slower), Some(Rule::LinkRate));
            assert_eq!(with(&|link| link.delay += Span::from_nanos(1)), Some(Rule::LinkDelay));
            assert_eq!(with(&|link| link.capacity = Some(Capacity::Packets(7))), Some(Rule::QueueLimit));
            assert_eq!(with(&|link| link.capacity = Some(Capacity::Packets(9))), Some(Rule::Drop));
            assert_eq!(with(&|link| link.capacity = None), Some(Rule::Drop));
            let longer = Time::from_seconds(60.0);
            let found = verify(&run.trace, &run.links, &run.paths, longer);
            assert!(found.iter().all(|violation| violation.rule == Rule::Conservation) && !found.is_empty());
        }

        /// Breaks random records in one way, one at a time, and expects every one of the breaks to be found.
        fn each_is_found(
            kind: &str,
            mutate: impl Fn(&mut Vec<Record>, usize, &mut dyn FnMut(usize) -> usize) -> bool,
        ) {
            let run = run();
            let mut random = Stream::new(11, kind);
            let mut tried = 0;
            while tried < 200 {
                let mut draw = |below: usize| (random.uniform() * below as f64) as usize;
                let mut records = run.trace.records.clone();
                let place = draw(records.len());
                // What lies beyond the end may be missing or not: the run never got there.
                let record = records[place];
                if record.time_ns < run.end.nanos() && mutate(&mut records, place, &mut draw) {
                    tried += 1;
                    assert!(!run.broken(records).is_empty(), "{kind}: {record:?} at {place} went unnoticed");
                }
            }
        }

        #[test]
        fn a_missing_record_is_found() {
            each_is_found("missing", |records, place, _| {
                records.remove(place);
                true
            });
        }

        #[test]
        fn a_repeated_record_is_found() {
            each_is_found("repeated", |records, place, draw| {
                let later = place + draw(records.len() - place);
                records.insert(later, records[place]);
                true
            });
        }

        #[test]
        fn a_shifted_time_is_found() {
            each_is_found("shifted", |records, place, draw| {
                let by = 10_u64.pow(draw(9) as u32);
                let time = &mut records[place].time_ns;
                *time = if draw(2) == 0 { *time + by } else { time.saturating_sub(by) };
                *time > 0
            });
        }

        #[test]
        fn a_changed_size_is_found() {
            each_is_found("size", |records, place, draw| {
                records[place].bytes += 1 + draw(1000) as u32;
                true
            });
        }

        #[test]
        fn swapped_packets_are_found() {
            each_is_found("swapped", |records, place, draw| {
                let other = (place + 1 + draw(200)).min(records.len() - 1);
                let (one, two) = (records[place], records[other]);
                records[place].packet = two.packet;
                records[other].packet = one.packet;
                one.packet != two.packet
            });
        }

        #[test]
        fn a_change_of_link_or_path_is_found() {
            each_is_found("link", |records, place, draw| {
                let by = 1 + draw(LINKS.len() - 1) as u32;
                let turn = |link: &mut u32| *link = (*link + by) % LINKS.len() as u32;
                match &mut records[place].event {
                    Event::Launched | Event::Delivered => records[place].path ^= 1,
                    Event::Offered { link }
                    | Event::Dropped { link }
                    | Event::Started { link }
                    | Event::Sent { link }
                    | Event::Lost { link }
                    | Event::Arrived { link } => turn(link),
                }
                true
            });
        }

        #[test]
        fn another_event_is_found() {
            each_is_found("event", |records, place, draw| {
                let other = records[draw(records.len())].event;
                let changed = other != records[place].event;
                records[place].event = other;
                changed
            });
        }
    }
}
