//! The network of a scenario: links between named nodes, written one by one or as a dumbbell or a parking lot, and
//! the paths of the flows over them.

mod delay;
mod detour;
mod jitter;
mod outage;
mod parallel;
mod round_trips;
mod routes;
mod routing;
mod shares;
mod wire;

pub use jitter::Jitter;
pub use routing::{ROUTINGS, Routing};

use crate::choice::Choice;
use crate::document::quoted;
use crate::flows::{FlowGroup, FlowPlan, Member};
use crate::keys::{Form, Key, SOME, Table};
use crate::media::{self, MediumPlan, Named};
use crate::rate::Pace;
use crate::reader::TableReader;
use ackclock_aqm::Service;
use ackclock_aqm::entry::Brought;
use ackclock_base::{Kind, Range, Span};
use ackclock_sim::alteration::{Duplicates, EcnRule, Skips};
use ackclock_sim::channel::Detour;
use ackclock_sim::outage::Outage;
use ackclock_sim::timeline::Timeline;
use ackclock_sim::transmission::Changes;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use wire::{DIFFERENCE, Defaults, LINK, LINK_OF_RTT, NAMED_LINK, Wire, read_wire, required_wire, wire};

/// Links and nodes.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// The links, each in one direction.
    pub links: Vec<LinkPlan>,
    /// What some of them share.
    pub media: Vec<MediumPlan>,
    /// Which of several shortest ways flows take.
    pub routing: Routing,
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
    /// When it sends nothing.
    pub outage: Option<Outage>,
    /// Its propagation delay, the least where it changes.
    pub delay: Span,
    /// How much longer it is over time.
    pub longer: Option<Timeline<Span>>,
    /// Its queue; `None` for one without limit.
    pub queue: Option<Choice>,
    /// The queue's discipline, where it was brought along.
    pub brought: Option<Arc<dyn Brought>>,
    /// What corrupts its packets.
    pub loss: Option<Choice>,
    /// Which packets it copies.
    pub duplicates: Option<Duplicates>,
    /// What it does to the ECN field.
    pub ecn: Option<EcnRule>,
    /// How much later than that each packet may arrive.
    pub jitter: Jitter,
    /// When its packets take a longer way.
    pub detour: Option<Detour>,
    /// Whether packets overtake one another by that.
    pub reorders: bool,
    /// Which packets skip the delay, where some do; then packets overtake one another.
    pub skips: Option<Skips>,
    /// How long the slots are at whose ends packets arrive; zero where they arrive at once.
    pub hold: Span,
    /// The medium that it shares with others, as an index, and as it is named.
    pub medium: Option<usize>,
    pub(crate) medium_name: Option<Named>,
}

impl LinkPlan {
    /// How its rate changes, if it does.
    pub fn changes(&self) -> Option<Changes> {
        self.pace.changes(self.outage)
    }

    /// What its queue never breaks. One without limit drops nothing, so it never drops what would fit.
    pub fn service(&self) -> Service {
        if let Some(brought) = &self.brought {
            return brought.service();
        }
        let name = self.queue.as_ref().map_or("droptail", |queue| queue.descriptor.name);
        ackclock_aqm::registry::find(name).map_or(Service::IN_ORDER, |entry| entry.service)
    }
}

/// The most links.
const MAX_LINKS: usize = 50_000;
/// The most pairs of a dumbbell and hops of a parking lot.
const MAX_PAIRS: usize = 10_000;
const MAX_HOPS: f64 = 1000.0;
/// The most links of a flow's path, and of all flows' paths: packets have a place at each of them.
const MAX_PATH: usize = 10_000;
const MAX_STEPS: usize = 800_000;
/// At each of these places there may be two sources of events: one before the link, and one behind it where packets overtake one another.
/// Flows, the ends of their paths and links have no more than so many.
const _: () = assert!(2 * MAX_STEPS + 400_000 <= ackclock_sim::schedule::MAX_SOURCES);

const PAIRS: Key = Key::new(
    "pairs",
    &[Form::whole(Range::between(1.0, MAX_PAIRS as f64))],
    "How many pairs of hosts there are",
)
.otherwise("as many as flows")
.such_as("5");

/// Pairs of hosts around a bottleneck.
static DUMBBELL: Table = Table::new(
    "dumbbell",
    "Pairs of hosts around one bottleneck",
    &[&[
        PAIRS,
        Key::new(
            "rtt",
            &[Form::time(delay::DELAYS), Form::List(&Form::time(delay::DELAYS), [1, MAX_PAIRS])],
            "The round trip without queues, for all pairs or for the pairs in turn",
        )
        .otherwise("the sum of the delays of the links")
        .such_as("\"40 ms\""),
        Key::new("bottleneck", &[Form::Table(&LINK_OF_RTT)], "The link from `left` to `right` and back"),
        Key::new(
            "access",
            &[Form::Table(&LINK_OF_RTT)],
            "The links between hosts and routers, on both sides; required unless `left` and `right` are given",
        ),
        Key::new("left", &[Form::Table(&DIFFERENCE)], "What differs from `access` on the side of the sources")
            .otherwise("nothing"),
        Key::new("right", &[Form::Table(&DIFFERENCE)], "What differs from `access` on the side of the sinks")
            .otherwise("nothing"),
    ]],
)
.requiring(&["bottleneck"])
.any_of(&[&["access"], &["left", "right"]]);

/// Bottlenecks in a row.
static PARKING_LOT: Table = Table::new(
    "parking_lot",
    "Bottlenecks in a row, with a source and a sink at every router",
    &[&[
        Key::new("hops", &[Form::whole(Range::between(1.0, MAX_HOPS))], "How many bottlenecks there are")
            .such_as("3"),
        Key::new("hop", &[Form::Table(&LINK)], "Each of the bottlenecks"),
        Key::new("access", &[Form::Table(&LINK)], "The links between hosts and routers, on both sides"),
    ]],
)
.requiring(&["hops", "hop", "access"]);

/// The keys of a scenario file that describe the network.
pub static KEYS: &[Key] = &[
    Key::new("dumbbell", &[Form::Table(&DUMBBELL)], "A network of pairs of hosts around one bottleneck"),
    Key::new("parallel", &[Form::Table(&parallel::PARALLEL)], "A network of bottlenecks side by side"),
    Key::new("parking_lot", &[Form::Table(&PARKING_LOT)], "A network of bottlenecks in a row"),
    Key::new("links", &[Form::Tables(&NAMED_LINK, SOME)], "A network of links between named nodes"),
    Key::new("routing", &[Form::Named(Kind::Routing)], "Which of several shortest ways flows take")
        .or("\"shortest\""),
];

/// The sets of keys of which one describes the network.
pub const ONE_OF: &[&[&str]] = &[&["dumbbell"], &["parallel"], &["parking_lot"], &["links"]];

/// Reads the network, and routes the flows over it.
pub fn read(root: &TableReader<'_>, plans: &[FlowPlan]) -> Option<(Network, Vec<FlowGroup>)> {
    let problems_before = root.reader.problem_count();
    let routing = Routing::read(root).unwrap_or_default();
    let mut network = Network { media: media::read(root), routing, ..Network::default() };
    let given: Vec<&str> =
        ONE_OF.iter().copied().flatten().copied().filter(|key| root.get(key).is_some()).collect();
    let flows: usize = plans.iter().map(|plan| plan.count).sum();
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
    // Where a medium or a link is missing because of a mistake, links of the one and paths over the other are no second one.
    if root.reader.problem_count() > problems_before {
        return None;
    }
    media::join(root, &network.media, &mut network.links);
    network.take_brought(root);
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

impl Network {
    fn add_dumbbell(&mut self, root: &TableReader<'_>, flows: usize) -> Option<Ends> {
        let table = root.open("dumbbell")?;
        let pairs = table.read("pairs").unwrap_or(flows.clamp(1, MAX_PAIRS));
        let rtts = round_trips::read(&table, pairs);
        let defaults = |of: Defaults| if table.get("rtt").is_some() { of.without_delay() } else { of };
        let (limited, unlimited) = (defaults(Defaults::BOTTLENECK), defaults(Defaults::ACCESS));
        let bottleneck = required_wire(&table, "bottleneck", limited);
        let access =
            if table.get("left").is_some() && table.get("right").is_some() && table.get("access").is_none() {
                None
            } else {
                Some(required_wire(&table, "access", unlimited)?)
            };
        let mut left = wire(&table, "left", access.as_ref(), unlimited)?;
        let mut right = wire(&table, "right", access.as_ref(), unlimited)?;
        let bottleneck = bottleneck?;
        if let Some(rtts) = rtts {
            rtts.share_out(&table, &bottleneck, &mut left, &mut right)?;
        }
        self.add_duplex("bottleneck", "left", "right", &bottleneck, 0, 1);
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
        let table = root.open("parking_lot")?;
        let hops: usize = table.read("hops")?;
        let hop = required_wire(&table, "hop", Defaults::BOTTLENECK)?;
        let access = required_wire(&table, "access", Defaults::ACCESS)?;
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
        for (_, _, table) in root.tables("links") {
            if self.links.len() >= MAX_LINKS {
                root.problem_at("links", "very many links", &format!("at most {MAX_LINKS}"));
                return None;
            }
            table.and_then(|table| self.add_written_link(&table));
        }
        Some(Ends::Named)
    }

    fn add_written_link(&mut self, table: &TableReader<'_>) -> Option<()> {
        let wire = read_wire(table, None, Defaults::BOTTLENECK)?;
        let one_way = table.get("from").is_some() || table.get("to").is_some();
        if one_way && table.get("reverse").is_some() {
            table.problem_at(
                "reverse",
                "a way back of a link in one direction",
                "`between` in place of `from` and `to`",
            );
        }
        let ends = if one_way {
            table.required("from");
            table.required("to");
            vec![table.text("from")?, table.text("to")?]
        } else {
            table.required("between");
            table.texts("between")?
        };
        let [from, to] = ends.as_slice() else { return None };
        if from == to {
            let key = if one_way { "to" } else { "between" };
            table.problem_at(key, &format!("a link from {} to itself", quoted(from)), "two different nodes");
            return None;
        }
        let name = table.name("name").map_or_else(|| format!("{from}-{to}"), str::to_owned);
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
        let back = wire.reverse.as_deref().cloned().unwrap_or_else(|| wire.way_back());
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
            outage: wire.outage,
            delay: wire.delay.of(index, count),
            longer: wire.delay.longer(),
            queue: wire.queue.clone(),
            brought: None,
            loss: wire.loss.clone(),
            duplicates: wire.duplicates,
            ecn: wire.ecn,
            jitter: wire.jitter,
            detour: wire.detour,
            reorders: wire.reorders,
            skips: wire.skips,
            hold: wire.hold,
            medium: None,
            medium_name: wire.medium.clone(),
        });
    }

    /// The disciplines of links that stand in no registry.
    fn take_brought(&mut self, root: &TableReader<'_>) {
        let brought = &root.reader.document().brought;
        for link in &mut self.links {
            let queue = link.queue.as_ref();
            link.brought = queue.and_then(|queue| brought.queue(queue.descriptor.name)).cloned();
        }
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
}

fn reverse_name(name: &str) -> String {
    format!("{name}-reverse")
}
