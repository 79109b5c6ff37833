//! The flows of a scenario: how many, where, how they send and what.

use crate::choice::{self, Choice};
use crate::diagnostics::counted;
use crate::document::{Node, Span as Place_, Value, quoted};
use crate::reader::TableReader;
use crate::registry;
use crate::scenario::MOST_FLOWS;
use ackclock_base::{Quantity, Range, Span};
use ackclock_cc::registry::{Companions, Entry};
use ackclock_sim::traffic::{self, web::Web};
use std::collections::{HashMap, HashSet};

/// A group of flows with its paths.
#[derive(Clone, Debug)]
pub struct FlowGroup {
    /// What the flows of the group have in common.
    pub plan: FlowPlan,
    /// Each flow's path; of web sessions the paths that they choose from.
    pub members: Vec<Member>,
}

/// One flow's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The links to the receiver.
    pub forward: Vec<u32>,
    /// The links back.
    pub backward: Vec<u32>,
}

impl Member {
    /// Links there and back.
    pub fn steps(&self) -> usize {
        self.forward.len() + self.backward.len()
    }
}

/// A group of flows as it is written.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// Its name; flows are called after it.
    pub name: String,
    /// How many flows; one where they are the connections of web sessions.
    pub count: usize,
    /// Where they go.
    pub place: Place,
    /// Where in the file that stands: the pair, or each of the nodes; empty where nothing is said.
    pub place_spans: Vec<Place_>,
    /// When they begin.
    pub start: Start,
    /// When their applications stop.
    pub stop: Option<Span>,
    /// How they send.
    pub sending: Sending,
    /// Where it stands in the file.
    pub span: Place_,
}

/// How a group sends.
#[derive(Clone, Debug)]
pub enum Sending {
    /// Over TCP.
    Tcp(Box<TcpPlan>),
    /// Over UDP.
    Udp(UdpPlan),
    /// Many connections over TCP, which count as one flow.
    Web(Box<TcpPlan>, Web),
}

/// What goes over UDP.
#[derive(Clone, Debug)]
pub struct UdpPlan {
    /// When packets leave.
    pub application: Choice,
    /// Payload bytes of a packet.
    pub payload_bytes: u32,
    /// Bytes of a packet on the wire.
    pub wire_bytes: u32,
}

impl UdpPlan {
    fn of(application: Choice) -> Self {
        let bytes = |name| application.values.size(name).bytes() as u32;
        let (payload_bytes, header) = (bytes("packet"), bytes("header"));
        Self { application, payload_bytes, wire_bytes: payload_bytes + header }
    }

    /// The source's entry in the registry.
    pub fn entry(&self) -> &'static traffic::Entry {
        // The application was chosen from this registry.
        traffic::find(self.application.descriptor.name).unwrap_or(&traffic::SOURCES[0])
    }
}

impl Sending {
    /// The name of what controls it.
    fn control_name(&self) -> &'static str {
        match self {
            Self::Tcp(plan) | Self::Web(plan, _) => plan.control.descriptor.name,
            Self::Udp(plan) => plan.application.descriptor.name,
        }
    }

    /// How many connections may take each path.
    pub fn copies(&self) -> usize {
        match self {
            Self::Web(_, web) => web.most_connections() as usize,
            _ => 1,
        }
    }

    /// What a group is called that is not given a name.
    fn default_name(&self) -> &'static str {
        if matches!(self, Self::Web(..)) { "web" } else { self.control_name() }
    }
}

/// What a TCP sender is made of.
#[derive(Clone, Debug)]
pub struct TcpPlan {
    /// The congestion control.
    pub control: Choice,
    /// The loss discriminator, where one is named.
    pub discriminator: Option<Choice>,
    /// What a loss of transmission does, where that is said.
    pub action: Option<Choice>,
    /// How the timeout backs off.
    pub backoff: Choice,
    /// The transport profile.
    pub transport: Choice,
    /// Bytes to send; `None` for no end.
    pub size: Option<u64>,
}

impl TcpPlan {
    /// The control's entry in the registry.
    pub fn entry(&self) -> &'static Entry {
        entry_of(&self.control)
    }
}

fn entry_of(control: &Choice) -> &'static Entry {
    // The control was chosen from this registry.
    ackclock_cc::registry::find(control.descriptor.name).unwrap_or(&ackclock_cc::registry::CONTROLS[0])
}

/// Where flows go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Where the network puts them.
    Anywhere,
    /// Pairs of a dumbbell, from 1, in turn.
    Pairs(Vec<usize>),
    /// From one node to another by the fewest links.
    Ends(String, String),
    /// Along these nodes.
    Path(Vec<String>),
}

/// When the flows of a group begin: the k-th, from 0, at `at + k * every` plus a draw from `uniform`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// When the first begins.
    pub at: Span,
    /// The time between two beginnings.
    pub every: Span,
    /// The bounds of a uniform draw.
    pub uniform: Option<(Span, Span)>,
}

const KEYS: [&str; 14] = [
    "name",
    "count",
    "control",
    "discriminator",
    "action",
    "backoff",
    "transport",
    "application",
    "start",
    "stop",
    "pair",
    "from",
    "to",
    "path",
];
/// What only TCP has.
const TCP_KEYS: [&str; 5] = ["control", "discriminator", "action", "backoff", "transport"];
const TIMES: Range = Range::between(0.0, 1e6);

impl Start {
    /// The latest that one of `count` flows may begin.
    fn last(&self, count: usize) -> Span {
        self.at + self.every * (count as u64 - 1) + self.uniform.map_or(Span::ZERO, |(_, high)| high)
    }
}

impl FlowGroup {
    /// Bytes of a data packet on the wire.
    pub fn wire_bytes(&self) -> u32 {
        match &self.plan.sending {
            Sending::Tcp(plan) | Sending::Web(plan, _) => {
                let bytes = |name| plan.transport.values.size(name).bytes() as u32;
                bytes("packet") + bytes("header")
            }
            Sending::Udp(plan) => plan.wire_bytes,
        }
    }

    /// What the flow sends whatever the network does, in bits per second.
    pub fn least_rate_bps(&self) -> f64 {
        match &self.plan.sending {
            Sending::Tcp(_) | Sending::Web(..) => 0.0,
            Sending::Udp(plan) => {
                let payload_bits = 8.0 * f64::from(plan.payload_bytes);
                (plan.entry().rate_bps)(&plan.application.values, payload_bits)
            }
        }
    }

    /// How many flows it has in results.
    pub fn rows(&self) -> usize {
        self.plan.count
    }

    /// The name of the k-th flow, from 0.
    pub fn member_name(&self, index: usize) -> String {
        match self.rows() {
            1 => self.plan.name.clone(),
            _ => format!("{}-{}", self.plan.name, index + 1),
        }
    }

    /// The name of what controls its sending.
    pub fn control_name(&self) -> &'static str {
        self.plan.sending.control_name()
    }
}

/// Reads the flow groups.
pub fn read(root: &TableReader<'_>) -> Vec<FlowPlan> {
    root.required("flows", "at least one [[flows]]");
    let Some(items) = root.list("flows") else { return Vec::new() };
    if items.is_empty() {
        root.problem_at("flows", "no flows", "at least one [[flows]]");
    }
    let mut plans: Vec<FlowPlan> = Vec::new();
    let mut names = HashSet::new();
    for (index, node) in items.iter().enumerate() {
        let Some(plan) = read_plan(root, index, node) else { continue };
        if !names.insert(plan.name.clone()) {
            let found = format!("a second group called {}", quoted(&plan.name));
            root.reader.problem(&plan.span, &format!("flows.{index}"), &found, "a `name` of its own", None);
        }
        plans.push(plan);
    }
    check_member_names(root, &plans);
    let count: usize = plans.iter().map(|plan| plan.count).sum();
    if count > MOST_FLOWS {
        root.problem_at("flows", &format!("{count} flows"), &format!("at most {MOST_FLOWS}"));
        plans.clear();
    }
    plans
}

/// A group `x` of two has flows `x-1` and `x-2`; another group must not be called so.
fn check_member_names(root: &TableReader<'_>, plans: &[FlowPlan]) {
    let larger = plans.iter().filter(|plan| plan.count > 1);
    let counts: HashMap<&str, usize> = larger.map(|plan| (plan.name.as_str(), plan.count)).collect();
    for plan in plans.iter().filter(|plan| plan.count == 1) {
        let Some((other, number)) = plan.name.rsplit_once('-') else { continue };
        let (Some(count), Ok(number)) = (counts.get(other), number.parse::<usize>()) else { continue };
        if (1..=*count).contains(&number) {
            let found = format!("a group called like a flow of {}", quoted(other));
            root.reader.problem(&plan.span, &format!("flows.{}", plan.name), &found, "another `name`", None);
        }
    }
}

fn read_plan(root: &TableReader<'_>, index: usize, node: &Node) -> Option<FlowPlan> {
    let table = root.reader.table(node, &format!("flows.{index}"), &KEYS)?;
    let sending = read_sending(&table);
    let place = read_place(&table);
    let usual_count = match (&place, &sending) {
        (Some((Place::Pairs(pairs), _)), Some(Sending::Tcp(_) | Sending::Udp(_))) => pairs.len(),
        _ => 1,
    };
    let count = table.integer("count", Range::between(1.0, MOST_FLOWS as f64));
    let count = count.map_or(usual_count, |count| count as usize);
    let start = read_start(&table);
    let stop = table.time("stop", TIMES);
    if let (Some(stop), Some(start)) = (stop, &start) {
        check_stop(&table, stop, start.last(count));
    }
    let sending = sending?;
    if let Sending::Web(_, web) = &sending {
        check_web(&table, web)?;
    }
    let name = table.text("name").unwrap_or(sending.default_name()).to_owned();
    if name.is_empty() || name.contains(['.', '"', '\n']) {
        table.problem_at("name", &quoted(&name), "a name without dots, quotes or line breaks");
    }
    let (place, place_spans) = place?;
    Some(FlowPlan { name, count, place, place_spans, start: start?, stop, sending, span: node.span.clone() })
}

fn read_sending(table: &TableReader<'_>) -> Option<Sending> {
    let pick = |key: &str, candidates: &[&'static ackclock_base::Descriptor]| match table.get(key) {
        Some(node) => choice::read(table.reader, node, &table.path_of(key), candidates, &[]),
        None => candidates.first().map(|descriptor| Choice::default_of(descriptor)),
    };
    let application = pick("application", &registry::applications());
    let name = application.as_ref().map_or("", |application| application.descriptor.name);
    if traffic::find(name).is_some() {
        for key in TCP_KEYS {
            if table.get(key).is_some() {
                let found = format!("`{key}` of the application {}", quoted(name));
                table.problem_at(key, &found, "nothing: it goes over UDP");
            }
        }
        return application.map(|application| Sending::Udp(UdpPlan::of(application)));
    }
    if table.get("control").is_none() {
        let names = crate::diagnostics::one_of_these(&registry::controls());
        table.problem(&table.path_of("control"), "no `control`", &names);
    }
    let control = pick("control", &registry::controls());
    let transport = pick("transport", &registry::transports());
    let companions = control.as_ref().map_or(Companions::NONE, |control| entry_of(control).companions);
    let parts = read_parts(table, companions);
    let (discriminator, action, backoff) = parts?;
    let (control, transport) = (control?, transport?);
    let judge = discriminator.as_ref().map(|choice| choice.descriptor.name).or(companions.discriminator);
    check_timestamps(table, judge, &transport);
    let application = application?;
    let size = application.values.optional_size("size").map(|size| size.bytes());
    let plan = Box::new(TcpPlan { control, discriminator, action, backoff, transport, size });
    Some(match application.descriptor.name {
        "web" => Sending::Web(plan, Web::of(&application.values)),
        _ => Sending::Tcp(plan),
    })
}

/// The most connections of web sessions: each takes as much memory as a flow.
const MOST_CONNECTIONS: u64 = 10_000;

fn check_web(table: &TableReader<'_>, web: &Web) -> Option<()> {
    if table.get("count").is_some() {
        table.problem_at("count", "`count` of web sessions", "nothing: `sessions` says how many there are");
    }
    let most = web.most_connections();
    if most > MOST_CONNECTIONS {
        let found = format!("{most} objects in all");
        let expected = format!("at most {MOST_CONNECTIONS}: fewer `sessions`, `pages` or `objects`");
        table.problem_at("application", &found, &expected);
        return None;
    }
    Some(())
}

/// A discriminator that looks at timestamps would call every loss the same without them.
fn check_timestamps(table: &TableReader<'_>, discriminator: Option<&str>, transport: &Choice) {
    let Some(entry) = discriminator.and_then(ackclock_cc::registry::find_discriminator) else { return };
    if entry.needs_timestamps && !transport.values.flag("timestamps") {
        let given = if table.get("transport").is_some() { "transport" } else { "control" };
        let expected = format!(
            "`timestamps = true` in the transport: the discriminator {} looks at them",
            quoted(entry.descriptor.name)
        );
        table.problem_at(given, "a transport without timestamps", &expected);
    }
}

/// The parts around a control. Those that are not named are the ones it was published with.
fn read_parts(
    table: &TableReader<'_>,
    companions: Companions,
) -> Option<(Option<Choice>, Option<Choice>, Choice)> {
    let given = |key: &str, candidates: &[&'static ackclock_base::Descriptor]| match table.get(key) {
        None => Some(None),
        Some(node) => choice::read(table.reader, node, &table.path_of(key), candidates, &[]).map(Some),
    };
    let discriminator = given("discriminator", &registry::discriminators());
    let action = given("action", &registry::actions());
    let backoff = given("backoff", &registry::backoffs());
    let (discriminator, action, backoff) = (discriminator?, action?, backoff?);
    if action.is_some() && discriminator.is_none() && companions.discriminator.is_none() {
        table.problem_at(
            "action",
            "an `action` without a `discriminator`",
            "a `discriminator` as well: without one no loss is called transmission",
        );
        return None;
    }
    let published = companions.backoff.and_then(ackclock_cc::registry::find_backoff);
    let published = published.unwrap_or(&ackclock_cc::registry::BACKOFFS[0]);
    let backoff = backoff.unwrap_or_else(|| Choice::default_of(published.descriptor));
    Some((discriminator, action, backoff))
}

fn read_start(table: &TableReader<'_>) -> Option<Start> {
    let Some(node) = table.get("start") else { return Some(Start::default()) };
    if !matches!(node.value, Value::Table(_)) {
        return Some(Start { at: table.time("start", TIMES)?, ..Start::default() });
    }
    let path = table.path_of("start");
    let start = table.reader.table(node, &path, &["at", "every", "uniform"])?;
    let uniform = match start.list("uniform") {
        None => None,
        Some(items) => {
            let path = start.path_of("uniform");
            let read = |node| match table.reader.quantity(node, &path, Quantity::Time, TIMES)? {
                ackclock_base::Value::Time(span) => Some(span),
                _ => None,
            };
            let bounds: Option<Vec<Span>> = items.iter().map(read).collect();
            match bounds?.as_slice() {
                [low, high] if low <= high => Some((*low, *high)),
                bounds => {
                    let found = match bounds {
                        [low, high] => format!("the bounds {low} and {high}"),
                        _ => counted(bounds.len(), "bound"),
                    };
                    start.problem_at(
                        "uniform",
                        &found,
                        "the lower bound, then the upper, such as [\"0 s\", \"1 s\"]",
                    );
                    return None;
                }
            }
        }
    };
    let time = |key| start.time(key, TIMES).unwrap_or_default();
    Some(Start { at: time("at"), every: time("every"), uniform })
}

fn check_stop(table: &TableReader<'_>, stop: Span, last_start: Span) {
    if stop <= last_start {
        let found = format!("a stop at {stop}, when a flow may start at {last_start}");
        table.problem_at("stop", &found, "a stop after the start");
    }
}

/// The most nodes of a written path.
const MOST_STOPS: usize = 1000;

fn read_place(table: &TableReader<'_>) -> Option<(Place, Vec<Place_>)> {
    let ways: Vec<&str> =
        ["pair", "from", "path"].into_iter().filter(|key| table.get(key).is_some()).collect();
    let span = |key: &str| table.get(key).and_then(|node| node.span.clone());
    if let [first, second, ..] = ways.as_slice() {
        let found = format!("`{second}` beside `{first}`");
        table.problem_at(
            second,
            &found,
            "one way to say where the flow goes: `pair`, `from` with `to`, or `path`",
        );
        return None;
    }
    if table.get("to").is_some() && table.get("from").is_none() {
        table.problem_at("to", "`to` without `from`", "both, the nodes that the flow comes from and goes to");
        return None;
    }
    match ways.first() {
        Some(&"pair") => {
            let pairs = read_pairs(table)?;
            Some((Place::Pairs(pairs), vec![span("pair")]))
        }
        Some(&"from") => {
            table.required("to", "the node that the flow goes to");
            let ends = Place::Ends(table.text("from")?.to_owned(), table.text("to")?.to_owned());
            Some((ends, vec![span("from"), span("to")]))
        }
        Some(_) => {
            let stops = table.texts("path")?;
            if !(2..=MOST_STOPS).contains(&stops.len()) {
                let found = format!("a path of {}", counted(stops.len(), "node"));
                table.problem_at("path", &found, &format!("from 2 to {MOST_STOPS} nodes"));
                return None;
            }
            let spans = table.list("path")?.iter().map(|node| node.span.clone()).collect();
            Some((Place::Path(stops.into_iter().map(str::to_owned).collect()), spans))
        }
        None => Some((Place::Anywhere, Vec::new())),
    }
}

/// One pair, or a list of them.
fn read_pairs(table: &TableReader<'_>) -> Option<Vec<usize>> {
    let node = table.get("pair")?;
    let Value::List(items) = &node.value else {
        return table.integer("pair", Range::at_least(1.0)).map(|pair| vec![pair as usize]);
    };
    if items.is_empty() {
        table.problem_at("pair", "an empty list", "a pair, or a list of pairs such as [1, 2]");
        return None;
    }
    let path = table.path_of("pair");
    let read = |item| match table.reader.quantity(item, &path, Quantity::Integer, Range::at_least(1.0))? {
        ackclock_base::Value::Integer(pair) => Some(pair as usize),
        _ => None,
    };
    items.iter().map(read).collect()
}
