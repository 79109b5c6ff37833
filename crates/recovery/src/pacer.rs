//! When packets may leave: so far apart, with a quantum of them back to back.

use ackclock_base::{Packets, Span, Time};
use ackclock_cc::Decision;

/// A pacer. Time in which nothing was sent earns no credit beyond one quantum.
#[derive(Clone, Copy, Debug)]
pub struct Pacer {
    /// When the next packet is due.
    next: Time,
    /// When the packet that waits may leave; never if none does.
    due: Time,
}

/// How a flight is paced: the time that a full packet stands for, and how early packets may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    interval: Span,
    slack: Span,
}

impl Pace {
    /// No pacing: packets leave as the window allows.
    pub const NONE: Self = Self { interval: Span::ZERO, slack: Span::ZERO };

    /// From the control's rate, with packets of so many bytes on the wire.
    pub fn of_rate(decision: &Decision, wire_bytes: u32) -> Option<Self> {
        let rate = decision.pacing_rate?;
        let bits = f64::from(wire_bytes) * 8.0;
        Some(Self::new(Span::from_seconds(bits / rate.bits_per_second().max(1) as f64), decision))
    }

    /// A window spread over the round trip, with what Linux allows above that: twice the rate in slow start, 1.2 times
    /// after (`tcp_pacing_ss_ratio`, `tcp_pacing_ca_ratio`).
    pub fn of_window(decision: &Decision, smoothed_rtt: Span) -> Self {
        if smoothed_rtt == Span::ZERO {
            return Self::NONE;
        }
        let gain = if decision.cwnd < decision.ssthresh / 2.0 { 2.0 } else { 1.2 };
        Self::new(smoothed_rtt.scale(1.0 / (gain * decision.cwnd)), decision)
    }

    fn new(interval: Span, decision: &Decision) -> Self {
        let quantum = u64::from(decision.send_quantum.unwrap_or(1).saturating_sub(1));
        Self { interval, slack: interval * quantum }
    }
}

impl Pacer {
    /// Nothing has been sent.
    pub fn new() -> Self {
        Self { next: Time::ZERO, due: Time::NEVER }
    }

    /// Whether a packet may leave now. If not, [`Self::timer`] says when.
    #[inline]
    pub fn allows(&mut self, now: Time, pace: Pace) -> bool {
        let waits = pace.interval > Span::ZERO && now + pace.slack < self.next;
        self.due = if waits { self.next - pace.slack } else { Time::NEVER };
        !waits
    }

    /// Nothing waits for its time.
    #[inline]
    pub fn unblock(&mut self) {
        self.due = Time::NEVER;
    }

    /// A packet, of so many full ones, has left.
    #[inline]
    pub fn on_sent(&mut self, now: Time, pace: Pace, size: Packets) {
        if pace.interval > Span::ZERO {
            let interval = if size == 1.0 { pace.interval } else { pace.interval.scale(size) };
            self.next = self.next.max(now) + interval;
        }
    }

    /// The next packet is due at once: what was agreed before a timeout no longer holds.
    pub fn reset(&mut self, now: Time) {
        self.next = now;
    }

    /// When a waiting packet may leave; never if none waits.
    #[inline]
    pub fn timer(&self) -> Time {
        self.due
    }
}

impl Default for Pacer {
    fn default() -> Self {
        Self::new()
    }
}
