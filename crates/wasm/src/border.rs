//! The border to JavaScript: plain functions over numbers. A text goes in as JSON that is written into the room that
//! [`lab_room`] makes; an answer lies at [`lab_answer`] until the next call. There is one run at a time.
//!
//! Why not wasm-bindgen: it needs a second program, of just the version that the crate has, to write JavaScript after the build.
//! These functions need neither, and the module imports nothing. No line here is unsafe: texts stay in vectors that Rust
//! owns. What the lint refuses is giving a function a name that others can call it by, which every border has to.
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

/// It was done, or goes on.
const YES: i32 = 1;
/// It was not done, or is over.
const NO: i32 = 0;
/// It cannot be done; the answer says why.
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

/// What `of` makes of the run that is under way.
fn with_run<T>(of: impl FnOnce(&mut Run) -> Result<T, Refusal>) -> Result<T, Refusal> {
    let none = || Refusal::Impossible("no run is under way".to_owned());
    RUN.with_borrow_mut(|run| run.as_mut().ok_or_else(none).and_then(of))
}

/// Once, before anything else: the message of a panic becomes the answer before the module traps.
#[unsafe(no_mangle)]
pub extern "C" fn lab_ready() {
    std::panic::set_hook(Box::new(|panic| answer(&panic.to_string())));
}

/// Room for a request of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn lab_room(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        *request = vec![0; length];
        request.as_mut_ptr()
    })
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn lab_answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// How long it is.
#[unsafe(no_mangle)]
pub extern "C" fn lab_answer_length() -> usize {
    ANSWER.with_borrow(Vec::len)
}

/// Answers what scenarios and results can hold.
#[unsafe(no_mangle)]
pub extern "C" fn lab_catalogue() {
    answer(&crate::catalogue());
}

/// Answers what is wrong with the scenario of the request and what it comes to.
#[unsafe(no_mangle)]
pub extern "C" fn lab_check() -> i32 {
    done(request::<Wanted>().map(|wanted| {
        answer(&check(&wanted.text, &wanted.overrides));
        YES
    }))
}

/// Begins the run of the request: 1; 0 where its scenario is wrong, and the answer is a list of problems; -1 where it cannot
/// be run, and the answer says why. Drops the run before.
#[unsafe(no_mangle)]
pub extern "C" fn lab_begin() -> i32 {
    RUN.set(None);
    done(request::<Wanted>().and_then(|wanted| Run::begin(&wanted)).map(|run| {
        RUN.set(Some(run));
        YES
    }))
}

/// Serves so many events of the run: 1 where there are more, 0 where it is over, -1 where it cannot go on.
#[unsafe(no_mangle)]
pub extern "C" fn lab_step(events: u32) -> i32 {
    done(with_run(|run| Ok(if run.step(events)? { YES } else { NO })))
}

/// How much of the run's time has passed, 0 to 1.
#[unsafe(no_mangle)]
pub extern "C" fn lab_progress() -> f64 {
    with_run(|run| Ok(run.progress())).unwrap_or_default()
}

/// How many packets have left the first link.
#[unsafe(no_mangle)]
pub extern "C" fn lab_packets() -> f64 {
    with_run(|run| Ok(run.packets() as f64)).unwrap_or_default()
}

/// Answers what has been sampled from the sample of this number on; null where nothing is.
#[unsafe(no_mangle)]
pub extern "C" fn lab_series_since(sample: usize) {
    answer(&with_run(|run| Ok(run.series_since(sample))).unwrap_or_default());
}

/// Ends the run and answers its result.
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
