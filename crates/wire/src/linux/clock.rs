//! The clock of a run.

use super::failed;
use crate::Error;
use ackclock_base::Time;
use nix::errno::Errno;
use nix::poll::{PollFd, ppoll};
use nix::sys::time::{TimeSpec, TimeValLike};
use nix::time::{ClockId, clock_gettime};

/// Readings of both clocks within this time need not be repeated, and the number of attempts.
const CLOSE_NS: u64 = 2_000;
const READINGS: usize = 8;

/// A clock that counts from the beginning of a run. It is the monotonic clock of the system.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    zero_ns: u64,
}

impl Clock {
    /// Starts at zero.
    pub fn start() -> Result<Self, Error> {
        Ok(Self { zero_ns: read(ClockId::CLOCK_MONOTONIC)? })
    }

    /// Returns the time since the beginning.
    pub fn now(&self) -> Result<Time, Error> {
        Ok(Time::from_nanos(read(ClockId::CLOCK_MONOTONIC)?.saturating_sub(self.zero_ns)))
    }

    /// Returns the real-time clock's reading at zero, as of now. Arrivals have times of that clock, which may
    /// be adjusted during a run.
    pub fn real_zero_ns(&self) -> Result<u64, Error> {
        // Another process that runs between two readings would shift all arrivals by its time.
        let (mut closest_ns, mut real_zero_ns) = (u64::MAX, 0);
        for _ in 0..READINGS {
            let before = read(ClockId::CLOCK_MONOTONIC)?;
            let real = read(ClockId::CLOCK_REALTIME)?;
            let apart_ns = read(ClockId::CLOCK_MONOTONIC)?.saturating_sub(before);
            if apart_ns < closest_ns {
                closest_ns = apart_ns;
                real_zero_ns = real.saturating_sub((before + apart_ns / 2).saturating_sub(self.zero_ns));
            }
            if apart_ns < CLOSE_NS {
                break;
            }
        }
        Ok(real_zero_ns)
    }

    /// Sleeps until `until`, or until one of the descriptors is ready. Returns whether one is.
    pub fn wait(&self, descriptors: &mut [PollFd<'_>], until: Time) -> Result<bool, Error> {
        let rest = TimeSpec::nanoseconds(until.since(self.now()?).nanos() as i64);
        match ppoll(descriptors, Some(rest), None) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::EINTR) => Ok(false),
            Err(error) => Err(failed("cannot wait for packets", error)),
        }
    }
}

fn read(clock: ClockId) -> Result<u64, Error> {
    let time = clock_gettime(clock).map_err(|error| failed("the clock cannot be read", error))?;
    Ok(time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64)
}
