//! The congestion controls that run under a stack.

use ackclock_adapter::Plan;

/// A congestion control under a stack.
#[derive(Clone, Debug)]
pub enum Control {
    /// One of the stack's own.
    Own(&'static OwnControl),
    /// One of ours, through the adapter.
    Ours(Plan),
}

/// A congestion control that a stack brings along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnControl {
    /// Its name in scenarios, after the stack's: `bbr3` of `noq:bbr3`.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Whether it draws random numbers that cannot be seeded from outside, so runs with one seed differ.
    pub is_random: bool,
}
