//! Outages of a link as they are written.

use crate::rate::Pace;
use crate::reader::TableReader;
use ackclock_base::{Range, Time};
use ackclock_sim::outage::Outage;

const INSTANTS: Range = Range::between(0.0, 1e6);
const LENGTHS: Range = Range::between(1e-6, 3600.0);
/// More outages than a thousand a second are a lower rate.
const PERIODS: Range = Range::between(1e-3, 1e6);

/// When a link sends nothing: from when on, how long, and how often again.
pub(super) fn read(table: &TableReader<'_>, pace: Option<&Pace>) -> Option<Outage> {
    let node = table.get("outage")?;
    if pace.is_some_and(Pace::is_trace) {
        table.problem_at(
            "outage",
            "an `outage` beside a trace of the rate",
            "one of them: a trace has its own silences",
        );
        return None;
    }
    let outage = table.reader.table(node, &table.path_of("outage"), &["from", "lasts", "every"])?;
    outage.required("from", "when it begins, such as \"15 s\"");
    outage.required("lasts", "how long it lasts, such as \"200 ms\"");
    let from = Time::ZERO + outage.time("from", INSTANTS)?;
    let lasts = outage.time("lasts", LENGTHS)?;
    let every = match outage.get("every") {
        Some(_) => Some(outage.time("every", PERIODS)?),
        None => None,
    };
    if every.is_some_and(|every| every <= lasts) {
        outage.problem_at(
            "every",
            "outages without a time between them",
            &format!("more than the {lasts} that each lasts"),
        );
        return None;
    }
    Some(Outage { from, lasts, every })
}
