//! Holds the packets that wait at a Python discipline that decides at departure, in the order of arrival.
//! Each is the very object that `on_arrival` was given. The queue lies here and not in the Python code, so
//! that no packet is lost or duplicated.

use super::records::Arrival;
use ackclock_aqm::Ticket;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The waiting packets in the order of their arrival.
#[pyclass(frozen, sequence)]
#[derive(Default)]
pub struct Queue(Mutex<Line>);

#[derive(Default)]
struct Line {
    packets: VecDeque<Waiting>,
    bytes: u64,
    /// The packets dropped in the current event.
    dropped: Vec<Ticket>,
}

/// A waiting packet.
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

    /// A negative index counts from the newest packet, as in a list.
    fn __getitem__(&self, py: Python<'_>, place: isize) -> PyResult<Py<Arrival>> {
        let line = self.lock();
        let counted =
            if place < 0 { line.packets.len().checked_add_signed(place) } else { place.try_into().ok() };
        let found = counted.and_then(|counted| line.packets.get(counted));
        found.map(|waiting| waiting.arrival.clone_ref(py)).ok_or_else(|| {
            PyIndexError::new_err(format!(
                "no packet at index {place} of a queue of length {}",
                line.packets.len()
            ))
        })
    }

    /// Iterates over the packets that wait now, even if packets are dropped meanwhile.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let now: Vec<_> = self.lock().packets.iter().map(|waiting| waiting.arrival.clone_ref(py)).collect();
        PyList::new(py, now)?.try_iter()
    }

    /// The bytes that wait.
    #[getter]
    pub fn bytes(&self) -> u64 {
        self.lock().bytes
    }

    /// Drops a waiting packet.
    fn drop(&self, packet: &Bound<'_, PyAny>) -> PyResult<()> {
        let place = self.place(packet)?;
        let dropped = self.take(place).map(|waiting| waiting.ticket);
        self.lock().dropped.extend(dropped);
        Ok(())
    }

    /// Sets Congestion Experienced on a waiting packet.
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
    /// Locks the queue. A thread that panicked has left it as it was between two changes.
    fn lock(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of waiting packets.
    pub fn packets(&self) -> u64 {
        self.lock().packets.len() as u64
    }

    /// Appends a packet.
    pub fn join(&self, waiting: Waiting) {
        let mut line = self.lock();
        line.bytes += u64::from(waiting.bytes());
        line.packets.push_back(waiting);
    }

    /// Removes the packet at a position and returns it; `None` if there is no such position.
    pub fn take(&self, place: usize) -> Option<Waiting> {
        let mut line = self.lock();
        let taken = line.packets.remove(place)?;
        line.bytes -= u64::from(taken.bytes());
        Some(taken)
    }

    /// Returns the position of the packet that departs now; `None` if none is named and none waits. It is an
    /// error to name none while packets wait, or to name a packet while an older one of its flow waits:
    /// packets of a flow that were sent in order arrive in order at every queue of the core.
    pub fn next(&self, named: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        if named.is_none() {
            let waiting = self.packets();
            if waiting == 0 {
                return Ok(None);
            }
            let told = format!(
                "on_departure returned None while the link is free and the queue has length {waiting}, expected a \
                 packet of the queue"
            );
            return Err(PyValueError::new_err(told));
        }
        let place = self.place(named)?;
        let line = self.lock();
        let flow = |waiting: &Waiting| waiting.arrival.get().0.flow;
        if line.packets.range(..place).any(|older| flow(older) == flow(&line.packets[place])) {
            let told = "on_departure returned a packet although an older packet of its flow waits; packets of a flow \
                        must depart in order of arrival";
            return Err(PyValueError::new_err(told));
        }
        Ok(Some(place))
    }

    /// Returns the position of a packet, which is nearly always the first; an error if the packet does not
    /// wait.
    fn place(&self, packet: &Bound<'_, PyAny>) -> PyResult<usize> {
        let found = self.lock().packets.iter().position(|waiting| waiting.arrival.is(packet));
        found.ok_or_else(|| match packet.repr() {
            Ok(repr) => PyValueError::new_err(format!("{repr} is not a packet that waits in the queue")),
            Err(error) => error,
        })
    }

    /// Returns the packets dropped since the last call.
    pub fn dropped(&self) -> Vec<Ticket> {
        std::mem::take(&mut self.lock().dropped)
    }
}
