//! Reads and writes quantities as scenario files, parameter defaults and messages spell them: a number, a
//! space, a unit.

use crate::quantity::{Packets, Rate, Size, Span};

type Unit = (&'static str, f64);

const TIME_UNITS: &[Unit] =
    &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9)];
const RATE_UNITS: &[Unit] =
    &[("bit/s", 1.0), ("kbit/s", 1e3), ("Mbit/s", 1e6), ("Gbit/s", 1e9), ("Tbit/s", 1e12)];
const SIZE_UNITS: &[Unit] = &[
    ("B", 1.0),
    ("kB", 1e3),
    ("KiB", 1024.0),
    ("MB", 1e6),
    ("MiB", 1_048_576.0),
    ("GB", 1e9),
    ("GiB", 1_073_741_824.0),
];
const PACKET_UNITS: &[Unit] = &[("packets", 1.0), ("packet", 1.0)];
const BDP_UNITS: &[Unit] = &[("bdp", 1.0)];

/// The limit of a queue, as it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Limit {
    /// The queue has no limit.
    #[default]
    Unlimited,
    /// The queue holds at most this number of packets.
    Packets(u64),
    /// The queue holds at most this number of bytes.
    Bytes(u64),
    /// The queue holds at most what the link sends in this time.
    Time(Span),
    /// The queue holds at most this multiple of the bandwidth-delay product: the link's rate times the mean
    /// base RTT of the flows that cross it.
    Bdp(f64),
}

/// Says what was expected in place of a text that is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misspelt {
    /// What is expected, with an example.
    pub expected: String,
    /// The correct spelling that is nearest to the text, if one is near.
    pub hint: Option<String>,
}

/// Reads a time such as "40 ms".
pub fn read_span(text: &str) -> Result<Span, Misspelt> {
    let nanoseconds = read(text, TIME_UNITS, "a time such as \"40 ms\" (ns, us, ms, s, min, h)")?;
    whole(nanoseconds, "a time", "below 570 years").map(Span::from_nanos)
}

/// Reads a rate such as "10 Mbit/s".
pub fn read_rate(text: &str) -> Result<Rate, Misspelt> {
    let bits =
        read(text, RATE_UNITS, "a rate such as \"10 Mbit/s\" (bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s)")?;
    whole(bits, "a rate", "below 18 exabit/s").map(Rate::from_bits_per_second)
}

/// Reads a size such as "1500 B".
pub fn read_size(text: &str) -> Result<Size, Misspelt> {
    let bytes = read(text, SIZE_UNITS, "a size such as \"1500 B\" (B, kB, KiB, MB, MiB, GB, GiB)")?;
    whole(bytes, "a size", "below 18 exabytes").map(Size::from_bytes)
}

/// Reads a number of packets such as "20 packets".
pub fn read_packets(text: &str) -> Result<Packets, Misspelt> {
    read(text, PACKET_UNITS, "a number of packets such as \"20 packets\"")
}

/// Reads a queue limit such as "50 packets", "64 KiB", "100 ms", "1 bdp" or "unlimited".
pub fn read_limit(text: &str) -> Result<Limit, Misspelt> {
    if text.trim() == "unlimited" {
        return Ok(Limit::Unlimited);
    }
    const LIMIT: &str = "a queue limit";
    let expected = "a queue limit such as \"50 packets\", \"64 KiB\", \"100 ms\", \"1 bdp\" or \"unlimited\"";
    let all: Vec<Unit> = [PACKET_UNITS, SIZE_UNITS, TIME_UNITS, BDP_UNITS].concat();
    read(text, &all, expected)?;
    let in_units = |units: &[Unit]| read(text, units, expected).ok();
    if let Some(packets) = in_units(PACKET_UNITS) {
        return whole(packets, LIMIT, "below 18e18 packets").map(Limit::Packets);
    }
    if let Some(bytes) = in_units(SIZE_UNITS) {
        return whole(bytes, LIMIT, "below 18 exabytes").map(Limit::Bytes);
    }
    if let Some(nanoseconds) = in_units(TIME_UNITS) {
        return whole(nanoseconds, LIMIT, "below 570 years").map(|ns| Limit::Time(Span::from_nanos(ns)));
    }
    read(text, BDP_UNITS, expected).map(Limit::Bdp)
}

/// Writes a span in the greatest of the units ns, us, ms and s that is not longer than the span.
pub fn write_span(span: Span) -> String {
    write(span.nanos() as f64, &[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)])
}

/// Writes a rate in the greatest unit that is not greater than the rate.
pub fn write_rate(rate: Rate) -> String {
    write(rate.bits_per_second() as f64, RATE_UNITS)
}

fn read(text: &str, units: &[Unit], expected: &str) -> Result<f64, Misspelt> {
    let text = text.trim();
    let misspelt = |hint: Option<String>| Misspelt { expected: expected.to_owned(), hint };
    let digits = text.find(|c: char| !(c.is_ascii_digit() || ".+-eE_".contains(c))).unwrap_or(text.len());
    // "1e3 s" has an exponent and "1 exabyte" has none: the number ends before an "e" that no digit follows.
    let number_text = text[..digits].trim_end_matches(['e', 'E']);
    let unit_text = text[number_text.len()..].trim();
    let Ok(number) = number_text.replace('_', "").parse::<f64>() else {
        return Err(misspelt(None));
    };
    if let Some((_, factor)) = units.iter().find(|(name, _)| *name == unit_text) {
        if !number.is_finite() {
            return Err(misspelt(None));
        }
        return Ok(number * factor);
    }
    let near = nearest_unit(unit_text, units).map(|unit| format!("{number_text} {unit}"));
    Err(misspelt(near.or_else(|| in_bits(number, unit_text, units))))
}

/// Converts a rate that is written in bytes per second to bits per second; `None` if the unit is not one of
/// bytes per second.
fn in_bits(number: f64, unit: &str, units: &[Unit]) -> Option<String> {
    let prefix = unit.strip_suffix("B/s").or_else(|| unit.strip_suffix("Bps"))?;
    let (name, _) = units.iter().find(|(name, _)| name.strip_suffix("bit/s") == Some(prefix))?;
    Some(format!("{} {name}", number * 8.0))
}

/// Returns the unit that the writer probably meant: the same letters in another case, or a frequent other
/// spelling.
fn nearest_unit(found: &str, units: &[Unit]) -> Option<&'static str> {
    // Rates in bytes are another quantity, not another spelling.
    if found.ends_with("B/s") || found.ends_with("Bps") {
        return None;
    }
    let plain = |text: &str| text.to_lowercase().replace("/s", "ps").replace("bit", "b");
    let aliases = [
        ("sec", "s"),
        ("seconds", "s"),
        ("msec", "ms"),
        ("milliseconds", "ms"),
        ("bytes", "B"),
        ("pkts", "packets"),
        ("p", "packets"),
        ("segments", "packets"),
    ];
    let found_plain = plain(found);
    let alias = aliases.iter().find(|(name, _)| *name == found).map(|(_, unit)| *unit);
    // Where a rate is expected, "Mbit" is read as "Mbit/s".
    let a_second = found_plain.ends_with('b').then(|| format!("{found_plain}ps"));
    let means = |name: &str| {
        let name = plain(name);
        name == found_plain || Some(&name) == a_second.as_ref().filter(|_| found.ends_with("bit"))
    };
    units
        .iter()
        .map(|(name, _)| *name)
        .find(|name| Some(*name) == alias || (!found.is_empty() && means(name)))
}

fn whole(number: f64, thing: &str, limit: &str) -> Result<u64, Misspelt> {
    let rounded = number.round();
    let wrong = |what: &str| Err(Misspelt { expected: format!("{thing} {what}"), hint: None });
    match rounded {
        _ if number < 0.0 => wrong("that is not negative"),
        _ if (0.0..1.8e19).contains(&rounded) => Ok(rounded as u64),
        _ => wrong(limit),
    }
}

fn write(number: f64, units: &[Unit]) -> String {
    let (name, factor) = units.iter().rev().find(|(_, factor)| number >= *factor).unwrap_or(&units[0]);
    format!("{} {name}", number / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_with_their_units() {
        assert_eq!(read_span("40 ms"), Ok(Span::from_millis(40)));
        assert_eq!(read_span("1.5 s"), Ok(Span::from_millis(1500)));
        assert_eq!(read_span("1e3 us"), Ok(Span::from_millis(1)));
        assert_eq!(read_rate("10 Mbit/s"), Ok(Rate::from_bits_per_second(10_000_000)));
        assert_eq!(read_size("1500 B"), Ok(Size::from_bytes(1500)));
        assert_eq!(read_size("64 KiB"), Ok(Size::from_bytes(65_536)));
        assert_eq!(read_packets("2.5 packets"), Ok(2.5));
        assert_eq!(read_limit("50 packets"), Ok(Limit::Packets(50)));
        assert_eq!(read_limit("1 bdp"), Ok(Limit::Bdp(1.0)));
        assert_eq!(read_limit("100 ms"), Ok(Limit::Time(Span::from_millis(100))));
        assert_eq!(read_limit("unlimited"), Ok(Limit::Unlimited));
    }

    #[test]
    fn a_wrong_unit_gets_a_hint_at_the_nearest_right_one() {
        let hint = |result: Result<Rate, Misspelt>| result.unwrap_err().hint;
        assert_eq!(hint(read_rate("10 Mbps")), Some("10 Mbit/s".to_owned()));
        assert_eq!(hint(read_rate("10 mbit/s")), Some("10 Mbit/s".to_owned()));
        assert_eq!(hint(read_rate("10 Mb/s")), Some("10 Mbit/s".to_owned()));
        assert_eq!(hint(read_rate("10 MB/s")), Some("80 Mbit/s".to_owned()));
        assert_eq!(hint(read_rate("1.5 kBps")), Some("12 kbit/s".to_owned()));
        assert_eq!(hint(read_rate("10 Mbit")), Some("10 Mbit/s".to_owned()));
        assert_eq!(hint(read_rate("10 parsec")), None);
        assert_eq!(read_span("40").unwrap_err().hint, None);
        assert_eq!(read_limit("50 pkts").unwrap_err().hint, Some("50 packets".to_owned()));
    }

    #[test]
    fn negative_and_infinite_quantities_are_refused() {
        for text in ["-1 s", "inf s", "nan s", "1e40 s", "", "s", "- s", "e s"] {
            assert!(read_span(text).is_err(), "{text}");
        }
    }

    #[test]
    fn spans_are_written_as_they_are_read() {
        for text in ["40 ms", "1.5 s", "250 ns", "100 s"] {
            assert_eq!(write_span(read_span(text).unwrap()), text);
        }
    }
}
