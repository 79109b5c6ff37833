//! Delivery opportunities as in the traces of mahimahi (Netravali et al., USENIX ATC 2015; `mm-link`'s
//! `link_queue.cc`).
//!
//! At the end of a millisecond a number of bytes may be delivered at once. A packet takes the bytes that it
//! needs, the packets that wait behind it take the rest, and an unfinished packet continues with the next
//! opportunity. Bytes for which no packet waits are wasted: a packet that arrives in the instant of an
//! opportunity, or between two, waits for the next one.

use crate::timeline::{Present, Timeline};
use ackclock_base::{Rate, Time};

/// A millisecond in nanoseconds.
const MS: u64 = 1_000_000;

/// The rest of the opportunities of an instant, available to the next packet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Left {
    at: Time,
    bytes: u64,
}

impl Left {
    /// Sends a packet of `bytes` that arrived at `arrived` and is first in line from `starts` on. Returns
    /// when it is delivered; [`Time::NEVER`] if it never is. `rates` holds the bytes of each millisecond as a
    /// rate.
    pub(crate) fn send(&mut self, rates: &Timeline<Rate>, arrived: Time, starts: Time, bytes: u64) -> Time {
        // The opportunities of the instant of a packet's arrival have passed when it is in the queue.
        let waited = arrived < starts && self.at == starts;
        let mut left = Self { at: starts, bytes: if waited { self.bytes } else { 0 } };
        let mut needs = bytes;
        while left.bytes < needs {
            needs -= left.bytes;
            left = next(rates, left.at);
        }
        left.bytes -= needs;
        *self = left;
        left.at
    }
}

/// Returns the first opportunities after an instant.
fn next(rates: &Timeline<Rate>, after: Time) -> Left {
    let mut begins = after.nanos() / MS * MS;
    loop {
        let Present { value, until } = rates.present(Time::from_nanos(begins));
        let Some(ends) = begins.checked_add(MS).filter(|_| until != Time::NEVER) else {
            return Left { at: Time::NEVER, bytes: u64::MAX };
        };
        // Converts bit/s to bytes in a millisecond.
        match value.bits_per_second() / 8000 {
            0 => begins = until.nanos().max(ends) / MS * MS,
            bytes => return Left { at: Time::from_nanos(ends), bytes },
        }
    }
}
