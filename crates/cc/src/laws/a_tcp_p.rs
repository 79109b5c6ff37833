//! A-TCP-P (Cho 2006 chapter V): parallel flows under the rules of TCP-P, with a strength that A-TCP's
//! controller finds from the round trips of all members and the sum of their windows.

use crate::classic::Window;
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use crate::group::{Group, GroupLaw, Members};
use crate::laws::adaptive_strength::{self, Controller};
use crate::laws::tcp_p::{Cost, Flow, Rules};
use ackclock_base::{Time, parameters};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "a-tcp-p",
        "Parallel flows that together grow and shrink as k standard flows would; k rises after a loss while there is \
         no queue, and drops to 1 when a queue has built up or a competing flow is detected",
        "Cho 2006 section V.B, algorithms 5 to 7",
        Parameters::TABLE,
    ),
    build: Build::Group(|values| Box::new(Group::new(AdaptiveParallel::new(&values.into())))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// A-TCP's controller under TCP-P's rules.
    pub struct Parameters {
        /// The parameters of the controller.
        controller: adaptive_strength::Parameters,
        /// The rules by which a group uses its strength.
        rules: Rules,
    }
}

/// Parallel flows with the strength that their controller finds.
#[derive(Clone, Debug)]
pub struct AdaptiveParallel {
    controller: Controller,
    rules: Rules,
}

impl AdaptiveParallel {
    /// Creates the law before the first round trip.
    pub fn new(parameters: &Parameters) -> Self {
        Self { controller: Controller::new(parameters.controller), rules: parameters.rules }
    }

    /// Returns the cost of a loss of `me`, and tells the controller once per burst (algorithm 7). TCP-P's
    /// rules for sparing flows in a burst use the group's minimum round trip.
    fn cost(&mut self, members: &Members<Flow>, me: usize, now: Time) -> Cost {
        let cost = self.rules.cost(members, me, now, self.controller.srtt_least());
        if cost == Cost::Whole {
            self.controller.on_loss(now);
        }
        cost
    }
}

impl GroupLaw for AdaptiveParallel {
    type Member = Flow;

    /// Passes every round trip of every member to the controller (equation 5.1 and algorithm 6).
    fn observe(&mut self, members: &mut Members<Flow>, me: usize, ack: &Ack) {
        let Some(rtt) = ack.rtt.filter(|_| ack.fresh) else { return };
        members.all[me].state.observe(ack, self.controller.srtt_gain());
        let window = members.all[me].window;
        if window.cwnd >= window.ssthresh {
            self.controller.on_threshold(ack.now);
        }
        self.controller.on_rtt(ack.now, rtt.seconds(), members.total_cwnd());
    }

    fn increase(&mut self, members: &mut Members<Flow>, me: usize, ack: &Ack) {
        self.rules.increase(members, me, self.controller.k(), ack);
    }

    fn on_loss(&mut self, members: &mut Members<Flow>, me: usize, loss: &Loss) {
        let cost = self.cost(members, me, loss.now);
        self.rules.on_loss(members, me, self.controller.k(), loss, cost);
    }

    /// Reacts to a timeout. Cho gives no rule: this flow starts over as the standard's, and the others are
    /// cut as at a loss.
    fn on_timeout(&mut self, members: &mut Members<Flow>, me: usize, timeout: &Timeout) {
        members.all[me].window.start_over(timeout);
        if self.cost(members, me, timeout.now) == Cost::Whole {
            self.rules.cut_others(members, me, self.controller.k(), timeout.now);
        }
    }

    fn undo(&mut self, members: &mut Members<Flow>, me: usize, (before, window): &(Self, Window)) {
        members.all[me].window.restore(window);
        self.controller = before.controller.clone();
    }

    fn publish(&self, members: &Members<Flow>, _: usize, series: &mut dyn FnMut(&'static str, f64)) {
        series("group_cwnd_packets", members.total_cwnd());
        self.controller.publish(series);
    }
}

#[cfg(test)]
mod tests {
    use crate::group_script::GroupScript;

    /// Brings a group past the loss that ends slow start (at which k = 1 halves every window), with round
    /// trips of 50 to 60 ms seen.
    fn started(windows: &[f64]) -> GroupScript {
        let doubled: Vec<_> = windows.iter().map(|window| 2.0 * window).collect();
        let mut script = GroupScript::new("a-tcp-p", &[("srtt_gain", "1")], &doubled);
        script.rtt(60.0);
        script.acks(0, 1);
        script.rtt(50.0);
        script.acks(1, 1);
        script.loss(0);
        script
    }

    fn check(script: &mut GroupScript, me: usize, rtt_ms: f64) {
        script.wait(501.0);
        script.rtt(rtt_ms);
        script.acks(me, 1);
    }

    #[test]
    fn a_loss_at_strength_one_halves_the_group() {
        assert_eq!(started(&[100.0; 4]).cwnds(), [100.0; 4]);
    }

    #[test]
    fn any_members_round_trip_checks_the_group_and_the_knee_is_of_all_windows() {
        let mut script = started(&[100.0; 4]);
        (0..3).for_each(|me| check(&mut script, me, 50.0));
        assert_eq!(script.inner(3, "k"), Some(4.0));
        check(&mut script, 3, 60.0);
        let knee = script.inner(0, "knee_cwnd_packets");
        assert_eq!(
            (knee, script.inner(0, "knee_k"), script.inner(0, "k")),
            (Some(400.0), Some(4.0), Some(1.0))
        );
    }

    #[test]
    fn without_competition_the_group_loses_one_part_in_twice_the_root() {
        // knee_k = 9, so k = 3 of N = 4 flows: 400 x 5/6 = 333.3 (algorithm 7).
        let mut script = started(&[100.0; 4]);
        (0..8).for_each(|_| check(&mut script, 0, 50.0));
        check(&mut script, 0, 60.0);
        let before = script.total();
        script.wait(501.0);
        let lossy = script.cwnd(1);
        script.loss(1);
        assert_eq!(script.inner(0, "k"), Some(3.0));
        assert_eq!(script.cwnd(1), lossy / 2.0);
        assert!((script.total() / before - 5.0 / 6.0).abs() < 0.005, "{} of {before}", script.total());
    }

    #[test]
    fn a_strength_beyond_the_members_cuts_all_alike() {
        // knee_k = 16, k = 4 of N = 2 flows: 7/8 of each.
        let mut script = started(&[100.0; 2]);
        (0..15).for_each(|_| check(&mut script, 0, 50.0));
        check(&mut script, 0, 60.0);
        let [first, second] = [script.cwnd(0), script.cwnd(1)];
        script.wait(501.0);
        script.loss(1);
        assert_eq!(script.cwnds(), [first * 0.875, second * 0.875]);
    }

    #[test]
    fn a_burst_of_losses_is_one_event() {
        let mut script = started(&[100.0; 3]);
        script.wait(501.0);
        script.loss(0);
        let after = script.cwnds();
        script.wait(49.0); // the least round trip of the group is 50 ms
        script.loss(1);
        assert_eq!(script.cwnds(), after);
        script.wait(1.0);
        script.loss(1);
        assert_eq!(script.cwnd(1), after[1] / 2.0);
    }

    #[test]
    fn with_siblings_spared_a_burst_halves_its_finders_and_is_one_event_to_the_controller() {
        // A knee at strength 9 gives k = 3 for the burst, with N = 4 flows. Each flow that finds a loss
        // halves its window. The first loss also cuts the siblings, once, to equation 3.9's 1/2 + 4 x 2 / (2
        // x 3 x 3) = 17/18. After a second event k would be 1.
        let mut script =
            GroupScript::new("a-tcp-p", &[("srtt_gain", "1"), ("suppression", "siblings")], &[200.0; 4]);
        script.rtt(60.0);
        script.acks(0, 1);
        script.rtt(50.0);
        script.acks(1, 1);
        script.loss(0);
        (0..8).for_each(|_| check(&mut script, 0, 50.0));
        check(&mut script, 0, 60.0);
        script.wait(501.0);
        let before = script.cwnds();
        script.loss(1);
        script.wait(49.0); // the least round trip of the group is 50 ms
        script.loss(2);
        assert_eq!(script.inner(0, "k"), Some(3.0));
        let near = |window: f64, expected: f64| assert!((window - expected).abs() < 1e-9, "{window}");
        near(script.cwnd(1), before[1] / 2.0);
        near(script.cwnd(2), before[2] * 17.0 / 36.0);
        near(script.cwnd(3), before[3] * 17.0 / 18.0);
    }

    #[test]
    fn at_strength_one_a_member_grows_by_less_than_a_standard_flow() {
        // Equation 3.8 with k = 1, N = 4, W = 100: 402 acknowledgements for one packet.
        let mut script = started(&[100.0; 4]);
        script.acks(2, 401);
        assert_eq!(script.cwnd(2), 100.0);
        script.acks(2, 1);
        assert_eq!(script.cwnd(2), 101.0);
    }

    #[test]
    fn a_timeout_starts_the_flow_over_and_is_a_loss_to_the_group() {
        let mut script = started(&[100.0; 2]);
        script.wait(501.0);
        script.timeout(1);
        assert_eq!(script.cwnds(), [50.0, 1.0]);
    }

    #[test]
    fn a_timeout_is_a_loss_to_the_controller_and_a_spurious_one_is_not() {
        // Algorithm 7 line 4: a knee at strength 9 gives k = 3.
        let mut script = started(&[100.0; 4]);
        (0..8).for_each(|_| check(&mut script, 0, 50.0));
        check(&mut script, 0, 60.0);
        script.wait(501.0);
        let before = script.cwnd(1);
        script.timeout(1);
        assert_eq!(script.inner(0, "k"), Some(3.0));
        script.spurious(1);
        assert_eq!((script.inner(0, "k"), script.cwnd(1)), (Some(1.0), before));
    }
}
