//! Opportunities to deliver, as the traces of mahimahi have them (Netravali et al., USENIX ATC 2015; `mm-link`'s `link_queue.cc`).
//!
//! At the end of a millisecond a number of bytes may be delivered at once. A packet takes what it needs of them, the packets that wait
//! behind it take the rest, and a packet that is not finished goes on with the next opportunity. What no packet waits for is wasted: a
//! packet that arrives in the instant of an opportunity, or between two, waits for the next one.

use crate::timeline::{Present, Timeline};
use ackclock_base::{Rate, Time};

/// A millisecond in nanoseconds.
const MS: u64 = 1_000_000;

/// What is left of the opportunities of an instant for the packet that is next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Left {
    at: Time,
    bytes: u64,
}

impl Left {
    /// Sends a packet of `bytes` that arrived at `arrived` and is next from `starts` on. Returns when it is delivered, or
    /// [`Time::NEVER`] where that is beyond all time. `rates` has the bytes of each millisecond as a rate in it.
    pub(crate) fn send(&mut self, rates: &Timeline<Rate>, arrived: Time, starts: Time, bytes: u64) -> Time {
        // An opportunity of the instant in which a packet arrives has passed when it is in the queue.
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

/// The first opportunities after an instant.
fn next(rates: &Timeline<Rate>, after: Time) -> Left {
    let mut begins = after.nanos() / MS * MS;
    loop {
        let Present { value, until } = rates.present(Time::from_nanos(begins));
        let Some(ends) = begins.checked_add(MS).filter(|_| until != Time::NEVER) else {
            return Left { at: Time::NEVER, bytes: u64::MAX };
        };
        // Of bit/s in a millisecond.
        match value.bits_per_second() / 8000 {
            0 => begins = until.nanos().max(ends) / MS * MS,
            bytes => return Left { at: Time::from_nanos(ends), bytes },
        }
    }
}
