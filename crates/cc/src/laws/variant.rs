//! Whose constants a law has: its publication's, or those of Linux's module of its name where they differ.

use ackclock_base::choice;

choice! {
    /// Whose constants a law has.
    pub enum Variant {
        /// What its parameters say.
        Published = "published",
        /// What Linux's module has, whatever its parameters say.
        Linux = "linux",
    }
}

impl Variant {
    /// One of two.
    pub fn pick<T>(self, published: T, linux: T) -> T {
        match self {
            Self::Published => published,
            Self::Linux => linux,
        }
    }
}
