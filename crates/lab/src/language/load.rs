//! Reads a scenario from its text. Reading checks everything that can be checked without a run.

use crate::cost::Cost;
use crate::cost::warnings;
use crate::cost::warnings::repair::Repairs;
use crate::language::agents;
use crate::language::diagnostics::{Diagnostic, counted, in_order};
use crate::language::document::{Document, Value, from_json};
use crate::language::flows::{self, FlowGroup};
use crate::language::keys::{ANY_NUMBER, Form, Key, SOME, Table};
use crate::language::limits::{MAX_PROBLEMS, MAX_REPLICATIONS, MAX_RUNS, MAX_SECONDS, MAX_SEED};
use crate::language::media;
use crate::language::network;
use crate::language::observe::{self, Observe, Warmup};
use crate::language::precision::{self, Precision};
use crate::language::reader::{Reader, TableReader};
use crate::language::registry::plugins::Plugins;
use crate::language::scenario::Scenario;
use crate::language::sweep::{self, SWEEP, Sweep};
use crate::language::values::files;
use ackclock_base::Range;
use serde_json::{Map, Value as Json, json};

/// The keys of a scenario file.
pub static SCENARIO: Table = Table::new(
    "scenario",
    "A scenario: the network, the flows, and the length of the run",
    &[
        &[
            Key::new("name", &[Form::Text], "The name of the scenario in results").or("\"scenario\""),
            Key::new("duration", &[Form::time(SECONDS)], "The length of the run").such_as("\"100 s\""),
            Key::new(
                "warmup",
                observe::WARMUP_FORMS,
                "The length of the warm-up, the part of the run from its start that is not measured; or a table with \
                 the event that ends it",
            )
            .or("\"0 s\""),
            Key::new("seed", &[Form::whole(Range::between(0.0, MAX_SEED))], "The seed of the first run")
                .or("1"),
            Key::new(
                "replications",
                &[Form::whole(Range::between(1.0, MAX_REPLICATIONS))],
                "The number of runs at each point of the sweep, with consecutive seeds from `seed` on; with a \
                 `precision`, the initial number",
            )
            .otherwise("1; 5 with a `precision`")
            .such_as("5"),
            Key::new(
                "precision",
                &[Form::Table(&precision::reading::PRECISION)],
                "The precision to reach by adding replications, instead of a fixed number of runs",
            ),
        ],
        network::KEYS,
        &[
            Key::new("media", &[Form::Tables(&media::MEDIUM, ANY_NUMBER)], "The media that links share"),
            Key::new(
                "agents",
                &[Form::Tables(&agents::AGENT, ANY_NUMBER)],
                "Agents that read the packets of TCP flows at nodes and can retransmit or remove some",
            ),
            Key::new("flows", &[Form::Tables(&flows::FLOWS, SOME)], "Groups of flows with equal settings"),
            Key::new("observe", &[Form::Table(&observe::OBSERVE)], "Series, distributions, transfers, loss events \
                                                                    and bursts to record"),
            Key::new("sweep", &[Form::Table(&SWEEP)], "The values to try for some of the scenario's keys"),
            Key::new(
                "files",
                &[Form::Table(&files::FILES)],
                "The contents of the files that the scenario names; ackclock fills in this table when it reads a scenario file",
            ),
        ],
    ],
)
.requiring(&["duration", "flows"])
.one_of(network::ONE_OF);

/// The durations of runs.
const SECONDS: Range = Range { min: 0.0, max: MAX_SECONDS, above_min: true };
/// The maximum number of packets that a run may be expected to simulate: about a day of computing.
const MAX_PACKETS: f64 = 2e11;
/// The maximum number of links and flows of all points of a sweep that are checked together, a second or two
/// of work. A larger sweep is checked at points spread evenly over it.
const MAX_CHECKED: usize = 250_000;

/// A scenario that has been checked at the points of its sweep.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The scenario without its sweep.
    pub scenario: Scenario,
    /// The sweep of the scenario.
    pub sweep: Sweep,
    /// The expected maximum of data packets at every `every`-th point, from the first on.
    pub packets: Vec<f64>,
    /// The distance between the checked points: 1 if all were checked.
    pub every: usize,
    /// The warnings about the checked points, each once.
    pub warnings: Vec<String>,
}

impl Checked {
    /// Returns the points of the sweep as a JSON object.
    pub fn points(&self) -> Json {
        json!({
            "axes": self.sweep.columns(),
            "points": self.sweep.places(),
            "packets": self.packets,
            "every": self.every,
            "warnings": self.warnings,
        })
    }
}

impl Scenario {
    /// Reads a scenario from a file's text, with values at dotted paths overridden. A sweep is checked at its
    /// points; the result is the scenario without it.
    pub fn parse(text: &str, file: &str, overrides: &Map<String, Json>) -> Result<Self, Vec<Diagnostic>> {
        Self::check(text, file, overrides).map(|checked| checked.scenario)
    }

    /// Reads and checks a scenario as [`Self::parse`] does. Returns also its sweep and what the points cost.
    pub fn check(text: &str, file: &str, overrides: &Map<String, Json>) -> Result<Checked, Vec<Diagnostic>> {
        Self::check_document(&overridden(text, file, overrides)?, &Plugins::default())
    }

    /// Reads and checks a scenario from a document that may name these plugins besides the registered
    /// entries.
    pub fn check_document(document: &Document, plugins: &Plugins) -> Result<Checked, Vec<Diagnostic>> {
        let (sweep, scenario) = match (Sweep::of(document), Self::read(document, plugins)) {
            (Ok(sweep), Ok(scenario)) => (sweep, scenario),
            (sweep, scenario) => {
                let mut problems = scenario.err().unwrap_or_default();
                match sweep {
                    Ok(sweep) => problems.extend(
                        Self::read_point(document, plugins, &sweep, 0, &problems).err().unwrap_or_default(),
                    ),
                    Err(found) => problems.extend(found),
                }
                return Err(in_order(problems));
            }
        };
        check_runs(document, &scenario, sweep.points())?;
        let size = scenario.network.links.len()
            + scenario.flows.iter().map(|group| group.members.len()).sum::<usize>();
        let every = (sweep.points() * size).div_ceil(MAX_CHECKED).max(1);
        let (mut packets, mut warnings, mut repairs) = (Vec::new(), Vec::new(), Repairs::default());
        let mut note = |scenario: &Self| {
            packets.push(scenario.expected_packets());
            repairs.add(scenario);
            for warning in warnings::of(scenario) {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
        };
        if sweep.is_none() {
            note(&scenario);
        } else {
            let mut problems: Vec<Diagnostic> = Vec::new();
            for point in (0..sweep.points()).step_by(every) {
                match Self::read_point(document, plugins, &sweep, point, &problems) {
                    Ok(scenario) => note(&scenario),
                    Err(found) => problems.extend(found),
                }
                if problems.len() >= MAX_PROBLEMS {
                    break;
                }
            }
            if !problems.is_empty() {
                return Err(in_order(problems));
            }
        }
        warnings.extend(repairs.warnings());
        Ok(Checked { scenario, sweep, packets, every, warnings })
    }

    /// Reads one point of a document's sweep. Returns the problems that are not `known`: one mistake can occur at many
    /// points, and is reported at the first.
    fn read_point(
        document: &Document,
        plugins: &Plugins,
        sweep: &Sweep,
        point: usize,
        known: &[Diagnostic],
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut varied = document.clone();
        let mut problems = sweep.set(&mut varied, point);
        match Self::read(&varied, plugins) {
            Ok(scenario) if problems.is_empty() => return Ok(scenario),
            Ok(_) => {}
            Err(found) => problems.extend(found),
        }
        problems.retain(|problem| !known.iter().any(|other| other.is_alike(problem)));
        sweep.explain(document, point, &mut problems);
        Err(problems)
    }

    /// Reads one point of a sweep that has been checked: the overrides are those of the point, and the sweep
    /// is not checked again.
    pub fn point(text: &str, file: &str, overrides: &Map<String, Json>) -> Result<Self, Vec<Diagnostic>> {
        Self::read(&overridden(text, file, overrides)?, &Plugins::default())
    }

    /// Reads one point as [`Self::point`] does, from a document that is parsed once for many points and may name these plugins.
    pub fn at(
        document: &Document,
        overrides: &Map<String, Json>,
        plugins: &Plugins,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut document = document.clone();
        set_all(&mut document, overrides)?;
        Self::read(&document, plugins)
    }

    /// Reads the scenario in a document that may name these plugins, without its sweep.
    pub fn read(document: &Document, plugins: &Plugins) -> Result<Self, Vec<Diagnostic>> {
        let reader = Reader::new(document, plugins);
        let scenario = reader.root(&SCENARIO).and_then(|root| read_scenario(&root));
        let problems = reader.into_problems();
        match scenario {
            Some(scenario) if problems.is_empty() => Ok(scenario),
            _ => Err(problems),
        }
    }
}

/// Parses a document and sets its overrides. A key that an override sets no longer varies in the sweep.
pub fn overridden(
    text: &str,
    file: &str,
    overrides: &Map<String, Json>,
) -> Result<Document, Vec<Diagnostic>> {
    let mut document = Document::parse(text, file)?;
    let problems = sweep::fix(&mut document, overrides);
    if !problems.is_empty() {
        return Err(problems);
    }
    set_all(&mut document, overrides)?;
    Ok(document)
}

fn set_all(document: &mut Document, overrides: &Map<String, Json>) -> Result<(), Vec<Diagnostic>> {
    let set = overrides.iter().map(|(path, value)| (path.as_str(), from_json(value), &None));
    let problems = document.set_all(set);
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn read_scenario(root: &TableReader<'_>) -> Option<Scenario> {
    let duration = root.read("duration");
    let warmup = Warmup::read(root, duration);
    let seed = root.read_or_default("seed").unwrap_or_default();
    let usual = if root.get("precision").is_some() { precision::FIRST } else { 1 };
    let replications = root.read("replications").unwrap_or(usual);
    let name = root.name("name").unwrap_or("scenario").to_owned();
    files::check(root);
    let plans = flows::read(root, duration.filter(|_| root.is_written("duration")));
    let network = network::read(root, &plans);
    let (duration, (network, flows)) = (duration?, network?);
    let flow_count: usize = flows.iter().map(FlowGroup::rows).sum();
    let observe = Observe::read(root, duration, flow_count, &network);
    let agents = agents::read(root, &network);
    let precision = Precision::read(root, replications, &flows, &network);
    let scenario = Scenario {
        name,
        duration,
        warmup,
        seed,
        replications: replications as u32,
        precision,
        network,
        agents,
        flows,
        observe,
    };
    check_cost(root, &scenario);
    Some(scenario)
}

/// Refuses too many runs.
fn check_runs(document: &Document, scenario: &Scenario, points: usize) -> Result<(), Vec<Diagnostic>> {
    let replications = scenario.replications as usize;
    if points * replications <= MAX_RUNS {
        return Ok(());
    }
    let found = format!(
        "{} of {}, {} runs",
        counted(replications, "replication"),
        counted(points, "point"),
        points * replications
    );
    let expected = format!("at most {MAX_RUNS} runs: use fewer replications or fewer points of the sweep");
    let Value::Table(root) = &document.root.value else { return Ok(()) };
    let span = root.get("replications").and_then(|node| node.span.clone());
    Err(vec![document.problem(&span, "replications", &found, &expected, None)])
}

/// Refuses a scenario that would run for days, by the packets that its paths' rates allow and by its other
/// costs.
fn check_cost(root: &TableReader<'_>, scenario: &Scenario) {
    let packets = scenario.expected_packets();
    if packets > MAX_PACKETS {
        let found = format!("a run of up to about {packets:.1e} packets");
        let expected =
            format!("at most {MAX_PACKETS:.0e} packets in a run: use a shorter duration or lower rates");
        root.problem_at("duration", &found, &expected);
    }
    for cost in Cost::all(scenario).iter().filter(|cost| cost.is_refused()) {
        let (span, path) = cost.place.find(&cost.key(), scenario, root.reader.document());
        let (found, expected) = cost.refusal();
        root.reader.problem(&span, &path, &found, &expected, None);
    }
}
