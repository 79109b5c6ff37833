//! Media of a scenario: what links share, how distance weakens a signal, and where the nodes are.

use crate::language::choice::{self, Choice};
use crate::language::diagnostics::{counted, nearest, one_of, one_of_many};
use crate::language::document::{Node, Span as Place_, Value, quoted};
use crate::language::keys::{Form, Key, Table};
use crate::language::network::link::LinkPlan;
use crate::language::network::wire::NamedMedium;
use crate::language::reader::TableReader;
use crate::language::registry;
use ackclock_base::{Kind, Quantity, Range};
use ackclock_sim::channel::Channel;
use ackclock_sim::medium::registry as media;
use ackclock_sim::medium::{AccessRules, Medium, MediumParts};
use ackclock_sim::radio::mobility::{self, Course, Place};
use ackclock_sim::radio::propagation;
use ackclock_sim::random::Stream;

/// A medium as the scenario declares it.
#[derive(Clone, Debug)]
pub struct MediumPlan {
    /// The name that links use for the medium.
    pub name: String,
    /// The rule by which stations access the medium.
    pub access: Choice,
    /// The effect of distance on packets; `None` if there is none.
    pub propagation: Option<Choice>,
    /// How nodes move.
    pub mobility: Choice,
    /// The nodes with a fixed place.
    pub places: Vec<(String, Place)>,
    /// The locations of these nodes in the file.
    spans: Vec<Place_>,
}

/// The keys of a medium.
pub static MEDIUM: Table = Table::new(
    "medium_of_links",
    "A medium that links share",
    &[&[
        Key::new("name", &[Form::Text], "The name by which links refer to the medium in their key `medium`")
            .such_as("\"air\""),
        Key::new(
            "access",
            &[Form::Named(Kind::Medium)],
            "The rules by which the links get access to the medium",
        )
        .such_as("\"half-duplex\""),
        Key::new(
            "propagation",
            &[Form::Named(Kind::Propagation)],
            "The model of radio propagation, which corrupts packets depending on the distance between a link's nodes",
        )
        .otherwise("distance has no effect"),
        Key::new(
            "mobility",
            &[Form::Named(Kind::Mobility)],
            "The movement of nodes that have no fixed position in `places`",
        )
        .or("\"still\"")
        .needing(&["propagation"]),
        Key::new(
            "places",
            &[Form::Table(&PLACES)],
            "The positions of nodes that do not move, as x and y in metres",
        )
        .needing(&["propagation"]),
    ]],
)
.requiring(&["name", "access"]);

static PLACES: Table = Table::new("places", "Positions of nodes, by the names of the nodes", &[])
    .others(&[Form::Row(&[Form::number(METRES), Form::number(METRES)])]);

/// The maximum number of links of a medium, because each TXOP examines all of them.
const MAX_STATIONS: usize = 2000;
/// The range of coordinates, in metres from the origin.
const METRES: Range = Range::between(-1e6, 1e6);

/// Reads `[[media]]`.
pub fn read(root: &TableReader<'_>) -> Vec<MediumPlan> {
    let mut plans: Vec<MediumPlan> = Vec::new();
    for (_, _, table) in root.tables("media") {
        let Some(table) = table else { continue };
        let Some(plan) = read_one(&table) else { continue };
        if plans.iter().any(|other| other.name == plan.name) {
            let found = format!("a second medium called {}", quoted(&plan.name));
            table.problem_at("name", &found, "a unique `name`");
        }
        plans.push(plan);
    }
    plans
}

fn read_one(table: &TableReader<'_>) -> Option<MediumPlan> {
    let choose = |key: &str, candidates: &[&'static ackclock_base::Descriptor]| {
        table.get(key).map(|_| choice::read(table, key, candidates, &[]))
    };
    let propagation = choose("propagation", &registry::propagations());
    let mobility = choose("mobility", &registry::mobilities());
    let (places, spans) = read_places(table).unzip();
    Some(MediumPlan {
        name: table.name("name")?.to_owned(),
        access: choice::read(table, "access", &registry::media(), &[])?,
        propagation: propagation.map_or(Some(None), |read| read.map(Some))?,
        mobility: mobility.unwrap_or_else(|| Some(Choice::default_of(registry::mobilities()[0])))?,
        places,
        spans,
    })
}

/// Reads `places = { tower = [300, 300] }`: the nodes with a fixed place, each with its location in the file.
fn read_places<'r>(table: &TableReader<'r>) -> impl Iterator<Item = ((String, Place), Place_)> + use<'r> {
    let path = table.path_of("places");
    let entries = match table.get("places").map(|node| &node.value) {
        Some(Value::Table(places)) => places.entries.as_slice(),
        Some(_) => {
            table.problem_at(
                "places",
                "a value that is not a table",
                "a table of nodes and their x and y in metres, such as { tower = [300, 300] }",
            );
            &[]
        }
        None => &[],
    };
    let reader = table.reader;
    let place = move |name: &str, node: &Node| {
        let path = format!("{path}.{name}");
        let expected = "x and y of the node in metres, such as [300, 300]";
        let Value::List(items) = &node.value else {
            reader.problem(&node.span, &path, &node.describe(), expected, None);
            return None;
        };
        let metre = |item: &Node| match reader.quantity(item, &path, Quantity::Number, METRES)? {
            ackclock_base::Value::Number(metres) => Some(metres),
            _ => None,
        };
        match items.as_slice() {
            [x, y] => Some(Place { x_m: metre(x)?, y_m: metre(y)? }),
            _ => {
                let found = format!("a list of {}", counted(items.len(), "number"));
                reader.problem(&node.span, &path, &found, expected, None);
                None
            }
        }
    };
    entries
        .iter()
        .filter_map(move |(name, span, node)| Some(((name.clone(), place(name, node)?), span.clone())))
        .collect::<Vec<_>>()
        .into_iter()
}

/// Sets the medium of each link, and reports the problems of media as a whole.
pub fn join(root: &TableReader<'_>, media: &[MediumPlan], links: &mut [LinkPlan]) {
    let mut told = Vec::new();
    for link in links.iter_mut() {
        let Some(NamedMedium { name, path, span }) = &link.wire.medium else { continue };
        link.medium = media.iter().position(|medium| medium.name == *name);
        if link.medium.is_none() && !told.contains(span) {
            told.push(span.clone());
            let names = || media.iter().map(|medium| medium.name.as_str());
            let expected = match media {
                [] => "a medium of [[media]], but the scenario has none".to_owned(),
                _ => format!("a medium of [[media]]: {}", one_of(names())),
            };
            let found = format!("the medium {}", quoted(name));
            root.reader.problem(span, path, &found, &expected, nearest(name, names()));
        }
    }
    for (index, medium) in media.iter().enumerate() {
        let users: Vec<&LinkPlan> = links.iter().filter(|link| link.medium == Some(index)).collect();
        let path = format!("media.{index}");
        if users.is_empty() {
            let found = format!("the medium {}, which no link uses", quoted(&medium.name));
            root.problem_at("media", &found, &format!("a link with `medium = {}`", quoted(&medium.name)));
            continue;
        }
        if users.len() > MAX_STATIONS {
            let found = format!("{} of the medium {}", counted(users.len(), "link"), quoted(&medium.name));
            root.problem_at(
                "media",
                &found,
                &format!("at most {MAX_STATIONS} links, counting each direction separately"),
            );
        }
        for ((node, _), span) in medium.places.iter().zip(&medium.spans) {
            if !users.iter().any(|link| link.from == *node || link.to == *node) {
                let nodes = || users.iter().map(|link| link.from.as_str());
                let found = format!("the node {}", quoted(node));
                let expected = format!("a node of the medium: {}", one_of_many(nodes()));
                root.reader.problem(
                    span,
                    &format!("{path}.places"),
                    &found,
                    &expected,
                    nearest(node, nodes()),
                );
            }
        }
    }
}

impl MediumPlan {
    /// Returns the medium of a run, with its links.
    pub fn parts(&self, index: usize, links: &[LinkPlan]) -> MediumParts {
        let own = |(_, link): &(usize, &LinkPlan)| link.medium == Some(index);
        let users: Vec<(usize, &LinkPlan)> = links.iter().enumerate().filter(own).collect();
        let (mut nodes, mut transmitters): (Vec<&str>, Vec<usize>) = (Vec::new(), Vec::new());
        for (_, link) in &users {
            let known = nodes.iter().position(|node| *node == link.from);
            transmitters.push(known.unwrap_or(nodes.len()));
            if known.is_none() {
                nodes.push(&link.from);
            }
        }
        MediumParts {
            medium: self.medium(&transmitters),
            links: users.iter().map(|(link, _)| *link as u32).collect(),
        }
    }

    /// Returns the access rules of the medium.
    pub fn access_rules(&self) -> AccessRules {
        self.medium(&[0]).access_rules()
    }

    fn medium(&self, transmitters: &[usize]) -> Box<dyn Medium> {
        let entry = media::find(self.access.descriptor.name).unwrap_or(&media::MEDIA[0]);
        (entry.build)(&self.access.values, transmitters)
    }

    /// Returns the effect of distance on the packets of a link of the medium; `None` if there is none.
    pub fn channel(&self, link: &LinkPlan, seed: u64) -> Option<Box<dyn Channel>> {
        let propagation = self.propagation.as_ref()?;
        let entry = propagation::find(propagation.descriptor.name)?;
        let ends = [&link.from, &link.to].map(|node| self.course(node, seed));
        Some((entry.build)(&propagation.values, ends))
    }

    fn course(&self, node: &str, seed: u64) -> Course {
        if let Some((_, place)) = self.places.iter().find(|(name, _)| name == node) {
            return Course::still(*place);
        }
        let entry = mobility::find(self.mobility.descriptor.name).unwrap_or(&mobility::MOBILITIES[0]);
        let stream = Stream::new(seed, &format!("medium {} node {node}", self.name));
        (entry.build)(&self.mobility.values, stream)
    }
}
