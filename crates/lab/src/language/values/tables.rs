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

/// The words of `holds`.
pub const HOLDS: [&str; 2] = ["from", "until"];

/// The layout of a table.
struct Shape {
    /// The size of the time unit in seconds, and that of the value's unit in base units.
    units: [f64; 2],
    /// Whether a value is an amount over the time for which it holds.
    amounts: bool,
    /// The columns of the time and of the value, counted from 0.
    columns: [usize; 2],
    /// The range of the value in base units.
    values: Range,
    /// The name of the value.
    name: &'static str,
    /// The name of the unit of the values in the table; empty for plain numbers.
    unit: &'static str,
    /// Whether the value of a line holds until its time, and not from its time on.
    until: bool,
    repeats: bool,
}

/// Reads the table that `trace` names, with values in `unit`. Returns `None` after a problem was reported.
pub fn read<T: Copy + PartialEq>(table: &TableReader<'_>, kind: &Kind<T>) -> Option<Timeline<T>> {
    let unit = table.word("unit");
    let unit_name = unit.filter(|unit| *unit != "1").unwrap_or_default();
    let size = |units: &[(&'static str, f64)]| {
        units.iter().find(|(name, _)| Some(*name) == unit).map(|(_, base)| *base)
    };
    let amounts = size(kind.amounts).is_some();
    let unit = size(kind.units).or(size(kind.amounts));
    let time = if table.get("time").is_some() { unit_of(table, "time", &TIMES) } else { Some(1.0) };
    let until = table.get("holds").is_some() && table.word("holds")? == HOLDS[1];
    let repeats = table.read_or_default::<bool>("repeat");
    let columns = read_columns(table);
    let name = table.text("trace");
    let (units, repeats, columns) = ([time?, unit?], repeats?, columns?);
    let shape = Shape {
        units,
        amounts,
        columns,
        values: kind.range,
        name: kind.name,
        unit: unit_name,
        until,
        repeats,
    };
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

/// A line of a table.
struct Line {
    /// The number of the line in the file, from 1.
    number: usize,
    /// The time since the first line.
    since: Span,
    /// The value as it is written.
    value: f64,
}

/// Returns for how long the value of each row holds, and the value in base units. A first line without numbers names the
/// columns.
fn rows(text: &str, shape: &Shape) -> Result<Vec<(Span, f64)>, Mistake> {
    let lines = lines(text, shape)?;
    let gaps = lines.windows(2).map(|pair| pair[1].since.saturating_sub(pair[0].since));
    let last = lines.len() - 1;
    // The value of the first line that holds until its time holds for as long as the next one, and the last value that
    // holds from its time on for as long as the one before it.
    let end = if shape.until { 0 } else { last.saturating_sub(1) };
    let mut lengths: Vec<Span> = gaps.collect();
    let one_more = lengths.get(end).copied().unwrap_or_default();
    lengths.insert(if shape.until { 0 } else { last }, one_more);
    let row = |(line, lasts): (&Line, Span)| {
        let over = if shape.amounts { lasts.seconds() } else { 1.0 };
        let value = line.value * shape.units[1] / over;
        if shape.values.contains(value) {
            return Ok((lasts, value));
        }
        let [low, high] = [shape.values.min, shape.values.max].map(|end| end / shape.units[1]);
        let unit = if shape.unit.is_empty() { String::new() } else { format!(" {}", shape.unit) };
        let (what, over) = match shape.amounts {
            true => ("an amount".to_owned(), " per second of the line's interval"),
            false => (format!("a {}", shape.name), ""),
        };
        let expected = format!("{what} from {low} to {high}{unit}{over}");
        Err(Mistake::new(line.number, format!("{what} of {}{unit}", line.value), &expected))
    };
    lines.iter().zip(lengths).map(row).collect()
}

/// Returns the lines with a time and a value, in the order of time.
fn lines(text: &str, shape: &Shape) -> Result<Vec<Line>, Mistake> {
    let a_line = format!("a time and a {}, such as 12.5,40", shape.name);
    let mut lines: Vec<Line> = Vec::new();
    let mut origin = None;
    let mut before = (1, String::new());
    for (place, (number, line)) in numbered(text)?.enumerate() {
        let wrong = |found: String, expected: &str| Err(Mistake::new(number, found, expected));
        let cells: Vec<&str> = columns(line).collect();
        let written = |of: usize| cells.get(shape.columns[of]).copied().unwrap_or_default();
        let time = written(0)
            .parse::<f64>()
            .ok()
            .map(|time| time * shape.units[0])
            .or_else(|| date_time(written(0)));
        let (Some(time), Ok(value)) = (time, written(1).parse::<f64>()) else {
            if place == 0 && cells.iter().all(|cell| cell.parse::<f64>().is_err()) {
                continue;
            }
            return wrong(quoted(line), &a_line);
        };
        // In seconds since 1970 a number has 0.2 microseconds.
        let since = time - *origin.get_or_insert(time);
        if !(0.0..=MOST_SECONDS).contains(&since) {
            let expected =
                format!("lines in chronological order, at most {MOST_SECONDS} s after the first line");
            return wrong(format!("a time of {}", written(0)), &expected);
        }
        let since = Span::from_seconds(since);
        if lines.last().is_some_and(|last| since <= last.since) {
            return wrong(
                format!("a time of {} after {}", written(0), before.1),
                "lines in chronological order",
            );
        }
        lines.push(Line { number, since, value });
        before = (number, written(0).to_owned());
    }
    let needs_two = shape.repeats || shape.amounts;
    match lines.len() {
        0 => Err(Mistake::new(before.0, "no values".to_owned(), &a_line)),
        1 if needs_two => {
            let expected = "two or more lines: with `repeat = true` or a `unit` of bytes, the time between two lines \
                            sets how long a value lasts";
            Err(Mistake::new(before.0, "one line".to_owned(), expected))
        }
        _ => Ok(lines),
    }
}

/// Returns the seconds since 1970 of a date and time such as `2026-11-28T12:00:00.5Z`, with a space or `T` before the time
/// and `Z`, an offset such as `+01:00`, or nothing behind it (RFC 3339); `None` for other text.
fn date_time(text: &str) -> Option<f64> {
    let (date, rest) = text.split_once(['T', ' '])?;
    let zone = rest.find(['Z', '+', '-']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(zone);
    let numbers = |text: &str, sign: char| -> Option<Vec<f64>> {
        let parts = text.split(sign);
        parts.map(|part| part.parse().ok().filter(|number: &f64| *number >= 0.0)).collect()
    };
    let [year, month, day] = numbers(date, '-')?.try_into().ok()?;
    let [hours, minutes, seconds] = numbers(clock, ':')?.try_into().ok()?;
    let valid = (1970.0..10_000.0).contains(&year)
        && (1.0..13.0).contains(&month)
        && (1.0..32.0).contains(&day)
        && hours < 24.0
        && minutes < 60.0
        && seconds < 61.0;
    let offset = match zone.split_at_checked(1) {
        None | Some(("Z", "")) => 0.0,
        Some((sign, offset)) => {
            let [hours, minutes] = numbers(offset, ':')?.try_into().ok()?;
            (hours * 60.0 + minutes) * if sign == "+" { 60.0 } else { -60.0 }
        }
    };
    // Years begin in March, so that the day that only some years have is the last.
    let (year, month) = if month > 2.0 { (year, month - 3.0) } else { (year - 1.0, month + 9.0) };
    let leap_days = (year / 4.0).floor() - (year / 100.0).floor() + (year / 400.0).floor();
    let days = 365.0 * year + leap_days + ((153.0 * month + 2.0) / 5.0).floor() + day - 1.0 - 719_468.0;
    valid.then_some(((days * 24.0 + hours) * 60.0 + minutes) * 60.0 + seconds - offset)
}

/// Returns the values over time, given for how long each holds. If they do not repeat, the last one lasts for ever.
fn timeline<T: Copy + PartialEq>(
    rows: &[(Span, f64)],
    repeats: bool,
    of: fn(f64) -> T,
) -> Option<Timeline<T>> {
    if repeats {
        return Timeline::cycle(rows.iter().map(|(lasts, value)| (*lasts, of(*value))));
    }
    let (_, first) = rows.first()?;
    let mut begins = Time::ZERO;
    let others = rows.windows(2).filter_map(|pair| {
        begins += pair[0].0;
        (of(pair[0].1) != of(pair[1].1)).then(|| (begins, of(pair[1].1)))
    });
    Some(Timeline::steps(of(*first), others))
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
        unit: "",
        amounts: false,
        until: false,
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
            ("0 1\n\n2e6 2\n", 3, "a time of 2e6"),
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

    #[test]
    fn a_value_may_hold_until_its_time() {
        // 20 Mbit/s hold up to 1 s after the first line, for as long as the next value; 5 for 1 s, and 8 for 2 s.
        let shape = Shape { until: true, ..MBIT };
        let rates = of("10 20\n11 5\n13 8\n", &shape);
        for (ms, rate, until) in [(0, 20, 1000), (1500, 5, 2000), (3999, 8, u64::MAX)] {
            let until = if until == u64::MAX { Time::NEVER } else { at(until) };
            assert_eq!(rates.present(at(ms)), Present { value: mbit(rate), until }, "{ms}");
        }
        let repeated = of("10 20\n11 5\n13 8\n", &Shape { repeats: true, ..shape });
        assert_eq!(repeated.parts().1, Some(Span::from_seconds(4.0)));
        assert_eq!(rows("10 20\n", &Shape { until: true, ..MBIT }).unwrap().len(), 1);
    }

    #[test]
    fn an_amount_is_divided_by_the_time_for_which_it_holds() {
        // 250 kB in as long as the next value are 1 Mbit/s, 500 kB in two seconds 2, 1500 kB in half a second 24.
        let shape = Shape { units: [1.0, 8e3], amounts: true, until: true, ..MBIT };
        let rates = of("1 250\n3 500\n3.5 1500\n", &Shape { units: [1.0, 8e3], ..shape });
        assert_eq!(rates.at(at(0)), mbit(1));
        assert_eq!((rates.at(at(2500)), rates.at(at(4100))), (mbit(2), mbit(24)));
        // From their time on: 250 kB in 2 s, 500 in 0.5 s, and 1500 for as long as the one before.
        let rates = of("1 250\n3 500\n3.5 1500\n", &Shape { until: false, ..shape });
        assert_eq!([0, 2000, 2500].map(|ms| rates.at(at(ms))), [mbit(1), mbit(8), mbit(24)]);
        assert_eq!(rows("1 5\n", &Shape { amounts: true, ..MBIT }).unwrap_err().found, "one line");
    }

    #[test]
    fn times_may_be_dates_with_a_clock_time() {
        let text =
            "time,Mbit/s\n2026-02-28T23:59:59.5Z,20\n2026-03-01T01:00:01+01:00,5\n2026-03-01 00:00:04,8\n";
        let rates = of(text, &MBIT);
        assert_eq!(rates.present(at(0)), Present { value: mbit(20), until: at(1500) });
        assert_eq!(rates.present(at(1500)), Present { value: mbit(5), until: at(4500) });
        // Seconds since 1970 as `date -u --date ... +%s` prints them.
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0.0),
            ("2000-02-29T12:00:00Z", 951_825_600.0),
            ("2026-11-28T12:00:00.25-02:30", 1_795_876_200.25),
        ] {
            assert_eq!(date_time(text), Some(seconds), "{text}");
        }
        for text in
            ["2026-11-28", "2026-13-01T00:00:00Z", "2026-11-28T24:00:00Z", "2026-11-28T12:00Z", "x T y"]
        {
            assert_eq!(date_time(text), None, "{text}");
        }
    }
}
