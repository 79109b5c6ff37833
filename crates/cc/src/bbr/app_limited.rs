//! Marks packets that BBR itself sends slowly. They say as little about the path as packets that the
//! application sends slowly, so the drafts mark the connection as application-limited at each acknowledgement
//! in ProbeRTT.
//!
//! The host marks packets one by one; this module identifies them by how much had been delivered when they
//! were sent.

use ackclock_base::Packets;

/// The packets that were sent slowly: those sent since the first mark, until what was in flight at the last
/// mark is delivered.
#[derive(Clone, Copy, Debug, Default)]
pub struct SentSlowly {
    between: Option<(Packets, Packets)>,
}

impl SentSlowly {
    /// Marks the connection with `delivered` packets delivered and `inflight` in flight
    /// (`MarkConnectionAppLimited`).
    pub fn mark(&mut self, delivered: Packets, inflight: Packets) {
        let until = delivered + inflight;
        self.between = match self.between {
            Some((from, before)) if delivered <= before => Some((from, until)),
            _ => Some((delivered, until)),
        };
    }

    /// Returns whether a packet that was sent when `prior_delivered` packets were delivered was sent slowly.
    pub fn has(&self, prior_delivered: Packets) -> bool {
        self.between.is_some_and(|(from, until)| (from..=until).contains(&prior_delivered))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_sent_until_the_flight_at_the_last_mark_is_delivered_are_marked() {
        let mut slowly = SentSlowly::default();
        assert!(!slowly.has(0.0));
        slowly.mark(100.0, 50.0);
        slowly.mark(120.0, 20.0);
        assert!(
            [99.0, 100.0, 130.0, 140.0, 141.0].map(|at| slowly.has(at)) == [false, true, true, true, false]
        );
        // A later mark starts a new range; what lies between the two ranges is not marked.
        slowly.mark(200.0, 10.0);
        assert!([140.0, 200.0, 210.0].map(|at| slowly.has(at)) == [false, true, true]);
    }
}
