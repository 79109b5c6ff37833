//! A packet trace: all events of every packet, for the verifier and for export. It is off unless requested,
//! since it grows with the run. The [observation](crate::watch) of a link uses the same events without
//! storing them.

use crate::capture::Capture;
use crate::packet::Packet;
use crate::watch::Watch;
use ackclock_aqm::Ecn;
use ackclock_base::Time;

pub use ackclock_base::trace::{Event, Record};

/// The trace of a run. Records are in the order of processing. A packet's future on a link that decides at
/// arrival is recorded when the packet is offered, so records have to be sorted by time before a replay.
#[derive(Default)]
pub struct Trace {
    /// The recorded events.
    pub records: Vec<Record>,
    /// The observation of a link, if there is one.
    pub watch: Option<Box<Watch>>,
    /// The captures, if there are any.
    pub capture: Option<Box<Capture>>,
    keeps: bool,
    launched: u64,
}

impl Trace {
    /// Creates a trace that stores its records if `keeps`, and passes events to `watch` and `capture`.
    /// Returns `None` if nothing needs the events.
    pub(crate) fn new(keeps: bool, watch: Option<Watch>, capture: Option<Capture>) -> Option<Self> {
        let wanted = keeps || watch.is_some() || capture.is_some();
        let (watch, capture) = (watch.map(Box::new), capture.map(Box::new));
        wanted.then(|| Self { keeps, watch, capture, ..Self::default() })
    }

    /// Returns the number for the next packet.
    fn next_packet(&mut self) -> u64 {
        self.launched += 1;
        self.launched
    }

    /// Records that a packet is sent, and returns its number. `words` reads the header extension.
    pub(crate) fn begin(
        &mut self,
        time: Time,
        path: u32,
        packet: &Packet,
        event: Event,
        words: impl FnOnce(&mut Vec<u64>),
    ) -> u64 {
        let number = self.next_packet();
        if let Some(capture) = &mut self.capture {
            let mut beside = Vec::new();
            words(&mut beside);
            capture.launch(time, path, number, packet, beside);
        }
        self.push(time, path, number, packet.bytes, event);
        number
    }

    /// Records that a link changes a packet's ECN field.
    pub(crate) fn set_ecn(&mut self, packet: u64, ecn: Ecn) {
        if let Some(capture) = &mut self.capture {
            capture.set_ecn(packet, ecn);
        }
    }

    /// Records that a link duplicates a packet on arrival. Returns the number of the copy.
    pub(crate) fn duplicate(&mut self, time: Time, path: u32, packet: u64, bytes: u32, link: u32) -> u64 {
        let copy = self.next_packet();
        if let Some(capture) = &mut self.capture {
            capture.duplicate(packet, copy);
        }
        self.push(time, path, copy, bytes, Event::Duplicated { link });
        copy
    }

    pub(crate) fn push(&mut self, time: Time, path: u32, packet: u64, bytes: u32, event: Event) {
        if let Some(watch) = &mut self.watch {
            watch.see(time, path, packet, bytes, event);
        }
        if let Some(capture) = &mut self.capture {
            capture.see(time, path, packet, event);
        }
        if self.keeps {
            self.records.push(Record { time_ns: time.nanos(), path, packet, bytes, event });
        }
    }
}
