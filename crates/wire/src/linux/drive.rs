//! The loop that drives the links by the clock.

use super::clock::Clock;
use super::port::Port;
use crate::lateness::Lateness;
use crate::path::{Leaving, Packet, Path};
use crate::plan::{flow_index, labels};
use crate::watch::{Seen, Watch};
use crate::{Error, frame};
use ackclock_base::{Span, Time};
use ackclock_sim::link::Link;
use nix::poll::{PollFd, PollFlags};
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
    ports: [Port; 2],
    clock: Option<Clock>,
    watch: Option<Watch>,
    /// How late packets left.
    pub lateness: Lateness,
    /// The number of frames that do not cross the links: those that are not IP, and those to groups.
    pub not_ip: u64,
}

/// A frame on the links.
#[derive(Clone)]
struct Frame {
    bytes: Vec<u8>,
    /// When it arrived at the first link.
    sent: Time,
    /// The number of its flow, if that is watched.
    number: Option<usize>,
}

struct Direction {
    path: Path<Frame>,
    /// The index of each flow, and the number of flows with each code point.
    flows: HashMap<frame::FlowKey, u32>,
    counts: [u32; 64],
}

impl Drive {
    /// Creates the links between the ports, with the routes of the watched flows in each direction. Without a watch,
    /// everything takes the first route. Nothing crosses the links before the [start](Self::start).
    pub fn new(
        links: [Vec<Link>; 2],
        routes: [Vec<Vec<usize>>; 2],
        ports: [Port; 2],
        watch: Option<Watch>,
    ) -> Self {
        let labels = labels();
        let mut directions = links.into_iter().zip(routes).enumerate().map(|(from, (links, routes))| {
            let mut path = Path::with_routes(links, routes, &labels);
            if let Some(watch) = &watch {
                path.observe(watch.observer(from));
            }
            Direction { path, flows: HashMap::new(), counts: [0; 64] }
        });
        let directions = std::array::from_fn(|_| directions.next().expect("there are two directions"));
        Self { directions, ports, clock: None, watch, lateness: Lateness::default(), not_ip: 0 }
    }

    /// Starts the clock of the links, and returns it.
    pub fn start(&mut self) -> Result<Clock, Error> {
        let clock = Clock::start()?;
        self.clock = Some(clock);
        Ok(clock)
    }

    /// Returns what the links have seen of each watched flow.
    pub fn finish_watch(&mut self) -> Vec<Seen> {
        self.watch.take().map(Watch::finish).unwrap_or_default()
    }

    /// Drives the links until `ended`, which is asked every 20 ms with the time, returns a value. Returns the value and
    /// the time.
    pub fn until<T>(
        &mut self,
        mut ended: impl FnMut(Time) -> Result<Option<T>, Error>,
    ) -> Result<(T, Time), Error> {
        let Some(clock) = self.clock else { panic!("the clock of the links has not been started") };
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
                if let Some(value) = ended(now)? {
                    return Ok((value, now));
                }
                if self.directions.iter().any(|direction| direction.path.packets() > MAX_PACKETS) {
                    return Err(Error::Failed(format!(
                        "more than {MAX_PACKETS} packets are on the path at {now}: give its queues a `limit`"
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
        // Read only if something has arrived: it takes several readings of two clocks.
        let mut real_zero_ns = None;
        let Self { directions, ports, not_ip, watch, .. } = self;
        let Direction { path, flows, counts } = &mut directions[from];
        let mut last = Time::ZERO;
        let received = ports[from].receive(BATCH, |at_ns, bytes| {
            let noted = at_ns.map(|at_ns| {
                let zero_ns = *real_zero_ns.get_or_insert_with(|| clock.real_zero_ns().unwrap_or_default());
                Time::from_nanos(at_ns.saturating_sub(zero_ns))
            });
            // If the real-time clock was set back after the arrival, or cannot be read, the time lies in the future.
            let read = clock.now().unwrap_or(now);
            let at = noted.map_or(read, |at| at.min(read));
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
            let number = watch.as_ref().and_then(|watch| watch.number(&fields.flow));
            if let (Some(watch), Some(number)) = (watch.as_mut(), number) {
                watch.sent(from, number, flow, at, bytes);
            }
            let content = Frame { bytes: bytes.to_vec(), sent: at, number };
            let route = number.unwrap_or(0);
            path.offer(at, Packet { bytes: fields.bytes, ecn: fields.ecn, flow, route, content });
        });
        Ok(if received < BATCH { now } else { last.min(now) })
    }

    /// Sends the packets that have reached the other end.
    fn send(&mut self, from: usize, now: Time, clock: &Clock) -> Result<(), Error> {
        let path = &mut self.directions[from].path;
        while let Some(Leaving { at, packet }) = path.take(now) {
            let Frame { mut bytes, sent, number } = packet.content;
            if frame::read(&bytes).is_some_and(|fields| fields.ecn != packet.ecn) {
                frame::set_ecn(&mut bytes, packet.ecn);
            }
            self.ports[1 - from].send(&bytes);
            self.lateness.record(at, clock.now()?);
            if let (Some(watch), Some(number)) = (&mut self.watch, number) {
                watch.arrived(from, number, sent, at, &bytes);
            }
        }
        Ok(())
    }

    /// Sleeps until something is due or arrives, at most until `latest`.
    fn wait(&mut self, latest: Time, clock: &Clock) -> Result<(), Error> {
        let due = self.directions.iter().filter_map(|direction| direction.path.due()).min();
        let until = due.map_or(latest, |due| due.min(latest));
        let [one, other] = &self.ports;
        let mut ready = [one, other].map(|port| PollFd::new(port.descriptor(), PollFlags::POLLIN));
        clock.wait(&mut ready, until)?;
        Ok(())
    }

    /// Returns the number of packets that were lost at the ports.
    pub fn lost_outside(&mut self) -> Result<u64, Error> {
        self.ports.iter_mut().map(Port::lost).sum()
    }

    /// Returns the links of both directions, in order.
    pub fn links(&mut self) -> [Vec<&mut Link>; 2] {
        self.directions.each_mut().map(|direction| direction.path.links_mut().collect())
    }
}
