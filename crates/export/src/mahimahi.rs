//! Writes a link's opportunities to send in mahimahi's format (Netravali et al., USENIX ATC 2015): one line
//! for each packet of 1504 bytes, with the millisecond by whose end the packet may be delivered. At its end
//! the file begins again.

use ackclock_base::{Span, Time};
use ackclock_sim::transmission::{Changes, Manner};
use std::io::{self, Write};

/// The bytes that one opportunity can deliver.
const OPPORTUNITY_BYTES: u64 = 1504;
const NANOS: u128 = 1_000_000_000;
const OPPORTUNITY: u128 = OPPORTUNITY_BYTES as u128 * 8 * NANOS;
const MS: Span = Span::from_millis(1);
/// The greatest number of lines, which is also the greatest that can be read.
const MOST_LINES: u64 = 2_000_000;

/// Writes an opportunity for every 1504 bytes that are delivered.
pub struct Deliveries<W: Write> {
    writer: W,
    bytes: u64,
    /// The number of lines written.
    pub lines: u64,
}

impl<W: Write> Deliveries<W> {
    /// Begins a file.
    pub fn new(writer: W) -> Self {
        Self { writer, bytes: 0, lines: 0 }
    }

    /// Counts `bytes` that arrived at `time`, and writes a line for each opportunity that they complete.
    pub fn add(&mut self, time: Time, bytes: u32) -> io::Result<()> {
        self.bytes += u64::from(bytes);
        while self.bytes >= OPPORTUNITY_BYTES {
            self.bytes -= OPPORTUNITY_BYTES;
            self.lines += 1;
            writeln!(self.writer, "{}", time.nanos().div_ceil(MS.nanos()))?;
        }
        Ok(())
    }

    /// Flushes the file and returns the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.writer.flush()?;
        Ok(self.writer)
    }
}

/// Writes the opportunities of a link whose rate may change: those of one period if the rate repeats every
/// whole number of milliseconds and the link has no outage, otherwise those of the run. Returns the number of
/// lines.
pub fn write_rate(changes: &Changes, run: Span, mut writer: impl Write) -> io::Result<u64> {
    let whole = |period: &Span| period.nanos().is_multiple_of(MS.nanos());
    let period = changes.rates.parts().1.filter(|period| whole(period) && changes.outage.is_none());
    let last = period.unwrap_or(run).nanos().div_ceil(MS.nanos());
    // If the rate was read from a file with lines at zero, the last opportunities of its period are written
    // as lines at zero again.
    let at_zero = match changes.manner {
        Manner::Opportunities { at_zero } if period.is_some() => at_zero.min(MOST_LINES),
        _ => 0,
    };
    for _ in 0..at_zero {
        writeln!(writer, "0")?;
    }
    let (mut carried, mut lines) = (0, at_zero);
    for ms in 1..=last {
        carried += bits(changes, Time::ZERO + MS * (ms - 1), Time::ZERO + MS * ms);
        if ms == last {
            carried -= OPPORTUNITY * u128::from(at_zero);
        }
        while carried >= OPPORTUNITY && lines < MOST_LINES {
            carried -= OPPORTUNITY;
            lines += 1;
            writeln!(writer, "{ms}")?;
        }
    }
    writer.flush()?;
    Ok(lines)
}

/// Returns how much a link carries between two instants, in 10^-9 bit.
fn bits(changes: &Changes, from: Time, to: Time) -> u128 {
    let (mut now, mut sum) = (from, 0);
    while now < to {
        let present = changes.rates.present(now);
        let until = present.until.min(to);
        let works = changes.outage.map_or(until.since(now), |outage| outage.works(now, until));
        sum += u128::from(works.nanos()) * u128::from(present.value.bits_per_second());
        now = until;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_base::Rate;
    use ackclock_sim::outage::Outage;
    use ackclock_sim::timeline::Timeline;

    fn lines(rates: Timeline<Rate>, outage: Option<Outage>, run_ms: u64) -> Vec<u64> {
        let changes = Changes { rates, manner: Manner::BitByBit, outage, nominal: Rate::default() };
        let mut file = Vec::new();
        write_rate(&changes, Span::from_millis(run_ms), &mut file).unwrap();
        String::from_utf8(file).unwrap().lines().map(|line| line.parse().unwrap()).collect()
    }

    #[test]
    fn a_link_has_an_opportunity_for_each_1504_bytes() {
        // 1504 * 8 bit take 1 ms at 12.032 Mbit/s. They take 2.5 ms at 4.8128 Mbit/s, so packets arrive by
        // the ends of 3, 5, 8 and 10 ms.
        let rate = |bps| Timeline::constant(Rate::from_bits_per_second(bps));
        assert_eq!(lines(rate(12_032_000), None, 3), [1, 2, 3]);
        assert_eq!(lines(rate(24_064_000), None, 2), [1, 1, 2, 2]);
        assert_eq!(lines(rate(4_812_800), None, 10), [3, 5, 8, 10]);
        let outage = Outage { from: Time::ZERO + MS, lasts: Span::from_millis(2), every: None };
        assert_eq!(lines(rate(12_032_000), Some(outage), 5), [1, 4, 5]);
    }

    #[test]
    fn one_period_of_a_repeating_rate_is_written() {
        let phases = [(2, 12_032_000), (1, 0), (1, 36_096_000)];
        let phases = phases.map(|(ms, bps)| (Span::from_millis(ms), Rate::from_bits_per_second(bps)));
        let rates = Timeline::cycle(phases).unwrap();
        assert_eq!(lines(rates.clone(), None, 60_000), [1, 2, 4, 4, 4]);
        // The lines as they were read: the last two opportunities are at zero.
        let manner = Manner::Opportunities { at_zero: 2 };
        let mut file = Vec::new();
        let changes = Changes { rates, manner, outage: None, nominal: Rate::default() };
        assert_eq!(write_rate(&changes, Span::from_millis(60_000), &mut file).unwrap(), 5);
        assert_eq!(file, b"0\n0\n1\n2\n4\n");
    }

    #[test]
    fn deliveries_of_any_size_fill_opportunities() {
        let mut deliveries = Deliveries::new(Vec::new());
        for (us, bytes) in [(500, 1000), (1000, 1000), (1001, 1008), (7300, 1504)] {
            deliveries.add(Time::from_nanos(us * 1000), bytes).unwrap();
        }
        // 2000 bytes have arrived by 1 ms, 3008 by 1.001 ms and 4512 by 7.3 ms.
        assert_eq!(deliveries.finish().unwrap(), b"1\n2\n8\n");
    }
}
