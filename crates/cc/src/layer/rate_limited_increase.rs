//! The growth of a window that is not used (draft-ietf-ccwg-ratelimited-increase): up to the window that the
//! largest flight since the last reduction supports, instead of none. It replaces the transport's congestion
//! window validation.

use super::Layer;
use crate::classic::Window;
use crate::control::{Ack, Loss, Timeout};
use crate::entry::LayerEntry;
use ackclock_base::{Descriptor, Kind, Packets};

/// The limit's entry in the registry.
pub const ENTRY: LayerEntry = LayerEntry {
    descriptor: &Descriptor {
        kind: Kind::GrowthLimit,
        name: "rate-limited-increase",
        summary: "While the sender does not fill the window, lets it grow only to the maximum number of packets in \
                  flight since the last reduction plus one round trip's growth; replaces congestion window validation",
        source: "draft-ietf-ccwg-ratelimited-increase, which updates RFC 5681, RFC 9002 and RFC 9438",
        parameters: &[],
        presets: &[],
    },
    build: |_, initial| Box::new(RateLimited { most: initial.window }),
};

/// The layer that limits the growth of an unused window.
#[derive(Clone, Copy, Debug)]
pub struct RateLimited {
    /// The greatest number of packets in flight since the last reduction; zero until packets are in flight
    /// again.
    most: Packets,
}

impl RateLimited {
    /// Returns the window that `most` acknowledgements would reach from a window of `most`: twice that in
    /// slow start, a packet more in Reno's congestion avoidance, and `most` times the growth per
    /// acknowledgement more under any other law.
    fn limit(&self, before: &Window, after: &Window, ack: &Ack) -> Packets {
        let growth = (after.cwnd - before.cwnd) / ack.abc_increment.max(1.0);
        self.most + (self.most * growth).max(1.0)
    }
}

impl Layer for RateLimited {
    fn before_ack(&mut self, _window: &Window, ack: &mut Ack) {
        self.most = self.most.max(ack.inflight_before);
        ack.cwnd_limited = true;
    }

    fn on_ack(&mut self, before: &Window, after: Window, ack: &Ack) -> Window {
        if after.cwnd < before.cwnd {
            self.most = 0.0;
            return after;
        }
        // The last fraction of a packet of the window cannot be used.
        let is_used = ack.inflight_before > before.cwnd - 1.0;
        if after.cwnd == before.cwnd || is_used || self.most == 0.0 {
            return after;
        }
        let limit = self.limit(before, &after, ack);
        Window { cwnd: after.cwnd.min(limit.max(before.cwnd)), ..after }
    }

    fn on_loss(&mut self, _before: &Window, after: Window, _loss: &Loss) -> Window {
        self.most = 0.0;
        after
    }

    fn on_timeout(&mut self, _timeout: &Timeout) {
        self.most = 0.0;
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("most_in_flight_packets", self.most);
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    /// Plays a round in which `packets` packets are sent at once and acknowledged one by one. The transport
    /// reports that the window is not used. Returns the window.
    fn round(script: &mut Script, packets: u32) -> f64 {
        for left in (1..=packets).rev() {
            script.ack_as(|ack| {
                ack.cwnd_limited = false;
                ack.inflight_before = f64::from(left);
            });
        }
        script.cwnd()
    }

    #[test]
    fn the_example_of_the_drafts_appendix() {
        // Slow start from 10 packets; rounds of 4, 8, 4 and 20: 14, 20 (reached at the sixth of eight: twice
        // ten), 20, 40.
        let mut script = Script::new("sack").window(10.0).within("rate-limited-increase", &[]);
        assert_eq!([4, 8, 4, 20].map(|packets| round(&mut script, packets)), [14.0, 20.0, 20.0, 40.0]);
        assert_eq!(script.published("most_in_flight_packets"), 20.0);
    }

    //= test RFC 9002 section 7.8 unused
    #[test]
    fn without_the_layer_an_unused_window_stays() {
        let mut script = Script::new("sack").window(10.0);
        assert_eq!(round(&mut script, 4), 10.0);
    }

    #[test]
    fn congestion_avoidance_reaches_a_packet_more_than_was_in_flight() {
        // The largest flight counts as the initial window of 10 at first. With four packets at a time the
        // window reaches 11, and no more.
        let mut script =
            Script::new("sack").window(10.0).starting_ssthresh(10.0).within("rate-limited-increase", &[]);
        (0..10).for_each(|_| _ = round(&mut script, 4));
        assert!((script.cwnd() - 11.0).abs() < 1e-9, "{}", script.cwnd());
    }

    #[test]
    fn after_a_reduction_the_packets_in_flight_are_counted_anew() {
        // A loss at 40 leaves 20; with three in flight the window does not grow, whatever was in flight
        // before.
        let mut script =
            Script::new("sack").window(40.0).starting_ssthresh(40.0).within("rate-limited-increase", &[]);
        round(&mut script, 40);
        script.loss();
        script.recovered();
        let before = script.cwnd();
        assert_eq!(round(&mut script, 3), before);
        // The layer does not limit the growth of a window that is used.
        assert!(round(&mut script, 25) > before);
    }
}
