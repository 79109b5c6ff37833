//! The stacks, in one list.

use crate::connection::Connections;
use crate::control::{Control, OwnControl};
use crate::end::Packing;
use crate::{noq, quinn};
use ackclock_adapter::Stack as Facts;
use std::fmt;

/// A stack: what scenarios can say of it, and what makes its connections. It lives as long as the program.
pub trait Stack: fmt::Debug + Send + Sync {
    /// Returns the name of the stack, which is also its prefix of the names of its own controls.
    fn name(&self) -> &'static str;

    /// Returns what it tells a control of ours, and what it honours; `None` if only its own controls run under it.
    fn facts(&self) -> Option<Facts>;

    /// Returns the controls that it brings along, in the order of lists.
    fn own(&'static self) -> Vec<OwnControl>;

    /// Returns a maker of connections under a control, with datagrams and a receiver's window of these sizes. `seed` is for controls
    /// of ours that guess. Connections of one maker know of each other where the control is one for several connections. Panics if
    /// the control is another stack's.
    fn connections(&'static self, control: &Control, packing: &Packing, seed: u64) -> Box<dyn Connections>;
}

/// The stacks that are built in, in the order of lists.
pub const STACKS: &[&dyn Stack] = &[&noq::Noq, &quinn::Quinn];

/// The bytes of a full datagram besides stream data: a short header with an 8-byte connection identifier and a 2-byte packet number,
/// the authentication tag, and the type, identifier and 4-byte offset of a STREAM frame (RFC 9000 sections 17.3.1 and 19.8).
const OVERHEAD: u32 = 1 + 8 + 2 + 16 + 1 + 1 + 4;

/// Returns the sizes of packets with datagrams of this size and headers of IP and UDP of that size, and of a receiver's window of
/// `window` full datagrams.
pub fn packing(control: &Control, datagram: u16, header: u32, window: u64) -> Packing {
    let (shares, is_seeded) = match control {
        Control::Own(own) => (false, !own.is_random),
        Control::Ours(plan) => (plan.is_group(), true),
    };
    let datagram = u32::from(datagram);
    let payload = datagram - OVERHEAD;
    Packing { datagram, header, payload, window: window * u64::from(payload), shares, is_seeded }
}
