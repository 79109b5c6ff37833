//! The sending side of a connection: it keeps the ledger, the round trip and the timer, lets the retransmission
//! rule say what to send, and the congestion control how much.

use super::options::{Options, SenderOptions};
use super::segment::{Flags, Segment as Packet};
use crate::histogram::Histogram;
use crate::random::Stream;
use ackclock_aqm::Ecn;
use ackclock_base::{Span, Time};
use ackclock_cc::{
    Ack, Arrival, Backoff, Cause, Control, Counted, DeliveryRate, Loss, LossSignal, Phase, Recovered,
    Timeout as TimeoutExpired,
};
use ackclock_recovery::detection::{Detection, LossFound, News, Reaction, Run};
use ackclock_recovery::ledger::{Ledger, Newly, RateSample};
use ackclock_recovery::rtt::RttEstimator;

/// Where a sender puts its packets.
pub trait Wire {
    /// Sends a packet now.
    fn send(&mut self, packet: Packet);

    /// Whether the host's own interface had no room for the packet that was just sent.
    fn refused(&self) -> bool {
        false
    }
}

/// What a sender counts. Reset at the end of the warm-up.
#[derive(Clone, Debug, Default)]
pub struct SenderCounts {
    /// Data packets sent, retransmissions included.
    pub sent: u64,
    /// Retransmissions.
    pub retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Time from the last packet sent to each such expiry, added up.
    pub timeout_idle: Span,
    /// Recoveries that began.
    pub fast_retransmits: u64,
    /// Round trips of packets that were sent once and acknowledged without a repair in between.
    pub rtt: Histogram,
    /// The congestion window integrated over time, in packet nanoseconds.
    cwnd_area: f64,
}

impl SenderCounts {
    fn absorb(&mut self, other: &Self) {
        self.sent += other.sent;
        self.retransmitted += other.retransmitted;
        self.timeouts += other.timeouts;
        self.timeout_idle += other.timeout_idle;
        self.fast_retransmits += other.fast_retransmits;
        self.rtt.absorb(&other.rtt);
    }
}

/// The sender of a connection.
pub struct Sender {
    options: SenderOptions,
    control: Box<dyn Control>,
    rule: Box<dyn Detection>,
    backoff: Box<dyn Backoff>,
    board: Ledger,
    rtt: RttEstimator,
    state: State,
    /// One past the last packet that the application has to send.
    data_until: u64,
    /// Whether the application may have more to send when that is done.
    stays_open: bool,
    deadline: Time,
    expiries: u32,
    /// The one packet that is being timed where the timer does not listen to timestamps: its number and when it left.
    timed: Option<(u64, Time)>,
    /// Set by a timeout until the next acknowledgement shows whether it was spurious.
    doubtful_timeout: Option<Time>,
    pacing: Pacing,
    /// What is sent next after the last reduction, and announces it. Until more than that is acknowledged the receiver echoes
    /// marks that are older, and there is no second reaction.
    ecn_guard: Option<u64>,
    announce_reduction: bool,
    /// What the packets say in their ECN field.
    field: Ecn,
    /// Whether the control is told how many packets were marked, in place of an echo.
    counts_marks: bool,
    /// Marks that the receiver has told of, modulo 2^16.
    marks: u16,
    cwnd_limited: bool,
    last_sent: Time,
    cwnd_since: Time,
    last_rtt: Option<Span>,
    counts: SenderCounts,
    /// For controls that guess.
    random: Stream,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Connecting,
    Open,
}

#[derive(Clone, Copy, Debug)]
struct Pacing {
    next: Time,
    /// Whether a packet is waiting for `next`.
    blocked: bool,
}

impl Sender {
    /// A sender that has not started, with `packets` to send.
    pub fn new(
        options: &Options,
        control: Box<dyn Control>,
        backoff: Box<dyn Backoff>,
        packets: u64,
        random: Stream,
    ) -> Self {
        let counts_marks = control.counts_marks();
        Self {
            field: options.sender.field(counts_marks),
            counts_marks,
            marks: 0,
            control,
            rule: options.rule(),
            backoff,
            board: Ledger::new(options.sender.dupack_threshold),
            rtt: RttEstimator::new(options.sender.timeout),
            options: options.sender.clone(),
            state: State::Idle,
            data_until: packets,
            stays_open: false,
            deadline: Time::NEVER,
            expiries: 0,
            timed: None,
            doubtful_timeout: None,
            pacing: Pacing { next: Time::ZERO, blocked: false },
            ecn_guard: None,
            announce_reduction: false,
            cwnd_limited: true,
            last_sent: Time::ZERO,
            cwnd_since: Time::ZERO,
            last_rtt: None,
            counts: SenderCounts::default(),
            random,
        }
    }

    /// The application begins.
    pub fn start(&mut self, now: Time, wire: &mut impl Wire) {
        self.cwnd_since = now;
        self.control.on_start(now);
        if self.options.handshake {
            self.state = State::Connecting;
            self.send_syn(now, wire);
        } else {
            self.state = State::Open;
            self.end_if_done(now);
            self.send_allowed(now, wire);
        }
    }

    /// The connection stays open when it has delivered everything, until it is [closed](Self::close).
    pub fn stay_open(&mut self) {
        self.stays_open = true;
    }

    /// The application has so many packets more to send, over a connection that has stayed open. Its window is the one that
    /// it had (RFC 5681 section 4.1 would have it restart after a pause).
    pub fn send_more(&mut self, now: Time, packets: u64, wire: &mut impl Wire) {
        self.data_until += packets;
        if self.state == State::Open {
            self.send_allowed(now, wire);
        }
    }

    /// The end of a connection that has stayed open.
    pub fn close(&mut self, now: Time) {
        if std::mem::take(&mut self.stays_open) {
            self.end_if_done(now);
        }
    }

    /// The application has nothing more to send; what is outstanding is still repaired.
    pub fn stop(&mut self, now: Time) {
        let was_done = self.is_done();
        self.data_until = self.data_until.min(self.board.high());
        if !was_done {
            self.end_if_done(now);
        }
    }

    /// When [`Self::on_timer`] is due.
    pub fn timer(&self) -> Time {
        if self.pacing.blocked { self.deadline.min(self.pacing.next) } else { self.deadline }
    }

    /// The timer that [`Self::timer`] announced has expired.
    pub fn on_timer(&mut self, now: Time, wire: &mut impl Wire) {
        if now >= self.deadline {
            self.on_timeout(now, wire);
        } else if self.pacing.blocked && now >= self.pacing.next {
            self.send_allowed(now, wire);
        }
    }

    /// An acknowledgement has arrived. One that acknowledges what was never sent is ignored.
    pub fn on_ack(&mut self, now: Time, packet: &Packet, wire: &mut impl Wire) {
        if self.state != State::Open {
            self.on_handshake(now, packet, wire);
            return;
        }
        // A repeated answer to SYN is no acknowledgement of data, and so no duplicate either (RFC 5681 section 2).
        if packet.number > self.board.high() || packet.flags.has(Flags::SYN) {
            return;
        }
        let inflight = self.rule.inflight(&self.board);
        let was_recovering = self.rule.in_recovery();
        let newly = self.take_in(packet);
        let sample = self.board.count_delivery(now, &newly);
        let fresh = newly.cumulative > 0;
        let rtt = self.measure(now, packet, &newly, fresh);
        let arrival = self.arrival(now, packet, fresh);
        let cause = self.control.on_arrival(&arrival, &mut self.random);
        self.backoff.on_ack(now, cause);
        if fresh {
            self.check_timeout_was_real(now, packet);
        }
        let duplicate = !fresh && packet.number == self.board.una() && !self.board.is_empty();
        let news = self.news(now, &newly, duplicate, cause);
        let reaction = self.rule.on_ack(&mut self.board, &news);
        self.react_before_control(now, &reaction, inflight);
        let marks = if self.counts_marks { self.new_marks(packet) } else { 0 };
        if packet.flags.has(Flags::CONGESTION_ECHO) && !self.counts_marks {
            self.on_mark(now);
        }
        let recovering = was_recovering || self.rule.in_recovery();
        let ack = Ack {
            now,
            fresh,
            acked_to: self.board.una(),
            sent_to: self.board.next(),
            newly_acked: newly.delivered as u32,
            marks,
            credit: (newly.cumulative as f64).min(f64::from(self.options.most_credit)),
            rtt,
            way_there: self.options.timestamps.then_some(packet.way_there),
            smoothed_rtt: self.rtt.fine().mean,
            min_rtt: self.rtt.min(),
            inflight,
            cwnd_limited: self.cwnd_limited || !self.options.cwnd_validation,
            phase: if recovering { Phase::Recovery } else { Phase::Open },
            delivery: sample.and_then(|sample| delivery_rate(&sample, self.board.delivered())),
        };
        self.note_cwnd(now);
        self.control.on_ack(&ack);
        if let Some(missing) = reaction.missing {
            let window = self.reduction_base(inflight);
            self.control.on_counted(&Counted { now, window, missing });
        }
        if fresh {
            self.end_if_done(now);
        }
        self.react_after_control(now, &reaction, wire);
    }

    /// Data packets that the receiver has acknowledged in order.
    pub fn acknowledged(&self) -> u64 {
        self.board.una()
    }

    /// Whether everything that the application had to send is acknowledged.
    pub fn is_done(&self) -> bool {
        self.state == State::Open && self.board.una() >= self.data_until
    }

    /// Whether it is repairing a loss.
    pub fn recovering(&self) -> bool {
        self.rule.in_recovery()
    }

    /// The congestion control.
    pub fn control(&self) -> &dyn Control {
        &*self.control
    }

    /// Shows the inside of the control and of the back-off rule, see [`Control::publish`], and the factor on the timeout.
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("backoff_factor", self.backoff.factor(self.expiries));
        self.control.publish(series);
        self.backoff.publish(series);
    }

    /// The latest round-trip sample.
    pub fn last_rtt(&self) -> Option<Span> {
        self.last_rtt
    }

    /// Payload bytes of a packet.
    pub fn payload_bytes(&self) -> u32 {
        self.options.payload_bytes
    }

    /// How much later a packet may leave than it is sent.
    pub fn send_jitter(&self) -> Span {
        self.options.send_jitter
    }

    /// Packets thought to be in the network.
    pub fn inflight(&self) -> u64 {
        self.rule.inflight(&self.board)
    }

    /// What was counted.
    pub fn counts(&self) -> &SenderCounts {
        &self.counts
    }

    /// Counts what another sender has counted as its own, except for the window.
    pub fn absorb(&mut self, counts: &SenderCounts) {
        self.counts.absorb(counts);
    }

    /// Starts counting anew at the end of the warm-up.
    pub fn reset_counts(&mut self, now: Time) {
        self.counts = SenderCounts::default();
        self.cwnd_since = self.cwnd_since.max(now);
    }

    /// The congestion window's integral up to `now`, in packet seconds.
    pub fn cwnd_area(&mut self, now: Time) -> f64 {
        self.note_cwnd(now);
        self.counts.cwnd_area / 1e9
    }

    fn arrival(&self, now: Time, packet: &Packet, fresh: bool) -> Arrival {
        let stamped = self.options.timestamps;
        Arrival {
            now,
            fresh,
            echo: stamped.then(|| now.since(packet.stamp)),
            way_there: stamped.then_some(packet.way_there),
        }
    }

    /// Puts an acknowledgement in the ledger.
    fn take_in(&mut self, packet: &Packet) -> Newly {
        let mut newly = Newly::default();
        self.board.acknowledge(packet.number, &mut newly);
        if self.options.sack && self.rule.wants_blocks(&self.board) {
            for block in packet.sack.iter().filter(|block| block.start < block.end) {
                let place = |offset: u32| packet.number + u64::from(offset);
                self.board.acknowledge_range(place(block.start)..place(block.end), &mut newly);
            }
        }
        newly
    }

    /// Takes the round trip for the controls and for the timer; returns the former.
    fn measure(&mut self, now: Time, packet: &Packet, newly: &Newly, fresh: bool) -> Option<Span> {
        let clean = newly.unambiguous_sending();
        if let Some(sent) = clean {
            let rtt = now.since(sent);
            self.counts.rtt.record(rtt);
            self.last_rtt = Some(rtt);
        }
        let stamped = self.options.timestamps && fresh;
        let rtt = match clean {
            Some(sent) => Some(now.since(sent)),
            None if stamped => Some(now.since(packet.stamp)),
            None => None,
        };
        if let Some(rtt) = rtt {
            self.rtt.sample(rtt);
        }
        if self.options.timer_from_stamps {
            if fresh {
                self.take_timer_sample(packet.stamp, now);
            }
        } else if let Some((number, sent)) = self.timed
            && packet.number > number
        {
            self.timed = None;
            self.take_timer_sample(sent, now);
        }
        rtt
    }

    fn take_timer_sample(&mut self, sent: Time, now: Time) {
        self.rtt.sample_for_timer(sent, now);
        self.expiries = 0; // Karn: the back-off stays until there is a sample
    }

    /// RFC 3522: the acknowledgement after a timeout echoes the first sending, not the second: nothing was lost.
    fn check_timeout_was_real(&mut self, now: Time, packet: &Packet) {
        if let Some(resent_at) = self.doubtful_timeout.take()
            && packet.stamp < resent_at
        {
            self.rule.on_spurious_timeout(&mut self.board);
            self.note_cwnd(now);
            self.control.on_spurious(now);
        }
    }

    fn news(&self, now: Time, newly: &Newly, duplicate: bool, cause: Option<Cause>) -> News {
        let fine = self.rtt.fine();
        let vegas = fine.mean + fine.deviation * 2;
        News {
            now,
            cumulative: newly.cumulative,
            delivered: newly.delivered,
            duplicate,
            reduced_to: if self.rule.in_recovery() { self.control.decision().cwnd as u64 } else { 0 },
            cause,
            fine_timeout: if fine.mean == Span::ZERO { Span::MAX } else { vegas + vegas / 16 },
        }
    }

    fn react_before_control(&mut self, now: Time, reaction: &Reaction, inflight: u64) {
        if let Some(duplicates) = reaction.recovered {
            self.note_cwnd(now);
            self.control.on_recovered(&Recovered { now, duplicates });
        }
        if let Some(found) = reaction.loss {
            self.timed = None;
            self.counts.fast_retransmits += 1;
            self.tell_loss(now, found, inflight);
        }
    }

    fn react_after_control(&mut self, now: Time, reaction: &Reaction, wire: &mut impl Wire) {
        if let Some(Run { first, count }) = reaction.resend {
            for number in first..first.saturating_add(count).min(self.board.high()) {
                if !self.transmit(now, number, wire) {
                    break; // what the rule asks for again goes out then, the rest after a timeout
                }
            }
        }
        self.expiries = self.expiries.saturating_add(u32::from(reaction.back_off));
        if reaction.restart_timer {
            self.restart_timer(now);
        }
        self.send_allowed(now, wire);
    }

    fn tell_loss(&mut self, now: Time, found: LossFound, inflight: u64) {
        let sent = self.board.sent(found.number.min(self.board.high().saturating_sub(1)));
        let loss = Loss {
            now,
            signal: found.signal,
            window: self.reduction_base(inflight),
            inflight,
            lost: found.number,
            sent_to: self.board.high(),
            sent: sent.at,
            transmissions: u32::from(sent.transmissions),
            duplicates: found.duplicates,
        };
        self.note_reduction();
        self.note_cwnd(now);
        self.control.on_loss(&loss);
    }

    /// RFC 3168 section 6.1.2: whatever the reason of a reduction, the receiver is told of it, and marks on what is
    /// outstanding now ask for no second one.
    fn note_reduction(&mut self) {
        self.ecn_guard = Some(self.board.high());
        self.announce_reduction = true;
    }

    /// What a reduction starts from. What was sent while NewReno repaired an earlier loss is outstanding, but long
    /// out of the network: a flight beyond the window is no reason to raise it.
    fn reduction_base(&self, inflight: u64) -> f64 {
        let cwnd = self.control.decision().cwnd;
        if self.options.reduce_from_window {
            cwnd.min(self.options.window as f64)
        } else {
            cwnd.min(inflight as f64)
        }
    }

    /// Marks that no acknowledgement has told of before; one that is overtaken tells of none.
    fn new_marks(&mut self, packet: &Packet) -> u32 {
        let new = packet.marks.wrapping_sub(self.marks);
        if new > u16::MAX / 2 {
            return 0;
        }
        self.marks = packet.marks;
        u32::from(new)
    }

    /// RFC 3168 section 6.1.2: as a loss, once per window, and nothing to resend.
    fn on_mark(&mut self, now: Time) {
        self.reduce_once(now, LossSignal::Ecn);
    }

    /// Reduces the window where nothing is to be resent, unless that has been done for what is outstanding or a loss is
    /// being repaired.
    fn reduce_once(&mut self, now: Time, signal: LossSignal) {
        let is_old = self.ecn_guard.is_some_and(|guard| self.board.una() <= guard);
        if is_old || self.rule.in_recovery() || self.board.is_empty() {
            return;
        }
        let found = LossFound { number: self.board.una(), signal, duplicates: 0 };
        self.tell_loss(now, found, self.rule.inflight(&self.board));
    }

    /// The host's own interface had no room for a packet, which stays where it was: the next acknowledgement is the next
    /// occasion to send it. Linux's `tcp_enter_cwr`, except that there the window takes a round trip to come down. Where
    /// nothing is outstanding there is no acknowledgement to come, and the timer is the occasion (Linux probes).
    #[cold]
    fn on_local_drop(&mut self, now: Time) {
        self.reduce_once(now, LossSignal::LocalDrop);
        if self.board.is_empty() {
            self.deadline = now + self.rtt.timeout(self.backoff.factor(self.expiries));
        }
    }

    fn on_timeout(&mut self, now: Time, wire: &mut impl Wire) {
        self.expiries = self.expiries.saturating_add(1);
        if self.state == State::Connecting {
            self.send_syn(now, wire);
            return;
        }
        if self.board.is_empty() {
            self.deadline = Time::NEVER;
            if self.options.feels_local_drops {
                self.send_allowed(now, wire);
            }
            return;
        }
        self.counts.timeouts += 1;
        self.counts.timeout_idle += now.since(self.last_sent);
        self.timed = None;
        let inflight = self.rule.inflight(&self.board);
        let timeout = TimeoutExpired {
            now,
            window: self.reduction_base(inflight),
            inflight,
            in_a_row: self.expiries,
            keeps_threshold: self.options.keeps_threshold && self.expiries > 1,
        };
        self.note_reduction();
        self.note_cwnd(now);
        self.control.on_timeout(&timeout);
        if self.options.spurious_timeouts && self.expiries == 1 {
            self.doubtful_timeout = Some(now);
        }
        self.rule.on_timeout(&mut self.board);
        self.pacing.next = now;
        self.send_allowed(now, wire);
        self.restart_timer(now);
    }

    fn on_handshake(&mut self, now: Time, packet: &Packet, wire: &mut impl Wire) {
        if self.state == State::Connecting && packet.flags.has(Flags::SYN) {
            self.state = State::Open;
            self.deadline = Time::NEVER;
            if self.expiries == 0 {
                self.rtt.sample_of_handshake(now.since(packet.stamp));
                self.rtt.sample_for_timer(packet.stamp, now);
            }
            self.expiries = 0;
            self.end_if_done(now);
            self.send_allowed(now, wire);
        }
    }

    fn end_if_done(&mut self, now: Time) {
        if self.is_done() && !self.stays_open {
            self.control.on_end(now);
        }
    }

    fn send_syn(&mut self, now: Time, wire: &mut impl Wire) {
        wire.send(Packet {
            stamp: now,
            bytes: self.options.control_bytes,
            flags: Flags::SYN,
            ..Packet::default()
        });
        self.deadline = now + self.rtt.timeout(self.backoff.factor(self.expiries));
    }

    /// Sends what the rule has, as long as window, pacing and burst allow.
    fn send_allowed(&mut self, now: Time, wire: &mut impl Wire) {
        let decision = self.control.decision();
        let cwnd = decision.cwnd as u64;
        let fresh_until = self.data_until.min(self.board.una() + self.options.window);
        let interval = self.pacing_interval(&decision);
        let slack = interval * u64::from(decision.send_quantum.unwrap_or(1).saturating_sub(1));
        self.pacing.blocked = false;
        let mut burst = 0;
        loop {
            if burst >= self.options.max_burst {
                break;
            }
            if interval > Span::ZERO && now + slack < self.pacing.next {
                self.pacing.blocked = true;
                break;
            }
            let Some(number) = self.rule.next(&mut self.board, cwnd, fresh_until) else { break };
            if !self.transmit(now, number, wire) {
                break;
            }
            burst += 1;
            if interval > Span::ZERO {
                self.pacing.next = self.pacing.next.max(now) + interval;
            }
        }
        self.cwnd_limited = self.rule.inflight(&self.board) >= cwnd;
    }

    /// The time between two packets: from the control's rate, or from the window over the round trip where the
    /// profile paces window controls; zero for no pacing.
    fn pacing_interval(&self, decision: &ackclock_cc::Decision) -> Span {
        if let Some(rate) = decision.pacing_rate {
            let bits = f64::from(self.options.wire_bytes) * 8.0;
            return Span::from_seconds(bits / rate.bits_per_second().max(1) as f64);
        }
        let srtt = self.rtt.fine().mean;
        if !self.options.pacing || srtt == Span::ZERO {
            return Span::ZERO;
        }
        let gain = if decision.cwnd < decision.ssthresh / 2.0 { 2.0 } else { 1.2 };
        srtt.scale(1.0 / (gain * decision.cwnd))
    }

    /// Sends a packet, new or again. Says whether it has left.
    fn transmit(&mut self, now: Time, number: u64, wire: &mut impl Wire) -> bool {
        let fresh = number == self.board.high();
        let mut flags = if fresh { Flags::default() } else { Flags::RETRANSMISSION };
        match self.field {
            // RFC 3168 section 6.1.5: retransmissions are not marked, and announce nothing. RFC 8311 section 4.3 allows
            // to mark them; here those of ECT(1) are, or else some queues would let them be overtaken.
            Ecn::Classic if fresh => flags = flags.with(Flags::ECN_CAPABLE),
            Ecn::LowLatency => flags = flags.with(Flags::LOW_LATENCY),
            _ => {}
        }
        if fresh && self.options.ecn && !self.counts_marks && std::mem::take(&mut self.announce_reduction) {
            flags = flags.with(Flags::WINDOW_REDUCED);
        }
        wire.send(Packet { number, stamp: now, bytes: self.options.wire_bytes, flags, ..Packet::default() });
        if self.options.feels_local_drops && wire.refused() {
            self.announce_reduction |= flags.has(Flags::WINDOW_REDUCED);
            self.on_local_drop(now);
            return false;
        }
        let app_limited = fresh && number + 1 >= self.data_until;
        let in_line = self.board.transmit(number, now, app_limited);
        self.rule.on_sent(&mut self.board, number, in_line);
        if fresh && self.timed.is_none() {
            self.timed = Some((number, now));
        } else if !fresh && self.timed.is_some_and(|(timed, _)| timed == number) {
            self.timed = None; // Karn (RFC 6298 section 3)
        }
        self.counts.sent += 1;
        self.counts.retransmitted += u64::from(!fresh);
        self.last_sent = now;
        if self.deadline == Time::NEVER {
            self.restart_timer(now);
        }
        true
    }

    fn restart_timer(&mut self, now: Time) {
        self.deadline = if self.board.is_empty() {
            Time::NEVER
        } else {
            now + self.rtt.timeout(self.backoff.factor(self.expiries))
        };
    }

    /// Adds the window's area up to now; called before anything may change the window.
    #[inline]
    fn note_cwnd(&mut self, now: Time) {
        let span = now.since(self.cwnd_since).nanos();
        if span > 0 {
            self.counts.cwnd_area += self.control.decision().cwnd * span as f64;
            self.cwnd_since = now;
        }
    }
}

fn delivery_rate(sample: &RateSample, delivered: u64) -> Option<DeliveryRate> {
    (sample.interval > Span::ZERO).then(|| DeliveryRate {
        packets_per_second: sample.delivered as f64 / sample.interval.seconds(),
        delivered_before: sample.prior_delivered,
        delivered,
        app_limited: sample.app_limited,
    })
}
