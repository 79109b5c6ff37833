//! What of a run is measured and observed: from when on, how often, and which packets one by one.

use crate::diagnostics::{counted, nearest};
use crate::document::{Value, quoted};
use crate::network::Network;
use crate::reader::TableReader;
use ackclock_base::registry::Quantity;
use ackclock_base::{Range, Span, Value as Read};

/// The most samples of a series, and the most numbers in all series together (8 bytes each, as JSON 20).
const MAX_SAMPLES: f64 = 1e5;
const MAX_NUMBERS: f64 = 5e7;
/// About as many series as a flow and a link have.
const FLOW_SERIES: usize = 8;
const LINK_SERIES: usize = 2;
/// Samples of a series where the file does not say how often.
const USUAL_SAMPLES: f64 = 1000.0;
const MAX_SECONDS: f64 = 1e6;
/// What `until` of a warm-up may be.
const UNTIL: &str = "congestion-avoidance";

/// How much of a run, from the start, is not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Warmup {
    /// How much, or how much at most.
    pub most: Span,
    /// Whether it ends as soon as every lasting TCP connection has reached congestion avoidance. What is measured then is as
    /// long as without that, and the run ends earlier (RFC 7928 section 8.2, whose runs begin at that instant).
    pub until_congestion_avoidance: bool,
}

impl Warmup {
    /// `warmup = "30 s"` or `warmup = { until = "congestion-avoidance", at_most = "60 s" }`; none where nothing is said.
    pub fn read(root: &TableReader<'_>, duration: Option<Span>, most_s: f64) -> Self {
        let range = Range::between(0.0, most_s);
        let warmup = match root.get("warmup") {
            Some(node) if matches!(node.value, Value::Table(_)) => {
                let Some(table) = root.reader.table(node, "warmup", &["until", "at_most"]) else {
                    return Self::default();
                };
                table.required("until", &format!("`until = \"{UNTIL}\"`"));
                if let Some(until) = table.text("until").filter(|until| *until != UNTIL) {
                    table.problem_at("until", &quoted(until), &format!("\"{UNTIL}\""));
                }
                table.required("at_most", "a time such as \"60 s\"");
                let most = table.time("at_most", range).unwrap_or_default();
                Self { most, until_congestion_avoidance: true }
            }
            _ => Self {
                most: root.time("warmup", range).unwrap_or_default(),
                until_congestion_avoidance: false,
            },
        };
        if duration.is_some_and(|duration| warmup.most >= duration) {
            let found = format!("a warm-up of {}", warmup.most);
            root.problem_at("warmup", &found, "less than the run's duration");
        }
        warmup
    }
}

/// What is observed besides counts and means.
#[derive(Clone, Debug, PartialEq)]
pub struct Observe {
    /// How often series are sampled.
    pub interval: Span,
    /// Whether there are series of the flows, besides those of the links.
    pub flows: bool,
    /// Whether the distributions of delays are kept as quantiles.
    pub distributions: bool,
    /// Whether each connection of a timetable has a record.
    pub transfers: bool,
    /// Where classes of their sizes end, in bytes, ascending.
    pub size_classes: Vec<u64>,
    /// The link at which events of loss and bursts are followed.
    pub at: Option<u32>,
    /// The round trip without queues of those that lose together.
    pub loss_events: Option<Span>,
    /// How many packets make a burst.
    pub burst_packets: Option<u64>,
}

impl Observe {
    /// The table `[observe]`; what it does not say is not observed.
    pub fn read(root: &TableReader<'_>, duration: Span, flows: usize, network: &Network) -> Self {
        let links = network.links.len();
        let keys = [
            "interval",
            "flows",
            "distributions",
            "transfers",
            "size_classes",
            "at",
            "loss_events",
            "bursts",
        ];
        let observe = root.get("observe").and_then(|node| root.reader.table(node, "observe", &keys));
        let sampled = observe.as_ref().and_then(|table| table.flag("flows")).unwrap_or(true);
        let series = series_of(sampled, flows, links);
        let usual_samples = USUAL_SAMPLES.min(MAX_NUMBERS / series);
        let usual = duration.scale(1.0 / usual_samples).max(Span::from_nanos(1));
        let Some(observe) = observe else {
            return Self {
                interval: usual,
                flows: true,
                distributions: false,
                transfers: false,
                size_classes: SIZE_CLASSES.to_vec(),
                at: None,
                loss_events: None,
                burst_packets: None,
            };
        };
        let range = Range { min: 0.0, max: MAX_SECONDS, above_min: true };
        let every = observe.time("interval", range).unwrap_or(usual);
        let samples = duration.seconds() / every.seconds().max(1e-9);
        let most = MAX_SAMPLES.min(MAX_NUMBERS / series).floor();
        if samples > most {
            let found =
                format!("{samples:.0} samples of {} and {}", counted(flows, "flow"), counted(links, "link"));
            let expected = format!("a longer interval: at most {most} samples of so many");
            observe.problem_at("interval", &found, &expected);
        }
        let found = Self {
            interval: every,
            flows: sampled,
            distributions: observe.flag("distributions").unwrap_or(false),
            transfers: observe.flag("transfers").unwrap_or(false),
            size_classes: read_classes(&observe).unwrap_or_else(|| SIZE_CLASSES.to_vec()),
            at: observe.text("at").and_then(|name| link_called(&observe, name, network)),
            loss_events: observe.time("loss_events", range),
            burst_packets: observe.packets("bursts", Range::between(2.0, 1e6)),
        };
        if observe.get("size_classes").is_some() && !found.transfers {
            let expected = "`transfers = true` beside it";
            observe.problem_at("size_classes", "classes of transfers that are not observed", expected);
        }
        for key in ["loss_events", "bursts"] {
            if observe.get(key).is_some() {
                observe.required("at", &format!("the name of the link at which `{key}` are followed"));
            }
        }
        found
    }

    /// About how many numbers the series of a run have.
    pub fn numbers(&self, duration: Span, flows: usize, links: usize) -> f64 {
        series_of(self.flows, flows, links) * (duration.seconds() / self.interval.seconds())
    }
}

/// Where classes of sizes end unless a scenario says so: pFabric's small flows and its large ones (SIGCOMM 2013, section 5.1).
const SIZE_CLASSES: [u64; 2] = [100_000, 10_000_000];
const MAX_CLASSES: usize = 100;

/// `size_classes = ["100 kB", "10 MB"]`: where each class but the last ends. A problem is noted.
fn read_classes(observe: &TableReader<'_>) -> Option<Vec<u64>> {
    let items = observe.list("size_classes")?;
    let path = observe.path_of("size_classes");
    let mut ends: Vec<u64> = Vec::new();
    for node in items {
        let range = Range::between(1.0, 1e15);
        let Read::Size(size) = observe.reader.quantity(node, &path, Quantity::Size, range)? else {
            return None;
        };
        if ends.last().is_some_and(|last| size.bytes() <= *last) {
            let found = format!("{} B after a size that is no smaller", size.bytes());
            observe.reader.problem(&node.span, &path, &found, "sizes that ascend", None);
            return None;
        }
        ends.push(size.bytes());
    }
    if ends.len() > MAX_CLASSES {
        observe.problem_at("size_classes", &counted(ends.len(), "size"), &format!("at most {MAX_CLASSES}"));
        return None;
    }
    Some(ends)
}

/// About how many series there are.
fn series_of(sampled: bool, flows: usize, links: usize) -> f64 {
    let of_flows = if sampled { FLOW_SERIES * flows } else { 0 };
    (of_flows + LINK_SERIES * links) as f64
}

fn link_called(observe: &TableReader<'_>, name: &str, network: &Network) -> Option<u32> {
    let index = network.links.iter().position(|link| link.name == name);
    if index.is_none() {
        let names = network.links.iter().map(|link| link.name.as_str());
        let hint = nearest(name, names).map_or_else(String::new, |near| format!(", such as {near}"));
        observe.problem_at("at", &format!("the link \"{name}\""), &format!("a link that there is{hint}"));
    }
    index.map(|index| index as u32)
}
