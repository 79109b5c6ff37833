//! The source of a law's constants: its publication, or Linux's module of that name where the two differ.

use ackclock_base::choice;

choice! {
    /// The source of a law's constants.
    pub enum Variant {
        /// Its parameters.
        Published = "published",
        /// Linux's module, whatever the parameters are.
        Linux = "linux",
    }
}

impl Variant {
    /// Returns the first value for `Published`, the second for `Linux`.
    pub fn pick<T>(self, published: T, linux: T) -> T {
        match self {
            Self::Published => published,
            Self::Linux => linux,
        }
    }
}
