//! A stack in a library: noq through the boundary does what noq does inside, to the byte count and the nanosecond.

mod bottleneck;

use ackclock_base::Time;
use ackclock_stacks::library::Library;
use ackclock_stacks::{Application, Control, Stack, noq};
use bottleneck::{Outcome, run};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The library that the example `noq_library` of this crate is.
fn path() -> PathBuf {
    let test = std::env::current_exe().expect("this test");
    let built = test.parent().and_then(|deps| deps.parent()).expect("the folder of the profile");
    built.join("examples/libnoq_library.so")
}

fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let facts = Library::inspect(&path(), &[]).expect("a library with a stack");
        let library = Library::new(path(), &[], facts).expect("a description");
        library.load().expect("the library that was inspected");
        library
    })
}

fn with(stack: &'static dyn Stack, control: &str, seed: u64, application: Application) -> Outcome {
    let name = format!("{}:{control}", stack.name());
    let own = stack.own().into_iter().find(|own| own.descriptor.name == name).expect("a control");
    run(stack, &Control::Own(own), seed, application)
}

#[test]
fn noq_through_the_boundary_is_noq_inside() {
    for control in ["cubic", "newreno"] {
        for application in [Application::Endless, Application::Bytes(1_000_000)] {
            for seed in [1, 2] {
                let inside = with(&noq::Noq, control, seed, application);
                assert_eq!(with(library(), control, seed, application), inside, "{control} {seed}");
                let ends = application == Application::Bytes(1_000_000);
                assert_eq!(inside.completed.is_some_and(|at| at > Time::ZERO), ends);
            }
        }
    }
}

#[test]
fn a_library_says_what_it_is() {
    let facts = Library::inspect(&path(), &[]).expect("a library with a stack");
    assert_eq!((facts.name.as_str(), facts.random.as_str()), ("noq-library", ""));
    assert_eq!(facts.controls, ["cubic", "newreno"]);
    let controls: Vec<_> = library().own().into_iter().map(|own| own.descriptor.name).collect();
    assert_eq!(controls, ["noq-library:cubic", "noq-library:newreno"]);
    assert!(Stack::facts(library()).is_none());
}

#[test]
fn what_is_no_library_with_a_stack_is_refused() {
    let refused = |path: &str, options: &[(String, String)]| {
        Library::inspect(path.as_ref(), options).expect_err("no such library")
    };
    let missing = refused("/nowhere/libmine.so", &[]);
    assert!(missing.starts_with("/nowhere/libmine.so: the library cannot be loaded: "), "{missing}");
    let unknown = refused(path().to_str().expect("UTF-8"), &[("colour".into(), "red".into())]);
    assert!(unknown.ends_with(": noq-library refuses: there is no option colour"), "{unknown}");
}
