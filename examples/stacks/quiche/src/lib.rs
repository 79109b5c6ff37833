//! Puts quiche, whose functions for C have names of their own, into one archive.

pub use quiche;
