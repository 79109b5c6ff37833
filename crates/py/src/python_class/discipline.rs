//! Lets a Python object act as a queue discipline that decides at arrival.

use super::departing::PythonDeparting;
use super::queue::Queue;
use super::random::{Draws, lend};
use super::records;
use super::stop::Stop;
use super::{Names, PythonClass};
use ackclock_aqm::entry::{PERIODS, Plugin};
use ackclock_aqm::{Arrival, Backlog, Capacity, Discipline, LinkRate, Queueing, Service, Verdict};
use ackclock_base::{Descriptor, Random, Span, Time, Values};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use serde::Deserialize;
use std::sync::Arc;

/// What a class declares about its instances.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Traits {
    /// Whether it also decides at departure.
    pub departs: bool,
    /// Whether it publishes values.
    pub publish: bool,
}

/// A class that scenarios can name.
#[derive(Debug)]
pub struct Kind {
    pub class: Py<PyAny>,
    pub descriptor: &'static Descriptor,
    pub traits: Traits,
    pub names: Arc<Names>,
    pub stop: Arc<Stop>,
}

impl Plugin for Kind {
    fn descriptor(&self) -> &'static Descriptor {
        self.descriptor
    }

    fn service(&self) -> Service {
        let departs = self.traits.departs;
        Service { drops_late: departs, overtakes: departs, ..Service::IN_ORDER }
    }

    fn build(&self, values: &Values, capacity: Capacity, link: &LinkRate) -> Queueing {
        let mut discipline = PythonDiscipline {
            object: None,
            period: None,
            whom: self.descriptor.name,
            publishes: self.traits.publish,
            names: Arc::clone(&self.names),
            stop: Arc::clone(&self.stop),
        };
        let mut queue = None;
        if !self.stop.is_set() {
            match Python::attach(|py| self.make(py, values, capacity, link)) {
                Ok(made) => {
                    discipline.object = Some((made.object, made.draws));
                    discipline.period = made.period;
                    queue = made.queue;
                }
                Err(error) => discipline.raise(error),
            }
        }
        match queue {
            Some(queue) => Queueing::at_departure(PythonDeparting::new(discipline, queue, link)),
            None => Queueing::at_arrival(discipline),
        }
    }
}

/// An instance and what belongs to it.
struct Made {
    object: Py<PyAny>,
    draws: Py<Draws>,
    period: Option<Span>,
    /// The queue of a discipline that decides at departure; `None` for others.
    queue: Option<Py<Queue>>,
}

impl Kind {
    fn make(&self, py: Python<'_>, values: &Values, capacity: Capacity, link: &LinkRate) -> PyResult<Made> {
        let attributes = PythonClass::parameters(py, self.descriptor, values)?;
        let queue = self.traits.departs.then(|| Py::new(py, Queue::default())).transpose()?;
        if let Some(queue) = &queue {
            attributes.set_item(intern!(py, "_queue"), queue)?;
        }
        let (capacity, link) = (records::Capacity(capacity), records::LinkRate(*link));
        let object = self.class.bind(py).call_method1(intern!(py, "_make"), (attributes, capacity, link))?;
        let period: Option<f64> = object.call_method0(intern!(py, "period"))?.extract()?;
        if let Some(period) = period.filter(|period| !PERIODS.contains(*period)) {
            let told = format!("its period is {period}, expected a number of seconds: {}", PERIODS.words());
            return Err(PyValueError::new_err(told));
        }
        let (object, draws) = (object.unbind(), Py::new(py, Draws)?);
        Ok(Made { object, draws, period: period.map(Span::from_seconds), queue })
    }
}

/// An instance at a link.
pub struct PythonDiscipline {
    /// `None` if the class could not make an instance.
    object: Option<(Py<PyAny>, Py<Draws>)>,
    /// The period at which the discipline is called; `None` if it has none.
    pub period: Option<Span>,
    whom: &'static str,
    publishes: bool,
    names: Arc<Names>,
    stop: Arc<Stop>,
}

impl PythonDiscipline {
    /// Records the exception and ends the run.
    pub fn raise(&self, error: PyErr) {
        self.stop.raise(&format!("the queue discipline {:?}", self.whom), error);
    }

    /// Calls Python code and returns its answer; `None` if the code raises, or if the run is ending and no
    /// code may be called.
    fn ask<T>(&self, question: impl FnOnce(&Bound<'_, PyAny>, &Py<Draws>) -> PyResult<T>) -> Option<T> {
        let (object, draws) = self.object.as_ref().filter(|_| !self.stop.is_set())?;
        Python::attach(|py| question(object.bind(py), draws)).map_err(|error| self.raise(error)).ok()
    }

    /// Calls Python code that may draw random numbers, as [`ask`](Self::ask) does.
    pub fn ask_with<T>(
        &self,
        random: &mut dyn Random,
        question: impl FnOnce(&Bound<'_, PyAny>, &Py<Draws>) -> PyResult<T>,
    ) -> Option<T> {
        lend(random, || self.ask(question))
    }

    /// Returns the Python object of an arriving packet and the discipline's verdict on it; `None` if the code
    /// raises.
    pub fn judge(
        &self,
        arrival: &Arrival,
        backlog: &Backlog,
        random: &mut dyn Random,
    ) -> Option<(Py<records::Arrival>, Verdict)> {
        self.ask_with(random, |object, draws| {
            let py = object.py();
            let arrival = Py::new(py, records::Arrival(*arrival))?;
            let told = (&arrival, records::Backlog(*backlog), draws);
            let verdict = verdict(&object.call_method1(intern!(py, "on_arrival"), told)?)?;
            Ok((arrival, verdict))
        })
    }

    /// Tells the object that a period has passed.
    pub fn tell_period(&self, now: Time, backlog: &Backlog) {
        let backlog = records::Backlog(*backlog);
        self.ask(|object, _| {
            object.call_method1(intern!(object.py(), "on_period"), (now.seconds(), backlog)).map(drop)
        });
    }

    /// Publishes the object's values if its class publishes any.
    pub fn show(&self, series: &mut dyn FnMut(&'static str, f64)) {
        if self.publishes {
            self.ask(|object, _| self.names.publish(object, series));
        }
    }
}

impl Discipline for PythonDiscipline {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        self.judge(arrival, backlog, random).map_or(Verdict::Admit, |(_, verdict)| verdict)
    }

    fn period(&self) -> Option<Span> {
        self.period
    }

    fn on_period(&mut self, now: Time, backlog: &Backlog) {
        self.tell_period(now, backlog);
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.show(series);
    }
}

fn verdict(told: &Bound<'_, PyAny>) -> PyResult<Verdict> {
    match told.extract::<String>().as_deref() {
        Ok("admit") => Ok(Verdict::Admit),
        Ok("mark") => Ok(Verdict::Mark),
        Ok("drop") => Ok(Verdict::Drop),
        _ => {
            let told = format!("its verdict is {}, expected \"admit\", \"mark\" or \"drop\"", told.repr()?);
            Err(PyValueError::new_err(told))
        }
    }
}
