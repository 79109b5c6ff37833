//! The congestion controls that one transport brings along, and that run over no other.

use crate::transports::TRANSPORTS;
use ackclock_base::Descriptor;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A congestion control that runs over one transport only, which knows its type.
#[derive(Clone)]
pub struct OwnControl {
    /// Its name in scenarios, one line about it, and its parameters.
    pub descriptor: &'static Descriptor,
    /// What a flow needs in its place to have parts around the control, and why: words for a message.
    pub instead: &'static str,
    control: Arc<dyn Any + Send + Sync>,
}

impl OwnControl {
    /// Creates the control from what its transport makes of it. `instead` are words as those of the field.
    pub fn new(
        descriptor: &'static Descriptor,
        instead: &'static str,
        control: impl Any + Send + Sync,
    ) -> Self {
        Self { descriptor, instead, control: Arc::new(control) }
    }

    /// Returns the control as one of this type; `None` if it belongs to another transport.
    pub fn of<T: 'static>(&self) -> Option<&T> {
        self.control.downcast_ref()
    }
}

impl fmt::Debug for OwnControl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "OwnControl({})", self.descriptor.name)
    }
}

/// Returns every control that a transport brings along, in the order of lists.
pub fn all() -> impl Iterator<Item = OwnControl> {
    TRANSPORTS.iter().flat_map(|transport| transport.own_controls())
}

/// Returns the descriptors of these controls.
pub fn descriptors() -> impl Iterator<Item = &'static Descriptor> {
    all().map(|own| own.descriptor)
}
