//! The network of a scenario: links between named nodes, declared one by one or as a dumbbell, parallel
//! bottlenecks or a parking lot, and the paths of the flows over them.

mod delay;
mod detour;
mod graph;
mod jitter;
pub(crate) mod link;
mod outage;
mod parallel;
mod round_trips;
mod routes;
mod routing;
mod routing_choice;
pub(crate) mod routings;
mod shares;
pub(crate) mod wire;

pub use graph::Network;
pub use jitter::Jitter;
pub use link::LinkPlan;
pub use routing_choice::Routing;
pub use wire::{Loss, NamedMedium, WirePlan, plain_link_keys};

use crate::language::document::quoted;
use crate::language::flows::{FlowGroup, FlowPlan};
use crate::language::keys::{Form, Key, SOME, Table};
use crate::language::media;
use crate::language::reader::TableReader;
use ackclock_base::{Kind, Range};
use graph::{Ends, reverse_name};
use parallel::{MAX_PAIRS, PAIRS};
use wire::{DIFFERENCE, Defaults, LINK, LINK_OF_RTT, NAMED_LINK, read_wire, required_wire, wire};

/// The maximum number of links.
const MAX_LINKS: usize = 50_000;
/// The maximum number of hops of a parking lot.
const MAX_HOPS: f64 = 1000.0;
/// The keys of a dumbbell: pairs of hosts around a bottleneck.
static DUMBBELL: Table = Table::new(
    "dumbbell",
    "Pairs of hosts around one bottleneck",
    &[&[
        PAIRS,
        Key::new(
            "rtt",
            &[Form::time(delay::DELAYS), Form::List(&Form::time(delay::DELAYS), [1, MAX_PAIRS])],
            "The round-trip propagation delay, which sets the delays of the access links: one value for all pairs of \
             hosts, or a list of values that the pairs use in turn",
        )
        .otherwise("the sum of the delays of the links, in both directions")
        .such_as("\"40 ms\""),
        Key::new("bottleneck", &[Form::Table(&LINK_OF_RTT)], "The link between the routers `left` and `right`"),
        Key::new(
            "access",
            &[Form::Table(&LINK_OF_RTT)],
            "The links between hosts and routers, on both sides; required unless `left` and `right` are given",
        ),
        Key::new("left", &[Form::Table(&DIFFERENCE)], "Parameters of the sources' links that override those of `access`")
            .otherwise("no setting differs"),
        Key::new("right", &[Form::Table(&DIFFERENCE)], "Parameters of the sinks' links that override those of `access`")
            .otherwise("no setting differs"),
    ]],
)
.requiring(&["bottleneck"])
.any_of(&[&["access"], &["left", "right"]]);

/// The keys of a parking lot: bottlenecks in a row.
static PARKING_LOT: Table = Table::new(
    "parking_lot",
    "Bottlenecks in series, with a source and a sink at every router",
    &[&[
        Key::new("hops", &[Form::whole(Range::between(1.0, MAX_HOPS))], "The number of bottlenecks")
            .such_as("3"),
        Key::new("hop", &[Form::Table(&LINK)], "The settings of each bottleneck"),
        Key::new("access", &[Form::Table(&LINK)], "The links between hosts and routers, on both sides"),
    ]],
)
.requiring(&["hops", "hop", "access"]);

/// The keys of a scenario file that describe the network.
pub static KEYS: &[Key] = &[
    Key::new("dumbbell", &[Form::Table(&DUMBBELL)], "A network of pairs of hosts around one bottleneck"),
    Key::new("parallel", &[Form::Table(&parallel::PARALLEL)], "A network of bottlenecks in parallel"),
    Key::new("parking_lot", &[Form::Table(&PARKING_LOT)], "A network of bottlenecks in series"),
    Key::new("links", &[Form::Tables(&NAMED_LINK, SOME)], "A network of links between named nodes"),
    Key::new(
        "routing",
        &[Form::Named(Kind::Routing)],
        "The rule that selects a flow's path if several paths have the fewest links",
    )
    .or("\"shortest\""),
];

/// The sets of keys of which one describes the network.
pub const ONE_OF: &[&[&str]] = &[&["dumbbell"], &["parallel"], &["parking_lot"], &["links"]];

/// Reads the network, and routes the flows over it. Returns `None` after a problem was reported.
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
    // If a medium or a link is missing because of a mistake, links of that medium and paths over that link
    // are no further mistakes.
    if root.reader.problem_count() > problems_before {
        return None;
    }
    media::join(root, &network.media, &mut network.links);
    network.take_plugins(root);
    if root.reader.problem_count() > problems_before {
        return None;
    }
    let groups = network.routes(root, plans, pairs);
    (root.reader.problem_count() == 0).then_some((network, groups))
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
                root.problem_at(
                    "links",
                    "too many links",
                    &format!("at most {MAX_LINKS} links; a link with `between` counts as two, one for each direction"),
                );
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
                "`reverse` for a one-way link",
                "`between` instead of `from` and `to`",
            );
        }
        let ends = if one_way {
            table.required("from");
            table.required("to");
            vec![table.text("from")?, table.text("to")?]
        } else {
            table.required_unless("between", "`from` and `to`");
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
            let expected = "a unique `name`; the reverse direction of a link `x` is called `x-reverse`";
            table.problem_at("name", &found, expected);
            return None;
        }
        if one_way {
            self.add_link(&name, from, to, &wire, 0, 1);
        } else {
            self.add_duplex(&name, from, to, &wire, 0, 1);
        }
        Some(())
    }

    /// Sets the disciplines of links that are plugins.
    fn take_plugins(&mut self, root: &TableReader<'_>) {
        let plugins = root.reader.plugins();
        for link in &mut self.links {
            let queue = link.wire.queue.as_ref();
            link.plugin = queue.and_then(|queue| plugins.queue(queue.descriptor.name)).cloned();
        }
    }
}
