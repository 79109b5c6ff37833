//! TCP Prague: DCTCP's answer to marks for the Internet (L4S, RFC 9330 and 9331). Marks are averaged and answered in periods of
//! at least 25 ms, so that flows of short round trips leave room to others; what is not marked adds to the window even while
//! other packets are; and packets are paced. A host must tell it of each mark; it does so where `ecn` is on.

use crate::classic::{Classic, MIN_SSTHRESH, Window, WindowLaw};
use crate::control::{Ack, EcnResponse, Loss, Phase, Timeout};
use crate::entry::{Build, Companions, Entry, control};
use ackclock_base::{Packets, Range, Rate, Span, Time, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "prague",
        "TCP Prague: cuts by the share of packets that were marked, over periods of at least 25 ms; needs ecn",
        "Linux's tcp_prague.c 0.7 of the L4S team; draft-briscoe-iccrg-prague-congestion-control-04; RFC 9331",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Classic::new(Prague::new(values.into()), initial))),
    companions: Companions::recovery("rack"),
};

parameters! {
    /// How marks are averaged, and how short a round trip counts.
    pub struct Parameters {
        /// Weight of the newest period in the average share of marked packets
        gain: f64 = number("0.0625", Range { min: 0.0, max: 1.0, above_min: true }, "tcp_prague.c, PRAGUE_SHIFT_G"),
        /// What that average begins with; the first mark of all halves the window
        initial_alpha: f64 = number("0", Range::between(0.0, 1.0), "tcp_prague.c, alpha mode 0"),
        /// The round trip that shorter ones grow as slowly as; 0 for none
        virtual_rtt: Span = time("25 ms", Range::between(0.0, 10.0), "tcp_prague.c, prague_rtt_target"),
        /// Rounds after slow start until then
        independent_after: u32 = integer("4", Range::between(0.0, 1e6), "tcp_prague.c, prague_rtt_transition"),
    }
}

/// Beyond this round trip growth is not that of a virtual one.
const LONGEST_INDEPENDENT: Span = Span::from_millis(100);

/// A flow never sends more slowly (tcp_prague.c, MINIMUM_RATE: 100 kbit/s).
const LEAST_RATE_BPS: f64 = 100_000.0;

/// The law.
#[derive(Clone, Debug)]
pub struct Prague {
    parameters: Parameters,
    /// Average share of marked packets.
    alpha: f64,
    /// Packets acknowledged, and marked ones among them, in the period being observed, and when it ends; `None` before the
    /// first mark.
    acked: Packets,
    marked: Packets,
    period_ends: Option<Time>,
    /// No second cut before this, and the window before the last.
    rests_until: Time,
    before_cut: Packets,
    /// Rounds since slow start.
    rounds: u32,
    smoothed_rtt: Span,
    inflight: Packets,
}

impl Prague {
    /// The law before anything is marked.
    pub fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            alpha: parameters.initial_alpha,
            acked: 0.0,
            marked: 0.0,
            period_ends: None,
            rests_until: Time::ZERO,
            before_cut: 0.0,
            rounds: 0,
            smoothed_rtt: Span::ZERO,
            inflight: 0.0,
        }
    }

    fn is_independent(&self) -> bool {
        self.rounds >= self.parameters.independent_after
    }

    /// How long marks are averaged over, and a cut lasts.
    fn period(&self) -> Span {
        if self.is_independent() {
            self.smoothed_rtt.max(self.parameters.virtual_rtt)
        } else {
            self.smoothed_rtt
        }
    }

    /// How much less than Reno's the growth is, in packets for a round trip.
    fn growth(&self) -> f64 {
        let Parameters { virtual_rtt, .. } = self.parameters;
        let rtt = self.smoothed_rtt;
        if !self.is_independent() || rtt >= virtual_rtt || rtt > LONGEST_INDEPENDENT {
            return 1.0;
        }
        (rtt.seconds() / virtual_rtt.seconds()).powi(2)
    }

    fn average(&mut self, ack: &Ack, ends: Time) {
        self.acked += ack.newly_acked;
        self.marked += f64::from(ack.marks);
        if ack.now >= ends && self.acked > 0.0 {
            // A packet that arrives twice may be marked twice and is acknowledged once.
            let share = (self.marked / self.acked).min(1.0);
            self.alpha += self.parameters.gain * (share - self.alpha);
            (self.acked, self.marked) = (0.0, 0.0);
            self.period_ends = Some(ack.now + self.period());
        }
    }

    fn cut(&mut self, window: &mut Window, factor: f64, now: Time) {
        self.before_cut = window.cwnd;
        window.cwnd = (window.cwnd * factor).max(MIN_SSTHRESH.min(window.cwnd));
        window.ssthresh = window.cwnd.max(MIN_SSTHRESH);
        self.rests_until = now + self.period();
    }

    fn unmarked(ack: &Ack) -> Packets {
        (ack.credit - f64::from(ack.marks)).max(0.0)
    }
}

impl WindowLaw for Prague {
    /// As Reno for what is not marked, also in a period with marks.
    fn avoid_congestion(&mut self, window: &mut Window, ack: &Ack) {
        window.cwnd += Self::unmarked(ack) * self.growth() / window.cwnd;
    }

    fn slow_start(&mut self, window: &mut Window, ack: &Ack) {
        window.slow_start(Self::unmarked(ack));
    }

    /// A loss halves the window, that before the cut if there was one in the same period: one reduction in all.
    fn decrease(&mut self, from: Packets, loss: &Loss) -> Packets {
        let before = if loss.now < self.rests_until { self.before_cut } else { 0.0 };
        self.rests_until = loss.now + self.period();
        from.max(before) / 2.0
    }

    fn on_timeout(&mut self, window: &mut Window, timeout: &Timeout) {
        self.rests_until = timeout.now + self.period();
        window.start_over(timeout);
    }

    fn observe(&mut self, window: &mut Window, ack: &Ack) {
        (self.smoothed_rtt, self.inflight) = (ack.smoothed_rtt, ack.inflight);
        let in_slow_start = window.cwnd < window.ssthresh;
        self.rounds = if in_slow_start { 0 } else { self.rounds.saturating_add(u32::from(ack.round_start)) };
        let is_first = self.period_ends.is_none();
        if let Some(ends) = self.period_ends {
            self.average(ack, ends);
        } else if ack.marks > 0 {
            self.period_ends = Some(ack.now + self.period());
        }
        if ack.marks > 0 && ack.phase == Phase::Open && ack.now >= self.rests_until {
            let alpha = if is_first { self.alpha.max(1.0) } else { self.alpha };
            self.cut(window, 1.0 - alpha / 2.0, ack.now);
        }
    }

    fn ecn(&self) -> EcnResponse {
        EcnResponse::Counts
    }

    /// What is in flight or allowed, over the round trip; twice that far below the threshold.
    fn pacing_rate(&self, window: &Window, packet_bytes: u32) -> Option<Rate> {
        if self.smoothed_rtt == Span::ZERO {
            return None;
        }
        let factor = if window.cwnd < window.ssthresh / 2.0 { 2.0 } else { 1.0 };
        let bytes = window.cwnd.max(self.inflight) * f64::from(packet_bytes) * factor;
        let bits_per_second = bytes * 8.0 / self.smoothed_rtt.seconds();
        Some(Rate::from_bits_per_second(bits_per_second.clamp(LEAST_RATE_BPS, 1e15) as u64))
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("marked_share", self.alpha);
    }
}

#[cfg(test)]
mod tests;
