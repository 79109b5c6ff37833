//! Holds what all ackclock crates share.
//!
//! * [`quantity`] holds types for time, rates and sizes, which count in integers.
//! * [`spelling`] reads and writes these quantities ("10 Mbit/s", "40 ms", "1 bdp").
//! * [`registry`] describes a named algorithm and its parameters. The scenario language, `ackclock list` and
//!   the documentation all read this description.
//! * [`declare`] declares that description beside the fields that the parameters fill.
//! * [`random`] holds the trait of sources of random numbers.
//! * [`trace`] defines the format of a packet trace. [`link`] declares what a link may do to a packet.

pub mod declare;
pub mod link;
pub mod quantity;
pub mod random;
pub mod ranges;
pub mod registry;
pub mod spelling;
pub mod trace;

pub use quantity::{Packets, Rate, Size, Span, Time, at_least, at_most};
pub use random::Random;
pub use registry::{Descriptor, Kind, Parameter, Quantity, Range, Value, Values};

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
