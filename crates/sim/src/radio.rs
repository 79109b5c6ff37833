//! Radio links: how much of a signal reaches whom, and where those stand and go. Who sends when is for a
//! [medium](crate::medium) to say.

pub mod mobility;
pub mod normal;
pub mod propagation;
pub mod shadowing;
