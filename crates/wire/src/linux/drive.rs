//! The loop that drives the links by the clock.

use super::clock::Clock;
use super::failed;
use super::ring::Ring;
use crate::lateness::Lateness;
use crate::plan::{flow_index, labels};
use crate::{Error, frame};
use ackclock_base::{Span, Time};
use ackclock_path::{Leaving, Packet, Path};
use ackclock_sim::link::Link;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::{TimeSpec, TimeValLike};
use std::collections::HashMap;

/// The number of frames that are received before packets that are due are sent.
const BATCH: usize = 64;
/// How often the end of the run is looked for.
const CHECK_EVERY: Span = Span::from_millis(20);
/// The largest number of packets on a path. A flow without a window limit would fill a queue without limit.
const MAX_PACKETS: usize = 1_000_000;

/// Two ports, and the links between them in both directions.
pub struct Drive {
    directions: [Direction; 2],
    rings: [Ring; 2],
    clock: Option<Clock>,
    /// How late packets left.
    pub lateness: Lateness,
    /// The number of frames that do not cross the links: those that are not IP, and those to groups.
    pub not_ip: u64,
}

struct Direction {
    path: Path<Vec<u8>>,
    /// The index of each flow, and the number of flows with each code point.
    flows: HashMap<frame::FlowKey, u32>,
    counts: [u32; 64],
}

impl Drive {
    /// Creates the links between the ports. Nothing crosses them before the [start](Self::start).
    pub fn new(links: [Vec<Link>; 2], rings: [Ring; 2]) -> Self {
        let labels = labels();
        let directions = links.map(|links| Direction {
            path: Path::new(links, &labels),
            flows: HashMap::new(),
            counts: [0; 64],
        });
        Self { directions, rings, clock: None, lateness: Lateness::default(), not_ip: 0 }
    }

    /// Starts the clock of the links.
    pub fn start(&mut self) -> Result<(), Error> {
        self.clock = Some(Clock::start()?);
        Ok(())
    }

    /// Drives the links until `ended` returns the exit code of the run. Returns the code and the time.
    pub fn until(
        &mut self,
        mut ended: impl FnMut() -> Result<Option<i32>, Error>,
    ) -> Result<(i32, Time), Error> {
        let Some(clock) = self.clock else { panic!("the links are driven before their start") };
        // Timers of a process without real-time priority otherwise expire up to 50 us late. The programs have
        // started by now, so they do not inherit the value.
        let _ = nix::sys::prctl::set_timerslack(1);
        let mut next_check = Time::ZERO;
        loop {
            let now = clock.now()?;
            let mut known = [now; 2];
            for (from, known) in known.iter_mut().enumerate() {
                *known = self.receive(from, now, &clock)?;
            }
            for (from, known) in known.into_iter().enumerate() {
                self.send(from, known, &clock)?;
            }
            if now >= next_check {
                if let Some(code) = ended()? {
                    return Ok((code, now));
                }
                if self.directions.iter().any(|direction| direction.path.packets() > MAX_PACKETS) {
                    return Err(Error::Failed(format!(
                        "more than {MAX_PACKETS} packets are on the path at {now}: give the queue a limit"
                    )));
                }
                next_check = now + CHECK_EVERY;
            }
            if known == [now; 2] {
                self.wait(next_check, &clock)?;
            }
        }
    }

    /// Offers the frames that have arrived at a port to the links behind it, at most a [`BATCH`]. Returns the
    /// time until which all arrivals have been offered: `now`, or that of the last one if others wait behind
    /// it. Events at the links must not be processed beyond it, or the others would count as arriving later.
    fn receive(&mut self, from: usize, now: Time, clock: &Clock) -> Result<Time, Error> {
        let real_zero_ns = clock.real_zero_ns()?;
        let Self { directions, rings, not_ip, .. } = self;
        let Direction { path, flows, counts } = &mut directions[from];
        let mut last = Time::ZERO;
        let received = rings[from].receive(BATCH, |at_ns, bytes| {
            let at = Time::from_nanos(at_ns.saturating_sub(real_zero_ns));
            // If the real-time clock was set back after the arrival, the time lies in the future.
            let at = clock.now().map_or(at, |now| at.min(now));
            last = last.max(at);
            let Some(fields) = frame::read(bytes).filter(|_| !frame::is_multicast(bytes)) else {
                *not_ip += 1;
                return;
            };
            let flow = *flows.entry(fields.flow).or_insert_with(|| {
                let count = &mut counts[usize::from(fields.flow.dscp)];
                *count += 1;
                flow_index(fields.flow.dscp, *count - 1)
            });
            path.offer(at, Packet { bytes: fields.bytes, ecn: fields.ecn, flow, content: bytes.to_vec() });
        });
        Ok(if received < BATCH { now } else { last.min(now) })
    }

    /// Sends the packets that have reached the other end.
    fn send(&mut self, from: usize, now: Time, clock: &Clock) -> Result<(), Error> {
        let path = &mut self.directions[from].path;
        while let Some(Leaving { at, packet }) = path.take(now) {
            let mut bytes = packet.content;
            if frame::read(&bytes).is_some_and(|fields| fields.ecn != packet.ecn) {
                frame::set_ecn(&mut bytes, packet.ecn);
            }
            self.rings[1 - from].send(&bytes);
            self.lateness.record(at, clock.now()?);
        }
        Ok(())
    }

    /// Sleeps until something is due or arrives, at most until `latest`.
    fn wait(&mut self, latest: Time, clock: &Clock) -> Result<(), Error> {
        let due = self.directions.iter().filter_map(|direction| direction.path.due()).min();
        let until = due.map_or(latest, |due| due.min(latest));
        let rest = until.since(clock.now()?);
        let timeout = TimeSpec::nanoseconds(rest.nanos() as i64);
        let [one, other] = &self.rings;
        let mut ports = [one, other].map(|ring| PollFd::new(ring.descriptor(), PollFlags::POLLIN));
        match ppoll(&mut ports, Some(timeout), None) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(failed("waiting for packets fails", error)),
        }
    }

    /// Returns the number of packets that were lost at the ports.
    pub fn lost_outside(&mut self) -> Result<u64, Error> {
        self.rings.iter_mut().map(Ring::lost).sum()
    }

    /// Returns the links of both directions, in order.
    pub fn links(&mut self) -> [Vec<&mut Link>; 2] {
        self.directions.each_mut().map(|direction| direction.path.links_mut().collect())
    }
}
