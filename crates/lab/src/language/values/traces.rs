//! Traces of paths in files: rates in mahimahi's format, and delays in columns.

use crate::language::diagnostics::counted;
use crate::language::document::quoted;
use crate::language::values::files::Mistake;
use ackclock_base::{Rate, Span, Time};
use ackclock_sim::timeline::Timeline;

/// The maximum number of lines of a trace: hours of a fast link.
const MOST_LINES: usize = 2_000_000;
/// The maximum length of a trace in milliseconds. `MOST_DELAY_S` is the maximum delay in seconds.
const MOST_MS: u64 = 1_000_000_000;
const MOST_DELAY_S: f64 = 3600.0;

/// The rate of one opportunity per millisecond, in bit/s (mahimahi's `link_queue.hh`: 1504 bytes): 12.032
/// Mbit/s.
const OPPORTUNITY: u64 = 1504 * 8 * 1000;

/// Reads opportunities in mahimahi's format (Netravali et al., USENIX ATC 2015). Each line is one
/// opportunity: the millisecond at whose end 1504 bytes may be delivered, in ascending order. After the last
/// line the trace begins again. The rate of a millisecond is that of the opportunities at its end.
/// Opportunities at zero come at the end of each round, because zero is the instant at which a round ends,
/// and no packet is present before the first round.
pub fn opportunities(text: &str) -> Result<Timeline<Rate>, Mistake> {
    const A_LINE: &str = "a time in whole milliseconds at which one packet of 1504 bytes can be delivered";
    let mut phases: Vec<(Span, Rate)> = Vec::new();
    let at_zero = at_zero(text)?;
    let (mut last, mut count) = (0, 0);
    // Adds a millisecond with `count` opportunities at its end, after the time since `before` without any.
    let mut add = |ends: u64, before: u64, count: u64| {
        let rate = Rate::from_bits_per_second(count * OPPORTUNITY);
        phases.push((Span::from_millis(ends - 1 - before), Rate::default()));
        phases.push((Span::from_millis(1), rate));
    };
    let mut added = 0;
    for (number, line) in lines(text)? {
        let wrong = |found: String, expected: &str| Err(Mistake::new(number, found, expected));
        let ms = match line.parse::<u64>() {
            Ok(ms) if ms <= MOST_MS => ms,
            Ok(ms) => return wrong(format!("{ms} ms"), &format!("at most {MOST_MS} ms")),
            Err(_) => return wrong(quoted(line), A_LINE),
        };
        if ms < last {
            return wrong(
                format!("a time of {ms} ms, earlier than the {last} ms in the line before"),
                "lines in chronological order",
            );
        }
        if ms > last && count > 0 {
            add(last, added, count);
            (added, count) = (last, 0);
        }
        (last, count) = (ms, count + u64::from(ms > 0));
    }
    if last == 0 {
        return Err(Mistake::new(1, "a trace that ends at 0 ms".to_owned(), "a last line above 0 ms"));
    }
    add(last, added, count + at_zero);
    Timeline::cycle(phases).ok_or_else(|| Mistake::new(1, "a trace of length 0".to_owned(), A_LINE))
}

/// Returns the number of lines of such a trace at time zero.
pub fn at_zero(text: &str) -> Result<u64, Mistake> {
    Ok(lines(text)?.take_while(|(_, line)| line.parse() == Ok(0_u64)).count() as u64)
}

/// Reads a delay over time: a line `time_s,delay_s`, then lines with a time and the delay from that time on,
/// both in seconds. Times count from the first one. The last delay lasts.
pub fn delays(text: &str) -> Result<Timeline<Span>, Mistake> {
    const HEADER: &str = "time_s,delay_s";
    const A_LINE: &str = "a time and a delay in seconds, such as 12.5,0.04";
    let mut lines = lines(text)?;
    match lines.next() {
        Some((_, header)) if header.split(',').map(str::trim).eq(HEADER.split(',')) => {}
        other => {
            let found = other.map_or_else(|| "nothing".to_owned(), |(_, line)| quoted(line));
            return Err(Mistake::new(
                1,
                found,
                &format!("the header {HEADER}; or, for any other table of times and delays, a `unit`"),
            ));
        }
    }
    let mut steps: Vec<(Time, Span)> = Vec::new();
    let mut origin = None;
    for (number, line) in lines {
        let wrong = |found: String, expected: &str| Err(Mistake::new(number, found, expected));
        let columns: Option<Vec<f64>> = line.split(',').map(|column| column.trim().parse().ok()).collect();
        let Some([time, delay]) = columns.as_deref().and_then(|columns| <&[f64; 2]>::try_from(columns).ok())
        else {
            return wrong(quoted(line), A_LINE);
        };
        let since = time - *origin.get_or_insert(*time);
        if !(0.0..=1e6).contains(&since) {
            let expected = "lines in chronological order, at most 1000000 s after the first line";
            return wrong(format!("a time of {time} s"), expected);
        }
        if !(0.0..=MOST_DELAY_S).contains(delay) {
            return wrong(format!("a delay of {delay} s"), "a delay from 0 to 3600 s");
        }
        let time = Time::from_seconds(since);
        match steps.last() {
            Some((last, _)) if time <= *last => {
                return wrong(
                    format!("a time of {time}, not later than the {last} in the line before"),
                    "lines in chronological order",
                );
            }
            _ => steps.push((time, Span::from_seconds(*delay))),
        }
    }
    let Some((_, first)) = steps.first() else {
        return Err(Mistake::new(1, "no delays".to_owned(), A_LINE));
    };
    Ok(Timeline::steps(*first, steps[1..].iter().copied()))
}

/// Returns the lines that contain more than a comment, which begins with `#`, with their numbers. An empty
/// file is a mistake.
pub(crate) fn numbered(text: &str) -> Result<impl Iterator<Item = (usize, &str)>, Mistake> {
    Ok(lines(text)?.map(|(number, line)| (number, before_comment(line))).filter(|(_, line)| !line.is_empty()))
}

fn before_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

/// Returns the columns of a line, separated by commas, in which case columns may be empty, or by white space.
pub(crate) fn columns(line: &str) -> impl Iterator<Item = &str> {
    let commas = line.contains(',');
    line.split(move |sign: char| if commas { sign == ',' } else { sign.is_whitespace() })
        .map(str::trim)
        .filter(move |column| commas || !column.is_empty())
}

/// Returns the lines that are not empty, with their numbers. An empty file and too many lines are mistakes.
fn lines(text: &str) -> Result<impl Iterator<Item = (usize, &str)>, Mistake> {
    let lines = || (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty());
    match lines().count() {
        0 => Err(Mistake::new(1, "an empty file".to_owned(), "at least one line")),
        1..=MOST_LINES => Ok(lines()),
        many => {
            let expected = format!("at most {}", counted(MOST_LINES, "line"));
            Err(Mistake::new(MOST_LINES + 1, counted(many, "line"), &expected))
        }
    }
}

#[cfg(test)]
mod mm_link;

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_sim::timeline::Present;
    use proptest::prelude::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn mbit(kbit: u64) -> Rate {
        Rate::from_bits_per_second(kbit * 1000)
    }

    #[test]
    fn an_opportunity_each_millisecond_is_12_032_megabits_per_second() {
        // The rate is 1504 * 8 bit per millisecond.
        let trace = opportunities("1\n").unwrap();
        assert_eq!(trace.present(at(7)), Present { value: mbit(12_032), until: at(8) });
        assert_eq!(opportunities("1\n2\n3\n").unwrap().at(at(1234)), mbit(12_032));
        assert_eq!(opportunities("1\n1\n1\n").unwrap().at(at(1234)), mbit(3 * 12_032));
    }

    #[test]
    fn opportunities_act_in_the_millisecond_before_them() {
        // There is one opportunity at 1 ms and two at 4 ms, and the trace repeats from 4 ms on: one in 0..1,
        // none in 1..3, two in 3..4, one in 4..5.
        let trace = opportunities("1\n4\r\n4\n\n").unwrap();
        let spans = [(0, 12_032, 1), (1, 0, 3), (2, 0, 3), (3, 24_064, 4), (4, 12_032, 5), (6, 0, 7)];
        for (ms, kbit, until) in spans {
            assert_eq!(trace.present(at(ms)), Present { value: mbit(kbit), until: at(until) }, "{ms}");
        }
    }

    #[test]
    fn opportunities_at_zero_come_with_the_end_of_the_round() {
        // mahimahi's rounds begin at the instant at which the previous one ends: 4, 4, 4, 8, 8, 8 ms.
        let trace = opportunities("0\n4\n4\n").unwrap();
        for (ms, kbit, until) in [(0, 0, 3), (3, 3 * 12_032, 4), (4, 0, 7), (7, 3 * 12_032, 8)] {
            assert_eq!(trace.present(at(ms)), Present { value: mbit(kbit), until: at(until) }, "{ms}");
        }
        assert_eq!(["0\n0\n4\n", "1\n4\n"].map(|text| at_zero(text).unwrap()), [2, 0]);
    }

    proptest! {
        /// Checks that a round of a trace carries as many opportunities as its lines.
        #[test]
        fn no_opportunity_is_lost(gaps in prop::collection::vec(0_u64..20, 1..100)) {
            let times: Vec<u64> =
                gaps.iter().scan(1, |time, gap| { *time += gap; Some(*time) }).collect();
            let text: String = times.iter().map(|time| format!("{time}\n")).collect();
            let trace = opportunities(&text).unwrap();
            let (_, period) = trace.parts();
            prop_assert_eq!(period, times.last().map(|last| Span::from_millis(*last)));
            let last = *times.last().unwrap();
            let bits: u64 = (0..last).map(|ms| trace.at(at(ms)).bits_per_second() / 1000).sum();
            prop_assert_eq!(bits, times.len() as u64 * 1504 * 8);
        }
    }

    #[test]
    fn delays_change_in_steps() {
        let epoch = delays("time_s,delay_s\n1700000000,0.02\n1700000001.5,0.035\n").unwrap();
        assert_eq!(epoch, delays("time_s,delay_s\n0,0.02\n1.5,0.035\n").unwrap());
        let trace = delays("time_s,delay_s\n0,0.02\n1.5, 0.035\n").unwrap();
        assert_eq!(trace.at(at(1499)), Span::from_millis(20));
        assert_eq!(trace.present(at(1500)), Present { value: Span::from_millis(35), until: Time::NEVER });
    }

    #[test]
    fn a_mistake_has_its_line() {
        let wrong = |text: &str| opportunities(text).unwrap_err();
        assert_eq!((wrong("1\n2\nx\n").line, wrong("1\n2\nx\n").found), (3, "\"x\"".to_owned()));
        assert_eq!(wrong("5\n4\n").found, "a time of 4 ms, earlier than the 5 ms in the line before");
        assert_eq!(wrong("1\n-1\n").line, 2);
        assert_eq!(wrong("0\n0\n").found, "a trace that ends at 0 ms");
        assert_eq!(wrong(" \n").found, "an empty file");
        assert_eq!(wrong("1\n9999999999\n").found, "9999999999 ms");
        let wrong = |text: &str| delays(text).unwrap_err();
        assert_eq!(wrong("0,0.02\n").found, "\"0,0.02\"");
        assert_eq!(wrong("time_s,delay_s\n").found, "no delays");
        for (text, line) in [
            ("1,0.02\n0.5,0.02", 3),
            ("inf,0.02", 2),
            ("0,0.02\n0,0.03", 3),
            ("0,nan", 2),
            ("0,-1", 2),
            ("0,1,2", 2),
            ("0,0.02\n\ninf,1", 4),
        ] {
            assert_eq!(wrong(&format!("time_s,delay_s\n{text}\n")).line, line, "{text}");
        }
    }
}
