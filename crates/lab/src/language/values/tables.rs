//! Tables of times and values in files: measured rates and delays, as drive tests, satellite terminals and
//! tools such as iperf write them.

use crate::language::document::quoted;
use crate::language::reader::TableReader;
use crate::language::values::files::{self, Mistake};
use crate::language::values::over_time::Kind;
use crate::language::values::traces::{columns, numbered};
use ackclock_base::{Range, Span, Time};
use ackclock_sim::timeline::Timeline;

/// The keys that each further key of a table needs. `unit` makes a trace a table.
pub const NEEDS: &[&str] = &["trace", "unit"];

/// The units of the time column, each in seconds.
const TIMES: [(&str, f64); 4] = [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)];
/// The names of these units.
pub const TIME_NAMES: [&str; 4] = names(TIMES);
/// The range of column numbers.
pub const COLUMNS: Range = Range::between(1.0, 1000.0);
/// The maximum length of a table in seconds.
const MOST_SECONDS: f64 = 1e6;

/// Returns the names of units that are given with their sizes.
pub const fn names<const COUNT: usize>(units: [(&'static str, f64); COUNT]) -> [&'static str; COUNT] {
    let mut names = [""; COUNT];
    let mut index = 0;
    while index < COUNT {
        names[index] = units[index].0;
        index += 1;
    }
    names
}

/// The layout of a table.
struct Shape {
    /// The size of the time unit in seconds, and that of the value's unit in base units.
    units: [f64; 2],
    /// The columns of the time and of the value, counted from 0.
    columns: [usize; 2],
    /// The range of the value in base units.
    values: Range,
    /// The name of the value.
    name: &'static str,
    repeats: bool,
}

/// Reads the table that `trace` names, with values in `unit`. Returns `None` after a problem was reported.
pub fn read<T: Copy + PartialEq>(table: &TableReader<'_>, kind: &Kind<T>) -> Option<Timeline<T>> {
    let unit = unit_of(table, "unit", kind.units);
    let time = if table.get("time").is_some() { unit_of(table, "time", &TIMES) } else { Some(1.0) };
    let repeats = table.read_or_default::<bool>("repeat");
    let columns = read_columns(table);
    let name = table.text("trace");
    let (units, repeats, columns) = ([time?, unit?], repeats?, columns?);
    let shape = Shape { units, columns, values: kind.range, name: kind.name, repeats };
    let rows = files::read(table, "trace", name?, |text| rows(text, &shape))?;
    timeline(&rows, repeats, kind.of_base)
}

fn unit_of(table: &TableReader<'_>, key: &str, units: &[(&'static str, f64)]) -> Option<f64> {
    let name = table.word(key)?;
    units.iter().find(|(unit, _)| *unit == name).map(|(_, base)| *base)
}

/// Reads `columns = [1, 2]`: the columns of the time and of the value, counted from 1.
fn read_columns(table: &TableReader<'_>) -> Option<[usize; 2]> {
    if table.get("columns").is_none() {
        return Some([0, 1]);
    }
    match table.quantities::<u32>("columns")?.as_slice() {
        [time, value] => Some([*time as usize - 1, *value as usize - 1]),
        _ => None,
    }
}

/// Returns the rows: the time since the first row, and the value in base units. A first line without numbers
/// names the columns.
fn rows(text: &str, shape: &Shape) -> Result<Vec<(Span, f64)>, Mistake> {
    let a_line = format!("a time and a {}, such as 12.5,40", shape.name);
    let mut rows: Vec<(Span, f64)> = Vec::new();
    let mut origin = None;
    let mut before = (1, f64::NEG_INFINITY);
    for (place, (number, line)) in numbered(text)?.enumerate() {
        let wrong = |found: String, expected: &str| Err(Mistake::new(number, found, expected));
        let cells: Vec<&str> = columns(line).collect();
        let cell = |of: usize| cells.get(shape.columns[of]).and_then(|cell| cell.parse::<f64>().ok());
        let (Some(time), Some(value)) = (cell(0), cell(1)) else {
            if place == 0 && cells.iter().all(|cell| cell.parse::<f64>().is_err()) {
                continue;
            }
            return wrong(quoted(line), &a_line);
        };
        // The difference is computed before the conversion, because seconds since an epoch have too few
        // digits left for microseconds.
        let since = (time - *origin.get_or_insert(time)) * shape.units[0];
        if !(0.0..=MOST_SECONDS).contains(&since) {
            let expected =
                format!("lines in the order of time, and no later than {MOST_SECONDS} s after the first");
            return wrong(format!("a time of {time}"), &expected);
        }
        let since = Span::from_seconds(since);
        if rows.last().is_some_and(|(last, _)| since <= *last) {
            return wrong(format!("a time of {time} after {}", before.1), "lines in the order of time");
        }
        let value = value * shape.units[1];
        if !shape.values.contains(value) {
            return wrong(
                format!("a {} of {}", shape.name, value / shape.units[1]),
                &format!(
                    "one from {} to {}",
                    shape.values.min / shape.units[1],
                    shape.values.max / shape.units[1]
                ),
            );
        }
        rows.push((since, value));
        before = (number, time);
    }
    match rows.len() {
        0 => Err(Mistake::new(before.0, "no values".to_owned(), &a_line)),
        1 if shape.repeats => {
            Err(Mistake::new(before.0, "one line".to_owned(), "two or more, where they repeat"))
        }
        _ => Ok(rows),
    }
}

/// Returns the values over time. If they repeat, the last one lasts as long as the one before it; otherwise
/// it lasts for ever.
fn timeline<T: Copy + PartialEq>(
    rows: &[(Span, f64)],
    repeats: bool,
    of: fn(f64) -> T,
) -> Option<Timeline<T>> {
    if repeats {
        let lasts = |pair: &[(Span, f64)]| pair[1].0.saturating_sub(pair[0].0);
        let last = rows.windows(2).last().map_or(Span::ZERO, lasts);
        let lengths = rows.windows(2).map(lasts).chain([last]);
        return Timeline::cycle(lengths.zip(rows).map(|(lasts, (_, value))| (lasts, of(*value))));
    }
    let (_, first) = rows.first()?;
    let others = rows.windows(2).filter(|pair| of(pair[0].1) != of(pair[1].1));
    Some(Timeline::steps(of(*first), others.map(|pair| (Time::ZERO + pair[1].0, of(pair[1].1)))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::Rate;
    use ackclock_sim::timeline::Present;

    const MBIT: Shape = Shape {
        units: [1.0, 1e6],
        columns: [0, 1],
        values: Range::between(0.0, 1e12),
        name: "rate",
        repeats: false,
    };

    fn of(text: &str, shape: &Shape) -> Timeline<Rate> {
        let bits = |bits: f64| Rate::from_bits_per_second(bits.round() as u64);
        timeline(&rows(text, shape).unwrap(), shape.repeats, bits).unwrap()
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn mbit(mbit: u64) -> Rate {
        Rate::from_bits_per_second(mbit * 1_000_000)
    }

    #[test]
    fn times_count_from_the_first_and_the_last_value_lasts() {
        for text in [
            "0,20\n1.5,5\n4,5\n10,8\n",
            "time,Mbit/s\n1700000000.25 , 20\n1700000001.75,5 # a tunnel\n\n1700000010.25,8\n",
            "# s Mbit/s\n-3 20\n-1.5\t5\n7 8",
        ] {
            let rates = of(text, &MBIT);
            assert_eq!(rates.present(at(0)), Present { value: mbit(20), until: at(1500) }, "{text}");
            assert_eq!(rates.present(at(1500)), Present { value: mbit(5), until: at(10_000) }, "{text}");
            assert_eq!(rates.present(at(99_000)), Present { value: mbit(8), until: Time::NEVER }, "{text}");
        }
    }

    #[test]
    fn in_a_repeating_table_the_last_value_lasts_as_long_as_the_one_before() {
        // 20 Mbit/s hold for 100 ms, 5 for 50 ms and 8 for 50 ms: 200 ms in total.
        let shape = Shape { units: [1e-3, 1e6], repeats: true, ..MBIT };
        let rates = of("1000 20\n1100 5\n1150 8\n", &shape);
        assert_eq!(rates.parts().1, Some(Span::from_millis(200)));
        for (ms, rate, until) in [(0, 20, 100), (149, 5, 150), (199, 8, 200), (200, 20, 300), (550, 8, 600)] {
            assert_eq!(rates.present(at(ms)), Present { value: mbit(rate), until: at(until) }, "{ms}");
        }
    }

    #[test]
    fn the_columns_of_an_iperf_log_can_be_chosen() {
        // The columns of iperf 2's -y C are the date, addresses and ports, a number, the interval, bytes and
        // bit/s.
        let text = "1,10.0.0.1,5001,10.0.0.2,4242,3,0.0-1.0,131072,1048576\n\
                    2,10.0.0.1,5001,10.0.0.2,4242,3,1.0-2.0,262144,2097152\n";
        let rates = of(text, &Shape { units: [1.0, 1.0], columns: [0, 8], ..MBIT });
        assert_eq!(rates.at(at(999)).bits_per_second(), 1_048_576);
        assert_eq!(rates.at(at(1000)).bits_per_second(), 2_097_152);
    }

    #[test]
    fn a_mistake_has_its_line() {
        for (text, line, found) in [
            ("0,1\nx,2\n", 2, "\"x,2\""),
            ("0 1\n1\n", 2, "\"1\""),
            ("0,9,5\n1,,6\n2,,\n", 2, "\"1,,6\""),
            ("0 1\n1 -2\n", 2, "a rate of -2"),
            ("0 1\n1 1e7\n", 2, "a rate of 10000000"),
            ("0 1\n1 2\n1 3\n", 3, "a time of 1 after 1"),
            ("5 1\n4 2\n", 2, "a time of 4"),
            ("0 1\n\n2e6 2\n", 3, "a time of 2000000"),
            ("time,rate\n", 1, "no values"),
            ("time,rate\nt,r\n", 2, "\"t,r\""),
            ("# nothing\n", 1, "no values"),
            ("", 1, "an empty file"),
        ] {
            let mistake = rows(text, &MBIT).unwrap_err();
            assert_eq!((mistake.line, mistake.found.as_str()), (line, found), "{text}");
        }
        let repeats = Shape { repeats: true, ..MBIT };
        assert_eq!(rows("3 4\n", &repeats).unwrap_err().found, "one line");
    }
}
