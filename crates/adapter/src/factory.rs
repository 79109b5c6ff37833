//! Makes the adapters of an application's connections.

use crate::adapter::Adapter;
use crate::handle::Handle;
use crate::plan::Plan;
use crate::stack::Stack;
use ackclock_base::Random;
use ackclock_cc::Assembly;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// Makes an adapter for each new connection. The connections of one maker know of each other where the algorithm is one for several
/// connections, such as `tcp-p`.
pub struct Maker {
    stack: Stack,
    assembly: Mutex<Assembly>,
    seed: Mutex<SplitMix>,
    /// When the first connection began: controls that know of each other compare their times.
    epoch: OnceLock<Instant>,
}

impl Maker {
    /// Returns a maker for the control of this plan.
    pub fn new(plan: &Plan) -> Self {
        let seed = SplitMix(plan.seed());
        Self {
            stack: *plan.stack(),
            assembly: Mutex::new(plan.assembly()),
            seed: Mutex::new(seed),
            epoch: OnceLock::new(),
        }
    }

    /// Returns the adapter of a connection that begins now and whose packets have `packet_bytes` bytes.
    pub fn connection(&self, packet_bytes: u16, now: Instant) -> Handle {
        let mut assembly = self.assembly.lock().unwrap_or_else(PoisonError::into_inner);
        let seed = self.seed.lock().unwrap_or_else(PoisonError::into_inner).next();
        let epoch = *self.epoch.get_or_init(|| now);
        Handle::new(Adapter::new(self.stack, &mut assembly, packet_bytes, Box::new(SplitMix(seed))), epoch)
    }
}

/// The generator of Steele, Lea and Flood (2014): 64 bits of state, and enough for controls that guess now and then.
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// Returns the generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Random for SplitMix {
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
