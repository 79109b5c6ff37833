//! Loss detection for transports that never use a packet number twice (RFC 9002 section 6): by packet and
//! time thresholds, with a probe timeout in place of the retransmission timeout. The transport retransmits
//! the data of a lost packet under a new number. Here a packet that is acknowledged or lost is settled, and
//! the ledger releases it.
//!
//! Numbers are those of one packet number space. An acknowledgement of a packet that was marked lost proves
//! that it was not. When that holds for every lost packet of an episode, the reaction is undone.

#[cfg(test)]
mod tests;
mod thresholds;

use super::{AckSummary, Clock, Detection, Expiry, LossFound, Reaction, Resolution};
use crate::ledger::{Ledger, MAX_OUTSTANDING};
use crate::prr::Prr;
use crate::rtt::Smoothed;
use ackclock_base::{Span, Time};
use ackclock_cc::LossSignal;
use std::ops::Range;
pub use thresholds::Thresholds;

/// kGranularity (RFC 9002 section 6.1.2).
const GRANULARITY: Span = Span::from_millis(1);

/// kPersistentCongestionThreshold (RFC 9002 section 7.6.1).
const PERSISTENT_CONGESTION_THRESHOLD: u64 = 3;

//= RFC 9002 section 6.2.2: before the first sample, the RTT is assumed to be 333 ms
/// kInitialRtt (RFC 9002 section 6.2.2), with half of it as the variation (section 5.3).
const INITIAL: Smoothed = Smoothed { mean: Span::from_millis(333), deviation: Span::from_nanos(166_500_000) };

/// The bound of a doubled probe timeout (RFC 8961 section 4, RFC 6298 section 2.5). RFC 9002 leaves the end
/// to the idle timeout of a connection, which does not exist here.
const MAX_DOUBLED: Span = Span::from_millis(60_000);

/// The maximum number of doublings, which keeps the factor from overflowing: 2^16 times the shortest probe
/// timeout exceeds a minute.
const MAX_DOUBLINGS: u32 = 16;

/// The time for which a lost packet is remembered after it was sent, in probe timeouts without back-off, in
/// case the packet is acknowledged after all.
const KEPT_TIMEOUTS: u64 = 3;

/// Options of the rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuicOptions {
    /// How far a packet may fall behind later ones before it is lost.
    pub thresholds: Thresholds,
    /// max_ack_delay: the longest time by which the peer delays an acknowledgement.
    pub max_ack_delay: Span,
    /// Whether a reaction is undone when all packets that were marked lost are acknowledged.
    pub undoes: bool,
}

impl QuicOptions {
    /// Returns the probe timeout without back-off: smoothed_rtt + max(4 rttvar, kGranularity) + max_ack_delay (RFC 9002 section 6.2.1).
    #[inline]
    pub fn probe_timeout(&self, rtt: Smoothed) -> Span {
        let Smoothed { mean, deviation } = if rtt.mean == Span::ZERO { INITIAL } else { rtt };
        //= RFC 9002 section 6.2.1 period: the probe timeout is smoothed_rtt + max(4 * rttvar, granularity) + max_ack_delay
        mean + (deviation * 4).max(GRANULARITY) + self.max_ack_delay
    }

    /// Returns the probe timeout after `probes` consecutive probes without an answer. Each doubles it, up to
    /// a minute (RFC 8961 section 4).
    pub fn backed_off(&self, rtt: Smoothed, probes: u32) -> Span {
        let timeout = self.probe_timeout(rtt);
        timeout.scale(f64::from(1u32 << probes.min(MAX_DOUBLINGS))).min(timeout.max(MAX_DOUBLED))
    }
}

/// The loss detection of RFC 9002.
#[derive(Clone, Debug)]
pub struct Quic {
    options: QuicOptions,
    /// The present thresholds, adapted to reordering.
    thresholds: Thresholds,
    /// One past largest_acked_packet; `latest_rtt` is the round trip of that packet.
    largest: u64,
    latest_rtt: Span,
    first_sample: Option<Time>,
    /// Every packet below this number is acknowledged or lost.
    open: u64,
    /// loss_time: when the first open packet below the largest acknowledged one becomes lost.
    loss_time: Time,
    last_sent: Time,
    pto_count: u32,
    /// Recovery lasts until a packet sent in it is acknowledged, that is, this number or a later one; `None`
    /// outside recovery.
    recover: Option<u64>,
    /// The packets of the last episode: losses of packets below its start belong to earlier ones, and losses from its
    /// end on to a new one.
    episode: Range<u64>,
    /// The number of its packets that were marked lost, and of those that were acknowledged all the same.
    given_up: u64,
    spurious: u64,
    /// When the first packet of an uninterrupted run of losses was sent; `None` without such a run.
    lost_since: Option<Time>,
}

/// The losses that [`Quic::detect`] found.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    /// The first lost packet that does not belong to the last episode, if any.
    first: Option<u64>,
    /// The number of lost packets of the last episode, or of the one that begins with `first` if there is one.
    count: u64,
    persistent: bool,
}

impl Quic {
    /// Creates the rule, outside recovery.
    pub fn new(options: QuicOptions) -> Self {
        Self {
            thresholds: options.thresholds,
            options,
            largest: 0,
            latest_rtt: Span::ZERO,
            first_sample: None,
            open: 0,
            loss_time: Time::NEVER,
            last_sent: Time::ZERO,
            pto_count: 0,
            recover: None,
            episode: 0..0,
            given_up: 0,
            spurious: 0,
            lost_since: None,
        }
    }

    #[inline]
    fn probe_timeout(&self, rtt: Smoothed) -> Span {
        self.options.probe_timeout(rtt)
    }

    fn take_delivered(&mut self, ledger: &mut Ledger, now: Time, rtt: Smoothed) -> bool {
        let (mut any, mut lowest) = (false, None);
        let largest_before = self.largest;
        ledger.drain_selective(|ledger, number| {
            any = true;
            let sent = ledger.sent(number);
            if number >= self.largest {
                (self.largest, self.latest_rtt) = (number + 1, now.since(sent.at));
                self.first_sample.get_or_insert(now);
            }
            if sent.is_given_up() {
                self.spurious += u64::from(number >= self.episode.start);
                lowest = Some(lowest.map_or(number, |lowest: u64| lowest.min(number)));
            }
        });
        if let Some(number) = lowest {
            let took = now.since(ledger.sent(number).at);
            self.thresholds.adapt(largest_before - number, took, self.longest_rtt(rtt));
        }
        any
    }

    //= RFC 9002 section 6.1.2 threshold: the time threshold is 9/8 of the larger of the smoothed and the latest RTT
    /// Returns max(smoothed_rtt, latest_rtt) (RFC 9002 section 6.1.2).
    fn longest_rtt(&self, rtt: Smoothed) -> Span {
        self.latest_rtt.max(rtt.mean)
    }

    /// Marks packets as lost (RFC 9002 section 6.1) and returns what was found. Both thresholds reach older packets
    /// first, so the search ends at the first packet that is not lost.
    fn detect(&mut self, ledger: &mut Ledger, now: Time, rtt: Smoothed) -> Found {
        //= RFC 9002 section 6.1.2 granularity: the time threshold is no less than the granularity
        let delay = self.thresholds.delay(self.longest_rtt(rtt)).max(GRANULARITY);
        //= RFC 9002 section 7.6.1: the duration of persistent congestion is three probe timeouts
        let persistent_after = self.probe_timeout(rtt) * PERSISTENT_CONGESTION_THRESHOLD;
        let mut found = Found::default();
        self.loss_time = Time::NEVER;
        self.open = self.open.max(ledger.una());
        //= RFC 9002 section 6.1: only packets sent before an acknowledged packet are marked as lost
        while self.open < self.largest {
            let number = self.open;
            let sent = *ledger.sent(number);
            if sent.is_sacked() {
                //= RFC 9002 section 7.6.2 between: persistent congestion requires that no packet between the lost packets was acknowledged
                self.lost_since = None;
            } else if self.thresholds.packets < self.largest - number || sent.at + delay <= now {
                ledger.lose(number);
                //= RFC 9002 section 7.3.2 once: further losses in a recovery period do not reduce the window again
                if number >= self.episode.end && found.first.is_none() {
                    (found.first, found.count) = (Some(number), 0);
                }
                found.count += u64::from(number >= self.episode.start);
                // Section 7.6.2: only packets sent after the first sample count (appendix B.8).
                //= RFC 9002 section 7.6.2 sample: persistent congestion does not begin before the first round-trip sample
                if self.first_sample.is_some_and(|first| sent.at > first) {
                    let since = *self.lost_since.get_or_insert(sent.at);
                    found.persistent |= sent.at.since(since) >= persistent_after;
                }
            } else {
                //= RFC 9002 section 6.1.2 timer: if a packet sent before an acknowledged packet cannot be declared lost yet, a timer is set for the time at which it can
                self.loss_time = sent.at + delay;
                break;
            }
            self.open += 1;
        }
        if found.persistent {
            self.lost_since = None;
        }
        found
    }

    fn react(&mut self, ledger: &Ledger, found: Found, reaction: &mut Reaction) {
        if let Some(number) = found.first {
            let before = self.recover.replace(ledger.high());
            if before.is_some() && reaction.recovered.is_none() {
                reaction.recovered = Some(0);
            }
            self.begin_episode(ledger.high());
            let signal = LossSignal::DuplicateAcks;
            reaction.loss = Some(LossFound { number, signal, duplicates: 0 });
        }
        self.given_up += found.count;
        if found.persistent {
            self.recover = None;
            reaction.resolution = Some(Resolution::PersistentCongestion);
        }
    }

    /// Begins an episode with the packets from the end of the last one up to `high`.
    fn begin_episode(&mut self, high: u64) {
        self.episode = self.episode.end..high;
        (self.given_up, self.spurious) = (0, 0);
    }

    fn let_go(&self, ledger: &mut Ledger, now: Time, rtt: Smoothed) {
        let kept = self.probe_timeout(rtt) * KEPT_TIMEOUTS;
        ledger.settle(Time::from_nanos(now.nanos().saturating_sub(kept.nanos())));
    }
}

impl Detection for Quic {
    fn on_ack(&mut self, ledger: &mut Ledger, summary: &AckSummary) -> Reaction {
        let mut reaction = Reaction::default();
        if self.take_delivered(ledger, summary.now, summary.rtt) {
            //= RFC 9002 section 6.2.1 reset: an acknowledgement ends the doubling of the probe timeout
            self.pto_count = 0;
        }
        //= RFC 9002 section 7.3.2 end: recovery ends when a packet that was sent during recovery is acknowledged
        if self.recover.is_some_and(|recover| self.largest > recover) {
            self.recover = None;
            reaction.recovered = Some(0);
        }
        let found = self.detect(ledger, summary.now, summary.rtt);
        self.react(ledger, found, &mut reaction);
        if self.options.undoes && self.given_up > 0 && self.spurious >= self.given_up {
            (self.given_up, self.spurious, self.recover) = (0, 0, None);
            self.episode.end = self.episode.start; // a further loss of these packets has a reaction of its own
            reaction.resolution = Some(Resolution::Undone);
        }
        self.let_go(ledger, summary.now, summary.rtt);
        reaction
    }

    /// There is no retransmission timeout under RFC 9002. If the sender reports one all the same, everything
    /// unacknowledged is marked lost.
    fn on_timeout(&mut self, ledger: &mut Ledger, _now: Time) {
        ledger.all_lost();
        self.open = ledger.next();
        (self.recover, self.loss_time) = (None, Time::NEVER);
    }

    fn on_undone(&mut self, _ledger: &mut Ledger) {
        self.recover = None;
    }

    fn on_cwr(&mut self, ledger: &Ledger, _reduction: Option<Prr>) {
        self.begin_episode(ledger.high());
        self.forbid_undo();
    }

    fn forbid_undo(&mut self) {
        self.episode.start = self.episode.end;
        (self.given_up, self.spurious) = (0, 0);
    }

    fn in_recovery(&self) -> bool {
        self.recover.is_some()
    }

    fn inflight(&self, ledger: &Ledger) -> u64 {
        ledger.pipe()
    }

    fn next(&mut self, ledger: &mut Ledger, cwnd: u64, fresh_until: u64) -> Option<u64> {
        if ledger.span() >= MAX_OUTSTANDING - 1 {
            ledger.settle(Time::NEVER); // no room to remember lost packets
        }
        let next = ledger.next();
        (ledger.pipe() < cwnd && next < fresh_until).then_some(next)
    }

    fn on_sent(&mut self, ledger: &mut Ledger, number: u64, _in_line: bool) {
        //= RFC 9002 section 6.2.1 restart: the probe timer restarts when a packet is sent
        self.last_sent = ledger.sent(number).at;
    }

    fn wants_ranges(&self, _ledger: &Ledger) -> bool {
        true
    }

    fn keeps_timer(&self) -> bool {
        true
    }

    /// Returns the loss detection timer (RFC 9002 section 6.2, appendix A.8). There is no retransmission
    /// timer beside it.
    fn timer(&self, ledger: &Ledger, rtt: Smoothed, _deadline: Time) -> Time {
        //= RFC 9002 section 6.2.1 exclusive: the probe timer is off while the timer of the time threshold runs
        if self.loss_time < Time::NEVER {
            self.loss_time
        } else if ledger.pipe() > 0 {
            self.last_sent + self.options.backed_off(rtt, self.pto_count)
        } else {
            Time::NEVER
        }
    }

    fn on_timer(&mut self, ledger: &mut Ledger, clock: &Clock) -> Expiry {
        if self.loss_time < Time::NEVER {
            let mut reaction = Reaction::default();
            let found = self.detect(ledger, clock.now, clock.rtt);
            self.react(ledger, found, &mut reaction);
            Expiry::Losses(reaction)
        } else {
            // Section 6.2.4: the probe has a new number, whether or not there is new data for it.
            //= RFC 9002 section 6.2.1 backoff: each expiry of the probe timer doubles the probe timeout
            self.pto_count = self.pto_count.saturating_add(1);
            //= RFC 9002 section 6.2.4 probe: on a probe timeout, the sender sends a packet
            //= RFC 9002 section 6.2: a probe timeout marks nothing as lost
            Expiry::Probe(ledger.next())
        }
    }
}
