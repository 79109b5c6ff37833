//! A queue discipline whose arrivals Python code judges.

use super::random::{Draws, lend};
use super::records;
use super::stop::Stop;
use super::{Guest, Names};
use ackclock_aqm::entry::{Brought, PERIODS};
use ackclock_aqm::{Arrival, Backlog, Capacity, Discipline, LinkRate, Queueing, Service, Verdict};
use ackclock_base::{Descriptor, Random, Span, Time, Values};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use serde::Deserialize;
use std::sync::Arc;

/// What the class says about its instances.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Traits {
    /// Whether it has something to show.
    pub publish: bool,
}

/// A class in a run.
#[derive(Debug)]
pub struct Kind {
    pub class: Py<PyAny>,
    pub descriptor: &'static Descriptor,
    pub traits: Traits,
    pub names: Arc<Names>,
    pub stop: Arc<Stop>,
}

impl Brought for Kind {
    fn descriptor(&self) -> &'static Descriptor {
        self.descriptor
    }

    fn service(&self) -> Service {
        Service::IN_ORDER
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
        if !self.stop.is_set() {
            match Python::attach(|py| self.make(py, values, capacity, link)) {
                Ok((object, draws, period)) => {
                    discipline.object = Some((object, draws));
                    discipline.period = period;
                }
                Err(error) => discipline.raise(error),
            }
        }
        Queueing::at_arrival(discipline)
    }
}

impl Kind {
    fn make(
        &self,
        py: Python<'_>,
        values: &Values,
        capacity: Capacity,
        link: &LinkRate,
    ) -> PyResult<(Py<PyAny>, Py<Draws>, Option<Span>)> {
        let parameters = Guest::parameters(py, self.descriptor, values)?;
        let (capacity, link) = (records::Capacity(capacity), records::LinkRate(*link));
        let object = self.class.bind(py).call_method1(intern!(py, "_make"), (parameters, capacity, link))?;
        let period: Option<f64> = object.call_method0(intern!(py, "period"))?.extract()?;
        if let Some(period) = period.filter(|period| !PERIODS.contains(*period)) {
            let told = format!("its period is {period}, expected seconds {}", PERIODS.words());
            return Err(PyValueError::new_err(told));
        }
        Ok((object.unbind(), Py::new(py, Draws)?, period.map(Span::from_seconds)))
    }
}

/// An instance at a link.
struct PythonDiscipline {
    /// None where the class could not make one.
    object: Option<(Py<PyAny>, Py<Draws>)>,
    period: Option<Span>,
    whom: &'static str,
    publishes: bool,
    names: Arc<Names>,
    stop: Arc<Stop>,
}

impl PythonDiscipline {
    fn raise(&self, error: PyErr) {
        self.stop.raise(&format!("the queue discipline {:?}", self.whom), error);
    }

    /// What Python code answers; `None` where it raises, or must not be called any more.
    fn ask<T>(&self, question: impl FnOnce(&Bound<'_, PyAny>, &Py<Draws>) -> PyResult<T>) -> Option<T> {
        let (object, draws) = self.object.as_ref().filter(|_| !self.stop.is_set())?;
        Python::attach(|py| question(object.bind(py), draws)).map_err(|error| self.raise(error)).ok()
    }
}

impl Discipline for PythonDiscipline {
    fn on_arrival(&mut self, arrival: &Arrival, backlog: &Backlog, random: &mut dyn Random) -> Verdict {
        let (arrival, backlog) = (records::Arrival(*arrival), records::Backlog(*backlog));
        let verdict = lend(random, || {
            self.ask(|object, draws| {
                let name = intern!(object.py(), "on_arrival");
                verdict(&object.call_method1(name, (arrival, backlog, draws))?)
            })
        });
        verdict.unwrap_or(Verdict::Admit)
    }

    fn period(&self) -> Option<Span> {
        self.period
    }

    fn on_period(&mut self, now: Time, backlog: &Backlog) {
        let backlog = records::Backlog(*backlog);
        self.ask(|object, _| {
            object.call_method1(intern!(object.py(), "on_period"), (now.seconds(), backlog)).map(drop)
        });
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        if self.publishes {
            self.ask(|object, _| self.names.publish(object, series));
        }
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
