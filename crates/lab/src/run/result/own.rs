//! The record that a transport adds to the results of its flows. The transport declares and fills it; results know only its fields.

use super::declared::{Declared, Field};
use crate::transports::TRANSPORTS;
use ackclock_base::Time;
use ackclock_sim::flow::Flow;
use ackclock_sim::measure::Interval;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, to_value};
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// What a transport adds to the result of a flow.
#[derive(Clone, Debug)]
pub struct OwnResult(Arc<dyn Record>);

trait Record: Any + Debug + Send + Sync {
    /// Returns the fields in the order of their declaration.
    fn entries(&self) -> Vec<(&'static str, Value)>;
}

impl<T: Declared + Serialize + Debug + Send + Sync + 'static> Record for T {
    fn entries(&self) -> Vec<(&'static str, Value)> {
        let mut written = to_value(self).expect("a record of numbers and texts can be written as JSON");
        let take = |field: Field| Some((field.name, written.get_mut(field.name)?.take()));
        Self::fields().into_iter().filter_map(take).collect()
    }
}

impl OwnResult {
    /// Returns the result that a declared record makes.
    pub fn of<T: Declared + Serialize + Debug + Send + Sync + 'static>(record: T) -> Self {
        Self(Arc::new(record))
    }

    /// Returns the record as one of this type; `None` if it is of another transport.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        let record: &dyn Any = &*self.0;
        record.downcast_ref()
    }
}

impl Serialize for OwnResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = self.0.entries();
        let mut map = serializer.serialize_map(Some(entries.len()))?;
        for (name, value) in entries {
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}

impl Declared for OwnResult {
    /// Returns the fields of every transport, in the order of transports.
    fn fields() -> Vec<Field> {
        TRANSPORTS.iter().flat_map(|transport| transport.result_fields()).collect()
    }
}

/// The times of a flow, for what its transport adds to its result.
#[derive(Clone, Copy, Debug)]
pub struct FlowTimes {
    /// The time at which the flow began.
    pub start: Time,
    /// The time at which its application stops.
    pub stop: Time,
    /// The measured interval of the run.
    pub measured: Interval,
}

impl FlowTimes {
    /// Returns the times of a flow.
    pub fn of(flow: &Flow, measured: Interval) -> Self {
        Self { start: flow.start, stop: flow.stop, measured }
    }

    /// Returns for how many seconds of measured time the flow has existed.
    pub fn lived_s(&self) -> f64 {
        self.measured.to.since(self.measured.from.max(self.start)).seconds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::result::FlowResult;
    use serde_json::json;

    crate::run::result::declared::records! {
        /// A record of some transport.
        pub struct Toy {
            /// the first
            zeal_s: f64;
            /// the second, which may be absent
            asked: crate::run::result::declared::Asked<f64>;
            /// the last
            ardour: Option<String>;
        }
    }

    #[test]
    fn a_record_is_written_among_the_fields_of_its_flow_in_the_order_of_its_declaration() {
        let own = OwnResult::of(Toy { zeal_s: 0.1, ..Toy::default() });
        assert_eq!(serde_json::to_string(&own).expect("JSON"), r#"{"zeal_s":0.1,"ardour":null}"#);
        assert_eq!(own.get::<Toy>().map(|toy| toy.zeal_s), Some(0.1));
        assert!(own.get::<String>().is_none());
        let flow = json!(FlowResult { own: Some(own), ..FlowResult::default() });
        assert_eq!((flow["zeal_s"].as_f64(), flow["ardour"].is_null()), (Some(0.1), true));
    }
}
