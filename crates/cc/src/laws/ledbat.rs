//! LEDBAT (RFC 6817), for transfers that give way to others. It keeps the delay of the forward path at a
//! target above the minimum seen, and so retreats before any flow that fills the queue further.

pub mod delays;

use crate::classic::{Classic, Window, WindowLaw};
use crate::control::{Ack, Loss};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Range, Span, parameters};
use delays::{BaseDelay, CurrentDelay, MAX_MINUTES, MAX_SAMPLES};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "ledbat",
        "LEDBAT: keeps the queueing delay near a target, and so yields to other flows; uses one-way delays if packets \
         carry timestamps, and RTTs otherwise",
        "RFC 6817",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Ledbat::new(values.into()), initial))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// The target, and how it is approached.
    pub struct Parameters {
        /// Target of the queueing delay
        target: Span = time(
            "100 ms",
            Range { min: 0.0, max: 10.0, above_min: true },
            "RFC 6817 section 2.5: at most 100 ms",
        ),
        /// Packets by which the window grows per round trip while there is no queue
        gain: f64 = number("1", Range { min: 0.0, max: 100.0, above_min: true }, "RFC 6817 section 2.5: at most 1"),
        /// Packets by which the window can exceed the packets in flight
        allowed_increase: f64 = number("1", Range { min: 0.0, max: 100.0, above_min: true }, "RFC 6817 section 2.5"),
        /// Number of past minutes whose minimum delay is the base delay
        base_history: usize = integer("10", Range::between(1.0, MAX_MINUTES as f64), "RFC 6817 section 2.5"),
        /// Number of newest delay samples whose minimum is the current delay
        current_filter: usize = integer(
            "4",
            Range::between(1.0, MAX_SAMPLES as f64),
            "left open by RFC 6817 section 2.4.2; 4 in ns-3",
        ),
    }
}

/// The smallest window (section 2.5).
const MIN_CWND: Packets = 2.0;

/// A window steered by delay. If hosts put no timestamps on packets, the round trip replaces the one-way
/// delay.
#[derive(Clone, Debug)]
pub struct Ledbat {
    parameters: Parameters,
    base: BaseDelay,
    current: CurrentDelay,
}

impl Ledbat {
    /// Creates the law before the first sample. The target is at least a nanosecond.
    pub fn new(parameters: Parameters) -> Self {
        let target = parameters.target.max(Span::from_nanos(1));
        Self {
            base: BaseDelay::new(parameters.base_history),
            current: CurrentDelay::new(parameters.current_filter),
            parameters: Parameters { target, ..parameters },
        }
    }

    /// Returns the present queueing delay; `None` before the first sample.
    fn queueing(&self) -> Option<Span> {
        Some(self.current.least()?.saturating_sub(self.base.least()?))
    }
}

impl WindowLaw for Ledbat {
    /// Adds gain (target - queueing delay) / target packets per window of acknowledgements (section 2.4.2). The
    /// window stays within what was in flight plus the allowed increase.
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        let Some(queueing) = self.queueing() else { return };
        let off_target = 1.0 - queueing.seconds() / self.parameters.target.seconds();
        window.cwnd += self.parameters.gain * off_target * ack.newly_acked / window.cwnd;
        let allowed = ack.inflight_before + self.parameters.allowed_increase;
        window.cwnd = window.cwnd.min(allowed).max(MIN_CWND);
    }

    /// Does the same as congestion avoidance: section 2.4.2 has no slow start.
    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        self.avoid_congestion(window, ack);
    }

    /// Returns half of the window, and at least the smallest window (section 2.4.2).
    fn decrease(&mut self, from: Packets, _loss: &Loss) -> Packets {
        (from / 2.0).max(MIN_CWND).min(from)
    }

    fn observe(&mut self, _window: &mut Window, ack: &Ack) {
        if let Some(delay) = ack.one_way_delay.or(ack.rtt) {
            self.base.sample(ack.now, delay);
            self.current.sample(delay);
        }
    }

    /// Returns false: the packets in flight limit the window already.
    fn needs_full_window(&self) -> bool {
        false
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        let seconds = |span: Option<Span>| span.map_or(f64::NAN, Span::seconds);
        series("queueing_delay_s", seconds(self.queueing()));
        series("base_delay_s", seconds(self.base.least()));
    }
}

#[cfg(test)]
mod tests {
    use super::ENTRY;
    use crate::script::Script;
    use ackclock_base::Span;

    /// Creates a flow with a window of 20 packets, after a one-way delay of 50 ms.
    fn at_20(settings: &[(&str, &str)]) -> Script {
        let mut script = Script::of(&ENTRY, settings).window(20.0).starting_ssthresh(2.0);
        one_way_delay(&mut script, 50);
        script.set_cwnd(20.0);
        script
    }

    fn one_way_delay(script: &mut Script, ms: u64) {
        script.ack_as(|ack| ack.one_way_delay = Some(Span::from_millis(ms)));
    }

    #[test]
    fn the_window_moves_with_the_distance_from_the_target() {
        // Target 100 ms above 50: gain (1 - queue / target) / w for an acknowledgement at w = 20, with a
        // filter of one sample.
        for (ms, gain, change) in
            [(50, "1", 0.05), (100, "1", 0.025), (150, "1", 0.0), (250, "1", -0.05), (100, "10", 0.25)]
        {
            let mut script = at_20(&[("current_filter", "1"), ("gain", gain)]);
            one_way_delay(&mut script, ms);
            assert!((script.cwnd() - 20.0 - change).abs() < 1e-9, "{ms} ms: {}", script.cwnd());
        }
    }

    #[test]
    fn a_target_of_5_ms_is_met_at_5_ms() {
        let mut script = at_20(&[("current_filter", "1"), ("target", "5 ms")]);
        one_way_delay(&mut script, 55);
        assert_eq!(script.cwnd(), 20.0);
    }

    #[test]
    fn a_single_late_packet_is_no_queue() {
        // The minimum of the last four delays counts: a single 250 ms among delays of 50 changes nothing,
        // four do.
        let mut script = at_20(&[]);
        one_way_delay(&mut script, 250);
        assert!(script.cwnd() > 20.0);
        (0..3).for_each(|_| one_way_delay(&mut script, 250));
        script.set_cwnd(20.0);
        one_way_delay(&mut script, 250);
        assert!((script.cwnd() - 19.95).abs() < 1e-9);
    }

    #[test]
    fn it_does_not_grow_beyond_what_it_uses() {
        let mut script = at_20(&[]);
        script.ack_as(|ack| ack.inflight_before = 6.0);
        assert_eq!(script.cwnd(), 7.0);
        script.ack_as(|ack| ack.inflight_before = 0.0);
        assert_eq!(script.cwnd(), 2.0);
    }

    #[test]
    fn a_loss_halves_but_not_below_two() {
        let mut script = at_20(&[]);
        for window in [10.0, 5.0, 2.5, 2.0, 2.0] {
            script.loss();
            assert_eq!(script.cwnd(), window);
        }
    }
}
