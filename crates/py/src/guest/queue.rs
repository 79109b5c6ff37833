//! What waits at a discipline of Python code that decides at departure: packets in the order of their arrival, each the very
//! object that `on_arrival` was handed. The queue lies here and not with the Python code, so that none is lost or doubled.

use super::records::Arrival;
use ackclock_aqm::Ticket;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What waits: packets in the order of their arrival.
#[pyclass(frozen, sequence)]
#[derive(Default)]
pub struct Queue(Mutex<Line>);

#[derive(Default)]
struct Line {
    packets: VecDeque<Waiting>,
    bytes: u64,
    /// What has been dropped in the event so far.
    dropped: Vec<Ticket>,
}

/// A packet that waits.
pub struct Waiting {
    pub ticket: Ticket,
    pub arrival: Py<Arrival>,
    pub marked: bool,
}

impl Waiting {
    pub fn bytes(&self) -> u32 {
        self.arrival.get().0.bytes
    }
}

#[pymethods]
impl Queue {
    fn __len__(&self) -> usize {
        self.lock().packets.len()
    }

    /// As of a list, a negative place counts from the newest.
    fn __getitem__(&self, py: Python<'_>, place: isize) -> PyResult<Py<Arrival>> {
        let line = self.lock();
        let counted =
            if place < 0 { line.packets.len().checked_add_signed(place) } else { place.try_into().ok() };
        let found = counted.and_then(|counted| line.packets.get(counted));
        found.map(|waiting| waiting.arrival.clone_ref(py)).ok_or_else(|| {
            PyIndexError::new_err(format!("no packet {place} where {} wait", line.packets.len()))
        })
    }

    /// Over what waits now, whatever is dropped meanwhile.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let now: Vec<_> = self.lock().packets.iter().map(|waiting| waiting.arrival.clone_ref(py)).collect();
        PyList::new(py, now)?.try_iter()
    }

    /// Bytes waiting.
    #[getter]
    pub fn bytes(&self) -> u64 {
        self.lock().bytes
    }

    /// Drops a packet that waits.
    fn drop(&self, packet: &Bound<'_, PyAny>) -> PyResult<()> {
        let place = self.place(packet)?;
        let dropped = self.take(place).map(|waiting| waiting.ticket);
        self.lock().dropped.extend(dropped);
        Ok(())
    }

    /// Sets congestion experienced on a packet that waits.
    fn mark(&self, packet: &Bound<'_, PyAny>) -> PyResult<()> {
        let place = self.place(packet)?;
        self.lock().packets[place].marked = true;
        Ok(())
    }

    fn __repr__(&self) -> String {
        let line = self.lock();
        format!("Queue({} packets, {} B)", line.packets.len(), line.bytes)
    }
}

impl Queue {
    /// A thread that panicked has left the line as it was between two changes.
    fn lock(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Packets waiting.
    pub fn packets(&self) -> u64 {
        self.lock().packets.len() as u64
    }

    /// A packet joins.
    pub fn join(&self, waiting: Waiting) {
        let mut line = self.lock();
        line.bytes += u64::from(waiting.bytes());
        line.packets.push_back(waiting);
    }

    /// Takes the packet at a place out of the line.
    pub fn take(&self, place: usize) -> Option<Waiting> {
        let mut line = self.lock();
        let taken = line.packets.remove(place)?;
        line.bytes -= u64::from(taken.bytes());
        Some(taken)
    }

    /// Where in the line the packet stands that is to go now: `None` where none is named and none waits. Those of one flow
    /// never overtake one another: what was sent in order arrives in order at every queue of the core.
    pub fn next(&self, named: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        if named.is_none() {
            let waiting = self.packets();
            if waiting == 0 {
                return Ok(None);
            }
            let told = format!("on_departure let no packet go while {waiting} wait and the link is free");
            return Err(PyValueError::new_err(told));
        }
        let place = self.place(named)?;
        let line = self.lock();
        let flow = |waiting: &Waiting| waiting.arrival.get().0.flow;
        if line.packets.range(..place).any(|older| flow(older) == flow(&line.packets[place])) {
            let told = "on_departure let a packet go before an older one of its flow";
            return Err(PyValueError::new_err(told));
        }
        Ok(Some(place))
    }

    /// Where in the line a packet stands: nearly always first.
    fn place(&self, packet: &Bound<'_, PyAny>) -> PyResult<usize> {
        let found = self.lock().packets.iter().position(|waiting| waiting.arrival.is(packet));
        found.ok_or_else(|| match packet.repr() {
            Ok(repr) => PyValueError::new_err(format!("{repr} is no packet that waits in the queue")),
            Err(error) => error,
        })
    }

    /// What has been dropped since this was asked last.
    pub fn dropped(&self) -> Vec<Ticket> {
        std::mem::take(&mut self.lock().dropped)
    }
}
