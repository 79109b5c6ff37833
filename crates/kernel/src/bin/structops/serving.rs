//! Deciding for the kernel until told to end.

use crate::loaded::Loaded;
use crate::missing;
use ackclock_kernel::event::Event;
use ackclock_kernel::offered::Reports;
use ackclock_kernel::recording::Row;
use ackclock_kernel::report::Latencies;
use ackclock_kernel::{Answer, Host, Report};
use libbpf_rs::RingBufferBuilder;
use nix::time::{ClockId, clock_gettime};
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

/// How often the kernel hears that this program lives, at least. It takes Reno after 100 ms.
const BEAT_EVERY: Duration = Duration::from_millis(20);

/// How often the program looks whether events have been lost.
const LOOK_EVERY_NS: u64 = 1_000_000_000;

/// What others ask of the program.
pub enum Request {
    /// To say what has been decided so far.
    Report,
    /// To end.
    End,
}

/// A control with its connections.
struct Serving<'a> {
    place: usize,
    real_time: bool,
    loaded: &'a Loaded,
    host: Host,
    events: u64,
    latencies: Latencies,
    record: Option<Sender<Row>>,
    /// The events without room in the ring, as far as they have been looked after.
    lost_events: u64,
}

impl Serving<'_> {
    fn on_event(&mut self, event: &Event) {
        let mut decided = Answer::default();
        let Self { loaded, host, .. } = self;
        host.on_event(event, |connection, seq, answer| {
            loaded.answer(connection, seq, &answer);
            if connection == event.connection {
                decided = answer;
            }
        });
        let now_ns = monotonic_ns();
        self.events += 1;
        self.latencies.record(now_ns.saturating_sub(event.now_ns));
        loaded.beat(now_ns);
        if let Some(record) = &self.record {
            // Where writing fails, the writer ends first, and this program says so at its own end.
            let _ = record.send(Row { control: self.place, event: *event, answer: decided });
        }
    }

    /// Returns the connections that the kernel has no more, if events have been lost since the last call.
    fn gone(&mut self) -> HashSet<u64> {
        let lost = self.loaded.counts().lost_events;
        if std::mem::replace(&mut self.lost_events, lost) == lost {
            return HashSet::new();
        }
        let ends = self.host.missed_ends(|id| self.loaded.has(id));
        ends.iter().map(|end| end.connection).collect()
    }

    /// Ends those of these connections that go on, so that they do not keep a share of their group.
    fn end(&mut self, gone: &HashSet<u64>) {
        for end in self.host.missed_ends(|id| !gone.contains(&id)) {
            self.on_event(&Event { now_ns: monotonic_ns(), ..end });
        }
    }

    fn report(&self) -> Report {
        Report {
            control: self.host.offer().specification().to_owned(),
            name: self.loaded.name().to_owned(),
            owns_window: self.host.offer().owns_window(),
            real_time: self.real_time,
            connections: self.host.begun(),
            events: self.events,
            p50_us: self.latencies.quantile_us(0.5),
            p99_us: self.latencies.quantile_us(0.99),
            ..self.loaded.counts()
        }
    }
}

/// Decides for the kernel until a request to end, and calls `say` with each report that is asked for, and with the last.
pub fn serve(
    loaded: &[Loaded],
    hosts: Vec<Host>,
    real_time: bool,
    record: Option<&Sender<Row>>,
    requests: &Receiver<Request>,
    mut say: impl FnMut(&Reports),
) -> Result<(), String> {
    let serving: Vec<RefCell<Serving<'_>>> = loaded
        .iter()
        .zip(hosts)
        .enumerate()
        .map(|(place, (loaded, host))| {
            let (latencies, record) = (Latencies::default(), record.cloned());
            RefCell::new(Serving {
                place,
                real_time,
                loaded,
                host,
                events: 0,
                latencies,
                record,
                lost_events: 0,
            })
        })
        .collect();
    let maps =
        loaded.iter().map(|loaded| loaded.events().ok_or("the BPF program has no ring buffer of events"));
    let maps = maps.collect::<Result<Vec<_>, _>>()?;
    let mut rings = RingBufferBuilder::new();
    for (map, serving) in maps.iter().zip(&serving) {
        let take = |bytes: &[u8]| {
            if let Some(event) = Event::from_bytes(bytes) {
                serving.borrow_mut().on_event(&event);
            }
            0
        };
        rings.add(map, take).map_err(|error| missing::rejected(&error))?;
    }
    let rings = rings.build().map_err(|error| missing::rejected(&error))?;
    let reports = || Reports { controls: serving.iter().map(|serving| serving.borrow().report()).collect() };
    let look_after_lost_events = || {
        let gone: Vec<_> = serving.iter().map(|serving| serving.borrow_mut().gone()).collect();
        rings.poll_raw(Duration::ZERO); // their ends, if these had room
        serving.iter().zip(&gone).for_each(|(serving, gone)| serving.borrow_mut().end(gone));
    };
    let mut next_look_ns = 0;
    loop {
        loaded.iter().for_each(|loaded| loaded.beat(monotonic_ns()));
        rings.poll_raw(BEAT_EVERY); // an interrupted wait is no error
        if monotonic_ns() >= next_look_ns {
            look_after_lost_events();
            next_look_ns = monotonic_ns() + LOOK_EVERY_NS;
        }
        match requests.try_recv() {
            Ok(Request::Report) => say(&reports()),
            Ok(Request::End) => break,
            Err(_) => {}
        }
    }
    look_after_lost_events();
    say(&reports());
    Ok(())
}

fn monotonic_ns() -> u64 {
    let time = clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(Duration::ZERO, Duration::from);
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
