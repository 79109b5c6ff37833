//! The rate of a link as the scenario declares it: one rate, or a rate that changes over time.

use crate::language::document::Value;
use crate::language::keys::{Form, Key, Table};
use crate::language::reader::TableReader;
use crate::language::values::files;
use crate::language::values::over_time::{self, Kind, over_time_keys};
use crate::language::values::traces;
use ackclock_base::registry::Quantity;
use ackclock_base::{Range, Rate, Span};
use ackclock_sim::outage::Outage;
use ackclock_sim::reading::ReaderOptions;
use ackclock_sim::timeline::Timeline;
use ackclock_sim::transmission::{Changes, Manner};

/// The sending rate of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The rate: the highest of phases, steps and tables, or the mean of a trace of opportunities.
    pub rate: Rate,
    /// The rate that an operator would configure if one rate is needed: the declared one if there is one;
    /// otherwise the rate, the mean over a cycle or a trace, or the first step above zero.
    pub nominal: Rate,
    /// How the rate changes; `None` if it does not.
    varying: Option<(Timeline<Rate>, Manner)>,
}

const RATES: Range = Range::between(1.0, 1e12);
const UNITS: [(&str, f64); 4] = [("bit/s", 1.0), ("kbit/s", 1e3), ("Mbit/s", 1e6), ("Gbit/s", 1e9)];
/// Units of bytes that were sent while the value held, in bits.
const AMOUNTS: [(&str, f64); 3] = [("B", 8.0), ("kB", 8e3), ("MB", 8e6)];
const UNIT_NAMES: [&str; 7] = ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "B", "kB", "MB"];

const OVER_TIME: &[Key] = over_time_keys!(RATE, "\"100 Mbit/s\"", &UNIT_NAMES);

/// The keys of a link's rate that changes.
static CHANGING_RATE: Table = Table::new(
    "changing_rate",
    "A link rate that changes over time; with a `unit` of B, kB or MB, each value in the table that `trace` names is \
     the amount of data sent in its interval",
    &[
        OVER_TIME,
        &[Key::new(
            "nominal",
            &[Form::Quantity(Quantity::Rate, RATES)],
            "The constant rate for which the queue discipline of the link is configured",
        )
        .otherwise("the mean rate of a cycle or a trace; with `steps`, the first rate above 0")
        .such_as("\"50 Mbit/s\"")],
    ],
)
.one_of(over_time::ONE_OF);

/// The keys of a reading application's rate that changes.
static CHANGING_READER: Table = Table::new(
    "changing_reader",
    "The rate at which the receiving application reads, if it changes over time; with a `unit` of B, kB or MB, each \
     value in the table that `trace` names is the amount of data read in its interval",
    &[OVER_TIME],
)
.one_of(over_time::ONE_OF);

/// The forms of a link's rate.
pub const RATE_FORMS: &[Form] = &[Form::Quantity(Quantity::Rate, RATES), Form::Table(&CHANGING_RATE)];
/// The forms of the rate at which an application reads.
pub const READER_FORMS: &[Form] = &[Form::Quantity(Quantity::Rate, RATES), Form::Table(&CHANGING_READER)];

const RATE: Kind<Rate> = Kind {
    name: "rate",
    quantity: Quantity::Rate,
    range: Range::between(0.0, 1e12),
    example: "\"100 Mbit/s\"",
    trace: Some(traces::opportunities),
    units: &UNITS,
    amounts: &AMOUNTS,
    of_base: |bits| Rate::from_bits_per_second(bits.round() as u64),
};

/// Reads a rate under `key`, which is declared with [`RATE_FORMS`] or [`READER_FORMS`]. Returns `None` after
/// a problem was reported.
pub fn read(table: &TableReader<'_>, key: &str) -> Option<Pace> {
    let node = table.get(key)?;
    if !matches!(node.value, Value::Table(_)) {
        return table.read(key).map(|rate| Pace { rate, nominal: rate, varying: None });
    }
    let table = table.open(key)?;
    let (way, rates) = over_time::read(&table, &RATE)?;
    if way == "steps" && rates.values().last() == Some(Rate::default()) {
        table.problem_at("steps", "a rate that stays at 0", "a last step with a rate above 0");
        return None;
    }
    let highest = rates.values().max()?;
    if way == "trace" && (highest == Rate::default() || ends_at_zero(&rates)) {
        table.problem_at(
            "trace",
            "a rate that stays at 0",
            "a rate above 0 on the last line or, with `repeat = true`, on at least one line",
        );
        return None;
    }
    if highest == Rate::default() {
        table.problem_at("cycle", "a rate that stays at 0", "a phase with a rate above 0");
        return None;
    }
    let (rate, usual, manner) = match way {
        "cycle" => (highest, mean(&rates), Manner::BitByBit),
        "trace" if table.get("unit").is_some() => (highest, mean(&rates), Manner::Fluctuating),
        "trace" => {
            let at_zero = files::read(&table, "trace", table.text("trace")?, traces::at_zero)?;
            (mean(&rates), mean(&rates), Manner::Opportunities { at_zero })
        }
        _ => (highest, rates.values().find(|rate| *rate > Rate::default())?, Manner::BitByBit),
    };
    let nominal = match table.get("nominal") {
        Some(_) => table.read("nominal")?,
        None => usual,
    };
    Some(Pace { rate, nominal, varying: Some((rates, manner)) })
}

impl Pace {
    /// Returns how the rate of a link with these outages changes; `None` if it does not.
    pub fn changes(&self, outage: Option<Outage>) -> Option<Changes> {
        if self.varying.is_none() && outage.is_none() {
            return None;
        }
        let (rates, manner) =
            self.varying.clone().unwrap_or_else(|| (Timeline::constant(self.rate), Manner::BitByBit));
        Some(Changes { rates, manner, outage, nominal: self.nominal })
    }

    /// Returns the options of an application that reads at this rate.
    pub fn reader_options(&self) -> ReaderOptions {
        ReaderOptions { rate: self.rate, changes: self.changes(None) }
    }

    /// Returns the long-run rate: that of the last step, or else the mean.
    pub fn in_the_long_run(&self) -> Rate {
        let Some((rates, _)) = &self.varying else { return self.rate };
        match rates.parts() {
            (steps, None) => steps.last().map_or(self.rate, |(_, rate)| *rate),
            (_, Some(_)) => mean(rates),
        }
    }

    /// Returns whether the rate is a trace of opportunities, which contains its own silences.
    pub fn is_trace(&self) -> bool {
        matches!(self.varying, Some((_, Manner::Opportunities { .. })))
    }
}

/// Returns whether a rate that does not repeat ends at 0.
fn ends_at_zero(rates: &Timeline<Rate>) -> bool {
    let (steps, period) = rates.parts();
    period.is_none() && steps.last().is_some_and(|(_, rate)| *rate == Rate::default())
}

/// Returns the long-run mean of a rate that repeats; what an operator would configure. It does not depend on
/// where a cycle begins. In a table that does not repeat, the last value counts for as long as the one before
/// it.
fn mean(rates: &Timeline<Rate>) -> Rate {
    let (steps, period) = rates.parts();
    let begins = |step: usize| steps.get(step).map_or(0, |(begins, _)| begins.nanos());
    let last = begins(steps.len().saturating_sub(1));
    let once = last + (last - begins(steps.len().saturating_sub(2)));
    let cycle = period.map_or(once, Span::nanos).max(1);
    let ends = steps.iter().skip(1).map(|(begins, _)| begins.nanos()).chain([cycle]);
    let bits: u128 = steps
        .iter()
        .zip(ends)
        .map(|((begins, rate), ends)| {
            u128::from(ends - begins.nanos().min(ends)) * u128::from(rate.bits_per_second())
        })
        .sum();
    // The mean is at least 1 bit/s, because disciplines divide by it.
    Rate::from_bits_per_second((bits / u128::from(cycle)).max(1) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_table_counts_for_as_long_as_the_one_before_it() {
        let mbit = |mbit: u64| Rate::from_bits_per_second(1_000_000 * mbit);
        let at = ackclock_base::Time::from_seconds;
        // 0 for 20 s and 10 Mbit/s for as long give 5 Mbit/s. 1 for 1 s, 4 for 2 s and 10 for 2 s give 29 / 5
        // Mbit/s.
        let once = Timeline::steps(mbit(0), [(at(20.0), mbit(10))]);
        assert_eq!(mean(&once), mbit(5));
        let twice = Timeline::steps(mbit(1), [(at(1.0), mbit(4)), (at(3.0), mbit(10))]);
        assert_eq!(mean(&twice).bits_per_second(), 5_800_000);
        assert_eq!(mean(&Timeline::constant(mbit(3))), mbit(3));
    }
}
