//! The window laws, one file each. To add one: write its file here, and its line in [`crate::registry`].

pub mod cubic;
pub mod rbcc;
pub mod reno;
pub mod vegas;
