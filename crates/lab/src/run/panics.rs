//! What a panic becomes where a run must not take others with it: an error of this run.
//!
//! A panic is a bug, of ackclock or of a control or stack that a user has built into it. Tests, the soak and the fuzz targets want
//! to see it, so only callers that run other people's code, and many runs, catch it.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// What the last panic said, and where; `None` while this thread is not to catch panics.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Calls `run`. Returns what its panic said, and where in the source, as the error; it is not printed.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            if !keep(panic) {
                print(panic);
            }
        }));
    });
    SAID.set(Some(String::new()));
    // What the run was working on is dropped with it.
    let result = catch_unwind(AssertUnwindSafe(run));
    let said = SAID.take().unwrap_or_default();
    result.map_err(|payload| if said.is_empty() { words(payload.as_ref()).to_owned() } else { said })
}

/// Keeps what a panic says. Returns whether this thread catches it.
fn keep(panic: &PanicHookInfo<'_>) -> bool {
    let place = panic.location().map(|place| format!(" at {}:{}", place.file(), place.line()));
    let text = format!("panicked{}: {}", place.unwrap_or_default(), words(panic.payload()));
    SAID.with_borrow_mut(|said| said.as_mut().map(|said| *said = text).is_some())
}

fn words(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_place() {
        let error = caught(|| panic!("the window is {}", 0)).expect_err("a panic");
        let place = format!("panicked at {}:", file!());
        assert!(error.starts_with(&place) && error.ends_with(": the window is 0"), "{error}");
        assert_eq!(
            caught(|| -> u32 { "x".parse().expect("a number") })
                .expect_err("a panic")
                .matches("a number")
                .count(),
            1
        );
    }

    #[test]
    fn what_does_not_panic_is_returned_and_later_panics_are_not_kept() {
        assert_eq!(caught(|| 7), Ok(7));
        assert!(SAID.with_borrow(Option::is_none));
    }
}
