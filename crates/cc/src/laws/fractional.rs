//! Fractional TCP (Hacker, Noble and Athey 2004), as Cho 2006 section V.C describes it: each of N flows grows
//! at one Nth of the standard speed, so that together they grow as one flow. Only the flow that finds a loss
//! reacts to it. [Combined TCP](super::combined) has one standard flow among them.

use crate::control::{Ack, Loss};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use crate::group::{Group, GroupLaw, Members};
use crate::laws::tcp_k;

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "fractional",
        "Parallel flows that together grow as one flow in congestion avoidance; a loss halves only the window of the \
         flow that detects it",
        "Cho 2006 section V.C; Hacker, Noble and Athey 2004",
        &[],
    ),
    build: Build::Group(|_| Box::new(Group::new(Fractional { combined: false }))),
    published: PublishedDefaults::recovery("sack"),
};

/// Flows that together grow as one. Slow start is the standard's: Cho speaks only of the growth of windows.
#[derive(Clone, Debug)]
pub struct Fractional {
    /// Whether the first flow is a standard one.
    pub combined: bool,
}

impl GroupLaw for Fractional {
    type Member = ();

    fn increase(&mut self, members: &mut Members<()>, me: usize, ack: &Ack) {
        let first = members.all.iter().position(|member| member.present);
        let share = if self.combined && first == Some(me) { 1.0 } else { 1.0 / members.count() as f64 };
        let window = &mut members.all[me].window;
        if window.cwnd < window.ssthresh {
            window.slow_start(ack.abc_increment);
        } else {
            tcp_k::grow(window, share, ack.abc_increment);
        }
    }

    fn on_loss(&mut self, members: &mut Members<()>, me: usize, loss: &Loss) {
        tcp_k::cut(&mut members.all[me].window, 1.0, loss);
    }
}

#[cfg(test)]
mod tests {
    use crate::group_script::GroupScript;

    #[test]
    fn each_of_four_flows_grows_by_a_quarter_of_a_packet() {
        let mut script = GroupScript::new("fractional", &[], &[100.0; 4]);
        script.acks(0, 1); // 100 + 1/(4 x 100)
        assert_eq!(script.cwnd(0), 100.0025);
    }

    #[test]
    fn combined_has_one_standard_flow_for_as_long_as_there_is_any() {
        let mut script = GroupScript::new("combined", &[], &[100.0; 4]);
        script.acks(0, 1);
        script.acks(1, 1);
        assert_eq!(script.cwnds(), [100.01, 100.0025, 100.0, 100.0]);
        script.leave(0);
        script.acks(1, 1);
        assert!((script.cwnd(1) - (100.0025 + 1.0 / 100.0025)).abs() < 1e-12);
    }

    #[test]
    fn slow_start_and_losses_are_the_standards() {
        let mut script = GroupScript::with_thresholds("fractional", &[], &[(10.0, 1e3), (10.0, 5.0)]);
        script.acks(0, 1);
        script.loss(1);
        assert_eq!(script.cwnds(), [11.0, 5.0]);
    }
}
