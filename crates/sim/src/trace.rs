//! A packet trace: everything that happened to every packet, for the verifier and for export. Off unless asked for,
//! since it grows with the run. What is [watched](crate::watch) of a link sees the same, and need not keep it.

use crate::capture::Capture;
use crate::packet::Packet;
use crate::watch::Watch;
use ackclock_aqm::Ecn;
use ackclock_base::Time;

pub use ackclock_base::trace::{Event, Record};

/// The trace of a run. Records are in the order of processing; a packet's future on an uncontended link is written
/// when it enters it, so sort by time before replaying.
#[derive(Default)]
pub struct Trace {
    /// What happened.
    pub records: Vec<Record>,
    /// What is followed at a link, if anything.
    pub watch: Option<Box<Watch>>,
    /// What is seen of packets' headers, if anything.
    pub capture: Option<Box<Capture>>,
    keeps: bool,
    launched: u64,
}

impl Trace {
    /// A trace that keeps its records or not, and shows them to `watch` and `capture`; `None` where nobody wants it.
    pub(crate) fn new(keeps: bool, watch: Option<Watch>, capture: Option<Capture>) -> Option<Self> {
        let wanted = keeps || watch.is_some() || capture.is_some();
        let (watch, capture) = (watch.map(Box::new), capture.map(Box::new));
        wanted.then(|| Self { keeps, watch, capture, ..Self::default() })
    }

    /// A number for the next packet.
    fn next_packet(&mut self) -> u64 {
        self.launched += 1;
        self.launched
    }

    /// A packet begins its way, with what `words` reads beside its header.
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

    /// A link gives a packet another ECN field.
    pub(crate) fn set_ecn(&mut self, packet: u64, ecn: Ecn) {
        if let Some(capture) = &mut self.capture {
            capture.set_ecn(packet, ecn);
        }
    }

    /// A link copies a packet as it arrives. Returns the number of the copy.
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
