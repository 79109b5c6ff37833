//! What a link could send within some time: the integral of its rate, against which the bits of a packet are held.

use super::facts::Facts;
use ackclock_base::{Rate, Span, Time};
use ackclock_sim::transmission::{Changes, Manner};

impl Facts<'_> {
    /// Whether a transmission took as long as its bits need. If not, in words what was wrong.
    pub(super) fn check_transmission(
        &self,
        link: usize,
        starts: Time,
        ends: Time,
        bytes: u32,
    ) -> Result<(), String> {
        let framing = self.links[link].medium.map_or(0, |medium| medium.framing_bytes);
        let bits = (u128::from(bytes) + u128::from(framing)) * 8 * 1_000_000_000;
        let took = ends.since(starts);
        let Some(changes) = &self.links[link].changes else {
            let needs = at_one_rate(bits, self.links[link].rate);
            return if took == needs { Ok(()) } else { Err(format!("its bits take {needs}")) };
        };
        let just_before = ends - Span::from_nanos(1);
        let last = match changes.manner {
            Manner::AtStart => changes.rates.at(starts),
            Manner::BitByBit | Manner::Fluctuating => changes.rates.at(just_before),
        };
        let could = could_send(changes, starts, ends);
        // To the nearest nanosecond at the rate of the last one. That last one was needed: a nanosecond is the least.
        let half = u128::from(last.bits_per_second()).div_ceil(2);
        let right = could.abs_diff(bits) <= half || took == Span::from_nanos(1) && could >= bits;
        let billion = 1e9;
        let words =
            || format!("{} bits could be sent, it has {}", could as f64 / billion, bits as f64 / billion);
        if right { Ok(()) } else { Err(words()) }
    }
}

/// The bits over the rate in integers, rounded half up.
fn at_one_rate(bits: u128, rate: Rate) -> Span {
    let rate = u128::from(rate.bits_per_second());
    let ns = (bits + rate / 2).checked_div(rate).unwrap_or(u128::MAX).max(1);
    Span::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
}

/// Bits times 10^9 that a link could send from one instant to another: piece by piece of a rate, less the outages in it.
fn could_send(changes: &Changes, from: Time, to: Time) -> u128 {
    if changes.manner == Manner::AtStart {
        return work(changes.rates.at(from), changes, from, to);
    }
    let (steps, period) = changes.rates.parts();
    let period = period.map_or(u64::MAX, Span::nanos);
    let (mut sum, mut round) = (0, from.nanos() / period * period);
    while round < to.nanos() {
        let into = Time::from_nanos(from.nanos().saturating_sub(round));
        // Those before lie before `from`.
        let first = steps.partition_point(|(begins, _)| *begins <= into).saturating_sub(1);
        for (index, (begins, rate)) in steps.iter().enumerate().skip(first) {
            let ends = steps.get(index + 1).map_or(period, |(begins, _)| begins.nanos());
            let piece = |ns: u64| Time::from_nanos(round.saturating_add(ns));
            let (begins, ends) = (piece(begins.nanos()).max(from), piece(ends).min(to));
            if begins >= to {
                break;
            }
            sum += work(*rate, changes, begins, ends);
        }
        round = round.saturating_add(period);
    }
    sum
}

fn work(rate: Rate, changes: &Changes, from: Time, to: Time) -> u128 {
    let out = changes.outage.map_or(0, |outage| {
        // The outages one after the other, from the one that may reach into this time.
        let every = outage.every.map_or(u64::MAX, Span::nanos);
        let first = from.since(outage.from).nanos() / every;
        let mut begins = outage.from + Span::from_nanos(every.saturating_mul(first));
        let mut out = 0;
        while begins < to {
            out += (begins + outage.lasts).min(to).since(begins.max(from)).nanos();
            begins += Span::from_nanos(every);
        }
        out
    });
    u128::from(rate.bits_per_second()) * u128::from(to.since(from).nanos() - out)
}
