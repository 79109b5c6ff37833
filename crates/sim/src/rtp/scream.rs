//! SCReAMv2 (draft-ietf-ccwg-rfc8298bis-screamv2-01, which is to replace RFC 8298): a window that losses, marks and queueing delay
//! reduce, and a rate that is the window over the round trip.
//!
//! The whole of sections 4.2 to 4.4 except L4S and the optional reduction of jitter, and none of the additional functions of section 4.5.

use super::control::{Call, Entry, Feedback, RateControl, rate_control};
use ackclock_base::{Range, Rate, Size, Span, Time, parameters};
use ackclock_cc::laws::ledbat::delays::{BaseDelay, MAX_MINUTES};

/// The entry in the list of rate controls.
pub const ENTRY: Entry = Entry {
    descriptor: &rate_control(
        "rtp:scream",
        "SCReAMv2: computes a call's rate from the window divided by the RTT; losses, ECN marks and queueing delay \
         reduce the window",
        "draft-ietf-ccwg-rfc8298bis-screamv2-01",
        Parameters::TABLE,
    ),
    build: |values, call| Box::new(Scream::new(values.into(), call)),
};

const WINDOW: &str = "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2";
const DELAY: &str = "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.1.4";
const SENDING: &str = "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.3";
const MEDIA: &str = "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.4";
const TIMES: Range = Range { min: 0.0, max: 60.0, above_min: true };
const SHARES: Range = Range { min: 0.0, max: 1.0, above_min: true };
const FACTORS: Range = Range::between(1.0, 100.0);
const SIZES: Range = Range::between(100.0, 1e6);

parameters! {
    /// The parameters, after the constants of the draft. `TARGET_BITRATE_MIN` and `TARGET_BITRATE_MAX` are the rates of the call.
    pub struct Parameters {
        /// Target queueing delay; a delay above half of this target reduces the window (QDELAY_TARGET_LO)
        qdelay_target: Span = time("60 ms", TIMES, WINDOW),
        /// Smallest window (MIN_REF_WND)
        min_window: Size = size("3000 B", SIZES, WINDOW),
        /// Largest packet (MSS)
        mss: Size = size("1000 B", SIZES, WINDOW),
        /// Limit up to which the window grows, as a multiple of the maximum number of bytes in flight in the current
        /// and previous round trips, plus `mss` (BYTES_IN_FLIGHT_HEAD_ROOM)
        head_room: f64 = number("1.5", FACTORS, WINDOW),
        /// Fraction of the window that remains after a loss (BETA_LOSS)
        beta_loss: f64 = number("0.7", SHARES, WINDOW),
        /// Fraction of the window that remains after an ECN mark (BETA_ECN)
        beta_ecn: f64 = number("0.8", SHARES, WINDOW),
        /// Number of round trips after the last loss or ECN mark until `mul_increase` applies in full again
        /// (POST_CONGESTION_DELAY_RTT)
        cautious_rounds: f64 = number("100", Range::between(0.0, 10_000.0), WINDOW),
        /// Fraction of the window that is added to its linear growth per round trip after `cautious_rounds` without
        /// congestion (MUL_INCREASE_FACTOR)
        mul_increase: f64 = number("0.02", Range::between(0.0, 1.0), WINDOW),
        /// Virtual RTT: the window of a flow with a shorter RTT grows by less per round trip (VIRTUAL_RTT)
        virtual_rtt: Span = time("25 ms", TIMES, WINDOW),
        /// Weight of a new queueing delay sample above the average in the average; a sample below the average replaces
        /// it (QDELAY_AVG_G)
        qdelay_weight: f64 = number("0.25", SHARES, DELAY),
        /// Limit on the bytes in flight, as a multiple of the window (REF_WND_OVERHEAD_MAX; its reduction under jitter
        /// is not implemented)
        overhead: f64 = number("3", FACTORS, SENDING),
        /// Lowest pacing rate, before `pacing_headroom` multiplies it (RATE_PACE_MIN)
        min_pacing: Rate = rate("50 kbit/s", Range::between(1000.0, 1e8), SENDING),
        /// Ratio of the pacing rate to the target rate (PACKET_PACING_HEADROOM)
        pacing_headroom: f64 = number("1.5", FACTORS, SENDING),
        /// Largest additional factor of the pacing rate, reached as the target rate approaches the encoder's highest
        /// rate (MAX_RELAXED_PACING_FACTOR)
        relaxed_pacing: f64 = number("4", FACTORS, SENDING),
        /// Target rate, as a fraction of the encoder's highest rate, above which the pacing rate exceeds
        /// `pacing_headroom` times the target rate (RELAXED_PACING_LIMIT_LOW)
        relaxed_from: f64 = number("0.8", Range::between(0.0, 0.99), SENDING),
        /// Header bytes per packet that the target rate allows for (PACKET_OVERHEAD)
        packet_overhead: Size = size("20 B", Range::between(0.0, 500.0), MEDIA),
        /// Gain of the target rate's reduction per frame while packets are queued at the sender (RATE_ADJUST_GAIN)
        adjust_gain: f64 = number("0.0625", SHARES, MEDIA),
        /// Weight of the newest frame in the average relative excess of frames over their nominal size
        /// (FRAME_SIZE_DEV_ALPHA)
        excess_weight: f64 = number("0.015625", SHARES, MEDIA),
        /// Number of past minutes whose minimum one-way delay is the base delay
        base_history: usize = integer(
            "10",
            Range::between(1.0, MAX_MINUTES as f64),
            "RFC 6817 section 2.5, which the SCReAM draft cites for the base delay",
        ),
    }
}

/// The weight of the newest round trip in the smoothed one (RFC 6298 section 2).
const RTT_WEIGHT: f64 = 0.125;

/// The state of SCReAM in a call. Sizes are in bytes, times in seconds, rates in bits per second.
pub struct Scream {
    parameters: Parameters,
    call: Call,
    /// The reference window, and what it was when the last congestion began.
    window: f64,
    inflection: Option<f64>,
    /// Whether the window has grown since `inflection` was set.
    has_grown: bool,
    rtt_s: Option<f64>,
    /// The least one-way delay of the last minutes, which stands for the delay without queues.
    base: BaseDelay,
    /// The mean queueing delay, and when it was updated.
    queueing_s: f64,
    averaged: Option<Time>,
    /// Whether a packet was lost, or marked, since the last reaction to congestion.
    has_loss: bool,
    has_mark: bool,
    /// The time of the last loss or mark, and that of the last reaction.
    congested: Option<Time>,
    reacted: Option<Time>,
    /// The most bytes in flight in this round trip and in the one before, and when this one began.
    in_flight: [u64; 2],
    round: Time,
    /// The reduction of the target for packets that wait in the sender, and the mean excess of the sizes of frames.
    adjustment: f64,
    excess: f64,
    target_bps: f64,
}

impl Scream {
    /// Creates the control of a call, which begins at the lowest rate of the encoder.
    pub fn new(parameters: Parameters, call: Call) -> Self {
        Self {
            parameters,
            call,
            window: parameters.min_window.bytes() as f64,
            inflection: None,
            has_grown: true,
            rtt_s: None,
            base: BaseDelay::new(parameters.base_history),
            queueing_s: 0.0,
            averaged: None,
            has_loss: false,
            has_mark: false,
            congested: None,
            reacted: None,
            in_flight: [0; 2],
            round: Time::ZERO,
            adjustment: 0.0,
            excess: 0.0,
            target_bps: call.min_bps,
        }
    }

    fn mss(&self) -> f64 {
        self.parameters.mss.bytes() as f64
    }

    /// Returns the largest packet as a share of the window, at most 1.
    fn packet_share(&self) -> f64 {
        (self.mss() / self.window).min(1.0)
    }

    /// Returns a factor from 0.1 to 1 that slows changes of the window down near the one at which congestion began (section 4.2.2.1).
    fn distance(&self) -> f64 {
        let Some(inflection) = self.inflection else { return 1.0 };
        let distance = 8.0 * (self.window - inflection) / inflection;
        (distance * distance).clamp(0.1, 1.0)
    }

    /// Updates the mean queueing delay: it falls at once, and rises slowly (section 4.2.1.4).
    fn average(&mut self, now: Time, queueing_s: f64, rtt_s: f64) {
        let Parameters { virtual_rtt, qdelay_weight, .. } = self.parameters;
        if is_due(now, self.averaged, virtual_rtt.seconds().min(rtt_s)) {
            let rise_s = (queueing_s - self.queueing_s).max(0.0);
            self.queueing_s = self.queueing_s.min(queueing_s) + qdelay_weight * rise_s;
            self.averaged = Some(now);
        }
    }

    /// Reduces the window after a loss, a mark or a queueing delay that is too long, once each round trip (section 4.2.2.1).
    fn react(&mut self, now: Time, rtt_s: f64) {
        let Parameters { qdelay_target, min_window, beta_loss, beta_ecn, virtual_rtt, .. } = self.parameters;
        if self.has_loss || self.has_mark {
            self.congested = Some(now);
        }
        if !is_due(now, self.reacted, virtual_rtt.seconds().min(rtt_s)) {
            return;
        }
        let half_s = qdelay_target.seconds() / 2.0;
        let stays = if self.has_loss {
            beta_loss
        } else if self.has_mark {
            beta_ecn
        } else if self.queueing_s > half_s {
            // As if the share of packets with marks of L4S went from 0 to 1 between half of the target and the target. A reaction each
            // virtual round trip is to be no stronger than one each round trip.
            let marked = ((self.queueing_s - half_s) / half_s).min(1.0);
            1.0 - marked / 2.0 / (rtt_s / virtual_rtt.seconds()).max(1.0)
        } else {
            return;
        };
        if self.has_grown {
            self.inflection = Some(self.window);
            self.has_grown = false;
        }
        self.window = (stays * self.window).max(min_window.bytes() as f64);
        (self.has_loss, self.has_mark) = (false, false);
        self.reacted = Some(now);
    }

    /// Lets the window grow for bytes that were reported without a mark (section 4.2.2.2). `distance` is that before the reaction.
    fn grow(&mut self, now: Time, bytes: f64, rtt_s: f64, distance: f64) {
        let Parameters { head_room, cautious_rounds, mul_increase, virtual_rtt, .. } = self.parameters;
        let virtual_s = virtual_rtt.seconds();
        let cautious_s = cautious_rounds * virtual_s.max(rtt_s);
        let since_s = self.congested.map_or(f64::INFINITY, |congested| now.since(congested).seconds());
        let recovered = if since_s < cautious_s { since_s / cautious_s } else { 1.0 };
        let additive = bytes * self.packet_share() * (rtt_s / virtual_s).min(1.0) * distance.max(0.25);
        let multiple = mul_increase * self.window / self.mss();
        let grown = self.window + additive * (1.0 + multiple * recovered * distance);
        let most = self.mss() + head_room * self.in_flight[0].max(self.in_flight[1]) as f64;
        if grown <= most && self.target_bps < self.call.max_bps {
            self.has_grown |= grown > self.window;
            self.window = grown;
        }
    }

    /// Returns the target rate (section 4.4).
    fn target(&self, rtt_s: f64) -> f64 {
        let mss = self.mss();
        let small = 1.0 - (self.packet_share() - 0.1).clamp(0.0, 0.2);
        let headers = mss / (mss + self.parameters.packet_overhead.bytes() as f64);
        let margin = 1.2 + self.adjustment + self.excess;
        (small * headers / margin * 8.0 * self.window / rtt_s).clamp(self.call.min_bps, self.call.max_bps)
    }
}

/// Returns whether `interval_s` has passed since `last`, if that was ever.
fn is_due(now: Time, last: Option<Time>, interval_s: f64) -> bool {
    last.is_none_or(|last| now.since(last).seconds() >= interval_s)
}

impl RateControl for Scream {
    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        let Feedback { now, rtt, packets } = *feedback;
        let sample_s = rtt.seconds();
        let rtt_s = self.rtt_s.map_or(sample_s, |mean_s| mean_s + RTT_WEIGHT * (sample_s - mean_s));
        self.rtt_s = Some(rtt_s);
        let (mut newest, mut unmarked) = (None, 0.0);
        for packet in packets {
            if let Some(arrived) = packet.arrived {
                let delay = arrived.since(packet.sent);
                self.base.sample(arrived, delay);
                newest = Some(delay);
            }
        }
        for packet in packets {
            self.has_loss |= packet.arrived.is_none();
            self.has_mark |= packet.marked;
            unmarked += if packet.marked { 0.0 } else { f64::from(packet.bytes) };
        }
        if let (Some(delay), Some(base)) = (newest, self.base.least()) {
            self.average(now, delay.seconds() - base.seconds(), rtt_s);
        }
        let distance = self.distance();
        self.react(now, rtt_s);
        self.grow(now, unmarked, rtt_s, distance);
        self.target_bps = self.target(rtt_s);
        if now.since(self.round).seconds() >= rtt_s {
            self.in_flight = [0, self.in_flight[0]];
            self.round = now;
        }
    }

    fn on_frame(&mut self, bytes: u32, waited: Span) {
        let period_s = 1.0 / self.call.frames_per_second;
        let error = (waited.seconds() - period_s / 4.0) / period_s;
        self.adjustment = (self.adjustment + self.parameters.adjust_gain * error).clamp(0.0, 0.5);
        let nominal = self.target_bps * period_s / 8.0;
        let excess = ((f64::from(bytes) - nominal) / nominal).max(0.0);
        self.excess = (self.excess + self.parameters.excess_weight * (excess - self.excess)).min(0.2);
    }

    fn on_sent(&mut self, in_flight: u64) {
        self.in_flight[0] = self.in_flight[0].max(in_flight);
    }

    fn window(&self) -> f64 {
        self.parameters.overhead * self.window
    }

    fn target_bps(&self) -> f64 {
        self.target_bps
    }

    fn sending_bps(&self, _buffered_bytes: u64) -> f64 {
        let Parameters { min_pacing, pacing_headroom, relaxed_pacing, relaxed_from, .. } = self.parameters;
        let least_bps = min_pacing.bits_per_second() as f64;
        let share = (self.target_bps / self.call.max_bps - relaxed_from) / (1.0 - relaxed_from);
        let slower = (1.0 - share).clamp(1.0 / relaxed_pacing, 1.0);
        self.target_bps.max(least_bps) * pacing_headroom / slower
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("cwnd_bytes", self.window);
        series("congestion_signal_s", self.queueing_s);
    }
}

#[cfg(test)]
mod tests;
