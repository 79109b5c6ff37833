//! Outages of a link as the scenario declares them.

use crate::language::keys::{Form, Key, Table};
use crate::language::reader::TableReader;
use crate::language::values::rate::Pace;
use ackclock_base::{Range, Span, Time};
use ackclock_sim::outage::Outage;

const INSTANTS: Range = Range::between(0.0, 1e6);
const LENGTHS: Range = Range::between(1e-6, 3600.0);
/// The range of periods. More than a thousand outages per second would act as a lower rate.
const PERIODS: Range = Range::between(1e-3, 1e6);

/// The keys of an outage.
pub(super) static OUTAGE: Table = Table::new(
    "outage",
    "Periods in which a link sends nothing",
    &[&[
        Key::new("from", &[Form::time(INSTANTS)], "The time in the run at which the first outage begins")
            .such_as("\"15 s\""),
        Key::new("lasts", &[Form::time(LENGTHS)], "The length of each outage").such_as("\"200 ms\""),
        Key::new(
            "every",
            &[Form::time(PERIODS)],
            "The time from the start of one outage to the start of the next",
        )
        .otherwise("there is one outage")
        .such_as("\"15 s\""),
    ]],
)
.requiring(&["from", "lasts"]);

/// Reads the outages of a link: their beginning, their length and their period.
pub(super) fn read(table: &TableReader<'_>, pace: Option<&Pace>) -> Option<Outage> {
    if pace.is_some_and(Pace::is_trace) {
        table.problem_at(
            "outage",
            "an `outage` of a link whose `rate` is a trace of delivery opportunities",
            "no `outage` (a `trace` without a `unit` already contains pauses), or a `trace` with a `unit`",
        );
        return None;
    }
    let outage = table.open("outage")?;
    let from = Time::ZERO + outage.read::<Span>("from")?;
    let lasts: Span = outage.read("lasts")?;
    let every: Option<Span> = match outage.get("every") {
        Some(_) => Some(outage.read("every")?),
        None => None,
    };
    if every.is_some_and(|every| every <= lasts) {
        outage.problem_at(
            "every",
            "outages without a pause between them",
            &format!("more than {lasts}, the length of each outage (`lasts`)"),
        );
        return None;
    }
    Some(Outage { from, lasts, every })
}
