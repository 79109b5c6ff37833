//! Radio links: the received power of a signal, and the places and movements of nodes. A
//! [medium](crate::medium) decides who sends when.

pub mod mobility;
pub mod normal;
pub mod propagation;
pub mod shadowing;
