//! Runs random scenarios under all [observations](observation). A run depends on its file and its seed alone,
//! so all numbers must be equal; the packet trace must obey physics and add up to the numbers.
//!
//! The program `soak` generates scenarios until its time or number is reached, shrinks one that fails and
//! writes it to a file. The fuzz target `scenario` checks its scenarios in the same way.

pub mod accounts;
pub mod apart;
pub mod check;
pub mod generate;
pub mod mutate;
pub mod observation;
pub mod random;
pub mod shrink;
pub mod small;
pub mod watch;
