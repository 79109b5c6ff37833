//! The Congestion Manager (Balakrishnan, Rahul and Seshan 1999), as Cho 2006 sections I and V.C describe it:
//! the flows of a group share one congestion window, which grows and shrinks as one standard flow's. Here
//! every flow has an equal part of it; what one flow leaves unused is not lent to the others.

use crate::classic::Window;
use crate::control::{Ack, Loss, Timeout};
use crate::entry::{Build, Entry, PublishedDefaults, control};
use crate::group::{Group, GroupLaw, Members};
use crate::laws::tcp_k;
use ackclock_base::{Packets, Time};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "cm",
        "Parallel flows that share the window of one flow in equal parts (Congestion Manager)",
        "Cho 2006 section V.C, after Balakrishnan, Rahul and Seshan 1999",
        &[],
    ),
    build: Build::Group(|_| Box::new(Group::new(Manager::default()))),
    published: PublishedDefaults::recovery("sack"),
};

/// One shared window, divided equally.
#[derive(Clone, Debug, Default)]
pub struct Manager {
    /// The shared window; `None` before the first flow.
    shared: Option<Window>,
    /// The time of the last cut. A lost packet that was sent before it belongs to the same congestion.
    cut: Time,
    /// Whether a timeout has restarted the group, and nothing has been acknowledged and the window not been
    /// set since. The other members' timers, which expire in the same burst, then change nothing.
    standstill: bool,
}

impl Manager {
    /// Changes the shared window and divides it among the members.
    fn change(&mut self, members: &mut Members<()>, act: impl FnOnce(&mut Window)) {
        let Some(shared) = &mut self.shared else { return };
        act(shared);
        shared.cwnd = shared.cwnd.max(1.0);
        let size = members.count() as f64;
        let part = Window { cwnd: shared.cwnd / size, ssthresh: shared.ssthresh / size };
        members.all.iter_mut().for_each(|member| member.window = part);
    }
}

impl GroupLaw for Manager {
    type Member = ();

    fn on_change(&mut self, members: &mut Members<()>, me: usize) {
        let first = members.all[me].window;
        self.shared.get_or_insert(first);
        self.change(members, |_| {});
    }

    fn observe(&mut self, _: &mut Members<()>, _: usize, ack: &Ack) {
        self.standstill &= !ack.fresh;
    }

    fn increase(&mut self, members: &mut Members<()>, _: usize, ack: &Ack) {
        self.change(members, |shared| tcp_k::grow(shared, 1.0, ack.abc_increment));
    }

    fn on_loss(&mut self, members: &mut Members<()>, _: usize, loss: &Loss) {
        if loss.sent >= self.cut {
            self.cut = loss.now;
            self.change(members, |shared| {
                tcp_k::cut(shared, 1.0, &Loss { window: shared.cwnd, ..*loss });
            });
        }
    }

    /// Raises the shared window to `least`: the group counts as one flow.
    fn keep_at_least(&mut self, members: &mut Members<()>, _: usize, least: Packets) {
        self.change(members, |shared| shared.cwnd = shared.cwnd.max(least));
    }

    fn on_timeout(&mut self, members: &mut Members<()>, _: usize, timeout: &Timeout) {
        self.cut = timeout.now;
        if std::mem::replace(&mut self.standstill, true) {
            return;
        }
        self.change(members, |shared| {
            shared.start_over(&Timeout { window: shared.cwnd, ..*timeout });
        });
    }

    fn undo(&mut self, members: &mut Members<()>, _: usize, (before, _): &(Self, Window)) {
        // An acknowledgement has ended the standstill; undoing the timeout does not restore it.
        self.standstill &= before.standstill;
        if let Some(window) = before.shared {
            self.change(members, |shared| shared.restore(&window));
        }
    }

    fn set_cwnd(&mut self, members: &mut Members<()>, me: usize, cwnd: Packets) {
        self.standstill = false;
        let more = cwnd - members.all[me].window.cwnd;
        self.change(members, |shared| shared.cwnd += more);
    }

    fn set_ssthresh(&mut self, members: &mut Members<()>, _: usize, ssthresh: Packets) {
        let size = members.count() as f64;
        self.change(members, |shared| shared.ssthresh = ssthresh * size);
    }

    fn publish(&self, _: &Members<()>, _: usize, series: &mut dyn FnMut(&'static str, f64)) {
        series("group_cwnd_packets", self.shared.map_or(f64::NAN, |shared| shared.cwnd));
    }
}

#[cfg(test)]
mod tests {
    use crate::group_script::GroupScript;

    fn group(size: usize) -> GroupScript {
        GroupScript::with_thresholds("cm", &[], &vec![(100.0, 50.0); size])
    }

    #[test]
    fn the_first_flows_window_is_divided_among_the_members_present() {
        let mut script = group(4);
        assert_eq!(script.cwnds(), [25.0; 4]);
        script.leave(3);
        assert!((script.cwnd(0) - 100.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn together_they_grow_as_one() {
        // 100 + 1/100 for any flow's acknowledgement.
        let mut script = group(4);
        script.acks(2, 1);
        assert!((script.total() - 100.01).abs() < 1e-9);
    }

    #[test]
    fn losses_in_one_window_halve_it_once() {
        let mut script = group(4);
        script.loss(0);
        assert!((script.total() - 50.0).abs() < 1e-9);
        script.wait(10.0);
        script.loss_of_packet_sent(1, 20.0); // before the cut 10 ms ago
        assert!((script.total() - 50.0).abs() < 1e-9);
        script.loss_of_packet_sent(1, 5.0);
        assert!((script.total() - 25.0).abs() < 1e-9);
    }

    #[test]
    fn timers_that_expire_together_start_over_once() {
        // A second expiry would halve a window of one packet, and leave a threshold of 2 for the group.
        let mut script = group(4);
        script.timeout(1);
        script.timeout(2);
        assert_eq!(script.ssthresh(0), 50.0 / 4.0);
        script.acks(0, 1);
        script.timeout(3);
        // Half of the group's four packets are 2: half a packet for each of four, and at least one.
        assert_eq!(script.ssthresh(0), 1.0);
    }

    #[test]
    fn a_window_that_is_set_after_a_timeout_starts_over_at_the_next() {
        // The window of one packet is raised to 40 for one member: 40 + 3 * 1 / 4 for the group. Half of that
        // is the threshold after the next expiry. Each member has a quarter of it, and at least the floor of
        // one packet.
        let mut script = group(4);
        script.timeout(1);
        script.set_cwnd(0, 40.0);
        let all = script.inner(0, "group_cwnd_packets").unwrap();
        script.timeout(1);
        assert_eq!((script.cwnds(), script.ssthresh(0)), (vec![1.0; 4], all / 2.0 / 4.0));
    }

    #[test]
    fn any_new_acknowledgement_ends_the_standstill() {
        // The application, not the window, is the limit: the window does not grow, but the standstill ends.
        // The next expiry counts: a threshold of 2 for the group, of which each has a quarter but at least 1.
        let mut script = group(4);
        script.timeout(1);
        script.ack_within_the_window(0);
        script.timeout(2);
        assert_eq!(script.ssthresh(0), 1.0);
    }

    #[test]
    fn a_spurious_timeout_is_undone_for_all() {
        let mut script = group(4);
        script.timeout(1);
        script.spurious(1);
        assert_eq!((script.cwnds(), script.ssthresh(0)), (vec![25.0; 4], 50.0 / 4.0));
        script.acks(2, 1);
        assert!((script.total() - 100.01).abs() < 1e-9);
    }

    #[test]
    fn a_timeout_starts_all_over() {
        let mut script = group(2);
        script.timeout(1);
        // The shared window is one packet; no flow has less than one of its own.
        assert_eq!((script.cwnds(), script.ssthresh(0)), (vec![1.0, 1.0], 25.0));
        script.acks(0, 9);
        assert_eq!(script.total(), 10.0);
    }
}
