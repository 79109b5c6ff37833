//! TCP Prague: DCTCP's response to marks for the Internet (L4S, RFC 9330 and 9331). Marks are averaged and
//! answered in periods of at least 25 ms, so that flows with short round trips leave room to others. Unmarked
//! packets add to the window even while others are marked, and packets are paced. The host must report each
//! mark, which it does if `ecn` is on.
//!
//! The window has a fraction; the host may use the window rounded up, and at least two packets. Packets leave
//! at the rate of the whole packets of the window, or of the packets in flight if those are more, over the
//! round trip. If four packets or fewer are allowed, the rate grows and is cut, and the window follows it.

mod classic_queue;
mod marks;
#[cfg(test)]
mod tests;

use self::classic_queue::ClassicQueue;
use self::marks::Marks;
use crate::bbr::repair::Repair;
use crate::classic::{Floors, MAX_CWND, MIN_SSTHRESH, Window};
use crate::control::{
    Ack, Control, Decision, EcnResponse, Ending, Follows, Initial, Loss, LossSignal, Phase, Properties,
    Recovered, Timeout, WindowControl,
};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use ackclock_base::{Packets, Random, Range, Rate, Span, Time, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "prague",
        "TCP Prague: marks reduce the window by half of the share of marked packets, averaged over periods of at least \
         25 ms; needs the transport's `ecn`, without which only losses reduce the window",
        "Linux's tcp_prague.c 0.7 of the L4S team; draft-briscoe-iccrg-prague-congestion-control-04; RFC 9331",
        Parameters::TABLE,
    ),
    build: Build::Alone(|values, initial| Box::new(Prague::new(values.into(), initial))),
    published: PublishedDefaults::recovery("rack"),
};

parameters! {
    /// How marks are averaged, and the treatment of short round trips.
    pub struct Parameters {
        /// Weight of the newest averaging period in the average share of marked packets
        gain: f64 = number("0.0625", Range { min: 0.0, max: 1.0, above_min: true }, "tcp_prague.c, PRAGUE_SHIFT_G"),
        /// Initial value of the average share of marked packets; the first mark of a connection halves the window
        /// whatever the average
        initial_alpha: f64 = number("0", Range::between(0.0, 1.0), "tcp_prague.c, alpha mode 0"),
        /// Virtual round trip: flows with shorter round trips grow as slowly as flows with this round trip, and marks
        /// reduce their window at most once in this time; 0 to disable
        virtual_rtt: Span = time("25 ms", Range::between(0.0, 10.0), "tcp_prague.c, prague_rtt_target"),
        /// Number of rounds from the end of slow start until the virtual round trip applies
        independent_after: u32 = integer("4", Range::between(0.0, 1e6), "tcp_prague.c, prague_rtt_transition"),
        /// Largest window, in packets of 1500 bytes on the wire, at which the control, once a mark has been seen,
        /// adjusts the pacing rate and computes the window from it, instead of adjusting the window; 0 for never
        rate_up_to: f64 = packets("4 packets", Range::between(0.0, 1e6), "tcp_prague.c, prague_cwnd_transit"),
        /// Whether the control detects, from the round-trip times, that a single queue with classic ECN (RFC 3168) sets
        /// the marks. After such a detection, a mark reduces the window by at least 31 %
        classic_fallback: bool = flag(
            false,
            "tcp_prague.c 0.6, prague_ecn_fallback, off by default; version 0.7 has no fallback",
        ),
    }
}

/// The round trip beyond which growth is not that of a virtual round trip (tcp_prague.c, MAX_SCALED_RTT).
const LONGEST_INDEPENDENT: Span = Span::from_millis(100);

/// The smallest sending rate (tcp_prague.c, MINIMUM_RATE: 100 kbit/s).
const LEAST_BYTES_PER_SECOND: f64 = 12_500.0;

/// The size on the wire of the packet in which growth is measured (tcp_prague.c, MTU_SYS).
const FULL_PACKET_BYTES: f64 = 1500.0;

/// The smallest window that the host is allowed (tcp_prague.c, MIN_CWND_RTT).
const LEAST_ALLOWED: Packets = 2.0;

/// The share by which the rate varies between the halves of a virtual round trip (tcp_prague.c, RATE_OFFSET).
const SWING: f64 = 4.0 / 128.0;

/// The weight of a round in the average round trip that converts rates to windows (tcp_prague.c,
/// HSRTT_SHIFT).
const LONG_RTT_GAIN: f64 = 1.0 / 128.0;

/// The TCP Prague control.
#[derive(Clone, Debug)]
pub struct Prague {
    parameters: Parameters,
    /// The congestion window with its fraction.
    window: Packets,
    /// Whether the rate is in control and the window follows it; the rate is in packets per second.
    by_rate: bool,
    rate: f64,
    /// The window that the host is allowed: it moves towards the window, rounded up, by one packet per
    /// acknowledgement.
    allowed: Packets,
    ssthresh: Packets,
    marks: Marks,
    /// The detector of classic queues; `None` if the fallback is off.
    classic_queue: Option<ClassicQueue>,
    /// Marks belong to the last congestion until a packet beyond this number is acknowledged (Linux's state
    /// CWR).
    reduced_until: Option<u64>,
    /// The time of the last cut for a mark, and the window before it.
    cut_at: Option<Time>,
    before_cut: Packets,
    repair: Repair,
    before_loss: Option<BeforeLoss>,
    now: Time,
    smoothed_rtt: Span,
    /// The average of `smoothed_rtt` over the periods, in seconds, which converts rates to windows; 0 before the
    /// first period has ended.
    long_rtt: f64,
    inflight: Packets,
    pacing_rate: Option<Rate>,
    packet_bytes: f64,
    header_bytes: f64,
    floors: Floors,
}

/// The state that a spurious loss restores.
#[derive(Clone, Copy, Debug)]
struct BeforeLoss {
    window: Packets,
    rate: f64,
    allowed: Packets,
    ssthresh: Packets,
}

impl Prague {
    /// Creates the control at the start of a connection.
    pub fn new(parameters: Parameters, initial: &Initial) -> Self {
        let window = if initial.window.is_nan() { 1.0 } else { initial.window.clamp(1.0, MAX_CWND) };
        Self {
            parameters,
            window,
            rate: 0.0,
            by_rate: false,
            allowed: window,
            ssthresh: initial.ssthresh,
            marks: Marks::new(parameters.initial_alpha),
            classic_queue: parameters.classic_fallback.then(ClassicQueue::default),
            reduced_until: None,
            cut_at: None,
            before_cut: 0.0,
            repair: Repair::default(),
            before_loss: None,
            now: Time::ZERO,
            smoothed_rtt: Span::ZERO,
            long_rtt: 0.0,
            inflight: 0.0,
            pacing_rate: None,
            packet_bytes: f64::from(initial.packet_bytes.max(1)),
            header_bytes: f64::from(initial.header_bytes),
            floors: Floors::of(initial),
        }
    }

    fn in_slow_start(&self) -> bool {
        self.allowed < self.ssthresh
    }

    fn is_independent(&self) -> bool {
        !self.in_slow_start() && self.marks.rounds >= self.parameters.independent_after
    }

    /// Returns the larger of the smoothed and the virtual round trip, in seconds.
    fn virtual_rtt(&self) -> f64 {
        self.smoothed_rtt.max(self.parameters.virtual_rtt).seconds()
    }

    /// Returns the size of a packet of 1500 bytes on the wire as a multiple of the packet size.
    fn full_packet(&self) -> Packets {
        FULL_PACKET_BYTES / (self.packet_bytes + self.header_bytes)
    }

    /// Returns the factor on Reno's growth in a round trip, at most 1.
    fn growth(&self) -> f64 {
        let Parameters { virtual_rtt, .. } = self.parameters;
        let rtt = self.smoothed_rtt;
        if !self.is_independent() || rtt >= virtual_rtt || rtt > LONGEST_INDEPENDENT {
            return 1.0;
        }
        (rtt.seconds() / virtual_rtt.seconds()).powi(2)
    }

    fn least_rate(&self) -> f64 {
        LEAST_BYTES_PER_SECOND / self.packet_bytes
    }

    /// Returns the rate, in packets per second, that sends the window in a round trip.
    fn rate_of_window(&self) -> f64 {
        let rtt = self.smoothed_rtt.seconds();
        if rtt > 0.0 { (self.window / rtt).max(self.least_rate()) } else { self.rate }
    }

    fn window_of_rate(&self) -> Packets {
        self.rate * if self.long_rtt > 0.0 { self.long_rtt } else { self.smoothed_rtt.seconds() }
    }

    /// Returns the window that the host should be allowed, in whole packets.
    fn wanted(&self) -> Packets {
        self.window.ceil().clamp(LEAST_ALLOWED, MAX_CWND)
    }

    /// Cuts the window, or the rate if that is in control, by `share`.
    fn cut(&mut self, share: f64) {
        if self.by_rate {
            self.rate = (self.rate * (1.0 - share)).max(self.least_rate());
            self.window = self.window_of_rate();
        } else {
            self.window *= 1.0 - share;
        }
    }

    fn set_gain(&mut self) {
        if let Some(queue) = &mut self.classic_queue {
            queue.set_gain(self.ssthresh);
        }
    }

    /// Enters Linux's state CWR, for a mark or for a packet that the host's own interface refused. While
    /// growth is independent of the round trip there is at most one cut in 25 ms; a state entered sooner
    /// makes no cut.
    fn enter_reduced(&mut self, now: Time, sent_to: u64) {
        self.reduced_until = Some(sent_to);
        self.set_gain();
        let least = self.parameters.virtual_rtt;
        if self.is_independent() && self.cut_at.is_some_and(|at| now < at + least) {
            return;
        }
        self.cut_at = Some(now);
        self.before_cut = self.window;
        let share = self.classic_queue.map_or(0.0, |queue| queue.share()).max(self.marks.alpha);
        self.cut(share / 2.0);
    }

    /// Grows the window by the packets that arrived unmarked, unless a loss is being repaired.
    fn grow(&mut self, ack: &Ack) {
        let mut unmarked = (ack.newly_acked - f64::from(ack.marks)).max(0.0);
        // tcp_prague.c 0.7 requires that the application does not limit the flow (tp->app_limited); 0.6
        // required a full window.
        if unmarked <= 0.0 || ack.app_limited || self.repair.goes_on() || ack.phase == Phase::Recovery {
            return;
        }
        if self.in_slow_start() {
            let grown = (self.allowed + unmarked).min(self.ssthresh);
            unmarked -= grown - self.allowed;
            (self.allowed, self.window) = (grown, grown);
        }
        let more = unmarked * self.full_packet();
        if self.by_rate {
            let rtt = self.virtual_rtt();
            self.rate += more / rtt / (self.rate * rtt).ceil().max(1.0);
            self.window = self.window.max(self.window_of_rate());
        } else {
            self.window += more * self.growth() / self.window;
        }
        self.window = self.window.min(MAX_CWND);
    }

    /// Moves the allowed window by one packet towards the window. On the way down the threshold follows.
    fn step(&mut self) {
        let wanted = self.wanted();
        if self.allowed > wanted {
            self.allowed = (self.allowed - 1.0).max(wanted);
            self.ssthresh = self.allowed;
        } else {
            self.allowed = (self.allowed + 1.0).min(wanted);
        }
    }

    /// Updates the detector and the slow average at the end of a period.
    fn end_period(&mut self, ack: &Ack) {
        if let Some(queue) = self.classic_queue.as_mut().filter(|_| self.marks.seen) {
            queue.judge(ack.min_rtt);
        }
        let rtt = self.smoothed_rtt.seconds();
        self.long_rtt += if self.long_rtt > 0.0 { LONG_RTT_GAIN * (rtt - self.long_rtt) } else { rtt };
    }

    /// Decides whether the window or the rate is in control from now on.
    fn choose_leader(&mut self) {
        let most = self.parameters.rate_up_to * self.full_packet();
        let by_rate = self.marks.seen && self.is_independent() && self.allowed <= most;
        if by_rate != self.by_rate {
            self.rate = self.rate_of_window();
        }
        self.by_rate = by_rate;
        if by_rate {
            self.window = self.window_of_rate();
        }
    }

    /// Sets the pacing rate until the next acknowledgement; there is none before the first round trip.
    fn pace(&mut self) {
        let rtt = self.smoothed_rtt.seconds();
        if rtt <= 0.0 {
            return;
        }
        let rate = if self.by_rate {
            let half = Span::from_seconds(self.virtual_rtt() / 2.0);
            let is_second = self.marks.since_period(self.now) >= half;
            self.rate * if is_second { 1.0 - SWING } else { 1.0 + SWING }
        } else {
            (self.window.floor().max(self.inflight) / rtt).max(self.least_rate())
        };
        let rate = if self.allowed < self.ssthresh / 2.0 { 2.0 * rate } else { rate };
        let bits_per_second = (rate * self.packet_bytes * 8.0).clamp(1.0, 1e15);
        self.pacing_rate = Some(Rate::from_bits_per_second(bits_per_second as u64));
    }

    fn save(&mut self) {
        let rate = if self.by_rate { self.rate } else { self.rate_of_window() };
        let Self { window, allowed, ssthresh, .. } = *self;
        self.before_loss = Some(BeforeLoss { window, rate, allowed, ssthresh });
    }

    /// Halves the window at a loss, including what a mark of the same period has cut already.
    fn halve(&mut self, now: Time) {
        let period = Span::from_seconds(self.virtual_rtt());
        let has_cut = self.cut_at.is_some_and(|at| now < at + period) && self.window > 0.0;
        let before = if has_cut { self.before_cut.max(self.window) } else { self.window };
        let left = if self.window > 0.0 { (before / 2.0 / self.window).min(1.0) } else { 0.5 };
        self.cut(1.0 - left);
    }
}

impl Control for Prague {
    fn decision(&self) -> Decision {
        Decision { pacing_rate: self.pacing_rate, ..Decision::window(self.allowed, self.ssthresh) }
    }

    fn properties(&self) -> Properties {
        Properties { ecn: EcnResponse::Counts, follows: Follows::Nothing, ..Properties::default() }
    }

    fn on_ack(&mut self, ack: &Ack, _random: &mut dyn Random) {
        (self.now, self.smoothed_rtt, self.inflight) = (ack.now, ack.smoothed_rtt, ack.inflight);
        self.repair.ends_with(ack);
        if let (Some(queue), Some(rtt)) = (&mut self.classic_queue, ack.rtt) {
            queue.take(rtt);
        }
        if self.reduced_until.is_some_and(|until| ack.acked_to > until) {
            self.reduced_until = None;
        }
        let is_first = ack.marks > 0 && !self.marks.seen;
        let is_repairing = self.repair.goes_on() || ack.phase == Phase::Recovery;
        if ack.marks > 0 && !is_repairing && self.reduced_until.is_none() && !is_first {
            self.enter_reduced(ack.now, ack.sent_to);
        }
        if is_first {
            self.set_gain();
            (self.reduced_until, self.cut_at) = (Some(ack.sent_to), Some(ack.now));
            self.before_cut = self.window;
            self.cut(0.5);
        } else {
            self.grow(ack);
        }
        self.step();
        let least = if self.is_independent() { self.parameters.virtual_rtt } else { Span::ZERO };
        let in_slow_start = self.in_slow_start();
        if self.marks.take(ack, self.parameters.gain, least, in_slow_start) {
            self.end_period(ack);
        }
        self.pace();
        self.choose_leader();
    }

    fn on_loss(&mut self, loss: &Loss, _random: &mut dyn Random) {
        self.save();
        if matches!(loss.signal, LossSignal::Ecn | LossSignal::LocalDrop) {
            self.enter_reduced(loss.now, loss.sent_to);
        } else {
            self.set_gain();
            self.repair.begin(self.window, false);
            self.halve(loss.now);
        }
        // The host reduces the packets in flight as for any smaller window.
        self.allowed = self.allowed.min(self.wanted()).max(self.floors.after_loss());
        self.ssthresh = self.allowed.max(MIN_SSTHRESH);
    }

    /// Halves the window as for any loss. The host starts with one packet more than it still has in flight
    /// (Linux's `tcp_enter_loss`); its allowed window then rises by a packet per acknowledgement.
    fn on_timeout(&mut self, timeout: &Timeout, _random: &mut dyn Random) {
        if timeout.in_a_row == 1 {
            let was_repairing = self.repair.goes_on();
            self.save();
            if !was_repairing {
                self.halve(timeout.now);
                self.ssthresh = self.wanted();
            }
        }
        self.repair.begin_after_timeout(self.window, false, timeout.sent_to);
        self.allowed = (timeout.left_in_flight + 1.0).min(self.allowed).max(self.floors.after_timeout());
    }

    fn on_recovered(&mut self, recovered: &Recovered) {
        self.repair.end();
        if recovered.ending == Ending::Undone
            && let Some(before) = self.before_loss.take()
        {
            self.window = self.window.max(before.window);
            self.rate = self.rate.max(before.rate);
            self.allowed = self.allowed.max(before.allowed);
            self.ssthresh = before.ssthresh;
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("marked_share", self.marks.alpha);
        series("prague_window_packets", self.window);
        series("prague_by_rate", f64::from(u8::from(self.by_rate)));
        series("prague_classic_score", self.classic_queue.map_or(f64::NAN, |queue| queue.score()));
    }
}

impl WindowControl for Prague {
    fn set_cwnd(&mut self, cwnd: Packets) {
        let mut window = Window { cwnd, ssthresh: self.ssthresh };
        self.floors.clamp(&mut window);
        (self.window, self.allowed) = (window.cwnd, window.cwnd);
        self.rate = self.rate_of_window();
    }

    fn set_ssthresh(&mut self, ssthresh: Packets) {
        let mut window = Window { cwnd: self.allowed, ssthresh };
        self.floors.clamp(&mut window);
        self.ssthresh = window.ssthresh;
    }
}
