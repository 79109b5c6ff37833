//! Retransmission rules: which packets are sent again, when, and how much may be in flight meanwhile. One rule a
//! file. A rule decides about packets; what a loss does to the window is the congestion control's business.

pub mod declared;
pub mod duplicates;
pub mod mda;
pub mod quic;
pub mod rack;
pub mod reports;
pub mod sack;
pub mod vegas;

use crate::ledger::Ledger;
use crate::rtt::Smoothed;
use crate::sender::Declaration;
use ackclock_base::{Time, choice};
use ackclock_cc::{Cause, LossSignal};

/// A retransmission rule.
pub trait Detection: Send {
    /// Takes in an acknowledgement that is already in the ledger, and says what follows.
    fn on_ack(&mut self, board: &mut Ledger, news: &News) -> Reaction;

    /// The retransmission timer has expired: everything outstanding is to be repaired.
    fn on_timeout(&mut self, board: &mut Ledger, now: Time);

    /// The last loss or timeout was none: whatever had been given up is in flight after all, and nothing is to be repaired.
    fn on_undone(&mut self, board: &mut Ledger);

    /// Perhaps the timeout was none, which new data is to show: a rule that goes back over what was sent steps forward.
    fn on_doubted_timeout(&mut self, _board: &mut Ledger) {}

    /// It was one: the rule goes on where it was.
    fn on_confirmed_timeout(&mut self, _board: &mut Ledger, _now: Time) {}

    /// The control has a model of the path, so that its window says how much may be in flight in recovery too (BBR has rules of
    /// its own for it, draft-ietf-ccwg-bbr section 5.6.4.4; Linux passes `tcp_cwnd_reduction` over where a control has a
    /// `cong_control`). A rule that brings the flight down by and by does not then. Told before anything is sent.
    fn leave_flight_to_control(&mut self) {}

    /// Whether a loss is being repaired by fast retransmission.
    fn in_recovery(&self) -> bool;

    /// Packets thought to be in the network.
    fn inflight(&self, board: &Ledger) -> u64;

    /// The next packet to send while less than `cwnd` is in flight, or `None`: while it is, a full packet fits into the window.
    /// New data may be sent up to the number `fresh_until`.
    fn next(&mut self, board: &mut Ledger, cwnd: u64, fresh_until: u64) -> Option<u64>;

    /// A packet from [`Self::next`], or one that a [`Reaction`] asked for, has been sent; `in_line` if it was the
    /// next in line.
    fn on_sent(&mut self, _board: &mut Ledger, _number: u64, _in_line: bool) {}

    /// Whether the rule has nothing to repair and nothing in mind. If the ledger is [in order](Ledger::is_in_order) besides,
    /// the sender does by itself what the rule would, without asking or telling it, until something else comes than new
    /// packets in order: it takes all that is outstanding for what is in flight, sends the next packet in line while less
    /// than the window is, and starts the retransmission timer again at each acknowledgement. A rule that wants to hear of every
    /// packet, or keeps a timer, is never at ease.
    fn is_at_ease(&self) -> bool {
        false
    }

    /// The transport has found losses itself, which the next acknowledgement is about: told before it.
    fn on_declared(&mut self, _declaration: &Declaration<'_>) {}

    /// Whether selective acknowledgements are to be put in the ledger.
    fn wants_ranges(&self, _board: &Ledger) -> bool {
        false
    }

    /// Whether the rule has a timer of its own.
    fn keeps_timer(&self) -> bool {
        false
    }

    /// When the rule's timer expires, or the retransmission timer, whose `deadline` this is: whichever it is that counts.
    /// Asked only if it [keeps one](Self::keeps_timer).
    fn timer(&self, _board: &Ledger, _rtt: Smoothed, deadline: Time) -> Time {
        deadline
    }

    /// The time of [`Self::timer`] has come: which timer it is that has expired, and what follows.
    fn on_timer(&mut self, _board: &mut Ledger, _clock: &Clock) -> Expiry {
        Expiry::Retransmission
    }
}

/// What has expired.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expiry {
    /// The retransmission timer: the rule hears of it in [`Detection::on_timeout`].
    Retransmission,
    /// A probe is due: this packet is to be sent, new or again, whatever the window.
    Probe(u64),
    /// Losses have shown, or none.
    Losses(Reaction),
}

/// What a rule is told when its timer expires.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The time.
    pub now: Time,
    /// The smoothed round trip of all samples, at full resolution.
    pub rtt: Smoothed,
    /// New data may be sent up to this number.
    pub fresh_until: u64,
}

/// What an acknowledgement brought.
#[derive(Clone, Copy, Debug)]
pub struct News {
    /// When it arrived.
    pub now: Time,
    /// Packets acknowledged cumulatively; zero for a duplicate.
    pub cumulative: u64,
    /// Packets delivered, cumulatively or selectively.
    pub delivered: u64,
    /// Whether it repeats the last cumulative acknowledgement while data is outstanding.
    pub duplicate: bool,
    /// What a loss would be that showed now, where the control tells kinds of loss apart.
    pub cause: Option<Cause>,
    /// The smoothed round trip of all samples, at full resolution.
    pub rtt: Smoothed,
    /// When the packet was sent that it answers to, where the transport has timestamps; told to rules that [keep a
    /// timer](Detection::keeps_timer).
    pub stamp: Option<Time>,
    /// Packets that it says have arrived twice (RFC 2883): the first, and one past the last; told to the same rules.
    pub dsack: Option<(u64, u64)>,
}

/// What follows from an acknowledgement. Parts are carried out in the order of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// Recovery has ended, after so many duplicates.
    pub recovered: Option<u32>,
    /// Recovery begins: tell the control.
    pub loss: Option<LossFound>,
    /// How many packets of the window in which a loss was found are missing still: the first fresh acknowledgement of
    /// a recovery tells, if it leaves any out.
    pub missing: Option<u64>,
    /// Send these packets again at once, whatever the window.
    pub resend: Option<Run>,
    /// Back the retransmission timer off, as an expiry does.
    pub back_off: bool,
    /// Start the retransmission timer again.
    pub restart_timer: bool,
    /// What is rare.
    pub aftermath: Option<Aftermath>,
}

/// What is to be said of an earlier loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aftermath {
    /// It was none: the reaction is to be taken back.
    Undone,
    /// Everything was lost for so long that the control is to start over, as after a timeout (RFC 9002 section 7.6).
    PersistentCongestion,
}

/// Packets in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first of them.
    pub first: u64,
    /// How many.
    pub count: u64,
}

impl Run {
    /// One packet.
    pub fn one(number: u64) -> Self {
        Self { first: number, count: 1 }
    }
}

/// A loss that has been found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossFound {
    /// The packet.
    pub number: u64,
    /// How it showed.
    pub signal: LossSignal,
    /// Duplicate acknowledgements so far.
    pub duplicates: u32,
}

choice! {
    /// What a sender does about selective acknowledgements after a timeout.
    pub enum AfterTimeout {
        /// Forget them and send everything again (BSD, ns-2).
        GoBackN = "go-back-n",
        /// Keep them, and send again what they leave out (RFC 6675 section 5.1).
        KeepSack = "keep-sack",
    }
}

/// What the tests of the rules share.
#[cfg(test)]
pub(crate) mod testing {
    use super::{Detection, News, Reaction};
    use crate::ledger::{Ledger, Newly};
    use crate::rtt::Smoothed;
    use ackclock_base::{Span, Time};

    /// So many packets, all sent at time zero.
    pub fn sent(count: u64) -> Ledger {
        let mut board = Ledger::new(3);
        (0..count).for_each(|number| {
            board.transmit(number, Time::ZERO, 1);
        });
        board
    }

    /// News whose rest an acknowledgement fills in.
    pub const NEWS: News = News {
        now: Time::ZERO,
        cumulative: 0,
        delivered: 0,
        duplicate: false,
        cause: None,
        rtt: Smoothed { mean: Span::ZERO, deviation: Span::ZERO },
        stamp: None,
        dsack: None,
    };

    /// An acknowledgement of everything below `to`.
    pub fn ack(rule: &mut impl Detection, board: &mut Ledger, to: u64, news: News) -> Reaction {
        let mut newly = Newly::default();
        board.acknowledge(to, &mut newly);
        let Newly { cumulative, delivered, .. } = newly;
        rule.on_ack(board, &News { cumulative, delivered, duplicate: cumulative == 0, ..news })
    }
}
