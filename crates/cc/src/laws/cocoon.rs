//! COCOON (Gao, He, Hou and Paul), as Cho 2006 section V.C describes it: when a flow of a group finds
//! congestion, the flows that have more outstanding than its window are cut too. Cho does not say to which
//! window; here it is the window of the flow that found congestion.

use crate::classic::MIN_SSTHRESH;
use crate::control::{Ack, Loss};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use crate::group::{Group, GroupLaw, Members};
use crate::laws::tcp_k;
use ackclock_base::parameters;

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "cocoon",
        "Parallel flows; when a loss reduces the window of one flow, every other flow with more packets outstanding \
         than this reduced window reduces its own window to it",
        "Cho 2006 section V.C, after Gao, He, Hou and Paul",
        Cocoon::TABLE,
    ),
    build: Build::Group(|values| Box::new(Group::new(Cocoon::from(values)))),
    published: PublishedDefaults::recovery("sack"),
};

parameters! {
    /// A loss also cuts the flows that have more outstanding than the window after it.
    pub struct Cocoon {
        /// Whether a loss also lowers the slow start thresholds of the other flows whose windows it reduces
        lower_ssthresh: bool = flag(false, "not in Cho 2006, which mentions only windows"),
    }
}

impl GroupLaw for Cocoon {
    type Member = ();

    fn increase(&mut self, members: &mut Members<()>, me: usize, ack: &Ack) {
        tcp_k::grow(&mut members.all[me].window, 1.0, ack.abc_increment);
    }

    fn on_loss(&mut self, members: &mut Members<()>, me: usize, loss: &Loss) {
        let window = &mut members.all[me].window;
        tcp_k::cut(window, 1.0, loss);
        let cwnd = window.cwnd;
        for other in members.others(me).filter(|other| other.inflight > cwnd) {
            other.window.cwnd = other.window.cwnd.min(cwnd);
            if self.lower_ssthresh {
                other.window.ssthresh = other.window.ssthresh.min(cwnd).max(MIN_SSTHRESH);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::group_script::GroupScript;

    /// Creates a group whose windows are all in flight.
    fn group(settings: &[(&str, &str)], members: &[(f64, f64)]) -> GroupScript {
        let mut script = GroupScript::with_thresholds("cocoon", settings, members);
        (0..members.len()).for_each(|me| script.acks(me, 1));
        script
    }

    #[test]
    fn those_with_more_outstanding_than_the_window_left_get_that_window() {
        // 80 is halved to about 40: 60 is cut to that, 30 is not.
        let mut script = group(&[], &[(80.0, 40.0), (60.0, 50.0), (30.0, 15.0)]);
        let small = script.cwnd(2);
        script.loss(0);
        let left = script.cwnd(0);
        assert!((left - 40.0).abs() < 0.1, "{left}");
        assert_eq!(script.cwnds(), [left, left, small]);
        assert_eq!(script.ssthresh(1), 50.0);
    }

    #[test]
    fn thresholds_may_follow() {
        let mut script = group(&[("lower_ssthresh", "true")], &[(80.0, 40.0), (60.0, 50.0)]);
        script.loss(0);
        assert_eq!(script.ssthresh(1), script.cwnd(0));
    }

    #[test]
    fn flows_grow_as_standard_ones() {
        let mut script = GroupScript::new("cocoon", &[], &[100.0; 4]);
        script.acks(0, 1);
        assert_eq!(script.cwnd(0), 100.01);
    }
}
