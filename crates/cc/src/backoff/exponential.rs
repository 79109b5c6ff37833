//! Exponential back-off (RFC 6298 section 5.5).

use super::Backoff;
use crate::entry::BackoffEntry;
use ackclock_base::{Descriptor, Kind};

/// The rule's entry in the registry.
pub const ENTRY: BackoffEntry = BackoffEntry {
    descriptor: &Descriptor {
        kind: Kind::Backoff,
        name: "exponential",
        summary: "Doubles the retransmission timeout at each consecutive expiry, up to the largest factor that the \
                  transport allows (TCP: `max_backoff`)",
        source: "RFC 6298 section 5.5",
        parameters: &[],
        presets: &[],
    },
    build: |_, most| Box::new(Exponential { most }),
};

/// Doubles the timeout at each expiry, up to a greatest factor.
#[derive(Clone, Copy, Debug)]
pub struct Exponential {
    /// The greatest factor; 64 in BSD and ns-2.
    pub most: f64,
}

impl Backoff for Exponential {
    fn factor(&self, expiries: u32) -> f64 {
        //= RFC 6298 section 5.5: each expiry of the retransmission timer doubles the timeout
        libm::ldexp(1.0, expiries.min(1000) as i32).min(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    //= test RFC 6298 section 5.5
    #[test]
    fn it_doubles_up_to_its_cap() {
        let backoff = Exponential { most: 64.0 };
        let factors: Vec<f64> = (0..9).map(|expiries| backoff.factor(expiries)).collect();
        assert_eq!(factors, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 64.0, 64.0]);
    }
}
