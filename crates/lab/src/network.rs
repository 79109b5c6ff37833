//! The network of a scenario: links between named nodes, written one by one or as a dumbbell or a parking lot, and
//! the paths of the flows over them.

mod detour;
mod parallel;

use crate::choice::{self, Choice};
use crate::diagnostics::{counted, nearest, one_of};
use crate::document::{Node, Span as Place_, Value, quoted};
use crate::flows::{FlowGroup, FlowPlan, Member, Place, Sending};
use crate::media::{self, MediumPlan, Named};
use crate::rate::{self, Pace};
use crate::reader::TableReader;
use crate::registry;
use ackclock_aqm::Service;
use ackclock_aqm::entry::QueueLimit;
use ackclock_base::{Range, Span};
use ackclock_sim::channel::Detour;
use std::collections::{HashMap, HashSet, VecDeque};

/// Links and nodes.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// The links, each in one direction.
    pub links: Vec<LinkPlan>,
    /// What some of them share.
    pub media: Vec<MediumPlan>,
    nodes: Vec<String>,
    index: HashMap<String, usize>,
    names: HashSet<String>,
    /// Links by the node that they leave, each with the node that it leads to.
    leaving: Vec<Vec<(u32, usize)>>,
}

/// A link as it is written.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// Its name in results.
    pub name: String,
    /// The node it leaves.
    pub from: String,
    /// The node it leads to.
    pub to: String,
    /// How fast it sends.
    pub pace: Pace,
    /// Its propagation delay.
    pub delay: Span,
    /// Its queue; `None` for one without limit.
    pub queue: Option<Choice>,
    /// What corrupts its packets.
    pub loss: Option<Choice>,
    /// How much later than that each packet may arrive.
    pub jitter: Span,
    /// When its packets take a longer way.
    pub detour: Option<Detour>,
    /// Whether packets overtake one another by that.
    pub reorders: bool,
    /// The medium that it shares with others, as an index, and as it is named.
    pub medium: Option<usize>,
    pub(crate) medium_name: Option<Named>,
}

impl LinkPlan {
    /// What its queue never breaks. One without limit drops nothing, so it never drops what would fit.
    pub fn service(&self) -> Service {
        let name = self.queue.as_ref().map_or("droptail", |queue| queue.descriptor.name);
        ackclock_aqm::registry::find(name).map_or(Service::IN_ORDER, |entry| entry.service)
    }
}

/// The most links.
const MAX_LINKS: usize = 50_000;
/// The most pairs of a dumbbell and hops of a parking lot.
const MAX_PAIRS: f64 = 10_000.0;
const MAX_HOPS: f64 = 1000.0;
/// The most links of a flow's path, and of all flows' paths: packets have a place at each of them.
const MAX_PATH: usize = 10_000;
const MAX_STEPS: usize = 2_000_000;

const LINK_KEYS: [&str; 9] =
    ["rate", "delay", "queue", "loss", "jitter", "detour", "reorder", "medium", "reverse"];
const DELAYS: Range = Range::between(0.0, 3600.0);

/// Reads the network, and routes the flows over it.
pub fn read(root: &TableReader<'_>, plans: &[FlowPlan]) -> Option<(Network, Vec<FlowGroup>)> {
    let mut network = Network { media: media::read(root), ..Network::default() };
    let given: Vec<&str> = ["dumbbell", "parallel", "parking_lot", "links"]
        .into_iter()
        .filter(|key| root.get(key).is_some())
        .collect();
    let flows: usize = plans.iter().map(|plan| plan.count).sum();
    let problems_before = root.reader.problem_count();
    let pairs = match given.as_slice() {
        [one] => match *one {
            "dumbbell" => network.add_dumbbell(root, flows)?,
            "parallel" => network.add_parallel(root, flows)?,
            "parking_lot" => network.add_parking_lot(root)?,
            _ => network.add_links(root)?,
        },
        [] => {
            root.problem("", "no network", "a [dumbbell], a [parallel], a [parking_lot] or [[links]]");
            return None;
        }
        [_, second, ..] => {
            root.problem_at(
                second,
                "a second network",
                "only one of [dumbbell], [parallel], [parking_lot] and [[links]]",
            );
            return None;
        }
    };
    media::join(root, &network.media, &mut network.links);
    // Where a link is missing because of a mistake, paths over it are no second one.
    if root.reader.problem_count() > problems_before {
        return None;
    }
    let groups = network.routes(root, plans, pairs);
    (root.reader.problem_count() == 0).then_some((network, groups))
}

/// How flows find their ends where they do not name them.
#[derive(Clone, Copy, Debug)]
enum Ends {
    /// One of so many pairs of a dumbbell, in turn.
    Pairs(usize),
    /// One of so many pairs, in turn, over so many bottlenecks side by side.
    Parallel(usize, usize),
    /// The whole length of a parking lot of so many hops.
    Hops(usize),
    /// Every flow names its ends.
    Named,
}

/// One link, or one direction of it, before it has ends.
#[derive(Clone, Debug)]
struct Wire {
    pace: Pace,
    delay: Delay,
    queue: Option<Choice>,
    loss: Option<Choice>,
    jitter: Span,
    detour: Option<Detour>,
    reorders: bool,
    medium: Option<Named>,
    /// What differs on the way back.
    reverse: Option<Box<Wire>>,
}

/// A delay, or delays spread evenly over the pairs.
#[derive(Clone, Copy, Debug)]
enum Delay {
    Fixed(Span),
    Evenly(Span, Span),
}

impl Delay {
    fn of(self, index: usize, count: usize) -> Span {
        match self {
            Self::Fixed(delay) => delay,
            Self::Evenly(first, last) => {
                let share = if count > 1 { index as f64 / (count - 1) as f64 } else { 0.0 };
                Span::from_seconds(first.seconds() + (last.seconds() - first.seconds()) * share)
            }
        }
    }
}

impl Network {
    fn add_dumbbell(&mut self, root: &TableReader<'_>, flows: usize) -> Option<Ends> {
        let keys = ["pairs", "bottleneck", "access", "left", "right"];
        let table = root.reader.table(root.get("dumbbell")?, "dumbbell", &keys)?;
        let pairs = table
            .integer("pairs", Range::between(1.0, MAX_PAIRS))
            .map_or(flows.clamp(1, MAX_PAIRS as usize), |pairs| pairs as usize);
        let bottleneck = required_wire(&table, "bottleneck", None, true);
        let access =
            if table.get("left").is_some() && table.get("right").is_some() && table.get("access").is_none() {
                None
            } else {
                Some(required_wire(&table, "access", None, false)?)
            };
        let left = wire(&table, "left", access.as_ref(), false)?;
        let right = wire(&table, "right", access.as_ref(), false)?;
        self.add_duplex("bottleneck", "left", "right", &bottleneck?, 0, 1);
        for index in 0..pairs {
            let number = index + 1;
            self.add_duplex(
                &format!("access-{number}-left"),
                &format!("source-{number}"),
                "left",
                &left,
                index,
                pairs,
            );
            self.add_duplex(
                &format!("access-{number}-right"),
                "right",
                &format!("sink-{number}"),
                &right,
                index,
                pairs,
            );
        }
        Some(Ends::Pairs(pairs))
    }

    fn add_parking_lot(&mut self, root: &TableReader<'_>) -> Option<Ends> {
        let table = root.reader.table(root.get("parking_lot")?, "parking_lot", &["hops", "hop", "access"])?;
        table.required("hops", "the number of bottlenecks in a row");
        let hops = table.integer("hops", Range::between(1.0, MAX_HOPS))? as usize;
        let hop = required_wire(&table, "hop", None, true)?;
        let access = required_wire(&table, "access", None, false)?;
        for index in 0..hops {
            let (from, to) = (format!("router-{}", index + 1), format!("router-{}", index + 2));
            self.add_duplex(&format!("hop-{}", index + 1), &from, &to, &hop, index, hops);
        }
        for index in 0..=hops {
            let number = index + 1;
            let router = format!("router-{number}");
            self.add_duplex(
                &format!("access-{number}-in"),
                &format!("source-{number}"),
                &router,
                &access,
                index,
                hops + 1,
            );
            self.add_duplex(
                &format!("access-{number}-out"),
                &router,
                &format!("sink-{number}"),
                &access,
                index,
                hops + 1,
            );
        }
        Some(Ends::Hops(hops))
    }

    fn add_links(&mut self, root: &TableReader<'_>) -> Option<Ends> {
        for (index, node) in root.list("links")?.iter().enumerate() {
            if self.links.len() >= MAX_LINKS {
                root.problem_at("links", "very many links", &format!("at most {MAX_LINKS}"));
                return None;
            }
            self.add_written_link(root, index, node);
        }
        Some(Ends::Named)
    }

    fn add_written_link(&mut self, root: &TableReader<'_>, index: usize, node: &Node) -> Option<()> {
        let keys: Vec<&str> = ["name", "between", "from", "to"].into_iter().chain(LINK_KEYS).collect();
        let table = root.reader.table(node, &format!("links.{index}"), &keys)?;
        let wire = read_wire(&table, None, true)?;
        let one_way = table.get("from").is_some() || table.get("to").is_some();
        if one_way && table.get("reverse").is_some() {
            table.problem_at(
                "reverse",
                "a way back of a link in one direction",
                "`between` in place of `from` and `to`",
            );
        }
        let ends = if one_way {
            table.required("from", "the node that the link leaves");
            table.required("to", "the node that the link leads to");
            vec![table.text("from")?, table.text("to")?]
        } else {
            table.required(
                "between",
                "two nodes such as [\"a\", \"b\"], or `from` and `to` for one direction",
            );
            table.texts("between")?
        };
        let [from, to] = ends.as_slice() else {
            table.problem_at("between", &counted(ends.len(), "node"), "two nodes such as [\"a\", \"b\"]");
            return None;
        };
        if from == to {
            let key = if one_way { "to" } else { "between" };
            table.problem_at(key, &format!("a link from {} to itself", quoted(from)), "two different nodes");
            return None;
        }
        let name = table.text("name").map_or_else(|| format!("{from}-{to}"), str::to_owned);
        let reverse = (!one_way).then(|| reverse_name(&name));
        if let Some(taken) =
            [Some(&name), reverse.as_ref()].into_iter().flatten().find(|name| self.names.contains(*name))
        {
            let found = format!("a second link called {}", quoted(taken));
            table.problem_at("name", &found, "a `name` of its own");
            return None;
        }
        if one_way {
            self.add_link(&name, from, to, &wire, 0, 1);
        } else {
            self.add_duplex(&name, from, to, &wire, 0, 1);
        }
        Some(())
    }

    /// Both directions. The way back has the same rate, delay and queue unless `reverse` says otherwise, and loses
    /// nothing unless `reverse` says so.
    fn add_duplex(&mut self, name: &str, from: &str, to: &str, wire: &Wire, index: usize, count: usize) {
        self.add_link(name, from, to, wire, index, count);
        let back = wire.reverse.as_deref().cloned().unwrap_or_else(|| Wire { loss: None, ..wire.clone() });
        self.add_link(&reverse_name(name), to, from, &back, index, count);
    }

    fn add_link(&mut self, name: &str, from: &str, to: &str, wire: &Wire, index: usize, count: usize) {
        let link = self.links.len() as u32;
        let (from_index, to_index) = (self.node(from), self.node(to));
        self.leaving[from_index].push((link, to_index));
        self.names.insert(name.to_owned());
        self.links.push(LinkPlan {
            name: name.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
            pace: wire.pace.clone(),
            delay: wire.delay.of(index, count),
            queue: wire.queue.clone(),
            loss: wire.loss.clone(),
            jitter: wire.jitter,
            detour: wire.detour,
            reorders: wire.reorders,
            medium: None,
            medium_name: wire.medium.clone(),
        });
    }

    fn node(&mut self, name: &str) -> usize {
        if let Some(index) = self.index.get(name) {
            return *index;
        }
        let index = self.nodes.len();
        self.nodes.push(name.to_owned());
        self.leaving.push(Vec::new());
        self.index.insert(name.to_owned(), index);
        index
    }

    /// Finds the paths of all flows.
    fn routes(&self, root: &TableReader<'_>, plans: &[FlowPlan], ends: Ends) -> Vec<FlowGroup> {
        let (mut taken, mut steps) = (0, 0);
        let mut groups = Vec::new();
        for plan in plans {
            match self.route(plan, ends, taken) {
                Ok(members) => {
                    steps += members.iter().map(Member::steps).sum::<usize>() * plan.sending.copies();
                    groups.push(FlowGroup { plan: plan.clone(), members });
                }
                Err(problem) => problem.tell(root, plan),
            }
            if steps > MAX_STEPS {
                RouteProblem::too_many_steps(steps).tell(root, plan);
                return Vec::new();
            }
            taken += plan.count;
        }
        groups
    }

    /// Finds the paths of a group's flows; `taken` flows of other groups have come before.
    fn route(&self, plan: &FlowPlan, ends: Ends, taken: usize) -> Result<Vec<Member>, RouteProblem> {
        // Without a place of their own the flows take the pairs of a dumbbell in turn, or those that are named; else
        // all take the same path. Connections that are one flow
        // choose from all of them.
        let every = |pairs: usize| match plan.sending {
            Sending::Connections(..) => pairs,
            _ => plan.count,
        };
        match (&plan.place, ends) {
            (Place::Anywhere, Ends::Pairs(pairs)) => {
                (0..every(pairs)).map(|index| self.pair((taken + index) % pairs + 1, pairs)).collect()
            }
            (Place::Pairs(chosen), Ends::Pairs(pairs)) => {
                (0..every(chosen.len())).map(|index| self.pair(chosen[index % chosen.len()], pairs)).collect()
            }
            (Place::Anywhere | Place::Pairs(_), Ends::Parallel(pairs, paths)) => {
                self.parallel_members(plan, taken, pairs, paths)
            }
            _ => {
                let member = match &plan.place {
                    Place::Paths(paths) => self.member_over(paths)?,
                    place => self.member(&stops(place, ends)?)?,
                };
                let steps = plan.count * member.steps();
                if steps > MAX_STEPS {
                    return Err(RouteProblem::too_many_steps(steps));
                }
                Ok(vec![member; plan.count])
            }
        }
    }

    /// The path of a pair of a dumbbell that has so many.
    fn pair(&self, pair: usize, pairs: usize) -> Result<Member, RouteProblem> {
        if pair > pairs {
            return Err(RouteProblem::new(&format!("pair {pair}"), &format!("a pair from 1 to {pairs}")));
        }
        self.member(&pair_stops(pair))
    }

    fn member(&self, stops: &[String]) -> Result<Member, RouteProblem> {
        if let Some((index, unknown)) =
            stops.iter().enumerate().find(|(_, stop)| !self.index.contains_key(*stop))
        {
            let some = one_of(self.nodes.iter().map(String::as_str).take(12));
            return Err(RouteProblem {
                stop: index,
                found: format!("the node {}", quoted(unknown)),
                expected: format!("a node of the network: {some}"),
                hint: nearest(unknown, self.nodes.iter().map(String::as_str)),
            });
        }
        let back: Vec<String> = stops.iter().rev().cloned().collect();
        let (forward, backward) = (self.walk(stops)?, self.walk(&back)?);
        if forward.is_empty() {
            return Err(RouteProblem::new("a flow from a node to itself", "two different nodes"));
        }
        Ok(Member { forward, backward, others: Vec::new() })
    }

    /// Several paths, of which a mistake is shown where it stands among the nodes of all of them.
    fn member_over(&self, paths: &[Vec<String>]) -> Result<Member, RouteProblem> {
        let mut before = 0;
        let mut members = Vec::new();
        for stops in paths {
            let shift = |problem: RouteProblem| RouteProblem { stop: problem.stop + before, ..problem };
            members.push(self.member(stops).map_err(shift)?);
            before += stops.len();
        }
        let others = members.split_off(1);
        let first = members.pop().ok_or_else(|| RouteProblem::new("no path", "a path"))?;
        Ok(Member { others, ..first })
    }

    /// The links along the stops, each leg by the fewest links.
    fn walk(&self, stops: &[String]) -> Result<Vec<u32>, RouteProblem> {
        let mut links = Vec::new();
        for leg in stops.windows(2) {
            let way = self.shortest(self.index[&leg[0]], self.index[&leg[1]]);
            let no_way = || format!("no way from {} to {}", quoted(&leg[0]), quoted(&leg[1]));
            let expected = "links that connect the flow's nodes in both directions";
            links.extend(way.ok_or_else(|| RouteProblem::new(&no_way(), expected))?);
            if links.len() > MAX_PATH {
                let found = format!("a path of {} links or more", links.len());
                return Err(RouteProblem::new(&found, &format!("at most {MAX_PATH}")));
            }
        }
        Ok(links)
    }

    fn shortest(&self, from: usize, to: usize) -> Option<Vec<u32>> {
        if let Some((link, _)) = self.leaving[from].iter().find(|(_, next)| *next == to && from != to) {
            return Some(vec![*link]);
        }
        let mut came_by: Vec<Option<u32>> = vec![None; self.nodes.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            if node == to {
                break;
            }
            for (link, next) in &self.leaving[node] {
                if *next != from && came_by[*next].is_none() {
                    came_by[*next] = Some(*link);
                    queue.push_back(*next);
                }
            }
        }
        let mut links = Vec::new();
        let mut node = to;
        while node != from {
            let link = came_by[node]?;
            links.push(link);
            node = self.index[&self.links[link as usize].from];
        }
        links.reverse();
        Some(links)
    }
}

/// Why a flow has no path.
#[derive(Debug)]
struct RouteProblem {
    /// Which of the nodes that the flow names.
    stop: usize,
    found: String,
    expected: String,
    hint: Option<String>,
}

impl RouteProblem {
    fn new(found: &str, expected: &str) -> Self {
        Self { stop: 0, found: found.to_owned(), expected: expected.to_owned(), hint: None }
    }

    fn too_many_steps(steps: usize) -> Self {
        let expected = format!("at most {MAX_STEPS}: fewer flows or shorter paths");
        Self::new(&format!("paths of {steps} links in all, there and back"), &expected)
    }

    fn tell(self, root: &TableReader<'_>, plan: &FlowPlan) {
        let span: &Place_ =
            plan.place_spans.get(self.stop).or(plan.place_spans.first()).unwrap_or(&plan.span);
        root.reader.problem(span, &format!("flows.{}", plan.name), &self.found, &self.expected, self.hint);
    }
}

/// The nodes that a group's flows go by, where all go the same way.
fn stops(place: &Place, ends: Ends) -> Result<Vec<String>, RouteProblem> {
    match (place, ends) {
        (Place::Path(stops), _) => Ok(stops.clone()),
        (Place::Paths(paths), _) => Ok(paths[0].clone()),
        (Place::Ends(from, to), _) => Ok(vec![from.clone(), to.clone()]),
        (Place::Pairs(_), _) => Err(RouteProblem::new(
            "`pair`",
            "`from` and `to`, or `path`: only a dumbbell or a [parallel] has pairs",
        )),
        (Place::Anywhere, Ends::Hops(hops)) => Ok(vec!["source-1".to_owned(), format!("sink-{}", hops + 1)]),
        (Place::Anywhere, _) => {
            Err(RouteProblem::new("no path", "`from` and `to`, or `path`, to say where the flow goes"))
        }
    }
}

fn pair_stops(pair: usize) -> Vec<String> {
    vec![format!("source-{pair}"), "left".to_owned(), "right".to_owned(), format!("sink-{pair}")]
}

fn reverse_name(name: &str) -> String {
    format!("{name}-reverse")
}

fn required_wire(table: &TableReader<'_>, key: &str, base: Option<&Wire>, limited: bool) -> Option<Wire> {
    table.required(key, "a table with `rate` and `delay`")?;
    wire(table, key, base, limited)
}

/// A link's properties under a key, on top of others; without the key, those others.
fn wire(table: &TableReader<'_>, key: &str, base: Option<&Wire>, limited: bool) -> Option<Wire> {
    let Some(node) = table.get(key) else { return base.cloned() };
    read_wire(&table.reader.table(node, &table.path_of(key), &LINK_KEYS)?, base, limited)
}

/// Reads a link's properties. A link that is not `limited` has a queue without limit unless one is given.
fn read_wire(table: &TableReader<'_>, base: Option<&Wire>, limited: bool) -> Option<Wire> {
    if base.is_none() {
        table.required("rate", "a rate such as \"10 Mbit/s\"");
        table.required("delay", "a propagation delay such as \"10 ms\"");
    }
    let pace = match table.get("rate") {
        Some(_) => rate::read(table),
        None => base.map(|base| base.pace.clone()),
    };
    let delay = match table.get("delay") {
        Some(node) => read_delay(table, node),
        None => base.map(|base| base.delay),
    };
    let queue = match table.get("queue") {
        Some(node) => Some(choice::read(
            table.reader,
            node,
            &table.path_of("queue"),
            &registry::queues(),
            QueueLimit::TABLE,
        )?),
        None => match base {
            Some(base) => base.queue.clone(),
            None => limited.then(default_queue),
        },
    };
    let loss = match table.get("loss") {
        Some(node) => {
            Some(choice::read(table.reader, node, &table.path_of("loss"), &registry::losses(), &[])?)
        }
        None => base.and_then(|base| base.loss.clone()),
    };
    let jitter = match table.get("jitter") {
        Some(_) => table.time("jitter", DELAYS)?,
        None => base.map_or(Span::ZERO, |base| base.jitter),
    };
    let detour = match table.get("detour") {
        Some(node) => Some(detour::read(table, node)?),
        None => base.and_then(|base| base.detour),
    };
    let reorders = match table.get("reorder") {
        Some(_) => table.flag("reorder")?,
        None => base.is_some_and(|base| base.reorders),
    };
    if reorders && jitter == Span::ZERO && detour.is_none() {
        let key = if table.get("reorder").is_some() { "reorder" } else { "jitter" };
        table.problem_at(
            key,
            "`reorder` without a `jitter`",
            "a `jitter` such as \"2 ms\": without one nothing overtakes",
        );
    }
    let medium = match table.get("medium") {
        Some(_) => Some(media::read_name(table)?),
        None => base.and_then(|base| base.medium.clone()),
    };
    let one_way =
        Wire { pace: pace?, delay: delay?, queue, loss, jitter, detour, reorders, medium, reverse: None };
    let reverse = match table.get("reverse") {
        Some(node) => {
            let keys = &LINK_KEYS[..LINK_KEYS.len() - 1];
            let reverse = table.reader.table(node, &table.path_of("reverse"), keys)?;
            let base = Wire { loss: None, ..one_way.clone() };
            Some(Box::new(read_wire(&reverse, Some(&base), limited)?))
        }
        None => base.and_then(|base| base.reverse.clone()),
    };
    Some(Wire { reverse, ..one_way })
}

fn default_queue() -> Choice {
    let descriptor = registry::queues()[0];
    let extra = choice::defaults(descriptor, QueueLimit::TABLE);
    Choice { extra, ..Choice::default_of(descriptor) }
}

fn read_delay(table: &TableReader<'_>, node: &Node) -> Option<Delay> {
    if !matches!(node.value, Value::Table(_)) {
        return table.time("delay", DELAYS).map(Delay::Fixed);
    }
    let evenly = table.reader.table(node, &table.path_of("delay"), &["evenly"])?;
    evenly.required("evenly", "the first and the last delay, such as [\"9 ms\", \"39 ms\"]");
    let path = evenly.path_of("evenly");
    let ends: Option<Vec<Span>> = evenly
        .list("evenly")?
        .iter()
        .map(|node| match table.reader.quantity(node, &path, ackclock_base::Quantity::Time, DELAYS)? {
            ackclock_base::Value::Time(span) => Some(span),
            _ => None,
        })
        .collect();
    match ends?.as_slice() {
        [first, last] => Some(Delay::Evenly(*first, *last)),
        other => {
            evenly.problem_at("evenly", &counted(other.len(), "delay"), "the first and the last delay");
            None
        }
    }
}
