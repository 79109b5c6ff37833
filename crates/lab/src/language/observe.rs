//! The measurement and observation of a run: the warm-up, the sampling interval, and the packets that are
//! followed.

use crate::language::diagnostics::{counted, nearest};
use crate::language::document::Value;
use crate::language::keys::{Form, Key, Table};
use crate::language::limits::MAX_SECONDS;
use crate::language::network::Network;
use crate::language::reader::TableReader;
use ackclock_base::registry::Quantity;
use ackclock_base::{Range, Size, Span};

/// The maximum number of samples of a series. `MAX_NUMBERS` is the maximum over all series together (8 bytes
/// per number, or 20 as JSON).
const MAX_SAMPLES: f64 = 1e5;
const MAX_NUMBERS: f64 = 5e7;
/// The approximate number of series of a flow; `LINK_SERIES` is that of a link.
const FLOW_SERIES: usize = 8;
const LINK_SERIES: usize = 2;
/// The number of samples of a series by default.
const USUAL_SAMPLES: f64 = 1000.0;
/// The range of sampling intervals, and of the round trip by which losses are grouped, in seconds.
const INTERVALS: Range = Range { min: 0.0, max: MAX_SECONDS, above_min: true };
/// The range of warm-ups in seconds.
const WARMUPS: Range = Range::between(0.0, MAX_SECONDS);

static WARMUP: Table = Table::new(
    "warmup",
    "A warm-up that ends at an event, but no later than `at_most`. The measured time is always `duration` minus \
     `at_most`: if the warm-up ends early, so does the run",
    &[&[
        Key::new(
            "until",
            &[Form::words_of(&["congestion-avoidance"])],
            "The event that ends the warm-up: each connection of bulk data over TCP, SCTP or ackclock's QUIC that \
             begins by `at_most` has been in congestion avoidance at least once",
        ),
        Key::new(
            "at_most",
            &[Form::time(WARMUPS)],
            "The time in the run at which the warm-up ends if the event has not occurred by then",
        )
        .such_as("\"60 s\""),
    ]],
)
.requiring(&["until", "at_most"]);

/// The forms of `warmup`.
pub const WARMUP_FORMS: &[Form] = &[Form::time(WARMUPS), Form::Table(&WARMUP)];

/// The keys of observation.
pub static OBSERVE: Table = Table::new(
    "observe",
    "Series, distributions, transfers, loss events and bursts to record",
    &[&[
        Key::new("interval", &[Form::time(INTERVALS)], "The time between two samples of each series")
            .otherwise("a thousandth of `duration`; longer with very many flows and links")
            .such_as("\"100 ms\""),
        Key::new(
            "flows",
            &[Form::FLAG],
            "Whether series of the flows are recorded; series of the links are always recorded",
        )
        .or("true"),
        Key::new(
            "distributions",
            &[Form::FLAG],
            "Whether results include quantiles of the one-way delays of flows and of the waiting times at links",
        )
        .or("false"),
        Key::new(
            "transfers",
            &[Form::FLAG],
            "Whether results include a record for each connection of transfers and web sessions, and percentiles for \
             each size class",
        )
        .or("false"),
        Key::new(
            "size_classes",
            &[Form::List(&Form::Quantity(Quantity::Size, SIZES), [0, MAX_CLASSES])],
            "The upper limits of the size classes of transfers; one further class contains all larger transfers",
        )
        .or("[\"100 kB\", \"10 MB\"]")
        .needing(&["transfers"]),
        Key::new("at", &[Form::Text], "The link at which `loss_events` and `bursts` are observed, packet by packet")
            .such_as("\"bottleneck\""),
        Key::new(
            "loss_events",
            &[Form::time(INTERVALS)],
            "The round-trip time without queueing: a drop begins a loss event, which includes all further drops \
             within this time plus the queueing delay at the first drop",
        )
        .such_as("\"100 ms\"")
        .needing(&["at"]),
        Key::new(
            "bursts",
            &[Form::Quantity(Quantity::Packets, BURSTS)],
            "The minimum length of a burst in data packets; a burst is a sequence of packets of one group of flows, \
             each of which arrives at the link given by `at` less than its transmission time after the previous packet",
        )
        .such_as("\"4 packets\"")
        .needing(&["at"]),
    ]],
);
const SIZES: Range = Range::between(1.0, 1e15);
const BURSTS: Range = Range::between(2.0, 1e6);

/// The part of a run, from its start, that is not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Warmup {
    /// The length of the warm-up, or its maximum.
    pub most: Span,
    /// Whether the warm-up ends as soon as every lasting TCP connection has reached congestion avoidance. The
    /// measured interval keeps its length, so the run ends earlier (RFC 7928 section 8.2, whose runs begin at
    /// that instant).
    pub until_congestion_avoidance: bool,
}

impl Warmup {
    /// Reads `warmup = "30 s"` or `warmup = { until = "congestion-avoidance", at_most = "60 s" }`. By default
    /// there is none.
    pub fn read(root: &TableReader<'_>, duration: Option<Span>) -> Self {
        let warmup = match root.get("warmup") {
            Some(node) if matches!(node.value, Value::Table(_)) => {
                let Some(table) = root.open("warmup") else { return Self::default() };
                table.word("until");
                Self { most: table.read("at_most").unwrap_or_default(), until_congestion_avoidance: true }
            }
            _ => Self { most: root.read("warmup").unwrap_or_default(), until_congestion_avoidance: false },
        };
        if duration.is_some_and(|duration| warmup.most >= duration) {
            let found = format!("a warm-up of {}", warmup.most);
            root.problem_at("warmup", &found, "less than the run's duration");
        }
        warmup
    }
}

/// Observations beyond counts and means.
#[derive(Clone, Debug, PartialEq)]
pub struct Observe {
    /// The sampling interval of series.
    pub interval: Span,
    /// Whether there are series of flows, besides those of links.
    pub flows: bool,
    /// Whether the distributions of delays are kept as quantiles.
    pub distributions: bool,
    /// Whether each connection of a timetable has a record.
    pub transfers: bool,
    /// The upper ends of the classes of transfer sizes, in bytes, ascending.
    pub size_classes: Vec<u64>,
    /// The link at which loss events and bursts are followed; `None` if none are.
    pub at: Option<u32>,
    /// The round trip, without queues, of flows that lose together; `None` if loss events are not followed.
    pub loss_events: Option<Span>,
    /// The number of packets that make a burst; `None` if bursts are not followed.
    pub burst_packets: Option<u64>,
}

impl Observe {
    /// Reads the table `[observe]`, which lists what is observed.
    pub fn read(root: &TableReader<'_>, duration: Span, flows: usize, network: &Network) -> Self {
        let links = network.links.len();
        let observe = root.open("observe");
        let sampled = observe.as_ref().and_then(|table| table.read("flows")).unwrap_or(true);
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
        let every: Span = observe.read("interval").unwrap_or(usual);
        let samples = duration.seconds() / every.seconds().max(1e-9);
        let most = MAX_SAMPLES.min(MAX_NUMBERS / series).floor();
        if samples > most {
            let flows = if sampled { counted(flows, "flow") + " and " } else { String::new() };
            let found = format!("{samples:.0} samples of {flows}{}", counted(links, "link"));
            let expected = format!(
                "a longer interval: at most {most} samples of each series are allowed with this number of series"
            );
            observe.problem_at("interval", &found, &expected);
        }
        let found = Self {
            interval: every,
            flows: sampled,
            distributions: observe.read("distributions").unwrap_or(false),
            transfers: observe.read("transfers").unwrap_or(false),
            size_classes: read_classes(&observe).unwrap_or_else(|| SIZE_CLASSES.to_vec()),
            at: observe.text("at").and_then(|name| link_called(&observe, name, network)),
            loss_events: observe.read("loss_events"),
            burst_packets: observe.read("bursts").map(|packets: f64| packets as u64),
        };
        if observe.get("size_classes").is_some() && !found.transfers {
            let expected = "`transfers = true` as well";
            observe.problem_at("size_classes", "`size_classes` without `transfers = true`", expected);
        }
        found
    }

    /// Returns the approximate number of values in the series of a run.
    pub fn numbers(&self, duration: Span, flows: usize, links: usize) -> f64 {
        series_of(self.flows, flows, links) * (duration.seconds() / self.interval.seconds())
    }
}

/// The upper ends of size classes by default: pFabric's small and large flows (SIGCOMM 2013, section 5.1).
const SIZE_CLASSES: [u64; 2] = [100_000, 10_000_000];
const MAX_CLASSES: usize = 100;

/// Reads `size_classes = ["100 kB", "10 MB"]`: the upper end of each class but the last. Returns `None` after
/// a problem was reported.
fn read_classes(observe: &TableReader<'_>) -> Option<Vec<u64>> {
    let nodes = observe.list("size_classes")?;
    let mut ends: Vec<u64> = Vec::new();
    for (node, size) in nodes.iter().zip(observe.quantities::<Size>("size_classes")?) {
        if ends.last().is_some_and(|last| size.bytes() <= *last) {
            let found = format!("{} B after an equal or larger size", size.bytes());
            let path = observe.path_of("size_classes");
            observe.reader.problem(&node.span, &path, &found, "ascending sizes", None);
            return None;
        }
        ends.push(size.bytes());
    }
    Some(ends)
}

/// Returns the approximate number of series.
fn series_of(sampled: bool, flows: usize, links: usize) -> f64 {
    let of_flows = if sampled { FLOW_SERIES * flows } else { 0 };
    (of_flows + LINK_SERIES * links) as f64
}

fn link_called(observe: &TableReader<'_>, name: &str, network: &Network) -> Option<u32> {
    let index = network.links.iter().position(|link| link.name == name);
    if index.is_none() {
        let names = network.links.iter().map(|link| link.name.as_str());
        let hint = nearest(name, names).map_or_else(String::new, |near| format!(", such as {near}"));
        observe.problem_at("at", &format!("the link \"{name}\""), &format!("a link of the network{hint}"));
    }
    index.map(|index| index as u32)
}
