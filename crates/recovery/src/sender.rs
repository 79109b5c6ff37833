//! The sending half of a connection without its packet format: what may be sent, what is retransmitted and
//! when, and what the congestion control hears of it. A transport's codec works on both sides: it says which
//! numbers an acknowledgement covers, and turns a number that may be sent into a packet.
//!
//! Time comes in as an argument, and packets go out through [`Output`]. Nothing here knows whether the
//! network is simulated.

mod acknowledging;
mod association;
mod counts;
mod credit;
mod limits;
mod reducing;
mod sending;
mod spurious;
mod state;
mod timers;

pub use acknowledging::{AckOutcome, Acknowledgement, Held};
pub use association::ReportedLosses;
pub use counts::Counts;
pub use limits::{Limit, Limits};
pub use state::RecoveryState;

use crate::congestion_event::CongestionEvent;
use crate::declared::AfterIdle;
use crate::detection::Detection;
use crate::ecn::EcnSender;
use crate::ledger::Ledger;
use crate::options::{KEPT_OF_WINDOW, Options};
use crate::pacer::Pacer;
use crate::rtt::RttEstimator;
use crate::small_queue::SmallQueue;
use crate::undo::SpuriousDetection;
use crate::validation::WindowUse;
use ackclock_base::{Packets, Random, Span, Time};
use ackclock_cc::{Backoff, Change, Control, Controller, Decision, Follows};
use reducing::SenderFlight;

/// The codec of a transport, to which a sender passes packets.
pub trait Output {
    /// Sends a packet now and returns its size in the transport's unit. Returns `None` if the host's own
    /// interface has no room for it, in which case the packet is not sent.
    fn send(&mut self, transmission: Transmission) -> Option<u16>;

    /// Returns when the packet sent last will have left the host's own interface; `None` if that is unknown.
    /// Called only for a sender with [small queues](Options::small_queues).
    fn leaves(&self) -> Option<Time> {
        None
    }

    /// Returns whether the data just sent under a new number has been sent before under another, in a
    /// transport that uses no number twice. Such a packet gives no round trip sample (Karn).
    fn sent_before(&self) -> bool {
        false
    }

    /// Called when a packet is acknowledged for the first time, in a transport that [uses no number
    /// twice](Options::numbers_once). Returns how many of the packets still to be sent are not needed,
    /// because their data has arrived.
    fn on_acked(&mut self, _number: u64) -> u64 {
        0
    }

    /// Called when a packet is marked lost, in a transport that [uses no number
    /// twice](Options::numbers_once). Returns whether its data will be retransmitted under a new number, as
    /// data still to be sent.
    fn on_lost(&mut self, _number: u64) -> bool {
        false
    }
}

/// A packet that may be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// The number of the packet.
    pub number: u64,
    /// Whether this is a retransmission.
    pub again: bool,
    /// Whether the packet announces a reduction of the window to the receiver (RFC 3168 section 6.1.2).
    pub announces_reduction: bool,
}

/// The sending half of a connection.
pub struct Sender {
    options: Options,
    controller: Controller,
    rule: Box<dyn Detection>,
    backoff: Box<dyn Backoff>,
    ledger: Ledger,
    rtt: RttEstimator,
    pacer: Pacer,
    small_queue: Option<Box<SmallQueue>>,
    /// Whether packets of a control without a rate of its own wait for anything besides the window: for the
    /// pacer or for small queues.
    meters: bool,
    ecn: EcnSender,
    /// The last congestion event.
    event: CongestionEvent,
    random: Box<dyn Random + Send>,
    /// One past the last packet that the application has to send, within the receiver's credit.
    data_until: u64,
    /// Whether the application has more to send than the receiver's credit allows.
    is_held_back: bool,
    /// Whether data may be sent.
    is_open: bool,
    /// Whether the application may have more to send after everything is delivered.
    stays_open: bool,
    deadline: Time,
    /// The packets of which the control [wants to hear](ackclock_cc::Properties::follows).
    tells_sending: Follows,
    /// Whether the rule has a timer beside the retransmission timer.
    keeps_timer: bool,
    /// Whether the rule [allows the fast path](Detection::allows_fast_path) and the ledger is [in
    /// order](Ledger::is_in_order), so that ordinary events are handled without a call of the rule.
    fast_path: bool,
    expiries: u32,
    /// The packet being timed, by number and sending time, if the timer does not use timestamps; `None` if no
    /// packet is.
    timed: Option<(u64, Time)>,
    /// The detection of a spurious last reaction.
    spurious: SpuriousDetection,
    /// Whether a spurious last reaction may be undone: no mark has proved congestion since.
    may_undo: bool,
    window_use: WindowUse,
    limits: Limits,
    /// The amount that the present acknowledgement covers of packets that an association had reported lost.
    late: u64,
    /// One past the highest acknowledged number, if no number is used twice.
    highest_acked: u64,
    last_sent: Time,
    /// The repair after the last timeout lasts until everything below this number is acknowledged; zero if
    /// no timeout has expired or the last one proved spurious.
    repaired_at: u64,
    /// The first unacknowledged packet when the last duplicate acknowledgement arrived; `None` before one.
    repeated: Option<u64>,
    /// The amount delivered by acknowledgements that echo a mark (RFC 3168).
    echoed: u64,
    counts: Counts,
    /// The amount that the control has been told is lost. It equals all that the ledger has counted,
    /// whichever rule found the losses.
    #[cfg(debug_assertions)]
    told_lost: u64,
}

/// The parts of a connection besides its options.
pub struct Parts {
    /// The congestion control.
    pub controller: Controller,
    /// The rule by which losses are found and packets are retransmitted.
    pub detection: Box<dyn Detection>,
    /// The rule by which the retransmission timeout backs off.
    pub backoff: Box<dyn Backoff>,
    /// The source of random numbers for controls that need them.
    pub random: Box<dyn Random + Send>,
}

impl Sender {
    /// Creates a sender that has sent nothing and has `packets` packets to send.
    pub fn new(mut options: Options, parts: Parts, packets: u64) -> Self {
        options.window = options.window.min(options.units.most_outstanding());
        let Parts { controller, mut detection, backoff, random } = parts;
        if controller.has_model() {
            detection.leave_flight_to_control();
        }
        Self {
            ecn: EcnSender::new(controller.properties().ecn),
            event: CongestionEvent::default(),
            tells_sending: controller.properties().follows,
            controller,
            keeps_timer: detection.keeps_timer(),
            rule: detection,
            fast_path: false,
            backoff,
            ledger: Ledger::new(options.dupack_threshold),
            rtt: RttEstimator::new(options.timer, options.timer_rules.min_rto_bounds),
            pacer: Pacer::new(),
            small_queue: SmallQueue::of(options.small_queues).map(Box::new),
            meters: options.pacing || options.small_queues.small_queues,
            random,
            window_use: WindowUse::new(options.rules.cwnd_validation),
            options,
            data_until: packets,
            is_held_back: false,
            is_open: false,
            stays_open: false,
            deadline: Time::NEVER,
            expiries: 0,
            timed: None,
            spurious: SpuriousDetection::default(),
            may_undo: false,
            limits: Limits::default(),
            late: 0,
            highest_acked: 0,
            last_sent: Time::ZERO,
            repaired_at: 0,
            repeated: None,
            echoed: 0,
            counts: Counts::default(),
            #[cfg(debug_assertions)]
            told_lost: 0,
        }
    }

    /// Called when the application begins. Nothing is sent before [`Self::open`].
    pub fn begin(&mut self, now: Time) {
        self.counts.begin(now);
        self.controller.on_change(&Change::Begins);
    }

    /// Called when the connection is open, so that data may be sent.
    pub fn open(&mut self, now: Time, output: &mut impl Output) {
        self.is_open = true;
        let rtt = self.rtt.fine().mean;
        self.controller.on_change(&Change::Opens { rtt: (rtt > Span::ZERO).then_some(rtt) });
        self.end_if_done();
        self.send_allowed(now, output);
    }

    /// Called when a message of a handshake has been sent. It must be answered before the timer expires.
    pub fn await_answer(&mut self, now: Time) {
        self.deadline = now + self.timeout();
    }

    /// Called when the answer for which [`Self::await_answer`] set the timer has not come in time. Backs off
    /// the timeout.
    pub fn on_no_answer(&mut self) {
        self.expiries = self.expiries.saturating_add(1);
    }

    /// Called when the answer to the message sent at `sent` arrives. It gives a round trip sample if the
    /// message was sent once.
    pub fn on_answer(&mut self, now: Time, sent: Time) {
        self.deadline = Time::NEVER;
        if self.expiries == 0 {
            let rtt = now.since(sent);
            if self.options.timer_rules.handshake_min_rtt {
                self.rtt.sample(rtt);
            } else {
                self.rtt.sample_of_handshake(rtt);
            }
            self.rtt.sample_for_timer(sent, now);
        }
        self.expiries = 0;
    }

    /// Keeps the connection open after everything is delivered, until it is [closed](Self::close).
    pub fn stay_open(&mut self) {
        self.stays_open = true;
    }

    /// Called when the application has `packets` more packets to send. Sends nothing: the caller also calls
    /// [`Self::send_allowed`]. If nothing is outstanding, and nothing was sent for longer than a retransmission
    /// timeout, the window restarts as [`after_idle`](crate::declared::WindowRules::after_idle) says.
    pub fn add_data(&mut self, now: Time, packets: u64) {
        self.note_if_app_limited();
        if self.ledger.is_empty() && self.ledger.high() > 0 {
            self.restart_after_idle(now);
        }
        self.data_until = self.data_until.saturating_add(packets);
    }

    /// Reduces the window if nothing has been sent for longer than a retransmission timeout, because the
    /// whole window would now be sent at once, without acknowledgements to clock it (RFC 5681 section 4.1). A
    /// control with a model of the path restarts by its own rules.
    fn restart_after_idle(&mut self, now: Time) {
        let (timeout, idle) = (self.timeout(), now.since(self.last_sent));
        let after_idle = self.options.rules.after_idle;
        if after_idle == AfterIdle::Keep || idle <= timeout {
            return;
        }
        self.note_cwnd(now);
        let Decision { cwnd, ssthresh, .. } = self.controller.decision();
        let Some(control) = self.controller.window_control() else { return };
        if after_idle == AfterIdle::Halve {
            control.set_ssthresh(ssthresh.max(KEPT_OF_WINDOW * cwnd));
        }
        //= RFC 5681 section 4.1: after an idle time longer than the retransmission timeout, the window is at most the restart window
        control.set_cwnd(self.options.window_after(cwnd, idle, timeout));
    }

    /// Called when the receiver allows `packets` packets from the first unacknowledged one on. Sends nothing:
    /// packets that the window newly allows are sent at the next acknowledgement or [`Self::send_allowed`].
    pub fn set_window(&mut self, packets: u64) {
        self.options.window = packets.min(self.options.units.most_outstanding());
    }

    /// Lets a connection that [stays open](Self::stay_open) end. Data added before is still sent and repaired.
    /// The control hears [`Change::Ends`] when everything is acknowledged: at once, or at a later
    /// acknowledgement.
    pub fn close(&mut self, now: Time) {
        if std::mem::take(&mut self.stays_open) {
            self.end_if_done();
        }
        if self.is_done() {
            self.limits.note(now, None);
        }
    }

    /// Called when the application has nothing more to send. Outstanding packets are still repaired.
    pub fn stop(&mut self) {
        self.stop_but_for(0);
    }

    /// Called when the application has nothing more to send, but `packets` packets of data sent before are
    /// still to be retransmitted under new numbers.
    pub fn stop_but_for(&mut self, packets: u64) {
        let was_done = self.is_done();
        self.is_held_back = false;
        self.data_until = self.data_until.min(self.ledger.high().saturating_add(packets));
        if !was_done {
            self.end_if_done();
        }
    }

    /// Returns the first packet not acknowledged cumulatively, which is also the number of packets that have
    /// been.
    pub fn una(&self) -> u64 {
        self.ledger.una()
    }

    /// Returns whether everything that the application had to send is acknowledged; false before the
    /// connection is open.
    pub fn is_done(&self) -> bool {
        let all_arrived = || self.options.numbers_once && self.has_sent_all() && self.ledger.pipe() == 0;
        self.is_open && (self.ledger.una() >= self.data_until || all_arrived()) && !self.is_held_back
    }

    fn has_sent_all(&self) -> bool {
        self.ledger.high() >= self.data_until
    }

    /// Returns whether a loss is being repaired by fast retransmission; false during the repair after a
    /// timeout.
    pub fn recovering(&self) -> bool {
        self.rule.in_recovery()
    }

    /// Returns the congestion control.
    pub fn control(&self) -> &dyn Control {
        &*self.controller
    }

    /// Publishes internal values of the control and of the back-off rule, see [`Control::publish`], and the
    /// back-off factor of the timeout.
    pub fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("backoff_factor", self.backoff.factor(self.expiries));
        self.controller.publish(series);
        self.backoff.publish(series);
    }

    /// Returns the amount thought to be in the network, in the transport's unit.
    pub fn inflight(&self) -> u64 {
        self.rule.inflight(&self.ledger)
    }

    /// Returns the counts.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Returns what has held the sender back, and for how long.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Adds the counts of another sender that has [closed](Self::close), except for the integral of its
    /// window.
    pub fn absorb(&mut self, other: &Self) {
        self.counts.absorb(&other.counts);
        self.limits.absorb(&other.limits);
    }

    /// Restarts the counts at the end of the warm-up.
    pub fn reset_counts(&mut self, now: Time) {
        self.counts.reset(now);
        self.limits.reset(now);
    }

    /// Returns the integral of the congestion window up to `now`, in packet seconds.
    pub fn cwnd_area(&self, now: Time) -> f64 {
        let mut counts = self.counts.clone();
        if counts.is_behind(now) {
            counts.add_area(now, self.controller.decision().cwnd);
        }
        counts.cwnd_area()
    }

    fn packets_in_flight(&self) -> Packets {
        self.options.units.to_packets(self.rule.inflight(&self.ledger))
    }

    /// Returns the congestion window in the transport's unit.
    fn whole_window(&self) -> u64 {
        self.options.units.from_packets(self.controller.decision().cwnd)
    }

    fn flight_now(&self) -> SenderFlight {
        let outstanding = self.options.units.to_packets(self.ledger.outstanding());
        SenderFlight { in_network: self.packets_in_flight(), outstanding }
    }

    /// Returns the amount in flight, in the transport's unit. On the fast path (`FAST_PATH`) this is
    /// everything outstanding, and the rule is not called.
    #[inline]
    fn flight<const FAST_PATH: bool>(&self) -> u64 {
        if FAST_PATH {
            debug_assert_eq!(self.rule.inflight(&self.ledger), self.ledger.outstanding());
            self.ledger.outstanding()
        } else {
            self.rule.inflight(&self.ledger)
        }
    }

    /// Records that the application limits the sender, if it does (draft-ietf-ccwg-bbr section 4.1.2.4): all
    /// data has been sent, nothing is to be retransmitted, the window has room, the receiver's credit holds
    /// nothing back, and no packet waits for the pacer or small queues. Called when the application writes,
    /// before an acknowledgement changes the flight, and at timers that may send.
    #[inline]
    fn note_if_app_limited(&mut self) {
        if self.has_sent_all() {
            self.note_app_limited();
        }
    }

    #[cold]
    fn note_app_limited(&mut self) {
        if self.is_held_back {
            return;
        }
        let room = self.ledger.pipe() < self.options.units.from_packets(self.controller.decision().cwnd);
        let resends = self.ledger.next() < self.ledger.high() || self.ledger.lost() > 0;
        let waits = resends && !self.options.numbers_once;
        if room && !waits && self.pacer.timer() == Time::NEVER {
            self.ledger.note_app_limited();
        }
    }

    /// Extends the integral of the congestion window to `now`. Called before anything may change the window.
    #[inline]
    fn note_cwnd(&mut self, now: Time) {
        if self.counts.is_behind(now) {
            self.counts.add_area(now, self.controller.decision().cwnd);
        }
    }

    fn end_if_done(&mut self) {
        if self.is_done() && !self.stays_open {
            self.controller.on_change(&Change::Ends);
        }
    }
}
