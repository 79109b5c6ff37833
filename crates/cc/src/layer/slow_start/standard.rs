//! Slow start of RFC 5681 section 3.1, for laws with a different one.

use super::regrown;
use crate::classic::Window;
use crate::control::Ack;
use crate::entry::LayerEntry;
use crate::layer::Layer;
use ackclock_base::{Descriptor, Kind};

/// The slow start's entry in the registry.
pub const ENTRY: LayerEntry = LayerEntry {
    descriptor: &Descriptor {
        kind: Kind::SlowStart,
        name: "standard",
        summary: "RFC 5681's slow start: each acknowledgement increases the window by the packets that the transport's \
                  `growth` counts, until a loss or until the window reaches the slow start threshold",
        source: "RFC 5681 section 3.1",
        parameters: &[],
        presets: &[],
    },
    build: |_, _| Box::new(Standard),
};

/// RFC 5681's growth.
#[derive(Clone, Copy, Debug)]
pub struct Standard;

impl Layer for Standard {
    fn on_ack(&mut self, before: &Window, after: Window, ack: &Ack) -> Window {
        regrown(before, after, ack, ack.abc_increment)
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    #[test]
    fn it_doubles_in_a_round_trip_where_vegas_rests_in_every_other() {
        // Vegas grows in its second round of slow start; that growth is one packet per acknowledgement
        // already.
        let mut own = Script::new("vegas").window(4.0);
        let mut standard = Script::new("vegas").window(4.0).within("standard", &[]);
        for script in [&mut own, &mut standard] {
            script.round(4, 100);
        }
        assert_eq!(own.cwnd(), standard.cwnd());
    }

    #[test]
    fn it_takes_the_place_of_another_growth() {
        // RBCC at 100 ms with a threshold of 124: 0.24 packets per acknowledgement; the standard adds one.
        let mut own = Script::new("rbcc").window(10.0);
        let mut standard = Script::new("rbcc").window(10.0).within("standard", &[]);
        own.ack_with_rtt(100);
        standard.ack_with_rtt(100);
        assert!((own.cwnd() - 10.24).abs() < 1e-9);
        assert_eq!(standard.cwnd(), 11.0);
    }
}
