//! Defines the interface to JavaScript: plain functions of numbers. JavaScript writes a request as JSON into
//! the memory that [`lab_room`] returns, and reads an answer at [`lab_answer`], where it stays until the next
//! call. At most one run is in progress at a time.
//!
//! wasm-bindgen is not used, because it needs a second program, of exactly the crate's version, to write
//! JavaScript after the build. These functions need neither, and the module imports nothing. There is no
//! unsafe block: texts stay in vectors that Rust owns. The lint refuses only the exported names of functions,
//! which every such interface needs.
#![expect(unsafe_code, reason = "a name that is exported counts as unsafe; there is no unsafe block")]

use crate::check::check;
use crate::run::{Refusal, Run, Wanted};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::cell::RefCell;

thread_local! {
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// The call succeeded, or the run continues.
const YES: i32 = 1;
/// The scenario is wrong, or the run has ended.
const NO: i32 = 0;
/// The call failed; the answer says why.
const FAILED: i32 = -1;

fn answer(value: &impl Serialize) {
    let text = serde_json::to_vec(value).unwrap_or_default();
    ANSWER.with_borrow_mut(|answer| *answer = text);
}

fn request<T: DeserializeOwned>() -> Result<T, Refusal> {
    let bytes = REQUEST.take();
    serde_json::from_slice(&bytes).map_err(|error| Refusal::Impossible(format!("not a request: {error}")))
}

fn done(outcome: Result<i32, Refusal>) -> i32 {
    outcome.unwrap_or_else(|refusal| {
        answer(&refusal.json());
        if matches!(refusal, Refusal::Wrong(_)) { NO } else { FAILED }
    })
}

/// Calls `of` with the run in progress; fails if there is none.
fn with_run<T>(of: impl FnOnce(&mut Run) -> Result<T, Refusal>) -> Result<T, Refusal> {
    let none = || Refusal::Impossible("there is no run in progress".to_owned());
    RUN.with_borrow_mut(|run| run.as_mut().ok_or_else(none).and_then(of))
}

/// Makes the message of a panic the answer before the module traps. Must be called once, before all other
/// functions.
#[unsafe(no_mangle)]
pub extern "C" fn lab_ready() {
    std::panic::set_hook(Box::new(|panic| answer(&panic.to_string())));
}

/// Allocates `length` bytes for the next request and returns their address.
#[unsafe(no_mangle)]
pub extern "C" fn lab_room(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        *request = vec![0; length];
        request.as_mut_ptr()
    })
}

/// Returns the address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn lab_answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// Returns the length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn lab_answer_length() -> usize {
    ANSWER.with_borrow(Vec::len)
}

/// Answers the registry and the fields of results.
#[unsafe(no_mangle)]
pub extern "C" fn lab_catalogue() {
    answer(&crate::catalogue());
}

/// Answers the problems of the requested scenario and its description.
#[unsafe(no_mangle)]
pub extern "C" fn lab_check() -> i32 {
    done(request::<Wanted>().map(|wanted| {
        answer(&check(&wanted.text, &wanted.overrides));
        YES
    }))
}

/// Drops the run before and begins the requested one. Returns 1 on success; 0 if the scenario is wrong, with
/// a list of problems as the answer; -1 if the scenario cannot be run, with the reason as the answer.
#[unsafe(no_mangle)]
pub extern "C" fn lab_begin() -> i32 {
    RUN.set(None);
    done(request::<Wanted>().and_then(|wanted| Run::begin(&wanted)).map(|run| {
        RUN.set(Some(run));
        YES
    }))
}

/// Processes this number of events of the run. Returns 1 if there are more events, 0 if the run has ended, -1
/// if it has failed.
#[unsafe(no_mangle)]
pub extern "C" fn lab_step(events: u32) -> i32 {
    done(with_run(|run| Ok(if run.step(events)? { YES } else { NO })))
}

/// Returns the fraction of the run's duration that has been simulated, from 0 to 1; 0 if there is no run.
#[unsafe(no_mangle)]
pub extern "C" fn lab_progress() -> f64 {
    with_run(|run| Ok(run.progress())).unwrap_or_default()
}

/// Returns how many packets have left the first link since the warm-up; 0 if there is no run.
#[unsafe(no_mangle)]
pub extern "C" fn lab_packets() -> f64 {
    with_run(|run| Ok(run.packets() as f64)).unwrap_or_default()
}

/// Answers the series from the sample with this number on; null if the run keeps no series or there is no
/// run.
#[unsafe(no_mangle)]
pub extern "C" fn lab_series_since(sample: usize) {
    answer(&with_run(|run| Ok(run.series_since(sample))).unwrap_or_default());
}

/// Ends the run and answers its result; null if there is no run.
#[unsafe(no_mangle)]
pub extern "C" fn lab_finish() {
    match RUN.take() {
        Some(run) => answer(&run.finish()),
        None => answer(&Value::Null),
    }
}

/// Drops the run.
#[unsafe(no_mangle)]
pub extern "C" fn lab_cancel() {
    RUN.set(None);
}
