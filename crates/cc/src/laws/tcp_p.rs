//! TCP-P/k (Cho 2006 chapter III): parallel flows that together grow and shrink as k flows, however many they
//! are. The rules take k as an argument: TCP-P has it as a parameter, A-TCP-P computes it.

use crate::classic::MIN_SSTHRESH;
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use crate::group::{Group, GroupLaw, Members};
use crate::laws::{adaptive_strength, tcp_k};
use ackclock_base::{Packets, Range, Time, choice, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "tcp-p",
        "Parallel TCP flows whose total window grows and shrinks as the total window of k standard flows would",
        "Cho 2006 sections III.B and III.C",
        Parameters::TABLE,
    ),
    build: Build::Group(|values| Box::new(Group::new(Parallel(values.into())))),
    published: PublishedDefaults::recovery("newreno"),
};

choice! {
    /// How the cost of a loss is divided.
    pub enum Method {
        /// The flow that found the loss gives half its window, and the others the rest. Above k = N all give
        /// the same share, since half a window would be too much.
        HalveDetector = "halve-detector",
        /// All flows give the same share.
        Proportional = "proportional",
    }
}

choice! {
    /// The cost of a loss in a burst that has already been answered.
    pub enum Suppression {
        /// The same as for any loss.
        None = "none",
        /// None.
        Detector = "detector",
        /// None, and no flow is cut twice in that time.
        Both = "both",
        /// Half the window of the flow that found it.
        Siblings = "siblings",
    }
}

parameters! {
    /// A group of a given strength.
    pub struct Parameters {
        /// Strength: number of standard TCP flows to which the group corresponds
        k: f64 = number(
            "1",
            Range::between(1.0, 1e6),
            "Cho section III.C; default not stated, 1 corresponds to one standard flow",
        ),
        /// Weight of a new sample in a flow's smoothed RTT; losses within the minimum of this smoothed RTT count as one
        /// burst
        srtt_gain: f64 = number("0.125", adaptive_strength::GAINS, "Cho section III.B: w = 1/8"),
        /// The rules by which a group uses its strength.
        rules: Rules,
    }
}

parameters! {
    /// The rules of TCP-P for any strength.
    pub struct Rules {
        /// Reduction at a loss: the detecting flow halves its window and the other flows make up the rest of the
        /// group's reduction (halve-detector, if the group has more than k flows), or all flows reduce their windows by
        /// the same fraction (proportional)
        method: Method = choice(
            "halve-detector",
            "Cho section III.C; if k is at least N, the number of flows, all flows reduce their windows by the same \
             fraction, because halving one window would be too large a reduction",
        ),
        /// Effect of a loss that a flow detects within its minimum smoothed RTT (a-tcp-p: the group's) after another
        /// flow's loss reduced its window: as any loss (none; with tcp-p, always in groups of at most k flows), no
        /// reduction (detector, both), or a reduction of the detecting flow's window only (siblings). With both, other
        /// losses also spare flows whose windows another flow's loss reduced within their minimum smoothed RTT
        suppression: Suppression = choice(
            "detector",
            "Cho section III.B.3; section III.C.3 checks whether the window of the detecting flow was reduced recently; \
             in Linux 2.4 a flow in recovery halves its window whatever its slow start threshold is (tcp_cwnd_down)",
        ),
        /// Whether a flow whose window is reduced because another flow lost a packet also lowers its slow start
        /// threshold to the reduced window
        lower_ssthresh: bool = flag(
            false,
            "Cho section III.C leaves the slow start thresholds of the other flows unchanged",
        ),
        /// Whether a window grows in steps of k packets; if not, it grows by a fraction of a packet at each
        /// acknowledgement
        steps: bool = flag(true, "Cho section III.C: whole packets in the kernel, fractions in equations 3.4 and 3.7"),
    }
}

/// The state of one flow under the rules. Times are in seconds.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Growth allowed by fresh acknowledgements since the window last grew, in packets.
    count: Packets,
    srtt: f64,
    srtt_least: f64,
    /// The time at which a loss of another flow last cut this flow's window; `None` if none has.
    adjusted: Option<Time>,
}

impl Default for Flow {
    fn default() -> Self {
        Self { count: 0.0, srtt: 0.0, srtt_least: f64::INFINITY, adjusted: None }
    }
}

impl Flow {
    /// Updates the smoothed round trip, with weight `gain` for a new sample.
    pub fn observe(&mut self, ack: &Ack, gain: f64) {
        if let Some(rtt) = ack.rtt.filter(|_| ack.fresh).map(|rtt| rtt.seconds()) {
            self.srtt = if self.srtt == 0.0 { rtt } else { (1.0 - gain) * self.srtt + gain * rtt };
            self.srtt_least = self.srtt_least.min(self.srtt);
        }
    }
}

/// The cost of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// The whole group is cut.
    Whole,
    /// Only the flow that found the loss is cut.
    Own,
    /// No flow is cut.
    Nothing,
}

impl Rules {
    /// Grows the window of `me` by k after as many acknowledgements as make N flows of this window grow by k
    /// in a round trip (equations 3.2 and 3.8).
    pub fn increase(&self, members: &mut Members<Flow>, me: usize, k: f64, ack: &Ack) {
        let size = members.count() as f64;
        let member = &mut members.all[me];
        let needed = if member.window.cwnd < member.window.ssthresh {
            size
        } else {
            size * member.window.cwnd + (size - 1.0) / 2.0
        };
        if !self.steps {
            member.window.cwnd += k * ack.abc_increment / needed;
            return;
        }
        member.state.count += ack.abc_increment;
        if member.state.count >= needed {
            member.state.count = 0.0;
            member.window.cwnd += k;
        }
    }

    /// Returns the cost of a loss found by `me`. It is lower in a burst that has been answered: if another
    /// flow cut `me` less than `span` seconds ago.
    pub fn cost(&self, members: &Members<Flow>, me: usize, now: Time, span: f64) -> Cost {
        if !recently_adjusted(&members.all[me].state, now, span) {
            return Cost::Whole;
        }
        match self.suppression {
            Suppression::None => Cost::Whole,
            Suppression::Siblings => Cost::Own,
            Suppression::Detector | Suppression::Both => Cost::Nothing,
        }
    }

    /// Cuts windows for a loss found by `me`. At [`Cost::Whole`] the group keeps (2k-1)/(2k) of its windows
    /// (equation 3.6), at [`Cost::Own`] only `me` is cut, at [`Cost::Nothing`] nothing changes. With a cut, the
    /// threshold of `me` becomes half of its window whatever k is; the others keep theirs unless
    /// `lower_ssthresh` is set.
    pub fn on_loss(&self, members: &mut Members<Flow>, me: usize, k: f64, loss: &Loss, cost: Cost) {
        if cost == Cost::Nothing {
            return;
        }
        let share = if self.halves(members, k) { 1.0 } else { k };
        tcp_k::cut(&mut members.all[me].window, share, loss);
        if cost == Cost::Whole {
            self.cut_others(members, me, k, loss.now);
        }
    }

    /// Cuts the other flows for a loss found by `me`; `k` is the strength of the group. With the cut of `me`,
    /// equal windows keep (2k-1)/(2k) of their sum (equation 3.6). [`Suppression::Both`] spares a flow that
    /// was cut less than its least smoothed round trip ago.
    pub fn cut_others(&self, members: &mut Members<Flow>, me: usize, k: f64, now: Time) {
        let size = members.count() as f64;
        let share = if self.halves(members, k) { share_of_others(size, k) } else { tcp_k::rest(k) };
        for member in members.others(me) {
            let least = member.state.srtt_least;
            if self.suppression == Suppression::Both && recently_adjusted(&member.state, now, least) {
                continue;
            }
            member.window.cwnd *= share;
            if self.lower_ssthresh {
                member.window.ssthresh = member.window.ssthresh.min(member.window.cwnd).max(MIN_SSTHRESH);
            }
            member.state.adjusted = Some(now);
        }
    }

    fn halves(&self, members: &Members<Flow>, k: f64) -> bool {
        self.method == Method::HalveDetector && k < members.count() as f64
    }
}

/// Returns the share that each other flow keeps if the flow that finds the loss halves its window (equation
/// 3.9).
fn share_of_others(size: f64, k: f64) -> f64 {
    0.5 + size * (k - 1.0) / (2.0 * (size - 1.0) * k)
}

fn recently_adjusted(flow: &Flow, now: Time, span: f64) -> bool {
    flow.adjusted.is_some_and(|adjusted| now.since(adjusted).seconds() < span)
}

/// Parallel flows of a given strength.
#[derive(Clone, Debug)]
pub struct Parallel(Parameters);

impl Parallel {
    /// Returns whether the group has as many flows as its strength, so that each is a standard flow (section
    /// III.C).
    fn is_standard(&self, members: &Members<Flow>) -> bool {
        self.0.k == members.count() as f64
    }

    /// Returns the cost of a loss. Flows are only spared in a group of more than k (section III.C.3).
    fn cost(&self, members: &Members<Flow>, me: usize, now: Time) -> Cost {
        if self.0.k >= members.count() as f64 {
            return Cost::Whole;
        }
        self.0.rules.cost(members, me, now, members.all[me].state.srtt_least)
    }
}

impl GroupLaw for Parallel {
    type Member = Flow;

    fn observe(&mut self, members: &mut Members<Flow>, me: usize, ack: &Ack) {
        members.all[me].state.observe(ack, self.0.srtt_gain);
    }

    fn increase(&mut self, members: &mut Members<Flow>, me: usize, ack: &Ack) {
        if self.is_standard(members) {
            tcp_k::grow(&mut members.all[me].window, 1.0, ack.abc_increment);
        } else {
            self.0.rules.increase(members, me, self.0.k, ack);
        }
    }

    fn on_loss(&mut self, members: &mut Members<Flow>, me: usize, loss: &Loss) {
        if self.is_standard(members) {
            tcp_k::cut(&mut members.all[me].window, 1.0, loss);
        } else {
            let cost = self.cost(members, me, loss.now);
            self.0.rules.on_loss(members, me, self.0.k, loss, cost);
        }
    }

    /// Reacts to a timeout. Cho gives no rule: this flow starts over as the standard's, and the others are
    /// cut as at a loss.
    fn on_timeout(&mut self, members: &mut Members<Flow>, me: usize, timeout: &Timeout) {
        members.all[me].window.start_over(timeout);
        if !self.is_standard(members) && self.cost(members, me, timeout.now) == Cost::Whole {
            self.0.rules.cut_others(members, me, self.0.k, timeout.now);
        }
    }

    fn publish(&self, _: &Members<Flow>, _: usize, series: &mut dyn FnMut(&'static str, f64)) {
        series("k", self.0.k);
    }
}

#[cfg(test)]
mod tests;
