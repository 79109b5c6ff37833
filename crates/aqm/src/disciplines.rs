//! The disciplines, one file each.

pub mod codel;
pub mod droptail;
pub mod red;
