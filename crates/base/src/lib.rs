//! What every ackclock crate shares.
//!
//! * [`quantity`]: time, rates and sizes as types, in integers.
//! * [`spelling`]: how those quantities are written ("10 Mbit/s", "40 ms", "1 bdp").
//! * [`registry`]: the description of a named thing and its parameters. One description serves the scenario
//!   language, `ackclock list` and the documentation.
//! * [`declare`]: that description, declared beside the fields that the parameters fill.
//! * [`random`]: randomness as an argument.
//! * [`trace`]: the format of a packet trace.

pub mod declare;
pub mod quantity;
pub mod random;
pub mod registry;
pub mod spelling;
pub mod trace;

pub use quantity::{Packets, Rate, Size, Span, Time, at_least, at_most};
pub use random::Random;
pub use registry::{Descriptor, Kind, Parameter, Quantity, Range, Value, Values};
