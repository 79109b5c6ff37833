//! The registered controls and the parts around them, with which flows are read.

use crate::language::registry::kernel_controls;
use crate::language::registry::own_controls;
use ackclock_base::Descriptor;

/// Returns every control: ours, and those that transports bring along.
pub fn controls() -> Vec<&'static Descriptor> {
    let ours = ackclock_cc::registry::CONTROLS.iter().map(|entry| entry.descriptor);
    ours.chain(kernel_controls::descriptors()).chain(own_controls::descriptors()).collect()
}

/// Returns the retransmission rule that a registered control was published with; `None` without one, and for what is no
/// control.
pub fn recovery(descriptor: &Descriptor) -> Option<&'static str> {
    let entry =
        ackclock_cc::registry::CONTROLS.iter().find(|entry| std::ptr::eq(entry.descriptor, descriptor));
    entry.and_then(|entry| entry.published.recovery)
}

/// Returns every loss discriminator.
pub fn discriminators() -> Vec<&'static Descriptor> {
    ackclock_cc::registry::DISCRIMINATORS.iter().map(|entry| entry.descriptor).collect()
}

/// Returns every action on a transmission loss.
pub fn actions() -> Vec<&'static Descriptor> {
    ackclock_cc::registry::ACTIONS.iter().map(|entry| entry.descriptor).collect()
}

/// Returns every slow start.
pub fn slow_starts() -> Vec<&'static Descriptor> {
    ackclock_cc::registry::SLOW_STARTS.iter().map(|entry| entry.descriptor).collect()
}

/// Returns every way to use an earlier connection.
pub fn resumes() -> Vec<&'static Descriptor> {
    ackclock_cc::registry::RESUMES.iter().map(|entry| entry.descriptor).collect()
}

/// Returns every response to an echo of a mark.
pub fn ecn_responses() -> Vec<&'static Descriptor> {
    ackclock_cc::registry::ECN_RESPONSES.iter().map(|entry| entry.descriptor).collect()
}

/// Returns every limit of growth.
pub fn growth_limits() -> Vec<&'static Descriptor> {
    ackclock_cc::registry::GROWTH_LIMITS.iter().map(|entry| entry.descriptor).collect()
}

/// Returns every back-off rule.
pub fn backoffs() -> Vec<&'static Descriptor> {
    ackclock_cc::registry::BACKOFFS.iter().map(|entry| entry.descriptor).collect()
}

/// Returns every path selector.
pub fn selectors() -> Vec<&'static Descriptor> {
    ackclock_cc::registry::SELECTORS.iter().map(|entry| entry.descriptor).collect()
}
