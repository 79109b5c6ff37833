//! Jitter as the scenario declares it: its size, its distribution, and its bursts.

use super::delay::{DELAYS, UNIT_NAMES, UNITS};
use super::shares::changes;
use crate::language::document::Value;
use crate::language::keys::{Form, Key, Table};
use crate::language::reader::TableReader;
use crate::language::values::over_time::{self, Kind, over_time_keys};
use ackclock_base::registry::Quantity;
use ackclock_base::{Range, Span};
use ackclock_sim::channel::Bursts;
use ackclock_sim::jitter::Distribution;
use ackclock_sim::timeline::Timeline;

/// How the additional random delay of each packet is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Jitter {
    /// The distribution between 0 and the maximum.
    pub distribution: Distribution,
    /// The bursts during which packets have jitter; `None` if they always have it.
    pub bursts: Option<Bursts>,
    /// The maximum over time; `None` if it does not change.
    pub over_time: Option<Timeline<Span>>,
}

const LENGTHS: Range = Range { min: 0.0, max: 1e9, above_min: true };

const MOST: Kind<Span> = Kind {
    name: "jitter",
    quantity: Quantity::Time,
    range: DELAYS,
    example: "\"5 ms\"",
    trace: None,
    units: &UNITS,
    amounts: &[],
    of_base: Span::from_seconds,
};

static JITTER: Table = Table::new(
    "jitter",
    "Random delays of packets in addition to the delay of the link, always or in random periods",
    &[
        &[
            Key::new(
                "most",
                &[Form::time(DELAYS)],
                "The largest random delay of a packet in the periods with jitter (`bad`); each delay is drawn \
                 uniformly from 0 to this maximum",
            )
            .such_as("\"20 ms\""),
            Key::new(
                "mean",
                &[Form::time(DELAYS)],
                "The mean random delay of a packet (in the periods with jitter, if `bad` is given)",
            )
            .such_as("\"10 ms\""),
            Key::new(
                "distribution",
                &[Form::choice::<Distribution>()],
                "With `mean`, the distribution of the random delay of a packet: uniform from 0 to twice the mean, \
                 normal with a standard deviation of a quarter of the mean, or Pareto with shape 3",
            )
            .or("\"uniform\""),
            Key::new(
                "good",
                &[Form::time(LENGTHS)],
                "The mean length of the exponentially distributed periods without jitter",
            )
            .otherwise("there is always jitter")
            .such_as("\"1 s\"")
            .needing(&["bad"]),
            Key::new(
                "bad",
                &[Form::time(LENGTHS)],
                "The mean length of the exponentially distributed periods with jitter",
            )
            .otherwise("there is always jitter")
            .such_as("\"50 ms\"")
            .needing(&["good"]),
        ],
        over_time_keys!(MOST, "\"5 ms\"", &UNIT_NAMES),
    ],
)
.one_of(&[&["mean"], &["most", "good", "bad"], &["cycle"], &["steps"], &["trace"]]);

/// The forms of a link's jitter.
pub(super) const FORMS: &[Form] = &[Form::time(DELAYS), Form::Table(&JITTER)];

/// Reads the maximum of the additional delay, and how it is drawn.
pub(super) fn read(table: &TableReader<'_>) -> Option<(Span, Jitter)> {
    let node = table.get("jitter")?;
    if !matches!(node.value, Value::Table(_)) {
        return table.read("jitter").map(|most| (most, Jitter::default()));
    }
    let jitter = table.open("jitter")?;
    let given = |key: &str| jitter.get(key).is_some();
    if changes(table, "jitter") {
        if let Some(other) =
            ["most", "mean", "distribution", "good", "bad"].into_iter().find(|key| given(key))
        {
            jitter.problem_at(
                other,
                &format!("`{other}` with a jitter that changes over time"),
                "only `cycle`, `steps` or `trace`: each of them sets a maximum, and the jitter is drawn uniformly \
                 between 0 and this maximum",
            );
        }
        let (_, most) = over_time::read(&jitter, &MOST)?;
        let largest = most.values().max()?;
        return Some((largest, Jitter { over_time: Some(most), ..Jitter::default() }));
    }
    let by_mean = given("mean") || given("distribution");
    if by_mean && given("most") {
        let found = if given("mean") { "both `mean` and `most`" } else { "both `distribution` and `most`" };
        jitter.problem_at(
            "most",
            found,
            "`mean` without `most`, because the distribution determines the maximum",
        );
        return None;
    }
    if by_mean {
        jitter.required("mean");
    }
    let bursts = if !by_mean || given("good") || given("bad") {
        if !by_mean {
            for key in ["most", "good", "bad"] {
                jitter.required(key);
            }
        }
        Some(Bursts { good: jitter.read("good")?, bad: jitter.read("bad")? })
    } else {
        None
    };
    if !by_mean {
        return Some((jitter.read("most")?, Jitter { bursts, ..Jitter::default() }));
    }
    let distribution: Distribution = jitter.read_or_default("distribution")?;
    Some((distribution.most(jitter.read("mean")?), Jitter { distribution, bursts, over_time: None }))
}
