//! Careful Resume (RFC 9959): a connection that knows how much an earlier one over the same path could send
//! jumps to half of that, paced over a round trip, and takes the jump back if it was too much.

use super::Layer;
use crate::classic::Window;
use crate::control::{Ack, Loss, Timeout};
use crate::entry::LayerEntry;
use ackclock_base::{Descriptor, Kind, Packets, Range, Rate, Span, parameters};

#[cfg(test)]
mod tests;

/// The layer's entry in the registry.
pub const ENTRY: LayerEntry = LayerEntry {
    descriptor: &Descriptor {
        kind: Kind::Resume,
        name: "careful-resume",
        summary: "Careful Resume: jumps from the initial window to half the window of an earlier connection if the \
                  RTTs are similar, and retreats if the jump causes a loss",
        source: "RFC 9959, from the text of its last draft",
        parameters: Saved::TABLE,
        presets: &[],
    },
    build: |values, initial| {
        Box::new(CarefulResume {
            saved: values.into(),
            phase: Phase::Reconnaissance,
            before_loss: Phase::Normal,
            initial_window: initial.window,
            packet_bytes: initial.packet_bytes,
            pipe: 0.0,
        })
    },
};

parameters! {
    /// What is remembered of an earlier connection, and how much of it is used.
    pub struct Saved {
        /// Packets that the earlier connection delivered per round trip; none if no connection was saved, which
        /// disables the jump
        saved_cwnd: Option<Packets> = packets("none", Range::between(1.0, 1e9), "RFC 9959, saved_cwnd of an earlier connection"),
        /// Minimum RTT of the earlier connection; the window jumps only if the current minimum RTT is more than half
        /// and at most ten times this value; none if no connection was saved, which disables the jump
        saved_rtt: Option<Span> = time("none", Range::between(0.0, 1000.0), "RFC 9959, saved_rtt of an earlier connection"),
        /// Largest window to jump to; none for no limit
        max_jump: Option<Packets> = packets("none", Range::between(1.0, 1e9), "RFC 9959 max_jump, which the host sets"),
        /// Slow start threshold after a retreat, as a fraction of PipeSize, which is the number of packets in flight at
        /// the jump plus the number acknowledged since
        beta: f64 = number("0.5", Range::between(0.0, 1.0), "RFC 9959, Safe Retreat; 0.7 for CUBIC"),
    }
}

/// The part of the saved window to jump to.
const JUMP: f64 = 0.5;

/// The multiple of the saved round trip that the path's must exceed, and the one that it must not exceed: another
/// round trip is that of another path (RFC 9959 section 4.2.1).
const LEAST_RTT: f64 = 0.5;
const MOST_RTT: f64 = 10.0;

/// The phase of the connection; packets are given by their numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Checks whether the path is the remembered one.
    Reconnaissance,
    /// Sends more than is known to fit, from packet `first` on and until the round trip ends at `ends`.
    Unvalidated { first: u64, ends: ackclock_base::Time, rate: Rate },
    /// Waits until all packets below number `end`, those of the jump, are acknowledged.
    Validating { end: u64 },
    /// The jump was too much: waits until all packets below number `end` are acknowledged.
    Retreat { end: u64 },
    /// Has finished.
    Normal,
}

/// The Careful Resume layer.
#[derive(Clone, Copy, Debug)]
struct CarefulResume {
    saved: Saved,
    phase: Phase,
    /// The phase before the last loss, in case it proves spurious.
    before_loss: Phase,
    initial_window: Packets,
    packet_bytes: u32,
    /// The number of packets known to get through in a round trip.
    pipe: Packets,
}

impl CarefulResume {
    /// Ends Reconnaissance once the initial window has arrived. The window returned is then half the saved one,
    /// at most `max_jump`. The window `after` the acknowledgement is returned unchanged before that, and for good
    /// if nothing is saved, the round trip is at most half the saved one or more than ten times it, the jump would
    /// not enlarge the window, or slow start has ended.
    fn jump(&mut self, after: Window, ack: &Ack) -> Window {
        let (Some(cwnd), Some(rtt)) = (self.saved.saved_cwnd, self.saved.saved_rtt) else {
            self.phase = Phase::Normal;
            return after;
        };
        if (ack.acked_to as f64) < self.initial_window.floor() || ack.app_limited {
            return after;
        }
        let jump = (cwnd * JUMP).min(self.saved.max_jump.unwrap_or(f64::INFINITY));
        let is_this_path = ack.min_rtt > rtt.scale(LEAST_RTT) && ack.min_rtt <= rtt.scale(MOST_RTT);
        if !is_this_path || jump <= after.cwnd || after.cwnd >= after.ssthresh {
            self.phase = Phase::Normal;
            return after;
        }
        // One packet every RTT / jump, with the present round trip and not the remembered one.
        let now = ack.smoothed_rtt.max(Span::from_nanos(1));
        let bits = jump * f64::from(self.packet_bytes) * 8.0 / now.seconds();
        let rate = Rate::from_bits_per_second((bits as u64).max(1));
        self.phase = Phase::Unvalidated { first: ack.sent_to, ends: ack.now + now, rate };
        self.pipe = ack.inflight;
        Window { cwnd: jump, ..after }
    }

    /// Ends Unvalidated: the jump is all in flight, some of it has arrived, or a round trip is over. If more than
    /// the pipe is in flight, and at least the initial window, Validating begins, and the window returned is the
    /// flight. Otherwise the jump has not been used: Careful Resume has finished, and the window returned is the
    /// pipe, but at least the initial window. The threshold is that of `after`.
    fn validate(&mut self, after: Window, ack: &Ack) -> Window {
        let flight = ack.inflight;
        if flight < self.initial_window || flight <= self.pipe {
            self.phase = Phase::Normal;
            return Window { cwnd: self.pipe.max(self.initial_window), ..after };
        }
        self.phase = Phase::Validating { end: ack.sent_to };
        Window { cwnd: flight, ..after }
    }
}

impl Layer for CarefulResume {
    fn on_ack(&mut self, before: &Window, after: Window, ack: &Ack) -> Window {
        if self.phase != Phase::Reconnaissance {
            self.pipe += ack.newly_acked;
        }
        match self.phase {
            Phase::Reconnaissance => self.jump(after, ack),
            Phase::Unvalidated { first, ends, .. } => {
                let is_full = ack.inflight_before + 1.0 > before.cwnd;
                if is_full || ack.acked_to > first || ack.now >= ends {
                    self.validate(Window { cwnd: before.cwnd, ..after }, ack)
                } else {
                    Window { cwnd: before.cwnd, ..after }
                }
            }
            Phase::Validating { end } => {
                self.phase = if ack.acked_to >= end { Phase::Normal } else { self.phase };
                after
            }
            Phase::Retreat { end } if ack.acked_to >= end => {
                self.phase = Phase::Normal;
                Window { ssthresh: after.ssthresh.min((self.pipe * self.saved.beta).max(2.0)), ..after }
            }
            Phase::Retreat { .. } => Window { cwnd: after.cwnd.min(before.cwnd), ..after },
            Phase::Normal => after,
        }
    }

    fn on_loss(&mut self, _before: &Window, after: Window, loss: &Loss) -> Window {
        self.before_loss = self.phase;
        match self.phase {
            Phase::Unvalidated { .. } | Phase::Validating { .. } => {
                let end = if let Phase::Validating { end } = self.phase { end } else { loss.sent_to };
                self.phase = Phase::Retreat { end };
                let least = (self.pipe / 2.0).floor().max(self.initial_window);
                Window { cwnd: after.cwnd.min(least), ..after }
            }
            Phase::Reconnaissance => {
                self.phase = Phase::Normal;
                after
            }
            Phase::Retreat { .. } | Phase::Normal => after,
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if timeout.in_a_row == 1 {
            self.before_loss = self.phase;
        }
        self.phase = Phase::Normal;
    }

    fn on_undone(&mut self) {
        self.phase = self.before_loss;
    }

    fn pacing_rate(&self) -> Option<Rate> {
        if let Phase::Unvalidated { rate, .. } = self.phase { Some(rate) } else { None }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        let phase = match self.phase {
            Phase::Reconnaissance => 0.0,
            Phase::Unvalidated { .. } => 1.0,
            Phase::Validating { .. } => 2.0,
            Phase::Retreat { .. } => 3.0,
            Phase::Normal => 4.0,
        };
        series("resume_phase", phase);
        series("resume_pipe_packets", self.pipe);
    }
}
