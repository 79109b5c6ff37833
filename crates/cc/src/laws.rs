//! The window laws, one file each. To add one: write its file here, and its line in [`crate::registry`].

pub mod a_tcp;
pub mod adaptive_strength;
pub mod cubic;
pub mod dca;
pub mod rbcc;
pub mod reno;
pub mod tcp_k;
pub mod vegas;
