//! How a group of flows sends, and what.

use super::Member;
use super::connection::{self, ConnectionPlan};
use super::control;
use super::data::Data;
use super::sctp::{self, SctpPlan};
use crate::choice::{self, Choice};
use crate::document::{Value, quoted};
use crate::files;
use crate::rate;
use crate::reader::TableReader;
use crate::registry::{self, Bulk};
use crate::sizes;
use ackclock_base::Size;
use ackclock_sim::session::Session;
use ackclock_sim::traffic::adaptive_video::{AdaptiveVideo, Watching};
use ackclock_sim::traffic::empirical::Empirical;
use ackclock_sim::traffic::pages::{Pages, Reading};
use ackclock_sim::traffic::timetable::Timetable;
use ackclock_sim::traffic::transfers::{self, Transfers, Unit};
use ackclock_sim::traffic::{self, Sizes};

/// How a group sends.
#[derive(Clone, Debug)]
pub enum Sending {
    /// Over a connection of TCP or QUIC.
    Connection(Box<ConnectionPlan>),
    /// Over SCTP.
    Sctp(Box<SctpPlan>),
    /// Over UDP.
    Udp(UdpPlan),
    /// Many connections, begun by a timetable, which count as one flow.
    Connections(Box<ConnectionPlan>, Timetable),
    /// A session, whose connections count as one flow.
    Session(Box<ConnectionPlan>, SessionPlan),
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
    /// Bytes on the wire of the reply to each packet, where there is one.
    pub reply_bytes: Option<u32>,
}

impl UdpPlan {
    fn of(application: Choice) -> Self {
        let Sizes { packet, header, reply } = (source_of(&application).sizes)(&application.values);
        let bytes = |size: Size| size.bytes() as u32;
        let reply_bytes = reply.map(|reply| bytes(reply) + bytes(header));
        let (payload_bytes, wire_bytes) = (bytes(packet), bytes(packet) + bytes(header));
        Self { application, payload_bytes, wire_bytes, reply_bytes }
    }

    /// The source's entry in the registry.
    pub fn entry(&self) -> &'static traffic::Entry {
        source_of(&self.application)
    }
}

pub(super) fn source_of(application: &Choice) -> &'static traffic::Entry {
    // The application was chosen from this registry.
    traffic::find(application.descriptor.name).unwrap_or(&traffic::SOURCES[0])
}

impl Sending {
    /// The name of what controls it.
    pub(super) fn control_name(&self) -> &'static str {
        match self {
            Self::Connection(plan) | Self::Connections(plan, _) | Self::Session(plan, _) => {
                plan.control.name()
            }
            Self::Sctp(plan) => plan.control.name(),
            Self::Udp(plan) => plan.application.descriptor.name,
        }
    }

    /// Returns the name of the transport's profile; `udp` over UDP.
    pub(crate) fn transport_name(&self) -> &'static str {
        match self {
            Self::Connection(plan) | Self::Connections(plan, _) | Self::Session(plan, _) => {
                plan.transport.descriptor.name
            }
            Self::Sctp(plan) => plan.transport.descriptor.name,
            Self::Udp(_) => "udp",
        }
    }

    /// How many connections may take each path.
    pub fn copies(&self) -> usize {
        match self {
            Self::Connections(_, timetable) => timetable.most_connections() as usize,
            Self::Session(_, session) => session.connections(),
            _ => 1,
        }
    }

    /// The links of the paths of all its connections, there and back, for flows with these paths.
    pub fn steps(&self, members: &[Member]) -> usize {
        let mut links = members.iter().map(Member::steps);
        match self {
            Self::Connections(_, timetable) => timetable.most_steps(&links.collect::<Vec<_>>()),
            Self::Session(_, session) => links.sum::<usize>() * session.connections(),
            _ => links.by_ref().sum(),
        }
    }

    /// What a group is called that is not given a name.
    pub(super) fn default_name(&self) -> &'static str {
        match self {
            Self::Connections(_, timetable) => timetable.name(),
            Self::Session(_, session) => session.name(),
            _ => self.control_name(),
        }
    }
}

/// What a session does.
#[derive(Clone, Debug)]
pub enum SessionPlan {
    /// Reads web pages.
    Pages(Pages),
    /// Watches a video.
    Video(AdaptiveVideo),
}

impl SessionPlan {
    /// The application's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pages(_) => "pages",
            Self::Video(_) => "adaptive-video",
        }
    }

    /// How many connections it has side by side.
    pub fn connections(&self) -> usize {
        match self {
            Self::Pages(pages) => pages.connections,
            Self::Video(_) => 1,
        }
    }

    /// One of them for a run.
    pub fn build(&self) -> Box<dyn Session> {
        match self {
            Self::Pages(pages) => Box::new(Reading::new(*pages)),
            Self::Video(video) => Box::new(Watching::new(*video)),
        }
    }
}

/// What only those have that have a congestion control.
const CONTROLLED_KEYS: [&str; 11] = [
    "control",
    "discriminator",
    "action",
    "slow_start",
    "resume",
    "ecn_response",
    "growth_limit",
    "backoff",
    "selector",
    "transport",
    "reader",
];

/// Reads how a group sends.
pub(super) fn read(table: &TableReader<'_>) -> Option<Sending> {
    let pick = |key: &str, candidates: &[&'static ackclock_base::Descriptor]| match table.get(key) {
        Some(node) => choice::read(table.reader, node, &table.path_of(key), candidates, &[]),
        None => candidates.first().map(|descriptor| Choice::default_of(descriptor)),
    };
    let application = pick("application", &registry::applications());
    let name = application.as_ref().map_or("", |application| application.descriptor.name);
    let over_connection = ["control", "transport"].into_iter().any(|key| table.get(key).is_some());
    if traffic::find(name).is_some() && !over_connection {
        for key in CONTROLLED_KEYS {
            if table.get(key).is_some() {
                let found = format!("`{key}` of the application {} without a `control`", quoted(name));
                table.problem_at(key, &found, "a `control`: without one it goes over UDP");
            }
        }
        return application.map(|application| Sending::Udp(UdpPlan::of(application)));
    }
    if let Some(application) = &application {
        check_writing(table, application);
    }
    let controls = table.reader.document().brought.all_controls();
    if table.get("control").is_none() {
        let names = crate::diagnostics::one_of_these(&controls);
        table.problem(&table.path_of("control"), "no `control`", &names);
    }
    let control = pick("control", &controls);
    let transport = pick("transport", &registry::transports());
    let control = control::read(table, control);
    let (control, transport) = (control?, transport?);
    let judge = control.judge();
    let reader = rate::read_reader(table);
    if ackclock_sim::sctp::options::find(transport.descriptor.name).is_some() {
        sctp::check_discriminator(table, judge, "SCTP");
        let application = application?;
        sctp::check_application(table, &application)?;
        let selector = sctp::read_selector(table)?;
        let plan = SctpPlan { control, selector, transport, data: data(application), reader };
        return Some(Sending::Sctp(Box::new(plan)));
    }
    if table.get("selector").is_some() {
        table.problem_at(
            "selector",
            "a `selector` of a flow that has one path",
            "a transport with several paths such as \"sctp\"",
        );
    }
    connection::check_transport(table, judge, &transport);
    let application = application?;
    let mut plan = Box::new(ConnectionPlan { control, transport, data: Data::Endless, reader });
    if let Some(entry) = sessions(application.descriptor.name).filter(|_| table.get("reader").is_some()) {
        let found = format!("`reader` of the application {}", quoted(entry));
        table.problem_at("reader", &found, "\"bulk\" or a source such as \"cbr\": one connection that lasts");
        return None;
    }
    let payload = plan.payload_bytes();
    let values = &application.values;
    Some(match application.descriptor.name {
        "web" => Sending::Connections(plan, Timetable::Web(values.into())),
        "transfers" => {
            let parameters = transfers::Parameters::from(values);
            let drawn = match parameters.sizes {
                Some(_) => Some(read_sizes(table, &parameters, payload)?),
                None => None,
            };
            Sending::Connections(plan, Timetable::Transfers(Transfers::of(&parameters, payload, drawn)))
        }
        "pages" => Sending::Session(plan, SessionPlan::Pages(Pages::of(&values.into(), payload))),
        "adaptive-video" => {
            Sending::Session(plan, SessionPlan::Video(AdaptiveVideo::of(&values.into(), payload)))
        }
        _ => {
            plan.data = data(application);
            Sending::Connection(plan)
        }
    })
}

/// The name of an application that makes connections of its own.
fn sessions(name: &'static str) -> Option<&'static str> {
    Some(name).filter(|name| matches!(*name, "web" | "transfers" | "pages" | "adaptive-video"))
}

/// The sizes that transfers are drawn from, as the file says that `sizes` names, of packets with this payload.
fn read_sizes(
    table: &TableReader<'_>,
    parameters: &transfers::Parameters,
    payload: u64,
) -> Option<Empirical> {
    let path = table.path_of("application");
    let Value::Table(given) = &table.get("application")?.value else { return None };
    let keys: Vec<&str> = given.entries.iter().map(|(key, _, _)| key.as_str()).collect();
    let application = table.reader.table(table.get("application")?, &path, &keys)?;
    if given.get("size").is_some() {
        application.problem_at("size", "`size` beside `sizes`", "only one of `size` and `sizes`");
        return None;
    }
    let unit = match parameters.unit {
        Unit::Bytes => 1.0,
        Unit::Kilobytes => 1000.0,
        Unit::Packets => payload as f64,
    };
    let points = files::read(&application, "sizes", application.text("sizes")?, |text| {
        sizes::distribution(text, unit)
    })?;
    Empirical::of(points)
}

/// What an application that is bulk or a source has to send over one connection.
fn data(application: Choice) -> Data {
    if traffic::find(application.descriptor.name).is_some() {
        return Data::Written(application);
    }
    Data::of_size(Bulk::from(&application.values).size.map(|size| size.bytes()))
}

/// Reports what a source cannot do over a connection, or what says nothing there.
fn check_writing(table: &TableReader<'_>, application: &Choice) {
    let name = application.descriptor.name;
    let Some(entry) = traffic::find(name) else { return };
    if (entry.sizes)(&application.values).reply.is_some() {
        let found = format!("the application {} over a connection", quoted(name));
        let expected = "no `control` and no `transport`, for requests and replies over UDP; or \"transfers\"";
        table.problem_at("application", &found, expected);
    }
    let parameters = table.get("application").map(|node| &node.value);
    if let Some(Value::Table(parameters)) = parameters
        && let Some((_, span, _)) = parameters.entries.iter().find(|(key, _, _)| key == "header")
    {
        let path = format!("{}.header", table.path_of("application"));
        let expected = "nothing: over a connection the transport says how long headers are";
        table.reader.problem(span, &path, "`header` of what is written into a connection", expected, None);
    }
}

/// The most connections of a timetable, and of the sessions of a group: each takes as much memory as a flow.
const MAX_CONNECTIONS: u64 = transfers::MOST;

pub(super) fn check_connections(table: &TableReader<'_>, timetable: &Timetable) -> Option<()> {
    let (what, number, unit, remedy) = match timetable {
        Timetable::Web(_) => {
            ("web sessions", "`sessions`", "objects in all", "fewer `sessions`, `pages` or `objects`")
        }
        Timetable::Transfers(_) => ("transfers", "the application's `count`", "transfers", "a lower `count`"),
    };
    if table.get("count").is_some() {
        let expected = format!("nothing: {number} says how many there are");
        table.problem_at("count", &format!("`count` of {what}"), &expected);
    }
    let most = timetable.most_connections();
    if most > MAX_CONNECTIONS {
        let expected = format!("at most {MAX_CONNECTIONS}: {remedy}");
        table.problem_at("application", &format!("{most} {unit}"), &expected);
        return None;
    }
    Some(())
}

pub(super) fn check_session(table: &TableReader<'_>, session: &SessionPlan, count: usize) -> Option<()> {
    let connections = session.connections();
    if (connections * count) as u64 > MAX_CONNECTIONS {
        let found = format!("{} connections in all", connections * count);
        let expected = format!("at most {MAX_CONNECTIONS}: a lower `count`, or fewer `connections`");
        table.problem_at("application", &found, &expected);
        return None;
    }
    Some(())
}
