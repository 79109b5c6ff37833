//! Lets a Python object act as a congestion control.

use super::random::{Draws, lend};
use super::records;
use super::stop::Stop;
use super::{Names, PythonClass};
use ackclock_base::{Descriptor, Packets, Random, Rate, Values};
use ackclock_cc::control as cc;
use ackclock_cc::control::{Control, Decision, WindowControl};
use ackclock_cc::entry::{Plugin, PublishedDefaults};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde::Deserialize;
use std::sync::Arc;

/// What a class declares about its instances, so that they need not be asked.
#[derive(Clone, Debug, Deserialize)]
pub struct Traits {
    /// The retransmission rule that the control is published with; `None` for the scenario's default.
    pub recovery: Option<String>,
    /// Whether parts around the control may set its window.
    pub has_window: bool,
    /// Whether the control counts marks.
    pub counts_marks: bool,
    pub draws_unseeded: bool,
    /// Which sent packets the control is told of: "nothing", "restarts" or "everything".
    pub follows_sending: String,
    /// The optional events that the class hears.
    pub hears: Hears,
}

/// Whether a class hears each of the optional events.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Hears {
    on_change: bool,
    on_lost: bool,
    on_recovered: bool,
    publish: bool,
}

/// A class that scenarios can name.
#[derive(Debug)]
pub struct Kind {
    pub class: Py<PyAny>,
    pub descriptor: &'static Descriptor,
    pub recovery: Option<&'static str>,
    pub traits: Traits,
    pub names: Arc<Names>,
    pub stop: Arc<Stop>,
}

impl Plugin for Kind {
    fn descriptor(&self) -> &'static Descriptor {
        self.descriptor
    }

    fn published(&self) -> PublishedDefaults {
        PublishedDefaults { recovery: self.recovery, ..PublishedDefaults::NONE }
    }

    fn has_window(&self) -> bool {
        self.traits.has_window
    }

    fn draws_unseeded(&self) -> bool {
        self.traits.draws_unseeded
    }

    fn build(&self, values: &Values, initial: &cc::Initial) -> Box<dyn WindowControl> {
        Box::new(PythonControl::new(self, values, initial))
    }
}

/// An instance in a connection. It is asked for its decision after each event; the decision is kept, because
/// a host needs it for each packet.
struct PythonControl {
    /// `None` if the class could not make an instance.
    object: Option<Py<PyAny>>,
    draws: Option<Py<Draws>>,
    decision: Decision,
    whom: &'static str,
    traits: Traits,
    names: Arc<Names>,
    stop: Arc<Stop>,
}

impl PythonControl {
    fn new(kind: &Kind, values: &Values, initial: &cc::Initial) -> Self {
        let mut control = Self {
            object: None,
            draws: None,
            decision: Decision::window(initial.window, initial.ssthresh),
            whom: kind.descriptor.name,
            traits: kind.traits.clone(),
            names: Arc::clone(&kind.names),
            stop: Arc::clone(&kind.stop),
        };
        if !kind.stop.is_set() {
            let made = Python::attach(|py| {
                let parameters = PythonClass::parameters(py, kind.descriptor, values)?;
                let object = kind.class.bind(py);
                let object =
                    object.call_method1(intern!(py, "_make"), (parameters, records::Initial(*initial)))?;
                Ok((object.unbind(), Py::new(py, Draws)?))
            });
            match made {
                Ok((object, draws)) => (control.object, control.draws) = (Some(object), Some(draws)),
                Err(error) => control.raise(error),
            }
            control.hear(|_| Ok(()));
        }
        control
    }

    fn raise(&self, error: PyErr) {
        self.stop.raise(&format!("the control {:?}", self.whom), error);
    }

    /// Calls the object with an event and then asks for its decision.
    fn hear(&mut self, event: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<()>) {
        let Some(object) = self.object.as_ref().filter(|_| !self.stop.is_set()) else { return };
        let heard = Python::attach(|py| {
            let object = object.bind(py);
            event(object)?;
            decision(object)
        });
        match heard {
            Ok(decision) => self.decision = decision,
            Err(error) => self.raise(error),
        }
    }

    /// Calls the object's method with a record and random numbers, and then asks for its decision.
    fn hear_drawing<Record>(
        &mut self,
        name: fn(Python<'_>) -> &Bound<'_, PyString>,
        record: Record,
        random: &mut dyn Random,
    ) where
        Record: for<'py> IntoPyObject<'py>,
    {
        let Some(draws) = &self.draws else { return };
        let draws = Python::attach(|py| draws.clone_ref(py));
        lend(random, || {
            self.hear(|object| object.call_method1(name(object.py()), (record, draws)).map(drop));
        });
    }
}

/// Reads the decision of an object. A decision that no host could follow is an error.
fn decision(object: &Bound<'_, PyAny>) -> PyResult<Decision> {
    const MOST_PACKETS: f64 = 1e9;
    let py = object.py();
    let told = object.call_method0(intern!(py, "decision"))?;
    let parts = told.extract().map_err(|_| {
        let found = told.repr().map_or_else(|_| "something else".to_owned(), |text| text.to_string());
        PyValueError::new_err(format!("its decision is {found}, expected an ackclock.Decision"))
    })?;
    let (cwnd, ssthresh, pacing_rate, send_quantum): (f64, f64, Option<f64>, Option<u32>) = parts;
    let refuse = |what: &str, found: String, expected: &str| {
        Err(PyValueError::new_err(format!("its decision has {what} {found}, expected {expected}")))
    };
    if !(cwnd > 0.0 && cwnd <= MOST_PACKETS) {
        return refuse("cwnd", cwnd.to_string(), "a number of packets above 0 and at most 1e9");
    }
    if ssthresh.is_nan() || ssthresh <= 0.0 {
        return refuse("ssthresh", ssthresh.to_string(), "a number of packets above 0, or infinity");
    }
    if let Some(rate) = pacing_rate.filter(|rate| !(*rate >= 1.0 && *rate <= 1e15)) {
        return refuse("pacing_rate", rate.to_string(), "bits per second from 1 to 1e15, or None");
    }
    if send_quantum == Some(0) {
        return refuse("send_quantum", "0".to_owned(), "a number of packets of at least 1, or None");
    }
    let pacing_rate = pacing_rate.map(|rate| Rate::from_bits_per_second(rate as u64));
    Ok(Decision { cwnd, ssthresh, pacing_rate, send_quantum })
}

impl Control for PythonControl {
    fn decision(&self) -> Decision {
        self.decision
    }

    /// Always shared, because instances of a Python class may share state.
    fn properties(&self) -> cc::Properties {
        let traits = &self.traits;
        let follows = match traits.follows_sending.as_str() {
            "everything" => cc::Follows::Everything,
            "restarts" => cc::Follows::Restarts,
            _ => cc::Follows::Nothing,
        };
        let ecn = if traits.counts_marks { cc::EcnResponse::Counts } else { cc::EcnResponse::AsLoss };
        cc::Properties { ecn, shared: true, follows }
    }

    fn on_change(&mut self, change: &cc::Change) {
        if self.traits.hears.on_change {
            let change = records::Change(*change);
            self.hear(|object| object.call_method1(intern!(object.py(), "on_change"), (change,)).map(drop));
        }
    }

    fn on_sent(&mut self, sent: &cc::Sent, random: &mut dyn Random) {
        self.hear_drawing(|py| intern!(py, "on_sent"), records::Sent(*sent), random);
    }

    fn on_ack(&mut self, ack: &cc::Ack, random: &mut dyn Random) {
        self.hear_drawing(|py| intern!(py, "on_ack"), records::Ack(*ack), random);
    }

    fn on_lost(&mut self, lost: &cc::Lost, random: &mut dyn Random) {
        if self.traits.hears.on_lost {
            self.hear_drawing(|py| intern!(py, "on_lost"), records::Lost(*lost), random);
        }
    }

    fn on_loss(&mut self, loss: &cc::Loss, random: &mut dyn Random) {
        self.hear_drawing(|py| intern!(py, "on_loss"), records::Loss(*loss), random);
    }

    fn on_timeout(&mut self, timeout: &cc::Timeout, random: &mut dyn Random) {
        self.hear_drawing(|py| intern!(py, "on_timeout"), records::Timeout(*timeout), random);
    }

    fn on_recovered(&mut self, recovered: &cc::Recovered) {
        if self.traits.hears.on_recovered {
            let recovered = records::Recovered(*recovered);
            self.hear(|object| {
                object.call_method1(intern!(object.py(), "on_recovered"), (recovered,)).map(drop)
            });
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        let Some(object) = self.object.as_ref().filter(|_| self.traits.hears.publish && !self.stop.is_set())
        else {
            return;
        };
        if let Err(error) = Python::attach(|py| self.names.publish(object.bind(py), series)) {
            self.raise(error);
        }
    }
}

impl WindowControl for PythonControl {
    fn set_cwnd(&mut self, cwnd: Packets) {
        self.hear(|object| object.call_method1(intern!(object.py(), "set_cwnd"), (cwnd,)).map(drop));
    }

    fn set_ssthresh(&mut self, ssthresh: Packets) {
        self.hear(|object| object.call_method1(intern!(object.py(), "set_ssthresh"), (ssthresh,)).map(drop));
    }
}
