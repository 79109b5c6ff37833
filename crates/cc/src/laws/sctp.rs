//! The standard law of SCTP (RFC 9260 section 7.2): slow start up to and at the threshold; above it, one
//! packet for each window of bytes acknowledged (partial_bytes_acked); half at a loss, but at least a few
//! packets. Its first edition (RFC 2960) is the law of ns-2's agent of 2006.

use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Descriptor, Kind, Packets, Range, choice, parameters};

/// The registry entry of the present edition.
pub const SCTP: Entry = Entry {
    descriptor: &control(
        "sctp",
        "Standard SCTP: above the slow start threshold, the window grows by one packet for each window of bytes \
         acknowledged; a loss halves it, but not below 4 packets",
        "RFC 9260 section 7.2",
        Parameters::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults::NONE,
};

/// The registry entry of the first edition.
pub const SCTP_2960: Entry = Entry {
    descriptor: &Descriptor {
        kind: Kind::Control,
        name: "sctp-2960",
        summary: "SCTP as first specified (RFC 2960) and as in ns-2 until 2006: congestion avoidance counts \
                  acknowledged bytes only while the window is full",
        source: "RFC 2960 section 7.2; ns-2's SCTP module, release 3.6",
        parameters: Parameters::TABLE,
        presets: &[("min_ssthresh", "2 packets"), ("partial_acks", "full-window"), ("lowers_again", "false")],
    },
    build: BUILD,
    published: PublishedDefaults::NONE,
};

const BUILD: Build =
    Build::Alone(|values, initial| Box::new(Classic::new(Sctp::new(values.into()), initial)));

choice! {
    /// Which acknowledgements count towards the next packet of increase.
    pub enum PartialAcks {
        /// All acknowledgements.
        Every = "every",
        /// Acknowledgements that move the cumulative acknowledgement while the window is full.
        FullWindow = "full-window",
    }
}

parameters! {
    /// The differences between the editions.
    pub struct Parameters {
        /// Smallest slow start threshold after a loss or a timeout, and smallest window after a loss
        min_ssthresh: Packets = packets("4 packets", Range::between(1.0, 1000.0), "RFC 9260 section 7.2.3"),
        /// Acknowledgements that count towards the next packet of increase: all (every), or only those that advance the
        /// cumulative acknowledgement while the window is full (full-window)
        partial_acks: PartialAcks = choice(
            "every",
            "every: RFC 9260 section 7.2.2; full-window: ns-2's function SctpAgent::AdjustCwnd",
        ),
        /// Whether a timeout lowers the slow start threshold even if the window is one packet
        lowers_again: bool = flag(
            true,
            "RFC 9260 section 7.2.3; ns-2's function SctpAgent::Timeout leaves the threshold unchanged if the window \
             is one packet",
        ),
    }
}

/// The SCTP law, with partial_bytes_acked in packets.
#[derive(Clone, Debug)]
pub struct Sctp {
    parameters: Parameters,
    partial: Packets,
}

impl Sctp {
    fn new(parameters: Parameters) -> Self {
        Self { parameters, partial: 0.0 }
    }
}

impl WindowLaw for Sctp {
    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        if self.parameters.partial_acks == PartialAcks::Every && window.cwnd > window.ssthresh {
            self.partial += ack.newly_acked;
            // Section 7.2.2: data acknowledged while the window is not full adds at most one packet.
            if !ack.cwnd_limited {
                self.partial = self.partial.min(window.cwnd);
            }
        }
        // In ns-2, data acknowledged during a recovery counts too, though the window does not grow before its
        // end.
        let counts = ack.fresh && ack.cwnd_limited && window.cwnd > window.ssthresh;
        if self.parameters.partial_acks == PartialAcks::FullWindow && counts {
            self.partial += ack.newly_acked;
        }
        if ack.inflight <= 0.0 {
            self.partial = 0.0;
        }
    }

    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        if window.cwnd <= window.ssthresh {
            //= RFC 9260 section 7.2.1 slow-start: slow start continues while the window is at most ssthresh
            return window.slow_start(ack.abc_increment); // at the threshold too (section 7.2.1)
        }
        if self.partial >= window.cwnd {
            //= RFC 9260 section 7.2.2: above ssthresh, the window grows by one packet for each window of acknowledged bytes
            self.partial -= window.cwnd;
            window.cwnd += 1.0;
        }
    }

    /// Returns max(cwnd / 2, 4 PMDCS) (section 7.2.3).
    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        self.partial = 0.0;
        //= RFC 9260 section 7.2.3: a loss halves the window, but not below four packets
        (from / 2.0).max(self.parameters.min_ssthresh)
    }

    /// Sets the threshold as a loss does, and the window to one packet.
    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        self.partial = 0.0;
        if !timeout.keeps_threshold && (self.parameters.lowers_again || window.cwnd > 1.0) {
            window.ssthresh = (timeout.window / 2.0).max(self.parameters.min_ssthresh);
        }
        //= RFC 9260 section 7.2.1 timeout: after a timeout the window is one packet
        window.cwnd = 1.0;
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("partial_packets_acked", self.partial);
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    //= test RFC 9260 section 7.2.2
    #[test]
    fn a_window_of_bytes_acknowledged_is_worth_one_packet() {
        // Window 5 above the threshold 4: four acknowledgements of a packet add nothing, the fifth adds a
        // packet; the next packet takes six.
        let mut script = Script::new("sctp").window(5.0).starting_ssthresh(4.0);
        script.acks(4);
        assert_eq!(script.cwnd(), 5.0);
        script.acks(1);
        assert_eq!(script.cwnd(), 6.0);
        script.acks(5);
        assert_eq!(script.cwnd(), 6.0);
        script.acks(1);
        assert_eq!(script.cwnd(), 7.0);
    }

    //= test RFC 9260 section 7.2.1 slow-start
    #[test]
    fn slow_start_goes_on_at_the_threshold() {
        let mut script = Script::new("sctp").window(4.0).starting_ssthresh(5.0);
        script.acks(2);
        assert_eq!(script.cwnd(), 6.0);
    }

    //= test RFC 9260 section 7.2.1 timeout
    //= test RFC 9260 section 7.2.3
    #[test]
    fn a_loss_halves_and_a_timeout_leaves_one_packet_but_the_threshold_has_a_floor() {
        let mut script = Script::new("sctp").window(20.0);
        script.loss();
        assert_eq!((script.cwnd(), script.ssthresh()), (10.0, 10.0));
        // 6 / 2 = 3 is less than four packets; RFC 2960's floor is two.
        for (law, floor) in [("sctp", 4.0), ("sctp-2960", 3.0)] {
            let mut script = Script::new(law).window(6.0);
            script.loss();
            assert_eq!((script.cwnd(), script.ssthresh()), (floor, floor), "{law}");
        }
        let mut script = Script::new("sctp-2960").window(3.0);
        script.timeout();
        assert_eq!((script.cwnd(), script.ssthresh()), (1.0, 2.0));
    }

    #[test]
    fn in_ns2_a_second_timeout_in_a_row_leaves_the_threshold() {
        // The threshold is max(20 / 2, floor) after the first timeout; after the second it is max(1 / 2, 4),
        // or unchanged as in ns-2.
        for (law, again) in [("sctp", 4.0), ("sctp-2960", 10.0)] {
            let mut script = Script::new(law).window(20.0);
            script.timeout();
            assert_eq!((script.cwnd(), script.ssthresh()), (1.0, 10.0), "{law}");
            script.timeout();
            assert_eq!((script.cwnd(), script.ssthresh()), (1.0, again), "{law}");
        }
    }
}
