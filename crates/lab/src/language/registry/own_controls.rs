//! The congestion controls that transports bring along: those of foreign stacks. Without the feature `stacks` there is none.

use ackclock_base::Descriptor;

#[cfg(feature = "stacks")]
pub use ackclock_stacks::OwnControl;

/// A congestion control that a transport brings along. There is none without the feature `stacks`.
#[cfg(not(feature = "stacks"))]
#[derive(Clone, Debug)]
pub struct OwnControl {
    /// Its name in scenarios, and one line about it.
    pub descriptor: &'static Descriptor,
}

/// Returns every control that a transport brings along, in the order of lists.
#[cfg(feature = "stacks")]
pub fn all() -> impl Iterator<Item = OwnControl> {
    ackclock_stacks::STACKS.iter().flat_map(|stack| stack.own.iter().map(|own| (stack.own_control)(own)))
}

/// Returns every control that a transport brings along: none.
#[cfg(not(feature = "stacks"))]
pub fn all() -> impl Iterator<Item = OwnControl> {
    std::iter::empty()
}

/// Returns the descriptors of these controls.
pub fn descriptors() -> impl Iterator<Item = &'static Descriptor> {
    all().map(|own| own.descriptor)
}
