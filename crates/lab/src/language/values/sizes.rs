//! Sizes of transfers in files: distributions, lines with a size and a cumulative probability as data centres publish
//! them; and lists, lines with the time at which a transfer begins and its size.

use crate::language::document::quoted;
use crate::language::limits::MAX_SECONDS;
use crate::language::values::files::Mistake;
use crate::language::values::traces::{columns, numbered};
use ackclock_base::Span;
use ackclock_sim::traffic::transfers::{MOST, MOST_BYTES};

/// Returns the points of a distribution, with sizes in bytes. Each line of the file has a size in `unit`, a
/// number of bytes, and the fraction of transfers that are no larger, both ascending. Fractions end with 1,
/// percentages with 100. A line may have a third number between the two, which ns-2's files contain and ns-2
/// ignores (`RandomVariable/Empirical`). Columns are separated by white space or a comma; `#` begins a
/// comment.
pub fn distribution(text: &str, unit: f64) -> Result<Vec<(f64, f64)>, Mistake> {
    const A_LINE: &str = "a size in the application's `unit` and the share of transfers that are no larger, such as \
                          10000 0.15";
    let most =
        format!("a size from 0 to {:e} in the application's `unit`, which is {unit} B", MOST_BYTES / unit);
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut last_line = 1;
    for (number, line) in numbered(text)? {
        let wrong = |found: String, expected: &str| Err(Mistake::new(number, found, expected));
        let numbers: Option<Vec<f64>> = columns(line).map(|column| column.parse().ok()).collect();
        let (size, share) = match numbers.as_deref() {
            Some([size, share] | [size, _, share]) => (*size, *share),
            _ => return wrong(quoted(line), A_LINE),
        };
        if !(0.0..=MOST_BYTES).contains(&(size * unit)) {
            return wrong(format!("a size of {size}"), &most);
        }
        if !(0.0..=100.0).contains(&share) {
            return wrong(
                format!("a share of {share}"),
                "a share from 0 to 1, or a percentage from 0 to 100",
            );
        }
        if let Some((less, below)) = points.last()
            && (size < *less || share < *below)
        {
            return wrong(
                format!(
                    "a size of {size} and a share of {share} after a size of {less} and a share of {below}"
                ),
                "sizes and cumulative shares that do not decrease",
            );
        }
        points.push((size, share));
        last_line = number;
    }
    let all = points.last().map_or(0.0, |(_, share)| *share);
    if all != 1.0 && all != 100.0 {
        let found = format!("a last share of {all}");
        let expected = "a cumulative share of 1 on the last line, or of 100 if the shares are percentages";
        return Err(Mistake::new(last_line, found, expected));
    }
    Ok(points.into_iter().map(|(size, share)| (size * unit, share / all)).collect())
}

/// Returns the transfers of a list: the time from the start to the beginning of each, in order, and its size in bytes.
/// Each line of the file has the time in seconds, and a size in `unit`, a number of bytes. Columns are separated by
/// white space or a comma; `#` begins a comment.
pub fn list(text: &str, unit: f64) -> Result<Vec<(Span, u64)>, Mistake> {
    const A_LINE: &str = "a time in seconds and a size in the application's `unit`, such as 0.25 14.6";
    let most =
        format!("a size from 0 to {:e} in the application's `unit`, which is {unit} B", MOST_BYTES / unit);
    let mut transfers: Vec<(Span, u64)> = Vec::new();
    let mut before = 0.0;
    for (number, line) in numbered(text)? {
        let wrong = |found: String, expected: &str| Err(Mistake::new(number, found, expected));
        let numbers: Option<Vec<f64>> = columns(line).map(|column| column.parse().ok()).collect();
        let Some([time, size]) = numbers.as_deref() else { return wrong(quoted(line), A_LINE) };
        if !(before..=MAX_SECONDS).contains(time) {
            let expected = format!("a time from {before} to {MAX_SECONDS} s: lines in chronological order");
            return wrong(format!("a time of {time} s"), &expected);
        }
        if !(0.0..=MOST_BYTES).contains(&(size * unit)) {
            return wrong(format!("a size of {size}"), &most);
        }
        if transfers.len() as u64 == MOST {
            return wrong(format!("more than {MOST} transfers"), &format!("at most {MOST} lines"));
        }
        before = *time;
        transfers.push((Span::from_seconds(*time), (size * unit).round() as u64));
    }
    if transfers.is_empty() {
        return Err(Mistake::new(1, "no transfers".to_owned(), A_LINE));
    }
    Ok(transfers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_and_three_columns_of_fractions_and_percentages_are_read() {
        let expected = vec![(6.0, 0.0), (6.0, 0.15), (20_000.0, 1.0)];
        for text in [
            "6 0\n6 0.15\n20000 1\n",
            "# packets\n6,0\n6 , 15 # most\n\n20000\t100\n",
            "6 1 0\n6 1 0.15\n20000 1 1\n",
        ] {
            assert_eq!(distribution(text, 1.0), Ok(expected.clone()), "{text}");
        }
    }

    #[test]
    fn sizes_in_other_units_become_bytes_with_the_same_bound() {
        assert_eq!(distribution("0 0\n2 1\n", 1448.0), Ok(vec![(0.0, 0.0), (2896.0, 1.0)]));
        let mistake = distribution("0 0\n2e12 1\n", 1000.0).unwrap_err();
        assert_eq!((mistake.line, mistake.found.as_str()), (2, "a size of 2000000000000"));
    }

    #[test]
    fn a_mistake_has_its_line() {
        for (text, line, found) in [
            ("0 0\nx 1\n", 2, "\"x 1\""),
            ("0 0\n5\n", 2, "\"5\""),
            ("0 0\n-1 1\n", 2, "a size of -1"),
            ("0 0\n5 101\n", 2, "a share of 101"),
            ("0 0\n5 nan\n", 2, "a share of NaN"),
            ("0 0\n5 0.5\n4 1\n", 3, "a size of 4 and a share of 1 after a size of 5 and a share of 0.5"),
            ("0 0\n5 0.5\n\n7 0.9\n", 4, "a last share of 0.9"),
            ("\n", 1, "an empty file"),
        ] {
            let mistake = distribution(text, 1.0).unwrap_err();
            assert_eq!((mistake.line, mistake.found.as_str()), (line, found), "{text}");
        }
    }

    #[test]
    fn a_list_has_times_in_order_and_sizes_in_its_unit() {
        let text = "# start, kB\n0 14.6\n0.5, 0\n0.5\t2\n";
        let at = |ms| Span::from_millis(ms);
        assert_eq!(list(text, 1000.0), Ok(vec![(at(0), 14_600), (at(500), 0), (at(500), 2000)]));
        for (text, line, found) in [
            ("0 1\n0.5\n", 2, "\"0.5\""),
            ("1 1\n0.5 1\n", 2, "a time of 0.5 s"),
            ("-1 1\n", 1, "a time of -1 s"),
            ("0 -1\n", 1, "a size of -1"),
            ("0 nan\n", 1, "a size of NaN"),
            ("", 1, "an empty file"),
            ("# none\n", 1, "no transfers"),
        ] {
            let mistake = list(text, 1.0).unwrap_err();
            assert_eq!((mistake.line, mistake.found.as_str()), (line, found), "{text}");
        }
        let many = "0 1\n".repeat(MOST as usize + 1);
        assert_eq!(list(&many, 1.0).unwrap_err().line, MOST as usize + 1);
    }
}
