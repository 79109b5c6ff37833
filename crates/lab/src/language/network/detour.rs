//! A route change as the scenario declares it: its beginning, its end, and the additional delay.

use super::delay::DELAYS;
use crate::language::keys::{Form, Key, Table};
use crate::language::reader::TableReader;
use ackclock_base::link::Detour;
use ackclock_base::{Range, Span, Time};

const INSTANTS: Range = Range::between(0.0, 1e6);

/// The keys of a longer path.
pub(super) static DETOUR: Table = Table::new(
    "detour",
    "A detour: packets whose transmission ends within an interval take a longer path",
    &[&[
        Key::new("from", &[Form::time(INSTANTS)], "The time in the run at which the detour begins")
            .such_as("\"50 s\""),
        Key::new("until", &[Form::time(INSTANTS)], "The time in the run at which the detour ends")
            .otherwise("the detour lasts to the end of the run")
            .such_as("\"80 s\""),
        Key::new("longer", &[Form::time(DELAYS)], "The additional delay of the detour").such_as("\"40 ms\""),
    ]],
)
.requiring(&["from", "longer"]);

/// Reads the interval during which a link's packets take a longer path, and the additional delay. Without an
/// end it lasts until the end of the run.
pub(super) fn read(table: &TableReader<'_>) -> Option<Detour> {
    let detour = table.open("detour")?;
    let from = Time::ZERO + detour.read::<Span>("from")?;
    let until = match detour.get("until") {
        Some(_) => Time::ZERO + detour.read::<Span>("until")?,
        None => Time::NEVER,
    };
    if until <= from {
        detour.problem_at("until", "an `until` that is not after `from`", "a time after `from`");
    }
    Some(Detour { from, until, longer: detour.read("longer")? })
}
