//! The CPU time of a run, by which runs that take too long are cancelled: on a busy machine, the time of day says little.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// The CPU time of the thread that has created it.
#[derive(Clone, Debug)]
pub struct ThreadTime {
    /// The file that says it on Linux; its first number has nanoseconds.
    file: PathBuf,
    created: Instant,
}

impl ThreadTime {
    /// Returns the time of the calling thread.
    pub fn of_this_thread() -> Self {
        let thread = std::fs::read_link("/proc/thread-self").unwrap_or_default();
        Self { file: PathBuf::from("/proc").join(thread).join("schedstat"), created: Instant::now() }
    }

    /// Returns the CPU time that the thread has had, as of the scheduler's last tick; the time since the creation of this
    /// value where the system does not say it.
    pub fn elapsed(&self) -> Duration {
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        let nanos = text.split_whitespace().next().and_then(|field| field.parse().ok());
        nanos.map_or_else(|| self.created.elapsed(), Duration::from_nanos)
    }
}

/// Sets a flag once the thread that has started it has had a given CPU time.
pub struct StopWatch {
    expired: Arc<AtomicBool>,
    time: ThreadTime,
    since: Duration,
    _running: mpsc::Sender<()>,
}

impl StopWatch {
    /// How often the CPU time is read.
    const EVERY: Duration = Duration::from_millis(20);

    /// Starts a watch that expires after `most`.
    pub fn start(most: Duration) -> Self {
        let expired = Arc::new(AtomicBool::new(false));
        let time = ThreadTime::of_this_thread();
        let since = time.elapsed();
        let (running, dropped) = mpsc::channel::<()>();
        let (flag, watched) = (expired.clone(), time.clone());
        std::thread::spawn(move || {
            while dropped.recv_timeout(Self::EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
                if watched.elapsed().saturating_sub(since) > most {
                    flag.store(true, Ordering::Relaxed);
                    return;
                }
            }
        });
        Self { expired, time, since, _running: running }
    }

    /// Returns the flag.
    pub fn expired(&self) -> &AtomicBool {
        &self.expired
    }

    /// Returns the CPU time since the start.
    pub fn elapsed(&self) -> Duration {
        self.time.elapsed().saturating_sub(self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_expires_by_what_its_thread_computes() {
        // A thread that sleeps for 200 ms has computed for less than 100 ms; one that computes expires in the end.
        let watch = StopWatch::start(Duration::from_millis(100));
        std::thread::sleep(Duration::from_millis(200));
        assert!(!watch.expired().load(Ordering::Relaxed) && watch.elapsed() < Duration::from_millis(100));
        let mut turns = 0_u64;
        while !watch.expired().load(Ordering::Relaxed) {
            turns = std::hint::black_box(turns + 1);
        }
        assert!(watch.elapsed() > Duration::from_millis(100));
    }
}
