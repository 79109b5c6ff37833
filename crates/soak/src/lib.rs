//! Random scenarios, each run in every way in which a run can be [observed](observation). A run depends on its file and its
//! seed alone, so all numbers must be equal; the packet trace must obey physics and add up to the numbers.
//!
//! The program `soak` generates scenarios for as long as it is told to, makes one that fails as small as it can, and writes it
//! to a file. The fuzz target `scenario` checks what it finds in the same way.

pub mod accounts;
pub mod check;
pub mod generate;
pub mod mutate;
pub mod observation;
pub mod random;
pub mod shrink;
pub mod small;
