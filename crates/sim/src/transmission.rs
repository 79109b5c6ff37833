//! How long a link takes to send a packet: its bits over the link's rate, which may change in phases; and which rate it has
//! now, for those who must not know the next.

use ackclock_base::{Rate, Size, Span, Time};

/// A part of a link's cycle in which its rate stays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// How long it lasts; more than nothing.
    pub lasts: Span,
    /// The rate.
    pub rate: Rate,
}

/// Transmission times by size; packets come in few sizes, so the last answers are kept.
///
/// A packet takes the rate at the start of its transmission, and keeps it to the end. The phases are known in advance and
/// repeat for ever from time zero, so a link with phases needs no events either.
#[repr(C)]
pub struct Transmission {
    /// Sizes and times, the one asked for last first.
    recent: [(u32, Span); 2],
    /// When `rate` ends; never for a link with one rate.
    until: Time,
    rate: Rate,
    cycle: Option<Box<Cycle>>,
}

struct Cycle {
    phases: Vec<Phase>,
    /// The phase of the last instant that was asked for: packets are sent ahead of it.
    present: Option<Present>,
}

/// A rate, and from when until when it holds.
#[derive(Clone, Copy, Debug)]
struct Present {
    from: Time,
    until: Time,
    rate: Rate,
}

impl Transmission {
    /// At `rate`, or in phases if there are any.
    pub fn new(rate: Rate, phases: Vec<Phase>) -> Self {
        let until = if phases.is_empty() { Time::NEVER } else { Time::ZERO };
        let cycle = (!phases.is_empty()).then(|| Box::new(Cycle { phases, present: None }));
        Self { recent: [(0, Span::ZERO); 2], until, rate, cycle }
    }

    /// Whether the rate changes.
    #[inline]
    pub fn varies(&self) -> bool {
        self.cycle.is_some()
    }

    /// The rate at an instant.
    pub fn rate_at(&mut self, now: Time) -> Rate {
        let Some(cycle) = &mut self.cycle else { return self.rate };
        if let Some(present) = cycle.present
            && (present.from..present.until).contains(&now)
        {
            return present.rate;
        }
        cycle.present = cycle.phase_at(now);
        cycle.present.map_or(self.rate, |present| present.rate)
    }

    /// How long so many bytes take if it is known without looking: if the last packet had as many, at a rate that does not
    /// change.
    #[inline]
    pub fn time_of_same(&self, bytes: u32) -> Option<Span> {
        debug_assert!(!self.varies());
        (self.recent[0].0 == bytes).then_some(self.recent[0].1)
    }

    /// How long so many bytes take that start at `starts`. Starts are asked for in order.
    #[inline]
    pub fn time(&mut self, starts: Time, bytes: u32) -> Span {
        if self.recent[0].0 != bytes || starts >= self.until {
            self.look_up(starts, bytes);
        }
        self.recent[0].1
    }

    #[inline(never)]
    fn look_up(&mut self, starts: Time, bytes: u32) {
        if starts >= self.until {
            self.change(starts);
        }
        if self.recent[0].0 != bytes {
            self.recent.swap(0, 1);
            if self.recent[0].0 != bytes {
                self.recent[0] = (bytes, self.rate.time_to_send(Size::from_bytes(u64::from(bytes))));
            }
        }
    }

    #[cold]
    fn change(&mut self, now: Time) {
        let Some(phase) = self.cycle.as_ref().and_then(|cycle| cycle.phase_at(now)) else { return };
        self.rate = phase.rate;
        self.until = phase.until;
        self.recent = [(0, Span::ZERO); 2];
    }
}

impl Cycle {
    /// Finds the phase of an instant; none where there are no phases.
    fn phase_at(&self, now: Time) -> Option<Present> {
        let cycle: u64 = self.phases.iter().map(|phase| phase.lasts.nanos()).sum();
        let into = now.nanos().checked_rem(cycle)?;
        let mut begins = 0;
        for phase in &self.phases {
            let ends = begins + phase.lasts.nanos();
            if into < ends {
                let from = Time::from_nanos(now.nanos() - (into - begins));
                return Some(Present { from, until: now + Span::from_nanos(ends - into), rate: phase.rate });
            }
            begins = ends;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(ms: u64, bits: u64) -> Phase {
        Phase { lasts: Span::from_millis(ms), rate: Rate::from_bits_per_second(bits) }
    }

    fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    #[test]
    fn a_packet_takes_the_rate_at_its_start() {
        // 1000 B at 8 Mbit/s take 1 ms, at 80 Mbit/s 0.1 ms; phases of 20 and 10 ms from time zero, so the second begins at
        // 20 ms and the cycle again at 30 ms.
        let rate = Rate::from_bits_per_second(80_000_000);
        let mut link = Transmission::new(rate, vec![phase(20, 80_000_000), phase(10, 8_000_000)]);
        let mut micros = |ns| link.time(at(ns), 1000).nanos() / 1000;
        assert_eq!(micros(0), 100);
        assert_eq!(micros(19_999_999), 100, "the last instant of the first phase");
        assert_eq!(micros(20_000_000), 1000);
        assert_eq!(micros(29_999_999), 1000);
        assert_eq!(micros(30_000_000), 100, "the cycle repeats");
        // Idle over many cycles: 3015 ms are 100 cycles and 15 ms, 3025 ms are in the second phase of the same.
        assert_eq!(micros(3_015_000_000), 100);
        assert_eq!(micros(3_025_000_000), 1000);
    }

    #[test]
    fn the_present_rate_does_not_hurry_ahead_with_the_packets() {
        let rate = Rate::from_bits_per_second(80_000_000);
        let mut link = Transmission::new(rate, vec![phase(20, 80_000_000), phase(10, 8_000_000)]);
        assert_eq!(link.time(at(25_000_000), 1000), Span::from_millis(1));
        for (ns, mbit) in [(0, 80), (19_999_999, 80), (20_000_000, 8), (5_000_000, 80), (3_025_000_000, 8)] {
            assert_eq!(link.rate_at(at(ns)), Rate::from_bits_per_second(mbit * 1_000_000), "{ns}");
        }
        assert_eq!(link.time(at(26_000_000), 1000), Span::from_millis(1));
        assert!(link.varies());
    }

    #[test]
    fn one_rate_lasts_for_ever() {
        let mut link = Transmission::new(Rate::from_bits_per_second(8_000_000), Vec::new());
        assert_eq!(link.time(at(0), 1000), Span::from_millis(1));
        assert_eq!(link.time(at(u64::MAX - 1), 1000), Span::from_millis(1));
        assert_eq!(link.rate_at(at(7)), Rate::from_bits_per_second(8_000_000));
        assert!(!link.varies());
    }
}
