//! What a control sends too slowly on purpose says as little of the path as what the application sends too slowly: in
//! ProbeRTT the drafts mark the connection as limited by the application at each acknowledgement.
//!
//! The host marks packets; the same packets are told here by how much had been delivered when they were sent.

use ackclock_base::Packets;

/// The packets that were sent so, and those after them until what was in flight then has been delivered.
#[derive(Clone, Copy, Debug, Default)]
pub struct SentSlowly {
    between: Option<(Packets, Packets)>,
}

impl SentSlowly {
    /// `MarkConnectionAppLimited`: with so much delivered and so much in flight.
    pub fn mark(&mut self, delivered: Packets, inflight: Packets) {
        let until = delivered + inflight;
        self.between = match self.between {
            Some((from, before)) if delivered <= before => Some((from, until)),
            _ => Some((delivered, until)),
        };
    }

    /// Whether a packet was, that was sent with so much delivered.
    pub fn has(&self, prior_delivered: Packets) -> bool {
        self.between.is_some_and(|(from, until)| (from..=until).contains(&prior_delivered))
    }

    /// Packets have changed their size.
    pub fn scale(&mut self, factor: f64) {
        self.between = self.between.map(|(from, until)| (from * factor, until * factor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_until_the_flight_at_the_last_mark_is_delivered_counts() {
        let mut slowly = SentSlowly::default();
        assert!(!slowly.has(0.0));
        slowly.mark(100.0, 50.0);
        slowly.mark(120.0, 20.0);
        assert!(
            [99.0, 100.0, 130.0, 140.0, 141.0].map(|at| slowly.has(at)) == [false, true, true, true, false]
        );
        // Marked again later: what lies between is not.
        slowly.mark(200.0, 10.0);
        assert!([140.0, 200.0, 210.0].map(|at| slowly.has(at)) == [false, true, true]);
    }
}
