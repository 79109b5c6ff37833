//! Retransmission rules: which packets are retransmitted, when, and how much may be in flight meanwhile. Each
//! rule has a file of its own. A rule decides about packets; what a loss does to the window is decided by the
//! congestion control.

pub mod duplicates;
pub mod mda;
mod period;
pub mod quic;
pub mod rack;
pub mod reported;
pub mod reports;
pub mod sack;
pub mod vegas;

use crate::ledger::Ledger;
use crate::prr::Prr;
use crate::rtt::Smoothed;
use crate::sender::ReportedLosses;
use ackclock_base::{Time, choice};
use ackclock_cc::{Cause, LossSignal};

/// A retransmission rule.
pub trait Detection: Send {
    /// Called for an acknowledgement that the ledger has already recorded. Returns the reaction of the rule.
    fn on_ack(&mut self, ledger: &mut Ledger, summary: &AckSummary) -> Reaction;

    /// Called when the retransmission timer expires, so that everything outstanding is to be repaired.
    fn on_timeout(&mut self, ledger: &mut Ledger, now: Time);

    /// Called when the last loss or timeout proves spurious: packets that were marked lost are in flight
    /// after all, and nothing is to be repaired.
    fn on_undone(&mut self, ledger: &mut Ledger);

    /// Called when a timeout may be spurious and new data is sent to find out (F-RTO). A rule that goes back
    /// over what was sent moves its next packet forward.
    fn on_possibly_spurious_timeout(&mut self, _ledger: &mut Ledger) {}

    /// Called when a timeout of which [`Self::on_possibly_spurious_timeout`] told proves genuine. The rule
    /// resumes the repair.
    fn on_confirmed_timeout(&mut self, _ledger: &mut Ledger, _now: Time) {}

    /// Called before anything is sent if the control has a model of the path, so that its window also governs
    /// the flight in recovery (BBR has rules of its own for that, draft-ietf-ccwg-bbr section 5.6.4.4; Linux
    /// skips `tcp_cwnd_reduction` for a control with `cong_control`). A rule that would reduce the flight
    /// gradually stops doing so.
    fn leave_flight_to_control(&mut self) {}

    /// Called outside of recovery when a mark, or a packet that the host's own interface refused, has reduced the
    /// window (Linux's state CWR, RFC 9002's recovery period without a loss). Losses of the packets sent before belong
    /// to the same congestion event. With a `reduction`, the flight falls in proportion to what is delivered, until a
    /// packet sent from now on is acknowledged. A rule that cannot do so reduces it at once.
    fn on_cwr(&mut self, _ledger: &Ledger, _reduction: Option<Prr>) {}

    /// Called when a mark has proved congestion since the last loss, so that the rule finds that loss spurious no more.
    /// For rules that find [spurious losses](Resolution::Undone) themselves.
    fn forbid_undo(&mut self) {}

    /// Returns whether a loss is being repaired by fast retransmission.
    fn in_recovery(&self) -> bool;

    /// Returns the proportional reduction that is under way; `None` if there is none.
    fn reduction(&self) -> Option<&Prr> {
        None
    }

    /// Returns the amount thought to be in the network, in the unit of the ledger.
    fn inflight(&self, ledger: &Ledger) -> u64;

    /// Returns the next packet to send, or `None` if nothing may be sent. The rule sends while less than
    /// `cwnd` is in flight; the caller has computed `cwnd` so that a full packet then fits into the window.
    /// New data may be sent below the number `fresh_until`.
    fn next(&mut self, ledger: &mut Ledger, cwnd: u64, fresh_until: u64) -> Option<u64>;

    /// Called when a packet has been sent, whether it came from [`Self::next`], a [`Reaction`] or a
    /// [probe](Expiry::Probe), but not on the [fast path](Self::allows_fast_path). `in_line` is true if it
    /// was [`Ledger::next`]: a new packet, or the next one while the sender goes back.
    fn on_sent(&mut self, _ledger: &mut Ledger, _number: u64, _in_line: bool) {}

    /// Returns whether the rule has nothing to repair and no state that depends on single packets, so that
    /// the sender may take its fast path. While the rule says so and the ledger is [in
    /// order](Ledger::is_in_order), the sender applies the rule's behaviour itself without calling the rule,
    /// until anything but new packets in order occurs: it counts everything outstanding as in flight, sends
    /// the next packet while the flight is below the window, and restarts the retransmission timer at each
    /// acknowledgement. A rule that must hear of every packet, or that keeps a timer, always returns false.
    fn allows_fast_path(&self) -> bool {
        false
    }

    /// Called before [`Self::on_ack`] for an acknowledgement at which the transport itself looked for losses.
    fn on_reported_losses(&mut self, _reported: &ReportedLosses<'_>) {}

    /// Returns whether selective acknowledgements are to be recorded in the ledger.
    fn wants_ranges(&self, _ledger: &Ledger) -> bool {
        false
    }

    /// Returns whether a packet has been overtaken by as many packets as the duplicate threshold, or more, so that
    /// those acknowledged out of order let the window grow where all delivered packets count (Linux,
    /// tcp_may_raise_cwnd).
    fn is_often_overtaken(&self) -> bool {
        false
    }

    /// Returns whether the rule has a timer of its own.
    fn keeps_timer(&self) -> bool {
        false
    }

    /// Returns when the timer expires: the rule's own timer, or the retransmission timer, which is due at
    /// `deadline`. Called only if the rule [keeps a timer](Self::keeps_timer).
    fn timer(&self, _ledger: &Ledger, _rtt: Smoothed, deadline: Time) -> Time {
        deadline
    }

    /// Called at the time that [`Self::timer`] returned. Returns which timer expired and what follows.
    fn on_timer(&mut self, _ledger: &mut Ledger, _clock: &Clock) -> Expiry {
        Expiry::Retransmission
    }
}

/// The timer that expired, and what follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expiry {
    /// The retransmission timer. The sender calls [`Detection::on_timeout`].
    Retransmission,
    /// A probe is due: this packet, new or retransmitted, is to be sent whatever the window.
    Probe(u64),
    /// The rule's timer for finding losses. The sender carries out this reaction, which may contain no loss.
    Losses(Reaction),
}

/// The values that a rule receives when its timer expires.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The present time.
    pub now: Time,
    /// The smoothed round trip of all samples, at full resolution.
    pub rtt: Smoothed,
    /// The congestion window, in the unit of the ledger.
    pub window: u64,
    /// New data may be sent below this number.
    pub fresh_until: u64,
}

/// Summary of an acknowledgement for a retransmission rule.
#[derive(Clone, Copy, Debug)]
pub struct AckSummary {
    /// The time at which the acknowledgement arrived.
    pub now: Time,
    /// The number of packets newly acknowledged cumulatively; zero for a duplicate.
    pub cumulative: u64,
    /// The amount of data acknowledged for the first time, cumulatively or selectively, in the unit of the
    /// ledger.
    pub delivered: u64,
    /// The congestion window before the acknowledgement, in the unit of the ledger.
    pub window: u64,
    /// Whether the acknowledgement repeats the last cumulative one while data is outstanding.
    pub duplicate: bool,
    /// The cause that the control would attribute to a loss detected now; `None` if the control does not
    /// differentiate losses.
    pub cause: Option<Cause>,
    /// The smoothed round trip of all samples, at full resolution.
    pub rtt: Smoothed,
    /// The time at which the packet that triggered the acknowledgement was sent, from the echoed timestamp;
    /// `None` without timestamps. Filled in only for rules that [keep a timer](Detection::keeps_timer).
    pub stamp: Option<Time>,
    /// The range reported as received twice (RFC 2883), as its first packet and one past its last; `None`
    /// without such a report. Filled in only for rules that keep a timer.
    pub dsack: Option<(u64, u64)>,
}

/// Reaction to an acknowledgement. The sender carries the parts out in the order of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// The number of duplicate acknowledgements in the recovery that has ended, including those that revealed
    /// the loss; zero for a rule that does not count duplicates. `None` if no recovery has ended.
    pub recovered: Option<u32>,
    /// The loss with which a recovery begins, of which the control is to hear; `None` if no recovery begins.
    pub loss: Option<LossFound>,
    /// The number of packets, of those outstanding when the recovery began, that are still missing. Present
    /// at the first acknowledgement of a recovery that advances without covering all of them; otherwise
    /// `None`.
    pub missing: Option<u64>,
    /// Packets to retransmit at once, whatever the window.
    pub resend: Option<Run>,
    /// Whether to back off the retransmission timer, as an expiry does.
    pub back_off: bool,
    /// Whether to restart the retransmission timer.
    pub restart_timer: bool,
    /// How an earlier loss has turned out, if this acknowledgement shows it; usually `None`.
    pub resolution: Option<Resolution>,
}

/// How an earlier loss was resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// The loss was spurious: the reaction to it is to be undone.
    Undone,
    /// Every packet was lost for so long that the control is to start over, as after a timeout (RFC 9002
    /// section 7.6).
    PersistentCongestion,
}

/// A run of consecutive packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first packet of the run.
    pub first: u64,
    /// The number of packets.
    pub count: u64,
}

impl Run {
    /// Returns a run of one packet.
    pub fn one(number: u64) -> Self {
        Self { first: number, count: 1 }
    }
}

/// A detected loss that begins a recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossFound {
    /// The number of the lost packet.
    pub number: u64,
    /// The signal by which the loss was detected.
    pub signal: LossSignal,
    /// The number of duplicate acknowledgements so far.
    pub duplicates: u32,
}

choice! {
    /// What a sender does with selective acknowledgements after a timeout.
    pub enum AfterTimeout {
        /// The sender forgets them and retransmits everything (BSD, ns-2).
        GoBackN = "go-back-n",
        /// The sender keeps them and retransmits what they leave out (RFC 6675 section 5.1).
        KeepSack = "keep-sack",
    }
}

/// Helpers that the tests of the rules share.
#[cfg(test)]
pub(crate) mod testing {
    use super::{AckSummary, Detection, Reaction};
    use crate::ledger::{Ledger, Newly};
    use crate::rtt::Smoothed;
    use ackclock_base::{Span, Time};

    /// Returns a ledger with `count` packets, all sent at time zero.
    pub fn sent(count: u64) -> Ledger {
        let mut ledger = Ledger::new(3);
        (0..count).for_each(|number| {
            ledger.transmit(number, Time::ZERO, 1);
        });
        ledger
    }

    /// A summary whose counts [`ack`] fills in.
    pub const SUMMARY: AckSummary = AckSummary {
        now: Time::ZERO,
        cumulative: 0,
        delivered: 0,
        window: 10,
        duplicate: false,
        cause: None,
        rtt: Smoothed { mean: Span::ZERO, deviation: Span::ZERO },
        stamp: None,
        dsack: None,
    };

    /// Acknowledges everything below `to`. Returns the reaction of `rule`.
    pub fn ack(rule: &mut impl Detection, ledger: &mut Ledger, to: u64, summary: AckSummary) -> Reaction {
        let mut newly = Newly::default();
        ledger.acknowledge(to, &mut newly);
        let Newly { cumulative, delivered, .. } = newly;
        rule.on_ack(ledger, &AckSummary { cumulative, delivered, duplicate: cumulative == 0, ..summary })
    }
}
