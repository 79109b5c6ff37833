//! Passes columns of numbers to Python as a record batch, which any reader of the [Arrow PyCapsule
//! interface](https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html) takes without
//! copying.

use ackclock_lab::run::TraceResult;
use ackclock_lab::run::exports::Exported;
use ackclock_lab::run::result::SeriesResult;
use arrow_array::ffi::{FFI_ArrowArray, to_ffi};
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, RecordBatch, StructArray, UInt32Array,
    UInt64Array,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Arc;

/// A column of words with few different values.
type Words = DictionaryArray<Int32Type>;

/// Columns of one length. `polars.DataFrame(columns)` and similar libraries make a table of them.
#[pyclass(frozen)]
pub struct Columns(RecordBatch);

impl Columns {
    /// Returns the series of a run: `time_s`, `flows.FLOW.QUANTITY`, `links.LINK.QUANTITY`; null where a
    /// quantity had no value.
    pub fn of_series(series: SeriesResult) -> Result<Self, ArrowError> {
        let columns = series.columns().into_iter().map(|(name, values)| (name, numbers(values)));
        Self::of(columns.collect())
    }

    /// Returns a packet trace in the order of time: `time_ns`, `flow`, `backward`, `packet`, `bytes`, `event`
    /// and `link`, which is null for events at an endpoint.
    pub fn of_trace(trace: TraceResult) -> Result<Self, ArrowError> {
        let TraceResult { mut records, flows, links } = trace;
        // The trace is in the order of processing, which is the order of time only within each link and
        // endpoint.
        records.sort_by_key(|record| record.time_ns);
        let all = || records.iter();
        let flow =
            Words::from_iter(all().map(|record| flows.get(record.path as usize / 2).map(String::as_str)));
        Self::of(vec![
            ("time_ns".to_owned(), Arc::new(UInt64Array::from_iter_values(all().map(|r| r.time_ns)))),
            ("flow".to_owned(), Arc::new(flow)),
            ("backward".to_owned(), Arc::new(BooleanArray::from_iter(all().map(|r| Some(r.path % 2 == 1))))),
            ("packet".to_owned(), Arc::new(UInt64Array::from_iter_values(all().map(|r| r.packet)))),
            ("bytes".to_owned(), Arc::new(UInt32Array::from_iter_values(all().map(|r| r.bytes)))),
            ("event".to_owned(), Arc::new(Words::from_iter(all().map(|r| r.event.name())))),
            (
                "link".to_owned(),
                Arc::new(Words::from_iter(
                    all().map(|r| links.get(r.event.link()? as usize).map(String::as_str)),
                )),
            ),
        ])
    }

    /// Returns an event log: `time_s`, `flow`, `event`, and a column for each quantity; null where a quantity
    /// does not apply. `None` if the run kept no log.
    pub fn of_events(exported: &mut Exported) -> Option<Result<Self, ArrowError>> {
        let table = exported.events.take()?;
        let flow = Words::from_iter(table.row.iter().map(|row| exported.rows.get(*row).map(String::as_str)));
        let event = Words::from_iter(table.event.iter().copied());
        let seconds = table.time_ns.iter().map(|time| *time as f64 / 1e9);
        let mut columns: Vec<(String, ArrayRef)> = vec![
            ("time_s".to_owned(), Arc::new(Float64Array::from_iter_values(seconds))),
            ("flow".to_owned(), Arc::new(flow)),
            ("event".to_owned(), Arc::new(event)),
        ];
        columns.extend(table.numbers.into_iter().map(|(name, values)| (name, numbers(values))));
        Some(Self::of(columns))
    }

    /// Makes columns of one length from their names and values.
    pub fn of(columns: Vec<(String, ArrayRef)>) -> Result<Self, ArrowError> {
        let field = |(name, values): &(String, ArrayRef)| Field::new(name, values.data_type().clone(), true);
        let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
        let values = columns.into_iter().map(|(_, values)| values).collect();
        RecordBatch::try_new(Arc::new(schema), values).map(Self)
    }
}

/// Makes a column in which NaN and infinite values are null, as in JSON.
fn numbers(values: Vec<f64>) -> ArrayRef {
    if values.iter().all(|value| value.is_finite()) {
        return Arc::new(Float64Array::from(values));
    }
    let present = values.iter().map(|value| value.is_finite()).collect();
    Arc::new(Float64Array::new(values.into(), Some(present)))
}

#[pymethods]
impl Columns {
    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// Returns the type of the columns.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = DataType::Struct(self.0.schema().fields().clone());
        schema_capsule(py, FFI_ArrowSchema::try_from(&schema).map_err(refuse)?)
    }

    /// Returns the type of the columns and the columns. Ignores a requested type, as the interface allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema);
        let columns = StructArray::from(self.0.clone());
        let (array, schema) = to_ffi(&columns.to_data()).map_err(refuse)?;
        Ok((schema_capsule(py, schema)?, array_capsule(py, array)?))
    }
}

fn schema_capsule(py: Python<'_>, schema: FFI_ArrowSchema) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

fn array_capsule(py: Python<'_>, array: FFI_ArrowArray) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, array, c"arrow_array")
}

/// Converts an error of Arrow to a RuntimeError.
pub fn refuse(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
