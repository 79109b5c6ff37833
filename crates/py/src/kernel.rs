//! Recordings of the kernel's connections.

use crate::to_json;
use ackclock_kernel::{Offer, Recording};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

/// Feeds a recording to its controls, or to `controls` in their places. Returns a JSON object {about, events, connections,
/// differences: [{line, connection, recorded, decided}]}, where a decision is {cwnd, ssthresh, quantum, pacing_rate}. Raises ValueError if `text` is not a recording, if a control cannot
/// run under the kernel, or if `controls` names more or fewer controls than the recording has.
#[pyfunction]
pub fn replay(text: &str, controls: Vec<String>) -> PyResult<String> {
    let recording = Recording::parse(text).map_err(PyValueError::new_err)?;
    let recorded = &recording.about.controls;
    let named = if controls.is_empty() { recorded } else { &controls };
    if named.len() != recorded.len() {
        return Err(PyValueError::new_err(format!(
            "number of congestion controls: {} in the recording ({}), but {} in the command",
            recorded.len(),
            recorded.join(" "),
            named.len()
        )));
    }
    let offers = named.iter().map(|name| Offer::read(name)).collect::<Result<Vec<_>, _>>();
    let decided = recording.replay(offers.map_err(|refusal| PyValueError::new_err(refusal.to_string()))?);
    let mut connections: Vec<_> =
        recording.rows.iter().map(|row| (row.control, row.event.connection)).collect();
    connections.sort_unstable();
    connections.dedup();
    to_json(&json!({
        "about": recording.about,
        "events": recording.rows.len(),
        "connections": connections.len(),
        "differences": recording.differences(&decided),
    }))
}
