//! Lets congestion controls and queue disciplines be written in Python. A class is described once; each run
//! makes instances of it and gives them the same events as a control or discipline in Rust.

mod control;
mod departing;
mod discipline;
mod queue;
mod random;
mod records;
mod stop;

pub use stop::Stop;

use ackclock_base::ranges::quantity_words;
use ackclock_base::registry::Quantity;
use ackclock_base::{Descriptor, Kind, Parameter, Range, Value, Values};
use ackclock_lab::Plugins;
use ackclock_lab::language::registry;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use std::sync::{Arc, Mutex};

/// A class written in Python, with its description and the name by which scenarios refer to it.
#[pyclass(frozen)]
pub struct PythonClass {
    class: Py<PyAny>,
    /// Lives as long as the program, like the descriptors of the registry. It takes some hundred bytes for
    /// each class that is described.
    descriptor: &'static Descriptor,
    recovery: Option<&'static str>,
    traits: Traits,
    names: Arc<Names>,
}

#[derive(Clone, Debug)]
enum Traits {
    Control(control::Traits),
    Queue(discipline::Traits),
}

/// The description that a class gives of itself.
#[derive(Deserialize)]
struct Description {
    summary: String,
    parameters: Vec<Declared>,
    control: Option<control::Traits>,
    queue: Option<discipline::Traits>,
}

/// A parameter as the class declares it.
#[derive(Deserialize)]
struct Declared {
    name: String,
    about: String,
    unit: String,
    default: Option<String>,
    choices: Vec<String>,
    above: Option<f64>,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

#[pymethods]
impl PythonClass {
    /// Describes a class. Raises ValueError if the description is invalid.
    #[new]
    fn new(name: String, class: Py<PyAny>, description: &str) -> PyResult<Self> {
        let refuse = |error: serde_json::Error| PyValueError::new_err(format!("{name}: {error}"));
        let described: Description = serde_json::from_str(description).map_err(refuse)?;
        let (kind, traits, known) = match (described.control, described.queue) {
            (Some(traits), _) => (Kind::Control, Traits::Control(traits), registry::controls()),
            (None, Some(traits)) => (Kind::Queue, Traits::Queue(traits), registry::queues()),
            (None, None) => {
                return Err(PyValueError::new_err(format!(
                    "{name} is neither a congestion control nor a queue discipline, expected one of the two"
                )));
            }
        };
        if known.iter().any(|descriptor| descriptor.name == name) {
            let told = format!("a {} {name:?} exists already; choose another name", kind.name());
            return Err(PyValueError::new_err(told));
        }
        let recovery = match &traits {
            Traits::Control(control::Traits { recovery: Some(rule), .. }) => Some(known_rule(rule)?),
            _ => None,
        };
        let parameters: Vec<Parameter> =
            described.parameters.into_iter().map(read).collect::<PyResult<_>>()?;
        let descriptor = Box::leak(Box::new(Descriptor {
            kind,
            name: name.leak(),
            summary: described.summary.leak(),
            source: "Python",
            parameters: parameters.leak(),
            presets: &[],
        }));
        Ok(Self { class, descriptor, recovery, traits, names: Arc::default() })
    }
}

/// Returns the retransmission rule with this name, one of those that registered controls are published with.
fn known_rule(name: &str) -> PyResult<&'static str> {
    let mut rules: Vec<_> =
        ackclock_cc::registry::CONTROLS.iter().filter_map(|entry| entry.published.recovery).collect();
    rules.sort_unstable();
    rules.dedup();
    let found = rules.iter().find(|rule| **rule == name).copied();
    found.ok_or_else(|| {
        PyValueError::new_err(format!(
            "there is no retransmission rule {name:?}, expected one of {}",
            rules.join(", ")
        ))
    })
}

/// Makes a parameter from its declaration. Its default must be a valid value.
fn read(declared: Declared) -> PyResult<Parameter> {
    let Declared { name, about, unit, default, choices, above, at_least, at_most } = declared;
    let quantity = match unit.as_str() {
        "number" => Quantity::Number,
        "integer" => Quantity::Integer,
        "flag" => Quantity::Flag,
        "time" => Quantity::Time,
        "rate" => Quantity::Rate,
        "size" => Quantity::Size,
        "packets" => Quantity::Packets,
        _ => Quantity::Choice(choices.into_iter().map(|word| &*word.leak()).collect::<Vec<_>>().leak()),
    };
    let range = Range {
        min: above.or(at_least).unwrap_or(f64::MIN),
        max: at_most.unwrap_or(f64::MAX),
        above_min: above.is_some(),
    };
    if let Some(default) = &default {
        let refuse = |expected: &str| {
            PyValueError::new_err(format!("the default of {name} is {default}, expected {expected}"))
        };
        let value = quantity.read(default).map_err(|misspelt| refuse(&misspelt.expected))?;
        if value.base().is_some_and(|base| !range.contains(base)) {
            return Err(refuse(&quantity_words(quantity, &range)));
        }
    }
    let default = default.map_or(Parameter::NONE, |default| &*default.leak());
    Ok(Parameter { name: name.leak(), summary: about.leak(), quantity, default, range, source: "Python" })
}

/// What the user adds to the registries for a scenario.
#[derive(FromPyObject)]
pub enum Plugin {
    /// A class written in Python.
    Class(Py<PythonClass>),
    /// A stack in a library.
    #[cfg(feature = "stacks")]
    Stack(Py<crate::library::StackLibrary>),
}

impl Plugin {
    /// Makes the kinds of controls, disciplines and transports that a run with these plugins can use.
    pub fn kinds(py: Python<'_>, given: &[Self], stop: &Arc<Stop>) -> PyResult<Plugins> {
        let mut plugins = Plugins::default();
        for one in given {
            let one = match one {
                Self::Class(class) => class,
                #[cfg(feature = "stacks")]
                Self::Stack(library) => {
                    plugins.transports.push(library.get().transport()?);
                    continue;
                }
            };
            let PythonClass { class, descriptor, recovery, traits, names } = one.get();
            let (class, descriptor, recovery) = (class.clone_ref(py), *descriptor, *recovery);
            let (names, stop) = (Arc::clone(names), Arc::clone(stop));
            match traits.clone() {
                Traits::Control(traits) => {
                    let kind = control::Kind { class, descriptor, recovery, traits, names, stop };
                    plugins.controls.push(Arc::new(kind));
                }
                Traits::Queue(traits) => {
                    plugins.queues.push(Arc::new(discipline::Kind {
                        class,
                        descriptor,
                        traits,
                        names,
                        stop,
                    }));
                }
            }
        }
        Ok(plugins)
    }
}

impl PythonClass {
    /// Returns the values of parameters by name, in base units.
    fn parameters<'py>(
        py: Python<'py>,
        descriptor: &Descriptor,
        values: &Values,
    ) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (parameter, value) in descriptor.parameters.iter().zip(values.iter()) {
            let name = parameter.name;
            match value {
                Value::Absent | Value::Limit(_) | Value::File => dict.set_item(name, py.None())?,
                Value::Number(number) | Value::Packets(number) => dict.set_item(name, number)?,
                Value::Integer(number) => dict.set_item(name, number)?,
                Value::Flag(flag) => dict.set_item(name, flag)?,
                Value::Time(span) => dict.set_item(name, span.seconds())?,
                Value::Rate(rate) => dict.set_item(name, rate.bits_per_second())?,
                Value::Size(size) => dict.set_item(name, size.bytes())?,
                Value::Choice(word) => dict.set_item(name, word)?,
            }
        }
        Ok(dict)
    }
}

/// The names under which a class publishes values. Each name lives as long as the program.
#[derive(Debug, Default)]
pub struct Names(Mutex<Vec<&'static str>>);

impl Names {
    /// The greatest number of names. More are a mistake, such as a name that contains the time.
    const MOST: usize = 64;

    /// Publishes the values that the object's `publish` returns.
    fn publish(&self, object: &Bound<'_, PyAny>, series: &mut dyn FnMut(&'static str, f64)) -> PyResult<()> {
        let shown = object.call_method0(intern!(object.py(), "publish"))?;
        let shown =
            shown.cast::<PyDict>().map_err(|_| PyValueError::new_err("publish must return a dict"))?;
        for (name, value) in shown.iter() {
            series(self.keep(&name.extract::<String>()?)?, value.extract()?);
        }
        Ok(())
    }

    fn keep(&self, name: &str) -> PyResult<&'static str> {
        let mut names =
            self.0.lock().map_err(|_| PyValueError::new_err("`publish` failed in another thread"))?;
        if let Some(kept) = names.iter().find(|kept| **kept == name) {
            return Ok(kept);
        }
        if names.len() == Self::MOST {
            let told = format!("publish returned more than {} different names, such as {name:?}", Self::MOST);
            return Err(PyValueError::new_err(told));
        }
        names.push(name.to_owned().leak());
        Ok(names[names.len() - 1])
    }
}

/// Adds the classes that Python code uses to the module.
pub fn add_classes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PythonClass>()?;
    module.add_class::<random::Draws>()?;
    module.add_class::<queue::Queue>()?;
    records::add_classes(module)
}
