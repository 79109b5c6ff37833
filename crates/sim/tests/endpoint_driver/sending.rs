//! A sender, a model made from its packets on the wire, and the invariants between the two.

use super::script::Script;
use super::watched::{SharedTold, Told, Watched};
use ackclock_aqm::Ecn;
use ackclock_base::{Time, Value, Values};
use ackclock_cc::registry::{BACKOFFS, CONTROLS};
use ackclock_cc::{Assembly, EcnResponse};
use ackclock_recovery::declared::{Growth, PartialAckTimer};
use ackclock_recovery::detection::AfterTimeout;
use ackclock_recovery::detection::mda::LatePartial;
use ackclock_recovery::detection::sack::Flight;
use ackclock_recovery::sender::RecoveryState;
use ackclock_sim::endpoint::Launch;
use ackclock_sim::random::Stream;
use ackclock_sim::tcp::details::{self, Rule};
use ackclock_sim::tcp::options::{Options, PROFILES};
use ackclock_sim::tcp::segment::{Flags, Segment as Packet};
use ackclock_sim::tcp::sender::{SegmentWire, TcpSender};
use std::collections::{BTreeMap, BTreeSet};

/// The largest window. Larger ones find no more errors, and take long.
const MAX_WINDOW: f64 = 300.0;

/// A sender, and what its packets show of its state.
pub struct Sending {
    sender: TcpSender,
    pub options: Options,
    told: SharedTold,
    details: Details,
    open: bool,
    /// Whether every acknowledgement comes from a receiver that got the packets that were sent.
    honest: bool,
    una: u64,
    /// One past the highest packet seen on the wire.
    high: u64,
    data_until: u64,
    /// The numbers of data packets and of retransmissions among them since the counts were reset.
    sent: u64,
    retransmitted: u64,
    /// The numbers of events that the control had been called for before the last call.
    timeouts: u64,
    reductions: u64,
    /// Whether the next new packet has to announce a reduction (RFC 3168 section 6.1.2); `None` if the control cannot
    /// know.
    to_announce: Option<bool>,
    /// Whether any acknowledgement has reported a mark.
    has_heard_mark: bool,
    /// The number of duplicate acknowledgements since the last new one.
    duplicates: u32,
    /// The packets acknowledged selectively, above `una`.
    sacked: BTreeSet<u64>,
    /// The number of retransmissions of each packet since the recovery or the timeout that made them
    /// necessary.
    retransmitted_packets: BTreeMap<u64, u32>,
    /// One past the highest packet that was ever retransmitted, or outstanding at a loss or a timeout.
    disturbed_below: u64,
}

/// The options that determine what may be expected.
struct Details {
    threshold: u32,
    /// Whether selective acknowledgements survive a timeout, so that no packet is ever newly acknowledged
    /// twice.
    keeps_blocks: bool,
    /// Whether the flight never exceeds the window outside recovery, and in some recoveries.
    flight_is_cut_at_once: bool,
    /// Whether two packets may be sent after a timeout whatever the window is.
    frto: bool,
    every_partial_restarts_timer: bool,
    /// Whether each lost packet is retransmitted once, and at most once more to keep the connection going
    /// (RFC 6675 rule 4).
    retransmits_once: bool,
    /// Whether a whole burst of losses may be retransmitted at once.
    retransmits_in_a_row: bool,
    /// Whether losses are found by time, and timers of the rule come before the retransmission timer.
    by_time: bool,
    /// Whether only packets are retransmitted that the control was told to be lost: no probes (RFC 8985
    /// section 7), and no packets in doubt (RFC 6675 NextSeg rules 3 and 4).
    retransmits_only_losses: bool,
}

impl Details {
    fn new(values: &Values, options: &Options, rule: &str) -> Self {
        let sack = options.receiver.sack;
        let said = details::Details::from(values);
        let losses = said.losses;
        let by_time = rule == "rack";
        Self {
            threshold: losses.dupack_threshold,
            keeps_blocks: !sack || by_time || losses.after_timeout == AfterTimeout::KeepSack,
            flight_is_cut_at_once: !sack || losses.reduction == Flight::Inferred,
            frto: said.undo.frto,
            every_partial_restarts_timer: !by_time && losses.partial_ack_timer == PartialAckTimer::Every,
            retransmits_once: rule != "vegas" && !by_time && losses.late_partial != LatePartial::Two,
            retransmits_in_a_row: rule.starts_with("mda"),
            by_time,
            retransmits_only_losses: !by_time && (rule != "sack" || losses.reduction == Flight::Counted),
        }
    }
}

#[derive(Default)]
struct Sent(Vec<Packet>);

impl SegmentWire for Sent {
    fn send(&mut self, packet: Packet) -> Launch {
        self.0.push(packet);
        Launch::Sent
    }
}

impl Sending {
    pub fn new(script: &mut Script<'_>, honest: bool) -> Self {
        let profile = script.one_of(PROFILES);
        let entry = script.one_of(CONTROLS);
        let mut values = script.values(&profile);
        let window = details::Details::from(&values).window.min(MAX_WINDOW);
        values.set("window", Value::Packets(window));
        let options = Options::new(&values, entry.published.recovery);
        let rule = match details::Details::from(&values).recovery {
            Rule::Auto => entry.published.recovery.unwrap_or("sack"),
            chosen => chosen.word(),
        };
        let details = Details::new(&values, &options, rule);
        let mut assembly = Assembly::new(&entry, &script.values(entry.descriptor), None, None);
        let control = assembly.join(&options.initial());
        let backoff = script.one_of(BACKOFFS);
        let backoff = (backoff.build)(&script.values(backoff.descriptor), options.details.max_backoff);
        let told = SharedTold::default();
        {
            let mut told = told.lock().expect("one thread");
            told.credits_delivered = options.recovery.rules.growth == Growth::Delivered;
            told.counts_parts = options.recovery.rules.growth == Growth::Acks;
        }
        let control = Watched::around(control, told.clone());
        let data_until = script.one_of(&[u64::MAX, 0, 1, 2, 10, 100, 1000]);
        Self {
            sender: TcpSender::new(&options, control, backoff, data_until, Stream::new(1, "guesses")),
            details,
            honest,
            open: !options.details.handshake,
            options,
            told,
            una: 0,
            high: 0,
            data_until,
            sent: 0,
            retransmitted: 0,
            timeouts: 0,
            reductions: 0,
            to_announce: Some(false),
            has_heard_mark: false,
            duplicates: 0,
            sacked: BTreeSet::new(),
            retransmitted_packets: BTreeMap::new(),
            disturbed_below: 0,
        }
    }

    pub fn una(&self) -> u64 {
        self.una
    }

    pub fn high(&self) -> u64 {
        self.high
    }

    pub fn timer(&self) -> Time {
        self.sender.timer()
    }

    pub fn is_done(&self) -> bool {
        self.sender.core().is_done()
    }

    pub fn threshold(&self) -> u32 {
        self.details.threshold
    }

    pub fn start(&mut self, now: Time) -> Vec<Packet> {
        self.call(now, |sender, wire| sender.start(now, wire))
    }

    pub fn stop(&mut self) {
        self.data_until = self.data_until.min(self.high);
        self.sender.stop();
        self.check_state();
    }

    pub fn on_ack(&mut self, now: Time, packet: &Packet) -> Vec<Packet> {
        let was_open = self.open;
        self.open |= packet.flags.has(Flags::SYN);
        let una = self.una;
        self.has_heard_mark |= packet.flags.has(Flags::CONGESTION_ECHO) || packet.count > 0;
        // RFC 5681 section 2: SYN is off, and data is outstanding.
        let at_una = was_open && !packet.flags.has(Flags::SYN) && packet.number == una && self.high > una;
        let is_part = at_una && packet.flags.has(Flags::PART);
        self.with_told(|told| told.is_part = is_part);
        self.duplicates += u32::from(at_una && !is_part);
        if was_open && !packet.flags.has(Flags::SYN) && packet.number <= self.high {
            self.note_blocks(packet);
        }
        let sent = self.call(now, |sender, wire| sender.on_ack(now, packet, wire));
        if self.una > una {
            self.duplicates = 0;
            self.sacked = self.sacked.split_off(&self.una);
            self.retransmitted_packets = self.retransmitted_packets.split_off(&self.una);
            self.check_timer_was_restarted(now);
        }
        sent
    }

    /// Calls the timer, whether it is due or not.
    pub fn on_timer(&mut self, now: Time) -> Vec<Packet> {
        let due = self.timer();
        let sent = self.call(now, |sender, wire| sender.on_timer(now, wire));
        if due > now {
            assert!(sent.is_empty(), "sent {sent:?} on a timer that was not due");
        } else {
            assert!(self.timer() > now, "a timer that went off is due again at once");
        }
        let timeouts = self.with_told(|told| told.timeouts);
        if std::mem::replace(&mut self.timeouts, timeouts) < timeouts && self.honest {
            // RFC 6298 section 5.4.
            assert_eq!(
                sent.first().map(|packet| packet.number),
                Some(self.una),
                "a timeout retransmits the first packet"
            );
        }
        sent
    }

    /// Checks what must hold when an honest receiver has acknowledged everything that was sent.
    pub fn check_end(&self) {
        assert!(self.is_done(), "stuck at {} of {}", self.una, self.high);
        assert_eq!(self.timer(), Time::NEVER);
        if self.details.keeps_blocks {
            assert_eq!(
                self.with_told(|told| told.newly_acked),
                self.high,
                "each packet is acknowledged once"
            );
        }
    }

    pub fn reset_counts(&mut self, now: Time) {
        self.sender.measured_mut().reset_counts(now);
        (self.sent, self.retransmitted) = (0, 0);
    }

    /// Checks that the window's integral is finite and not negative.
    pub fn check_area(&self, now: Time) {
        let area = self.sender.measured().core.cwnd_area(now);
        assert!(area.is_finite() && area >= 0.0, "{area}");
    }

    fn with_told<T>(&self, read: impl FnOnce(&mut Told) -> T) -> T {
        read(&mut self.told.lock().expect("one thread"))
    }

    fn call(&mut self, now: Time, act: impl FnOnce(&mut TcpSender, &mut Sent)) -> Vec<Packet> {
        let mut sent = Sent::default();
        self.with_told(|told| (told.newly_lost, told.quantum) = (0.0, 1));
        act(&mut self.sender, &mut sent);
        let sent = sent.0;
        let una = self.sender.core().una();
        assert!(una >= self.una && una <= self.high, "acknowledged {una} of {}", self.high);
        self.una = una;
        self.note_reductions();
        sent.iter().for_each(|packet| self.check_packet(now, packet));
        self.with_told(|told| told.high = self.high);
        let by_window =
            |packet: &&Packet| !self.details.retransmits_in_a_row || !packet.flags.has(Flags::RETRANSMISSION);
        self.check_burst(sent.iter().filter(by_window).count() as u64);
        self.check_state();
        sent
    }

    fn note_blocks(&mut self, ack: &Packet) {
        let ack = &ack.without_counters();
        for block in ack.sack.iter().filter(|block| block.start < block.end && self.honest) {
            let numbers = ack.number + u64::from(block.start)..ack.number + u64::from(block.end);
            self.sacked.extend(numbers.filter(|number| *number >= self.una));
        }
    }

    fn note_reductions(&mut self) {
        let reductions = self.with_told(|told| told.reductions);
        if std::mem::replace(&mut self.reductions, reductions) < reductions {
            let announces = self.options.recovery.announces_reductions
                && self.sender.core().control().properties().ecn == EcnResponse::AsLoss;
            let is_sure = !announces || !self.has_heard_mark || !self.with_told(|told| told.may_be_answered);
            self.to_announce = is_sure.then_some(announces);
            self.retransmitted_packets.clear();
            self.disturbed_below = self.high;
            if let Some((lost, duplicates)) = self.with_told(|told| told.found.take()) {
                self.check_loss(lost, duplicates);
            }
        }
    }

    /// Checks that a loss was found by enough duplicates, or by enough later packets acknowledged selectively
    /// (RFC 6675 IsLost).
    fn check_loss(&self, lost: u64, duplicates: u32) {
        assert!(duplicates <= self.duplicates, "{duplicates} duplicates counted, {} seen", self.duplicates);
        let later = self.sacked.range(lost..).count();
        let enough = duplicates.max(later as u32) >= self.details.threshold;
        assert!(
            enough || self.details.by_time || !self.honest,
            "{lost} lost after {duplicates} duplicates, {later} later packets"
        );
    }

    fn check_packet(&mut self, now: Time, packet: &Packet) {
        let details = &self.options.details;
        assert_eq!(packet.stamp, now);
        if packet.flags.has(Flags::SYN) {
            let control_bytes = details.acknowledging.ack_size.bytes() as u32;
            assert!(details.handshake && !self.open && packet.bytes == control_bytes);
            return;
        }
        assert!(self.open, "data before the connection is open");
        assert_eq!(packet.bytes, details.wire_bytes());
        assert!(packet.number >= self.una, "{} is acknowledged", packet.number);
        assert!(packet.number <= self.high, "{} leaves a gap after {}", packet.number, self.high);
        let fresh = packet.number == self.high;
        assert_eq!(packet.flags.has(Flags::RETRANSMISSION), !fresh);
        let field = match details.field(self.sender.core().control().properties().ecn == EcnResponse::Counts)
        {
            Ecn::Classic if !fresh => Ecn::NotCapable,
            field => field,
        };
        // A forged answer to a SYN may have forbidden marks.
        let refused = details.accurate_ecn && !self.honest && packet.flags.ecn() == Ecn::NotCapable;
        assert!(packet.flags.ecn() == field || refused, "{packet:?}");
        let announces = packet.flags.has(Flags::WINDOW_REDUCED);
        assert_eq!(announces, fresh && self.to_announce.unwrap_or(announces));
        if fresh {
            assert!(packet.number < self.data_until, "the application has no packet {}", packet.number);
            assert!(packet.number < self.una + self.options.widest_window, "beyond the receiver's window");
            self.high += 1;
            self.to_announce = Some(false);
        } else if self.honest {
            self.check_retransmission(packet.number);
        }
        self.sent += 1;
        self.retransmitted += u64::from(!fresh);
        self.disturbed_below = self.disturbed_below.max(if fresh { 0 } else { packet.number + 1 });
    }

    fn check_retransmission(&mut self, number: u64) {
        let arrived =
            self.details.keeps_blocks && self.options.receiver.sack && self.sacked.contains(&number);
        assert!(!arrived, "{number} is retransmitted though acknowledged selectively");
        let times = self.retransmitted_packets.entry(number).or_default();
        *times += 1;
        let told = self.with_told(|told| told.given_up.remove(&number));
        let forgotten = self.options.receiver.sack && self.sacked.contains(&number);
        assert!(
            told || forgotten || !self.details.retransmits_only_losses,
            "{number} is retransmitted, though it was not told lost"
        );
        let times = self.retransmitted_packets.entry(number).or_default();
        assert!(*times <= 2 || !self.details.retransmits_once, "{number} is retransmitted too often");
    }

    fn check_burst(&self, sent: u64) {
        // The retransmission that begins a recovery is sent whatever the window and the burst limit are.
        assert!(
            sent <= self.options.recovery.rules.max_burst.unwrap_or(u64::MAX).saturating_add(1),
            "a burst of {sent}"
        );
        let core = self.sender.core();
        let cut =
            self.details.flight_is_cut_at_once || !core.recovering() && core.state() != RecoveryState::Cwr;
        let probes = self.details.frto && sent == 2;
        if sent > 1 && cut && !probes {
            let cwnd = self.sender.core().control().decision().cwnd as u64;
            let inflight = self.sender.core().inflight();
            assert!(inflight <= cwnd, "{inflight} in flight, the window is {cwnd}");
        }
        // A paced packet is sent alone, or with as many others as the control allows, except for a
        // retransmission that begins a recovery. Intervals below a nanosecond do not count as pacing.
        let decision = self.sender.core().control().decision();
        let interval_ns = match decision.pacing_rate {
            Some(rate) => 8e9 * f64::from(self.sender.payload_bytes()) / rate.bits_per_second() as f64,
            None => {
                let gains = self.options.recovery.pacing_gains;
                let rtt_ns = self.with_told(|told| told.smoothed_rtt).nanos() as f64;
                rtt_ns / (gains.pacing_slow_start.max(gains.pacing_avoidance) * decision.cwnd)
            }
        };
        let paced = self.options.recovery.pacing && interval_ns > 1.0;
        // BBR lowers its rate with the first packet after a pause (draft-ietf-ccwg-bbr section 5.4.1), and the
        // quantum that this packet begins is still that of the rate before.
        let together = u64::from(self.with_told(|told| told.quantum));
        assert!(sent <= together + 1 || !paced, "{sent} at once, {interval_ns} ns apart");
    }

    /// Checks that an acknowledgement restarts the timer (RFC 6298 section 5.3).
    fn check_timer_was_restarted(&self, now: Time) {
        let recovery = &self.options.recovery;
        let paced = recovery.pacing || self.sender.core().control().decision().pacing_rate.is_some();
        if self.high > self.una && !paced && self.details.every_partial_restarts_timer {
            let least = recovery.timer.min_rto.min(recovery.timer.max_rto);
            assert!(self.timer() >= now + least, "an acknowledgement gives the timer at least {least}");
        }
    }

    fn check_state(&self) {
        let outstanding = self.high - self.una;
        // A packet is in the network at most twice: the original and the retransmission.
        let inflight = self.sender.core().inflight();
        assert!(inflight <= 2 * outstanding, "{inflight} in flight of {outstanding}");
        // Packets that F-RTO has sent after a timeout are also gone back over.
        let disturbed = !self.sacked.is_empty()
            || self.duplicates > 0
            || self.disturbed_below > self.una
            || (self.details.frto && self.timeouts > 0);
        assert!(
            inflight == outstanding || disturbed || !self.honest,
            "{inflight} in flight of {outstanding}"
        );
        let decision = self.sender.core().control().decision();
        assert!(decision.cwnd >= 1.0 && decision.cwnd.is_finite());
        assert!(outstanding == 0 && self.open || self.timer() < Time::NEVER, "outstanding without a timer");
        assert_eq!(self.is_done(), self.open && self.una >= self.data_until);
        let counts = self.sender.core().counts();
        assert_eq!((counts.sent, counts.retransmitted), (self.sent, self.retransmitted));
        if self.details.keeps_blocks {
            assert!(self.with_told(|told| told.newly_acked) <= self.high, "acknowledged more than was sent");
        }
    }
}
