//! When the flows of a group begin and stop.

use crate::language::document::{Value, quoted};
use crate::language::reader::TableReader;
use ackclock_base::Span;

/// The word for a group whose flows never begin.
pub(super) const NEVER: &str = "never";

/// When the flows of a group begin: flow `k`, from 0, begins at `at + k * every` plus a draw from `uniform`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// When the first flow begins; `Span::MAX` if none ever does.
    pub at: Span,
    /// The time between the beginnings of two flows.
    pub every: Span,
    /// The bounds of a uniform draw; `None` for no draw.
    pub uniform: Option<(Span, Span)>,
}

impl Start {
    /// Returns whether the scenario leaves the group out.
    pub fn is_never(&self) -> bool {
        self.at == Span::MAX
    }

    /// Returns the earliest possible beginning of any flow.
    pub fn first(&self) -> Span {
        self.earliest(0)
    }

    /// Returns the earliest possible beginning of flow number `index`, from 0.
    fn earliest(&self, index: usize) -> Span {
        self.at + self.every * index as u64 + self.uniform.map_or(Span::ZERO, |(low, _)| low)
    }

    /// Returns the latest possible beginning of any of `count` flows.
    pub fn last(&self, count: usize) -> Span {
        self.at + self.every * (count as u64 - 1) + self.uniform.map_or(Span::ZERO, |(_, high)| high)
    }
}

/// Reads when the flows begin.
pub(super) fn read(table: &TableReader<'_>) -> Option<Start> {
    let Some(node) = table.get("start") else { return Some(Start::default()) };
    if matches!(&node.value, Value::Text(word) if word == NEVER) {
        return Some(Start { at: Span::MAX, ..Start::default() });
    }
    if let Value::Text(word) = &node.value
        && word.eq_ignore_ascii_case(NEVER)
    {
        table.problem_at("start", &quoted(word), &format!("\"{NEVER}\", in lower case"));
        return None;
    }
    if !matches!(node.value, Value::Table(_)) {
        return Some(Start { at: table.read("start")?, ..Start::default() });
    }
    let start = table.open("start")?;
    let uniform = match start.get("uniform") {
        None => None,
        Some(_) => match start.quantities("uniform")?.as_slice() {
            [low, high] if low <= high => Some((*low, *high)),
            [low, high] => {
                let expected = "the lower bound, then the upper, such as [\"0 s\", \"1 s\"]";
                start.problem_at("uniform", &format!("the bounds {low} and {high}"), expected);
                return None;
            }
            _ => return None,
        },
    };
    let time = |key| start.read_or_default(key).unwrap_or_default();
    Some(Start { at: time("at"), every: time("every"), uniform })
}

/// Reports the first flow that cannot begin before the run ends, where the file itself has both times: the flow would
/// send nothing, and count as starved. An override may make a run shorter.
pub(super) fn check_end(table: &TableReader<'_>, start: &Start, count: usize, duration: Span) {
    let late = (0..count).find(|index| start.earliest(*index) >= duration);
    let Some(late) = late.filter(|_| table.is_written("start") && !start.is_never()) else { return };
    let at = start.earliest(late);
    let or_later = if start.uniform.is_some() { " or later" } else { "" };
    let found = match count {
        1 => format!("a start at {at}{or_later}"),
        _ => format!("a start at {at}{or_later} for flow {} of {count}", late + 1),
    };
    let expected = format!(
        "a start before the end of the run at {duration}; `start = \"{NEVER}\"` leaves out the whole group"
    );
    table.problem_at("start", &found, &expected);
}

pub(super) fn check_stop(table: &TableReader<'_>, stop: Span, last_start: Span) {
    if last_start == Span::MAX {
        let found = format!("a stop at {stop} for flows that never start");
        table.problem_at("stop", &found, &format!("no `stop` with `start = \"{NEVER}\"`"));
    } else if stop <= last_start {
        let found = format!("a stop at {stop}, although a flow can start as late as {last_start}");
        table.problem_at("stop", &found, "a stop after the start of every flow of the group");
    }
}
